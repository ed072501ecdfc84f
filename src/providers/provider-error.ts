// Errors caused by identity providers.
import { OutgoingError } from '../outgoing/guarded-request.ts';

/** `response` is the authorization response (RFC 6749 §4.1.2). `profile` is the userinfo response or GitHub's API. */
export const PROVIDER_STEPS = ['discovery', 'keys', 'response', 'token', 'id_token', 'profile'] as const;
export type ProviderStep = (typeof PROVIDER_STEPS)[number];

/**
 * A provider refused a request, couldn't be reached, or sent an invalid response. `code` is a short name, such as
 * `timeout` or `invalid_grant`. `cause` is set only for unexpected errors.
 */
export class ProviderError extends Error {
  readonly step: ProviderStep;
  readonly code: string;
  constructor(step: ProviderStep, code: string, cause?: unknown) {
    super(`${step}: ${code}`, { cause });
    this.name = 'ProviderError';
    this.step = step;
    this.code = code;
  }

  /** RFC 6749 §4.1.2.1. Apple uses a different error code. */
  get isCancellation(): boolean {
    return this.step === 'response' && ['access_denied', 'user_cancelled_authorize'].includes(this.code);
  }
}

/** An error from openid-client or oauth4webapi. Recognized by its name because the library is loaded on first use. */
interface LibraryError extends Error {
  code?: unknown;
  error?: unknown;
  cause?: unknown;
}

/** @param step used if the error doesn't identify a step */
export function toProviderError(thrown: unknown, step: ProviderStep): ProviderError {
  for (let error = thrown as LibraryError; error instanceof Error; error = error.cause as LibraryError) {
    if (error instanceof ProviderError) return error;
    if (error instanceof OutgoingError)
      return new ProviderError(step, isPlainHttp(error) ? 'not_tls' : error.kind);
    if (error.name === 'AuthorizationResponseError')
      return new ProviderError('response', toErrorCode(error.error));
    if (error.name === 'ResponseBodyError') return new ProviderError('token', toErrorCode(error.error));
    if (error.name === 'WWWAuthenticateChallengeError') return new ProviderError(step, 'unauthorized');
    if (error.name === 'ClientError' && error.code !== undefined && !(error.cause instanceof Error))
      return new ProviderError(findStep(error.cause) ?? step, describeLibraryError(error));
    if (error.name === 'OperationProcessingError' || error.name === 'UnsupportedOperationError')
      return new ProviderError(findStep(error.cause) ?? step, describeLibraryError(error));
  }
  return new ProviderError(step, 'unexpected', thrown);
}

/** Recognizes OpenSSL's messages for a server without TLS. */
const isPlainHttp = ({ kind, message }: OutgoingError): boolean =>
  kind === 'failed' && /wrong version number|packet length too long/.test(message);

/** OAuth error codes are ASCII (RFC 6749 §5.2). Unusual codes are replaced because codes are logged. */
const toErrorCode = (error: unknown): string =>
  typeof error === 'string' && /^[a-z0-9_.-]{1,60}$/i.test(error) ? error : 'unknown_error';

function findStep(cause: unknown): ProviderStep | undefined {
  if (typeof cause !== 'object' || cause === null) return undefined;
  if ('jwks_uri' in cause) return 'keys';
  if ('parameters' in cause) return 'response';
  return 'claims' in cause || 'header' in cause || 'alg' in cause || 'algorithm' in cause || 'key' in cause
    ? 'id_token'
    : undefined;
}

function describeLibraryError({ code, cause }: LibraryError): string {
  const { claim, attribute } = (cause ?? {}) as { claim?: unknown; attribute?: unknown };
  return [code ?? 'OAUTH_INVALID', claim ?? attribute].filter((part) => typeof part === 'string').join(' ');
}
