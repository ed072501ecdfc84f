// Starts sessions, and settles the other sessions of the browser.
import { randomUUID } from 'node:crypto';
import { readDevice } from '../accounts/browser-name.ts';
import type { MailParts } from '../mail/links.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import { sessionDigest } from '../oauth/digests.ts';
import { accountOfSecret, newAccountSecret } from '../oauth/secrets.ts';
import type { Way } from '../oauth/sign-in-way.ts';
import type { ServiceKind } from '../store/activity.ts';
import type { Database } from '../store/database.ts';
import { insertSession, type NewSession, type PasswordProof, type Proof } from '../store/session-starts.ts';
import {
  BROWSER_SESSIONS,
  deleteSession,
  findSession,
  findSessionsById,
  sessionKeyOf,
} from '../store/sessions.ts';
import { findBrowserEpoch } from '../store/users.ts';

export interface SessionParts extends Pick<MailParts, 'database' | 'config'> {
  /** Counts what happens (background/activity.ts). */
  activity: {
    happened(kind: ServiceKind, at: Date, times?: number): void;
    signedIn(kind: NewSession['kind'], way: Way, at: Date): void;
  };
}

/** Where a request came from. */
export interface Origin {
  address: string;
  userAgent: string;
  /** The ids of the sessions that the browser has, the active one first. */
  sessionIds: readonly string[];
  /** The bits of the new session's id, derived from its one-use form, so that a double click gets the same session. */
  seed?: Buffer;
}

export interface StartedSession {
  /** For the cookie and nowhere else. */
  id: string;
  sid: string;
  userId: string;
  /** The rotation counter of the account's known browsers. */
  browserEpoch: number;
  /** Ids of the browser's sessions of other accounts. */
  otherIds: readonly string[];
  /** Whether its account has no passkey, and may be offered one. */
  lacksPasskey?: boolean;
  /** Whether an earlier use of the same form started it. */
  again?: true;
}

export interface Entry {
  userId: string;
  proof: Proof;
  methods: readonly Method[];
}

export const byPassword = (userId: string, proof: PasswordProof): Entry => ({
  userId,
  proof: { by: 'password', ...proof },
  methods: ['pwd'],
});

/**
 * Starts a session under a new id and ends the one that the browser had (rotation against session fixation).
 * @param kind what the audit log says
 * @returns undefined if the account changed in the meantime, or the proof was used before by another form
 */
export async function startSession(
  parts: SessionParts,
  entry: Entry,
  origin: Origin,
  now: Date,
  kind: NewSession['kind'] = 'signed_in',
): Promise<StartedSession | undefined> {
  const { database, config, activity } = parts;
  const { userId } = entry;
  const { address, userAgent, sessionIds } = origin;
  const id = newAccountSecret(userId, origin.seed);
  const previousId = sessionIds.find((one) => accountOfSecret(one) === userId);
  const started = await insertSession(database, {
    idHash: sessionDigest(id),
    sid: randomUUID(),
    ...entry,
    authTime: now,
    expiresAt: new Date(now.getTime() + config.sessionTtl * 1000),
    address,
    userAgent: userAgent.slice(0, 400),
    device: readDevice(userAgent),
    previousIdHash: previousId === undefined ? undefined : sessionDigest(previousId),
    kind,
  });
  if (started !== undefined) {
    const { way, ...session } = started;
    activity.signedIn(kind, way, now);
    const otherIds = await settleBrowser(database, sessionIds, { id, userId }, now);
    return { id, userId, ...session, otherIds };
  }
  return startedBefore(parts, userId, origin, now);
}

/** The session that an earlier use of the same form started: only the same browser with the same code derives its id. */
export async function startedBefore(
  { database }: SessionParts,
  userId: string,
  { sessionIds, seed }: Origin,
  now: Date,
): Promise<StartedSession | undefined> {
  if (seed === undefined) return undefined;
  const id = newAccountSecret(userId, seed);
  const first = await findSession(database, { userId, idHash: sessionDigest(id) }, now);
  const browserEpoch = first && (await findBrowserEpoch(database, userId));
  if (first === undefined || browserEpoch === undefined) return undefined;
  const otherIds = await settleBrowser(database, sessionIds, { id, userId }, now);
  return { id, sid: first.sid, userId, browserEpoch, otherIds, again: true };
}

/** Ends the browser's other sessions, except those of other accounts up to the maximum. @returns the ids of those */
async function settleBrowser(
  database: Database,
  sessionIds: readonly string[],
  begun: { id: string; userId: string },
  now: Date,
): Promise<string[]> {
  const before = sessionIds.filter((id) => id !== begun.id);
  const ofOthers = before.filter((id) => accountOfSecret(id) !== begun.userId);
  const live = await findSessionsById(database, ofOthers, now);
  const stays = [...live.keys()].slice(0, BROWSER_SESSIONS - 1);
  // Sorted, so that two sign-ins of a browser delete in the same order.
  const keys = before.toSorted().flatMap((id) => (stays.includes(id) ? [] : (sessionKeyOf(id) ?? [])));
  if (keys.length > 0)
    await database.transaction(async (transaction) => {
      for (const key of keys)
        await deleteSession(transaction, key, now, { continued: key.userId === begun.userId });
    });
  return stays;
}
