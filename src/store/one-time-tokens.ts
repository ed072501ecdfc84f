// Links and codes sent by email, stored as hashes.
import type { Queryable } from './database.ts';
import { execute, findAll, findOne, toColumnArrays } from './query.ts';
import { lockUser } from './users.ts';

export type TokenKind =
  | 'verify_email'
  | 'change_email'
  | 'reset_password'
  | 'invitation'
  | 'report_activity'
  | 'sign_in';

/** `userId` is unverified. Only `hash` authenticates the user. */
export interface EmailedLink {
  userId: string;
  hash: Buffer;
}

export interface NewToken {
  hash: Buffer;
  kind: TokenKind;
  userId: string;
  email: string;
  /** Whether a new epoch, for example after a password change, invalidates the token. */
  endsWithEpoch: boolean;
  /** A keyed hash, because a plain hash of a short code could be brute-forced. */
  codeHash: Buffer | undefined;
  detail: TokenDetail;
  expiresAt: Date;
}

export interface TokenDetail {
  notice?: string;
  /** A report of unauthorized activity removes additions made after this time. */
  since?: string;
  /** Set if the email address was changed by an administrator or in a new browser. */
  fromNewBrowser?: true;
  /** Set if the email address was unverified when the link was sent. Someone else may have signed up with it. */
  unverified?: true;
  /** Return target: a sealed authorization request (`pending`) or a page (`next`). */
  pending?: string | undefined;
  next?: string | undefined;
  /** If set, only the browser with this hashed id may use the token. */
  browser?: string;
}

export interface LiveToken {
  kind: TokenKind;
  userId: string;
  email: string;
  detail: TokenDetail;
  createdAt: Date;
  name: string;
  currentEmail: string;
  currentVerified: boolean;
  invited: boolean;
  userEpoch: number;
}

export const insertToken = execute<[token: NewToken, now: Date]>(
  'insert_one_time_token',
  `insert into one_time_tokens (user_id, hash, kind, email, user_epoch, code_hash, detail, created_at, expires_at)
  select u.id, $hash::bytea, $kind::text, $email::text, case when $endsWithEpoch::boolean then u.epoch end, $codeHash::bytea,
    $detail::jsonb, $now::timestamptz, $expiresAt::timestamptz
  from users u where u.id = $userId::uuid`,
  (token, now) => ({ ...token, codeHash: token.codeHash ?? null, detail: JSON.stringify(token.detail), now }),
);

/** SQL condition: the token `t` is live. `$1` is the user's id, `$3` the time. */
const IS_TOKEN_LIVE_SQL = `t.user_id = $1::uuid and u.id = $1::uuid and t.used_at is null and t.expires_at > $3::timestamptz
  and u.suspended_at is null and (t.user_epoch is null or t.user_epoch = u.epoch)
  and (t.kind in ('change_email', 'report_activity') or t.email = u.email)
  and (t.kind <> 'verify_email' or not u.email_verified)`;

const COLUMNS = `t.kind, t.user_id as "userId", t.email, t.detail, t.created_at as "createdAt", u.name,
  u.email as "currentEmail", u.email_verified as "currentVerified", u.invited_at is not null as invited, u.epoch as "userEpoch"`;

/** Doesn't consume the token because mail scanners open links too. */
export const findToken = findOne<LiveToken, [link: EmailedLink, kinds: readonly TokenKind[], now: Date]>(
  'find_one_time_token',
  `select ${COLUMNS} from one_time_tokens t, users u
  where t.hash = $4::bytea and t.kind = any ($2::text[]) and ${IS_TOKEN_LIVE_SQL}`,
  ({ userId, hash }, kinds, now) => [userId, kinds, now, hash],
);

export const findUsedToken = findOne<
  LiveToken & { usedAt: Date },
  [link: EmailedLink, kind: TokenKind, now: Date]
>(
  'find_used_one_time_token',
  `select ${COLUMNS}, t.used_at as "usedAt" from one_time_tokens t, users u
  where t.user_id = $1::uuid and u.id = $1::uuid and t.hash = $4::bytea and t.kind = $2::text
    and t.used_at is not null and t.expires_at > $3::timestamptz`,
  ({ userId, hash }, kind, now) => [userId, kind, now, hash],
);

/** Consumes a token. Only one of several concurrent calls gets the token. */
export const useToken = findOne<LiveToken, [link: EmailedLink, kinds: readonly TokenKind[], now: Date]>(
  'use_one_time_token',
  `update one_time_tokens t set used_at = $3::timestamptz from users u
  where t.hash = $4::bytea and t.kind = any ($2::text[]) and ${IS_TOKEN_LIVE_SQL} returning ${COLUMNS}`,
  ({ userId, hash }, kinds, now) => [userId, kinds, now, hash],
);

/** Locks the token's account. Returns false if the account's epoch has changed. */
export const lockTokenUser = async (
  transaction: Queryable,
  { userId, userEpoch }: Pick<LiveToken, 'userId' | 'userEpoch'>,
): Promise<boolean> => (await lockUser(transaction, userId))?.epoch === userEpoch;

