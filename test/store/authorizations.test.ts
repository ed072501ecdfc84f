// What an authorization request is decided on: application, session and consent, in one statement (D7, D28).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAuthorizationFacts } from '../../src/store/authorizations.ts';
import { rememberConsent } from '../../src/store/consents.ts';
import type { Database } from '../../src/store/database.ts';
import { suspendUser } from '../support/accounts.ts';
import {
  createClient,
  createSession,
  createUser,
  later,
  NOW,
  openTestDatabase,
  sql,
} from '../support/populate.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

test('a stranger’s request: the application alone', async () => {
  const { clientId } = await createClient(database, { scopes: ['openid'], standard: true });
  for (const hash of [null, Buffer.alloc(32)])
    expect(await findAuthorizationFacts(database, clientId, hash, NOW)).toEqual({
      client: {
        clientId,
        name: 'Carnet',
        type: 'confidential',
        redirectUris: ['https://client.example/callback'],
        scopes: ['openid'],
        standard: true,
        parRequired: false,
        pkceRequired: false,
        secondFactorRequired: false,
      },
      session: undefined,
      consentedScopes: [],
      apis: [],
      epoch: null,
    });
});

test('a signed-in person’s request: their session and what they agreed to', async () => {
  const userId = await createUser(database, { name: 'Zoé', email: 'zoe@facts.example' });
  const { clientId } = await createClient(database);
  await rememberConsent(database, { userId, clientId, scopes: ['openid'], now: NOW });
  const session = (await createSession(database, userId)) ?? null;
  const facts = await findAuthorizationFacts(database, clientId, session, NOW);
  expect(facts?.session).toMatchObject({ userId, name: 'Zoé', email: 'zoe@facts.example', authTime: NOW });
  expect(facts?.client.name).toBe('Carnet');
  expect(facts?.consentedScopes).toEqual(['openid']);
  expect(facts?.epoch).toBe(0);
  for (const [n, raised] of [
    `update consents set epoch = epoch + 1 where client_id = '${clientId}'`,
    `update clients set epoch = epoch + 1 where client_id = '${clientId}'`,
  ].entries()) {
    await sql(database, raised);
    expect((await findAuthorizationFacts(database, clientId, session, NOW))?.epoch).toBe(n + 1);
  }
});

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

test('an unknown or suspended application: undefined (D1)', async () => {
  const { clientId } = await createClient(database);
  expect(await findAuthorizationFacts(database, 'app_nobody', null, NOW)).toBeUndefined();
  await sql(database, 'update clients set suspended_at = $2::timestamptz where client_id = $1::text', [
    clientId,
    NOW,
  ]);
  expect(await findAuthorizationFacts(database, clientId, null, NOW)).toBeUndefined();
});
