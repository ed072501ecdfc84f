// Defines store functions from SQL. `values` maps a function's arguments to SQL parameters.
import type pg from 'pg';
import type { Database, Queryable } from './database.ts';
import { statement, type Values } from './statement.ts';

type StoreFunction<Arguments extends unknown[], Result> = (
  database: Queryable,
  ...args: Arguments
) => Promise<Result>;

export function findAll<Row extends pg.QueryResultRow, Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values: (...args: Arguments) => Values = (...args) => args,
): StoreFunction<Arguments, Row[]> {
  const query = statement(name, text);
  return (database, ...args) => database.query<Row>(query, values(...args));
}

export function findOne<Row extends pg.QueryResultRow, Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...args: Arguments) => Values,
): StoreFunction<Arguments, Row | undefined> {
  const find = findAll<Row, Arguments>(name, text, values);
  return async (...args) => (await find(...args))[0];
}

/** Like `findOne`, but batched. */
export function findHot<Row extends pg.QueryResultRow, Arguments extends unknown[]>(
  name: string,
  text: string,
  values: (...args: Arguments) => Values = (...args) => args,
): (database: Pick<Database, 'hotRead'>, ...args: Arguments) => Promise<Row | undefined> {
  const query = statement(name, text);
  return async (database, ...args) => (await database.hotRead<Row>(query, values(...args)))[0];
}

/** Like `findValue`, but batched. */
export function findHotValue<Value, Arguments extends unknown[]>(
  name: string,
  text: string,
  values?: (...args: Arguments) => Values,
): (database: Pick<Database, 'hotRead'>, ...args: Arguments) => Promise<Value | undefined> {
  const find = findHot<Record<string, Value>, Arguments>(name, text, values);
  return async (...args) => Object.values((await find(...args)) ?? {})[0];
}

export function findValue<Value, Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...args: Arguments) => Values,
): StoreFunction<Arguments, Value | undefined> {
  const find = findOne<Record<string, Value>, Arguments>(name, text, values);
  return async (...args) => Object.values((await find(...args)) ?? {})[0];
}

/** The defined function returns the first column, or 0 if there is no row. */
export function count<Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...args: Arguments) => Values,
): StoreFunction<Arguments, number> {
  const find = findValue<number, Arguments>(name, text, values);
  return async (...args) => (await find(...args)) ?? 0;
}

export function hasRows<Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...args: Arguments) => Values,
): StoreFunction<Arguments, boolean> {
  const find = findAll<pg.QueryResultRow, Arguments>(name, text, values);
  return async (...args) => (await find(...args)).length > 0;
}

export function execute<Arguments extends unknown[] = []>(
  name: string,
  text: string,
  values?: (...args: Arguments) => Values,
): StoreFunction<Arguments, void> {
  const run = findAll<pg.QueryResultRow, Arguments>(name, text, values);
  return async (...args) => void (await run(...args));
}

/** Returns one array per column, as arguments of `unnest`. */
export const toColumnArrays = <Row>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] =>
  names.map((name) => rows.map((row) => row[name]));
