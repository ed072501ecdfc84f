import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  isWellFormedApiSecret,
  isWellFormedClientId,
  isWellFormedClientSecret,
  newAccountSecret,
  newApiSecret,
  newClientId,
  newClientSecret,
  parseSecretUserId,
  randomSecret,
} from '../../src/oauth/secrets.ts';

describe('client IDs', () => {
  test('are unique and contain only base64url characters', () => {
    const ids = Array.from({ length: 200 }, newClientId);
    for (const id of ids) {
      expect(id).toMatch(/^app_[A-Za-z0-9_-]{20}$/);
      expect(isWellFormedClientId(id)).toBe(true);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('are rejected if they are malformed', () => {
    for (const text of ['', 'a b', 'a\u0000', 'a\n', 'é', 'a'.repeat(65), "' or 1=1", 'a.b'])
      expect(isWellFormedClientId(text), JSON.stringify(text)).toBe(false);
    expect(isWellFormedClientId('a'.repeat(64))).toBe(true);
  });
});

describe('client secrets', () => {
  test('consist of a prefix, 256 random bits and a checksum', () => {
    const secrets = Array.from({ length: 200 }, newClientSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^sesame_secret_[A-Za-z0-9_-]{49}$/);
      expect(Buffer.from(secret.slice(14, 57), 'base64url')).toHaveLength(32);
      expect(isWellFormedClientSecret(secret)).toBe(true);
    }
    expect(new Set(secrets.map((secret) => secret.slice(14, 57))).size).toBe(secrets.length);
  });

  test('end with an encoded CRC-32 of the preceding characters', () => {
    const secret = newClientSecret();
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(secret.slice(0, -6)));
    expect(secret.slice(-6)).toBe(sum.toString('base64url'));
  });

  test('are invalid if a character was changed, added or removed', () => {
    const secret = newClientSecret();
    for (let i = 0; i < secret.length; i++) {
      const altered = `${secret.slice(0, i)}${secret[i] === 'A' ? 'B' : 'A'}${secret.slice(i + 1)}`;
      expect(isWellFormedClientSecret(altered), `character ${i}`).toBe(false);
    }
    for (const text of ['', `${secret}A`, secret.slice(0, -1), ` ${secret}`, `${secret}\n`, secret.slice(14)])
      expect(isWellFormedClientSecret(text)).toBe(false);
  });
});

test('API secrets have the format of client secrets and a different prefix', () => {
  const secret = newApiSecret();
  expect(secret).toMatch(/^sesame_api_secret_[A-Za-z0-9_-]{49}$/);
  expect(isWellFormedApiSecret(secret)).toBe(true);
  expect(isWellFormedClientSecret(secret)).toBe(false);
  expect(isWellFormedApiSecret(newClientSecret())).toBe(false);
  expect(isWellFormedApiSecret(secret.replace('_api', ''))).toBe(false);
});

describe('account secrets', () => {
  const accountId = '01234567-89ab-4cde-8f01-23456789abcd';

  test('encode the account ID and 256 random bits', () => {
    const secrets = Array.from({ length: 200 }, () => newAccountSecret(accountId));
    for (const secret of secrets) {
      expect(secret).toMatch(/^[A-Za-z0-9_-]{64}$/);
      expect(parseSecretUserId(secret)).toBe(accountId);
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
  ])('are invalid if malformed (%j)', (text) => expect(parseSecretUserId(text)).toBeUndefined());
});

test('random secrets encode 256 bits in 43 base64url characters', () => {
  const secrets = Array.from({ length: 200 }, randomSecret);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(secrets).size).toBe(secrets.length);
});
