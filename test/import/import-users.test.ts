// Account imports: duplicates, IDs, identities, concurrent imports and files that change.
import { appendFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { createPasswordHasher } from '../../src/credentials/password-hashing.ts';
import { type ImportOptions, type ImportSummary, importUsers } from '../../src/import/import-users.ts';
import { openSource } from '../../src/import/open-source.ts';
import { formatVerdict } from '../../src/import/report.ts';
import { createRowIndex } from '../../src/import/row-index.ts';
import type { RowVerdict } from '../../src/import/row-remark.ts';
import { createSealer } from '../../src/oauth/seal.ts';
import { insertProvider } from '../../src/store/identity-providers.ts';
import { toJsonLines, writeImportFile } from '../support/import-files.ts';
import { createUser, NOW, openTestDatabase, sql } from '../support/store-fixtures.ts';

const { database, close } = await openTestDatabase();
const hasher = await createPasswordHasher();
const services = { database, sealer: createSealer('secret'.repeat(8)), hasher, now: () => NOW };
afterAll(close);

interface ImportOutcome extends ImportSummary {
  verdicts: RowVerdict[];
}

async function importRecords(
  records: readonly object[] | string,
  options: Partial<ImportOptions> = {},
  onBatch: (verdicts: readonly RowVerdict[]) => void = () => {},
): Promise<ImportOutcome> {
  const { from = 'jsonl' } = options;
  const path = writeImportFile(typeof records === 'string' ? records : toJsonLines(records));
  return importFile(path, { ...options, from }, onBatch);
}

async function importFile(
  path: string,
  options: ImportOptions,
  onBatch: (verdicts: readonly RowVerdict[]) => void = () => {},
): Promise<ImportOutcome> {
  const source = await openSource(options.from, path);
  const verdicts: RowVerdict[] = [];
  try {
    const summary = await importUsers(services, source, options, async (batch) => {
      verdicts.push(...batch);
      onBatch(batch);
    });
    return { ...summary, verdicts };
  } finally {
    await source.close();
  }
}

const summarize = ({ verdicts }: ImportOutcome) =>
  verdicts.map(({ row, verdict, refusals = [] }) => [
    row,
    verdict,
    ...refusals.map(({ code, detail }) => (detail === undefined ? code : `${code} ${detail}`)),
  ]);
const countUsers = async (pattern: string) =>
  (await sql(database, 'select count(*)::int as n from users where email like $1', [pattern]))[0]?.n;
const countEvents = () => sql(database, 'select count(*)::int as n from events');
const findUser = async (email: string) =>
  (await sql(database, 'select * from users where email_key = $1', [email]))[0];

const GOOGLE = 'https://accounts.google.com';

describe('an import', () => {
  test('stores every member of a record', async () => {
    const record = {
      sub: 'old|1',
      email: 'All@Members.example',
      email_verified: true,
      name: '  Zoë \u202eÜnal ',
      phone_number: '+33 6 12 34 56 78',
      locale: 'en-GB',
      password_hash: '$2b$10$BaCCkHfpyBLKOWR5QCtkG.OaQ2uqBQ1ZSVSw2k2qnFcypTL5WF7B2',
      totp_secret: 'gezd gnbv gy3t qojq gezd gnbv gy3t qojq',
      identities: [{ issuer: GOOGLE, subject: 'all-1', label: 'all@gmail.example' }],
      suspended: true,
      created_at: '2024-05-01 10:00:00.5+02',
      groups: ['staff', '=cmd|calc'],
      unknown: { member: 1 },
    };
    const { verdicts } = await importRecords([record]);
    const [verdict] = verdicts;
    expect(verdict).toMatchObject({ row: 1, verdict: 'created', formerSub: 'old|1' });
    expect(verdict?.notes).toEqual([
      { code: 'groups', detail: 'staff, =cmd|calc' },
      { code: 'provider_missing', detail: GOOGLE },
    ]);
    expect(await findUser('all@members.example')).toMatchObject({
      id: verdict?.sub,
      email: 'All@Members.example',
      email_verified: true,
      name: 'Zoë Ünal',
      phone: '+33612345678',
      locale: 'en',
      is_admin: false,
      created_at: new Date('2024-05-01T08:00:00.500Z'),
      suspended_at: NOW,
      totp_enabled_at: NOW,
      password_set_at: null,
    });
    expect(
      await sql(database, 'select * from external_identities where subject = $1', ['all-1']),
    ).toMatchObject([
      {
        user_id: verdict?.sub,
        issuer: GOOGLE,
        provider_id: 'https://accounts.google.com',
        label: 'all@gmail.example',
      },
    ]);
    expect(await sql(database, 'select kind, detail from events where user_id = $1', [verdict?.sub])).toEqual(
      [{ kind: 'account_imported', detail: { from: 'jsonl' } }],
    );
    expect(await sql(database, `select detail from events where kind = 'accounts_imported'`)).toEqual([
      { detail: { from: 'jsonl', created: 1, exists: 0, refused: 0 } },
    ]);
  });

  test('creates an unverified account if only an email address is given', async () => {
    const { verdicts } = await importRecords([
      { email: 'just.mail@example.com', name: null, suspended: null, password_hash: '!x' },
    ]);
    expect(verdicts[0]?.notes).toEqual([{ code: 'name_from_email' }, { code: 'no_password' }]);
    expect(await findUser('just.mail@example.com')).toMatchObject({
      name: 'just.mail',
      email_verified: false,
      password_hash: null,
      password_set_at: null,
      suspended_at: null,
      created_at: NOW,
    });
  });

  test('never creates an administrator', async () => {
    await importRecords([{ email: 'root@example.com', is_admin: true, admin: true, isAdmin: true }]);
    expect(await findUser('root@example.com')).toMatchObject({ is_admin: false });
  });

  test('reports all errors of a row at once', async () => {
    const bad = {
      email: 'not an address',
      email_verified: 'yes',
      name: 'x'.repeat(101),
      phone_number: '0612',
      password_hash: '$what$is$this',
      totp_secret: 'short',
      identities: [{ issuer: 'javascript:alert(1)', subject: '' }],
      groups: 'staff',
      suspended: 1,
    };
    const { verdicts } = await importRecords([bad, { email: 'fine@example.com' }]);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['refused', 'created']);
    expect(verdicts[0]?.refusals?.map(({ code }) => code).sort()).toEqual([
      'email_invalid',
      'email_verified_invalid',
      'groups_invalid',
      'identities_invalid',
      'name_invalid',
      'password_refused',
      'phone_number_invalid',
      'suspended_invalid',
      'totp_secret_invalid',
    ]);
  });

  test.each([
    ['no email address', {}, 'email_missing'],
    ['a null email address', { email: null }, 'email_missing'],
    [
      'a NUL in the subject',
      { email: 'n@example.com', identities: [{ issuer: GOOGLE, subject: 'a\0' }] },
      'identities_invalid',
    ],
    ['an unpaired surrogate', { email: 'n@example.com', sub: '\ud800' }, 'sub_invalid'],
    ['a line feed in the email address', { email: 'a@b.example\r\nBcc: x@b.example' }, 'email_invalid'],
    [
      'a phone number that is a formula',
      { email: 'n@example.com', phone_number: '=1+1' },
      'phone_number_invalid',
    ],
    ['a blank name', { email: 'n@example.com', name: '\u3164' }, 'name_invalid'],
  ])('refuses a row with %s', async (_, record, code) => {
    expect(summarize(await importRecords([record, { email: `ok-${code}@example.com` }]))[0]).toEqual([
      1,
      'refused',
      code,
    ]);
  });

  test.each([
    ['an unreadable time', { created_at: '31/01/2026' }, 'created_at_invalid 31/01/2026'],
    [
      'the zero time of Go',
      { created_at: '0001-01-01T00:00:00Z' },
      'created_at_invalid 0001-01-01T00:00:00Z',
    ],
    ['a locale that is a number', { locale: 5 }, 'locale_invalid 5'],
    ['a time that is an object', { created_at: { toString: 1 } }, 'created_at_invalid {"toString":1}'],
    ['a locale that is too long', { locale: 'f'.repeat(36) }, `locale_invalid ${'f'.repeat(36)}`],
  ])('accepts a row with %s but omits the value', async (name, record, expected) => {
    const email = `${name.toLowerCase().replaceAll(' ', '-')}@example.com`;
    const { verdicts } = await importRecords([{ email, name: 'N', ...record }]);
    expect(verdicts[0]?.verdict).toBe('created');
    expect(verdicts[0]?.notes?.map(({ code, detail }) => (detail ? `${code} ${detail}` : code))).toEqual([
      expected,
      'no_password',
    ]);
    expect(await findUser(email)).toMatchObject({ created_at: NOW, locale: null });
  });

  test('stores formulas and markup in a name as text', async () => {
    await importRecords([{ email: 'formula@example.com', name: '=HYPERLINK("x")\0<b>' }]);
    expect((await findUser('formula@example.com'))?.name).toBe('=HYPERLINK("x") <b>');
  });

  test('hashes MD5 digests with Argon2id', async () => {
    const digest = 'c8d808e8b5adac1b16e9bddc7e2b95ad';
    await importRecords([
      { email: 'md5@example.com', password_hash: digest, password_hash_algorithm: 'md5' },
    ]);
    const { password_hash } = (await findUser('md5@example.com')) ?? {};
    expect(password_hash).toContain('$argon2id$');
    expect(password_hash).not.toContain(digest);
  });

  test('writes no hashes or secrets to the report', async () => {
    const hash = '$2b$10$BaCCkHfpyBLKOWR5QCtkG.OaQ2uqBQ1ZSVSw2k2qnFcypTL5WF7B2';
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const { verdicts } = await importRecords([
      { email: 'quiet@example.com', password_hash: hash, totp_secret: secret },
      { email: 'quiet', password_hash: `${hash}x`, totp_secret: `${secret}!` },
    ]);
    const report = verdicts.map(formatVerdict).join('');
    expect(report).not.toContain('2b$10');
    expect(report).not.toContain('GEZD');
  });
});

