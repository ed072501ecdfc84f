// Recovery codes: 80 bits each, of one form alone, and read however people type them (D39).
import { expect, test } from 'vitest';
import { hashesOf, recoveryCodeHash, recoveryCodesOf } from '../../src/credentials/recovery-codes.ts';

const SEED = Buffer.alloc(32, 1);

test('ten, of sixteen letters that all of 32 come up for', () => {
  const codes = Array.from({ length: 40 }, (_, form) => recoveryCodesOf(Buffer.alloc(32, form))).flat();
  expect(codes).toHaveLength(400);
  expect(new Set(codes).size).toBe(400);
  for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
  for (let place = 0; place < 19; place += 1)
    expect(new Set(codes.map((code) => code[place])).size, `letter ${place}`).toBe(place % 5 === 4 ? 1 : 32);
});

test('the same for a form that is sent twice, and others for another form', () => {
  const codes = recoveryCodesOf(SEED);
  expect(recoveryCodesOf(SEED)).toEqual(codes);
  const others = recoveryCodesOf(Buffer.alloc(32, 2));
  expect(others.filter((code) => codes.includes(code))).toEqual([]);
});

test('what is kept is a hash, of the code and its account', () => {
  const codes = recoveryCodesOf(SEED);
  const hashes = hashesOf('ada', codes).map((hash) => hash.toString('hex'));
  expect(new Set(hashes).size).toBe(10);
  for (const hash of hashes) expect(hash).toMatch(/^09[0-9a-f]{64}$/);
  for (const [place, code] of codes.entries()) {
    expect(recoveryCodeHash('ada', code)?.toString('hex')).toBe(hashes[place]);
    expect(hashes).not.toContain(recoveryCodeHash('grace', code)?.toString('hex'));
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
])('%j is that code: %s', (typed, is) => {
  const hash = recoveryCodeHash('ada', '0123-4567-89ab-cdef');
  expect(recoveryCodeHash('ada', typed)?.equals(hash ?? Buffer.alloc(0)) ?? false).toBe(is);
});
