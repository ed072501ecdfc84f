import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls `check` until its result is neither undefined nor false.
 * @param what the expected event, for the error message
 * @param timeout in milliseconds
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
