import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignedInAdmin } from '../support/admin.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { readHeading } from '../support/markup.ts';
import {
  buildMetadataClientRequest,
  type MetadataHost,
  openMetadataHost,
} from '../support/metadata-clients.ts';
import { buildAuthorizeUrl, openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService, type TestClient, type TestService } from '../support/service.ts';

let host: MetadataHost;
let service: TestService;
let application: TestClient;
beforeAll(async () => {
  host = await openMetadataHost();
  service = await startTestService({ AGENTS: '*' });
  application = await service.createClient();
});
afterAll(async () => {
  host.close();
  await service.close();
});

const openUserBrowser = async () => openSignedInBrowser(service, await service.createUser());
const openAnonymousBrowser = () => openBrowserSession(service.baseUrl);
const authorize = (parameters: Record<string, string | undefined>, client = application) =>
  buildAuthorizeUrl(service, client, parameters);

const openInvalidSignOut = async (browser: BrowserSession) => {
  const query = new URLSearchParams({
    client_id: application.clientId,
    post_logout_redirect_uri: 'https://x.example/',
  });
  return browser.follow(await browser.get(`/oauth/logout?${query}`));
};

const PAGES: [string, () => Promise<{ status: number; body: string }>][] = [
  [
    'a request without client_id',
    async () => openAnonymousBrowser().get(authorize({ client_id: undefined })),
  ],
  ['an unknown client', async () => openAnonymousBrowser().get(authorize({ client_id: 'app_nobody' }))],
  [
    'an unregistered redirect URI',
    async () => openAnonymousBrowser().get(authorize({ redirect_uri: 'https://x.example/' })),
  ],
  [
    'a client_id whose URL can’t be a metadata document',
    async () => (await openUserBrowser()).get(authorize({ client_id: 'https://10.0.0.1/x' })),
  ],
  [
    'a metadata client whose document can’t be fetched',
    async () => (await openUserBrowser()).get(buildMetadataClientRequest(service, `${host.origin}/none`).url),
  ],
  ['an unreadable pending request', async () => openAnonymousBrowser().get('/consent?pending=nonsense')],
  ['a wrong method', async () => openAnonymousBrowser().send('/account', { method: 'DELETE' })],
  [
    'a form from a different site',
    async () =>
      (await openUserBrowser()).send('/account/profile', {
        method: 'POST',
        body: new URLSearchParams({ a: 'b' }),
        headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      }),
  ],
  [
    'an oversized form',
    async () =>
      (await openUserBrowser()).send('/signin', {
        method: 'POST',
        body: new URLSearchParams({ a: 'x'.repeat(2_000_000) }),
        headers: { 'sec-fetch-site': 'same-origin' },
      }),
  ],
  ['an invalid sign-out without a session', async () => openInvalidSignOut(openAnonymousBrowser())],
];

describe('the error page', () => {
  test.each(PAGES)('for %s contains an incident code that administrators can find', async (_, openPage) => {
    const { status, body } = await openPage();
    const match =
      /<code>([2-9A-HJ-NP-Z]{10})<\/code>|code ([2-9A-HJ-NP-Z]{10})\b|\b([2-9A-HJ-NP-Z]{10})\b/.exec(body);
    const incident = match?.slice(1).find((group) => group !== undefined);
    expect(incident, `${status} ${body}`).toBeDefined();
    const { browser: admin } = await createSignedInAdmin(service);
    const results = await admin.get(`/console/operations/search?search=${incident}`);
    expect(results.body, `${status}`).toContain('class="search-results"');
  });
});

test.each([
  ['/security/confirm?token=x', 'This link no longer works'],
  ['/signin/second-factor?partial_sign_in=x', 'Sign in again'],
])('the error page for an expired link such as %s contains no incident code', async (path, title) => {
  const { status, body } = await openAnonymousBrowser().get(path);
  expect([status, readHeading(body), body.includes('incident')]).toEqual([400, title, false]);
});

describe('the next step on the error page', () => {
  const readNextStep = ({ body }: { body: string }) =>
    /<p class="actions"><a class="button button--(?:primary|secondary)" href="([^"]*)"><span>([^<]*)/
      .exec(body)
      ?.slice(1);
  const submit = async (path: string, headers: Record<string, string>) =>
    (await openUserBrowser()).send(path, { method: 'POST', body: new URLSearchParams({ a: 'b' }), headers });
  const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

  test('is the home page if the redirect URI is not registered', async () => {
    const page = await openAnonymousBrowser().get(authorize({ redirect_uri: 'https://evil.example/' }));
    expect(readNextStep(page)).toEqual(['/', 'Go to the home page']);
  });

  test('is the form if it has expired', async () => {
    const referer = `${service.baseUrl}/account/profile`;
    expect(readNextStep(await submit('/account/profile', { ...SAME_ORIGIN, referer }))).toEqual([
      '/account/profile',
      'Back to the form',
    ]);
  });

  test('is the home page if another site submitted the form', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/form' };
    expect(readNextStep(await submit('/account/profile', headers))).toEqual(['/', 'Go to the home page']);
  });

  test('is a new email for an expired confirmation link', async () => {
    const page = await openAnonymousBrowser().get('/security/confirm?token=x');
    expect(readNextStep(page)).toEqual(['/account/email', 'Request a new email']);
  });

  test('is sign-in if sign-up is closed', async () => {
    const closed = await startTestService({ SIGN_UP: 'closed' });
    const page = await openBrowserSession(closed.baseUrl).get('/signup?next=%2Fconsole');
    await closed.close();
    expect(readNextStep(page)).toEqual(['/signin?next=%2Fconsole', 'Sign in']);
  });
});

test('a metadata document on http://localhost is fetched outside production', async () => {
  const page = await (await openUserBrowser()).get(buildMetadataClientRequest(service, host.publish()).url);
  expect([page.status, page.location?.pathname]).toEqual([303, '/consent']);
});
