// Outbox: emails are written in the transaction that they tell of, and deleted when they are delivered.

import type { Queryable } from './database.ts';
import { shuffled } from './due.ts';
import { execute, findAll, findOne } from './query.ts';

export interface MailKey {
  /** The account that it concerns, or NO_USER. */
  userId: string;
  id: string;
}

export interface NewMail extends MailKey {
  /** The email, sealed because it may contain a link or a code. */
  sealed: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Writes an email, in the transaction that it tells of. */
export const insertMail = execute<[mail: NewMail]>(
  'insert_mail',
  `insert into mails (user_id, id, sealed, created_at, expires_at, next_attempt_at)
  values ($1::uuid, $2::uuid, $3::text, $4::timestamptz, $5::timestamptz, $4::timestamptz)`,
  (mail) => [mail.userId, mail.id, mail.sealed, mail.createdAt, mail.expiresAt],
);

const findDue = findAll<MailKey, [now: Date, limit: number]>(
  'find_due_mails',
  `select m.user_id as "userId", m.id from mails m
  where m.next_attempt_at <= $1::timestamptz and m.expires_at > $1::timestamptz
  order by m.next_attempt_at, m.number limit $2::int`,
);

/** Finds the emails that have waited longest, in random order. */
export const findDueMails = async (database: Queryable, now: Date, limit: number): Promise<MailKey[]> =>
  shuffled(await findDue(database, now, limit));

export interface DueMail extends NewMail {
  /** Including this attempt. */
  attempts: number;
}

/**
 * Claims a due email until `leaseUntil`, after which another process may send it.
 * @returns undefined if another process has claimed or sent it
 */
export const claimMail = findOne<DueMail, [key: MailKey, now: Date, leaseUntil: Date]>(
  'claim_mail',
  `update mails m set attempts = m.attempts + 1, next_attempt_at = $4::timestamptz
  where m.user_id = $1::uuid and m.id = $2::uuid and m.next_attempt_at <= $3::timestamptz
    and m.expires_at > $3::timestamptz
  returning m.user_id as "userId", m.id, m.sealed, m.created_at as "createdAt", m.expires_at as "expiresAt", m.attempts`,
  ({ userId, id }, now, leaseUntil) => [userId, id, now, leaseUntil],
);

/** Sets the time of the next attempt: after a failure, or while this process is still sending it. */
export const postponeMail = execute<[key: MailKey, until: Date]>(
  'postpone_mail',
  'update mails set next_attempt_at = $3::timestamptz where user_id = $1::uuid and id = $2::uuid',
  ({ userId, id }, until) => [userId, id, until],
);

/** Replaces a deferred email by the one that was written for it. */
export const replaceMail = execute<[key: MailKey, sealed: string]>(
  'replace_mail',
  'update mails set sealed = $3::text where user_id = $1::uuid and id = $2::uuid',
  ({ userId, id }, sealed) => [userId, id, sealed],
);

export const deleteMail = execute<[key: MailKey]>(
  'delete_mail',
  'delete from mails where user_id = $1::uuid and id = $2::uuid',
  ({ userId, id }) => [userId, id],
);
