// Validates API identifiers (resource URIs) at registration.
import { toIdentifierKey } from './api.ts';

const MAX_IDENTIFIER_LENGTH = 500;
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Message keys in src/i18n. */
export type ApiIdentifierError =
  | 'identifierMissing'
  | 'identifierTooLong'
  | 'identifierCharacters'
  | 'identifierFragment'
  | 'identifierQuery'
  | 'identifierNotAbsolute'
  | 'identifierUserInfo'
  | 'identifierNotHttps'
  | 'identifierReserved'
  | 'identifierNotCanonical';

/**
 * Returns undefined for a valid identifier. URL libraries may normalize identifiers, so only normalized ones
 * are valid.
 * @param baseUrl identifiers with this URL's origin are rejected
 * @param production whether to reject `http://` for localhost
 */
export function validateApiIdentifier(
  identifier: string,
  { baseUrl, production }: { baseUrl: string; production: boolean },
): ApiIdentifierError | undefined {
  if (identifier === '') return 'identifierMissing';
  if (identifier.length > MAX_IDENTIFIER_LENGTH) return 'identifierTooLong';
  if (!/^[\x21-\x7e]+$/.test(identifier)) return 'identifierCharacters';
  if (identifier.includes('#')) return 'identifierFragment';
  if (identifier.includes('?')) return 'identifierQuery';
  if (!URL.canParse(identifier)) return 'identifierNotAbsolute';
  const { protocol, username, password, hostname, origin } = new URL(identifier);
  // The URL class also accepts https:host and https:///host, which aren't valid URLs.
  if (/^https?:$/.test(protocol) && !/^https?:\/\/[^/]/i.test(identifier)) return 'identifierNotAbsolute';
  const isLocalDevelopment = protocol === 'http:' && !production && LOOPBACK_HOSTS.includes(hostname);
  if (protocol !== 'https:' && !isLocalDevelopment) return 'identifierNotHttps';
  if (username !== '' || password !== '' || /^[^/]+:\/\/[^/]*@/.test(identifier)) return 'identifierUserInfo';
  if (removeTrailingDots(origin) === new URL(baseUrl).origin) return 'identifierReserved';
  return toIdentifierKey(identifier) === canonicalizeApiIdentifier(identifier)
    ? undefined
    : 'identifierNotCanonical';
}

/** Normalizes an API identifier as URL libraries do. */
export const canonicalizeApiIdentifier = (identifier: string): string =>
  removeTrailingDots(toIdentifierKey(new URL(identifier).href));

/** `example.com.` is the same host as `example.com`. */
const removeTrailingDots = (url: string): string => url.replace(/^(https?:\/\/[^/:]*?)\.+(?=[/:]|$)/, '$1');
