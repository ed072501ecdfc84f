// Accounts (D28, D33): one per email in whatever case.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rememberConsent } from '../../src/store/consents.ts';
import { findContactOf } from '../../src/store/credentials.ts';
import type { Database } from '../../src/store/database.ts';
import { findSession } from '../../src/store/sessions.ts';
import {
  changePassword,
  emailKey,
  findUserByEmail,
  findUserForSignIn,
  forgetBrowsers,
  hasOperator,
  insertUser,
  listUsers,
} from '../../src/store/users.ts';
import { deleteUser, suspendUser } from '../support/accounts.ts';
import {
  createClient,
  createSession,
  createUser,
  later,
  NOW,
  openTestDatabase,
  PASSWORD_HASH,
  sql,
} from '../support/populate.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
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

describe('what is read of an account', () => {
  test('all fields by email', async () => {
    const user = newUser('all@fields.example');
    await insertUser(database, user, NOW);
    expect(await findUserByEmail(database, user.email)).toEqual({
      userId: user.id,
      name: 'Zoé Müller',
      email: 'all@fields.example',
      emailVerified: true,
      phone: '+33612345678',
      pictureHash: null,
      operator: false,
      suspended: false,
      invited: false,
      profileUpdatedAt: NOW,
      createdAt: NOW,
    });
    expect((await listUsers(database)).map(({ userId }) => userId)).toContain(user.id);
  });

  test('for a sign-in: the password’s hash, whether it is suspended, and whether it asks for a code', async () => {
    const userId = await createUser(database, { email: 'sign@in.example' });
    expect(await findUserForSignIn(database, 'sign@in.example')).toEqual({
      userId,
      passwordHash: PASSWORD_HASH,
      suspended: false,
      asksForCode: false,
    });
    await suspendUser(database, userId, NOW);
    expect((await findUserForSignIn(database, 'sign@in.example'))?.suspended).toBe(true);
    expect(await findUserForSignIn(database, 'nobody@in.example')).toBeUndefined();
  });
});

describe('ending (D28)', () => {
  test('suspending and changing the password do not touch the profile’s date (D20)', async () => {
    const userId = await createUser(database, { email: 'date@end.example' });
    expect(await changePassword(database, userId, 'another hash')).toBe(true);
    expect(await suspendUser(database, userId, later(60))).toBe(true);
    expect(await findUserByEmail(database, 'date@end.example')).toMatchObject({
      profileUpdatedAt: NOW,
      suspended: true,
    });
    expect((await findUserForSignIn(database, 'date@end.example'))?.passwordHash).toBe('another hash');
  });

  test('each raises the epoch, by which everything the account gave out dies', async () => {
    const userId = await createUser(database);
    await changePassword(database, userId, 'another hash');
    await suspendUser(database, userId, NOW);
    expect(await sql(database, 'select epoch from users where id = $1::uuid', [userId])).toEqual([
      { epoch: 2 },
    ]);
  });

  test('a deleted account is gone with its sessions, consents and applications', async () => {
    const userId = await createUser(database, { email: 'gone@end.example' });
    const own = await createClient(database, { ownerId: userId });
    const { clientId } = await createClient(database);
    await rememberConsent(database, { userId, clientId, scopes: ['openid'], now: NOW });
    const session = await createSession(database, userId);
    expect(await deleteUser(database, userId)).toBe(true);
    expect(await findUserByEmail(database, 'gone@end.example')).toBeUndefined();
    expect(await findSession(database, session ?? Buffer.alloc(0), NOW)).toBeUndefined();
    expect(await findContactOf(database, 'application', own.clientId)).toBeUndefined();
    expect(await findContactOf(database, 'application', clientId)).toBeDefined();
    expect(await sql(database, 'select from consents where user_id = $1::uuid', [userId])).toEqual([]);
  });

  test('nobody to suspend, change or delete: false', async () => {
    expect(await suspendUser(database, randomUUID(), NOW)).toBe(false);
    expect(await changePassword(database, randomUUID(), 'hash')).toBe(false);
    expect(await deleteUser(database, randomUUID())).toBe(false);
  });
});

test('hasOperator: from the first operator on', async () => {
  expect(await hasOperator(database)).toBe(false);
  await createUser(database, { operator: true });
  expect(await hasOperator(database)).toBe(true);
});

const browserEpochOf = async (userId: string) =>
  (await sql(database, 'select browser_epoch from users where id = $1', [userId]))[0]?.browser_epoch;

test('forgetBrowsers counts up the number that browsers carry, of one account', async () => {
  const [one, other] = [await createUser(database), await createUser(database)];
  expect(await browserEpochOf(one)).toBe(0);
  await forgetBrowsers(database, one);
  expect([await browserEpochOf(one), await browserEpochOf(other)]).toEqual([1, 0]);
});
