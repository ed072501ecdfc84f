// A batch: statements of several requests in one write and one transaction.
import pg from 'pg';
import type { Statement } from './database.ts';
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

/** What a connection has prepared: the columns of each statement's rows, by its name. */
export type Prepared = Map<string, Column[]>;

/** How a batch ended: carried out, or with nothing of it done because of one statement or of the connection. */
export type BatchEnd = { rows: Row[][] } | { error: Error; failed: Asked | undefined };

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
  let columns: Column[] | undefined;
  let fault: Error | undefined;
  const nameOf = (asked: Asked | undefined) => asked?.statement.name ?? '';

  const query = {
    submit(connection: pg.Connection) {
      const fresh = new Set<string>();
      for (const { statement, values } of batch) {
        const name = prepared === undefined ? '' : statement.name;
        const known = prepared?.has(name) || fresh.has(name);
        if (!known) writeParse(name, statement.text);
        writeBind(name, values);
        // A name's first use in this batch is described: the columns are known before its next one is answered.
        if (!known) writeDescribe();
        if (name !== '') fresh.add(name);
        writeExecute();
      }
      writeSync();
      (connection as unknown as { stream: NodeJS.WritableStream }).stream.write(taken());
    },
    handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
      columns = fields.map(({ name, dataTypeID }) => ({
        name,
        parse: pg.types.getTypeParser(dataTypeID, 'text') as Column['parse'],
      }));
      prepared?.set(nameOf(batch[results.length]), columns);
    },
    handleDataRow({ fields }: { fields: (string | null)[] }) {
      columns ??= prepared?.get(nameOf(batch[results.length])) ?? [];
      try {
        rows.push(rowOf(columns, fields));
      } catch (error) {
        fault = error as Error;
      }
    },
    handleCommandComplete() {
      // A statement without rows has no description.
      if (prepared !== undefined && !prepared.has(nameOf(batch[results.length])))
        prepared.set(nameOf(batch[results.length]), []);
      results.push(rows);
      rows = [];
      columns = undefined;
    },
    handleReadyForQuery() {
      query.callback();
      // Or an answer would go to somebody else.
      if (results.length !== batch.length) fault = new Error('Connection out of step');
      done(fault === undefined ? { rows: results } : { error: fault, failed: undefined });
    },
    handleError(error: Error) {
      query.callback(error);
      const failed = error instanceof pg.DatabaseError ? batch[results.length] : undefined;
      prepared?.delete(nameOf(failed)); // whatever was wrong with it, the next use prepares it again
      done({ error, failed });
    },
    /** The driver wraps it to end its own timer. */
    callback(_error?: Error) {},
  };
  client.query(query as unknown as pg.Submittable);
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): Row {
  const row: Row = {};
  for (const [place, { name, parse }] of columns.entries()) {
    const text = fields[place] ?? null;
    row[name] = text === null ? null : parse(text);
  }
  return row;
}
