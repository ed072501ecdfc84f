// Adds and removes passwords and checks whether a password may be reset.
import type { Queryable } from './database.ts';
import type { MfaFactors } from './mfa-factors.ts';
import { hasRows } from './query.ts';
import { lockUser } from './users.ts';

/**
 * SQL condition that checks whether the account has an unused recovery code.
 * @param userId an SQL parameter
 */
const hasRecoveryCodeSql = (userId: string): string =>
  `exists (select from recovery_codes r where r.user_id = ${userId}::uuid and r.used_at is null)`;

/**
 * SQL for the number of an account's independent sign-in methods other than the password (ADR 20). Each passkey counts,
 * and so does each enabled identity provider with a linked identity. All recovery codes count as one method. The query
 * must select from `users u`.
 * @param userId an SQL parameter
 */
export const signInMethodCountSql = (userId: string): string =>
  `(u.passkey_count + case when ${hasRecoveryCodeSql(userId)} then 1 else 0 end + (
    select count(distinct p.provider_id) from external_identities i
    join identity_providers p on p.provider_id = i.provider_id and p.disabled_at is null
    where i.user_id = ${userId}::uuid))`;

/** Counts sign-in methods other than the password, like `signInMethodCountSql`. */
export function countSignInMethods(
  passkeys: readonly unknown[],
  { recoveryCodes }: Pick<MfaFactors, 'recoveryCodes'>,
  identities: readonly { enabled: boolean; providerId: string }[],
): number {
  const providerIds = identities.flatMap(({ enabled, providerId }) => (enabled ? [providerId] : []));
  return passkeys.length + Math.min(recoveryCodes, 1) + new Set(providerIds).size;
}

/**
 * Minimum number of sign-in methods of an account without a password. With two, the user can still sign in after
 * losing one of them.
 */
export const MIN_SIGN_IN_METHODS = 2;

/**
 * SQL condition that checks whether the password may be set through an emailed link. If the account has no password,
 * the email address must be unverified, or the account must have neither passkeys nor unused recovery codes. If the
 * email address is unverified, setting a password removes everything else that was set up. The query must select from
 * `users u`.
 * @param userId an SQL parameter
 */
export const canResetPasswordSql = (userId: string): string =>
  `(u.password_hash is not null or not u.email_verified or (u.passkey_count = 0 and not ${hasRecoveryCodeSql(userId)}))`;

const removePasswordHash = hasRows<[userId: string]>(
  'remove_password',
  `update users u set password_hash = null, password_set_at = null
  where u.id = $1::uuid and u.password_hash is not null
    and ${signInMethodCountSql('$1')} >= ${MIN_SIGN_IN_METHODS}
  returning u.id`,
);

/** Removes a password. Returns false if the account has none or has fewer than two other sign-in methods. */
export async function removePassword(transaction: Queryable, userId: string): Promise<boolean> {
  await lockUser(transaction, userId);
  return removePasswordHash(transaction, userId);
}

export const addPassword = hasRows<[userId: string, passwordHash: string, now: Date]>(
  'add_password',
  `update users set password_hash = $2::text, password_set_at = $3::timestamptz, browser_epoch = browser_epoch + 1
  where id = $1::uuid and password_hash is null and suspended_at is null returning id`,
);
