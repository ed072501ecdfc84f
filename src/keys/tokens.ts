// Signed tokens: access tokens (RFC 9068) and id_tokens (OpenID Connect Core §2), and the published keys.

import { hash, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type JWK, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { type Acr, amrOf, type Method } from '../oauth/authentication-methods.ts';
import { LOGOUT_TOKEN } from '../oauth/lifetimes.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';

/** A key that signs: the private half in memory, the public half as it is published. */
export interface SigningKey {
  kid: string;
  algorithm: SigningAlgorithm;
  privateKey: KeyObject;
  publicKey: KeyObject;
  publicJwk: JWK;
}

/** The key of each algorithm that signs now, and all that are published: those before, those to come. */
export interface SigningKeys extends Record<SigningAlgorithm, SigningKey> {
  published: readonly SigningKey[];
}

export interface AccessTokenClaims {
  issuer: string;
  userId: string;
  clientId: string;
  scopes: readonly string[];
  /** The identifier of the API that it is for; absent: this service itself (D47). */
  audience?: string | undefined;
  grantId: string;
  /** Seconds since 1970. */
  issuedAt: number;
  lifetime: number;
}

/**
 * Signs an access token (RFC 9068 §2). The `jti` of a token for this service begins with the grant's id, so that an expired
 * token can revoke the grant. A token for an API is shown to its owner, so its `jti` is random.
 */
export const signAccessToken = (keys: SigningKeys, claims: AccessTokenClaims): string =>
  signFor(
    claims.userId,
    claims.audience === undefined ? `${claims.grantId}.${randomUUID()}` : randomUUID(),
    keys,
    claims,
  );

type ServiceTokenClaims = Omit<AccessTokenClaims, 'userId' | 'grantId'>;

/** Signs an access token of a client on its own account, which is its own subject (RFC 9068 §2.2). */
export const signServiceToken = (keys: SigningKeys, claims: ServiceTokenClaims): string =>
  signFor(claims.clientId, randomUUID(), keys, claims);

/** Signs without jose, because ES256 costs less than the way to another thread and back (ADR 7). */
function signFor(sub: string, jti: string, { ES256: key }: SigningKeys, claims: ServiceTokenClaims): string {
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

/** Reads subject, client, and the grant if it is for this service, from an access token that we signed, expired or not. */
export async function openAccessToken(
  keys: SigningKeys,
  token: string,
): Promise<{ userId: string; grantId: string | undefined; clientId: string } | undefined> {
  if (!/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(token)) return undefined;
  try {
    const { payload } = await jwtVerify(token, publishedKey(keys), {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      currentDate: new Date(0), // the lifetime does not matter here: what is expired may still be revoked
    });
    const [grantId, unique] = String(payload.jti).split('.');
    return {
      userId: String(payload.sub),
      grantId: unique === undefined ? undefined : grantId,
      clientId: String(payload.client_id),
    };
  } catch {
    return undefined;
  }
}

/**
 * Reads the user, client and session from an id_token of this service, expired or not: hints may be old (OpenID Connect
 * Core §3.1.2.1, RP-Initiated Logout §2).
 */
export async function openIdToken(
  keys: SigningKeys,
  issuer: string,
  token: string,
): Promise<{ userId: string; clientId: string; sid: string } | undefined> {
  try {
    const { payload } = await jwtVerify(token, publishedKey(keys), {
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

/** Finds the key that a token names in its header, whether it still signs or not. */
const publishedKey =
  (keys: SigningKeys) =>
  ({ kid, alg }: JWTHeaderParameters): KeyObject => {
    const key = keys.published.find((one) => one.kid === kid && one.algorithm === alg);
    if (key === undefined) throw new Error('no key of this service');
    return key.publicKey;
  };

export interface IdTokenClaims {
  issuer: string;
  userId: string;
  clientId: string;
  nonce: string | undefined;
  authTime: number;
  methods: readonly Method[];
  acr: Acr;
  sid: string;
  accessToken: string;
  issuedAt: number;
  lifetime: number;
  /** What it tells of the person besides (OpenID Connect Core §5.4); empty: who they are, and no more. */
  person: Record<string, unknown>;
}

/** Signs an id_token with `nonce`, `auth_time`, `at_hash` and `sid` (OpenID Connect Core §2, §3.1.3.6). */
export async function signIdToken(
  keys: SigningKeys,
  claims: IdTokenClaims,
  algorithm: SigningAlgorithm = 'RS256',
): Promise<string> {
  return signed(keys[algorithm], 'JWT', {
    ...claims.person, // first: nothing of it can stand for what follows
    iss: claims.issuer,
    sub: claims.userId,
    aud: claims.clientId,
    iat: claims.issuedAt,
    exp: claims.issuedAt + claims.lifetime,
    auth_time: claims.authTime,
    acr: claims.acr,
    amr: amrOf(claims.methods),
    nonce: claims.nonce, // left out where there is none
    at_hash: atHash(claims.accessToken, algorithm),
    sid: claims.sid,
  });
}

/** Signs a logout token for one client of a session that has ended (OpenID Connect Back-Channel Logout §2.4). */
export async function signLogoutToken(
  keys: SigningKeys,
  claims: Pick<IdTokenClaims, 'issuer' | 'userId' | 'clientId' | 'sid' | 'issuedAt'>,
  algorithm: SigningAlgorithm,
): Promise<string> {
  return signed(keys[algorithm], 'logout+jwt', {
    iss: claims.issuer,
    aud: claims.clientId,
    iat: claims.issuedAt,
    exp: claims.issuedAt + LOGOUT_TOKEN,
    jti: randomUUID(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sub: claims.userId,
    sid: claims.sid,
  });
}

/** @param payload members that are undefined are left out */
const signed = (
  { kid, algorithm, privateKey }: SigningKey,
  typ: string,
  payload: JWTPayload,
): Promise<string> => new SignJWT(payload).setProtectedHeader({ alg: algorithm, typ, kid }).sign(privateKey);

/** The left half of the digest that goes with the algorithm: SHA-512 for Ed25519 (OpenID Connect Core §3.1.3.6). */
function atHash(accessToken: string, algorithm: SigningAlgorithm): string {
  const digest = hash(algorithm === 'EdDSA' ? 'sha512' : 'sha256', accessToken, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

const NUMBER = 32;
const INTEGER_HEAD = 2;

/** Signs with the two numbers side by side. Node's `dsaEncoding` does the same, but takes twice the time. */
export function signEs256(data: Buffer, key: KeyObject): Buffer {
  const der = sign('sha256', data, key);
  const signature = Buffer.alloc(2 * NUMBER);
  // A sequence of two integers: as short as they can be, or with a zero before them that keeps them positive.
  let at = INTEGER_HEAD;
  for (const end of [NUMBER, 2 * NUMBER]) {
    const start = at + INTEGER_HEAD;
    at = start + (der[at + 1] ?? 0);
    const digits = der.subarray(Math.max(start, at - NUMBER), at);
    signature.set(digits, end - digits.length);
  }
  return signature;
}
