// Spent one-use tokens: CSRF tokens of forms that must not repeat, and challenges of passkeys.
import type { Queryable } from './database.ts';
import { affects, findValue } from './query.ts';
import { statement } from './statement.ts';

/** A token that does its work once: its digest, and when it expires anyway. */
export interface OneUse {
  /** The account that uses it; `NO_USER` if the form needs none. */
  userId: string;
  key: Buffer;
  until: Date;
}

/** The one-use token of a form that makes a secret. */
export interface OneUseForm extends OneUse {
  /** 256 secret bits of this form, so that a secret derived from them is the same if the form is sent twice. */
  seed: Buffer;
}

/**
 * Spends a token in the transaction of its work. A concurrent use waits until that transaction ends.
 * @returns false if it was spent before
 */
export const spendToken = affects<[token: OneUse]>(
  'spend_token',
  `insert into spent_tokens (user_id, key, expires_at) values ($1::uuid, $2::bytea, $3::timestamptz)
  on conflict (user_id, key) do nothing returning key`,
  ({ userId, key, until }) => [userId, key, until],
);

/** Locks the row of a token that was spent before, so that its result isn't pruned. */
const SPEND_FORM = statement(
  'spend_form_token',
  `insert into spent_tokens (user_id, key, expires_at) values ($1::uuid, $2::bytea, $3::timestamptz)
  on conflict (user_id, key) do update set expires_at = spent_tokens.expires_at returning result`,
);
const KEEP_RESULT = statement(
  'keep_token_result',
  'update spent_tokens set result = $3::jsonb where user_id = $1::uuid and key = $2::bytea',
);

interface Kept<Result> {
  /** Milliseconds since 1970. */
  at: number;
  result: Result;
}

/** The URL that the first use of a form led to, where that is its result. */
export const findDestination = findValue<string, [token: OneUse]>(
  'find_token_result',
  "select result ->> 'result' from spent_tokens where user_id = $1::uuid and key = $2::bytea",
  ({ userId, key }) => [userId, key],
);

/** Milliseconds in which a second use is a double click, so that it may be shown a new secret, too. */
const DOUBLE_CLICK = 60_000;

/** What a one-use token did. */
export interface Once<Result> {
  result: Result;
  /** When it was used first. */
  at: Date;
  /** Whether this is a later use. */
  again: boolean;
  /** Whether this is the first use or the second one of a double click. */
  mayShow: boolean;
}

/**
 * Does work in a transaction, unless its token was spent before: then gives the result of the first use.
 * @param work gives a result that JSON can represent
 */
export async function runOnce<Result>(
  transaction: Queryable,
  token: OneUse,
  now: Date,
  work: () => Promise<Result>,
): Promise<Once<Result>> {
  const [row] = await transaction.query<{ result: Kept<Result> | null }>(SPEND_FORM, [
    token.userId,
    token.key,
    token.until,
  ]);
  if (row?.result) {
    const { at, result } = row.result;
    return { result, at: new Date(at), again: true, mayShow: now.getTime() - at < DOUBLE_CLICK };
  }
  const result = await work();
  await transaction.query(KEEP_RESULT, [
    token.userId,
    token.key,
    JSON.stringify({ at: now.getTime(), result }),
  ]);
  return { result, at: now, again: false, mayShow: true };
}
