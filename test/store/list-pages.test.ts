// What operators see, on the real database: searches through indexes, pages without gaps, counts that stop.
import { afterAll, describe, expect, test } from 'vitest';
import { listAccounts } from '../../src/store/account-lists.ts';
import { findApplication, listApplicationsPage, PEOPLE_COUNTED } from '../../src/store/application-lists.ts';
import { COUNTED, countEverything } from '../../src/store/counts.ts';
import type { Database } from '../../src/store/database.ts';
import { listEvents, recordEvent } from '../../src/store/events.ts';
import { PAGE } from '../../src/store/list-pages.ts';
import type { Values } from '../../src/store/statement.ts';
import { changePassword } from '../../src/store/users.ts';
import { suspendUser } from '../support/accounts.ts';
import {
  createClient,
  createSession,
  createUser,
  later,
  NOW,
  openTestDatabase,
  sql,
} from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

/** Many accounts; those before the last number that is counted have a verified email. */
const insertMany = (many: number, from = 1) =>
  sql(
    database,
    `insert into users (id, email, email_key, name, email_verified, password_hash, operator, profile_updated_at,
      created_at)
    select gen_random_uuid(), n || '@many.example', n || '@many.example', 'Many ' || n, n < ${COUNTED}, '', false,
      $1::timestamptz, $1::timestamptz from generate_series($3::int, $2::int) n`,
    [NOW, many, from],
  );

describe('counts', () => {
  test('are exact to ten thousand, then an estimate of the table, else the least there is', async () => {
    await createUser(database, { operator: true, emailVerified: true });
    expect((await countEverything(database, NOW)).accounts).toEqual({ value: 1, kind: 'exact' });
    await insertMany(COUNTED + 2000);
    const before = await countEverything(database, NOW);
    expect(before.verified).toEqual({ value: COUNTED, kind: 'exact' });
    await sql(database, `update users set email_verified = true where email = '${COUNTED}@many.example'`);
    await sql(database, 'analyze users');
    const after = await countEverything(database, NOW);
    expect(after.verified).toEqual({ value: COUNTED, kind: 'moreThan' });
    expect(after.accounts).toEqual({ value: COUNTED + 2001, kind: 'about' });
    expect(after.operators).toEqual({ value: 1, kind: 'exact' });
  });

  test('of sessions leave out what has expired or ended with its account’s epoch (D28)', async () => {
    const [open, ended, suspended] = [
      await createUser(database),
      await createUser(database),
      await createUser(database, { operator: true }),
    ];
    for (const userId of [open, ended, suspended])
      await createSession(database, userId, { expiresAt: later(10) });
    await createSession(database, open, { expiresAt: later(5) });
    expect((await countEverything(database, later(1))).sessions.value).toBe(4);
    await changePassword(database, ended, 'another hash');
    await suspendUser(database, suspended, NOW);
    expect((await countEverything(database, later(6))).sessions).toEqual({ value: 1, kind: 'exact' });
  });

  test('of the last day leave out what is older; an event that says how often counts as often', async () => {
    const now = later(86_400);
    await recordEvent(database, { kind: 'signed_in' }, NOW);
    await recordEvent(database, { kind: 'signed_in' }, later(1));
    await recordEvent(database, { kind: 'sign_in_failed', detail: { times: 5 } }, later(1));
    await recordEvent(database, { kind: 'sign_in_failed' }, later(2));
    const { signIns, failures, signUps } = await countEverything(database, now);
    expect([signIns.value, failures.value, signUps.value]).toEqual([1, 6, 0]);
  });
});

describe('accounts', () => {
  test('beyond five hundred matches a search says so, and its pages still hold each once', async () => {
    const { rows, capped, next } = await listAccounts(database, { search: 'many 1' });
    expect([rows.length, capped]).toEqual([PAGE, true]);
    const second = await listAccounts(database, { search: 'many 1', after: next });
    const ids = [...rows, ...second.rows].map(({ userId }) => userId);
    expect(new Set(ids).size).toBe(2 * PAGE);
    expect((await listAccounts(database, { search: 'many 12000' })).capped).toBe(false);
  });
});

