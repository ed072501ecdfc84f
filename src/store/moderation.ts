// What administrators decide about accounts, clients and APIs.
import type { Database, Queryable } from './database.ts';
import { releaseEmail } from './emails.ts';
import { recordEvent } from './events.ts';
import { type Deleted, deleteAllOwned, forKinds, type Kind } from './owned.ts';
import { forgettingGuesses } from './password-guesses.ts';
import { deletePicture } from './pictures.ts';
import { affects, count, execute, findAll, findOne, findValue } from './query.ts';
import { forgetRecipient } from './transfer-offers.ts';

const listOperators = findAll<{ userId: string }>(
  'list_operators',
  'select u.id as "userId" from users u where u.operator and u.suspended_at is null order by u.id',
);

/** Locks an account until the transaction ends, if it is an active administrator. Returns false if it isn't. */
export const lockOperator = affects<[userId: string]>(
  'lock_operator',
  `select u.id from users u where u.id = $1::uuid and u.operator and u.suspended_at is null for no key update`,
);

/**
 * Locks an active administrator other than this locked one until the transaction ends, so that one is left. Returns false if
 * there is none. Two administrators who remove each other meet a deadlock, after which one finds no other.
 */
export async function lockOtherOperator(transaction: Queryable, userId: string): Promise<boolean> {
  for (const other of await listOperators(transaction))
    if (other.userId !== userId && (await lockOperator(transaction, other.userId))) return true;
  return false;
}

export interface LockedAccount {
  email: string;
  name: string;
  emailVerified: boolean;
  suspended: boolean;
  isActiveOperator: boolean;
  /** Whether nothing depends on it: no application knows it, and it owns and administers nothing. */
  replaceable: boolean;
}

/** Locks an account until the transaction ends. */
export const lockAccount = findOne<LockedAccount, [userId: string]>(
  'lock_account',
  `select u.email, u.name, u.email_verified as "emailVerified", u.suspended_at is not null as suspended,
    u.operator and u.suspended_at is null as "isActiveOperator",
    u.invited_at is null and not u.operator
      and not exists (select from clients c where c.owner_id = $1::uuid)
      and not exists (select from apis a where a.owner_id = $1::uuid)
      and not exists (select from consents k where k.user_id = $1::uuid) as replaceable
  from users u where u.id = $1::uuid for update of u`,
);

const changing = (name: string, change: string, condition: string) =>
  affects<[userId: string, now: Date]>(
    name,
    `update users set ${change} where id = $userId::uuid and ${condition} returning id`,
    (userId, now) => ({ userId, now }),
  );

const deleteUser = findOne<{ emailKey: string; pictureHash: string | null }, [userId: string]>(
  'delete_account',
  `with forgotten as (${forgettingGuesses('$1::uuid')})
  delete from users where id = $1::uuid returning email_key as "emailKey", picture_hash as "pictureHash"`,
);

/**
 * Deletes a locked account. Sessions, consents and the like are deleted by their foreign keys; grants are dead at once,
 * and pruned.
 * @returns the clients and APIs that were deleted with it; undefined if there is no account
 */
export async function deleteAccount(
  transaction: Queryable,
  userId: string,
): Promise<Record<Kind, Deleted[]> | undefined> {
  const application = await deleteAllOwned(transaction, 'application', userId);
  const api = await deleteAllOwned(transaction, 'api', userId);
  await forgetRecipient(transaction, userId);
  const account = await deleteUser(transaction, userId);
  if (account === undefined) return undefined;
  await releaseEmail(transaction, account.emailKey, userId);
  for (const hash of [account.pictureHash, ...application.map(({ logo }) => logo)])
    if (hash) await deletePicture(transaction, hash);
  return { application, api };
}

/**
 * Each returns false if there is nothing to change. The codes, tokens and sessions of an account end with its epoch, and
 * stay dead when a suspension is lifted.
 */
export const ACCOUNT_CHANGES = {
  suspend: changing(
    'suspend_account',
    'suspended_at = $now::timestamptz, epoch = epoch + 1',
    'suspended_at is null',
  ),
  unsuspend: changing('unsuspend_account', 'suspended_at = null', 'suspended_at is not null'),
  end: changing('end_account_access', 'epoch = epoch + 1', 'true'),
  grant: changing('grant_operator', 'operator = true', 'not operator'),
  revoke: changing('revoke_operator', 'operator = false', 'operator'),
};
export type AccountAction = keyof typeof ACCOUNT_CHANGES | 'delete';

/** Each returns the name of the client or API, or undefined if there is nothing to change. */
const CHANGES = {
  // The codes and tokens of a suspended client stay dead when the suspension is lifted, because its epoch changes.
  suspend: forKinds(({ kind, table, id, suspending }) =>
    findValue<string, [id: string, now: Date]>(
      `suspend_${kind}`,
      `update ${table} set ${suspending} suspended_at = $2::timestamptz
      where ${id} = $1::text and suspended_at is null returning name`,
    ),
  ),
  unsuspend: forKinds(({ kind, table, id }) =>
    findValue<string, [id: string, now: Date]>(
      `unsuspend_${kind}`,
      `update ${table} set suspended_at = null where ${id} = $1::text and suspended_at is not null returning name`,
      (of) => [of],
    ),
  ),
};
/** Only clients are verified. */
const VERIFICATIONS = {
  verify: findValue<string, [id: string, now: Date]>(
    'verify_client',
    `update clients set verified_at = $2::timestamptz where client_id = $1::text and verified_at is null
    returning name`,
  ),
  unverify: findValue<string, [id: string, now: Date]>(
    'unverify_client',
    `update clients set verified_at = null where client_id = $1::text and verified_at is not null
    returning name`,
    (id) => [id],
  ),
};
export type ApiAction = keyof typeof CHANGES;
export type ApplicationAction = ApiAction | keyof typeof VERIFICATIONS;

/** Does it. @returns the name of the client or API; undefined if there is nothing to change */
export const changeThing = (
  transaction: Queryable,
  kind: Kind,
  action: ApplicationAction,
  id: string,
  now: Date,
): Promise<string | undefined> =>
  action === 'verify' || action === 'unverify'
    ? VERIFICATIONS[action](transaction, id, now)
    : CHANGES[action](transaction, kind, id, now);

// Set here too, because behind a pooler the connection's own limit is that of the role.
const disableTimeout = execute('no_timeout', 'set local statement_timeout to 0');
const endClients = execute('end_clients', 'update clients set epoch = epoch + 1');
const endAccounts = count(
  'end_accounts',
  `with ended as (update users set epoch = epoch + 1 returning 1)
  select count(*)::int as accounts from ended`,
);

/**
 * Ends every session, code and token of every account and client, however long that takes.
 * @returns the number of accounts
 */
export const endEverything = (database: Database, now: Date): Promise<number> =>
  database.transaction(async (transaction) => {
    await disableTimeout(transaction);
    await endClients(transaction);
    const accounts = await endAccounts(transaction);
    await recordEvent(transaction, { kind: 'everything_ended', detail: { accounts } }, now);
    return accounts;
  });