describe('an imported email address', () => {
  test('is refused if an earlier row contains it in any letter case', async () => {
    const outcome = await importRecords(
      ['dup@example.com', 'DUP@Example.com', 'other@dup.example', ' dup@EXAMPLE.com '].map((email) => ({
        email,
      })),
    );
    expect(summarize(outcome)).toEqual([
      [1, 'created'],
      [2, 'refused', 'duplicate_email 1'],
      [3, 'created'],
      [4, 'refused', 'duplicate_email 1'],
    ]);
  });

  test('is compared in the ASCII form of the domain', async () => {
    const outcome = await importRecords([{ email: 'idn@exämple.fr' }, { email: 'IDN@xn--exmple-cua.fr' }]);
    expect(summarize(outcome)).toEqual([
      [1, 'created'],
      [2, 'refused', 'duplicate_email 1'],
    ]);
  });

  test('does not change an existing account', async () => {
    await importRecords([{ email: 'here@example.com', name: 'Before' }]);
    const before = await findUser('here@example.com');
    const outcome = await importRecords([
      {
        email: 'HERE@example.com',
        name: 'After',
        email_verified: true,
        identities: [{ issuer: GOOGLE, subject: 'here-1' }],
      },
    ]);
    expect(outcome).toMatchObject({
      created: 0,
      exists: 1,
      verdicts: [{ verdict: 'exists', sub: before?.id }],
    });
    expect(await findUser('here@example.com')).toEqual(before);
    expect(await sql(database, `select * from external_identities where subject = 'here-1'`)).toEqual([]);
  });
});

