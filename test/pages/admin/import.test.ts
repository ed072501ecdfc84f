import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, test } from 'vitest';
import { HASH_ERRORS } from '../../../src/credentials/imported-hash-schemes.ts';
import { messagesFor } from '../../../src/i18n/index.ts';
import { NOTE_MESSAGES, REFUSAL_MESSAGES } from '../../../src/import/row-remark.ts';
import { FILE_ERRORS } from '../../../src/import/source.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { parseElements, readFieldError, readHeading, readText } from '../../support/markup.ts';
import { isSignedIn } from '../../support/mfa-account.ts';
import { createSignedInUser, signIn } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';
import { upload } from '../../support/upload.ts';

const service = useTestService();
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});

const IMPORT_PATH = '/console/operations/import';
const REALM_FILE = 'test/fixtures/import/keycloak-realm.json';

async function submitImport(
  content: Buffer | string,
  fields: Record<string, string> = {},
  { browser } = admin,
) {
  const { hidden } = await browser.get(IMPORT_PATH);
  const file = { name: 'file', content: Buffer.from(content), fileName: 'users' };
  return upload(
    browser,
    IMPORT_PATH,
    { csrf: hidden.csrf ?? '', format: 'jsonl', mode: 'check', ...fields },
    file,
  );
}

let emailCount = 0;
const newEmail = () => `imported${++emailCount}@example.com`;
const toLines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const accountExists = async (email: string) =>
  (await findUserByEmail(service.services.database, email)) !== undefined;

const readTotals = (body: string) =>
  [...body.matchAll(/<div><dt>[^<]*<\/dt><dd>(\d+)<\/dd><\/div>/g)].map(([, number]) => Number(number));

