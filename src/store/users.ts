// Accounts: lookup, creation, profile and password.
import type { Locale } from '../i18n/index.ts';
import type { ClaimsSubject } from '../oauth/claims.ts';
import type { Database, Queryable } from './database.ts';
import { claimEmail, emailKey, findByEmail, findUserIdByEmailHot } from './emails.ts';
import { NIL_USER_ID } from './nil-user-id.ts';
import { clearPasswordFailuresSql } from './password-failures.ts';
import { execute, findAll, findHot, findOne, findValue, hasRows } from './query.ts';

export interface NewUser {
  id: string;
  email: string;
  name: string;
  phone: string | null;
  emailVerified: boolean;
  /** Argon2id hash in PHC string format. Null if the account has no password. */
  passwordHash: string | null;
  isAdmin: boolean;
  locale?: Locale | null;
  /** If true, an administrator created the account and the password is random. */
  invited?: boolean;
}

const insertUserRow = execute<[user: NewUser, now: Date]>(
  'insert_user',
  `insert into users (id, email, email_key, name, phone, email_verified, password_hash, is_admin,
    profile_updated_at, created_at, locale, password_set_at, invited_at)
  values ($id::uuid, $email::text, $emailKey::text, $name::text, $phone::text, $emailVerified::boolean,
    $passwordHash::text, $isAdmin::boolean, $now::timestamptz, $now::timestamptz, $locale::text,
    case when not $invited::boolean and $passwordHash::text is not null then $now::timestamptz end,
    case when $invited::boolean then $now::timestamptz end)`,
  (user, now) => ({ locale: null, invited: false, ...user, emailKey: emailKey(user.email), now }),
);

export async function insertUser(transaction: Queryable, user: NewUser, now: Date): Promise<boolean> {
  if (!(await claimEmail(transaction, user.email, user.id))) return false;
  await insertUserRow(transaction, user, now);
  return true;
}

/** SQL columns by field. The query must select from `users u`. */
const CLAIMS_SUBJECT_FIELDS = Object.entries({
  userId: 'u.id',
  name: 'u.name',
  email: 'u.email',
  emailVerified: 'u.email_verified',
  phone: 'u.phone',
  pictureHash: 'u.picture_hash',
  profileUpdatedAt: 'u.profile_updated_at',
} satisfies Record<keyof ClaimsSubject, string>);

export const CLAIMS_SUBJECT_COLUMNS = CLAIMS_SUBJECT_FIELDS.map(
  ([field, column]) => `${column} as "${field}"`,
).join(', ');

/** SQL that converts a row with `CLAIMS_SUBJECT_COLUMNS` to JSON. Dates become strings. */
export const claimsSubjectJsonSql = (row: string): string =>
  `json_build_object(${CLAIMS_SUBJECT_FIELDS.map(([field]) => `'${field}', ${row}."${field}"`).join(', ')})`;

export interface UserForSignIn {
  userId: string;
  passwordHash: string | null;
  suspended: boolean;
  requiresTotp: boolean;
  knowsBrowser: boolean;
}

/** SQL condition: one of the identifiers belongs to a known browser (web/known-browsers.ts). */
const knowsBrowserSql = (identifiers: string): string =>
  `uuid_send(u.id) || int4send(u.browser_epoch) = any(${identifiers}::bytea[])`;

const findForSignIn = findHot<UserForSignIn, [userId: string, key: string, identifiers: readonly Buffer[]]>(
  'find_user_for_sign_in',
  `select u.id as "userId", u.password_hash as "passwordHash", u.suspended_at is not null as suspended,
    u.totp_secret is not null as "requiresTotp", ${knowsBrowserSql('$3')} as "knowsBrowser"
  from users u where u.id = $1::uuid and u.email_key = $2::text`,
);

/** Always runs two statements so that response times don't reveal whether an account exists. */
export const findUserForSignIn = async (
  database: Pick<Database, 'hotRead'>,
  email: string,
  identifiers: readonly Buffer[] = [],
): Promise<UserForSignIn | undefined> =>
  findForSignIn(
    database,
    (await findUserIdByEmailHot(database, email)) ?? NIL_USER_ID,
    emailKey(email),
    identifiers,
  );

