// What each session added or changed, kept for as long as somebody may still say that it was not them (D61).
import { UNDOABLE_CHANGE } from '../oauth/lifetimes.ts';
import type { Queryable } from './database.ts';
import { LIVE_SESSION } from './sessions.ts';
import { statement } from './statement.ts';

export type ApplicationChange =
  | 'settings'
  | 'protocol'
  | 'logo'
  | 'secret'
  | 'consent'
  | 'registered'
  | 'received'
  | 'given'
  | 'released';

export type ApiChange =
  | 'api_settings'
  | 'api_scopes'
  | 'api_keys'
  | 'api_secret'
  | 'api_access'
  | 'api_service'
  | 'api_registered'
  | 'api_received'
  | 'api_given'
  | 'api_released';

export type ChangeKind = ApplicationChange | ApiChange;

/** Who did something, and in which session; without one it was nobody at a browser, and nothing is noted. */
export interface Actor {
  userId: string;
  sid?: string | undefined;
}

// Neither lock stands in the way of codes, which are redeemed under `for key share`.
const LOCK = statement(
  'lock_session',
  'select s.id_hash from sessions s where s.user_id = $1::uuid and s.sid = $2::uuid order by s.id_hash for share of s',
);
const FIND = statement(
  'find_held_session',
  `select s.auth_time as "provedAt" from sessions s join users u on u.id = s.user_id
  where s.user_id = $1::uuid and s.sid = $2::uuid and s.expires_at > $3::timestamptz and ${LIVE_SESSION}
  order by s.auth_time desc limit 1`,
);

/**
 * Holds the session that a change is made in until the transaction ends: whoever disowns it waits for the change, and
 * undoes it. To be called before anything else is locked.
 * @returns false when the session is over: whoever disowned it would miss the change
 */
export async function holdSession(transaction: Queryable, actor: Actor, now: Date): Promise<boolean> {
  if (actor.sid === undefined) return true;
  await transaction.query(LOCK, [actor.userId, actor.sid]);
  // Looked at anew: the lock may have been waited for.
  return (await transaction.query(FIND, [actor.userId, actor.sid, now])).length > 0;
}

const INSERT = statement(
  'insert_session_change',
  `insert into session_changes (user_id, sid, proved_at, at, expires_at, kind, client_id, detail, api_id)
  select $1::uuid, $2::uuid, coalesce((
      select max(s.auth_time) from sessions s where s.user_id = $1::uuid and s.sid = $2::uuid), $3::timestamptz),
    $3::timestamptz, $4::timestamptz, $5::text, $6::text, $7::jsonb, $8::text`,
);

/** Notes what a session did. `detail` says what undoes it: never a secret, a password, a code or a token. */
export async function noteChange(
  transaction: Queryable,
  { userId, sid }: Actor,
  change: ({ kind: ApplicationChange; clientId: string } | { kind: ApiChange; apiId: string }) & {
    detail?: object;
  },
  now: Date,
): Promise<void> {
  if (sid === undefined) return;
  const { kind, detail = {} } = change;
  const [clientId, apiId] = 'apiId' in change ? [null, change.apiId] : [change.clientId, null];
  const expiresAt = new Date(now.getTime() + UNDOABLE_CHANGE * 1000);
  await transaction.query(INSERT, [
    userId,
    sid,
    now,
    expiresAt,
    kind,
    clientId,
    JSON.stringify(detail),
    apiId,
  ]);
}

/** A change to an application, with what that is called now; null when it is gone. */
export interface ApplicationSessionChange {
  id: string;
  kind: ApplicationChange;
  clientId: string;
  name: string | null;
  detail: Record<string, unknown>;
}

/** The same to an API. */
interface ApiSessionChange extends Omit<ApplicationSessionChange, 'kind' | 'clientId'> {
  kind: ApiChange;
  apiId: string;
}

export type SessionChange = ApplicationSessionChange | ApiSessionChange;

/** The Client ID, or the api_id, of what a change was made to. */
export const thingOf = (change: { clientId: string } | { apiId: string }): string =>
  'apiId' in change ? change.apiId : change.clientId;

/** A change as its statement gives it: of an application or of an API. */
type Row<Change> = Change & { clientId: string | null; apiId: string | null };

