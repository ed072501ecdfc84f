// Identifiers and secrets: shape, entropy, checksum (D32, D33).
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  accountOfSecret,
  isApiSecretShaped,
  isClientIdShaped,
  isClientSecretShaped,
  newAccountSecret,
  newApiSecret,
  newClientId,
  newClientSecret,
  randomSecret,
} from '../../src/oauth/secrets.ts';

describe('Client IDs (D33)', () => {
  test('letters, digits, _ and - only, and no two alike', () => {
    const ids = Array.from({ length: 200 }, newClientId);
    for (const id of ids) {
      expect(id).toMatch(/^app_[A-Za-z0-9_-]{20}$/);
      expect(isClientIdShaped(id)).toBe(true);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('nothing else is worth asking the database for', () => {
    for (const text of ['', 'a b', 'a\u0000', 'a\n', 'é', 'a'.repeat(65), "' or 1=1", 'a.b'])
      expect(isClientIdShaped(text), JSON.stringify(text)).toBe(false);
    expect(isClientIdShaped('a'.repeat(64))).toBe(true);
  });
});

describe('Client Secrets (D33)', () => {
  test('a recognisable prefix, 256 random bits, letters, digits, _ and - only', () => {
    const secrets = Array.from({ length: 200 }, newClientSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^sesame_secret_[A-Za-z0-9_-]{49}$/);
      expect(Buffer.from(secret.slice(14, 57), 'base64url')).toHaveLength(32);
      expect(isClientSecretShaped(secret)).toBe(true);
    }
    expect(new Set(secrets.map((secret) => secret.slice(14, 57))).size).toBe(secrets.length);
  });

  test('the last six characters are the CRC-32 of what stands before them', () => {
    const secret = newClientSecret();
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(secret.slice(0, -6)));
    expect(secret.slice(-6)).toBe(sum.toString('base64url'));
  });

  test('one altered character, one more or one fewer: not a secret of this service', () => {
    const secret = newClientSecret();
    for (let i = 0; i < secret.length; i++) {
      const altered = `${secret.slice(0, i)}${secret[i] === 'A' ? 'B' : 'A'}${secret.slice(i + 1)}`;
      expect(isClientSecretShaped(altered), `character ${i}`).toBe(false);
    }
    for (const text of ['', `${secret}A`, secret.slice(0, -1), ` ${secret}`, `${secret}\n`, secret.slice(14)])
      expect(isClientSecretShaped(text)).toBe(false);
  });
});

test('D56: a secret of an API has the same form under a prefix of its own, and is no client secret', () => {
  const secret = newApiSecret();
  expect(secret).toMatch(/^sesame_api_secret_[A-Za-z0-9_-]{49}$/);
  expect(isApiSecretShaped(secret)).toBe(true);
  expect(isClientSecretShaped(secret)).toBe(false);
  expect(isApiSecretShaped(newClientSecret())).toBe(false);
  expect(isApiSecretShaped(secret.replace('_api', ''))).toBe(false);
});

describe('a secret that names an account', () => {
  const account = '01234567-89ab-4cde-8f01-23456789abcd';

  test('is its id and 256 random bits in 64 base64url characters', () => {
    const secrets = Array.from({ length: 200 }, () => newAccountSecret(account));
    for (const secret of secrets) {
      expect(secret).toMatch(/^[A-Za-z0-9_-]{64}$/);
      expect(accountOfSecret(secret)).toBe(account);
    }
    expect(new Set(secrets.map((secret) => Buffer.from(secret, 'base64url').toString('hex', 16))).size).toBe(
      200,
    );
  });

  test.each([
    '',
    'A'.repeat(43),
    'A'.repeat(63),
    'A'.repeat(65),
    `${'A'.repeat(63)}=`,
    `${'A'.repeat(63)}\n`,
  ])('is no other text: %j', (text) => expect(accountOfSecret(text)).toBeUndefined());
});

test('browser ids are 256 random bits in 43 base64url characters', () => {
  const ids = Array.from({ length: 200 }, randomSecret);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
