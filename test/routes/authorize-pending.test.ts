import { afterAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { parseElements, readHeading } from '../support/markup.ts';
import {
  buildAuthorizeUrl,
  openSignedInBrowser,
  redeemCode,
  signIn,
  submitDecision,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';

const service = await startTestService();
const notes = await service.createClient({ redirectUris: ['https://notes.example/cb'] });
const photos = await service.createClient({ redirectUris: ['https://photos.example/cb'] });
afterAll(() => service.close());

const openRequest = async (browser: BrowserSession, client: TestClient, state: string): Promise<Visit> =>
  browser.follow(await browser.get(buildAuthorizeUrl(service, client, { state })));

function expectCode(visit: Visit, origin: string, state: string): void {
  expect(visit.status).toBe(303);
  expect(visit.location?.origin).toBe(origin);
  expect(visit.location?.searchParams.get('state')).toBe(state);
  expect(visit.location?.searchParams.get('code')).toBeTruthy();
}

const listPages = (pending: string): [method: 'get' | 'post', path: string][] => [
  ['get', `/oauth/authorize?pending=${pending}`],
  ['get', `/signin?pending=${pending}`],
  ['get', `/signup?pending=${pending}`],
  ['get', `/consent?pending=${pending}`],
  ['post', '/signin'],
  ['post', '/signup'],
  ['post', '/consent'],
];

describe('authorization requests in two tabs', () => {
  test('can both be completed after sign-in', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const user = await service.createUser();
    const firstTab = await openRequest(browser, notes, 'tab-1');
    const secondTab = await openRequest(browser, photos, 'tab-2');
    const secondConsent = await signIn(browser, user, secondTab);
    const firstConsent = await signIn(browser, user, firstTab);
    expectCode(await submitDecision(browser, firstConsent, 'allow'), 'https://notes.example', 'tab-1');
    expectCode(await submitDecision(browser, secondConsent, 'allow'), 'https://photos.example', 'tab-2');
  });

  test('can both be completed if opened without cookies', async () => {
    const browser = openBrowserSession(service.baseUrl);
    // Browsers send these concurrent requests when they restore tabs.
    const [firstTab, secondTab] = await Promise.all([
      browser.get(buildAuthorizeUrl(service, notes, { state: 'tab-1' })),
      browser.get(buildAuthorizeUrl(service, photos, { state: 'tab-2' })),
    ]);
    const user = await service.createUser();
    const firstConsent = await signIn(browser, user, await browser.follow(firstTab));
    expectCode(await submitDecision(browser, firstConsent, 'allow'), 'https://notes.example', 'tab-1');
    const secondConsent = await browser.follow(secondTab);
    expect(secondConsent.status).toBe(200);
    const consent = await signIn(browser, user, secondConsent);
    expectCode(await submitDecision(browser, consent, 'allow'), 'https://photos.example', 'tab-2');
  });
});

describe('an expired authorization request', () => {
  const parameters = {
    state: 'a state & more',
    nonce: 'n-1',
    scope: 'openid email',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    prompt: 'consent',
    max_age: '86400',
    ui_locales: 'en fr',
    login_hint: 'ada@example.com',
  };

  test('can be restarted from every page without losing parameters', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const url = buildAuthorizeUrl(service, notes, parameters);
    const page = await browser.follow(await browser.get(url));
    service.clock.advance(3590);
    expect(
      (await browser.get(`/signin?pending=${page.hidden.pending}`)).status,
      'the request is valid within the hour',
    ).toBe(200);
    service.clock.advance(11);
    const links = new Set<string>();
    for (const [method, path] of listPages(page.hidden.pending ?? '')) {
      const visit = await browser[method](path, method === 'post' ? page.hidden : {});
      expect(visit.status, path).toBe(400);
      expect(visit.location).toBeUndefined();
      expect(readHeading(visit.body)).toBe('This sign-in request has expired');
      const link = parseElements(visit.body).find(({ attributes }) =>
        attributes.class?.includes('button--primary'),
      );
      links.add(link?.attributes.href ?? '');
    }
    expect(links.size).toBe(1);
    const restart = new URL([...links][0] ?? '', service.baseUrl);
    expect(restart.pathname).toBe('/oauth/authorize');
    expect(Object.fromEntries(restart.searchParams)).toEqual(Object.fromEntries(url.searchParams));

    const consent = await signIn(
      browser,
      await service.createUser(),
      await browser.follow(await browser.get(restart)),
    );
    expectCode(await submitDecision(browser, consent, 'allow'), 'https://notes.example', 'a state & more');
  });
});

describe('an authorization request from a different browser', () => {
  test('is rejected without revealing its client', async () => {
    const page = await openRequest(openBrowserSession(service.baseUrl), notes, 'tab-1');
    const anonymous = openBrowserSession(service.baseUrl);
    const anonymousPage = await openRequest(anonymous, photos, 'other');
    const signedIn = await openSignedInBrowser(service, await service.createUser());
    for (const browser of [openBrowserSession(service.baseUrl), anonymous, signedIn])
      for (const [method, path] of listPages(page.hidden.pending ?? '')) {
        const fields = { ...anonymousPage.hidden, pending: page.hidden.pending ?? '', decision: 'allow' };
        const visit = await browser[method](path, method === 'post' ? fields : {});
        expect(visit.status, path).toBe(400);
        expect(visit.location).toBeUndefined();
        expect(readHeading(visit.body)).toBe('You started in another browser');
        expect(visit.body).not.toContain('notes.example');
      }
  });

  test('is rejected by the consent form', async () => {
    const user = await service.createUser();
    const consent = await openRequest(await openSignedInBrowser(service, user), notes, 'tab-1');
    const visit = await submitDecision(await openSignedInBrowser(service, user), consent, 'allow');
    expect(visit.status).toBe(400);
    expect(visit.location).toBeUndefined();
  });
});

describe('a pending authorization request', () => {
  test.each([
    [
      'has one changed character',
      (text: string) => `${text.slice(0, -5)}${text.at(-5) === 'A' ? 'B' : 'A'}${text.slice(-4)}`,
    ],
    ['is truncated', (text: string) => text.slice(0, -4)],
    ['is extended', (text: string) => `${text}AAAA`],
    ['is not a sealed payload', () => 'x'],
  ])('is rejected if it %s', async (_, change) => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await openRequest(browser, notes, 'x');
    const visit = await browser.get(`/signin?pending=${change(page.hidden.pending ?? '')}`);
    expect(visit.status).toBe(400);
    expect(visit.location).toBeUndefined();
    expect(visit.body).not.toContain('name="password"');
  });

  test('is not interchangeable with an authorization code', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const page = await openRequest(browser, notes, 'x');
    const pending = page.hidden.pending ?? '';
    const code = (await submitDecision(browser, page, 'allow')).location?.searchParams.get('code') ?? '';
    for (const text of [code, code.replace('sesame_ac_', '')])
      expect((await browser.get(`/oauth/authorize?pending=${text}`)).status).toBe(400);
    for (const text of [pending, `sesame_ac_${pending}`])
      expect((await redeemCode(service, notes, text)).body.error).toBe('invalid_grant');
  });
});
