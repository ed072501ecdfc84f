// Giving the password up, and having one again (D43).
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { forgetTokens } from '../store/one-time-tokens.ts';
import { addPassword, removePassword } from '../store/passwordless.ts';
import { holdSession } from '../store/session-locks.ts';
import type { PasswordHasher } from './password-hashing.ts';
import type { Actor } from './second-factor-setup.ts';

/** Takes the password away, with the links by which it could be set. False where fewer than two other ways in are left. */
export const givePasswordUp = (
  { database }: { database: Database },
  { userId, sid, address }: Omit<Actor, 'idHash'>,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return false;
    if (!(await removePassword(transaction, userId))) return false;
    for (const kind of ['reset_password', 'sign_in'] as const) await forgetTokens(transaction, userId, kind);
    await recordEvent(transaction, { kind: 'password_removed', actorId: userId, userId, address }, now);
    return true;
  });

/** Gives an account without a password one. False where it has one by now. */
export async function choosePassword(
  { database, hasher }: { database: Database; hasher: PasswordHasher },
  { userId, sid, address }: Omit<Actor, 'idHash'>,
  password: string,
  now: Date,
): Promise<boolean> {
  const hash = await hasher.hash(password);
  return database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return false;
    if (!(await addPassword(transaction, userId, hash, now))) return false;
    await recordEvent(transaction, { kind: 'password_added', actorId: userId, userId, address }, now);
    return true;
  });
}
