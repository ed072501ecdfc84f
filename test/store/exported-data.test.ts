// Whatever the database comes to know about a person is in their export, or is named here with the reason why not.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { readLists, readProfile } from '../../src/store/exported-data.ts';
import { createUser, openTestDatabase, sql } from '../support/populate.ts';

/** What the profile calls otherwise than its column. */
const NAMES: Record<string, string> = {
  id: 'sub',
  picture_hash: 'picture',
  locale: 'language',
  profile_updated_at: 'updated_at',
  totp_since: 'authenticator_app_since',
};
const NOT_IN_THE_PROFILE = {
  email_key: 'the address, as it is compared',
  passkey_count: 'the passkeys are listed',
  passkey_offer_at: 'when a page asks again',
  password_hash: 'never a hash',
  suspended_at: 'whoever is suspended gets no export',
  totp_sid: 'the session that the app was set up in, for « this was not me »',
  totp_secret: 'never a secret',
  totp_step: 'a count that makes a code good once',
  epoch: 'a count that ends tokens',
  browser_epoch: 'a count that ends what browsers remember',
};

/** What the export calls otherwise than its table. */
const LISTS: Record<string, string> = {
  session_changes: 'changes',
  device_requests: 'devices',
  logout_deliveries: 'sign_outs',
  clients: 'applications',
  one_time_tokens: 'messages',
};
const NOT_A_LIST = {
  ended_sessions: 'the names of sessions that have just ended, for the moment until applications are told',
};

/** What is theirs because something else is. */
const OF_WHAT_IS_THEIRS = ['refusals_of_apis'];

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

const COLUMNS = `select column_name as name from information_schema.columns where table_name = 'users'`;

test('every column of an account', async () => {
  const profile = (await readProfile(database, await createUser(database))) ?? {};
  const columns = (await sql(database, COLUMNS)).map(({ name }) => String(name));
  expect(columns).toContain('email');
  const missing = columns.filter((name) => !((NAMES[name] ?? name) in profile));
  expect(missing.sort()).toEqual(Object.keys(NOT_IN_THE_PROFILE).sort());
});

const TABLES = `select distinct table_name as name from information_schema.columns
  where table_schema = 'public' and column_name in ('user_id', 'owner_id', 'actor_id', 'recipient_id')`;

test('every table that says whose a row is', async () => {
  const lists = new Set<string>();
  for await (const { list } of readLists(database, await createUser(database))) lists.add(list);
  const tables = (await sql(database, TABLES)).map(({ name }) => String(name));
  const missing = tables.filter((name) => !lists.has(LISTS[name] ?? name));
  expect(missing.sort()).toEqual(Object.keys(NOT_A_LIST).sort());
  expect([...lists]).toEqual(expect.arrayContaining(OF_WHAT_IS_THEIRS));
  expect(lists.size).toBe(tables.length - missing.length + OF_WHAT_IS_THEIRS.length);
});