const changeOf = <Change extends object>({ clientId, apiId, ...change }: Row<Change>) =>
  apiId === null ? { ...change, clientId } : { ...change, apiId };

/** Which changes: those of one session, and of every one that was entered since, or whatever was done since. */
export interface Disowned {
  userId: string;
  sid: string | undefined;
  since: Date;
  everything: boolean;
}

const DISOWNED = `h.user_id = $1::uuid and (h.sid = $2::uuid
    or h.at > $3::timestamptz and ($4::boolean or h.proved_at > $3::timestamptz))`;

const LIST = statement(
  'list_disowned_changes',
  `select h.id::text, h.kind, h.client_id as "clientId", h.api_id as "apiId",
    coalesce(c.name, a.name) as name, h.detail
  from session_changes h left join clients c on c.client_id = h.client_id
    left join apis a on a.api_id = h.api_id
  where ${DISOWNED} order by h.id desc limit 100`,
);

/** What is to be undone, latest first, so many at a time: a row may hold whole lists of addresses. */
export async function listDisowned(
  database: Queryable,
  { userId, sid, since, everything }: Disowned,
): Promise<SessionChange[]> {
  const rows = await database.query<Row<object>>(LIST, [userId, sid ?? null, since, everything]);
  return rows.map(changeOf) as SessionChange[];
}

const LIST_BRIEFLY = statement(
  'list_disowned_changes_briefly',
  `select h.kind, h.client_id as "clientId", h.api_id as "apiId", coalesce(c.name, a.name) as name
  from session_changes h left join clients c on c.client_id = h.client_id
    left join apis a on a.api_id = h.api_id
  where ${DISOWNED} group by h.kind, h.client_id, h.api_id, c.name, a.name order by max(h.id) desc`,
);

/** What would be undone, in a few words: each kind of change to an application or API once. */
export async function listDisownedBriefly(
  database: Queryable,
  { userId, sid, since, everything }: Disowned,
): Promise<({ kind: ChangeKind; name: string | null } & ({ clientId: string } | { apiId: string }))[]> {
  const rows = await database.query<Row<object>>(LIST_BRIEFLY, [userId, sid ?? null, since, everything]);
  return rows.map(changeOf) as Awaited<ReturnType<typeof listDisownedBriefly>>;
}

const LIST_CONSENTS = statement(
  'list_consents_given_lately',
  `select h.id::text, h.kind, h.client_id as "clientId", c.name, h.detail
  from session_changes h left join clients c on c.client_id = h.client_id
  where h.user_id = $1::uuid and h.kind = 'consent' order by h.id desc`,
);

/** The consents that an account gave in any session, latest first. */
export const listConsentsGiven = (database: Queryable, userId: string): Promise<ApplicationSessionChange[]> =>
  database.query<ApplicationSessionChange>(LIST_CONSENTS, [userId]);

const FORGET = statement(
  'forget_session_changes',
  'delete from session_changes where user_id = $1::uuid and id = any ($2::bigint[])',
);

/** They are undone. */
export async function forgetChanges(
  transaction: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(FORGET, [userId, ids]);
}

const LOCK_ALL = statement(
  'lock_sessions_of_user',
  'select s.id_hash from sessions s where s.user_id = $1::uuid order by s.id_hash for no key update of s',
);
const LOCK_APPLICATIONS = statement(
  'lock_own_applications',
  'select c.client_id from clients c where c.owner_id = $1::uuid order by c.client_id for no key update of c',
);
const LOCK_APIS = statement(
  'lock_own_apis',
  'select a.api_id from apis a where a.owner_id = $1::uuid order by a.api_id for no key update of a',
);

/**
 * Locks the sessions, clients and APIs of an account until the transaction ends, so that none of its sessions changes
 * anything meanwhile. Call it before anything locks the account itself.
 *
 * Lock order of every transaction: sessions, then clients, then APIs, then `users`. A change made in a session holds that
 * session first (`holdSession`), so the two can't deadlock.
 */
export async function holdAllChanges(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(LOCK_ALL, [userId]);
  await transaction.query(LOCK_APPLICATIONS, [userId]);
  await transaction.query(LOCK_APIS, [userId]);
}
