// How signing keys take turns: when the next ones are published, when they sign, when the last ones go.
import type { Config } from '../config.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../oauth/signing-algorithms.ts';

const DAY = 24 * 3600;
/** Seconds for which keys are published before they sign, so that applications have fetched them. */
export const LEAD = DAY;

/** How keys take turns; all in seconds. */
export interface KeyRotation {
  /** How long a key signs; 0: until an operator says otherwise. */
  every: number;
  /** How long before its turn the next one is published, so that applications have fetched it. */
  lead: number;
  /** How long a key is published after its turn: nothing that it signed lives longer. */
  keep: number;
}

export const later = (date: Date, seconds: number): Date => new Date(date.getTime() + seconds * 1000);

export type KeySettings = Pick<Config, 'signingKeyRotation' | 'accessTokenTtl' | 'sessionTtl'>;

export const keyRotationOf = (config: KeySettings): KeyRotation => ({
  every: config.signingKeyRotation,
  lead: Math.min(LEAD, Math.floor(config.signingKeyRotation / 2)),
  // A session may end with the id_token that it began with as a hint.
  keep: Math.max(config.accessTokenTtl, config.sessionTtl) + DAY,
});

interface Turn {
  kid: string;
  algorithm: SigningAlgorithm;
  signsFrom: Date;
}

/** What is to be done now: keys to publish, each with the time of its turn, and keys that nothing needs any more. */
export function due(rows: readonly Turn[], { every, lead, keep }: KeyRotation, now: Date) {
  const next = SIGNING_ALGORITHMS.flatMap((algorithm) => {
    const newest = rows.find((row) => row.algorithm === algorithm);
    if (every === 0 || newest === undefined) return [];
    const turn = later(newest.signsFrom, every);
    if (later(turn, -lead) > now) return [];
    // A service that was away for long publishes first, too.
    const earliest = later(now, lead);
    return [{ algorithm, signsFrom: new Date(Math.max(turn.getTime(), earliest.getTime())) }];
  });
  const past = rows.filter(({ algorithm, signsFrom }) =>
    rows.some(
      (newer) =>
        newer.algorithm === algorithm && newer.signsFrom > signsFrom && later(newer.signsFrom, keep) <= now,
    ),
  );
  return { next, past };
}
