// Bearer tokens and challenges (RFC 6750).
import { invalidRequest, tokenMissing } from './errors.ts';

/** Returns the bearer token in an Authorization header, null for other schemes, and '' if the token is missing. */
function parseBearerHeader(authorization: string | undefined): string | null {
  const match = authorization === undefined ? null : /^bearer(?: +(.*))?$/i.exec(authorization.trim());
  return match === null ? null : (match[1] ?? '');
}

/**
 * Reads a request's access token from the Authorization header or from the form (§2.1, §2.2).
 * @throws OAuthError if both the header and the form contain a token, or if neither does
 */
export function readAccessToken(
  authorization: string | undefined,
  bodyToken: string | undefined,
): { token: string; fromBody: boolean } {
  const headerToken = parseBearerHeader(authorization);
  if (headerToken !== null && bodyToken !== undefined)
    throw invalidRequest('Send the access token in the Authorization header or in the form, not both.', {
      kind: 'multiple_access_tokens',
    }).withDiagnostics(undefined, { bearer: headerToken });
  if (headerToken !== null) return { token: headerToken, fromBody: false };
  if (bodyToken !== undefined) return { token: bodyToken, fromBody: true };
  throw tokenMissing();
}

const BEARER = /(?:^|,)\s*bearer(?=[\s,]|$)/i;
// Without the lookbehind, matching a long name without an equals sign would take quadratic time.
const PARAMETER = /(?<![a-z_])([a-z_]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,"]+))/gi;

/** Parses the bearer challenge in a WWW-Authenticate header. If a parameter is repeated, its first value is used. */
export function parseBearerChallenge(header: string | undefined): Map<string, string> | undefined {
  const scheme = BEARER.exec(header ?? '');
  if (header === undefined || scheme === null) return undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header
    .slice(scheme.index + scheme[0].length)
    .matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare);
  }
  return parameters;
}
