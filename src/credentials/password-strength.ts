// Validates the length and strength of new passwords. A worker thread estimates the strength.
import { overloaded } from '../oauth/errors.ts';
import { createWorkerThread } from './worker-thread.ts';

/** Lengths in code points. NIST SP 800-63B §3.1.1.2 requires a minimum of 8 and a maximum of at least 64. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 1024;

export const PASSWORD_STRENGTH_ENDPOINT = { url: '/password/strength', minLength: MIN_PASSWORD_LENGTH };

/** A zxcvbn score of 2 means at least a million guesses. */
const MIN_SCORE = 2;

export type PasswordError = 'tooShort' | 'tooLong' | Weakness;

export async function assessPassword(
  password: string,
  userInputs: readonly string[],
  requester?: StrengthRequester,
): Promise<{ error: PasswordError } | { error: undefined; strength: Strength }> {
  const error = findLengthError(password);
  if (error !== undefined) return { error };
  const strength = await estimateStrength(password, userInputs, requester);
  return strength.score < MIN_SCORE ? { error: strength.weakness } : { error: undefined, strength };
}

export function findLengthError(password: string): 'tooShort' | 'tooLong' | undefined {
  if (password.length > MAX_PASSWORD_LENGTH * 2) return 'tooLong';
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return 'tooShort';
  return length > MAX_PASSWORD_LENGTH ? 'tooLong' : undefined;
}

type Weakness = 'personal' | 'easy';

export interface Strength {
  /** The zxcvbn score, from 0 to 4. */
  score: number;
  weakness: Weakness;
}

export interface StrengthRequest {
  id: number;
  password: string;
  userWords: string[];
}

export type StrengthResponse = Strength & { id: number };

export type StrengthRequester = 'form' | 'signedInPage' | 'anonymousPage';

/**
 * Maximum concurrent estimates. Estimates while the user types have low limits because the form also works without
 * them.
 */
const MAX_IN_FLIGHT: Record<StrengthRequester, number> = { form: 128, signedInPage: 8, anonymousPage: 4 };
const MAX_INPUT_LENGTH = 254;
const MAX_WORDS = 10;

const inFlight: Record<StrengthRequester, number> = { form: 0, signedInPage: 0, anonymousPage: 0 };
const requestEstimate = createWorkerThread<StrengthRequest, StrengthResponse>(
  new URL('./password-strength-worker.ts', import.meta.url),
  160,
);

/**
 * @param userInputs easily guessed strings, such as the user's name
 * @throws OAuthError `temporarily_unavailable` if the worker thread fails or too many estimates are running
 */
export async function estimateStrength(
  password: string,
  userInputs: readonly string[],
  requester: StrengthRequester = 'form',
): Promise<Strength> {
  if (inFlight[requester] >= MAX_IN_FLIGHT[requester]) throw overloaded(2);
  inFlight[requester] += 1;
  try {
    const { score, weakness } = await requestEstimate({
      password,
      userWords: userInputs.flatMap(extractWords),
    });
    return { score, weakness };
  } finally {
    inFlight[requester] -= 1;
  }
}

export function extractWords(text: string): string[] {
  const truncated = text.slice(0, MAX_INPUT_LENGTH);
  const words = [truncated, ...truncated.split('@'), ...truncated.split(/[^\p{L}\p{N}]+/u)].filter(
    (word) => word.length > 2,
  );
  const spellings = words.flatMap((word) => [word, word.normalize('NFD').replace(/\p{M}/gu, '')]);
  return [...new Set(spellings)].slice(0, MAX_WORDS);
}
