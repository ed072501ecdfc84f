// Store functions made of a statement: their arguments are its parameters, in order, or one object where they are named.
import type pg from 'pg';
import type { Queryable } from './database.ts';
import { statement, type Values } from './statement.ts';

type Query<Arguments extends unknown[], Result> = (
  database: Queryable,
  ...values: Arguments
) => Promise<Result>;

/** A function that returns all rows. */
export function findAll<Row extends pg.QueryResultRow, Arguments extends unknown[] = []>(
  name: string,
  text: string,
): Query<Arguments, Row[]> {
  const asked = statement(name, text);
  const byName = asked.parameters?.length !== 0;
  return (database, ...values) => database.query<Row>(asked, byName ? (values[0] as Values) : values);
}

/** A function that returns the first row, if there is one. */
export function findOne<Row extends pg.QueryResultRow, Arguments extends unknown[] = []>(
  name: string,
  text: string,
): Query<Arguments, Row | undefined> {
  const find = findAll<Row, Arguments>(name, text);
  return async (...values) => (await find(...values))[0];
}

/** A function that returns the first column of the first row, if there is one. */
export function findValue<Value, Arguments extends unknown[] = []>(
  name: string,
  text: string,
): Query<Arguments, Value | undefined> {
  const find = findOne<Record<string, Value>, Arguments>(name, text);
  return async (...values) => Object.values((await find(...values)) ?? {})[0];
}

/** A function that returns the number that the statement counts. */
export function count<Arguments extends unknown[] = []>(
  name: string,
  text: string,
): Query<Arguments, number> {
  const find = findValue<number, Arguments>(name, text);
  return async (...values) => (await find(...values)) ?? 0;
}

/** A function that returns whether the statement gave a row: whether something was found, or changed. */
export function affects<Arguments extends unknown[] = []>(
  name: string,
  text: string,
): Query<Arguments, boolean> {
  const find = findAll<pg.QueryResultRow, Arguments>(name, text);
  return async (...values) => (await find(...values)).length > 0;
}

/** A function that runs the statement. */
export function execute<Arguments extends unknown[] = []>(
  name: string,
  text: string,
): Query<Arguments, void> {
  const run = findAll<pg.QueryResultRow, Arguments>(name, text);
  return async (...values) => void (await run(...values));
}
