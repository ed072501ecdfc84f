import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listEvents } from '../../../src/store/audit-log.ts';
import { createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import { readHeading, readMain, readText } from '../../support/markup.ts';
import {
  authorizeMetadataClient,
  buildMetadataClientRequest,
  createMetadataClient,
  fetchMetadataDocument,
  type MetadataHost,
  openMetadataHost,
} from '../../support/metadata-clients.ts';
import {
  fetchUserinfo,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../../support/oauth-flow.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let host: MetadataHost;
let service: TestService;
let admin: TestAdmin;
beforeAll(async () => {
  host = await openMetadataHost();
  service = await startTestService({ AGENTS: host.origin, AGENTS_REGISTRATION: 'on' });
  admin = await createSignedInAdmin(service);
});
afterAll(async () => {
  host.close();
  await service.close();
});

const AGENTS_PATH = '/console/operations/agents';
const buildPath = (clientId: string, action = '') =>
  `${AGENTS_PATH}/${encodeURIComponent(clientId)}${action}`;
const publishKnownAgent = async (document: Record<string, unknown> = {}) => {
  const clientId = host.publish(document);
  service.clock.advance(200); // resets the rate limit for this origin
  await fetchMetadataDocument(service, clientId);
  return clientId;
};
test('an agent is always identified by its host', async () => {
  await service.createClient({ name: 'Ma Banque' });
  const { host: hostName } = new URL(host.origin);
  const registration = await fetch(`${service.baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Ma Banque', redirect_uris: ['https://evil.example/cb'] }),
  });
  const { client_id: registered } = (await registration.json()) as { client_id: string };
  for (const [clientId, expectedName] of [
    [await publishKnownAgent({ client_name: 'Ma Banque' }), hostName],
    [registered, 'evil.example'],
  ] as const) {
    for (const path of [buildPath(clientId), buildPath(clientId, '/block')]) {
      const { body } = await admin.browser.get(path);
      expect(readHeading(body)).toContain(expectedName);
      expect(readHeading(body) + /<title>(.*)<\/title>/.exec(body)?.[1]).not.toContain('Ma Banque');
      expect(readText(readMain(body))).toMatch(new RegExp(`${expectedName}[^]*Calls itself ?Ma Banque`));
    }
    for (const path of [AGENTS_PATH, '/console/operations/search?search=ma+banque']) {
      const { body } = await admin.browser.get(path);
      const [, link] = new RegExp(`<a [^>]*href="${buildPath(clientId)}">([^]*?)</a>`).exec(body) ?? [];
      expect(readText(link ?? ''), path).toBe(expectedName);
      expect(readText(readMain(body)), path).toContain('Calls itself');
    }
  }
});

test("an agent's page shows the number of users", async () => {
  const clientId = await publishKnownAgent({ client_name: 'Scribe <b>' });
  await authorizeMetadataClient(
    service,
    clientId,
    await openSignedInBrowser(service, await service.createUser()),
  );
  const { body } = await admin.browser.get(buildPath(clientId));
  expect(body).toContain('Scribe &lt;b&gt;');
  expect(readHeading(body)).toBe(new URL(host.origin).host);
  expect(readText(body)).toContain('http://localhost/callback');
  expect(body).toMatch(/id="people">1</);
  for (const path of [
    buildPath('agent_nobody'),
    buildPath('https://nobody.example/x'),
    buildPath('app_x', '/block'),
  ])
    expect((await admin.browser.get(path)).status).toBe(404);
});

test("an agent's refused request can be found by its incident code", async () => {
  const clientId = await publishKnownAgent();
  const browser = await openSignedInBrowser(service, await service.createUser());
  await authorizeMetadataClient(service, clientId, browser);
  const wrongRedirectUri = { redirect_uri: 'https://evil.example/callback' };
  const page = await browser.get(buildMetadataClientRequest(service, clientId, wrongRedirectUri).url);
  const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(page.body)?.[1] ?? '';
  const searchPage = await admin.browser.get(`/console/operations/search?search=${incident}`);
  const [, path = ''] = /href="(\/console\/applications\/[^"]*)"/.exec(searchPage.body) ?? [];
  expect(path).toContain(encodeURIComponent(clientId));
  const diagnostics = await admin.browser.get(path);
  expect([diagnostics.status, diagnostics.body]).toEqual([200, expect.stringContaining('evil.example')]);
});

describe('blocking an agent', () => {
  test('immediately revokes its access', async () => {
    const clientId = await publishKnownAgent();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { code, verifier } = await authorizeMetadataClient(service, clientId, browser, {
      scope: 'openid profile offline_access',
    });
    const agent = createMetadataClient(clientId);
    const tokens = await redeemCode(service, agent, code, { code_verifier: verifier });
    const recentAdmin = await createSignedInAdmin(service);
    const response = await recentAdmin.submit(buildPath(clientId, '/block'), { reason: 'spam' });
    expect((await recentAdmin.browser.follow(response)).body).toMatch(/role="status"[\s\S]*?Agent blocked/);
    const { access_token: accessToken, refresh_token: refreshToken } = tokens.body;
    expect((await fetchUserinfo(service, String(accessToken))).status).toBe(401);
    expect((await redeemRefreshToken(service, agent, String(refreshToken))).status).toBeGreaterThanOrEqual(
      400,
    );
    const page = await browser.get(buildMetadataClientRequest(service, clientId).url);
    expect([page.status, page.body]).toEqual([401, expect.stringContaining('This agent is blocked here')]);

    service.clock.advance(100_000);
    host.requests.length = 0;
    await browser.get(buildMetadataClientRequest(service, clientId).url);
    expect(host.requests).toEqual([]);

    await (await createSignedInAdmin(service)).submit(buildPath(clientId, '/unblock'));
    expect((await redeemRefreshToken(service, agent, String(refreshToken))).body.error).toBe('invalid_grant');
    const events = await listEvents(service.services.database, { clientId }, { limit: 10 });
    expect(events.map(({ kind, detail }) => [kind, detail.reason])).toEqual([
      ['agent_unblocked', undefined],
      ['agent_blocked', 'spam'],
      ['consent_given', undefined],
    ]);
    const log = await (await createSignedInAdmin(service)).browser.get(
      `/console/operations/audit?${new URLSearchParams({ search: clientId })}`,
    );
    expect(log.body).toContain(`href="${buildPath(clientId)}"`);
  });
});
