// The connection tester: walks the way of an agent to an MCP server step by step, and names the step at which it ends (D54).
import type { Config } from '../config.ts';
import { identifierKey, type NamedApi } from '../oauth/api.ts';
import { bearerChallenge } from '../oauth/bearer.ts';
import { objectIn } from '../oauth/json.ts';
import { metadataAddressOf } from '../oauth/protected-resource.ts';
import { OFFLINE_ACCESS } from '../oauth/scopes.ts';
import { withoutCredentials } from '../oauth/shown.ts';
import {
  guardedRequest,
  type OffSlot,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
  type ToldFaultKind,
  toldKind,
} from '../outgoing/guarded-request.ts';
import { type AgentDocuments, AgentUnreadable } from './documents.ts';

export const STEPS = [
  'reach',
  'challenge',
  'document',
  'resource',
  'server',
  'identity',
  'scopes',
  'authorization',
  'token',
  'call',
] as const;
export type Step = (typeof STEPS)[number];

/** What can be wrong at a step; the words are in the dictionaries. */
export type TestFault =
  | ToldFaultKind
  | 'redirect'
  | 'open'
  | 'not401'
  | 'noChallenge'
  | 'notBearer'
  | 'badAddress'
  | 'not200'
  | 'notJson'
  | 'otherResource'
  | 'otherServer'
  | Exclude<AgentUnreadable['kind'], 'faulty'>
  | 'otherScopes'
  | Exclude<NamedApi['standing'], 'open'>
  | 'denied'
  | 'notAllowed'
  | 'noToken'
  | 'tokenRefused'
  | 'scopeRefused'
  | 'notMcp';

/** How far a test came. Kept sealed in addresses: nothing secret is in it. */
export interface TestReport {
  address: string;
  /** What is asked for; nothing where the server names nothing: then the person picks (D51). */
  scopes: string[];
  /** The step that comes next, or that something is wrong with; undefined where all are done. */
  at: Step | undefined;
  fault?: { kind: TestFault; seen: string };
}

export class StepFault extends Error {
  readonly step: Step;
  readonly kind: TestFault;
  readonly seen: string;
  constructor(step: Step, kind: TestFault, seen = '') {
    super(`${step}: ${kind}`);
    this.step = step;
    this.kind = kind;
    this.seen = shown(seen);
  }
}

export interface TesterParts {
  config: Pick<Config, 'production' | 'baseUrl'>;
}

/** Milliseconds and bytes of one answer. */
const WITHIN = 5000;
const MOST = 64 * 1024;
const LONGEST_SEEN = 300;

/** What came from outside, as it may be shown: short, of one line, and nothing that turns the text around. */
const shown = (text: string): string => {
  const line = withoutCredentials(text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim());
  return line.length > LONGEST_SEEN ? `${line.slice(0, LONGEST_SEEN)}…` : line;
};

/**
 * What the server says of itself, and whether that leads here.
 * @returns the scopes that it names, if any
 * @throws StepFault
 */
export async function discover(
  parts: TesterParts,
  address: string,
  identifier: string,
  offSlot: OffSlot,
): Promise<string[] | undefined> {
  const answer = await ask(parts, 'reach', address, { ...INITIALIZE, until: () => true }, offSlot);
  if (answer.status >= 200 && answer.status < 300)
    throw new StepFault('reach', 'open', `HTTP ${answer.status}`);
  if (answer.status !== 401) throw new StepFault('reach', 'not401', `HTTP ${answer.status}`);

  const header = answer.headers['www-authenticate'];
  const challenge = bearerChallenge(header);
  if (header === undefined) throw new StepFault('challenge', 'noChallenge');
  if (challenge === undefined) throw new StepFault('challenge', 'notBearer', header);
  // Where none is named, it is looked for at the standard's address.
  const named = challenge.get('resource_metadata') ?? metadataAddressOf(address);
  if (!isWebAddress(named)) throw new StepFault('challenge', 'badAddress', named);

  const document = await documentAt(parts, named, offSlot);
  const { resource, authorization_servers: servers } = document;
  if (typeof resource !== 'string' || identifierKey(resource) !== identifierKey(identifier))
    throw new StepFault('resource', 'otherResource', said(resource));
  if (!Array.isArray(servers) || !servers.includes(parts.config.baseUrl))
    throw new StepFault('server', 'otherServer', said(servers));
  return scopesIn(challenge.get('scope')) ?? scopesIn(document.scopes_supported);
}

/** Whether this service takes the agent of the test. @throws StepFault */
export async function identify(
  agents: AgentDocuments,
  clientId: string,
  ip: string,
  offSlot: OffSlot,
): Promise<void> {
  try {
    await agents.read(clientId, ip, offSlot);
  } catch (error) {
    if (!(error instanceof AgentUnreadable) || error.kind === 'faulty') throw error;
    throw new StepFault('identity', error.kind, error.message);
  }
}

