// Administrators' actions on accounts, clients and APIs.

import type { Locale } from '../i18n/index.ts';
import { recordEvent } from './audit-log.ts';
import type { Database, Queryable } from './database.ts';
import { releaseEmail } from './emails.ts';
import { unlinkAllIdentities } from './external-identities.ts';
import {
  type DeletedResource,
  defineForResourceKinds,
  deleteAllOwnedResources,
  type ResourceKind,
} from './owned-resources.ts';
import { clearPasswordFailuresSql } from './password-failures.ts';
import { deletePicture } from './pictures.ts';
import { count, execute, findAll, findOne, findValue, hasRows } from './query.ts';
import { clearOfferRecipient } from './transfer-offers.ts';

const listAdmins = findAll<{ userId: string }>(
  'list_admins',
  'select u.id as "userId" from users u where u.is_admin and u.suspended_at is null order by u.id',
);

export const lockAdmin = hasRows<[userId: string]>(
  'lock_admin',
  `select u.id from users u where u.id = $1::uuid and u.is_admin and u.suspended_at is null for no key update`,
);

/**
 * Locks another active administrator so that at least one remains. The caller must already hold a lock on the account
 * `userId`.
 * If two administrators remove each other, PostgreSQL detects a deadlock and aborts one transaction.
 * @returns false if there is no other active administrator
 */
export async function lockOtherAdmin(transaction: Queryable, userId: string): Promise<boolean> {
  for (const admin of await listAdmins(transaction))
    if (admin.userId !== userId && (await lockAdmin(transaction, admin.userId))) return true;
  return false;
}

export interface LockedAccount {
  email: string;
  name: string;
  phone: string | null;
  locale: Locale | null;
  profileUpdatedAt: Date;
  emailVerified: boolean;
  suspended: boolean;
  isActiveAdmin: boolean;
  isReplaceable: boolean;
}

export const lockAccount = findOne<LockedAccount, [userId: string]>(
  'lock_account',
  `select u.email, u.name, u.phone, u.locale, u.profile_updated_at as "profileUpdatedAt",
    u.email_verified as "emailVerified", u.suspended_at is not null as suspended,
    u.is_admin and u.suspended_at is null as "isActiveAdmin",
    u.invited_at is null and u.imported_at is null and not u.is_admin
      and not exists (select from clients c where c.owner_id = $1::uuid)
      and not exists (select from apis a where a.owner_id = $1::uuid)
      and not exists (select from consents k where k.user_id = $1::uuid) as "isReplaceable"
  from users u where u.id = $1::uuid for update of u`,
);

const defineAccountChange = (name: string, change: string, condition: string) =>
  hasRows<[userId: string, now: Date]>(
    name,
    `update users set ${change} where id = $userId::uuid and ${condition} returning id`,
    (userId, now) => ({ userId, now }),
  );

const deleteUser = findOne<{ emailKey: string; pictureHash: string | null }, [userId: string]>(
  'delete_account',
  `with cleared as (${clearPasswordFailuresSql('$1::uuid')})
  delete from users where id = $1::uuid returning email_key as "emailKey", picture_hash as "pictureHash"`,
);

/**
 * Deletes an account that the caller has locked. Pruning deletes the account's grants later.
 * @returns the deleted clients and APIs, or undefined if the account doesn't exist
 */
export async function deleteAccount(
  transaction: Queryable,
  userId: string,
): Promise<Record<ResourceKind, DeletedResource[]> | undefined> {
  const clients = await deleteAllOwnedResources(transaction, 'application', userId);
  const apis = await deleteAllOwnedResources(transaction, 'api', userId);
  await clearOfferRecipient(transaction, userId);
  await unlinkAllIdentities(transaction, userId);
  const account = await deleteUser(transaction, userId);
  if (account === undefined) return undefined;
  await releaseEmail(transaction, account.emailKey, userId);
  for (const hash of [account.pictureHash, ...clients.map(({ logo }) => logo)])
    if (hash) await deletePicture(transaction, hash);
  return { application: clients, api: apis };
}

/** Each function returns false if nothing changed. `suspend` and `end` revoke all codes, tokens and sessions. */
export const ACCOUNT_CHANGES = {
  suspend: defineAccountChange(
    'suspend_account',
    'suspended_at = $now::timestamptz, epoch = epoch + 1',
    'suspended_at is null',
  ),
  unsuspend: defineAccountChange('unsuspend_account', 'suspended_at = null', 'suspended_at is not null'),
  end: defineAccountChange('revoke_account_access', 'epoch = epoch + 1', 'true'),
  grant: defineAccountChange('grant_admin', 'is_admin = true', 'not is_admin'),
  revoke: defineAccountChange('revoke_admin', 'is_admin = false', 'is_admin'),
};
export type AccountAction = keyof typeof ACCOUNT_CHANGES | 'delete';

/** Each function returns the resource's name, or undefined if nothing changed. */
const RESOURCE_CHANGES = {
  // The SQL in `onSuspend` revokes the client's codes and tokens.
  suspend: defineForResourceKinds(({ kind, table, id, onSuspend }) =>
    findValue<string, [id: string, now: Date]>(
      `suspend_${kind}`,
      `update ${table} set ${onSuspend} suspended_at = $2::timestamptz
      where ${id} = $1::text and suspended_at is null returning name`,
    ),
  ),
  unsuspend: defineForResourceKinds(({ kind, table, id }) =>
    findValue<string, [id: string, now: Date]>(
      `unsuspend_${kind}`,
      `update ${table} set suspended_at = null where ${id} = $1::text and suspended_at is not null returning name`,
      (resourceId) => [resourceId],
    ),
  ),
};
const VERIFICATION_CHANGES = {
  verify: findValue<string, [id: string, now: Date]>(
    'verify_client',
    `update clients set verified_at = $2::timestamptz where client_id = $1::text and verified_at is null
    returning name`,
  ),
  unverify: findValue<string, [id: string, now: Date]>(
    'unverify_client',
    `update clients set verified_at = null where client_id = $1::text and verified_at is not null
    returning name`,
    (id) => [id],
  ),
};
export type ApiAction = keyof typeof RESOURCE_CHANGES;
export type ClientAction = ApiAction | keyof typeof VERIFICATION_CHANGES;

export const changeResource = (
  transaction: Queryable,
  kind: ResourceKind,
  action: ClientAction,
  id: string,
  now: Date,
): Promise<string | undefined> =>
  action === 'verify' || action === 'unverify'
    ? VERIFICATION_CHANGES[action](transaction, id, now)
    : RESOURCE_CHANGES[action](transaction, kind, id, now);

// A connection can't disable the timeout at startup behind a connection pooler (docs/operations/database.md).
const disableStatementTimeout = execute('disable_statement_timeout', 'set local statement_timeout to 0');
const revokeAccessOfClients = execute('revoke_access_of_all_clients', 'update clients set epoch = epoch + 1');
const revokeAccessOfAccounts = count(
  'revoke_access_of_all_accounts',
  `with revoked as (update users set epoch = epoch + 1 returning 1)
  select count(*)::int as accounts from revoked`,
);

export const revokeAllAccess = (database: Database, now: Date): Promise<number> =>
  database.transaction(async (transaction) => {
    await disableStatementTimeout(transaction);
    await revokeAccessOfClients(transaction);
    const accounts = await revokeAccessOfAccounts(transaction);
    await recordEvent(transaction, { kind: 'everything_ended', detail: { accounts } }, now);
    return accounts;
  });
