// Page language, in order of precedence: ui_locales, saved choice, Accept-Language, French.
import { beforeAll, describe, expect, test } from 'vitest';
import { LOCALES } from '../../src/i18n/index.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { sendExactRequest } from '../support/exact-response.ts';
import { parseElements } from '../support/markup.ts';
import { buildAuthorizeUrl, signIn } from '../support/oauth-flow.ts';
import { type TestClient, useTestService } from '../support/service.ts';

const service = useTestService();
let application: TestClient;
beforeAll(async () => {
  application = await service.createClient();
});

const readLanguage = ({ body }: { body: string }): string | undefined =>
  /<html lang="([^"]*)">/.exec(body)?.[1];

const readLanguageUrl = (visit: Visit, language: string): string =>
  parseElements(visit.body)
    .filter(({ name, attributes: { lang } }) => name !== 'html' && lang === language)
    .map(({ attributes: { href } }) => href)[0] ?? '';

const openPage = async (
  browser: BrowserSession,
  uiLocales?: string,
  acceptLanguage = 'fr',
): Promise<Visit> => {
  const headers = { 'accept-language': acceptLanguage };
  const visit = await browser.get(
    buildAuthorizeUrl(service, application, { ui_locales: uiLocales }),
    headers,
  );
  return browser.get(visit.location ?? '', headers);
};

describe('the language of a page', () => {
  test('is French by default', async () => {
    const response = await sendExactRequest(new URL('/signin', service.baseUrl), {
      headers: { 'accept-language': '' },
    });
    expect(readLanguage(response)).toBe('fr');
    expect(response.body).toContain('Mot de passe');
  });

  test.each([
    ['en', 'en'],
    ['fr', 'fr'],
    ['tlh', 'fr'],
    ['de,en;q=0.5', 'en'],
    ['fr;q=0.2,en-GB;q=0.9', 'en'],
    ['en;q=0', 'fr'],
    ['\u00ff;;q=x', 'fr'],
  ])('for Accept-Language: %s is %s', async (header, language) => {
    const browser = openBrowserSession(service.baseUrl);
    expect(readLanguage(await browser.get('/signin', { 'accept-language': header }))).toBe(language);
  });

  test("is the user's choice, regardless of Accept-Language", async () => {
    const browser = openBrowserSession(service.baseUrl);
    expect(readLanguage(await browser.get('/?lang=en', { 'accept-language': 'fr' }))).toBe('en');
    expect(readLanguage(await browser.get('/signin', { 'accept-language': 'fr' }))).toBe('en');
    expect(readLanguage(await browser.get('/?lang=fr', { 'accept-language': 'en' }))).toBe('fr');
    expect(readLanguage(await browser.get('/signin', { 'accept-language': 'en' }))).toBe('fr');
  });

  test('is the first supported language in ui_locales', async () => {
    const browser = openBrowserSession(service.baseUrl);
    await browser.get('/?lang=fr');
    expect(readLanguage(await openPage(browser, 'en'))).toBe('en');
    expect(readLanguage(await openPage(browser, 'de en-US fr'))).toBe('en');
    expect(readLanguage(await openPage(browser, 'tlh'))).toBe('fr');
  });

  test('is not changed by an unsupported lang parameter', async () => {
    const browser = openBrowserSession(service.baseUrl);
    for (const lang of ['tlh', 'EN', 'en-GB', '', '<script>']) {
      const visit = await browser.get(`/signin?lang=${encodeURIComponent(lang)}`, {
        'accept-language': 'fr',
      });
      expect(readLanguage(visit), lang).toBe('fr');
    }
    expect([...browser.cookies.keys()]).not.toContain('sesame-language');
  });
});

describe('a language link', () => {
  test('opens the same page with the same query', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin?x=1&y=%26', { 'accept-language': 'fr' });
    const link = new URL(readLanguageUrl(page, 'en'), service.baseUrl);
    expect(link.pathname).toBe('/signin');
    expect(Object.fromEntries(link.searchParams)).toEqual({ x: '1', y: '&', lang: 'en' });
    const visit = await browser.get(link);
    expect(readLanguage(visit)).toBe('en');
    expect(visit.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sesame-language=en; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test('is marked as current on pages in that language', async () => {
    const page = await openBrowserSession(service.baseUrl).get('/signin', { 'accept-language': 'en' });
    const current = parseElements(page.body).filter(
      ({ attributes }) => attributes['aria-current'] === 'true',
    );
    expect(current.map(({ attributes }) => attributes.lang)).toEqual(['en']);
  });

  test('overrides ui_locales for the rest of the sign-in', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const frenchPage = await openPage(browser, 'fr');
    expect(readLanguage(frenchPage)).toBe('fr');
    const page = await browser.get(readLanguageUrl(frenchPage, 'en'));
    expect(readLanguage(page)).toBe('en');

    const wrong = await browser.post('/signin', {
      ...page.hidden,
      email: 'nobody@example.org',
      password: 'wrong password',
    });
    expect(readLanguage(wrong)).toBe('en');
    const signUpLink = /href="(\/signup\?[^"]*)"/.exec(wrong.body)?.[1] ?? '';
    expect(readLanguage(await browser.get(signUpLink))).toBe('en');
    const consent = await signIn(browser, await service.createUser(), wrong);
    expect(consent.body).toContain('action="/consent"');
    expect(readLanguage(consent)).toBe('en');
    const backToFrench = await browser.get(readLanguageUrl(consent, 'fr'));
    expect(readLanguage(backToFrench)).toBe('fr');
    const consentPage = await browser.post('/consent', {
      ...backToFrench.hidden,
      csrf: 'x',
      decision: 'allow',
    });
    expect(readLanguage(consentPage)).toBe('fr');
    const approval = await browser.post('/consent', { ...consentPage.hidden, decision: 'allow' });
    expect(approval.location?.searchParams.get('code')).toBeTruthy();
  });

  test('preserves the authorization request after a rejected form', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await openPage(browser);
    const rejected = await browser.post('/signin', { ...page.hidden, email: 'x', password: '' });
    const visit = await browser.get(readLanguageUrl(rejected, 'fr'));
    expect([rejected.status, visit.status, readLanguage(visit)]).toEqual([400, 200, 'fr']);
    expect(visit.body).toContain('client.example');
  });
});

describe('the language of error pages', () => {
  test.each([
    ['fr', 'Page introuvable'],
    ['en', 'Page not found'],
  ])('matches Accept-Language: %s', async (language, heading) => {
    const browser = openBrowserSession(service.baseUrl);
    const visit = await browser.get('/nothing/here', { 'accept-language': language });
    expect([visit.status, readLanguage(visit)]).toEqual([404, language]);
    expect(visit.body).toContain(heading);
    expect(readLanguage(await browser.get('/nothing/here?lang=en', { 'accept-language': 'fr' }))).toBe('en');
  });

  test('is taken from ui_locales at the authorization endpoint', async () => {
    const url = buildAuthorizeUrl(service, application, {
      redirect_uri: 'https://evil.example/',
      ui_locales: 'fr',
    });
    expect(readLanguage(await openBrowserSession(service.baseUrl).get(url))).toBe('fr');
  });

  test('can be changed without leaving the service', async () => {
    const response = await sendExactRequest(`${service.baseUrl}//evil.example/`, {
      headers: { accept: 'text/html' },
    });
    const links = parseElements(response.body).filter(({ attributes }) => attributes.hreflang !== undefined);
    expect(links).toHaveLength(LOCALES.length);
    for (const { attributes } of links)
      expect(new URL(attributes.href ?? '', service.baseUrl).origin).toBe(service.baseUrl);
  });
});
