// Signing keys: made once for all processes, encrypted at rest, sealed anew when SECRET_KEY moves (D23, D24, D32).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSealer } from '../../src/oauth/seal.ts';
import type { Database } from '../../src/store/database.ts';
import { loadSigningKeys } from '../../src/store/signing-keys.ts';
import { NOW, openTestDatabase, sql } from '../support/populate.ts';

const OLD_KEY = 'the secret key of last year 0123456789abcdef';
const NEW_KEY = 'the secret key of this year fedcba9876543210';

let url: string;
let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ url, database, close } = await openTestDatabase());
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
    expect(Object.keys(keys).sort()).toEqual(['ES256', 'RS256']);
    const published = createLocalJWKSet({ keys: [keys.ES256.publicJwk, keys.RS256.publicJwk] });
    for (const key of [keys.ES256, keys.RS256]) {
      const header = { alg: key.algorithm, kid: key.kid };
      const token = await new SignJWT({ jti: 'x' }).setProtectedHeader(header).sign(key.privateKey);
      expect((await jwtVerify(token, published)).protectedHeader).toEqual(header);
    }
  });

  test('names each by its thumbprint (RFC 7638) and publishes nothing private', async () => {
    const { ES256, RS256 } = await loadSigningKeys(database, createSealer(NEW_KEY), NOW);
    for (const { kid, publicJwk } of [ES256, RS256])
      expect(await calculateJwkThumbprint(publicJwk)).toBe(kid);
    expect(Object.keys(ES256.publicJwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(Object.keys(RS256.publicJwk).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(Buffer.from(String(RS256.publicJwk.n), 'base64url')).toHaveLength(256);
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

  test('of two processes that start at once both use the same keys', async () => {
    const module = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
    const script = `
      import { createSealer } from ${module('oauth/seal.ts')};
      import { openDatabase } from ${module('store/database.ts')};
      import { loadSigningKeys } from ${module('store/signing-keys.ts')};
      const database = openDatabase(process.argv[1], 2);
      const keys = await loadSigningKeys(database, createSealer(process.argv[2]), new Date());
      console.log(JSON.stringify([keys.ES256.kid, keys.RS256.kid]));
      await database.close();`;
    const run = () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, url, NEW_KEY]);
    const [one, two] = await Promise.all([run(), run()]);
    expect(one.stdout).toBe(two.stdout);
    expect((await stored()).map(({ kid }) => kid)).toEqual(JSON.parse(one.stdout));
  });

  test('in one process many loads at once agree too, and one key of each algorithm is stored', async () => {
    const loads = await Promise.all(
      Array.from({ length: 4 }, () => loadSigningKeys(database, createSealer(NEW_KEY), NOW)),
    );
    expect(new Set(loads.map(({ ES256, RS256 }) => `${ES256.kid} ${RS256.kid}`)).size).toBe(1);
    expect(await stored()).toHaveLength(2);
  });
});

describe('later starts', () => {
  test('use the same keys and write nothing', async () => {
    const first = await loadSigningKeys(database, createSealer(NEW_KEY), NOW);
    const rows = await stored();
    const second = await loadSigningKeys(database, createSealer(NEW_KEY), NOW);
    expect(second.ES256.kid).toBe(first.ES256.kid);
    expect(second.RS256.kid).toBe(first.RS256.kid);
    expect(await stored()).toEqual(rows);
  });

  test('a key that is missing alone is made, the other stays', async () => {
    const first = await loadSigningKeys(database, createSealer(NEW_KEY), NOW);
    await sql(database, "delete from signing_keys where algorithm = 'RS256'");
    const second = await loadSigningKeys(database, createSealer(NEW_KEY), NOW);
    expect(second.ES256.kid).toBe(first.ES256.kid);
    expect(second.RS256.kid).not.toBe(first.RS256.kid);
  });
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
