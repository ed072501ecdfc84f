// Digests that are stored instead of tokens and secrets (ADR 18).
import { hash } from 'node:crypto';

/**
 * The first byte of a digest identifies its kind. It isn't part of the hashed value, so clients can't choose it. Stored
 * digests contain these numbers, so a number must never be reused.
 */
const DIGEST_KINDS = {
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
  providerState: 12,
} as const;

/** Returns the kind byte, followed by the SHA-256 hash of the unambiguously encoded values. */
function computeDigest(kind: keyof typeof DIGEST_KINDS, value: string, ...others: string[]): Buffer {
  const input = others.length === 0 ? value : JSON.stringify([value, ...others]);
  return Buffer.concat([Buffer.of(DIGEST_KINDS[kind]), hash('sha256', input, 'buffer')]);
}

/** The hashes of client secrets and API secrets have no kind byte, unlike all digests below. */
export const clientSecretHash = (secret: string): Buffer => hash('sha256', secret, 'buffer');

export const assertionDigest = (clientId: string, jti: string): Buffer =>
  computeDigest('clientAssertion', clientId, jti);

export const sessionDigest = (id: string): Buffer => computeDigest('session', id);

/** Digest of an access token for this service, the only kind of access token that the userinfo endpoint accepts. */
export const accessTokenDigest = (token: string): Buffer => computeDigest('accessToken', token);

/** Digest of an access token for an API (RFC 8707). */
export const apiAccessTokenDigest = (token: string): Buffer => computeDigest('apiAccessToken', token);

/** Digest of an access token from the client_credentials grant. */
export const serviceTokenDigest = (token: string): Buffer => computeDigest('serviceToken', token);

export const deviceCodeDigest = (code: string): Buffer => computeDigest('deviceCode', code);

export const emailedLinkDigest = (token: string): Buffer => computeDigest('emailedLink', token);

/** The digest includes the account id so that the same code has a different digest in each account. */
export const recoveryCodeDigest = (userId: string, code: string): Buffer =>
  computeDigest('recoveryCode', userId, code);

export const rememberedDeviceDigest = (token: string): Buffer => computeDigest('rememberedDevice', token);

/** Digest of the `state` of a sign-in through an identity provider, which is stored to prevent reuse. */
export const providerStateDigest = (state: string): Buffer => computeDigest('providerState', state);

/** Digest of an answered passkey challenge, which is stored to prevent reuse. */
export const challengeDigest = (challenge: string): Buffer => computeDigest('challenge', challenge);

/** @param values the values that identify a single submission of a form, such as its path and CSRF token */
export const formTokenDigest = (...values: [string, ...string[]]): Buffer =>
  computeDigest('formToken', ...values);