export interface UserRow extends ClaimsSubject {
  isAdmin: boolean;
  suspended: boolean;
  invited: boolean;
  invitedAt: Date | null;
  createdAt: Date;
}

export const ACCOUNT_COLUMNS = `${CLAIMS_SUBJECT_COLUMNS}, u.is_admin as "isAdmin", u.suspended_at is not null as suspended, u.invited_at is not null as invited, u.invited_at as "invitedAt", u.created_at as "createdAt"`;

export const listUsers = findAll<UserRow>(
  'list_users',
  `select ${ACCOUNT_COLUMNS} from users u order by u.created_at, u.id`,
);

export const findUserByEmail = findByEmail(
  findOne<UserRow, [userId: string, key: string]>(
    'find_user_by_email',
    `select ${ACCOUNT_COLUMNS} from users u where u.id = $1::uuid and u.email_key = $2::text`,
  ),
);

/** Also ends all sessions and revokes all grants. */
export const setAccountPassword = hasRows<[userId: string, passwordHash: string]>(
  'set_account_password',
  `with cleared as (${clearPasswordFailuresSql('$1::uuid')})
  update users set password_hash = $2::text, epoch = epoch + 1 where id = $1::uuid returning id`,
);

/** Also ends all sessions and revokes all grants. */
export const invalidatePassword = execute<[userId: string, unusableHash: string]>(
  'invalidate_password',
  `with cleared as (${clearPasswordFailuresSql('$1::uuid')})
  update users set password_hash = case when password_hash is not null then $2::text end, epoch = epoch + 1
  where id = $1::uuid returning id`,
);

export const hasAdmin = hasRows('has_admin', 'select from users where is_admin limit 1');

export interface Profile {
  name: string;
  phone: string | null;
  /** Null means the browser's language. */
  locale: Locale | null;
}

/**
 * The `updated_at` claim changes only with the name or phone number.
 * @returns which fields changed, or undefined if there is no such account
 */
export const updateProfile = findOne<
  Record<'name' | 'phone' | 'language', boolean>,
  [userId: string, profile: Profile, now: Date]
>(
  'update_profile',
  `update users u set name = $2::text, phone = $3::text, locale = $4::text,
    profile_updated_at = case when (u.name, u.phone) is distinct from ($2::text, $3::text)
      then $5::timestamptz else u.profile_updated_at end
  from (select name, phone, locale from users where id = $1::uuid for update) before
  where u.id = $1::uuid
  returning before.name is distinct from u.name as name, before.phone is distinct from u.phone as phone,
    before.locale is distinct from u.locale as language`,
  (userId, { name, phone, locale }, now) => [userId, name, phone, locale, now],
);

export const lockUserPicture = findOne<{ hash: string | null }, [userId: string]>(
  'lock_user_picture',
  'select u.picture_hash as hash from users u where u.id = $1::uuid for no key update of u',
);

export const setUserPicture = hasRows<[userId: string, pictureHash: string | null, now: Date]>(
  'set_user_picture',
  `update users set picture_hash = $2::text, profile_updated_at = $3::timestamptz
  where id = $1::uuid and picture_hash is distinct from $2::text returning id`,
);

export const findBrowserEpoch = findValue<number, [userId: string]>(
  'find_browser_epoch',
  'select browser_epoch as "browserEpoch" from users where id = $1::uuid',
);

export const knowsBrowser = hasRows<[userId: string, identifiers: readonly Buffer[]]>(
  'knows_browser',
  `select 1 as one from users u where u.id = $1::uuid and ${knowsBrowserSql('$2')}`,
);

/**
 * Locks an account until the transaction ends. Read dependent data in a later statement, which sees changes committed
 * during the wait.
 */
export const lockUser = findOne<{ epoch: number; suspended: boolean }, [userId: string]>(
  'lock_user',
  `select u.epoch, u.suspended_at is not null as suspended from users u where u.id = $1::uuid
  for no key update of u`,
);

/** Makes all browsers unknown. The user is notified of the next sign-in in each of them. */
export const forgetKnownBrowsers = execute<[userId: string]>(
  'forget_known_browsers',
  'update users set browser_epoch = browser_epoch + 1 where id = $1::uuid',
);
