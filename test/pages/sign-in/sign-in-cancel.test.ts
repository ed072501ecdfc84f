// The way back from the sign-in page: the application is told that the person did not want to (D8).
import { beforeAll, describe, expect, test } from 'vitest';
import { replaceRedirectUris } from '../../../src/store/clients.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { settledContent } from '../../support/database-content.ts';
import { authorizeAddress } from '../../support/flow.ts';
import { type TestApplication, useTestService } from '../../support/service.ts';

const CANCEL = '/signin/cancel';
const service = useTestService();
let application: TestApplication;
beforeAll(async () => {
  application = await service.createApplication({ name: 'Notes <b>' });
});

const onTheWay = async (
  browser: BrowserSession,
  parameters: Record<string, string> = {},
  asking = application,
): Promise<Visit> => browser.follow(await browser.get(authorizeAddress(service, asking, parameters)));

const answerOf = (visit: Visit) => Object.fromEntries(visit.location?.searchParams ?? []);

describe('leads back to the application that sent one there', () => {
  test.each(['sign-in', 'sign-up'])(
    'from %s: 303 with access_denied, state and iss; nothing is stored',
    async (where) => {
      const browser = openBrowserSession(service.baseUrl);
      const first = await onTheWay(browser);
      const page = where === 'sign-in' ? first : await browser.get(`/signup?pending=${first.hidden.pending}`);
      expect(page.body).toContain(`action="${CANCEL}"`);
      expect(page.body).toContain('Cancel and return to Notes &lt;b&gt;');
      const before = await settledContent(service.databaseUrl);
      const visit = await browser.post(CANCEL, page.hidden);
      expect(visit.status).toBe(303);
      expect(visit.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?/);
      expect(answerOf(visit)).toEqual({
        error: 'access_denied',
        error_description: 'The person went back without signing in.',
        state: 'state-1',
        iss: service.baseUrl,
      });
      expect(await settledContent(service.databaseUrl)).toEqual(before);
    },
  );

  test('by a form where the application asked for one', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await onTheWay(browser, { response_mode: 'form_post' });
    const visit = await browser.post(CANCEL, page.hidden);
    expect([visit.status, visit.hidden.error, visit.hidden.state]).toEqual([200, 'access_denied', 'state-1']);
    expect(visit.body).toContain(`action="${application.redirectUri}"`);
  });
});

describe('leads nowhere', () => {
  const refused = (visit: Visit, status: number) =>
    expect([visit.status, visit.location]).toEqual([status, undefined]);

  test('for a form of another site, one without its token, or a request of another browser', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await onTheWay(browser);
    refused(await browser.post(CANCEL, hidden, { 'sec-fetch-site': 'cross-site' }), 403);
    refused(await browser.post(CANCEL, { pending: hidden.pending ?? '' }), 403);
    const other = openBrowserSession(service.baseUrl);
    const own = await other.get('/signin');
    refused(await other.post(CANCEL, { ...hidden, csrf: own.hidden.csrf ?? '' }), 400);
    refused(await other.post(CANCEL, { ...own.hidden, pending: 'https://evil.example/' }), 400);
  });

  test('when the callback is the application’s no more', async () => {
    const changed = await service.createApplication();
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await onTheWay(browser, {}, changed);
    await replaceRedirectUris(service.parts.database, changed.clientId, ['https://client.example/other']);
    refused(await browser.post(CANCEL, hidden), 400);
  });
});
