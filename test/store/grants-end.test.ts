// What ends grants at once: epochs and deletions (D28), and revocation (D22).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteClient } from '../../src/store/clients.ts';
import { rememberConsent, withdrawConsent } from '../../src/store/consents.ts';
import type { Database } from '../../src/store/database.ts';
import { findAccessTokenHolder, revokeGrant } from '../../src/store/grants.ts';
import { deleteSessionOfUser } from '../../src/store/sessions.ts';
import { changePassword, deleteUser, suspendUser } from '../../src/store/users.ts';
import {
  advance,
  createClient,
  createGrant,
  createSession,
  createUser,
  later,
  NOW,
  openTestDatabase,
  sql,
  type TestGrant,
} from '../support/populate.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

const isLive = async (hash: Buffer) => (await findAccessTokenHolder(database, hash, NOW)) !== undefined;

const suspendClient = (clientId: string) =>
  sql(database, 'update clients set suspended_at = $2::timestamptz where client_id = $1::text', [
    clientId,
    NOW,
  ]);

type Ending = [name: string, outcome: null | 'unauthenticated', end: (grant: TestGrant) => Promise<unknown>];

/** Each way, and what a token request of the grant then says. */
const ENDINGS: Ending[] = [
  ['suspending the account', null, ({ userId }) => suspendUser(database, userId, NOW)],
  ['changing the password', null, ({ userId }) => changePassword(database, userId, 'another hash')],
  ['deleting the account', null, ({ userId }) => deleteUser(database, userId)],
  [
    'withdrawing the consent',
    null,
    ({ userId, credentials }) => withdrawConsent(database, userId, credentials.clientId, NOW),
  ],
  [
    'deleting the application',
    'unauthenticated',
    ({ credentials }) => deleteClient(database, credentials.clientId),
  ],
  ['suspending the application', 'unauthenticated', ({ credentials }) => suspendClient(credentials.clientId)],
];

describe.each(ENDINGS)('%s (D28)', (name, outcome, end) => {
  test('kills code, refresh token and access tokens with one row, and nothing of anybody else', async () => {
    const redeemed = await createGrant(database);
    const code = await createGrant(database, redeemed);
    const bystander = await createGrant(database);
    const tokens = [await advance(database, redeemed, 0), await advance(database, redeemed, 1)];
    const spared = await advance(database, bystander, 0);

    await end(redeemed);
    for (const { hash } of tokens) expect(await isLive(hash)).toBe(false);
    expect((await advance(database, redeemed, 2)).outcome).toBe(outcome);
    expect((await advance(database, code, 0)).outcome).toBe(outcome);
    expect(await isLive(spared.hash)).toBe(true);
    expect((await advance(database, bystander, 1)).outcome).toBe('advanced');
  });

  const mayGoOn = name === 'changing the password';
  test(mayGoOn ? 'and a new sign-in may make a new grant' : 'and no new grant is made any more', async () => {
    const before = await createGrant(database);
    await end(before);
    // What a code would say that was given out only now.
    const epoch = before.epoch + 1;
    const { outcome: now } = await advance(database, { ...before, grantId: randomUUID(), epoch }, 0);
    expect(now).toBe(mayGoOn ? 'redeemed' : outcome);
    // A request decided on a session from before makes none, however late its statement comes.
    expect((await advance(database, before, 0)).outcome).toBe(outcome);
  });
});

describe('what was killed stays dead', () => {
  test('when the consent comes back: the old grant does not, a new one lives (D28)', async () => {
    const old = await createGrant(database);
    const { userId, credentials, scopes } = old;
    const { clientId } = credentials;
    const { hash } = await advance(database, old, 0);
    await withdrawConsent(database, userId, clientId, NOW);
    await rememberConsent(database, { userId, clientId, scopes, now: later(1) });
    expect(await isLive(hash)).toBe(false);
    expect((await advance(database, old, 1)).outcome).toBeNull();
    const fresh = await createGrant(database, { userId, credentials });
    expect(await isLive((await advance(database, fresh, 0)).hash)).toBe(true);
  });

  test('when suspension of the account is lifted', async () => {
    const grant = await createGrant(database);
    const { hash } = await advance(database, grant, 0);
    await suspendUser(database, grant.userId, NOW);
    await sql(database, 'update users set suspended_at = null where id = $1::uuid', [grant.userId]);
    expect(await isLive(hash)).toBe(false);
    expect((await advance(database, grant, 1)).outcome).toBeNull();
  });
});

describe('withdrawing one consent spares the account’s other applications', () => {
  test('and the application’s other people', async () => {
    const grant = await createGrant(database);
    const elsewhere = await createGrant(database, { userId: grant.userId });
    const somebody = await createGrant(database, { credentials: grant.credentials });
    const hashes = [await advance(database, elsewhere, 0), await advance(database, somebody, 0)];
    await withdrawConsent(database, grant.userId, grant.credentials.clientId, NOW);
    for (const { hash } of hashes) expect(await isLive(hash)).toBe(true);
  });
});

