// Browser sessions: known by the hash of their id, ended by time, sign-out and whatever ends the account (D28, D32).
import { afterAll, describe, expect, test } from 'vitest';
import { newAccountSecret } from '../../src/oauth/secrets.ts';
import { findAuthorizationFacts } from '../../src/store/authorizations.ts';
import { findSession, type SessionKey } from '../../src/store/sessions.ts';
import { changePassword } from '../../src/store/users.ts';
import {
  createClient,
  createSession,
  createUser,
  keyOf,
  NOW,
  openTestDatabase,
  PASSWORD_HASH,
  rememberConsent,
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

test('without a session of the account, nothing of its consents is read', async () => {
  const userId = await createUser(database);
  const { clientId } = await createClient(database);
  await rememberConsent(database, { userId, clientId, scopes: ['openid'], now: NOW });
  const of = (key: SessionKey) => findAuthorizationFacts(database, clientId, key, NOW);
  const own = await startedSession(userId);
  expect(await of(own)).toMatchObject({ session: { userId }, consentedScopes: ['openid'], epoch: 0 });
  const others = await startedSession(await createUser(database));
  for (const { idHash } of [others, keyOf(newAccountSecret(userId))])
    expect(await of({ userId, idHash })).toMatchObject({
      ...{ session: undefined, consentedScopes: [], epoch: null },
    });
});

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
