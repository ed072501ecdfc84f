// The pending request: sealed, for one browser, for an hour (D6, D7, D9).

import { describe, expect, test } from 'vitest';
import {
  type AuthorizationRequest,
  checkAuthorizationRequest,
} from '../../src/oauth/authorization-request.ts';
import { PENDING_REQUEST } from '../../src/oauth/lifetimes.ts';
import { parseParameters } from '../../src/oauth/parameters.ts';
import { openPending, requestQuery, sealPending } from '../../src/oauth/pending-request.ts';
import { createSealer } from '../../src/oauth/seal.ts';

const sealer = createSealer('a secret key for tests only: 0123456789abcdef');
const STARTED = 1_790_000_000_000;
const PENDING_LIFETIME = 1000 * PENDING_REQUEST;
const BROWSER = 'the id in this browser’s cookie';
const REQUEST: AuthorizationRequest = {
  clientId: 'app_1',
  redirectUri: 'https://client.example/cb?x=%7e',
  scopes: ['openid', 'profile'],
  state: 'a&b=c d+é\n',
  nonce: 'n',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  prompts: ['login', 'consent'],
  maxAge: 0,
  acr: { values: ['2', 'phr'], essential: true },
  uiLocales: 'en fr',
  loginHint: 'zoe@example.com',
  idTokenHint: 'a.b.c',
  apis: [
    { apiId: 'api_1', identifier: 'https://api.example/v1', lifetime: 600, scopes: ['read', 'write'] },
    { apiId: 'api_2', identifier: 'https://files.example/', lifetime: 60, scopes: ['list'] },
  ],
  responseMode: 'form_post',
};
const BARE: AuthorizationRequest = {
  ...REQUEST,
  state: undefined,
  nonce: undefined,
  codeChallenge: undefined,
  prompts: [],
  maxAge: undefined,
  uiLocales: undefined,
  loginHint: undefined,
  idTokenHint: undefined,
  hintedUserId: undefined,
  acr: { values: [], essential: false },
  apis: [],
  responseMode: 'query',
};
const pendingOf = (request = REQUEST, shownTo: string | undefined = undefined) => ({
  request,
  startedAt: STARTED,
  shownTo,
});
const later = (milliseconds: number) => new Date(STARTED + milliseconds);

test('round trip', () => {
  // The browser that it was sealed for gets all of it back.
  for (const pending of [pendingOf(), pendingOf(BARE), pendingOf(REQUEST, 'user-1')])
    expect.soft(openPending(sealer, sealPending(sealer, pending, BROWSER), [BROWSER], later(1))).toEqual({
      outcome: 'open',
      request: pending,
    });
  // Any one of the ids that a browser presents will do.
  const sealed = sealPending(sealer, pendingOf(), BROWSER);
  expect.soft(openPending(sealer, sealed, ['older', BROWSER], later(1)).outcome).toBe('open');
});

test('expiry (D9)', () => {
  const sealed = sealPending(sealer, pendingOf(), BROWSER);
  // The request itself comes back, so that it can be started again.
  expect.soft(openPending(sealer, sealed, [BROWSER], later(PENDING_LIFETIME + 1))).toEqual({
    outcome: 'expired',
    request: pendingOf(),
  });
});

describe('requestQuery: starting again loses nothing that the application sent (D9)', () => {
  const client = {
    clientId: 'app_1',
    name: 'Carnet',
    type: 'confidential' as const,
    redirectUris: [REQUEST.redirectUri],
    scopes: ['openid', 'profile'],
    standard: true,
  };
  const named = REQUEST.apis.map(({ scopes, ...api }) => ({
    ...api,
    standing: 'open' as const,
    scopes: scopes.map((name) => ({ name, fr: name, en: name, sensitive: false, agents: true })),
    scopeless: false,
  }));

  test.each([
    ['every parameter', { ...REQUEST, state: 'a&b=c d+é' }],
    ['the fewest', BARE],
    ['prompt=none', { ...BARE, prompts: ['none' as const] }],
    ['a long max_age', { ...BARE, maxAge: 999_999_999 }],
  ])('%s: checking the query again gives the same request', (_, request) => {
    const again = parseParameters(requestQuery(request));
    expect(checkAuthorizationRequest(again, client, { named })).toEqual(request);
  });
});
