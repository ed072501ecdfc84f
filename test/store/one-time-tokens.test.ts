// Emailed links and codes can be used only once, even by concurrent requests.
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { insertToken, type NewToken, useCode, useToken } from '../../src/store/one-time-tokens.ts';
import { createUser, later, NOW, openTestDatabase } from '../support/store-fixtures.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

test('only one of twenty concurrent uses of a link or code succeeds', async () => {
  const email = 'ada@example.org';
  const userId = await createUser(database, { email });
  const codeHash = Buffer.alloc(32, 1);
  const issueToken = async () => {
    const hash = randomBytes(32);
    const token: NewToken = {
      ...{ hash, kind: 'verify_email', userId, email, codeHash },
      endsWithEpoch: false,
      detail: {},
      expiresAt: later(3600),
    };
    await insertToken(database, token, NOW);
    return hash;
  };
  const countSuccesses = async (use: () => Promise<unknown>) =>
    (await Promise.all(Array.from({ length: 20 }, use))).filter((token) => token !== undefined).length;
  const hash = await issueToken();
  expect(await countSuccesses(() => useToken(database, { userId, hash }, ['verify_email'], NOW))).toBe(1);
  await issueToken();
  expect(await countSuccesses(() => useCode(database, userId, 'verify_email', codeHash, NOW))).toBe(1);
});
