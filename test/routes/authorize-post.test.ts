// POST /oauth/authorize: the same request as a form, usually from another site (OpenID Connect Core §3.1.2.1, D6).
import { afterAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { settledContent } from '../support/database-content.ts';
import { cookieValue, sendExactly } from '../support/exact-request.ts';
import { authorizeAddress, decide, signedInBrowser, signIn } from '../support/flow.ts';
import { headingOf } from '../support/markup.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
afterAll(() => service.close());

const formOf = (asking: TestApplication, parameters: Record<string, string | undefined> = {}) =>
  authorizeAddress(service, asking, parameters).searchParams;

/** What a browser does with a form of another site: Lax cookies stay at home, the answer's cookies are kept. */
async function postFromAnotherSite(browser: BrowserSession, form: URLSearchParams) {
  const answer = await sendExactly(new URL('/oauth/authorize', service.baseUrl), {
    method: 'POST',
    body: form,
    headers: { 'sec-fetch-site': 'cross-site', origin: 'https://client.example', accept: 'text/html' },
  });
  for (const [name, line] of answer.setCookies) browser.cookies.set(name, cookieValue(line));
  return answer;
}

describe('a form from another site (D6)', () => {
  test('is answered by 303 to a GET, from which the journey goes on to the callback', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const answer = await postFromAnotherSite(browser, formOf(application, { state: 'posted' }));
    expect(answer.status).toBe(303);
    expect(answer.location).toMatch(/^\/oauth\/authorize\?pending=[A-Za-z0-9_-]+$/);
    const signInPage = await browser.follow(await browser.get(answer.location ?? ''));
    const consent = await signIn(browser, await service.createUser(), signInPage);
    const { location } = await decide(browser, consent, 'allow');
    expect(location?.origin).toBe('https://client.example');
    expect(location?.searchParams.get('state')).toBe('posted');
    expect(location?.searchParams.get('code')).toBeTruthy();
  });

  test('is bound to the browser that sent it: another one is refused', async () => {
    const answer = await postFromAnotherSite(openBrowserSession(service.baseUrl), formOf(application));
    for (const other of [
      openBrowserSession(service.baseUrl),
      await signedInBrowser(service, await service.createUser()),
    ]) {
      const visit = await other.get(answer.location ?? '');
      expect(visit.status).toBe(400);
      expect(visit.location).toBeUndefined();
      expect(headingOf(visit.body)).toBe('You started in another browser');
    }
  });

  test('without cookies does not orphan what another tab has open', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const user = await service.createUser();
    const firstTab = await browser.follow(
      await browser.get(authorizeAddress(service, application, { state: 'first' })),
    );
    const before = new Map(browser.cookies);
    const answer = await postFromAnotherSite(browser, formOf(application, { state: 'second' }));
    const secondTab = await browser.follow(await browser.get(answer.location ?? ''));
    for (const [name, value] of before) expect(browser.cookies.get(name), name).toBe(value);

    const consent = await signIn(browser, user, firstTab);
    expect((await decide(browser, consent, 'allow')).location?.searchParams.get('state')).toBe('first');
    const second = await signIn(browser, user, secondTab);
    expect(second.location?.searchParams.get('state')).toBe('second');
    expect(second.location?.searchParams.get('code')).toBeTruthy();
  });

  test('writes nothing to the database', async () => {
    const before = await settledContent(service.databaseUrl);
    await postFromAnotherSite(openBrowserSession(service.baseUrl), formOf(application));
    expect(await settledContent(service.databaseUrl)).toEqual(before);
  });
});

describe('what is refused', () => {
  test.each([
    ['application/json', 'application/json'],
    ['text/plain', 'text/plain'],
    ['multipart/form-data', 'multipart/form-data; boundary=x'],
    ['a form in another charset', 'application/x-www-form-urlencoded; charset=iso-8859-1'],
  ])('%s: 400, never 415 (D17)', async (_, type) => {
    const answer = await sendExactly(new URL('/oauth/authorize', service.baseUrl), {
      method: 'POST',
      body: formOf(application).toString(),
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).error).toBe('invalid_request');
  });

  test('parameters in the query of a POST are not read', async () => {
    const answer = await sendExactly(authorizeAddress(service, application), {
      method: 'POST',
      body: new URLSearchParams(),
    });
    expect([answer.status, answer.location]).toEqual([400, null]);
  });

  test('an unknown application and a wrong callback are pages, not redirects (D1)', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const unknown = await postFromAnotherSite(browser, formOf({ ...application, clientId: 'app_nobody' }));
    expect([unknown.status, unknown.location]).toEqual([401, null]);
    const wrong = await postFromAnotherSite(
      browser,
      formOf(application, { redirect_uri: 'https://evil.example/' }),
    );
    expect([wrong.status, wrong.location]).toEqual([400, null]);
  });
});
