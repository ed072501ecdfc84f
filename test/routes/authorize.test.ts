// GET /oauth/authorize: what a good request leads to, what of it is ignored, and which methods the address takes.
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { sendExactly } from '../support/exact-request.ts';
import { authorize, authorizeAddress, redeem, signedInBrowser } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const browser = await signedInBrowser(service, await service.createUser());
await authorize(service, application, browser, { scope: 'openid profile email phone' });
afterAll(() => service.close());

/** The answer to a request of the person who agreed before. */
const ask = (parameters: Record<string, string | undefined> = {}) =>
  browser.get(authorizeAddress(service, application, parameters));

describe('success', () => {
  test('is 303 to the callback with code, state and iss and nothing else (D6, RFC 9207)', async () => {
    const visit = await ask();
    expect(visit.status).toBe(303);
    expect(visit.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?code=/);
    expect([...(visit.location?.searchParams.keys() ?? [])].sort()).toEqual(['code', 'iss', 'state']);
    expect(visit.location?.searchParams.get('state')).toBe('state-1');
    expect(visit.location?.searchParams.get('iss')).toBe(service.baseUrl);
    expect(visit.headers.get('cache-control')).toBe('no-store');
    expect(visit.body).toBe('');
  });

  test('the longest values arrive through sign-in and consent pages', async () => {
    const redirectUri = `https://client.example/${'p'.repeat(1977)}`;
    expect(redirectUri).toHaveLength(2000);
    const far = { ...(await service.createApplication({ redirectUris: [redirectUri] })), redirectUri };
    const state = 's'.repeat(4096);
    const stranger = openBrowserSession(service.baseUrl);
    const user = await service.createUser();
    const page = await stranger.follow(
      await stranger.get(
        authorizeAddress(service, far, {
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
    const consent = await stranger.follow(
      await stranger.post('/signin', { ...page.hidden, email, password }),
    );
    expect(consent.status).toBe(200);
    const answer = await stranger.post('/consent', { ...consent.hidden, decision: 'allow' });
    expect(answer.headers.get('location')?.startsWith(`${redirectUri}?code=`)).toBe(true);
    expect(answer.location?.searchParams.get('state')).toBe(state);
  });
});

describe('scopes (D4)', () => {
  test.each([
    ['unknown words are ignored while a known one is left', 'openid unknown', 'openid'],
    ['duplicates collapse', 'email openid openid email', 'openid email'],
    ['extra spaces mean nothing', ' openid   profile ', 'openid profile'],
    ['case matters', 'openid Profile', 'openid'],
  ])('%s', async (_, scope, granted) => {
    const visit = await ask({ scope });
    const code = visit.location?.searchParams.get('code') ?? '';
    expect((await redeem(service, application, code)).body.scope).toBe(granted);
  });
});

describe('methods (D17)', () => {
  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is 405 with Allow', async (method) => {
    const answer = await sendExactly(authorizeAddress(service, application), { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    expect(JSON.parse(answer.body)).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String),
    });
  });
});
