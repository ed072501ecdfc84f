// Every statement can run on one Citus shard or is a listed exception.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Catalog, findBrokenRules, readCatalog } from '../support/citus-rules.ts';
import { findException, MULTI_SHARD_STATEMENTS } from '../support/multi-shard-statements.ts';
import { listServiceStatements } from '../support/statements.ts';
import { openTestDatabase } from '../support/store-fixtures.ts';

const { url, close } = await openTestDatabase();
const client = new pg.Client({ connectionString: url });
let catalog: Catalog;
const brokenRules = new Map<string, string[]>();

beforeAll(async () => {
  await client.connect();
  catalog = await readCatalog(client);
  for (const { name, text } of await listServiceStatements(url))
    brokenRules.set(name, await findBrokenRules(client, catalog, text));
});
afterAll(async () => {
  await client.end();
  await close();
});

const isAllShardsRule = (rule: string) => rule.endsWith(': all shards');

test('every statement follows the rules for Citus or is a listed exception', () => {
  expect(brokenRules.size).toBeGreaterThan(300);
  const violations = [...brokenRules]
    .map(
      ([name, rules]) =>
        [name, findException(name) ? rules.filter((rule) => !isAllShardsRule(rule)) : rules] as const,
    )
    .filter(([, rules]) => rules.length > 0);
  expect(Object.fromEntries(violations)).toEqual({});
});

test('every listed exception breaks a rule for Citus', () => {
  const neededPatterns = new Set(
    [...brokenRules].flatMap(([name, rules]) =>
      rules.some(isAllShardsRule) ? (findException(name)?.pattern ?? []) : [],
    ),
  );
  expect(
    Object.values(MULTI_SHARD_STATEMENTS)
      .flat()
      .filter((pattern) => !neededPatterns.has(pattern)),
  ).toEqual([]);
});

