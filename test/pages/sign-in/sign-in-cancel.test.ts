import { beforeAll, describe, expect, test } from 'vitest';
import { replaceRedirectUris } from '../../../src/store/clients.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { contentWithoutBackground } from '../../support/database-content.ts';
import { readText } from '../../support/markup.ts';
import { buildAuthorizeUrl } from '../../support/oauth-flow.ts';
import { type TestClient, useTestService } from '../../support/service.ts';

const CANCEL_PATH = '/signin/cancel';
const service = useTestService();
let application: TestClient;
beforeAll(async () => {
  application = await service.createClient({ name: 'Notes <b>' });
});

const openSignInForClient = async (
  browser: BrowserSession,
  parameters: Record<string, string> = {},
  asking = application,
): Promise<Visit> => browser.follow(await browser.get(buildAuthorizeUrl(service, asking, parameters)));

const readParameters = (visit: Visit) => Object.fromEntries(visit.location?.searchParams ?? []);

describe('canceling the sign-in', () => {
  test.each(['/signin', '/signup', '/password/forgot'])(
    'on %s redirects to the client with access_denied',
    async (path) => {
      const browser = openBrowserSession(service.baseUrl);
      const signInPage = await openSignInForClient(browser);
      const page = await browser.get(`${path}?pending=${signInPage.hidden.pending}`);
      expect(readText(page.body)).toContain('to continue to Notes <b>');
      expect(page.body).toContain(`action="${CANCEL_PATH}"`);
      expect(page.body).toContain('Cancel and return to Notes &lt;b&gt;');
      const before = await contentWithoutBackground(service.databaseUrl);
      const visit = await browser.post(CANCEL_PATH, page.hidden);
      expect(visit.status).toBe(303);
      expect(visit.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?/);
      expect(readParameters(visit)).toEqual({
        error: 'access_denied',
        error_description: 'The user canceled the sign-in.',
        state: 'state-1',
        iss: service.baseUrl,
      });
      expect(await contentWithoutBackground(service.databaseUrl)).toEqual(before);
    },
  );

  test('posts access_denied if response_mode is form_post', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await openSignInForClient(browser, { response_mode: 'form_post' });
    const visit = await browser.post(CANCEL_PATH, page.hidden);
    expect([visit.status, visit.hidden.error, visit.hidden.state]).toEqual([200, 'access_denied', 'state-1']);
    expect(visit.body).toContain(`action="${application.redirectUri}"`);
  });
});

describe('a cancellation form', () => {
  const expectRejected = (visit: Visit, status: number) =>
    expect([visit.status, visit.location]).toEqual([status, undefined]);

  test('is rejected without a CSRF token', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await openSignInForClient(browser);
    expectRejected(await browser.post(CANCEL_PATH, hidden, { 'sec-fetch-site': 'cross-site' }), 403);
    expectRejected(await browser.post(CANCEL_PATH, { pending: hidden.pending ?? '' }), 403);
    const other = openBrowserSession(service.baseUrl);
    const otherSignInPage = await other.get('/signin');
    expectRejected(
      await other.post(CANCEL_PATH, { ...hidden, csrf: otherSignInPage.hidden.csrf ?? '' }),
      400,
    );
    expectRejected(
      await other.post(CANCEL_PATH, { ...otherSignInPage.hidden, pending: 'https://evil.example/' }),
      400,
    );
  });

  test('is rejected if the redirect URI is no longer registered', async () => {
    const changedClient = await service.createClient();
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await openSignInForClient(browser, {}, changedClient);
    await replaceRedirectUris(service.services.database, changedClient.clientId, [
      'https://client.example/other',
    ]);
    expectRejected(await browser.post(CANCEL_PATH, hidden), 400);
  });
});
