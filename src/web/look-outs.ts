// Waiting for what another request makes: one looks out for all who wait for the same, ever more seldom, and few may wait.
import { overloaded } from '../oauth/errors.ts';

/** Who may wait for the same in one process: a browser that sends a form again has hung up on the time before. */
const AT_A_TIME = 8;
/** Milliseconds. What is not there after the longest wait is not coming soon. */
const FIRST_STEP = 50;
const LONGEST_STEP = 800;
const LONGEST_WAIT = 10_000;

interface LookOut {
  waiting: number;
  found: Promise<string | null | undefined> | undefined;
}

/**
 * @returns what was found, undefined when nothing is being made (any more)
 * @throws OAuthError `temporarily_unavailable` when too many wait, or nothing came, or whoever waited has hung up
 */
type Join = (key: Buffer, hungUp: Promise<void>) => Promise<string | undefined>;

/**
 * @param look gives null while it is being made, undefined when there is nothing
 * @param pause takes milliseconds
 */
export function openLookOuts(
  look: (key: Buffer) => Promise<string | null | undefined>,
  pause: (milliseconds: number) => Promise<void>,
): Join {
  const underWay = new Map<string, LookOut>();

  async function lookFor(key: Buffer, name: string, lookOut: LookOut) {
    try {
      let step = FIRST_STEP;
      for (let waited = 0; waited < LONGEST_WAIT && lookOut.waiting > 0; waited += step) {
        if (waited > 0) step = Math.min(2 * step, LONGEST_STEP);
        const found = await look(key);
        if (found !== null) return found;
        await pause(step);
      }
      return null;
    } finally {
      underWay.delete(name);
    }
  }

  return async (key, hungUp) => {
    const name = key.toString('base64');
    const lookOut = underWay.get(name) ?? { waiting: 0, found: undefined };
    if (lookOut.waiting >= AT_A_TIME) throw overloaded(2);
    lookOut.waiting += 1;
    underWay.set(name, lookOut);
    lookOut.found ??= lookFor(key, name, lookOut);
    try {
      const found = await Promise.race([lookOut.found, hungUp.then(() => null)]);
      if (found === null) throw overloaded(2);
      return found;
    } finally {
      lookOut.waiting -= 1;
    }
  };
}
