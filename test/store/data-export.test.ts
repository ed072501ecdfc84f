// The data export contains all personal data in the schema.
import { afterAll, expect, test } from 'vitest';
import { type ExportSection, exportLists, exportProfile } from '../../src/store/data-export.ts';
import { addPasskey } from '../../src/store/passkeys.ts';
import { createUser, later, NOW, openTestDatabase, sql } from '../support/store-fixtures.ts';

const FIELD_NAMES: Record<string, string> = {
  id: 'sub',
  picture_hash: 'picture',
  locale: 'language',
  profile_updated_at: 'updated_at',
  totp_enabled_at: 'authenticator_app_since',
};
const EXCLUDED_PROFILE_COLUMNS = {
  email_key: 'normalized form of the email address',
  passkey_count: 'passkeys are listed',
  passkey_offer_at: 'page state',
  password_hash: 'hash',
  suspended_at: 'a suspended account has no export',
  totp_secret: 'secret',
  totp_step: 'replay protection',
  epoch: 'invalidates tokens',
  browser_epoch: 'invalidates known browsers',
};

const LIST_NAMES: Record<string, string> = {
  device_requests: 'devices',
  logout_deliveries: 'sign_outs',
  clients: 'applications',
  one_time_tokens: 'messages',
  external_identities: 'linked_identities',
};

const EXCLUDED_TABLES = {
  access_tokens: 'contains digests of tokens; the tokens’ grants are listed',
  external_identity_keys: 'contains digests of linked identities',
  outbox: 'deleted after delivery',
  used_tokens: 'contains digests of form tokens until the tokens expire',
};

/** Lists in the export whose tables have no user column. */
const INDIRECT_LISTS = ['refusals_of_apis', 'service_access', 'revoked_clients'];

const { database, close } = await openTestDatabase();
afterAll(() => close());

const LIST_USER_COLUMNS = `select column_name as name from information_schema.columns where table_name = 'users'`;

test('every column of the users table is exported or listed as excluded', async () => {
  const profile = (await exportProfile(database, await createUser(database))) ?? {};
  const columns = (await sql(database, LIST_USER_COLUMNS)).map(({ name }) => String(name));
  expect(columns).toContain('email');
  const missing = columns.filter((name) => !((FIELD_NAMES[name] ?? name) in profile));
  expect(missing.sort()).toEqual(Object.keys(EXCLUDED_PROFILE_COLUMNS).sort());
});

const LIST_TABLES = `select distinct table_name as name from information_schema.columns
  where table_schema = 'public' and table_name <> 'emails' and column_name in ('user_id', 'owner_id', 'actor_id', 'recipient_id')`;

test('every table with a user column is exported or listed as excluded', async () => {
  const lists = new Set<string>();
  for await (const { list } of exportLists(database, await createUser(database))) lists.add(list);
  const tables = (await sql(database, LIST_TABLES)).map(({ name }) => String(name));
  const missing = tables.filter((name) => !lists.has(LIST_NAMES[name] ?? name));
  expect(missing.sort()).toEqual(Object.keys(EXCLUDED_TABLES).sort());
  expect([...lists]).toEqual(expect.arrayContaining(INDIRECT_LISTS));
  expect(lists.size).toBe(tables.length - missing.length + INDIRECT_LISTS.length);
});

const EXCLUDED_COLUMNS = {
  passkeys: {
    user_id: 'the user',
    credential_id: 'credential',
    public_key: 'key',
    counter: 'clone detection',
  },
  recovery_codes: {
    user_id: 'the user',
    hash: 'hash',
  },
  remembered_devices: {
    user_id: 'the user',
    hash: 'hash',
    id: 'identifier in forms',
    browser_epoch: 'invalidates remembered devices',
  },
  mfa_resets: { user_id: 'the user', cancel_hash: 'hash' },
};

test('every column of a sign-in factor table is exported or listed as excluded', async () => {
  const userId = await createUser(database);
  const publicKey = Buffer.from('the public key');
  const credentialId = Buffer.from('the credential id').toString('base64url');
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
  const hash = Buffer.from('some hash value');
  for (const [text, ...values] of [
    ['insert into recovery_codes (hash, user_id, created_at) values ($2, $1, $3)', hash, NOW],
    [
      `insert into remembered_devices (hash, id, user_id, browser_epoch, user_agent, created_at, expires_at)
      values ($2, gen_random_uuid(), $1, 0, 'Firefox', $3, $4)`,
      hash,
      NOW,
      later(60),
    ],
    [
      'insert into mfa_resets (user_id, cancel_hash, requested_at, due_at) values ($1, $2, $3, $4)',
      hash,
      NOW,
      later(60),
    ],
  ] as const)
    await sql(database, text, [userId, ...values]);

  const lists: Record<string, ExportSection[]> = {};
  for await (const { list, rows } of exportLists(database, userId))
    lists[list] = [...(lists[list] ?? []), ...rows];
  for (const [table, excluded] of Object.entries(EXCLUDED_COLUMNS)) {
    const columns = await sql(
      database,
      'select column_name as name from information_schema.columns where table_name = $1',
      [table],
    );
    const [row = {}, ...furtherRows] = lists[table] ?? [];
    expect(furtherRows).toEqual([]);
    const exported = Object.keys(row);
    expect([...exported, ...Object.keys(excluded)].sort(), table).toEqual(
      columns.map(({ name }) => name).sort(),
    );
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
    for (const encoded of [
      bytes.toString('hex'),
      bytes.toString('base64url'),
      bytes.toString('base64'),
      bytes.join(','),
    ])
      expect(file).not.toContain(encoded);
});
