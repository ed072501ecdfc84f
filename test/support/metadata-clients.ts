// Serves metadata documents, authorizes metadata clients, and reads results of connection tests.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { STEPS, type Step } from '../../src/agents/connection-test.ts';
import { messagesFor } from '../../src/i18n/index.ts';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import type { ReleasedSlotProof } from '../../src/outgoing/guarded-request.ts';
import type { BrowserSession, Visit } from './browser-session.ts';
import { buildAuthorizeUrl, completeAuthorization, createVerifier } from './oauth-flow.ts';
import type { TestService } from './service.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface MetadataHost {
  origin: string;
  requests: { path: string; headers: IncomingMessage['headers'] }[];
  /** Returns the document's URL. By default, its path is generated. */
  publish(
    document?: Record<string, unknown>,
    options?: { path?: string; headers?: Record<string, string> },
  ): string;
  /** Returns the handler's URL. By default, its path is generated. */
  setHandler(handler: Handler, path?: string): string;
  close(): void;
}

/** The setting AGENTS must contain the server's origin. */
export async function openMetadataHost(): Promise<MetadataHost> {
  const handlers = new Map<string, Handler>();
  const requests: MetadataHost['requests'] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const handler = handlers.get(path);
    if (handler === undefined) response.writeHead(404).end();
    else handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  let counter = 0;
  const host: MetadataHost = {
    origin,
    requests: requests,
    publish(document = {}, { path = `/agent-${++counter}/client.json`, headers = {} } = {}) {
      const url = `${origin}${path}`;
      const body = JSON.stringify(createMetadataDocument(url, document));
      return host.setHandler((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
      }, path);
    },
    setHandler(handler, path = `/agent-${++counter}/client.json`) {
      handlers.set(path, handler);
      return `${origin}${path}`;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return host;
}

export const createMetadataDocument = (url: string, members: Record<string, unknown> = {}) => ({
  client_id: url,
  client_name: 'Scribe',
  redirect_uris: ['https://agent.example/callback', 'http://localhost/callback'],
  token_endpoint_auth_method: 'none',
  ...members,
});

/** Creates a client that helpers for registered clients accept. */
export const createMetadataClient = (clientId: string, redirectUri = 'http://localhost:7777/callback') => ({
  clientId,
  clientSecret: '',
  redirectUri,
});

export function buildMetadataClientRequest(
  service: Pick<TestService, 'baseUrl'>,
  clientId: string,
  parameters: Record<string, string | undefined> = {},
): { url: URL; verifier: string } {
  const verifier = createVerifier();
  const pkce = { code_challenge: computeCodeChallenge(verifier), code_challenge_method: 'S256' };
  const url = buildAuthorizeUrl(service, createMetadataClient(clientId), { ...pkce, ...parameters });
  return { url: url, verifier };
}

export async function authorizeMetadataClient(
  service: Pick<TestService, 'baseUrl'>,
  clientId: string,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<{ code: string; verifier: string; callback: URL }> {
  const { url, verifier } = buildMetadataClientRequest(service, clientId, parameters);
  const callback = await completeAuthorization(browser, url);
  return { code: callback.searchParams.get('code') ?? '', verifier, callback };
}

let ipCount = 0;
/** Each IP is in a different network because rate limits apply per network. */
export function createIp(): string {
  ipCount += 1;
  return `10.${ipCount >> 8}.${ipCount & 255}.1`;
}

export const fetchMetadataDocument = (
  { services }: Pick<TestService, 'services'>,
  clientId: string,
  ip = createIp(),
): Promise<void> => services.metadataDocuments.read(clientId, ip, UNUSED_SLOT);

export const UNUSED_SLOT = {} as ReleasedSlotProof;

export const respondJson =
  (body: unknown, status = 200, headers = {}): Handler =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
export const respondText =
  (status: number, headers = {}, body = ''): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
export const closeWithoutResponse: Handler = ({ socket }) => socket.destroy();

export const CONNECTION_TEST_TEXT = messagesFor('en').apiTest;

export const readStep = ({ body }: Visit, step: Step): string =>
  new RegExp(`<li class="test-step" id="step-${step}">([^]*?)</li>`).exec(body)?.[1] ?? '';
export const listPassedSteps = (visit: Visit): Step[] =>
  STEPS.filter((step) => readStep(visit, step).includes(CONNECTION_TEST_TEXT.states.passed));
export const listFailedSteps = (visit: Visit): Step[] =>
  STEPS.filter((step) => readStep(visit, step).includes(CONNECTION_TEST_TEXT.states.failed));
/** Returns the remedy's text before the first code span or quotation. */
export const readRemedy = (kind: keyof typeof CONNECTION_TEST_TEXT.remedies) =>
  CONNECTION_TEST_TEXT.remedies[kind].split(/[`'“]/)[0] ?? '';
