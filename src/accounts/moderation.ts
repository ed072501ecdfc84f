// What operators do about accounts, applications and APIs, and which of it not to their own account, from the console and the
// command line: decided and written down in one transaction.
import type { Announcement } from '../mail/letter.ts';
import type { MailParts } from '../mail/links.ts';
import { findContact, findContactOf } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { type AuditEvent, type EventKind, recordEvent } from '../store/events.ts';
import {
  ACCOUNT_CHANGES,
  type AccountAction,
  type ApplicationAction,
  changeThing,
  deleteAccount,
  type LockedAccount,
  lockAccount,
  lockOperator,
  lockOtherOperator,
} from '../store/moderation.ts';
import type { Kind } from '../store/owned.ts';
import { deleteReset } from '../store/second-factor-resets.ts';
import { holdAllChanges } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';
import { announce } from './notifications.ts';

/** Who decides: an operator in the console, or nobody's account, from the command line. */
export interface Moderator {
  userId?: string | undefined;
  address?: string | undefined;
  /** Why, in the operator's own words; kept in the log. */
  reason?: string | undefined;
}

/**
 * What became of it. `unchanged`: it was so already. `self`: operators cannot take away what they act by.
 * `lastOperator`: somebody must be left who can. `notOperator`: whoever asks is none any more.
 */
export type Moderated = 'done' | 'unchanged' | 'gone' | 'self' | 'lastOperator' | 'notOperator';

/** What the audit log records, and what the account's owner is notified of. */
const OUTCOMES: Record<AccountAction, { event: EventKind; announcement: Announcement }> = {
  suspend: { event: 'account_suspended', announcement: 'account_suspended' },
  unsuspend: { event: 'account_unsuspended', announcement: 'account_unsuspended' },
  end: { event: 'account_access_ended', announcement: 'access_ended' },
  grant: { event: 'operator_granted', announcement: 'operator_granted' },
  revoke: { event: 'operator_revoked', announcement: 'operator_revoked' },
  delete: { event: 'account_deleted', announcement: 'account_removed' },
};

/** After these an account cannot act as an operator any more. */
const DISARMING: readonly AccountAction[] = ['suspend', 'revoke', 'delete'];

/** These end every session of it. */
const ENDING: readonly AccountAction[] = ['suspend', 'end', 'delete'];

type Parts = Pick<MailParts, 'database'> & Partial<Pick<MailParts, 'mailer'>>;

/**
 * Does what an administrator decides about an account, unless it would leave the service without one, and notifies its
 * owner: not of who did it, or why.
 */
export async function moderateAccount(
  parts: Parts,
  action: AccountAction,
  userId: string,
  by: Moderator,
  now: Date,
): Promise<Moderated> {
  const outcome = await parts.database.transaction((transaction) =>
    moderateAccountWithin(parts, transaction, action, userId, by, now),
  );
  parts.mailer?.wake();
  return outcome;
}

/** The same in a transaction of the caller. */
export async function moderateAccountWithin(
  { mailer }: Pick<Parts, 'mailer'>,
  transaction: Queryable,
  action: AccountAction,
  userId: string,
  by: Moderator,
  now: Date,
): Promise<Moderated> {
  if (ENDING.includes(action)) await holdAllChanges(transaction, userId);
  if (!(await mayModerate(transaction, by, userId))) return 'notOperator';
  const account = await lockAccount(transaction, userId);
  if (account === undefined) return 'gone';
  if (DISARMING.includes(action) && userId === by.userId) return 'self';
  // The administrator who acts is left.
  const mayBeLast = by.userId === undefined && DISARMING.includes(action) && account.isActiveOperator;
  if (mayBeLast && !(await lockOtherOperator(transaction, userId))) return 'lastOperator';
  const mailbox = mailer && (await findContact(transaction, userId));
  if (!(await carryOut(transaction, action, { ...account, userId }, by, now))) return 'unchanged';
  const { announcement } = OUTCOMES[action];
  if (mailbox) await announce({ mailer }, mailbox, announcement, {}, now, transaction);
  return 'done';
}

