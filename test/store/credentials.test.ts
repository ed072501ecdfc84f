// Address and password of an account: whose they are, and who wins when two want the same.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  changeEmail,
  findContact,
  findContactOf,
  findMailbox,
  findMailboxByEmail,
  replacePassword,
  verifyEmail,
} from '../../src/store/credentials.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { findUserByEmail, insertUser } from '../../src/store/users.ts';
import { suspendUser } from '../support/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createClient } from '../support/populate.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const LATER = new Date('2026-11-21T12:00:00Z');

let own: TestDatabase;
let database: Database;
beforeAll(async () => {
  own = await createTestDatabase();
  database = openDatabase(own.url, 10);
});
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

test('a mailbox is found by account and by address in any case, unless the account is suspended', async () => {
  const { userId, email } = await newUser();
  const mailbox = { userId, email, name: 'Ada', locale: null, emailVerified: false };
  expect(await findMailbox(database, userId)).toEqual(mailbox);
  expect(await findMailboxByEmail(database, email.toUpperCase())).toEqual({ ...mailbox, invited: false });
  await suspendUser(database, userId, NOW);
  expect(await findMailbox(database, userId)).toBeUndefined();
  expect(await findMailboxByEmail(database, email)).toBeUndefined();
});

test('verifying an address changes the profile, once; not when the account has another one', async () => {
  const { userId, email } = await newUser();
  expect(await verifyEmail(database, userId, 'other@example.org', LATER)).toBe(false);
  expect((await findUserByEmail(database, email))?.emailVerified).toBe(false);
  expect(await verifyEmail(database, userId, email, LATER)).toBe(true);
  expect(await verifyEmail(database, userId, email, new Date())).toBe(true);
  expect(await findUserByEmail(database, email)).toMatchObject({
    emailVerified: true,
    profileUpdatedAt: LATER,
  });
});

test('a new address is verified, and changes the profile', async () => {
  const { userId } = await newUser();
  expect(await changeEmail(database, userId, 'New.One@example.org', LATER)).toBe(true);
  expect(await findUserByEmail(database, 'new.one@EXAMPLE.org')).toMatchObject({
    userId,
    email: 'New.One@example.org',
    emailVerified: true,
    profileUpdatedAt: LATER,
  });
});

test('another account’s address cannot be had, in any case', async () => {
  const [one, two] = [await newUser(), await newUser()];
  expect(await changeEmail(database, one.userId, two.email.toUpperCase(), LATER)).toBe(false);
  expect((await findUserByEmail(database, one.email))?.userId).toBe(one.userId);
});

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

test('findContact and findContactOfApplication: suspended or not; nobody for nothing', async () => {
  const { userId, email } = await newUser();
  const { clientId } = await createClient(database, { ownerId: userId, name: 'Agenda' });
  const contact = { userId, name: 'Ada', email, locale: null, emailVerified: false };
  await suspendUser(database, userId, NOW);
  expect(await findMailbox(database, userId)).toBeUndefined();
  expect(await findContact(database, userId)).toEqual(contact);
  expect(await findContactOf(database, 'application', clientId)).toEqual({ ...contact, thing: 'Agenda' });
  expect(await findContact(database, crypto.randomUUID())).toBeUndefined();
  expect(await findContactOf(database, 'application', 'app_nobody')).toBeUndefined();
});
