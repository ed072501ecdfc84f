// Bearer tokens and challenges (RFC 6750).
import { invalidRequest, tokenMissing } from './errors.ts';

/** What follows the scheme, null when the header is absent or of another scheme, '' when the scheme stands alone. */
function bearerToken(authorization: string | undefined): string | null {
  const match = authorization === undefined ? null : /^bearer(?: +(.*))?$/i.exec(authorization.trim());
  return match === null ? null : (match[1] ?? '');
}

/**
 * The access token that a request presents, and whether its body did (§2.2).
 * @throws OAuthError `invalid_request` when it is sent both ways, and where none is sent
 */
export function presentedBearer(
  authorization: string | undefined,
  inBody: string | undefined,
): { token: string; fromBody: boolean } {
  const fromHeader = bearerToken(authorization);
  if (fromHeader !== null && inBody !== undefined)
    throw invalidRequest('Send the access token in the Authorization header or in the form, not both.', {
      kind: 'access_token_sent_twice',
    }).from(undefined, { bearer: fromHeader });
  if (fromHeader !== null) return { token: fromHeader, fromBody: false };
  if (inBody !== undefined) return { token: inBody, fromBody: true };
  throw tokenMissing();
}

const BEARER = /(?:^|,)\s*bearer(?=[\s,]|$)/i;
// Looked for from the beginning of a name on alone: a long one without its sign would else be read to its end from each letter.
const PARAMETER = /(?<![a-z_])([a-z_]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,"]+))/gi;

/** The parameters of the challenge for bearer tokens, the first of each name; undefined where there is no such challenge. */
export function bearerChallenge(header: string | undefined): Map<string, string> | undefined {
  const start = BEARER.exec(header ?? '');
  if (header === undefined || start === null) return undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header
    .slice(start.index + start[0].length)
    .matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare);
  }
  return parameters;
}
