// The bearer token of a request's Authorization header (RFC 6750 §2.1, D21).

/** The token, null when the header is absent or of another scheme, '' when the scheme stands alone. */
export function bearerToken(authorization: string | undefined): string | null {
  const match = authorization === undefined ? null : /^bearer(?: +(.*))?$/i.exec(authorization.trim());
  return match === null ? null : (match[1] ?? '');
}
