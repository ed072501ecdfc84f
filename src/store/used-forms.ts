// Forms that have been used: those that are good for one use, because their answer shows a secret or gives a code, and for
// seconds all others, with what they were answered.
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

const USE = statement(
  'use_form',
  `insert into used_forms (key, expires_at) values ($1::bytea, $2::timestamptz)
  on conflict (key) do nothing returning key`,
);

/**
 * Uses a form up, in the transaction of what it does. Another use at the same time waits for this one's end.
 * @param until when it can no longer come in any case
 * @returns false when it was used before
 */
export async function useForm(transaction: Queryable, key: Buffer, until: Date): Promise<boolean> {
  return (await transaction.query(USE, [key, until])).length === 1;
}

const ANSWER = statement(
  'answer_form',
  'update used_forms set answered_at = $2::timestamptz, epoch = $3::int, answer = $4::text where key = $1::bytea',
);

/** The first answer to a consent form. */
export interface FormAnswer {
  /** When its code was issued. */
  answeredAt: Date;
  /** The epochs of client and consent together. */
  epoch: number;
  /** What was granted, as JSON. */
  granted: string;
}

/** Keeps what a form was answered with, in the transaction that uses it up. */
export async function answerForm(
  transaction: Queryable,
  key: Buffer,
  { answeredAt, epoch, granted }: FormAnswer,
): Promise<void> {
  await transaction.query(ANSWER, [key, answeredAt, epoch, granted]);
}

const FIND_ANSWER = statement(
  'find_form_answer',
  `select answered_at as "answeredAt", epoch, answer as granted from used_forms where key = $1::bytea and epoch is not null`,
);

/** What a used form was answered with; undefined when that came to nothing. */
export async function findFormAnswer(database: Queryable, key: Buffer): Promise<FormAnswer | undefined> {
  const [row] = await database.query<FormAnswer>(FIND_ANSWER, [key]);
  return row;
}

const CLAIM = statement(
  'claim_form',
  `insert into used_forms as f (key, expires_at) values ($1::bytea, $2::timestamptz)
  on conflict (key) do update set expires_at = excluded.expires_at, answer = null
  where f.expires_at <= $3::timestamptz
  returning key`,
);

/** Takes a form that was sent, to be the one that does what it asks for; false when somebody has taken it before. */
export async function claimForm(database: Queryable, key: Buffer, until: Date, now: Date): Promise<boolean> {
  return (await database.query(CLAIM, [key, until, now])).length === 1;
}

const KEEP_ANSWER = statement(
  'keep_form_answer',
  'update used_forms set answer = $2::text, expires_at = $3::timestamptz where key = $1::bytea',
);

/** Keeps the answer of a form that was taken, until then. */
export async function keepAnswer(
  database: Queryable,
  key: Buffer,
  answer: string,
  until: Date,
): Promise<void> {
  await database.query(KEEP_ANSWER, [key, answer, until]);
}

const KEEP_REFUSED = statement(
  'keep_refused_form',
  `insert into used_forms (key, expires_at, answer) values ($1::bytea, $2::timestamptz, $3::text)
  on conflict (key) do update set expires_at = excluded.expires_at, answer = excluded.answer`,
);

/** Keeps what a form was refused for, in place of what was kept under that key before. */
export async function keepRefused(
  database: Queryable,
  key: Buffer,
  sealed: string,
  until: Date,
): Promise<void> {
  await database.query(KEEP_REFUSED, [key, until, sealed]);
}

const RELEASE = statement('release_form', 'delete from used_forms where key = $1::bytea');

/** Lets go of a form that came to nothing: it can be sent again. */
export async function releaseForm(database: Queryable, key: Buffer): Promise<void> {
  await database.query(RELEASE, [key]);
}

const FIND_KEPT = statement(
  'find_kept_answer',
  'select answer from used_forms where key = $1::bytea and expires_at > $2::timestamptz',
);

/** The answer of a form that was taken: null while it is being made, undefined when there is none. */
export async function findKeptAnswer(
  database: Queryable,
  key: Buffer,
  now: Date,
): Promise<string | null | undefined> {
  const [row] = await database.query<{ answer: string | null }>(FIND_KEPT, [key, now]);
  return row?.answer;
}
