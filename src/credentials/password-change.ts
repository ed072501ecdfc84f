// Sets, changes, resets and removes passwords.
import { mayMail } from '../accounts/limits.ts';
import { type InSession, notifyWithin } from '../accounts/notifications.ts';
import type { Locale } from '../i18n/index.ts';
import type { ResetWish } from '../mail/envelope.ts';
import { issueToken, type MailParts } from '../mail/links.ts';
import type { Writer } from '../mail/mailer.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import {
  findContact,
  findMailboxByEmail,
  notePassword,
  replacePassword,
  verifyEmail,
} from '../store/credentials.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { recordOwnEvent } from '../store/events.ts';
import {
  forgetTokens,
  holdNotices,
  type MailedLink,
  settleFormerMailboxes,
  type TokenDetail,
  useToken,
} from '../store/one-time-tokens.ts';
import { addPassword, removePassword } from '../store/passwordless.ts';
import { holdAllChanges, holdSession, requireSession } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';
import { revokeAllOfUnverified } from '../store/unverified-accounts.ts';
import { findUserForSignIn, forgetBrowsers, changePassword as setPassword } from '../store/users.ts';
import type { PasswordHasher } from './password-hashing.ts';
import { delayFactorReset } from './second-factor-reset.ts';
import type { Actor } from './second-factor-setup.ts';
import {
  byPassword,
  type Origin,
  type SessionParts,
  type StartedSession,
  startSession,
} from './session-start.ts';
import { HalfSignedIn } from './sign-in.ts';

type Parts = MailParts & SessionParts & { hasher: PasswordHasher };

/**
 * Changes a password whose present hash was just verified, and goes on in a new session, which has shown what this one had, and when.
 * @returns the new session, or undefined when the password was changed by somebody else meanwhile
 * @throws OAuthError `access_denied` when the session is over
 */
export async function changePassword(
  parts: Parts,
  session: Omit<Actor, 'address'> & { passwordHash: string; methods: readonly Method[]; fullyProvenAt: Date },
  password: string,
  origin: Origin,
  now: () => Date,
): Promise<StartedSession | undefined> {
  const { userId, sid, passwordHash, methods, fullyProvenAt, idHash, since, locale } = session;
  const hash = await parts.hasher.hash(password);
  const changed = await parts.database.transaction(async (transaction) => {
    // Before the account itself, as whatever its sessions are changing does.
    await holdAllChanges(transaction, userId);
    await requireSession(transaction, { userId, sid }, now());
    if (!(await replacePassword(transaction, userId, passwordHash, hash))) return false;
    await endSessions(transaction, userId, now());
    await forgetBrowsers(transaction, userId);
    await notePassword(transaction, userId, now());
    const { address, userAgent } = origin;
    await recordOwnEvent(transaction, { kind: 'password_changed', userId, address }, now());
    const alert = { kind: 'password_changed', account: userId, address, userAgent, since, locale } as const;
    await notifyWithin(parts, transaction, alert, now());
    return true;
  });
  if (!changed) return undefined;
  parts.mailer.wake();
  const proof = { by: 'change', passwordHash: hash, fullyProvenAt, endedIdHash: idHash } as const;
  return startSession(parts, { userId, proof, methods }, origin, now());
}

/**
 * Has a link sent to whoever has an account with this address. The wish alone is written before the answer, the same for
 * everybody: the answer neither says nor shows by its time whether there is an account.
 * @param returnTo where the person was going, to arrive there afterwards
 */
export function askForReset(
  parts: Pick<MailParts, 'mailer'>,
  { email, locale, returnTo }: { email: string; locale: Locale; returnTo: TokenDetail },
): Promise<void> {
  return parts.mailer.send({ kind: 'wish', what: 'reset_password', email, locale, returnTo });
}

/** Writes it to whoever has the address; nobody is told that nobody has it. */
export async function writeReset(
  parts: Pick<MailParts, 'config' | 'database' | 'sealer'>,
  { email, locale, returnTo }: ResetWish,
  now: Date,
): ReturnType<Writer> {
  const mailbox = await findMailboxByEmail(parts.database, email);
  if (mailbox === undefined || !(await mayMail(parts, mailbox.email, now))) return undefined;
  const { userId, name, emailVerified } = mailbox;
  const to = { name: emailVerified ? name : '', email: mailbox.email };
  const letter = { to, locale: mailbox.locale ?? locale };
  if (!mailbox.resettable)
    return async () => ({
      kind: 'without_password',
      ...letter,
      link: `${parts.config.baseUrl}/signin/recovery`,
    });
  const token = { kind: 'reset_password', userId, email: mailbox.email, detail: returnTo } as const;
  return async (transaction) => ({
    kind: 'reset_password',
    ...letter,
    link: (await issueToken(parts, transaction, token, now)).link,
  });
}

