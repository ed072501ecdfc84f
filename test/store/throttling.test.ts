// Counts of attempts, which slow the next one down and never lock anybody out.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';

import { beginSignInAttempt, settleSignInAttempt } from '../../src/store/throttling.ts';
import { createUser, NOW, openTestDatabase } from '../support/populate.ts';

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

const { database, close } = await openTestDatabase();
afterAll(() => close());

let keys = 0;
const newKey = () => Buffer.alloc(32, ++keys);

test('simultaneous attempts see each other: no two get the same number', async () => {
  const key = newKey();
  const numbers = await Promise.all(Array.from({ length: 20 }, () => countOne(database, key, NOW)));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
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
