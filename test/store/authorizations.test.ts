// What an authorization request is decided on: application, session and consent, in one statement (D7, D28).
import { afterAll, expect, test } from 'vitest';
import { findAuthorizationFacts } from '../../src/store/authorizations.ts';
import { rememberConsent } from '../../src/store/consents.ts';
import { suspendUser } from '../support/accounts.ts';
import {
  createClient,
  createSession,
  createUser,
  later,
  NOW,
  openTestDatabase,
} from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

test('an expired session, or that of a suspended account, is none; nor does its consent count', async () => {
  const userId = await createUser(database);
  const { clientId } = await createClient(database);
  await rememberConsent(database, { userId, clientId, scopes: ['openid'], now: NOW });
  const session = (await createSession(database, userId, { expiresAt: later(60) })) ?? null;
  const nobody = { session: undefined, consentedScopes: [] };
  expect(await findAuthorizationFacts(database, clientId, session, later(59))).not.toMatchObject(nobody);
  expect(await findAuthorizationFacts(database, clientId, session, later(60))).toMatchObject(nobody);
  await suspendUser(database, userId, NOW);
  expect(await findAuthorizationFacts(database, clientId, session, NOW)).toMatchObject(nobody);
});
