// Records the use of single-use tokens: form tokens and passkey challenges.
import type { Queryable } from './database.ts';
import { findValue, hasRows } from './query.ts';
import { statement } from './statement.ts';

export interface SingleUseToken {
  /** The account, or `NIL_USER_ID` for an anonymous form. */
  userId: string;
  key: Buffer;
  until: Date;
}

export interface SingleUseFormToken extends SingleUseToken {
  /**
   * 256 secret bits. New client secrets are derived from them, so submitting the form twice returns the same secret.
   */
  seed: Buffer;
}

/**
 * Records the use of a token. Call this function in the transaction that makes the changes. A concurrent call for the
 * same token waits for this transaction.
 * @returns false if the token was already used
 */
export const recordTokenUse = hasRows<[token: SingleUseToken]>(
  'record_token_use',
  `insert into used_tokens (user_id, key, expires_at) values ($1::uuid, $2::bytea, $3::timestamptz)
  on conflict (user_id, key) do nothing returning key`,
  ({ userId, key, until }) => [userId, key, until],
);

/** If the token was already used, locks the token's row, so that the stored result isn't pruned. */
const RECORD_FORM_USE = statement(
  'record_form_token_use',
  `insert into used_tokens (user_id, key, expires_at) values ($1::uuid, $2::bytea, $3::timestamptz)
  on conflict (user_id, key) do update set expires_at = used_tokens.expires_at returning result`,
);
const STORE_RESULT = statement(
  'store_token_result',
  'update used_tokens set result = $3::jsonb where user_id = $1::uuid and key = $2::bytea',
);

interface StoredResult<Result> {
  /** Milliseconds since 1970. */
  at: number;
  result: Result;
}

/** Finds the result of a token's first use, if the result is a string. */
export const findTokenResult = findValue<string, [token: SingleUseToken]>(
  'find_token_result',
  "select result ->> 'result' from used_tokens where user_id = $1::uuid and key = $2::bytea",
  ({ userId, key }) => [userId, key],
);

/**
 * Maximum time between two submissions that count as a double click, in milliseconds. The second response may also show
 * the new secret.
 */
const DOUBLE_CLICK_WINDOW = 60_000;

export interface OnceResult<Result> {
  result: Result;
  at: Date;
  isRepeat: boolean;
  /** Whether the page may show a new secret: on the first use, or after a double click. */
  canShowSecret: boolean;
}

/**
 * Runs `work` once per token. Later calls return the stored result of the first call.
 * @param work must return a result that can be serialized as JSON
 */
export async function runOnce<Result>(
  transaction: Queryable,
  token: SingleUseToken,
  now: Date,
  work: () => Promise<Result>,
): Promise<OnceResult<Result>> {
  const [row] = await transaction.query<{ result: StoredResult<Result> | null }>(RECORD_FORM_USE, [
    token.userId,
    token.key,
    token.until,
  ]);
  if (row?.result) {
    const { at, result } = row.result;
    return {
      result,
      at: new Date(at),
      isRepeat: true,
      canShowSecret: now.getTime() - at < DOUBLE_CLICK_WINDOW,
    };
  }
  const result = await work();
  await transaction.query(STORE_RESULT, [
    token.userId,
    token.key,
    JSON.stringify({ at: now.getTime(), result }),
  ]);
  return { result, at: now, isRepeat: false, canShowSecret: true };
}
