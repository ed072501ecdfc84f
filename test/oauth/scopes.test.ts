// Scopes of requests and renewals (contract §2.4; D4, D15).
import { describe, expect, test } from 'vitest';
import { dataScopes, narrowedScopes, parseScope, requestedScopes, SCOPES } from '../../src/oauth/scopes.ts';
import { refusalOf } from '../support/refusal.ts';

const refusal = (check: () => unknown): string | undefined => {
  const refused = refusalOf(check);
  return refused?.status === 400 ? refused.error : undefined;
};

test('the scopes are the four of the contract (§2.4)', () => {
  expect(SCOPES).toEqual(['openid', 'profile', 'email', 'phone']);
});

describe('parseScope', () => {
  test('gives known scopes once each, in canonical order (D4)', () => {
    expect(parseScope('email openid email profile openid')).toEqual(['openid', 'profile', 'email']);
  });

  test('separates at spaces alone and knows exact spellings only (RFC 6749 §3.3)', () => {
    for (const text of ['', ' ', 'OpenID', 'openid,profile', 'openid\tprofile', 'openid\nprofile', 'open id'])
      expect(parseScope(text), JSON.stringify(text)).toEqual([]);
    expect(parseScope('  openid   profile ')).toEqual(['openid', 'profile']);
  });
});

describe('requestedScopes (D4)', () => {
  const registered = ['openid', 'profile'];

  test('offline_access is granted beside another, registered or not, and comes last (D52)', () => {
    expect(requestedScopes('offline_access profile', registered)).toEqual(['profile', 'offline_access']);
    expect(dataScopes(['profile', 'offline_access'])).toEqual(['profile']);
  });

  test('duplicates collapse', () => {
    expect(requestedScopes('openid openid', registered)).toEqual(['openid']);
  });
});

describe('narrowedScopes (RFC 6749 §6, D15)', () => {
  const granted = ['openid', 'profile', 'email'] as const;

  test('offline_access stays where it was granted and is asked for, and is never added (D52)', () => {
    const offline = [...granted, 'offline_access'] as const;
    expect(narrowedScopes(undefined, offline)).toEqual(offline);
    expect(narrowedScopes('offline_access email', offline)).toEqual(['email', 'offline_access']);
    expect(narrowedScopes('email', offline)).toEqual(['email']);
    expect(narrowedScopes('email offline_access', granted)).toEqual(['email']);
    expect(refusal(() => narrowedScopes('offline_access', offline))).toBe('invalid_scope');
  });

  test('unknown words beside granted scopes are ignored, as they were when it was granted (D4)', () => {
    expect(narrowedScopes('profile address', granted)).toEqual(['profile']);
  });
});
