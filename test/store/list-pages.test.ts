// What operators see, on the real database: searches through indexes, pages without gaps, counts that stop.
import { afterAll, describe, expect, test } from 'vitest';
import { listAccounts } from '../../src/store/account-lists.ts';
import { listAgents } from '../../src/store/agent-lists.ts';
import { PEOPLE_COUNTED, withPeople } from '../../src/store/application-lists.ts';
import { COUNTED, countEverything } from '../../src/store/counts.ts';
import type { Queryable } from '../../src/store/database.ts';
import { PAGE } from '../../src/store/list-pages.ts';
import { changePassword } from '../../src/store/users.ts';
import {
  createClient,
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
/** Without `hotRead`, because counts of many rows would delay the statements in their batch. */
const unbatched: Queryable = { query: database.query };

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
    const { accounts, operators, verified } = await countEverything(unbatched, NOW);
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
    expect((await countEverything(unbatched, later(1))).sessions.value).toBe(4);
    await changePassword(database, ended, 'another hash');
    await suspendUser(database, suspended, NOW);
    expect((await countEverything(unbatched, later(6))).sessions).toEqual({ value: 1, isMore: false });
  });
});

describe('the accounts that use a client', () => {
  /** A client and its consents, one of which is withdrawn. */
  const createUsedClient = async (ownerId: string, people: number) => {
    const client = await createClient(database, { ownerId });
    await sql(
      database,
      `with users as (
        insert into users (id, email, email_key, name, email_verified, password_hash, operator, profile_updated_at,
          created_at)
        select gen_random_uuid(), n || $1, n || $1, 'User', true, '', false, $2::timestamptz, $2::timestamptz
        from generate_series(0, $3::int) n returning id, email
      )
      insert into consents (user_id, client_id, scopes, granted_at, withdrawn_at)
      select id, $1::text, '{}', $2::timestamptz, case when email like '0%' then $2::timestamptz end from users`,
      [client.clientId, NOW, people],
    );
    return client;
  };

  test('are counted up to a thousand on a page', async () => {
    const ownerId = await createUser(database);
    const many = await createUsedClient(ownerId, PEOPLE_COUNTED + 1);
    const few = await createUsedClient(ownerId, 2);
    expect(await withPeople(unbatched, [many, few])).toEqual([
      { ...many, people: PEOPLE_COUNTED },
      { ...few, people: 2 },
    ]);
  });

  test('are counted for all agents by one statement', async () => {
    const peopleOf: Record<string, number> = {};
    for (const people of [2, 1, 0]) {
      const { clientId } = await createUsedClient(await createUser(database), people);
      await sql(
        database,
        `insert into agents (client_id, way, created_at) values ($1::text, 'registration', $2::timestamptz)`,
        [clientId, NOW],
      );
      peopleOf[clientId] = people;
    }
    let sent = 0;
    const counting: Queryable = {
      query: (statement, values) => {
        sent += 1;
        return database.query(statement, values);
      },
    };
    const agents = await listAgents(counting);
    expect(Object.fromEntries(agents.map(({ clientId, people }) => [clientId, people]))).toEqual(peopleOf);
    expect(sent).toBe(2);
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
