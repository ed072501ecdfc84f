// Accounts: found by id or email, made, and changed by those whose they are.
import type { Locale } from '../i18n/index.ts';
import type { Person } from '../oauth/claims.ts';
import type { Database, Queryable } from './database.ts';
import { byEmail, claimEmail, emailKey, findUserIdHot } from './emails.ts';
import { NO_USER } from './no-user.ts';
import { forgettingGuesses } from './password-guesses.ts';
import { affects, execute, findAll, findHot, findOne, findValue } from './query.ts';

export interface NewUser {
  id: string;
  email: string;
  name: string;
  phone: string | null;
  emailVerified: boolean;
  /** Argon2id, in PHC string format. */
  passwordHash: string;
  operator: boolean;
  locale?: Locale | null;
  /** Somebody else made it for them, with a password that nobody knows. */
  invited?: boolean;
}

const insertRow = execute<[user: NewUser, now: Date]>(
  'insert_user',
  `insert into users (id, email, email_key, name, phone, email_verified, password_hash, operator,
    profile_updated_at, created_at, locale, password_chosen_at, invited_at)
  values ($id::uuid, $email::text, $emailKey::text, $name::text, $phone::text, $emailVerified::boolean,
    $passwordHash::text, $operator::boolean, $now::timestamptz, $now::timestamptz, $locale::text,
    case when not $invited::boolean then $now::timestamptz end, case when $invited::boolean then $now::timestamptz end)`,
  (user, now) => ({ locale: null, invited: false, ...user, emailKey: emailKey(user.email), now }),
);

/** Creates an account in a transaction. Returns false if its email is taken. */
export async function insertUser(transaction: Queryable, user: NewUser, now: Date): Promise<boolean> {
  if (!(await claimEmail(transaction, user.email, user.id))) return false;
  await insertRow(transaction, user, now);
  return true;
}

/** Where each field of a person is; needs `users u`. */
const PERSON = Object.entries({
  userId: 'u.id',
  name: 'u.name',
  email: 'u.email',
  emailVerified: 'u.email_verified',
  phone: 'u.phone',
  pictureHash: 'u.picture_hash',
  profileUpdatedAt: 'u.profile_updated_at',
} satisfies Record<keyof Person, string>);

export const PERSON_COLUMNS = PERSON.map(([field, column]) => `${column} as "${field}"`).join(', ');

/** The same in one column, of a row that has them; JSON knows no dates. */
export const personAsJson = (row: string): string =>
  `json_build_object(${PERSON.map(([field]) => `'${field}', ${row}."${field}"`).join(', ')})`;

export interface UserForSignIn {
  userId: string;
  /** Null where the account has no password. */
  passwordHash: string | null;
  suspended: boolean;
  /** Whether it asks for the code of an authenticator app, too. */
  asksForCode: boolean;
  knowsBrowser: boolean;
}

/** SQL: whether an account knows one of these browsers, by what they sent (web/known-browsers.ts). */
const knows = (known: string): string =>
  `uuid_send(u.id) || int4send(u.browser_epoch) = any(${known}::bytea[])`;

const findForSignIn = findHot<UserForSignIn, [userId: string, key: string, known: readonly Buffer[]]>(
  'find_user_for_sign_in',
  `select u.id as "userId", u.password_hash as "passwordHash", u.suspended_at is not null as suspended,
    u.totp_secret is not null as "asksForCode", ${knows('$3')} as "knowsBrowser"
  from users u where u.id = $1::uuid and u.email_key = $2::text`,
);

/**
 * Finds an account by email. Runs two statements whether or not there is one, so that its time doesn't reveal it.
 * @param known what the browser sent of the accounts that know it
 */
export const findUserForSignIn = async (
  database: Pick<Database, 'hotRead'>,
  email: string,
  known: readonly Buffer[] = [],
): Promise<UserForSignIn | undefined> =>
  findForSignIn(database, (await findUserIdHot(database, email)) ?? NO_USER, emailKey(email), known);

export interface UserRow extends Person {
  operator: boolean;
  suspended: boolean;
  invited: boolean;
  invitedAt: Date | null;
  createdAt: Date;
}