test('an imported account is not matched to an account with an unverified email address', async () => {
  await createUser(database, { email: 'squatted@example.com', emailVerified: false });
  const before = await findUser('squatted@example.com');
  for (const dryRun of [true, false])
    expect(
      summarize(await importRecords([{ sub: 'old|1', email: 'Squatted@example.com' }], { dryRun })),
    ).toEqual([[1, 'refused', 'account_unverified']]);
  expect(await findUser('squatted@example.com')).toEqual(before);
  await sql(database, `update users set email_verified = true where email_key = 'squatted@example.com'`);
  const { verdicts } = await importRecords([{ sub: 'old|1', email: 'Squatted@example.com' }]);
  expect(verdicts).toMatchObject([{ verdict: 'exists', sub: before?.id }]);
});

describe('the IDs of imported accounts', () => {
  const createId = (digit: number) => `8f613340-d766-4b42-a330-4775a621312${digit}`;

  test('are kept with --keep-ids only if they are UUIDs', async () => {
    const records = [
      { sub: createId(1).toUpperCase(), email: 'keep1@example.com' },
      { sub: 'auth0|1', email: 'keep2@example.com' },
      { email: 'keep3@example.com' },
      { sub: createId(1), email: 'keep4@example.com' },
      { sub: '00000000-0000-0000-0000-000000000000', email: 'keep5@example.com' },
    ];
    expect(summarize(await importRecords(records, { keepIds: true }))).toEqual([
      [1, 'created'],
      [2, 'refused', 'sub_not_uuid'],
      [3, 'refused', 'sub_missing'],
      [4, 'refused', 'duplicate_sub 1'],
      [5, 'refused', 'sub_not_uuid'],
    ]);
    expect((await findUser('keep1@example.com'))?.id).toBe(createId(1));
    expect(
      summarize(await importRecords([{ sub: createId(1), email: 'keep6@example.com' }], { keepIds: true })),
    ).toEqual([[1, 'refused', 'sub_taken']]);
  });

  test('are generated without --keep-ids', async () => {
    const { verdicts } = await importRecords([{ sub: createId(2), email: 'new1@example.com' }]);
    expect(verdicts[0]?.formerSub).toBe(createId(2));
    expect(verdicts[0]?.sub).not.toBe(createId(2));
  });
});

