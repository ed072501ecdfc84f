// Import formats: conversion of users to accounts, and malformed files.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Part, readMembers } from '../../src/import/json-members.ts';
import { openSource } from '../../src/import/open-source.ts';
import { MAX_ROW_SIZE } from '../../src/import/source.ts';
import { collect, createFolder, FIXTURES, readRows, writeImportFile } from '../support/import-files.ts';

const listRefusalCodes = (rows: Awaited<ReturnType<typeof readRows>>) =>
  rows.map(({ row, refusals = [] }) => [row, ...refusals.map(({ code }) => code)]);

describe('a JSONL file', () => {
  test('may contain a BOM, CRLF, blank lines and an unterminated last line', async () => {
    const path = writeImportFile(
      '\uFEFF{"email":"a@b.fr"}\r\n\r\n  \n{"email":"b@b.fr"}\r\n{"email":"é@b.fr"}',
    );
    expect(await readRows('jsonl', path)).toEqual([
      { row: 1, record: { email: 'a@b.fr' } },
      { row: 4, record: { email: 'b@b.fr' } },
      { row: 5, record: { email: 'é@b.fr' } },
    ]);
  });

  test('is imported except for its unreadable lines', async () => {
    const lines = [
      '{"email":',
      '[]',
      '"a"',
      'null',
      '['.repeat(60_000),
      `{"email":"${'x'.repeat(MAX_ROW_SIZE)}"}`,
      '{"email":"a@b.fr"}',
    ].map((line) => Buffer.from(`${line}\n`));
    lines.push(Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), Buffer.from('{"email":"c@b.fr"}'));
    expect(listRefusalCodes(await readRows('jsonl', writeImportFile(Buffer.concat(lines))))).toEqual([
      [1, 'not_json'],
      [2, 'not_json'],
      [3, 'not_json'],
      [4, 'not_json'],
      [5, 'not_json'],
      [6, 'too_long'],
      [7],
      [8, 'not_utf8'],
      [9],
    ]);
  });

  test('is imported except for a line of 5 MB', async () => {
    expect(listRefusalCodes(await readRows('jsonl', writeImportFile('x'.repeat(5_000_000))))).toEqual([
      [1, 'too_long'],
    ]);
  });

  test('may repeat member names and contain the name __proto__', async () => {
    const path = writeImportFile('{"email":"a@b.fr","__proto__":{"suspended":true},"email":"c@b.fr"}');
    const [row] = await readRows('jsonl', path);
    expect(row?.record?.email).toBe('c@b.fr');
    expect(row?.record?.suspended).toBeUndefined();
    expect(({} as { suspended?: boolean }).suspended).toBeUndefined();
  });
});

