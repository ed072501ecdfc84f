// TOTP codes (RFC 6238), key URIs and sealed TOTP secrets.
import { describe, expect, test } from 'vitest';
import {
  buildProvisioning,
  findTimeStep,
  generateSecret,
  openSecret,
  sealSecret,
} from '../../src/credentials/authenticator-app.ts';
import { createSealer } from '../../src/oauth/seal.ts';

/** The secret in RFC 6238, appendix B ('12345678901234567890' in base32). */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const dateAt = (seconds: number) => new Date(seconds * 1000);

describe('a TOTP code', () => {
  // The last six digits of the RFC's eight-digit test vectors.
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('matches the test vector in RFC 6238 for Unix time %i (%s)', (seconds, code) => {
    expect(findTimeStep(SECRET, code, dateAt(seconds))).toBe(Math.floor(seconds / 30));
    expect(findTimeStep(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)} `, dateAt(seconds))).toBeDefined();
  });

  test('is accepted one time step early or late', () => {
    const step = 1111111111 - (1111111111 % 30);
    for (const [seconds, expected] of [
      [-31, undefined],
      [-30, step / 30],
      [0, step / 30],
      [59, step / 30],
      [60, undefined],
    ] as const)
      expect(findTimeStep(SECRET, '050471', dateAt(step + seconds)), `${seconds} s`).toBe(expected);
  });

  test.each(['', '28708', '2870820', '28708a', '-87082', '28.082', '1e5000'])(
    'is rejected if it is malformed (%j)',
    (entered) => {
      expect(findTimeStep(SECRET, entered, dateAt(59))).toBeUndefined();
    },
  );
});

test('a new authenticator app gets a random 160-bit secret', () => {
  const secrets = Array.from({ length: 20 }, generateSecret);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(new Set(secrets).size).toBe(20);
  const { keyUri } = buildProvisioning(SECRET, 'Sésame', 'ada@example.org');
  const { protocol, host, pathname, searchParams } = new URL(keyUri);
  expect([protocol, host, decodeURIComponent(pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Sésame:ada@example.org',
  ]);
  expect(Object.fromEntries(searchParams)).toEqual({
    issuer: 'Sésame',
    secret: SECRET,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

test('an encrypted TOTP secret can be decrypted only for the same account', () => {
  const sealer = createSealer('a secret key for tests only: 0123456789abcdef');
  const sealed = sealSecret(sealer, 'ada', SECRET);
  expect(sealed).not.toContain(SECRET);
  expect(openSecret(sealer, 'ada', sealed)).toBe(SECRET);
  expect(openSecret(sealer, 'grace', sealed)).toBeUndefined();
  expect(
    openSecret(createSealer('another secret key for tests: fedcba9876543210'), 'ada', sealed),
  ).toBeUndefined();
  expect(openSecret(sealer, 'ada', sealer.sealJson('something else', ['ada', SECRET]))).toBeUndefined();
});
