// Consents: remembered, growing, withdrawn and given again (D7, D28).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAuthorizationFacts } from '../../src/store/authorizations.ts';
import { listConsents, rememberConsent, withdrawConsent } from '../../src/store/consents.ts';
import type { Database } from '../../src/store/database.ts';
import { deleteClient } from '../support/applications.ts';
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
  test('nothing is agreed to before the first time, then what was', async () => {
    const { agree, agreed } = await pair();
    expect(await agreed()).toEqual([]);
    expect(await agree(['openid', 'profile'])).toBe(0);
    expect(await agreed()).toEqual(['openid', 'profile']);
  });

  test('a later consent adds its scopes, once each; fewer take nothing away', async () => {
    const { agree, agreed, row } = await pair();
    await agree(['openid', 'profile']);
    await agree(['openid', 'email'], later(60));
    expect(await agreed()).toEqual(['email', 'openid', 'profile']);
    await agree(['openid'], later(90));
    expect(await agreed()).toEqual(['email', 'openid', 'profile']);
    // Growth kills nothing: the epoch stands.
    expect(await row()).toEqual({ epoch: 0, grantedAt: later(90), withdrawnAt: null });
  });

  test('two consents at once both count', async () => {
    const { agree, agreed } = await pair();
    await Promise.all([agree(['openid']), agree(['profile']), agree(['email'])]);
    expect(await agreed()).toEqual(['email', 'openid', 'profile']);
  });

  test('it is of one person and one application', async () => {
    const one = await pair();
    const other = await pair(one.userId);
    await one.agree(['openid']);
    expect(await other.agreed()).toEqual([]);
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

describe('withdrawing (D28)', () => {
  test('nothing is agreed to any more, and the epoch counts up', async () => {
    const { agree, agreed, withdraw, row } = await pair();
    await agree(['openid', 'profile']);
    expect(await withdraw(later(60))).toBe(true);
    expect(await agreed()).toEqual([]);
    expect(await row()).toEqual({ epoch: 1, grantedAt: NOW, withdrawnAt: later(60) });
  });

  test('what is not there or already withdrawn: false, the epoch stands', async () => {
    const { agree, withdraw, row } = await pair();
    expect(await withdraw()).toBe(false);
    await agree(['openid']);
    await withdraw();
    expect(await withdraw(later(60))).toBe(false);
    expect(await row()).toMatchObject({ epoch: 1, withdrawnAt: NOW });
  });

  test('given again: only the scopes of the new consent, the epoch is not taken back', async () => {
    const { agree, agreed, withdraw, row } = await pair();
    await agree(['openid', 'profile', 'email']);
    await withdraw();
    await agree(['openid'], later(60));
    expect(await agreed()).toEqual(['openid']);
    expect(await row()).toEqual({ epoch: 1, grantedAt: later(60), withdrawnAt: null });
  });
});

describe('listing', () => {
  test('those in force, latest first, with what the application is recognised by', async () => {
    const first = await pair();
    const second = await pair(first.userId);
    await first.agree(['openid'], NOW);
    await second.agree(['openid', 'email'], later(60));
    const application = {
      applicationName: 'Carnet',
      redirectUris: ['https://client.example/callback'],
      lastUsedAt: null,
      agent: false,
      apis: [],
    };
    expect(await listConsents(database, first.userId)).toEqual([
      { ...application, clientId: second.clientId, scopes: expect.any(Array), grantedAt: later(60) },
      { ...application, clientId: first.clientId, scopes: ['openid'], grantedAt: NOW },
    ]);
  });

  test('neither withdrawn ones, nor those of deleted applications or other people', async () => {
    const withdrawn = await pair();
    const deleted = await pair(withdrawn.userId);
    const stranger = await pair();
    for (const { agree } of [withdrawn, deleted, stranger]) await agree(['openid']);
    await withdrawn.withdraw();
    await deleteClient(database, deleted.clientId);
    expect(await listConsents(database, withdrawn.userId)).toEqual([]);
    expect(await listConsents(database, stranger.userId)).toHaveLength(1);
  });
});
