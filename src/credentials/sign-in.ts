// Signing in: the same answer in the same time whether or not the account exists; wrong passwords slow down, never lock.
import { randomUUID } from 'node:crypto';
import { announceGuessing } from '../accounts/announcements.ts';
import { householdOf } from '../accounts/limits.ts';
import { type Aside, CROWDED } from '../accounts/lines.ts';
import type { MailParts } from '../mail/links.ts';
import { sessionDigest } from '../oauth/digests.ts';
import { overloaded } from '../oauth/errors.ts';
import type { Sealer } from '../oauth/seal.ts';
import { randomSecret } from '../oauth/secrets.ts';
import type { ServiceKind } from '../store/activity.ts';
import { GUESSES, recordGuess } from '../store/password-guesses.ts';
import { findSession, insertSession, type NewSession } from '../store/sessions.ts';
import { type AttemptKeys, beginSignInAttempt, settleSignInAttempt } from '../store/sign-in-failures.ts';
import { emailKey, findBrowserEpoch, findUserForSignIn, type UserForSignIn } from '../store/users.ts';
import type { Attempts } from './attempts.ts';
import { settleBrowser } from './browser-sessions.ts';
import type { PasswordHasher } from './password-hashing.ts';

/** What beginning a session needs of the process. */
export interface SessionParts extends Pick<MailParts, 'database' | 'config'> {
  /** Counts what happens (background/activity.ts). */
  activity: { happened(kind: ServiceKind, at: Date, times?: number): void };
}

/** What trying a password needs of the process. `wait` takes milliseconds. */
interface AttemptParts extends MailParts, SessionParts {
  hasher: PasswordHasher;
  attempts: Attempts;
  wait: (milliseconds: number) => Promise<void>;
}

/** Where a request came from: kept with the session it starts. */
export interface Origin {
  address: string;
  userAgent: string;
  /** The ids of the sessions that the browser has, the active one first. */
  sessionIds: readonly string[];
}

/** The browser that an attempt is made in. */
export interface Attempting {
  address: string;
  /** Accounts that are at home in it (web/known-browsers.ts), or the session in which it is signed in to this one. */
  known: readonly Buffer[] | { session: Buffer };
  aside: Aside;
}

// A few mistakes are free; then each attempt waits twice as long as the one before, up to eight seconds. A network may
// stand for an office, so it has more of them.
const FREE_ATTEMPTS = { account: 4, network: 30 };
const LONGEST_WAIT = 8_000;

/** The wait, in milliseconds, before an attempt that `before` others preceded. */
const waitAfter = (before: number, free: number): number =>
  before < free ? 0 : Math.min(LONGEST_WAIT, 500 * 2 ** (before - free));

/** What a person gives to be known by. */
interface Credentials {
  email: string;
  password: string;
}

/** A session that has just begun. */
export interface StartedSession {
  /** For the cookie and nowhere else. */
  id: string;
  /** Its public name. */
  sid: string;
  userId: string;
  /** The number that a browser at home in this account carries. */
  browserEpoch: number;
  /** The ids of the browser's other sessions, of other accounts, that it keeps. */
  otherIds: readonly string[];
  /** The form was sent before, and had started it then. */
  again?: true;
}

/**
 * A form that starts one session, however often it is sent within a minute: whoever comes second is let in by the same one.
 * The name of that session is made of the form, and never again once the form could be used again.
 */
export interface EntryForm {
  key: Buffer;
  /** @param minute of all time */
  idIn: (minute: number) => string;
}

const MINUTE = 60_000;
const minuteOf = (now: Date): number => Math.floor(now.getTime() / MINUTE);

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
  form?: EntryForm,
): Promise<StartedSession | ByMail | 'suspended' | undefined> =>
  attempt(parts, credentials, from, now, ({ userId, passwordHash }, { keys, guesses }) => {
    const why = { kind: 'signed_in', attempt: keys, guesses, form } as const;
    return startSession(parts, userId, passwordHash, origin, now(), why);
  });

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
): Promise<UserForSignIn | undefined> {
  const checked = await attempt(parts, credentials, from, now, async (user, { keys }) => {
    await settleSignInAttempt(parts.database, keys, user.userId, now());
    return user;
  });
  return checked instanceof ByMail || checked === 'suspended' ? undefined : checked;
}

