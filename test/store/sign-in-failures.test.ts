// Counts of wrong passwords, which slow the next attempt down and never lock anybody out.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { countSignInAttempts, settleSignInAttempt } from '../../src/store/sign-in-failures.ts';
import { later, NOW, openTestDatabase } from '../support/populate.ts';

/** Counts under one key, beside another that nobody looks at. */
const countOne = async (database: Database, key: Buffer, now: Date): Promise<number> =>
  (await countSignInAttempts(database, [key, randomBytes(32)], now))[0];

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

let keys = 0;
const newKey = () => Buffer.alloc(32, ++keys);

test('an attempt learns how many came before it', async () => {
  const key = newKey();
  for (const before of [0, 1, 2, 3]) expect(await countOne(database, key, NOW)).toBe(before);
  expect(await countOne(database, newKey(), NOW)).toBe(0);
});

test('simultaneous attempts see each other: no two get the same number', async () => {
  const key = newKey();
  const numbers = await Promise.all(Array.from({ length: 20 }, () => countOne(database, key, NOW)));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

test('a count drains by one every half minute, whether or not attempts go on (ADR 4)', async () => {
  const key = newKey();
  for (let i = 0; i < 10; i++) await countOne(database, key, NOW);
  expect(await countOne(database, key, later(60))).toBe(8); // ten, less two
  expect(await countOne(database, key, later(120))).toBe(7); // nine, less two
  expect(await countOne(database, key, later(3600))).toBe(0);
});

test('one attempt every five minutes never adds up', async () => {
  const key = newKey();
  for (let minute = 0; minute < 300; minute += 5)
    expect(await countOne(database, key, later(minute * 60))).toBe(0);
});

test('a count has a highest value, so that twenty minutes empty the fullest', async () => {
  const key = newKey();
  for (let i = 0; i < 60; i++) await countOne(database, key, NOW);
  expect(await countOne(database, key, NOW)).toBe(39);
  expect(await countOne(database, key, later(1200))).toBe(0);
});

test('the right password forgets the count of its account, and of no other', async () => {
  const [accountKey, other] = [newKey(), newKey()];
  for (const one of [accountKey, accountKey, other]) await countOne(database, one, NOW);
  await settleSignInAttempt(database, { accountKey, addressKey: newKey() }, NOW);
  expect(await countOne(database, accountKey, NOW)).toBe(0);
  expect(await countOne(database, other, NOW)).toBe(1);
});

test('in the count of the address it takes itself back, and never below zero', async () => {
  const addressKey = newKey();
  const settle = () => settleSignInAttempt(database, { accountKey: newKey(), addressKey }, NOW);
  for (let i = 0; i < 3; i++) await countOne(database, addressKey, NOW);
  await settle();
  expect(await countOne(database, addressKey, NOW)).toBe(2);
  for (let i = 0; i < 5; i++) await settle();
  expect(await countOne(database, addressKey, NOW)).toBe(0);
});

test('attempts at one account from one address never wait for each other in a circle', async () => {
  for (let pair = 0; pair < 20; pair++) {
    // Either key may be the smaller one.
    const [accountKey, addressKey] = [randomBytes(32), randomBytes(32)];
    await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const order: [Buffer, Buffer] = i % 2 === 0 ? [accountKey, addressKey] : [addressKey, accountKey];
        await countSignInAttempts(database, order, NOW);
        await settleSignInAttempt(database, { accountKey, addressKey }, NOW);
      }),
    );
    expect(await countOne(database, addressKey, NOW)).toBe(0);
  }
});
