// Digests that are stored instead of tokens and secrets (ADR 18).
import { hash } from 'node:crypto';

/**
 * The first byte of each digest, which identifies its kind. The byte isn't part of the hashed value, so no client can choose
 * it. The numbers are stored, so they must never be reused for a different kind.
 */
const KINDS = {
  session: 1,
  accessToken: 2,
  apiAccessToken: 3,
  serviceToken: 4,
  deviceCode: 5,
  emailedLink: 6,
  formToken: 7,
  clientAssertion: 8,
  recoveryCode: 9,
  rememberedDevice: 10,
  challenge: 11,
} as const;

/** Returns 33 bytes: the kind, and the SHA-256 of the values. Several values are encoded unambiguously. */
function digest(kind: keyof typeof KINDS, value: string, ...others: string[]): Buffer {
  const input = others.length === 0 ? value : JSON.stringify([value, ...others]);
  return Buffer.concat([Buffer.of(KINDS[kind]), hash('sha256', input, 'buffer')]);
}

/** Returns the secret's SHA-256, which is 32 bytes long, without a byte for the kind. */
export const clientSecretHash = (secret: string): Buffer => hash('sha256', secret, 'buffer');

export const assertionDigest = (clientId: string, jti: string): Buffer =>
  digest('clientAssertion', clientId, jti);

export const sessionDigest = (id: string): Buffer => digest('session', id);

/** For access tokens whose audience is this service. This service's endpoints accept no other access tokens. */
export const accessTokenDigest = (token: string): Buffer => digest('accessToken', token);

/** For access tokens whose audience is an API (RFC 8707). Lookups by the userinfo endpoint never find these digests. */
export const apiAccessTokenDigest = (token: string): Buffer => digest('apiAccessToken', token);

/** For access tokens from the client_credentials grant. */
export const serviceTokenDigest = (token: string): Buffer => digest('serviceToken', token);

export const deviceCodeDigest = (code: string): Buffer => digest('deviceCode', code);

export const emailedLinkDigest = (token: string): Buffer => digest('emailedLink', token);

/** Includes the account id, so that two accounts' equal recovery codes have different digests. */
export const recoveryCodeDigest = (userId: string, code: string): Buffer =>
  digest('recoveryCode', userId, code);

export const rememberedDeviceDigest = (token: string): Buffer => digest('rememberedDevice', token);

/** For answered passkey challenges, which can't be reused. */
export const challengeDigest = (challenge: string): Buffer => digest('challenge', challenge);

/** @param values the form's one-time token, and all values that distinguish the token's uses */
export const formTokenDigest = (...values: [string, ...string[]]): Buffer => digest('formToken', ...values);
