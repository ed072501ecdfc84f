// Usage records for sessions, client secrets and disclosed claims.
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { createUsageRecorder, type UsageRecorder } from '../../src/background/usage.ts';
import { newAccountSecret } from '../../src/oauth/secrets.ts';
import { listConsents } from '../../src/store/consents.ts';
import { listSessions, type SessionKey } from '../../src/store/sessions.ts';
import { listDisclosures } from '../../src/store/usage-records.ts';
import { lockSessions, waitForBlocked } from '../support/locks.ts';
import {
  createClient,
  createSession,
  createUser,
  deleteClient,
  deleteUser,
  insertConsent,
  later,
  NOW,
  openTestDatabase,
  parseSessionCookie,
  sql,
} from '../support/store-fixtures.ts';

const silentLogger = pino({ level: 'silent' });
const HOUR_IN_MS = 3_600_000;
const { url, database, close } = await openTestDatabase();
afterAll(() => close());

async function createConsent(): Promise<{ userId: string; clientId: string; secretHash: Buffer }> {
  const userId = await createUser(database);
  const { clientId, secretHash } = await createClient(database);
  await insertConsent(database, { userId, clientId, scopes: ['openid'], now: NOW });
  return { userId, clientId, secretHash: secretHash ?? Buffer.alloc(0) };
}

const readDisclosures = (userId: string) => listDisclosures(database, userId);
const createRecorder = (): UsageRecorder => createUsageRecorder(database, silentLogger, HOUR_IN_MS);

describe('a batch of usage records', () => {
  test('contains session uses, secret uses and disclosures', async () => {
    const { userId, clientId, secretHash } = await createConsent();
    const session = await createSession(database, userId);
    if (session === undefined) throw new Error('the session was refused');
    const usage = createRecorder();
    usage.recordSessionUse(session, '203.0.113.9', later(5));
    usage.recordSecretUse(clientId, secretHash, later(6));
    usage.recordDisclosure(userId, clientId, 'sub name', later(8));
    const readUsage = async () => ({
      session: (await listSessions(database, userId, NOW))[0],
      secret: (await sql(database, 'select last_used_at from secrets where client_id = $1', [clientId]))[0],
      consent: (await listConsents(database, userId))[0]?.lastUsedAt,
      disclosures: await readDisclosures(userId),
    });
    expect(await readUsage()).toMatchObject({
      session: { lastSeenAt: NOW, ip: '192.0.2.1' },
      secret: { last_used_at: null },
      consent: null,
      disclosures: [],
    });
    await usage.flush();
    expect(await readUsage()).toMatchObject({
      session: { lastSeenAt: later(5), ip: '203.0.113.9' },
      secret: { last_used_at: later(6) },
      // A disclosure also updates the consent's last use.
      consent: later(8),
      disclosures: [{ clientId, fields: ['sub', 'name'], firstAt: later(8), lastAt: later(8), times: 1 }],
    });
    await usage.close();
  });
});

describe('usage records from several processes', () => {
  test('are merged regardless of the order of writes', async () => {
    const { userId, clientId, secretHash } = await createConsent();
    const [first, second] = [createRecorder(), createRecorder()];
    first.recordDisclosure(userId, clientId, 'sub name', later(10));
    first.recordDisclosure(userId, clientId, 'sub name', later(30));
    second.recordDisclosure(userId, clientId, 'sub name', later(5));
    second.recordDisclosure(userId, clientId, 'sub', later(6));
    for (const [usage, at] of [
      [first, 30],
      [second, 6],
    ] as const) {
      usage.recordSecretUse(clientId, secretHash, later(at));
    }
    await first.flush();
    await second.flush();
    expect(await readDisclosures(userId)).toEqual([
      expect.objectContaining({ fields: ['sub', 'name'], firstAt: later(5), lastAt: later(30), times: 3 }),
      expect.objectContaining({ fields: ['sub'], firstAt: later(6), lastAt: later(6), times: 1 }),
    ]);
    expect((await listConsents(database, userId))[0]?.lastUsedAt).toEqual(later(30));
    await Promise.all([first.close(), second.close()]);
  });
});

describe('usage records', () => {
  test('are dropped if their account or client has been deleted', async () => {
    const [deleted, existing, withoutClient] = [
      await createConsent(),
      await createConsent(),
      await createConsent(),
    ];
    const usage = createRecorder();
    for (const { userId, clientId, secretHash } of [deleted, withoutClient, existing]) {
      usage.recordDisclosure(userId, clientId, 'sub', NOW);
      usage.recordSecretUse(clientId, secretHash, NOW);
    }
    usage.recordSessionUse(parseSessionCookie(newAccountSecret(deleted.userId)), '192.0.2.1', NOW);
    await deleteUser(database, deleted.userId);
    await deleteClient(database, withoutClient.clientId);
    await usage.flush();
    expect(await readDisclosures(existing.userId)).toHaveLength(1);
    expect(await readDisclosures(deleted.userId)).toEqual([]);
    expect(await readDisclosures(withoutClient.userId)).toEqual([]);
    await usage.close();
  });

  test('from a failed flush are written by the next flush', async () => {
    const [deleted, existing] = [await createConsent(), await createConsent()];
    const usage = createRecorder();
    for (const { userId, clientId } of [deleted, existing])
      usage.recordDisclosure(userId, clientId, 'sub', NOW);
    const deletion = new pg.Client({ connectionString: url });
    await deletion.connect();
    await deletion.query('begin');
    await deletion.query('delete from users where id = $1', [deleted.userId]);
    const flushed = usage.flush();
    await waitForBlocked(url);
    await deletion.query('commit');
    await deletion.end();
    await flushed;
    expect(await readDisclosures(existing.userId)).toEqual([]);
    await usage.flush();
    expect(await readDisclosures(existing.userId)).toEqual([expect.objectContaining({ times: 1 })]);
    await usage.close();
  });
});

test('usage recording skips locked sessions', async () => {
  const [locked, free] = [
    await createSession(database, await createUser(database)),
    await createSession(database, await createUser(database)),
  ];
  if (locked === undefined || free === undefined) throw new Error('no session');
  const lock = await lockSessions(url, locked.userId);
  const usage = createRecorder();
  for (const session of [locked, free]) usage.recordSessionUse(session, '203.0.113.9', later(5));
  await usage.flush();
  await lock.release();
  const readLastSeen = async ({ userId }: SessionKey) =>
    (await listSessions(database, userId, NOW))[0]?.lastSeenAt;
  expect([await readLastSeen(locked), await readLastSeen(free)]).toEqual([NOW, later(5)]);
  usage.recordSessionUse(free, '192.0.2.7', later(4));
  await usage.close();
  expect((await listSessions(database, free.userId, NOW))[0], 'an older use is ignored').toMatchObject({
    ...{ lastSeenAt: later(5), ip: '203.0.113.9' },
  });
});

describe('disclosure records', () => {
  test('still contain a deleted client’s name', async () => {
    const { userId, clientId } = await createConsent();
    const usage = createRecorder();
    usage.recordDisclosure(userId, clientId, 'sub', NOW);
    await usage.close();
    await deleteClient(database, clientId);
    expect(await readDisclosures(userId)).toEqual([
      expect.objectContaining({ clientName: 'Carnet', clientId }),
    ]);
    await deleteUser(database, userId);
    expect(await readDisclosures(userId)).toEqual([]);
  });
});
