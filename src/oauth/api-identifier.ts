// Validates API identifiers (resource URIs) at registration.
import { toIdentifierKey } from './api.ts';

const MAX_LENGTH = 500;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Keys of error messages in the i18n dictionaries. */
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
 * Returns why an API identifier can't be registered, or undefined if it can. Identifiers must be normalized URLs,
 * because clients' URL libraries normalize them, and so that no variant of another API's identifier can be registered.
 * @param baseUrl this service's URL, which can't be an API's identifier
 * @param production whether the service runs in production, where `http://` is rejected even for localhost
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
  // The URL class also accepts https:host and https:///host, although they contain no authority (RFC 3986 §3.2).
  if (/^https?:$/.test(protocol) && !/^https?:\/\/[^/]/i.test(identifier)) return 'identifierNotAbsolute';
  const isLocalDevelopment = protocol === 'http:' && !production && LOCAL_HOSTS.includes(hostname);
  if (protocol !== 'https:' && !isLocalDevelopment) return 'identifierNotHttps';
  if (username !== '' || password !== '' || /^[^/]+:\/\/[^/]*@/.test(identifier)) return 'identifierUserInfo';
  if (withoutTrailingDot(origin) === new URL(baseUrl).origin) return 'identifierReserved';
  return toIdentifierKey(identifier) === canonicalizeApiIdentifier(identifier)
    ? undefined
    : 'identifierNotCanonical';
}

/** Normalizes an API identifier as URL libraries do, and removes a trailing dot from the identifier's host. */
export const canonicalizeApiIdentifier = (identifier: string): string =>
  withoutTrailingDot(toIdentifierKey(new URL(identifier).href));

/** Removes a trailing dot from a URL's host, because a host name identifies the same host with and without the dot. */
const withoutTrailingDot = (url: string): string => url.replace(/^(https?:\/\/[^/:]*?)\.+(?=[/:]|$)/, '$1');
