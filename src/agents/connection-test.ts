// Tests the connection to an MCP server, step by step, as an agent would.
import type { Config } from '../config.ts';
import { type RequestedApi, toIdentifierKey } from '../oauth/api.ts';
import { parseBearerChallenge } from '../oauth/bearer.ts';
import { parseJsonObject } from '../oauth/parse-json.ts';
import { redactUrl } from '../oauth/redaction.ts';
import { buildMetadataUrl } from '../oauth/resource-metadata.ts';
import { OFFLINE_ACCESS } from '../oauth/scopes.ts';
import {
  OutgoingError,
  type OutgoingPolicy,
  type OutgoingRequest,
  type OutgoingResponse,
  type PublicErrorKind,
  type ReleasedSlotProof,
  sendGuardedRequest,
  toPublicErrorKind,
} from '../outgoing/guarded-request.ts';
import { MetadataDocumentError, type MetadataDocumentReader } from './metadata-documents.ts';

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

/** Each kind has a message in src/i18n. */
export type TestErrorKind =
  | PublicErrorKind
  | 'redirect'
  | 'open'
  | 'not401'
  | 'noChallenge'
  | 'notBearer'
  | 'invalidUrl'
  | 'not200'
  | 'notJson'
  | 'otherResource'
  | 'otherServer'
  | Exclude<MetadataDocumentError['kind'], 'invalid'>
  | 'otherScopes'
  | Exclude<RequestedApi['availability'], 'open'>
  | 'denied'
  | 'notAllowed'
  | 'noToken'
  | 'tokenRefused'
  | 'scopeRefused'
  | 'notMcp';

/** The sealed report is passed in URLs, so it must not contain secrets. */
export interface TestReport {
  url: string;
  /** If empty, the user selects the scopes. */
  scopes: string[];
  /** The failed step, or the next step. Undefined after the last step. */
  nextStep: Step | undefined;
  error?: { kind: TestErrorKind; detail: string };
}

export class StepError extends Error {
  readonly step: Step;
  readonly kind: TestErrorKind;
  readonly detail: string;
  constructor(step: Step, kind: TestErrorKind, detail = '') {
    super(`${step}: ${kind}`);
    this.step = step;
    this.kind = kind;
    this.detail = toPrintable(detail);
  }
}

export interface TesterServices {
  config: Pick<Config, 'production' | 'baseUrl'>;
}

/** In milliseconds. */
const RESPONSE_TIMEOUT = 5000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_DETAIL_LENGTH = 300;

/** Removes control and bidi characters from untrusted text, redacts it and truncates it. */
const toPrintable = (text: string): string => {
  const line = redactUrl(text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim());
  return line.length > MAX_DETAIL_LENGTH ? `${line.slice(0, MAX_DETAIL_LENGTH)}…` : line;
};

/**
 * Finds the server's protected resource metadata (RFC 9728). The metadata must list this service as an
 * authorization server.
 * @returns the scopes in the challenge or the metadata, if any
 */
export async function discoverServer(
  services: TesterServices,
  url: string,
  identifier: string,
  slotProof: ReleasedSlotProof,
): Promise<string[] | undefined> {
  const response = await sendRequest(
    services,
    'reach',
    url,
    { ...INITIALIZE_REQUEST, stopWhen: () => true },
    slotProof,
  );
  if (response.status >= 200 && response.status < 300)
    throw new StepError('reach', 'open', `HTTP ${response.status}`);
  if (response.status !== 401) throw new StepError('reach', 'not401', `HTTP ${response.status}`);

  const header = response.headers['www-authenticate'];
  const challenge = parseBearerChallenge(header);
  if (header === undefined) throw new StepError('challenge', 'noChallenge');
  if (challenge === undefined) throw new StepError('challenge', 'notBearer', header);
  // Without resource_metadata, use the well-known URL (RFC 9728 §3.1).
  const metadataUrl = challenge.get('resource_metadata') ?? buildMetadataUrl(url);
  if (!isHttpUrl(metadataUrl)) throw new StepError('challenge', 'invalidUrl', metadataUrl);

  const document = await fetchMetadata(services, metadataUrl, slotProof);
  const { resource, authorization_servers: servers } = document;
  if (typeof resource !== 'string' || toIdentifierKey(resource) !== toIdentifierKey(identifier))
    throw new StepError('resource', 'otherResource', formatJson(resource));
  if (!Array.isArray(servers) || !servers.includes(services.config.baseUrl))
    throw new StepError('server', 'otherServer', formatJson(servers));
  return parseScopes(challenge.get('scope')) ?? parseScopes(document.scopes_supported);
}

export async function checkTesterClient(
  agents: MetadataDocumentReader,
  clientId: string,
  ip: string,
  slotProof: ReleasedSlotProof,
): Promise<void> {
  try {
    await agents.read(clientId, ip, slotProof);
  } catch (error) {
    if (!(error instanceof MetadataDocumentError) || error.kind === 'invalid') throw error;
    throw new StepError('identity', error.kind, error.message);
  }
}

