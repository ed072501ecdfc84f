// Statements that waited for a lock in vain: for a while nobody else waits for the same.

/** SQLSTATE of a lock that did not become free in time. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** For a statement that is refused because the same one has just waited in vain. */
export const lockedOut = (): Error =>
  Object.assign(new Error('not tried: the same statement waited for a lock in vain just now'), {
    code: LOCK_NOT_AVAILABLE,
  });

export interface Resting {
  /** @throws what `lockedOut` makes, for a statement that rests; the first one after the rest is the trial */
  refuse(name: string): void;
  /** It waited in vain. */
  begin(name: string): void;
  /** It was carried out. */
  end(name: string): void;
}

/**
 * @param rest milliseconds for which a statement is refused; 0: never
 * @param lockTimeout milliseconds that the trial may take, during which the others are still refused
 */
export function newResting(rest: number, lockTimeout: number): Resting {
  /** When each may be tried again, by name. */
  const until = new Map<string, number>();
  return {
    refuse(name) {
      if (until.size === 0) return;
      const end = until.get(name);
      if (end === undefined) return;
      if (performance.now() < end) throw lockedOut();
      until.set(name, performance.now() + rest + lockTimeout);
    },
    begin(name) {
      if (rest > 0) until.set(name, performance.now() + rest);
    },
    end(name) {
      if (until.size > 0) until.delete(name);
    },
  };
}
