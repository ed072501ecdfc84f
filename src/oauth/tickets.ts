// Codes and refresh tokens: sealed tickets that name a generation of a grant. Nothing of them is stored (D13, D15).
import type { ApiGrant } from './api.ts';
import { ACRS, type Acr, acrOf, METHODS, type Method } from './authentication-methods.ts';
import type { TicketClue } from './reason.ts';
import { type GrantedScope, parseGrantedScope } from './scopes.ts';
import type { Sealer } from './seal.ts';

/** What a code or a refresh token stands for. The code is generation 0, each refresh token the next one. */
export interface Ticket {
  grantId: string;
  generation: number;
  userId: string;
  /** The session the grant came from, as the `sid` claim. */
  sid: string;
  /** When the person signed in, in seconds since 1970: the `auth_time` claim. */
  authTime: number;
  /** What they had shown by then: the `amr` claim. */
  methods: Method[];
  /** What is claimed of that, after what was asked for: the `acr` claim. */
  acr: Acr;
  scopes: GrantedScope[];
  /** APIs that its access tokens may be for, beside this service (RFC 8707, D47). */
  apis?: ApiGrant[] | undefined;
}

/** A code, whose grant is not written before it is redeemed: it says by itself what it is checked against. */
export interface CodeTicket extends Ticket {
  /** The digest of the session that it came from, whose id only the browser knows. */
  sessionHash: Buffer;
  /** The application that it was given to. */
  clientId: string;
  /** When, in milliseconds since 1970. */
  issuedAt: number;
  /** What account, application and consent said together: a change to any of them ends it (D28). */
  epoch: number;
  redirectUri: string;
  codeChallenge: string | undefined;
  nonce: string | undefined;
  /** Whether a refresh token comes with the access token (D52). */
  renewable: boolean;
}

/** What a refused refresh token leaves behind to be looked up. */
export const ticketClue = ({ userId, grantId, generation }: Ticket): TicketClue => ({
  what: 'refresh_token',
  userId,
  grantId,
  generation,
});

/** The same of a refused code. */
export const codeClue = ({ userId, grantId, generation, clientId }: CodeTicket): TicketClue => ({
  what: 'code',
  userId,
  grantId,
  generation,
  clientId,
});

const REFRESH_PREFIX = 'sesame_rt_';
const CODE_PREFIX = 'sesame_ac_';

/** Seals a code: it lives a minute and may be long. */
export function sealCode(sealer: Sealer, code: CodeTicket): string {
  const { sessionHash, clientId, issuedAt, epoch, redirectUri, codeChallenge = null, nonce = null } = code;
  const flags = code.renewable ? [] : [1];
  const rest = JSON.stringify([clientId, issuedAt, epoch, redirectUri, codeChallenge, nonce, ...flags]);
  const bytes = Buffer.concat([sessionHash, packTicket(code), Buffer.from(`\n${rest}`)]);
  return CODE_PREFIX + sealer.seal('code', bytes);
}

/** Opens a code, or gives undefined when this service never made it. */
export function openCode(sealer: Sealer, text: string): CodeTicket | undefined {
  const whole = open(sealer, 'code', CODE_PREFIX, text);
  if (whole === undefined) return undefined;
  const bytes = whole.subarray(HASH_LENGTH);
  const end = bytes.indexOf('\n', FIXED_LENGTH);
  const [clientId, issuedAt, epoch, redirectUri, codeChallenge, nonce, unrenewable = 0] = JSON.parse(
    bytes.toString('utf8', end + 1),
  );
  return {
    ...unpackTicket(bytes.subarray(0, end)),
    sessionHash: whole.subarray(0, HASH_LENGTH),
    clientId,
    issuedAt,
    epoch,
    redirectUri,
    codeChallenge: codeChallenge ?? undefined,
    nonce: nonce ?? undefined,
    renewable: unrenewable === 0,
  };
}

/** Seals a refresh token; the same ticket always gives the same token, so a lost one can be given again (D16). */
export const sealRefreshToken = (sealer: Sealer, ticket: Ticket): string =>
  REFRESH_PREFIX + sealer.seal('refresh-token', packTicket(ticket));

/** Opens a refresh token, or gives undefined when this service never made it. */
export function openRefreshToken(sealer: Sealer, text: string): Ticket | undefined {
  const bytes = open(sealer, 'refresh-token', REFRESH_PREFIX, text);
  return bytes === undefined ? undefined : unpackTicket(bytes);
}

function open(sealer: Sealer, purpose: string, prefix: string, text: string): Buffer | undefined {
  return text.startsWith(prefix) ? sealer.open(purpose, text.slice(prefix.length)) : undefined;
}

// Three UUIDs, generation and auth_time, a byte of methods and acr, then the scope: refresh tokens fit a column of 200
// characters, but for those that are for APIs, too. In that byte a bit for each method, and above them the place of the acr, from 1; tickets of before have none.
const FIXED_LENGTH = 16 * 3 + 4 * 2 + 1;
const ACR_SHIFT = 5;
/** Before all that in a code. */
const HASH_LENGTH = 33;

function packTicket({ methods, acr, ...ticket }: Ticket): Buffer {
  const { grantId, generation, userId, sid, authTime, scopes, apis = [] } = ticket;
  const numbers = Buffer.alloc(9);
  numbers.writeUInt32BE(generation, 0);
  numbers.writeUInt32BE(authTime, 4);
  numbers.writeUInt8(
    METHODS.reduce(
      (bits, method, index) => bits | (methods.includes(method) ? 1 << index : 0),
      (ACRS.indexOf(acr) + 1) << ACR_SHIFT,
    ),
    8,
  );
  return Buffer.concat([
    Buffer.from([grantId, userId, sid].join('').replaceAll('-', ''), 'hex'),
    numbers,
    Buffer.from([scopes, ...apis.map(wordsOfApi)].map((words) => words.join(' ')).join(API_MARK)),
  ]);
}

function unpackTicket(bytes: Buffer): Ticket {
  const [words = '', ...apis] = bytes.toString('utf8', FIXED_LENGTH).split(API_MARK);
  const scopes = parseGrantedScope(words);
  const shown = bytes.readUInt8(56);
  const methods = METHODS.filter((_, index) => shown & (1 << index));
  return {
    grantId: uuidAt(bytes, 0),
    userId: uuidAt(bytes, 16),
    sid: uuidAt(bytes, 32),
    generation: bytes.readUInt32BE(48),
    authTime: bytes.readUInt32BE(52),
    methods,
    acr: ACRS[(shown >> ACR_SHIFT) - 1] ?? acrOf(methods),
    scopes,
    ...(apis.length > 0 && { apis: apis.map(apiOfWords) }),
  };
}

// No identifier and no scope has a space or a tabulator in it.
const API_MARK = '\t';
const wordsOfApi = ({ apiId, identifier, lifetime, scopes }: ApiGrant): string[] => [
  apiId,
  String(lifetime),
  identifier,
  ...scopes,
];

function apiOfWords(text: string): ApiGrant {
  const [apiId = '', lifetime = '', identifier = '', ...scopes] = text.split(' ');
  return { apiId, lifetime: Number(lifetime), identifier, scopes };
}

function uuidAt(bytes: Buffer, offset: number): string {
  const hex = bytes.toString('hex', offset, offset + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
