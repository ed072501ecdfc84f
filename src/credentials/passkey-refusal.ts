// Why a passkey is refused: for the log, because the user is shown one message for every reason.
import type { BaseLogger } from 'pino';

/** A passkey that is refused. */
export interface PasskeyRefusal {
  /** The reason in fixed words: nothing that the browser sent, which may be secret. */
  refused: string;
  /** The library's error, if it is none of the checks known here: a malformed response, or a fault of the library. */
  error?: unknown;
}

/** The checks of the library that a response may fail, by the message it throws. It has no error classes for them. */
const CHECKS: readonly (readonly [message: RegExp, reason: string])[] = [
  [/challenge/, 'wrong challenge'],
  [/origin/, 'wrong origin'],
  [/RP ID/, 'wrong RP ID'],
  [/not present|not be verified/, 'user not verified'],
  [/(response|credential) type/, 'wrong type'],
  [/public key alg/, 'unsupported algorithm'],
];

/** Classifies what the verification threw. */
export function refusalOf(error: unknown): PasskeyRefusal {
  if (error instanceof SyntaxError) return { refused: 'client data is not JSON' };
  const message = error instanceof Error ? error.message : '';
  const reason = CHECKS.find(([pattern]) => pattern.test(message))?.[1];
  return reason === undefined ? { refused: 'verification failed', error } : { refused: reason };
}

/** Logs a refusal; as a warning if the verification failed in an unexpected way. */
export function logPasskeyRefusal(
  log: Pick<BaseLogger, 'info' | 'warn'>,
  { refused, error }: PasskeyRefusal,
): void {
  if (error === undefined) log.info({ reason: refused }, 'passkey refused');
  else log.warn({ reason: refused, err: error }, 'passkey refused after an unexpected error');
}
