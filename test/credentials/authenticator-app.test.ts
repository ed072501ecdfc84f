// The authenticator app: what any other app would show (RFC 6238), within one step, by a secret that opens one account alone (D39).
import { describe, expect, test } from 'vitest';
import { newSecret, openSecret, sealSecret, setUp, stepOf } from '../../src/credentials/authenticator-app.ts';
import { createSealer } from '../../src/oauth/seal.ts';

/** '12345678901234567890' in base32: the secret of RFC 6238, appendix B. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number) => new Date(seconds * 1000);

describe('a code', () => {
  // The last six digits of the eight there.
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('of RFC 6238, appendix B, at %i: %s', (seconds, code) => {
    expect(stepOf(SECRET, code, at(seconds))).toBe(Math.floor(seconds / 30));
    expect(stepOf(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)} `, at(seconds))).toBeDefined();
  });

  test('is good from thirty seconds before its step until thirty after it, and is of its own step all the while', () => {
    const step = 1111111111 - (1111111111 % 30);
    for (const [seconds, found] of [
      [-31, undefined],
      [-30, step / 30],
      [0, step / 30],
      [59, step / 30],
      [60, undefined],
    ] as const)
      expect(stepOf(SECRET, '050471', at(step + seconds)), `${seconds} s`).toBe(found);
  });

  test.each(['', '28708', '2870820', '28708a', '-87082', '28.082', '1e5000'])(
    'is six digits: %j is none',
    (typed) => {
      expect(stepOf(SECRET, typed, at(59))).toBeUndefined();
    },
  );
});

test('a secret is 160 random bits, and what the app reads says all that it has to know', () => {
  const secrets = Array.from({ length: 20 }, newSecret);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(new Set(secrets).size).toBe(20);
  const { address } = setUp(SECRET, 'Sésame', 'ada@example.org');
  const { protocol, host, pathname, searchParams } = new URL(address);
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

test('sealed, it is of its account alone, and nothing under another key', () => {
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
