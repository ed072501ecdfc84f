// Scopes of requests and renewals (contract §2.4; D4, D15).

import { expect, test } from 'vitest';
import { dataScopes, narrowedScopes, parseScope, requestedScopes, SCOPES } from '../../src/oauth/scopes.ts';
import { refusalOf } from '../support/expect-error.ts';

const refusal = (check: () => unknown): string | undefined => {
  const refused = refusalOf(check);
  return refused?.status === 400 ? refused.error : undefined;
};

test('the scopes are the four of the contract (§2.4)', () => {
  expect(SCOPES).toEqual(['openid', 'profile', 'email', 'phone']);
});

test('parseScope', () => {
  // Gives known scopes once each, in canonical order (D4).
  expect.soft(parseScope('email openid email profile openid')).toEqual(['openid', 'profile', 'email']);
  // Separates at spaces alone and knows exact spellings only (RFC 6749 §3.3).
  for (const text of ['', ' ', 'OpenID', 'openid,profile', 'openid\tprofile', 'openid\nprofile', 'open id'])
    expect.soft(parseScope(text), JSON.stringify(text)).toEqual([]);
  expect.soft(parseScope('  openid   profile ')).toEqual(['openid', 'profile']);
});

test('requestedScopes (D4)', () => {
  const registered = ['openid', 'profile'];
  // offline_access is granted beside another, registered or not, and comes last (D52).
  expect.soft(requestedScopes('offline_access profile', registered)).toEqual(['profile', 'offline_access']);
  expect.soft(dataScopes(['profile', 'offline_access'])).toEqual(['profile']);
  // Duplicates collapse.
  expect.soft(requestedScopes('openid openid', registered)).toEqual(['openid']);
});

test('narrowedScopes (RFC 6749 §6, D15)', () => {
  const granted = ['openid', 'profile', 'email'] as const;
  // offline_access stays where it was granted and is asked for, and is never added (D52).
  const offline = [...granted, 'offline_access'] as const;
  expect.soft(narrowedScopes(undefined, offline)).toEqual(offline);
  expect.soft(narrowedScopes('offline_access email', offline)).toEqual(['email', 'offline_access']);
  expect.soft(narrowedScopes('email', offline)).toEqual(['email']);
  expect.soft(narrowedScopes('email offline_access', granted)).toEqual(['email']);
  expect.soft(refusal(() => narrowedScopes('offline_access', offline))).toBe('invalid_scope');
  // Unknown words beside granted scopes are ignored, as they were when it was granted (D4).
  expect.soft(narrowedScopes('profile unknown', granted)).toEqual(['profile']);
});