const EVENTS = {
  reset_password: 'password_reset',
  verify_email: 'password_reset',
  invitation: 'invitation_accepted',
} as const;

export type PasswordLink = keyof typeof EVENTS;

/**
 * Sets a new password by the link that was sent, and signs in. Sessions and tokens end; consents stay. The link also verifies the
 * email address, and if that was unverified, everything set up before ends, because somebody else may have done it.
 * @returns the new session and where the person was going, or undefined when the link is not good any more
 */
export async function resetPassword(
  parts: Parts,
  { kind, link }: { kind: PasswordLink; link: MailedLink },
  password: string,
  origin: Origin & Pick<InSession, 'locale'>,
  now: () => Date,
): Promise<{ session: StartedSession | HalfSignedIn; returnTo: TokenDetail } | undefined> {
  const { database } = parts;
  const passwordHash = await parts.hasher.hash(password);
  const token = await database.transaction(async (transaction) => {
    await holdNotices(transaction, link);
    const used = await useToken(transaction, link, [kind], now());
    if (used === undefined) return undefined;
    const { userId, email } = used;
    await holdAllChanges(transaction, userId);
    // An account that gave its password up doesn't get one back by email.
    if (!(await findContact(transaction, userId))?.resettable) return rollback(undefined);
    await endSessions(transaction, userId, now());
    const wasUnverified = await revokeAllOfUnverified(transaction, userId, now());
    await setPassword(transaction, userId, passwordHash);
    await notePassword(transaction, userId, now());
    await forgetBrowsers(transaction, userId);
    await delayFactorReset(transaction, userId, now());
    if (!(await verifyEmail(transaction, userId, email, now()))) return rollback(undefined);
    await settleFormerMailboxes(transaction, userId, email, now());
    const { address, userAgent, locale } = origin;
    await recordOwnEvent(transaction, { kind: EVENTS[kind], userId, address }, now());
    if (wasUnverified && kind !== 'invitation')
      await recordOwnEvent(transaction, { kind: 'email_verified', userId, address }, now());
    const alert = { kind: 'password_reset', account: userId, address, userAgent, locale } as const;
    if (!used.invited) await notifyWithin(parts, transaction, alert, now());
    return used;
  });
  if (token === undefined) return undefined;
  parts.mailer.wake();
  const { userId, email, detail: returnTo } = token;
  const entry = byPassword(userId, { passwordHash });
  const session = await startSession(parts, entry, origin, now());
  // The mailbox gives back the password and nothing else (D40).
  if (session === undefined && (await findUserForSignIn(database, email))?.asksForCode)
    return { session: new HalfSignedIn(userId, passwordHash), returnTo };
  return session && { session, returnTo };
}

/** Removes the password in a transaction, with the links that could set it. Returns false if it would leave fewer than two ways in. */
export async function givePasswordUp(
  transaction: Queryable,
  { userId, sid, address }: Omit<Actor, 'idHash'>,
  now: Date,
): Promise<boolean> {
  if (!(await holdSession(transaction, { userId, sid }, now))) return false;
  if (!(await removePassword(transaction, userId))) return false;
  for (const kind of ['reset_password', 'sign_in'] as const) await forgetTokens(transaction, userId, kind);
  await recordOwnEvent(transaction, { kind: 'password_removed', userId, address }, now);
  return true;
}

/** Gives an account without a password one. False where it has one by now. */
export async function choosePassword(
  parts: MailParts & { hasher: PasswordHasher },
  { userId, sid, address, ...inSession }: Omit<Actor, 'idHash'>,
  password: string,
  now: Date,
): Promise<boolean> {
  const hash = await parts.hasher.hash(password);
  const added = await parts.database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return false;
    if (!(await addPassword(transaction, userId, hash, now))) return false;
    await recordOwnEvent(transaction, { kind: 'password_added', userId, address }, now);
    const alert = { kind: 'password_added', account: userId, address, ...inSession } as const;
    await notifyWithin(parts, transaction, alert, now);
    return true;
  });
  parts.mailer.wake();
  return added;
}
