// Identifiers of APIs: which may be registered (D45).
import { identifierKey } from './api.ts';

const MAX_LENGTH = 500;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Why an identifier may not be registered; the words are in the dictionaries. */
export type IdentifierFault =
  | 'identifierMissing'
  | 'identifierTooLong'
  | 'identifierCharacters'
  | 'identifierFragment'
  | 'identifierQuery'
  | 'identifierNotAbsolute'
  | 'identifierUserInfo'
  | 'identifierNotHttps'
  | 'identifierOurs'
  | 'identifierSpelling';

/**
 * Why an identifier may not be registered, or undefined when it may. Clients send it as their URL library writes it, so it
 * has to be spelled like that; and nobody can register beside somebody else's one that merely looks different.
 * @param baseUrl this service's own address, whose tokens no API receives
 * @param production whether plain `http://` is refused on this computer, too
 */
export function identifierFault(
  identifier: string,
  { baseUrl, production }: { baseUrl: string; production: boolean },
): IdentifierFault | undefined {
  if (identifier === '') return 'identifierMissing';
  if (identifier.length > MAX_LENGTH) return 'identifierTooLong';
  if (!/^[\x21-\x7e]+$/.test(identifier)) return 'identifierCharacters';
  if (identifier.includes('#')) return 'identifierFragment';
  if (identifier.includes('?')) return 'identifierQuery';
  if (!URL.canParse(identifier)) return 'identifierNotAbsolute';
  const { protocol, username, password, hostname, origin } = new URL(identifier);
  // URL also reads https:host and https:///host, which are not what they look like (RFC 3986 §3.2).
  if (/^https?:$/.test(protocol) && !/^https?:\/\/[^/]/i.test(identifier)) return 'identifierNotAbsolute';
  const isHere = protocol === 'http:' && !production && LOCAL_HOSTS.includes(hostname);
  if (protocol !== 'https:' && !isHere) return 'identifierNotHttps';
  if (username !== '' || password !== '' || /^[^/]+:\/\/[^/]*@/.test(identifier)) return 'identifierUserInfo';
  if (withoutFinalDot(origin) === new URL(baseUrl).origin) return 'identifierOurs';
  return identifierKey(identifier) === spellingOf(identifier) ? undefined : 'identifierSpelling';
}

/** How URL libraries write it: lower case where case does not count, no port that goes without saying, no dot segments; and a host without a dot at its end. */
export const spellingOf = (identifier: string): string =>
  withoutFinalDot(identifierKey(new URL(identifier).href));

/** With a dot at its end a name is the same host to whoever connects, and another identifier. */
const withoutFinalDot = (address: string): string =>
  address.replace(/^(https?:\/\/[^/:]*?)\.+(?=[/:]|$)/, '$1');
