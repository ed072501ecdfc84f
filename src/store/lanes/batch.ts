// A batch: statements of several requests in one write and one transaction.
import pg from 'pg';
import type { Statement } from '../statement.ts';
import { taken, type Value, writeBind, writeDescribe, writeExecute, writeParse, writeSync } from './wire.ts';

/** A statement that somebody waits for. */
export interface Asked {
  statement: Statement;
  values: readonly Value[];
  resolve(rows: pg.QueryResultRow[]): void;
  reject(error: unknown): void;
  /** When it was asked, by `performance.now()`. */
  since: number;
  /** It has been in a batch that failed through another one: it gets a transaction of its own. */
  alone: boolean;
}

type Row = pg.QueryResultRow;
type Column = { name: string; parse: (text: string) => unknown };

interface Columns {
  list: readonly Column[];
  /** A row without values. V8 makes an object that gets more than a dozen properties one by one a hash table. */
  empty: Row;
}

/** What a connection has prepared: the columns of each statement's rows, by its name. */
export type Prepared = Map<string, Columns>;

const NO_COLUMNS: Columns = { list: [], empty: {} };

/** How a batch ended: carried out, or with nothing of it done because of one statement or of the connection. */
export type BatchEnd = { rows: Row[][] } | BatchFailure;

export interface BatchFailure {
  error: Error;
  failed: Asked | undefined;
  /** What the connection had prepared for it does not fit any more; its next use prepares it again. */
  outdated?: boolean;
}

/**
 * Sends a batch over a connection that has none under way. The answers are there when PostgreSQL has committed.
 * @param prepared of this connection; kept up to date here. Undefined: nothing is prepared by name.
 * @param done told once. After an error of PostgreSQL the connection is ready again when it says `drain`.
 */
export function sendBatch(
  client: pg.Client,
  batch: readonly Asked[],
  prepared: Prepared | undefined,
  done: (end: BatchEnd) => void,
): void {
  const results: Row[][] = [];
  let rows: Row[] = [];
  let columns: Columns | undefined;
  let fault: Error | undefined;
  /** What is prepared in this batch. */
  const fresh = new Set<string>();
  const nameOf = (asked: Asked | undefined) => asked?.statement.name ?? '';

  const query = {
    submit(connection: pg.Connection) {
      try {
        for (const { statement, values } of batch) {
          const name = prepared === undefined ? '' : statement.name;
          const known = prepared?.has(name) || fresh.has(name);
          if (!known) writeParse(name, statement.text);
          writeBind(name, values);
          // A name's first use in this batch is described: the columns are known before its next one is answered.
          if (!known) writeDescribe();
          if (!known && name !== '') fresh.add(name);
          writeExecute();
        }
        writeSync();
      } catch (error) {
        taken(); // or the next batch, of whatever connection, would begin with it
        return error as Error; // the driver hands it to `handleError`
      }
      (connection as unknown as { stream: NodeJS.WritableStream }).stream.write(taken());
      return null;
    },
    handleRowDescription({ fields }: { fields: Field[] }) {
      columns = columnsOf(fields);
      prepared?.set(nameOf(batch[results.length]), columns);
    },
    handleDataRow({ fields }: { fields: (string | null)[] }) {
      columns ??= prepared?.get(nameOf(batch[results.length])) ?? NO_COLUMNS;
      try {
        rows.push(rowOf(columns, fields));
      } catch (error) {
        fault = error as Error;
      }
    },
    handleCommandComplete() {
      // A statement without rows has no description.
      if (prepared !== undefined && !prepared.has(nameOf(batch[results.length])))
        prepared.set(nameOf(batch[results.length]), NO_COLUMNS);
      results.push(rows);
      rows = [];
      columns = undefined;
    },
    handleEmptyQuery() {
      query.handleCommandComplete();
    },
    handleReadyForQuery() {
      query.callback();
      // Or an answer would go to somebody else.
      if (results.length !== batch.length) fault = new Error('Connection out of step');
      done(fault === undefined ? { rows: results } : { error: fault, failed: undefined });
    },
    handleError(error: Error) {
      query.callback(error);
      // What PostgreSQL says has a code; what the driver could not read has none.
      const isAnswer = error instanceof pg.DatabaseError && error.code !== undefined;
      const failed = isAnswer ? batch[results.length] : undefined;
      const name = nameOf(failed);
      const outdated =
        isAnswer && OUTDATED.has(error.code ?? '') && prepared?.has(name) === true && !fresh.has(name);
      prepared?.delete(name); // whatever was wrong with it, the next use prepares it again
      done({ error, failed, outdated });
    },
    /** The driver wraps it to end its own timer. */
    callback(_error?: Error) {},
  };
  client.query(query as unknown as pg.Submittable);
}

type Field = { name: string; dataTypeID: number };

function columnsOf(fields: readonly Field[]): Columns {
  return {
    list: fields.map(({ name, dataTypeID }) => ({
      name,
      parse: pg.types.getTypeParser(dataTypeID, 'text') as Column['parse'],
    })),
    empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
  };
}

function rowOf({ list, empty }: Columns, fields: readonly (string | null)[]): Row {
  const row = { ...empty };
  for (const [place, { name, parse }] of list.entries()) {
    const text = fields[place];
    if (typeof text === 'string') row[name] = parse(text);
  }
  return row;
}

/** SQLSTATE of a prepared statement whose table has changed, and of one that somebody has thrown away. */
const OUTDATED = new Set(['0A000', '26000']);
