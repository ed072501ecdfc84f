// MFA resets that administrators requested: a row per account until the reset is carried out or stopped.
import type { Queryable } from './database.ts';
import type { MailedLink } from './one-time-tokens.ts';
import { affects, execute, findOne, findValue } from './query.ts';
import { lockUser } from './users.ts';

export interface PendingReset {
  askedAt: Date;
  dueAt: Date;
  passkeys: boolean;
}

const COLUMNS = 'r.asked_at as "askedAt", r.due_at as "dueAt", r.passkeys';

/** Has a reset wait until a moment. False where one waits already, or there is nothing to take away. */
export const insertReset = affects<
  [reset: { userId: string; stopHash: Buffer; dueAt: Date; passkeys: boolean }, now: Date]
>(
  'insert_second_factor_reset',
  `insert into second_factor_resets (user_id, stop_hash, asked_at, due_at, passkeys)
  select u.id, $stopHash::bytea, $now::timestamptz, $dueAt::timestamptz, $passkeys::boolean
  from users u where u.id = $userId::uuid and u.suspended_at is null
    and (u.totp_secret is not null or ($passkeys::boolean and u.passkey_count > 0))
  on conflict (user_id) do nothing returning user_id`,
  (reset, now) => ({ ...reset, now }),
);

export const findReset = findOne<PendingReset, [userId: string]>(
  'find_second_factor_reset',
  `select ${COLUMNS} from second_factor_resets r where r.user_id = $1::uuid`,
);

/** The same by the link of its mail. */
export const findResetByLink = findOne<PendingReset, [link: MailedLink]>(
  'find_second_factor_reset_by_link',
  `select ${COLUMNS} from second_factor_resets r where r.user_id = $1::uuid and r.stop_hash = $2::bytea`,
  ({ userId, hash }) => [userId, hash],
);

/** Stops it. False where none waits. */
export const deleteReset = affects<[userId: string]>(
  'stop_second_factor_reset',
  'delete from second_factor_resets where user_id = $1::uuid returning user_id',
);

/** The same by the link of its mail. */
export const deleteResetByLink = affects<[link: MailedLink]>(
  'stop_second_factor_reset_by_link',
  'delete from second_factor_resets where user_id = $1::uuid and stop_hash = $2::bytea returning user_id',
  ({ userId, hash }) => [userId, hash],
);

export const postponeReset = execute<[userId: string, until: Date]>(
  'postpone_second_factor_reset',
  `update second_factor_resets set due_at = greatest(due_at, $2::timestamptz) where user_id = $1::uuid`,
);

/** The account whose reset has been due longest; undefined when none is due. */
export const findDueReset = findValue<string, [now: Date]>(
  'find_due_second_factor_reset',
  `select r.user_id as "userId" from second_factor_resets r join users u on u.id = r.user_id
  where r.due_at <= $1::timestamptz and u.suspended_at is null
  order by r.due_at limit 1`,
);

const takeDue = findOne<Pick<PendingReset, 'passkeys'>, [userId: string, now: Date]>(
  'take_due_second_factor_reset',
  `delete from second_factor_resets where user_id = $1::uuid and due_at <= $2::timestamptz
  returning passkeys`,
);

/**
 * Locks the account of a reset that is due, and deletes the reset.
 * @returns what to carry out; undefined if the reset was stopped, postponed or carried out, or the account is suspended
 */
export async function takeDueReset(
  transaction: Queryable,
  userId: string,
  now: Date,
): Promise<Pick<PendingReset, 'passkeys'> | undefined> {
  // The account is locked before the reset, as in every transaction that changes both.
  const user = await lockUser(transaction, userId);
  return user?.suspended === false ? takeDue(transaction, userId, now) : undefined;
}
