// Starts sessions and ends the browser's previous sessions.
import { randomUUID } from 'node:crypto';
import { parseUserAgent } from '../accounts/user-agent.ts';
import type { MailServices } from '../mail/links.ts';
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import { sessionDigest } from '../oauth/digests.ts';
import { newAccountSecret, parseSecretUserId } from '../oauth/secrets.ts';
import type { SignInMethod } from '../oauth/sign-in-method.ts';
import type { ServiceActivityKind } from '../store/activity.ts';
import type { Database } from '../store/database.ts';
import {
  insertSession,
  type NewSession,
  type PasswordProof,
  type SignInProof,
} from '../store/session-creation.ts';
import {
  deleteSession,
  findSession,
  findSessionsById,
  MAX_SESSIONS_PER_BROWSER,
  parseSessionId,
} from '../store/sessions.ts';
import { findBrowserEpoch } from '../store/users.ts';

export interface SessionServices extends Pick<MailServices, 'database' | 'config'> {
  activity: {
    countServiceEvent(kind: ServiceActivityKind, at: Date, times?: number): void;
    countSignIn(kind: NewSession['kind'], method: SignInMethod, at: Date, providerId?: string): void;
  };
}

export interface RequestContext {
  ip: string;
  userAgent: string;
  /** The browser's sessions. The current one is first. */
  sessionIds: readonly string[];
  /** Seed of the form. The session ID is derived from it, so a double submit yields the same session. */
  seed?: Buffer;
}

export interface StartedSession {
  /** Secret. Only the session cookie may contain it. */
  id: string;
  sid: string;
  userId: string;
  /** Incrementing this counter invalidates the account's known-browser cookies. */
  browserEpoch: number;
  otherIds: readonly string[];
  lacksPasskey?: boolean;
  isRepeat?: true;
}

export interface AuthenticatedUser {
  userId: string;
  proof: SignInProof;
  methods: readonly AuthenticationMethod[];
}

export const authenticatedByPassword = (userId: string, proof: PasswordProof): AuthenticatedUser => ({
  userId,
  proof: { by: 'password', ...proof },
  methods: ['pwd'],
});

/**
 * Starts a session with a new ID to prevent session fixation. Ends the browser's previous session.
 * @returns undefined if the account changed concurrently, or the code or challenge was redeemed with another form
 */
export async function startSession(
  services: SessionServices,
  authenticated: AuthenticatedUser,
  request: RequestContext,
  now: Date,
  kind: NewSession['kind'] = 'signed_in',
): Promise<StartedSession | undefined> {
  const { database, config, activity } = services;
  const { userId } = authenticated;
  const { ip, userAgent, sessionIds } = request;
  const id = newAccountSecret(userId, request.seed);
  const previousId = sessionIds.find((sessionId) => parseSecretUserId(sessionId) === userId);
  const started = await insertSession(database, {
    idHash: sessionDigest(id),
    sid: randomUUID(),
    ...authenticated,
    authTime: now,
    expiresAt: new Date(now.getTime() + config.sessionTtl * 1000),
    ip,
    userAgent: userAgent.slice(0, 400),
    device: parseUserAgent(userAgent),
    previousIdHash: previousId === undefined ? undefined : sessionDigest(previousId),
    kind,
  });
  if (started !== undefined) {
    const { method, ...session } = started;
    const { proof } = authenticated;
    activity.countSignIn(kind, method, now, 'identity' in proof ? proof.identity.providerId : undefined);
    const otherIds = await endOtherSessions(database, sessionIds, { id, userId }, now);
    return { id, userId, ...session, otherIds };
  }
  return findStartedSession(services, userId, request, now);
}

export async function findStartedSession(
  { database }: SessionServices,
  userId: string,
  { sessionIds, seed }: RequestContext,
  now: Date,
): Promise<StartedSession | undefined> {
  if (seed === undefined) return undefined;
  const id = newAccountSecret(userId, seed);
  const session = await findSession(database, { userId, idHash: sessionDigest(id) }, now);
  const browserEpoch = session && (await findBrowserEpoch(database, userId));
  if (session === undefined || browserEpoch === undefined) return undefined;
  const otherIds = await endOtherSessions(database, sessionIds, { id, userId }, now);
  return { id, sid: session.sid, userId, browserEpoch, otherIds, isRepeat: true };
}

async function endOtherSessions(
  database: Database,
  sessionIds: readonly string[],
  started: { id: string; userId: string },
  now: Date,
): Promise<string[]> {
  const otherIds = sessionIds.filter((id) => id !== started.id);
  const otherAccountIds = otherIds.filter((id) => parseSecretUserId(id) !== started.userId);
  const liveSessions = await findSessionsById(database, otherAccountIds, now);
  const keptIds = [...liveSessions.keys()].slice(0, MAX_SESSIONS_PER_BROWSER - 1);
  // Sort the IDs to prevent deadlocks between concurrent sign-ins in the same browser.
  const keys = otherIds.toSorted().flatMap((id) => (keptIds.includes(id) ? [] : (parseSessionId(id) ?? [])));
  if (keys.length > 0)
    await database.transaction(async (transaction) => {
      for (const key of keys)
        await deleteSession(transaction, key, now, { continued: key.userId === started.userId });
    });
  return keptIds;
}
