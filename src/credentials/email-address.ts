// An account's mail address: verified by a link or a code, changed only once the new mailbox has answered.

import { mayAskAsAccount, mayAskForMail, mayMail, mayMailChange } from '../accounts/limits.ts';
import { notifyWithin } from '../accounts/notifications.ts';
import type { Locale } from '../i18n/index.ts';
import type { ChangeWish } from '../mail/envelope.ts';
import { issueToken, type MailParts } from '../mail/links.ts';
import type { Writer } from '../mail/mailer.ts';
import { changeEmail, findMailboxByEmail, verifyEmail } from '../store/credentials.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { emailKey } from '../store/emails.ts';
import { recordOwnEvent } from '../store/events.ts';
import {
  forgetTokens,
  type LiveToken,
  lockTokenUser,
  type MailedLink,
  type TokenDetail,
  tryCode,
  useToken,
} from '../store/one-time-tokens.ts';
import { requireSession } from '../store/session-locks.ts';
import { checkMailedCode } from './mailed-code.ts';

interface From {
  address: string;
  userAgent: string;
  locale: Locale;
}

export interface Asker extends From {
  userId: string;
  email: string;
  sid?: string | undefined;
  since?: Date;
}

/** How long an account must have been at home in a browser for a change of address there to be its owner's, in milliseconds. */
const DAY = 24 * 3600 * 1000;

export type Asked = 'sent' | 'tooMany';

/**
 * Sends a link and a code to the account's own address.
 * @param returnTo where the person was going, for whoever opens the link
 */
export async function askForVerification(
  parts: MailParts,
  asker: Asker,
  now: Date,
  returnTo: Pick<TokenDetail, 'pending' | 'next'> = {},
): Promise<Asked> {
  const { userId, email, address, locale } = asker;
  if (!(await mayAskAsAccount(parts, userId, now))) return 'tooMany';
  if (!(await mayAskForMail(parts, address, now)) || !(await mayMail(parts, email, now))) return 'tooMany';
  await parts.database.transaction(async (transaction) => {
    const token = { kind: 'verify_email', userId, email, detail: returnTo } as const;
    const { link, code } = await issueToken(parts, transaction, token, now);
    await parts.mailer.send(
      { kind: 'verify_email', to: { name: '', email }, locale, link, code },
      userId,
      transaction,
    );
  });
  parts.mailer.wake();
  return 'sent';
}

/**
 * Sends a link and a code to a new address, and tells the present one. Nothing changes yet. Whether another account has
 * the address is looked up after the answer, which is the same: only its mailbox is told (`writeChange`).
 * @param knownSince since when the account has been at home in the browser that asks: what is younger than a day may be an
 *   intruder's, of whom the present mailbox has just been told (ADR 9)
 */
export async function askForChange(
  parts: MailParts,
  asker: Asker,
  { email, knownSince }: { email: string; knownSince: Date | undefined },
  now: Date,
): Promise<Asked | 'same'> {
  const { userId, since = now, address, userAgent, locale } = asker;
  const strange = knownSince === undefined || now.getTime() - knownSince.getTime() < DAY;
  if (email === asker.email) return 'same';
  if (!(await mayAskAsAccount(parts, userId, now))) return 'tooMany';
  if (!(await mayAskForMail(parts, address, now)) || !(await mayMailChange(parts, email, now)))
    return 'tooMany';
  await parts.database.transaction(async (transaction) => {
    await requireSession(transaction, asker, now);
    await forgetTokens(transaction, userId, 'change_email'); // the last wish counts
    const event = { kind: 'email_change_requested', userId, address, detail: { email } } as const;
    await recordOwnEvent(transaction, event, now);
    const detail = { since: since.toISOString(), ...(strange && { strange }) };
    const token = { kind: 'change_email', userId, email, detail } as const;
    const { link, code } = await issueToken(parts, transaction, token, now);
    await parts.mailer.send(
      { kind: 'wish', what: 'change_email', userId, email, locale, link, code },
      userId,
      transaction,
    );
    if (emailKey(email) === emailKey(asker.email)) return;
    const alert = { since, strange, subject: email, address, userAgent, locale };
    await notifyWithin(parts, transaction, { kind: event.kind, account: userId, ...alert }, now);
  });
  parts.mailer.wake();
  return 'sent';
}

