// The one way out of the machine besides mail and the database: over https, to the public internet, following nothing, within bounds.

import dns from 'node:dns/promises';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackAddress, isPublicAddress, membership } from '../oauth/public-address.ts';

// An import of it reads all that it exports, and so loads a whole WebSocket client: 40 ms of every start.
const { request: requestPlain } = process.getBuiltinModule('node:http');

/** Bytes that the head of an answer may have; and characters of an unknown error that are passed on. */
const HEAD = 16_384;
const WORDS = 200;
/** Interim responses (RFC 9110 §15.2) before an answer. Each costs time, and a server may send any number of them. */
const MAX_INTERIM = 10;

export type Resolve = (name: string) => Promise<{ address: string; family: number }[]>;

export interface Reach {
  production: boolean;
  /** Networks that are not public and may be called all the same. */
  allow?: readonly string[];
  /** Whether this machine may be called; outside production only. */
  loopback?: boolean;
  /** Replaced by tests alone, where the real one cannot be made to lie. */
  resolve?: Resolve;
}

declare const proof: unique symbol;
/**
 * Proof that the caller holds no slot of a route's overload limit while it waits. Only `withoutSlot` (http/overload.ts)
 * and `repeat` (background/repeat.ts) create it.
 */
export interface OffSlot {
  readonly [proof]: true;
}

/** What is sent: these headers and no others besides those that HTTP demands. */
export interface OutgoingRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Milliseconds that all of it may take, from looking up the name to the last byte. */
  within: number;
  most: number;
  /**
   * Called with '' when the head has arrived, then with each chunk of the body (as Latin-1, so that no character is split).
   * Once it returns true, the rest of the body is not read.
   */
  until?: (chunk: string) => boolean;
}

export interface OutgoingAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export type OutgoingFaultKind =
  | 'not-https'
  | 'not-public'
  | 'unknown-name'
  | 'refused'
  | 'timeout'
  | 'too-large'
  | 'encoded'
  | 'failed';

/** A kind as whoever chose the address is told it: they do not learn which names the network around this service knows. */
export type ToldFaultKind = Exclude<OutgoingFaultKind, 'unknown-name'>;
export const toldKind = (kind: OutgoingFaultKind): ToldFaultKind =>
  kind === 'unknown-name' ? 'not-public' : kind;

export class OutgoingFault extends Error {
  readonly kind: OutgoingFaultKind;
  constructor(kind: OutgoingFaultKind, words: string) {
    super(words);
    this.kind = kind;
  }
}

/**
 * Asks an address that somebody else has chosen. Every address that its name stands for is checked, by the very lookup
 * that connects: there is no second one that could be told otherwise. Redirects are answers like any other.
 * @param _offSlot proof that a slow answer keeps no other request from its route
 * @throws OutgoingFault where there is no answer, or none that may be read
 */
export function guardedRequest(
  address: string,
  asked: OutgoingRequest,
  reach: Reach,
  _offSlot: OffSlot,
): Promise<OutgoingAnswer> {
  const url = new URL(address);
  if (url.protocol !== 'https:' && (reach.production || url.protocol !== 'http:'))
    return Promise.reject(new OutgoingFault('not-https', 'the address is not https'));
  const mayCall = guardOf(reach);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayCall(host)) return Promise.reject(notPublic());

  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(asked.within);
    const outgoing: ClientRequest = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
      method: asked.method ?? 'GET',
      lookup: guardedLookup(reach.resolve ?? resolverFor(reach), mayCall),
      agent: false,
      signal,
      maxHeaderSize: HEAD,
      rejectUnauthorized: true,
      auth: '',
      headers: {
        ...asked.headers,
        'accept-encoding': 'identity',
        ...(asked.body === undefined ? {} : { 'content-length': Buffer.byteLength(asked.body) }),
      },
    });
    const fail = (error: Error) => {
      reject(error instanceof OutgoingFault ? error : faultOf(error, asked, signal.aborted));
      outgoing.destroy();
    };
    outgoing.on('error', fail);
    let interim = 0;
    outgoing.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) fail(new Error('it sends too many interim responses'));
    });
    outgoing.on('response', (answer) => {
      read(answer, asked, fail).then((body) => {
        if (body !== undefined) resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
        outgoing.destroy();
      }, fail);
    });
    // Anything else that may come instead of an answer, such as another protocol.
    outgoing.on('close', () => fail(new Error('the connection ended without an answer')));
    outgoing.end(asked.body);
  });
}

async function read(
  answer: IncomingMessage,
  { most, until }: OutgoingRequest,
  fail: (error: Error) => void,
): Promise<string | undefined> {
  const { 'content-encoding': coding = 'identity', 'transfer-encoding': transfer = 'chunked' } =
    answer.headers;
  if (until?.('') === true) return '';
  if (coding.trim().toLowerCase() !== 'identity' || transfer.trim().toLowerCase() !== 'chunked') {
    fail(new OutgoingFault('encoded', 'its answer is compressed, though that was not asked for'));
    return undefined;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) {
      fail(new OutgoingFault('too-large', `its answer is longer than ${most} bytes`));
      return undefined;
    }
    if (until?.(chunk.toString('latin1')) === true) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function guardOf({ production, allow = [], loopback = false }: Reach): (address: string) => boolean {
  const isAllowed = membership(allow);
  return (address) =>
    isPublicAddress(address) || isAllowed(address) || (loopback && !production && isLoopbackAddress(address));
}

// The system's own way of looking up holds one of the process's few threads for as long as a name server chooses, and
// passwords, keys and the database wait behind it. So names of others are asked for over a socket; what the system alone knows
// (its hosts file, search domains) counts where an operator lets more than the public internet be called.
function resolverFor({ allow = [], loopback = false }: Reach): Resolve {
  return allow.length > 0 || loopback ? (name) => dns.lookup(name, { all: true }) : askNameServers;
}

const askNameServers: Resolve = async (name) => {
  // No name server is asked for this machine.
  if (/(^|\.)localhost\.?$/i.test(name)) return [{ address: '127.0.0.1', family: 4 }];
  const answers = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
  const found = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
  if (found.length === 0) throw new Error('no address');
  return found;
};

/** What connects asks this and nothing else; one address that may not be called refuses them all. */
function guardedLookup(resolve: Resolve, mayCall: (address: string) => boolean): LookupFunction {
  return (name, options, done) => {
    resolve(name).then(
      (found) => {
        const [first] = found;
        if (first === undefined || found.some(({ address }) => !mayCall(address))) done(notPublic(), '', 0);
        else if (options.all === true) done(null, found);
        else done(null, first.address, first.family);
      },
      () => done(new OutgoingFault('unknown-name', UNCALLED), '', 0),
    );
  };
}

const UNCALLED = 'its host is not on the public internet, or its name is not known';
const notPublic = () => new OutgoingFault('not-public', UNCALLED);

function faultOf(error: NodeJS.ErrnoException, { within }: OutgoingRequest, late: boolean): OutgoingFault {
  if (late) return new OutgoingFault('timeout', `it did not answer within ${within / 1000} seconds`);
  if (error.code === 'ECONNREFUSED') return new OutgoingFault('refused', 'nobody answers at the address');
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new OutgoingFault('too-large', `the head of its answer is longer than ${HEAD} bytes`);
  // The other side can choose these words: they are kept short, and free of what the database would refuse. The system's own end
  // with the address that this machine has in its network.
  const words = (error.message || String(error.code)).replace(/ - Local \(.*\)$/, '');
  return new OutgoingFault('failed', words.replace(/[^\x20-\x7e]/g, '?').slice(0, WORDS));
}
