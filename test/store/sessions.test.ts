// Browser session lookup, and the conditions for starting a session.
import { afterAll, describe, expect, test } from 'vitest';
import { newAccountSecret } from '../../src/oauth/secrets.ts';
import { findAuthorizationContext } from '../../src/store/authorization-context.ts';
import { findSession, type SessionKey } from '../../src/store/sessions.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import {
  createClient,
  createSession,
  createUser,
  insertConsent,
  NOW,
  openTestDatabase,
  PASSWORD_HASH,
  parseSessionCookie,
  suspendUser,
} from '../support/store-fixtures.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

/** @throws Error if the session can't be started */
async function startSession(userId: string, options = {}): Promise<SessionKey> {
  const key = await createSession(database, userId, options);
  if (key === undefined) throw new Error('no session was started');
  return key;
}

test('the authorization context includes the consent only for the session’s account', async () => {
  const userId = await createUser(database);
  const { clientId } = await createClient(database);
  await insertConsent(database, { userId, clientId, scopes: ['openid'], now: NOW });
  const findContext = (key: SessionKey) => findAuthorizationContext(database, clientId, key, NOW);
  const session = await startSession(userId);
  expect(await findContext(session)).toMatchObject({
    session: { userId },
    consentedScopes: ['openid'],
    epoch: 0,
  });
  const otherUserSession = await startSession(await createUser(database));
  for (const { idHash } of [otherUserSession, parseSessionCookie(newAccountSecret(userId))])
    expect(await findContext({ userId, idHash })).toMatchObject({
      ...{ session: undefined, consentedScopes: [], epoch: null },
    });
});

describe('createSession', () => {
  test('returns undefined for a suspended account', async () => {
    const userId = await createUser(database);
    await suspendUser(database, userId, NOW);
    expect(await createSession(database, userId)).toBeUndefined();
  });

  test('returns undefined if the password has changed', async () => {
    const userId = await createUser(database);
    await setAccountPassword(database, userId, 'different hash');
    expect(await createSession(database, userId, { passwordHash: PASSWORD_HASH })).toBeUndefined();
    const key = await startSession(userId, { passwordHash: 'different hash' });
    expect(await findSession(database, key, NOW)).toBeDefined();
  });
});
