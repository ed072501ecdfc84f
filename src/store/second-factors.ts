// The authenticator app of an account, its recovery codes, and the browsers that it trusts.
import type { Queryable } from './database.ts';
import { affects, execute, findAll, findOne } from './query.ts';
import { statement } from './statement.ts';
import { lockUser } from './users.ts';

export interface Factors {
  appSince: Date | null;
  recoveryCodes: number;
  recoveryCodesMadeAt: Date | null;
}

const FIND = statement(
  'find_factors',
  `select u.totp_since as "appSince", count(r.hash) filter (where r.used_at is null)::int as "recoveryCodes",
    max(r.created_at) as "recoveryCodesMadeAt"
  from users u left join recovery_codes r on r.user_id = $1::uuid
  where u.id = $1::uuid group by u.id`,
);

export async function findFactors(database: Queryable, userId: string): Promise<Factors> {
  const [row] = await database.query<Factors>(FIND, [userId]);
  return row ?? { appSince: null, recoveryCodes: 0, recoveryCodesMadeAt: null };
}

/** What a code stands for, before it is used up. */
export type FoundCode = { by: 'app'; step: number } | { by: 'recovery code'; codeHash: Buffer };

export interface CheckedFactors {
  passwordHash: string | null;
  totpSecret: string | null;
  suspended: boolean;
}

export const findCheckedFactors = findOne<CheckedFactors, [userId: string]>(
  'find_checked_factors',
  `select u.password_hash as "passwordHash", u.totp_secret as "totpSecret",
    u.suspended_at is not null as suspended
  from users u where u.id = $1::uuid`,
);

/** Sets an authenticator app. @param app.step that of the code that confirmed it. @returns false if there is one */
export const setAuthenticatorApp = affects<
  [app: { userId: string; sealedSecret: string; step: number }, now: Date]
>(
  'set_authenticator_app',
  `update users set totp_secret = $2::text, totp_step = $3::bigint, totp_since = $4::timestamptz
  where id = $1::uuid and totp_secret is null returning id`,
  ({ userId, sealedSecret, step }, now) => [userId, sealedSecret, step, now],
);

/** Removes the app with its remembered devices, and with the recovery codes if there is no passkey. False if there is none. */
export const removeAuthenticatorApp = affects<[userId: string]>(
  'remove_authenticator_app',
  `with app as (
    update users set totp_secret = null, totp_step = null, totp_since = null
    where id = $1::uuid and totp_secret is not null returning passkey_count
  ),
  codes as (delete from recovery_codes where user_id = $1::uuid and exists (select from app where passkey_count = 0)),
  browsers as (delete from trusted_browsers where user_id = $1::uuid and exists (select from app))
  select 1 as one from app`,
);

/** Takes away what somebody has lost: the app, recovery codes, trusted browsers, and where it is said the passkeys. */
export const resetSecondFactors = affects<[userId: string, also: { passkeys: boolean }]>(
  'reset_second_factors',
  `with account as (
    update users set totp_secret = null, totp_step = null, totp_since = null,
      passkey_count = case when $2::boolean then 0 else passkey_count end
    where id = $1::uuid and (totp_secret is not null or ($2::boolean and passkey_count > 0)) returning id
  ),
  passkeys as (delete from passkeys where user_id = $1::uuid and exists (select from account where $2::boolean)),
  codes as (delete from recovery_codes where user_id = $1::uuid and exists (select from account)),
  browsers as (delete from trusted_browsers where user_id = $1::uuid and exists (select from account))
  select id from account`,
  (userId, { passkeys }) => [userId, passkeys],
);

/** Accepts the code of a time step, as part of a statement, if it is later than the last one (RFC 6238 §5.2). */
export const acceptingStep = (userId: string, step: string, condition = ''): string =>
  `update users u set totp_step = ${step}::bigint
  where u.id = ${userId}::uuid and u.totp_secret is not null and coalesce(u.totp_step, 0) < ${step}::bigint ${condition}
  returning u.id`;

/** False where a code of this step, or a later one, was accepted before. */
export const acceptStep = affects<[userId: string, step: number]>(
  'accept_totp_step',
  acceptingStep('$1', '$2'),
);

/** Uses a recovery code, as a part of a statement. */
export const usingRecoveryCode = (userId: string, hash: string, now: string, condition = ''): string =>
  `update recovery_codes r set used_at = ${now}::timestamptz
  where r.user_id = ${userId}::uuid and r.hash = ${hash}::bytea and r.used_at is null ${condition}
  returning r.user_id as id`;

/** False where the account has no such code, or it was used before. */
export const useRecoveryCode = affects<[userId: string, hash: Buffer, now: Date]>(
  'use_recovery_code',
  usingRecoveryCode('$1', '$2', '$3'),
);

const removeCodes = execute<[userId: string]>(
  'remove_recovery_codes',
  'delete from recovery_codes where user_id = $1::uuid',
);
const insertCodes = execute<[userId: string, hashes: readonly Buffer[], now: Date]>(
  'insert_recovery_codes',
  `insert into recovery_codes (user_id, hash, created_at)
  select u.id, one.hash, $3::timestamptz from users u, unnest($2::bytea[]) one (hash) where u.id = $1::uuid`,
);

export async function replaceRecoveryCodes(
  transaction: Queryable,
  userId: string,
  hashes: readonly Buffer[],
  now: Date,
): Promise<void> {
  await lockUser(transaction, userId); // so that the second of two sees the codes of the first
  await removeCodes(transaction, userId);
  await insertCodes(transaction, userId, hashes, now);
}

export interface TrustedBrowser {
  id: string;
  userAgent: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Trusts a browser, unless the password that was given in it, which `browserEpoch` stands for, was changed meanwhile. */
export const trustBrowser = execute<
  [
    browser: Omit<TrustedBrowser, 'createdAt'> & { hash: Buffer; userId: string; browserEpoch: number },
    now: Date,
  ]
>(
  'trust_browser',
  `insert into trusted_browsers (hash, id, user_id, browser_epoch, user_agent, created_at, expires_at)
  select $hash::bytea, $id::uuid, u.id, u.browser_epoch, $userAgent::text, $now::timestamptz, $expiresAt::timestamptz
  from users u where u.id = $userId::uuid and u.browser_epoch = $browserEpoch::int and u.totp_secret is not null
  on conflict (user_id, hash) do nothing`,
  (browser, now) => ({ ...browser, userAgent: browser.userAgent.slice(0, 400), now }),
);

/** Whether an account trusts the browser that presents one of these tokens, as a condition; needs `users u`. */
export const isTrusted = (userId: string, hashes: string, now: string): string =>
  `exists (select from trusted_browsers t where t.user_id = ${userId}::uuid and t.hash = any(${hashes}::bytea[])
    and t.browser_epoch = u.browser_epoch and t.expires_at > ${now}::timestamptz)`;

export const listTrustedBrowsers = findAll<TrustedBrowser, [userId: string, now: Date]>(
  'list_trusted_browsers',
  `select t.id, t.user_agent as "userAgent", t.created_at as "createdAt", t.expires_at as "expiresAt"
  from trusted_browsers t join users u on u.id = $1::uuid and u.browser_epoch = t.browser_epoch
  where t.user_id = $1::uuid and t.expires_at > $2::timestamptz order by t.created_at desc, t.id`,
);

/** False where the account trusts no such browser. */
export const distrustBrowser = affects<[userId: string, id: string]>(
  'distrust_browser',
  'delete from trusted_browsers where user_id = $1::uuid and id = $2::uuid returning 1 as one',
);
