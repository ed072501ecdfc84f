// Adds and removes passwords and checks whether a password may be reset.
import type { Queryable } from './database.ts';
import type { MfaFactors } from './mfa-factors.ts';
import { hasRows } from './query.ts';
import { lockUser } from './users.ts';

const hasRecoveryCodeSql = (userId: string): string =>
  `exists (select from recovery_codes r where r.user_id = ${userId}::uuid and r.used_at is null)`;

/**
 * SQL for the number of independent sign-in methods other than the password (ADR 20). Each passkey and each enabled
 * provider counts. Recovery codes count as one.
 */
export const signInMethodCountSql = (userId: string): string =>
  `(u.passkey_count + case when ${hasRecoveryCodeSql(userId)} then 1 else 0 end + (
    select count(distinct p.provider_id) from external_identities i
    join identity_providers p on p.provider_id = i.provider_id and p.disabled_at is null
    where i.user_id = ${userId}::uuid))`;

export function countSignInMethods(
  passkeys: readonly unknown[],
  { recoveryCodes }: Pick<MfaFactors, 'recoveryCodes'>,
  identities: readonly { enabled: boolean; providerId: string }[],
): number {
  const providerIds = identities.flatMap(({ enabled, providerId }) => (enabled ? [providerId] : []));
  return passkeys.length + Math.min(recoveryCodes, 1) + new Set(providerIds).size;
}

/** An account without a password must have two methods, so that the user can lose one. */
export const MIN_SIGN_IN_METHODS = 2;

/**
 * SQL condition: an emailed link may set the password. A link can't add a password to an account with passkeys or
 * recovery codes, unless the email address is unverified. In that case, setting a password removes these methods.
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

export async function removePassword(transaction: Queryable, userId: string): Promise<boolean> {
  await lockUser(transaction, userId);
  return removePasswordHash(transaction, userId);
}

export const addPassword = hasRows<[userId: string, passwordHash: string, now: Date]>(
  'add_password',
  `update users set password_hash = $2::text, password_set_at = $3::timestamptz, browser_epoch = browser_epoch + 1
  where id = $1::uuid and password_hash is null and suspended_at is null returning id`,
);
