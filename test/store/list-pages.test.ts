// What operators see, on the real database: searches through indexes, pages without gaps, counts that stop.
import { afterAll, describe, expect, test } from 'vitest';
import { listAccounts } from '../../src/store/account-lists.ts';
import { COUNTED, countEverything } from '../../src/store/counts.ts';
import { PAGE } from '../../src/store/list-pages.ts';
import { changePassword } from '../../src/store/users.ts';
import {
  createSession,
  createUser,
  later,
  NOW,
  openTestDatabase,
  sql,
  suspendUser,
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
  test('are exact up to ten thousand', async () => {
    await createUser(database, { operator: true, emailVerified: true });
    await insertMany(COUNTED + 2000);
    const { accounts, operators, verified } = await countEverything(database, NOW);
    expect(accounts).toEqual({ value: COUNTED, isMore: true });
    expect(operators).toEqual({ value: 1, isMore: false });
    expect(verified).toEqual({ value: COUNTED, isMore: false });
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
    expect((await countEverything(database, later(6))).sessions).toEqual({ value: 1, isMore: false });
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
