import { expect, test } from 'vitest';
import { acrOf, amrOf, isStrong, METHODS } from '../../src/oauth/authentication-methods.ts';

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

// Codes and refresh tokens carry them as bits of one byte, by their place in the list.
test('the methods fit in one byte', () => expect(METHODS.length).toBeLessThanOrEqual(8));
