// The limit on the number of agents, and eviction of unused agents.
import { afterAll, expect, test } from 'vitest';
import { findAgent, storeDocument, storeRegistration } from '../../src/store/agents.ts';
import type { Database } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const MAX_AGENTS = 3;
const origin = 'https://agent.example';
const buildClientId = (name: string) => `${origin}/${name}`;
const storeAgent = async (name: string, fields: { redirectUris?: string[] } = {}) => {
  service.clock.advance(1);
  const now = service.clock.now();
  const agent = {
    clientId: buildClientId(name),
    name,
    redirectUris: ['https://agent.example/cb'],
    jwks: null,
  };
  return storeDocument(
    service.services.database,
    { ...agent, ...fields, origin, freshUntil: now },
    MAX_AGENTS,
    now,
  );
};
const isKnown = async (name: string) =>
  (await findAgent(service.services.database, buildClientId(name))) !== undefined;
const runSql = (name: string, text: string, ...values: unknown[]) =>
  service.services.database.query(statement(name, text), values);

test('a new agent replaces the least recently fetched unused agent', async () => {
  const user = await service.createUser();
  const now = () => service.clock.now();
  for (const name of ['consented', 'live', 'blocked']) expect(await storeAgent(name)).toBe(true);
  const giveConsent = (name: string) =>
    runSql(
      `test_consent_${name}`,
      `insert into consents (user_id, client_id, scopes, granted_at) values ($1, $2, '{}', $3)`,
      user.userId,
      buildClientId(name),
      now(),
    );
  await giveConsent('consented');
  await runSql(
    'test_live',
    `insert into activity (client_id, kind, day, total, counts) values ($1, 'live_grants', $2, 1, '{}')`,
    buildClientId('live'),
    now(),
  );
  await runSql(
    'test_block_agent',
    'update clients set suspended_at = $2 where client_id = $1',
    buildClientId('blocked'),
    now(),
  );
  expect(await storeAgent('late')).toBe(false);
  expect(await storeAgent('consented', { redirectUris: ['https://agent.example/other'] })).toBe(true);

  // Without a live grant, a consent prevents eviction for only two days.
  service.clock.advance(3 * 86_400);
  expect(await storeAgent('late')).toBe(true);
  const known = await Promise.all(['consented', 'live', 'blocked', 'late'].map(isKnown));
  expect(known).toEqual([false, true, true, true]);
  expect(await storeAgent('later')).toBe(true);
  expect(await isKnown('late')).toBe(false);
});

/** Inserts agents, each newer than the previous one. */
const insertUnusedAgents = (number: number) =>
  runSql(
    `test_insert_${number}_idle`,
    `with numbers as (select n, 'agent_idle_' || n as id from generate_series(1, ${number}) as n),
    inserted as (
      insert into clients (client_id, name, type, redirect_uris, scopes, standard, refresh_grace, created_at)
      select id, 'x', 'public', '{}', '{}', true, 0, $1::timestamptz from numbers)
    insert into agents (client_id, kind, created_at)
    select id, 'registration', $1::timestamptz + n * interval '1 millisecond' from numbers`,
    service.clock.now(),
  );

test('concurrent registrations never exceed the limit on agents', async () => {
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, index) => {
      const agent = { clientId: `agent_${index}`, name: 'x', redirectUris: [], jwks: null };
      return storeRegistration(service.services.database, agent, 1, service.clock.now());
    }),
  );
  expect(results).toHaveLength(10);
  const [row] = await service.services.database.query<{ number: number }>(
    statement('test_count_agents', `select count(*)::int as number from agents where kind = 'registration'`),
    [],
  );
  expect(row?.number).toBe(1);
});

test('concurrent registrations each evict a different agent', async () => {
  await insertUnusedAgents(100);
  const results = await Promise.all(
    Array.from({ length: 30 }, (_, index) => {
      const agent = { clientId: `agent_new_${index}`, name: 'x', redirectUris: [], jwks: null };
      return storeRegistration(service.services.database, agent, 100, service.clock.now());
    }),
  );
  expect(results.filter((isStored) => !isStored)).toEqual([]);
});

test('a failed registration rolls back the eviction of an unused agent', async () => {
  await runSql('test_delete_before', `delete from clients where client_id like 'agent%'`);
  await insertUnusedAgents(2);
  const { database } = service.services;
  const transactionOnly: Database = {
    ...database,
    query: () => Promise.reject(new Error('outside of the transaction')),
  };
  const registerAgent = (name: string) =>
    storeRegistration(
      transactionOnly,
      { clientId: 'agent_new', name, redirectUris: [], jwks: null },
      2,
      service.clock.now(),
    );
  await expect(registerAgent('\0')).rejects.toThrow(/invalid byte sequence/);
  expect(await findAgent(database, 'agent_idle_1')).toBeDefined();
  expect(await registerAgent('x')).toBe(true);
  expect(await findAgent(database, 'agent_idle_1')).toBeUndefined();
});

test('the search for an unused agent reads agents in batches', async () => {
  await runSql('test_delete_agents', `delete from clients where client_id like 'agent%'`);
  await insertUnusedAgents(450);
  const user = await service.createUser();
  await runSql(
    'test_consent_all',
    `insert into consents (user_id, client_id, scopes, granted_at)
    select $1::uuid, 'agent_idle_' || n, '{}', $2::timestamptz from generate_series(1, 449) as n`,
    user.userId,
    service.clock.now(),
  );
  const agent = { clientId: 'agent_late', name: 'x', redirectUris: [], jwks: null };
  const countSearches = () => service.services.database.usage().statements.get('find_idle_agents') ?? 0;
  const countBefore = countSearches();
  expect(await storeRegistration(service.services.database, agent, 450, service.clock.now())).toBe(true);
  expect(countSearches() - countBefore).toBe(3);
  expect(await findAgent(service.services.database, 'agent_idle_450')).toBeUndefined();
});

test('an agent never replaces a client that has an owner', async () => {
  const application = await service.createClient({ type: 'public' });
  await runSql(
    'test_rename_agent',
    'update clients set client_id = $2 where client_id = $1',
    application.clientId,
    buildClientId('taken'),
  );
  expect(await storeAgent('taken', { redirectUris: ['https://evil.example/cb'] })).toBe(false);
  const [row] = await service.services.database.query<{ uris: string[] }>(
    statement('test_uris', 'select redirect_uris as uris from clients where client_id = $1'),
    [buildClientId('taken')],
  );
  expect(row?.uris).toEqual([application.redirectUri]);
});
