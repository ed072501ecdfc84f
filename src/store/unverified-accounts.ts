// Accounts with an unverified email address, which anyone may have created.
import type { Queryable } from './database.ts';
import { unlinkAllIdentities } from './external-identities.ts';
import { execute, hasRows } from './query.ts';

// A consent's epoch must never decrease, so consents are withdrawn and not deleted.
const revokeSetup = hasRows<[userId: string, now: Date, wasUnverified?: boolean]>(
  'revoke_unverified_setup',
  `with account as (
    update users set totp_secret = null, totp_step = null, totp_enabled_at = null, passkey_count = 0,
      epoch = epoch + 1
    where id = $1::uuid and (not email_verified or $3::boolean) returning id
  ),
  passkeys as (delete from passkeys where user_id = $1::uuid and exists (select from account)),
  codes as (delete from recovery_codes where user_id = $1::uuid and exists (select from account)),
  browsers as (delete from remembered_devices where user_id = $1::uuid and exists (select from account)),
  resets as (delete from mfa_resets where user_id = $1::uuid and exists (select from account)),
  consents as (
    update consents set withdrawn_at = $2::timestamptz, epoch = epoch + 1
    where user_id = $1::uuid and exists (select from account) and withdrawn_at is null
  )
  select id from account`,
  (userId, now, wasUnverified = false) => [userId, now, wasUnverified],
);

/**
 * Revokes everything that was set up before the email address was verified. The caller must replace the password.
 * @param wasUnverified whether the email address was unverified until now
 * @returns false if the email address was already verified
 */
export async function revokeUnverifiedSetup(
  transaction: Queryable,
  userId: string,
  now: Date,
  wasUnverified?: boolean,
): Promise<boolean> {
  if (!(await revokeSetup(transaction, userId, now, wasUnverified))) return false;
  await unlinkAllIdentities(transaction, userId);
  return true;
}

/** Must be called before locking the account. */
export const lockOneTimeTokens = execute<[userId: string]>(
  'lock_one_time_tokens',
  'select t.hash from one_time_tokens t where t.user_id = $1::uuid order by t.hash for update of t',
);
