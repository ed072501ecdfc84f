// Every way a machine-facing request can be refused: one error class, one factory per code.

/**
 * A refusal in the shape of RFC 6749 §5.2. `description` is public, without `"` and `\`, and says what to change;
 * `cause`, where given, is for the log only.
 */
export class OAuthError extends Error {
  readonly error: string;
  readonly description: string;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    error: string,
    description: string,
    options: { cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(`${error}: ${description}`, { cause: options.cause });
    this.name = 'OAuthError';
    this.status = status;
    this.error = error;
    this.description = description;
    this.headers = options.headers ?? {};
  }
}

/** 400: a parameter is missing, repeated, malformed or not allowed here. */
export const invalidRequest = (description: string) => new OAuthError(400, 'invalid_request', description);

/** 401: the application could not be authenticated; the same words for every reason (D11). */
export const invalidClient = (triedBasic = false) =>
  new OAuthError(401, 'invalid_client', 'The client_id is unknown or the client_secret is wrong.', {
    headers: triedBasic ? { 'www-authenticate': 'Basic realm="Sesame", charset="UTF-8"' } : {},
  });

/** 400: the code, the refresh token or what goes with it is not good (any more). */
export const invalidGrant = (description: string) => new OAuthError(400, 'invalid_grant', description);

/** 400: a scope is unknown, not chosen at registration, or wider than what was granted. */
export const invalidScope = (description: string) => new OAuthError(400, 'invalid_scope', description);

/** 400: a resource is not one that the application may name (RFC 8707 §2). */
export const invalidTarget = (description: string) => new OAuthError(400, 'invalid_target', description);

/** 400: the application may not do this at all (RFC 6749 §5.2). */
export const unauthorizedClient = (description: string) =>
  new OAuthError(400, 'unauthorized_client', description);

/** 400: the token endpoint does not know this grant_type, or not for this application. */
export const unsupportedGrantType = (
  description = 'The grant_type is not supported; the discovery document names those that are.',
) => new OAuthError(400, 'unsupported_grant_type', description);

/** 401 with a Bearer challenge (RFC 6750 §3); the bare challenge when no token was sent (D21). */
export const invalidToken = (tokenWasSent: boolean) =>
  tokenWasSent
    ? new OAuthError(401, 'invalid_token', 'The access token is expired, revoked or malformed.', {
        headers: {
          'www-authenticate':
            'Bearer error="invalid_token", error_description="The access token is expired, revoked or malformed."',
        },
      })
    : new OAuthError(401, 'invalid_token', "Send the access token as 'Authorization: Bearer <token>'.", {
        headers: { 'www-authenticate': 'Bearer' },
      });

/** 403: the token is good but lacks the scope that the address needs (D18). */
export const insufficientScope = (scope: string) =>
  new OAuthError(403, 'insufficient_scope', `The access token was not granted the scope '${scope}'.`, {
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });

/** 403: the person refused, and the answer was asked for as JSON (D8). */
export const accessDenied = (description: string) => new OAuthError(403, 'access_denied', description);

/** 404: nothing lives at this address. */
export const notFound = () => new OAuthError(404, 'not_found', 'There is nothing at this address.');

/** 405 with the methods that the address does take. */
export const methodNotAllowed = (allowed: string[]) =>
  new OAuthError(405, 'invalid_request', `This address takes ${allowed.join(', ')} requests only.`, {
    headers: { allow: allowed.join(', ') },
  });

/** 429: more requests in a minute than the limit (D25). `retryAfter` in seconds. */
export const rateLimited = (retryAfter: number) =>
  new OAuthError(429, 'rate_limited', `Too many requests; try again in ${retryAfter} seconds.`, {
    headers: { 'retry-after': String(retryAfter) },
  });

/** 503: the database or another part is away or full; the same request may work in `retryAfter` seconds. */
export const temporarilyUnavailable = (cause?: unknown, retryAfter = 2) =>
  new OAuthError(503, 'temporarily_unavailable', 'The service cannot answer right now; try again shortly.', {
    cause,
    headers: { 'retry-after': String(retryAfter) },
  });

/** 503: more is asked than can be done at a time; nothing is broken. `retryAfter` in seconds. */
export const overloaded = (retryAfter: number) =>
  new OAuthError(503, 'temporarily_unavailable', 'The service is busy; try again shortly.', {
    headers: { 'retry-after': String(retryAfter) },
  });

/** 500: our own fault; the cause goes to the log. */
export const serverError = (cause: unknown) =>
  new OAuthError(500, 'server_error', 'The service failed to answer this request.', { cause });
