// Signing in: the same answer in the same time whether or not the account exists; wrong passwords slow down, never lock.

import { householdOf } from '../accounts/limits.ts';
import type { Aside } from '../accounts/lines.ts';
import type { MailParts } from '../mail/links.ts';
import type { Sealer } from '../oauth/seal.ts';
import { hashUuid } from '../oauth/uuid.ts';
import { emailKey } from '../store/emails.ts';
import { GUESSES, recordGuess } from '../store/password-guesses.ts';
import { type AttemptKeys, countAttempt, settleSignInAttempt } from '../store/throttling.ts';
import { findUserForSignIn, type UserForSignIn } from '../store/users.ts';
import type { Attempts } from './attempts.ts';
import type { PasswordHasher } from './password-hashing.ts';
import {
  byPassword,
  type Origin,
  type SessionParts,
  type StartedSession,
  startSession,
} from './session-start.ts';

/** What trying a password needs of the process. `wait` takes milliseconds. */
export interface AttemptParts extends MailParts, SessionParts {
  hasher: PasswordHasher;
  attempts: Attempts;
  wait: (milliseconds: number) => Promise<void>;
}

/** The browser that an attempt is made in. */
export interface Attempting {
  address: string;
  /** Accounts that are at home in it (web/known-browsers.ts), or the session in which it is signed in to this one. */
  known: readonly Buffer[] | { session: Buffer };
  /** What it shows to be trusted by accounts (D44). */
  trusted?: readonly Buffer[];
  aside: Aside;
}

// A few mistakes are free; then each attempt waits twice as long as the one before, up to eight seconds. A network may
// stand for an office, so it has more of them.
export const FREE_ATTEMPTS = { account: 4, network: 30 };
const LONGEST_WAIT = 8_000;

/** The wait, in milliseconds, before an attempt that `before` others preceded. */
export const waitAfter = (before: number, free: number): number =>
  before < free ? 0 : Math.min(LONGEST_WAIT, 500 * 2 ** (before - free));

interface Credentials {
  email: string;
  password: string;
}

/**
 * Checks a password and starts a session.
 * @returns the new session; `suspended` where they go together and the account is; undefined when email and password do not go together; or what a mail has to confirm,
 *   whether or not they do (D60)
 * @throws OAuthError `temporarily_unavailable` when the network's line or the hashing queue is full
 */
export const signIn = (
  parts: AttemptParts,
  credentials: Credentials,
  from: Attempting,
  origin: Origin,
  now: () => Date,
): Promise<StartedSession | HalfSignedIn | ByMail | 'suspended' | undefined> =>
  attempt(parts, credentials, from, now, async ({ userId, passwordHash, asksForCode }, { keys, guesses }) => {
    const { trusted = [] } = from;
    const entry = byPassword(userId, { passwordHash, trusted, attempt: keys, guesses });
    // What decides is the statement: an app that is enrolled at this moment counts.
    const session = await startSession(parts, entry, origin, now());
    return session ?? (asksForCode ? new HalfSignedIn(userId, passwordHash) : undefined);
  });

/** The password was right, and the account asks for more (credentials/second-factor.ts). */
export class HalfSignedIn {
  userId: string;
  passwordHash: string;
  constructor(userId: string, passwordHash: string) {
    this.userId = userId;
    this.passwordHash = passwordHash;
  }
}

/**
 * Whether email and password go together, with the same patience for every attempt, wherever it is made.
 * @returns the account and the hash that the password was verified against, or undefined
 * @throws OAuthError `temporarily_unavailable` when the network's line or the hashing queue is full
 */
export async function checkPassword(
  parts: AttemptParts,
  credentials: Credentials,
  from: Attempting,
  now: () => Date,
): Promise<UserWithPassword | undefined> {
  const checked = await attempt(parts, credentials, from, now, async (user, { keys }) => {
    await settleSignInAttempt(parts.database, keys, user.userId);
    return user;
  });
  return checked instanceof ByMail || checked === 'suspended' ? undefined : checked;
}

/** The key of a network, by which its attempts are counted. */
export const networkKeyOf = (sealer: Sealer, address: string): string =>
  hashUuid(sealer.mac('throttling', 'network', householdOf(address)));

/** The key of an email without an account, counted alike. */
export const emptyKeyOf = (sealer: Sealer, email: string): string =>
  hashUuid(sealer.mac('throttling', 'account', emailKey(email)));

/** After too many wrong passwords (D60): the answer is the same for all, a mail goes out only where there is a user. */
export class ByMail {
  /** Whose password it was. */
  user: UserForSignIn | undefined;
  constructor(user: UserForSignIn | undefined) {
    this.user = user;
  }
}

/** An account whose password was verified, against this hash. */
export type UserWithPassword = UserForSignIn & { passwordHash: string };

interface Underway {
  keys: AttemptKeys;
  /** The wrong passwords after which it does not start a session; undefined where there is no such bound. */
  guesses: number | undefined;
  /** Whether there were as many when it began. */
  byMail: boolean;
}

/**
 * Tries a password. It is counted as a wrong one until `settle` has said that it was right. Attempts that are neither
 * settled nor held wait for each other in their lines, so right ones that come together are not taken for wrong ones;
 * one that is to be held back leaves them.
 */