describe('a code rests on the session that it came from, until it is redeemed', () => {
  const endSession = async ({ userId, sid }: TestGrant) => deleteSessionOfUser(database, userId, sid, NOW);

  test('ended before: no grant', async () => {
    const grant = await createGrant(database);
    await endSession(grant);
    expect((await advance(database, grant, 0)).outcome).toBeNull();
  });

  test('ended after: the grant goes on, and a replay of its code still ends it (D13)', async () => {
    const grant = await createGrant(database);
    await advance(database, grant, 0);
    await endSession(grant);
    const { outcome, hash } = await advance(database, grant, 1);
    expect(outcome).toBe('advanced');
    expect((await advance(database, grant, 0)).outcome).toBe('reused');
    expect(await isLive(hash)).toBe(false);
  });

  test('another session of the account, or another account’s under that name, does not stand in for it', async () => {
    const grant = await createGrant(database);
    await createSession(database, await createUser(database), { sid: grant.sid });
    await createSession(database, grant.userId);
    await endSession(grant);
    expect((await advance(database, grant, 0)).outcome).toBeNull();
  });
});

describe('revokeGrant (D22)', () => {
  const by = (grant: TestGrant, credentials = grant.credentials, now = NOW) =>
    revokeGrant(database, { credentials, now, grantId: grant.grantId, accessTokenHash: null });
  const byHash = (accessTokenHash: Buffer, { credentials }: Pick<TestGrant, 'credentials'>) =>
    revokeGrant(database, { credentials, now: NOW, grantId: null, accessTokenHash });

  test('revoked: by the grant itself; every token of it is dead', async () => {
    const grant = await createGrant(database);
    const tokens = [await advance(database, grant, 0), await advance(database, grant, 1)];
    expect(await by(grant)).toBe('revoked');
    for (const { hash } of tokens) expect(await isLive(hash)).toBe(false);
    expect((await advance(database, grant, 2)).outcome).toBeNull();
  });

  test('revoked: by the hash of any access token, the first one too', async () => {
    const grant = await createGrant(database);
    const first = await advance(database, grant, 0);
    const second = await advance(database, grant, 1);
    expect(await byHash(first.hash, grant)).toBe('revoked');
    expect(await isLive(second.hash)).toBe(false);
    expect((await advance(database, grant, 2)).outcome).toBeNull();
  });

  test('revoked again: the same answer, and the first time stands', async () => {
    const grant = await createGrant(database);
    await advance(database, grant, 0);
    await by(grant);
    expect(await by(grant, grant.credentials, later(60))).toBe('revoked');
    const [row] = await sql(database, 'select revoked_at as at from grants where id = $1::uuid', [
      grant.grantId,
    ]);
    expect(row?.at).toEqual(NOW);
  });

  test('foreign: another application’s grant or access token, which lives on', async () => {
    const grant = await createGrant(database);
    const { hash } = await advance(database, grant, 0);
    const stranger = await createClient(database);
    expect(await by(grant, stranger)).toBe('foreign');
    expect(await byHash(hash, { credentials: stranger })).toBe('foreign');
    expect(await isLive(hash)).toBe(true);
    expect((await advance(database, grant, 1)).outcome).toBe('advanced');
  });

  test('unknown: no such grant, no such access token, neither named', async () => {
    const grant = await createGrant(database);
    expect(await by({ ...grant, grantId: randomUUID() })).toBe('unknown');
    expect(await byHash(Buffer.alloc(32), grant)).toBe('unknown');
    const { credentials } = grant;
    expect(await revokeGrant(database, { credentials, now: NOW, grantId: null, accessTokenHash: null })).toBe(
      'unknown',
    );
    expect((await advance(database, grant, 0)).outcome).toBe('redeemed');
  });

  test('unauthenticated: before anything else, and nothing is revoked (D11)', async () => {
    const grant = await createGrant(database);
    const { hash } = await advance(database, grant, 0);
    for (const credentials of [
      { ...grant.credentials, secretHash: Buffer.alloc(32) },
      { ...grant.credentials, secretHash: null },
      { ...grant.credentials, clientId: 'app_nobody' },
    ]) {
      expect(await by(grant, credentials)).toBe('unauthenticated');
      expect(await byHash(hash, { credentials })).toBe('unauthenticated');
      expect(await by({ ...grant, grantId: randomUUID() }, credentials)).toBe('unauthenticated');
    }
    expect(await isLive(hash)).toBe(true);
  });

  test('a renewal that races it never leaves a live token', async () => {
    const grants = await Promise.all(Array.from({ length: 20 }, () => createGrant(database)));
    for (const grant of grants) {
      await advance(database, grant, 0);
      const [renewal] = await Promise.all([advance(database, grant, 1), by(grant)]);
      expect(await isLive(renewal.hash)).toBe(false);
      expect((await advance(database, grant, 2)).outcome).toBeNull();
    }
  });
});
