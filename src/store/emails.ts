// Which account has an email. Its key keeps emails unique, which `users` can't where it is distributed by id.
// Written in the transactions that write the account.
import { normalized, readEmail } from '../oauth/email.ts';
import type { Queryable } from './database.ts';
import { NO_USER } from './no-user.ts';
import { affects, execute, findHotValue, findValue } from './query.ts';

/** The form under which an email is unique: spellings that differ in case, or in how the domain is written, are one account. */
export const emailKey = (email: string): string => normalized(readEmail(email)).toLowerCase();

/**
 * Gives an email to an account. Simultaneous claims of one email wait for each other.
 * @returns false if an account has it
 */
export const claimEmail = affects<[email: string, userId: string]>(
  'claim_email',
  `insert into emails (email_key, user_id) values ($1::text, $2::uuid)
  on conflict (email_key) do nothing returning user_id`,
  (email, userId) => [emailKey(email), userId],
);

/** Makes an email available again. */
export const releaseEmail = execute<[key: string, userId: string]>(
  'release_email',
  'delete from emails where email_key = $1::text and user_id = $2::uuid',
);

const FIND_USER_ID = [
  'find_user_id_by_email',
  'select e.user_id from emails e where e.email_key = $1::text',
  (email: string) => [emailKey(email)],
] as const;

export const findUserId = findValue<string, [email: string]>(...FIND_USER_ID);

/** The same as a hot statement. */
export const findUserIdHot = findHotValue<string, [email: string]>(...FIND_USER_ID);

/**
 * Makes a function that finds an account by email of one that finds it by id and email key. It always runs two statements, so
 * its time doesn't reveal whether there is an account.
 */
export const byEmail =
  <Row>(find: (database: Queryable, userId: string, key: string) => Promise<Row | undefined>) =>
  async (database: Queryable, email: string): Promise<Row | undefined> =>
    find(database, (await findUserId(database, email)) ?? NO_USER, emailKey(email));
