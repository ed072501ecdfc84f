// Creating an account: from the sign-up page, from the command line, and by invitation.

import { randomUUID } from 'node:crypto';
import { carryOut } from '../accounts/moderation.ts';
import type { Config } from '../config.ts';
import type { Locale } from '../i18n/index.ts';
import { mailConfigured } from '../mail/mailer.ts';
import { type Database, type Queryable, rollback } from '../store/database.ts';
import { lockAccount } from '../store/moderation.ts';
import { NO_USER } from '../store/no-user.ts';
import { holdAllChanges } from '../store/session-locks.ts';
import { type OneUse, runOnce } from '../store/spent-tokens.ts';
import { lockTokens } from '../store/unverified-accounts.ts';
import { findUserByEmail, insertUser } from '../store/users.ts';

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
 * Creates an account from valid fields, in a transaction.
 * @returns its `sub`, or undefined when the email is taken
 */
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
      operator: registration.operator ?? false,
      locale: registration.locale ?? null,
      invited: registration.invited ?? false,
    },
    now,
  );
  return created ? { userId } : undefined;
}

export type SignedUp =
  /** @param again by an earlier use of the form */
  | { outcome: 'created'; userId: string; again?: boolean }
  /** The email belongs to an account. */
  | { outcome: 'taken' }
  /** The same, but nobody has verified it: a link sent there takes the account over. */
  | { outcome: 'unverified' };

/**
 * Creates an account for somebody who signs up, once for each form. An unverified account does not block the owner of its email
 * address: it is replaced under another `sub` if nothing depends on it. Otherwise anybody could delete what its owner uses, so it
 * takes a mailed link. Without a mail server no address is ever verified, and nothing is replaced.
 */
export const signUp = (
  { database, config }: { database: Database; config: Pick<Config, 'smtpUrl'> },
  registration: Registration,
  from: { address: string; token: OneUse },
  now: Date,
): Promise<SignedUp> =>
  database.transaction(async (transaction): Promise<SignedUp> => {
    const { again, result } = await runOnce(transaction, from.token, now, async (): Promise<SignedUp> => {
      const created = await createAccount(transaction, registration, now);
      if (created !== undefined) return { outcome: 'created', ...created };
      if (!mailConfigured(config)) return { outcome: 'taken' };
      const { userId = NO_USER, emailVerified } =
        (await findUserByEmail(transaction, registration.email)) ?? {};
      if (emailVerified) return { outcome: 'taken' };
      // In this order everywhere: links and codes, sessions, account.
      await lockTokens(transaction, userId);
      await holdAllChanges(transaction, userId);
      // Undefined if it was deleted, or replaced by another sign-up, while this one waited.
      const present = await lockAccount(transaction, userId);
      if (present?.emailVerified || present?.suspended) return { outcome: 'taken' };
      if (present?.replaceable === false) return { outcome: 'unverified' };
      if (present !== undefined)
        await carryOut(
          transaction,
          'delete',
          { ...present, userId },
          { address: from.address, reason: REPLACED },
          now,
        );
      const replacing = await createAccount(transaction, registration, now);
      return replacing === undefined ? { outcome: 'taken' } : { outcome: 'created', ...replacing };
    });
    // Anonymous users store nothing with a form that is refused.
    if (result.outcome !== 'created') return rollback(result);
    return { ...result, ...(again && { again }) };
  });

/** What the audit log says of an account that another one has replaced. */
const REPLACED = 'unverified, and replaced by a sign-up with the same email';
