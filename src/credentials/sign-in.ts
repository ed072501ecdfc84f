// Password sign-in. Attempts are throttled, but accounts are never locked (ADR 4).

import type { ReleaseSlot } from '../accounts/keyed-queue.ts';
import { getRateLimitedNetwork } from '../accounts/rate-limits.ts';
import type { MailServices } from '../mail/links.ts';
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import { overloaded } from '../oauth/errors.ts';
import type { Sealer } from '../oauth/seal.ts';
import { uuidFromHash } from '../oauth/uuid.ts';
import { emailKey } from '../store/emails.ts';
import type { IdentityUse } from '../store/external-identities.ts';
import { findPasswordHash, replaceImportedHash } from '../store/imported-passwords.ts';
import { MAX_PASSWORD_FAILURES, recordPasswordAttempt } from '../store/password-failures.ts';
import { type AttemptKeys, clearSignInAttempt, countAttempt } from '../store/throttling.ts';
import { findUserForSignIn, type UserForSignIn } from '../store/users.ts';
import { FREE_ATTEMPTS, getAttemptDelay } from './attempt-delays.ts';
import type { AttemptQueues } from './attempt-queues.ts';
import { canReplaceHash } from './imported-hash-checks.ts';
import type { PasswordHasher } from './password-hashing.ts';
import {
  authenticatedByPassword,
  type RequestContext,
  type SessionServices,
  type StartedSession,
  startSession,
} from './session-start.ts';

export interface AttemptServices extends MailServices, SessionServices {
  hasher: PasswordHasher;
  attempts: AttemptQueues;
  wait: (milliseconds: number) => Promise<void>;
}

export interface AttemptContext {
  ip: string;
  /** Entries of the known-browser cookie (web/known-browsers.ts), or the current session. */
  known: readonly Buffer[] | { session: Buffer };
  rememberedDevices?: readonly Buffer[];
  /** Releases the request's concurrency slot (http/overload.ts) during a wait. */
  withoutSlot: ReleaseSlot;
}

interface Credentials {
  email: string;
  password: string;
}

/**
 * Checks a password and starts a session.
 * @returns undefined if the email address or password is wrong. `suspended` if both are correct but the account is
 *   suspended. `EmailCodeRequired` after too many wrong passwords, even if this one is correct.
 * @throws OAuthError `temporarily_unavailable` if a queue is full
 */
export const signIn = (
  services: AttemptServices,
  credentials: Credentials,
  context: AttemptContext,
  request: RequestContext,
  now: () => Date,
): Promise<StartedSession | PendingMfaSignIn | EmailCodeRequired | 'suspended' | undefined> =>
  attemptPassword(
    services,
    credentials,
    context,
    now,
    async ({ userId, passwordHash, requiresTotp }, { keys, maxFailures }) => {
      const { rememberedDevices = [] } = context;
      const authenticated = authenticatedByPassword(userId, {
        passwordHash,
        rememberedDevices,
        attempt: keys,
        maxFailures,
      });
      // The SQL statement that inserts the session also checks for MFA, which may be set up concurrently.
      const session = await startSession(services, authenticated, request, now());
      return session ?? (requiresTotp ? new PendingMfaSignIn(userId, { passwordHash }) : undefined);
    },
  );

export type FirstFactor =
  | { passwordHash: string }
  | {
      identity: IdentityUse;
      methods: readonly AuthenticationMethod[];
      /** Milliseconds since 1970. Undefined means now. */
      signedInAt: number | undefined;
    };

export class PendingMfaSignIn {
  userId: string;
  firstFactor: FirstFactor;
  constructor(userId: string, firstFactor: FirstFactor) {
    this.userId = userId;
    this.firstFactor = firstFactor;
  }
}

/**
 * Checks a password without starting a session. Attempts are throttled like sign-ins.
 * @returns undefined if the sign-in would fail or require an email code
 * @throws OAuthError `temporarily_unavailable` if a queue is full
 */
