// Bearer tokens and challenges (RFC 6750).
import { invalidRequest, tokenMissing } from './errors.ts';

/** Returns null for other schemes, and '' if the token is missing. */
function parseBearerHeader(authorization: string | undefined): string | null {
  const match = authorization === undefined ? null : /^bearer(?: +(.*))?$/i.exec(authorization.trim());
  return match === null ? null : (match[1] ?? '');
}

/**
 * Reads the access token from the Authorization header or the form (RFC 6750 §2.1, §2.2).
 * @throws OAuthError unless exactly one of them contains a token
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
// The lookbehind keeps the matching time linear.
const PARAMETER = /(?<![a-z_])([a-z_]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,"]+))/gi;

/** Parses a WWW-Authenticate header. The first value of a repeated parameter counts. */
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
