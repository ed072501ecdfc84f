// Lists accounts for administrators and reads an account's details.

import { defineAdminList, PAGE_SIZE, prefixSearchSql } from './admin-lists.ts';
import type { Queryable } from './database.ts';
import { emailKey } from './emails.ts';
import { HAS_IMPORTED_PASSWORD_SQL } from './imported-passwords.ts';
import { canResetPasswordSql } from './passwordless.ts';
import { findAll, findOne } from './query.ts';
import { ACCOUNT_COLUMNS, type UserRow } from './users.ts';

/** Each state except `any` has a partial index. */
const ACCOUNT_STATES = {
  any: 'true',
  admin: 'u.is_admin',
  suspended: 'u.suspended_at is not null',
};
export type AccountState = keyof typeof ACCOUNT_STATES;

const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID_PATTERN.test(text);

export interface ListedAccount extends UserRow {
  /** Null if the audit log has no sign-in, for example after pruning. */
  lastSignInAt: Date | null;
}

const findLastSignIns = findAll<{ userId: string; at: Date | null }, [userIds: string[]]>(
  'admin_accounts_last_sign_ins',
  `select u.id as "userId", (select max(e.at) from events e
    where e.user_id = u.id and e.kind in ('signed_in', 'signed_up')) as at
  from users u where u.id = any($1::uuid[])`,
);

export const listAccountsPage = defineAdminList<UserRow, ListedAccount, AccountState>({
  name: 'accounts',
  columns: ACCOUNT_COLUMNS,
  from: 'users u',
  createdAt: 'u.created_at',
  id: 'u.id',
  states: ACCOUNT_STATES,
  matching: `found as materialized (
      ${prefixSearchSql('users', 'id', 'email_key', '$3::text')}
      union ${prefixSearchSql('users', 'id', 'lower(name)', 'lower($4::text)')}
      union select id from users where id = $5::uuid
    )`,
  searchParameters: (text) => [emailKey(text), text, isUuid(text) ? text : null],
  idOf: ({ userId }: UserRow) => userId,
  async addDetails(database, rows) {
    const lastSignIns = await findLastSignIns(
      database,
      rows.map(({ userId }) => userId),
    );
    const times = new Map(lastSignIns.map(({ userId, at }) => [userId, at]));
    return rows.map((row) => ({ ...row, lastSignInAt: times.get(row.userId) ?? null }));
  },
});

const listEmails = findAll<{ userId: string; email: string }, [userIds: string[]]>(
  'find_emails_by_user',
  'select u.id as "userId", u.email from users u where u.id = any($1::uuid[])',
);

/** Returns a function that maps user ids to email addresses. Unknown ids map to null. */
export async function findEmailsByUser(
  database: Queryable,
  userIds: readonly (string | null)[],
): Promise<(userId: string | null) => string | null> {
  const ids = [...new Set(userIds)].filter((id) => id !== null);
  const rows = ids.length === 0 ? [] : await listEmails(database, ids);
  const emails = new Map(rows.map(({ userId, email }) => [userId, email]));
  return (userId) => (userId === null ? null : (emails.get(userId) ?? null));
}

export interface OwnedSummary<Row> {
  count: number;
  first: Row[];
}

/** An account's sessions and connected clients are counted up to this number. */
export const MAX_COUNTED_ENTRIES = 1000;

export interface AccountDetail extends UserRow {
  suspendedAt: Date | null;
  passwordSetAt: Date | null;
  appEnabledAt: Date | null;
  recoveryCodes: number;
  rememberedDevices: number;
  passkeys: number;
  hasPassword: boolean;
  hasImportedPassword: boolean;
  canResetPassword: boolean;
  mfaResetDueAt: Date | null;
  liveSessions: number;
  connectedClients: number;
  ownedClients: OwnedSummary<{ clientId: string; name: string; logo: string | null }>;
  ownedApis: OwnedSummary<{ apiId: string; name: string }>;
}

export const findAccountDetail = findOne<AccountDetail, [userId: string, now: Date]>(
  'find_account_detail',
  `select ${ACCOUNT_COLUMNS}, u.suspended_at as "suspendedAt",
    u.password_set_at as "passwordSetAt",
    u.totp_enabled_at as "appEnabledAt", u.passkey_count as passkeys, u.password_hash is not null as "hasPassword",
    coalesce(${HAS_IMPORTED_PASSWORD_SQL}, false) as "hasImportedPassword",
    ${canResetPasswordSql('$1')} as "canResetPassword",
    (select count(*)::int from recovery_codes r where r.user_id = $1::uuid and r.used_at is null) as "recoveryCodes",
    (select count(*)::int from remembered_devices t where t.user_id = $1::uuid and t.browser_epoch = u.browser_epoch
      and t.expires_at > $2::timestamptz) as "rememberedDevices",
    (select r.due_at from mfa_resets r where r.user_id = $1::uuid) as "mfaResetDueAt",
    (select count(*)::int from (select from sessions s where s.user_id = $1::uuid and s.expires_at > $2::timestamptz
      and s.user_epoch = u.epoch and u.suspended_at is null limit ${MAX_COUNTED_ENTRIES}) x) as "liveSessions",
    (select count(*)::int from (select from consents k where k.user_id = $1::uuid and k.withdrawn_at is null and u.suspended_at is null
      and exists (select from clients c where c.client_id = k.client_id) limit ${MAX_COUNTED_ENTRIES}) x) as "connectedClients",
    json_build_object('count', (select count(*) from clients c where c.owner_id = $1::uuid), 'first',
      coalesce((select json_agg(x) from (select c.client_id as "clientId", c.name, c.logo from clients c
      where c.owner_id = $1::uuid order by c.created_at limit ${PAGE_SIZE}) x), '[]')) as "ownedClients",
    json_build_object('count', (select count(*) from apis a where a.owner_id = $1::uuid), 'first',
      coalesce((select json_agg(x) from (select a.api_id as "apiId", a.name from apis a
      where a.owner_id = $1::uuid order by a.created_at limit ${PAGE_SIZE}) x), '[]')) as "ownedApis"
  from users u where u.id = $1::uuid`,
);
