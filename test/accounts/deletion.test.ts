// Account deletion: the recorded audit events, and the rows that are deleted with the account.
import { afterAll, expect, test } from 'vitest';
import { deleteOwnAccount } from '../../src/accounts/deletion.ts';
import { moderateAccount } from '../../src/accounts/moderation.ts';
import { insertApi } from '../../src/store/apis.ts';
import { listEvents } from '../../src/store/audit-log.ts';
import type { Database } from '../../src/store/database.ts';
import { linkIdentity } from '../../src/store/external-identities.ts';
import { lockOwnerAndCount } from '../../src/store/owned-resources.ts';
import { recordPasswordAttempt } from '../../src/store/password-failures.ts';
import { insertOffer } from '../../src/store/transfer-offers.ts';
import { listTablesContaining, TABLES_KEPT_ON_DELETION } from '../support/database-content.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/store-fixtures.ts';

const { url, database, close } = await openTestDatabase(2);
afterAll(() => close());

const ip = '192.0.2.1';

test.each([
  [
    'the owner',
    (userId: string) =>
      database.transaction((transaction) => deleteOwnAccount(transaction, { userId, ip }, NOW)),
    true,
  ],
  [
    'an administrator',
    (userId: string) => moderateAccount({ database }, 'delete', userId, { ip }, NOW),
    false,
  ],
] as const)('account deletion by %s is logged', async (_, deleteAccount, isOwner) => {
  const userId = await createUser(database, { name: 'Ada Lovelace' });
  const { clientId } = await createClient(database, { ownerId: userId, name: 'Herbier' });
  await recordPasswordAttempt(database, { userId, unknownEmailKey: '', ip, wrong: 100 }, NOW);
  const [account] = await sql(database, 'select email from users where id = $1::uuid', [userId]);
  expect(await sql(database, 'select wrong from throttles', [])).toEqual([{ wrong: 100 }]);

  expect(await deleteAccount(userId)).toBe(isOwner ? 'deleted' : 'done');
  expect(await sql(database, 'select wrong from throttles', [])).toEqual([]);

  const by = { actorId: isOwner ? userId : null, ip, at: NOW };
  const [accountEvent] = await listEvents(database, { userId, kind: 'account_deleted' }, { limit: 9 });
  const [clientEvent] = await listEvents(database, { clientId }, { limit: 9 });
  expect(accountEvent).toMatchObject({
    ...by,
    detail: { email: account?.email, name: 'Ada Lovelace', applications: 1 },
  });
  expect(clientEvent).toMatchObject({ ...by, kind: 'application_deleted', detail: { name: 'Herbier' } });
});

/** A sample SQL literal for each column type. */
const SAMPLE_VALUES: Record<string, string> = {
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

test('account deletion leaves references to the account only in tables that are pruned later', async () => {
  const email = 'ada@example.com';
  const [userId, otherUserId] = [await createUser(database, { email }), await createUser(database)];
  const ownClient = await createClient(database, { ownerId: userId });
  const otherClient = await createClient(database, { ownerId: otherUserId });
  const api = {
    apiId: 'api',
    identifier: 'https://api.example/',
    name: 'API',
    descriptionFr: '',
    descriptionEn: '',
  };
  await insertApi(
    database,
    { ...api, ownerId: userId, scopes: [], tokenLifetime: 600, allowedClients: 'own' },
    NOW,
  );
  for (const offer of [
    { from: userId, id: ownClient.clientId, email: 'somebody@example.com' },
    { from: otherUserId, id: otherClient.clientId, email },
  ])
    await insertOffer(database, 'application', offer.id, {
      ownerId: offer.from,
      email: offer.email,
      now: NOW,
      expiresAt: later(60),
    });
  await recordPasswordAttempt(database, { userId, unknownEmailKey: '', ip, wrong: 1 }, NOW);
  const identity = { issuer: 'https://issuer.example', subject: '1', providerId: 'provider', label: 'ada' };
  await database.transaction((transaction) => linkIdentity(transaction, userId, identity, NOW));

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
  const filledTables = await listTablesContaining(url, userId);
  for (const { table, columns: required } of tables) {
    if (filledTables.includes(table)) continue;
    const inserted = required.some(({ name }) => name === 'user_id')
      ? required
      : [...required, { name: 'user_id', type: 'uuid' }];
    const toLiteral = ({ name, type }: { name: string; type: string }) => {
      if (name === 'user_id') return `'${userId}'`;
      return name === 'client_id' ? `'${otherClient.clientId}'` : SAMPLE_VALUES[type];
    };
    const names = inserted.map(({ name }) => name).join(', ');
    await sql(database, `insert into ${table} (${names}) values (${inserted.map(toLiteral).join(', ')})`);
  }
  const expectedTables = [...tables.map(({ table }) => table), 'users', 'clients', 'apis', 'transfer_offers'];
  expect(await listTablesContaining(url, userId)).toEqual(expect.arrayContaining(expectedTables));
  const listOffers = () => sql(database, 'select holder from transfer_offers');
  expect(await listOffers()).toHaveLength(2);

  await moderateAccount({ database }, 'delete', userId, {}, NOW);
  expect(await listTablesContaining(url, userId, TABLES_KEPT_ON_DELETION)).toEqual([]);
  expect(await listOffers()).toEqual([{ holder: otherClient.clientId }]);
});

test('account deletion also deletes a client whose registration is in progress', async () => {
  const outcomes: string[] = [];
  for (let i = 0; i < 20; i++) {
    const userId = await createUser(database);
    const registerClient = () =>
      database.transaction(async (transaction) => {
        await lockOwnerAndCount(transaction, 'application', userId);
        await createClient(transaction as Database, { ownerId: userId });
        return 'registered';
      });
    const registration = registerClient().catch((error) => error.error);
    const [outcome] = await Promise.all([
      registration,
      moderateAccount({ database }, 'delete', userId, {}, NOW),
    ]);
    outcomes.push(outcome);
    expect(await sql(database, 'select client_id from clients where owner_id = $1::uuid', [userId])).toEqual(
      [],
    );
    await expect(registerClient()).rejects.toMatchObject({ error: 'access_denied' });
  }
  expect(outcomes).toContain('registered');
});
