// Signing in after too many wrong passwords: in a browser that the account does not know, the right one takes a mail, too (D60).

import { readDevice } from '../accounts/browser-name.ts';
import { mayMailSignIn } from '../accounts/limits.ts';
import type { SignInWish } from '../mail/envelope.ts';
import { issueToken, type MailParts } from '../mail/links.ts';
import type { Writer } from '../mail/mailer.ts';
import { findMailbox, verifyEmail } from '../store/credentials.ts';
import { type LiveToken, tryCode } from '../store/one-time-tokens.ts';
import { findUserForSignIn, type UserForSignIn } from '../store/users.ts';
import { checkMailedCode } from './mailed-code.ts';
import {
  byPassword,
  type Origin,
  type SessionParts,
  type StartedSession,
  startedBefore,
  startSession,
} from './session-start.ts';
import { HalfSignedIn, networkKeyOf } from './sign-in.ts';

/**
 * Has a code sent that works in this browser only. All of it is done after the answer, which neither says nor
 * shows by its time whether the password was right: the same row is written for whoever asks.
 */
export const askForSignIn = (
  parts: Pick<MailParts, 'mailer'>,
  asked: Omit<SignInWish, 'what'>,
): Promise<void> => parts.mailer.send({ kind: 'wish', what: 'sign_in', ...asked });

/** Writes it to whose password it was. Only who knows it can use up what a mailbox is sent. */
export async function writeSignIn(
  parts: Pick<MailParts, 'config' | 'database' | 'sealer'>,
  { userId, browser, address, userAgent, locale }: SignInWish,
  now: Date,
): ReturnType<Writer> {
  const mailbox = userId === null ? undefined : await findMailbox(parts.database, userId);
  if (mailbox === undefined || !(await mayMailSignIn(parts, mailbox.email, now))) return undefined;
  const { name, email, emailVerified } = mailbox;
  const token = { kind: 'sign_in', userId: mailbox.userId, email, detail: { browser } } as const;
  return async (transaction) => ({
    kind: 'sign_in',
    to: { name: emailVerified ? name : '', email },
    locale: mailbox.locale ?? locale,
    at: now,
    address,
    device: readDevice(userAgent),
    code: (await issueToken(parts, transaction, token, now)).code,
  });
}

/** Signs in by the code of the newest email that was requested in this browser. @returns undefined if the code is wrong */
export async function signInByCode(
  parts: MailParts & SessionParts,
  { email, browser, typed }: { email: string; browser: string; typed: string },
  origin: Origin,
  now: Date,
): Promise<StartedSession | HalfSignedIn | undefined> {
  const user = await findUserForSignIn(parts.database, email);
  const userId = user?.userId ?? NOBODY;
  const kind = 'sign_in';
  const { address } = origin;
  const checked = await checkMailedCode(
    parts,
    { userId, kind, typed, browser, address },
    now,
    async (hash) => {
      const token = await tryCode(parts.database, userId, kind, hash, now, browser);
      return token === undefined ? { outcome: 'wrong' as const } : { outcome: 'right' as const, token };
    },
  );
  // One answer for all the others: which of them it is would tell whether the password was right.
  return checked.outcome === 'right' && user
    ? start(parts, user, checked.token, origin, now)
    : startedBefore(parts, userId, origin, now);
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * The mailbox has answered: the counts of wrong passwords are forgotten, and its address is verified.
 * @param user as it was before the link or code was used: with a password that was set since, no session starts
 */
async function start(
  parts: MailParts & SessionParts,
  user: UserForSignIn,
  { userId, email }: LiveToken,
  origin: Origin,
  now: Date,
): Promise<StartedSession | HalfSignedIn | undefined> {
  const { database, sealer, config, activity } = parts;
  if (user.passwordHash === null) return undefined;
  await verifyEmail(database, userId, email, now);
  const attempt = { accountKey: userId, networkKey: networkKeyOf(sealer, origin.address) };
  const entry = byPassword(userId, { passwordHash: user.passwordHash, attempt });
  const session = await startSession({ database, config, activity }, entry, origin, now);
  // The mailbox stands for the password that was right, and for nothing more (D40).
  return session ?? (user.asksForCode ? new HalfSignedIn(userId, user.passwordHash) : undefined);
}
