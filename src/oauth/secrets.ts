// Generates and recognizes random IDs and secrets.
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { formatUuid } from './uuid.ts';

/** 256 bits in base64url. */
export const randomSecret = (): string => randomBytes(32).toString('base64url');

/**
 * For session IDs and links in emails. The account ID determines the shard (docs/scaling.md). Don't trust the
 * account ID until the secret's digest has been found in the database.
 * @param entropy 32 random bytes
 */
export const newAccountSecret = (userId: string, entropy: Buffer = randomBytes(32)): string =>
  Buffer.concat([Buffer.from(userId.replaceAll('-', ''), 'hex'), entropy]).toString('base64url');

/** Returns the unverified account ID in a secret from `newAccountSecret`, or undefined for other strings. */
export function parseSecretUserId(secret: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{64}$/.test(secret)) return undefined;
  return formatUuid(Buffer.from(secret, 'base64url').subarray(0, 16));
}

export const newClientId = (): string => `app_${randomBytes(15).toString('base64url')}`;

export const newApiId = (): string => `api_${randomBytes(15).toString('base64url')}`;

export const isWellFormedApiId = (value: string): boolean => /^api_[A-Za-z0-9_-]{20}$/.test(value);

export const newDynamicClientId = (): string => `agent_${randomBytes(15).toString('base64url')}`;

export const isDynamicClientId = (value: string): boolean => value.startsWith('agent_');

/** Metadata clients have a URL as their client_id. */
export const isMetadataClientId = (value: string): boolean =>
  value.length <= 500 && /^https?:\/\/[\x21-\x7e]+$/.test(value);

export const isWellFormedClientId = (value: string): boolean =>
  /^[A-Za-z0-9_-]{1,64}$/.test(value) || isMetadataClientId(value);

/** The prefix lets secret scanners and users recognize a secret. */
export const CLIENT_SECRET_PREFIX = 'sesame_secret_';
export const API_SECRET_PREFIX = 'sesame_api_secret_';

/**
 * Formats a secret as a prefix, 256 bits and a checksum.
 * @param entropy 32 random bytes
 */
export const formatClientSecret = (entropy: Buffer): string => formatSecret(CLIENT_SECRET_PREFIX, entropy);

export const formatApiSecret = (entropy: Buffer): string => formatSecret(API_SECRET_PREFIX, entropy);

function formatSecret(prefix: string, entropy: Buffer): string {
  const body = `${prefix}${entropy.toString('base64url')}`;
  return `${body}${computeChecksum(body)}`;
}

export const newClientSecret = (): string => formatClientSecret(randomBytes(32));

export const newApiSecret = (): string => formatApiSecret(randomBytes(32));

/** Owners recognize a secret by its suffix, which is part of the checksum. */
export const getSecretSuffix = (secret: string): string => secret.slice(-4);

export const isWellFormedClientSecret = (value: string): boolean =>
  isWellFormedSecret(CLIENT_SECRET_PREFIX, value);

export const isWellFormedApiSecret = (value: string): boolean => isWellFormedSecret(API_SECRET_PREFIX, value);

const isWellFormedSecret = (prefix: string, value: string): boolean =>
  value.startsWith(prefix) &&
  /^[A-Za-z0-9_-]{49}$/.test(value.slice(prefix.length)) &&
  computeChecksum(value.slice(0, -6)) === value.slice(-6);

function computeChecksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64url');
}
