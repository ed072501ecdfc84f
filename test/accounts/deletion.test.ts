// An account is deleted in one way, whoever decides it: nothing of it stays but what the audit log keeps.
import { afterAll, expect, test } from 'vitest';
import { deleteOwnAccount } from '../../src/accounts/deletion.ts';
import { moderateAccount } from '../../src/accounts/moderation.ts';
import { insertApi } from '../../src/store/apis.ts';
import type { Database } from '../../src/store/database.ts';
import { listEvents } from '../../src/store/events.ts';
import { countForAdding } from '../../src/store/owned.ts';
import { recordGuess } from '../../src/store/password-guesses.ts';
import { insertOffer } from '../../src/store/transfer-offers.ts';
import { OUTLIVING, tablesNaming } from '../support/database-content.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';

const { url, database, close } = await openTestDatabase(2);
afterAll(() => close());

const address = '192.0.2.1';

test.each([
  [
    'its owner',
    (userId: string) =>
      database.transaction((transaction) => deleteOwnAccount(transaction, { userId, address }, NOW)),
    true,
  ],
  [
    'an operator',
    (userId: string) => moderateAccount({ database }, 'delete', userId, { address }, NOW),
    false,
  ],
] as const)('by %s, under attack: the wrong passwords go with it (D60)', async (_, erase, own) => {
  const userId = await createUser(database, { name: 'Ada Lovelace' });
  const { clientId } = await createClient(database, { ownerId: userId, name: 'Herbier' });
  await recordGuess(database, { userId, emptyKey: '', address, wrong: 100 }, NOW);
  const [account] = await sql(database, 'select email from users where id = $1::uuid', [userId]);
  expect(await sql(database, 'select wrong from throttles', [])).toEqual([{ wrong: 100 }]);

  expect(await erase(userId)).toBe(own ? 'deleted' : 'done');
  expect(await sql(database, 'select wrong from throttles', [])).toEqual([]);

  const by = { actorId: own ? userId : null, address, at: NOW };
  const [deleted] = await listEvents(database, { userId, kind: 'account_deleted' }, { limit: 9 });
  const [lost] = await listEvents(database, { clientId }, { limit: 9 });
  expect(deleted).toMatchObject({
    ...by,
    detail: { email: account?.email, name: 'Ada Lovelace', applications: 1 },
  });
  expect(lost).toMatchObject({ ...by, kind: 'application_deleted', detail: { name: 'Herbier' } });
});

/** Values of the types that tables of accounts have, in SQL. */
const SOME: Record<string, string> = {
  boolean: 'false',
  bytea: "'\\x00'",
  integer: '1',
  bigint: '1',
  jsonb: "'{}'",
  text: "'x'",
  'timestamp with time zone': "'2026-01-01'",
  uuid: 'gen_random_uuid()',
  ARRAY: "'{}'",
};

test('nothing else of it is left in any table', async () => {
  const email = 'ada@example.com';
  const [userId, other] = [await createUser(database, { email }), await createUser(database)];
  const own = await createClient(database, { ownerId: userId });
  const theirs = await createClient(database, { ownerId: other });
  const api = { apiId: 'api', identifier: 'https://api.example/', name: 'API', wordsFr: '', wordsEn: '' };
  await insertApi(database, { ...api, ownerId: userId, scopes: [], tokenLifetime: 600, admits: 'own' }, NOW);
  for (const offer of [
    { from: userId, id: own.clientId, email: 'somebody@example.com' },
    { from: other, id: theirs.clientId, email },
  ])
    await insertOffer(database, 'application', offer.id, {
      ownerId: offer.from,
      email: offer.email,
      now: NOW,
      expiresAt: later(60),
    });
  await recordGuess(database, { userId, emptyKey: '', address, wrong: 1 }, NOW);

  const columns = await sql(
    database,
    `select table_name as table, json_agg(json_build_object('name', column_name, 'type', data_type)) as columns
    from information_schema.columns
    where table_schema = 'public' and is_nullable = 'NO' and column_default is null and is_identity = 'NO'
      and is_generated = 'NEVER' and table_name in (
        select table_name from information_schema.columns where table_schema = 'public' and column_name = 'user_id')
    group by table_name`,
  );
  const tables = columns as unknown as { table: string; columns: { name: string; type: string }[] }[];
  const present = await tablesNaming(url, userId);
  for (const { table, columns: needed } of tables) {
    if (present.includes(table)) continue;
    const all = needed.some(({ name }) => name === 'user_id')
      ? needed
      : [...needed, { name: 'user_id', type: 'uuid' }];
    const value = ({ name, type }: { name: string; type: string }) => {
      if (name === 'user_id') return `'${userId}'`;
      return name === 'client_id' ? `'${theirs.clientId}'` : SOME[type];
    };
    const names = all.map(({ name }) => name).join(', ');
    await sql(database, `insert into ${table} (${names}) values (${all.map(value).join(', ')})`);
  }
  const named = [...tables.map(({ table }) => table), 'users', 'clients', 'apis', 'transfer_offers'];
  expect(await tablesNaming(url, userId)).toEqual(expect.arrayContaining(named));
  const left = () => sql(database, 'select holder from transfer_offers');
  expect(await left()).toHaveLength(2);

  await moderateAccount({ database }, 'delete', userId, {}, NOW);
  expect(await tablesNaming(url, userId, OUTLIVING)).toEqual([]);
  expect(await left()).toEqual([{ holder: theirs.clientId }]);
});

test('no client is left behind that was registered meanwhile', async () => {
  const outcomes: string[] = [];
  for (let i = 0; i < 20; i++) {
    const userId = await createUser(database);
    const register = () =>
      database.transaction(async (transaction) => {
        await countForAdding(transaction, 'application', userId);
        await createClient(transaction as Database, { ownerId: userId });
        return 'registered';
      });
    const registering = register().catch((error) => error.error);
    const [outcome] = await Promise.all([
      registering,
      moderateAccount({ database }, 'delete', userId, {}, NOW),
    ]);
    outcomes.push(outcome);
    expect(await sql(database, 'select client_id from clients where owner_id = $1::uuid', [userId])).toEqual(
      [],
    );
    await expect(register()).rejects.toMatchObject({ error: 'access_denied' });
  }
  expect(outcomes).toContain('registered');
});
