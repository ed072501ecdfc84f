// Reports unauthorized activity by the link of a security alert: ends all access, then removes what was added.

import { removeUnverifiedAccount } from '../accounts/deletion.ts';
import type { Locale } from '../i18n/index.ts';
import type { MailParts } from '../mail/links.ts';
import { REPORT_WINDOW } from '../oauth/lifetimes.ts';
import { type AddedItem, listAdded, removeAdded } from '../store/added-since.ts';
import { type ChangedItem, listChanged, listRemoved } from '../store/changed-since.ts';
import { changeEmail, findMailbox } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { emailKey } from '../store/emails.ts';
import { recordEvent } from '../store/events.ts';
import {
  findToken,
  findUsedToken,
  forgetLaterNotices,
  holdNotices,
  type LiveToken,
  type MailedLink,
  useToken,
} from '../store/one-time-tokens.ts';
import { holdAllChanges } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';
import { revokeAllOfUnverified } from '../store/unverified-accounts.ts';
import { forgetBrowsers, voidPassword } from '../store/users.ts';
import { unmatchableHash } from './password-hashing.ts';
import { endFactorReset } from './second-factor-reset.ts';

type Parts = Pick<MailParts, 'config' | 'database' | 'mailer'>;

interface From {
  address: string;
  locale: Locale;
}

type Outcome = 'done' | 'email_taken' | 'invalid';

/** Clocks of several hosts may differ by this much, in milliseconds. */
const CLOCK_SKEW = 60_000;

/** From when on a report removes what was added. */
function cutoffOf({ createdAt, detail: { since } }: Pick<LiveToken, 'createdAt' | 'detail'>): Date {
  const earliest = createdAt.getTime() - REPORT_WINDOW * 1000;
  const started = since === undefined ? createdAt.getTime() : Date.parse(since);
  return new Date(Math.max(earliest, Math.min(started, createdAt.getTime())) - CLOCK_SKEW);
}

export interface ReportPreview {
  token: LiveToken;
  added: AddedItem[];
  changed: ReviewItem[];
}

/** What was changed or deleted, with the path of its page; undefined if it isn't there any more, or isn't theirs. */
export type ReviewItem = ChangedItem & { path: string | undefined };

/** Returns what a report would remove, or undefined if the link isn't valid. */
export async function previewReport(
  { database }: Parts,
  link: MailedLink,
  now: Date,
): Promise<ReportPreview | undefined> {
  const token = await findToken(database, link, ['not_me'], now);
  if (token === undefined) return undefined;
  const since = cutoffOf(token);
  return {
    token,
    added: await listAdded(database, token.userId, since, now),
    changed: await listReviewed(database, token, now),
  };
}

/** What the report by a link did, for as long as the link would have been valid. */
export async function findReport(
  { database }: Parts,
  link: MailedLink,
  now: Date,
): Promise<{ removed: AddedItem[]; changed: ReviewItem[] } | undefined> {
  const token = await findUsedToken(database, link, 'not_me', now);
  if (token === undefined) return undefined;
  return {
    removed: await listRemoved(database, token.userId, token.usedAt),
    changed: await listReviewed(database, token, token.usedAt),
  };
}

/**
 * Reports unauthorized activity. The first transaction ends every session and grant and voids the password. The second
 * one removes what was added since the reported session started, and restores the email address.
 * @returns `done`, or `email_taken` if the address belongs to another account now; `invalid` if the link isn't valid;
 *   `incomplete` with the reason if only the first transaction succeeded, in which case the link can be used again
 */
export async function reportUnauthorizedActivity(
  parts: Parts,
  link: MailedLink,
  from: From,
  now: Date,
): Promise<{ outcome: Outcome } | { outcome: 'incomplete'; reason: unknown }> {
  const { database, mailer } = parts;
  const token = await database.transaction(async (transaction) => {
    await holdNotices(transaction, link);
    const found = await findToken(transaction, link, ['not_me'], now);
    if (found !== undefined) await endAccess(transaction, found.userId, now);
    return found;
  });
  if (token === undefined) return { outcome: 'invalid' };
  try {
    const { userId, detail } = token;
    const event = { kind: 'unauthorized_activity_reported', userId, address: from.address } as const;
    // After the first transaction: access ends even if the audit log can't be written.
    await recordEvent(database, { ...event, detail: { notice: detail.notice ?? '' } }, now);
    const outcome = await database.transaction((transaction) =>
      removeAndRestore(transaction, parts, link, from, now),
    );
    mailer.wake();
    return { outcome };
  } catch (reason) {
    return { outcome: 'incomplete', reason };
  }
}

