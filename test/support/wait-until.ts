// Waits for a condition by polling.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `check` until it returns a value other than undefined or false.
 * @returns that value
 * @param what the expected event, for the error message
 * @param timeout milliseconds
 * @throws Error on timeout
 */
export async function waitUntil<Result>(
  what: string | (() => string),
  check: () => Promise<Result | undefined | false> | Result | undefined | false,
  timeout = 30_000,
): Promise<Result> {
  const deadline = Date.now() + timeout;
  for (;;) {
    const result = await check();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > deadline)
      throw new Error(
        `timed out after ${timeout} ms waiting for ${typeof what === 'string' ? what : what()}`,
      );
    await sleep(15);
  }
}
