// What an account is entered by and reached at: its mail address and its password.
import type { Locale } from '../i18n/index.ts';
import type { Queryable } from './database.ts';
import { forKinds } from './owned.ts';
import { RESETTABLE } from './passwordless.ts';
import { affects, execute, findOne } from './query.ts';
import { statement } from './statement.ts';
import { emailKey } from './users.ts';

/** Whom a mail goes to, and the language that the person chose, if any. */
export interface Mailbox {
  userId: string;
  name: string;
  email: string;
  locale: Locale | null;
  /** Whether its owner has answered from it: otherwise a stranger may have chosen both name and address. */
  emailVerified: boolean;
}

const COLUMNS = 'u.id as "userId", u.name, u.email, u.locale, u.email_verified as "emailVerified"';

export const findMailbox = findOne<Mailbox, [userId: string]>(
  'find_mailbox',
  `select ${COLUMNS} from users u where u.id = $1::uuid and u.suspended_at is null`,
);

/** The mailbox of an account, suspended or not: for what its owner is told of in any case. */
export const findContact = findOne<Mailbox, [userId: string]>(
  'find_contact',
  `select ${COLUMNS} from users u where u.id = $1::uuid`,
);

/** The mailbox of the owner of a client or an API, and its name. */
export const findContactOf = forKinds(({ kind, table, id }) =>
  findOne<Mailbox & { thing: string }, [id: string]>(
    `find_contact_of_${kind}`,
    `select ${COLUMNS}, o.name as thing from ${table} o join users u on u.id = o.owner_id where o.${id} = $1::text`,
  ),
);

/** The same by address, in any case; and whether the account has never had a password. */
export const findMailboxByEmail = findOne<Mailbox & { invited: boolean }, [email: string]>(
  'find_mailbox_by_email',
  `select ${COLUMNS}, u.invited_at is not null as invited from users u
  where u.email_key = $1::text and u.suspended_at is null`,
  (email) => [emailKey(email)],
);

/** Marks an address as verified, unless the account has another one by now. */
export const verifyEmail = affects<[userId: string, email: string, now: Date]>(
  'verify_email',
  `update users set email_verified = true,
    profile_updated_at = case when email_verified then profile_updated_at else $3::timestamptz end
  where id = $1::uuid and email = $2::text returning id`,
);

const CHANGE_EMAIL = statement(
  'change_email',
  `update users set email = $2::text, email_key = $3::text, email_verified = true,
    profile_updated_at = $4::timestamptz
  where id = $1::uuid returning id`,
);

/**
 * Gives an account another, verified address; its sessions and grants go on.
 * @returns false when another account has it: the transaction that this runs in has failed then
 */
export async function changeEmail(
  database: Queryable,
  userId: string,
  email: string,
  now: Date,
): Promise<boolean> {
  try {
    return (await database.query(CHANGE_EMAIL, [userId, email, emailKey(email), now])).length === 1;
  } catch (error) {
    // 23505 unique_violation: the one rule that holds, whoever comes at the same time.
    if ((error as { code?: unknown }).code === '23505') return false;
    throw error;
  }
}

/** Changes a password that was just verified: false when it was changed meanwhile. Ends all that D28 says. */
export const replacePassword = affects<[userId: string, present: string, next: string]>(
  'replace_password',
  `update users set password_hash = $3::text, epoch = epoch + 1
  where id = $1::uuid and password_hash = $2::text and suspended_at is null returning id`,
);

/** Whoever the account is for has just chosen its password: an invitation is answered by it, too. */
export const notePassword = execute<[userId: string, now: Date]>(
  'note_password',
  'update users set password_chosen_at = $2::timestamptz, invited_at = null where id = $1::uuid',
);

const FIND_PASSWORD_CHOSEN = statement(
  'find_password_chosen',
  'select u.password_chosen_at as "chosenAt" from users u where u.id = $1::uuid',
);

/** When the password of an account was chosen; null where that is not known. */
export async function findPasswordChosen(database: Queryable, userId: string): Promise<Date | null> {
  const [row] = await database.query<{ chosenAt: Date | null }>(FIND_PASSWORD_CHOSEN, [userId]);
  return row?.chosenAt ?? null;
}

export interface HeldMailbox extends Mailbox {
  invited: boolean;
  suspended: boolean;
  /** Whether a link may set its password. */
  resettable: boolean;
}

/** The mailbox of an account, held as it is until the end of the transaction. */
export const holdMailbox = findOne<HeldMailbox, [userId: string]>(
  'hold_mailbox',
  `select ${COLUMNS}, u.invited_at is not null as invited, u.suspended_at is not null as suspended,
    ${RESETTABLE} as resettable
  from users u where u.id = $1::uuid for no key update of u`,
);
