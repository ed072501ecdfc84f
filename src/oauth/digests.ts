// Digests by which stored values are recognized. None can be used in place of its value (ADR 18).
import { hash } from 'node:crypto';

/**
 * The kinds. The number is the first byte of the digest and stands outside of what is hashed: whoever presents a value
 * chooses what follows it, never the kind under which it is looked for. Numbers are stored: none is given twice.
 */
const KINDS = {
  session: 1,
  accessToken: 2,
  foreignAccessToken: 3,
  serviceToken: 4,
  deviceCode: 5,
  mailedLink: 6,
  formToken: 7,
  clientAssertion: 8,
  recoveryCode: 9,
  trustedBrowser: 10,
  challenge: 11,
} as const;

/** The number of the kind and SHA-256 of the value: 33 bytes. Several values are told apart whatever they hold. */
function digest(kind: keyof typeof KINDS, value: string, ...further: string[]): Buffer {
  const hashed = further.length === 0 ? value : JSON.stringify([value, ...further]);
  return Buffer.concat([Buffer.of(KINDS[kind]), hash('sha256', hashed, 'buffer')]);
}

/** SHA-256 of a client secret and nothing before it (D33): 32 bytes. */
export const clientSecretHash = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** An assertion by its application and its `jti`, which somebody else may know. */
export const assertionDigest = (clientId: string, jti: string): Buffer =>
  digest('clientAssertion', clientId, jti);

/** A session by the id in its cookie. */
export const sessionDigest = (id: string): Buffer => digest('session', id);

/** An access token for this service itself: the only kind that its own addresses look for. */
export const accessTokenDigest = (token: string): Buffer => digest('accessToken', token);

/** An access token for other resource servers only (RFC 8707): never found where the person behind one is looked up. */
export const foreignAccessTokenDigest = (token: string): Buffer => digest('foreignAccessToken', token);

/** An access token of an application on its own account. */
export const serviceTokenDigest = (token: string): Buffer => digest('serviceToken', token);

export const deviceCodeDigest = (code: string): Buffer => digest('deviceCode', code);

/** The token in a link that went out by mail. */
export const mailedLinkDigest = (token: string): Buffer => digest('mailedLink', token);

/** A recovery code of an account: the same code of another one has another. */
export const recoveryCodeDigest = (userId: string, code: string): Buffer =>
  digest('recoveryCode', userId, code);

/** What a browser shows in which an account asks for its password alone. */
export const trustedBrowserDigest = (token: string): Buffer => digest('trustedBrowser', token);

/** The challenge of a passkey, for having been answered. */
export const challengeDigest = (challenge: string): Buffer => digest('challenge', challenge);

/** The one-use token of a form, with all that tells one use from another. */
export const formTokenDigest = (...of: [string, ...string[]]): Buffer => digest('formToken', ...of);
