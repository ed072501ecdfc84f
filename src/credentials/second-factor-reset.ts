// Resets the MFA of a user who has lost it: administrators request it, and the user can stop it during a delay (ADR 19).

import { type Moderator, mayModerate, recordModeration } from '../accounts/moderation.ts';
import { alert, announce } from '../accounts/notifications.ts';
import { type MailParts, newStopLink } from '../mail/links.ts';
import { SECOND_FACTOR_RESET_DELAY } from '../oauth/lifetimes.ts';
import { findContact, holdContact, type Mailbox } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import type { MailedLink } from '../store/one-time-tokens.ts';
import {
  deleteReset,
  deleteResetByLink,
  findDueReset,
  findReset,
  insertReset,
  postponeReset,
  takeDueReset,
} from '../store/second-factor-resets.ts';
import { resetSecondFactors } from '../store/second-factors.ts';
import { holdAllChanges } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';

type Parts = Pick<MailParts, 'config' | 'database' | 'sealer' | 'mailer'>;

/**
 * The outcome of a request. `asked`: it waits; `waiting`: another one did already, and continues. `reset`: it was done
 * at once. `nothing`: there is no second factor. `self`: operators take their own away as everybody does, with a code.
 */
export type Asked = 'asked' | 'waiting' | 'reset' | 'nothing' | 'suspended' | 'self' | 'notOperator' | 'gone';

/**
 * Asks for the second factor of an account to be taken away.
 * @param how `passkeys`: they are lost and removed, too; `atOnce`: without the delay
 */
export async function askForFactorReset(
  parts: Parts,
  userId: string,
  how: { passkeys: boolean; atOnce?: boolean },
  by: Moderator,
  now: Date,
): Promise<Asked> {
  const { database, mailer } = parts;
  const lost = { passkeys: how.passkeys };
  const outcome = await database.transaction(async (transaction): Promise<Asked> => {
    await holdAllChanges(transaction, userId);
    if (by.userId === userId) return 'self';
    if (!(await mayModerate(transaction, by, userId))) return 'notOperator';
    const mailbox = await holdContact(transaction, userId);
    if (mailbox === undefined) return 'gone';
    if (mailbox.suspended) return 'suspended';
    if (how.atOnce) {
      await deleteReset(transaction, userId);
      return (await carryOut(parts, transaction, mailbox, lost, by, now)) ? 'reset' : 'nothing';
    }
    const { link, hash: stopHash } = newStopLink(parts, userId);
    const dueAt = new Date(now.getTime() + SECOND_FACTOR_RESET_DELAY * 1000);
    if (!(await insertReset(transaction, { userId, stopHash, dueAt, ...lost }, now)))
      return (await findReset(transaction, userId)) === undefined ? 'nothing' : 'waiting';
    await recordModeration(transaction, 'second_factor_reset_asked', { userId }, by, now, {
      until: dueAt.toISOString(),
      ...(lost.passkeys && { passkeys: true }),
    });
    if (mailer.available) {
      const { email, locale } = mailbox;
      const to = { name: mailbox.emailVerified ? mailbox.name : '', email };
      const letter = {
        kind: 'reset_asked',
        to,
        locale: locale ?? 'fr',
        at: now,
        until: dueAt,
        ...lost,
        link,
      } as const;
      await mailer.send(letter, userId, transaction);
    }
    return 'asked';
  });
  mailer.wake();
  return outcome;
}

/** Stops a reset as an administrator. Returns false if none is pending, or the caller is no administrator any more. */
export const withdrawFactorReset = (
  parts: Parts,
  userId: string,
  by: Moderator,
  now: Date,
): Promise<boolean> =>
  stopPending(parts, by, now, async (transaction) =>
    (await mayModerate(transaction, by, userId)) && (await deleteReset(transaction, userId))
      ? userId
      : undefined,
  );

/**
 * Stops a reset as its user: in a session, or by the link of the email, signed in or not. No re-authentication, since nothing
 * changes. Returns false if none is pending.
 */
export const stopFactorReset = (
  parts: Parts,
  reset: { userId: string } | { link: MailedLink },
  address: string,
  now: Date,
): Promise<boolean> => {
  const by = 'userId' in reset ? { userId: reset.userId, address } : { address };
  return stopPending(parts, by, now, async (transaction) => {
    if ('userId' in reset) return (await deleteReset(transaction, reset.userId)) ? reset.userId : undefined;
    return (await deleteResetByLink(transaction, reset.link)) ? reset.link.userId : undefined;
  });
};

/** @param take deletes the reset. @returns the account that it was for */
async function stopPending(
  { database, mailer }: Parts,
  by: Moderator,
  now: Date,
  take: (transaction: Queryable) => Promise<string | undefined>,
): Promise<boolean> {
  const stopped = await database.transaction(async (transaction) => {
    const userId = await take(transaction);
    if (userId === undefined) return false;
    await recordModeration(transaction, 'second_factor_reset_stopped', { userId }, by, now);
    const mailbox = await findContact(transaction, userId);
    if (mailbox !== undefined && mailer.available)
      await announce({ mailer }, mailbox, 'second_factor_reset_stopped', {}, now, transaction);
    return true;
  });
  mailer.wake();
  return stopped;
}

/** Ends a pending reset within a change that makes it unwanted, such as a change of MFA. */
export async function endFactorReset(
  transaction: Queryable,
  { userId, address }: { userId: string; address?: string | undefined },
  now: Date,
): Promise<void> {
  if (await deleteReset(transaction, userId))
    await recordModeration(transaction, 'second_factor_reset_stopped', { userId }, { userId, address }, now);
}

/** Restarts the delay when a password was set without the former one. */
export const delayFactorReset = (transaction: Queryable, userId: string, now: Date): Promise<void> =>
  postponeReset(transaction, userId, new Date(now.getTime() + SECOND_FACTOR_RESET_DELAY * 1000));

/**
 * Carries out the reset that has been due longest. Several processes may run this at the same time.
 * @returns false if none is due
 */
export async function carryOutDueReset(parts: Parts, now: Date): Promise<boolean> {
  const userId = await findDueReset(parts.database, now);
  if (userId === undefined) return false;
  await parts.database.transaction(async (transaction) => {
    await holdAllChanges(transaction, userId);
    const taken = await takeDueReset(transaction, userId, now);
    const mailbox = taken && (await findContact(transaction, userId));
    if (taken !== undefined && mailbox !== undefined)
      await carryOut(parts, transaction, mailbox, taken, {}, now);
  });
  parts.mailer.wake();
  return true;
}

async function carryOut(
  parts: Parts,
  transaction: Queryable,
  mailbox: Mailbox,
  lost: { passkeys: boolean },
  by: Moderator,
  now: Date,
): Promise<boolean> {
  const { userId } = mailbox;
  if (!(await resetSecondFactors(transaction, userId, lost))) return false;
  // The lost device may have signed in by its passkey.
  if (lost.passkeys) await endSessions(transaction, userId, now);
  await recordModeration(
    transaction,
    'second_factor_reset',
    { userId },
    by,
    now,
    lost.passkeys ? { passkeys: true } : {},
  );
  if (parts.mailer.available) await alert(parts, transaction, mailbox, 'second_factor_reset', {}, now);
  return true;
}
