// The bearer token of a request: where it stands, and what can be one (RFC 6750 §2.1; D21).

/** What follows the scheme, null when the header is absent or of another scheme, '' when the scheme stands alone. */
export function bearerToken(authorization: string | undefined): string | null {
  const match = authorization === undefined ? null : /^bearer(?: +(.*))?$/i.exec(authorization.trim());
  return match === null ? null : (match[1] ?? '');
}

/** Whether a text is a `b64token` (§2.1): nothing else is a token, and nothing else is looked for. */
export const isBearerToken = (text: string): boolean => /^[A-Za-z0-9._~+/-]+=*$/.test(text);
