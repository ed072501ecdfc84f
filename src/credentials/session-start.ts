// Beginning a session: under a new id, which ends what the browser had of this account; once, however often its form is sent.
import { randomUUID } from 'node:crypto';
import { readDevice } from '../accounts/browser-name.ts';
import type { MailParts } from '../mail/links.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import { sessionDigest } from '../oauth/digests.ts';
import { randomSecret } from '../oauth/secrets.ts';
import type { Way } from '../oauth/sign-in-way.ts';
import type { ServiceKind } from '../store/activity.ts';
import { insertSession, type NewSession, type Proof } from '../store/session-starts.ts';
import { findSession } from '../store/sessions.ts';
import { findBrowserEpoch } from '../store/users.ts';
import { settleBrowser } from './browser-sessions.ts';

/** What beginning a session needs of the process. */
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

/** Who gets in, by what, and all that was shown. */
export interface Entry {
  userId: string;
  proof: Proof;
  methods: readonly Method[];
}

/** The same by a password alone. @param trusted what the browser shows to be trusted (D44) */
export const byPassword = (userId: string, passwordHash: string, trusted: readonly Buffer[] = []): Entry => ({
  userId,
  proof: { by: 'password', passwordHash, trusted },
  methods: ['pwd'],
});

/** What the audit log says of a new session, the attempt that it settles, and the form that starts it. */
type Why = Pick<NewSession, 'kind' | 'attempt' | 'guesses'> & { form?: EntryForm | undefined };

/**
 * Starts a session under a new id and ends the one that the browser had (rotation against session fixation).
 * @returns undefined when the account changed meanwhile
 */
export async function startSession(
  parts: SessionParts,
  entry: Entry,
  origin: Origin,
  now: Date,
  why: Why = { kind: 'signed_in' },
): Promise<StartedSession | undefined> {
  const { database, config, activity } = parts;
  const { form, ...noted } = why;
  const { address, userAgent, sessionIds } = origin;
  const { userId } = entry;
  const id = form?.idIn(minuteOf(now)) ?? randomSecret();
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
    ...noted,
    form: form && { key: form.key, until: new Date(now.getTime() + MINUTE) },
  });
  if (started === undefined && form !== undefined)
    return (
      (await sessionOf(database, form, { userId, sessionIds }, now)) ??
      // That session is over: another one is begun, under a name that it never had.
      startSession(parts, entry, origin, now, noted)
    );
  if (started === undefined) return undefined;
  const { way, ...session } = started;
  activity.signedIn(noted.kind, way, now);
  const otherIds = await settleBrowser(database, sessionIds, { id, userId }, now);
  return { id, userId, ...session, otherIds };
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
