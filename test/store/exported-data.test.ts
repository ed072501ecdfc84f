// Whatever the database comes to know about a person is in their export, or is named here with the reason why not.
import { afterAll, expect, test } from 'vitest';
import { readLists, readProfile, type Section } from '../../src/store/exported-data.ts';
import { addPasskey } from '../../src/store/passkeys.ts';
import { createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';

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
  totp_secret: 'never a secret',
  totp_step: 'a count that makes a code good once',
  epoch: 'a count that ends tokens',
  browser_epoch: 'a count that ends what browsers remember',
};

/** What the export calls otherwise than its table. */
const LISTS: Record<string, string> = {
  device_requests: 'devices',
  logout_deliveries: 'sign_outs',
  clients: 'applications',
  one_time_tokens: 'messages',
};

/** Tables that aren't in the export. */
const NOT_A_LIST = {
  access_tokens: 'digests of tokens; their grants are listed',
  mails: 'deleted once they are sent',
  spent_tokens: 'digests of forms that were sent, until they expire',
};

/** What is theirs because something else is. */
const OF_WHAT_IS_THEIRS = ['refusals_of_apis', 'service_access', 'cut_off'];

const { database, close } = await openTestDatabase();
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
  where table_schema = 'public' and table_name <> 'emails' and column_name in ('user_id', 'owner_id', 'actor_id', 'recipient_id')`;

test('every table that says whose a row is', async () => {
  const lists = new Set<string>();
  for await (const { list } of readLists(database, await createUser(database))) lists.add(list);
  const tables = (await sql(database, TABLES)).map(({ name }) => String(name));
  const missing = tables.filter((name) => !lists.has(LISTS[name] ?? name));
  expect(missing.sort()).toEqual(Object.keys(NOT_A_LIST).sort());
  expect([...lists]).toEqual(expect.arrayContaining(OF_WHAT_IS_THEIRS));
  expect(lists.size).toBe(tables.length - missing.length + OF_WHAT_IS_THEIRS.length);
});

/** Of what opens an account beside its password: the columns that are not in the export, by their table. */
const NOT_IN_ITS_LIST = {
  passkeys: {
    user_id: 'whose it is',
    credential_id: 'what its authenticator is asked for by',
    public_key: 'never a key',
    counter: 'a count that tells copies of it apart',
  },
  recovery_codes: {
    user_id: 'whose it is',
    hash: 'never a hash',
  },
  trusted_browsers: {
    user_id: 'whose it is',
    hash: 'never a hash',
    id: 'what a form of the account names it by',
    browser_epoch: 'a count that ends what browsers remember',
  },
  second_factor_resets: { user_id: 'whose it is', stop_hash: 'never a hash' },
};

test('every column of what opens an account, but keys and hashes', async () => {
  const userId = await createUser(database);
  const publicKey = Buffer.from('the public key, as it is kept');
  const credentialId = Buffer.from('the id of the credential').toString('base64url');
  const aaguid = 'ee882879-721c-4913-9775-3dfcce97072a';
  const passkey = {
    credentialId,
    publicKey,
    counter: 7,
    transports: ['usb'],
    synced: false,
    backedUp: false,
  };
  await addPasskey(database, userId, { ...passkey, aaguid, name: 'YubiKey 5' }, 20, NOW);
  const hash = Buffer.from('a hash of something');
  for (const [text, ...values] of [
    ['insert into recovery_codes (hash, user_id, created_at) values ($2, $1, $3)', hash, NOW],
    [
      `insert into trusted_browsers (hash, id, user_id, browser_epoch, user_agent, created_at, expires_at)
      values ($2, gen_random_uuid(), $1, 0, 'Firefox', $3, $4)`,
      hash,
      NOW,
      later(60),
    ],
    [
      'insert into second_factor_resets (user_id, stop_hash, asked_at, due_at) values ($1, $2, $3, $4)',
      hash,
      NOW,
      later(60),
    ],
  ] as const)
    await sql(database, text, [userId, ...values]);

  const lists: Record<string, Section[]> = {};
  for await (const { list, rows } of readLists(database, userId))
    lists[list] = [...(lists[list] ?? []), ...rows];
  for (const [table, left] of Object.entries(NOT_IN_ITS_LIST)) {
    const columns = await sql(
      database,
      'select column_name as name from information_schema.columns where table_name = $1',
      [table],
    );
    const [row = {}, ...others] = lists[table] ?? [];
    expect(others).toEqual([]);
    const exported = Object.keys(row);
    expect([...exported, ...Object.keys(left)].sort(), table).toEqual(columns.map(({ name }) => name).sort());
  }
  expect(lists.passkeys).toEqual([
    {
      name: 'YubiKey 5',
      aaguid,
      transports: ['usb'],
      synced: false,
      backed_up: false,
      created_at: NOW,
      last_used_at: null,
    },
  ]);
  const file = JSON.stringify(lists);
  for (const bytes of [publicKey, hash, Buffer.from(credentialId, 'base64url')])
    for (const written of [
      bytes.toString('hex'),
      bytes.toString('base64url'),
      bytes.toString('base64'),
      bytes.join(','),
    ])
      expect(file).not.toContain(written);
});
