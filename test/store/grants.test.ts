// Grant redemption and revocation, including concurrent requests.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { findAccessTokenUser } from '../../src/store/access-tokens.ts';
import { withdrawConsent } from '../../src/store/consents.ts';
import type { Queryable } from '../../src/store/database.ts';
import { revokeGrant } from '../../src/store/grants.ts';
import { deleteSession, deleteSessionOfUser, endSessions } from '../../src/store/sessions.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import { waitForBlocked } from '../support/locks.ts';
import {
  createClient,
  createGrant,
  createSession,
  createUser,
  deleteClient,
  deleteUser,
  later,
  NOW,
  openTestDatabase,
  redeemToken,
  sql,
  suspendUser,
  type TestGrant,
} from '../support/store-fixtures.ts';

const { url, database, close } = await openTestDatabase();
afterAll(() => close());

const isLive = async ({ userId }: TestGrant, hash: Buffer) =>
  (await findAccessTokenUser(database, userId, hash, NOW)) !== undefined;

const suspendClient = (clientId: string) =>
  sql(database, 'update clients set suspended_at = $2::timestamptz where client_id = $1::text', [
    clientId,
    NOW,
  ]);

type RevokingAction = [
  name: string,
  outcome: null | 'unauthenticated',
  revoke: (grant: TestGrant) => Promise<unknown>,
];

/** Actions that revoke grants, each with the outcome of a later token request. */
const REVOKING_ACTIONS: RevokingAction[] = [
  ['suspending the account', null, ({ userId }) => suspendUser(database, userId, NOW)],
  ['changing the password', null, ({ userId }) => setAccountPassword(database, userId, 'different hash')],
  ['deleting the account', null, ({ userId }) => deleteUser(database, userId)],
  [
    'withdrawing the consent',
    null,
    ({ userId, credentials }) => withdrawConsent(database, userId, credentials.clientId, NOW),
  ],
  [
    'deleting the client',
    'unauthenticated',
    ({ credentials }) => deleteClient(database, credentials.clientId),
  ],
  ['suspending the client', 'unauthenticated', ({ credentials }) => suspendClient(credentials.clientId)],
];

describe.each(REVOKING_ACTIONS)('%s', (name, outcome, revoke) => {
  const isPasswordChange = name === 'changing the password';
  test(
    isPasswordChange
      ? 'revokes the grant, but allows a new grant after a new sign-in'
      : 'revokes the grant permanently',
    async () => {
      const grant = await createGrant(database);
      await revoke(grant);
      const newCode = { ...grant, grantId: randomUUID(), epoch: grant.epoch + 1 };
      const { outcome: newOutcome } = await redeemToken(database, newCode, 0);
      expect(newOutcome).toBe(isPasswordChange ? 'redeemed' : outcome);
      // A code that was issued before the action stays invalid.
      expect((await redeemToken(database, grant, 0)).outcome).toBe(outcome);
    },
  );
});

describe('a code', () => {
  test('can’t be redeemed with a different session of the account', async () => {
    const grant = await createGrant(database);
    await createSession(database, grant.userId, { sid: grant.sid });
    await createSession(database, grant.userId);
    await sql(database, 'delete from sessions where id_hash = $1', [grant.originHash]);
    expect((await redeemToken(database, grant, 0)).outcome).toBeNull();
  });

  test('can’t be redeemed with another account’s session', async () => {
    const grant = await createGrant(database);
    const forged = { ...grant, grantId: randomUUID() };
    const otherSession = await createSession(database, await createUser(database));
    const sameSidSession = await createSession(database, await createUser(database), { sid: grant.sid });
    const device = randomBytes(32);
    await sql(
      database,
      `insert into device_requests (device_code_hash, user_code_mac, client_id, scopes, created_at, expires_at, interval)
      values ($1, $1, $2, '{openid}', $3, $4, 5)`,
      [device, grant.clientId, NOW, later(900)],
    );
    for (const originHash of [otherSession?.idHash ?? device, sameSidSession?.idHash ?? device, device])
      expect((await redeemToken(database, { ...forged, originHash }, 0)).outcome).toBeNull();
    expect((await redeemToken(database, grant, 0)).outcome).toBe('redeemed');
  });

  /** Runs `endSession` while a concurrent transaction redeems the grant's code. */
  async function endDuringRedemption<Result>(
    grant: TestGrant,
    endSession: (transaction: Queryable) => Promise<Result>,
  ): Promise<Result> {
    const redeemer = new pg.Client({ connectionString: url });
    await redeemer.connect();
    await redeemer.query('begin');
    await redeemer.query('select from sessions where id_hash = $1 for key share', [grant.originHash]);
    const ending = database.transaction(endSession);
    await waitForBlocked(url);
    await redeemer.query(
      `insert into grants (id, client_id, user_id, epoch, rotation, created_at, rotated_at, sid)
      values ($1, $2, $3, 0, 1, $4, $4, $5)`,
      [grant.grantId, grant.clientId, grant.userId, NOW, grant.sid],
    );
    await redeemer.query('commit');
    await redeemer.end();
    return ending;
  }

  test.for<[string, (transaction: Queryable, grant: TestGrant) => Promise<unknown>]>([
    [
      'the user signs out',
      (transaction, { userId, originHash }) =>
        deleteSession(transaction, { userId, idHash: originHash }, NOW),
    ],
    ['all sessions are being ended', (transaction, { userId }) => endSessions(transaction, userId, NOW)],
    [
      'the session is being ended from a different session',
      (transaction, { userId, sid }) => deleteSessionOfUser(transaction, userId, sid, NOW),
    ],
  ])('redeemed while %s does not prevent the logout notification', async ([, endSession]) => {
    const grant = await createGrant(database);
    await sql(database, 'update clients set backchannel_logout_uri = $2 where client_id = $1', [
      grant.clientId,
      'https://client.example/logout',
    ]);
    await endDuringRedemption(grant, (transaction) => endSession(transaction, grant));
    const deliveries = await sql(
      database,
      'select user_id, sid from logout_deliveries where client_id = $1',
      [grant.clientId],
    );
    expect(deliveries).toEqual([{ user_id: grant.userId, sid: grant.sid }]);
  });
});

