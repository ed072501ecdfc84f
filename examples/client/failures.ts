// Sign-in failures, and the openid-client errors that cause them.
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

const statusByFailureKind = {
  session_lost: 400,
  state_mismatch: 400,
  access_denied: 403,
  request_refused: 400,
  grant_ended: 400,
  token_refused: 401,
  misconfigured: 502,
  untrusted: 502,
  busy: 503,
  unreachable: 502,
} as const;

export type FailureKind = keyof typeof statusByFailureKind;

/** `cause` is logged, but not shown to the user. */
export class SignInFailure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  constructor(kind: FailureKind, cause?: unknown) {
    super(kind, { cause });
    this.kind = kind;
    this.status = statusByFailureKind[kind];
  }
}

const failureKindByErrorCode: Record<string, FailureKind> = {
  access_denied: 'access_denied',
  invalid_grant: 'grant_ended',
  invalid_client: 'misconfigured',
  unauthorized_client: 'misconfigured',
  rate_limited: 'busy',
  server_error: 'unreachable',
  temporarily_unavailable: 'unreachable',
};

function findFailureKindByStatus(status: number): FailureKind {
  if (status === 429) return 'busy';
  return status >= 500 ? 'unreachable' : 'misconfigured';
}

function findFailureKind(error: unknown): FailureKind | undefined {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return failureKindByErrorCode[error.error] ?? 'request_refused';
  if (error instanceof WWWAuthenticateChallengeError)
    return error.status === 401 ? 'token_refused' : 'request_refused';
  if (error instanceof ClientError) {
    if (error.cause instanceof Response) return findFailureKindByStatus(error.cause.status);
    return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT' ? 'unreachable' : 'untrusted';
  }
  // When a connection fails, fetch throws a TypeError with a cause.
  if (error instanceof TypeError && error.cause instanceof Error) return 'unreachable';
  return undefined;
}

/** Wraps an openid-client error in a SignInFailure. Rethrows any other error. */
export function rethrow(error: unknown): never {
  const kind = findFailureKind(error);
  throw kind ? new SignInFailure(kind, error) : error;
}
