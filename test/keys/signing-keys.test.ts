import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  listSigningKeys,
  loadSigningKeys,
  maintainSigningKeys,
  refreshSigningKeys,
  rotateSigningKeys,
} from '../../src/keys/signing-keys.ts';
import { createSealer } from '../../src/oauth/seal.ts';
import type { Database } from '../../src/store/database.ts';
import { NOW, openTestDatabase, sql } from '../support/store-fixtures.ts';

const OLD_SECRET_KEY = 'the secret key of last year 0123456789abcdef';
const NEW_SECRET_KEY = 'the secret key of this year fedcba9876543210';

let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ database, close } = await openTestDatabase());
});
afterEach(() => close());

const listStoredKeys = () =>
  sql(
    database,
    `select kid, algorithm, public_jwk as "publicJwk", private_key_sealed as sealed from signing_keys order by algorithm`,
  );

describe('loadSigningKeys on the first start', () => {
  test('creates one published key per algorithm', async () => {
    const keys = await loadSigningKeys(database, createSealer(NEW_SECRET_KEY), NOW);
    expect(keys.published.map(({ algorithm }) => algorithm)).toEqual(['ES256', 'EdDSA', 'RS256']);
    const published = createLocalJWKSet({ keys: keys.published.map(({ publicJwk }) => publicJwk) });
    for (const key of [keys.ES256, keys.RS256, keys.EdDSA]) {
      const header = { alg: key.algorithm, kid: key.kid };
      const token = await new SignJWT({ jti: 'x' }).setProtectedHeader(header).sign(key.privateKey);
      expect((await jwtVerify(token, published)).protectedHeader).toEqual(header);
    }
  });

  test('encrypts the stored private keys', async () => {
    const sealer = createSealer(NEW_SECRET_KEY);
    await loadSigningKeys(database, sealer, NOW);
    for (const row of await listStoredKeys()) {
      const sealed = String(row.sealed);
      expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toMatch(/"(kty|d)"/);
      expect(JSON.parse(sealer.open('signing-key', sealed)?.toString() ?? '{}')).toHaveProperty('d');
    }
  });

  test('stores one key per algorithm if several processes start at once', async () => {
    const loads = await Promise.all(
      Array.from({ length: 4 }, () => loadSigningKeys(database, createSealer(NEW_SECRET_KEY), NOW)),
    );
    expect(new Set(loads.map(({ ES256, RS256 }) => `${ES256.kid} ${RS256.kid}`)).size).toBe(1);
    expect(await listStoredKeys()).toHaveLength(3);
  });
});

test('all processes use the same key if two keys per algorithm are stored', async () => {
  const sealer = createSealer(NEW_SECRET_KEY);
  const secondDatabase = await openTestDatabase();
  try {
    await loadSigningKeys(database, sealer, NOW);
    await loadSigningKeys(secondDatabase.database, sealer, NOW);
    const rows = await sql(secondDatabase.database, 'select to_jsonb(k) as key from signing_keys k');
    for (const { key } of rows)
      await sql(
        database,
        'insert into signing_keys select * from jsonb_populate_record(null::signing_keys, $1::jsonb)',
        [key],
      );
  } finally {
    await secondDatabase.close();
  }
  const duplicates = (await listStoredKeys()).map(({ kid }) => kid);
  expect(duplicates).toHaveLength(6);
  const [firstLoad, secondLoad] = [
    await loadSigningKeys(database, sealer, NOW),
    await loadSigningKeys(database, sealer, NOW),
  ];
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const)
    expect(firstLoad[algorithm].kid).toBe(secondLoad[algorithm].kid);
  await rotateSigningKeys(database, sealer, 1, NOW);
  const rotation = { interval: 0, leadTime: 0, retention: 60 };
  await maintainSigningKeys(database, sealer, rotation, new Date(NOW.getTime() + 61_000));
  const remaining = (await listStoredKeys()).map(({ kid }) => kid);
  expect(remaining).toHaveLength(3);
  expect(duplicates.filter((kid) => remaining.includes(kid))).toEqual([]);
});

