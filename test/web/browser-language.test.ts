// The language of pages: the application's wish, the person's choice, Accept-Language, French (D31).
import { beforeAll, describe, expect, test } from 'vitest';
import { LOCALES } from '../../src/i18n/index.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { sendExactly } from '../support/exact-request.ts';
import { authorizeAddress, signIn } from '../support/flow.ts';
import { elementsOf } from '../support/markup.ts';
import { type TestApplication, useTestService } from '../support/service.ts';

const service = useTestService();
let application: TestApplication;
beforeAll(async () => {
  application = await service.createApplication();
});

const languageOf = ({ body }: { body: string }): string | undefined =>
  /<html lang="([^"]*)">/.exec(body)?.[1];

/** The address that the choice of a language leads to on a page, by link or button. */
const linkTo = (visit: Visit, language: string): string =>
  elementsOf(visit.body)
    .filter(({ name, attributes: { lang } }) => name !== 'html' && lang === language)
    .map(({ attributes: { href } }) => href)[0] ?? '';

const open = async (browser: BrowserSession, uiLocales?: string, acceptLanguage = 'fr'): Promise<Visit> => {
  const headers = { 'accept-language': acceptLanguage };
  const visit = await browser.get(authorizeAddress(service, application, { ui_locales: uiLocales }), headers);
  return browser.get(visit.location ?? '', headers);
};

describe('the order (D31)', () => {
  test('French where nothing is said', async () => {
    const answer = await sendExactly(new URL('/signin', service.baseUrl), {
      headers: { 'accept-language': '' },
    });
    expect(languageOf(answer)).toBe('fr');
    expect(answer.body).toContain('Mot de passe');
  });

  test.each([
    ['en', 'en'],
    ['fr', 'fr'],
    ['tlh', 'fr'],
    ['de,en;q=0.5', 'en'],
    ['fr;q=0.2,en-GB;q=0.9', 'en'],
    ['en;q=0', 'fr'],
    ['\u00ff;;q=x', 'fr'],
  ])('Accept-Language: %s gives %s', async (header, language) => {
    const browser = openBrowserSession(service.baseUrl);
    expect(languageOf(await browser.get('/signin', { 'accept-language': header }))).toBe(language);
  });

  test('a choice made earlier goes before Accept-Language', async () => {
    const browser = openBrowserSession(service.baseUrl);
    expect(languageOf(await browser.get('/?lang=en', { 'accept-language': 'fr' }))).toBe('en');
    expect(languageOf(await browser.get('/signin', { 'accept-language': 'fr' }))).toBe('en');
    expect(languageOf(await browser.get('/?lang=fr', { 'accept-language': 'en' }))).toBe('fr');
    expect(languageOf(await browser.get('/signin', { 'accept-language': 'en' }))).toBe('fr');
  });

  test('the application’s wish goes before an earlier choice', async () => {
    const browser = openBrowserSession(service.baseUrl);
    await browser.get('/?lang=fr');
    expect(languageOf(await open(browser, 'en'))).toBe('en');
    expect(languageOf(await open(browser, 'de en-US fr'))).toBe('en');
    expect(languageOf(await open(browser, 'tlh'))).toBe('fr');
  });

  test('a language that there is none of is no choice', async () => {
    const browser = openBrowserSession(service.baseUrl);
    for (const lang of ['tlh', 'EN', 'en-GB', '', '<script>']) {
      const visit = await browser.get(`/signin?lang=${encodeURIComponent(lang)}`, {
        'accept-language': 'fr',
      });
      expect(languageOf(visit), lang).toBe('fr');
    }
    expect([...browser.cookies.keys()]).not.toContain('sesame-language');
  });
});

describe('choosing by the footer’s link', () => {
  test('keeps the page, and is remembered for a year by a cookie that says nothing else', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin?x=1&y=%26', { 'accept-language': 'fr' });
    const link = new URL(linkTo(page, 'en'), service.baseUrl);
    expect(link.pathname).toBe('/signin');
    expect(Object.fromEntries(link.searchParams)).toEqual({ x: '1', y: '&', lang: 'en' });
    const visit = await browser.get(link);
    expect(languageOf(visit)).toBe('en');
    expect(visit.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sesame-language=en; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test('marks the language in use', async () => {
    const page = await openBrowserSession(service.baseUrl).get('/signin', { 'accept-language': 'en' });
    const current = elementsOf(page.body).filter(({ attributes }) => attributes['aria-current'] === 'true');
    expect(current.map(({ attributes }) => attributes.lang)).toEqual(['en']);
  });

  test('wins over ui_locales on every page for the rest of the flow', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const frenchPage = await open(browser, 'fr');
    expect(languageOf(frenchPage)).toBe('fr');
    const page = await browser.get(linkTo(frenchPage, 'en'));
    expect(languageOf(page)).toBe('en');

    const wrong = await browser.post('/signin', {
      ...page.hidden,
      email: 'nobody@example.org',
      password: 'wrong password',
    });
    expect(languageOf(wrong)).toBe('en');
    const signUpLink = /href="(\/signup\?[^"]*)"/.exec(wrong.body)?.[1] ?? '';
    expect(languageOf(await browser.get(signUpLink))).toBe('en');
    const consent = await signIn(browser, await service.createUser(), wrong);
    expect(consent.body).toContain('action="/consent"');
    expect(languageOf(consent)).toBe('en');
    const backToFrench = await browser.get(linkTo(consent, 'fr'));
    expect(languageOf(backToFrench)).toBe('fr');
    const asked = await browser.post('/consent', { ...backToFrench.hidden, csrf: 'x', decision: 'allow' });
    expect(languageOf(asked)).toBe('fr');
    const answer = await browser.post('/consent', { ...asked.hidden, decision: 'allow' });
    expect(answer.location?.searchParams.get('code')).toBeTruthy();
  });

  test('on a page that refused a form, it stays within the same request', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await open(browser);
    const faulty = await browser.post('/signin', { ...page.hidden, email: 'x', password: '' });
    const visit = await browser.get(linkTo(faulty, 'fr'));
    expect([faulty.status, visit.status, languageOf(visit)]).toEqual([400, 200, 'fr']);
    expect(visit.body).toContain('client.example');
  });
});

describe('error pages speak the same language', () => {
  test.each([
    ['fr', 'Page introuvable'],
    ['en', 'Page not found'],
  ])('404 in %s', async (language, heading) => {
    const browser = openBrowserSession(service.baseUrl);
    const visit = await browser.get('/nothing/here', { 'accept-language': language });
    expect([visit.status, languageOf(visit)]).toEqual([404, language]);
    expect(visit.body).toContain(heading);
    expect(languageOf(await browser.get('/nothing/here?lang=en', { 'accept-language': 'fr' }))).toBe('en');
  });

  test('an authorization request that cannot be answered follows its ui_locales', async () => {
    const address = authorizeAddress(service, application, {
      redirect_uri: 'https://evil.example/',
      ui_locales: 'fr',
    });
    expect(languageOf(await openBrowserSession(service.baseUrl).get(address))).toBe('fr');
  });

  test('the language link of an address that begins with // stays on this service', async () => {
    const answer = await sendExactly(`${service.baseUrl}//evil.example/`, {
      headers: { accept: 'text/html' },
    });
    const links = elementsOf(answer.body).filter(({ attributes }) => attributes.hreflang !== undefined);
    expect(links).toHaveLength(LOCALES.length);
    for (const { attributes } of links)
      expect(new URL(attributes.href ?? '', service.baseUrl).origin).toBe(service.baseUrl);
  });
});
