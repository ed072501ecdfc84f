// Accounts whose email address has never been verified: anybody may have signed up with it, so its owner takes over or replaces them.
import { affects, execute } from './query.ts';

// Consents are withdrawn, not deleted: their epochs only grow, and a new row would start at zero.
/**
 * Revokes everything set up before the email address was verified, except the password, which the caller replaces:
 * passkeys, authenticator app, recovery codes, trusted browsers, consents, and with the epoch all sessions and grants.
 * @param wasUnverified the address is verified now, but wasn't when things were set up
 * @returns false, and changes nothing, if the address is verified
 */
export const revokeAllOfUnverified = affects<[userId: string, now: Date, wasUnverified?: boolean]>(
  'revoke_all_of_unverified_account',
  `with account as (
    update users set totp_secret = null, totp_step = null, totp_since = null, passkey_count = 0,
      epoch = epoch + 1
    where id = $1::uuid and (not email_verified or $3::boolean) returning id
  ),
  passkeys as (delete from passkeys where user_id = $1::uuid and exists (select from account)),
  codes as (delete from recovery_codes where user_id = $1::uuid and exists (select from account)),
  browsers as (delete from trusted_browsers where user_id = $1::uuid and exists (select from account)),
  resets as (delete from second_factor_resets where user_id = $1::uuid and exists (select from account)),
  consents as (
    update consents set withdrawn_at = $2::timestamptz, epoch = epoch + 1
    where user_id = $1::uuid and exists (select from account) and withdrawn_at is null
  )
  select id from account`,
  (userId, now, wasUnverified = false) => [userId, now, wasUnverified],
);

/** Locks the mailed links and codes of an account, which is always done before the account itself is locked. */
export const lockTokens = execute<[userId: string]>(
  'lock_tokens_of_account',
  'select t.hash from one_time_tokens t where t.user_id = $1::uuid order by t.hash for update of t',
);
