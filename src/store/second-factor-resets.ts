// Second factors that operators are about to take away: a row an account, from when it is asked for until it is carried out or
// stopped. Whoever deletes the row decides which of the two it is.
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** A reset that waits. */
export interface PendingReset {
  askedAt: Date;
  dueAt: Date;
  /** Whether the passkeys go, too. */
  passkeys: boolean;
}

const COLUMNS = 'r.asked_at as "askedAt", r.due_at as "dueAt", r.passkeys';

const INSERT = statement(
  'insert_second_factor_reset',
  `insert into second_factor_resets (user_id, stop_hash, asked_at, due_at, passkeys)
  select u.id, $2::bytea, $3::timestamptz, $4::timestamptz, $5::boolean
  from users u where u.id = $1::uuid and u.suspended_at is null
    and (u.totp_secret is not null or ($5::boolean and u.passkey_count > 0))
  on conflict (user_id) do nothing returning user_id`,
);

/** Has a reset wait until a moment. False where one waits already, or there is nothing to take away. */
export const insertReset = async (
  transaction: Queryable,
  { userId, stopHash, dueAt, passkeys }: { userId: string; stopHash: Buffer; dueAt: Date; passkeys: boolean },
  now: Date,
): Promise<boolean> =>
  (await transaction.query(INSERT, [userId, stopHash, now, dueAt, passkeys])).length === 1;

const FIND = statement(
  'find_second_factor_reset',
  `select ${COLUMNS} from second_factor_resets r where r.user_id = $1::uuid`,
);

/** The reset of an account that waits. */
export async function findReset(database: Queryable, userId: string): Promise<PendingReset | undefined> {
  const [row] = await database.query<PendingReset>(FIND, [userId]);
  return row;
}

const FIND_BY_LINK = statement(
  'find_second_factor_reset_by_link',
  `select ${COLUMNS} from second_factor_resets r where r.stop_hash = $1::bytea`,
);

/** The same by the link of its mail. */
export async function findResetByLink(database: Queryable, hash: Buffer): Promise<PendingReset | undefined> {
  const [row] = await database.query<PendingReset>(FIND_BY_LINK, [hash]);
  return row;
}

const STOP = statement(
  'stop_second_factor_reset',
  'delete from second_factor_resets where user_id = $1::uuid returning user_id',
);

/** Stops it. False where none waits. */
export const deleteReset = async (database: Queryable, userId: string): Promise<boolean> =>
  (await database.query(STOP, [userId])).length === 1;

const STOP_BY_LINK = statement(
  'stop_second_factor_reset_by_link',
  'delete from second_factor_resets where stop_hash = $1::bytea returning user_id as "userId"',
);

/** The same by the link of its mail. @returns whose it was */
export async function deleteResetByLink(database: Queryable, hash: Buffer): Promise<string | undefined> {
  const [row] = await database.query<{ userId: string }>(STOP_BY_LINK, [hash]);
  return row?.userId;
}

const POSTPONE = statement(
  'postpone_second_factor_reset',
  `update second_factor_resets set due_at = greatest(due_at, $2::timestamptz) where user_id = $1::uuid`,
);

/** It waits until then at least. */
export async function postponeReset(database: Queryable, userId: string, until: Date): Promise<void> {
  await database.query(POSTPONE, [userId, until]);
}

const FIND_DUE = statement(
  'find_due_second_factor_reset',
  `select r.user_id as "userId" from second_factor_resets r join users u on u.id = r.user_id
  where r.due_at <= $1::timestamptz and u.suspended_at is null
  order by r.due_at limit 1`,
);

/** The account whose reset has been due longest; undefined when none is due. */
export async function findDueReset(database: Queryable, now: Date): Promise<string | undefined> {
  const [due] = await database.query<{ userId: string }>(FIND_DUE, [now]);
  return due?.userId;
}

// The account is locked before the reset, as in every transaction that changes both.
const HOLD = statement(
  'hold_account_of_reset',
  'select u.id from users u where u.id = $1::uuid and u.suspended_at is null for no key update of u',
);
const TAKE_DUE = statement(
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
  if ((await transaction.query(HOLD, [userId])).length === 0) return undefined;
  const [taken] = await transaction.query<Pick<PendingReset, 'passkeys'>>(TAKE_DUE, [userId, now]);
  return taken;
}
