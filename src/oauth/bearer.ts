// The bearer token of a request: where it stands, and what can be one (RFC 6750 §2.1; D21).
import { invalidRequest, tokenMissing } from './errors.ts';

/** What follows the scheme, null when the header is absent or of another scheme, '' when the scheme stands alone. */
export function bearerToken(authorization: string | undefined): string | null {
  const match = authorization === undefined ? null : /^bearer(?: +(.*))?$/i.exec(authorization.trim());
  return match === null ? null : (match[1] ?? '');
}

/** Whether a text is a `b64token` (§2.1): nothing else is a token, and nothing else is looked for. */
export const isBearerToken = (text: string): boolean => /^[A-Za-z0-9._~+/-]+=*$/.test(text);

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
