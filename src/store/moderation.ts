// What operators decide about accounts, applications and APIs. Each statement changes nothing where that is so already.
import type { Queryable } from './database.ts';
import { forKinds, type Kind } from './owned.ts';
import { forgettingGuesses } from './password-guesses.ts';
import { findOne, findValue } from './query.ts';
import { statement } from './statement.ts';

const LOCK_OPERATORS = statement(
  'lock_operators',
  `select u.id as "userId" from users u where u.operator and u.suspended_at is null
  order by u.id for no key update`,
);

/**
 * The operators who can act, held as they are until the end of the transaction: two of them who remove each other at
 * once would leave nobody.
 */
export async function lockOperators(transaction: Queryable): Promise<string[]> {
  return (await transaction.query<{ userId: string }>(LOCK_OPERATORS, [])).map(({ userId }) => userId);
}

/** What the log keeps of an account that may be gone afterwards. */
export type LockedAccount = { email: string; name: string; applications: number; apis: number };

/** One account, held until the end of the transaction. */
export const lockAccount = findOne<LockedAccount, [userId: string]>(
  'find_account_to_moderate',
  `select u.email, u.name, (select count(*)::int from clients c where c.owner_id = u.id) as applications,
    (select count(*)::int from apis a where a.owner_id = u.id) as apis
  from users u where u.id = $1::uuid for update of u`,
);

/** Every code, token and session of an account dies with its epoch; lifting a suspension brings none back. */
const ACCOUNT_CHANGES = {
  suspend: statement(
    'suspend_account',
    `update users set suspended_at = $2::timestamptz, epoch = epoch + 1
    where id = $1::uuid and suspended_at is null returning id`,
  ),
  unsuspend: statement(
    'unsuspend_account',
    'update users set suspended_at = null where id = $1::uuid and suspended_at is not null returning id',
  ),
  end: statement('end_account_access', 'update users set epoch = epoch + 1 where id = $1::uuid returning id'),
  grant: statement(
    'grant_operator',
    'update users set operator = true where id = $1::uuid and not operator returning id',
  ),
  revoke: statement(
    'revoke_operator',
    'update users set operator = false where id = $1::uuid and operator returning id',
  ),
  // Sessions, consents and applications go with it; grants die at once, and its picture is pruned.
  delete: statement(
    'delete_account',
    `with forgotten as (${forgettingGuesses('$1::uuid')}) delete from users where id = $1::uuid returning id`,
  ),
};
export type AccountAction = keyof typeof ACCOUNT_CHANGES;

/** Does it to an account; false when it is so already, or when there is no such account. */
export async function changeAccount(
  transaction: Queryable,
  action: AccountAction,
  userId: string,
  now: Date,
): Promise<boolean> {
  const values = action === 'suspend' ? [userId, now] : [userId];
  return (await transaction.query(ACCOUNT_CHANGES[action], values)).length === 1;
}

/** What administrators do to a client or an API. Only clients are verified. */
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

/** Does it. @returns the name of the client or API; undefined if it is so already, or isn't there */
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