describe('a CSV file', () => {
  const read = (text: string) => readRows('csv', writeImportFile(text));

  test.each([
    ['commas', ','],
    ['semicolons', ';'],
    ['tabs', '\t'],
  ])('may separate columns with %s', async (_, separator) => {
    const lines = [
      ['email', 'name', 'email_verified', 'suspended', 'groups', 'comment'],
      ['a@b.fr', '"Lovelace, ""Ada""; née Byron"', 'true', 'f', 'staff', 'x'],
      ['b@b.fr', '', '0', 'YES', '', 'x'],
    ];
    const text = `\uFEFF${lines.map((cells) => cells.join(separator)).join('\r\n')}\r\n`;
    const [first, second] = await read(text);
    expect(first?.record).toEqual({
      email: 'a@b.fr',
      name: 'Lovelace, "Ada"; née Byron',
      email_verified: true,
      suspended: false,
      groups: ['staff'],
    });
    expect(second).toEqual({ row: 3, record: { email: 'b@b.fr', email_verified: false, suspended: true } });
  });

  test.each([
    ['CRLF, then LF', '\r\n', '\n'],
    ['LF, then CRLF', '\n', '\r\n'],
  ])('may mix line endings (%s)', async (_, first, others) => {
    const rows = await read(
      ['email,suspended', 'a@b.fr,t', 'b@b.fr,f', ''].join(others).replace(others, first),
    );
    expect(rows).toEqual([
      { row: 2, record: { email: 'a@b.fr', suspended: true } },
      { row: 3, record: { email: 'b@b.fr', suspended: false } },
    ]);
  });

  test('is imported except for rows with too few or too many cells', async () => {
    expect(listRefusalCodes(await read('email,name\na@b.fr\nb@b.fr,B,C\nc@b.fr,C\n'))).toEqual([
      [2, 'wrong_columns'],
      [3, 'wrong_columns'],
      [4],
    ]);
  });

  test('may contain the columns __proto__ and constructor, which are ignored', async () => {
    const [row] = await read('email,__proto__,constructor\na@b.fr,x,y\n');
    expect(row?.record).toEqual({ email: 'a@b.fr' });
  });

  test.each([
    ['no email column', 'name\nAda\n', 'including email'],
    ['a duplicate column', 'email,name,Email\n', 'the column email twice'],
    ['an unclosed quotation mark', 'email,name\n"a@b.fr,A\nb@b.fr,B\n', 'quotation mark'],
    ['a quotation mark within a cell', 'email,name\na@b.fr,A"B"C\n', 'quotation mark'],
    ['a huge cell', `email,name\na@b.fr,"${'x'.repeat(MAX_ROW_SIZE + 1)}"\n`, '64 kB'],
  ])('with %s is refused', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  test('encoded in Latin-1 is refused', async () => {
    const path = writeImportFile(Buffer.from('email,name\na@b.fr,Zoé\n', 'latin1'));
    await expect(readRows('csv', path)).rejects.toThrow('not UTF-8');
  });
});

describe('the Keycloak import', () => {
  test('converts users to records and reports unsupported data', async () => {
    const rows = await readRows('keycloak', `${FIXTURES}/keycloak-realm.json`);
    expect(listRefusalCodes(rows)).toEqual([[1], [2], [3], [4], [5], [6], [7, 'service_account'], [8]]);
    expect(rows[0]?.record).toMatchObject({
      sub: '8f613340-d766-4b42-a330-4775a6213126',
      email: 'ada@example.org',
      email_verified: true,
      name: 'Ada Lovelace',
      phone_number: '+33612345678',
      locale: 'fr',
      suspended: false,
      created_at: '2026-11-25T20:35:17.673Z',
      groups: ['/staff'],
    });
    expect(rows[5]?.record).toMatchObject({ email: 'off@example.org', suspended: true });
    expect(rows[7]?.notes).toEqual([{ code: 'required_actions', detail: 'UPDATE_PASSWORD' }]);
  });

  test('maps linked identities to issuers and reports unsupported providers', async () => {
    const createLink = (identityProvider: string) => ({ identityProvider, userId: '1', userName: 'ada' });
    const realm = {
      users: [
        {
          email: 'a@b.fr',
          federatedIdentities: ['google', 'corp', 'ms', 'saml', 'gone'].map(createLink),
        },
      ],
      identityProviders: [
        { alias: 'google', providerId: 'google' },
        { alias: 'corp', providerId: 'oidc', config: { issuer: 'https://corp.example' } },
        // Keycloak stores the user's Microsoft Graph ID, but Microsoft's `sub` differs for each client.
        { alias: 'ms', providerId: 'microsoft' },
        { alias: 'saml', providerId: 'saml', config: { issuer: 'https://saml.example' } },
      ],
    };
    const path = writeImportFile(JSON.stringify(realm));
    const source = await openSource('keycloak', path);
    await collect(source.rows());
    const [row] = await collect(source.rows());
    await source.close();
    expect(row?.record?.identities).toEqual([
      { issuer: 'https://accounts.google.com', subject: '1', label: 'ada' },
      { issuer: 'https://corp.example', subject: '1', label: 'ada' },
    ]);
    expect(row?.notes).toEqual(
      ['ms', 'saml', 'gone'].map((detail) => ({ code: 'identity_unmapped', detail })),
    );
  });

  test.each<[string, boolean, object]>([
    ['default URLs', true, {}],
    ['explicit github.com URLs', true, { baseUrl: 'https://github.com/', apiUrl: 'https://api.github.com' }],
    ['empty URLs', true, { baseUrl: '', apiUrl: ' ' }],
    ['a GitHub Enterprise Server URL', false, { baseUrl: 'https://github.corp.example' }],
    ['a GitHub Enterprise Server API URL', false, { apiUrl: 'https://github.corp.example/api/v3' }],
  ])('imports GitHub identities only from github.com (%s, imported: %s)', async (_case, isLinked, config) => {
    const realm = {
      identityProviders: [{ alias: 'github', providerId: 'github', config }],
      users: [{ email: 'a@b.fr', federatedIdentities: [{ identityProvider: 'github', userId: '42' }] }],
    };
    const [row] = await readRows('keycloak', writeImportFile(JSON.stringify(realm)));
    const identity = { issuer: 'https://github.com', subject: '42', label: undefined };
    expect(row?.record?.identities).toEqual(isLinked ? [identity] : []);
    expect(row?.notes).toEqual(isLinked ? [] : [{ code: 'identity_unmapped', detail: 'github' }]);
  });

  test('reports identities of a provider with linkOnly instead of importing them', async () => {
    const realm = {
      identityProviders: [{ alias: 'google', providerId: 'google', linkOnly: true }],
      users: [{ email: 'a@b.fr', federatedIdentities: [{ identityProvider: 'google', userId: '1' }] }],
    };
    const [row] = await readRows('keycloak', writeImportFile(JSON.stringify(realm)));
    expect(row?.record?.identities).toEqual([]);
    expect(row?.notes).toEqual([{ code: 'identity_unmapped', detail: 'google' }]);
  });

  const createOtpCredential = (data: object, value = '12345678901234567890') => ({
    type: 'otp',
    secretData: JSON.stringify({ value }),
    credentialData: JSON.stringify({
      subType: 'totp',
      digits: 6,
      period: 30,
      counter: 0,
      algorithm: 'HmacSHA1',
      ...data,
    }),
  });
  const readUser = async (user: object) =>
    (await readRows('keycloak', writeImportFile(JSON.stringify({ users: [user] }))))[0];

  test('reads a TOTP secret as plain text unless it is marked as base32', async () => {
    // The secret of RFC 6238, appendix B.
    const base32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    expect((await readUser({ credentials: [createOtpCredential({})] }))?.record?.totp_secret).toBe(base32);
    expect(
      (await readUser({ credentials: [createOtpCredential({ secretEncoding: 'BASE32' }, base32)] }))?.record
        ?.totp_secret,
    ).toBe(base32);
  });

  test.each([
    { digits: 8 },
    { period: 60 },
    { algorithm: 'HmacSHA256' },
    { subType: 'hotp' },
    { secretEncoding: 'HEX' },
  ])('omits an authenticator app with %o', async (data) => {
    const row = await readUser({ credentials: [createOtpCredential(data)] });
    expect(row?.record?.totp_secret).toBeUndefined();
    expect(row?.notes).toContainEqual({ code: 'totp_unsupported' });
  });

  test('reports unsupported credentials and refuses malformed passwords', async () => {
    const credentials = [
      { type: 'webauthn' },
      { type: 'recovery-authn-codes' },
      { type: 'password', secretData: '{' },
    ];
    const row = await readUser({
      credentials,
      realmRoles: ['default-roles-acme', 'boss'],
      attributes: { team: ['x'], phone: ['ask me'] },
    });
    expect(row?.notes).toEqual([
      { code: 'passkeys' },
      { code: 'credentials', detail: 'recovery-authn-codes' },
      { code: 'roles', detail: 'boss' },
      { code: 'attributes', detail: 'team, phone' },
    ]);
    expect(row?.refusals).toMatchObject([{ code: 'password_refused' }]);
  });

  test('never throws for members of unexpected types', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          Object.fromEntries(
            [
              'id',
              'email',
              'firstName',
              'attributes',
              'credentials',
              'federatedIdentities',
              'groups',
              'createdTimestamp',
              'clientRoles',
              'requiredActions',
            ].map((name) => [name, fc.jsonValue()]),
          ),
        ),
        async (user) => {
          const row = await readUser(user);
          expect(row).toMatchObject({ row: 1 });
        },
      ),
      { numRuns: 50 },
    );
  });

  test('reads the files of a directory in numeric order', async () => {
    const folder = createFolder();
    const write = (name: string, content: object) =>
      writeFileSync(join(folder, name), JSON.stringify(content));
    write('acme-realm.json', { realm: 'acme', identityProviders: [{ alias: 'g', providerId: 'google' }] });
    for (const number of [10, 2, 0])
      write(`acme-users-${number}.json`, { realm: 'acme', users: [{ email: `u${number}@b.fr` }] });
    write('other-users-0.json', { users: [{ email: 'other@b.fr' }] });
    const rows = await readRows('keycloak', folder);
    expect(rows.map(({ row, record }) => [row, record?.email])).toEqual([
      [1, 'u0@b.fr'],
      [2, 'u2@b.fr'],
      [3, 'u10@b.fr'],
    ]);
    write('other-realm.json', {});
    await expect(readRows('keycloak', folder)).rejects.toThrow('several realms');
  });

  test('refuses only users larger than 64 kB', async () => {
    const users = [{ email: 'a@b.fr' }, { email: 'x'.repeat(MAX_ROW_SIZE) }, { email: 'c@b.fr' }];
    expect(listRefusalCodes(await readRows('keycloak', writeImportFile(JSON.stringify({ users }))))).toEqual([
      [1],
      [2, 'too_long'],
      [3],
    ]);
  });
});