export async function checkPassword(
  services: AttemptServices,
  credentials: Credentials,
  context: AttemptContext,
  now: () => Date,
): Promise<VerifiedUser | undefined> {
  const checked = await attemptPassword(services, credentials, context, now, async (user, { keys }) => {
    await clearSignInAttempt(services.database, keys, user.userId);
    return user;
  });
  return checked instanceof EmailCodeRequired || checked === 'suspended' ? undefined : checked;
}

export const deriveNetworkKey = (sealer: Sealer, ip: string): string =>
  uuidFromHash(sealer.mac('throttling', 'network', getRateLimitedNetwork(ip)));

export const deriveUnknownEmailKey = (sealer: Sealer, email: string): string =>
  uuidFromHash(sealer.mac('throttling', 'account', emailKey(email)));

export class EmailCodeRequired {
  user: UserForSignIn | undefined;
  constructor(user: UserForSignIn | undefined) {
    this.user = user;
  }
}

export type VerifiedUser = UserForSignIn & { passwordHash: string };

interface AttemptState {
  keys: AttemptKeys;
  /** Undefined if no email code is ever required. */
  maxFailures: number | undefined;
  requiresEmailCode: boolean;
}

/**
 * Checks a password. Attempts are queued per account and per network, so concurrent attempts with the correct password
 * aren't delayed. Delayed attempts leave these queues.
 * @param onCorrectPassword the attempt counts as failed until the returned promise resolves
 */
