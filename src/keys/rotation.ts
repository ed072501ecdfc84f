// Schedule of signing key rotation: publication, activation and deletion.
import type { Config } from '../config.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../oauth/signing-algorithms.ts';

const DAY = 24 * 3600;
/** Seconds from a key's publication to its activation, which give clients time to fetch the key. */
export const KEY_LEAD_TIME = DAY;

/** The periods of key rotation, in seconds. */
export interface KeyRotation {
  /** How long a key is active. If 0, a key is active until an administrator rotates the keys. */
  interval: number;
  /** How long a key is published before it is activated. */
  leadTime: number;
  /** How long a replaced key stays published. It must be at least the lifetime of the tokens that were signed with the key. */
  retention: number;
}

export const addSeconds = (date: Date, seconds: number): Date => new Date(date.getTime() + seconds * 1000);

export type KeySettings = Pick<Config, 'signingKeyRotation' | 'accessTokenTtl' | 'sessionTtl'>;

export const getKeyRotation = (config: KeySettings): KeyRotation => ({
  interval: config.signingKeyRotation,
  leadTime: Math.min(KEY_LEAD_TIME, Math.floor(config.signingKeyRotation / 2)),
  // The id_token_hint in a logout request may be an id_token that was issued at the start of the session.
  retention: Math.max(config.accessTokenTtl, config.sessionTtl) + DAY,
});

interface ScheduledKey {
  kid: string;
  algorithm: SigningAlgorithm;
  signsFrom: Date;
}

/** Returns the new keys to publish, with their activation times, and the keys to delete. */
export function planRotation(
  rows: readonly ScheduledKey[],
  { interval, leadTime, retention }: KeyRotation,
  now: Date,
) {
  const next = SIGNING_ALGORITHMS.flatMap((algorithm) => {
    const newest = rows.find((row) => row.algorithm === algorithm);
    if (interval === 0 || newest === undefined) return [];
    const activation = addSeconds(newest.signsFrom, interval);
    if (addSeconds(activation, -leadTime) > now) return [];
    // Keys are published for the whole lead time before they are activated, even after a long downtime.
    const earliest = addSeconds(now, leadTime);
    return [{ algorithm, signsFrom: new Date(Math.max(activation.getTime(), earliest.getTime())) }];
  });
  const expired = rows.filter(({ algorithm, signsFrom }) =>
    rows.some(
      (newer) =>
        newer.algorithm === algorithm &&
        newer.signsFrom > signsFrom &&
        addSeconds(newer.signsFrom, retention) <= now,
    ),
  );
  return { next, expired };
}
