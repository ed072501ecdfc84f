import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { sendExactRequest } from '../support/exact-response.ts';
import { authorize, buildAuthorizeUrl, openSignedInBrowser, redeemCode } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
const browser = await openSignedInBrowser(service, await service.createUser());
await authorize(service, client, browser, { scope: 'openid profile email phone' });
afterAll(() => service.close());

const sendAuthorizationRequest = (parameters: Record<string, string | undefined> = {}) =>
  browser.get(buildAuthorizeUrl(service, client, parameters));

describe('a valid authorization request', () => {
  test('is redirected with only code, state and iss (RFC 9207)', async () => {
    const visit = await sendAuthorizationRequest();
    expect(visit.status).toBe(303);
    expect(visit.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?code=/);
    expect([...(visit.location?.searchParams.keys() ?? [])].sort()).toEqual(['code', 'iss', 'state']);
    expect(visit.location?.searchParams.get('state')).toBe('state-1');
    expect(visit.location?.searchParams.get('iss')).toBe(service.baseUrl);
    expect(visit.headers.get('cache-control')).toBe('no-store');
    expect(visit.body).toBe('');
  });

  test('keeps parameters of maximum length through sign-in and consent', async () => {
    const redirectUri = `https://client.example/${'p'.repeat(1977)}`;
    expect(redirectUri).toHaveLength(2000);
    const longClient = { ...(await service.createClient({ redirectUris: [redirectUri] })), redirectUri };
    const state = 's'.repeat(4096);
    const anonymous = openBrowserSession(service.baseUrl);
    const user = await service.createUser();
    const page = await anonymous.follow(
      await anonymous.get(
        buildAuthorizeUrl(service, longClient, {
          state,
          nonce: 'n'.repeat(1024),
          login_hint: 'h'.repeat(256),
          ui_locales: 'en '.repeat(85),
          code_challenge: 'c'.repeat(43),
          code_challenge_method: 'S256',
        }),
      ),
    );
    expect(page.status).toBe(200);
    const { email, password } = user;
    const consent = await anonymous.follow(
      await anonymous.post('/signin', { ...page.hidden, email, password }),
    );
    expect(consent.status).toBe(200);
    const response = await anonymous.post('/consent', { ...consent.hidden, decision: 'allow' });
    expect(response.headers.get('location')?.startsWith(`${redirectUri}?code=`)).toBe(true);
    expect(response.location?.searchParams.get('state')).toBe(state);
  });
});

describe('requested scopes', () => {
  test.each([
    ['are ignored if they are unknown', 'openid unknown', 'openid'],
    ['are deduplicated', 'email openid openid email', 'openid email'],
    ['may be separated by extra spaces', ' openid   profile ', 'openid profile'],
    ['are case-sensitive', 'openid Profile', 'openid'],
  ])('%s', async (_, scope, granted) => {
    const visit = await sendAuthorizationRequest({ scope });
    const code = visit.location?.searchParams.get('code') ?? '';
    expect((await redeemCode(service, client, code)).body.scope).toBe(granted);
  });
});

describe('an authorization request', () => {
  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'gets 405 and an Allow header for the method %s',
    async (method) => {
      const response = await sendExactRequest(buildAuthorizeUrl(service, client), { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
      expect(JSON.parse(response.body)).toEqual({
        error: 'invalid_request',
        error_description: expect.any(String),
      });
    },
  );
});
