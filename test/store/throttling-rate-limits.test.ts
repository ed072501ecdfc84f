// Rate limits: so many an hour, given back one by one, refusals not counted, no two takers of the last one.
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/database.ts';
import { takeFromLimit } from '../../src/store/throttling.ts';
import { createTestDatabase } from '../support/database.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const own = await createTestDatabase();
const database = openDatabase(own.url, 10);
afterAll(async () => {
  await database.close();
  await own.drop();
});

let keys = 0;
const newKey = () => Buffer.alloc(32, ++keys);
const take = async (key: Buffer, max: number, now = NOW) =>
  (await takeFromLimit(database, key, { max }, now)) !== undefined;

test('so many at once, then none; another key has its own', async () => {
  const key = newKey();
  for (let i = 0; i < 5; i++) expect(await take(key, 5)).toBe(true);
  for (let i = 0; i < 3; i++) expect(await take(key, 5)).toBe(false);
  expect(await take(newKey(), 5)).toBe(true);
});

test('one comes back each fifth of an hour', async () => {
  const key = newKey();
  for (let i = 0; i < 5; i++) await take(key, 5);
  expect(await take(key, 5, later(719))).toBe(false);
  expect(await take(key, 5, later(720))).toBe(true);
  expect(await take(key, 5, later(721))).toBe(false);
});

test('what is refused is not counted: going on asking keeps nobody out', async () => {
  const key = newKey();
  for (let i = 0; i < 5; i++) await take(key, 5);
  for (let second = 1; second < 700; second += 50) expect(await take(key, 5, later(second))).toBe(false);
  expect(await take(key, 5, later(720))).toBe(true);
});

test('of twenty at once as many get through as there are left', async () => {
  const key = newKey();
  const taken = await Promise.all(Array.from({ length: 20 }, () => take(key, 7)));
  expect(taken.filter(Boolean)).toHaveLength(7);
});
