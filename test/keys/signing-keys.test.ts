// Signing keys: made once for all processes, encrypted at rest, sealed anew when SECRET_KEY moves (D23, D24, D32).
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  listSigningKeys,
  loadSigningKeys,
  refreshSigningKeys,
  rotateSigningKeys,
  tendSigningKeys,
} from '../../src/keys/signing-keys.ts';
import { createSealer } from '../../src/oauth/seal.ts';
import type { Database } from '../../src/store/database.ts';
import { NOW, openTestDatabase, sql } from '../support/populate.ts';

const OLD_KEY = 'the secret key of last year 0123456789abcdef';
const NEW_KEY = 'the secret key of this year fedcba9876543210';

let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ database, close } = await openTestDatabase());
});
afterEach(() => close());

const stored = () =>
  sql(
    database,
    `select kid, algorithm, public_jwk as "publicJwk", private_key_sealed as sealed from signing_keys order by algorithm`,
  );

describe('the first start', () => {
  test('makes one key for each algorithm, which signs and verifies under its published half', async () => {
    const keys = await loadSigningKeys(database, createSealer(NEW_KEY), NOW);
    expect(keys.published.map(({ algorithm }) => algorithm)).toEqual(['ES256', 'EdDSA', 'RS256']);
    const published = createLocalJWKSet({ keys: keys.published.map(({ publicJwk }) => publicJwk) });
    for (const key of [keys.ES256, keys.RS256, keys.EdDSA]) {
      const header = { alg: key.algorithm, kid: key.kid };
      const token = await new SignJWT({ jti: 'x' }).setProtectedHeader(header).sign(key.privateKey);
      expect((await jwtVerify(token, published)).protectedHeader).toEqual(header);
    }
  });

  test('stores the private halves sealed: nothing of them can be read (D32)', async () => {
    const sealer = createSealer(NEW_KEY);
    await loadSigningKeys(database, sealer, NOW);
    for (const row of await stored()) {
      const sealed = String(row.sealed);
      expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toMatch(/"(kty|d)"/);
      expect(JSON.parse(sealer.open('signing-key', sealed)?.toString() ?? '{}')).toHaveProperty('d');
    }
  });

  test('in one process many loads at once agree too, and one key of each algorithm is stored', async () => {
    const loads = await Promise.all(
      Array.from({ length: 4 }, () => loadSigningKeys(database, createSealer(NEW_KEY), NOW)),
    );
    expect(new Set(loads.map(({ ES256, RS256 }) => `${ES256.kid} ${RS256.kid}`)).size).toBe(1);
    expect(await stored()).toHaveLength(3);
  });
});

test('of two keys per algorithm, all processes use the same one, and rotation deletes both', async () => {
  const sealer = createSealer(NEW_KEY);
  const elsewhere = await openTestDatabase();
  try {
    await loadSigningKeys(database, sealer, NOW);
    await loadSigningKeys(elsewhere.database, sealer, NOW);
    const rows = await sql(elsewhere.database, 'select to_jsonb(k) as key from signing_keys k');
    for (const { key } of rows)
      await sql(
        database,
        'insert into signing_keys select * from jsonb_populate_record(null::signing_keys, $1::jsonb)',
        [key],
      );
  } finally {
    await elsewhere.close();
  }
  const double = (await stored()).map(({ kid }) => kid);
  expect(double).toHaveLength(6);
  const [one, two] = [
    await loadSigningKeys(database, sealer, NOW),
    await loadSigningKeys(database, sealer, NOW),
  ];
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const)
    expect(one[algorithm].kid).toBe(two[algorithm].kid);
  await rotateSigningKeys(database, sealer, 1, NOW);
  const rotation = { every: 0, lead: 0, keep: 60 };
  await tendSigningKeys(database, sealer, rotation, new Date(NOW.getTime() + 61_000));
  const left = (await stored()).map(({ kid }) => kid);
  expect(left).toHaveLength(3);
  expect(double.filter((kid) => left.includes(kid))).toEqual([]);
});

