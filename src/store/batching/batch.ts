// Sends several statements in one write and one transaction.
import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { Statement } from '../statement.ts';

type Row = pg.QueryResultRow;

export type Parameter = string | Buffer | null;

export interface PendingStatement {
  statement: Statement;
  parameters: Parameter[];
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
  /** A time from `performance.now()`. */
  queuedAt: number;
  isSeparate: boolean;
}

export type PreparedStatements = Map<string, RowFormat>;

interface RowFormat {
  columns: readonly { name: string; parse: (text: string) => unknown }[];
  /** A row of nulls to copy. In V8, copying is faster than adding properties. */
  emptyRow: Row;
}

const NO_COLUMNS: RowFormat = { columns: [], emptyRow: {} };

/**
 * After an SQL error, the batch is rolled back. `index` is the position of the failed statement.
 * After a connection error, the batch may have been committed.
 */
export type BatchResult = { rows: Row[][] } | { error: Error & { code?: string }; index: number | undefined };

/**
 * Sends a batch over an idle connection. The promise never rejects.
 * @param prepared the connection's prepared statements, which this function updates
 */
export function sendBatch(
  client: pg.Client,
  batch: readonly PendingStatement[],
  prepared: PreparedStatements | undefined,
): Promise<BatchResult> {
  const { promise, resolve } = Promise.withResolvers<BatchResult>();
  const results: Row[][] = [];
  let rows: Row[] = [];
  let format: RowFormat | undefined;
  const getCurrentStatementName = () => batch[results.length]?.statement.name ?? '';

  const query = {
    submit({ stream }: { stream: NodeJS.WritableStream }) {
      stream.write(encodeBatch(batch, prepared));
      return null;
    },
    handleRowDescription({ fields }: { fields: Field[] }) {
      format = toRowFormat(fields);
      prepared?.set(getCurrentStatementName(), format);
    },
    handleDataRow({ fields }: { fields: (string | null)[] }) {
      format ??= prepared?.get(getCurrentStatementName()) ?? NO_COLUMNS;
      rows.push(toRow(format, fields));
    },
    handleCommandComplete() {
      // PostgreSQL sends no row description for a statement without columns.
      if (prepared?.has(getCurrentStatementName()) === false)
        prepared.set(getCurrentStatementName(), NO_COLUMNS);
      results.push(rows);
      rows = [];
      format = undefined;
    },
    handleEmptyQuery() {
      query.handleCommandComplete();
    },
    handleReadyForQuery() {
      query.callback();
      // If a result were missing, callers would get the rows of other statements.
      if (results.length === batch.length) resolve({ rows: results });
      else resolve({ error: new Error('Connection out of sync'), index: undefined });
    },
    handleError(error: Error) {
      // Only connection errors have no code. After an SQL error, `drain` means that the connection is ready.
      if (!(error instanceof pg.DatabaseError) || error.code === undefined) return fail(error);
      const index = results.length;
      prepared?.delete(getCurrentStatementName());
      const onDrain = () => {
        client.off('end', onEnd);
        fail(error, index);
      };
      const onEnd = () => fail(new Error('Connection terminated unexpectedly'));
      client.once('drain', onDrain).once('end', onEnd);
    },
    /** The driver replaces this function to clear its read timeout. */
    callback() {},
  };
  const fail = (error: Error, index?: number) => {
    query.callback();
    resolve({ error, index });
  };
  client.query(query as unknown as pg.Submittable);
  return promise;
}

/** With a single Sync message, PostgreSQL runs the batch as one implicit transaction. */
function encodeBatch(batch: readonly PendingStatement[], prepared: PreparedStatements | undefined): Buffer {
  const parts: Uint8Array[] = [];
  const parsed = new Set<string>();
  for (const { statement, parameters } of batch) {
    const name = prepared === undefined ? '' : statement.name;
    const isKnown = prepared !== undefined && (prepared.has(name) || parsed.has(name));
    if (!isKnown) {
      // Close the statement first because an earlier batch may have prepared it before failing.
      if (name !== '') parts.push(serialize.close({ type: 'S', name }));
      parts.push(serialize.parse({ name, text: statement.text }));
      parsed.add(name);
    }
    parts.push(serialize.bind({ statement: name, values: parameters }));
    if (!isKnown) parts.push(serialize.describe({ type: 'P' }));
    parts.push(serialize.execute());
  }
  parts.push(serialize.sync());
  return Buffer.concat(parts);
}

type Field = { name: string; dataTypeID: number };

const toRowFormat = (fields: readonly Field[]): RowFormat => ({
  columns: fields.map(({ name, dataTypeID }) => ({
    name,
    parse: pg.types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown,
  })),
  emptyRow: Object.fromEntries(fields.map(({ name }) => [name, null])),
});

function toRow({ columns, emptyRow }: RowFormat, fields: readonly (string | null)[]): Row {
  const row = { ...emptyRow };
  for (const [index, { name, parse }] of columns.entries()) {
    const text = fields[index];
    if (typeof text === 'string') row[name] = parse(text);
  }
  return row;
}

export function encodeParameter(value: unknown): Parameter {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(encodeElement).join(',')}}`;
  if (typeof value === 'object') throw new TypeError('an object can’t be a statement parameter');
  return String(value);
}

function encodeElement(value: unknown): string {
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  if (typeof value === 'object' || value === undefined) throw new TypeError('unsupported array element type');
  return `"${String(value).replace(/["\\]/g, '\\$&')}"`;
}
