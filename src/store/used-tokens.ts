// Records the use of single-use tokens, such as form tokens and passkey challenges.
import type { Database, Queryable } from './database.ts';
import { findValue, hasRows } from './query.ts';
import { statement } from './statement.ts';

export interface SingleUseToken {
  /** `NIL_USER_ID` for an anonymous user. */
  userId: string;
  key: Buffer;
  until: Date;
}

export interface SingleUseFormToken extends SingleUseToken {
  /**
   * 256 secret bits. New client secrets are derived from the seed so that a resubmitted form returns the same secret.
   */
  seed: Buffer;
}

const RECORD_TOKEN_USE_SQL = `insert into used_tokens (user_id, key, expires_at)
  values ($1::uuid, $2::bytea, $3::timestamptz)
  on conflict (user_id, key) do nothing returning key`;

/**
 * Must be called in the transaction that makes the changes. Concurrent calls for the same token wait for each other.
 * @returns false if the token was already used
 */
export const recordTokenUse = hasRows<[token: SingleUseToken]>(
  'record_token_use',
  RECORD_TOKEN_USE_SQL,
  ({ userId, key, until }) => [userId, key, until],
);

const RECORD_TOKEN_USE_BATCHED = statement('record_token_use_batched', RECORD_TOKEN_USE_SQL);

export const recordTokenUseBatched = async (
  database: Pick<Database, 'hotWrite'>,
  { userId, key, until }: SingleUseToken,
): Promise<boolean> => (await database.hotWrite(RECORD_TOKEN_USE_BATCHED, [userId, key, until])).length > 0;

/** If the token was already used, locks its row so that the stored result isn't pruned. */
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
  /** In milliseconds since 1970. */
  at: number;
  result: Result;
}

export const findTokenResult = findValue<string, [token: SingleUseToken]>(
  'find_token_result',
  "select result ->> 'result' from used_tokens where user_id = $1::uuid and key = $2::bytea",
  ({ userId, key }) => [userId, key],
);

/** A second submission within this many milliseconds is a double click. Its response may show the new secret. */
const DOUBLE_CLICK_WINDOW = 60_000;

export interface OnceResult<Result> {
  result: Result;
  at: Date;
  isRepeat: boolean;
  /** True on the first use and after a double click. */
  canShowSecret: boolean;
}

/**
 * Runs `work` once per token. Later calls return the stored result.
 * @param work must return a JSON value
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