async function attemptPassword<Settled>(
  services: AttemptServices,
  { email, password }: Credentials,
  context: AttemptContext,
  now: () => Date,
  onCorrectPassword: (user: VerifiedUser, state: AttemptState) => Promise<Settled>,
): Promise<Settled | EmailCodeRequired | 'suspended' | undefined> {
  const { database, sealer, attempts } = services;
  const { ip, withoutSlot, known } = context;
  const session = 'session' in known ? known.session : undefined;
  const isSignedIn = session !== undefined;
  // A stolen session must not use up the owner's attempts, so each session's attempts are counted separately.
  const sessionKey = isSignedIn
    ? uuidFromHash(sealer.mac('throttling', 'session', session.toString('base64')))
    : undefined;
  const unknownEmailKey = deriveUnknownEmailKey(sealer, email);
  const networkKey = deriveNetworkKey(sealer, ip);
  const knownEntries = 'session' in known ? [] : known;
  const unrecognizedKey = sessionKey ?? unknownEmailKey;
  const queueKey = [unrecognizedKey, ...knownEntries.map((entry) => entry.toString('base64'))].join(' ');

  const recordFailures = async (userId: string | undefined, wrong: number) => {
    const at = now();
    const failures = await recordPasswordAttempt(database, { userId, unknownEmailKey, ip, wrong }, at);
    if (wrong > 0) services.activity.countServiceEvent('sign_in_failed', at, wrong);
    // Alert the owner once, at `MAX_PASSWORD_FAILURES`. Without an account, do the same work but send no email.
    if (failures >= MAX_PASSWORD_FAILURES && failures - wrong < MAX_PASSWORD_FAILURES)
      await services.mailer
        .send({ kind: 'deferred', template: 'password_guessed', userId: userId ?? null, ip })
        .catch((error) => services.mailer.logFailure(error));
    return failures;
  };
  const finishAttempt = async (
    user: UserForSignIn | undefined,
    state: AttemptState,
    enqueue: ReleaseSlot = (work) => work(),
  ) => {
    const passwordHash = user?.passwordHash ?? undefined;
    const isMatch = await services.hasher.verify(passwordHash, password, {
      enqueue,
      releaseSlot: withoutSlot,
      hidesMatch: state.requiresEmailCode || user?.suspended === true,
    });
    if (isMatch === 'busy') {
      // `busy` counts as a failure because it reveals that no native hash matched the password.
      await recordFailures(user?.userId, 1);
      throw overloaded(10);
    }
    const matched =
      user !== undefined && passwordHash !== undefined && isMatch && !user.suspended
        ? { ...user, passwordHash }
        : undefined;
    const verified =
      matched === undefined || state.requiresEmailCode
        ? matched
        : await rehashImportedPassword(services, matched, password);
    if (verified !== undefined && !state.requiresEmailCode) return onCorrectPassword(verified, state);
    // Do the same work for correct and wrong passwords so that timing doesn't reveal the result.
    const failures = await recordFailures(user?.userId, verified === undefined ? 1 : 0);
    if (state.requiresEmailCode) return new EmailCodeRequired(verified);
    // Reveal a suspension only for a correct password within the limit. Use the current count because concurrent
    // attempts may have failed.
    const mayReveal = state.maxFailures === undefined || failures <= state.maxFailures;
    return isMatch && user?.suspended && mayReveal ? 'suspended' : undefined;
  };
  const startAttempt = async () => {
    const [user, networkAttempts] = await Promise.all([
      findUserForSignIn(database, email, knownEntries),
      countAttempt(database, networkKey, now()),
    ]);
    const isKnown = user?.knowsBrowser === true;
    const accountKey = isKnown
      ? uuidFromHash(sealer.mac('throttling', 'known browser', user.userId))
      : (sessionKey ?? user?.userId ?? unknownEmailKey);
    const keys = { accountKey, networkKey };
    const accountAttempts = await countAttempt(database, accountKey, now());
    const isRecognized = isKnown || isSignedIn;
    const maxFailures = isRecognized || !services.mailer.available ? undefined : MAX_PASSWORD_FAILURES;
    const state = {
      keys,
      maxFailures,
      requiresEmailCode: maxFailures !== undefined && accountAttempts.wrong >= maxFailures,
    };
    // Other attempts from the same network don't delay recognized browsers.
    const delay = Math.max(
      getAttemptDelay(accountAttempts.before, FREE_ATTEMPTS.account),
      isRecognized ? 0 : getAttemptDelay(networkAttempts.before, FREE_ATTEMPTS.network),
    );
    if (delay === 0) return finishAttempt(user, state);
    // This key must equal the one passed to `isAtDelayLimit`. It must not depend on whether an account exists.
    const delayKey = isKnown ? accountKey : unrecognizedKey;
    const release = attempts.reserveDelay(delayKey, isRecognized ? `${delayKey} ${networkKey}` : networkKey);
    if (release !== undefined) return new DelayedAttempt(delay, state, release);
    // The response must reveal nothing about the password.
    await recordFailures(user?.userId, 1);
    return undefined;
  };

  // At the limit, attempts fail without an account lookup. Only the lookup can check known-browser entries.
  if (knownEntries.length === 0 && attempts.isAtDelayLimit(unrecognizedKey)) return undefined;
  const started = await attempts.perNetwork(networkKey, withoutSlot, () =>
    attempts.perAccount(queueKey, withoutSlot, startAttempt),
  );
  if (!(started instanceof DelayedAttempt)) return started;
  try {
    await withoutSlot(() => services.wait(started.delay));
    // One delayed attempt per network runs at a time, so no network can fill the queue for imported hashes.
    return await attempts.delayed(networkKey, withoutSlot, async () =>
      // The password may have changed during the delay.
      finishAttempt(await findUserForSignIn(database, email), started.state, (work) =>
        attempts.delayed('', withoutSlot, work),
      ),
    );
  } finally {
    started.release();
  }
}

/**
 * Replaces an imported hash with the service's default kind of hash (Argon2id). Password rules don't apply because the
 * user isn't choosing a password.
 * @returns undefined if the password was changed concurrently
 */
async function rehashImportedPassword(
  { database, hasher }: AttemptServices,
  user: VerifiedUser,
  password: string,
): Promise<VerifiedUser | undefined> {
  if (!canReplaceHash(user.passwordHash, password)) return user;
  const passwordHash = await hasher.hash(password);
  if (await replaceImportedHash(database, user.userId, user.passwordHash, passwordHash))
    return { ...user, passwordHash };
  // A concurrent sign-in with the same password may have replaced the hash.
  const replacedHash = await findPasswordHash(database, user.userId);
  return typeof replacedHash === 'string' && (await hasher.verify(replacedHash, password)) === true
    ? { ...user, passwordHash: replacedHash }
    : undefined;
}

class DelayedAttempt {
  delay: number;
  state: AttemptState;
  release: () => void;
  constructor(delay: number, state: AttemptState, release: () => void) {
    this.delay = delay;
    this.state = state;
    this.release = release;
  }
}