describe('the rules for Citus', () => {
  test.each([
    // Statements on tables that are distributed by account.
    ['a query without a condition', 'select from sessions', ['sessions: all shards']],
    ['a condition on another column', 'select from sessions where sid = $1', ['sessions: all shards']],
    ['a comparison other than equality', 'select from sessions where user_id > $1', ['sessions: all shards']],
    [
      'a condition on several accounts',
      'select from sessions where user_id = any ($1)',
      ['sessions: all shards'],
    ],
    [
      'a condition with an alternative',
      'select from sessions where user_id = $1 or sid = $2',
      ['sessions: all shards'],
    ],
    [
      'a join without a parameter',
      'select from users u join sessions s on s.user_id = u.id where u.email = $1',
      ['sessions: all shards', 'users: all shards'],
    ],
    [
      'a correlated subquery',
      'select (select count(*) from sessions s where s.user_id = u.id) from users u where u.id = $1',
      ['sessions: all shards'],
    ],
    [
      'a subquery instead of a parameter',
      'select from sessions where user_id = (select id from users where id = $1)',
      ['sessions: all shards'],
    ],
    [
      'a CTE instead of a parameter',
      'with u as materialized (select id from users where id = $1) select from u join sessions s on s.user_id = u.id',
      ['sessions: all shards'],
    ],
    [
      'the condition of an outer join, which restricts only the nullable side',
      'select from users u left join sessions s on u.id = $1 and s.user_id = $1',
      ['users: all shards'],
    ],
    [
      'a query for two accounts',
      'select from users u join consents k on k.user_id = $1 where u.id = $2',
      ['different shards: $1, $2'],
    ],
    [
      'an update without the distribution column',
      'update sessions set user_agent = $1 where sid = $2',
      ['sessions: all shards'],
    ],
    [
      'a deletion without a condition in a CTE',
      'with d as (delete from consents returning 1) select from d',
      ['consents: all shards'],
    ],
    [
      'an insert of a computed user_id',
      `insert into consents (user_id, client_id, scopes, granted_at) select gen_random_uuid(), 'c', '{}', $1`,
      ['consents: all shards'],
    ],
    [
      'an insert of rows for several accounts',
      `insert into consents (user_id, client_id, scopes, granted_at) values ($1, 'c', '{}', $2), ($3, 'c', '{}', $2)`,
      ['consents: all shards'],
    ],
    [
      'a lock on all shards',
      'select from users for update',
      ['users: all shards', 'users: rows are locked on all shards'],
    ],
    // Statements on colocated tables.
    [
      'a query on tables in different groups',
      'select from users u, service_tokens t where u.id = $1 and t.hash = $2',
      ['tables of different groups: service_tokens, users'],
    ],
    [
      'a change to a reference table that depends on a distributed table',
      'update clients set name = $1 where exists (select from users where id = $2)',
      ['clients: a reference table is changed in a statement with distributed tables'],
    ],
    [
      'an insert from a distributed table with a second change in a CTE',
      `with u as (update users set name = 'x' where id = $1 returning id)
      insert into consents (user_id, client_id, scopes, granted_at)
      select k.user_id, 'c', '{}', $2 from consents k, u where k.user_id = $1`,
      ['INSERT … SELECT from a distributed table, beside a WITH that changes something'],
    ],
    [
      'a change in a CTE whose condition contains only a parameter',
      'with d as (delete from passkeys where user_id = $1 and $2::boolean returning 1) select from d',
      ['a change in a WITH has a condition without a column'],
    ],
    // Statements that call functions.
    [
      'a STABLE operator in SET',
      `update users set created_at = created_at + interval '1 day' where id = $1`,
      ['a STABLE function of a column in SET or WHERE of a change'],
    ],
    [
      'a STABLE function in WHERE',
      `delete from users where id = $1 and extract(year from created_at) = 2000`,
      ['a STABLE function of a column in SET or WHERE of a change'],
    ],
    [
      'a STABLE operator in CASE',
      `update users set name = case when created_at < $2::timestamptz - interval '1 day' then 'x' end where id = $1`,
      ['a function that is not immutable in CASE or COALESCE of a change'],
    ],
    [
      'a STABLE conversion in COALESCE',
      `update users set name = coalesce($2::timestamptz::text, 'x') where id = $1`,
      ['a function that is not immutable in CASE or COALESCE of a change'],
    ],
    [
      'a STABLE function in RETURNING, even for a reference table',
      `update clients set name = 'x' where client_id = $1 returning json_build_object('id', client_id)`,
      ['a function that is not immutable in RETURNING'],
    ],
    [
      'a STABLE operator in DO UPDATE',
      `insert into users as u (id) values ($1) on conflict (id) do update set created_at = u.created_at + interval '1 day'`,
      ['a function that is not immutable in ON CONFLICT'],
    ],
    [
      'a VOLATILE function',
      `update users set name = gen_random_uuid()::text where id = $1`,
      ['a VOLATILE function in a change'],
    ],
  ])('are broken by %s', async (_, text, rules) => {
    expect(await findBrokenRules(client, catalog, text)).toEqual(rules);
  });

  test.each([
    ['a condition with a parameter', 'select from sessions s where s.user_id = $1 and s.sid = $2'],
    [
      'a condition with a constant',
      `select from sessions where user_id = '11111111-1111-4111-8111-111111111111'`,
    ],
    [
      'an equijoin of columns',
      'select from users u join sessions s on s.user_id = u.id where $1 = s.user_id',
    ],
    ['an outer join', 'select from users u left join sessions s on s.user_id = u.id where u.id = $1'],
    [
      'a join with reference tables',
      'select from clients c left join consents k on k.client_id = c.client_id and k.user_id = $1',
    ],
    [
      'an insert of rows read from the account',
      `with u as (select id from users where id = $1), i as (
        insert into consents (user_id, client_id, scopes, granted_at)
        select u.id, c.client_id, '{}', $2::timestamptz + interval '1 day' from u, clients c returning user_id)
      select from i`,
    ],
    [
      'functions outside the change',
      `with u as (update users set created_at = $2::timestamptz + interval '1 day' where id = $1 returning created_at)
      select created_at + interval '1 day', json_build_object('at', created_at) from u`,
    ],
    [
      'differences of times',
      `update users set name = case when $2::timestamptz - created_at < interval '1 day' then 'x' end where id = $1`,
    ],
    ['a condition on a table’s distribution column', 'delete from service_tokens where hash = $1'],
  ])('are followed by %s', async (_, text) => {
    expect(await findBrokenRules(client, catalog, text)).toEqual([]);
  });
});
