// Bearer tokens and challenges (RFC 6750).
import { invalidRequest, tokenMissing } from './errors.ts';

/** Returns '' if the token is missing, or null for another scheme. */
function parseBearerHeader(authorization: string | undefined): string | null {
  const match = authorization === undefined ? null : /^bearer(?: +(.*))?$/i.exec(authorization.trim());
  return match === null ? null : (match[1] ?? '');
}

/**
 * Reads the access token from the Authorization header or the form (RFC 6750 §2).
 * @throws OAuthError if the token is missing or sent in both
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

const BEARER_SCHEME_PATTERN = /(?:^|,)\s*bearer(?=[\s,]|$)/i;
// The lookbehind keeps the matching time linear.
const AUTH_PARAMETER_PATTERN = /(?<![a-z_])([a-z_]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,"]+))/gi;

/** Uses the first value of a repeated parameter. */
export function parseBearerChallenge(header: string | undefined): Map<string, string> | undefined {
  const scheme = BEARER_SCHEME_PATTERN.exec(header ?? '');
  if (header === undefined || scheme === null) return undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header
    .slice(scheme.index + scheme[0].length)
    .matchAll(AUTH_PARAMETER_PATTERN)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare);
  }
  return parameters;
}
