// What clients and APIs have in common as things that an account owns: statements that are the same for both tables.
import { accessDenied } from '../oauth/errors.ts';
import type { Queryable } from './database.ts';
import { affects, count, execute, findAll, findOne, findValue } from './query.ts';
import { lockUser } from './users.ts';

export type Kind = 'application' | 'api';

const TABLES = {
  application: {
    kind: 'application',
    table: 'clients',
    id: 'client_id',
    hasSecrets: `o.type = 'confidential'`,
    // The epoch revokes all that a public client was given: no secret keeps the former owner from its refresh tokens.
    handover: `verified_at = null, post_logout_redirect_uris = '{}', backchannel_logout_uri = null,
      epoch = epoch + case type when 'public' then 1 else 0 end,`,
    suspending: 'epoch = epoch + 1,',
    deleted: 'name, logo',
  },
  api: {
    kind: 'api',
    table: 'apis',
    id: 'api_id',
    hasSecrets: 'true',
    handover: '',
    suspending: '',
    deleted: 'name, identifier',
  },
} as const;

type Table = (typeof TABLES)[Kind];

/** Makes a store function that takes the kind before its other arguments. The table is called `o` in its statement. */
export function forKinds<Arguments extends unknown[], Result>(
  make: (table: Table) => (database: Queryable, ...given: Arguments) => Promise<Result>,
) {
  const made = { application: make(TABLES.application), api: make(TABLES.api) };
  return (database: Queryable, kind: Kind, ...given: Arguments): Promise<Result> =>
    made[kind](database, ...given);
}

/** The condition that `$1` owns a client or an API, or is an administrator; and whether it is the owner. */
export const visibleTo = (of: string) => ({
  isVisible: `(${of}.owner_id = $1::uuid or exists (select from users u where u.id = $1::uuid and u.operator))`,
  own: `${of}.owner_id = $1::uuid as own`,
});

/** Locks a client or an API, whoever owns it, until the transaction ends. */
export const lockThing = forKinds(({ kind, table, id }) =>
  execute<[id: string]>(
    `lock_${kind}`,
    `select o.${id} from ${table} o where o.${id} = $1::text for no key update of o`,
  ),
);

/** Locks a client or an API before its secrets change. Returns its name, if it is the user's and can have secrets. */
export const lockForSecrets = forKinds(({ kind, table, id, hasSecrets }) =>
  findValue<string, [ownerId: string, id: string]>(
    `lock_secrets_of_${kind}`,
    `select o.name from ${table} o
    where o.owner_id = $1::uuid and o.${id} = $2::text and ${hasSecrets} for no key update of o`,
  ),
);

/** Whether a client or an API belongs to an account. */
export const isOwn = forKinds(({ kind, table, id }) =>
  affects<[ownerId: string, id: string]>(
    `owns_${kind}`,
    `select o.${id} from ${table} o where o.owner_id = $1::uuid and o.${id} = $2::text`,
  ),
);

const countOwn = forKinds(({ kind, table }) =>
  count<[ownerId: string]>(
    `count_own_${kind}`,
    `select count(*)::int from ${table} o where o.owner_id = $1::uuid`,
  ),
);

/**
 * Locks an account until the transaction ends, to give it a client or an API: nothing is left behind by a deletion.
 * @throws OAuthError `access_denied` if the account was deleted
 */
export async function lockOwner(transaction: Queryable, ownerId: string): Promise<void> {
  if ((await lockUser(transaction, ownerId)) === undefined) throw accessDenied('The account was deleted.');
}

/**
 * Counts what an account owns of a kind, for its quota, and locks the account until the transaction ends.
 * @throws OAuthError `access_denied` if the account was deleted
 */
export async function countForAdding(transaction: Queryable, kind: Kind, ownerId: string): Promise<number> {
  await lockOwner(transaction, ownerId);
  return countOwn(transaction, kind, ownerId);
}

/** Gives a client or an API to another account, without its former owner's keys. Returns false if `from` doesn't own it. */
export const changeOwner = forKinds(({ kind, table, id, handover }) =>
  affects<[id: string, owners: { from: string; to: string }]>(
    `change_owner_of_${kind}`,
    `update ${table} set ${handover} owner_id = $3::uuid, jwks = null
    where ${id} = $1::text and owner_id = $2::uuid returning ${id}`,
    (of, { from, to }) => [of, from, to],
  ),
);

/** What was deleted: the identifier of an API, the logo of a client. */
export interface Deleted {
  id: string;
  name: string;
  identifier?: string;
  logo?: string | null;
}

/**
 * Deletes a client or an API of this name, and with it its codes, tokens, grants and secrets.
 * @returns undefined if it isn't the user's
 */
export const deleteOwned = forKinds(({ kind, table, id, deleted }) =>
  findOne<Deleted, [ownerId: string, id: string, name: string]>(
    `delete_own_${kind}`,
    `delete from ${table} where owner_id = $1::uuid and ${id} = $2::text and name = $3::text
    returning ${id} as id, ${deleted}`,
  ),
);

/** The same for all of a kind that an account owns. Lock the account first, so that none is added. */
export const deleteAllOwned = forKinds(({ kind, table, id, deleted }) =>
  findAll<Deleted, [ownerId: string]>(
    `delete_all_own_${kind}`,
    `delete from ${table} where owner_id = $1::uuid returning ${id} as id, ${deleted}`,
  ),
);
