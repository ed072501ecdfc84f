// Counts of consecutive wrong passwords: concurrent attempts and audit events.

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { authenticatedByPassword } from '../../src/credentials/session-start.ts';
import { uuidFromHash } from '../../src/oauth/uuid.ts';
import type { Database } from '../../src/store/database.ts';
import { NIL_USER_ID } from '../../src/store/nil-user-id.ts';
import { recordPasswordAttempt } from '../../src/store/password-failures.ts';
import { pruneExpired } from '../../src/store/pruning.ts';
import { insertSession, type PasswordProof } from '../../src/store/session-creation.ts';
import { statements } from '../../src/store/statement.ts';
import { createUser, later, NOW, openTestDatabase, PASSWORD_HASH, sql } from '../support/store-fixtures.ts';

const { database, close } = await openTestDatabase(10);
afterAll(() => close());

const unknownEmailKey = uuidFromHash(randomBytes(32));
const ip = '192.0.2.1';
const recordFailure = (userId: string | undefined, wrong = 1, now = NOW) =>
  recordPasswordAttempt(database, { userId, unknownEmailKey, ip, wrong }, now);

async function countFailures(userId: string): Promise<number> {
  const [row] = await sql(database, 'select wrong from throttles where key = $1::uuid', [userId]);
  return Number(row?.wrong ?? 0);
}

describe('the audit log', () => {
  const listEvents = (ip: string) =>
    sql(
      database,
      `select user_id as "userId", at, detail from events where ip = $1 and kind = 'sign_in_failed' order by id`,
      [ip],
    );

  test('combines an IP’s attempts on an account within a minute', async () => {
    const userId = await createUser(database);
    const recordFailureFrom = (ip: string, at: number) =>
      recordPasswordAttempt(database, { userId, ip, unknownEmailKey, wrong: 1 }, later(at));
    for (const at of [0, 10, 59]) await recordFailureFrom('198.51.100.1', at);
    await recordFailureFrom('198.51.100.1', 61);
    await recordFailureFrom('198.51.100.2', 10);
    await recordPasswordAttempt(
      database,
      { userId: undefined, ip: '198.51.100.1', unknownEmailKey, wrong: 1 },
      later(11),
    );
    expect(await listEvents('198.51.100.1')).toEqual([
      { userId, at: NOW, detail: { times: 3 } },
      { userId, at: later(61), detail: { times: 1 } },
      { userId: NIL_USER_ID, at: later(11), detail: { times: 1 } },
    ]);
    expect(await listEvents('198.51.100.2')).toHaveLength(1);
  });

  test('is queried only for the last minute', async () => {
    const userId = await createUser(database);
    await sql(
      database,
      `insert into events (at, kind, user_id, ip, detail)
      select $1::timestamptz - g * interval '1 minute', 'sign_in_failed', $2::uuid, '203.0.113.1', '{"times": 1}'
      from generate_series(1, 5000) g`,
      [NOW, NIL_USER_ID],
    );
    await sql(database, 'analyze events');
    const text = statements.get('log_password_attempt')?.text;
    for (const id of [userId, NIL_USER_ID]) {
      const plan = await sql(database, `explain ${text}`, ['sign_in_failed', id, '203.0.113.1', NOW]);
      const lines = plan.map((row) => String(row['QUERY PLAN']));
      const scans = lines.filter((line) => /Scan .*\bevents\b/.test(line));
      const bounded = lines.filter((line) => /Index Cond: .*\bat >.*\bat <=/.test(line));
      expect([scans.length, bounded.length], lines.join('\n')).toEqual([2, 2]);
    }
  });
});

test('each concurrent wrong password is counted', async () => {
  const userId = await createUser(database);
  const counts = await Promise.all(Array.from({ length: 120 }, () => recordFailure(userId)));
  expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
});

test('counts of wrong passwords for unknown accounts are pruned after 90 days', async () => {
  const deletedId = randomUUID();
  // Keys for unknown email addresses are UUIDv8, like some account IDs.
  const userIds = [
    await createUser(database),
    await createUser(database, { id: uuidFromHash(randomBytes(32)) }),
  ];
  await sql(database, 'delete from throttles');
  for (const userId of [undefined, deletedId, ...userIds]) expect(await recordFailure(userId)).toBe(1);
  const prune = async (days: number) => {
    const cutoffs = new Proxy({}, { get: () => later(days * 24 * 3600) });
    await pruneExpired(database, cutoffs as Parameters<typeof pruneExpired>[1]);
    return (await sql(database, 'select key from throttles order by key')).map(({ key }) => key);
  };
  expect(await prune(89)).toEqual([unknownEmailKey, deletedId, ...userIds].toSorted());
  expect(await prune(91)).toEqual(userIds.toSorted());
});

describe('a sign-in with the right password', () => {
  const attempt = { accountKey: uuidFromHash(randomBytes(32)), networkKey: uuidFromHash(randomBytes(32)) };
  const startSession = (userId: string, proof: Partial<PasswordProof>, at: Database = database) =>
    insertSession(at, {
      ...authenticatedByPassword(userId, { passwordHash: PASSWORD_HASH, ...proof }),
      ...{ idHash: randomBytes(32), sid: randomUUID(), authTime: NOW },
      ...{ expiresAt: later(60), ip, userAgent: 'test', kind: 'signed_in' as const },
    });

  test('resets the count of wrong passwords', async () => {
    const userId = await createUser(database);
    await recordFailure(userId, 100);
    expect(await startSession(userId, { attempt, maxFailures: 100 })).toBeUndefined();
    expect(await countFailures(userId)).toBe(100);
    expect(
      await startSession(userId, { attempt }),
      'no limit, as in a known browser or after sign-in by email',
    ).toBeDefined();
    expect(await countFailures(userId)).toBe(0);
  });

  test('starts no session if the network’s count can’t be updated', async () => {
    const userId = await createUser(database);
    const query: Database['query'] = async (statement, values) => {
      if (statement.name === 'return_attempt') throw new Error('lock timeout');
      return database.query(statement, values);
    };
    await expect(startSession(userId, { attempt }, { ...database, query })).rejects.toThrow('lock timeout');
    expect(await sql(database, 'select from sessions where user_id = $1', [userId])).toEqual([]);
  });
});
