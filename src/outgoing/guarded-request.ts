// Sends HTTP requests to untrusted URLs, with protection against SSRF and limits on size and time.

import dns from 'node:dns/promises';
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { createIpMatcher, isLoopbackIp, isPublicIp } from '../oauth/public-ip.ts';

// An import would also load the WebSocket client of node:http, which takes 40 ms.
const { request: requestPlain, Agent: PlainAgent } = process.getBuiltinModule('node:http');

const MAX_HEADER_SIZE = 16_384;
/** Characters. Error messages may contain text from other servers. */
const MAX_ERROR_LENGTH = 200;
/** Node doesn't limit the number of interim responses (RFC 9110 §15.2). */
const MAX_INTERIM_RESPONSES = 10;

export type ResolveHost = (name: string) => Promise<{ address: string; family: number }[]>;

export interface OutgoingPolicy {
  production: boolean;
  allowedNetworks?: readonly string[];
  /** Ignored in production. */
  allowLoopback?: boolean;
  resolve?: ResolveHost;
}

declare const proof: unique symbol;
/**
 * Proof that the caller holds no overload slot while it waits for the response. Only `withoutSlot` (http/overload.ts)
 * and `repeat` (background/repeat.ts) create this proof.
 */
export interface ReleasedSlotProof {
  readonly [proof]: true;
}

export interface OutgoingRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Milliseconds for the whole request, including the DNS lookup. */
  timeout: number;
  maxBytes: number;
  /** By default, each request opens a new connection. */
  connections?: KeepAliveAgents;
  /**
   * Called with '' after the headers, then with each chunk of the body, as Latin-1. Returning true skips the rest of
   * the body.
   */
  stopWhen?: (chunk: string) => boolean;
  /** With `latin1`, each character is one byte. Defaults to UTF-8. */
  encoding?: 'utf8' | 'latin1';
}

/**
 * Keep-alive agents by protocol. IP addresses are checked only when a connection opens, so all requests that share
 * agents must have the same policy.
 */
export type KeepAliveAgents = Readonly<Record<string, Agent>>;

/** Milliseconds. Shorter than typical server timeouts because requests on a closed connection fail. */
const IDLE_TIMEOUT = 4_000;

export function createKeepAliveAgents(): KeepAliveAgents {
  const options = { keepAlive: true, timeout: IDLE_TIMEOUT, maxFreeSockets: 10 };
  return { 'http:': new PlainAgent(options), 'https:': new SecureAgent(options) };
}

export interface OutgoingResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export type OutgoingErrorKind =
  | 'not-https'
  | 'not-public'
  | 'unknown-name'
  | 'refused'
  | 'timeout'
  | 'too-large'
  | 'encoded'
  | 'failed';

/** Error kinds that don't reveal which internal host names exist. */
export type PublicErrorKind = Exclude<OutgoingErrorKind, 'unknown-name'>;
export const toPublicErrorKind = (kind: OutgoingErrorKind): PublicErrorKind =>
  kind === 'unknown-name' ? 'not-public' : kind;

export class OutgoingError extends Error {
  readonly kind: OutgoingErrorKind;
  constructor(kind: OutgoingErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Sends a request to an untrusted URL. Checks the IP addresses in the connection's own DNS lookup, which prevents DNS
 * rebinding. Doesn't follow redirects.
 * @throws OutgoingError if the request fails or the response is unacceptable
 */
export function sendGuardedRequest(
  untrustedUrl: string,
  options: OutgoingRequest,
  policy: OutgoingPolicy,
  _proof: ReleasedSlotProof,
): Promise<OutgoingResponse> {
  const url = new URL(untrustedUrl);
  if (url.protocol !== 'https:' && (policy.production || url.protocol !== 'http:'))
    return Promise.reject(new OutgoingError('not-https', 'the URL does not use HTTPS'));
  const isAllowed = createIpFilter(policy);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowed(host)) return Promise.reject(notPublicError());

  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(options.timeout);
    const outgoing: ClientRequest = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
      method: options.method ?? 'GET',
      lookup: createGuardedLookup(policy.resolve ?? selectResolver(policy), isAllowed),
      agent: options.connections?.[url.protocol] ?? false,
      signal,
      maxHeaderSize: MAX_HEADER_SIZE,
      rejectUnauthorized: true,
      auth: '',
      headers: {
        ...options.headers,
        'accept-encoding': 'identity',
        ...(options.body === undefined ? {} : { 'content-length': Buffer.byteLength(options.body) }),
      },
    });
    const fail = (error: Error) => {
      reject(error instanceof OutgoingError ? error : toOutgoingError(error, options, signal.aborted));
      outgoing.destroy();
    };
    outgoing.on('error', fail);
    let interim = 0;
    outgoing.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM_RESPONSES) fail(new Error('too many interim responses'));
    });
    let hasResponse = false;
    outgoing.on('response', (response) => {
      hasResponse = true;
      readBody(response, options, fail).then((body) => {
        if (body !== undefined)
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        if (options.connections === undefined || !response.complete) outgoing.destroy();
      }, fail);
    });
    // The connection can also end without a response, for example after a protocol upgrade.
    outgoing.on('close', () => {
      if (!hasResponse) fail(new Error('the connection was closed without a response'));
    });
    outgoing.end(options.body);
  });
}

