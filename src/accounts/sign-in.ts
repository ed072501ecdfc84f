// Signing in: the same answer in the same time whether or not the account exists; wrong passwords slow down, never lock.
import { randomUUID } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import { sessionDigest } from '../oauth/digests.ts';
import { overloaded } from '../oauth/errors.ts';
import type { Sealer } from '../oauth/seal.ts';
import { randomSecret } from '../oauth/secrets.ts';
import type { Database } from '../store/database.ts';
import { recordSignInFailure } from '../store/events.ts';
import { deletePreviousSession, insertSession, type NewSession } from '../store/sessions.ts';
import { type AttemptKeys, beginSignInAttempt, settleSignInAttempt } from '../store/sign-in-failures.ts';
import { emailKey, findUserForSignIn, type UserForSignIn } from '../store/users.ts';
import { type Aside, type Attempts, CROWDED } from './attempts.ts';
import type { PasswordHasher } from './password-hashing.ts';

/** What trying a password needs of the process. `wait` takes milliseconds. */
interface AttemptParts {
  database: Database;
  sealer: Sealer;
  hasher: PasswordHasher;
  attempts: Attempts;
  wait: (milliseconds: number) => Promise<void>;
}

/** What signing in needs besides. */
export interface SignInParts extends AttemptParts {
  /** Seconds that a session lasts. */
  sessionLifetime: number;
}

/** Where a request came from: kept with the session it starts. */
export interface Origin {
  address: string;
  userAgent: string;
  /** The id in the session cookie that the browser had, if any: that session ends. */
  previousSessionId: string | undefined;
}

/** The browser that an attempt is made in. */
export interface Attempting {
  address: string;
  /** Accounts that are at home in it (plugins/known-browsers.ts), or `member`: it is signed in to the one it is about. */
  known: readonly Buffer[] | 'member';
  aside: Aside;
}

// A few mistakes are free; then each attempt waits twice as long as the one before, up to eight seconds. A network may
// stand for an office, so it has more of them.
const FREE_ATTEMPTS = { account: 4, network: 30 };
const LONGEST_WAIT = 8_000;
/** What one household or one machine gets of IPv6 may be as much: it must not be 256 networks. */
const IPV6_NETWORK = 56;

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
}

/**
 * Checks a password and starts a session.
 * @returns the new session, or undefined when email and password do not go together
 * @throws OAuthError `temporarily_unavailable` when the network's line or the hashing queue is full
 */
export const signIn = (
  parts: SignInParts,
  credentials: Credentials,
  from: Attempting,
  origin: Origin,
  now: () => Date,
): Promise<StartedSession | undefined> =>
  attempt(parts, credentials, from, now, ({ userId, passwordHash }, keys) =>
    startSession(parts, userId, passwordHash, origin, now(), { kind: 'signed_in', attempt: keys }),
  );

/**
 * Whether email and password go together, with the same patience for every attempt, wherever it is made.
 * @returns the account and the hash that the password was verified against, or undefined
 * @throws OAuthError `temporarily_unavailable` when the network's line or the hashing queue is full
 */
export const checkPassword = (
  parts: AttemptParts,
  credentials: Credentials,
  from: Attempting,
  now: () => Date,
): Promise<UserForSignIn | undefined> =>
  attempt(parts, credentials, from, now, async (user, keys) => {
    await settleSignInAttempt(parts.database, keys, now());
    return user;
  });

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
  settle: (user: UserForSignIn, keys: AttemptKeys) => Promise<Settled>,
): Promise<Settled | undefined> {
  const { database, sealer, attempts } = parts;
  const { address, aside, known } = from;
  const key = (kind: string, of: string) => sealer.mac('sign-in-failures', kind, of);
  const isMember = known === 'member';
  const accountKey = key(isMember ? 'member' : 'account', emailKey(email));
  const homeKey = key('home', emailKey(email));
  const addressKey = key('network', normalizeIP(address, IPV6_NETWORK));
  const brought = isMember ? [] : known;
  const network = addressKey.toString('base64');
  // Whoever brings something that this service has sealed does not stand in one line with strangers.
  const account = Buffer.concat([accountKey, ...brought]).toString('base64');

  const conclude = async (user: UserForSignIn | undefined, keys: AttemptKeys) => {
    const matches = await parts.hasher.verify(user?.passwordHash, password);
    if (user !== undefined && matches && !user.suspended) return settle(user, keys);
    await recordSignInFailure(database, { userId: user?.userId, address }, now());
    return undefined;
  };
  const begin = async () => {
    const begun = await beginSignInAttempt(
      database,
      { accountKey, homeKey, addressKey, email, known: brought },
      now(),
    );
    const keys = { accountKey: begun.atHome ? homeKey : accountKey, addressKey };
    const delay = Math.max(
      waitAfter(begun.byAccount, FREE_ATTEMPTS.account),
      waitAfter(begun.byAddress, FREE_ATTEMPTS.network),
    );
    if (delay === 0) return conclude(begun.user, keys);
    const leave = attempts.hold(keys.accountKey.toString('base64'), network);
    if (leave !== undefined) return new Held(delay, keys, leave);
    // D60: as a wrong one, and never looked at, so it tells nothing of the password.
    await recordSignInFailure(database, { userId: begun.user?.userId, address }, now());
    return undefined;
  };

  // D60: wrong at once. So many are held back that this one would be, too, and there is no place: it need not be looked
  // up. Where the browser may be at home in the account, that is asked first.
  if (brought.length === 0 && attempts.isFull(accountKey.toString('base64'))) return undefined;
  const begun = await attempts.ofNetwork(network, aside, async () => {
    const outcome = await attempts.ofAccount(account, aside, begin);
    return outcome === CROWDED ? undefined : outcome; // wrong at once, too
  });
  if (begun === CROWDED) throw overloaded(2);
  if (!(begun instanceof Held)) return begun;
  try {
    await aside(() => parts.wait(begun.delay));
    const concluded = await attempts.ofHeld('', aside, async () =>
      // Its password may have been changed while the attempt waited.
      conclude(await findUserForSignIn(database, email), begun.keys),
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
  keys: AttemptKeys;
  leave: () => void;
  constructor(delay: number, keys: AttemptKeys, leave: () => void) {
    this.delay = delay;
    this.keys = keys;
    this.leave = leave;
  }
}

/**
 * Starts a session under a new id and ends the one that the browser had (rotation against session fixation).
 * @param why what the audit log says of it, and the attempt that it settles
 * @returns undefined when the account changed meanwhile
 */
export async function startSession(
  { database, sessionLifetime }: Pick<SignInParts, 'database' | 'sessionLifetime'>,
  userId: string,
  passwordHash: string,
  { address, userAgent, previousSessionId }: Origin,
  now: Date,
  { kind, attempt }: Pick<NewSession, 'kind' | 'attempt'> = { kind: 'signed_in' },
): Promise<StartedSession | undefined> {
  const id = randomSecret();
  const previous = previousSessionId === undefined ? undefined : sessionDigest(previousSessionId);
  const started = await insertSession(database, {
    idHash: sessionDigest(id),
    sid: randomUUID(),
    userId,
    passwordHash,
    authTime: now,
    expiresAt: new Date(now.getTime() + sessionLifetime * 1000),
    address,
    userAgent: userAgent.slice(0, 400),
    previousIdHash: previous,
    kind,
    attempt,
  });
  if (started === undefined) return undefined;
  if (previous !== undefined)
    await database.transaction((transaction) => deletePreviousSession(transaction, previous, userId, now));
  return { id, userId, ...started };
}
