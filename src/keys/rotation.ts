// Schedules when signing keys are published, activated and deleted.
import type { Config } from '../config.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../oauth/signing-algorithms.ts';

const DAY = 24 * 3600;
/** Seconds from publication to activation. This lets clients fetch the key before tokens are signed with it. */
export const KEY_LEAD_TIME = DAY;

/** All periods are in seconds. */
export interface KeyRotation {
  /** 0 disables scheduled rotation. */
  interval: number;
  leadTime: number;
  /** At least the lifetime of the tokens that the key signed. */
  retention: number;
}

export const addSeconds = (date: Date, seconds: number): Date => new Date(date.getTime() + seconds * 1000);

export type KeySettings = Pick<Config, 'signingKeyRotation' | 'accessTokenTtl' | 'sessionTtl'>;

export const getKeyRotation = (config: KeySettings): KeyRotation => ({
  interval: config.signingKeyRotation,
  leadTime: Math.min(KEY_LEAD_TIME, Math.floor(config.signingKeyRotation / 2)),
  // An id_token_hint in a logout request may be as old as the session.
  retention: Math.max(config.accessTokenTtl, config.sessionTtl) + DAY,
});

/** In seconds. Applies if rotation isn't scheduled. */
const MAX_KEY_AGE = 365 * DAY;

interface ScheduledKey {
  kid: string;
  algorithm: SigningAlgorithm;
  signsFrom: Date;
}

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
    // Even if the rotation is overdue, the new key must first be published for the lead time.
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

/** Without a schedule, rotation is due a year after a key's activation. */
export const isRotationOverdue = (
  rows: readonly ScheduledKey[],
  { interval }: Pick<KeyRotation, 'interval'>,
  now: Date,
): boolean =>
  SIGNING_ALGORITHMS.some((algorithm) => {
    const newest = rows.find((row) => row.algorithm === algorithm);
    return newest !== undefined && addSeconds(newest.signsFrom, interval || MAX_KEY_AGE) <= now;
  });