test('a used, expired code stays invalid during the deletion of its grant', async () => {
  const grant = await createGrant(database);
  await redeemToken(database, grant, 0, { at: later(1), idle: 60 });
  const sweeper = new pg.Client({ connectionString: url });
  await sweeper.connect();
  await sweeper.query('begin');
  await sweeper.query('delete from grants where id = $1', [grant.grantId]);
  const replay = redeemToken(database, grant, 0, { at: later(3600), idle: 60 });
  await waitForBlocked(url);
  await sweeper.query('commit');
  await sweeper.end();
  const { outcome, hash } = await replay;
  expect(outcome).toBe('reused');
  expect(await isLive(grant, hash)).toBe(false);
  expect((await redeemToken(database, grant, 1, { at: later(3601) })).outcome).toBeNull();
});

test('a code’s scopes must be covered by the consent', async () => {
  const grant = await createGrant(database);
  expect((await redeemToken(database, { ...grant, scopes: ['openid', 'email'] }, 0)).outcome).toBeNull();
  expect(
    (
      await redeemToken(database, grant, 0, {
        target: { apiId: 'api_unknown', lifetime: 60, scopes: ['read'] },
      })
    ).outcome,
  ).toBe('apiChanged');
  expect((await redeemToken(database, grant, 0)).outcome).toBe('redeemed');
});

test('only the code’s client gets the outcome “expired”', async () => {
  const grant = await createGrant(database);
  const afterExpiry = { at: later(61), idle: 60 };
  const otherClient = await createClient(database);
  expect(
    (await redeemToken(database, grant, 0, { ...afterExpiry, credentials: otherClient })).outcome,
  ).toBeNull();
  expect((await redeemToken(database, grant, 0, afterExpiry)).outcome).toBe('expired');
});

describe('revokeGrant', () => {
  const revoke = ({ credentials, userId, grantId }: TestGrant) =>
    revokeGrant(database, { credentials, now: NOW }, { userId, grantId });

  test('also revokes the tokens from a concurrent token refresh', async () => {
    const grants = await Promise.all(Array.from({ length: 20 }, () => createGrant(database)));
    for (const grant of grants) {
      await redeemToken(database, grant, 0);
      const [refresh] = await Promise.all([redeemToken(database, grant, 1), revoke(grant)]);
      expect(await isLive(grant, refresh.hash)).toBe(false);
      expect((await redeemToken(database, grant, 2)).outcome).toBeNull();
    }
  });
});

describe('fifty concurrent refreshes with one token', () => {
  const redeemConcurrently = (grant: TestGrant, rotation: number) =>
    Promise.all(Array.from({ length: 50 }, () => redeemToken(database, grant, rotation)));

  test('revoke the grant if there is no grace period', async () => {
    const grant = await createGrant(database);
    const results = await redeemConcurrently(grant, 0);
    const countOutcomes = (outcome: string | null) =>
      results.filter((result) => result.outcome === outcome).length;
    expect([countOutcomes('redeemed'), countOutcomes('reused'), countOutcomes(null)]).toEqual([1, 1, 48]);
    for (const { hash } of results) expect(await isLive(grant, hash)).toBe(false);
  });

  test('all succeed within the grace period', async () => {
    const grant = await createGrant(database, { client: { refreshGrace: 10 } });
    await redeemToken(database, grant, 0);
    const results = await redeemConcurrently(grant, 1);
    expect(results.filter(({ outcome }) => outcome === 'rotated')).toHaveLength(1);
    expect(results.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(49);
    for (const { hash } of results) expect(await isLive(grant, hash)).toBe(true);
  });
});

test('refresh token reuse is detected despite clock skew', async () => {
  const grant = await createGrant(database);
  await redeemToken(database, grant, 0, { at: later(10) });
  await redeemToken(database, grant, 1, { at: later(20) });
  expect((await redeemToken(database, grant, 1, { at: later(19.999) })).outcome).toBe('reused');
});