/**
 * Locks a link's token, and the account's report tokens, because they may be deleted when the link is used. Must be
 * called before taking any other lock.
 */
export const lockReportLinks = execute<[link: EmailedLink]>(
  'lock_report_links',
  `select t.hash from one_time_tokens t
  where t.user_id = $1::uuid and (t.hash = $2::bytea or t.kind = 'report_activity' and exists (
    select from one_time_tokens o where o.user_id = $1::uuid and o.hash = $2::bytea))
  order by t.hash for no key update of t`,
  ({ userId, hash }) => [userId, hash],
);

/** SQL for the newest live token `t` of a kind. `$1` is the user's id, `$2` the kind, `$4` the browser. */
const NEWEST_OF_KIND_SQL = `t.kind = $2::text
  and t.detail ->> 'browser' is not distinct from $4::text and ${IS_TOKEN_LIVE_SQL} order by t.created_at desc, t.hash limit 1`;

/**
 * Consumes the newest token of a kind if the code matches. The caller must limit attempts.
 * @param browser hashed id of the token's browser, if any
 * @returns undefined if the code is wrong or no token is live
 */
export const useCode = findOne<
  LiveToken,
  [userId: string, kind: TokenKind, codeHash: Buffer, now: Date, browser?: string]
>(
  'use_one_time_code',
  `update one_time_tokens t set used_at = $3::timestamptz from users u
  where t.hash = (select t.hash from one_time_tokens t, users u where ${NEWEST_OF_KIND_SQL})
    and t.code_hash = $5::bytea and ${IS_TOKEN_LIVE_SQL}
  returning ${COLUMNS}`,
  (userId, kind, codeHash, now, browser) => [userId, kind, now, browser ?? null, codeHash],
);

export const findNewestToken = findOne<
  LiveToken,
  [userId: string, kind: TokenKind, now: Date, browser?: string]
>(
  'find_newest_one_time_token',
  `select ${COLUMNS} from one_time_tokens t, users u where ${NEWEST_OF_KIND_SQL}`,
  (userId, kind, now, browser) => [userId, kind, now, browser ?? null],
);

export const deleteTokens = execute<[userId: string, kind: TokenKind]>(
  'delete_one_time_tokens',
  'delete from one_time_tokens where user_id = $1::uuid and kind = $2::text',
);

/** Deletes report links that an intruder may have received. */
export const deleteLaterReportLinks = execute<[userId: string, after: Date]>(
  'delete_later_report_links',
  `delete from one_time_tokens where user_id = $1::uuid and kind = 'report_activity' and created_at > $2::timestamptz`,
);

/**
 * Deletes report links that were sent to other email addresses.
 * @param keptAlert kind of alert whose links are kept
 */
export const deleteOtherReportLinks = execute<[userId: string, email: string, keptAlert: string]>(
  'delete_other_report_links',
  `delete from one_time_tokens where user_id = $1::uuid and kind = 'report_activity' and email <> $2::text
    and detail ->> 'notice' is distinct from $3::text`,
);

const listLinksToFormerEmails = findAll<
  { hash: Buffer; createdAt: Date; hasGracePeriod: boolean },
  [userId: string, email: string, now: Date]
>(
  'list_links_to_former_emails',
  `select hash, created_at as "createdAt",
    coalesce(starts_with(detail ->> 'notice', 'email_change'), false) and detail ? 'fromNewBrowser' as "hasGracePeriod"
  from one_time_tokens
  where user_id = $1::uuid and kind = 'report_activity' and email <> $2::text and expires_at > $3::timestamptz`,
);
const shortenLinkLifetimes = execute<[userId: string, links: readonly { hash: Buffer; expiresAt: Date }[]]>(
  'shorten_one_time_tokens',
  `update one_time_tokens t set expires_at = least(t.expires_at, l.expires_at)
  from unnest($2::bytea[], $3::timestamptz[]) l (hash, expires_at) where t.user_id = $1::uuid and t.hash = l.hash`,
  (userId, links) => [userId, ...toColumnArrays(links, 'hash', 'expiresAt')],
);
const MS_PER_DAY = 86_400_000;

/**
 * Expires report links sent to former email addresses. The current email address must be verified.
 * A link that reports an email address change made in a new browser stays valid for a day (ADR 9).
 */
export async function expireLinksToFormerEmails(
  transaction: Queryable,
  userId: string,
  email: string,
  now: Date,
): Promise<void> {
  const links = await listLinksToFormerEmails(transaction, userId, email, now);
  const shortened = links.map(({ hash, createdAt, hasGracePeriod }) => ({
    hash,
    expiresAt: hasGracePeriod ? new Date(createdAt.getTime() + MS_PER_DAY) : now,
  }));
  if (shortened.length > 0) await shortenLinkLifetimes(transaction, userId, shortened);
}