describe('an import from Auth0 or Firebase', () => {
  test('converts Auth0 users to records', async () => {
    const rows = await readRows('auth0', `${FIXTURES}/auth0-users.ndjson`);
    expect(listRefusalCodes(rows)).toEqual([[1], [2], [3], [4, 'not_json']]);
    expect(rows[0]?.record).toMatchObject({
      email: 'auth0.one@example.com',
      phone_number: '+33612345678',
      identities: [],
    });
    expect(rows[0]?.record?.password_hash).toMatch(/^\$2b\$10\$/);
    expect(rows[1]?.record?.identities).toEqual([
      {
        issuer: 'https://accounts.google.com',
        subject: '10769150350006150715113082367',
        label: 'auth0.two@example.com',
      },
    ]);
    expect(rows[2]?.record).toMatchObject({ suspended: true, email_verified: false });
  });

  test('converts Firebase users to records and omits pictures', async () => {
    const options = { hashConfig: `${FIXTURES}/firebase-hash-config.json` };
    const rows = await readRows('firebase', `${FIXTURES}/firebase-users.json`, options);
    expect(listRefusalCodes(rows)).toEqual([[1], [2], [3], [4]]);
    expect(rows[2]?.record).toMatchObject({ suspended: true, created_at: '2023-11-14T22:13:20.000Z' });
    expect(rows[3]?.record?.identities).toEqual([
      { issuer: 'https://accounts.google.com', subject: '1234567890', label: 'fb4@example.com' },
    ]);
    expect(rows[0]?.notes).toEqual([{ code: 'picture' }]);
  });

  test('refuses Firebase passwords if the hash parameters are missing', async () => {
    const rows = await readRows('firebase', `${FIXTURES}/firebase-users.json`);
    expect(listRefusalCodes(rows)).toEqual([1, 2, 3, 4].map((row) => [row, 'hash_config_missing']));
  });

  test('accepts hash parameters in the format of the Firebase console', async () => {
    const text = await readFile(`${FIXTURES}/firebase-hash-config.json`, 'utf8');
    const { base64_signer_key: key, base64_salt_separator: separator } = JSON.parse(text);
    const hashConfig = writeImportFile(
      `hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: ${key},\n  base64_salt_separator: ${separator},\n  rounds: 8,\n  mem_cost: 14,\n}\n`,
    );
    const path = `${FIXTURES}/firebase-users.json`;
    expect(await readRows('firebase', path, { hashConfig })).toEqual(
      await readRows('firebase', path, { hashConfig: `${FIXTURES}/firebase-hash-config.json` }),
    );
  });

  test('refuses hash parameters for a different algorithm', async () => {
    const hashConfig = writeImportFile('{"algorithm":"BCRYPT"}');
    const read = readRows('firebase', `${FIXTURES}/firebase-users.json`, { hashConfig });
    await expect(read).rejects.toThrow('algorithm (SCRYPT)');
  });
});

