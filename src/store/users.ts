// Accounts.
import type { Person } from '../oauth/claims.ts';
import { type Database, type Queryable, statement } from './database.ts';

/** The form under which an email is unique: two spellings that differ in case are one account. */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase();

export interface NewUser {
  id: string;
  email: string;
  name: string;
  phone: string | null;
  emailVerified: boolean;
  /** Argon2id, in PHC string format. */
  passwordHash: string;
  operator: boolean;
}

const INSERT = statement(
  'insert_user',
  `insert into users (id, email, email_key, name, phone, email_verified, password_hash, operator,
    profile_updated_at, created_at)
  values ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::boolean, $7::text, $8::boolean,
    $9::timestamptz, $9::timestamptz)
  on conflict (email_key) do nothing returning id`,
);

/** Creates an account; false when one with this email exists. */
export async function insertUser(database: Queryable, user: NewUser, now: Date): Promise<boolean> {
  const rows = await database.query(INSERT, [
    user.id,
    user.email,
    emailKey(user.email),
    user.name,
    user.phone,
    user.emailVerified,
    user.passwordHash,
    user.operator,
    now,
  ]);
  return rows.length === 1;
}

const FIND_FOR_SIGN_IN = statement(
  'find_user_for_sign_in',
  `select u.id as "userId", u.password_hash as "passwordHash", u.suspended_at is not null as suspended
  from users u where u.email_key = $1::text`,
);

/** What a sign-in needs of an account. */
export async function findUserForSignIn(
  database: Queryable,
  email: string,
): Promise<{ userId: string; passwordHash: string; suspended: boolean } | undefined> {
  const [row] = await database.query<{ userId: string; passwordHash: string; suspended: boolean }>(
    FIND_FOR_SIGN_IN,
    [emailKey(email)],
  );
  return row;
}

export interface UserRow extends Person {
  operator: boolean;
  suspended: boolean;
  createdAt: Date;
}

const COLUMNS = `u.id as "userId", u.name, u.email, u.email_verified as "emailVerified", u.phone, u.operator,
  u.suspended_at is not null as suspended, u.profile_updated_at as "profileUpdatedAt", u.created_at as "createdAt"`;

const LIST = statement('list_users', `select ${COLUMNS} from users u order by u.created_at, u.id`);

/** All accounts, oldest first. */
export const listUsers = (database: Queryable): Promise<UserRow[]> => database.query(LIST, []);

const FIND_BY_EMAIL = statement(
  'find_user_by_email',
  `select ${COLUMNS} from users u where u.email_key = $1::text`,
);

/** One account by its email, in any case. */
export async function findUserByEmail(database: Queryable, email: string): Promise<UserRow | undefined> {
  const [row] = await database.query<UserRow>(FIND_BY_EMAIL, [emailKey(email)]);
  return row;
}

const DELETE = statement('delete_user', 'delete from users where id = $1::uuid returning id');

/** Deletes an account with its sessions, consents and applications; its grants die with it at once (D28). */
export async function deleteUser(database: Queryable, userId: string): Promise<boolean> {
  return (await database.query(DELETE, [userId])).length === 1;
}

const SUSPEND = statement(
  'suspend_user',
  `update users set suspended_at = $2::timestamptz, epoch = epoch + 1 where id = $1::uuid returning id`,
);

/** Suspends an account: nobody signs in to it, and all it has given out dies at once (D28). */
export async function suspendUser(database: Queryable, userId: string, now: Date): Promise<boolean> {
  return (await database.query(SUSPEND, [userId, now])).length === 1;
}

const CHANGE_PASSWORD = statement(
  'change_password',
  'update users set password_hash = $2::text, epoch = epoch + 1 where id = $1::uuid returning id',
);

/** Sets a new password: every session and every grant of the account ends with the old one (D28). */
export async function changePassword(
  database: Queryable,
  userId: string,
  passwordHash: string,
): Promise<boolean> {
  return (await database.query(CHANGE_PASSWORD, [userId, passwordHash])).length === 1;
}

const END_EVERYTHING = statement(
  'end_everything',
  `with ended as (update users set epoch = epoch + 1 returning 1)
  select count(*)::int as accounts from ended`,
);

/**
 * Ends every session, code, access token and refresh token of every account (D28). However many accounts there are, it
 * may take the time that it needs.
 * @returns how many accounts there are
 */
export const endEverything = (database: Database): Promise<number> =>
  database.transaction(async (transaction) => {
    await transaction.query(NO_TIMEOUT, []);
    const [row] = await transaction.query<{ accounts: number }>(END_EVERYTHING, []);
    return row?.accounts ?? 0;
  });

// Said here too, because behind a pooler the connection's own limit is that of the role.
const NO_TIMEOUT = statement('no_timeout', 'set local statement_timeout to 0');

const HAS_OPERATOR = statement('has_operator', 'select from users where operator limit 1');

/** Whether any operator account exists yet. */
export const hasOperator = async (database: Database): Promise<boolean> =>
  (await database.query(HAS_OPERATOR, [])).length === 1;
