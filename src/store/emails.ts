// Maps each email address to one account. Every change must also update `users`.
// On Citus, `users` can't have a unique index on the email address.
import { normalizeEmail, normalizeText } from '../oauth/email.ts';
import type { Queryable } from './database.ts';
import { NIL_USER_ID } from './nil-user-id.ts';
import { execute, findHotValue, findValue, hasRows } from './query.ts';

export const emailKey = (email: string): string => normalizeText(normalizeEmail(email)).toLowerCase();

/**
 * Concurrent calls for the same email address wait for each other.
 * @returns false if the email address is taken
 */
export const claimEmail = hasRows<[email: string, userId: string]>(
  'claim_email',
  `insert into emails (email_key, user_id) values ($1::text, $2::uuid)
  on conflict (email_key) do nothing returning user_id`,
  (email, userId) => [emailKey(email), userId],
);

export const releaseEmail = execute<[key: string, userId: string]>(
  'release_email',
  'delete from emails where email_key = $1::text and user_id = $2::uuid',
);

const FIND_USER_ID_BY_EMAIL = [
  'find_user_id_by_email',
  'select e.user_id from emails e where e.email_key = $1::text',
  (email: string) => [emailKey(email)],
] as const;

export const findUserIdByEmail = findValue<string, [email: string]>(...FIND_USER_ID_BY_EMAIL);

export const findUserIdByEmailHot = findHotValue<string, [email: string]>(...FIND_USER_ID_BY_EMAIL);

/** Always runs two statements so that response times don't reveal whether an account exists. */
export const findByEmail =
  <Row>(find: (database: Queryable, userId: string, key: string) => Promise<Row | undefined>) =>
  async (database: Queryable, email: string): Promise<Row | undefined> =>
    find(database, (await findUserIdByEmail(database, email)) ?? NIL_USER_ID, emailKey(email));
