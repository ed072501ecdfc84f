// MFA factors: authenticator app, recovery codes and remembered devices.
import type { Queryable } from './database.ts';
import { execute, findAll, findOne, hasRows } from './query.ts';
import { statement } from './statement.ts';
import { lockUser } from './users.ts';

export interface MfaFactors {
  appEnabledAt: Date | null;
  appUsedAt: Date | null;
  recoveryCodes: number;
  recoveryCodesMadeAt: Date | null;
  recoveryCodeUsedAt: Date | null;
}

const NO_FACTORS: MfaFactors = {
  appEnabledAt: null,
  appUsedAt: null,
  recoveryCodes: 0,
  recoveryCodesMadeAt: null,
  recoveryCodeUsedAt: null,
};

const FIND_FACTORS = statement(
  'find_mfa_factors',
  `select u.totp_enabled_at as "appEnabledAt", to_timestamp(u.totp_step * 30.0) as "appUsedAt",
    count(r.hash) filter (where r.used_at is null)::int as "recoveryCodes",
    max(r.created_at) as "recoveryCodesMadeAt", max(r.used_at) as "recoveryCodeUsedAt"
  from users u left join recovery_codes r on r.user_id = $1::uuid
  where u.id = $1::uuid group by u.id`,
);

export async function findMfaFactors(database: Queryable, userId: string): Promise<MfaFactors> {
  const [row] = await database.query<MfaFactors>(FIND_FACTORS, [userId]);
  return row ?? NO_FACTORS;
}

export type VerifiedCode = { by: 'app'; step: number } | { by: 'recovery code'; codeHash: Buffer };

export interface FactorSecrets {
  passwordHash: string | null;
  totpSecret: string | null;
  suspended: boolean;
}

export const findFactorSecrets = findOne<FactorSecrets, [userId: string]>(
  'find_factor_secrets',
  `select u.password_hash as "passwordHash", u.totp_secret as "totpSecret",
    u.suspended_at is not null as suspended
  from users u where u.id = $1::uuid`,
);

export const setAuthenticatorApp = hasRows<
  [app: { userId: string; sealedSecret: string; step: number }, now: Date]
>(
  'set_authenticator_app',
  `update users set totp_secret = $2::text, totp_step = $3::bigint, totp_enabled_at = $4::timestamptz
  where id = $1::uuid and totp_secret is null returning id`,
  ({ userId, sealedSecret, step }, now) => [userId, sealedSecret, step, now],
);

/**
 * Also removes remembered devices, and recovery codes that are no longer needed. Returns false if the account has no
 * app.
 */
export const removeAuthenticatorApp = hasRows<[userId: string]>(
  'remove_authenticator_app',
  `with app as (
    update users set totp_secret = null, totp_step = null, totp_enabled_at = null
    where id = $1::uuid and totp_secret is not null returning passkey_count, password_hash
  ),
  codes as (
    delete from recovery_codes where user_id = $1::uuid
      and exists (select from app where passkey_count = 0 and password_hash is not null)
  ),
  browsers as (delete from remembered_devices where user_id = $1::uuid and exists (select from app))
  select 1 as one from app`,
);

/**
 * Removes the authenticator app, recovery codes and remembered devices, and optionally the passkeys.
 * @returns false if there was no app or passkey to remove
 */
export const resetMfa = hasRows<[userId: string, options: { passkeys: boolean }]>(
  'reset_mfa',
  `with account as (
    update users set totp_secret = null, totp_step = null, totp_enabled_at = null,
      passkey_count = case when $2::boolean then 0 else passkey_count end
    where id = $1::uuid and (totp_secret is not null or ($2::boolean and passkey_count > 0)) returning id
  ),
  passkeys as (delete from passkeys where user_id = $1::uuid and exists (select from account where $2::boolean)),
  codes as (delete from recovery_codes where user_id = $1::uuid and exists (select from account)),
  browsers as (delete from remembered_devices where user_id = $1::uuid and exists (select from account))
  select id from account`,
  (userId, { passkeys }) => [userId, passkeys],
);

