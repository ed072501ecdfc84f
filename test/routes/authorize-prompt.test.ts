// prompt and max_age: whether pages may or must be shown (OpenID Connect Core §3.1.2.1, D2, D7).
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
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

  test('signed in longer ago than max_age: login_required', async () => {
    const [browser] = await returning();
    service.clock.advance(100);
    expectRefusal(await ask(browser, { prompt: 'none', max_age: '50' }), 'login_required');
  });

  test('signed in and agreed: a code at once', async () => {
    const [browser] = await returning();
    const visit = await ask(browser, { prompt: 'none' });
    expect(visit.location?.searchParams.get('code')).toBeTruthy();
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
});

describe('prompt=consent', () => {
  test('shows the consent page although all was agreed before (D7)', async () => {
    const [browser] = await returning();
    const visit = await ask(browser, { prompt: 'consent' });
    expect(visit.location?.pathname).toBe('/consent');
    const answer = await decide(browser, await browser.follow(visit), 'allow');
    expect(answer.location?.searchParams.get('code')).toBeTruthy();
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
});
