// `sesame import users`: real exports, sign-in with the old passwords, reports and exit codes.
import { hash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatProgress } from '../../src/cli/progress.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { createFolder, FIXTURES, toJsonLines, writeImportFile } from '../support/import-files.ts';
import { createTotpCode } from '../support/mfa-account.ts';
import { signIn } from '../support/oauth-flow.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';
import { sql } from '../support/store-fixtures.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);
const environment = { SECRET_KEY };

const importUsers = (file: string, from: string, ...args: string[]) =>
  cli.run(['import', 'users', file, '--from', from, ...args], '', environment);
const newReportPath = () => join(createFolder(), 'report.jsonl');
const readReport = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const readVerdicts = (path: string) =>
  readReport(path)
    .filter(({ row }) => row !== undefined)
    .map(({ row, verdict, reasons }) => [
      row,
      verdict,
      ...(reasons ?? []).map(({ code }: { code: string }) => code),
    ]);

/** Signs in with a password. @returns whether the browser has a session */
async function canSignIn(email: string, password: string): Promise<boolean> {
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, { userId: '', email, name: '', password });
  return browser.cookies.has('sesame');
}

const FIREBASE_OPTIONS = ['--hash-config', `${FIXTURES}/firebase-hash-config.json`];

test('--hash-config is refused for formats other than Firebase', async () => {
  const file = writeImportFile('{"email":"unused-config@cli.example"}\n');
  const { code, stderr } = await importUsers(file, 'jsonl', ...FIREBASE_OPTIONS);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('(--hash-config) apply only to Firebase exports'),
  ]);
  expect(await cli.runFailing(['users', 'show', 'unused-config@cli.example'])).toContain('No account');
});

