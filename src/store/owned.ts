// What clients and APIs have in common as things that an account owns: statements that are the same for both tables.
import type { Queryable } from './database.ts';
import { type Statement, statement } from './statement.ts';

export type Kind = 'application' | 'api';

const TABLES = {
  application: {
    table: 'clients',
    id: 'client_id',
    hasSecrets: `o.type = 'confidential'`,
    // The epoch revokes all that a public client was given: no secret keeps the former owner from its refresh tokens.
    handover: `verified_at = null, backchannel_logout_uri = null,
      epoch = epoch + case type when 'public' then 1 else 0 end,`,
    suspending: 'epoch = epoch + 1,',
    deleted: `jsonb_build_object('name', name)`,
  },
  api: {
    table: 'apis',
    id: 'api_id',
    hasSecrets: 'true',
    handover: '',
    suspending: '',
    deleted: `jsonb_build_object('name', name, 'identifier', identifier)`,
  },
} as const;

type Table = (typeof TABLES)[Kind];

/** The same statement for clients and for APIs. The table is called `o` in it. */
export const forKinds = (name: string, text: (table: Table) => string): Record<Kind, Statement> => ({
  application: statement(`${name}_application`, text(TABLES.application)),
  api: statement(`${name}_api`, text(TABLES.api)),
});

const LOCK = forKinds(
  'lock',
  ({ table, id }) => `select o.${id} from ${table} o where o.${id} = $1::text for no key update of o`,
);

/** Locks a client or an API, whoever owns it, until the transaction ends. */
export async function lockThing(transaction: Queryable, kind: Kind, id: string): Promise<void> {
  await transaction.query(LOCK[kind], [id]);
}

const LOCK_SECRETS = forKinds(
  'lock_secrets_of',
  ({ table, id, hasSecrets }) => `select o.${id} from ${table} o
    where o.owner_id = $1::uuid and o.${id} = $2::text and ${hasSecrets} for no key update of o`,
);

/** Locks a client or an API before its secrets change. Returns false if it isn't the user's, or can't have secrets. */
export const lockForSecrets = async (
  transaction: Queryable,
  kind: Kind,
  ownerId: string,
  id: string,
): Promise<boolean> => (await transaction.query(LOCK_SECRETS[kind], [ownerId, id])).length === 1;

const FIND_OWN = forKinds(
  'owns',
  ({ table, id }) => `select o.${id} from ${table} o where o.owner_id = $1::uuid and o.${id} = $2::text`,
);

/** Whether a client or an API belongs to an account. */
export const isOwn = async (database: Queryable, kind: Kind, ownerId: string, id: string): Promise<boolean> =>
  (await database.query(FIND_OWN[kind], [ownerId, id])).length === 1;

const LOCK_OWNER = statement(
  'lock_owner',
  'select u.id from users u where u.id = $1::uuid and u.suspended_at is null for no key update of u',
);
const COUNT = forKinds(
  'count_own',
  ({ table }) => `select count(*)::int as number from ${table} o where o.owner_id = $1::uuid`,
);

/**
 * Counts what an account owns of a kind, for its quota. The account stays locked until the transaction ends, so that two
 * that add at the same time count each other.
 */
export async function countForAdding(transaction: Queryable, kind: Kind, ownerId: string): Promise<number> {
  await transaction.query(LOCK_OWNER, [ownerId]);
  const [row] = await transaction.query<{ number: number }>(COUNT[kind], [ownerId]);
  return row?.number ?? 0;
}

const CHANGE_OWNER = forKinds(
  'change_owner_of',
  ({ table, id, handover }) => `update ${table} set ${handover} owner_id = $3::uuid, jwks = null
    where ${id} = $1::text and owner_id = $2::uuid returning ${id}`,
);

/** Gives a client or an API to another account, without its former owner's keys. Returns false if `from` doesn't own it. */
export const changeOwner = async (
  transaction: Queryable,
  kind: Kind,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> => (await transaction.query(CHANGE_OWNER[kind], [id, from, to])).length === 1;

const DELETE = forKinds(
  'delete_own',
  ({
    table,
    id,
    deleted,
  }) => `delete from ${table} where owner_id = $1::uuid and ${id} = $2::text and name = $3::text
    returning ${deleted} as detail`,
);

/**
 * Deletes a client or an API of this name, and with it its codes, tokens, grants and secrets.
 * @returns what the audit log keeps of it, or undefined if it isn't the user's
 */
export async function deleteOwned(
  transaction: Queryable,
  kind: Kind,
  ownerId: string,
  id: string,
  name: string,
): Promise<Record<string, string> | undefined> {
  const [row] = await transaction.query<{ detail: Record<string, string> }>(DELETE[kind], [
    ownerId,
    id,
    name,
  ]);
  return row?.detail;
}
