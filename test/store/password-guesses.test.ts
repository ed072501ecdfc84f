// Wrong passwords since the last right one (D60): counted exactly, whoever counts at the same time, and healed by no time.

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { byPassword } from '../../src/credentials/session-start.ts';
import { hashUuid } from '../../src/oauth/uuid.ts';
import type { Database } from '../../src/store/database.ts';
import { NO_USER } from '../../src/store/no-user.ts';
import { recordGuess } from '../../src/store/password-guesses.ts';
import { pruneExpired } from '../../src/store/pruning.ts';
import { insertSession, type PasswordProof } from '../../src/store/session-starts.ts';
import { statements } from '../../src/store/statement.ts';
import { createUser, later, NOW, openTestDatabase, PASSWORD_HASH, sql } from '../support/populate.ts';

const { database, close } = await openTestDatabase(10);
afterAll(() => close());

const emptyKey = hashUuid(randomBytes(32));
const address = '192.0.2.1';
const guess = (userId: string | undefined, wrong = 1, now = NOW) =>
  recordGuess(database, { userId, emptyKey, address, wrong }, now);

async function guessesAt(userId: string): Promise<number> {
  const [row] = await sql(database, 'select wrong from throttles where key = $1::uuid', [userId]);
  return Number(row?.wrong ?? 0);
}

describe('in the audit log', () => {
  const rows = (address: string) =>
    sql(
      database,
      `select user_id as "userId", at, detail from events where address = $1 and kind = 'sign_in_failed' order by id`,
      [address],
    );

  test('counts within a minute in one row, for an account and an address, and for no account', async () => {
    const userId = await createUser(database);
    const fail = (address: string, at: number, whose: string | undefined = userId) =>
      recordGuess(database, { userId: whose, address, emptyKey, wrong: 1 }, later(at));
    for (const at of [0, 10, 59]) await fail('198.51.100.1', at);
    await fail('198.51.100.1', 61);
    await fail('198.51.100.2', 10);
    await recordGuess(
      database,
      { userId: undefined, address: '198.51.100.1', emptyKey, wrong: 1 },
      later(11),
    );
    expect(await rows('198.51.100.1')).toEqual([
      { userId, at: NOW, detail: { times: 3 } },
      { userId, at: later(61), detail: { times: 1 } },
      { userId: NO_USER, at: later(11), detail: { times: 1 } },
    ]);
    expect(await rows('198.51.100.2')).toHaveLength(1);
  });

  test('only the last minute is read, however many events there are, so that an account is not revealed', async () => {
    const userId = await createUser(database);
    await sql(
      database,
      `insert into events (at, kind, user_id, address, detail)
      select $1::timestamptz - g * interval '1 minute', 'sign_in_failed', $2::uuid, '203.0.113.1', '{"times": 1}'
      from generate_series(1, 5000) g`,
      [NOW, NO_USER],
    );
    await sql(database, 'analyze events');
    const text = statements.get('log_password_guess')?.text;
    for (const whose of [userId, NO_USER]) {
      const plan = await sql(database, `explain ${text}`, ['sign_in_failed', whose, '203.0.113.1', NOW]);
      const lines = plan.map((row) => String(row['QUERY PLAN']));
      const scans = lines.filter((line) => /Scan .*\bevents\b/.test(line));
      const bounded = lines.filter((line) => /Index Cond: .*\bat >.*\bat <=/.test(line));
      expect([scans.length, bounded.length], lines.join('\n')).toEqual([2, 2]);
    }
  });
});

test('each count is given once: of many at the same time one is the hundredth', async () => {
  const userId = await createUser(database);
  const counts = await Promise.all(Array.from({ length: 120 }, () => guess(userId)));
  expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
});

test('guesses at no account, or at a deleted one, are forgotten after 90 days; those at an account never are', async () => {
  const deletedId = randomUUID();
  // What kind of UUID an account has doesn't matter.
  const userIds = [await createUser(database), await createUser(database, { id: hashUuid(randomBytes(32)) })];
  await sql(database, 'delete from throttles');
  for (const userId of [undefined, deletedId, ...userIds]) expect(await guess(userId)).toBe(1);
  const prune = async (days: number) => {
    const before = new Proxy({}, { get: () => later(days * 24 * 3600) });
    await pruneExpired(database, before as Parameters<typeof pruneExpired>[1]);
    return (await sql(database, 'select key from throttles order by key')).map(({ key }) => key);
  };
  expect(await prune(89)).toEqual([emptyKey, deletedId, ...userIds].toSorted());
  expect(await prune(91)).toEqual(userIds.toSorted());
});

describe('the count is forgotten', () => {
  const attempt = { accountKey: hashUuid(randomBytes(32)), networkKey: hashUuid(randomBytes(32)) };
  const start = (userId: string, shown: Partial<PasswordProof>, at: Database = database) =>
    insertSession(at, {
      ...byPassword(userId, { passwordHash: PASSWORD_HASH, ...shown }),
      ...{ idHash: randomBytes(32), sid: randomUUID(), authTime: NOW },
      ...{ expiresAt: later(60), address, userAgent: 'test', kind: 'signed_in' as const },
    });

  test('and where there were too many meanwhile none starts, and none is forgotten', async () => {
    const userId = await createUser(database);
    await guess(userId, 100);
    expect(await start(userId, { attempt, guesses: 100 })).toBeUndefined();
    expect(await guessesAt(userId)).toBe(100);
    expect(await start(userId, { attempt }), 'at home, or by mail').toBeDefined();
    expect(await guessesAt(userId)).toBe(0);
  });

  test('no session starts if an attempt cannot be settled in the other rows', async () => {
    const userId = await createUser(database);
    const query: Database['query'] = async (statement, values) => {
      if (statement.name === 'return_attempt') throw new Error('lock timeout');
      return database.query(statement, values);
    };
    await expect(start(userId, { attempt }, { ...database, query })).rejects.toThrow('lock timeout');
    expect(await sql(database, 'select from sessions where user_id = $1', [userId])).toEqual([]);
  });
});
