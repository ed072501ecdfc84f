// What operators decide, on the real database: changed once, written down once, and somebody is always left who can.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { moderateAccount, moderateThing } from '../../src/accounts/moderation.ts';
import { insertApi, type NewApi } from '../../src/store/apis.ts';
import { type Database, openDatabase, type Queryable } from '../../src/store/database.ts';
import { changeThing, lockAccount, lockOperators } from '../../src/store/moderation.ts';
import { insertServiceToken, isServiceTokenLive } from '../../src/store/service-tokens.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';
import { grantServiceAccess } from '../support/service-access.ts';

let url: string;
let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ url, database, close } = await openTestDatabase());
});
afterEach(() => close());

const NOBODY = '00000000-0000-4000-8000-000000000000';
const operators = async () =>
  (await sql(database, 'select id from users where operator and suspended_at is null')).map(({ id }) => id);
const kinds = async () =>
  (await sql(database, 'select kind from events order by id')).map(({ kind }) => kind);

describe('somebody must be left who can act', () => {
  test.each(['suspend', 'revoke', 'delete'] as const)(
    'the last operator cannot be lost by %s, from nowhere',
    async (action) => {
      const last = await createUser(database, { operator: true });
      const suspended = await createUser(database, { operator: true });
      await moderateAccount(database, 'suspend', suspended, {}, NOW);
      expect(await moderateAccount(database, action, last, {}, NOW)).toBe('lastOperator');
      expect(await operators()).toEqual([last]);
      expect(await kinds()).toEqual(['account_suspended']);
      // A suspended one is none to lose, and does not count as one who is left.
      expect(await moderateAccount(database, action, suspended, {}, NOW)).toBe(
        action === 'suspend' ? 'unchanged' : 'done',
      );
    },
  );

  test.each(['suspend', 'revoke', 'delete'] as const)(
    'two who %s each other at once, from two processes: one stays',
    async (action) => {
      const elsewhere = openDatabase(url, 2);
      try {
        for (let round = 0; round < 10; round += 1) {
          await sql(database, 'delete from users');
          const [a, b] = [
            await createUser(database, { operator: true }),
            await createUser(database, { operator: true }),
          ];
          const outcomes = await Promise.all([
            moderateAccount(database, action, b, { userId: a }, NOW),
            moderateAccount(elsewhere, action, a, { userId: b }, NOW),
          ]);
          expect(outcomes.toSorted()).toEqual(['done', 'notOperator']);
          expect(await operators()).toHaveLength(1);
        }
      } finally {
        await elsewhere.close();
      }
    },
  );
});

test('everything is done once and written down once', async () => {
  await createUser(database, { operator: true });
  const userId = await createUser(database);
  const { clientId } = await createClient(database, { ownerId: userId });
  for (const [action, kind] of [
    ['suspend', 'account_suspended'],
    ['unsuspend', 'account_unsuspended'],
    ['grant', 'operator_granted'],
    ['revoke', 'operator_revoked'],
  ] as const) {
    expect(await moderateAccount(database, action, userId, {}, NOW)).toBe('done');
    expect(await moderateAccount(database, action, userId, {}, later(60))).toBe('unchanged');
    expect((await kinds()).at(-1)).toBe(kind);
  }
  for (const [action, kind] of [
    ['suspend', 'application_suspended'],
    ['unsuspend', 'application_unsuspended'],
    ['verify', 'application_verified'],
    ['unverify', 'application_unverified'],
  ] as const) {
    expect(await moderateThing(database, 'application', action, clientId, {}, NOW)).toBe('done');
    expect(await moderateThing(database, 'application', action, clientId, {}, later(60))).toBe('unchanged');
    expect((await kinds()).at(-1)).toBe(kind);
  }
  expect(await kinds()).toHaveLength(8);
  expect(await moderateAccount(database, 'delete', userId, {}, NOW)).toBe('done');
  expect(await moderateAccount(database, 'delete', userId, {}, NOW)).toBe('gone');
  expect(await moderateAccount(database, 'suspend', NOBODY, {}, NOW)).toBe('gone');
  expect(await moderateThing(database, 'application', 'verify', 'app_nobody', {}, NOW)).toBe('unchanged');
  expect((await kinds()).slice(8), 'its application goes with it').toEqual([
    'application_deleted',
    'account_deleted',
  ]);
});

