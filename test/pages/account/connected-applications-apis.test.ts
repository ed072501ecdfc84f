import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMain, readText } from '../../support/markup.ts';
import {
  authorizeMetadataClient,
  buildMetadataClientRequest,
  createMetadataClient,
  type MetadataHost,
  openMetadataHost,
} from '../../support/metadata-clients.ts';
import {
  authorize,
  createSignedInUser,
  fetchUserinfo,
  openSignedInBrowser,
  redeemCode,
} from '../../support/oauth-flow.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

let host: MetadataHost;
let service: TestService;
beforeAll(async () => {
  host = await openMetadataHost();
  service = await startTestService({ AGENTS: host.origin, AGENTS_REGISTRATION: 'on' });
});
afterAll(async () => {
  await service.close();
  host.close();
});

const signInNewUser = async () => {
  const { user, browser } = await createSignedInUser(service);
  const readPage = async () => readText(readMain((await browser.get('/account/applications')).body));
  return { user, browser, readPage };
};
const findConsent = async (userId: string) =>
  (await sql(service.services.database, 'select scopes from consents where user_id = $1', [userId]))[0];

describe('a connected application', () => {
  test('is listed with a description of each API scope', async () => {
    const { user, browser, readPage } = await signInNewUser();
    const application = await service.createClient({ name: 'Carnet' });
    const api = await service.createApi({ name: 'Archives <b>' });
    const deletedApi = await service.createApi({ name: 'Doomed' });
    await authorize(service, application, browser, { scope: 'openid read write', resource: api.identifier });
    await authorize(service, application, browser, { scope: 'read', resource: deletedApi.identifier });
    const textBefore = await readPage();
    expect(textBefore).toMatch(
      /never used identifier API Archives <b> \S+ · read in English, write in English sensitive API Doomed \S+ · read in English/,
    );
    await sql(service.services.database, 'delete from apis where api_id = $1', [deletedApi.apiId]);
    await sql(service.services.database, 'update apis set scopes = scopes - 0 where api_id = $1', [
      api.apiId,
    ]);
    const textAfter = await readPage();
    expect(textAfter).not.toContain('Doomed');
    expect(textAfter).not.toContain('read in English');
    expect(textAfter).toContain('write in English');
    const pages = ['/account', '/account/data', '/account/delete'];
    for (const path of pages) expect((await browser.get(path)).status, path).toBeLessThan(400);
    expect((await findConsent(user.userId))?.scopes).toHaveLength(4);
  });

  test('is still listed after its scopes are deleted', async () => {
    const { browser, readPage } = await signInNewUser();
    const application = await service.createClient();
    const api = await service.createApi();
    await authorize(service, application, browser, { scope: 'read', resource: api.identifier });
    await sql(service.services.database, 'delete from apis where api_id = $1', [api.apiId]);
    expect(await readPage()).toContain('everything you allowed has been deleted');
  });
});

describe('a connected agent', () => {
  test('is listed separately from applications', async () => {
    const { browser, readPage } = await signInNewUser();
    const application = await service.createClient({ name: 'Carnet' });
    await authorize(service, application, browser);
    const api = await service.createApi({ name: 'Archives', allowedClients: 'agents' });
    const clientId = host.publish({ client_name: 'Carnet' });
    const { host: name } = new URL(clientId);
    const { code, verifier } = await authorizeMetadataClient(service, clientId, browser, {
      scope: 'read',
      resource: api.identifier,
    });
    expect(await readPage()).toContain('never used');
    expect(
      (await redeemCode(service, createMetadataClient(clientId), code, { code_verifier: verifier })).status,
    ).toBe(200);
    await service.services.usage.flush();
    const connections = readMain((await browser.get('/account/applications')).body);
    const agentEntry = connections.slice(connections.indexOf(name));
    expect(agentEntry).toMatch(/ used <time datetime="20\d\d-/);
    const [textBefore = '', textAfter = ''] = (await readPage()).split('Agents are not registered here');
    expect(textBefore).toContain('client.example');
    expect(textBefore).not.toContain(name);
    expect(textAfter).toContain(`${name} Calls itself Carnet`);
    expect(textAfter).toContain('API Archives');
    expect(textAfter).toContain('read in English');
    expect(readText(readMain((await browser.get('/account')).body))).toContain(name);
  });

  test('is shown with its redirect host if it was registered dynamically', async () => {
    const { browser } = await signInNewUser();
    const registration = await fetch(`${service.baseUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Ma Banque', redirect_uris: ['https://evil.example/cb'] }),
    });
    const { client_id: clientId } = (await registration.json()) as { client_id: string };
    const agent = createMetadataClient(clientId, 'https://evil.example/cb');
    const { code, verifier } = await authorizeMetadataClient(service, clientId, browser, {
      redirect_uri: agent.redirectUri,
      scope: 'openid profile',
    });
    const { body } = await redeemCode(service, agent, code, { code_verifier: verifier });
    expect((await fetchUserinfo(service, String(body.access_token))).status).toBe(200);
    await service.services.usage.flush();
    const overview = readText(readMain((await browser.get('/account')).body));
    expect(overview).toContain('evil.example');
    expect(overview).not.toContain('Ma Banque');
    expect(readText(readMain((await browser.get('/account/applications')).body))).toContain(
      'evil.example Calls itself Ma Banque · self-registered',
    );
    const { csrf = '' } = (await browser.get('/account')).hidden;
    await browser.post('/account/applications/withdraw', { csrf, client_id: clientId });
    const formerAgents = readText(readMain((await browser.get('/account/applications')).body));
    expect(formerAgents).toContain('Self-registered agent');
    expect(formerAgents).not.toContain('Ma Banque');
    const admin = await openSignedInBrowser(service, await service.createUser({ isAdmin: true }));
    await service.services.activity.flush();
    for (const path of ['/console/operations/audit', '/console/operations/activity']) {
      const adminPage = readText(readMain((await admin.get(path)).body));
      expect(adminPage, path).toContain(`Self-registered agent ${clientId}`);
      expect(adminPage, path).not.toContain('Ma Banque');
    }
    const { url } = buildMetadataClientRequest(service, clientId, {
      redirect_uri: 'https://evil.example/other',
    });
    const [, incident = ''] = /<code>([2-9A-Z]{10})<\/code>/.exec((await browser.get(url)).body) ?? [];
    const { body: searchResults } = await admin.get(`/console/operations/search?search=${incident}`);
    const [, diagnostics = ''] = /href="([^"]*diagnostics[^"]*)"/.exec(searchResults) ?? [];
    const { body: diagnosticsPage } = await admin.get(diagnostics);
    for (const adminPage of [searchResults, diagnosticsPage]) {
      expect(readText(readMain(adminPage))).toContain('Diagnostics for Self-registered agent');
      expect(adminPage).not.toContain('Ma Banque');
    }
    expect(diagnosticsPage).toContain(`href="/console/operations/agents/${clientId}"`);
  });
});