function readReport(body: string): Record<string, unknown>[] {
  const link = parseElements(body).find(({ attributes }) => attributes.download === 'import-report.jsonl');
  const [, base64 = ''] = link?.attributes.href?.split('base64,') ?? [];
  return Buffer.from(base64, 'base64')
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the import page', () => {
  test('checks a real Keycloak export before importing it', async () => {
    const realm = await readFile(REALM_FILE);
    const checked = await submitImport(realm, { format: 'keycloak' });
    expect([checked.status, readHeading(checked.body)]).toEqual([200, 'File checked']);
    expect(await accountExists('ada@example.com')).toBe(false);

    const imported = await submitImport(realm, { format: 'keycloak', mode: 'import' });
    expect([imported.status, readHeading(imported.body)]).toEqual([200, 'Import finished']);
    expect(readTotals(imported.body)).toEqual(readTotals(checked.body));
    expect(readText(imported.body)).toContain('The email address is missing.');
    const report = readReport(imported.body);
    const ada = report.find(({ email }) => String(email).startsWith('ada@'));
    expect(ada).toMatchObject({
      verdict: 'created',
      sub: expect.any(String),
      former_sub: expect.any(String),
    });
    const browser = openBrowserSession(service.baseUrl);
    await signIn(browser, { email: String(ada?.email), password: 'Correct-horse-1', userId: '', name: '' });
    expect(await isSignedIn(browser)).toBe(true);

    const again = await submitImport(realm, { format: 'keycloak', mode: 'import' });
    expect(readTotals(again.body).slice(0, 2)).toEqual([0, readTotals(imported.body)[0]]);
  });

  test('records the administrator in the audit log', async () => {
    const email = newEmail();
    await submitImport(toLines({ email }), { mode: 'import' });
    const { database } = service.services;
    const kinds = `select kind, actor_id from events where actor_id = $1::uuid and kind like 'account%_imported' order by id desc limit 2`;
    expect(await sql(database, kinds, [admin.user.userId])).toEqual([
      { kind: 'accounts_imported', actor_id: admin.user.userId },
      { kind: 'account_imported', actor_id: admin.user.userId },
    ]);
  });

  test('offers no import if the file contains only existing accounts', async () => {
    const { body } = await submitImport(toLines({ email: admin.user.email }));
    expect(readText(body)).toContain('This file contains no accounts to import.');
    expect(body).not.toContain('Choose the file and import');
  });

  test('only checks the file by default', async () => {
    const email = newEmail();
    await submitImport(toLines({ email }), { mode: '' });
    expect(await accountExists(email)).toBe(false);
  });

  test('makes “check” the default button before the check, and “import” after it', async () => {
    const readModes = (body: string) =>
      parseElements(body).flatMap(({ attributes: { name, value } }) => (name === 'mode' ? [value] : []));
    expect(readModes((await admin.browser.get(IMPORT_PATH)).body)).toEqual(['check', 'import']);
    const checked = await submitImport(toLines({ email: newEmail() }));
    expect(checked.body).not.toContain('notice--attention');
    const link = parseElements(checked.body).find(({ attributes }) =>
      attributes.href?.startsWith(`${IMPORT_PATH}?`),
    );
    expect(readModes((await admin.browser.get(link?.attributes.href ?? '')).body)).toEqual([
      'import',
      'check',
    ]);
  });

  test('escapes text from the file', async () => {
    const hostile = '<script>alert(1)</script>';
    const email = newEmail();
    const lines = toLines(
      { email, groups: [hostile] },
      { email: hostile },
      { email: newEmail(), password_hash: 'ab01234567890' },
    );
    const { body } = await submitImport(lines);
    expect(body).not.toContain(hostile);
    expect(body).toContain('Groups are not imported: &lt;script&gt;');
    await admin.browser.get('/?lang=fr');
    const french = openBrowserSession(service.baseUrl, { 'accept-language': 'fr' });
    await signIn(french, admin.user);
    const page = await submitImport(lines, {}, { browser: french } as TestAdmin);
    expect(readText(page.body)).toMatch(/DES crypt ne compare que 8 caractères/);
    const unreadable = await submitImport('nonsense', {}, { browser: french } as TestAdmin);
    expect(readFieldError(unreadable.body, 'file')).toContain('Aucune ligne du fichier n’est lisible');
  });

  test('has a French message for every remark and file error', () => {
    const { remark } = messagesFor('fr').operations.imports;
    const incomplete = Object.entries({ ...REFUSAL_MESSAGES, ...NOTE_MESSAGES, ...FILE_ERRORS }).filter(
      ([code, english]) => {
        const french = remark({ code, detail: '%s' }, '');
        return french === '' || french.includes('%s') !== english.includes('%s');
      },
    );
    expect(incomplete).toEqual([]);
    const untranslated = Object.keys(HASH_ERRORS).filter((detail) =>
      remark({ code: 'password_refused', detail }, '').includes(`: ${detail}`),
    );
    expect(untranslated).toEqual([]);
  });

  test.each([
    ['an empty form', '', 'jsonl', 'Choose a file.'],
    [
      'a picture as a Keycloak export',
      '\u0089PNG\r\n',
      'keycloak',
      'The file ends before the JSON object is complete',
    ],
    ['nonsense as JSON Lines', 'nonsense', 'jsonl', 'No row of the file is readable'],
    [
      'a CSV header without an email column',
      'name\nAda\n',
      'csv',
      'The first line must contain the column names',
    ],
    ['more than 5,000 rows', '{"email":"a@b.c"}\n'.repeat(5001), 'jsonl', 'more than 5,000 accounts'],
  ])('shows an error on the file field for %s', async (_, content, format, error) => {
    const { status, body } = await submitImport(content, { format, mode: 'import' });
    expect(status).toBe(400);
    expect(readFieldError(body, 'file')).toContain(error);
    expect(body).not.toContain(tmpdir());
  });

  test('names the detected format if the wrong one is selected', async () => {
    const { status, body } = await submitImport(await readFile(REALM_FILE), {
      format: 'firebase',
      mode: 'import',
    });
    expect([status, readFieldError(body, 'file')]).toEqual([
      400,
      expect.stringContaining('looks like keycloak'),
    ]);
  });

  test('offers no import if every row is invalid', async () => {
    const { body } = await submitImport(toLines({ sub: 'old-7' }));
    expect(readText(body)).toContain('old-7');
    expect(readText(body)).not.toContain('Choose the file and import');
    expect(readText((await submitImport(toLines({ email: newEmail() }))).body)).toContain(
      'Choose the file and import',
    );
  });

  test('shows hash parameter errors on the right field', async () => {
    const { hidden } = await admin.browser.get(IMPORT_PATH);
    const body = new FormData();
    for (const [name, value] of Object.entries({
      csrf: hidden.csrf ?? '',
      format: 'firebase',
      mode: 'check',
    }))
      body.set(name, value);
    body.set('file', new Blob(['{"users":[]}']), 'users');
    body.set('hash_config', new Blob(['{"algorithm":"BCRYPT"}']), 'config');
    const response = await admin.browser.send(IMPORT_PATH, { method: 'POST', body });
    expect(readFieldError(response.body, 'hash_config')).toContain('algorithm (SCRYPT)');
    body.set('format', 'jsonl');
    const otherFormat = await admin.browser.send(IMPORT_PATH, { method: 'POST', body });
    expect(readFieldError(otherFormat.body, 'hash_config')).toContain('apply only to Firebase exports');
  });

  test('rejects an unknown format', async () => {
    const { body } = await submitImport(toLines({ email: newEmail() }), { format: 'xml' });
    expect(readFieldError(body, 'format')).toBe('Choose a format.');
  });

  test('deletes the uploaded file after the import', async () => {
    const listFiles = async () =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('sesame-upload-'));
    const before = await listFiles();
    await submitImport(toLines({ email: newEmail() }), { mode: 'import' });
    await submitImport('nonsense', { mode: 'import' });
    expect(await listFiles()).toEqual(before);
  });
});

