// Waiting for something that another process does: asks again and again, never longer than a deadline.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks until the answer is neither undefined nor false, and gives it.
 * @param what says in the failure what never came
 * @throws Error when the deadline (milliseconds) passes first
 */
export async function until<Answer>(
  what: string | (() => string),
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
  patience = 30_000,
): Promise<Answer> {
  const deadline = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline)
      throw new Error(`waited ${patience} ms in vain: ${typeof what === 'string' ? what : what()}`);
    await sleep(15);
  }
}
