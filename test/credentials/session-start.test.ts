// Starting a session in a browser that already has sessions.
import { afterAll, expect, test } from 'vitest';
import {
  authenticatedByPassword,
  type RequestContext,
  type SessionServices,
  startSession,
} from '../../src/credentials/session-start.ts';
import type { Database } from '../../src/store/database.ts';
import {
  createUser,
  later,
  NOW,
  openTestDatabase,
  PASSWORD_HASH,
  parseSessionCookie,
  sql,
  suspendUser,
} from '../support/store-fixtures.ts';

const testDatabase = await openTestDatabase();
afterAll(() => testDatabase.close());

let transactions = 0;
const database: Database = {
  ...testDatabase.database,
  transaction: (work) => {
    transactions += 1;
    return testDatabase.database.transaction(work);
  },
};
const services: SessionServices = {
  database,
  config: { baseUrl: 'https://signin.example', hourlyLimits: false, sessionTtl: 3600 },
  activity: { countServiceEvent: () => {}, countSignIn: () => {} },
};

async function signIn(userId: string, sessionIds: string[], now = NOW) {
  const request: RequestContext = { ip: '192.0.2.1', userAgent: 'test', sessionIds };
  const started = await startSession(
    services,
    authenticatedByPassword(userId, { passwordHash: PASSWORD_HASH }),
    request,
    now,
  );
  if (started === undefined) throw new Error('no session');
  return started;
}

test('a new session replaces the browser’s previous sessions in one transaction', async () => {
  const [ada, grace, edith] = [
    await createUser(testDatabase.database),
    await createUser(testDatabase.database),
    await createUser(testDatabase.database),
  ];
  const first = await signIn(ada, []);
  expect(transactions, 'transactions if there are no other sessions').toBe(0);
  const second = await signIn(grace, [first.id]);
  const third = await signIn(edith, [second.id, first.id]);
  await suspendUser(database, ada, NOW);
  transactions = 0;
  const last = await signIn(edith, [third.id, second.id, first.id], later(60));
  expect(transactions).toBe(1);
  expect(last.otherIds).toEqual([second.id]);
  const remaining = (await sql(database, 'select id_hash from sessions')).map(({ id_hash }) =>
    String(id_hash),
  );
  const expected = [second, last].map(({ id }) => String(parseSessionCookie(id).idHash));
  expect(remaining.toSorted()).toEqual(expected.toSorted());
});
