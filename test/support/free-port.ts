// Finds free ports for test servers. Parallel test files get ports from separate ranges.
import { randomInt } from 'node:crypto';
import { findFreePort as anyFreePort } from '../../tools/free-port.ts';

const PORTS_PER_WORKER = 2_000;
/** The first port of this Vitest worker's range. The cluster tests, which run at the same time, use the first range. */
const firstPort = 22_000 + PORTS_PER_WORKER * (Number(process.env.VITEST_POOL_ID ?? 0) % 5);
let offset = randomInt(PORTS_PER_WORKER);

/** Finds a free port on 127.0.0.1. */
export function findFreePort(): Promise<number> {
  offset = (offset + 1) % PORTS_PER_WORKER;
  return anyFreePort(firstPort + offset);
}
