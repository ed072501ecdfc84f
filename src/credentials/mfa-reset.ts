// Resets MFA for locked-out users after a delay in which they can cancel the reset (ADR 19).

import { lockModerator, type Moderator, recordModeration } from '../accounts/moderation.ts';
import { sendNotification, sendSecurityAlert } from '../accounts/notifications.ts';
import { createCancelLink, type MailServices } from '../mail/links.ts';
import { MFA_RESET_DELAY } from '../oauth/lifetimes.ts';
import { type EmailRecipient, findContact, lockContact } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { resetMfa } from '../store/mfa-factors.ts';
import {
  cancelMfaReset,
  cancelMfaResetByLink,
  findDueMfaReset,
  findMfaReset,
  insertMfaReset,
  postponeMfaReset,
  takeDueMfaReset,
} from '../store/mfa-resets.ts';
import type { EmailedLink } from '../store/one-time-tokens.ts';
import { lockAccountChanges } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';

type Services = Pick<MailServices, 'config' | 'database' | 'sealer' | 'mailer'>;

/**
 * `pending`: an earlier request is still pending.
 * `reset`: MFA was reset immediately.
 * `self`: administrators can't reset their own MFA.
 */
export type MfaResetOutcome =
  | 'requested'
  | 'pending'
  | 'reset'
  | 'noMfa'
  | 'suspended'
  | 'self'
  | 'notAdmin'
  | 'notFound';

/** @param options `passkeys` also deletes the passkeys. `immediate` skips the delay. */
export async function requestMfaReset(
  services: Services,
  userId: string,
  options: { passkeys: boolean; immediate?: boolean },
  actor: Moderator,
  now: Date,
): Promise<MfaResetOutcome> {
  const { database, mailer } = services;
  const { passkeys, immediate } = options;
  const outcome = await database.transaction(async (transaction): Promise<MfaResetOutcome> => {
    await lockAccountChanges(transaction, userId);
    if (actor.userId === userId) return 'self';
    if (!(await lockModerator(transaction, actor, userId))) return 'notAdmin';
    const mailbox = await lockContact(transaction, userId);
    if (mailbox === undefined) return 'notFound';
    if (mailbox.suspended) return 'suspended';
    if (immediate) {
      await cancelMfaReset(transaction, userId);
      return (await performReset(services, transaction, mailbox, { passkeys }, actor, now))
        ? 'reset'
        : 'noMfa';
    }
    const { link, hash: cancelHash } = createCancelLink(services, userId);
    const dueAt = new Date(now.getTime() + MFA_RESET_DELAY * 1000);
    if (!(await insertMfaReset(transaction, { userId, cancelHash, dueAt, passkeys }, now)))
      return (await findMfaReset(transaction, userId)) === undefined ? 'noMfa' : 'pending';
    await recordModeration(transaction, 'mfa_reset_requested', { userId }, actor, now, {
      until: dueAt.toISOString(),
      ...(passkeys && { passkeys: true }),
    });
    if (mailer.available) {
      const { email, locale } = mailbox;
      const to = { name: mailbox.emailVerified ? mailbox.name : '', email };
      const message = {
        kind: 'mfa_reset_requested',
        to,
        locale: locale ?? 'fr',
        at: now,
        until: dueAt,
        passkeys,
        link,
      } as const;
      await mailer.send(message, userId, transaction);
    }
    return 'requested';
  });
  mailer.wake();
  return outcome;
}

/** Returns false if no reset is pending or the caller is no longer an administrator. */
export const cancelMfaResetAsAdmin = (
  services: Services,
  userId: string,
  actor: Moderator,
  now: Date,
): Promise<boolean> =>
  cancelAndNotify(services, actor, now, async (transaction) =>
    (await lockModerator(transaction, actor, userId)) && (await cancelMfaReset(transaction, userId))
      ? userId
      : undefined,
  );

/** Cancels a reset for a signed-in user or with an emailed link. Returns false if no reset is pending. */
export const cancelMfaResetAsUser = (
  services: Services,
  reset: { userId: string } | { link: EmailedLink },
  ip: string,
  now: Date,
): Promise<boolean> => {
  const actor: Moderator = 'userId' in reset ? { userId: reset.userId, ip } : { ip };
  return cancelAndNotify(services, actor, now, async (transaction) => {
    if ('userId' in reset)
      return (await cancelMfaReset(transaction, reset.userId)) ? reset.userId : undefined;
    return (await cancelMfaResetByLink(transaction, reset.link)) ? reset.link.userId : undefined;
  });
};

async function cancelAndNotify(
  { database, mailer }: Services,
  actor: Moderator,
  now: Date,
  cancel: (transaction: Queryable) => Promise<string | undefined>,
): Promise<boolean> {
  const stopped = await database.transaction(async (transaction) => {
    const userId = await cancel(transaction);
    if (userId === undefined) return false;
    await recordModeration(transaction, 'mfa_reset_canceled', { userId }, actor, now);
    const mailbox = await findContact(transaction, userId);
    if (mailbox !== undefined && mailer.available)
      await sendNotification({ mailer }, mailbox, 'mfa_reset_canceled', {}, now, transaction);
    return true;
  });
  mailer.wake();
  return stopped;
}

export async function cancelPendingMfaReset(
  transaction: Queryable,
  { userId, ip }: { userId: string; ip?: string | undefined },
  now: Date,
): Promise<void> {
  if (await cancelMfaReset(transaction, userId))
    await recordModeration(transaction, 'mfa_reset_canceled', { userId }, { userId, ip }, now);
}

/** Called when a new password is set without the old one. */
export const restartMfaResetDelay = (transaction: Queryable, userId: string, now: Date): Promise<void> =>
  postponeMfaReset(transaction, userId, new Date(now.getTime() + MFA_RESET_DELAY * 1000));

/**
 * Performs the reset that has been due the longest. Several processes can call this function concurrently.
 * @returns false if no reset is due
 */
export async function runDueMfaReset(services: Services, now: Date): Promise<boolean> {
  const userId = await findDueMfaReset(services.database, now);
  if (userId === undefined) return false;
  await services.database.transaction(async (transaction) => {
    await lockAccountChanges(transaction, userId);
    const reset = await takeDueMfaReset(transaction, userId, now);
    const mailbox = reset && (await findContact(transaction, userId));
    if (reset !== undefined && mailbox !== undefined)
      await performReset(services, transaction, mailbox, reset, {}, now);
  });
  services.mailer.wake();
  return true;
}

async function performReset(
  services: Services,
  transaction: Queryable,
  mailbox: EmailRecipient,
  { passkeys }: { passkeys: boolean },
  actor: Moderator,
  now: Date,
): Promise<boolean> {
  const { userId } = mailbox;
  if (!(await resetMfa(transaction, userId, { passkeys }))) return false;
  // A lost device with a passkey may still be signed in.
  if (passkeys) await endSessions(transaction, userId, now);
  await recordModeration(
    transaction,
    'mfa_reset',
    { userId },
    actor,
    now,
    passkeys ? { passkeys: true } : {},
  );
  if (services.mailer.available)
    await sendSecurityAlert(services, transaction, mailbox, 'mfa_reset', {}, now);
  return true;
}