describe('format detection', () => {
  test.each([
    ['a realm without users', 'firebase', '{"realm":"acme"}', 'keycloak'],
    [
      'Keycloak users without a realm',
      'firebase',
      '{"users":[{"email":"a@b.fr","credentials":[]}]}',
      'keycloak',
    ],
    ['a single-line Keycloak user', 'jsonl', '{"email":"a@b.fr","createdTimestamp":1}', 'keycloak'],
    ['a single-line Firebase document', 'auth0', '{"users":[{"localId":"a"}]}', 'firebase'],
    ['a JSON Lines file', 'keycloak', '{"sub":"a","email":"a@b.fr"}\n{"sub":"b"}', 'jsonl'],
    ['a Firebase user among other users', 'keycloak', '{"users":[{"id":"a"},{"localId":"b"}]}', 'firebase'],
  ] as const)('refuses %s if the given format is %s', async (_, format, text, found) => {
    await expect(readRows(format, writeImportFile(text))).rejects.toThrow(`The file looks like ${found}.`);
  });

  test('accepts a record with members from other formats', async () => {
    const path = writeImportFile('{"sub":"a","email":"a@b.fr","user_id":1,"realm":"x","username":"y"}');
    expect(listRefusalCodes(await readRows('jsonl', path))).toEqual([[1]]);
  });
});

