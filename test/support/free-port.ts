// Finds free ports. Each Vitest worker has its own range.
import { randomInt } from 'node:crypto';
import { findFreePort as anyFreePort } from '../../tools/free-port.ts';

const PORTS_PER_WORKER = 2_000;
/** The cluster tests run without Vitest and use range 0. */
const firstPort = 22_000 + PORTS_PER_WORKER * (Number(process.env.VITEST_POOL_ID ?? 0) % 5);
let offset = randomInt(PORTS_PER_WORKER);

export function findFreePort(): Promise<number> {
  offset = (offset + 1) % PORTS_PER_WORKER;
  return anyFreePort(firstPort + offset);
}
