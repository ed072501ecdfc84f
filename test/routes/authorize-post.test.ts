import { afterAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { contentWithoutBackground } from '../support/database-content.ts';
import { readCookieValue, sendExactRequest } from '../support/exact-response.ts';
import { readHeading } from '../support/markup.ts';
import { buildAuthorizeUrl, openSignedInBrowser, signIn, submitDecision } from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
afterAll(() => service.close());

const buildForm = (client: TestClient, parameters: Record<string, string | undefined> = {}) =>
  buildAuthorizeUrl(service, client, parameters).searchParams;

async function postCrossSite(browser: BrowserSession, form: URLSearchParams) {
  const response = await sendExactRequest(new URL('/oauth/authorize', service.baseUrl), {
    method: 'POST',
    body: form,
    headers: { 'sec-fetch-site': 'cross-site', origin: 'https://client.example', accept: 'text/html' },
  });
  for (const [name, line] of response.setCookies) browser.cookies.set(name, readCookieValue(line));
  return response;
}

describe('a cross-site form submission', () => {
  test('is redirected to a GET request', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const response = await postCrossSite(browser, buildForm(client, { state: 'posted' }));
    expect(response.status).toBe(303);
    expect(response.location).toMatch(/^\/oauth\/authorize\?pending=[A-Za-z0-9_-]+$/);
    const signInPage = await browser.follow(await browser.get(response.location ?? ''));
    const consent = await signIn(browser, await service.createUser(), signInPage);
    const { location } = await submitDecision(browser, consent, 'allow');
    expect(location?.origin).toBe('https://client.example');
    expect(location?.searchParams.get('state')).toBe('posted');
    expect(location?.searchParams.get('code')).toBeTruthy();
  });

  test('is bound to the browser that sent it', async () => {
    const response = await postCrossSite(openBrowserSession(service.baseUrl), buildForm(client));
    for (const other of [
      openBrowserSession(service.baseUrl),
      await openSignedInBrowser(service, await service.createUser()),
    ]) {
      const visit = await other.get(response.location ?? '');
      expect(visit.status).toBe(400);
      expect(visit.location).toBeUndefined();
      expect(readHeading(visit.body)).toBe('You started in another browser');
    }
  });

  test('does not invalidate a pending request in another tab', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const user = await service.createUser();
    const firstTab = await browser.follow(
      await browser.get(buildAuthorizeUrl(service, client, { state: 'first' })),
    );
    const cookiesBefore = new Map(browser.cookies);
    const response = await postCrossSite(browser, buildForm(client, { state: 'second' }));
    const secondTab = await browser.follow(await browser.get(response.location ?? ''));
    for (const [name, value] of cookiesBefore) expect(browser.cookies.get(name), name).toBe(value);

    const consent = await signIn(browser, user, firstTab);
    expect((await submitDecision(browser, consent, 'allow')).location?.searchParams.get('state')).toBe(
      'first',
    );
    const secondResponse = await signIn(browser, user, secondTab);
    expect(secondResponse.location?.searchParams.get('state')).toBe('second');
    expect(secondResponse.location?.searchParams.get('code')).toBeTruthy();
  });

  test('causes no database writes', async () => {
    const contentBefore = await contentWithoutBackground(service.databaseUrl);
    await postCrossSite(openBrowserSession(service.baseUrl), buildForm(client));
    expect(await contentWithoutBackground(service.databaseUrl)).toEqual(contentBefore);
  });
});

describe('a POST authorization request', () => {
  test.each([
    ['application/json', 'application/json'],
    ['text/plain', 'text/plain'],
    ['multipart/form-data', 'multipart/form-data; boundary=x'],
    ['of a form in a different charset', 'application/x-www-form-urlencoded; charset=iso-8859-1'],
  ])('with the content type %s gets 400, never 415', async (_, type) => {
    const response = await sendExactRequest(new URL('/oauth/authorize', service.baseUrl), {
      method: 'POST',
      body: buildForm(client).toString(),
      headers: { 'content-type': type },
    });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body).error).toBe('invalid_request');
  });

  test('takes no parameters from the query', async () => {
    const response = await sendExactRequest(buildAuthorizeUrl(service, client), {
      method: 'POST',
      body: new URLSearchParams(),
    });
    expect([response.status, response.location]).toEqual([400, null]);
  });

  test('gets an error page if its client or redirect URI is unknown', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const unknown = await postCrossSite(browser, buildForm({ ...client, clientId: 'app_nobody' }));
    expect([unknown.status, unknown.location]).toEqual([401, null]);
    const unregistered = await postCrossSite(
      browser,
      buildForm(client, { redirect_uri: 'https://evil.example/' }),
    );
    expect([unregistered.status, unregistered.location]).toEqual([400, null]);
  });
});
