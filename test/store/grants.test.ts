// Grants under concurrency, and what ends them: epochs, deletions (D28), reuse and revocation (D22).
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { findAccessTokenHolder } from '../../src/store/access-tokens.ts';
import { withdrawConsent } from '../../src/store/consents.ts';
import type { Queryable } from '../../src/store/database.ts';
import { revokeGrant } from '../../src/store/grants.ts';
import { deleteSession, deleteSessionOfUser, endSessions } from '../../src/store/sessions.ts';
import { changePassword } from '../../src/store/users.ts';
import { heldUp } from '../support/locks.ts';
import {
  advance,
  createClient,
  createGrant,
  createSession,
  createUser,
  deleteClient,
  deleteUser,
  later,
  NOW,
  openTestDatabase,
  sql,
  suspendUser,
  type TestGrant,
} from '../support/populate.ts';

const { url, database, close } = await openTestDatabase();
afterAll(() => close());

const isLive = async ({ userId }: TestGrant, hash: Buffer) =>
  (await findAccessTokenHolder(database, userId, hash, NOW)) !== undefined;

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

describe('a code rests on the session that it came from, until it is redeemed', () => {
  test('another session of the account does not stand in for it, even under its name', async () => {
    const grant = await createGrant(database);
    await createSession(database, grant.userId, { sid: grant.sid });
    await createSession(database, grant.userId);
    await sql(database, 'delete from sessions where id_hash = $1', [grant.originHash]);
    expect((await advance(database, grant, 0)).outcome).toBeNull();
  });

  test('nobody else’s session stands in for it, nor a device that nobody let in', async () => {
    const grant = await createGrant(database);
    const forged = { ...grant, grantId: randomUUID() };
    const own = await createSession(database, await createUser(database));
    const named = await createSession(database, await createUser(database), { sid: grant.sid });
    const device = randomBytes(32);
    await sql(
      database,
      `insert into device_requests (device_code_hash, user_code_mac, client_id, scopes, created_at, expires_at, interval)
      values ($1, $1, $2, '{openid}', $3, $4, 5)`,
      [device, grant.clientId, NOW, later(900)],
    );
    for (const originHash of [own?.idHash ?? device, named?.idHash ?? device, device])
      expect((await advance(database, { ...forged, originHash }, 0)).outcome).toBeNull();
    expect((await advance(database, grant, 0)).outcome).toBe('redeemed');
  });

  /** Ends something of a grant while its code is being redeemed by somebody else. */
  async function endWhileRedeemed<Result>(
    grant: TestGrant,
    end: (transaction: Queryable) => Promise<Result>,
  ): Promise<Result> {
    const redeeming = new pg.Client({ connectionString: url });
    await redeeming.connect();
    await redeeming.query('begin');
    await redeeming.query('select from sessions where id_hash = $1 for key share', [grant.originHash]);
    const ended = database.transaction(end);
    await heldUp(url);
    await redeeming.query(
      `insert into grants (id, client_id, user_id, epoch, generation, created_at, advanced_at, sid)
      values ($1, $2, $3, 0, 1, $4, $4, $5)`,
      [grant.grantId, grant.clientId, grant.userId, NOW, grant.sid],
    );
    await redeeming.query('commit');
    await redeeming.end();
    return ended;
  }

  test.for<[string, (transaction: Queryable, grant: TestGrant) => Promise<unknown>]>([
    [
      'signing out',
      (transaction, { userId, originHash }) =>
        deleteSession(transaction, { userId, idHash: originHash }, NOW),
    ],
    ['ending all', (transaction, { userId }) => endSessions(transaction, userId, NOW)],
    [
      'ending it elsewhere',
      (transaction, { userId, sid }) => deleteSessionOfUser(transaction, userId, sid, NOW),
    ],
  ])(
    '%s while it is redeemed: the application is told (OpenID Connect Back-Channel Logout)',
    async ([, end]) => {
      const grant = await createGrant(database);
      await sql(database, 'update clients set backchannel_logout_uri = $2 where client_id = $1', [
        grant.clientId,
        'https://client.example/logout',
      ]);
      await endWhileRedeemed(grant, (transaction) => end(transaction, grant));
      const deliveries = await sql(
        database,
        'select user_id, sid from logout_deliveries where client_id = $1',
        [grant.clientId],
      );
      expect(deliveries).toEqual([{ user_id: grant.userId, sid: grant.sid }]);
    },
  );
});