/** SQL that accepts a TOTP code if its time step is later than the last accepted one (RFC 6238 §5.2). */
export const acceptTotpStepSql = (userId: string, step: string, condition = ''): string =>
  `update users u set totp_step = ${step}::bigint
  where u.id = ${userId}::uuid and u.totp_secret is not null and coalesce(u.totp_step, 0) < ${step}::bigint ${condition}
  returning u.id`;

export const acceptTotpStep = hasRows<[userId: string, step: number]>(
  'accept_totp_step',
  acceptTotpStepSql('$1', '$2'),
);

export const useRecoveryCodeSql = (userId: string, hash: string, now: string, condition = ''): string =>
  `update recovery_codes r set used_at = ${now}::timestamptz
  where r.user_id = ${userId}::uuid and r.hash = ${hash}::bytea and r.used_at is null ${condition}
  returning r.user_id as id`;

export const useRecoveryCode = hasRows<[userId: string, hash: Buffer, now: Date]>(
  'use_recovery_code',
  useRecoveryCodeSql('$1', '$2', '$3'),
);

const deleteRecoveryCodes = execute<[userId: string]>(
  'remove_recovery_codes',
  'delete from recovery_codes where user_id = $1::uuid',
);
const insertRecoveryCodes = execute<[userId: string, hashes: readonly Buffer[], now: Date]>(
  'insert_recovery_codes',
  `insert into recovery_codes (user_id, hash, created_at)
  select u.id, codes.hash, $3::timestamptz from users u, unnest($2::bytea[]) codes (hash) where u.id = $1::uuid`,
);

export async function replaceRecoveryCodes(
  transaction: Queryable,
  userId: string,
  hashes: readonly Buffer[],
  now: Date,
): Promise<void> {
  // Serialize concurrent calls so that only the codes of the last call remain.
  await lockUser(transaction, userId);
  await deleteRecoveryCodes(transaction, userId);
  await insertRecoveryCodes(transaction, userId, hashes, now);
}

export interface RememberedDevice {
  id: string;
  userAgent: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Does nothing if the browser epoch has changed since the password was verified. */
export const rememberDevice = execute<
  [
    device: Omit<RememberedDevice, 'createdAt'> & { hash: Buffer; userId: string; browserEpoch: number },
    now: Date,
  ]
>(
  'remember_device',
  `insert into remembered_devices (hash, id, user_id, browser_epoch, user_agent, created_at, expires_at)
  select $hash::bytea, $id::uuid, u.id, u.browser_epoch, $userAgent::text, $now::timestamptz, $expiresAt::timestamptz
  from users u where u.id = $userId::uuid and u.browser_epoch = $browserEpoch::int and u.totp_secret is not null
  on conflict (user_id, hash) do nothing`,
  (device, now) => ({ ...device, userAgent: device.userAgent.slice(0, 400), now }),
);

/** SQL condition: one of the hashes belongs to a remembered device. */
export const isDeviceRememberedSql = (userId: string, hashes: string, now: string): string =>
  `exists (select from remembered_devices t where t.user_id = ${userId}::uuid and t.hash = any(${hashes}::bytea[])
    and t.browser_epoch = u.browser_epoch and t.expires_at > ${now}::timestamptz)`;

export const listRememberedDevices = findAll<RememberedDevice, [userId: string, now: Date]>(
  'list_remembered_devices',
  `select t.id, t.user_agent as "userAgent", t.created_at as "createdAt", t.expires_at as "expiresAt"
  from remembered_devices t join users u on u.id = $1::uuid and u.browser_epoch = t.browser_epoch
  where t.user_id = $1::uuid and t.expires_at > $2::timestamptz order by t.created_at desc, t.id`,
);

export const deleteRememberedDevice = hasRows<[userId: string, id: string]>(
  'delete_remembered_device',
  'delete from remembered_devices where user_id = $1::uuid and id = $2::uuid returning 1 as one',
);
