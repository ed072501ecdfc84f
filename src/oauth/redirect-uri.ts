// Callback URLs: which may be registered, and which registered one a request names (D3).

export type ClientType = 'confidential' | 'public';

const MAX_LENGTH = 2000;
const OWN_PARAMETERS = ['code', 'state', 'iss', 'error'];
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;
const AGENT_LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;

/**
 * True when `offered` is one of the callback URLs of an application, byte for byte. The only exceptions: a public
 * application's loopback IP callback matches on any port (RFC 8252 §7.3); an agent's does, `localhost` too (D50).
 */
export function matchesRedirectUri(
  offered: string,
  registered: readonly string[],
  rules: ClientType | 'agent',
): boolean {
  if (registered.includes(offered)) return true;
  if (rules === 'confidential') return false;
  const loopback = rules === 'agent' ? AGENT_LOOPBACK : LOOPBACK;
  const anyPort = withoutPort(offered, loopback);
  return anyPort !== undefined && registered.some((uri) => withoutPort(uri, loopback) === anyPort);
}

/** By which rules the callbacks of an application match. */
export const callbackRulesOf = ({
  type,
  agent,
}: {
  type: ClientType;
  agent?: boolean;
}): ClientType | 'agent' => (agent ? 'agent' : type);

function withoutPort(uri: string, loopback: RegExp): string | undefined {
  const match = loopback.exec(uri);
  if (match === null || !URL.canParse(uri)) return undefined;
  return `http://${match[1]}${uri.slice(match[0].length)}`;
}

/** The URL with parameters added to its own query, which stays byte for byte. */
export function withParameters(uri: string, parameters: Record<string, string>): string {
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${separator}${new URLSearchParams(parameters)}`;
}

/** True when other applications on the person's device could receive this callback: consent is always asked (D7). */
export function isLocalCallback(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'https:') return false;
  return protocol !== 'http:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** What a person recognises of a callback: its host with port, or the scheme of a native application. */
export function callbackHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1);
}

/** Why a callback URL may not be registered; the words are in the dictionaries. */
export type RedirectUriFault =
  | 'uriTooLong'
  | 'uriCharacters'
  | 'uriWildcard'
  | 'uriFragment'
  | 'uriNotAbsolute'
  | 'uriUserInfo'
  | 'uriOwnParameter'
  | 'uriNotHttps'
  | 'uriScheme';

/**
 * Why a callback URL may not be registered, or undefined when it may.
 * @param production whether plain `http://` is refused for everything but a public application's loopback
 */
export function redirectUriFault(
  uri: string,
  type: ClientType,
  production: boolean,
): RedirectUriFault | undefined {
  if (uri.length > MAX_LENGTH) return 'uriTooLong';
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'uriCharacters';
  if (/[\\*]/.test(uri)) return 'uriWildcard';
  if (uri.includes('#')) return 'uriFragment';
  if (!URL.canParse(uri)) return 'uriNotAbsolute';
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '' || /^[^/?]+:\/\/[^/?]*@/.test(uri)) return 'uriUserInfo';
  if (OWN_PARAMETERS.some((name) => url.searchParams.has(name))) return 'uriOwnParameter';
  return schemeFault(uri, url, type, production);
}

function schemeFault(
  uri: string,
  url: URL,
  type: ClientType,
  production: boolean,
): RedirectUriFault | undefined {
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    // URL also reads https:host and https:///host, which are not what they look like (RFC 3986 §3.2).
    if (!/^https?:\/\/[^/?]/.test(uri)) return 'uriNotAbsolute';
    if (url.protocol === 'https:' || !production) return undefined;
    if (type === 'public' && isLocalCallback(uri)) return undefined;
    return 'uriNotHttps';
  }
  // RFC 8252 §7.1: a private-use scheme is a reversed domain name, which keeps two applications from sharing one.
  if (type === 'public' && /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol)) return undefined;
  return type === 'public' ? 'uriScheme' : 'uriNotHttps';
}
