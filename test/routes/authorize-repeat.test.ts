// An open consent page after its session or its redirect URI has been deleted.
import { afterAll, describe, expect, test } from 'vitest';
import { replaceRedirectUris } from '../../src/store/clients.ts';
import { deleteSession } from '../../src/store/sessions.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { sendExactRequest } from '../support/exact-response.ts';
import { buildAuthorizeUrl, openSignedInBrowser, signIn, submitDecision } from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';
import { parseSessionCookie } from '../support/store-fixtures.ts';

const service = await startTestService();
const notes = await service.createClient({ redirectUris: ['https://notes.example/cb'] });
afterAll(() => service.close());

const openRequest = async (browser: BrowserSession, client: TestClient, state: string): Promise<Visit> =>
  browser.follow(await browser.get(buildAuthorizeUrl(service, client, { state })));

function expectCode(visit: Visit, origin: string, state: string): void {
  expect(visit.status).toBe(303);
  expect(visit.location?.origin).toBe(origin);
  expect(visit.location?.searchParams.get('state')).toBe(state);
  expect(visit.location?.searchParams.get('code')).toBeTruthy();
}

describe('an open consent page', () => {
  test('requires a new sign-in if the session was deleted', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const user = await service.createUser();
    const consent = await signIn(browser, user, await openRequest(browser, notes, 'late'));
    await deleteSession(
      service.services.database,
      parseSessionCookie(browser.cookies.get('sesame')),
      new Date(),
    );
    const visit = await browser.follow(await submitDecision(browser, consent, 'allow'));
    expect(visit.body).toContain('action="/signin"');
    const secondConsent = await signIn(browser, user, visit);
    expectCode(await submitDecision(browser, secondConsent, 'allow'), 'https://notes.example', 'late');
  });

  test('leads to an error page if the redirect URI was deleted', async () => {
    const editedClient = await service.createClient({ redirectUris: ['https://moving.example/cb'] });
    const browser = await openSignedInBrowser(service, await service.createUser());
    const consent = await openRequest(browser, editedClient, 'x');
    await replaceRedirectUris(service.services.database, editedClient.clientId, ['https://moved.example/cb']);
    for (const decision of ['allow', 'deny'] as const) {
      const visit = await submitDecision(browser, consent, decision);
      expect([visit.status, visit.location]).toEqual([400, undefined]);
    }
  });
});

test('without an authorization request, the consent page redirects to the home page', async () => {
  const browser = await openSignedInBrowser(service, await service.createUser());
  expect((await browser.get('/consent')).location?.pathname).toBe('/');
  const { csrf = '' } = (await browser.get('/account')).hidden;
  const response = await sendExactRequest(new URL('/consent', service.baseUrl), {
    method: 'POST',
    body: new URLSearchParams({ csrf, decision: 'allow' }),
    cookies: browser.cookies,
  });
  expect(response.status).toBe(400);
});
