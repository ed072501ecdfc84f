// Digests that are stored instead of tokens and secrets (ADR 18).
import { hash } from 'node:crypto';

/** The first byte of each stored digest. Clients can't choose it. Never reuse a number. */
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

function computeDigest(kind: keyof typeof DIGEST_KINDS, value: string, ...others: string[]): Buffer {
  const input = others.length === 0 ? value : JSON.stringify([value, ...others]);
  return Buffer.concat([Buffer.of(DIGEST_KINDS[kind]), hash('sha256', input, 'buffer')]);
}

/** Hash of a client secret or API secret, without a kind byte. */
export const clientSecretHash = (secret: string): Buffer => hash('sha256', secret, 'buffer');

export const assertionDigest = (clientId: string, jti: string): Buffer =>
  computeDigest('clientAssertion', clientId, jti);

export const sessionDigest = (id: string): Buffer => computeDigest('session', id);

/** For access tokens with this service as the audience. */
export const accessTokenDigest = (token: string): Buffer => computeDigest('accessToken', token);

/** For access tokens with an API as the audience (RFC 8707). */
export const apiAccessTokenDigest = (token: string): Buffer => computeDigest('apiAccessToken', token);

/** For access tokens from the client_credentials grant. */
export const serviceTokenDigest = (token: string): Buffer => computeDigest('serviceToken', token);

export const deviceCodeDigest = (code: string): Buffer => computeDigest('deviceCode', code);

export const emailedLinkDigest = (token: string): Buffer => computeDigest('emailedLink', token);

/** Two accounts with the same code have different digests. */
export const recoveryCodeDigest = (userId: string, code: string): Buffer =>
  computeDigest('recoveryCode', userId, code);

export const rememberedDeviceDigest = (token: string): Buffer => computeDigest('rememberedDevice', token);

export const providerStateDigest = (state: string): Buffer => computeDigest('providerState', state);

export const challengeDigest = (challenge: string): Buffer => computeDigest('challenge', challenge);

/** @param values values that identify one submission of a form, such as its path and CSRF token */
export const formTokenDigest = (...values: [string, ...string[]]): Buffer =>
  computeDigest('formToken', ...values);
