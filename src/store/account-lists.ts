// What operators see of accounts: the list, and one of them. Bounded counts.
import type { Queryable } from './database.ts';
import { emailKey } from './emails.ts';
import { beginsWith, operatorsList, PAGE } from './list-pages.ts';
import { isResettable } from './passwordless.ts';
import { findAll, findOne } from './query.ts';
import { ACCOUNT_COLUMNS, type UserRow } from './users.ts';

/** Lists of accounts that are short by nature have an index of their own. */
const ACCOUNT_STATES = {
  any: 'true',
  operator: 'u.operator',
  suspended: 'u.suspended_at is not null',
};
export type AccountState = keyof typeof ACCOUNT_STATES;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text could be the id of an account or a session at all; nothing else may be asked for as one. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** Accounts, latest first: all of a state, or those whose email or name begins with a text, or whose id it is. */
export const listAccounts = operatorsList<UserRow, UserRow, AccountState>({
  name: 'accounts',
  columns: ACCOUNT_COLUMNS,
  from: 'users u',
  createdAt: 'u.created_at',
  id: 'u.id',
  states: ACCOUNT_STATES,
  matching: `found as materialized (
      ${beginsWith('users', 'id', 'email_key', '$3::text')}
      union ${beginsWith('users', 'id', 'lower(name)', 'lower($4::text)')}
      union select id from users where id = $5::uuid
    )`,
  searchFor: (text) => [emailKey(text), text, isUuid(text) ? text : null],
  idOf: ({ userId }: UserRow) => userId,
  complete: async (_, rows) => rows,
});

const listEmails = findAll<{ userId: string; email: string }, [userIds: string[]]>(
  'list_emails',
  'select u.id as "userId", u.email from users u where u.id = any($1::uuid[])',
);

/** Reads the emails of accounts. @returns a function that gives one, or null for no account and for a deleted one */
export async function findEmails(
  database: Queryable,
  userIds: readonly (string | null)[],
): Promise<(userId: string | null) => string | null> {
  const ids = [...new Set(userIds)].filter((id) => id !== null);
  const rows = ids.length === 0 ? [] : await listEmails(database, ids);
  const emails = new Map(rows.map(({ userId, email }) => [userId, email]));
  return (userId) => (userId === null ? null : (emails.get(userId) ?? null));
}

/** What an account owns: how much of it there is, and the oldest of it, as much as is shown at once. */
export interface Owned<Row> {
  count: number;
  first: Row[];
}

/** An account as its own page shows it. Counts of sessions and applications that it uses stop at a thousand. */
export interface AccountDetail extends UserRow {
  suspendedAt: Date | null;
  passwordChosenAt: Date | null;
  /** Since when it has an authenticator app; the recovery codes that it has not used, and the browsers that it trusts. */
  appSince: Date | null;
  recoveryCodes: number;
  trustedBrowsers: number;
  passkeys: number;
  hasPassword: boolean;
  /** Whether a link may set its password. */
  resettable: boolean;
  /** When its second factor is taken away, where operators were asked to. */
  resetDueAt: Date | null;
  openSessions: number;
  connectedApplications: number;
  ownedApplications: Owned<{ clientId: string; name: string }>;
  ownedApis: Owned<{ apiId: string; name: string }>;
}

export const findAccount = findOne<AccountDetail, [userId: string, now: Date]>(
  'operators_account',
  `select ${ACCOUNT_COLUMNS}, u.suspended_at as "suspendedAt",
    u.password_chosen_at as "passwordChosenAt",
    u.totp_since as "appSince", u.passkey_count as passkeys, u.password_hash is not null as "hasPassword",
    ${isResettable('$1')} as resettable,
    (select count(*)::int from recovery_codes r where r.user_id = $1::uuid and r.used_at is null) as "recoveryCodes",
    (select count(*)::int from trusted_browsers t where t.user_id = $1::uuid and t.browser_epoch = u.browser_epoch
      and t.expires_at > $2::timestamptz) as "trustedBrowsers",
    (select r.due_at from second_factor_resets r where r.user_id = $1::uuid) as "resetDueAt",
    (select count(*)::int from (select from sessions s where s.user_id = $1::uuid and s.expires_at > $2::timestamptz
      and s.user_epoch = u.epoch and u.suspended_at is null limit 1000) x) as "openSessions",
    (select count(*)::int from (select from consents k where k.user_id = $1::uuid and k.withdrawn_at is null and u.suspended_at is null
      and exists (select from clients c where c.client_id = k.client_id) limit 1000) x) as "connectedApplications",
    json_build_object('count', (select count(*) from clients c where c.owner_id = $1::uuid), 'first',
      coalesce((select json_agg(x) from (select c.client_id as "clientId", c.name from clients c
      where c.owner_id = $1::uuid order by c.created_at limit ${PAGE}) x), '[]')) as "ownedApplications",
    json_build_object('count', (select count(*) from apis a where a.owner_id = $1::uuid), 'first',
      coalesce((select json_agg(x) from (select a.api_id as "apiId", a.name from apis a
      where a.owner_id = $1::uuid order by a.created_at limit ${PAGE}) x), '[]')) as "ownedApis"
  from users u where u.id = $1::uuid`,
);