describe('loadSigningKeys after a change of SECRET_KEY', () => {
  test('re-encrypts keys encrypted with SECRET_KEY_PREVIOUS', async () => {
    const originalKeys = await loadSigningKeys(database, createSealer(OLD_SECRET_KEY), NOW);
    const resealed = await loadSigningKeys(database, createSealer(NEW_SECRET_KEY, [OLD_SECRET_KEY]), NOW);
    const withoutPrevious = await loadSigningKeys(database, createSealer(NEW_SECRET_KEY), NOW);
    for (const keys of [resealed, withoutPrevious]) {
      expect(keys.ES256.publicJwk).toEqual(originalKeys.ES256.publicJwk);
      expect(keys.RS256.publicJwk).toEqual(originalKeys.RS256.publicJwk);
    }
    for (const { sealed } of await listStoredKeys())
      expect(createSealer(OLD_SECRET_KEY).open('signing-key', String(sealed))).toBeUndefined();
  });

  test('fails if the keys cannot be decrypted', async () => {
    await loadSigningKeys(database, createSealer(OLD_SECRET_KEY), NOW);
    const rows = await listStoredKeys();
    await expect(loadSigningKeys(database, createSealer(NEW_SECRET_KEY), NOW)).rejects.toThrow(
      /cannot be decrypted with SECRET_KEY.*SECRET_KEY_PREVIOUS/,
    );
    expect(await listStoredKeys()).toEqual(rows);
  });
});

describe('signing key rotation', () => {
  const sealer = createSealer(NEW_SECRET_KEY);
  const DAY = 24 * 3600;
  const ROTATION = { interval: 90 * DAY, leadTime: DAY, retention: 15 * DAY };
  const dateOfDay = (number: number) => new Date(NOW.getTime() + number * DAY * 1000);
  const listKeyStates = async (now: Date) =>
    (await listSigningKeys(database, sealer, now))
      .filter(({ algorithm }) => algorithm === 'RS256')
      .map(({ kid, state }) => [state, kid]);

  test('publishes a key before its activation and until its tokens expire', async () => {
    const keys = await loadSigningKeys(database, sealer, NOW);
    const firstKid = keys.RS256.kid;
    expect(await maintainSigningKeys(database, sealer, ROTATION, dateOfDay(88.9))).toBe(false);
    expect(await maintainSigningKeys(database, sealer, ROTATION, dateOfDay(89))).toBe(true);
    expect(await maintainSigningKeys(database, sealer, ROTATION, dateOfDay(89))).toBe(false);
    const [[, secondKid] = []] = await listKeyStates(dateOfDay(89));
    expect(await listKeyStates(dateOfDay(89))).toEqual([
      ['next', secondKid],
      ['signs', firstKid],
    ]);

    await refreshSigningKeys(database, sealer, keys, dateOfDay(89));
    expect(keys.RS256.kid).toBe(firstKid);
    expect(keys.published.map(({ kid }) => kid)).toContain(secondKid);
    expect(await refreshSigningKeys(database, sealer, keys, dateOfDay(89.9))).toBe(false);
    expect(await refreshSigningKeys(database, sealer, keys, dateOfDay(90))).toBe(true);
    expect(keys.RS256.kid).toBe(secondKid);
    expect(keys.published.map(({ kid }) => kid)).toContain(firstKid);

    expect(await maintainSigningKeys(database, sealer, ROTATION, dateOfDay(104.9))).toBe(false);
    expect(await maintainSigningKeys(database, sealer, ROTATION, dateOfDay(105))).toBe(true);
    expect(await listKeyStates(dateOfDay(105))).toEqual([['signs', secondKid]]);
    await refreshSigningKeys(database, sealer, keys, dateOfDay(105));
    expect(keys.published.map(({ kid }) => kid)).not.toContain(firstKid);
  });

  test('is disabled by an interval of 0', async () => {
    await loadSigningKeys(database, sealer, NOW);
    expect(await maintainSigningKeys(database, sealer, { ...ROTATION, interval: 0 }, dateOfDay(3000))).toBe(
      false,
    );
  });

  test('creates one key per algorithm if several processes rotate at once', async () => {
    await loadSigningKeys(database, sealer, NOW);
    await Promise.all([
      ...Array.from({ length: 3 }, () => maintainSigningKeys(database, sealer, ROTATION, dateOfDay(89.5))),
      rotateSigningKeys(database, sealer, DAY, dateOfDay(89.5)),
    ]);
    expect(await listStoredKeys()).toHaveLength(6);
  });

  test('can be started manually', async () => {
    const keys = await loadSigningKeys(database, sealer, NOW);
    const originalKid = keys.ES256.kid;
    await rotateSigningKeys(database, sealer, 600, NOW);
    await rotateSigningKeys(database, sealer, 600, NOW);
    expect(await listStoredKeys()).toHaveLength(6);
    await refreshSigningKeys(database, sealer, keys, new Date(NOW.getTime() + 599_000));
    expect(keys.ES256.kid).toBe(originalKid);
    await refreshSigningKeys(database, sealer, keys, new Date(NOW.getTime() + 600_000));
    expect(keys.ES256.kid).not.toBe(originalKid);
  });
});
