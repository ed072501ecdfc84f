// `OAuthError` and one factory per error code.

import { redactText } from './redaction.ts';
import type { DiagnosticContext, IdentifiedClient, RefusalReason } from './refusal-reason.ts';

/**
 * An OAuth error response (RFC 6749 §5.2). `description` is public and must not contain `"` or `\`. `reason` is
 * shown to the client's owner. `cause` is only logged.
 */
export class OAuthError extends Error {
  readonly error: string;
  readonly description: string;
  readonly status: number;
  readonly reason: RefusalReason;
  readonly headers: Readonly<Record<string, string>>;
  readonly client: IdentifiedClient | undefined;
  readonly context: DiagnosticContext;

  constructor(
    status: number,
    error: string,
    description: string,
    reason: RefusalReason,
    options: {
      cause?: unknown;
      headers?: Readonly<Record<string, string>>;
      client?: IdentifiedClient | undefined;
      context?: DiagnosticContext;
    } = {},
  ) {
    super(`${error}: ${description}`, { cause: options.cause });
    this.name = 'OAuthError';
    this.status = status;
    this.error = error;
    this.description = description;
    this.reason = reason;
    this.headers = options.headers ?? {};
    this.client = options.client;
    this.context = options.context ?? {};
  }

  withDiagnostics(client: IdentifiedClient | undefined, context: DiagnosticContext = {}): OAuthError {
    const { status, error, description, reason, cause, headers } = this;
    return new OAuthError(status, error, description, reason, {
      cause,
      headers,
      client,
      context: { ...this.context, ...context },
    });
  }
}

export const invalidRequest = (description: string, reason: RefusalReason) =>
  new OAuthError(400, 'invalid_request', description, reason);

export const bodyTooLarge = () =>
  new OAuthError(413, 'invalid_request', 'The request body is too large.', { kind: 'body_too_large' });

export const parameterMissing = (parameter: string) =>
  invalidRequest(`${parameter} is missing.`, { kind: 'parameter_missing', parameter });

const describeAuthenticationFailure = ({ kind }: RefusalReason): string =>
  kind.startsWith('assertion_')
    ? 'The client_id is unknown or the client_assertion is invalid.'
    : 'The client_id is unknown or the client_secret is wrong.';

/** The description doesn't reveal whether the client is unknown or its secret is wrong. */
export const invalidClient = (
  reason: RefusalReason,
  triedBasic = false,
  description = describeAuthenticationFailure(reason),
) =>
  new OAuthError(401, 'invalid_client', description, reason, {
    headers: triedBasic ? { 'www-authenticate': 'Basic realm="Sesame", charset="UTF-8"' } : {},
  });

export const invalidGrant = (description: string, reason: RefusalReason) =>
  new OAuthError(400, 'invalid_grant', description, reason);

export const invalidScope = (description: string, reason: RefusalReason) =>
  new OAuthError(400, 'invalid_scope', description, reason);

export const invalidTarget = (description: string, reason: RefusalReason) =>
  new OAuthError(400, 'invalid_target', description, reason);

export const unauthorizedClient = (description: string, reason: RefusalReason) =>
  new OAuthError(400, 'unauthorized_client', description, reason);

export const unsupportedGrantType = (description: string, reason: RefusalReason) =>
  new OAuthError(400, 'unsupported_grant_type', description, reason);

export const invalidToken = (reason: RefusalReason) =>
  new OAuthError(401, 'invalid_token', 'The access token is expired, revoked or malformed.', reason, {
    headers: {
      'www-authenticate':
        'Bearer error="invalid_token", error_description="The access token is expired, revoked or malformed."',
    },
  });

/** Without a token, the challenge has no error code (RFC 6750 §3.1). */
export const tokenMissing = (reason: RefusalReason = { kind: 'access_token_missing' }) =>
  new OAuthError(401, 'invalid_token', "Send the access token as 'Authorization: Bearer <token>'.", reason, {
    headers: { 'www-authenticate': 'Bearer' },
  });

export const insufficientScope = (scope: string) =>
  new OAuthError(
    403,
    'insufficient_scope',
    `The access token does not have the scope '${scope}'.`,
    { kind: 'userinfo_scope_missing', scope },
    { headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` } },
  );

/** The user denied the request, or the user's account or session no longer exists. */
export const accessDenied = (description: string) =>
  new OAuthError(403, 'access_denied', description, { kind: 'user_denied' });

export const notFound = () =>
  new OAuthError(404, 'not_found', 'The requested URL does not exist.', { kind: 'not_found' });

export const methodNotAllowed = (allowed: string[], sent: string) =>
  new OAuthError(
    405,
    'invalid_request',
    `Method not allowed. Use ${allowed.join(' or ')}.`,
    { kind: 'method', sent: redactText(sent) },
    { headers: { allow: allowed.join(', ') } },
  );

/** @param retryAfter in seconds */
export const rateLimited = (retryAfter: number) =>
  new OAuthError(
    429,
    'rate_limited',
    `Too many requests. Try again in ${retryAfter === 1 ? '1 second' : `${retryAfter} seconds`}.`,
    { kind: 'rate_limited' },
    { headers: { 'retry-after': String(retryAfter) } },
  );

/**
 * A dependency such as the database is unavailable.
 * @param retryAfter in seconds
 */
export const temporarilyUnavailable = (cause?: unknown, retryAfter = 2) =>
  new OAuthError(
    503,
    'temporarily_unavailable',
    'The service is temporarily unavailable. Try again shortly.',
    { kind: 'service_failed' },
    { cause, headers: { 'retry-after': String(retryAfter) } },
  );

/**
 * Too many requests are in flight.
 * @param retryAfter in seconds
 */
export const overloaded = (retryAfter: number) =>
  new OAuthError(
    503,
    'temporarily_unavailable',
    'The service is overloaded. Try again shortly.',
    { kind: 'service_busy' },
    { headers: { 'retry-after': String(retryAfter) } },
  );

export const serverError = (cause: unknown) =>
  new OAuthError(500, 'server_error', 'An internal error occurred.', { kind: 'service_failed' }, { cause });