describe('the streaming JSON parser', () => {
  const parse = async (text: string | Buffer, chunkSize = 7): Promise<Part[]> => {
    async function* chunks() {
      const bytes = Buffer.from(text);
      // Reuse one buffer for all chunks, like the reader of input files.
      const buffer = Buffer.alloc(chunkSize);
      for (let start = 0; start < bytes.length; start += chunkSize)
        yield buffer.subarray(0, bytes.copy(buffer, 0, start, start + chunkSize));
    }
    return collect(readMembers(chunks(), () => 1000));
  };

  test('splits any object into members and array elements', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 2),
        async (object, chunkSize, indent) => {
          const text = JSON.stringify(object, null, indent);
          fc.pre(text.length < 900);
          const entries = Object.entries(JSON.parse(text)).flatMap(([name, value]) =>
            Array.isArray(value) ? value.map((element) => ({ name, value: element })) : [{ name, value }],
          );
          expect(await parse(text, chunkSize)).toEqual(entries);
        },
      ),
    );
  });

  test('rejects all text that JSON.parse rejects', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...'{}[],:"\\ 1aé\n', '"a"', '"a":', 'null', '"users":['), {
          maxLength: 12,
        }),
        async (tokens) => {
          const text = `{${tokens.join('')}`;
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          await (valid ? parse(text) : expect(parse(text)).rejects.toThrow());
        },
      ),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['a list', '[{"users":[]}]', 'not a single JSON object'],
    ['half an object', '{"users":[{"email":"a@b.fr"},{"em', 'ends before'],
    ['empty input', '', 'ends before'],
    ['two objects', '{"users":[]}{"users":[]}', 'not a single JSON object'],
    ['text after the object', '{"users":[]} x', 'not valid JSON'],
    ['a missing comma', '{"users":[{} {}]}', 'not valid JSON'],
    ['an extra comma', '{"users":[{},]}', 'not valid JSON'],
    ['a wrong bracket', '{"users":[{"a":1]]}', 'not valid JSON'],
  ])('rejects %s', async (_, text, message) => {
    await expect(parse(text)).rejects.toThrow(message);
  });

  test('accepts deeply nested JSON', async () => {
    const nested = `${'['.repeat(400)}${']'.repeat(400)}`;
    expect(await parse(`{"a":{"b":${nested}}}`)).toHaveLength(1);
  });
});

test('openSource refuses missing files, directories and named pipes', async () => {
  const pipe = join(createFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  await expect(readRows('jsonl', pipe)).rejects.toThrow("can't be a pipe");
  await expect(readRows('jsonl', '/nonexistent')).rejects.toThrow('Cannot open /nonexistent (ENOENT)');
  await expect(readRows('jsonl', '/')).rejects.toThrow('is not a regular file');
  await expect(readRows('keycloak', createFolder())).rejects.toThrow('NAME-realm.json');
});