async function readBody(
  response: IncomingMessage,
  { maxBytes, stopWhen, encoding = 'utf8' }: OutgoingRequest,
  fail: (error: Error) => void,
): Promise<string | undefined> {
  const {
    'content-encoding': contentEncoding = 'identity',
    'transfer-encoding': transferEncoding = 'chunked',
  } = response.headers;
  if (stopWhen?.('') === true) return '';
  if (
    contentEncoding.trim().toLowerCase() !== 'identity' ||
    transferEncoding.trim().toLowerCase() !== 'chunked'
  ) {
    fail(new OutgoingError('encoded', 'the response is compressed, but compression was not requested'));
    return undefined;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) {
      fail(new OutgoingError('too-large', `the response exceeds ${maxBytes} bytes`));
      return undefined;
    }
    if (stopWhen?.(chunk.toString('latin1')) === true) break;
  }
  return Buffer.concat(chunks).toString(encoding);
}

function createIpFilter({
  production,
  allowedNetworks = [],
  allowLoopback = false,
}: OutgoingPolicy): (ip: string) => boolean {
  const isAllowed = createIpMatcher(allowedNetworks);
  return (ip) => isPublicIp(ip) || isAllowed(ip) || (allowLoopback && !production && isLoopbackIp(ip));
}

// `dns.lookup` blocks libuv threads, which password hashing needs. Only `dns.lookup` reads the hosts file, which
// private networks need.
function selectResolver({ allowedNetworks = [], allowLoopback = false }: OutgoingPolicy): ResolveHost {
  return allowedNetworks.length > 0 || allowLoopback
    ? (name) => dns.lookup(name, { all: true })
    : queryNameServers;
}

const queryNameServers: ResolveHost = async (name) => {
  // Name servers must not be queried for localhost (RFC 6761 §6.3).
  if (/(^|\.)localhost\.?$/i.test(name)) return [{ address: '127.0.0.1', family: 4 }];
  const results = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
  const addresses = results.flatMap((result, index) =>
    result.status === 'fulfilled'
      ? result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
  if (addresses.length === 0) throw new Error('The host name has no IP address.');
  return addresses;
};

/** The lookup fails if any of the host's IP addresses isn't allowed. */
function createGuardedLookup(resolve: ResolveHost, isAllowed: (ip: string) => boolean): LookupFunction {
  return (name, options, done) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || addresses.some(({ address }) => !isAllowed(address)))
          done(notPublicError(), '', 0);
        else if (options.all === true) done(null, addresses);
        else done(null, first.address, first.family);
      },
      () => done(new OutgoingError('unknown-name', NOT_PUBLIC_MESSAGE), '', 0),
    );
  };
}

const NOT_PUBLIC_MESSAGE = 'the host is unknown or not on the public internet';
const notPublicError = () => new OutgoingError('not-public', NOT_PUBLIC_MESSAGE);

function toOutgoingError(
  error: NodeJS.ErrnoException,
  { timeout }: OutgoingRequest,
  hasTimedOut: boolean,
): OutgoingError {
  if (hasTimedOut) return new OutgoingError('timeout', `no response within ${timeout / 1000} seconds`);
  if (error.code === 'ECONNREFUSED') return new OutgoingError('refused', 'connection refused');
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new OutgoingError('too-large', `the response headers exceed ${MAX_HEADER_SIZE} bytes`);
  // The message may contain text from the other server. Node's ` - Local` suffix reveals the local IP address.
  const message = (error.message || String(error.code)).replace(/ - Local \(.*\)$/, '');
  return new OutgoingError('failed', message.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_ERROR_LENGTH));
}
