// Agents: the host that their documents are on, and what one of them goes through.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { STEPS, type Step } from '../../src/agents/connection-test.ts';
import { messagesFor } from '../../src/i18n/index.ts';
import { challengeOf } from '../../src/oauth/pkce.ts';
import type { OffSlot } from '../../src/outgoing/guarded-request.ts';
import type { BrowserSession, Visit } from './browser-session.ts';
import { authorizeAddress, goThrough, newVerifier } from './flow.ts';
import type { TestService } from './service.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface AgentHost {
  origin: string;
  /** What was asked for, in order. */
  asked: { path: string; headers: IncomingMessage['headers'] }[];
  /** Puts a document at a path of its own, or at one that is given. @returns its address */
  publish(
    document?: Record<string, unknown>,
    options?: { path?: string; headers?: Record<string, string> },
  ): string;
  /** Answers at a path of its own as told. @returns its address */
  answer(answer: Answer, path?: string): string;
  close(): void;
}

/** Opens a host on this machine; a service lets its agents in where AGENTS names it. */
export async function openAgentHost(): Promise<AgentHost> {
  const answers = new Map<string, Answer>();
  const asked: AgentHost['asked'] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push({ path, headers: request.headers });
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  let counter = 0;
  const host: AgentHost = {
    origin,
    asked,
    publish(document = {}, { path = `/agent-${++counter}/client.json`, headers = {} } = {}) {
      const address = `${origin}${path}`;
      const body = JSON.stringify(documentOf(address, document));
      return host.answer((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
      }, path);
    },
    answer(answer, path = `/agent-${++counter}/client.json`) {
      answers.set(path, answer);
      return `${origin}${path}`;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return host;
}

/** What a good document says, and what is to be different about it. */
export const documentOf = (address: string, other: Record<string, unknown> = {}) => ({
  client_id: address,
  client_name: 'Scribe',
  redirect_uris: ['https://agent.example/callback', 'http://localhost/callback'],
  token_endpoint_auth_method: 'none',
  ...other,
});

/** An agent as tests of applications know one. */
export const agentAt = (clientId: string, redirectUri = 'http://localhost:7777/callback') => ({
  clientId,
  clientSecret: '',
  redirectUri,
});

/** The address of its authorization request, with PKCE. */
export function agentAddress(
  service: Pick<TestService, 'baseUrl'>,
  clientId: string,
  parameters: Record<string, string | undefined> = {},
): { address: URL; verifier: string } {
  const verifier = newVerifier();
  const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
  const address = authorizeAddress(service, agentAt(clientId), { ...pkce, ...parameters });
  return { address, verifier };
}

/** Goes through the authorization of an agent by somebody who is signed in. */
export async function authorizeAgent(
  service: Pick<TestService, 'baseUrl'>,
  clientId: string,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<{ code: string; verifier: string; callback: URL }> {
  const { address, verifier } = agentAddress(service, clientId, parameters);
  const callback = await goThrough(browser, address);
  return { code: callback.searchParams.get('code') ?? '', verifier, callback };
}

let clients = 0;
/** An IP in a network that no other call got. */
export function newIp(): string {
  clients += 1;
  return `10.${clients >> 8}.${clients & 255}.1`;
}

/** Has an agent's document read, for a client of its own unless told. */
export const readDocument = (
  { parts }: Pick<TestService, 'parts'>,
  clientId: string,
  ip = newIp(),
): Promise<void> => parts.agents.read(clientId, ip, OFF_SLOT);

export const OFF_SLOT = {} as OffSlot;

export const json =
  (body: unknown, status = 200, headers = {}): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
export const plain =
  (status: number, headers = {}, body = ''): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
export const hangUp: Answer = ({ socket }) => socket.destroy();

export const TEXT = messagesFor('en').apiTest;

export const stepOf = ({ body }: Visit, step: Step): string =>
  new RegExp(`<li class="check" id="step-${step}">([^]*?)</li>`).exec(body)?.[1] ?? '';
export const passed = (visit: Visit): Step[] =>
  STEPS.filter((step) => stepOf(visit, step).includes(TEXT.states.passed));
export const failed = (visit: Visit): Step[] =>
  STEPS.filter((step) => stepOf(visit, step).includes(TEXT.states.failed));
/** What the first words of a remedy are, as the page has them. */
export const remedy = (kind: keyof typeof TEXT.remedies) => TEXT.remedies[kind].split(/[`'“]/)[0] ?? '';