/** Writes to the new address: the link and the code, or that it has an account already, which stays as it is. */
export async function writeChange(
  { database }: Pick<MailParts, 'database'>,
  { userId, email, locale, link, code }: ChangeWish,
): ReturnType<Writer> {
  const owner = await findMailboxByEmail(database, email);
  if (owner === undefined || owner.userId === userId)
    return async () => ({ kind: 'change_email', to: { name: '', email }, locale, link, code });
  const to = { name: owner.emailVerified ? owner.name : '', email: owner.email };
  return async () => ({ kind: 'address_taken', to, locale: owner.locale ?? locale });
}

export type Confirmed =
  | { outcome: 'verified' | 'changed'; email: string; returnTo: TokenDetail }
  | { outcome: 'dead' | 'taken' };

/** Uses up the token of a link, and does what it is for. */
export const confirmByLink = (
  parts: MailParts,
  link: MailedLink,
  from: From,
  now: Date,
): Promise<Confirmed> =>
  confirm(parts, from, now, async (transaction) => {
    const token = await useToken(transaction, link, ['verify_email', 'change_email'], now);
    return token ?? { outcome: 'dead' };
  });

/** The same by the code of the newest email. */
export const confirmByCode = (
  parts: MailParts,
  code: { userId: string; kind: 'verify_email' | 'change_email'; typed: string },
  from: From,
  now: Date,
): Promise<Confirmed | { outcome: 'wrong' | 'tooMany' }> =>
  checkMailedCode(parts, { ...code, address: from.address }, now, (hash) =>
    confirm(
      parts,
      from,
      now,
      async (transaction) =>
        (await tryCode(transaction, code.userId, code.kind, hash, now)) ?? { outcome: 'wrong' },
    ),
  );

async function confirm<Refused extends { outcome: 'dead' | 'wrong' }>(
  parts: MailParts,
  from: From,
  now: Date,
  take: (transaction: Queryable) => Promise<LiveToken | Refused>,
): Promise<Confirmed | Refused> {
  const done = await parts.database.transaction(async (transaction): Promise<Confirmed | Refused> => {
    const token = await take(transaction);
    if ('outcome' in token) return token;
    if (token.kind === 'change_email' && !(await lockTokenUser(transaction, token)))
      return { outcome: 'dead' as const };
    const applied = await apply(transaction, token, from.address, now);
    // The token can be used again.
    if (applied === undefined) return rollback({ outcome: 'taken' as const });
    const { outcome, email } = applied;
    if (outcome === 'changed' && emailKey(token.currentEmail) !== emailKey(email)) {
      const { since, strange } = token.detail;
      const alert = {
        kind: 'email_changed',
        account: token.userId,
        former: { email: token.currentEmail, verified: token.currentVerified },
        // Of the session that asked: the link may be opened anywhere.
        since: since === undefined ? undefined : new Date(since),
        strange,
        subject: email,
        ...from,
      } as const;
      await notifyWithin(parts, transaction, alert, now);
    }
    return { outcome, email, returnTo: token.detail };
  });
  parts.mailer.wake();
  return done;
}

/** @returns undefined if another account has the new address */
async function apply(
  transaction: Queryable,
  { kind, userId, email }: LiveToken,
  address: string,
  now: Date,
): Promise<{ outcome: 'verified' | 'changed'; email: string } | undefined> {
  if (kind === 'verify_email') {
    await verifyEmail(transaction, userId, email, now);
    await recordOwnEvent(transaction, { kind: 'email_verified', userId, address }, now);
    return { outcome: 'verified', email };
  }
  if (!(await changeEmail(transaction, userId, email, now))) return undefined;
  await recordOwnEvent(transaction, { kind: 'email_changed', userId, address, detail: { email } }, now);
  return { outcome: 'changed', email };
}
