// Every incident code that a page shows is found by administrators.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentHost, agentAddress, openAgentHost } from '../support/agents.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { authorizeAddress, signedInBrowser } from '../support/flow.ts';
import { signedInOperator } from '../support/operator.ts';
import { startTestService, type TestApplication, type TestService } from '../support/service.ts';

let host: AgentHost;
let service: TestService;
let application: TestApplication;
beforeAll(async () => {
  host = await openAgentHost();
  service = await startTestService({ AGENTS: '*' });
  application = await service.createApplication();
});
afterAll(async () => {
  host.close();
  await service.close();
});

const person = async () => signedInBrowser(service, await service.createUser());
const stranger = () => openBrowserSession(service.baseUrl);
const authorize = (parameters: Record<string, string | undefined>, client = application) =>
  authorizeAddress(service, client, parameters);

const signedOut = async (browser: BrowserSession) => {
  const query = new URLSearchParams({
    client_id: application.clientId,
    post_logout_redirect_uri: 'https://x.example/',
  });
  return browser.follow(await browser.get(`/oauth/logout?${query}`));
};

const PAGES: [string, () => Promise<{ status: number; body: string }>][] = [
  ['no client_id', async () => stranger().get(authorize({ client_id: undefined }))],
  ['an unknown client', async () => stranger().get(authorize({ client_id: 'app_nobody' }))],
  [
    'a callback URL that is not registered',
    async () => stranger().get(authorize({ redirect_uri: 'https://x.example/' })),
  ],
  [
    'a client_id that is no URL of a document',
    async () => (await person()).get(authorize({ client_id: 'https://10.0.0.1/x' })),
  ],
  [
    'an agent whose document cannot be read',
    async () => (await person()).get(agentAddress(service, `${host.origin}/none`).address),
  ],
  ['an authorization that is too old', async () => stranger().get('/consent?pending=nonsense')],
  ['a wrong method', async () => stranger().send('/account', { method: 'DELETE' })],
  [
    'a form of another site',
    async () =>
      (await person()).send('/account/profile', {
        method: 'POST',
        body: new URLSearchParams({ a: 'b' }),
        headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      }),
  ],
  [
    'a form that is too large',
    async () =>
      (await person()).send('/signin', {
        method: 'POST',
        body: new URLSearchParams({ a: 'x'.repeat(2_000_000) }),
        headers: { 'sec-fetch-site': 'same-origin' },
      }),
  ],
  ['a sign-out that leads nowhere, signed out', async () => signedOut(stranger())],
];

describe('an incident code is found by administrators', () => {
  test.each(PAGES)('of the page for %s', async (_, open) => {
    const { status, body } = await open();
    const code =
      /<code>([2-9A-HJ-NP-Z]{10})<\/code>|code ([2-9A-HJ-NP-Z]{10})\b|\b([2-9A-HJ-NP-Z]{10})\b/.exec(body);
    const incident = code?.slice(1).find((one) => one !== undefined);
    expect(incident, `${status} ${body}`).toBeDefined();
    const { browser: operator } = await signedInOperator(service);
    const found = await operator.get(`/console/operations/search?search=${incident}`);
    expect(found.body, `${status}`).toContain('class="found"');
  });
});

test('with AGENTS=open, in development, a document on http://localhost is read', async () => {
  const page = await (await person()).get(agentAddress(service, host.publish()).address);
  expect([page.status, page.location?.pathname]).toEqual([303, '/consent']);
});
