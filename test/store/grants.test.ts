// Grants: what becomes of a presented generation, and of the access tokens (D13, D15, D16, D30).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAccessTokenHolder } from '../../src/store/access-tokens.ts';
import { rememberConsent } from '../../src/store/consents.ts';
import type { Database } from '../../src/store/database.ts';
import {
  advance,
  createClient,
  createGrant,
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

const isLive = async (hash: Buffer, at = NOW) =>
  (await findAccessTokenHolder(database, hash, at)) !== undefined;

/** The grant's row, and how many access tokens are stored for it. */
async function stateOf({ grantId }: TestGrant) {
  const [row] = await sql(
    database,
    `select generation, advanced_at as "advancedAt", revoked_at as "revokedAt",
      (select count(*)::int from access_tokens t where t.grant_id = g.id) as "accessTokens"
    from grants g where id = $1::uuid`,
    [grantId],
  );
  return row;
}

describe('advanced: the current generation', () => {
  test('each generation once, from the code on; each with an access token', async () => {
    const grant = await createGrant(database);
    const hashes: Buffer[] = [];
    for (const generation of [0, 1, 2]) {
      const { outcome, hash } = await advance(database, grant, generation, { at: later(generation) });
      expect(outcome).toBe(generation === 0 ? 'redeemed' : 'advanced');
      hashes.push(hash);
    }
    expect(await stateOf(grant)).toEqual({
      generation: 3,
      advancedAt: later(2),
      revokedAt: null,
      accessTokens: 3,
    });
    // D15: earlier access tokens live to their own expiry.
    for (const hash of hashes) expect(await isLive(hash)).toBe(true);
  });

  test('tells whether the application is in standard mode (D19)', async () => {
    const plain = await createGrant(database);
    const standard = await createGrant(database, { client: { standard: true } });
    expect((await advance(database, plain, 0)).standard).toBe(false);
    expect((await advance(database, standard, 0)).standard).toBe(true);
  });

  test('reads the user’s claims only for a client whose id_tokens carry them', async () => {
    const user = { email: 'told@example.com', name: 'Zoé' };
    const userId = await createUser(database, user);
    for (const standard of [true, false]) {
      const grant = await createGrant(database, { userId, client: { standard } });
      const claims = standard ? { ...user, userId, profileUpdatedAt: NOW } : null;
      for (const generation of [0, 1])
        expect(await advance(database, grant, generation)).toMatchObject({ person: claims });
    }
  });

  test('by a public application without a secret (D12)', async () => {
    const grant = await createGrant(database, { client: { type: 'public' } });
    expect((await advance(database, grant, 0)).outcome).toBe('redeemed');
  });

  test('fifty at once: one winner, and the losers are replays that end the grant', async () => {
    const grant = await createGrant(database);
    const results = await Promise.all(Array.from({ length: 50 }, () => advance(database, grant, 0)));
    const count = (outcome: string | null) => results.filter((result) => result.outcome === outcome).length;
    expect(count('redeemed')).toBe(1);
    expect(count('reused')).toBe(1);
    expect(count(null)).toBe(48);
    for (const { hash } of results) expect(await isLive(hash)).toBe(false);
  });
});

describe('the holder of an access token', () => {
  test('is the person as they are now, with the token’s scope and the application’s mode', async () => {
    const userId = await createUser(database, {
      email: 'Zoe@Example.com',
      name: 'Zoé Müller',
      phone: '+33612345678',
      emailVerified: true,
    });
    const grant = await createGrant(database, {
      userId,
      scopes: ['openid', 'email'],
      client: { standard: true },
    });
    const { hash } = await advance(database, grant, 0);
    expect(await findAccessTokenHolder(database, hash, NOW)).toEqual({
      scope: 'openid email',
      clientId: grant.credentials.clientId,
      standard: true,
      userId,
      pictureHash: null,
      name: 'Zoé Müller',
      email: 'Zoe@Example.com',
      emailVerified: true,
      phone: '+33612345678',
      profileUpdatedAt: NOW,
    });
  });

  test('is nobody from the moment of expiry on', async () => {
    const { hash } = await advance(database, await createGrant(database), 0, { accessTokenLifetime: 10 });
    expect(await isLive(hash, later(9.999))).toBe(true);
    expect(await isLive(hash, later(10))).toBe(false);
  });

  test('is nobody for another hash', async () => {
    const { hash } = await advance(database, await createGrant(database), 0);
    const other = Buffer.from(hash);
    other[31] = (other[31] ?? 0) ^ 1;
    expect(await isLive(other)).toBe(false);
    expect(await isLive(Buffer.alloc(0))).toBe(false);
  });
});

describe('reused: an older generation ends the grant in the same statement', () => {
  test('a code used twice: every token issued from it dies (D13)', async () => {
    const grant = await createGrant(database);
    const first = await advance(database, grant, 0);
    const replay = await advance(database, grant, 0, { at: later(1) });
    expect(replay.outcome).toBe('reused');
    expect(await stateOf(grant)).toMatchObject({ generation: 1, revokedAt: later(1), accessTokens: 1 });
    expect(await isLive(first.hash)).toBe(false);
    expect(await isLive(replay.hash)).toBe(false);
    expect((await advance(database, grant, 1)).outcome).toBeNull();
  });

  test('a code used twice, the second time long after its minute (D13)', async () => {
    const grant = await createGrant(database);
    const { hash } = await advance(database, grant, 0, { idle: 60 });
    expect((await advance(database, grant, 0, { at: later(3000), idle: 60 })).outcome).toBe('reused');
    expect(await isLive(hash)).toBe(false);
  });

  test('a superseded refresh token: the whole grant dies, other grants of the account live on (D15)', async () => {
    const grant = await createGrant(database);
    const other = await createGrant(database, { userId: grant.userId, credentials: grant.credentials });
    const elsewhere = await createGrant(database, { userId: grant.userId });
    const hashes = [await advance(database, other, 0), await advance(database, elsewhere, 0)];
    const current = [await advance(database, grant, 0), await advance(database, grant, 1)];
    expect((await advance(database, grant, 1)).outcome).toBe('reused');
    for (const { hash } of current) expect(await isLive(hash)).toBe(false);
    for (const { hash } of hashes) expect(await isLive(hash)).toBe(true);
    expect((await advance(database, other, 1)).outcome).toBe('advanced');
  });

  test('also where the clock of the one who reuses is behind that of the one who renewed (D15)', async () => {
    const grant = await createGrant(database);
    await advance(database, grant, 0, { at: later(10) });
    await advance(database, grant, 1, { at: later(20) });
    expect((await advance(database, grant, 1, { at: later(19.999) })).outcome).toBe('reused');
  });

  test('nothing is stored for a reuse, and a second one changes nothing more', async () => {
    const grant = await createGrant(database);
    await advance(database, grant, 0);
    await advance(database, grant, 0, { at: later(5) });
    expect((await advance(database, grant, 0, { at: later(9) })).outcome).toBeNull();
    expect(await stateOf(grant)).toMatchObject({ revokedAt: later(5), accessTokens: 1 });
  });
});

describe('repeated: the generation just superseded, within the application’s grace (D16)', () => {
  test('gets another access token and moves nothing on', async () => {
    const grant = await createGrant(database, { client: { refreshGrace: 30 } });
    await advance(database, grant, 0);
    await advance(database, grant, 1, { at: later(100) });
    const repeated = await advance(database, grant, 1, { at: later(129.999) });
    expect(repeated.outcome).toBe('repeated');
    expect(await stateOf(grant)).toEqual({
      generation: 2,
      advancedAt: later(100),
      revokedAt: null,
      accessTokens: 3,
    });
    expect(await isLive(repeated.hash, later(130))).toBe(true);
    expect((await advance(database, grant, 2, { at: later(130) })).outcome).toBe('advanced');
  });

  test('at the end of the grace, to the millisecond, it is reuse', async () => {
    const grant = await createGrant(database, { client: { refreshGrace: 30 } });
    await advance(database, grant, 0);
    await advance(database, grant, 1);
    expect((await advance(database, grant, 1, { at: later(30) })).outcome).toBe('reused');
  });

  test('only the one just superseded: two back is reuse, grace or not', async () => {
    const grant = await createGrant(database, { client: { refreshGrace: 60 } });
    for (const generation of [0, 1, 2]) await advance(database, grant, generation);
    expect((await advance(database, grant, 1)).outcome).toBe('reused');
  });

  test('never a code: used twice it is a replay, grace or not (D13)', async () => {
    const grant = await createGrant(database, { client: { refreshGrace: 60 } });
    await advance(database, grant, 0);
    expect((await advance(database, grant, 0)).outcome).toBe('reused');
  });

  test('fifty workers at once all get it, and one of them moved on', async () => {
    const grant = await createGrant(database, { client: { refreshGrace: 10 } });
    await advance(database, grant, 0);
    const results = await Promise.all(Array.from({ length: 50 }, () => advance(database, grant, 1)));
    expect(results.filter(({ outcome }) => outcome === 'advanced')).toHaveLength(1);
    expect(results.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(49);
    expect(await stateOf(grant)).toMatchObject({ generation: 2, revokedAt: null, accessTokens: 51 });
  });
});

describe('expired (D13, D15, D30)', () => {
  test('a code after its lifetime, to the millisecond; nothing is written', async () => {
    const grant = await createGrant(database);
    expect((await advance(database, grant, 0, { at: later(60), idle: 60 })).outcome).toBe('expired');
    expect(await stateOf(grant)).toBeUndefined();
    expect((await advance(database, grant, 0, { at: later(59.999), idle: 60 })).outcome).toBe('redeemed');
  });

  test('a refresh token after its idle time, counted from the last renewal', async () => {
    const grant = await createGrant(database);
    await advance(database, grant, 0, { at: later(50) });
    expect((await advance(database, grant, 1, { at: later(150), idle: 100 })).outcome).toBe('expired');
    expect((await advance(database, grant, 1, { at: later(149), idle: 100 })).outcome).toBe('advanced');
    expect((await advance(database, grant, 2, { at: later(248), idle: 100 })).outcome).toBe('advanced');
  });

  test('the absolute age, counted from the authorization, whatever was renewed', async () => {
    const grant = await createGrant(database);
    await advance(database, grant, 0, { absolute: 100 });
    expect((await advance(database, grant, 1, { at: later(99), absolute: 100 })).outcome).toBe('advanced');
    expect((await advance(database, grant, 2, { at: later(100), absolute: 100 })).outcome).toBe('expired');
    expect(await stateOf(grant)).toMatchObject({ generation: 2, revokedAt: null });
  });
});

describe('no grant of this application', () => {
  test('another application’s: null, and nothing about the grant changes (D13)', async () => {
    const grant = await createGrant(database);
    const stranger = await createClient(database);
    // Consent for the stranger too, so that nothing but the grant's own application stands in its way.
    const { userId, scopes } = grant;
    await rememberConsent(database, { userId, clientId: stranger.clientId, scopes, now: NOW });
    expect((await advance(database, grant, 0, { credentials: stranger })).outcome).toBeNull();
    const { hash } = await advance(database, grant, 0);
    for (const generation of [0, 1])
      expect((await advance(database, grant, generation, { credentials: stranger })).outcome).toBeNull();
    expect(await stateOf(grant)).toMatchObject({ generation: 1, revokedAt: null, accessTokens: 1 });
    expect(await isLive(hash)).toBe(true);
  });

  test('an unknown grant: null', async () => {
    const grant = await createGrant(database);
    expect((await advance(database, { ...grant, grantId: randomUUID() }, 1)).outcome).toBeNull();
  });
});

describe('unauthenticated: before anything of the grant, which stays as it is (D11, D12)', () => {
  test.each(['wrong secret', 'no secret', 'unknown application'] as const)('%s', async (kind) => {
    const grant = await createGrant(database);
    const credentials = {
      'wrong secret': { ...grant.credentials, proof: Buffer.alloc(32) },
      'no secret': { ...grant.credentials, proof: null },
      'unknown application': { ...grant.credentials, clientId: 'app_nobody' },
    }[kind];
    expect((await advance(database, grant, 0, { credentials })).outcome).toBe('unauthenticated');
    expect((await advance(database, grant, 0)).outcome).toBe('redeemed');
    // A replay that is not authenticated ends nothing.
    expect((await advance(database, grant, 0, { credentials })).outcome).toBe('unauthenticated');
    expect(await stateOf(grant)).toMatchObject({ generation: 1, revokedAt: null, accessTokens: 1 });
  });

  test('a public application that sends a secret', async () => {
    const grant = await createGrant(database, { client: { type: 'public' } });
    const credentials = { ...grant.credentials, proof: Buffer.alloc(32) };
    expect((await advance(database, grant, 0, { credentials })).outcome).toBe('unauthenticated');
    expect(await stateOf(grant)).toBeUndefined();
  });
});