/** @returns the scopes that the server names, if any. @throws StepError if the API doesn't offer them. */
export function selectScopes(api: RequestedApi, serverScopes: string[] | undefined): string[] {
  if (api.availability !== 'open') throw new StepError('scopes', api.availability, api.availability);
  const available = api.scopes.map(({ name }) => name);
  if (serverScopes === undefined && (available.length > 0 || api.scopeless)) return [];
  const unknownScopes = serverScopes?.filter((name) => !available.includes(name)) ?? [];
  if (serverScopes?.length === 0 && api.scopeless) return [];
  if (serverScopes === undefined || serverScopes.length === 0 || unknownScopes.length > 0)
    throw new StepError('scopes', 'otherScopes', unknownScopes.join(' '));
  return serverScopes;
}

export async function callServer(
  services: TesterServices,
  url: string,
  token: string,
  slotProof: ReleasedSlotProof,
): Promise<void> {
  const authorization = `Bearer ${token}`;
  const response = await sendRequest(
    services,
    'call',
    url,
    {
      ...INITIALIZE_REQUEST,
      headers: { ...INITIALIZE_REQUEST.headers, authorization },
      stopWhen: createEventDetector(),
    },
    slotProof,
  );
  const { status, headers, body } = response;
  const challenge = parseBearerChallenge(headers['www-authenticate']);
  const reason = challenge?.get('error_description') ?? headers['www-authenticate'] ?? body;
  const detail = `HTTP ${status} ${reason}`;
  if (status === 401) throw new StepError('call', 'tokenRefused', detail);
  if (status === 403) throw new StepError('call', 'scopeRefused', detail);
  // The test also succeeds on a JSON-RPC error, because it shows that the server accepted the token.
  if (!isMcpMessage(headers['content-type'] ?? '', body))
    throw new StepError('call', 'notMcp', `HTTP ${status} ${headers['content-type'] ?? ''} ${body}`);
}

const INITIALIZE_REQUEST = {
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

async function sendRequest(
  { config: { production } }: TesterServices,
  step: Step,
  url: string,
  request: Omit<OutgoingRequest, 'timeout' | 'maxBytes'>,
  slotProof: ReleasedSlotProof,
): Promise<OutgoingResponse> {
  const policy: OutgoingPolicy = { production, allowLoopback: !production };
  const response = await sendGuardedRequest(
    url,
    { ...request, timeout: RESPONSE_TIMEOUT, maxBytes: MAX_RESPONSE_BYTES },
    policy,
    slotProof,
  ).catch((error) => {
    if (!(error instanceof OutgoingError)) throw error;
    throw new StepError(step, toPublicErrorKind(error.kind), error.kind === 'failed' ? error.message : '');
  });
  if (response.status >= 300 && response.status < 400)
    throw new StepError(step, 'redirect', `HTTP ${response.status} ${response.headers.location ?? ''}`);
  return response;
}

async function fetchMetadata(
  services: TesterServices,
  url: string,
  slotProof: ReleasedSlotProof,
): Promise<Record<string, unknown>> {
  const { status, headers, body } = await sendRequest(
    services,
    'document',
    url,
    {
      headers: { accept: 'application/json' },
    },
    slotProof,
  );
  if (status !== 200) throw new StepError('document', 'not200', `HTTP ${status}, ${url}`);
  const document = parseJsonObject(body);
  if (document === undefined)
    throw new StepError('document', 'notJson', `${headers['content-type'] ?? ''} ${body}`);
  return document;
}

/** Parses scopes from a challenge (string) or metadata (array), without `offline_access`. */
function parseScopes(value: unknown): string[] | undefined {
  const entries: unknown[] | undefined =
    typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : undefined;
  const names = entries?.filter((entry) => typeof entry === 'string');
  return names && [...new Set(names.filter((name) => name !== '' && name !== OFFLINE_ACCESS))];
}

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

function formatJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

const EVENT_DATA = /^data:(.*)$/m;

function createEventDetector(): (chunk: string) => boolean {
  const data = 'data:';
  let hasData = false;
  let line = ''; // the incomplete last line
  return (chunk) => {
    const lines = (line + chunk).split('\n');
    line = lines.pop()?.slice(0, data.length) ?? '';
    for (const completeLine of lines) {
      if (hasData && (completeLine === '' || completeLine === '\r')) return true;
      hasData ||= completeLine.startsWith(data);
    }
    return false;
  };
}

function isMcpMessage(type: string, body: string): boolean {
  const text = /^text\/event-stream\b/i.test(type) ? EVENT_DATA.exec(body)?.[1] : body;
  return parseJsonObject(text ?? '')?.jsonrpc === '2.0';
}
