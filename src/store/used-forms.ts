// Forms that are good for one use, because their answer shows a secret or gives a code: which have been used.
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
  'update used_forms set answered_at = $2::timestamptz, epoch = $3::int where key = $1::bytea',
);

/** What a consent form was answered with: when its code was given, and what application and consent said together. */
export interface FormAnswer {
  answeredAt: Date;
  epoch: number;
}

/** Keeps what a form was answered with, in the transaction that uses it up. */
export async function answerForm(
  transaction: Queryable,
  key: Buffer,
  { answeredAt, epoch }: FormAnswer,
): Promise<void> {
  await transaction.query(ANSWER, [key, answeredAt, epoch]);
}

const FIND_ANSWER = statement(
  'find_form_answer',
  `select answered_at as "answeredAt", epoch from used_forms where key = $1::bytea and epoch is not null`,
);

/** What a used form was answered with; undefined when that came to nothing. */
export async function findFormAnswer(database: Queryable, key: Buffer): Promise<FormAnswer | undefined> {
  const [row] = await database.query<FormAnswer>(FIND_ANSWER, [key]);
  return row;
}