describe('the import form', () => {
  test('returns 404 to users who are not administrators', async () => {
    const { browser } = await createSignedInUser(service);
    expect((await browser.get(IMPORT_PATH)).status).toBe(404);
    const email = newEmail();
    const { hidden } = await browser.get('/account/picture');
    const file = { name: 'file', content: Buffer.from(toLines({ email })), fileName: 'x' };
    const fields = { csrf: hidden.csrf ?? '', format: 'jsonl', mode: 'import' };
    expect((await upload(browser, IMPORT_PATH, fields, file)).status).toBe(404);
    expect(await accountExists(email)).toBe(false);
  });

  test('is rejected without a valid CSRF token or from a different site', async () => {
    const email = newEmail();
    expect((await submitImport(toLines({ email }), { mode: 'import', csrf: 'x' })).status).toBe(403);
    const { hidden } = await admin.browser.get(IMPORT_PATH);
    const body = new FormData();
    for (const [name, value] of Object.entries({ csrf: hidden.csrf ?? '', format: 'jsonl', mode: 'import' }))
      body.set(name, value);
    body.set('file', new Blob([toLines({ email })]), 'x');
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await admin.browser.send(IMPORT_PATH, { method: 'POST', body, headers })).status).toBe(403);
    expect(await accountExists(email)).toBe(false);
  });

  test('requires recent authentication', async () => {
    const email = newEmail();
    service.clock.advance(20 * 60);
    await submitImport(toLines({ email }), { mode: 'import' });
    expect(await accountExists(email)).toBe(false);
    await submitImport(toLines({ email }), { mode: 'import', current_password: admin.user.password });
    expect(await accountExists(email)).toBe(true);
  });

  test('rejects a file over 2 MB without reading it into memory', async () => {
    const response = await submitImport(Buffer.alloc(3 * 1024 * 1024, 'x'));
    expect(response.status).toBe(413);
  });

  test('is rejected if it has 20,000 parts', async () => {
    const { hidden } = await admin.browser.get(IMPORT_PATH);
    const parts = Array.from(
      { length: 20_000 },
      () => '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n',
    );
    const csrf = `--b\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${hidden.csrf}\r\n`;
    const response = await admin.browser.send(IMPORT_PATH, {
      method: 'POST',
      body: `${csrf}${parts.join('')}--b--\r\n`,
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'sec-fetch-site': 'same-origin' },
    });
    expect(response.status).toBe(400);
  });

  test('does not unpack compressed files', async () => {
    const gzip = Buffer.from('1f8b080000000000000303000000000000000000', 'hex');
    const { body } = await submitImport(gzip, { mode: 'import' });
    expect(readFieldError(body, 'file')).toContain('No row of the file is readable');
  });
});
