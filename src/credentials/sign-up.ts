// Creating an account: from the sign-up page, from the command line, and by invitation.

import { randomUUID } from 'node:crypto';
import { carryOut } from '../accounts/moderation.ts';
import type { Config } from '../config.ts';
import type { Locale } from '../i18n/index.ts';
import { mailConfigured } from '../mail/mailer.ts';
import type { Database, Queryable } from '../store/database.ts';
import { holdAllChanges } from '../store/session-locks.ts';
import { findUnverified, lockEmail, lockTokens, lockUnverified } from '../store/unverified-accounts.ts';
import { insertUser } from '../store/users.ts';

export interface Registration {
  email: string;
  name: string;
  /** Hashing takes long: it is done before a transaction begins. */
  passwordHash: string;
  phone?: string | undefined;
  emailVerified?: boolean | undefined;
  operator?: boolean | undefined;
  locale?: Locale | undefined;
  invited?: boolean | undefined;
}

/**
 * Creates an account from fields that were found good.
 * @returns its `sub`, or undefined when the email is taken
 */
export async function createAccount(
  database: Queryable,
  registration: Registration,
  now: Date,
): Promise<{ userId: string } | undefined> {
  const userId = randomUUID();
  const created = await insertUser(
    database,
    {
      id: userId,
      email: registration.email,
      name: registration.name,
      phone: registration.phone ?? null,
      emailVerified: registration.emailVerified ?? false,
      passwordHash: registration.passwordHash,
      operator: registration.operator ?? false,
      locale: registration.locale ?? null,
      invited: registration.invited ?? false,
    },
    now,
  );
  return created ? { userId } : undefined;
}

export type SignedUp =
  | { outcome: 'created'; userId: string }
  /** The email belongs to an account. */
  | { outcome: 'taken' }
  /** The same, but nobody has verified it: a link sent there takes the account over. */
  | { outcome: 'unverified' };

/**
 * Creates an account for somebody who signs up. An unverified account does not block the owner of its email address: it is
 * replaced under another `sub` if nothing depends on it. Otherwise anybody could delete what its owner uses, so it takes a mailed
 * link. Without a mail server no address is ever verified, and nothing is replaced.
 */
export async function signUp(
  { database, config }: { database: Database; config: Pick<Config, 'smtpUrl'> },
  registration: Registration,
  from: { address: string },
  now: Date,
): Promise<SignedUp> {
  const created = await createAccount(database, registration, now);
  if (created !== undefined) return { outcome: 'created', ...created };
  if (!mailConfigured(config)) return { outcome: 'taken' };
  return database.transaction(async (transaction): Promise<SignedUp> => {
    await lockEmail(transaction, registration.email);
    const userId = await findUnverified(transaction, registration.email);
    if (userId === undefined) return { outcome: 'taken' };
    // In this order everywhere: links and codes, sessions, account.
    await lockTokens(transaction, userId);
    await holdAllChanges(transaction, userId);
    const present = await lockUnverified(transaction, userId);
    if (present === undefined || present.suspended) return { outcome: 'taken' };
    if (!present.replaceable) return { outcome: 'unverified' };
    await carryOut(transaction, 'delete', present, { address: from.address, reason: REPLACED }, now);
    const replacing = await createAccount(transaction, registration, now);
    return replacing === undefined ? { outcome: 'taken' } : { outcome: 'created', ...replacing };
  });
}

/** What the audit log says of an account that another one has replaced. */
const REPLACED = 'unverified, and replaced by a sign-up with the same email';
