// Consents: remembered, growing, withdrawn and given again (D7, D28).
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { findAuthorizationFacts } from '../../src/store/authorizations.ts';
import { rememberConsent, withdrawConsent } from '../../src/store/consents.ts';
import { createClient, createSession, createUser, NOW, openTestDatabase, sql } from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

/** A person in front of a browser, and an application that asks. */
async function pair(userId?: string) {
  const id = userId ?? (await createUser(database));
  const { clientId } = await createClient(database);
  const session = (await createSession(database, id)) ?? null;
  return {
    userId: id,
    clientId,
    agree: (scopes: string[], now = NOW) => rememberConsent(database, { userId: id, clientId, scopes, now }),
    withdraw: (now = NOW) => withdrawConsent(database, id, clientId, now),
    agreed: async () =>
      (await findAuthorizationFacts(database, clientId, session, NOW))?.consentedScopes.toSorted(),
    row: async () =>
      (
        await sql(
          database,
          `select epoch, granted_at as "grantedAt", withdrawn_at as "withdrawnAt" from consents
          where user_id = $1::uuid and client_id = $2::text`,
          [id, clientId],
        )
      )[0],
  };
}

describe('remembering (D7)', () => {
  test('two consents at once both count', async () => {
    const { agree, agreed } = await pair();
    await Promise.all([agree(['openid']), agree(['profile']), agree(['email'])]);
    expect(await agreed()).toEqual(['email', 'openid', 'profile']);
  });

  test('undefined when the account or the application is gone', async () => {
    const { userId, clientId } = await pair();
    const scopes = ['openid'];
    expect(
      await rememberConsent(database, { userId: randomUUID(), clientId, scopes, now: NOW }),
    ).toBeUndefined();
    expect(
      await rememberConsent(database, { userId, clientId: 'app_nobody', scopes, now: NOW }),
    ).toBeUndefined();
  });
});