describe('a linked identity', () => {
  test('is refused if it already belongs to a different account', async () => {
    await insertProvider(database, {
      providerId: 'google',
      preset: 'google',
      name: 'Google',
      issuer: GOOGLE,
      clientId: 'x',
      sealedSecret: '',
      options: {},
      trustedEmailDomains: [],
      createdAt: NOW,
    });
    const withIdentity = (email: string, subject: string) => ({
      email,
      identities: [{ issuer: GOOGLE, subject }],
    });
    const outcome = await importRecords([
      withIdentity('i1@example.com', 'i-1'),
      withIdentity('i2@example.com', 'i-1'),
    ]);
    expect(summarize(outcome)).toEqual([
      [1, 'created'],
      [2, 'refused', 'duplicate_identity 1'],
    ]);
    expect(await sql(database, `select provider_id from external_identities where subject = 'i-1'`)).toEqual([
      { provider_id: 'google' },
    ]);
    expect(summarize(await importRecords([withIdentity('i3@example.com', 'i-1')]))).toEqual([
      [1, 'refused', `identity_taken ${GOOGLE}`],
    ]);
    expect(await findUser('i3@example.com')).toBeUndefined();
  });

  test('is stored without the control and bidi characters of its label', async () => {
    const identities = ['a', 'b\u001b[2J'].map((subject) => ({ issuer: GOOGLE, subject, label: '' }));
    identities.push({ issuer: GOOGLE, subject: 'c', label: '\u202eada\u001b[31m' });
    await importRecords([{ email: 'labels@example.com', identities }]);
    const user = await findUser('labels@example.com');
    const rows = await sql(
      database,
      'select label from external_identities where user_id = $1 order by subject',
      [user?.id],
    );
    expect(rows.map(({ label }) => label)).toEqual(['a', 'b [2J', 'ada [31m']);
  });

  test('is imported only once if a row contains it twice', async () => {
    const identity = { issuer: GOOGLE, subject: 'twice' };
    expect(
      await importRecords([{ email: 'twice@example.com', identities: [identity, identity] }]),
    ).toMatchObject({
      created: 1,
    });
  });
});

