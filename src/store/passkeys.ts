// Adds, uses and removes passkeys, and schedules passkey offers.

import type { Database, Queryable } from './database.ts';
import { MIN_SIGN_IN_METHODS, signInMethodCountSql } from './passwordless.ts';
import { execute, hasRows } from './query.ts';
import { statement } from './statement.ts';
import { recordTokenUse, type SingleUseToken } from './used-tokens.ts';
import { lockUser } from './users.ts';

export interface Passkey {
  credentialId: string;
  name: string;
  transports: string[];
  /** Whether the passkey is backup eligible (can be synced). */
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

const decodeCredentialId = (credentialId: string): Buffer => Buffer.from(credentialId, 'base64url');

const COLUMNS = `p.credential_id as id, p.name, p.transports, p.synced, p.created_at as "createdAt",
  p.last_used_at as "lastUsedAt"`;

type Row = Omit<Passkey, 'credentialId'> & { id: Buffer };
const toPasskey = <Columns extends Row>({ id, ...row }: Columns) => ({
  ...row,
  credentialId: id.toString('base64url'),
});

const LIST_PASSKEYS = statement(
  'list_passkeys',
  `select ${COLUMNS} from passkeys p where p.user_id = $1::uuid order by p.created_at, p.credential_id`,
);

export const listPasskeys = async (database: Queryable, userId: string): Promise<Passkey[]> =>
  (await database.query<Row>(LIST_PASSKEYS, [userId])).map(toPasskey);

export interface VerifiablePasskey extends Passkey {
  publicKey: Buffer;
  suspended: boolean;
}

const FIND_PASSKEY = statement(
  'find_passkey',
  `select ${COLUMNS}, p.public_key as "publicKey", u.suspended_at is not null as suspended
  from passkeys p, users u where p.user_id = $1::uuid and p.credential_id = $2::bytea and u.id = $1::uuid`,
);

export async function findPasskey(
  database: Pick<Database, 'hotRead'>,
  userId: string,
  credentialId: string,
): Promise<VerifiablePasskey | undefined> {
  const [row] = await database.hotRead<Row & Omit<VerifiablePasskey, keyof Passkey>>(FIND_PASSKEY, [
    userId,
    decodeCredentialId(credentialId),
  ]);
  return row && toPasskey(row);
}

const insertPasskey = hasRows<
  [userId: string, passkey: NewPasskey & { name: string }, limit: number, now: Date]
>(
  'insert_passkey',
  `insert into passkeys (user_id, credential_id, public_key, counter, transports, synced, backed_up, aaguid, name, created_at)
  select u.id, $id::bytea, $publicKey::bytea, $counter::bigint, $transports::text[], $synced::boolean,
    $backedUp::boolean, $aaguid::uuid, $name::text, $now::timestamptz
  from users u where u.id = $userId::uuid and u.passkey_count < $limit::int
  on conflict (user_id, credential_id) do nothing returning 1 as one`,
  (userId, passkey, limit, now) => ({
    ...passkey,
    userId,
    id: decodeCredentialId(passkey.credentialId),
    limit,
    now,
  }),
);
const incrementPasskeyCount = execute<[userId: string]>(
  'count_passkey_up',
  'update users set passkey_count = passkey_count + 1 where id = $1::uuid',
);

/**
 * Passkey ids may repeat across accounts because lookups include the user handle (WebAuthn Level 3 §7.1 step 26).
 * @returns false if the account already has this passkey or the maximum number of passkeys
 */
export async function addPasskey(
  transaction: Queryable,
  userId: string,
  passkey: NewPasskey & { name: string },
  limit: number,
  now: Date,
): Promise<boolean> {
  await lockUser(transaction, userId);
  if (!(await insertPasskey(transaction, userId, passkey, limit, now))) return false;
  await incrementPasskeyCount(transaction, userId);
  return true;
}

export const renamePasskey = hasRows<[userId: string, credentialId: string, name: string]>(
  'rename_passkey',
  `update passkeys set name = $3::text where user_id = $1::uuid and credential_id = $2::bytea and name <> $3::text
  returning 1 as one`,
  (userId, credentialId, name) => [userId, decodeCredentialId(credentialId), name],
);

// Must run before the passkey is deleted. Locks the account to serialize changes of the passkey count.
const DECREMENT_PASSKEY_COUNT = statement(
  'count_passkey_down',
  `update users u set passkey_count = u.passkey_count - 1
  where u.id = $1::uuid and exists (select from passkeys p where p.user_id = $1::uuid and p.credential_id = $2::bytea)
    and (u.password_hash is not null or ${signInMethodCountSql('$1')} > ${MIN_SIGN_IN_METHODS})
  returning u.id`,
);
const DELETE_PASSKEY = statement(
  'remove_passkey',
  'delete from passkeys where user_id = $1::uuid and credential_id = $2::bytea returning name',
);
// Keeps the codes of an account without a password because they are one of its sign-in methods.
const DELETE_UNNEEDED_RECOVERY_CODES = statement(
  'delete_unneeded_recovery_codes',
  `delete from recovery_codes r using users u
  where r.user_id = $1::uuid and u.id = $1::uuid and u.passkey_count = 0 and u.totp_secret is null
    and u.password_hash is not null`,
);

/**
 * @returns the passkey's name.
 * - undefined: no such passkey, or the account would have too few sign-in methods.
 * - `notFound`: the passkey was deleted concurrently. The caller must then roll back.
 */
export async function removePasskey(
  transaction: Queryable,
  userId: string,
  credentialId: string,
): Promise<{ name: string } | 'notFound' | undefined> {
  const values = [userId, decodeCredentialId(credentialId)];
  if ((await transaction.query(DECREMENT_PASSKEY_COUNT, values)).length === 0) return undefined;
  const [removed] = await transaction.query<{ name: string }>(DELETE_PASSKEY, values);
  if (removed === undefined) return 'notFound';
  await transaction.query(DELETE_UNNEEDED_RECOVERY_CODES, [userId]);
  return removed;
}

/** SQL that records the use of a passkey. The counter must increase or stay 0 (WebAuthn Level 3 §7.2 step 22). */
export const USE_PASSKEY_SQL = `update passkeys p set counter = $counter::bigint, backed_up = $backedUp::boolean, last_used_at = $now::timestamptz
  where p.user_id = $userId::uuid and p.credential_id = $credentialId::bytea
    and ($counter::bigint > p.counter or ($counter::bigint = 0 and p.counter = 0))
  returning p.user_id as id`;

/** SQL that consumes a challenge if the CTE `used` has a row. Returns no row if the challenge was already consumed. */
export const USE_CHALLENGE_SQL = `insert into used_tokens (user_id, key, expires_at)
  select u.id, $challengeKey::bytea, $challengeUntil::timestamptz
  from users u where u.id = $userId::uuid and exists (select from used)
  on conflict (user_id, key) do nothing returning key`;

export interface PasskeyUse {
  credentialId: string;
  counter: number;
  backedUp: boolean;
  challenge: SingleUseToken;
}

export const toPasskeyUseValues = ({ credentialId, counter, backedUp, challenge }: PasskeyUse) => ({
  credentialId: decodeCredentialId(credentialId),
  counter,
  backedUp,
  challengeKey: challenge.key,
  challengeUntil: challenge.until,
});

const recordPasskeyUse = hasRows<[userId: string, use: PasskeyUse, now: Date]>(
  'use_passkey',
  USE_PASSKEY_SQL,
  (userId, use, now) => ({ ...toPasskeyUseValues(use), userId, now }),
);

/**
 * Records the use of a passkey and its challenge.
 * @returns false if the passkey or the challenge can't be used. The caller must then roll back.
 */
export const usePasskey = async (
  transaction: Queryable,
  userId: string,
  use: PasskeyUse,
  now: Date,
): Promise<boolean> =>
  (await recordPasskeyUse(transaction, userId, use, now)) &&
  (await recordTokenUse(transaction, use.challenge));

/** A counter that doesn't increase may indicate a cloned passkey. */
export const isPasskeyCounterStale = hasRows<[userId: string, use: PasskeyUse]>(
  'is_passkey_counter_behind',
  `select 1 as one from passkeys p
  where p.user_id = $1::uuid and p.credential_id = $2::bytea and p.counter >= $3::bigint and p.counter > 0`,
  (userId, { credentialId, counter }) => [userId, decodeCredentialId(credentialId), counter],
);

export const claimPasskeyOffer = hasRows<[userId: string, now: Date, nextOfferAt: Date]>(
  'claim_passkey_offer',
  `update users set passkey_offer_at = $3::timestamptz
  where id = $1::uuid and passkey_count = 0 and (passkey_offer_at is null or passkey_offer_at <= $2::timestamptz)
  returning 1 as one`,
);

export const isPasskeyOffered = hasRows<[userId: string, from: Date, to: Date]>(
  'is_passkey_offered',
  `select 1 as one from users u
  where u.id = $1::uuid and u.passkey_count = 0 and u.passkey_offer_at between $2::timestamptz and $3::timestamptz`,
);

export const disablePasskeyOffers = execute<[userId: string]>(
  'disable_passkey_offers',
  `update users set passkey_offer_at = 'infinity' where id = $1::uuid`,
);
