// Counts of attempts, which slow the next one down and never lock anybody out.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byPassword } from '../../src/credentials/session-start.ts';
import type { Database } from '../../src/store/database.ts';
import { insertSession } from '../../src/store/session-starts.ts';

import { beginSignInAttempt, settleSignInAttempt } from '../../src/store/throttling.ts';
import { suspendUser } from '../support/accounts.ts';
import { createUser, later, NOW, openTestDatabase, PASSWORD_HASH } from '../support/populate.ts';

/** Begins an attempt at an email; without an account it counts under `accountKey`. */
const begin = (
  database: Database,
  { accountKey, addressKey }: { accountKey: Buffer; addressKey: Buffer },
  email: string,
  now: Date,
  known: Buffer[] = [],
) => beginSignInAttempt(database, { emptyKey: accountKey, addressKey, email, known }, now);

/** Counts under one key, beside another that nobody looks at. */
const countOne = async (database: Database, key: Buffer, now: Date): Promise<number> =>
  (await begin(database, { accountKey: key, addressKey: randomBytes(32) }, '', now)).byAccount;

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
  await settleSignInAttempt(database, { accountKey, addressKey: newKey() }, randomUUID(), NOW);
  expect(await countOne(database, accountKey, NOW)).toBe(0);
  expect(await countOne(database, other, NOW)).toBe(1);
});

test('in the count of the address it takes itself back, and never below zero', async () => {
  const addressKey = newKey();
  const settle = () => settleSignInAttempt(database, { accountKey: newKey(), addressKey }, randomUUID(), NOW);
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
        const crossed = { accountKey: addressKey, addressKey: accountKey };
        await begin(database, i % 2 === 0 ? { accountKey, addressKey } : crossed, '', NOW);
        await settleSignInAttempt(database, { accountKey, addressKey }, randomUUID(), NOW);
      }),
    );
    expect(await countOne(database, addressKey, NOW)).toBe(0);
  }
});

describe('an attempt finds the account as it begins', () => {
  const beginFor = (email: string) =>
    begin(database, { accountKey: newKey(), addressKey: newKey() }, email, NOW);

  test('by its email in any case, with the hash of the password', async () => {
    const userId = await createUser(database, { email: 'Begin@Example.com' });
    const user = { userId, passwordHash: PASSWORD_HASH, suspended: false, asksForCode: false };
    expect(await beginFor('bEGIN@eXAMPLE.COM')).toMatchObject({
      byAccount: 0,
      byAddress: 0,
      user,
      atHome: false,
      guesses: 0,
    });
  });

  test('and whether it is suspended', async () => {
    const userId = await createUser(database, { email: 'suspended@begin.example' });
    await suspendUser(database, userId, NOW);
    expect((await beginFor('suspended@begin.example')).user?.suspended).toBe(true);
  });

  test('or that there is none, for the same count', async () => {
    expect(await beginFor('nobody@begin.example')).toMatchObject({
      byAccount: 0,
      byAddress: 0,
      user: undefined,
      atHome: false,
      guesses: 0,
    });
  });
});

test('an attempt in a browser at home in the account counts apart from those of strangers (D60)', async () => {
  const email = 'at-home@begin.example';
  const userId = await createUser(database, { email });
  const id = Buffer.from(userId.replaceAll('-', ''), 'hex');
  const attempt = { accountKey: newKey(), addressKey: newKey() };
  for (let i = 0; i < 9; i++) await begin(database, attempt, email, NOW);
  const strangers = [Buffer.concat([id, Buffer.alloc(4, 1)]), Buffer.alloc(20)];
  expect(await begin(database, attempt, email, NOW, strangers)).toMatchObject({
    byAccount: 9,
    atHome: false,
  });
  const home = [Buffer.alloc(20), Buffer.concat([id, Buffer.alloc(4)])];
  expect(await begin(database, attempt, email, NOW, home)).toMatchObject({ byAccount: 0, atHome: true });
  expect(await begin(database, attempt, 'nobody@begin.example', NOW, home)).toMatchObject({ byAccount: 0 });
});

test.each([
  ['starts', PASSWORD_HASH],
  ['is refused, for the password was changed meanwhile', 'another hash'],
])('a session settles the attempt that it comes from: it %s', async (_, passwordHash) => {
  const userId = await createUser(database);
  const attempt = { accountKey: newKey(), addressKey: newKey() };
  for (let i = 0; i < 3; i++) await begin(database, attempt, '', NOW);
  const started = await insertSession(database, {
    ...byPassword(userId, { passwordHash, attempt }),
    ...{ idHash: randomBytes(32), sid: randomUUID(), authTime: NOW },
    ...{ expiresAt: later(60), address: '192.0.2.1', userAgent: 'test', kind: 'signed_in' as const },
  });
  expect(started !== undefined).toBe(passwordHash === PASSWORD_HASH);
  expect(await begin(database, attempt, '', NOW)).toMatchObject({ byAccount: 0, byAddress: 2 });
});
