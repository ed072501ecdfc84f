// Queues for sign-in attempts and a limit on delayed attempts, per process.
import { createKeyedQueue, type KeyedQueue } from '../accounts/keyed-queue.ts';

export interface AttemptQueues {
  /**
   * Runs fewer than `FREE_ATTEMPTS.network` attempts at a time. Running attempts count as failed, so more of them would
   * cause delays even with correct passwords.
   */
  perNetwork: KeyedQueue;
  /** Runs one attempt at a time because the delay depends on the outcome of the previous attempts. */
  perAccount: KeyedQueue;
  /**
   * Queues for delayed attempts: one per network, and one for all networks (key `''`). Each runs one attempt at a
   * time.
   */
  delayed: KeyedQueue;
  isAtDelayLimit(account: string): boolean;
  /** Reserves a slot and returns its release function. Returns undefined if no slot is free. */
  reserveDelay(account: string, network: string): (() => void) | undefined;
  delayedCount(): number;
}

const MAX_DELAYED = { account: 8, network: 32, all: 1000 };
const MAX_QUEUE_LENGTH = { network: 500, account: 250 };
const NETWORK_CONCURRENCY = 8;

export function createAttemptQueues(): AttemptQueues {
  const delayed = new Map<string, number>();
  const changeCount = (key: string, delta: number) => {
    const count = (delayed.get(key) ?? 0) + delta;
    if (count === 0) delayed.delete(key);
    else delayed.set(key, count);
  };
  let total = 0;
  const isAtLimit = (key: string, limit: number) =>
    total >= MAX_DELAYED.all || (delayed.get(key) ?? 0) >= limit;
  return {
    perNetwork: createKeyedQueue(NETWORK_CONCURRENCY, MAX_QUEUE_LENGTH.network),
    perAccount: createKeyedQueue(1, MAX_QUEUE_LENGTH.account),
    delayed: createKeyedQueue(1, MAX_DELAYED.all),
    isAtDelayLimit: (account) => (delayed.get(account) ?? 0) >= MAX_DELAYED.account,
    reserveDelay: (account, network) => {
      if (isAtLimit(account, MAX_DELAYED.account) || isAtLimit(network, MAX_DELAYED.network))
        return undefined;
      const changeCounts = (delta: number) => {
        total += delta;
        changeCount(account, delta);
        changeCount(network, delta);
      };
      changeCounts(1);
      return () => changeCounts(-1);
    },
    delayedCount: () => total,
  };
}
