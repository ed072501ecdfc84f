// Browser sessions: known by the hash of their id, ended by time, sign-out and whatever ends the account (D28, D32).
import { afterAll, describe, expect, test } from 'vitest';
import { findSession, type SessionKey } from '../../src/store/sessions.ts';
import { changePassword } from '../../src/store/users.ts';
import {
  createSession,
  createUser,
  NOW,
  openTestDatabase,
  PASSWORD_HASH,
  suspendUser,
} from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

/** The key of a session that was started; a refused start fails the test. */
async function startedSession(userId: string, options = {}): Promise<SessionKey> {
  const key = await createSession(database, userId, options);
  if (key === undefined) throw new Error('no session was started');
  return key;
}

describe('a session is not started when the account changed while the password was checked', () => {
  test('suspended', async () => {
    const userId = await createUser(database);
    await suspendUser(database, userId, NOW);
    expect(await createSession(database, userId)).toBeUndefined();
  });

  test('given another password', async () => {
    const userId = await createUser(database);
    await changePassword(database, userId, 'another hash');
    expect(await createSession(database, userId, { passwordHash: PASSWORD_HASH })).toBeUndefined();
    const key = await startedSession(userId, { passwordHash: 'another hash' });
    expect(await findSession(database, key, NOW)).toBeDefined();
  });
});
