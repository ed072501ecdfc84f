// Starts sessions, and settles the other sessions of the browser.
import { randomUUID } from 'node:crypto';
import { readDevice } from '../accounts/browser-name.ts';
import type { MailParts } from '../mail/links.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import { sessionDigest } from '../oauth/digests.ts';
import { randomSecret } from '../oauth/secrets.ts';
import type { Way } from '../oauth/sign-in-way.ts';
import type { ServiceKind } from '../store/activity.ts';
import type { Database } from '../store/database.ts';
import { insertSession, type NewSession, type PasswordProof, type Proof } from '../store/session-starts.ts';
import { BROWSER_SESSIONS, deletePreviousSessions, findSession, findSessions } from '../store/sessions.ts';
import { findBrowserEpoch } from '../store/users.ts';

export interface SessionParts extends Pick<MailParts, 'database' | 'config'> {
  /** Counts what happens (background/activity.ts). */
  activity: {
    happened(kind: ServiceKind, at: Date, times?: number): void;
    signedIn(kind: NewSession['kind'], way: Way, at: Date): void;
  };
}

/** Where a request came from: kept with the session it starts. */
export interface Origin {
  address: string;
  userAgent: string;
  /** The ids of the sessions that the browser has, the active one first. */
  sessionIds: readonly string[];
}

/** A session that has just begun. */
export interface StartedSession {
  /** For the cookie and nowhere else. */
  id: string;
  sid: string;
  userId: string;
  /** The number that a browser at home in this account carries. */
  browserEpoch: number;
  /** The ids of the browser's other sessions, of other accounts, that it keeps. */
  otherIds: readonly string[];
  /** Whether its account has no passkey, and may be offered one. */
  lacksPasskey?: boolean;
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
export const minuteOf = (now: Date): number => Math.floor(now.getTime() / MINUTE);

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

type Why = Pick<NewSession, 'kind'>;

/**
 * Starts a session under a new id and ends the one that the browser had (rotation against session fixation). Of a form that
 * was used before, the session that it has started then, or another one where that is over.
 * @returns undefined when the account changed meanwhile
 */
export async function startSession(
  parts: SessionParts,
  entry: Entry,
  origin: Origin,
  now: Date,
  { form, ...why }: Why & { form?: EntryForm | undefined } = { kind: 'signed_in' },
): Promise<StartedSession | undefined> {
  const id = form?.idIn(minuteOf(now)) ?? randomSecret();
  const once = form && { key: form.key, until: new Date(now.getTime() + MINUTE) };
  const started = await beginSession(parts, entry, origin, now, { ...why, id, form: once });
  if (started !== 'again') return started;
  const session = form && (await sessionOf(parts.database, form, entry, origin, now));
  // Under a name that it never had.
  return session ?? startSession(parts, entry, origin, now, why);
}

/**
 * The same, once for its form.
 * @returns `again` where that was used before; undefined when the account changed meanwhile
 */
export async function beginSession(
  parts: SessionParts,
  entry: Entry,
  { address, userAgent, sessionIds }: Origin,
  now: Date,
  { id, ...why }: Why & { id: string; form: NewSession['form'] },
): Promise<StartedSession | 'again' | undefined> {
  const { database, config, activity } = parts;
  const { userId } = entry;
  const started = await insertSession(database, {
    idHash: sessionDigest(id),
    sid: randomUUID(),
    ...entry,
    authTime: now,
    expiresAt: new Date(now.getTime() + config.sessionTtl * 1000),
    address,
    userAgent: userAgent.slice(0, 400),
    device: readDevice(userAgent),
    previousIdHashes: sessionIds.map(sessionDigest),
    ...why,
  });
  if (started === undefined || started === 'again') return started;
  const { way, ...session } = started;
  activity.signedIn(why.kind, way, now);
  const otherIds = await settleBrowser(database, sessionIds, { id, userId }, now);
  return { id, userId, ...session, otherIds };
}

/** The session that a form has started a moment ago, if it still is one. */
export async function sessionOf(
  database: MailParts['database'],
  form: Pick<EntryForm, 'idIn'>,
  { userId }: Pick<Entry, 'userId'>,
  { sessionIds }: Pick<Origin, 'sessionIds'>,
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

/**
 * What becomes of a browser's sessions when one more begins: other accounts stay signed in, as many as there may be, and
 * everything else ends.
 * @returns the ids of those that stay
 */
async function settleBrowser(
  database: Database,
  sessionIds: readonly string[],
  begun: { id: string; userId: string },
  now: Date,
): Promise<string[]> {
  const before = sessionIds.filter((id) => id !== begun.id); // it is among them where its form was sent twice
  if (before.length === 0) return [];
  const hashes = new Map(before.map((id) => [id, sessionDigest(id)]));
  const live = await findSessions(database, [...hashes.values()], now);
  const isOthers = (hash: Buffer) =>
    live.some(({ idHash, userId }) => idHash.equals(hash) && userId !== begun.userId);
  const stays = [...hashes]
    .flatMap(([id, hash]) => (isOthers(hash) ? [id] : []))
    .slice(0, BROWSER_SESSIONS - 1);
  const gone = [...hashes].flatMap(([id, hash]) => (stays.includes(id) ? [] : [hash]));
  if (gone.length > 0)
    await database.transaction((transaction) => deletePreviousSessions(transaction, gone, begun.userId, now));
  return stays;
}
