// Owns what can go wrong with the sign-in service.
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

/** The status that each failure is answered with; its words are in words.ts. */
const statuses = {
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

export type FailureKind = keyof typeof statuses;

/** A failure that a person is told of; `cause` is for the log. */
export class SignInFailure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  constructor(kind: FailureKind, cause?: unknown) {
    super(kind, { cause });
    this.kind = kind;
    this.status = statuses[kind];
  }
}

const errorKinds: Record<string, FailureKind> = {
  access_denied: 'access_denied',
  invalid_grant: 'grant_ended',
  invalid_client: 'misconfigured',
  unauthorized_client: 'misconfigured',
  rate_limited: 'busy',
  server_error: 'unreachable',
  temporarily_unavailable: 'unreachable',
};

function kindOfStatus(status: number): FailureKind {
  if (status === 429) return 'busy';
  return status >= 500 ? 'unreachable' : 'misconfigured';
}

function kindOf(error: unknown): FailureKind | undefined {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return errorKinds[error.error] ?? 'request_refused';
  if (error instanceof WWWAuthenticateChallengeError)
    return error.status === 401 ? 'token_refused' : 'request_refused';
  if (error instanceof ClientError) {
    if (error.cause instanceof Response) return kindOfStatus(error.cause.status);
    return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT' ? 'unreachable' : 'untrusted';
  }
  // fetch rejects with a TypeError that carries the socket's error; any other TypeError is a mistake of ours
  if (error instanceof TypeError && error.cause instanceof Error) return 'unreachable';
  return undefined;
}

/** Turns an error of openid-client into a SignInFailure; leaves any other as it is. For use in `catch`. */
export function rethrow(error: unknown): never {
  const kind = kindOf(error);
  throw kind ? new SignInFailure(kind, error) : error;
}
