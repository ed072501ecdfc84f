// Address and password of an account: whose they are, and who wins when two want the same.
import { afterAll, expect, test } from 'vitest';
import { changeEmail, replacePassword } from '../../src/store/credentials.ts';
import { openDatabase } from '../../src/store/database.ts';
import { insertUser } from '../../src/store/users.ts';
import { createTestDatabase } from '../support/database.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const LATER = new Date('2026-11-21T12:00:00Z');

const own = await createTestDatabase();
const database = openDatabase(own.url, 10);
afterAll(async () => {
  await database.close();
  await own.drop();
});

let counter = 0;
async function newUser(): Promise<{ userId: string; email: string }> {
  const [userId, email] = [crypto.randomUUID(), `person${++counter}@example.org`];
  const user = { id: userId, email, name: 'Ada', phone: null, emailVerified: false, locale: null };
  await insertUser(database, { ...user, passwordHash: 'x', operator: false }, NOW);
  return { userId, email };
}

test('of ten accounts that want one address at once one gets it', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, newUser));
  const changed = await Promise.all(
    users.map(({ userId }) => changeEmail(database, userId, 'wanted@example.org', LATER)),
  );
  expect(changed.filter(Boolean)).toHaveLength(1);
});

test('a password is replaced only where it is still the one that was verified', async () => {
  const { userId } = await newUser();
  expect(await replacePassword(database, userId, 'not x', 'y')).toBe(false);
  const replaced = await Promise.all(
    ['y', 'z', 'w'].map((next) => replacePassword(database, userId, 'x', next)),
  );
  expect(replaced.filter(Boolean)).toHaveLength(1);
});
