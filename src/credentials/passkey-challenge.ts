// The challenge that a passkey signs (D38): random, sealed with what it is for, whose browser it is in, the account where one
// is known, and the time; so it is nowhere stored until it is spent.
import { challengeDigest } from '../oauth/digests.ts';
import { PASSKEY_CHALLENGE } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { randomSecret } from '../oauth/secrets.ts';

/** What an answer to a challenge does, and nothing else. */
export type ChallengePurpose = 'enrol' | 'sign-in' | 'confirm';

/** Whose answer it has to be. */
export interface ChallengeFor {
  purpose: ChallengePurpose;
  /** The browser, or the session in it, that the challenge was given to. */
  holder: string;
  /** The account, where one is known. */
  userId?: string | undefined;
}

/** A challenge that was answered: the key under which it is spent, once, and until when that has to be remembered. */
export interface Answered {
  key: Buffer;
  until: Date;
}

type Sealed = [random: string, holder: string, userId: string | null, at: number];

const sealedFor = (purpose: ChallengePurpose): string => `passkey ${purpose}`;

/** @returns base64url, good for five minutes */
export const newChallenge = (
  sealer: Sealer,
  { purpose, holder, userId }: ChallengeFor,
  now: Date,
): string => {
  const sealed: Sealed = [randomSecret(), holder, userId ?? null, now.getTime()];
  return sealer.sealJson(sealedFor(purpose), sealed);
};

/**
 * Opens a challenge that came back.
 * @param holders those of the browser that brings it
 * @returns undefined unless it was given for this, here, for this account, and no longer than five minutes ago
 */
export function answeredChallenge(
  sealer: Sealer,
  challenge: string,
  { purpose, holders, userId }: { purpose: ChallengePurpose; holders: readonly string[]; userId: string },
  now: Date,
): Answered | undefined {
  const [, holder, account, at] = sealer.openJson<Sealed>(sealedFor(purpose), challenge) ?? [];
  if (holder === undefined || at === undefined || !holders.includes(holder)) return undefined;
  if (account !== null && account !== userId) return undefined;
  const until = new Date(at + PASSKEY_CHALLENGE * 1000);
  return until > now ? { key: challengeDigest(challenge), until } : undefined;
}
