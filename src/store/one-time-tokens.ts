// What opens something once: links sent by mail, and codes to type. Only hashes of them are stored.
import type { Queryable } from './database.ts';
import { columnsOf, execute, findAll, findOne } from './query.ts';
import { lockUser } from './users.ts';

export type TokenKind =
  | 'verify_email'
  | 'change_email'
  | 'reset_password'
  | 'invitation'
  | 'not_me'
  | 'sign_in';

/** A mailed link as it came back: the account that it names, which its bearer may have chosen, and its hash, which decides. */
export interface MailedLink {
  userId: string;
  hash: Buffer;
}

export interface NewToken {
  hash: Buffer;
  kind: TokenKind;
  userId: string;
  email: string;
  /** Whether it dies with everything else of the account: at a change of password, at a suspension. */
  bound: boolean;
  /** Keyed: so few digits are found by trying. */
  codeHash: Buffer | undefined;
  detail: TokenDetail;
  expiresAt: Date;
}

export interface TokenDetail {
  /** What the mail told of. */
  notice?: string;
  /** When the session that did it started: what was added since then is removed when the mail is reported. */
  since?: string;
  /** Of a change of address: it was asked for in a browser that the account had not known for a day. */
  strange?: true;
  /** The mailbox that it was sent to was not verified, so somebody else may have signed up with it. */
  unverified?: true;
  /** Return target: a sealed authorization request, or a page of this service. */
  pending?: string | undefined;
  next?: string | undefined;
  /** The browser that alone may use it: the hash of its id. */
  browser?: string;
}

export interface LiveToken {
  kind: TokenKind;
  userId: string;
  email: string;
  detail: TokenDetail;
  createdAt: Date;
  name: string;
  /** The account's own address at this moment. */
  currentEmail: string;
  currentVerified: boolean;
  /** Whether the account has never had a password. */
  invited: boolean;
  userEpoch: number;
}

export const insertToken = execute<[token: NewToken, now: Date]>(
  'insert_one_time_token',
  `insert into one_time_tokens (user_id, hash, kind, email, user_epoch, code_hash, detail, created_at, expires_at)
  select u.id, $hash::bytea, $kind::text, $email::text, case when $bound::boolean then u.epoch end, $codeHash::bytea,
    $detail::jsonb, $now::timestamptz, $expiresAt::timestamptz
  from users u where u.id = $userId::uuid`,
  (token, now) => ({ ...token, codeHash: token.codeHash ?? null, detail: JSON.stringify(token.detail), now }),
);

/** When a token of an account counts; needs `one_time_tokens t`, `users u`, the account as `$1` and the time as `$3`. */
const LIVE = `t.user_id = $1::uuid and u.id = $1::uuid and t.used_at is null and t.expires_at > $3::timestamptz
  and u.suspended_at is null and (t.user_epoch is null or t.user_epoch = u.epoch)
  and (t.kind in ('change_email', 'not_me') or t.email = u.email)
  and (t.kind <> 'verify_email' or not u.email_verified)`;

const COLUMNS = `t.kind, t.user_id as "userId", t.email, t.detail, t.created_at as "createdAt", u.name,
  u.email as "currentEmail", u.email_verified as "currentVerified", u.invited_at is not null as invited, u.epoch as "userEpoch"`;

/** Looks at the token of a link without using it up: mail scanners open links, too. */
export const findToken = findOne<LiveToken, [link: MailedLink, kinds: readonly TokenKind[], now: Date]>(
  'find_one_time_token',
  `select ${COLUMNS} from one_time_tokens t, users u
  where t.hash = $4::bytea and t.kind = any ($2::text[]) and ${LIVE}`,
  ({ userId, hash }, kinds, now) => [userId, kinds, now, hash],
);

/** The token of a link that was used and has not expired yet, with the time of use. */
export const findUsedToken = findOne<
  LiveToken & { usedAt: Date },
  [link: MailedLink, kind: TokenKind, now: Date]
>(
  'find_used_one_time_token',
  `select ${COLUMNS}, t.used_at as "usedAt" from one_time_tokens t, users u
  where t.user_id = $1::uuid and u.id = $1::uuid and t.hash = $4::bytea and t.kind = $2::text
    and t.used_at is not null and t.expires_at > $3::timestamptz`,
  ({ userId, hash }, kind, now) => [userId, kind, now, hash],
);

/** Uses up the token of a link; of several that try at once one gets it. */
export const useToken = findOne<LiveToken, [link: MailedLink, kinds: readonly TokenKind[], now: Date]>(
  'use_one_time_token',
  `update one_time_tokens t set used_at = $3::timestamptz from users u
  where t.hash = $4::bytea and t.kind = any ($2::text[]) and ${LIVE} returning ${COLUMNS}`,
  ({ userId, hash }, kinds, now) => [userId, kinds, now, hash],
);

