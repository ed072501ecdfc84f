// Handles reports of unauthorized activity: revokes access and removes an intruder's additions.

import { deleteUnverifiedAccount } from '../accounts/deletion.ts';
import { moderateAccountInTransaction } from '../accounts/moderation.ts';
import type { Locale } from '../i18n/index.ts';
import type { MailServices } from '../mail/links.ts';
import { REPORT_WINDOW } from '../oauth/lifetimes.ts';
import { type AuditEvent, recordEvent } from '../store/audit-log.ts';
import { changeEmail, findActiveContact } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { emailKey } from '../store/emails.ts';
import {
  deleteLaterReportLinks,
  type EmailedLink,
  findToken,
  findUsedToken,
  type LiveToken,
  lockReportLinks,
  useToken,
} from '../store/one-time-tokens.ts';
import { type AddedItem, listAddedItems, removeAddedItems } from '../store/recent-additions.ts';
import { type ChangedItem, listChangedItems, listRemovedItems } from '../store/recent-changes.ts';
import { lockAccountChanges } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';
import { revokeUnverifiedSetup } from '../store/unverified-accounts.ts';
import { forgetKnownBrowsers, invalidatePassword } from '../store/users.ts';
import { cancelPendingMfaReset } from './mfa-reset.ts';
import { createUnmatchableHash } from './password-hashing.ts';

type Services = Pick<MailServices, 'config' | 'database' | 'mailer'>;

interface RequestDetails {
  ip: string;
  locale: Locale;
}

type ReportOutcome = 'done' | 'email_taken' | 'invalid';

/** Tolerated clock skew between hosts, in milliseconds. */
const MAX_CLOCK_SKEW = 60_000;

function getRemovalCutoff({ createdAt, detail: { since } }: Pick<LiveToken, 'createdAt' | 'detail'>): Date {
  const earliest = createdAt.getTime() - REPORT_WINDOW * 1000;
  const sessionStart = since === undefined ? createdAt.getTime() : Date.parse(since);
  return new Date(Math.max(earliest, Math.min(sessionStart, createdAt.getTime())) - MAX_CLOCK_SKEW);
}

export interface ReportPreview {
  token: LiveToken;
  added: AddedItem[];
  changed: ReviewItem[];
}

/** `path` is undefined if the item was deleted or doesn't belong to the user. */
export type ReviewItem = ChangedItem & { path: string | undefined };

export async function previewReport(
  { database }: Services,
  link: EmailedLink,
  now: Date,
): Promise<ReportPreview | undefined> {
  const token = await findToken(database, link, ['report_activity'], now);
  if (token === undefined) return undefined;
  const since = getRemovalCutoff(token);
  return {
    token,
    added: await listAddedItems(database, token.userId, since, now),
    changed: await listItemsToReview(database, token, now),
  };
}

/** Returns the result of an earlier report until its link would have expired. */
export async function findReport(
  { database }: Services,
  link: EmailedLink,
  now: Date,
): Promise<{ removed: AddedItem[]; changed: ReviewItem[] } | undefined> {
  const token = await findUsedToken(database, link, 'report_activity', now);
  if (token === undefined) return undefined;
  return {
    removed: await listRemovedItems(database, token.userId, token.usedAt),
    changed: await listItemsToReview(database, token, token.usedAt),
  };
}

/**
 * Reports unauthorized activity. A first transaction revokes all sessions and grants and invalidates the password. A
 * second transaction removes everything added since the reported session started. It also restores the email address.
 * @returns `email_taken` if another account has the former email address. `incomplete` means that the second
 *   transaction failed. The link is then still valid.
 */
export async function reportUnauthorizedActivity(
  services: Services,
  link: EmailedLink,
  request: RequestDetails,
  now: Date,
): Promise<{ outcome: ReportOutcome } | { outcome: 'incomplete'; reason: unknown }> {
  const { database, mailer } = services;
  const token = await database.transaction(async (transaction) => {
    await lockReportLinks(transaction, link);
    const found = await findToken(transaction, link, ['report_activity'], now);
    if (found !== undefined) await revokeAccess(transaction, found.userId, now);
    return found;
  });
  if (token === undefined) return { outcome: 'invalid' };
  try {
    const { userId, detail } = token;
    const event = {
      kind: 'unauthorized_activity_reported',
      userId,
      ip: request.ip,
    } as const satisfies AuditEvent;
    // Record the event after the first transaction. Access is then revoked even if the event can't be recorded.
    await recordEvent(database, { ...event, detail: { notice: detail.notice ?? '' } }, now);
    const outcome = await database.transaction((transaction) =>
      undoIntruderChanges(transaction, services, link, request, now),
    );
    mailer.wake();
    return { outcome };
  } catch (reason) {
    return { outcome: 'incomplete', reason };
  }
}

