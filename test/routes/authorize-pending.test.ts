// A request on its way through the pages: one for each tab, bound to one browser, for an hour (D9).
import { afterAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { authorizeAddress, decide, redeem, signedInBrowser, signIn } from '../support/flow.ts';
import { elementsOf, headingOf } from '../support/markup.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

const service = await startTestService();
const notes = await service.createApplication({ redirectUris: ['https://notes.example/cb'] });
const photos = await service.createApplication({ redirectUris: ['https://photos.example/cb'] });
afterAll(() => service.close());

const open = async (browser: BrowserSession, application: TestApplication, state: string): Promise<Visit> =>
  browser.follow(await browser.get(authorizeAddress(service, application, { state })));

function expectArrival(visit: Visit, origin: string, state: string): void {
  expect(visit.status).toBe(303);
  expect(visit.location?.origin).toBe(origin);
  expect(visit.location?.searchParams.get('state')).toBe(state);
  expect(visit.location?.searchParams.get('code')).toBeTruthy();
}

const pagesOf = (pending: string): [method: 'get' | 'post', path: string][] => [
  ['get', `/oauth/authorize?pending=${pending}`],
  ['get', `/signin?pending=${pending}`],
  ['get', `/signup?pending=${pending}`],
  ['get', `/consent?pending=${pending}`],
  ['post', '/signin'],
  ['post', '/signup'],
  ['post', '/consent'],
];

describe('two tabs with two applications both arrive (D9)', () => {
  test('both opened before either signs in', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const user = await service.createUser();
    const first = await open(browser, notes, 'tab-1');
    const second = await open(browser, photos, 'tab-2');
    const secondConsent = await signIn(browser, user, second);
    const firstConsent = await signIn(browser, user, first);
    expectArrival(await decide(browser, firstConsent, 'allow'), 'https://notes.example', 'tab-1');
    // Both signed in, each within its own request; the person is the same, so the other tab's page still counts.
    expectArrival(await decide(browser, secondConsent, 'allow'), 'https://photos.example', 'tab-2');
  });

  test('opened at the same moment by a browser that has no cookie yet', async () => {
    const browser = openBrowserSession(service.baseUrl);
    // Both requests leave before either answer comes, as when a browser restores its tabs.
    const [first, second] = await Promise.all([
      browser.get(authorizeAddress(service, notes, { state: 'tab-1' })),
      browser.get(authorizeAddress(service, photos, { state: 'tab-2' })),
    ]);
    const user = await service.createUser();
    const firstConsent = await signIn(browser, user, await browser.follow(first));
    expectArrival(await decide(browser, firstConsent, 'allow'), 'https://notes.example', 'tab-1');
    const secondConsent = await browser.follow(second);
    expect(secondConsent.status).toBe(200);
    const consent = await signIn(browser, user, secondConsent);
    expectArrival(await decide(browser, consent, 'allow'), 'https://photos.example', 'tab-2');
  });
});

describe('an expired request offers to start again (D9)', () => {
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

  test('on every page, with all parameters, and starting again leads to the callback', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const address = authorizeAddress(service, notes, parameters);
    const page = await browser.follow(await browser.get(address));
    service.clock.advance(3590);
    expect((await browser.get(`/signin?pending=${page.hidden.pending}`)).status, 'within the hour').toBe(200);
    service.clock.advance(11);
    const links = new Set<string>();
    for (const [method, path] of pagesOf(page.hidden.pending ?? '')) {
      const visit = await browser[method](path, method === 'post' ? page.hidden : {});
      expect(visit.status, path).toBe(400);
      expect(visit.location).toBeUndefined();
      expect(headingOf(visit.body)).toBe('This sign-in request has expired');
      const link = elementsOf(visit.body).find(({ attributes }) =>
        attributes.class?.includes('button--primary'),
      );
      links.add(link?.attributes.href ?? '');
    }
    expect(links.size).toBe(1);
    const again = new URL([...links][0] ?? '', service.baseUrl);
    expect(again.pathname).toBe('/oauth/authorize');
    expect(Object.fromEntries(again.searchParams)).toEqual(Object.fromEntries(address.searchParams));

    const consent = await signIn(
      browser,
      await service.createUser(),
      await browser.follow(await browser.get(again)),
    );
    expectArrival(await decide(browser, consent, 'allow'), 'https://notes.example', 'a state & more');
  });
});

describe('another browser is refused (D9)', () => {
  test('on every page, signed in or not, and nothing of the request is shown', async () => {
    const page = await open(openBrowserSession(service.baseUrl), notes, 'mine');
    const stranger = openBrowserSession(service.baseUrl);
    const strangerPage = await open(stranger, photos, 'other');
    const thief = await signedInBrowser(service, await service.createUser());
    for (const browser of [openBrowserSession(service.baseUrl), stranger, thief])
      for (const [method, path] of pagesOf(page.hidden.pending ?? '')) {
        const fields = { ...strangerPage.hidden, pending: page.hidden.pending ?? '', decision: 'allow' };
        const visit = await browser[method](path, method === 'post' ? fields : {});
        expect(visit.status, path).toBe(400);
        expect(visit.location).toBeUndefined();
        expect(headingOf(visit.body)).toBe('You started in another browser');
        expect(visit.body).not.toContain('notes.example');
      }
  });

  test('a consent page copied to another browser decides nothing there', async () => {
    const user = await service.createUser();
    const consent = await open(await signedInBrowser(service, user), notes, 'mine');
    const visit = await decide(await signedInBrowser(service, user), consent, 'allow');
    expect(visit.status).toBe(400);
    expect(visit.location).toBeUndefined();
  });
});

describe('a request that was tampered with is refused', () => {
  test.each([
    [
      'one character changed',
      (text: string) => `${text.slice(0, -5)}${text.at(-5) === 'A' ? 'B' : 'A'}${text.slice(-4)}`,
    ],
    ['cut short', (text: string) => text.slice(0, -4)],
    ['made longer', (text: string) => `${text}AAAA`],
    ['empty of meaning', () => 'x'],
  ])('%s', async (_, change) => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await open(browser, notes, 'x');
    const visit = await browser.get(`/signin?pending=${change(page.hidden.pending ?? '')}`);
    expect(visit.status).toBe(400);
    expect(visit.location).toBeUndefined();
    expect(visit.body).not.toContain('name="password"');
  });

  test('a code is not taken for one, nor the other way round', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const page = await open(browser, notes, 'x');
    const pending = page.hidden.pending ?? '';
    const code = (await decide(browser, page, 'allow')).location?.searchParams.get('code') ?? '';
    for (const text of [code, code.replace('sesame_ac_', '')])
      expect((await browser.get(`/oauth/authorize?pending=${text}`)).status).toBe(400);
    for (const text of [pending, `sesame_ac_${pending}`])
      expect((await redeem(service, notes, text)).body.error).toBe('invalid_grant');
  });
});