/** Locks the account of a bound token after its use. @returns false if the token has ended meanwhile */
export const lockTokenUser = async (
  transaction: Queryable,
  { userId, userEpoch }: Pick<LiveToken, 'userId' | 'userEpoch'>,
): Promise<boolean> => (await lockUser(transaction, userId))?.epoch === userEpoch;

/**
 * Locks a link and every report link of its account, in one order and before anything else, because using one ends others.
 * An unknown link locks nothing.
 */
export const holdNotices = execute<[link: MailedLink]>(
  'lock_notices_beside',
  `select t.hash from one_time_tokens t
  where t.user_id = $1::uuid and (t.hash = $2::bytea or t.kind = 'not_me' and exists (
    select from one_time_tokens o where o.user_id = $1::uuid and o.hash = $2::bytea))
  order by t.hash for no key update of t`,
  ({ userId, hash }) => [userId, hash],
);

/** The newest live token of a kind; needs the account as `$1`, the kind as `$2` and the browser as `$4`. */
const NEWEST_OF_KIND = `t.kind = $2::text
  and t.detail ->> 'browser' is not distinct from $4::text and ${LIVE} order by t.created_at desc, t.hash limit 1`;

/**
 * Uses up the newest token of a kind if a code is its own. How many codes may be tried is for the caller to bound.
 * @param browser the hash of the browser that the token is for, where it is for one
 * @returns the token; undefined if the code is wrong or there is no token
 */
export const tryCode = findOne<
  LiveToken,
  [userId: string, kind: TokenKind, codeHash: Buffer, now: Date, browser?: string]
>(
  'try_one_time_code',
  `update one_time_tokens t set used_at = $3::timestamptz from users u
  where t.hash = (select t.hash from one_time_tokens t, users u where ${NEWEST_OF_KIND})
    and t.code_hash = $5::bytea and ${LIVE}
  returning ${COLUMNS}`,
  (userId, kind, codeHash, now, browser) => [userId, kind, now, browser ?? null, codeHash],
);

/** The newest live token of a kind: what a person is waiting for. @param browser as for `tryCode` */
export const newestToken = findOne<LiveToken, [userId: string, kind: TokenKind, now: Date, browser?: string]>(
  'newest_one_time_token',
  `select ${COLUMNS} from one_time_tokens t, users u where ${NEWEST_OF_KIND}`,
  (userId, kind, now, browser) => [userId, kind, now, browser ?? null],
);

/** Takes back every token of a kind: a newer wish takes their place. */
export const forgetTokens = execute<[userId: string, kind: TokenKind]>(
  'forget_one_time_tokens',
  'delete from one_time_tokens where user_id = $1::uuid and kind = $2::text',
);

/** Deletes the report links of emails sent after a time, which may have gone to an intruder's mailbox. */
export const forgetLaterNotices = execute<[userId: string, after: Date]>(
  'forget_later_not_me',
  `delete from one_time_tokens where user_id = $1::uuid and kind = 'not_me' and created_at > $2::timestamptz`,
);

const listFormer = findAll<
  { hash: Buffer; createdAt: Date; lingers: boolean },
  [userId: string, email: string, now: Date]
>(
  'list_links_to_former_mailboxes',
  `select hash, created_at as "createdAt",
    coalesce(starts_with(detail ->> 'notice', 'email_change'), false) and detail ? 'strange' as lingers
  from one_time_tokens
  where user_id = $1::uuid and kind = 'not_me' and email <> $2::text and expires_at > $3::timestamptz`,
);
const shorten = execute<[userId: string, links: readonly { hash: Buffer; end: Date }[]]>(
  'shorten_one_time_tokens',
  `update one_time_tokens t set expires_at = least(t.expires_at, one.expires_at)
  from unnest($2::bytea[], $3::timestamptz[]) one (hash, expires_at) where t.user_id = $1::uuid and t.hash = one.hash`,
  (userId, links) => [userId, ...columnsOf(links, 'hash', 'end')],
);
const DAY = 86_400_000;

/**
 * Ends what was mailed to the former mailboxes of an account whose current one is verified. The link that reports a change of
 * email from an unknown browser lives for a day even so (ADR 9).
 */
export async function settleFormerMailboxes(
  transaction: Queryable,
  userId: string,
  email: string,
  now: Date,
): Promise<void> {
  const links = await listFormer(transaction, userId, email, now);
  const ended = links.map(({ hash, createdAt, lingers }) => ({
    hash,
    end: lingers ? new Date(createdAt.getTime() + DAY) : now,
  }));
  if (ended.length > 0) await shorten(transaction, userId, ended);
}
