// Judges new passwords: length, and strength by a thread (password-strength-worker.ts) that ends when idle.
import { Worker } from 'node:worker_threads';
import { overloaded, temporarilyUnavailable } from '../oauth/errors.ts';

/** Characters (NIST SP 800-63B §3.1.1.2: at least 8, and room for 64 and more). */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 1024;

/** The endpoint that judges a typed password (pages/credentials/strength.ts). */
export const STRENGTH = { address: '/password/strength', least: PASSWORD_MIN };

/** Minimum score: at least a million guesses. */
const WEAKEST_SCORE = 2;

export type PasswordFault = 'tooShort' | 'tooLong' | Weakness;

/** Judges a new password: its length, then its strength. */
export async function judgePassword(
  password: string,
  about: readonly string[],
  asker?: Asker,
): Promise<{ fault: PasswordFault } | { fault: undefined; strength: Strength }> {
  const fault = lengthFault(password);
  if (fault !== undefined) return { fault };
  const strength = await strengthOf(password, about, asker);
  return strength.score < WEAKEST_SCORE ? { fault: strength.weakness } : { fault: undefined, strength };
}

export function lengthFault(password: string): 'tooShort' | 'tooLong' | undefined {
  if (password.length > PASSWORD_MAX * 2) return 'tooLong';
  // In code points.
  const length = [...password].length;
  if (length < PASSWORD_MIN) return 'tooShort';
  return length > PASSWORD_MAX ? 'tooLong' : undefined;
}

type Weakness = 'personal' | 'easy';

export interface Strength {
  /** 0 to 4, in powers of a hundred guesses (zxcvbn). */
  score: number;
  weakness: Weakness;
}

export interface Question {
  id: number;
  password: string;
  /** Words about the user. */
  about: string[];
}

export type Answer = Strength & { id: number };

/** Milliseconds without a question after which the thread ends. */
const IDLE = 60_000;
/** What waits for the answer: a sent form, or a page on which a password is being typed. */
export type Asker = 'form' | 'signedInPage' | 'anonymousPage';

/** Maximum questions in flight. A page can do without an answer, so pages get a small share. */
const MAX_IN_FLIGHT: Record<Asker, number> = { form: 128, signedInPage: 8, anonymousPage: 4 };
/** Maximum length of a text about the user, in characters, and of its words. */
const LONGEST_TEXT = 254;
const MOST_WORDS = 10;

interface Waiting {
  asker: Asker;
  resolve: (strength: Strength) => void;
  reject: (reason: unknown) => void;
}

let thread: Worker | undefined;
let ends: NodeJS.Timeout | undefined;
let asked = 0;
const waiting = new Map<number, Waiting>();

/**
 * How strong a password is.
 * @param about words about the person: name, mail address, and of this service
 * @throws OAuthError `temporarily_unavailable` when it cannot be worked out, or too many of this kind ask
 */
export async function strengthOf(
  password: string,
  about: readonly string[],
  asker: Asker = 'form',
): Promise<Strength> {
  const inFlight = [...waiting.values()].filter((one) => one.asker === asker).length;
  if (inFlight >= MAX_IN_FLIGHT[asker]) throw overloaded(2);
  clearTimeout(ends);
  thread ??= start();
  thread.ref();
  const id = ++asked;
  thread.postMessage({ id, password, about: about.flatMap(wordsOf) } satisfies Question);
  return new Promise((resolve, reject) => waiting.set(id, { asker, resolve, reject }));
}

function start(): Worker {
  const started = new Worker(new URL('./password-strength-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 16 },
  });
  started.on('message', ({ id, ...strength }: Answer) => {
    waiting.get(id)?.resolve(strength);
    waiting.delete(id);
    if (waiting.size > 0) return;
    started.unref(); // a process that is to end does not wait for it
    ends = setTimeout(() => {
      thread = undefined;
      void started.terminate();
    }, IDLE).unref();
  });
  const failed = (reason: unknown) => {
    if (thread !== started) return;
    thread = undefined;
    for (const { reject } of waiting.values()) reject(temporarilyUnavailable(reason));
    waiting.clear();
  };
  started.on('error', failed);
  started.on('exit', () => failed(new Error('the thread has ended')));
  return started;
}

/** A name or an email address and their parts, with accents and without. */
export function wordsOf(text: string): string[] {
  const short = text.slice(0, LONGEST_TEXT);
  const words = [short, ...short.split('@'), ...short.split(/[^\p{L}\p{N}]+/u)].filter(
    (word) => word.length > 2,
  );
  const spelled = words.flatMap((word) => [word, word.normalize('NFD').replace(/\p{M}/gu, '')]);
  return [...new Set(spelled)].slice(0, MOST_WORDS);
}
