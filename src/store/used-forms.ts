// Forms that are good for one use, because their answer shows a secret: which have been used.
import { type Queryable, statement } from './database.ts';

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
