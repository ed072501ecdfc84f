// Access of applications on their own account, on the real database: each statement says itself whose it is to say, since an
// application or an API may change hands after a page was read.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { NewApi } from '../../src/store/apis.ts';
import {
  endAllServiceAccess,
  endServiceAccess,
  grantServiceAccess,
  insertServiceAccess,
} from '../../src/store/service-access.ts';
import { insertServiceToken, isServiceTokenLive } from '../../src/store/service-tokens.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

let api: NewApi;
let application: TestApplication;
const service = await startTestService();
const owner = await service.createUser();
const asker = await service.createUser();
const stranger = await service.createUser();
afterAll(() => service.close());
beforeEach(async () => {
  api = await service.createApi({ ownerId: owner.userId });
  application = await service.createApplication({ ownerId: asker.userId });
});

const run = <Result>(
  work: (transaction: Parameters<typeof endAllServiceAccess>[0]) => Promise<Result>,
): Promise<Result> => service.parts.database.transaction(work);
const access = () => ({ apiId: api.apiId, clientId: application.clientId });
let askedAt: Date;
const ask = () => {
  askedAt = service.clock.now();
  const wish = { ...access(), scopes: ['read'], granted: false };
  return run((transaction) => insertServiceAccess(transaction, wish, askedAt));
};
const grant = (by = owner, scopes = ['read'], at = askedAt) =>
  run((transaction) =>
    grantServiceAccess(transaction, by.userId, { ...access(), scopes, askedAt: at }, service.clock.now()),
  );
const end = (by = owner) => run((transaction) => endServiceAccess(transaction, by.userId, access()));

/** Stores a token. @returns whether it is live from now on */
async function token(): Promise<() => Promise<boolean>> {
  const hash = randomBytes(33);
  const now = service.clock.now();
  const { clientId } = application;
  const target = { apiId: api.apiId, lifetime: api.tokenLifetime, scopes: ['read'] };
  const expiresAt = new Date(now.getTime() + 60_000);
  const stored = await insertServiceToken(service.parts.database, { hash, clientId, target, expiresAt }, now);
  expect(stored).toBe(true);
  return () => isServiceTokenLive(service.parts.database, { hash, clientId, scopes: ['read'], now });
}

describe('granting', () => {
  test('is for the owner of the API, once, and of what was asked', async () => {
    await ask();
    for (const by of [asker, stranger]) expect(await grant(by)).toBeUndefined();
    expect(await grant(owner, ['read', 'write'])).toBeUndefined();
    expect(await grant(owner, []), 'of nothing').toBeUndefined();
    expect(await grant(owner, ['read'], new Date(askedAt.getTime() - 1)), 'before').toBeUndefined();
    expect(await grant()).toMatchObject({ apiOwnerId: owner.userId, clientOwnerId: asker.userId });
    expect(await grant(), 'again').toBeUndefined();
  });
});

describe('ending', () => {
  test.each([
    ['API’s', () => owner],
    ['application’s', () => asker],
  ])('is for the %s owner, and takes the tokens with it', async (_, who) => {
    await ask();
    await grant();
    const isLive = await token();
    expect(await end(stranger)).toBeUndefined();
    expect(await isLive()).toBe(true);
    expect(await end(who())).toMatchObject({ granted: true });
    await ask();
    await grant();
    expect(await isLive(), 'granted anew, it brings none back').toBe(false);
  });

  test('of all that an application has: as little comes back', async () => {
    await ask();
    await grant();
    const isLive = await token();
    await run((transaction) => endAllServiceAccess(transaction, application.clientId));
    await ask();
    await grant();
    expect(await isLive()).toBe(false);
  });
});