describe('the import of a Keycloak realm', () => {
  test('reports the outcome and the new id for each user', async () => {
    const report = newReportPath();
    const { code, stdout, stderr } = await importUsers(
      `${FIXTURES}/keycloak-realm.json`,
      'keycloak',
      '--report',
      report,
    );
    expect(code).toBe(3);
    expect(stdout).toMatch(/rows +8\ncreated +6\nexists +0\nrefused +2\n/);
    expect(stderr).toBe(
      'Row 4 (nomail): The email address is missing.\nRow 7: This is the service account of the client batch, not a user.\n',
    );
    expect(readVerdicts(report)).toEqual([
      [1, 'created'],
      [2, 'created'],
      [3, 'created'],
      [4, 'refused', 'email_missing'],
      [5, 'created'],
      [6, 'created'],
      [7, 'refused', 'service_account'],
      [8, 'created'],
    ]);
    const [header, ada] = readReport(report);
    expect(header.import).toMatchObject({ file: 'keycloak-realm.json', from: 'keycloak', keep_ids: false });
    expect(ada).toMatchObject({
      former_sub: '8f613340-d766-4b42-a330-4775a6213126',
      email: 'ada@example.org',
    });
    expect(readReport(report).at(-1)).toEqual({
      summary: { rows: 8, created: 6, exists: 0, refused: 2, stopped: false, dry_run: false },
    });
    expect(statSync(report).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['ada@example.org', 'Correct-horse-1'],
    ['grace.hopper@example.org', 'Correct-horse-2'],
    ['zoe@example.org', 'pässwörd-日本-6'],
  ])('preserves the password of %s', async (email, password) => {
    expect(await canSignIn(email, 'Correct-horse-9')).toBe(false);
    expect(await canSignIn(email, password)).toBe(true);
  });

  test('suspends disabled users', async () => {
    expect(await canSignIn('off@example.org', 'Correct-horse-3')).toBe(false);
    expect(await cli.runJson('users', 'show', 'off@example.org')).toMatchObject({ suspended: true });
    expect(await cli.runJson('users', 'show', 'grace.hopper@example.org')).toMatchObject({
      email_verified: false,
    });
    expect(await cli.runJson('users', 'show', 'ada@example.org')).toMatchObject({
      email_verified: true,
      phone: '+33612345678',
      created_at: '2026-11-25T20:35:17.673Z',
    });
  });

  test('keeps links to Google accounts', async () => {
    const { sub } = await cli.runJson('users', 'show', 'linked@example.org');
    expect(await sql(service.services.database, 'select * from external_identities')).toMatchObject([
      { user_id: sub, issuer: 'https://accounts.google.com', subject: '10769150350006150715113082367' },
    ]);
  });

  test('changes nothing when it is repeated', async () => {
    const report = newReportPath();
    expect((await importUsers(`${FIXTURES}/keycloak-realm.json`, 'keycloak', '--report', report)).code).toBe(
      3,
    );
    expect(readReport(report).at(-1).summary).toMatchObject({ created: 0, exists: 6, refused: 2 });
    expect(await canSignIn('ada@example.org', 'Correct-horse-1')).toBe(true);
  });
});

test('an imported authenticator app is required at sign-in', async () => {
  const file = writeImportFile(
    JSON.stringify({
      users: [
        {
          email: 'totp@example.org',
          emailVerified: true,
          credentials: [
            {
              type: 'password',
              secretData: '{"value":"$2b$04$Y4w8p2AEjPpPD1/5JhcORug43E5jPSInCMsdHa.3SdxdcyMOOL21q"}',
              credentialData: '{"algorithm":"bcrypt"}',
            },
            {
              type: 'otp',
              secretData: '{"value":"12345678901234567890"}',
              credentialData: '{"subType":"totp","digits":6,"counter":0,"period":30,"algorithm":"HmacSHA1"}',
            },
          ],
        },
      ],
    }),
  );
  expect(await importUsers(file, 'keycloak')).toMatchObject({ code: 0 });
  const browser = openBrowserSession(service.baseUrl);
  const page = await signIn(browser, {
    userId: '',
    email: 'totp@example.org',
    name: '',
    password: 'Old-password-1',
  });
  expect(browser.cookies.has('sesame')).toBe(false);
  const code = createTotpCode(service, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  await browser.follow(await browser.post('/signin/second-factor', { ...page.hidden, code }));
  expect(browser.cookies.has('sesame')).toBe(true);
});

test('users imported from Auth0 can sign in with the old password', async () => {
  const report = newReportPath();
  expect((await importUsers(`${FIXTURES}/auth0-users.ndjson`, 'auth0', '--report', report)).code).toBe(3);
  // The second user has the same Google identity as the user `linked` from the Keycloak fixture.
  expect(readVerdicts(report)).toEqual([
    [1, 'created'],
    [2, 'refused', 'identity_taken'],
    [3, 'created'],
    [4, 'refused', 'not_json'],
  ]);
  expect(await canSignIn('auth0.one@example.com', 'given Auth0 pass 1')).toBe(true);
});

test('users imported from Firebase can sign in unless they are disabled', async () => {
  expect(await importUsers(`${FIXTURES}/firebase-users.json`, 'firebase', ...FIREBASE_OPTIONS)).toMatchObject(
    {
      code: 0,
    },
  );
  expect(await canSignIn('fb2-given@example.com', 'given Feu-2-ö')).toBe(true);
  // This account was disabled in Firebase.
  expect(await canSignIn('fb3-given@example.com', 'given Feu-3-ö')).toBe(false);
});

test('users imported from CSV can sign in with the old password', async () => {
  const hash = '$2b$10$BaCCkHfpyBLKOWR5QCtkG.OaQ2uqBQ1ZSVSw2k2qnFcypTL5WF7B2';
  const file = writeImportFile(
    `email;name;email_verified;password_hash\r\ncsv@example.org;=1+1;t;${hash}\r\n`,
  );
  expect(await importUsers(file, 'csv')).toMatchObject({ code: 0 });
  expect(await canSignIn('csv@example.org', 'given Pass-wörd 1')).toBe(true);
});

describe('`import users`', () => {
  test('changes nothing with --dry-run', async () => {
    const file = writeImportFile(toJsonLines([{ email: 'dry@cli.example' }]));
    const { code, stdout } = await importUsers(file, 'jsonl', '--dry-run', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        rows: 1,
        created: 1,
        exists: 0,
        refused: 0,
        dry_run: true,
        remarks: { name_from_email: 1, no_password: 1 },
      },
    ]);
    expect(await cli.runFailing(['users', 'show', 'dry@cli.example'])).toContain('No account');
  });

  test.each([
    ['a nonexistent file', '/nonexistent', 'jsonl', 'Cannot open /nonexistent (ENOENT)'],
    [
      'malformed JSON',
      writeImportFile('{"users":[{"email":"x@cli.example"},'),
      'keycloak',
      'The file ends before',
    ],
    ['an empty file', writeImportFile(''), 'jsonl', 'contains no users'],
    ['CSV without an email column', writeImportFile('name\nAda\n'), 'csv', 'including email'],
  ])('exits with code 2 for %s', async (_, file, from, message) => {
    const { code, stdout, stderr } = await importUsers(file, from);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test.each([
    ['keycloak-realm.json', 'firebase', 'keycloak'],
    ['keycloak-realm.json', 'auth0', 'keycloak'],
    ['keycloak-realm.json', 'jsonl', 'keycloak'],
    ['firebase-users.json', 'keycloak', 'firebase'],
    ['firebase-users.json', 'jsonl', 'firebase'],
    ['auth0-users.ndjson', 'jsonl', 'auth0'],
    ['auth0-users.ndjson', 'keycloak', 'auth0'],
    ['hashes.jsonl', 'auth0', 'jsonl'],
  ])('refuses to read %s as %s', async (file, from, found) => {
    const countUsers = async () => (await sql(service.services.database, 'select id from users')).length;
    const before = await countUsers();
    const { code, stdout, stderr } = await importUsers(`${FIXTURES}/${file}`, from);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`The file looks like ${found}.`);
    expect(await countUsers()).toBe(before);
  });

  test('counts each kind of remark, even in a dry run', async () => {
    const file = writeImportFile(
      toJsonLines([
        { email: 'r1@cli.example', name: 'R', groups: ['a'] },
        { email: 'r2@cli.example', name: 'R' },
      ]),
    );
    const { stdout } = await importUsers(file, 'jsonl', '--dry-run');
    expect(stdout).toMatch(/dry_run +yes\n\nRemarks:\n1 × Groups .* \(groups\)\n2 × .* \(no_password\)\n/);
    expect(stdout).toContain('For details, pass --report FILE.');
    const reported = await importUsers(file, 'jsonl', '--dry-run', '--report', newReportPath());
    expect(reported.stdout).toContain('(no_password)');
    expect(reported.stdout).not.toContain('pass --report');
  });

  test('identifies a refused row by the old id if the email address is missing', async () => {
    const file = writeImportFile(toJsonLines([{ sub: 'old|\u009b2J7' }, { email: 'fine@cli.example' }]));
    const report = newReportPath();
    const { stderr } = await importUsers(file, 'jsonl', '--report', report);
    expect(stderr).toBe('Row 1 (old| 2J7): The email address is missing.\n');
    expect(readReport(report)[1]).toMatchObject({ verdict: 'refused', user: 'old| 2J7' });
  });

  test('appends to an existing report, even after a truncated line', async () => {
    const report = newReportPath();
    const file = writeImportFile(toJsonLines([{ email: 'append@cli.example' }]));
    await importUsers(file, 'jsonl', '--report', report);
    writeFileSync(report, '{"row":', { flag: 'a' });
    await importUsers(file, 'jsonl', '--report', report);
    const lines = readFileSync(report, 'utf8').split('\n');
    expect(
      lines.filter((line) => line.startsWith('{"row":1,')).map((line) => JSON.parse(line).verdict),
    ).toEqual(['created', 'exists']);
  });

  test('writes the report only to a new file or an existing report', async () => {
    const file = writeImportFile(toJsonLines([{ email: 'other@cli.example' }]));
    const other = writeImportFile('precious');
    for (const [path, message] of [
      [other, "isn't an import report"],
      [file, 'must not be the file to import'],
      ['/nonexistent/report', "Can't write the report"],
    ] as const) {
      const { code, stderr } = await importUsers(file, 'jsonl', '--report', path);
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    expect(readFileSync(other, 'utf8')).toBe('precious');
  });

  test('lists at most twenty refused rows', async () => {
    const file = writeImportFile(
      toJsonLines([{ email: 'ok@cli.example' }, ...Array.from({ length: 30 }, () => ({}))]),
    );
    const { stderr } = await importUsers(file, 'jsonl');
    expect(stderr.trim().split('\n')).toHaveLength(21);
    expect(stderr).toContain('10 more rows were refused. To list all refused rows, pass --report FILE.');
  });

  test('never prints control characters from the file', async () => {
    const file = writeImportFile(
      toJsonLines([{ email: 'a\u001b[31m@cli.example', sub: '\u009b2J' }, { email: 'b' }]),
    );
    const { stderr } = await importUsers(file, 'jsonl', '--keep-ids');
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  test('prints a JSON Schema with --print-schema', async () => {
    const { code, stdout } = await cli.run(['import', 'users', '--print-schema'], '', {
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      required: ['email'],
    });
  });

  test('shows the rate and the remaining time', () => {
    expect(formatProgress({ phase: 'import', rows: 120_000, total: 1_000_000 }, 20)).toBe(
      'Importing: 120,000 of 1,000,000 rows (12 %), 6,000 rows/s, 2 min 26 s left',
    );
    expect(formatProgress({ phase: 'check', rows: 500 }, 1)).toBe('Checking the file: 500 rows');
  });
});

test('users imported from WordPress can sign in with passwords that contain quotation marks', async () => {
  const password = `it's "quoted" x1`;
  const hashes = {
    current: '$wp$2y$10$2wCkOrbB1vUSsqPEcYRH/OvFiEChI1eLEKToYRU4kikP4h3PTJUHq',
    older: '$P$BAuJb7rT0bG/qqgo1wSiNsjbVNeyhO1',
    oldest: hash('md5', String.raw`it\'s \"quoted\" x1`),
  };
  const records = Object.entries(hashes).map(([name, password_hash]) => ({
    email: `wordpress-${name}@example.org`,
    name,
    password_hash,
    password_hash_algorithm: 'md5',
    created_at: null,
  }));
  expect((await importUsers(writeImportFile(toJsonLines(records)), 'jsonl')).code).toBe(0);
  for (const { email } of records) {
    expect(await canSignIn(email, 'its quoted x1'), email).toBe(false);
    expect(await canSignIn(email, password), email).toBe(true);
  }
});

// This test runs last because each imported kind of password hash makes failed sign-ins slower.
test('`import users` refuses expensive, weak and unknown password hashes', async () => {
  const report = newReportPath();
  expect((await importUsers(`${FIXTURES}/hashes.jsonl`, 'jsonl', '--report', report)).code).toBe(3);
  const refused = readReport(report).flatMap(({ verdict, email, reasons }) =>
    verdict === 'refused' ? [[email, reasons[0].code]] : [],
  );
  expect(refused).toEqual(
    ['bcrypt-cost-16-too-dear', 'des-crypt-refused', 'garbage'].map((name) => [
      `${name}-given@example.net`,
      'password_refused',
    ]),
  );
  expect(readFileSync(report, 'utf8')).not.toMatch(/\$2b\$|c8d808e8/);
});