describe('SECRET_KEY moves', () => {
  test('what SECRET_KEY_PREVIOUS opens is sealed anew; afterwards the previous one can be dropped', async () => {
    const before = await loadSigningKeys(database, createSealer(OLD_KEY), NOW);
    const moved = await loadSigningKeys(database, createSealer(NEW_KEY, [OLD_KEY]), NOW);
    const alone = await loadSigningKeys(database, createSealer(NEW_KEY), NOW);
    for (const keys of [moved, alone]) {
      expect(keys.ES256.publicJwk).toEqual(before.ES256.publicJwk);
      expect(keys.RS256.publicJwk).toEqual(before.RS256.publicJwk);
    }
    for (const { sealed } of await stored())
      expect(createSealer(OLD_KEY).open('signing-key', String(sealed))).toBeUndefined();
  });

  test('the wrong SECRET_KEY: an error that says what to set; no key is made or lost', async () => {
    await loadSigningKeys(database, createSealer(OLD_KEY), NOW);
    const rows = await stored();
    await expect(loadSigningKeys(database, createSealer(NEW_KEY), NOW)).rejects.toThrow(
      /do not open with SECRET_KEY.*SECRET_KEY_PREVIOUS/,
    );
    expect(await stored()).toEqual(rows);
  });
});

describe('keys take turns', () => {
  const sealer = createSealer(NEW_KEY);
  const DAY = 24 * 3600;
  const ROTATION = { every: 90 * DAY, lead: DAY, keep: 15 * DAY };
  const day = (number: number) => new Date(NOW.getTime() + number * DAY * 1000);
  const states = async (now: Date) =>
    (await listSigningKeys(database, sealer, now))
      .filter(({ algorithm }) => algorithm === 'RS256')
      .map(({ kid, state }) => [state, kid]);

  test('the next one is published a day before it signs, the one before it stays until nothing it signed counts', async () => {
    const keys = await loadSigningKeys(database, sealer, NOW);
    const first = keys.RS256.kid;
    expect(await tendSigningKeys(database, sealer, ROTATION, day(88.9))).toBe(false);
    expect(await tendSigningKeys(database, sealer, ROTATION, day(89))).toBe(true);
    expect(await tendSigningKeys(database, sealer, ROTATION, day(89))).toBe(false);
    const [[, second] = []] = await states(day(89));
    expect(await states(day(89))).toEqual([
      ['next', second],
      ['signs', first],
    ]);

    await refreshSigningKeys(database, sealer, keys, day(89));
    expect(keys.RS256.kid).toBe(first);
    expect(keys.published.map(({ kid }) => kid)).toContain(second);
    expect(await refreshSigningKeys(database, sealer, keys, day(89.9))).toBe(false);
    expect(await refreshSigningKeys(database, sealer, keys, day(90))).toBe(true);
    expect(keys.RS256.kid).toBe(second);
    expect(keys.published.map(({ kid }) => kid)).toContain(first);

    expect(await tendSigningKeys(database, sealer, ROTATION, day(104.9))).toBe(false);
    expect(await tendSigningKeys(database, sealer, ROTATION, day(105))).toBe(true);
    expect(await states(day(105))).toEqual([['signs', second]]);
    await refreshSigningKeys(database, sealer, keys, day(105));
    expect(keys.published.map(({ kid }) => kid)).not.toContain(first);
  });

  test('rotation switched off (0): keys stay', async () => {
    await loadSigningKeys(database, sealer, NOW);
    expect(await tendSigningKeys(database, sealer, { ...ROTATION, every: 0 }, day(3000))).toBe(false);
  });

  test('many processes at once make one next key of each algorithm', async () => {
    await loadSigningKeys(database, sealer, NOW);
    await Promise.all([
      ...Array.from({ length: 3 }, () => tendSigningKeys(database, sealer, ROTATION, day(89.5))),
      rotateSigningKeys(database, sealer, DAY, day(89.5)),
    ]);
    expect(await stored()).toHaveLength(6);
  });

  test('an operator rotates ahead of time: published now, signing later, once', async () => {
    const keys = await loadSigningKeys(database, sealer, NOW);
    const before = keys.ES256.kid;
    await rotateSigningKeys(database, sealer, 600, NOW);
    await rotateSigningKeys(database, sealer, 600, NOW);
    expect(await stored()).toHaveLength(6);
    await refreshSigningKeys(database, sealer, keys, new Date(NOW.getTime() + 599_000));
    expect(keys.ES256.kid).toBe(before);
    await refreshSigningKeys(database, sealer, keys, new Date(NOW.getTime() + 600_000));
    expect(keys.ES256.kid).not.toBe(before);
  });
});
