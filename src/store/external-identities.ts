// Links accounts to identities from identity providers.
// Accounts are found by issuer and subject, never by email address.
// On Citus, `external_identity_keys` keeps identities unique. Every change must update both tables.
import { hash } from 'node:crypto';
import type { ExternalIdentity } from '../oauth/identity-provider.ts';
import type { Queryable } from './database.ts';
import { MIN_SIGN_IN_METHODS, signInMethodCountSql } from './passwordless.ts';
import { execute, findAll, findHotValue, hasRows } from './query.ts';
import { lockUser } from './users.ts';

export interface LinkedIdentity extends ExternalIdentity {
  providerId: string;
  providerName: string;
  enabled: boolean;
  label: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

export interface NewIdentity extends ExternalIdentity {
  providerId: string;
  label: string;
}

export const identityKey = ({ issuer, subject }: ExternalIdentity): Buffer =>
  hash('sha256', JSON.stringify([issuer, subject]), 'buffer');

export const identityId = (identity: ExternalIdentity): string => identityKey(identity).toString('base64url');

const claimIdentity = hasRows<[identity: ExternalIdentity, userId: string]>(
  'claim_external_identity',
  `insert into external_identity_keys (identity_key, user_id) values ($1::bytea, $2::uuid)
  on conflict (identity_key) do nothing returning user_id`,
  (identity, userId) => [identityKey(identity), userId],
);

const insertIdentity = execute<[userId: string, identity: NewIdentity, now: Date]>(
  'insert_external_identity',
  `insert into external_identities (user_id, issuer, subject, provider_id, label, created_at)
  values ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::timestamptz)`,
  (userId, { issuer, subject, providerId, label }, now) => [userId, issuer, subject, providerId, label, now],
);

export async function linkIdentity(
  transaction: Queryable,
  userId: string,
  identity: NewIdentity,
  now: Date,
): Promise<boolean> {
  if (!(await claimIdentity(transaction, identity, userId))) return false;
  await insertIdentity(transaction, userId, identity, now);
  return true;
}

const releaseIdentity = execute<[identity: ExternalIdentity, userId: string]>(
  'release_external_identity',
  'delete from external_identity_keys where identity_key = $1::bytea and user_id = $2::uuid',
  (identity, userId) => [identityKey(identity), userId],
);

const deleteIdentity = hasRows<[userId: string, identity: ExternalIdentity]>(
  'delete_external_identity',
  `delete from external_identities where user_id = $1::uuid and issuer = $2::text and subject = $3::text
  returning user_id`,
  (userId, { issuer, subject }) => [userId, issuer, subject],
);

export async function unlinkIdentity(
  transaction: Queryable,
  userId: string,
  identity: ExternalIdentity,
): Promise<boolean> {
  // `unlinkProvider` deletes in the same order, which prevents deadlocks.
  const isDeleted = await deleteIdentity(transaction, userId, identity);
  await releaseIdentity(transaction, identity, userId);
  return isDeleted;
}

const hasOtherSignInMethods = hasRows<[userId: string]>(
  'has_other_sign_in_methods',
  `select u.id from users u where u.id = $1::uuid
    and (u.password_hash is not null or ${signInMethodCountSql('$1')} >= ${MIN_SIGN_IN_METHODS})`,
);

/**
 * Unlinks an identity at the user's request.
 * @returns `needed` if the account would have too few sign-in methods. The caller must then roll back.
 */
export async function unlinkIdentityOfUser(
  transaction: Queryable,
  userId: string,
  identity: ExternalIdentity,
): Promise<'unlinked' | 'notFound' | 'needed'> {
  // Serialize changes that depend on the number of sign-in methods.
  await lockUser(transaction, userId);
  if (!(await unlinkIdentity(transaction, userId, identity))) return 'notFound';
  return (await hasOtherSignInMethods(transaction, userId)) ? 'unlinked' : 'needed';
}

export const findUserIdByIdentity = findHotValue<string, [identity: ExternalIdentity]>(
  'find_user_id_by_external_identity',
  'select k.user_id from external_identity_keys k where k.identity_key = $1::bytea',
  (identity) => [identityKey(identity)],
);

export interface IdentityUse extends ExternalIdentity {
  providerId: string;
}

/** SQL that records the use of a linked identity. Returns no row if the identity, provider or account can't be used. */
export const useIdentitySql = (condition = ''): string => `update external_identities i
  set last_used_at = $now::timestamptz, provider_id = $providerId::text
  where i.user_id = $userId::uuid and i.issuer = $issuer::text and i.subject = $subject::text
    and exists (select from identity_providers p where p.provider_id = $providerId::text and p.disabled_at is null)
    and exists (select from users u where u.id = $userId::uuid and u.suspended_at is null ${condition})
  returning i.user_id as id`;

export const useIdentity = hasRows<[userId: string, identity: IdentityUse, now: Date]>(
  'use_external_identity',
  useIdentitySql(),
  (userId, { issuer, subject, providerId }, now) => ({ userId, issuer, subject, providerId, now }),
);

export const isLinkedTo = hasRows<[userId: string, identity: ExternalIdentity]>(
  'is_external_identity_linked_to',
  `select 1 as one from external_identities i
  where i.user_id = $1::uuid and i.issuer = $2::text and i.subject = $3::text`,
  (userId, { issuer, subject }) => [userId, issuer, subject],
);

export const listIdentities = findAll<LinkedIdentity, [userId: string]>(
  'list_external_identities',
  `select i.issuer, i.subject, i.provider_id as "providerId", coalesce(p.name, i.provider_id) as "providerName",
    p.provider_id is not null and p.disabled_at is null as enabled, i.label, i.created_at as "createdAt",
    i.last_used_at as "lastUsedAt"
  from external_identities i left join identity_providers p on p.provider_id = i.provider_id
  where i.user_id = $1::uuid order by i.created_at, i.issuer, i.subject`,
);

export async function unlinkAllIdentities(transaction: Queryable, userId: string): Promise<void> {
  for (const identity of await listIdentities(transaction, userId))
    await unlinkIdentity(transaction, userId, identity);
}
