// How many agents there may be, and who makes room: nobody whom somebody uses, nor whom operators have blocked.
import { afterAll, expect, test } from 'vitest';
import { findAgent, keepDocument, keepRegistration } from '../../src/store/agents.ts';
import type { Database } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const MOST = 3;
const origin = 'https://agent.example';
const addressOf = (name: string) => `${origin}/${name}`;
const keep = async (name: string, fields: { redirectUris?: string[] } = {}) => {
  service.clock.advance(1);
  const now = service.clock.now();
  const agent = { clientId: addressOf(name), name, redirectUris: ['https://agent.example/cb'], jwks: null };
  return keepDocument(service.parts.database, { ...agent, ...fields, origin, freshUntil: now }, MOST, now);
};
const isKnown = async (name: string) =>
  (await findAgent(service.parts.database, addressOf(name))) !== undefined;
const change = (name: string, text: string, ...values: unknown[]) =>
  service.parts.database.query(statement(name, text), values);

test('the one that was read longest ago and that nobody uses makes room; where there is none, nobody comes', async () => {
  const user = await service.createUser();
  const now = () => service.clock.now();
  for (const name of ['agreed', 'live', 'blocked']) expect(await keep(name)).toBe(true);
  const agree = (name: string) =>
    change(
      `test_agree_${name}`,
      `insert into consents (user_id, client_id, scopes, granted_at) values ($1, $2, '{}', $3)`,
      user.userId,
      addressOf(name),
      now(),
    );
  await agree('agreed');
  await change(
    'test_live',
    `insert into activity (client_id, kind, day, total, counts) values ($1, 'live_grants', $2, 1, '{}')`,
    addressOf('live'),
    now(),
  );
  await change(
    'test_block_agent',
    'update clients set suspended_at = $2 where client_id = $1',
    addressOf('blocked'),
    now(),
  );
  expect(await keep('late')).toBe(false);
  expect(await keep('agreed', { redirectUris: ['https://agent.example/other'] })).toBe(true);

  // The count of live grants is days old where nothing of it is left.
  service.clock.advance(3 * 86_400);
  expect(await keep('late')).toBe(true);
  const known = await Promise.all(['agreed', 'live', 'blocked', 'late'].map(isKnown));
  expect(known).toEqual([false, true, true, true]);
  expect(await keep('later')).toBe(true);
  expect(await isKnown('late')).toBe(false);
});

/** Registers agents that nobody uses, each younger than the one before. */
const insertIdle = (number: number) =>
  change(
    `test_insert_${number}_idle`,
    `with numbers as (select n, 'agent_idle_' || n as id from generate_series(1, ${number}) as n),
    inserted as (
      insert into clients (client_id, name, type, redirect_uris, scopes, standard, refresh_grace, created_at)
      select id, 'x', 'public', '{}', '{}', true, 0, $1::timestamptz from numbers)
    insert into agents (client_id, way, created_at)
    select id, 'registration', $1::timestamptz + n * interval '1 millisecond' from numbers`,
    service.clock.now(),
  );

test('of many who come at once no more are kept than there is room for', async () => {
  const kept = await Promise.all(
    Array.from({ length: 10 }, (_, index) => {
      const agent = { clientId: `agent_${index}`, name: 'x', redirectUris: [], jwks: null };
      return keepRegistration(service.parts.database, agent, 1, service.clock.now());
    }),
  );
  expect(kept).toHaveLength(10);
  const [row] = await service.parts.database.query<{ number: number }>(
    statement('test_count_agents', `select count(*)::int as number from agents where way = 'registration'`),
    [],
  );
  expect(row?.number).toBe(1);
});

test('of many registrations at once, each deletes an unused agent that others have not deleted', async () => {
  await insertIdle(100);
  const kept = await Promise.all(
    Array.from({ length: 30 }, (_, index) => {
      const agent = { clientId: `agent_new_${index}`, name: 'x', redirectUris: [], jwks: null };
      return keepRegistration(service.parts.database, agent, 100, service.clock.now());
    }),
  );
  expect(kept.filter((isKept) => !isKept)).toEqual([]);
});

test('to make room takes one transaction, which keeps the deleted agent if it fails', async () => {
  await change('test_delete_before', `delete from clients where client_id like 'agent%'`);
  await insertIdle(2);
  const { database } = service.parts;
  const atOnce: Database = {
    ...database,
    query: () => Promise.reject(new Error('outside of the transaction')),
  };
  const keepNew = (name: string) =>
    keepRegistration(
      atOnce,
      { clientId: 'agent_new', name, redirectUris: [], jwks: null },
      2,
      service.clock.now(),
    );
  await expect(keepNew('\0')).rejects.toThrow(/invalid byte sequence/);
  expect(await findAgent(database, 'agent_idle_1')).toBeDefined();
  expect(await keepNew('x')).toBe(true);
  expect(await findAgent(database, 'agent_idle_1')).toBeUndefined();
});

test('an unused agent is found behind many older ones with consents, a part at a time', async () => {
  await change('test_delete_agents', `delete from clients where client_id like 'agent%'`);
  await insertIdle(450);
  const user = await service.createUser();
  await change(
    'test_agree_all',
    `insert into consents (user_id, client_id, scopes, granted_at)
    select $1::uuid, 'agent_idle_' || n, '{}', $2::timestamptz from generate_series(1, 449) as n`,
    user.userId,
    service.clock.now(),
  );
  const agent = { clientId: 'agent_late', name: 'x', redirectUris: [], jwks: null };
  const searches = () => service.parts.database.usage().statements.get('find_idle_agents') ?? 0;
  const before = searches();
  expect(await keepRegistration(service.parts.database, agent, 450, service.clock.now())).toBe(true);
  expect(searches() - before).toBe(3);
  expect(await findAgent(service.parts.database, 'agent_idle_450')).toBeUndefined();
});

test('an agent never takes the place of an application', async () => {
  const application = await service.createApplication({ type: 'public' });
  await change(
    'test_rename_agent',
    'update clients set client_id = $2 where client_id = $1',
    application.clientId,
    addressOf('taken'),
  );
  expect(await keep('taken', { redirectUris: ['https://evil.example/cb'] })).toBe(false);
  const [row] = await service.parts.database.query<{ uris: string[] }>(
    statement('test_uris', 'select redirect_uris as uris from clients where client_id = $1'),
    [addressOf('taken')],
  );
  expect(row?.uris).toEqual([application.redirectUri]);
});
