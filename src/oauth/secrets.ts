// Random identifiers and secrets (D33).
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { uuidOf } from './uuid.ts';

/** A new 256-bit random value: session ids, browser ids. 43 base64url characters. */
export const randomSecret = (): string => randomBytes(32).toString('base64url');

/**
 * A new 256-bit random value after the id of the account that it belongs to: session ids, mailed links. The id tells the
 * database where to look (docs/scaling.md); only the digest of the whole decides. 64 base64url characters.
 * @param userId a UUID
 * @param bits 32 bytes nobody can guess
 */
export const newAccountSecret = (userId: string, bits: Buffer = randomBytes(32)): string =>
  Buffer.concat([Buffer.from(userId.replaceAll('-', ''), 'hex'), bits]).toString('base64url');

/** The account id that such a value begins with, which its bearer may have chosen; undefined for any other text. */
export function accountOfSecret(secret: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{64}$/.test(secret)) return undefined;
  return uuidOf(Buffer.from(secret, 'base64url').subarray(0, 16));
}

/** A new public client identifier: letters, digits, `_` and `-` only. */
export const newClientId = (): string => `app_${randomBytes(15).toString('base64url')}`;

/** A new identifier of an API: the name under which it authenticates, never a client_id. */
export const newApiId = (): string => `api_${randomBytes(15).toString('base64url')}`;

/** Whether a text could be the identifier of an API. */
export const isApiIdShaped = (text: string): boolean => /^api_[A-Za-z0-9_-]{20}$/.test(text);

/** The identifier of an agent that registers itself (RFC 7591). */
export const newAgentId = (): string => `agent_${randomBytes(15).toString('base64url')}`;

/** Whether a text is the identifier of an agent that registered itself: those of applications begin otherwise. */
export const isAgentId = (text: string): boolean => text.startsWith('agent_');

/** Whether a text could be the address of an agent's document, by which it is called: nothing that is registered here is spelled so. */
export const isAgentAddress = (text: string): boolean =>
  text.length <= 500 && /^https?:\/\/[\x21-\x7e]+$/.test(text);

/** Whether a text could be a client identifier at all; nothing else is worth asking the database for. */
export const isClientIdShaped = (text: string): boolean =>
  /^[A-Za-z0-9_-]{1,64}$/.test(text) || isAgentAddress(text);

/** What secrets begin with: scanners recognise them by it, and people one of an API from one of an application. */
export const SECRET_PREFIX = 'sesame_secret_';
export const API_SECRET_PREFIX = 'sesame_api_secret_';

/** A client secret: a prefix that scanners recognise, 256 bits, a checksum of both. @param bits 32 bytes nobody can guess */
export const clientSecretOf = (bits: Buffer): string => secretOf(SECRET_PREFIX, bits);

/** The secret of an API (D56), of the same form. @param bits 32 bytes nobody can guess */
export const apiSecretOf = (bits: Buffer): string => secretOf(API_SECRET_PREFIX, bits);

function secretOf(prefix: string, bits: Buffer): string {
  const body = `${prefix}${bits.toString('base64url')}`;
  return `${body}${checksum(body)}`;
}

/** A new client secret, of random bits. */
export const newClientSecret = (): string => clientSecretOf(randomBytes(32));

/** A new secret of an API, of random bits. */
export const newApiSecret = (): string => apiSecretOf(randomBytes(32));

/** What its owner recognises a secret by; the checksum's end, which says nothing that helps to guess the rest (D32). */
export const endingOf = (secret: string): string => secret.slice(-4);

/** Whether a text is a well-formed client secret of this service, as a scanner for leaked ones would ask. */
export const isClientSecretShaped = (text: string): boolean => isSecretShaped(SECRET_PREFIX, text);

/** The same of an API's. */
export const isApiSecretShaped = (text: string): boolean => isSecretShaped(API_SECRET_PREFIX, text);

const isSecretShaped = (prefix: string, text: string): boolean =>
  text.startsWith(prefix) &&
  /^[A-Za-z0-9_-]{49}$/.test(text.slice(prefix.length)) &&
  checksum(text.slice(0, -6)) === text.slice(-6);

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64url');
}
