// Store functions made of a statement. Their arguments are its parameters in order, unless `values` says otherwise.
import type pg from 'pg';
import type { Database, Queryable } from './database.ts';
import { statement, type Values } from './statement.ts';

type Query<Arguments extends unknown[], Result> = (
  database: Queryable,
  ...given: Arguments
) => Promise<Result>;

/** A function that returns all rows. */
export function findAll<Row extends pg.QueryResultRow, Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values: (...given: Arguments) => Values = (...given) => given,
): Query<Arguments, Row[]> {
  const asked = statement(name, text);
  return (database, ...given) => database.query<Row>(asked, values(...given));
}

/** A function that returns the first row, if there is one. */
export function findOne<Row extends pg.QueryResultRow, Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...given: Arguments) => Values,
): Query<Arguments, Row | undefined> {
  const find = findAll<Row, Arguments>(name, text, values);
  return async (...given) => (await find(...given))[0];
}

/** The same for a hot reading statement. */
export function findHot<Row extends pg.QueryResultRow, Arguments extends unknown[]>(
  name: string,
  text: string,
  values: (...given: Arguments) => Values = (...given) => given,
): (database: Pick<Database, 'hotRead'>, ...given: Arguments) => Promise<Row | undefined> {
  const asked = statement(name, text);
  return async (database, ...given) => (await database.hotRead<Row>(asked, values(...given)))[0];
}

/** The same, of which the function returns the first column. */
export function findHotValue<Value, Arguments extends unknown[]>(
  name: string,
  text: string,
  values?: (...given: Arguments) => Values,
): (database: Pick<Database, 'hotRead'>, ...given: Arguments) => Promise<Value | undefined> {
  const find = findHot<Record<string, Value>, Arguments>(name, text, values);
  return async (...given) => Object.values((await find(...given)) ?? {})[0];
}

/** A function that returns the first column of the first row, if there is one. */
export function findValue<Value, Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...given: Arguments) => Values,
): Query<Arguments, Value | undefined> {
  const find = findOne<Record<string, Value>, Arguments>(name, text, values);
  return async (...given) => Object.values((await find(...given)) ?? {})[0];
}

/** A function that returns the number that the statement counts. */
export function count<Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...given: Arguments) => Values,
): Query<Arguments, number> {
  const find = findValue<number, Arguments>(name, text, values);
  return async (...given) => (await find(...given)) ?? 0;
}

/** A function that returns whether the statement gave a row: whether something was found, or changed. */
export function affects<Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...given: Arguments) => Values,
): Query<Arguments, boolean> {
  const find = findAll<pg.QueryResultRow, Arguments>(name, text, values);
  return async (...given) => (await find(...given)).length > 0;
}

/** A function that runs the statement. */
export function execute<Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...given: Arguments) => Values,
): Query<Arguments, void> {
  const run = findAll<pg.QueryResultRow, Arguments>(name, text, values);
  return async (...given) => void (await run(...given));
}

/** The columns of rows as arrays, for `unnest`. */
export const columnsOf = <Row>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] =>
  names.map((name) => rows.map((row) => row[name]));
