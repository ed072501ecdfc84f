// What becomes of accounts, without whoever decides about them.

import type { Queryable } from '../../src/store/database.ts';
import { ACCOUNT_CHANGES } from '../../src/store/moderation.ts';

/** Suspends an account; false when it is so already, or when there is no such account. */
export const suspendUser = (database: Queryable, userId: string, now: Date): Promise<boolean> =>
  ACCOUNT_CHANGES.suspend(database, userId, now);

/** Deletes an account; false when there is none. */
export const deleteUser = (database: Queryable, userId: string): Promise<boolean> =>
  ACCOUNT_CHANGES.delete(database, userId, new Date(0));
