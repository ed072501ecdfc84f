// Accounts (D28, D33): one per email in whatever case.
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import {
  emailKey,
  findUserByEmail,
  findUserForSignIn,
  forgetBrowsers,
  insertUser,
} from '../../src/store/users.ts';
import { createUser, later, NOW, openTestDatabase, PASSWORD_HASH, sql } from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const newUser = (email: string) => ({
  id: randomUUID(),
  email,
  name: 'Zoé Müller',
  phone: '+33612345678',
  emailVerified: true,
  passwordHash: PASSWORD_HASH,
  operator: false,
});

describe('one account per email', () => {
  test('two spellings that differ in case are one; the first spelling is kept', async () => {
    const user = newUser('Zoe@Example.com');
    expect(await insertUser(database, user, NOW)).toBe(true);
    expect(await insertUser(database, newUser('zOE@eXAMPLE.COM'), later(1))).toBe(false);
    for (const email of ['Zoe@Example.com', 'zoe@example.com', 'ZOE@EXAMPLE.COM']) {
      expect((await findUserByEmail(database, email))?.email).toBe('Zoe@Example.com');
      expect((await findUserForSignIn(database, email))?.userId).toBe(user.id);
    }
  });

  test('two ways to write the same letter are one (NFC)', () => {
    expect(emailKey('Zoe\u0301@example.com')).toBe(emailKey('zo\u00e9@example.com'));
  });

  test('of several at once exactly one is made', async () => {
    const made = await Promise.all(
      ['a@race.example', 'A@race.example', 'a@RACE.example'].map((email) =>
        insertUser(database, newUser(email), NOW),
      ),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
  });

  test('neither a part of an email nor a pattern finds anybody', async () => {
    await createUser(database, { email: 'whole@find.example' });
    for (const email of ['whole', '%@find.example', 'whole @find.example', ''])
      expect(await findUserByEmail(database, email), email).toBeUndefined();
  });
});

const browserEpochOf = async (userId: string) =>
  (await sql(database, 'select browser_epoch from users where id = $1', [userId]))[0]?.browser_epoch;

test('forgetBrowsers counts up the number that browsers carry, of one account', async () => {
  const [one, other] = [await createUser(database), await createUser(database)];
  expect(await browserEpochOf(one)).toBe(0);
  await forgetBrowsers(database, one);
  expect([await browserEpochOf(one), await browserEpochOf(other)]).toEqual([1, 0]);
});
