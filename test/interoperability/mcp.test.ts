// MCP authorization with the official SDK, whose client knows only the server's URL.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toConsentScope } from '../../src/oauth/api.ts';
import { createSignedInAdmin } from '../support/admin.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { submitForm } from '../support/console-forms.ts';
import { createMetadataDocument } from '../support/metadata-clients.ts';
import { openSignedInBrowser, submitDecision } from '../support/oauth-flow.ts';
import {
  createSelfSignedCertificate,
  type SelfSignedCertificate,
} from '../support/self-signed-certificate.ts';
import { startTestService, type TestService, type TestUser } from '../support/service.ts';
import { CALLBACK_URL, createMcpHost, type McpHost } from './mcp-client.ts';
import { type McpTestServer, startMcpTestServer } from './mcp-server.ts';

const trustedCertificates = getCACertificates('default');
let certificate: SelfSignedCertificate;
let metadataServer: ReturnType<typeof createServer>;
/** URL of the MCP client's metadata document, which the SDK requires to be an https URL. */
let clientMetadataUrl: string;
let service: TestService;
let user: TestUser;
let browser: BrowserSession;
let server: McpTestServer;
beforeAll(async () => {
  certificate = await createSelfSignedCertificate();
  setDefaultCACertificates([...trustedCertificates, certificate.cert]);
  metadataServer = createServer(
    { cert: certificate.cert, key: readFileSync(certificate.keyFile) },
    (_, response) => {
      const document = createMetadataDocument(clientMetadataUrl, {
        client_name: 'Assistant',
        redirect_uris: [CALLBACK_URL],
      });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    },
  );
  await new Promise<void>((resolve) => metadataServer.listen(0, 'localhost', resolve));
  const origin = `https://localhost:${(metadataServer.address() as AddressInfo).port}`;
  clientMetadataUrl = `${origin}/assistant.json`;
  service = await startTestService({ AGENTS: origin, AGENTS_REGISTRATION: 'on' });
});
afterAll(async () => {
  metadataServer.close();
  setDefaultCACertificates(trustedCertificates);
  await Promise.all([service.close(), certificate.remove()]);
});
beforeEach(async () => {
  user = await service.createUser();
  browser = await openSignedInBrowser(service, user);
  server = await startMcpTestServer(service, { allowedClients: 'agents' });
});
afterEach(() => server.close());

/** Functions that create an MCP host, one for each way to obtain a client ID. */
const CLIENTS: [string, () => Promise<McpHost>][] = [
  [
    'registered in the console',
    async () => {
      const { clientId } = await service.createClient({ type: 'public', redirectUris: [CALLBACK_URL] });
      return createMcpHost(server.url, browser, {
        registered: { client_id: clientId, issuer: service.baseUrl },
      });
    },
  ],
  [
    'identified by a metadata document',
    async () => createMcpHost(server.url, browser, { clientMetadataUrl }),
  ],
  ['registered dynamically', async () => createMcpHost(server.url, browser, {})],
];

const getClientId = ({ stored }: McpHost) => stored.client?.client_id ?? '';

test.each(CLIENTS)('an MCP client %s discovers the service and calls a tool', async (_, createHost) => {
  const host = await createHost();
  await host.call('whoami');
  expect(await host.callWithoutUser('whoami')).toMatchObject({
    sub: user.userId,
    aud: server.url.href,
    client_id: getClientId(host),
    scope: 'read',
  });
  const [url] = host.visited;
  expect(url?.searchParams.get('resource')).toBe(server.url.href);
  expect(url?.searchParams.get('scope')).toBe('read offline_access');
  expect(host.visited, 'the second call requires no user interaction').toHaveLength(1);
});

describe('an MCP client with a metadata document', () => {
  let host: McpHost;
  beforeEach(async () => {
    host = createMcpHost(server.url, browser, { clientMetadataUrl });
    await host.call('whoami');
  });

  test('refreshes an expired token without user interaction', async () => {
    const { access_token: firstAccessToken, refresh_token: firstRefreshToken } = host.stored.tokens ?? {};
    service.clock.advance(server.api.tokenLifetime + 1);
    expect(await host.callWithoutUser('whoami')).toMatchObject({ sub: user.userId, scope: 'read' });
    expect(host.stored.tokens?.access_token).not.toBe(firstAccessToken);
    expect(host.stored.tokens?.refresh_token).not.toBe(firstRefreshToken);
    expect(host.visited).toHaveLength(1);
  });

  test('asks the user for the scopes in a 403 response', async () => {
    // A refresh can't add scopes (RFC 6749 §6), so the SDK's refresh fails and the host must delete the
    // refresh token.
    await expect(host.callWithoutUser('publish')).rejects.toMatchObject({ code: 403 });
    delete host.stored.tokens?.refresh_token;
    expect(await host.call('publish')).toMatchObject({ aud: server.url.href, scope: 'read write' });
    expect(host.visited).toHaveLength(2);
    expect(host.visited[1]?.searchParams.get('scope')).toBe('read write');
  });

  test('loses access when the user withdraws consent', async () => {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    await browser.post('/account/applications/withdraw', { csrf, client_id: getClientId(host) });
    await expect(host.callWithoutUser('whoami')).rejects.toThrow('Unauthorized');
    expect(host.stored.tokens, 'the SDK has deleted the tokens').toBeUndefined();
    expect(await host.call('whoami')).toMatchObject({ sub: user.userId });
  });
});

test('an MCP client that requests no scopes gets the scopes that the user selects', async () => {
  const serverWithHiddenScopes = await startMcpTestServer(
    service,
    { allowedClients: 'agents' },
    { hidesScopes: true },
  );
  const host = createMcpHost(serverWithHiddenScopes.url, browser, {
    clientMetadataUrl,
    scopes: [toConsentScope(serverWithHiddenScopes.api.apiId, 'read')],
  });
  expect(await host.call('whoami')).toMatchObject({ aud: serverWithHiddenScopes.url.href, scope: 'read' });
  expect(host.visited[0]?.searchParams.has('scope')).toBe(false);
  expect(host.stored.tokens?.refresh_token).toBeUndefined();
  await serverWithHiddenScopes.close();
});

test('an MCP server whose API has no scopes accepts tool calls', async () => {
  const scopelessServer = await startMcpTestServer(
    service,
    { allowedClients: 'agents', scopes: [] },
    { hidesScopes: true },
  );
  const host = createMcpHost(scopelessServer.url, browser, { clientMetadataUrl });
  const claims = await host.call('whoami');
  expect(claims).toMatchObject({ sub: user.userId, aud: scopelessServer.url.href });
  expect(claims).not.toHaveProperty('scope');
  expect(host.visited[0]?.searchParams.has('scope')).toBe(false);
  expect(host.stored.tokens).not.toHaveProperty('scope');

  const { browser: adminBrowser } = await createSignedInAdmin(service);
  const testPath = `/console/apis/${scopelessServer.api.apiId}/test`;
  const testPage = await adminBrowser.follow(
    await submitForm(adminBrowser, testPath, { address: scopelessServer.url.href }),
  );
  const { csrf = '', report = '' } = testPage.hidden;
  const consent = await adminBrowser.follow(await adminBrowser.post(testPath, { csrf, report }));
  const resultPage = await adminBrowser.follow(await submitDecision(adminBrowser, consent, 'allow'));
  expect(resultPage.body).toContain('Everything works');
  await scopelessServer.close();
});
