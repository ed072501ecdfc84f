// Email outbox. Emails are queued in the transaction that triggers them.

import type { Queryable } from './database.ts';
import { execute, findAll, findOne } from './query.ts';
import { shuffle } from './shuffle.ts';

export interface EmailKey {
  userId: string;
  id: string;
}

export interface NewEmail extends EmailKey {
  /** Sealed because the email may contain a link or a code. */
  sealed: string;
  createdAt: Date;
  expiresAt: Date;
}

export const queueEmail = execute<[mail: NewEmail]>(
  'queue_email',
  `insert into outbox (user_id, id, sealed, created_at, expires_at, next_attempt_at)
  values ($1::uuid, $2::uuid, $3::text, $4::timestamptz, $5::timestamptz, $4::timestamptz)`,
  (mail) => [mail.userId, mail.id, mail.sealed, mail.createdAt, mail.expiresAt],
);

const listDueEmailKeys = findAll<EmailKey, [now: Date, limit: number]>(
  'find_due_emails',
  `select m.user_id as "userId", m.id from outbox m
  where m.next_attempt_at <= $1::timestamptz and m.expires_at > $1::timestamptz
  order by m.next_attempt_at, m.number limit $2::int`,
);

export const findDueEmails = async (database: Queryable, now: Date, limit: number): Promise<EmailKey[]> =>
  shuffle(await listDueEmailKeys(database, now, limit));

export interface ClaimedEmail extends NewEmail {
  attempts: number;
}

/** Leases a due email. Returns undefined if the email is already leased or sent, or has expired. */
export const claimEmailToSend = findOne<ClaimedEmail, [key: EmailKey, now: Date, leaseUntil: Date]>(
  'claim_email_to_send',
  `update outbox m set attempts = m.attempts + 1, next_attempt_at = $4::timestamptz
  where m.user_id = $1::uuid and m.id = $2::uuid and m.next_attempt_at <= $3::timestamptz
    and m.expires_at > $3::timestamptz
  returning m.user_id as "userId", m.id, m.sealed, m.created_at as "createdAt", m.expires_at as "expiresAt", m.attempts`,
  ({ userId, id }, now, leaseUntil) => [userId, id, now, leaseUntil],
);

export const postponeEmail = execute<[key: EmailKey, until: Date]>(
  'postpone_email',
  'update outbox set next_attempt_at = $3::timestamptz where user_id = $1::uuid and id = $2::uuid',
  ({ userId, id }, until) => [userId, id, until],
);

export const replaceEmail = execute<[key: EmailKey, sealed: string]>(
  'replace_email',
  'update outbox set sealed = $3::text where user_id = $1::uuid and id = $2::uuid',
  ({ userId, id }, sealed) => [userId, id, sealed],
);

export const deleteEmail = execute<[key: EmailKey]>(
  'delete_email',
  'delete from outbox where user_id = $1::uuid and id = $2::uuid',
  ({ userId, id }) => [userId, id],
);
