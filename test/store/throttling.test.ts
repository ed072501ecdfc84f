// Counts of attempts, which throttle the next one and never lock an account, and rate limits.

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { hashUuid } from '../../src/oauth/uuid.ts';
import { pruneExpired } from '../../src/store/pruning.ts';
import {
  countAttempt,
  forgetAttempts,
  returnToLimit,
  settleSignInAttempt,
  takeFromLimit,
} from '../../src/store/throttling.ts';
import { findUserForSignIn } from '../../src/store/users.ts';
import { createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const newKey = () => hashUuid(randomBytes(32));
const before = async (key: string, now = NOW) => (await countAttempt(database, key, now)).before;

test('simultaneous attempts see each other: no two get the same number', async () => {
  const key = newKey();
  const numbers = await Promise.all(Array.from({ length: 20 }, () => before(key)));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

test('a count drains by one in 30 seconds, from 40 at most', async () => {
  const key = newKey();
  for (let i = 0; i < 5; i += 1) expect(await before(key)).toBe(i);
  expect(await before(key, later(29.999))).toBe(5);
  expect(await before(key, later(60))).toBe(4);
  for (let i = 0; i < 50; i += 1) await before(key);
  expect(await before(key)).toBe(39);
  expect(await before(key, later(40 * 30))).toBe(0);
  await forgetAttempts(database, key);
  expect(await before(key)).toBe(0);
});

test('the right password empties its own count, and takes one off that of the network', async () => {
  const [userId, accountKey, networkKey] = [randomUUID(), newKey(), newKey()];
  const count = async () => [await before(userId), await before(accountKey), await before(networkKey)];
  for (let i = 0; i < 3; i += 1) await count();
  await settleSignInAttempt(database, { accountKey, networkKey }, userId);
  expect(await count(), 'under a key of its own').toEqual([3, 0, 2]);
  await settleSignInAttempt(database, { accountKey: userId, networkKey }, userId);
  expect(await count(), 'under that of the account').toEqual([0, 1, 2]);
});

test('attempts at one account from one network never wait for each other in a circle', async () => {
  const [one, other] = [newKey(), newKey()];
  await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const [accountKey, networkKey] = i % 2 === 0 ? [one, other] : [other, one];
      await Promise.all([before(accountKey), before(networkKey)]);
      await settleSignInAttempt(database, { accountKey, networkKey }, randomUUID());
    }),
  );
  expect(await before(one)).toBeLessThan(40);
});

test('a browser is known only with the account and the number of its browsers', async () => {
  const email = 'at-home@begin.example';
  const userId = await createUser(database, { email });
  const id = Buffer.from(userId.replaceAll('-', ''), 'hex');
  const isKnown = async (to: string, ...known: Buffer[]) =>
    (await findUserForSignIn(database, to, known))?.knowsBrowser;
  const own = Buffer.concat([id, Buffer.alloc(4)]);
  expect(await isKnown(email)).toBe(false);
  expect(await isKnown(email, Buffer.concat([id, Buffer.alloc(4, 1)]), Buffer.alloc(20))).toBe(false);
  expect(await isKnown(email, Buffer.alloc(20), own)).toBe(true);
  await createUser(database, { email: 'other@begin.example' });
  expect(await isKnown('other@begin.example', own)).toBe(false);
  expect(await isKnown('nobody@begin.example', own)).toBeUndefined();
});

test('a hashed key is a UUIDv8, and so differs from the ids of accounts', () => {
  const keys = Array.from({ length: 100 }, newKey);
  for (const key of keys)
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(keys).size).toBe(100);
  expect(hashUuid(Buffer.alloc(32, 0xff))).toBe('ffffffff-ffff-8fff-bfff-ffffffffffff');
});

test('a rate limit: all at once, then one at a time, however many ask', async () => {
  const key = newKey();
  const limit = { max: 7, period: 3600 };
  const take = (now: Date) => takeFromLimit(database, key, limit, now);
  const taken = await Promise.all(Array.from({ length: 20 }, () => take(NOW)));
  expect(taken.filter((left) => left !== undefined).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await take(later(514))).toBeUndefined();
  expect(await take(later(514.3))).toBe(0);
  expect(await take(later(514.3))).toBeUndefined();
  await returnToLimit(database, key, limit);
  expect(await take(later(514.3))).toBe(0);
  expect(await take(later(3 * 3600))).toBe(6);
});

test('a rate limit with slack lets clocks differ by it', async () => {
  const limit = { max: 10, period: 30 * 3600, slack: 60 };
  const key = newKey();
  const take = (now: Date) => takeFromLimit(database, key, limit, now);
  expect(await take(later(30))).toBe(9);
  for (let left = 8; left >= 0; left -= 1) expect(await take(NOW)).toBe(left);
  expect(await take(NOW)).toBeUndefined();
  expect(await take(later(3 * 3600 + 30))).toBe(0);
});

test('empty counts are pruned, a thousand at a time', async () => {
  await sql(database, 'delete from throttles');
  await sql(
    database,
    'insert into throttles (key, empty_ms) select gen_random_uuid(), $1::bigint from generate_series(1, 1500)',
    [later(10).getTime()],
  );
  const key = newKey();
  await before(key, later(60));
  const limits = new Proxy({}, { get: () => later(20) }) as Parameters<typeof pruneExpired>[1];
  const prune = async () => {
    const { deleted, more } = (await pruneExpired(database, limits)) ?? {};
    return [deleted?.throttles, more];
  };
  expect([await prune(), await prune(), await prune()]).toEqual([
    [1000, true],
    [500, false],
    [0, false],
  ]);
  expect(await sql(database, 'select key from throttles')).toEqual([{ key }]);
});
