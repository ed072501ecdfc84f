// Signed tokens: access tokens (RFC 9068) and id_tokens (OpenID Connect Core §2), and the published keys.
import { createHash, type KeyObject, randomUUID, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { type JWK, jwtVerify } from 'jose';
import type { Scope } from './scopes.ts';

/** The algorithms in use: ES256 for access tokens (D23), RS256 for id_tokens (D24). */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** A key that signs: the private half in memory, the public half as it is published. */
export interface SigningKey {
  kid: string;
  algorithm: SigningAlgorithm;
  privateKey: KeyObject;
  publicKey: KeyObject;
  publicJwk: JWK;
}

export type SigningKeys = Record<SigningAlgorithm, SigningKey>;

export interface AccessTokenClaims {
  issuer: string;
  userId: string;
  clientId: string;
  scopes: readonly Scope[];
  grantId: string;
  /** Seconds since 1970. */
  issuedAt: number;
  /** Seconds. */
  lifetime: number;
}

/**
 * Signs an access token (RFC 9068 §2). Its `jti` begins with the grant, which lets an expired token revoke it. Signed in
 * place: an ES256 signature costs less than the way to another thread and back (ADR 7).
 */
export function signAccessToken({ ES256: key }: SigningKeys, claims: AccessTokenClaims): string {
  const input = signingInput('ES256', 'at+jwt', key.kid, {
    iss: claims.issuer,
    sub: claims.userId,
    aud: claims.issuer,
    client_id: claims.clientId,
    scope: claims.scopes.join(' '),
    iat: claims.issuedAt,
    exp: claims.issuedAt + claims.lifetime,
    jti: `${claims.grantId}.${randomUUID()}`,
  });
  const signature = sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

/**
 * Reads the grant and the application out of an access token that this service signed, expired or not; undefined for
 * anything else.
 */
export async function openAccessToken(
  keys: SigningKeys,
  token: string,
): Promise<{ grantId: string; clientId: string } | undefined> {
  if (!/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(token)) return undefined;
  try {
    const { payload } = await jwtVerify(token, keys.ES256.publicKey, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      currentDate: new Date(0), // the lifetime does not matter here: what is expired may still be revoked
    });
    const grantId = payload.jti?.split('.')[0];
    return grantId === undefined ? undefined : { grantId, clientId: String(payload.client_id) };
  } catch {
    return undefined;
  }
}

export interface IdTokenClaims {
  issuer: string;
  userId: string;
  clientId: string;
  nonce: string | undefined;
  authTime: number;
  sid: string;
  accessToken: string;
  issuedAt: number;
  lifetime: number;
}

/**
 * Signs an id_token with `nonce`, `auth_time`, `at_hash` and `sid` (OpenID Connect Core §2, §3.1.3.6; D24). An RS256
 * signature takes six times as long as an ES256 one: it is made on another thread.
 */
export async function signIdToken({ RS256: key }: SigningKeys, claims: IdTokenClaims): Promise<string> {
  const input = signingInput('RS256', 'JWT', key.kid, {
    iss: claims.issuer,
    sub: claims.userId,
    aud: claims.clientId,
    iat: claims.issuedAt,
    exp: claims.issuedAt + claims.lifetime,
    auth_time: claims.authTime,
    nonce: claims.nonce, // left out where there is none
    at_hash: createHash('sha256').update(claims.accessToken).digest().subarray(0, 16).toString('base64url'),
    sid: claims.sid,
  });
  const signature = await signElsewhere('sha256', Buffer.from(input), key.privateKey);
  return `${input}.${signature.toString('base64url')}`;
}

const signElsewhere = promisify(sign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

/** Header and payload of a JWT in compact form, which is what gets signed (RFC 7515 §5.1). */
function signingInput(alg: SigningAlgorithm, typ: string, kid: string, payload: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ alg, typ, kid })}.${encode(payload)}`;
}