/** Does it to a locked account, and writes it down with the applications and APIs that go with it; false: it is so already. */
export async function carryOut(
  transaction: Queryable,
  action: AccountAction,
  { userId, email, name }: LockedAccount & { userId: string },
  by: Moderator,
  now: Date,
): Promise<boolean> {
  if (ENDING.includes(action)) await endSessions(transaction, userId, now);
  if (action === 'delete') return deleteWithOwned(transaction, { userId, email, name }, by, now);
  if (!(await ACCOUNT_CHANGES[action](transaction, userId, now))) return false;
  // Whoever is suspended cannot stop it: it is asked for anew once that is over.
  if (action === 'suspend' && (await deleteReset(transaction, userId)))
    await recordModeration(transaction, 'second_factor_reset_stopped', { userId }, by, now);
  await recordModeration(transaction, OUTCOMES[action].event, { userId }, by, now, { email });
  return true;
}

async function deleteWithOwned(
  transaction: Queryable,
  { userId, ...account }: { userId: string; email: string; name: string },
  by: Moderator,
  now: Date,
): Promise<boolean> {
  const deleted = await deleteAccount(transaction, userId);
  if (deleted === undefined) return false;
  const { application: applications, api: apis } = deleted;
  for (const { id: clientId, name } of applications)
    await recordModeration(transaction, 'application_deleted', { clientId }, by, now, { name });
  for (const { id: apiId, name, identifier } of apis)
    await recordModeration(transaction, 'api_deleted', { apiId }, by, now, { name, identifier });
  const detail = { ...account, applications: applications.length, apis: apis.length };
  await recordModeration(transaction, OUTCOMES.delete.event, { userId }, by, now, detail);
  return true;
}

/** What administrators look after besides accounts. Agents are clients without an owner. */
export type ModeratedKind = Kind | 'agent';

function eventOf(kind: ModeratedKind, action: ApplicationAction): EventKind {
  if (kind === 'agent') return action === 'suspend' ? 'agent_blocked' : 'agent_unblocked';
  if (action === 'suspend') return `${kind}_suspended`;
  if (action === 'unsuspend') return `${kind}_unsuspended`;
  return action === 'verify' ? 'application_verified' : 'application_unverified';
}

/**
 * Does what an administrator decides about an application, an API or an agent. Its owner is notified, but of a
 * verification, which pages show.
 */
export async function moderateThing(
  { database, mailer }: Parts,
  kind: ModeratedKind,
  action: ApplicationAction,
  id: string,
  by: Moderator,
  now: Date,
): Promise<Moderated> {
  const outcome = await database.transaction(async (transaction) => {
    if (!(await mayModerate(transaction, by))) return 'notOperator';
    const table = kind === 'api' ? 'api' : 'application';
    const name = await changeThing(transaction, table, action, id, now);
    if (name === undefined) return 'unchanged';
    const of = kind === 'api' ? { apiId: id } : { clientId: id };
    // Agents are pruned, and then nothing else names them.
    await recordModeration(transaction, eventOf(kind, action), of, by, now, kind === 'agent' ? { name } : {});
    if (mailer === undefined || kind === 'agent' || action === 'verify' || action === 'unverify')
      return 'done';
    const contact = await findContactOf(transaction, kind, id);
    if (contact !== undefined)
      await announce(
        { mailer },
        contact,
        `${kind}_${action}ed`,
        { subject: contact.thing },
        now,
        transaction,
      );
    return 'done';
  });
  mailer?.wake();
  return outcome;
}

/**
 * Locks the administrator who acts until the transaction ends. Call it before anything else locks an account.
 * @param accountId the account that it is about, which the caller locks next. Accounts are locked in the order of their ids,
 *   so that two administrators can't wait for each other.
 * @returns whether they still are one; the command line always is
 */
export async function mayModerate(
  transaction: Queryable,
  { userId }: Moderator,
  accountId?: string,
): Promise<boolean> {
  if (userId === undefined) return true;
  if (accountId !== undefined && accountId < userId) await lockAccount(transaction, accountId);
  return lockOperator(transaction, userId);
}

/** Records an administrator's action in the audit log, with its reason. */
export const recordModeration = (
  transaction: Queryable,
  kind: EventKind,
  of: { userId: string } | { clientId: string } | { apiId: string },
  { userId: actorId, address, reason }: Moderator,
  now: Date,
  detail: AuditEvent['detail'] = {},
): Promise<void> =>
  recordEvent(
    transaction,
    { kind, actorId, ...of, address, detail: { ...detail, ...(reason !== undefined && { reason }) } },
    now,
  );
