// One-time tokens under concurrency: links and codes are used once.
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { insertToken, tryCode, useToken } from '../../src/store/one-time-tokens.ts';
import { createUser, later, NOW, openTestDatabase } from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

test('of twenty uses of a link at once one succeeds, and so with its code', async () => {
  const email = 'ada@example.org';
  const userId = await createUser(database, { email });
  const codeHash = Buffer.alloc(32, 1);
  const issue = async () => {
    const hash = randomBytes(32);
    const token = { hash, kind: 'verify_email', userId, email, bound: false, codeHash } as const;
    await insertToken(database, { ...token, detail: {}, expiresAt: later(3600) }, NOW);
    return hash;
  };
  const winners = async (use: () => Promise<unknown>) =>
    (await Promise.all(Array.from({ length: 20 }, use))).filter((token) => token !== undefined).length;
  const hash = await issue();
  expect(await winners(() => useToken(database, { userId, hash }, ['verify_email'], NOW))).toBe(1);
  await issue();
  expect(await winners(() => tryCode(database, userId, 'verify_email', codeHash, NOW))).toBe(1);
});
