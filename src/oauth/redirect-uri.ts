// Validates redirect URIs at registration and matches them in requests.

export type ClientType = 'confidential' | 'public';

const MAX_REDIRECT_URI_LENGTH = 2000;
const RESERVED_PARAMETERS = ['code', 'state', 'iss', 'error'];
const LOOPBACK_PATTERN = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;
const AGENT_LOOPBACK_PATTERN = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;

/**
 * Redirect URIs must match exactly (RFC 9700 §2.1). A public client's loopback IP redirect URIs may use any
 * port (RFC 8252 §7.3). For agents, so may `localhost` redirect URIs.
 */
export function matchesRedirectUri(
  sent: string,
  registered: readonly string[],
  rules: ClientType | 'agent',
): boolean {
  if (registered.includes(sent)) return true;
  if (rules === 'confidential') return false;
  const loopback = rules === 'agent' ? AGENT_LOOPBACK_PATTERN : LOOPBACK_PATTERN;
  const portlessUri = removePort(sent, loopback);
  return portlessUri !== undefined && registered.some((uri) => removePort(uri, loopback) === portlessUri);
}

export const getMatchingRules = ({
  type,
  agent,
}: {
  type: ClientType;
  agent?: boolean;
}): ClientType | 'agent' => (agent ? 'agent' : type);

function removePort(uri: string, loopback: RegExp): string | undefined {
  const match = loopback.exec(uri);
  if (match === null || !URL.canParse(uri)) return undefined;
  return `http://${match[1]}${uri.slice(match[0].length)}`;
}

/** Appends query parameters without normalizing the URL. */
export function addQueryParameters(uri: string, parameters: Record<string, string>): string {
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${separator}${new URLSearchParams(parameters)}`;
}

/** Whether other programs on the user's device could receive the response. */
export function isLocalRedirectUri(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'https:') return false;
  return protocol !== 'http:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Returns the host and port, or a custom scheme. */
export function getRedirectUriHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1);
}

/** Message keys in src/i18n. */
export type RedirectUriError =
  | 'uriTooLong'
  | 'uriCharacters'
  | 'uriWildcard'
  | 'uriFragment'
  | 'uriNotAbsolute'
  | 'uriUserInfo'
  | 'uriReservedParameter'
  | 'uriNotHttps'
  | 'uriScheme';

/** @param production whether to reject http, except for loopback URIs of public clients */
export function validateRedirectUri(
  uri: string,
  type: ClientType,
  production: boolean,
): RedirectUriError | undefined {
  if (uri.length > MAX_REDIRECT_URI_LENGTH) return 'uriTooLong';
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'uriCharacters';
  if (/[\\*]/.test(uri)) return 'uriWildcard';
  if (uri.includes('#')) return 'uriFragment';
  if (!URL.canParse(uri)) return 'uriNotAbsolute';
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '' || /^[^/?]+:\/\/[^/?]*@/.test(uri)) return 'uriUserInfo';
  if (RESERVED_PARAMETERS.some((name) => url.searchParams.has(name))) return 'uriReservedParameter';
  return validateScheme(uri, url, type, production);
}

function validateScheme(
  uri: string,
  url: URL,
  type: ClientType,
  production: boolean,
): RedirectUriError | undefined {
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    // The URL class also accepts https:host and https:///host, which aren't valid URLs.
    if (!/^https?:\/\/[^/?]/.test(uri)) return 'uriNotAbsolute';
    if (url.protocol === 'https:' || !production) return undefined;
    if (type === 'public' && isLocalRedirectUri(uri)) return undefined;
    return 'uriNotHttps';
  }
  // Private-use schemes must be reversed domain names (RFC 8252 §7.1).
  if (type === 'public' && /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol)) return undefined;
  return type === 'public' ? 'uriScheme' : 'uriNotHttps';
}
