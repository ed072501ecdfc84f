// Creating an account: from the sign-up page, from the command line, and by invitation.

import { randomUUID } from 'node:crypto';
import type { Locale } from '../i18n/index.ts';
import type { Queryable } from '../store/database.ts';
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
