// A request whose pages are sent again, or whose circumstances change while a page is open (D9).
import { afterAll, describe, expect, test } from 'vitest';
import { replaceRedirectUris } from '../../src/store/clients.ts';
import { deleteSession } from '../../src/store/sessions.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { sendExactly } from '../support/exact-request.ts';
import { authorizeAddress, decide, signedInBrowser, signIn } from '../support/flow.ts';
import { keyOf } from '../support/populate.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

const service = await startTestService();
const notes = await service.createApplication({ redirectUris: ['https://notes.example/cb'] });
afterAll(() => service.close());

const open = async (browser: BrowserSession, application: TestApplication, state: string): Promise<Visit> =>
  browser.follow(await browser.get(authorizeAddress(service, application, { state })));

function expectArrival(visit: Visit, origin: string, state: string): void {
  expect(visit.status).toBe(303);
  expect(visit.location?.origin).toBe(origin);
  expect(visit.location?.searchParams.get('state')).toBe(state);
  expect(visit.location?.searchParams.get('code')).toBeTruthy();
}

describe('what changes while a page is open', () => {
  test('the session ends: the decision leads back to sign-in, and then on', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const user = await service.createUser();
    const consent = await signIn(browser, user, await open(browser, notes, 'late'));
    await deleteSession(service.parts.database, keyOf(browser.cookies.get('sesame')), new Date());
    const visit = await browser.follow(await decide(browser, consent, 'allow'));
    expect(visit.body).toContain('action="/signin"');
    const again = await signIn(browser, user, visit);
    expectArrival(await decide(browser, again, 'allow'), 'https://notes.example', 'late');
  });

  test('the callback is no longer registered: a page, never a redirect (D1)', async () => {
    const moving = await service.createApplication({ redirectUris: ['https://moving.example/cb'] });
    const browser = await signedInBrowser(service, await service.createUser());
    const consent = await open(browser, moving, 'x');
    await replaceRedirectUris(service.parts.database, moving.clientId, ['https://moved.example/cb']);
    for (const decision of ['allow', 'deny'] as const) {
      const visit = await decide(browser, consent, decision);
      expect([visit.status, visit.location]).toEqual([400, undefined]);
    }
  });
});

test('pages without a request: the consent page leads home, its form is invalid', async () => {
  const browser = await signedInBrowser(service, await service.createUser());
  expect((await browser.get('/consent')).location?.pathname).toBe('/');
  const { csrf = '' } = (await browser.get('/account')).hidden;
  const answer = await sendExactly(new URL('/consent', service.baseUrl), {
    method: 'POST',
    body: new URLSearchParams({ csrf, decision: 'allow' }),
    cookies: browser.cookies,
  });
  expect(answer.status).toBe(400);
});
