import { expect, test } from 'vitest';
import {
  deriveRecoveryCodes,
  hashRecoveryCode,
  hashRecoveryCodes,
} from '../../src/credentials/recovery-codes.ts';

const SEED = Buffer.alloc(32, 1);

test('derived recovery codes are unique and 16 characters long', () => {
  const codes = Array.from({ length: 40 }, (_, form) => deriveRecoveryCodes(Buffer.alloc(32, form))).flat();
  expect(codes).toHaveLength(400);
  expect(new Set(codes).size).toBe(400);
  for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
  for (let index = 0; index < 19; index += 1)
    expect(new Set(codes.map((code) => code[index])).size, `character ${index}`).toBe(
      index % 5 === 4 ? 1 : 32,
    );
});

test('the same seed always yields the same recovery codes', () => {
  const codes = deriveRecoveryCodes(SEED);
  expect(deriveRecoveryCodes(SEED)).toEqual(codes);
  const others = deriveRecoveryCodes(Buffer.alloc(32, 2));
  expect(others.filter((code) => codes.includes(code))).toEqual([]);
});

test('the stored hash of a recovery code depends on the code and the account', () => {
  const codes = deriveRecoveryCodes(SEED);
  const hashes = hashRecoveryCodes('ada', codes).map((hash) => hash.toString('hex'));
  expect(new Set(hashes).size).toBe(10);
  for (const hash of hashes) expect(hash).toMatch(/^09[0-9a-f]{64}$/);
  for (const [index, code] of codes.entries()) {
    expect(hashRecoveryCode('ada', code)?.toString('hex')).toBe(hashes[index]);
    expect(hashes).not.toContain(hashRecoveryCode('grace', code)?.toString('hex'));
  }
});

test.each([
  ['0123-4567-89ab-cdef', true],
  ['0123456789abcdef', true],
  [' 0123 4567-89AB cdef\n', true],
  ['O123-4567-89ab-cdef', true],
  ['0i23-4567-89ab-cdef', true],
  ['0L23-4567-89ab-cdef', true],
  ['0123-4567-89ab-cde', false],
  ['0123-4567-89ab-cdefg', false],
  ['u123-4567-89ab-cdef', false],
  ['0123-4567-89ab-cdé0', false],
  ['', false],
])('comparing the recovery code 0123-4567-89ab-cdef with the input %j returns %s', (entered, isMatch) => {
  const hash = hashRecoveryCode('ada', '0123-4567-89ab-cdef');
  expect(hashRecoveryCode('ada', entered)?.equals(hash ?? Buffer.alloc(0)) ?? false).toBe(isMatch);
});
