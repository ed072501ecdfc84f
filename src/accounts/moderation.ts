// What operators do about accounts, applications and APIs, and which of it not to their own account, from the console and the
// command line: decided and written down in one transaction.
import type { Announcement } from '../mail/letter.ts';
import type { MailParts } from '../mail/links.ts';
import { findContact, findContactOf } from '../store/credentials.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type AuditEvent, type EventKind, recordEvent } from '../store/events.ts';
import { listOwnApplications } from '../store/exported-data.ts';
import {
  ACCOUNT_CHANGES,
  type AccountAction,
  type ApplicationAction,
  changeThing,
  type LockedAccount,
  lockAccount,
  lockOperators,
} from '../store/moderation.ts';
import { listOwnApis } from '../store/own-apis.ts';
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

const ACCOUNT_EVENTS: Record<AccountAction, EventKind> = {
  suspend: 'account_suspended',
  unsuspend: 'account_unsuspended',
  end: 'account_access_ended',
  grant: 'operator_granted',
  revoke: 'operator_revoked',
  delete: 'account_deleted',
};

/** After these an account cannot act as an operator any more. */
const DISARMING: readonly AccountAction[] = ['suspend', 'revoke', 'delete'];

/** These end every session of it. */
const ENDING: readonly AccountAction[] = ['suspend', 'end', 'delete'];

/** Puts on its way what its owner is told, in the same transaction: none of it is done untold. */
type Tell = (transaction: Queryable) => Promise<void>;

/** Does something to an account, unless it would leave the service without anybody to look after it. */
export const moderateAccount = (
  database: Database,
  action: AccountAction,
  userId: string,
  by: Moderator,
  now: Date,
  tell: Tell = async () => {},
): Promise<Moderated> =>
  database.transaction(async (transaction) => {
    if (ENDING.includes(action)) await holdAllChanges(transaction, userId);
    const operators = await lockOperators(transaction);
    if (by.userId !== undefined && !operators.includes(by.userId)) return 'notOperator';
    const account = await lockAccount(transaction, userId);
    if (account === undefined) return 'gone';
    if (DISARMING.includes(action)) {
      if (userId === by.userId) return 'self';
      if (operators.length === 1 && operators[0] === userId) return 'lastOperator';
    }
    if (!(await carryOut(transaction, action, { ...account, userId }, by, now))) return 'unchanged';
    await tell(transaction);
    return 'done';
  });

/** Does it to a locked account, and writes it down with the applications and APIs that go with it; false: it is so already. */
export async function carryOut(
  transaction: Queryable,
  action: AccountAction,
  { userId, email, name, applications, apis }: LockedAccount & { userId: string },
  by: Moderator,
  now: Date,
): Promise<boolean> {
  const lost = action === 'delete' ? await listOwnApplications(transaction, userId) : [];
  const lostApis = action === 'delete' ? await listOwnApis(transaction, userId) : [];
  if (ENDING.includes(action)) await endSessions(transaction, userId, now);
  if (!(await ACCOUNT_CHANGES[action](transaction, userId, now))) return false;
  // Whoever is suspended cannot stop it: it is asked for anew once that is over.
  if (action === 'suspend' && (await deleteReset(transaction, userId)))
    await recordModeration(transaction, 'second_factor_reset_stopped', { userId }, by, now);
  for (const { clientId, name } of lost)
    await recordModeration(transaction, 'application_deleted', { clientId }, by, now, { name });
  for (const { apiId, name, identifier } of lostApis)
    await recordModeration(transaction, 'api_deleted', { apiId }, by, now, { name, identifier });
  const detail = { email, ...(action === 'delete' && { name, applications, apis }) };
  await recordModeration(transaction, ACCOUNT_EVENTS[action], { userId }, by, now, detail);
  return true;
}

/** What administrators look after besides accounts. Agents are clients without an owner. */
export type ModeratedKind = Kind | 'agent';

function eventOf(kind: ModeratedKind, action: ApplicationAction): EventKind {
  if (kind === 'agent') return action === 'suspend' ? 'agent_blocked' : 'agent_unblocked';
  if (action === 'suspend' || action === 'unsuspend') return `${kind}_${action}ed`;
  return action === 'verify' ? 'application_verified' : 'application_unverified';
}

/** Does something to an application, an API or an agent. */
export const moderateThing = (
  database: Database,
  kind: ModeratedKind,
  action: ApplicationAction,
  id: string,
  by: Moderator,
  now: Date,
  tell: Tell = async () => {},
): Promise<Moderated> =>
  database.transaction(async (transaction) => {
    if (!(await mayModerate(transaction, by))) return 'notOperator';
    const table = kind === 'api' ? 'api' : 'application';
    const name = await changeThing(transaction, table, action, id, now);
    if (name === undefined) return 'unchanged';
    const of = kind === 'api' ? { apiId: id } : { clientId: id };
    // Agents are pruned, and then nothing else names them.
    await recordModeration(transaction, eventOf(kind, action), of, by, now, kind === 'agent' ? { name } : {});
    await tell(transaction);
    return 'done';
  });

const OF_ACCOUNTS: Record<AccountAction, Announcement> = {
  suspend: 'account_suspended',
  unsuspend: 'account_unsuspended',
  end: 'access_ended',
  grant: 'operator_granted',
  revoke: 'operator_revoked',
  delete: 'account_removed',
};

/** Does what an administrator decides about an account, and notifies its owner: not of who did it, or why. */
export async function decideOnAccount(
  parts: Pick<MailParts, 'database' | 'mailer'>,
  action: AccountAction,
  userId: string,
  by: Moderator,
  now: Date,
): Promise<Moderated> {
  const mailbox = await findContact(parts.database, userId);
  const outcome = await moderateAccount(parts.database, action, userId, by, now, async (transaction) => {
    if (mailbox !== undefined) await announce(parts, mailbox, OF_ACCOUNTS[action], {}, now, transaction);
  });
  parts.mailer.wake();
  return outcome;
}

/** The same about an application, an API or an agent. Agents have no owner, and a verification is shown on pages. */
export async function decideOnThing(
  parts: Pick<MailParts, 'database' | 'mailer'>,
  kind: ModeratedKind,
  action: ApplicationAction,
  id: string,
  by: Moderator,
  now: Date,
): Promise<Moderated> {
  const outcome = await moderateThing(parts.database, kind, action, id, by, now, async (transaction) => {
    if (kind === 'agent' || action === 'verify' || action === 'unverify') return;
    const contact = await findContactOf(transaction, kind, id);
    if (contact !== undefined)
      await announce(parts, contact, `${kind}_${action}ed`, { subject: contact.thing }, now, transaction);
  });
  parts.mailer.wake();
  return outcome;
}

/** Whether the caller is still an administrator; the command line always is. */
export const mayModerate = async (transaction: Queryable, { userId }: Moderator): Promise<boolean> =>
  userId === undefined || (await lockOperators(transaction)).includes(userId);

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
