// What callers of statement batching do, and what must come of it: as if each had its own connection.
import fc from 'fast-check';
import pg from 'pg';
import { expect } from 'vitest';
import { type Statement, statement } from '../../../src/store/statement.ts';

export const TABLES = `
  create table own (caller int, key int, n int check (n < 20), primary key (caller, key));
  create table log (caller int, step int);
  create table claims (key int primary key, caller int, step int);
  create table counters (key int primary key, n int);
  create function raise(code text) returns int language plpgsql as
    $$ begin raise exception using errcode = code, message = 'wanted'; end $$;
  create function log_and_raise(caller int, step int, code text) returns int language plpgsql as
    $$ begin insert into log values (caller, step); return raise(code); end $$`;
export const EMPTY =
  'truncate own, log, claims, counters; insert into counters select n, 0 from generate_series(0, 2) n';

/** What one caller does with rows of its own: nobody else has a part in what comes of it. */
const INSERT = statement('insert', 'insert into own values ($1::int, $2::int, $3::int) returning key, n');
const ADD = statement(
  'add',
  'update own set n = n + $3::int where caller = $1::int and key = $2::int returning n',
);
const REMOVE = statement('remove', 'delete from own where caller = $1::int and key = $2::int returning key');
const LOG = statement('log', 'insert into log values ($1::int, $2::int)');
const LIST = statement(
  'list',
  `select key, n, (select count(*) from log where log.caller = own.caller) as logged from own
  where caller = $1::int order by key`,
);
const ECHO = statement('echo', 'select $1::int as caller, $2::text as word, $3::text[] as list');
const NOTHING = statement('nothing', '');
/** What fails: while it is prepared, bound, executed, by itself or by a signal. */
const MISSPELT = statement('misspelt', 'select nowhere from own where caller = $1::int');
const CAST = statement('cast', 'select $1::int as caller, $2::uuid as id');
const RAISE = statement('raise', 'select raise($1::text)');
const LOG_AND_RAISE = statement('log_and_raise', 'select log_and_raise($1::int, $2::int, $3::text)');
const CANCEL = statement(
  'cancel',
  'select pg_cancel_backend(pg_backend_pid()), pg_sleep(9) is null, $1::int as caller',
);
const TERMINATE = statement(
  'terminate',
  'select pg_terminate_backend(pg_backend_pid()), pg_sleep(9) is null',
);
/** What callers contend for. */
const CLAIM = statement('claim', 'insert into claims values ($3::int, $1::int, $2::int) returning key');
const CLAIM_IF_FREE = statement(
  'claim_if_free',
  'insert into claims values ($3::int, $1::int, $2::int) on conflict do nothing returning key',
);
const COUNT = statement('count', 'update counters set n = n + 1 where key = $1::int returning key, n');

/**
 * As raised by somebody's statement, which makes them no less its own: those that also mean an outdated statement or a
 * deadlock among them. 55P03 is not: it takes those along that would wait for the same lock (batching.test.ts).
 */
const CODES = ['22012', '23514', 'P0001', '40001', '40P01', '0A000', '26000', '57014', 'XX000'];

export type Step = {
  ask: Statement;
  reads?: boolean;
  own: boolean;
  values(caller: number, step: number): unknown[];
};

const key = fc.nat(2);
const code = fc.constantFrom(...CODES);
const word = fc.string({ unit: 'grapheme', maxLength: 8 });
const own = (ask: Statement, values: Step['values'], reads = false): Step => ({
  ask,
  own: true,
  values,
  reads,
});
export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(key, fc.nat(9)).map(([key, n]) => own(INSERT, (caller) => [caller, key, n])),
  fc.tuple(key, fc.nat(9)).map(([key, n]) => own(ADD, (caller) => [caller, key, n])),
  key.map((key) => own(REMOVE, (caller) => [caller, key])),
  // Most often what shows that it was done twice.
  { weight: 4, arbitrary: fc.constant(own(LOG, (caller, step) => [caller, step])) },
  fc.boolean().map((reads) => own(LIST, (caller) => [caller], reads)),
  fc
    .tuple(word, fc.array(word, { maxLength: 3 }), fc.boolean())
    .map(([word, list, reads]) => own(ECHO, (caller) => [caller, word, list], reads)),
  fc.constant(own(NOTHING, () => [])),
  fc.boolean().map((reads) => own(MISSPELT, (caller) => [caller], reads)),
  fc.boolean().map((reads) => own(CAST, (caller) => [caller, 'none'], reads)),
  fc.tuple(code, fc.boolean()).map(([code, reads]) => own(RAISE, () => [code], reads)),
  code.map((code) => own(LOG_AND_RAISE, (caller, step) => [caller, step, code])),
  fc.boolean().map((reads) => own(CANCEL, (caller) => [caller], reads)),
  fc
    .tuple(key, fc.constantFrom(CLAIM, CLAIM_IF_FREE))
    .map(([key, ask]) => ({ ask, own: false, values: (caller, step) => [caller, step, key] }) as Step),
  key.map((key) => ({ ask: COUNT, own: false, values: () => [key] })),
);
export const terminate = fc
  .boolean()
  .map((reads): Step => ({ ask: TERMINATE, own: true, reads, values: () => [] }));
