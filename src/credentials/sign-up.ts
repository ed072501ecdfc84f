// Creates accounts for sign-ups, invitations and the command line.

import { randomUUID } from 'node:crypto';
import { applyAccountAction } from '../accounts/moderation.ts';
import type { Config } from '../config.ts';
import type { Locale } from '../i18n/index.ts';
import { isMailConfigured } from '../mail/delivery.ts';
import { lockAccount } from '../store/admin-actions.ts';
import { recordOwnEvent } from '../store/audit-log.ts';
import { type Database, type Queryable, rollback } from '../store/database.ts';
import { emailKey } from '../store/emails.ts';
import { linkIdentity, type NewIdentity } from '../store/external-identities.ts';
import { lockProvider } from '../store/identity-providers.ts';
import { NIL_USER_ID } from '../store/nil-user-id.ts';
import { lockAccountChanges } from '../store/session-locks.ts';
import { lockOneTimeTokens } from '../store/unverified-accounts.ts';
import { runOnce, type SingleUseToken } from '../store/used-tokens.ts';
import { findUserByEmail, insertUser } from '../store/users.ts';
import { describeIdentity } from './linked-identities.ts';

export interface Registration {
  email: string;
  name: string;
  /** Null if the account has no password. Hash before the transaction because hashing is slow. */
  passwordHash: string | null;
  phone?: string | undefined;
  emailVerified?: boolean | undefined;
  isAdmin?: boolean | undefined;
  locale?: Locale | undefined;
  invited?: boolean | undefined;
}

/** @returns undefined if the email address is taken */
export async function createAccount(
  transaction: Queryable,
  registration: Registration,
  now: Date,
): Promise<{ userId: string } | undefined> {
  const userId = randomUUID();
  const created = await insertUser(
    transaction,
    {
      id: userId,
      email: registration.email,
      name: registration.name,
      phone: registration.phone ?? null,
      emailVerified: registration.emailVerified ?? false,
      passwordHash: registration.passwordHash,
      isAdmin: registration.isAdmin ?? false,
      locale: registration.locale ?? null,
      invited: registration.invited ?? false,
    },
    now,
  );
  return created ? { userId } : undefined;
}

export type SignUpOutcome =
  | { outcome: 'created'; userId: string; isRepeat?: boolean }
  | { outcome: 'taken' }
  | { outcome: 'identityRefused' }
  /** An unverified account has the email address. An emailed link lets the user set a new password. */
  | { outcome: 'unverified' };

/**
 * Signs a user up, at most once per form. The new account replaces an unused unverified account with the same
 * address. If that account may be in use, the user needs an emailed link (ADR 21). Without a mail server, accounts
 * stay unverified and none is replaced.
 * @param identity linked to the new account in the same transaction
 */
export const signUp = (
  { database, config }: { database: Database; config: Pick<Config, 'smtpUrl'> },
  registration: Registration,
  { ip, token }: { ip: string; token: SingleUseToken },
  now: Date,
  identity?: NewIdentity,
): Promise<SignUpOutcome> =>
  database.transaction(async (transaction): Promise<SignUpOutcome> => {
    const { isRepeat, result } = await runOnce(transaction, token, now, async (): Promise<SignUpOutcome> => {
      const created = await createAccount(transaction, registration, now);
      if (created !== undefined) return linkNewIdentity(transaction, created, identity, ip, now);
      if (!isMailConfigured(config)) return { outcome: 'taken' };
      const { userId = NIL_USER_ID, emailVerified } =
        (await findUserByEmail(transaction, registration.email)) ?? {};
      if (emailVerified) return { outcome: 'taken' };
      // Lock links and codes before sessions, and sessions before the account, to prevent deadlocks.
      await lockOneTimeTokens(transaction, userId);
      await lockAccountChanges(transaction, userId);
      // The account may have been deleted or changed before this transaction got the lock.
      const locked = await lockAccount(transaction, userId);
      const hasAddress = locked !== undefined && emailKey(locked.email) === emailKey(registration.email);
      const existing = hasAddress ? locked : undefined;
      if (existing?.emailVerified || existing?.suspended) return { outcome: 'taken' };
      if (existing?.isReplaceable === false) return { outcome: 'unverified' };
      if (existing !== undefined)
        await applyAccountAction(
          transaction,
          'delete',
          { ...existing, userId },
          { ip, reason: DELETION_REASON },
          now,
        );
      const replacement = await createAccount(transaction, registration, now);
      return replacement === undefined
        ? { outcome: 'taken' }
        : linkNewIdentity(transaction, replacement, identity, ip, now);
    });
    // The rollback also restores the form's single-use token.
    if (result.outcome !== 'created') return rollback(result);
    return { ...result, ...(isRepeat && { isRepeat }) };
  });

async function linkNewIdentity(
  transaction: Queryable,
  { userId }: { userId: string },
  identity: NewIdentity | undefined,
  ip: string,
  now: Date,
): Promise<SignUpOutcome> {
  if (identity === undefined) return { outcome: 'created', userId };
  const provider = await lockProvider(transaction, identity.providerId);
  if (provider === undefined || provider.disabledAt !== null) return { outcome: 'identityRefused' };
  if (!(await linkIdentity(transaction, userId, identity, now))) return { outcome: 'identityRefused' };
  const detail = { name: describeIdentity(provider.name, identity.label) };
  await recordOwnEvent(transaction, { kind: 'identity_linked', userId, ip, detail }, now);
  return { outcome: 'created', userId };
}

const DELETION_REASON = 'unverified, and replaced by a sign-up with the same email address';
