import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { uuidFromHash } from '../../src/oauth/uuid.ts';
import { pruneExpired } from '../../src/store/pruning.ts';
import {
  clearAttempts,
  clearSignInAttempt,
  countAttempt,
  returnToRateLimit,
  takeFromRateLimit,
} from '../../src/store/throttling.ts';
import { findUserForSignIn } from '../../src/store/users.ts';
import { createUser, later, NOW, openTestDatabase, sql } from '../support/store-fixtures.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const newKey = () => uuidFromHash(randomBytes(32));
/** Counts an attempt and returns the previous count. */
const countOne = async (key: string, now = NOW) => (await countAttempt(database, key, now)).before;

test('each concurrent attempt is counted', async () => {
  const key = newKey();
  const numbers = await Promise.all(Array.from({ length: 20 }, () => countOne(key)));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

test('the count of attempts decreases by one every 30 seconds', async () => {
  const key = newKey();
  for (let i = 0; i < 5; i += 1) expect(await countOne(key)).toBe(i);
  expect(await countOne(key, later(29.999))).toBe(5);
  expect(await countOne(key, later(60))).toBe(4);
  for (let i = 0; i < 50; i += 1) await countOne(key);
  expect(await countOne(key)).toBe(39);
  expect(await countOne(key, later(40 * 30))).toBe(0);
  await clearAttempts(database, key);
  expect(await countOne(key)).toBe(0);
});

test('the right password clears the account’s count of attempts', async () => {
  const [userId, accountKey, networkKey] = [randomUUID(), newKey(), newKey()];
  const countInAllBuckets = async () => [
    await countOne(userId),
    await countOne(accountKey),
    await countOne(networkKey),
  ];
  for (let i = 0; i < 3; i += 1) await countInAllBuckets();
  await clearSignInAttempt(database, { accountKey, networkKey }, userId);
  expect(await countInAllBuckets(), 'with a separate account key').toEqual([3, 0, 2]);
  await clearSignInAttempt(database, { accountKey: userId, networkKey }, userId);
  expect(await countInAllBuckets(), 'with the user id as the account key').toEqual([0, 1, 2]);
});

test('concurrent attempts with swapped keys do not deadlock', async () => {
  const [firstKey, secondKey] = [newKey(), newKey()];
  await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const [accountKey, networkKey] = i % 2 === 0 ? [firstKey, secondKey] : [secondKey, firstKey];
      await Promise.all([countOne(accountKey), countOne(networkKey)]);
      await clearSignInAttempt(database, { accountKey, networkKey }, randomUUID());
    }),
  );
  expect(await countOne(firstKey)).toBeLessThan(40);
});

test('a known browser’s identifier is valid only for the account that it contains', async () => {
  const email = 'known@begin.example';
  const userId = await createUser(database, { email });
  const id = Buffer.from(userId.replaceAll('-', ''), 'hex');
  const isKnown = async (signInEmail: string, ...known: Buffer[]) =>
    (await findUserForSignIn(database, signInEmail, known))?.knowsBrowser;
  const identifier = Buffer.concat([id, Buffer.alloc(4)]);
  expect(await isKnown(email)).toBe(false);
  expect(await isKnown(email, Buffer.concat([id, Buffer.alloc(4, 1)]), Buffer.alloc(20))).toBe(false);
  expect(await isKnown(email, Buffer.alloc(20), identifier)).toBe(true);
  await createUser(database, { email: 'other@begin.example' });
  expect(await isKnown('other@begin.example', identifier)).toBe(false);
  expect(await isKnown('nobody@begin.example', identifier)).toBeUndefined();
});

test('uuidFromHash returns a UUIDv8', () => {
  const keys = Array.from({ length: 100 }, newKey);
  for (const key of keys)
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(keys).size).toBe(100);
  expect(uuidFromHash(Buffer.alloc(32, 0xff))).toBe('ffffffff-ffff-8fff-bfff-ffffffffffff');
});

test('a rate limit allows a burst and then one use per interval', async () => {
  const key = newKey();
  const limit = { max: 7, period: 3600 };
  const take = (now: Date) => takeFromRateLimit(database, key, limit, now);
  const taken = await Promise.all(Array.from({ length: 20 }, () => take(NOW)));
  expect(taken.filter((remaining) => remaining !== undefined).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await take(later(514))).toBeUndefined();
  expect(await take(later(514.3))).toBe(0);
  expect(await take(later(514.3))).toBeUndefined();
  await returnToRateLimit(database, key, limit);
  expect(await take(later(514.3))).toBe(0);
  expect(await take(later(3 * 3600))).toBe(6);
});

test('a rate limit with slack tolerates clock skew', async () => {
  const limit = { max: 10, period: 30 * 3600, slack: 60 };
  const key = newKey();
  const take = (now: Date) => takeFromRateLimit(database, key, limit, now);
  expect(await take(later(30))).toBe(9);
  for (let remaining = 8; remaining >= 0; remaining -= 1) expect(await take(NOW)).toBe(remaining);
  expect(await take(NOW)).toBeUndefined();
  expect(await take(later(3 * 3600 + 30))).toBe(0);
});

test('empty buckets are pruned in batches of a thousand', async () => {
  await sql(database, 'delete from throttles');
  await sql(
    database,
    'insert into throttles (key, empty_at_ms) select gen_random_uuid(), $1::bigint from generate_series(1, 1500)',
    [later(10).getTime()],
  );
  const key = newKey();
  await countOne(key, later(60));
  const cutoffs = new Proxy({}, { get: () => later(20) }) as Parameters<typeof pruneExpired>[1];
  const prune = async () => {
    const { deleted, hasMore } = (await pruneExpired(database, cutoffs)) ?? {};
    return [deleted?.throttles, hasMore];
  };
  expect([await prune(), await prune(), await prune()]).toEqual([
    [1000, true],
    [500, false],
    [0, false],
  ]);
  expect(await sql(database, 'select key from throttles')).toEqual([{ key }]);
});
