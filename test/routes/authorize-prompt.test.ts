import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createVerifier,
  openSignedInBrowser,
  redeemCode,
  signIn,
  submitDecision,
} from '../support/oauth-flow.ts';
import { startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
afterAll(() => service.close());

type Parameters = Record<string, string | undefined>;
const sendAuthorizationRequest = (browser: BrowserSession, parameters: Parameters): Promise<Visit> =>
  browser.get(buildAuthorizeUrl(service, client, parameters));

async function openConsentedBrowser(): Promise<[BrowserSession, TestUser]> {
  const user = await service.createUser();
  const browser = await openSignedInBrowser(service, user);
  await authorize(service, client, browser);
  return [browser, user];
}

function expectErrorRedirect(visit: Visit, error: string): void {
  expect(visit.status).toBe(303);
  expect(visit.location?.origin).not.toBe(service.baseUrl);
  const response = visit.location?.searchParams;
  expect([...(response?.keys() ?? [])].sort()).toEqual(['error', 'error_description', 'iss', 'state']);
  expect([response?.get('error'), response?.get('state')]).toEqual([error, 'state-1']);
}

describe('with prompt=none, the service', () => {
  test('returns login_required for an anonymous user', async () => {
    expectErrorRedirect(
      await sendAuthorizationRequest(openBrowserSession(service.baseUrl), { prompt: 'none' }),
      'login_required',
    );
  });

  test('returns login_required if the sign-in is older than max_age', async () => {
    const [browser] = await openConsentedBrowser();
    service.clock.advance(100);
    expectErrorRedirect(
      await sendAuthorizationRequest(browser, { prompt: 'none', max_age: '50' }),
      'login_required',
    );
  });

  test('returns a code if the user has already consented', async () => {
    const [browser] = await openConsentedBrowser();
    const visit = await sendAuthorizationRequest(browser, { prompt: 'none' });
    expect(visit.location?.searchParams.get('code')).toBeTruthy();
  });
});

describe('with prompt=login, the service', () => {
  test('asks for the password again and updates auth_time', async () => {
    const [browser, user] = await openConsentedBrowser();
    const verifier = createVerifier();
    service.clock.advance(1000);
    const requestedAt = service.clock.now().getTime() / 1000;
    const visit = await sendAuthorizationRequest(browser, {
      prompt: 'login',
      code_challenge: computeCodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    expect(visit.location?.pathname).toBe('/signin');
    const response = await signIn(browser, user, await browser.follow(visit));
    const code = response.location?.searchParams.get('code') ?? '';
    const { body } = await redeemCode(service, client, code, { code_verifier: verifier });
    expect(decodeJwt(String(body.id_token)).auth_time).toBeGreaterThanOrEqual(Math.floor(requestedAt));
  });

  test('does not let a signed-in user skip the sign-in page', async () => {
    const [browser] = await openConsentedBrowser();
    const page = await browser.follow(await sendAuthorizationRequest(browser, { prompt: 'login' }));
    const { pending = '' } = page.hidden;
    for (const path of ['/oauth/authorize', '/consent']) {
      const visit = await browser.get(`${path}?pending=${pending}`);
      const destination = await browser.follow(visit);
      expect(destination.location).toBeUndefined();
      expect(destination.body).toContain('action="/signin"');
    }
  });
});

describe('with prompt=consent, the service', () => {
  test('shows the consent page even after earlier consent', async () => {
    const [browser] = await openConsentedBrowser();
    const visit = await sendAuthorizationRequest(browser, { prompt: 'consent' });
    expect(visit.location?.pathname).toBe('/consent');
    const response = await submitDecision(browser, await browser.follow(visit), 'allow');
    expect(response.location?.searchParams.get('code')).toBeTruthy();
  });
});

describe('with max_age, the service', () => {
  test('asks for the password again if the last sign-in is too old', async () => {
    const [browser, user] = await openConsentedBrowser();
    service.clock.advance(100);
    expect(
      (await sendAuthorizationRequest(browser, { max_age: '200' })).location?.searchParams.get('code'),
    ).toBeTruthy();
    const visit = await sendAuthorizationRequest(browser, { max_age: '50' });
    expect(visit.location?.pathname).toBe('/signin');
    const response = await signIn(browser, user, await browser.follow(visit));
    expect(response.location?.searchParams.get('code')).toBeTruthy();
  });
});
