// Seals codes and refresh tokens, which aren't stored (ADR 1).
import type { ApiGrant } from './api.ts';
import {
  ACRS,
  type Acr,
  AUTHENTICATION_METHODS,
  type AuthenticationMethod,
} from './authentication-methods.ts';
import type { TokenContext } from './refusal-reason.ts';
import { type GrantedScope, parseGrantedScope } from './scopes.ts';
import type { Sealer } from './seal.ts';

/** Codes have rotation 0. Refresh tokens have rotation 1 or higher. */
export interface TokenPayload {
  grantId: string;
  rotation: number;
  userId: string;
  sid: string;
  /** Unix time in seconds. */
  authTime: number;
  methods: AuthenticationMethod[];
  acr: Acr;
  scopes: GrantedScope[];
  apis?: ApiGrant[] | undefined;
}

/** The code contains all data for the token request because no grant is stored yet. */
export interface CodePayload extends TokenPayload {
  sessionHash: Buffer;
  clientId: string;
  /** In milliseconds since the Unix epoch. */
  issuedAt: number;
  /** Sum of the account, client and consent epochs. Incrementing any of them revokes the code. */
  epoch: number;
  redirectUri: string;
  codeChallenge: string | undefined;
  nonce: string | undefined;
  hasRefreshToken: boolean;
}

export const toRefreshTokenContext = ({ userId, grantId, rotation }: TokenPayload): TokenContext => ({
  tokenKind: 'refresh_token',
  userId,
  grantId,
  rotation,
});

export const toCodeContext = ({ userId, grantId, rotation, clientId }: CodePayload): TokenContext => ({
  tokenKind: 'code',
  userId,
  grantId,
  rotation,
  clientId,
});

const REFRESH_TOKEN_PREFIX = 'sesame_rt_';
const CODE_PREFIX = 'sesame_ac_';

export function sealCode(sealer: Sealer, code: CodePayload): string {
  const { sessionHash, clientId, issuedAt, epoch, redirectUri, codeChallenge = null, nonce = null } = code;
  const flags = code.hasRefreshToken ? [] : [1];
  const codeFields = JSON.stringify([clientId, issuedAt, epoch, redirectUri, codeChallenge, nonce, ...flags]);
  const bytes = Buffer.concat([sessionHash, packPayload(code), Buffer.from(`\n${codeFields}`)]);
  return CODE_PREFIX + sealer.seal('code', bytes);
}

/** Returns undefined if this service didn't issue the code. */
export function openCode(sealer: Sealer, sealedCode: string): CodePayload | undefined {
  const opened = openSealed(sealer, 'code', CODE_PREFIX, sealedCode);
  if (opened === undefined) return undefined;
  const bytes = opened.subarray(SESSION_DIGEST_LENGTH);
  const end = bytes.indexOf('\n', FIXED_FIELDS_LENGTH);
  const [clientId, issuedAt, epoch, redirectUri, codeChallenge, nonce, withoutRefreshToken = 0] = JSON.parse(
    bytes.toString('utf8', end + 1),
  );
  return {
    ...unpackPayload(bytes.subarray(0, end)),
    sessionHash: opened.subarray(0, SESSION_DIGEST_LENGTH),
    clientId,
    issuedAt,
    epoch,
    redirectUri,
    codeChallenge: codeChallenge ?? undefined,
    nonce: nonce ?? undefined,
    hasRefreshToken: withoutRefreshToken === 0,
  };
}

/** Sealing is deterministic so that a lost token can be reissued (ADR 2). */
export const sealRefreshToken = (sealer: Sealer, payload: TokenPayload): string =>
  REFRESH_TOKEN_PREFIX + sealer.seal('refresh-token', packPayload(payload));

/** Returns undefined if this service didn't issue the refresh token. */
export function openRefreshToken(sealer: Sealer, sealedToken: string): TokenPayload | undefined {
  const bytes = openSealed(sealer, 'refresh-token', REFRESH_TOKEN_PREFIX, sealedToken);
  return bytes === undefined ? undefined : unpackPayload(bytes);
}

function openSealed(sealer: Sealer, purpose: string, prefix: string, sealed: string): Buffer | undefined {
  return sealed.startsWith(prefix) ? sealer.open(purpose, sealed.slice(prefix.length)) : undefined;
}

// Binary layout: grant ID, user ID, sid, rotation, auth_time, methods and acr, scopes, APIs. One byte
// contains the methods (lower six bits) and the acr (upper two bits).
const FIXED_FIELDS_LENGTH = 16 * 3 + 4 * 2 + 1;
const ACR_SHIFT = 6;
const SESSION_DIGEST_LENGTH = 33;

function packPayload({ methods, acr, ...payload }: TokenPayload): Buffer {
  const { grantId, rotation, userId, sid, authTime, scopes, apis = [] } = payload;
  const numbers = Buffer.alloc(9);
  numbers.writeUInt32BE(rotation, 0);
  numbers.writeUInt32BE(authTime, 4);
  numbers.writeUInt8(
    AUTHENTICATION_METHODS.reduce(
      (bits, method, index) => bits | (methods.includes(method) ? 1 << index : 0),
      ACRS.indexOf(acr) << ACR_SHIFT,
    ),
    8,
  );
  return Buffer.concat([
    Buffer.from([grantId, userId, sid].join('').replaceAll('-', ''), 'hex'),
    numbers,
    Buffer.from([scopes, ...apis.map(packApi)].map((fields) => fields.join(' ')).join(API_SEPARATOR)),
  ]);
}

function unpackPayload(bytes: Buffer): TokenPayload {
  const [scopeText = '', ...apis] = bytes.toString('utf8', FIXED_FIELDS_LENGTH).split(API_SEPARATOR);
  const scopes = parseGrantedScope(scopeText);
  const packedMethods = bytes.readUInt8(56);
  const methods = AUTHENTICATION_METHODS.filter((_, index) => packedMethods & (1 << index));
  return {
    grantId: readUuid(bytes, 0),
    userId: readUuid(bytes, 16),
    sid: readUuid(bytes, 32),
    rotation: bytes.readUInt32BE(48),
    authTime: bytes.readUInt32BE(52),
    methods,
    acr: ACRS[packedMethods >> ACR_SHIFT] ?? '1',
    scopes,
    ...(apis.length > 0 && { apis: apis.map(unpackApi) }),
  };
}

// API identifiers and scopes contain no tabs or spaces.
const API_SEPARATOR = '\t';
const packApi = ({ apiId, identifier, lifetime, scopes }: ApiGrant): string[] => [
  apiId,
  String(lifetime),
  identifier,
  ...scopes,
];

function unpackApi(packed: string): ApiGrant {
  const [apiId = '', lifetime = '', identifier = '', ...scopes] = packed.split(' ');
  return { apiId, lifetime: Number(lifetime), identifier, scopes };
}

function readUuid(bytes: Buffer, offset: number): string {
  const hex = bytes.toString('hex', offset, offset + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
