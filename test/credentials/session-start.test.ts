// Which sessions of the browser end when another starts.
import { afterAll, expect, test } from 'vitest';
import { byPassword, startSession } from '../../src/credentials/session-start.ts';
import type { Database } from '../../src/store/database.ts';
import {
  createUser,
  keyOf,
  later,
  NOW,
  openTestDatabase,
  PASSWORD_HASH,
  sql,
  suspendUser,
} from '../support/populate.ts';

const opened = await openTestDatabase();
afterAll(() => opened.close());

let transactions = 0;
const database: Database = {
  ...opened.database,
  transaction: (work) => {
    transactions += 1;
    return opened.database.transaction(work);
  },
};
const parts = {
  database,
  config: { sessionTtl: 3600 },
  activity: { happened: () => {}, signedIn: () => {} },
} as unknown as Parameters<typeof startSession>[0];

async function signIn(userId: string, sessionIds: string[], now = NOW) {
  const origin = { address: '192.0.2.1', userAgent: 'test', sessionIds };
  const started = await startSession(parts, byPassword(userId, { passwordHash: PASSWORD_HASH }), origin, now);
  if (started === undefined) throw new Error('no session');
  return started;
}

test('the former session and those that are not live end in one transaction', async () => {
  const [ada, grace, edith] = [
    await createUser(opened.database),
    await createUser(opened.database),
    await createUser(opened.database),
  ];
  const first = await signIn(ada, []);
  expect(transactions, 'none if there is nothing to end').toBe(0);
  const second = await signIn(grace, [first.id]);
  const third = await signIn(edith, [second.id, first.id]);
  await suspendUser(database, ada, NOW);
  transactions = 0;
  const last = await signIn(edith, [third.id, second.id, first.id], later(60));
  expect(transactions).toBe(1);
  expect(last.otherIds).toEqual([second.id]);
  const left = (await sql(database, 'select id_hash from sessions')).map(({ id_hash }) => String(id_hash));
  const expected = [second, last].map(({ id }) => String(keyOf(id).idHash));
  expect(left.toSorted()).toEqual(expected.toSorted());
});
