// Pending MFA resets, at most one per account.
import type { Queryable } from './database.ts';
import type { EmailedLink } from './one-time-tokens.ts';
import { execute, findOne, findValue, hasRows } from './query.ts';
import { lockUser } from './users.ts';

export interface PendingMfaReset {
  requestedAt: Date;
  dueAt: Date;
  passkeys: boolean;
}

const COLUMNS = 'r.requested_at as "requestedAt", r.due_at as "dueAt", r.passkeys';

/** Returns false if a reset is pending, the account is suspended, or there is no factor to reset. */
export const insertMfaReset = hasRows<
  [reset: { userId: string; cancelHash: Buffer; dueAt: Date; passkeys: boolean }, now: Date]
>(
  'insert_mfa_reset',
  `insert into mfa_resets (user_id, cancel_hash, requested_at, due_at, passkeys)
  select u.id, $cancelHash::bytea, $now::timestamptz, $dueAt::timestamptz, $passkeys::boolean
  from users u where u.id = $userId::uuid and u.suspended_at is null
    and (u.totp_secret is not null or ($passkeys::boolean and u.passkey_count > 0))
  on conflict (user_id) do nothing returning user_id`,
  (reset, now) => ({ ...reset, now }),
);

export const findMfaReset = findOne<PendingMfaReset, [userId: string]>(
  'find_mfa_reset',
  `select ${COLUMNS} from mfa_resets r where r.user_id = $1::uuid`,
);

export const findMfaResetByLink = findOne<PendingMfaReset, [link: EmailedLink]>(
  'find_mfa_reset_by_link',
  `select ${COLUMNS} from mfa_resets r where r.user_id = $1::uuid and r.cancel_hash = $2::bytea`,
  ({ userId, hash }) => [userId, hash],
);

export const cancelMfaReset = hasRows<[userId: string]>(
  'cancel_mfa_reset',
  'delete from mfa_resets where user_id = $1::uuid returning user_id',
);

export const cancelMfaResetByLink = hasRows<[link: EmailedLink]>(
  'cancel_mfa_reset_by_link',
  'delete from mfa_resets where user_id = $1::uuid and cancel_hash = $2::bytea returning user_id',
  ({ userId, hash }) => [userId, hash],
);

export const postponeMfaReset = execute<[userId: string, until: Date]>(
  'postpone_mfa_reset',
  `update mfa_resets set due_at = greatest(due_at, $2::timestamptz) where user_id = $1::uuid`,
);

export const findDueMfaReset = findValue<string, [now: Date]>(
  'find_due_mfa_reset',
  `select r.user_id as "userId" from mfa_resets r join users u on u.id = r.user_id
  where r.due_at <= $1::timestamptz and u.suspended_at is null
  order by r.due_at limit 1`,
);

const deleteDueMfaReset = findOne<Pick<PendingMfaReset, 'passkeys'>, [userId: string, now: Date]>(
  'take_due_mfa_reset',
  `delete from mfa_resets where user_id = $1::uuid and due_at <= $2::timestamptz
  returning passkeys`,
);

/** Locks the account and deletes its due reset. Returns undefined if no reset is due or the account is suspended. */
export async function takeDueMfaReset(
  transaction: Queryable,
  userId: string,
  now: Date,
): Promise<Pick<PendingMfaReset, 'passkeys'> | undefined> {
  // Locking the account first prevents deadlocks.
  const user = await lockUser(transaction, userId);
  return user?.suspended === false ? deleteDueMfaReset(transaction, userId, now) : undefined;
}
