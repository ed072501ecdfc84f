// The official MCP SDK, client and server: an assistant calls an MCP server's tools for a person, and has been told nothing
// but that server's address.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { consentElement } from '../../src/oauth/api.ts';
import { documentOf } from '../support/agents.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { fill } from '../support/console.ts';
import { decide, signedInBrowser } from '../support/flow.ts';
import { signedInOperator } from '../support/operator.ts';
import { type SelfSigned, selfSigned } from '../support/self-signed.ts';
import { startTestService, type TestService, type TestUser } from '../support/service.ts';
import { CALLBACK, type McpProgram, openProgram } from './mcp-client.ts';
import { startToyServer, type ToyServer } from './mcp-server.ts';

const trusted = getCACertificates('default');
let certificate: SelfSigned;
let documents: ReturnType<typeof createServer>;
/** Where the assistant's maker publishes its document: the SDK's client takes nothing but https. */
let clientMetadataUrl: string;
let service: TestService;
let person: TestUser;
let browser: BrowserSession;
let server: ToyServer;
beforeAll(async () => {
  certificate = await selfSigned();
  setDefaultCACertificates([...trusted, certificate.cert]);
  documents = createServer(
    { cert: certificate.cert, key: readFileSync(certificate.keyFile) },
    (_, response) => {
      const document = documentOf(clientMetadataUrl, { client_name: 'Assistant', redirect_uris: [CALLBACK] });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    },
  );
  await new Promise<void>((resolve) => documents.listen(0, 'localhost', resolve));
  const origin = `https://localhost:${(documents.address() as AddressInfo).port}`;
  clientMetadataUrl = `${origin}/assistant.json`;
  service = await startTestService({ AGENTS: origin, AGENTS_REGISTRATION: 'on' });
});
afterAll(async () => {
  documents.close();
  setDefaultCACertificates(trusted);
  await Promise.all([service.close(), certificate.remove()]);
});
beforeEach(async () => {
  person = await service.createUser();
  browser = await signedInBrowser(service, person);
  server = await startToyServer(service, { admits: 'agents' });
});
afterEach(() => server.close());

/** How an assistant comes by its Client ID. */
const WAYS: [string, () => Promise<McpProgram>][] = [
  [
    'that is registered here',
    async () => {
      const { clientId } = await service.createApplication({ type: 'public', redirectUris: [CALLBACK] });
      return openProgram(server.url, browser, { known: { client_id: clientId, issuer: service.baseUrl } });
    },
  ],
  ['with a document of its own', async () => openProgram(server.url, browser, { clientMetadataUrl })],
  ['that registers itself', async () => openProgram(server.url, browser, {})],
];

const clientIdOf = ({ kept }: McpProgram) => kept.client?.client_id ?? '';

test.each(WAYS)(
  'an MCP client %s finds its way from the 401 alone, and calls a tool with a token for that server',
  async (_, open) => {
    const program = await open();
    await program.call('whoami');
    expect(await program.callAlone('whoami')).toMatchObject({
      sub: person.userId,
      aud: server.url.href,
      client_id: clientIdOf(program),
      scope: 'read',
    });
    const [address] = program.visited;
    expect(address?.searchParams.get('resource')).toBe(server.url.href);
    expect(address?.searchParams.get('scope')).toBe('read offline_access');
    expect(program.visited, 'the second call needs nobody').toHaveLength(1);
  },
);

describe('an MCP client with a document of its own', () => {
  let program: McpProgram;
  beforeEach(async () => {
    program = openProgram(server.url, browser, { clientMetadataUrl });
    await program.call('whoami');
  });

  test('renews when its token has expired, without the person', async () => {
    const { access_token: first, refresh_token: ticket } = program.kept.tokens ?? {};
    service.clock.advance(server.api.tokenLifetime + 1);
    expect(await program.callAlone('whoami')).toMatchObject({ sub: person.userId, scope: 'read' });
    expect(program.kept.tokens?.access_token).not.toBe(first);
    expect(program.kept.tokens?.refresh_token).not.toBe(ticket);
    expect(program.visited).toHaveLength(1);
  });

  test('steps up to what the 403 names, by the person', async () => {
    // The SDK tries to renew first, which never brings more (RFC 6749 §6); a program then asks without its tokens.
    await expect(program.callAlone('publish')).rejects.toMatchObject({ code: 403 });
    delete program.kept.tokens?.refresh_token;
    expect(await program.call('publish')).toMatchObject({ aud: server.url.href, scope: 'read write' });
    expect(program.visited).toHaveLength(2);
    expect(program.visited[1]?.searchParams.get('scope')).toBe('read write');
  });

  test('is out at once when the person withdraws, and in again when they agree again', async () => {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    await browser.post('/account/applications/withdraw', { csrf, client_id: clientIdOf(program) });
    await expect(program.callAlone('whoami')).rejects.toThrow('Unauthorized');
    expect(program.kept.tokens, 'the SDK has let go of them').toBeUndefined();
    expect(await program.call('whoami')).toMatchObject({ sub: person.userId });
  });
});

test('where nobody names scopes the person picks, and the program gets that and nothing else', async () => {
  const silent = await startToyServer(service, { admits: 'agents' }, { silent: true });
  const program = openProgram(silent.url, browser, {
    clientMetadataUrl,
    ticks: [consentElement(silent.api.apiId, 'read')],
  });
  expect(await program.call('whoami')).toMatchObject({ aud: silent.url.href, scope: 'read' });
  expect(program.visited[0]?.searchParams.has('scope')).toBe(false);
  expect(program.kept.tokens?.refresh_token).toBeUndefined();
  await silent.close();
});

test('a server that names no scopes, of an API without scopes, works, and passes the connection tester', async () => {
  const plain = await startToyServer(service, { admits: 'agents', scopes: [] }, { silent: true });
  const program = openProgram(plain.url, browser, { clientMetadataUrl });
  const claims = await program.call('whoami');
  expect(claims).toMatchObject({ sub: person.userId, aud: plain.url.href });
  expect(claims).not.toHaveProperty('scope');
  expect(program.visited[0]?.searchParams.has('scope')).toBe(false);
  expect(program.kept.tokens).not.toHaveProperty('scope');

  const { browser: operator } = await signedInOperator(service);
  const page = `/console/apis/${plain.api.apiId}/test`;
  const found = await operator.follow(await fill(operator, page, { address: plain.url.href }));
  const { csrf = '', report = '' } = found.hidden;
  const consent = await operator.follow(await operator.post(page, { csrf, report }));
  const done = await operator.follow(await decide(operator, consent, 'allow'));
  expect(done.body).toContain('Everything works');
  await plain.close();
});