test('a code that is used and past its time is not good again while its grant is being deleted (D13)', async () => {
  const grant = await createGrant(database);
  await advance(database, grant, 0, { at: later(1), idle: 60 });
  const sweeping = new pg.Client({ connectionString: url });
  await sweeping.connect();
  await sweeping.query('begin');
  await sweeping.query('delete from grants where id = $1', [grant.grantId]);
  const replay = advance(database, grant, 0, { at: later(3600), idle: 60 });
  await heldUp(url);
  await sweeping.query('commit');
  await sweeping.end();
  const { outcome, hash } = await replay;
  expect(outcome).toBe('reused');
  expect(await isLive(grant, hash)).toBe(false);
  expect((await advance(database, grant, 1, { at: later(3601) })).outcome).toBeNull();
});

test('a code is for the scopes that were agreed to, and for an API that is registered still', async () => {
  const grant = await createGrant(database);
  expect((await advance(database, { ...grant, scopes: ['openid', 'email'] }, 0)).outcome).toBeNull();
  expect(
    (await advance(database, grant, 0, { target: { apiId: 'api_unknown', lifetime: 60, scopes: ['read'] } }))
      .outcome,
  ).toBe('otherTerms');
  expect((await advance(database, grant, 0)).outcome).toBe('redeemed');
});

test('that a code has expired is told to its own application alone', async () => {
  const grant = await createGrant(database);
  const late = { at: later(61), idle: 60 };
  const stranger = await createClient(database);
  expect((await advance(database, grant, 0, { ...late, credentials: stranger })).outcome).toBeNull();
  expect((await advance(database, grant, 0, late)).outcome).toBe('expired');
});

describe('revokeGrant (D22)', () => {
  const by = (grant: TestGrant, credentials = grant.credentials, now = NOW) =>
    revokeGrant(database, { credentials, now }, { userId: grant.userId, grantId: grant.grantId });

  test('a renewal that races it never leaves a live token', async () => {
    const grants = await Promise.all(Array.from({ length: 20 }, () => createGrant(database)));
    for (const grant of grants) {
      await advance(database, grant, 0);
      const [renewal] = await Promise.all([advance(database, grant, 1), by(grant)]);
      expect(await isLive(grant, renewal.hash)).toBe(false);
      expect((await advance(database, grant, 2)).outcome).toBeNull();
    }
  });
});

describe('of fifty requests with one code or token at once', () => {
  const many = (grant: TestGrant, generation: number) =>
    Promise.all(Array.from({ length: 50 }, () => advance(database, grant, generation)));

  test('one wins without grace, and the losers are replays that end the grant (D13, D15)', async () => {
    const grant = await createGrant(database);
    const results = await many(grant, 0);
    const count = (outcome: string | null) => results.filter((result) => result.outcome === outcome).length;
    expect([count('redeemed'), count('reused'), count(null)]).toEqual([1, 1, 48]);
    for (const { hash } of results) expect(await isLive(grant, hash)).toBe(false);
  });

  test('all get the successor within the grace, and one of them advanced the grant (D16)', async () => {
    const grant = await createGrant(database, { client: { refreshGrace: 10 } });
    await advance(database, grant, 0);
    const results = await many(grant, 1);
    expect(results.filter(({ outcome }) => outcome === 'advanced')).toHaveLength(1);
    expect(results.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(49);
    for (const { hash } of results) expect(await isLive(grant, hash)).toBe(true);
  });
});

test('reuse is detected if the clock of the second user is behind that of the first (D15)', async () => {
  const grant = await createGrant(database);
  await advance(database, grant, 0, { at: later(10) });
  await advance(database, grant, 1, { at: later(20) });
  expect((await advance(database, grant, 1, { at: later(19.999) })).outcome).toBe('reused');
});