test('suspending moves the epoch of account or application on, so that what has died stays dead (D28)', async () => {
  await createUser(database, { operator: true });
  const userId = await createUser(database);
  const { clientId } = await createClient(database, { ownerId: userId });
  await moderateAccount(database, 'suspend', userId, {}, NOW);
  await moderateAccount(database, 'unsuspend', userId, {}, NOW);
  await moderateAccount(database, 'end', userId, {}, NOW);
  await moderateThing(database, 'application', 'suspend', clientId, {}, NOW);
  await moderateThing(database, 'application', 'unsuspend', clientId, {}, NOW);
  expect(await sql(database, 'select epoch from users where id = $1', [userId])).toEqual([{ epoch: 2 }]);
  expect(await sql(database, 'select epoch from clients')).toEqual([{ epoch: 1 }]);
});

describe('an application asks for a token of its own and is suspended at the same moment', () => {
  let clientId: string;
  const hash = randomBytes(32);
  const target = { apiId: 'api_1', lifetime: 600, scopes: ['read'] };
  const store = (queryable: Queryable) =>
    insertServiceToken(queryable, { hash, clientId, target, expiresAt: later(60) }, NOW);
  const isLive = () => isServiceTokenLive(database, { hash, clientId, scopes: target.scopes, now: NOW });
  beforeEach(async () => {
    ({ clientId } = await createClient(database));
    const scope = { name: 'read', fr: 'Lire', en: 'Read', sensitive: false, agents: false };
    const api = {
      apiId: target.apiId,
      ownerId: await createUser(database),
      identifier: 'https://api.example/',
      name: 'Archives',
      wordsFr: 'Vos documents.',
      wordsEn: 'Your documents.',
      scopes: [scope],
      tokenLifetime: target.lifetime,
      admits: 'applications',
    } as const satisfies NewApi;
    await insertApi(database, api, NOW);
    await grantServiceAccess(database, target, { clientId }, ['read'], NOW);
  });

  test('the token comes first: it is dead, also when the suspension is lifted', async () => {
    await database.transaction(async (transaction) => {
      expect(await store(transaction)).toBe(true);
      expect(await moderateThing(database, 'application', 'suspend', clientId, {}, NOW)).toBe('done');
    });
    expect(await isLive()).toBe(false);
    expect(await moderateThing(database, 'application', 'unsuspend', clientId, {}, NOW)).toBe('done');
    expect(await isLive()).toBe(false);
  });

  test('the suspension comes first: so is it', async () => {
    await database.transaction(async (transaction) => {
      await changeThing(transaction, 'application', 'suspend', clientId, NOW);
      expect(await store(database)).toBe(true);
      expect(await isLive()).toBe(true);
    });
    expect(await isLive()).toBe(false);
    await moderateThing(database, 'application', 'unsuspend', clientId, {}, NOW);
    expect(await isLive()).toBe(false);
  });
});

test('locks: the operators who can act in the order of their ids, and an account with what it owns', async () => {
  const both = [
    await createUser(database, { operator: true }),
    await createUser(database, { operator: true }),
  ];
  const userId = await createUser(database, { email: 'Lock@me.example', name: 'Lock' });
  await createClient(database, { ownerId: userId });
  await database.transaction(async (transaction) => {
    expect(await lockOperators(transaction)).toEqual(both.toSorted());
    expect(await lockAccount(transaction, userId)).toEqual({
      email: 'Lock@me.example',
      name: 'Lock',
      applications: 1,
      apis: 0,
    });
    expect(await lockAccount(transaction, NOBODY)).toBeUndefined();
  });
});
