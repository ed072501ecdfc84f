// What is used and disclosed: gathered, written in batches, added up over processes, kept while the database is away.
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { gatherUsage, type Usage } from '../../src/background/usage.ts';
import { newAccountSecret } from '../../src/oauth/secrets.ts';
import { listConsents } from '../../src/store/consents.ts';
import { listSessions, type SessionKey } from '../../src/store/sessions.ts';
import { listDisclosures } from '../../src/store/usage.ts';
import { heldUp, lockSessions } from '../support/locks.ts';
import {
  createClient,
  createSession,
  createUser,
  deleteClient,
  deleteUser,
  keyOf,
  later,
  NOW,
  openTestDatabase,
  rememberConsent,
  sql,
} from '../support/populate.ts';

const silent = pino({ level: 'silent' });
const HOUR = 3_600_000;
const { url, database, close } = await openTestDatabase();
afterAll(() => close());

/** A person who agreed with an application. */
async function pair(): Promise<{ userId: string; clientId: string; secretHash: Buffer }> {
  const userId = await createUser(database);
  const { clientId, secretHash } = await createClient(database);
  await rememberConsent(database, { userId, clientId, scopes: ['openid'], now: NOW });
  return { userId, clientId, secretHash: secretHash ?? Buffer.alloc(0) };
}

const ledger = (userId: string) => listDisclosures(database, userId);
const gather = (): Usage => gatherUsage(database, silent, HOUR);

describe('what is noted', () => {
  test('is not written before the batch, and then it is: sessions, secrets, disclosures', async () => {
    const { userId, clientId, secretHash } = await pair();
    const session = await createSession(database, userId);
    if (session === undefined) throw new Error('the session was refused');
    const usage = gather();
    usage.sessionSeen(session, '203.0.113.9', later(5));
    usage.secretUsed(clientId, secretHash, later(6));
    usage.disclosed(userId, clientId, 'sub name', later(8));
    const read = async () => ({
      session: (await listSessions(database, userId, NOW))[0],
      secret: (await sql(database, 'select last_used_at from secrets where client_id = $1', [clientId]))[0],
      consent: (await listConsents(database, userId))[0]?.lastUsedAt,
      ledger: await ledger(userId),
    });
    expect(await read()).toMatchObject({
      session: { lastSeenAt: NOW, address: '192.0.2.1' },
      secret: { last_used_at: null },
      consent: null,
      ledger: [],
    });
    await usage.flush();
    expect(await read()).toMatchObject({
      session: { lastSeenAt: later(5), address: '203.0.113.9' },
      secret: { last_used_at: later(6) },
      consent: later(8), // what was disclosed is a use, too
      ledger: [{ clientId, fields: ['sub', 'name'], firstAt: later(8), lastAt: later(8), times: 1 }],
    });
    await usage.close();
  });
});

describe('several processes', () => {
  test('add up: counts are summed, first stays first and last is the latest, in whichever order they write', async () => {
    const { userId, clientId, secretHash } = await pair();
    const [one, two] = [gather(), gather()];
    one.disclosed(userId, clientId, 'sub name', later(10));
    one.disclosed(userId, clientId, 'sub name', later(30));
    two.disclosed(userId, clientId, 'sub name', later(5));
    two.disclosed(userId, clientId, 'sub', later(6));
    for (const [usage, at] of [
      [one, 30],
      [two, 6],
    ] as const) {
      usage.secretUsed(clientId, secretHash, later(at));
    }
    await one.flush();
    await two.flush();
    expect(await ledger(userId)).toEqual([
      expect.objectContaining({ fields: ['sub', 'name'], firstAt: later(5), lastAt: later(30), times: 3 }),
      expect.objectContaining({ fields: ['sub'], firstAt: later(6), lastAt: later(6), times: 1 }),
    ]);
    expect((await listConsents(database, userId))[0]?.lastUsedAt).toEqual(later(30));
    await Promise.all([one.close(), two.close()]);
  });
});

describe('what cannot be written', () => {
  test('about an account, an application or a session that is gone is left out, and the rest is written', async () => {
    const [gone, there, orphaned] = [await pair(), await pair(), await pair()];
    const usage = gather();
    for (const { userId, clientId, secretHash } of [gone, orphaned, there]) {
      usage.disclosed(userId, clientId, 'sub', NOW);
      usage.secretUsed(clientId, secretHash, NOW);
    }
    usage.sessionSeen(keyOf(newAccountSecret(gone.userId)), '192.0.2.1', NOW);
    await deleteUser(database, gone.userId);
    await deleteClient(database, orphaned.clientId);
    await usage.flush();
    expect(await ledger(there.userId)).toHaveLength(1);
    expect(await ledger(gone.userId)).toEqual([]);
    expect(await ledger(orphaned.userId)).toEqual([]);
    await usage.close();
  });

  test('because an account is deleted at that moment: the rest is written the next time', async () => {
    const [gone, there] = [await pair(), await pair()];
    const usage = gather();
    for (const { userId, clientId } of [gone, there]) usage.disclosed(userId, clientId, 'sub', NOW);
    const deleting = new pg.Client({ connectionString: url });
    await deleting.connect();
    await deleting.query('begin');
    await deleting.query('delete from users where id = $1', [gone.userId]);
    const flushed = usage.flush();
    await heldUp(url);
    await deleting.query('commit');
    await deleting.end();
    await flushed;
    expect(await ledger(there.userId)).toEqual([]);
    await usage.flush();
    expect(await ledger(there.userId)).toEqual([expect.objectContaining({ times: 1 })]);
    await usage.close();
  });
});

test('a session that another transaction has locked is left out, and neither waits for the other', async () => {
  const [locked, free] = [
    await createSession(database, await createUser(database)),
    await createSession(database, await createUser(database)),
  ];
  if (locked === undefined || free === undefined) throw new Error('no session');
  const lock = await lockSessions(url, locked.userId);
  const usage = gather();
  for (const session of [locked, free]) usage.sessionSeen(session, '203.0.113.9', later(5));
  await usage.flush();
  await lock.release();
  const lastSeen = async ({ userId }: SessionKey) =>
    (await listSessions(database, userId, NOW))[0]?.lastSeenAt;
  expect([await lastSeen(locked), await lastSeen(free)]).toEqual([NOW, later(5)]);
  usage.sessionSeen(free, '192.0.2.7', later(4));
  await usage.close();
  expect((await listSessions(database, free.userId, NOW))[0], 'an older use changes nothing').toMatchObject({
    ...{ lastSeenAt: later(5), address: '203.0.113.9' },
  });
});

describe('the ledger', () => {
  test('keeps an application’s name when it is deleted, and goes with the account', async () => {
    const { userId, clientId } = await pair();
    const usage = gather();
    usage.disclosed(userId, clientId, 'sub', NOW);
    await usage.close();
    await deleteClient(database, clientId);
    expect(await ledger(userId)).toEqual([expect.objectContaining({ applicationName: 'Carnet', clientId })]);
    await deleteUser(database, userId);
    expect(await ledger(userId)).toEqual([]);
  });
});
