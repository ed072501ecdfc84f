import { expect, test } from 'vitest';
import {
  narrowScopes,
  parseRequestedScopes,
  parseScope,
  removeOfflineAccess,
  SCOPES,
} from '../../src/oauth/scopes.ts';
import { catchOAuthError } from '../support/expect-error.ts';

const catchErrorCode = (check: () => unknown): string | undefined => {
  const error = catchOAuthError(check);
  return error?.status === 400 ? error.error : undefined;
};

test('SCOPES is in canonical order', () => {
  expect(SCOPES).toEqual(['openid', 'profile', 'email', 'phone']);
});

test('parseScope returns the known scopes in a space-separated string', () => {
  expect.soft(parseScope('email openid email profile openid')).toEqual(['openid', 'profile', 'email']);
  // Only spaces separate scopes, and names are case-sensitive (RFC 6749 §3.3).
  for (const text of ['', ' ', 'OpenID', 'openid,profile', 'openid\tprofile', 'openid\nprofile', 'open id'])
    expect.soft(parseScope(text), JSON.stringify(text)).toEqual([]);
  expect.soft(parseScope('  openid   profile ')).toEqual(['openid', 'profile']);
});

test('parseRequestedScopes returns only registered scopes', () => {
  const registered = ['openid', 'profile'];
  expect
    .soft(parseRequestedScopes('offline_access profile', registered))
    .toEqual(['profile', 'offline_access']);
  expect.soft(removeOfflineAccess(['profile', 'offline_access'])).toEqual(['profile']);
  expect.soft(parseRequestedScopes('openid openid', registered)).toEqual(['openid']);
});

test('narrowScopes returns only granted scopes (RFC 6749 §6)', () => {
  const granted = ['openid', 'profile', 'email'] as const;
  // offline_access is kept only if granted and requested.
  const grantedOffline = [...granted, 'offline_access'] as const;
  expect.soft(narrowScopes(undefined, grantedOffline)).toEqual(grantedOffline);
  expect.soft(narrowScopes('offline_access email', grantedOffline)).toEqual(['email', 'offline_access']);
  expect.soft(narrowScopes('email', grantedOffline)).toEqual(['email']);
  expect.soft(narrowScopes('email offline_access', granted)).toEqual(['email']);
  expect.soft(catchErrorCode(() => narrowScopes('offline_access', grantedOffline))).toBe('invalid_scope');
  expect.soft(narrowScopes('profile unknown', granted)).toEqual(['profile']);
});