async function attempt<Settled>(
  parts: AttemptParts,
  { email, password }: Credentials,
  from: Attempting,
  now: () => Date,
  settle: (user: UserWithPassword, underway: Underway) => Promise<Settled>,
): Promise<Settled | ByMail | 'suspended' | undefined> {
  const { database, sealer, attempts } = parts;
  const { address, aside, known } = from;
  const session = 'session' in known ? known.session : undefined;
  const isMember = session !== undefined;
  // Each session has its own count: a stolen one must not use up its owner's attempts.
  const ownKey = isMember
    ? hashUuid(sealer.mac('throttling', 'session', session.toString('base64')))
    : undefined;
  const emptyKey = emptyKeyOf(sealer, email);
  const networkKey = networkKeyOf(sealer, address);
  const brought = 'session' in known ? [] : known;
  const strangers = ownKey ?? emptyKey;
  // A browser that brings something sealed by this service does not queue with strangers.
  const account = [strangers, ...brought.map((one) => one.toString('base64'))].join(' ');

  const fail = async (userId: string | undefined, wrong: number) => {
    const at = now();
    const guesses = await recordGuess(database, { userId, emptyKey, address, wrong }, at);
    if (wrong > 0) parts.activity.happened('sign_in_failed', at, wrong);
    // Whoever counts the last one tells the owner, once. Where there is no account it is the same work, and no mail.
    if (guesses >= GUESSES && guesses - wrong < GUESSES)
      await parts.mailer
        .send({ kind: 'wish', what: 'password_guessed', userId: userId ?? null, address })
        .catch((error) => parts.mailer.lost(error));
    return guesses;
  };
  const conclude = async (user: UserForSignIn | undefined, underway: Underway) => {
    const passwordHash = user?.passwordHash ?? undefined;
    const matches = await parts.hasher.verify(passwordHash, password);
    const verified =
      user !== undefined && passwordHash !== undefined && matches && !user.suspended
        ? { ...user, passwordHash }
        : undefined;
    if (verified !== undefined && !underway.byMail) return settle(verified, underway);
    // The same work for the right password as for a wrong one, where the answer must not tell them apart.
    const count = await fail(user?.userId, verified === undefined ? 1 : 0);
    if (underway.byMail) return new ByMail(verified);
    // Whoever gives the right password is told; it is counted all the same, and opens nothing. Others may have been counted
    // since this one began: the count itself says whether it still was one of those that may be told apart.
    const mayTell = underway.guesses === undefined || count <= underway.guesses;
    return matches && user?.suspended && mayTell ? 'suspended' : undefined;
  };
  const begin = async () => {
    const [user, ofNetwork] = await Promise.all([
      findUserForSignIn(database, email, brought),
      countAttempt(database, networkKey, now()),
    ]);
    const isKnown = user?.knowsBrowser === true;
    const accountKey = isKnown
      ? hashUuid(sealer.mac('throttling', 'known browser', user.userId))
      : (ownKey ?? user?.userId ?? emptyKey);
    const keys = { accountKey, networkKey };
    const ofAccount = await countAttempt(database, accountKey, now());
    const atHome = isKnown || isMember;
    // Without mail there is nothing else to ask for: then passwords are slowed down, and that is all.
    const guesses = atHome || !parts.mailer.available ? undefined : GUESSES;
    const underway = { keys, guesses, byMail: guesses !== undefined && ofAccount.wrong >= guesses };
    // Whoever is at home in the account is slowed by their own mistakes there, and not by who else is in their network.
    const delay = Math.max(
      waitAfter(ofAccount.before, FREE_ATTEMPTS.account),
      atHome ? 0 : waitAfter(ofNetwork.before, FREE_ATTEMPTS.network),
    );
    if (delay === 0) return conclude(user, underway);
    // The key that `isFull` asks for above: of the email, whether or not it has an account.
    const slowed = isKnown ? accountKey : strangers;
    const leave = attempts.hold(slowed, atHome ? `${slowed} ${networkKey}` : networkKey);
    if (leave !== undefined) return new Held(delay, underway, leave);
    // D60: as a wrong one, and never looked at, so it tells nothing of the password.
    await fail(user?.userId, 1);
    return undefined;
  };

  // With this many attempts delayed, the next one is wrong without a lookup. A browser that may be known is looked up first.
  if (brought.length === 0 && attempts.isFull(strangers)) return undefined;
  const begun = await attempts.ofNetwork(networkKey, aside, () => attempts.ofAccount(account, aside, begin));
  if (!(begun instanceof Held)) return begun;
  try {
    await aside(() => parts.wait(begun.delay));
    return await attempts.ofHeld('', aside, async () =>
      // Its password may have been changed while the attempt waited.
      conclude(await findUserForSignIn(database, email), begun.underway),
    );
  } finally {
    begun.leave();
  }
}

/** An attempt that is to be held back, and its place. */
class Held {
  delay: number;
  underway: Underway;
  leave: () => void;
  constructor(delay: number, underway: Underway, leave: () => void) {
    this.delay = delay;
    this.underway = underway;
    this.leave = leave;
  }
}