/**
 * What is asked for, of what the server names.
 * @returns nothing where it names nothing: then the person picks (D51)
 * @throws StepFault
 */
export function scopesToAsk(api: NamedApi, asked: string[] | undefined): string[] {
  if (api.standing !== 'open') throw new StepFault('scopes', api.standing, api.standing);
  const onOffer = api.scopes.map(({ name }) => name);
  if (asked === undefined && (onOffer.length > 0 || api.scopeless)) return [];
  const others = asked?.filter((name) => !onOffer.includes(name)) ?? [];
  if (asked?.length === 0 && api.scopeless) return [];
  if (asked === undefined || asked.length === 0 || others.length > 0)
    throw new StepFault('scopes', 'otherScopes', others.join(' '));
  return asked;
}

/** The last step: the server takes the token. @throws StepFault */
export async function firstCall(
  parts: TesterParts,
  address: string,
  token: string,
  offSlot: OffSlot,
): Promise<void> {
  const authorization = `Bearer ${token}`;
  const answer = await ask(
    parts,
    'call',
    address,
    {
      ...INITIALIZE,
      headers: { ...INITIALIZE.headers, authorization },
      until: firstEvent(),
    },
    offSlot,
  );
  const { status, headers, body } = answer;
  const challenge = bearerChallenge(headers['www-authenticate']);
  const reason = challenge?.get('error_description') ?? headers['www-authenticate'] ?? body;
  const seen = `HTTP ${status} ${reason}`;
  if (status === 401) throw new StepFault('call', 'tokenRefused', seen);
  if (status === 403) throw new StepFault('call', 'scopeRefused', seen);
  // An error of the protocol is an answer, too: the token was taken.
  if (!isMcpMessage(headers['content-type'] ?? '', body))
    throw new StepFault('call', 'notMcp', `HTTP ${status} ${headers['content-type'] ?? ''} ${body}`);
}

/** The first request of every MCP client (Streamable HTTP). */
const INITIALIZE = {
  method: 'POST',
  headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'sesame-connection-test', version: '1' },
    },
  }),
} as const;

/** Asks an address that the API's owner or their server has chosen: what this service's own may is not for it. */
async function ask(
  { config: { production } }: TesterParts,
  step: Step,
  address: string,
  request: Omit<OutgoingRequest, 'within' | 'most'>,
  offSlot: OffSlot,
): Promise<OutgoingAnswer> {
  // What is developed on this machine may be called there, outside production.
  const reach = { production, loopback: !production };
  const answer = await guardedRequest(
    address,
    { ...request, within: WITHIN, most: MOST },
    reach,
    offSlot,
  ).catch((error) => {
    if (!(error instanceof OutgoingFault)) throw error;
    // Every other kind has a separate remedy text.
    throw new StepFault(step, toldKind(error.kind), error.kind === 'failed' ? error.message : '');
  });
  if (answer.status >= 300 && answer.status < 400)
    throw new StepFault(step, 'redirect', `HTTP ${answer.status} ${answer.headers.location ?? ''}`);
  return answer;
}

async function documentAt(
  parts: TesterParts,
  address: string,
  offSlot: OffSlot,
): Promise<Record<string, unknown>> {
  const { status, headers, body } = await ask(
    parts,
    'document',
    address,
    {
      headers: { accept: 'application/json' },
    },
    offSlot,
  );
  if (status !== 200) throw new StepFault('document', 'not200', `HTTP ${status}, ${address}`);
  const document = objectIn(body);
  if (document === undefined)
    throw new StepFault('document', 'notJson', `${headers['content-type'] ?? ''} ${body}`);
  return document;
}

/** Scopes as a challenge or a document has them, without the word for renewal, which is this service's own. */
function scopesIn(given: unknown): string[] | undefined {
  const words: unknown[] | undefined =
    typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : undefined;
  const strings = words?.filter((word) => typeof word === 'string');
  return strings && [...new Set(strings.filter((word) => word !== '' && word !== OFFLINE_ACCESS))];
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** What a document holds, as JSON has it; lists within lists without end cannot be written again. */
function said(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

const EVENT = /^data:(.*)$/m;

/** Returns true once a stream of server-sent events has sent its first message; takes the stream in chunks. */
function firstEvent(): (chunk: string) => boolean {
  const data = 'data:';
  let hasData = false;
  let line = ''; // no more than its beginning counts
  return (chunk) => {
    const lines = (line + chunk).split('\n');
    line = lines.pop()?.slice(0, data.length) ?? '';
    for (const one of lines) {
      if (hasData && (one === '' || one === '\r')) return true;
      hasData ||= one.startsWith(data);
    }
    return false;
  };
}

function isMcpMessage(type: string, body: string): boolean {
  const text = /^text\/event-stream\b/i.test(type) ? EVENT.exec(body)?.[1] : body;
  return objectIn(text ?? '')?.jsonrpc === '2.0';
}
