// Ports for what tests start. Between being found free and being listened on, a port is anybody's: two files that run at
// the same time must not find the same one.
import { randomInt } from 'node:crypto';
import { freePort as anyFreePort } from '../../tools/free-port.ts';

const WIDTH = 2_000;
/** Each worker of Vitest goes through ports of its own, in turn; the tests of the cluster, which run beside them, come first. */
const lowest = 22_000 + WIDTH * (Number(process.env.VITEST_POOL_ID ?? 0) % 5);
let next = randomInt(WIDTH);

/** A port of 127.0.0.1 that nobody listens on, and that no other test is given for now. */
export function freePort(): Promise<number> {
  next = (next + 1) % WIDTH;
  return anyFreePort(lowest + next);
}
