// Runs docs/import.md's queries on tables modeled on the source systems, and imports the results.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);
const BCRYPT_HASH = '$2b$10$BaCCkHfpyBLKOWR5QCtkG.OaQ2uqBQ1ZSVSw2k2qnFcypTL5WF7B2';
/** The secret of RFC 6238, appendix B. */
const TOTP_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const UUID = '3f2b8f0e-5a0d-4c7e-9a51-0f6b5f3f7a11';

/** Tables of the source systems, reduced to the columns that the documented queries read. */
const SOURCE_TABLES_SQL = `
  create schema other;
  create schema auth;
  create table auth.users (id uuid, email text, email_confirmed_at timestamptz, raw_user_meta_data jsonb, phone text,
    encrypted_password text, banned_until timestamptz, created_at timestamptz, deleted_at timestamptz, is_anonymous boolean);
  create table auth.identities (user_id uuid, provider text, provider_id text, identity_data jsonb);
  create table auth.mfa_factors (user_id uuid, factor_type text, status text, secret text, created_at timestamptz);
  insert into auth.mfa_factors values ('${UUID}', 'totp', 'unverified', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', now()),
    ('${UUID}', 'totp', 'verified', '${TOTP_SECRET}', now() - interval '1 day');
  insert into auth.users values ('${UUID}', 'supa@example.com', now(), '{"full_name": "Supa Base"}', '33612345678',
    '${BCRYPT_HASH}', null, now(), null, false);
  insert into auth.identities values ('${UUID}', 'google', 'g-77', '{"email": "supa@gmail.com"}'),
    ('${UUID}', 'email', '${UUID}', '{}');
  create table other.auth_user (id int, email text, first_name text, last_name text, password text, is_active boolean,
    date_joined timestamptz, last_login timestamptz);
  insert into other.auth_user values (1, 'django@example.com', 'Django', '', 'bcrypt$${BCRYPT_HASH}', false, now(), null);
  create table other.authentik_core_user (id int, uuid uuid, email text, name text, password text, is_active boolean,
    date_joined timestamptz, last_login timestamptz, type text);
  insert into other.authentik_core_user values
    (1, '${UUID.replace('3f', '4f')}', 'authentik@example.com', 'Auth Entik', 'bcrypt$${BCRYPT_HASH}', true, now(), null, 'internal'),
    (2, '${UUID.replace('3f', '5f')}', 'bot@example.com', 'Bot', '!', true, now(), null, 'service_account');
  create table other.authentik_stages_authenticator_totp_totpdevice (id int, user_id int, key text, digits smallint,
    step smallint, confirmed boolean);
  insert into other.authentik_stages_authenticator_totp_totpdevice values
    (1, 1, '${Buffer.from('12345678901234567890').toString('hex')}', 6, 30, true), (2, 1, '00', 8, 30, true), (3, 1, '00', 6, 30, false)`;

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query(SOURCE_TABLES_SQL);
  await client.query('set search_path to other');
});
afterAll(() => client.end());

async function readQuery(section: string): Promise<string> {
  const text = await readFile('docs/import.md', 'utf8');
  const start = text.indexOf(`## ${section}\n`);
  const [, query = ''] = /<<'END'\n([\s\S]*?);\nEND\n/.exec(text.slice(start)) ?? [];
  return /^copy \(\n([\s\S]*)\n\) to stdout/.exec(query)?.[1] ?? query;
}

const importLines = async (lines: readonly string[], ...args: string[]) => {
  const path = join(await mkdtemp(join(tmpdir(), 'sesame-import-')), 'users');
  await writeFile(path, lines.join('\n'));
  const { code, stderr } = await cli.run(['import', 'users', path, ...args], '', { SECRET_KEY });
  expect([code, stderr]).toEqual([0, '']);
};

test.each([
  [
    'Supabase',
    'supa@example.com',
    { name: 'Supa Base', phone: '+33612345678', emailVerified: true, userId: UUID },
  ],
  ['authentik', 'authentik@example.com', { name: 'Auth Entik', emailVerified: false }],
])('the query for %s returns importable lines', async (section, email, fields) => {
  const { rows } = await client.query({ text: await readQuery(section), rowMode: 'array' });
  expect(rows).toMatchObject([[{ totp_secret: TOTP_SECRET }]]);
  const lines = rows.map(([record]) => JSON.stringify(record));
  await importLines(lines, '--from', 'jsonl', '--keep-ids');
  expect(await findUserByEmail(service.services.database, email)).toMatchObject(fields);
});

test('the query for Django returns importable columns', async () => {
  const { rows } = await client.query(await readQuery('Django'));
  const toCsv = (values: unknown[]) =>
    values.map((value) => `"${value instanceof Date ? value.toISOString() : value}"`).join(',');
  await importLines(
    [Object.keys(rows[0]).join(','), ...rows.map((row) => toCsv(Object.values(row)))],
    '--from',
    'csv',
  );
  expect(await findUserByEmail(service.services.database, 'django@example.com')).toMatchObject({
    name: 'Django',
    suspended: true,
  });
});
