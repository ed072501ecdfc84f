// Refused requests and observations on the real database: groups, quota, who may read them, what is deleted with a client.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import {
  findDiagnosedClients,
  findDiagnosedGrants,
  findDiagnosedSecrets,
} from '../../src/store/diagnosed.ts';
import { listObservations, writeObservations } from '../../src/store/observations.ts';
import {
  findRefusal,
  listRefusals,
  type NewRefusal,
  QUOTA,
  writeRefusals,
} from '../../src/store/refusals.ts';
import {
  advance,
  createClient,
  createGrant,
  later,
  NOW,
  openTestDatabase,
  sql,
} from '../support/populate.ts';

let database: Database;
let close: () => Promise<void>;
let clientId: string;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

let counter = 0;
const refusal = ({ mark = 'one', ...fields }: Partial<NewRefusal> & { mark?: string } = {}): NewRefusal => {
  counter += 1;
  return {
    clientId,
    apiId: null,
    authenticated: false,
    held: false,
    endpoint: 'authorize',
    error: 'invalid_request',
    kind: 'state_missing',
    facts: { sent: mark },
    address: '192.0.2.1',
    incident: `INCIDENT${counter}`,
    at: NOW,
    ...fields,
  };
};

describe('writeRefusals', () => {
  test('equal refusals are read as one group: counted, latest IP, newest incident code first', async () => {
    ({ clientId } = await createClient(database));
    await writeRefusals(database, [
      refusal({ incident: 'A' }),
      refusal({ incident: 'B', at: later(1) }),
      refusal({ incident: 'C', at: later(9), address: '192.0.2.2' }),
      refusal({ mark: 'two', at: later(5) }),
      refusal({ authenticated: true, at: later(4) }),
      refusal({ held: true, at: later(3) }),
    ]);
    expect(await listRefusals(database, clientId)).toMatchObject([
      { count: 3, incidents: ['C', 'B', 'A'], firstAt: NOW, lastAt: later(9), address: '192.0.2.2' },
      { count: 1, facts: { sent: 'two' } },
      { count: 1, authenticated: true },
      { count: 1, held: true },
    ]);
  });

  test('beyond the quota the oldest of that client are deleted, and no other client’s', async () => {
    const { clientId: other } = await createClient(database);
    await writeRefusals(database, [refusal({ clientId: other })]);
    ({ clientId } = await createClient(database));
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => refusal({ mark: 'many', at: later(from + i) }));
    await writeRefusals(database, [refusal({ mark: 'oldest' }), ...many(1, QUOTA - 1)]);
    expect(await listRefusals(database, clientId)).toMatchObject([
      { count: QUOTA - 1 },
      { facts: { sent: 'oldest' } },
    ]);
    await writeRefusals(database, many(QUOTA, 10));
    expect(await listRefusals(database, clientId)).toMatchObject([{ count: QUOTA, firstAt: later(10) }]);
    expect(await listRefusals(database, other)).toHaveLength(1);
  });

  test('leaves out applications that are gone, and deletes with the application', async () => {
    ({ clientId } = await createClient(database));
    await writeRefusals(database, [refusal(), { ...refusal(), clientId: 'app_gone' }]);
    expect(await listRefusals(database, 'app_gone')).toEqual([]);
    await sql(database, 'delete from clients where client_id = $1', [clientId]);
    expect(await listRefusals(database, clientId)).toEqual([]);
  });

  test('nothing is nothing', async () => {
    await writeRefusals(database, []);
  });
});

test('findRefusal gives the one with the code, of this application only', async () => {
  ({ clientId } = await createClient(database));
  const mine = clientId;
  await writeRefusals(database, [refusal({ incident: 'A' }), refusal({ mark: 'two' })]);
  ({ clientId } = await createClient(database));
  await writeRefusals(database, [refusal({ incident: 'Z' })]);
  expect(await findRefusal(database, mine, 'A')).toMatchObject([{ incidents: ['A'], count: 1 }]);
  expect(await findRefusal(database, mine, 'Z')).toEqual([]);
});

test('observations keep the first time and move the last one on', async () => {
  ({ clientId } = await createClient(database));
  const seen = (seconds: number) => [{ clientId, signal: 'pkce', at: later(seconds) }];
  await writeObservations(database, seen(10));
  await writeObservations(database, [...seen(20), { clientId: 'app_gone', signal: 'pkce', at: NOW }]);
  await writeObservations(database, seen(5));
  expect(await listObservations(database, clientId)).toEqual([
    { signal: 'pkce', firstAt: later(10), lastAt: later(20) },
  ]);
});

test('what is looked up of clients, secrets and grants', async () => {
  const redeemed = await createGrant(database);
  await advance(database, redeemed, 0);
  const { grantId, credentials, userId } = redeemed;
  const { clientId: id, proof } = credentials;
  expect(await findDiagnosedClients(database, [id, 'app_nobody'])).toMatchObject([
    { clientId: id, type: 'confidential', suspended: false },
  ]);
  expect(await findDiagnosedSecrets(database, [proof ?? Buffer.alloc(32)])).toMatchObject([
    { clientId: id, name: 'Carnet', number: 1, createdAt: NOW, expiresAt: null },
  ]);
  const grant = async () => (await findDiagnosedGrants(database, [{ grantId }]))[0];
  expect(await grant()).toEqual({ grantId, clientId: id, generation: 1, revoked: false, valid: true });
  await sql(database, 'update users set epoch = epoch + 1 where id = $1', [userId]);
  expect(await grant()).toMatchObject({ valid: false });
});