describe('an import run', () => {
  const createRecords = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ email: `${prefix}${index}@example.com` }));

  test('recognizes existing accounts when it is repeated', async () => {
    const records = createRecords('again', 3);
    const first = await importRecords(records);
    const second = await importRecords(records);
    expect(second).toMatchObject({ created: 0, exists: 3 });
    expect(second.verdicts.map(({ sub }) => sub)).toEqual(first.verdicts.map(({ sub }) => sub));
  });

  test('produces the same report as a dry run', async () => {
    await importRecords([{ email: 'dry0@example.com' }]);
    const records = [...createRecords('dry', 3), { email: 'DRY1@example.com' }, { email: 'dry' }];
    const events = await countEvents();
    const dry = await importRecords(records, { dryRun: true });
    expect(await countUsers('dry%')).toBe(1);
    expect(await countEvents()).toEqual(events);
    expect(summarize(dry)).toEqual(summarize(await importRecords(records)));
  });

  test('can be interrupted between batches and continued later', async () => {
    const records = createRecords('stop', 1200);
    const controller = new AbortController();
    const stopped = await importRecords(records, { signal: controller.signal }, () => controller.abort());
    expect(stopped).toMatchObject({ stopped: true, rows: 500, created: 500 });
    expect(await importRecords(records)).toMatchObject({
      stopped: false,
      rows: 1200,
      created: 700,
      exists: 500,
    });
  });

  test('creates each account only once, even with a concurrent import', async () => {
    const records = createRecords('race', 1000).map((record, index) => ({
      ...record,
      identities: [{ issuer: GOOGLE, subject: `race-${index}` }],
    }));
    const outcomes = await Promise.all([importRecords(records), importRecords(records.toReversed())]);
    expect(outcomes.reduce((sum, { created }) => sum + created, 0)).toBe(1000);
    expect(outcomes.reduce((sum, { exists }) => sum + exists, 0)).toBe(1000);
    expect(await countUsers('race%')).toBe(1000);
  });

  test('imports the rest of a batch if the database refuses one row', async () => {
    await sql(
      database,
      `alter table users add constraint test_only check (name <> 'Refused by the database')`,
    );
    const records = createRecords('good', 20).map((record, index) => ({
      ...record,
      name: index === 7 ? 'Refused by the database' : 'Accepted',
    }));
    const outcome = await importRecords(records);
    await sql(database, 'alter table users drop constraint test_only');
    expect(outcome).toMatchObject({ created: 19, refused: 1 });
    expect(summarize(outcome)[7]).toEqual([8, 'refused', 'database 23514']);
    expect(await sql(database, `select from emails where email_key = 'good7@example.com'`)).toEqual([]);
  });

  test.each([
    ['no rows', '\n\n', 'contains no users'],
    ['a different format', '{\n"users": [\n]\n}\n', 'No row of the file is readable'],
  ])('refuses a file with %s', async (_, text, message) => {
    await expect(importRecords(text)).rejects.toThrow(message);
  });

  test('writes nothing if the end of the file is malformed', async () => {
    const users = JSON.stringify(createRecords('broken', 1500));
    await expect(importRecords(`{"users":${users},"clients":[{]}`, { from: 'keycloak' })).rejects.toThrow(
      'not valid JSON',
    );
    expect(await countUsers('broken%')).toBe(0);
  });
});

describe('the import of a changing file', () => {
  const records = Array.from({ length: 1200 }, (_, index) => ({ email: `change${index}@example.com` }));

  test.each<[string, (path: string) => void]>([
    ['grows', (path) => appendFileSync(path, '{"email":"late@example.com"}\n')],
    ['shrinks', (path) => truncateSync(path, 100)],
    [
      'is overwritten without a new timestamp',
      (path) => {
        writeFileSync(path, toJsonLines(records.map(() => ({ email: 'evil@example.com' }))), { flag: 'r+' });
        utimesSync(path, new Date(0), new Date(0));
      },
    ],
  ])('stops if the file %s', async (_, change) => {
    const path = writeImportFile(toJsonLines(records));
    const before = await countUsers('change%');
    let batches = 0;
    const outcome = importFile(path, { from: 'jsonl' }, () => {
      batches += 1;
      if (batches === 1) change(path);
    });
    await expect(outcome).rejects.toThrow('changed while it was read');
    expect(batches).toBe(1);
    expect(Number(await countUsers('change%')) - Number(before)).toBeLessThanOrEqual(500);
    expect(await countUsers('evil%')).toBe(0);
  });

  test('writes nothing if the file changes between the two passes', async () => {
    const path = writeImportFile(toJsonLines([{ email: 'between@example.com' }]));
    const onProgress = () => {};
    const source = await openSource('jsonl', path);
    const changing = {
      ...source,
      rows: async function* () {
        yield* source.rows();
        appendFileSync(path, ' ');
      },
    };
    const outcome = importUsers(services, changing, { from: 'jsonl', onProgress }, async () => {});
    await expect(outcome).rejects.toThrow('changed while it was read');
    await source.close();
    expect(await countUsers('between%')).toBe(0);
  });
});

test('createRowIndex finds the first row of each of 100,000 keys', () => {
  const rowIndex = createRowIndex(10);
  const repeated = Array.from({ length: 100_000 }, (_, index) => rowIndex.add(`key ${index + 1}`, index + 1));
  expect(repeated.filter((row) => row !== undefined)).toEqual([]);
  expect(rowIndex.add('key 1', 100_001)).toBe(1);
  expect(rowIndex.add('key 70000', 100_002)).toBe(70_000);
  expect(rowIndex.add('key 100001', 100_003)).toBeUndefined();
});
