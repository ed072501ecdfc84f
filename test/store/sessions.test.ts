// Browser sessions: known by the hash of their id, ended by time, sign-out and whatever ends the account (D28, D32).
import { afterAll, describe, expect, test } from 'vitest';
import { findSession } from '../../src/store/sessions.ts';
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

/** The hash of a session that was started; a refused start fails the test. */
async function startedSession(userId: string, options = {}): Promise<Buffer> {
  const idHash = await createSession(database, userId, options);
  if (idHash === undefined) throw new Error('no session was started');
  return idHash;
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
    const idHash = await startedSession(userId, { passwordHash: 'another hash' });
    expect(await findSession(database, idHash, NOW)).toBeDefined();
  });
});
