// Mails on their way: written with what they tell of, taken by one process at a time, gone when they were delivered.
import { execute, findOne } from './query.ts';

export interface NewMail {
  id: string;
  /** The letter, sealed: it may open something. */
  sealed: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Puts a mail on its way, in the transaction of what it tells of. */
export const insertMail = execute<[mail: NewMail]>(
  'insert_mail',
  `insert into mails (id, sealed, created_at, expires_at, next_attempt_at)
  values ($1::uuid, $2::text, $3::timestamptz, $4::timestamptz, $3::timestamptz)`,
  (mail) => [mail.id, mail.sealed, mail.createdAt, mail.expiresAt],
);

export interface DueMail extends NewMail {
  /** How many times it was tried, this one included. */
  attempts: number;
}

/** Takes the mail that has waited longest; another process may have it after `leaseUntil`, should this one die on the way. */
export const claimMail = findOne<DueMail, [now: Date, leaseUntil: Date]>(
  'claim_mail',
  `with due as (
    select id from mails where next_attempt_at <= $1::timestamptz and expires_at > $1::timestamptz
    order by next_attempt_at, number limit 1 for update skip locked
  )
  update mails m set attempts = m.attempts + 1, next_attempt_at = $2::timestamptz
  from due where m.id = due.id
  returning m.id, m.sealed, m.created_at as "createdAt", m.expires_at as "expiresAt", m.attempts`,
);

/** Nobody tries before this: because it failed, or because this process is still at it. */
export const postponeMail = execute<[id: string, until: Date]>(
  'postpone_mail',
  'update mails set next_attempt_at = $2::timestamptz where id = $1::uuid',
);

/** Puts a letter in the place of what was only a wish for one. */
export const replaceMail = execute<[id: string, sealed: string]>(
  'replace_mail',
  'update mails set sealed = $2::text where id = $1::uuid',
);

export const deleteMail = execute<[id: string]>('delete_mail', 'delete from mails where id = $1::uuid');