/** Ends every session and grant, voids the password and forgets the browsers. */
async function endAccess(transaction: Queryable, userId: string, now: Date): Promise<void> {
  await endSessions(transaction, userId, now);
  await voidPassword(transaction, userId, unmatchableHash());
  await forgetBrowsers(transaction, userId);
}

async function removeAndRestore(
  transaction: Queryable,
  { config, mailer }: Parts,
  link: MailedLink,
  { address, locale }: From,
  now: Date,
): Promise<Outcome> {
  await holdNotices(transaction, link);
  const token = await useToken(transaction, link, ['not_me'], now);
  if (token === undefined) return 'invalid';
  const { userId, email, createdAt } = token;
  await holdAllChanges(transaction, userId);
  // Again, because an intruder may have signed in since the first transaction. It waits for what that session is changing.
  await endAccess(transaction, userId, now);
  const removed = await removeAdded(transaction, userId, cutoffOf(token), now);
  const changed = await listReviewed(transaction, token, now);
  for (const { kind, clientId, apiId, name } of removed) {
    const of = { userId, clientId: clientId ?? undefined, apiId: apiId ?? undefined, address };
    const detail = { item: kind, ...(name !== null && { name }) };
    await recordEvent(transaction, { kind: 'added_item_removed', ...of, detail }, now);
  }
  await endFactorReset(transaction, { userId, address }, now);
  const outcome = isMoved(token) ? await restoreEmail(transaction, token, address, now) : 'done';
  // Their links went to a mailbox that may be an intruder's.
  await forgetLaterNotices(transaction, userId, createdAt);
  if (!mailer.available) return outcome;
  const mailbox = await findMailbox(transaction, userId);
  await mailer.send(
    {
      kind: 'activity_reported',
      // Without a name, which an intruder may have changed.
      to: { name: '', email },
      locale: mailbox?.locale ?? locale,
      removed,
      review: changed.map(({ kind, holder, path }) => ({
        kind,
        holder,
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

/** Whether the account has another email address now than the one that the link was sent to. */
export const isMoved = ({ email, currentEmail }: Pick<LiveToken, 'email' | 'currentEmail'>): boolean =>
  emailKey(email) !== emailKey(currentEmail);

/** What the audit log says of an unverified account that is deleted. */
const SQUATTER = 'unverified, and its email address was restored to another account';

/**
 * Gives the account the address back that the link was sent to. If that was unverified, everything set up before ends.
 * @returns `email_taken` if a verified account has it
 * @throws if an account took it at the same moment
 */
async function restoreEmail(
  transaction: Queryable,
  { userId, email, detail }: LiveToken,
  address: string,
  now: Date,
): Promise<'done' | 'email_taken'> {
  if (!(await removeUnverifiedAccount(transaction, email, { address, reason: SQUATTER }, now)))
    return 'email_taken';
  if (!(await changeEmail(transaction, userId, email, now)))
    throw new Error('another account has just taken the email address');
  if (detail.unverified) await revokeAllOfUnverified(transaction, userId, now, true);
  await recordEvent(transaction, { kind: 'email_changed', userId, address, detail: { email } }, now);
  return 'done';
}

/** What was changed or deleted since the cutoff, with links. */
async function listReviewed(database: Queryable, token: LiveToken, until: Date): Promise<ReviewItem[]> {
  const items = await listChanged(database, token.userId, cutoffOf(token), until);
  return items.map((item) => ({ ...item, path: pathOf(item) }));
}

function pathOf({ kind, clientId, apiId, own }: ChangedItem): string | undefined {
  if (apiId !== null) return own ? `/console/apis/${apiId}` : undefined;
  if (clientId !== null) return own ? `/console/applications/${clientId}` : undefined;
  return kind === 'profile_changed' || kind.startsWith('picture_') ? '/account/profile' : '/account/security';
}
