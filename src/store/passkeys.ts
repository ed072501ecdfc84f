// The passkeys of accounts, by account and the id that their authenticator gave them.

import type { Database, Queryable } from './database.ts';
import { hasCode } from './passwordless.ts';
import { affects, execute } from './query.ts';
import { type OneUse, spendToken } from './spent-tokens.ts';
import { statement } from './statement.ts';
import { lockUser } from './users.ts';

export interface Passkey {
  credentialId: string;
  name: string;
  transports: string[];
  /** Whether it may be synced between devices; else it stays on the one that made it. */
  synced: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

export interface NewPasskey {
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  transports: readonly string[];
  synced: boolean;
  backedUp: boolean;
  aaguid: string;
}

const idOf = (credentialId: string): Buffer => Buffer.from(credentialId, 'base64url');

const COLUMNS = `p.credential_id as id, p.name, p.transports, p.synced, p.created_at as "createdAt",
  p.last_used_at as "lastUsedAt"`;

type Row = Omit<Passkey, 'credentialId'> & { id: Buffer };
const passkeyOf = <Columns extends Row>({ id, ...row }: Columns) => ({
  ...row,
  credentialId: id.toString('base64url'),
});

const LIST = statement(
  'list_passkeys',
  `select ${COLUMNS} from passkeys p where p.user_id = $1::uuid order by p.created_at, p.credential_id`,
);

export const listPasskeys = async (database: Queryable, userId: string): Promise<Passkey[]> =>
  (await database.query<Row>(LIST, [userId])).map(passkeyOf);

/** A passkey with all that it takes to check it. */
export interface CheckedPasskey extends Passkey {
  publicKey: Buffer;
  suspended: boolean;
}

const FIND = statement(
  'find_passkey',
  `select ${COLUMNS}, p.public_key as "publicKey", u.suspended_at is not null as suspended
  from passkeys p, users u where p.user_id = $1::uuid and p.credential_id = $2::bytea and u.id = $1::uuid`,
);

export async function findPasskey(
  database: Pick<Database, 'hotRead'>,
  userId: string,
  credentialId: string,
): Promise<CheckedPasskey | undefined> {
  const [row] = await database.hotRead<Row & Omit<CheckedPasskey, keyof Passkey>>(FIND, [
    userId,
    idOf(credentialId),
  ]);
  return row && passkeyOf(row);
}

const insert = affects<[userId: string, passkey: NewPasskey & { name: string }, most: number, now: Date]>(
  'insert_passkey',
  `insert into passkeys (user_id, credential_id, public_key, counter, transports, synced, backed_up, aaguid, name, created_at)
  select u.id, $id::bytea, $publicKey::bytea, $counter::bigint, $transports::text[], $synced::boolean,
    $backedUp::boolean, $aaguid::uuid, $name::text, $now::timestamptz
  from users u where u.id = $userId::uuid and u.passkey_count < $most::int
  on conflict (user_id, credential_id) do nothing returning 1 as one`,
  (userId, passkey, most, now) => ({ ...passkey, userId, id: idOf(passkey.credentialId), most, now }),
);
const countUp = execute<[userId: string]>(
  'count_passkey_up',
  'update users set passkey_count = passkey_count + 1 where id = $1::uuid',
);

/**
 * Adds a passkey to an account. Another account may have one with the same id (WebAuthn Level 3 §7.1 step 26 says SHOULD):
 * the two aren't confused, because the user handle finds them, too.
 * @returns false if the account has one with this id, or the maximum number
 */
export async function addPasskey(
  transaction: Queryable,
  userId: string,
  passkey: NewPasskey & { name: string },
  most: number,
  now: Date,
): Promise<boolean> {
  await lockUser(transaction, userId); // so that concurrent additions are counted
  if (!(await insert(transaction, userId, passkey, most, now))) return false;
  await countUp(transaction, userId);
  return true;
}

/** False where it had that name, or is none of the account's. */
export const renamePasskey = affects<[userId: string, credentialId: string, name: string]>(
  'rename_passkey',
  `update passkeys set name = $3::text where user_id = $1::uuid and credential_id = $2::bytea and name <> $3::text
  returning 1 as one`,
  (userId, credentialId, name) => [userId, idOf(credentialId), name],
);

// The account's row first: whatever depends on how many there are is decided by whoever holds it.
const COUNT_DOWN = statement(
  'count_passkey_down',
  `update users u set passkey_count = u.passkey_count - 1
  where u.id = $1::uuid and exists (select from passkeys p where p.user_id = $1::uuid and p.credential_id = $2::bytea)
    and (u.password_hash is not null or u.passkey_count > 2 or (u.passkey_count = 2 and ${hasCode('$1')}))
  returning u.id`,
);
const REMOVE = statement(
  'remove_passkey',
  'delete from passkeys where user_id = $1::uuid and credential_id = $2::bytea returning name',
);
// What stands in for a second factor goes with the last one.
const FORGET_CODES = statement(
  'forget_idle_recovery_codes',
  `delete from recovery_codes r using users u
  where r.user_id = $1::uuid and u.id = $1::uuid and u.passkey_count = 0 and u.totp_secret is null`,
);

/**
 * Deletes a passkey. @returns its name; undefined if it isn't the account's, or is one of the last two ways in of an
 * account without a password; `gone` if another transaction deleted it meanwhile: the caller has to roll back
 */
export async function removePasskey(
  transaction: Queryable,
  userId: string,
  credentialId: string,
): Promise<{ name: string } | 'gone' | undefined> {
  const values = [userId, idOf(credentialId)];
  if ((await transaction.query(COUNT_DOWN, values)).length === 0) return undefined;
  const [removed] = await transaction.query<{ name: string }>(REMOVE, values);
  if (removed === undefined) return 'gone';
  await transaction.query(FORGET_CODES, [userId]);
  return removed;
}

/** Uses a passkey, as part of a statement: its counter must grow, or stay 0 (WebAuthn Level 3 §7.2 step 22). */
export const USING_PASSKEY = `update passkeys p set counter = $counter::bigint, backed_up = $backedUp::boolean, last_used_at = $now::timestamptz
  where p.user_id = $userId::uuid and p.credential_id = $credentialId::bytea
    and ($counter::bigint > p.counter or ($counter::bigint = 0 and p.counter = 0))
  returning p.user_id as id`;

/** Spends the challenge if `used` returns the passkey; no row if it was spent before. */
export const SPENDING_CHALLENGE = `insert into spent_tokens (user_id, key, expires_at)
  select u.id, $challengeKey::bytea, $challengeUntil::timestamptz
  from users u where u.id = $userId::uuid and exists (select from used)
  on conflict (user_id, key) do nothing returning key`;

export interface PasskeyUse {
  credentialId: string;
  counter: number;
  backedUp: boolean;
  /** The challenge, which is spent together with the use. */
  challenge: OneUse;
}

/** The parameters of `USING_PASSKEY`, as the database takes them. */
export const valuesOfUse = ({ credentialId, counter, backedUp, challenge }: PasskeyUse) => ({
  credentialId: idOf(credentialId),
  counter,
  backedUp,
  challengeKey: challenge.key,
  challengeUntil: challenge.until,
});

const advance = affects<[userId: string, use: PasskeyUse, now: Date]>(
  'use_passkey',
  USING_PASSKEY,
  (userId, use, now) => ({ ...valuesOfUse(use), userId, now }),
);

/**
 * Uses a passkey and spends its challenge.
 * @returns false if its counter did not grow, it was deleted, or the challenge was spent before: the caller has to roll back
 */
export const usePasskey = async (
  transaction: Queryable,
  userId: string,
  use: PasskeyUse,
  now: Date,
): Promise<boolean> =>
  (await advance(transaction, userId, use, now)) && (await spendToken(transaction, use.challenge));

/** Whether a passkey has counted further than it says: there may be two of it. */
export const isPasskeyBehind = affects<[userId: string, use: PasskeyUse]>(
  'is_passkey_behind',
  `select 1 as one from passkeys p
  where p.user_id = $1::uuid and p.credential_id = $2::bytea and p.counter >= $3::bigint and p.counter > 0`,
  (userId, { credentialId, counter }) => [userId, idOf(credentialId), counter],
);

/** Takes the offer of a passkey to be made now, and not again until then. False where it is not its time. */
export const offerPasskey = affects<[userId: string, now: Date, again: Date]>(
  'offer_passkey',
  `update users set passkey_offer_at = $3::timestamptz
  where id = $1::uuid and passkey_count = 0 and (passkey_offer_at is null or passkey_offer_at <= $2::timestamptz)
  returning 1 as one`,
);

/** Whether it was made, not to be made again until a moment between these two. */
export const isPasskeyOffered = affects<[userId: string, from: Date, to: Date]>(
  'is_passkey_offered',
  `select 1 as one from users u
  where u.id = $1::uuid and u.passkey_count = 0 and u.passkey_offer_at between $2::timestamptz and $3::timestamptz`,
);

export const neverOfferPasskey = execute<[userId: string]>(
  'never_offer_passkey',
  `update users set passkey_offer_at = 'infinity' where id = $1::uuid`,
);
