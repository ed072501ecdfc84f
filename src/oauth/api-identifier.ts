// Validates API identifiers (resource URIs) at registration.
import { toIdentifierKey } from './api.ts';

const MAX_LENGTH = 500;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Each value is the key of an error message in the i18n dictionaries. */
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
 * Returns why an API identifier can't be registered, or undefined if it can. Identifiers must already be normalized
 * because clients' URL libraries may normalize them before sending them.
 * @param baseUrl this service's URL. Identifiers with the same origin are rejected.
 * @param production whether to reject `http://` even for localhost
 */
export function validateApiIdentifier(
  identifier: string,
  { baseUrl, production }: { baseUrl: string; production: boolean },
): ApiIdentifierError | undefined {
  if (identifier === '') return 'identifierMissing';
  if (identifier.length > MAX_LENGTH) return 'identifierTooLong';
  if (!/^[\x21-\x7e]+$/.test(identifier)) return 'identifierCharacters';
  if (identifier.includes('#')) return 'identifierFragment';
  if (identifier.includes('?')) return 'identifierQuery';
  if (!URL.canParse(identifier)) return 'identifierNotAbsolute';
  const { protocol, username, password, hostname, origin } = new URL(identifier);
  // Rejects https:host and https:///host, which the URL class accepts.
  if (/^https?:$/.test(protocol) && !/^https?:\/\/[^/]/i.test(identifier)) return 'identifierNotAbsolute';
  const isLocalDevelopment = protocol === 'http:' && !production && LOCAL_HOSTS.includes(hostname);
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

/** Removes trailing dots from the host name because `example.com.` is the same host as `example.com`. */
const removeTrailingDots = (url: string): string => url.replace(/^(https?:\/\/[^/:]*?)\.+(?=[/:]|$)/, '$1');
