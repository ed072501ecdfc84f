// Who may try a password now: lines of attempts, and places for those that are held back. Made once per process.
import { type Line, openLine } from '../accounts/lines.ts';

export interface Attempts {
  /** In the turn of a network. It is short of the free attempts: those that are right leave before they are too many. */
  ofNetwork: Line;
  /** In the turn of an account, one at a time: each sees what the one before it came to. */
  ofAccount: Line;
  /** Of all that were held back, one at a time: together they take one place where passwords are hashed. */
  ofHeld: Line;
  /** Whether so many of an account are held back that the next cannot be. */
  isFull(account: string): boolean;
  /** A place to wait in, or undefined: then the attempt is answered at once. Gives what leaves the place. */
  hold(account: string, network: string): (() => void) | undefined;
  /** How many are held back at the moment. */
  held(): number;
}

/** D60: so many wait at a time. Waiting takes some kilobytes of memory and nothing else, so all of them may be many. */
const HELD = { account: 8, network: 32, all: 1000 };
/** How long lines may be. They move as fast as passwords are checked, and nobody else waits in them. */
const LONGEST = { network: 500, account: 250 };
/** How many attempts of a network are checked at a time: a quarter of those that are free. */
const NETWORK_AT_A_TIME = 8;

export function openAttempts(): Attempts {
  const places = new Map<string, number>();
  const change = (key: string, by: number) => {
    const count = (places.get(key) ?? 0) + by;
    if (count === 0) places.delete(key);
    else places.set(key, count);
  };
  let held = 0;
  const isFull = (key: string, limit: number) => held >= HELD.all || (places.get(key) ?? 0) >= limit;
  return {
    ofNetwork: openLine(NETWORK_AT_A_TIME, LONGEST.network),
    ofAccount: openLine(1, LONGEST.account),
    ofHeld: openLine(1, HELD.all),
    isFull: (account) => (places.get(account) ?? 0) >= HELD.account,
    hold: (account, network) => {
      if (isFull(account, HELD.account) || isFull(network, HELD.network)) return undefined;
      const take = (by: number) => {
        held += by;
        change(account, by);
        change(network, by);
      };
      take(1);
      return () => take(-1);
    },
    held: () => held,
  };
}