async function revokeAccess(transaction: Queryable, userId: string, now: Date): Promise<void> {
  await endSessions(transaction, userId, now);
  await invalidatePassword(transaction, userId, createUnmatchableHash());
  await forgetKnownBrowsers(transaction, userId);
}

async function undoIntruderChanges(
  transaction: Queryable,
  { config, mailer }: Services,
  link: EmailedLink,
  { ip, locale }: RequestDetails,
  now: Date,
): Promise<ReportOutcome> {
  await lockReportLinks(transaction, link);
  const token = await useToken(transaction, link, ['report_activity'], now);
  if (token === undefined) return 'invalid';
  const { userId, email, createdAt } = token;
  await lockAccountChanges(transaction, userId);
  // An intruder may have signed in since the first transaction.
  await revokeAccess(transaction, userId, now);
  const removed = await removeAddedItems(transaction, userId, getRemovalCutoff(token), now);
  const changed = await listItemsToReview(transaction, token, now);
  for (const { kind, clientId, apiId, name } of removed) {
    await recordEvent(
      transaction,
      {
        kind: 'added_item_removed',
        userId,
        clientId: clientId ?? undefined,
        apiId: apiId ?? undefined,
        ip,
        detail: { item: kind, ...(name !== null && { name }) },
      },
      now,
    );
  }
  await cancelPendingMfaReset(transaction, { userId, ip }, now);
  const outcome = hasEmailChanged(token) ? await restoreEmail(transaction, token, ip, now) : 'done';
  // Suspend the account because the intruder may control the current email address and could reset the password. No
  // notification is sent to this address.
  if (outcome === 'email_taken')
    await moderateAccountInTransaction({}, transaction, 'suspend', userId, { ip }, now);
  // Later report links may have gone to an intruder's mailbox.
  await deleteLaterReportLinks(transaction, userId, createdAt);
  if (!mailer.available) return outcome;
  const mailbox = await findActiveContact(transaction, userId);
  await mailer.send(
    {
      kind: 'activity_reported',
      // An intruder may have changed the user's name.
      to: { name: '', email },
      locale: mailbox?.locale ?? locale,
      removed,
      review: changed.map(({ kind, resourceName, path }) => ({
        kind,
        holder: resourceName,
        link: path && `${config.baseUrl}${path}`,
      })),
      taken: outcome === 'email_taken',
      link: `${config.baseUrl}/password/forgot`,
    },
    userId,
    transaction,
  );
  return outcome;
}

export const hasEmailChanged = ({
  email,
  currentEmail,
}: Pick<LiveToken, 'email' | 'currentEmail'>): boolean => emailKey(email) !== emailKey(currentEmail);

const DELETION_REASON = 'unverified, and its email address was restored to another account';

/**
 * Restores the email address that the link was sent to. If that address was unverified, also removes passkeys, MFA,
 * linked identities, consents, sessions and grants.
 * @returns `email_taken` if a verified account or an administrator has the address
 */
async function restoreEmail(
  transaction: Queryable,
  { userId, email, detail }: LiveToken,
  ip: string,
  now: Date,
): Promise<'done' | 'email_taken'> {
  if (!(await deleteUnverifiedAccount(transaction, email, { ip, reason: DELETION_REASON }, now)))
    return 'email_taken';
  if (!(await changeEmail(transaction, userId, email, now)))
    throw new Error('the new email address now belongs to another account');
  if (detail.unverified) await revokeUnverifiedSetup(transaction, userId, now, true);
  await recordEvent(transaction, { kind: 'email_changed', userId, ip, detail: { email } }, now);
  return 'done';
}

async function listItemsToReview(database: Queryable, token: LiveToken, until: Date): Promise<ReviewItem[]> {
  const items = await listChangedItems(database, token.userId, getRemovalCutoff(token), until);
  return items.map((item) => ({ ...item, path: getItemPath(item) }));
}

function getItemPath({ kind, clientId, apiId, own }: ChangedItem): string | undefined {
  if (apiId !== null) return own ? `/console/apis/${apiId}` : undefined;
  if (clientId !== null) return own ? `/console/applications/${clientId}` : undefined;
  return kind === 'profile_changed' || kind.startsWith('picture_') ? '/account/profile' : '/account/security';
}
