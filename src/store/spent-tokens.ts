// Spent one-use tokens: CSRF tokens of forms that must not repeat, and challenges of passkeys.
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** A token that does its work once: its digest, and when it expires anyway. */
export interface OneUse {
  key: Buffer;
  until: Date;
}

const SPEND = statement(
  'spend_token',
  `insert into spent_tokens (key, expires_at) values ($1::bytea, $2::timestamptz)
  on conflict (key) do nothing returning key`,
);

/**
 * Spends a token in the transaction of its work. A concurrent use waits until that transaction ends.
 * @returns false if it was spent before
 */
export async function spendToken(transaction: Queryable, { key, until }: OneUse): Promise<boolean> {
  return (await transaction.query(SPEND, [key, until])).length === 1;
}

const KEEP_RESULT = statement(
  'keep_token_result',
  'update spent_tokens set result = $2::jsonb where key = $1::bytea',
);
const FIND_RESULT = statement('find_token_result', 'select result from spent_tokens where key = $1::bytea');

/**
 * Does work in a transaction, unless its token was spent before.
 * @param work gives a result that JSON can represent
 * @returns the result of the first use, and whether this is a later one
 */
export async function runOnce<Result>(
  transaction: Queryable,
  token: OneUse,
  work: () => Promise<Result>,
): Promise<{ again: boolean; result: Result }> {
  if (!(await spendToken(transaction, token)))
    return { again: true, result: (await findResult<Result>(transaction, token.key)) as Result };
  const result = await work();
  await transaction.query(KEEP_RESULT, [token.key, JSON.stringify(result)]);
  return { again: false, result };
}

/** The result of a token's first use; undefined if it wasn't used. */
export async function findResult<Result>(database: Queryable, key: Buffer): Promise<Result | undefined> {
  const [row] = await database.query<{ result: Result }>(FIND_RESULT, [key]);
  return row?.result ?? undefined;
}