/** What a caller was told: rows, a SQLSTATE, or that nobody knows. */
export type Outcome = { rows: unknown[] } | { code: string } | 'lost';
const isOver = (outcome: Outcome | undefined): boolean => outcome === 'lost';

export const told = (asked: Promise<unknown[]>): Promise<Outcome> =>
  asked.then(
    (rows) => ({ rows }),
    (error) =>
      error instanceof pg.DatabaseError && error.code !== undefined && error.code !== '57P01'
        ? { code: error.code }
        : 'lost',
  );

/** What callers have of their own; nothing else tells whether a write was applied, and how often. */
async function ownRows(plain: pg.Client, caller: number): Promise<unknown> {
  const rows = await plain.query('select key, n from own where caller = $1 order by key', [caller]);
  const log = await plain.query('select step from log where caller = $1 order by step', [caller]);
  return [rows.rows, log.rows];
}

/** Compares each caller with a connection of its own; of what was lost only that it was done once or not at all. */
export async function expectAsAlone(
  plain: pg.Client,
  scripts: readonly Step[][],
  outcomes: Outcome[][],
): Promise<void> {
  const left: unknown[] = [];
  for (const caller of scripts.keys()) left.push(await ownRows(plain, caller));
  await plain.query('truncate own, log');
  for (const [caller, script] of scripts.entries()) {
    const possible: unknown[] = [];
    for (const [n, { ask, own, values }] of script.entries()) {
      const outcome = outcomes[caller]?.[n];
      if (isOver(outcome)) possible.push(await ownRows(plain, caller));
      if (outcome === undefined || ask === TERMINATE) break;
      if (!own) continue;
      const expected = await told(
        plain.query({ text: ask.text, values: values(caller, n) }).then(({ rows }) => rows),
      );
      if (!isOver(outcome)) expect(outcome, `caller ${caller}, step ${n}: ${ask.name}`).toEqual(expected);
    }
    possible.push(await ownRows(plain, caller));
    expect(possible, `what caller ${caller} has left`).toContainEqual(left[caller]);
  }
}

/** Of those who want the same, one gets it; counters count what was answered, and each number is given once. */
export async function expectFair(
  plain: pg.Client,
  scripts: readonly Step[][],
  outcomes: Outcome[][],
): Promise<void> {
  const claimed = await plain.query('select key, caller, step from claims');
  const counters = await plain.query<{ key: number; n: number }>('select key, n from counters');
  const given = new Map(counters.rows.map(({ key }) => [key, new Set<number>()]));
  let lost = 0;
  for (const [caller, script] of scripts.entries())
    for (const [step, { ask, values }] of script.entries()) {
      const outcome = outcomes[caller]?.[step];
      if (outcome === undefined) break;
      if (isOver(outcome)) lost += 1;
      if (outcome === 'lost') continue;
      if (ask === COUNT) {
        const [{ key, n }] = (outcome as { rows: [{ key: number; n: number }] }).rows;
        expect(given.get(key)?.has(n), 'a number is given once').toBe(false);
        given.get(key)?.add(n);
      }
      if (ask !== CLAIM && ask !== CLAIM_IF_FREE) continue;
      const key = values(caller, step)[2];
      const won = 'rows' in outcome && outcome.rows.length === 1;
      if (won) expect(claimed.rows, 'who was told so has it').toContainEqual({ key, caller, step });
      else {
        expect(outcome).toEqual(ask === CLAIM ? { code: '23505' } : { rows: [] });
        expect(claimed.rows.filter((row) => row.key === key)).toHaveLength(1);
        expect(claimed.rows, 'who was told otherwise has not').not.toContainEqual({ key, caller, step });
      }
    }
  for (const { key, n } of counters.rows) {
    expect(n).toBeGreaterThanOrEqual(Math.max(0, ...(given.get(key) ?? [])));
    expect(n - (given.get(key)?.size ?? 0), 'counted but not answered').toBeLessThanOrEqual(lost);
  }
}
