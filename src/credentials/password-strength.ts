// How soon a password would be guessed: asked of a thread (password-strength-worker.ts) that lives while there are questions.
import { Worker } from 'node:worker_threads';
import { overloaded, temporarilyUnavailable } from '../oauth/errors.ts';

export type Weakness = 'personal' | 'common' | 'repeated' | 'row' | 'easy';

export interface Strength {
  /** 0 to 4, in powers of a hundred guesses (zxcvbn). */
  score: number;
  weakness: Weakness;
}

export interface Question {
  id: number;
  password: string;
  /** What whoever knows the person would try first. */
  about: string[];
}

export type Answer = Strength & { id: number };

/** After so many milliseconds without a question the thread ends; a part of its memory stays with the process, for the next. */
const IDLE = 60_000;
/** Who waits for the answer: a form that was sent, or a page on which a password is being typed. */
export type Asker = 'form' | 'signedInPage' | 'anonymousPage';

/**
 * Questions in flight, for each kind of asker: the one thread answers in the order in which it is asked. A page can do
 * without an answer, so pages get a small share and forms wait behind few of them.
 */
const MAX_IN_FLIGHT: Record<Asker, number> = { form: 128, signedInPage: 8, anonymousPage: 4 };
/** What is looked at of a text about the person, in characters (as long as an address may be), and its words. */
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
      thread = undefined; // whoever asks while it ends gets another one
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

/** A name or an address and their parts, with accents and without; of long ones the first. */
export function wordsOf(text: string): string[] {
  const short = text.slice(0, LONGEST_TEXT);
  const words = [short, ...short.split('@'), ...short.split(/[^\p{L}\p{N}]+/u)].filter(
    (word) => word.length > 2,
  );
  const spelled = words.flatMap((word) => [word, word.normalize('NFD').replace(/\p{M}/gu, '')]);
  return [...new Set(spelled)].slice(0, MOST_WORDS);
}
