// Applies administrators' actions to accounts, clients, APIs and agents, and records audit events.
import type { AccountNotification } from '../mail/email.ts';
import type { MailServices } from '../mail/links.ts';
import {
  ACCOUNT_CHANGES,
  type AccountAction,
  type ClientAction,
  changeResource,
  deleteAccount,
  type LockedAccount,
  lockAccount,
  lockAdmin,
  lockOtherAdmin,
} from '../store/admin-actions.ts';
import { type AuditEvent, type EventKind, recordEvent } from '../store/audit-log.ts';
import { withdrawConsent } from '../store/consents.ts';
import { findContact, findOwnerContact } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { cancelMfaReset } from '../store/mfa-resets.ts';
import type { ResourceKind } from '../store/owned-resources.ts';
import { lockAccountChanges } from '../store/session-locks.ts';
import { deleteSessionOfUser, endSessions } from '../store/sessions.ts';
import { sendNotification } from './notifications.ts';

/** The acting administrator. `userId` is undefined on the command line. */
export interface Moderator {
  userId?: string | undefined;
  ip?: string | undefined;
  reason?: string | undefined;
}

/**
 * `self`: administrators can't suspend, delete or demote themselves.
 * `lastAdmin`: no administrator would remain.
 * `notAdmin`: the acting user is no longer an administrator.
 */
export type ModerationOutcome = 'done' | 'unchanged' | 'notFound' | 'self' | 'lastAdmin' | 'notAdmin';

const ACTION_EVENTS: Record<AccountAction, { event: EventKind; notification: AccountNotification }> = {
  suspend: { event: 'account_suspended', notification: 'account_suspended' },
  unsuspend: { event: 'account_unsuspended', notification: 'account_unsuspended' },
  end: { event: 'account_access_ended', notification: 'access_ended' },
  grant: { event: 'admin_granted', notification: 'admin_granted' },
  revoke: { event: 'admin_revoked', notification: 'admin_revoked' },
  delete: { event: 'account_deleted', notification: 'account_removed' },
};

const ADMIN_REMOVING_ACTIONS: readonly AccountAction[] = ['suspend', 'revoke', 'delete'];

const SESSION_ENDING_ACTIONS: readonly AccountAction[] = ['suspend', 'end', 'delete'];

type Services = Pick<MailServices, 'database'> & Partial<Pick<MailServices, 'mailer'>>;

/** Applies an action and notifies the account's owner. The email omits the administrator's name and the reason. */
export async function moderateAccount(
  services: Services,
  action: AccountAction,
  userId: string,
  by: Moderator,
  now: Date,
): Promise<ModerationOutcome> {
  const outcome = await services.database.transaction((transaction) =>
    moderateAccountInTransaction(services, transaction, action, userId, by, now),
  );
  services.mailer?.wake();
  return outcome;
}

export async function moderateAccountInTransaction(
  { mailer }: Pick<Services, 'mailer'>,
  transaction: Queryable,
  action: AccountAction,
  userId: string,
  by: Moderator,
  now: Date,
): Promise<ModerationOutcome> {
  if (SESSION_ENDING_ACTIONS.includes(action)) await lockAccountChanges(transaction, userId);
  if (!(await lockModerator(transaction, by, userId))) return 'notAdmin';
  const account = await lockAccount(transaction, userId);
  if (account === undefined) return 'notFound';
  if (ADMIN_REMOVING_ACTIONS.includes(action) && userId === by.userId) return 'self';
  // Only the command line needs this check. In the console, at least the acting administrator remains.
  const mayBeLast =
    by.userId === undefined && ADMIN_REMOVING_ACTIONS.includes(action) && account.isActiveAdmin;
  if (mayBeLast && !(await lockOtherAdmin(transaction, userId))) return 'lastAdmin';
  const mailbox = mailer && (await findContact(transaction, userId));
  if (!(await applyAccountAction(transaction, action, { ...account, userId }, by, now))) return 'unchanged';
  const { notification } = ACTION_EVENTS[action];
  if (mailbox) await sendNotification({ mailer }, mailbox, notification, {}, now, transaction);
  return 'done';
}

export async function applyAccountAction(
  transaction: Queryable,
  action: AccountAction,
  { userId, email, name }: LockedAccount & { userId: string },
  by: Moderator,
  now: Date,
): Promise<boolean> {
  if (SESSION_ENDING_ACTIONS.includes(action)) await endSessions(transaction, userId, now);
  if (action === 'delete') return deleteAccountWithResources(transaction, { userId, email, name }, by, now);
  if (!(await ACCOUNT_CHANGES[action](transaction, userId, now))) return false;
  if (action === 'suspend' && (await cancelMfaReset(transaction, userId)))
    await recordModeration(transaction, 'mfa_reset_canceled', { userId }, by, now);
  await recordModeration(transaction, ACTION_EVENTS[action].event, { userId }, by, now, { email });
  return true;
}

