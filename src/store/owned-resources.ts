// Statements shared by clients and APIs, the resources that accounts own.
import { accessDenied } from '../oauth/errors.ts';
import type { Queryable } from './database.ts';
import { count, execute, findAll, findOne, findValue, hasRows } from './query.ts';
import { lockUser } from './users.ts';

export type ResourceKind = 'application' | 'api';

const RESOURCE_TABLES = {
  application: {
    kind: 'application',
    table: 'clients',
    id: 'client_id',
    hasSecrets: `o.type = 'confidential'`,
    // Revoke a public client's tokens, which the former owner could still use.
    onTransfer: `verified_at = null, post_logout_redirect_uris = '{}', backchannel_logout_uri = null,
      epoch = epoch + case type when 'public' then 1 else 0 end,`,
    onSuspend: 'epoch = epoch + 1,',
    deletedColumns: 'name, logo',
  },
  api: {
    kind: 'api',
    table: 'apis',
    id: 'api_id',
    hasSecrets: 'true',
    onTransfer: '',
    onSuspend: '',
    deletedColumns: 'name, identifier',
  },
} as const;

type ResourceTable = (typeof RESOURCE_TABLES)[ResourceKind];

/** Defines one statement for clients and one for APIs. `kind` selects the statement. */
export function defineForResourceKinds<Arguments extends unknown[], Result>(
  make: (table: ResourceTable) => (database: Queryable, ...args: Arguments) => Promise<Result>,
) {
  const functions = { application: make(RESOURCE_TABLES.application), api: make(RESOURCE_TABLES.api) };
  return (database: Queryable, kind: ResourceKind, ...args: Arguments): Promise<Result> =>
    functions[kind](database, ...args);
}

/** `own` is true if the user `$1` is the owner. `isVisible` is also true for administrators. */
export const visibilitySql = (alias: string) => ({
  isVisible: `(${alias}.owner_id = $1::uuid or exists (select from users u where u.id = $1::uuid and u.is_admin))`,
  own: `${alias}.owner_id = $1::uuid as own`,
});

export const lockResource = defineForResourceKinds(({ kind, table, id }) =>
  execute<[id: string]>(
    `lock_${kind}`,
    `select o.${id} from ${table} o where o.${id} = $1::text for no key update of o`,
  ),
);

/** Returns the resource's name. Undefined if `ownerId` isn't the owner or the resource can't have secrets. */
export const lockResourceForSecrets = defineForResourceKinds(({ kind, table, id, hasSecrets }) =>
  findValue<string, [ownerId: string, id: string]>(
    `lock_secrets_of_${kind}`,
    `select o.name from ${table} o
    where o.owner_id = $1::uuid and o.${id} = $2::text and ${hasSecrets} for no key update of o`,
  ),
);

export const isOwner = defineForResourceKinds(({ kind, table, id }) =>
  hasRows<[ownerId: string, id: string]>(
    `owns_${kind}`,
    `select o.${id} from ${table} o where o.owner_id = $1::uuid and o.${id} = $2::text`,
  ),
);

const countOwnedResources = defineForResourceKinds(({ kind, table }) =>
  count<[ownerId: string]>(
    `count_own_${kind}`,
    `select count(*)::int from ${table} o where o.owner_id = $1::uuid`,
  ),
);

/**
 * Locks the owner's account so that a concurrent deletion waits.
 * @throws OAuthError `access_denied` if the account was deleted
 */
export async function lockOwner(transaction: Queryable, ownerId: string): Promise<void> {
  if ((await lockUser(transaction, ownerId)) === undefined) throw accessDenied('The account was deleted.');
}

/**
 * Locks the owner's account and counts its clients or APIs for the quota check.
 * @throws OAuthError `access_denied` if the account was deleted
 */
export async function lockOwnerAndCount(
  transaction: Queryable,
  kind: ResourceKind,
  ownerId: string,
): Promise<number> {
  await lockOwner(transaction, ownerId);
  return countOwnedResources(transaction, kind, ownerId);
}

/** Also removes the resource's keys. Returns false if `from` isn't the owner. */
export const changeOwner = defineForResourceKinds(({ kind, table, id, onTransfer }) =>
  hasRows<[id: string, owners: { from: string; to: string }]>(
    `change_owner_of_${kind}`,
    `update ${table} set ${onTransfer} owner_id = $3::uuid, jwks = null
    where ${id} = $1::text and owner_id = $2::uuid returning ${id}`,
    (resourceId, { from, to }) => [resourceId, from, to],
  ),
);

export interface DeletedResource {
  id: string;
  name: string;
  identifier?: string;
  logo?: string | null;
}

/**
 * Also revokes codes, tokens and grants.
 * @param name entered by the user as confirmation
 * @returns undefined if the owner or the name doesn't match
 */
export const deleteOwnedResource = defineForResourceKinds(({ kind, table, id, deletedColumns }) =>
  findOne<DeletedResource, [ownerId: string, id: string, name: string]>(
    `delete_own_${kind}`,
    `delete from ${table} where owner_id = $1::uuid and ${id} = $2::text and name = $3::text
    returning ${id} as id, ${deletedColumns}`,
  ),
);

/** The caller must lock the account first so that no client or API is added concurrently. */
export const deleteAllOwnedResources = defineForResourceKinds(({ kind, table, id, deletedColumns }) =>
  findAll<DeletedResource, [ownerId: string]>(
    `delete_all_own_${kind}`,
    `delete from ${table} where owner_id = $1::uuid returning ${id} as id, ${deletedColumns}`,
  ),
);