/** What an attempt counts under, by email and by network; within a session by that. */
export function attemptKeys(
  sealer: Sealer,
  email: string,
  address: string,
  session?: Buffer,
): AttemptKeys & { homeKey: Buffer; memberKey: Buffer } {
  const key = (kind: string, of: string) => sealer.mac('sign-in-failures', kind, of);
  const [of, network] = [emailKey(email), householdOf(address)];
  return {
    accountKey: key('account', of),
    homeKey: key('home', of),
    // Each session by itself: a stolen one must not use up what its owner's has.
    memberKey: key('member', session?.toString('base64') ?? of),
    addressKey: key('network', network),
  };
}

/** After too many wrong passwords (D60): the answer is the same for all, a mail goes out only where there is a user. */
export class ByMail {
  /** Whose password it was. */
  user: UserForSignIn | undefined;
  constructor(user: UserForSignIn | undefined) {
    this.user = user;
  }
}

/** What an attempt is under way with. */
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
  settle: (user: UserForSignIn, underway: Underway) => Promise<Settled>,
): Promise<Settled | ByMail | 'suspended' | undefined> {
  const { database, sealer, attempts } = parts;
  const { address, aside, known } = from;
  const session = 'session' in known ? known.session : undefined;
  const {
    accountKey: emptyKey,
    homeKey,
    memberKey,
    addressKey,
  } = attemptKeys(sealer, email, address, session);
  const isMember = session !== undefined;
  const accountKey = isMember ? memberKey : emptyKey;
  const brought = 'session' in known ? [] : known;
  const network = addressKey.toString('base64');
  // Whoever brings something that this service has sealed does not stand in one line with strangers.
  const account = Buffer.concat([accountKey, ...brought]).toString('base64');

  const strangers = accountKey.toString('base64');

  const fail = async (userId: string | undefined, wrong: number) => {
    const at = now();
    const guesses = await recordGuess(database, { userId, emptyKey, address, wrong }, at);
    if (wrong > 0) parts.activity.happened('sign_in_failed', at, wrong);
    // Whoever counts the last one tells the owner, once. Where there is no account it is the same work, and no mail.
    if (guesses >= GUESSES && guesses - wrong < GUESSES)
      await announceGuessing(parts, userId ?? null, address).catch((error) => parts.mailer.lost(error));
    return guesses;
  };
  const conclude = async (user: UserForSignIn | undefined, underway: Underway) => {
    const matches = await parts.hasher.verify(user?.passwordHash, password);
    const verified = user !== undefined && matches && !user.suspended ? user : undefined;
    const turnedAway = attempts.takeTurnedAway(strangers);
    if (verified !== undefined && !underway.byMail) return settle(verified, underway);
    // The same work for the right password as for a wrong one, where the answer must not tell them apart.
    const count = await fail(user?.userId, turnedAway + (verified === undefined ? 1 : 0));
    if (underway.byMail) return new ByMail(verified);
    // Whoever gives the right password is told; it is counted all the same, and opens nothing. Others may have been counted
    // since this one began: the count itself says whether it still was one of those that may be told apart.
    const mayTell = underway.guesses === undefined || count <= underway.guesses;
    return matches && user?.suspended && mayTell ? 'suspended' : undefined;
  };
  const begin = async () => {
    const begun = await beginSignInAttempt(
      database,
      { accountKey, homeKey, addressKey, emptyKey, email, known: brought },
      now(),
    );
    const keys = { accountKey: begun.atHome ? homeKey : accountKey, addressKey };
    const atHome = begun.atHome || isMember;
    // Without mail there is nothing else to ask for: then passwords are slowed down, and that is all.
    const guesses = atHome || !parts.mailer.available ? undefined : GUESSES;
    const underway = { keys, guesses, byMail: guesses !== undefined && begun.guesses >= guesses };
    // Whoever is at home in the account is slowed by their own mistakes there, and not by who else is in their network.
    const delay = Math.max(
      waitAfter(begun.byAccount, FREE_ATTEMPTS.account),
      atHome ? 0 : waitAfter(begun.byAddress, FREE_ATTEMPTS.network),
    );
    if (delay === 0) return conclude(begun.user, underway);
    const slowed = keys.accountKey.toString('base64');
    const leave = attempts.hold(slowed, atHome ? `${slowed} ${network}` : network);
    if (leave !== undefined) return new Held(delay, underway, leave);
    // D60: as a wrong one, and never looked at, so it tells nothing of the password.
    await fail(begun.user?.userId, 1);
    return undefined;
  };

  // D60: wrong at once. So many are held back that this one would be, too, and there is no place: it need not be looked
  // up. Where the browser may be at home in the account, that is asked first.
  const turnAway = () => {
    attempts.turnAway(strangers);
    return undefined;
  };
  if (brought.length === 0 && attempts.isFull(strangers)) return turnAway();
  const begun = await attempts.ofNetwork(network, aside, async () => {
    const outcome = await attempts.ofAccount(account, aside, begin);
    return outcome === CROWDED ? turnAway() : outcome; // wrong at once, too
  });
  if (begun === CROWDED) throw overloaded(2);
  if (!(begun instanceof Held)) return begun;
  try {
    await aside(() => parts.wait(begun.delay));
    const concluded = await attempts.ofHeld('', aside, async () =>
      // Its password may have been changed while the attempt waited.
      conclude(await findUserForSignIn(database, email), begun.underway),
    );
    if (concluded === CROWDED) throw overloaded(2);
    return concluded;
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

/** What the audit log says of a new session, the attempt that it settles, and the form that starts it. */
type Why = Pick<NewSession, 'kind' | 'attempt' | 'guesses'> & { form?: EntryForm | undefined };

/**
 * Starts a session under a new id and ends the one that the browser had (rotation against session fixation).
 * @returns undefined when the account changed meanwhile
 */
export async function startSession(
  parts: SessionParts,
  userId: string,
  passwordHash: string,
  origin: Origin,
  now: Date,
  why: Why = { kind: 'signed_in' },
): Promise<StartedSession | undefined> {
  const { database, config, activity } = parts;
  const { form, ...noted } = why;
  const { address, userAgent, sessionIds } = origin;
  const id = form?.idIn(minuteOf(now)) ?? randomSecret();
  const started = await insertSession(database, {
    idHash: sessionDigest(id),
    sid: randomUUID(),
    userId,
    passwordHash,
    authTime: now,
    expiresAt: new Date(now.getTime() + config.sessionTtl * 1000),
    address,
    userAgent: userAgent.slice(0, 400),
    previousIdHashes: sessionIds.map(sessionDigest),
    ...noted,
    form: form && { key: form.key, until: new Date(now.getTime() + MINUTE) },
  });
  if (started === undefined && form !== undefined)
    return (
      (await sessionOf(database, form, { userId, sessionIds }, now)) ??
      // That session is over: another one is begun, under a name that it never had.
      startSession(parts, userId, passwordHash, origin, now, noted)
    );
  if (started === undefined) return undefined;
  activity.happened(noted.kind, now);
  const otherIds = await settleBrowser(database, sessionIds, { id, userId }, now);
  return { id, userId, ...started, otherIds };
}

/** The session that a form has started a moment ago, if it still is one. */
async function sessionOf(
  database: MailParts['database'],
  form: EntryForm,
  { userId, sessionIds }: { userId: string; sessionIds: readonly string[] },
  now: Date,
): Promise<StartedSession | undefined> {
  const minute = minuteOf(now);
  for (const id of [form.idIn(minute), form.idIn(minute - 1)]) {
    const session = await findSession(database, sessionDigest(id), now);
    const browserEpoch = await findBrowserEpoch(database, userId);
    if (session?.userId === userId && browserEpoch !== undefined) {
      const otherIds = await settleBrowser(database, sessionIds, { id, userId }, now);
      return { id, userId, sid: session.sid, browserEpoch, otherIds, again: true };
    }
  }
  return undefined;
}
