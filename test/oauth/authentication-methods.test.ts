import { expect, test } from 'vitest';
import {
  ACRS,
  acrOf,
  amrOf,
  isStrong,
  METHODS,
  meansOf,
  meets,
} from '../../src/oauth/authentication-methods.ts';

test.each([
  [['pwd'], ['pwd'], '1'],
  [['otp'], ['otp'], '1'],
  [['pwd', 'otp'], ['pwd', 'otp', 'mfa'], '2'],
  [['swk'], ['swk', 'user', 'mfa'], 'phr'],
  [['hwk'], ['hwk', 'user', 'mfa'], 'phrh'],
  [['swk', 'hwk', 'pwd'], ['pwd', 'hwk', 'swk', 'user', 'mfa'], 'phrh'],
] as const)('%j is claimed as %j, acr %s', (methods, amr, acr) => {
  expect(amrOf(methods)).toEqual(amr);
  expect(acrOf(methods)).toBe(acr);
  expect(isStrong(methods)).toBe(acr !== '1');
});

test.each([
  [['pwd', 'otp'], ['1'], '1'],
  [['pwd', 'otp'], ['1', 'phr'], '1'],
  [['pwd', 'otp'], ['1', '2'], '2'],
  [['pwd'], ['phr', '2'], '1'],
  [['hwk'], ['2'], '2'],
  [['hwk'], ['2', 'phr'], 'phr'],
  [['swk'], ['phrh'], 'phr'],
] as const)('%j where %j was asked for: acr %s', (methods, asked, acr) => {
  expect(acrOf(methods, asked)).toBe(acr);
  expect(meets(acr, methods)).toBe(true);
});

test.each([
  [{ hasPassword: true, asksForCode: false, passkeyMethods: [] }, []],
  [{ hasPassword: true, asksForCode: true, passkeyMethods: [] }, ['otp']],
  [{ hasPassword: true, asksForCode: false, passkeyMethods: ['swk'] }, ['otp', 'swk']],
  // Without a password beside it a code is one factor (D43).
  [{ hasPassword: false, asksForCode: true, passkeyMethods: ['swk'] }, ['swk']],
] as const)('%j can show %j beside the password', (account, means) => {
  expect(meansOf({ ...account, passkeyMethods: [...account.passkeyMethods] })).toEqual(means);
});

// Codes and refresh tokens carry both in one byte, by their places in the lists.
test('methods and acr fit in one byte', () => {
  expect(METHODS.length).toBeLessThanOrEqual(5);
  expect(ACRS.length).toBeLessThan(8);
});
