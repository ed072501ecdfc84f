// Every way a machine-facing request can be refused: one error class, one factory per code.

import type { Clues, KnownApplication, Reason } from './reason.ts';
import { printable } from './shown.ts';

/**
 * A refusal in the shape of RFC 6749 §5.2. `description` is public, without `"` and `\`, and says what to change;
 * `reason` is for the client's owner (diagnostics), and `cause` for the log only. Immutable.
 */
export class OAuthError extends Error {
  readonly error: string;
  readonly description: string;
  readonly status: number;
  readonly reason: Reason;
  readonly headers: Readonly<Record<string, string>>;
  /** The client that was refused, if it is known. */
  readonly application: KnownApplication | undefined;
  /** What diagnostics may look up. */
  readonly clues: Clues;

  constructor(
    status: number,
    error: string,
    description: string,
    reason: Reason,
    options: {
      cause?: unknown;
      headers?: Readonly<Record<string, string>>;
      application?: KnownApplication | undefined;
      clues?: Clues;
    } = {},
  ) {
    super(`${error}: ${description}`, { cause: options.cause });
    this.name = 'OAuthError';
    this.status = status;
    this.error = error;
    this.description = description;
    this.reason = reason;
    this.headers = options.headers ?? {};
    this.application = options.application;
    this.clues = options.clues ?? {};
  }

  /** @returns a copy that names the refused client, and adds clues */
  from(application: KnownApplication | undefined, clues: Clues = {}): OAuthError {
    const { status, error, description, reason, cause, headers } = this;
    return new OAuthError(status, error, description, reason, {
      cause,
      headers,
      application,
      clues: { ...this.clues, ...clues },
    });
  }
}

/** 400: a parameter is missing, repeated, malformed or not allowed here. */
export const invalidRequest = (description: string, reason: Reason) =>
  new OAuthError(400, 'invalid_request', description, reason);

/** 413: the body, or the text fields of a form with a file, exceed the limit. */
export const bodyTooLarge = () =>
  new OAuthError(413, 'invalid_request', 'The request body is too large.', { kind: 'body_too_large' });

/** 400: a parameter without which nothing is looked at. */
export const parameterMissing = (parameter: string) =>
  invalidRequest(`${parameter} is missing.`, { kind: 'parameter_missing', parameter });

/** One that signs has sent no secret. */
const unknownOrWrong = ({ kind }: Reason): string =>
  kind.startsWith('assertion_')
    ? 'The client_id is unknown or the client_assertion is not good.'
    : 'The client_id is unknown or the client_secret is wrong.';

/** 401: the application could not be authenticated; the same words for every reason (D11). */
export const invalidClient = (reason: Reason, triedBasic = false, description = unknownOrWrong(reason)) =>
  new OAuthError(401, 'invalid_client', description, reason, {
    headers: triedBasic ? { 'www-authenticate': 'Basic realm="Sesame", charset="UTF-8"' } : {},
  });

/** 400: the code, the refresh token or what goes with it is not good (any more). */
export const invalidGrant = (description: string, reason: Reason) =>
  new OAuthError(400, 'invalid_grant', description, reason);

/** 400: a scope is unknown, not chosen at registration, or wider than what was granted. */
export const invalidScope = (description: string, reason: Reason) =>
  new OAuthError(400, 'invalid_scope', description, reason);

/** 400: a resource is not one that the application may name (RFC 8707 §2). */
export const invalidTarget = (description: string, reason: Reason) =>
  new OAuthError(400, 'invalid_target', description, reason);

/** 400: the application may not do this at all (RFC 6749 §5.2). */
export const unauthorizedClient = (description: string, reason: Reason) =>
  new OAuthError(400, 'unauthorized_client', description, reason);

/** 400: the token endpoint does not know this grant_type, or not for this application. */
export const unsupportedGrantType = (description: string, reason: Reason) =>
  new OAuthError(400, 'unsupported_grant_type', description, reason);

/** 401 with a Bearer challenge (RFC 6750 §3). */
export const invalidToken = (reason: Reason) =>
  new OAuthError(401, 'invalid_token', 'The access token is expired, revoked or malformed.', reason, {
    headers: {
      'www-authenticate':
        'Bearer error="invalid_token", error_description="The access token is expired, revoked or malformed."',
    },
  });

/** 401 with the bare challenge: no token was sent (D21). */
export const tokenMissing = (reason: Reason = { kind: 'access_token_missing' }) =>
  new OAuthError(401, 'invalid_token', "Send the access token as 'Authorization: Bearer <token>'.", reason, {
    headers: { 'www-authenticate': 'Bearer' },
  });

/** 403: the token is good but lacks the scope that the address needs (D18). */
export const insufficientScope = (scope: string) =>
  new OAuthError(
    403,
    'insufficient_scope',
    `The access token was not granted the scope '${scope}'.`,
    { kind: 'profile_scope_missing', scope },
    { headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` } },
  );

/** 403: the person refused, and the answer was asked for as JSON (D8). */
export const accessDenied = (description: string) =>
  new OAuthError(403, 'access_denied', description, { kind: 'person_refused' });

/** 404: nothing lives at this address. */
export const notFound = () =>
  new OAuthError(404, 'not_found', 'There is nothing at this address.', { kind: 'not_found' });

/** 405 with the methods that the address does take. */
export const methodNotAllowed = (allowed: string[], sent: string) =>
  new OAuthError(
    405,
    'invalid_request',
    `This address takes ${allowed.join(', ')} requests only.`,
    { kind: 'method', sent: printable(sent) },
    { headers: { allow: allowed.join(', ') } },
  );

/** 429: more requests in a minute than the limit (D25). `retryAfter` in seconds. */
export const rateLimited = (retryAfter: number) =>
  new OAuthError(
    429,
    'rate_limited',
    `Too many requests; try again in ${retryAfter} seconds.`,
    { kind: 'rate_limited' },
    { headers: { 'retry-after': String(retryAfter) } },
  );

/** 503: the database or another part is away or full; the same request may work in `retryAfter` seconds. */
export const temporarilyUnavailable = (cause?: unknown, retryAfter = 2) =>
  new OAuthError(
    503,
    'temporarily_unavailable',
    'The service cannot answer right now; try again shortly.',
    { kind: 'service_failed' },
    { cause, headers: { 'retry-after': String(retryAfter) } },
  );

/** 503: more is asked than can be done at a time; nothing is broken. `retryAfter` in seconds. */
export const overloaded = (retryAfter: number) =>
  new OAuthError(
    503,
    'temporarily_unavailable',
    'The service is busy; try again shortly.',
    { kind: 'service_busy' },
    { headers: { 'retry-after': String(retryAfter) } },
  );

/** 500: our own fault; the cause goes to the log. */
export const serverError = (cause: unknown) =>
  new OAuthError(
    500,
    'server_error',
    'The service failed to answer this request.',
    { kind: 'service_failed' },
    { cause },
  );
