// Sends a batch: statements of several requests in one write and one transaction.
import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { Statement } from '../statement.ts';

type Row = pg.QueryResultRow;

/** A parameter as it is sent: bytes, or anything else as text. */
export type Parameter = string | Buffer | null;

/** A statement that a caller waits for. */
export interface Pending {
  statement: Statement;
  parameters: Parameter[];
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
  /** When it was queued, by `performance.now()`. */
  since: number;
  /** Its first batch failed, so it gets its own transaction. */
  isAlone: boolean;
}

/** How to read the rows of a statement, by the names of the statements that a connection has prepared. */
export type Prepared = Map<string, RowFormat>;

interface RowFormat {
  columns: readonly { name: string; parse: (text: string) => unknown }[];
  /** A row of nulls. V8 turns an object that gets many properties one by one into a hash table. */
  empty: Row;
}

const NO_ROWS: RowFormat = { columns: [], empty: {} };

/**
 * The rows of each statement, all of them committed, or an error, and nothing was applied. Without an index the
 * connection failed and is unusable, and it is unknown whether the batch was applied.
 */
export type BatchResult = { rows: Row[][] } | { error: Error & { code?: string }; index: number | undefined };

/**
 * Sends a batch over an idle connection. Never rejects.
 * @param prepared the connection's, updated here; undefined: statements are not prepared by name
 */
export function sendBatch(
  client: pg.Client,
  batch: readonly Pending[],
  prepared: Prepared | undefined,
): Promise<BatchResult> {
  const { promise, resolve } = Promise.withResolvers<BatchResult>();
  const results: Row[][] = [];
  let rows: Row[] = [];
  let format: RowFormat | undefined;
  const currentName = () => batch[results.length]?.statement.name ?? '';

  const query = {
    submit({ stream }: { stream: NodeJS.WritableStream }) {
      stream.write(messagesOf(batch, prepared));
      return null;
    },
    handleRowDescription({ fields }: { fields: Field[] }) {
      format = formatOf(fields);
      prepared?.set(currentName(), format);
    },
    handleDataRow({ fields }: { fields: (string | null)[] }) {
      format ??= prepared?.get(currentName()) ?? NO_ROWS;
      rows.push(rowOf(format, fields));
    },
    handleCommandComplete() {
      // PostgreSQL describes no statement that returns no rows.
      if (prepared?.has(currentName()) === false) prepared.set(currentName(), NO_ROWS);
      results.push(rows);
      rows = [];
      format = undefined;
    },
    handleEmptyQuery() {
      query.handleCommandComplete();
    },
    handleReadyForQuery() {
      query.callback();
      // Otherwise a caller would get the rows of another.
      if (results.length === batch.length) resolve({ rows: results });
      else resolve({ error: new Error('Connection out of step'), index: undefined });
    },
    handleError(error: Error) {
      // Only an error that PostgreSQL sends has a code; it is ready for the next batch when the driver emits `drain`.
      if (!(error instanceof pg.DatabaseError) || error.code === undefined) return fail(error);
      const index = results.length;
      prepared?.delete(currentName()); // its next use prepares it again
      const onDrain = () => {
        client.off('end', onEnd);
        fail(error, index);
      };
      const onEnd = () => fail(new Error('Connection terminated unexpectedly'));
      client.once('drain', onDrain).once('end', onEnd);
    },
    /** The driver wraps this to stop its read timeout. */
    callback() {},
  };
  const fail = (error: Error, index?: number) => {
    query.callback();
    resolve({ error, index });
  };
  client.query(query as unknown as pg.Submittable);
  return promise;
}

/** The statements in PostgreSQL's extended query protocol, with one Sync: one implicit transaction. */
function messagesOf(batch: readonly Pending[], prepared: Prepared | undefined): Buffer {
  const parts: Uint8Array[] = [];
  const parsed = new Set<string>();
  for (const { statement, parameters } of batch) {
    const name = prepared === undefined ? '' : statement.name;
    const isKnown = prepared !== undefined && (prepared.has(name) || parsed.has(name));
    if (!isKnown) {
      // An earlier use may have prepared it and then failed.
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

const formatOf = (fields: readonly Field[]): RowFormat => ({
  columns: fields.map(({ name, dataTypeID }) => ({
    name,
    parse: pg.types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown,
  })),
  empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
});

function rowOf({ columns, empty }: RowFormat, fields: readonly (string | null)[]): Row {
  const row = { ...empty };
  for (const [index, { name, parse }] of columns.entries()) {
    const text = fields[index];
    if (typeof text === 'string') row[name] = parse(text);
  }
  return row;
}

/** Converts a value to a parameter. @throws TypeError or RangeError for a value that can't be sent */
export function parameterOf(value: unknown): Parameter {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`;
  if (typeof value === 'object') throw new TypeError('an object is no parameter of a statement');
  return String(value);
}

function elementOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  if (typeof value === 'object' || value === undefined) throw new TypeError('no element of an array');
  return `"${String(value).replace(/["\\]/g, '\\$&')}"`;
}
