// Digests that are stored instead of tokens and secrets (ADR 18).
import { hash } from 'node:crypto';

/**
 * The first byte of a digest identifies its kind. It isn't part of the hashed value, so no client can choose it. The
 * stored numbers must never be reused.
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
  providerState: 12,
} as const;

/** Returns the kind byte, then the SHA-256 of the values, unambiguously encoded. */
function digest(kind: keyof typeof KINDS, value: string, ...others: string[]): Buffer {
  const input = others.length === 0 ? value : JSON.stringify([value, ...others]);
  return Buffer.concat([Buffer.of(KINDS[kind]), hash('sha256', input, 'buffer')]);
}

/** A client secret's digest has no kind byte, unlike all others. */
export const clientSecretHash = (secret: string): Buffer => hash('sha256', secret, 'buffer');

export const assertionDigest = (clientId: string, jti: string): Buffer =>
  digest('clientAssertion', clientId, jti);

export const sessionDigest = (id: string): Buffer => digest('session', id);

/** Tokens for this service. Its endpoints accept no other access tokens. */
export const accessTokenDigest = (token: string): Buffer => digest('accessToken', token);

/** Tokens for an API (RFC 8707). The userinfo endpoint never looks them up. */
export const apiAccessTokenDigest = (token: string): Buffer => digest('apiAccessToken', token);

/** Tokens from the client_credentials grant. */
export const serviceTokenDigest = (token: string): Buffer => digest('serviceToken', token);

export const deviceCodeDigest = (code: string): Buffer => digest('deviceCode', code);

export const emailedLinkDigest = (token: string): Buffer => digest('emailedLink', token);

/** The account id makes the same code's digest different in each account. */
export const recoveryCodeDigest = (userId: string, code: string): Buffer =>
  digest('recoveryCode', userId, code);

export const rememberedDeviceDigest = (token: string): Buffer => digest('rememberedDevice', token);

/** Digest of the `state` of a sign-in through an identity provider, which is stored to prevent reuse. */
export const providerStateDigest = (state: string): Buffer => digest('providerState', state);

/** Digest of an answered passkey challenge, which is stored to prevent reuse. */
export const challengeDigest = (challenge: string): Buffer => digest('challenge', challenge);

/** @param values the form's one-time token, and all values that distinguish its uses */
export const formTokenDigest = (...values: [string, ...string[]]): Buffer => digest('formToken', ...values);
