// Administrators' lists: prefix search, keyset pagination, and capped counts.
import { afterAll, describe, expect, test } from 'vitest';
import { listAccountsPage } from '../../src/store/admin-accounts.ts';
import { listAgents } from '../../src/store/admin-agents.ts';
import { addUserCounts, MAX_USER_COUNT } from '../../src/store/admin-clients.ts';
import { countForOverview, MAX_COUNTED } from '../../src/store/admin-counts.ts';
import { PAGE_SIZE } from '../../src/store/admin-lists.ts';
import type { Queryable } from '../../src/store/database.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import {
  createClient,
  createSession,
  createUser,
  later,
  NOW,
  openTestDatabase,
  sql,
  suspendUser,
} from '../support/store-fixtures.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());
/** Slow counts would delay other statements in the same batch. */
const unbatched: Queryable = { query: database.query };

/** Inserts accounts numbered from `first` to `last`. Those up to MAX_COUNTED are suspended. */
const insertAccounts = (last: number, first = 1) =>
  sql(
    database,
    `insert into users (id, email, email_key, name, email_verified, password_hash, is_admin, profile_updated_at,
      created_at, suspended_at)
    select gen_random_uuid(), n || '@many.example', n || '@many.example', 'Many ' || n, true, '', false,
      $1::timestamptz, $1::timestamptz, case when n <= ${MAX_COUNTED} then $1::timestamptz end
    from generate_series($3::int, $2::int) n`,
    [NOW, last, first],
  );

describe('counts for administrators', () => {
  test('are exact up to ten thousand and capped above that number', async () => {
    await createUser(database, { isAdmin: true });
    await insertAccounts(MAX_COUNTED + 2000);
    const { accounts, admins, suspended } = await countForOverview(unbatched, NOW);
    expect(accounts).toEqual({ value: MAX_COUNTED, isCapped: true });
    expect(admins).toEqual({ value: 1, isCapped: false });
    expect(suspended).toEqual({ value: MAX_COUNTED, isCapped: false });
  });

  test('exclude expired and revoked sessions', async () => {
    const [open, ended, suspended] = [
      await createUser(database),
      await createUser(database),
      await createUser(database, { isAdmin: true }),
    ];
    for (const userId of [open, ended, suspended])
      await createSession(database, userId, { expiresAt: later(10) });
    await createSession(database, open, { expiresAt: later(5) });
    expect((await countForOverview(unbatched, later(1))).sessions.value).toBe(4);
    await setAccountPassword(database, ended, 'different hash');
    await suspendUser(database, suspended, NOW);
    expect((await countForOverview(unbatched, later(6))).sessions).toEqual({ value: 1, isCapped: false });
  });
});

describe('the user counts in a client list', () => {
  /** Creates a client with consents from `userCount` users, and a consent that another user has withdrawn. */
  const createUsedClient = async (ownerId: string, userCount: number) => {
    const client = await createClient(database, { ownerId });
    await sql(
      database,
      `with users as (
        insert into users (id, email, email_key, name, email_verified, password_hash, is_admin, profile_updated_at,
          created_at)
        select gen_random_uuid(), n || $1, n || $1, 'User', true, '', false, $2::timestamptz, $2::timestamptz
        from generate_series(0, $3::int) n returning id, email
      )
      insert into consents (user_id, client_id, scopes, granted_at, withdrawn_at)
      select id, $1::text, '{}', $2::timestamptz, case when email like '0%' then $2::timestamptz end from users`,
      [client.clientId, NOW, userCount],
    );
    return client;
  };

  test('are capped at 1,000', async () => {
    const ownerId = await createUser(database);
    const many = await createUsedClient(ownerId, MAX_USER_COUNT + 1);
    const few = await createUsedClient(ownerId, 2);
    expect(await addUserCounts(unbatched, [many, few])).toEqual([
      { ...many, userCount: MAX_USER_COUNT },
      { ...few, userCount: 2 },
    ]);
  });

  test('are read in one query for the whole list', async () => {
    const expectedCounts: Record<string, number> = {};
    for (const userCount of [2, 1, 0]) {
      const { clientId } = await createUsedClient(await createUser(database), userCount);
      await sql(
        database,
        `insert into agents (client_id, kind, created_at) values ($1::text, 'registration', $2::timestamptz)`,
        [clientId, NOW],
      );
      expectedCounts[clientId] = userCount;
    }
    let statementCount = 0;
    const countingDatabase: Queryable = {
      query: (statement, values) => {
        statementCount += 1;
        return database.query(statement, values);
      },
    };
    const agents = await listAgents(countingDatabase);
    expect(Object.fromEntries(agents.map(({ clientId, userCount }) => [clientId, userCount]))).toEqual(
      expectedCounts,
    );
    expect(statementCount).toBe(2);
  });
});

describe('an account search', () => {
  test('never lists an account on two pages', async () => {
    const { rows, capped, next } = await listAccountsPage(database, { search: 'many 1' });
    expect([rows.length, capped]).toEqual([PAGE_SIZE, true]);
    const second = await listAccountsPage(database, { search: 'many 1', after: next });
    const ids = [...rows, ...second.rows].map(({ userId }) => userId);
    expect(new Set(ids).size).toBe(2 * PAGE_SIZE);
    expect((await listAccountsPage(database, { search: 'many 12000' })).capped).toBe(false);
  });
});
