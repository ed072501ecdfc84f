// Signs and reads access tokens (RFC 9068), id_tokens and logout tokens.

import { hash, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type JWK, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { type Acr, type AuthenticationMethod, toAmr } from '../oauth/authentication-methods.ts';
import { LOGOUT_TOKEN_TTL } from '../oauth/lifetimes.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';

export interface SigningKey {
  kid: string;
  algorithm: SigningAlgorithm;
  privateKey: KeyObject;
  publicKey: KeyObject;
  publicJwk: JWK;
}

export interface SigningKeys extends Record<SigningAlgorithm, SigningKey> {
  published: readonly SigningKey[];
}

export interface AccessTokenClaims {
  issuer: string;
  userId: string;
  clientId: string;
  scopes: readonly string[];
  /** Absent if the audience is this service. */
  audience?: string | undefined;
  grantId: string;
  /** Unix time in seconds. */
  issuedAt: number;
  lifetime: number;
}

/**
 * The `jti` of a token for this service starts with the grant ID, so a client can revoke the grant
 * by sending an expired token.
 */
export const signAccessToken = (keys: SigningKeys, claims: AccessTokenClaims): string =>
  signAccessTokenFor(
    claims.userId,
    claims.audience === undefined ? `${claims.grantId}.${randomUUID()}` : randomUUID(),
    keys,
    claims,
  );

type ServiceTokenClaims = Omit<AccessTokenClaims, 'userId' | 'grantId'>;

/** The subject is the client (RFC 9068 §2.2). */
export const signServiceToken = (keys: SigningKeys, claims: ServiceTokenClaims): string =>
  signAccessTokenFor(claims.clientId, randomUUID(), keys, claims);

/** Signs without jose, whose switch to another thread takes longer than the signature (ADR 7). */
function signAccessTokenFor(
  sub: string,
  jti: string,
  { ES256: key }: SigningKeys,
  claims: ServiceTokenClaims,
): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const payload = {
    iss: claims.issuer,
    sub,
    aud: claims.audience ?? claims.issuer,
    client_id: claims.clientId,
    ...(claims.scopes.length > 0 && { scope: claims.scopes.join(' ') }),
    iat: claims.issuedAt,
    exp: claims.issuedAt + claims.lifetime,
    jti,
  };
  const input = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })}.${encode(payload)}`;
  return `${input}.${signEs256(Buffer.from(input), key.privateKey).toString('base64url')}`;
}

/** Verifies the signature, not the expiry. Access tokens for APIs contain no grant ID. Returns undefined for an invalid token. */
export async function readSignedAccessToken(
  keys: SigningKeys,
  token: string,
): Promise<{ userId: string; grantId: string | undefined; clientId: string } | undefined> {
  if (!/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(token)) return undefined;
  try {
    const { payload } = await jwtVerify(token, findPublishedKey(keys), {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      // Accept expired tokens because clients may revoke them.
      currentDate: new Date(0),
    });
    const [grantId, suffix] = String(payload.jti).split('.');
    return {
      userId: String(payload.sub),
      grantId: suffix === undefined ? undefined : grantId,
      clientId: String(payload.client_id),
    };
  } catch {
    return undefined;
  }
}

/**
 * Verifies the signature, not the expiry. An id_token_hint may be expired (OpenID Connect Core §3.1.2.1).
 * Returns undefined for an invalid token.
 */
export async function readSignedIdToken(
  keys: SigningKeys,
  issuer: string,
  token: string,
): Promise<{ userId: string; clientId: string; sid: string } | undefined> {
  try {
    const { payload } = await jwtVerify(token, findPublishedKey(keys), {
      issuer,
      typ: 'JWT',
      currentDate: new Date(0),
    });
    const { sub, aud, sid } = payload;
    if (typeof sub !== 'string' || typeof aud !== 'string' || typeof sid !== 'string') return undefined;
    return { userId: sub, clientId: aud, sid };
  } catch {
    return undefined;
  }
}

const findPublishedKey =
  (keys: SigningKeys) =>
  ({ kid, alg }: JWTHeaderParameters): KeyObject => {
    const key = keys.published.find((published) => published.kid === kid && published.algorithm === alg);
    if (key === undefined) throw new Error('The token was not signed with a published key.');
    return key.publicKey;
  };

export interface IdTokenClaims {
  issuer: string;
  userId: string;
  clientId: string;
  nonce: string | undefined;
  authTime: number;
  methods: readonly AuthenticationMethod[];
  acr: Acr;
  sid: string;
  accessToken: string;
  issuedAt: number;
  lifetime: number;
  userClaims: Record<string, unknown>;
}

export async function signIdToken(
  keys: SigningKeys,
  claims: IdTokenClaims,
  algorithm: SigningAlgorithm = 'RS256',
): Promise<string> {
  const amr = toAmr(claims.methods);
  return signJwt(keys[algorithm], 'JWT', {
    // User claims come first so that they can't override the protocol claims.
    ...claims.userClaims,
    iss: claims.issuer,
    sub: claims.userId,
    aud: claims.clientId,
    iat: claims.issuedAt,
    exp: claims.issuedAt + claims.lifetime,
    auth_time: claims.authTime,
    acr: claims.acr,
    ...(amr.length > 0 && { amr }),
    nonce: claims.nonce,
    at_hash: computeAtHash(claims.accessToken, algorithm),
    sid: claims.sid,
  });
}

/** See OpenID Connect Back-Channel Logout §2.4. */
export async function signLogoutToken(
  keys: SigningKeys,
  claims: Pick<IdTokenClaims, 'issuer' | 'userId' | 'clientId' | 'sid' | 'issuedAt'>,
  algorithm: SigningAlgorithm,
): Promise<string> {
  return signJwt(keys[algorithm], 'logout+jwt', {
    iss: claims.issuer,
    aud: claims.clientId,
    iat: claims.issuedAt,
    exp: claims.issuedAt + LOGOUT_TOKEN_TTL,
    jti: randomUUID(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sub: claims.userId,
    sid: claims.sid,
  });
}

const signJwt = (
  { kid, algorithm, privateKey }: SigningKey,
  typ: string,
  payload: JWTPayload,
): Promise<string> => new SignJWT(payload).setProtectedHeader({ alg: algorithm, typ, kid }).sign(privateKey);

/** The left half of the access token's hash (OpenID Connect Core §3.1.3.6). */
function computeAtHash(accessToken: string, algorithm: SigningAlgorithm): string {
  const digest = hash(algorithm === 'EdDSA' ? 'sha512' : 'sha256', accessToken, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

const COORDINATE_LENGTH = 32;
const DER_HEADER_LENGTH = 2;

/** Converting DER to the JWS format (RFC 7518 §3.4) is twice as fast as Node's `dsaEncoding`. */
export function signEs256(data: Buffer, key: KeyObject): Buffer {
  const der = sign('sha256', data, key);
  const signature = Buffer.alloc(2 * COORDINATE_LENGTH);
  // DER omits leading zero bytes, but adds one if the integer would otherwise be negative.
  let offset = DER_HEADER_LENGTH;
  for (const end of [COORDINATE_LENGTH, 2 * COORDINATE_LENGTH]) {
    const start = offset + DER_HEADER_LENGTH;
    offset = start + (der[offset + 1] ?? 0);
    const bytes = der.subarray(Math.max(start, offset - COORDINATE_LENGTH), offset);
    signature.set(bytes, end - bytes.length);
  }
  return signature;
}
