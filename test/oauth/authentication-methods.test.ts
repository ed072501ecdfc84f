import { expect, test } from 'vitest';
import {
  ACRS,
  AUTHENTICATION_METHODS,
  isMultiFactor,
  listAvailableMethods,
  meetsAcr,
  selectAcr,
  toAmr,
} from '../../src/oauth/authentication-methods.ts';

test.each([
  [['pwd'], ['pwd'], '1'],
  [['otp'], ['otp'], '1'],
  [['pwd', 'otp'], ['pwd', 'otp', 'mfa'], '2'],
  [['swk'], ['swk', 'user', 'mfa'], 'phr'],
  [['hwk'], ['hwk', 'user', 'mfa'], 'phrh'],
  [['swk', 'hwk', 'pwd'], ['pwd', 'hwk', 'swk', 'user', 'mfa'], 'phrh'],
] as const)('a session with the methods %j has amr %j and acr %s', (methods, amr, acr) => {
  expect(toAmr(methods)).toEqual(amr);
  expect(selectAcr(methods)).toBe(acr);
  expect(isMultiFactor(methods)).toBe(acr !== '1');
});

test.each([
  [['pwd', 'otp'], ['1'], '1'],
  [['pwd', 'otp'], ['1', 'phr'], '1'],
  [['pwd', 'otp'], ['1', '2'], '2'],
  [['pwd'], ['phr', '2'], '1'],
  [['hwk'], ['2'], '2'],
  [['hwk'], ['2', 'phr'], 'phr'],
  [['swk'], ['phrh'], 'phr'],
] as const)(
  'selectAcr with the methods %j and the requested values %j returns %s',
  (methods, requested, acr) => {
    expect(selectAcr(methods, requested)).toBe(acr);
    expect(meetsAcr(acr, methods)).toBe(true);
  },
);

test.each([
  [{ hasPassword: true, requiresTotp: false, passkeyMethods: [] }, []],
  [{ hasPassword: true, requiresTotp: true, passkeyMethods: [] }, ['otp']],
  [{ hasPassword: true, requiresTotp: false, passkeyMethods: ['swk'] }, ['otp', 'swk']],
  // Without a password, a code from the authenticator app would be the only factor.
  [{ hasPassword: false, requiresTotp: true, passkeyMethods: ['swk'] }, ['swk']],
] as const)('accounts with %j have the available methods %j', (account, available) => {
  expect(listAvailableMethods({ ...account, passkeyMethods: [...account.passkeyMethods] })).toEqual(
    available,
  );
});

test('indexes of methods and acr values fit into one byte', () => {
  expect(AUTHENTICATION_METHODS.length).toBeLessThanOrEqual(6);
  expect(ACRS.length).toBeLessThanOrEqual(4);
});
