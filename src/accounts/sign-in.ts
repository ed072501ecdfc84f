// Signing in: the same answer in the same time whether or not the account exists; wrong passwords slow down, never lock.
import { randomUUID } from 'node:crypto';
import { sessionDigest } from '../oauth/digests.ts';
import { overloaded } from '../oauth/errors.ts';
import type { Sealer } from '../oauth/seal.ts';
import { randomSecret } from '../oauth/secrets.ts';
import type { Database } from '../store/database.ts';
import { recordSignInFailure } from '../store/events.ts';
import { deletePreviousSession, insertSession, type NewSession } from '../store/sessions.ts';
import { type AttemptKeys, beginSignInAttempt, settleSignInAttempt } from '../store/sign-in-failures.ts';
import { emailKey, findUserForSignIn } from '../store/users.ts';
import type { PasswordHasher } from './password-hashing.ts';

/** What signing in needs of the process. `wait` takes milliseconds. */
export interface SignInParts {
  database: Database;
  sealer: Sealer;
  hasher: PasswordHasher;
  wait: (milliseconds: number) => Promise<void>;
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

// A few mistakes are free; then each attempt waits twice as long as the one before, up to eight seconds. An address
// may stand for an office, so it has more of them.
const FREE_ATTEMPTS = { account: 4, address: 30 };
const LONGEST_WAIT = 8_000;
const WAITING_LIMIT = 500;
let waiting = 0;

/** How many attempts this process holds back at the moment. */
export const slowedDownAttempts = (): number => waiting;

/** The wait, in milliseconds, before an attempt that `before` others preceded. */
const waitAfter = (before: number, free: number): number =>
  before < free ? 0 : Math.min(LONGEST_WAIT, 500 * 2 ** (before - free));

/** What a person gives to be known by. */
interface Credentials {
  email: string;
  password: string;
}

/** Who gave the right password, and the attempt that is still to be settled. */
interface Verified {
  userId: string;
  passwordHash: string;
  attempt: AttemptKeys;
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
 * @throws OAuthError `temporarily_unavailable` when too many attempts wait, or the hashing queue is full
 */
export async function signIn(
  parts: SignInParts,
  credentials: Credentials,
  origin: Origin,
  now: () => Date,
): Promise<StartedSession | undefined> {
  const verified = await verify(parts, credentials, origin.address, now);
  if (verified === undefined) return undefined;
  const { userId, passwordHash, attempt } = verified;
  return startSession(parts, userId, passwordHash, origin, now(), { kind: 'signed_in', attempt });
}

/**
 * Whether email and password go together, with the same patience for every attempt, wherever it is made.
 * @returns the account and the hash that the password was verified against, or undefined
 * @throws OAuthError `temporarily_unavailable` when too many attempts wait, or the hashing queue is full
 */
export async function checkPassword(
  parts: Omit<SignInParts, 'sessionLifetime'>,
  credentials: Credentials,
  address: string,
  now: () => Date,
): Promise<{ userId: string; passwordHash: string } | undefined> {
  const verified = await verify(parts, credentials, address, now);
  if (verified !== undefined) await settleSignInAttempt(parts.database, verified.attempt, now());
  return verified;
}

async function verify(
  parts: Omit<SignInParts, 'sessionLifetime'>,
  { email, password }: Credentials,
  address: string,
  now: () => Date,
): Promise<Verified | undefined> {
  const { database, sealer } = parts;
  const attempt = {
    accountKey: sealer.mac('sign-in-failures', 'account', emailKey(email)),
    addressKey: sealer.mac('sign-in-failures', 'address', address),
  };
  const begun = await beginSignInAttempt(database, attempt, email, now());
  const delay = Math.max(
    waitAfter(begun.byAccount, FREE_ATTEMPTS.account),
    waitAfter(begun.byAddress, FREE_ATTEMPTS.address),
  );
  if (delay > 0) await slowDown(parts, delay);
  // Its password may have been changed while the attempt waited.
  const user = delay > 0 ? await findUserForSignIn(database, email) : begun.user;
  const matches = await parts.hasher.verify(user?.passwordHash, password);
  if (user === undefined || !matches || user.suspended) {
    await recordSignInFailure(database, { userId: user?.userId, address }, now());
    return undefined;
  }
  return { ...user, attempt };
}

async function slowDown(parts: Pick<SignInParts, 'wait'>, milliseconds: number): Promise<void> {
  if (waiting >= WAITING_LIMIT) throw overloaded(10);
  waiting += 1;
  try {
    await parts.wait(milliseconds);
  } finally {
    waiting -= 1;
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