async function deleteAccountWithResources(
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
  await recordModeration(transaction, ACTION_EVENTS.delete.event, { userId }, by, now, detail);
  return true;
}

/**
 * Ends a session and notifies the account's owner. Grants issued in the session remain valid.
 * @returns `notAdmin` if the user is no longer an administrator. The caller must then roll back.
 */
export async function endSessionInTransaction(
  { mailer }: Pick<Services, 'mailer'>,
  transaction: Queryable,
  { userId, sid, userAgent }: { userId: string; sid: string; userAgent: string },
  by: Moderator,
  now: Date,
): Promise<ModerationOutcome> {
  if (!(await deleteSessionOfUser(transaction, userId, sid, now))) return 'unchanged';
  if (!(await lockModerator(transaction, by))) return 'notAdmin';
  await recordModeration(transaction, 'session_ended', { userId }, by, now, { session: sid });
  const mailbox = mailer && (await findContact(transaction, userId));
  if (mailbox)
    await sendNotification({ mailer }, mailbox, 'session_ended_by_admin', { userAgent }, now, transaction);
  return 'done';
}

export async function revokeConsentInTransaction(
  { mailer }: Pick<Services, 'mailer'>,
  transaction: Queryable,
  { userId, clientId, clientName }: { userId: string; clientId: string; clientName: string },
  by: Moderator,
  now: Date,
): Promise<ModerationOutcome> {
  if (!(await lockModerator(transaction, by))) return 'notAdmin';
  if (!(await withdrawConsent(transaction, userId, clientId, now))) return 'unchanged';
  await recordModeration(transaction, 'consent_withdrawn', { userId, clientId }, by, now);
  const mailbox = mailer && (await findContact(transaction, userId));
  if (mailbox) {
    // Another user chose the client's name, so emails to unverified addresses omit it.
    const subject = mailbox.emailVerified ? clientName : undefined;
    await sendNotification({ mailer }, mailbox, 'consent_revoked_by_admin', { subject }, now, transaction);
  }
  return 'done';
}

export type ModeratedKind = ResourceKind | 'agent';

function getEventKind(kind: ModeratedKind, action: ClientAction): EventKind {
  if (kind === 'agent') return action === 'suspend' ? 'agent_blocked' : 'agent_unblocked';
  if (action === 'suspend') return `${kind}_suspended`;
  if (action === 'unsuspend') return `${kind}_unsuspended`;
  return action === 'verify' ? 'application_verified' : 'application_unverified';
}

export async function moderateResource(
  { database, mailer }: Services,
  kind: ModeratedKind,
  action: ClientAction,
  id: string,
  by: Moderator,
  now: Date,
): Promise<ModerationOutcome> {
  const outcome = await database.transaction(async (transaction) => {
    if (!(await lockModerator(transaction, by))) return 'notAdmin';
    const table = kind === 'api' ? 'api' : 'application';
    const name = await changeResource(transaction, table, action, id, now);
    if (name === undefined) return 'unchanged';
    const subject = kind === 'api' ? { apiId: id } : { clientId: id };
    // Store the agent's name because the agent may be pruned later.
    const detail = kind === 'agent' ? { name } : {};
    await recordModeration(transaction, getEventKind(kind, action), subject, by, now, detail);
    if (mailer === undefined || kind === 'agent' || action === 'verify' || action === 'unverify')
      return 'done';
    const contact = await findOwnerContact(transaction, kind, id);
    if (contact !== undefined)
      await sendNotification(
        { mailer },
        contact,
        `${kind}_${action}ed`,
        { subject: contact.resourceName },
        now,
        transaction,
      );
    return 'done';
  });
  mailer?.wake();
  return outcome;
}

/**
 * Locks the acting administrator's account. Call this function before locking any other account.
 * @param accountId the account that the caller locks next. Locking in ID order prevents deadlocks.
 * @returns whether the user is still an administrator. Always true on the command line.
 */
export async function lockModerator(
  transaction: Queryable,
  { userId }: Moderator,
  accountId?: string,
): Promise<boolean> {
  if (userId === undefined) return true;
  if (accountId !== undefined && accountId < userId) await lockAccount(transaction, accountId);
  return lockAdmin(transaction, userId);
}

export const recordModeration = (
  transaction: Queryable,
  kind: EventKind,
  subject: Pick<AuditEvent, 'userId' | 'clientId' | 'apiId'>,
  { userId: actorId, ip, reason }: Moderator,
  now: Date,
  detail: AuditEvent['detail'] = {},
): Promise<void> =>
  recordEvent(
    transaction,
    { kind, actorId, ...subject, ip, detail: { ...detail, ...(reason !== undefined && { reason }) } },
    now,
  );