export const ACCOUNT_COLUMNS = `${PERSON_COLUMNS}, u.operator, u.suspended_at is not null as suspended, u.invited_at is not null as invited, u.invited_at as "invitedAt", u.created_at as "createdAt"`;

export const listUsers = findAll<UserRow>(
  'list_users',
  `select ${ACCOUNT_COLUMNS} from users u order by u.created_at, u.id`,
);

export const findUserByEmail = byEmail(
  findOne<UserRow, [userId: string, key: string]>(
    'find_user_by_email',
    `select ${ACCOUNT_COLUMNS} from users u where u.id = $1::uuid and u.email_key = $2::text`,
  ),
);

/** Sets a new password: every session and every grant of the account ends with the old one. */
export const changePassword = affects<[userId: string, passwordHash: string]>(
  'change_password',
  `with forgotten as (${forgettingGuesses('$1::uuid')})
  update users set password_hash = $2::text, epoch = epoch + 1 where id = $1::uuid returning id`,
);

/** The same with one that nobody knows, where there is a password at all: else a mail would open a way that was closed. */
export const voidPassword = execute<[userId: string, unknown: string]>(
  'void_password',
  `with forgotten as (${forgettingGuesses('$1::uuid')})
  update users set password_hash = case when password_hash is not null then $2::text end, epoch = epoch + 1
  where id = $1::uuid returning id`,
);

export const hasOperator = affects('has_operator', 'select from users where operator limit 1');

/** What a person says of themselves. */
export interface Profile {
  name: string;
  /** E.164, or null for none. */
  phone: string | null;
  /** Null: whatever the browser asks for. */
  locale: Locale | null;
}

/**
 * Changes a profile; `updated_at` follows name and phone, which applications see, and stands when they are as they were
 *.
 * @returns what has changed; undefined when there is no such account
 */
export const changeProfile = findOne<
  Record<'name' | 'phone' | 'language', boolean>,
  [userId: string, profile: Profile, now: Date]
>(
  'change_profile',
  `update users u set name = $2::text, phone = $3::text, locale = $4::text,
    profile_updated_at = case when (u.name, u.phone) is distinct from ($2::text, $3::text)
      then $5::timestamptz else u.profile_updated_at end
  from (select name, phone, locale from users where id = $1::uuid for update) before
  where u.id = $1::uuid
  returning before.name is distinct from u.name as name, before.phone is distinct from u.phone as phone,
    before.locale is distinct from u.locale as language`,
  (userId, { name, phone, locale }, now) => [userId, name, phone, locale, now],
);

/** Locks an account until the transaction ends. Returns the hash of its picture. */
export const lockPicture = findOne<{ hash: string | null }, [userId: string]>(
  'lock_picture',
  'select u.picture_hash as hash from users u where u.id = $1::uuid for no key update of u',
);

/** Gives an account another picture, or none. False when it has this one already. */
export const changePicture = affects<[userId: string, pictureHash: string | null, now: Date]>(
  'change_picture',
  `update users set picture_hash = $2::text, profile_updated_at = $3::timestamptz
  where id = $1::uuid and picture_hash is distinct from $2::text returning id`,
);

/** The number that a browser at home in this account carries; undefined when there is no such account. */
export const findBrowserEpoch = findValue<number, [userId: string]>(
  'find_browser_epoch',
  'select browser_epoch as "browserEpoch" from users where id = $1::uuid',
);

/** Whether an account knows a browser, by the identifiers that the browser sent (web/known-browsers.ts). */
export const knowsBrowser = affects<[userId: string, known: readonly Buffer[]]>(
  'knows_browser',
  `select 1 as one from users u where u.id = $1::uuid and ${knows('$2')}`,
);

/**
 * Locks an account until the transaction ends, so that what depends on its row is decided by one transaction at a time.
 * Decide in a later statement, which sees what the lock waited for.
 */
export const lockUser = findOne<{ epoch: number; suspended: boolean }, [userId: string]>(
  'lock_user',
  `select u.epoch, u.suspended_at is not null as suspended from users u where u.id = $1::uuid
  for no key update of u`,
);

/** From now on no browser is at home in this account: the next sign-in with each of them is told of. */
export const forgetBrowsers = execute<[userId: string]>(
  'forget_browsers',
  'update users set browser_epoch = browser_epoch + 1 where id = $1::uuid',
);
