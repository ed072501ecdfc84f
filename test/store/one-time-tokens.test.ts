// One-time tokens: used once, whoever comes at the same time; what kills them; codes and their tries.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { changeEmail } from '../../src/store/credentials.ts';
import { openDatabase } from '../../src/store/database.ts';
import {
  findToken,
  forgetLaterNotices,
  forgetTokens,
  insertToken,
  type NewToken,
  newestToken,
  type TokenKind,
  tryCode,
  useToken,
} from '../../src/store/one-time-tokens.ts';
import { insertUser } from '../../src/store/users.ts';
import { deleteUser } from '../support/accounts.ts';
import { createTestDatabase } from '../support/database.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const CODE = Buffer.alloc(32, 1);

const own = await createTestDatabase();
const database = openDatabase(own.url, 10);
afterAll(async () => {
  await database.close();
  await own.drop();
});

let userId: string;
const email = 'ada@example.org';
beforeEach(async () => {
  if (userId !== undefined) await deleteUser(database, userId);
  userId = crypto.randomUUID();
  const user = { id: userId, email, name: 'Ada', phone: null, emailVerified: false, locale: null };
  await insertUser(database, { ...user, passwordHash: 'x', operator: false }, NOW);
});

async function issue(kind: TokenKind, fields: Partial<NewToken> = {}, now = NOW): Promise<Buffer> {
  const token: NewToken = {
    hash: randomBytes(32),
    kind,
    userId,
    email,
    bound: false,
    codeHash: CODE,
    detail: {},
    expiresAt: later(3600),
    ...fields,
  };
  await insertToken(database, token, now);
  return token.hash;
}

const find = (hash: Buffer, kind: TokenKind, now = NOW) => findToken(database, hash, [kind], now);
const use = (hash: Buffer, kind: TokenKind, now = NOW) => useToken(database, hash, [kind], now);

test('of twenty at once one gets it', async () => {
  const hash = await issue('reset_password');
  const used = await Promise.all(Array.from({ length: 20 }, () => use(hash, 'reset_password')));
  expect(used.filter((token) => token !== undefined)).toHaveLength(1);
});

test('a token of another kind, or of nobody, is not found', async () => {
  const hash = await issue('verify_email');
  expect(await use(hash, 'reset_password')).toBeUndefined();
  expect(await use(Buffer.alloc(32), 'verify_email')).toBeUndefined();
});

describe('what kills it besides', () => {
  test('another address of the account, where it proves that one', async () => {
    const [verify, reset] = [await issue('verify_email'), await issue('reset_password')];
    const [change, notMe] = [
      await issue('change_email', { email: 'new@example.org' }),
      await issue('not_me'),
    ];
    await changeEmail(database, userId, 'other@example.org', NOW);
    expect(await use(verify, 'verify_email')).toBeUndefined();
    expect(await use(reset, 'reset_password')).toBeUndefined();
    expect(await use(change, 'change_email')).toMatchObject({ currentEmail: 'other@example.org' });
    expect(await use(notMe, 'not_me')).toBeDefined();
  });

  test('being taken back, by kind', async () => {
    const [change, verify] = [await issue('change_email'), await issue('verify_email')];
    await forgetTokens(database, userId, 'change_email');
    expect(await use(change, 'change_email')).toBeUndefined();
    expect(await use(verify, 'verify_email')).toBeDefined();
  });

  test('an earlier « this was not me »', async () => {
    const [early, late] = [await issue('not_me'), await issue('not_me', {}, later(5))];
    await forgetLaterNotices(database, userId, later(1));
    expect(await find(late, 'not_me', later(6))).toBeUndefined();
    expect(await find(early, 'not_me', later(6))).toBeDefined();
  });
});

describe('codes', () => {
  const tryIt = (code: Buffer, now = NOW) => tryCode(database, userId, 'verify_email', code, now);

  test('of twenty right ones at once one gets it', async () => {
    await issue('verify_email');
    const tried = await Promise.all(Array.from({ length: 20 }, () => tryIt(CODE)));
    expect(tried.filter((outcome) => typeof outcome === 'object')).toHaveLength(1);
  });

  test('without a token, of another kind, or too late it is not taken', async () => {
    expect(await tryIt(CODE)).toBeUndefined();
    await issue('change_email');
    expect(await tryIt(CODE)).toBeUndefined();
    await issue('verify_email');
    expect(await tryIt(CODE, later(3600))).toBeUndefined();
  });
});

test('the newest living token of a kind is what is waited for', async () => {
  expect(await newestToken(database, userId, 'change_email', NOW)).toBeUndefined();
  await issue('change_email', { email: 'one@example.org' });
  await issue('change_email', { email: 'two@example.org' }, later(1));
  expect(await newestToken(database, userId, 'change_email', later(2))).toMatchObject({
    email: 'two@example.org',
  });
  expect(await newestToken(database, userId, 'change_email', later(3600))).toBeUndefined();
});
