// Recovery codes: 80 bits each, of one account, session and form alone, and read however people type them (D39).
import { expect, test } from 'vitest';
import { hashesOf, recoveryCodeHash, recoveryCodesOf } from '../../src/credentials/recovery-codes.ts';
import { createSealer } from '../../src/oauth/seal.ts';

const sealer = createSealer('a secret key for tests only: 0123456789abcdef');
const ADA = { userId: 'ada', sid: 'session', form: 'form' };

test('ten, of sixteen letters that all of 32 come up for', () => {
  const codes = Array.from({ length: 40 }, (_, form) =>
    recoveryCodesOf(sealer, { ...ADA, form: String(form) }),
  ).flat();
  expect(codes).toHaveLength(400);
  expect(new Set(codes).size).toBe(400);
  for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
  for (let place = 0; place < 19; place += 1)
    expect(new Set(codes.map((code) => code[place])).size, `letter ${place}`).toBe(place % 5 === 4 ? 1 : 32);
});

test('the same for a form that is sent again, and others for another form, session, account or key', () => {
  const codes = recoveryCodesOf(sealer, ADA);
  expect(recoveryCodesOf(sealer, ADA)).toEqual(codes);
  const other = createSealer('another secret key for tests: fedcba9876543210');
  for (const others of [
    recoveryCodesOf(sealer, { ...ADA, form: 'other' }),
    recoveryCodesOf(sealer, { ...ADA, sid: 'other' }),
    recoveryCodesOf(sealer, { ...ADA, userId: 'grace' }),
    recoveryCodesOf(other, ADA),
  ])
    expect(others.filter((code) => codes.includes(code))).toEqual([]);
});

test('what is kept is a hash, of the code and its account', () => {
  const codes = recoveryCodesOf(sealer, ADA);
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