test('people of an application stop at a thousand', async () => {
  const { clientId } = await createClient(database, { name: 'Popular' });
  await sql(
    database,
    `insert into consents (user_id, client_id, scopes, granted_at)
    select id, $1::text, '{openid}', $2::timestamptz from users order by id limit ${PEOPLE_COUNTED + 5}`,
    [clientId, NOW],
  );
  expect((await findApplication(database, clientId))?.people).toBe(PEOPLE_COUNTED);
  const { rows } = await listApplicationsPage(database, { search: 'popular' });
  expect(rows.map((row) => [row.clientId, row.people])).toEqual([[clientId, PEOPLE_COUNTED]]);
  expect(await findApplication(database, 'app_nobody')).toBeUndefined();
});

describe('every list and search is answered through an index', () => {
  /** Whether it reads a whole table, asked as the service asks: prepared, and planned without knowing the values. */
  async function readsWholeTable(work: (spy: Database) => Promise<unknown>, table: string): Promise<boolean> {
    // How the rows of a search that were found are read in the end ("users u") is up to PostgreSQL: they are few.
    const reading = new RegExp(`Seq Scan on ${table}( ${table}_\\d+)?  \\(`);
    const asked: { text: string; values: Values }[] = [];
    await work({
      ...database,
      query: async (statement, values) => {
        asked.push({ text: statement.text, values });
        return database.query(statement, values);
      },
    });
    const plans = await database.transaction(async (transaction) => {
      const run = (text: string) => transaction.query({ name: '', text }, []);
      await run('set local plan_cache_mode to force_generic_plan');
      const texts: string[] = [];
      for (const { text, values } of asked) {
        const literal = (value: unknown) =>
          value === null
            ? 'null'
            : `'${(value instanceof Date ? value.toISOString() : String(value)).replaceAll("'", "''")}'`;
        await run(`prepare asked as ${text}`);
        const rows = await run(`explain execute asked (${(values as unknown[]).map(literal).join(', ')})`);
        texts.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        await run('deallocate asked');
      }
      return texts;
    });
    expect(plans.length).toBeGreaterThan(0);
    return plans.some((plan) => reading.test(plan));
  }

  test('accounts: a page, a search by email or name', async () => {
    await sql(database, 'analyze');
    for (const state of ['any', 'operator', 'suspended'] as const)
      expect([state, await readsWholeTable((spy) => listAccounts(spy, { state }), 'users u')]).toEqual([
        state,
        false,
      ]);
    expect(await readsWholeTable((spy) => listAccounts(spy, { search: 'ad' }), 'users')).toBe(false);
    expect(await readsWholeTable((spy) => listApplicationsPage(spy, { search: 'ad' }), 'users')).toBe(false);
    expect(
      await readsWholeTable(
        (spy) => spy.query({ name: '', text: 'select name from users where name = $1' }, ['x']),
        'users',
      ),
      'this test would see it',
    ).toBe(true);
  });

  test('events: whatever they are filtered by', async () => {
    await sql(
      database,
      `insert into events (at, kind, actor_id, user_id, client_id, address, detail)
      select $1::timestamptz + make_interval(secs => n), 'kind_' || n % 40, gen_random_uuid(), gen_random_uuid(),
        'app_' || n % 1000, '192.0.2.' || n % 250, '{}' from generate_series(1, 20000) n`,
      [NOW],
    );
    await sql(database, 'analyze events');
    const one = (await listEvents(database, {}, { limit: 1 }))[0];
    const before = { at: later(5000), id: one?.id ?? '1' };
    for (const filter of [
      {},
      { kind: 'kind_1' },
      { userId: one?.userId ?? '' },
      { clientId: 'app_7' },
      { address: '192.0.2.7' },
      { from: later(100), until: later(200) },
      { kind: 'kind_1', clientId: 'app_1', from: NOW },
    ])
      for (const position of [undefined, before])
        expect([
          filter,
          await readsWholeTable((spy) => listEvents(spy, filter, { before: position, limit: 51 }), 'events'),
        ]).toEqual([filter, false]);
  });
});
