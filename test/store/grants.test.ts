// Grants: what becomes of a presented generation, and of the access tokens (D13, D15, D16, D30).
import { afterAll, describe, expect, test } from 'vitest';
import { findAccessTokenHolder } from '../../src/store/access-tokens.ts';
import {
  advance,
  createGrant,
  createUser,
  later,
  NOW,
  openTestDatabase,
  sql,
  type TestGrant,
} from '../support/populate.ts';

const { database, close } = await openTestDatabase();
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

describe('reused: an older generation ends the grant in the same statement', () => {
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
  test('fifty workers at once all get it, and one of them moved on', async () => {
    const grant = await createGrant(database, { client: { refreshGrace: 10 } });
    await advance(database, grant, 0);
    const results = await Promise.all(Array.from({ length: 50 }, () => advance(database, grant, 1)));
    expect(results.filter(({ outcome }) => outcome === 'advanced')).toHaveLength(1);
    expect(results.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(49);
    expect(await stateOf(grant)).toMatchObject({ generation: 2, revokedAt: null, accessTokens: 51 });
  });
});
