// The store of refused requests and observations on the real database: folding, quotas, who may read, what goes with whom.
import { createHash } from 'node:crypto';
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
  INCIDENTS,
  listRefusals,
  QUOTA,
  type RefusalRow,
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
const refusal = (fields: Partial<RefusalRow> & { mark?: string } = {}) => {
  const { mark = 'one', ...rest } = fields;
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
    incidents: [`INCIDENT${counter}`],
    firstAt: NOW,
    lastAt: NOW,
    count: 1,
    fingerprint: createHash('sha256').update(mark).digest(),
    ...rest,
  };
};

describe('writeRefusals', () => {
  test('folds equal ones of whoever only named the application: counted, latest address, newest codes first', async () => {
    ({ clientId } = await createClient(database));
    await writeRefusals(database, [refusal({ incidents: ['B', 'A'], count: 2 })]);
    await writeRefusals(database, [
      refusal({ incidents: ['C'], firstAt: later(9), lastAt: later(9), address: '192.0.2.2' }),
      refusal({ mark: 'two', lastAt: later(5) }),
    ]);
    expect(await listRefusals(database, clientId)).toMatchObject([
      { count: 3, incidents: ['C', 'B', 'A'], firstAt: NOW, lastAt: later(9), address: '192.0.2.2' },
      { count: 1, facts: { sent: 'two' } },
    ]);
  });

  test('a batch that arrives late does not turn the clock back', async () => {
    ({ clientId } = await createClient(database));
    await writeRefusals(database, [refusal({ lastAt: later(60) })]);
    await writeRefusals(database, [refusal({ lastAt: later(30) })]);
    expect(await listRefusals(database, clientId)).toMatchObject([{ lastAt: later(60), count: 2 }]);
  });

  test('keeps a bounded number of incident codes', async () => {
    ({ clientId } = await createClient(database));
    const codes = Array.from({ length: INCIDENTS }, (_, i) => `CODE${i}`);
    await writeRefusals(database, [refusal({ incidents: codes })]);
    await writeRefusals(database, [refusal({ incidents: ['NEWEST'] })]);
    const [row] = await listRefusals(database, clientId);
    expect(row?.incidents).toEqual(['NEWEST', ...codes.slice(0, -1)]);
  });

  test('folds those of whoever holds something of it, apart from those of strangers and with a quota of their own', async () => {
    ({ clientId } = await createClient(database));
    const held = (fields: object) => refusal({ held: true, ...fields });
    await writeRefusals(database, [
      refusal({ authenticated: true, mark: 'own' }),
      refusal({ mark: 'anyone' }),
    ]);
    for (let round = 0; round < 2; round += 1)
      await writeRefusals(
        database,
        Array.from({ length: QUOTA + 5 }, (_, i) => held({ mark: `held ${i}`, lastAt: later(i + 1) })),
      );
    await writeRefusals(database, [held({ mark: 'held 104', lastAt: later(500) })]);
    const kept = await listRefusals(database, clientId);
    expect(kept).toHaveLength(QUOTA + 2);
    expect(kept[0]).toMatchObject({ held: true, count: 3, facts: { sent: 'held 104' } });
    expect(
      kept
        .slice(-2)
        .map(({ facts }) => facts.sent)
        .sort(),
    ).toEqual(['anyone', 'own']);
  });

  test('does not fold those of the application itself', async () => {
    ({ clientId } = await createClient(database));
    await writeRefusals(database, [refusal({ authenticated: true }), refusal({ authenticated: true })]);
    expect(await listRefusals(database, clientId)).toHaveLength(2);
  });

  test('each quota lets its own oldest go, and a folded row is never among them', async () => {
    ({ clientId } = await createClient(database));
    await writeRefusals(database, [refusal({ authenticated: true, mark: 'own' })]);
    const noise = (from: number) =>
      Array.from({ length: QUOTA }, (_, i) =>
        refusal({ mark: `noise ${from + i}`, lastAt: later(from + i) }),
      );
    await writeRefusals(database, noise(1));
    await writeRefusals(database, noise(1001));
    // The oldest of all happens again in the very statement that trims: it is the latest now.
    await writeRefusals(database, [refusal({ mark: 'noise 1', lastAt: later(5000) })]);
    const kept = await listRefusals(database, clientId);
    expect(kept).toHaveLength(QUOTA + 1);
    expect(kept[0]).toMatchObject({ facts: { sent: 'noise 1' }, count: 2 });
    expect(kept.at(-1)).toMatchObject({ authenticated: true, facts: { sent: 'own' } });
    const rows = 'select count(*)::int as n from refusals where client_id = $1';
    await writeRefusals(database, [refusal({ mark: 'last', lastAt: later(6000) })]);
    expect(await sql(database, rows, [clientId])).toEqual([{ n: QUOTA + 2 }]);
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
  await writeRefusals(database, [refusal({ incidents: ['B', 'A'] }), refusal({ mark: 'two' })]);
  ({ clientId } = await createClient(database));
  await writeRefusals(database, [refusal({ incidents: ['Z'] })]);
  expect(await findRefusal(database, mine, 'A')).toMatchObject([{ incidents: ['B', 'A'] }]);
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
