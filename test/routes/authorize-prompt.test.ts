// prompt and max_age: whether pages may or must be shown (OpenID Connect Core §3.1.2.1, D2, D7).
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { withdrawConsent } from '../../src/store/consents.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import {
  authorize,
  authorizeAddress,
  decide,
  newVerifier,
  redeem,
  signedInBrowser,
  signIn,
} from '../support/flow.ts';
import { startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
afterAll(() => service.close());

type Parameters = Record<string, string | undefined>;
const ask = (browser: BrowserSession, parameters: Parameters, asking = application): Promise<Visit> =>
  browser.get(authorizeAddress(service, asking, parameters));

/** A browser whose person has agreed to share `openid profile email`. */
async function returning(
  asking = application,
  parameters: Parameters = {},
): Promise<[BrowserSession, TestUser]> {
  const user = await service.createUser();
  const browser = await signedInBrowser(service, user);
  await authorize(service, asking, browser, parameters);
  return [browser, user];
}

function expectRefusal(visit: Visit, error: string): void {
  expect(visit.status).toBe(303);
  expect(visit.location?.origin).not.toBe(service.baseUrl);
  const answer = visit.location?.searchParams;
  expect([...(answer?.keys() ?? [])].sort()).toEqual(['error', 'error_description', 'iss', 'state']);
  expect([answer?.get('error'), answer?.get('state')]).toEqual([error, 'state-1']);
}

describe('prompt=none never shows a page (D2)', () => {
  test('nobody signed in: login_required', async () => {
    expectRefusal(await ask(openBrowserSession(service.baseUrl), { prompt: 'none' }), 'login_required');
  });

  test('never agreed: consent_required', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    expectRefusal(await ask(browser, { prompt: 'none' }), 'consent_required');
  });

  test('more scopes than agreed: consent_required', async () => {
    const [browser] = await returning();
    expectRefusal(await ask(browser, { prompt: 'none', scope: 'openid phone' }), 'consent_required');
  });

  test('signed in longer ago than max_age: login_required', async () => {
    const [browser] = await returning();
    service.clock.advance(100);
    expectRefusal(await ask(browser, { prompt: 'none', max_age: '50' }), 'login_required');
  });

  test('consent withdrawn: consent_required', async () => {
    const [browser, user] = await returning();
    await withdrawConsent(service.parts.database, user.userId, application.clientId, service.clock.now());
    expectRefusal(await ask(browser, { prompt: 'none' }), 'consent_required');
  });

  test('signed in and agreed: a code at once', async () => {
    const [browser] = await returning();
    const visit = await ask(browser, { prompt: 'none' });
    expect(visit.location?.searchParams.get('code')).toBeTruthy();
  });

  test('a public application on loopback is always asked again, so never silently (D7)', async () => {
    const mobile = await service.createApplication({ type: 'public', redirectUris: ['http://127.0.0.1/cb'] });
    const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
    const [browser] = await returning(mobile, pkce);
    expectRefusal(await ask(browser, { ...pkce, prompt: 'none' }, mobile), 'consent_required');
  });
});

describe('prompt=login', () => {
  test('asks for the password although somebody is signed in, and then goes on with a later auth_time', async () => {
    const [browser, user] = await returning();
    const verifier = newVerifier();
    service.clock.advance(1000);
    const asked = service.clock.now().getTime() / 1000;
    const visit = await ask(browser, {
      prompt: 'login',
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    });
    expect(visit.location?.pathname).toBe('/signin');
    const answer = await signIn(browser, user, await browser.follow(visit));
    const code = answer.location?.searchParams.get('code') ?? '';
    const { body } = await redeem(service, application, code, { code_verifier: verifier });
    expect(decodeJwt(String(body.id_token)).auth_time).toBeGreaterThanOrEqual(Math.floor(asked));
  });

  test('cannot be skipped: neither the authorize address nor the consent page goes on without it', async () => {
    const [browser] = await returning();
    const page = await browser.follow(await ask(browser, { prompt: 'login' }));
    const { pending = '' } = page.hidden;
    for (const path of ['/oauth/authorize', '/consent']) {
      const visit = await browser.get(`${path}?pending=${pending}`);
      const landed = await browser.follow(visit);
      expect(landed.location).toBeUndefined();
      expect(landed.body).toContain('action="/signin"');
    }
  });

  test('a request that comes again asks again', async () => {
    const [browser, user] = await returning();
    await signIn(browser, user, await browser.follow(await ask(browser, { prompt: 'login' })));
    service.clock.advance(1);
    expect((await ask(browser, { prompt: 'login' })).location?.pathname).toBe('/signin');
  });
});

describe('prompt=consent', () => {
  test('shows the consent page although all was agreed before (D7)', async () => {
    const [browser] = await returning();
    const visit = await ask(browser, { prompt: 'consent' });
    expect(visit.location?.pathname).toBe('/consent');
    const answer = await decide(browser, await browser.follow(visit), 'allow');
    expect(answer.location?.searchParams.get('code')).toBeTruthy();
  });

  test('select_account consent asks for both', async () => {
    const [browser] = await returning();
    service.clock.advance(1);
    const chooser = await browser.follow(await ask(browser, { prompt: 'select_account consent' }));
    const account = /name="account" value="([^"]+)"/.exec(chooser.body)?.[1] ?? '';
    const consent = await browser.follow(await browser.post('/accounts', { ...chooser.hidden, account }));
    expect(consent.body).toContain('action="/consent"');
    const answer = await decide(browser, consent, 'allow');
    expect(answer.location?.searchParams.get('code')).toBeTruthy();
  });

  test('login consent asks for both', async () => {
    const [browser, user] = await returning();
    service.clock.advance(1);
    const visit = await ask(browser, { prompt: 'login consent' });
    expect(visit.location?.pathname).toBe('/signin');
    const consent = await signIn(browser, user, await browser.follow(visit));
    expect(consent.body).toContain('action="/consent"');
  });

  test('unknown words are ignored', async () => {
    const [browser] = await returning();
    expect((await ask(browser, { prompt: 'create' })).location?.searchParams.get('code')).toBeTruthy();
  });
});

describe('max_age', () => {
  test('is met by a recent sign-in and asks for the password after an older one', async () => {
    const [browser, user] = await returning();
    service.clock.advance(100);
    expect((await ask(browser, { max_age: '200' })).location?.searchParams.get('code')).toBeTruthy();
    const visit = await ask(browser, { max_age: '50' });
    expect(visit.location?.pathname).toBe('/signin');
    const answer = await signIn(browser, user, await browser.follow(visit));
    expect(answer.location?.searchParams.get('code')).toBeTruthy();
  });

  test('0 always asks', async () => {
    const [browser] = await returning();
    service.clock.advance(1);
    expect((await ask(browser, { max_age: '0' })).location?.pathname).toBe('/signin');
  });

  test.each(['-1', '1.5', '1e3', '10 ', '0x10', '9'.repeat(10)])('%j is invalid_request', async (maxAge) => {
    const [browser] = await returning();
    expectRefusal(await ask(browser, { max_age: maxAge }), 'invalid_request');
  });
});
