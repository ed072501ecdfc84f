// Tests `sesame import apps` and `sesame export apps`.
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);

const REALM_FILE = 'test/fixtures/import/keycloak-realm.json';
const WIKI_SECRET = 'wiki-secret-0123456789abcdef';
const WIKI_CALLBACK_URL = 'https://wiki.example.org/callback';

const LIST_ACTIVE_CONSENTS = statement(
  'test_active_consents',
  'select count(*)::int as active from consents where client_id = $1::text and withdrawn_at is null',
);

/** Placeholders that only Keycloak can resolve. */
const PLACEHOLDER = `$${'{client_x}'}`;
const VAULT_SECRET = `$${'{vault.secret-of-this-client}'}`;

const createFolder = () => mkdtemp(join(tmpdir(), 'sesame-import-'));

async function writeRealm(...clients: object[]): Promise<string> {
  const path = join(await createFolder(), 'realm.json');
  await writeFile(path, JSON.stringify({ realm: 'test', clients }));
  return path;
}

const importRealm = async (path: string, ...args: string[]) => {
  const { email } = await service.createUser();
  const { code, stdout, stderr } = await cli.run([
    ...['import', 'apps', path, '--from', 'keycloak', '--owner', email, '--json', ...args],
  ]);
  expect(stderr).toBe('');
  const verdicts = JSON.parse(stdout) as Verdict[];
  return { code, verdicts, byId: new Map(verdicts.map((verdict) => [verdict.client_id, verdict])) };
};

interface Verdict {
  client_id: string;
  verdict: string;
  new_client_id?: string;
  reason?: string;
  notes?: string[];
}

const importClient = async (client: object, ...args: string[]): Promise<Verdict> => {
  const { verdicts } = await importRealm(await writeRealm(client), ...args);
  return verdicts[0] as Verdict;
};

let clientCount = 0;
const nextId = () => `client-${++clientCount}`;
const CLIENT = {
  secret: 'an-exported-secret-of-keycloak',
  redirectUris: ['https://one.example/cb'],
  defaultClientScopes: ['profile', 'email'],
};

test('"new" and "try-it" are the only static page names under /console/applications', () => {
  const paths = service.app.routes.map(({ url }) => /^\/console\/applications\/([\w-]+)$/.exec(url)?.[1]);
  expect(new Set(paths)).toEqual(new Set([undefined, 'new', 'try-it']));
});

describe('`import apps --from keycloak`', () => {
  test('imports a real Keycloak export with its client IDs and secrets', async () => {
    const dryRun = await importRealm(REALM_FILE, '--dry-run');
    expect(dryRun.code).toBe(0);
    expect(await cli.runJsonList('apps', 'list')).toEqual([]);

    const { code, verdicts, byId } = await importRealm(REALM_FILE);
    expect(code).toBe(0);
    expect(verdicts).toEqual(dryRun.verdicts);
    for (const internal of ['account', 'account-console', 'admin-cli', 'broker', 'realm-management'])
      expect(byId.get(internal)?.verdict).toBe('skipped');
    expect(byId.get('security-admin-console')?.verdict).toBe('skipped');
    expect(byId.get('spa')).toEqual({ client_id: 'spa', verdict: 'created' });
    expect(byId.get('batch')?.verdict).toBe('created');
    expect(byId.get('wiki')).toMatchObject({ verdict: 'created' });
    expect(byId.get('wiki')?.notes).toContainEqual(
      'Callback URL left out: "https://wiki.example.org/*": it contains a wildcard (*) or a backslash.',
    );
    expect(await cli.runJson('apps', 'show', 'wiki')).toMatchObject({
      name: 'Wiki',
      type: 'confidential',
      redirect_uris: [WIKI_CALLBACK_URL],
      scopes: ['openid', 'profile', 'email', 'phone'],
      standard: true,
      post_logout_redirect_uris: [WIKI_CALLBACK_URL],
    });
    expect(await cli.runJson('apps', 'show', 'spa')).toMatchObject({ type: 'public' });

    const browser = await openSignedInBrowser(service, await service.createUser());
    const wiki = { clientId: 'wiki', clientSecret: WIKI_SECRET, redirectUri: WIKI_CALLBACK_URL };
    const tokens = await obtainTokens(service, wiki, browser, { scope: 'openid profile' });
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(200);

    const again = await importRealm(REALM_FILE);
    expect(again.verdicts.filter(({ verdict }) => verdict === 'created')).toEqual([]);
    expect(again.byId.get('wiki')).toEqual({ client_id: 'wiki', verdict: 'exists' });
    expect(again.code).toBe(0);
  });

  test('recognizes clients imported under a replaced ID', async () => {
    const clientId = `https://${nextId()}.example/`;
    const { verdict, new_client_id } = await importClient({ ...CLIENT, clientId });
    expect(verdict).toBe('created');
    expect(new_client_id).toMatch(/^app_[A-Za-z0-9_-]{20}$/);
    expect(await importClient({ ...CLIENT, clientId })).toEqual({
      client_id: clientId,
      verdict: 'exists',
      new_client_id,
    });
  });

  test.each([
    'new',
    'try-it',
    'agent_123',
    'api_12345678901234567890',
    // UUIDs are replaced because a user's `sub` is a UUID, too.
    '5F5D1C1E-8A0B-4C5D-9E6F-0123456789ab',
    'with space',
    'a/../b',
    'é',
    'x'.repeat(65),
  ])('replaces the client ID %s', async (clientId) => {
    expect((await importClient({ ...CLIENT, clientId })).new_client_id).toMatch(/^app_/);
  });

  test('does not restore grants or consents of a deleted client', async () => {
    const clientId = nextId();
    await importClient({ ...CLIENT, clientId });
    const client = { clientId, clientSecret: CLIENT.secret, redirectUri: 'https://one.example/cb' };
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const tokens = await obtainTokens(service, client, browser, { scope: 'openid profile' });
    await cli.run(['apps', 'delete', clientId]);
    await importClient({ ...CLIENT, clientId });
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await redeemRefreshToken(service, client, tokens.refreshToken)).status).toBe(400);
    const [row] = await service.services.database.query<{ active: number }>(LIST_ACTIVE_CONSENTS, [clientId]);
    expect(row?.active).toBe(0);
  });

  test('omits a short or masked secret and adds a note', async () => {
    for (const secret of ['short', '**********', VAULT_SECRET, undefined]) {
      const clientId = nextId();
      const { verdict, notes } = await importClient({ ...CLIENT, clientId, secret });
      expect(verdict).toBe('created');
      expect(notes?.join(' ')).toContain(`sesame apps rotate-secret ${clientId}`);
      const refused = await postForm(service, '/oauth/token', {
        ...{ grant_type: 'refresh_token', refresh_token: 'x' },
        ...{ client_id: clientId, client_secret: String(secret) },
      });
      expect(refused.status).toBe(401);
    }
  });

  test('does not store the last characters of a secret', async () => {
    const clientId = nextId();
    await importClient({ ...CLIENT, clientId });
    expect(await cli.runJson('apps', 'show', clientId)).toMatchObject({
      secrets: [{ number: 1, ending: '' }],
    });
  });

  test.each([
    ['a SAML client', { protocol: 'saml' }],
    ['a bearer-only client', { bearerOnly: true }],
    [
      'a client that allows only the password grant',
      { standardFlowEnabled: false, directAccessGrantsEnabled: true },
    ],
    ['a client without redirect URIs', { redirectUris: [], publicClient: true }],
    [
      'a client that allows only the device flow',
      {
        ...{ redirectUris: [], publicClient: true, standardFlowEnabled: false },
        attributes: { 'oauth2.device.authorization.grant.enabled': 'true' },
      },
    ],
    ['a client with only wildcard redirect URIs', { redirectUris: ['*', 'https://one.example/*'] }],
    ['a client with a numeric client ID', { clientId: 5 }],
  ])('refuses %s and gives a reason', async (_, fields) => {
    const { verdict, reason } = await importClient({ ...CLIENT, clientId: nextId(), ...fields });
    expect(verdict).toBe('refused');
    expect(reason).toBeTruthy();
  });

  test('omits redirect URIs with plain HTTP in production', async () => {
    const clientId = nextId();
    const uris = ['http://one.example/cb', 'http://localhost/cb', 'https://one.example/cb'];
    const { email } = await service.createUser();
    const path = await writeRealm({ ...CLIENT, clientId, redirectUris: uris });
    const production = {
      NODE_ENV: 'production',
      BASE_URL: 'https://signin.example.com',
      SECRET_KEY,
    };
    const { code, stdout } = await cli.run(
      ['import', 'apps', path, '--from', 'keycloak', '--owner', email, '--json'],
      '',
      production,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)[0].notes).toHaveLength(2);
    expect((await cli.runJson('apps', 'show', clientId)).redirect_uris).toEqual(['https://one.example/cb']);
  });

  test('converts client settings and reports the unsupported ones', async () => {
    const clientId = nextId();
    const { notes } = await importClient({
      ...CLIENT,
      clientId,
      enabled: false,
      name: PLACEHOLDER,
      rootUrl: 'https://one.example/',
      baseUrl: '/home',
      redirectUris: ['/cb'],
      implicitFlowEnabled: true,
      protocolMappers: [{ name: 'department' }],
      optionalClientScopes: ['phone', 'payroll', 'address'],
      attributes: {
        'pkce.code.challenge.method': 'S256',
        'require.pushed.authorization.requests': 'true',
        'post.logout.redirect.uris': '+##https://one.example/bye##https://one.example/*',
        'backchannel.logout.url': 'https://one.example/logout',
        'id.token.signed.response.alg': 'ES256',
        policyUri: 'javascript:alert(1)',
      },
    });
    expect(await cli.runJson('apps', 'show', clientId)).toMatchObject({
      name: clientId,
      redirect_uris: ['https://one.example/cb'],
      post_logout_redirect_uris: ['https://one.example/cb', 'https://one.example/bye'],
      backchannel_logout_uri: 'https://one.example/logout',
      home_page: 'https://one.example/home',
      privacy_policy: null,
      id_token_algorithm: 'ES256',
      par_required: true,
      pkce_required: true,
      suspended: true,
      scopes: ['openid', 'profile', 'email', 'phone'],
    });
    expect(notes).toEqual([
      'The implicit grant is not supported.',
      'Client scopes left out: "payroll".',
      'Protocol mappers left out: "department".',
      'Sign-out URL left out: "https://one.example/*": it contains a wildcard (*) or a backslash.',
    ]);
  });

  test('writes a report with one line per client and a summary', async () => {
    const report = join(await createFolder(), 'report.jsonl');
    const path = await writeRealm(
      { ...CLIENT, clientId: nextId() },
      { clientId: nextId(), protocol: 'saml' },
    );
    const { code, verdicts } = await importRealm(path, '--report', report);
    expect(code).toBe(3);
    const lines = (await readFile(report, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].import).toMatchObject({ file: 'realm.json', from: 'keycloak', dry_run: false });
    expect(lines.slice(1, 3)).toEqual(verdicts);
    expect(lines[3]).toEqual({ summary: { dry_run: false, created: 1, exists: 0, skipped: 0, refused: 1 } });
    expect((await stat(report)).mode & 0o777).toBe(0o600);
  });

  test('never overwrites an unrelated file', async () => {
    const clientId = `\u001b[2J\u009b${nextId()}`;
    const path = await writeRealm({ ...CLIENT, clientId, protocolMappers: [{ name: '\u202eabc' }] });
    const { email } = await service.createUser();
    const args = ['import', 'apps', path, '--from', 'keycloak', '--owner', email];
    const countApps = async () => (await cli.runJsonList('apps', 'list')).length;
    const before = await countApps();
    expect(await cli.runFailing([...args, '--report', REALM_FILE])).toContain("isn't an import report");
    expect(await countApps()).toBe(before);
    const { stdout } = await cli.run(args);
    expect(stdout).toContain('created');
    expect(stdout).not.toMatch(/(?!\n)\p{C}/u);
  });

  test('can read a directory that contains one realm', async () => {
    const folder = await createFolder();
    await writeFile(
      join(folder, 'acme-realm.json'),
      await readFile(await writeRealm({ ...CLIENT, clientId: nextId() })),
    );
    await writeFile(join(folder, 'acme-users-0.json'), '{"realm":"acme","users":[]}');
    expect((await importRealm(folder)).code).toBe(0);
    await writeFile(join(folder, 'other-realm.json'), '{}');
    const { email } = await service.createUser();
    const { code, stderr } = await cli.run([
      'import',
      'apps',
      folder,
      '--from',
      'keycloak',
      '--owner',
      email,
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('several realms')]);
  });

  test.each([
    ['not JSON', 'nonsense'],
    ['a realm without clients', '{"realm":"acme"}'],
    ['null', 'null'],
  ])('exits with code 2 if the file is %s', async (_, text) => {
    const path = join(await createFolder(), 'realm.json');
    await writeFile(path, text);
    const { email } = await service.createUser();
    const { code, stderr } = await cli.run(['import', 'apps', path, '--from', 'keycloak', '--owner', email]);
    expect(code).toBe(2);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test('requires an existing account as the owner', async () => {
    const path = await writeRealm({ ...CLIENT, clientId: nextId() });
    const args = ['import', 'apps', path, '--from', 'keycloak'];
    expect(await cli.runFailing(args)).toContain('--owner is required');
    expect(await cli.runFailing([...args, '--owner', 'nobody@example.com'])).toContain('No account');
  });
});

describe('exported applications', () => {
  const exportApps = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli.run(['export', 'apps', ...args]);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const LIST_EVENTS = statement(
    'test_export_events',
    `select detail from events where kind = 'applications_exported' order by id desc limit 1`,
  );
  const readLastExport = async () => (await service.services.database.query(LIST_EVENTS, []))[0];

  test('can be imported into a different service without loss', async () => {
    const owner = await service.createUser();
    const clientId = nextId();
    const path = await writeRealm({ ...CLIENT, clientId, enabled: false }, { ...CLIENT, clientId: nextId() });
    await cli.run(['import', 'apps', path, '--from', 'keycloak', '--owner', owner.email]);
    const machine = await cli.runJson('apps', 'create', '--owner', owner.email, '--name', 'M', '--machine');
    await cli.run(['apps', 'verify', String(machine.client_id)]);
    await cli.run(['apps', 'rotate-secret', String(machine.client_id), '--overlap', '600']);
    const lines = await exportApps('--with-hashes');
    expect(await readLastExport()).toEqual({ detail: { hashes: true } });

    await using other = await startTestService({ SECRET_KEY: OTHER_SECRET_KEY });
    const otherCli = createSesameCommand(() => other.databaseUrl);
    for (const { owner: email } of parseLines(lines))
      await other.createUser({ email: String(email) }).catch(() => undefined);
    const file = join(await createFolder(), 'apps.jsonl');
    await writeFile(file, lines);
    const imported = await otherCli.run(['import', 'apps', file, '--from', 'jsonl']);
    expect([imported.code, imported.stderr]).toEqual([0, '']);
    expect((await otherCli.run(['export', 'apps', '--with-hashes'])).stdout).toBe(lines);
    const refused = await postForm(other, '/oauth/token', {
      ...{ grant_type: 'client_credentials' },
      ...{ client_id: String(machine.client_id), client_secret: String(machine.client_secret) },
    });
    // The previous secret remains valid for 600 seconds.
    expect(refused.body.error).not.toBe('invalid_client');
  });

  test('contain secret hashes only with --with-hashes', async () => {
    expect(parseLines(await exportApps()).some((line) => 'secrets' in line)).toBe(false);
    expect(await readLastExport()).toEqual({ detail: { hashes: false } });
  });

  test('are written to a private file that never replaces an existing one', async () => {
    const file = join(await createFolder(), 'apps.jsonl');
    const { exported } = await cli.runJson('export', 'apps', '--output', file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(parseLines(await readFile(file, 'utf8'))).toHaveLength(Number(exported));
    const before = await readLastExport();
    expect(await cli.runFailing(['export', 'apps', '--with-hashes', '--output', file])).toContain(
      'already exists',
    );
    expect(await readLastExport()).toEqual(before);
  });

  test('are imported one by one if the database refuses a row', async () => {
    const { email } = await service.createUser();
    const secret = { sha256: 'A'.repeat(43), ending: '', created_at: '2026-01-01T00:00:00Z' };
    const records = [
      { owner: 'a\u0000@example.com' },
      { type: 'confidential', secrets: [secret, secret] },
      { type: 'public' },
    ].map((members) => ({
      ...{ client_id: nextId(), name: 'A', type: 'public', owner: email, scopes: ['openid'] },
      redirect_uris: ['https://a.example/cb'],
      ...members,
    }));
    const file = join(await createFolder(), 'apps.jsonl');
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const { code, stdout, stderr } = await cli.run(['import', 'apps', file, '--from', 'jsonl', '--json']);
    expect([code, stderr]).toEqual([3, '']);
    const verdicts = JSON.parse(stdout) as Verdict[];
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['refused', 'refused', 'created']);
    expect(verdicts[1]?.reason).toBe('The database refused the row (SQLSTATE 23505).');
    expect(await cli.runFailing(['apps', 'show', records[1]?.client_id ?? ''])).toContain(
      'No application has',
    );
  });

  test('are imported even if other lines of the file are malformed', async () => {
    const { email } = await service.createUser();
    const clientId = nextId();
    const record = {
      client_id: clientId,
      name: 'A',
      type: 'public',
      redirect_uris: ['https://a.example/cb'],
      scopes: ['openid'],
    };
    const lines = [
      'nonsense',
      'null',
      '{"client_id":"x","__proto__":{"type":"public"}}',
      JSON.stringify({ ...record, client_id: nextId(), scopes: ['admin'] }),
      JSON.stringify({ ...record, client_id: nextId(), name: '\u0000' }),
      JSON.stringify(record),
      JSON.stringify({ ...record, name: 'Twice' }),
    ];
    const file = join(await createFolder(), 'apps.jsonl');
    await writeFile(file, `${lines.join('\n')}\n`);
    const { code, stdout } = await cli.run([
      ...['import', 'apps', file, '--from', 'jsonl', '--owner', email, '--json'],
    ]);
    expect(code).toBe(3);
    const verdicts = JSON.parse(stdout) as Verdict[];
    expect(verdicts.map(({ verdict }) => verdict)).toEqual([
      ...['refused', 'refused', 'refused', 'refused', 'refused', 'created', 'refused'],
    ]);
    expect(verdicts.every(({ verdict, reason }) => verdict === 'created' || reason)).toBe(true);
    expect(await cli.runJson('apps', 'show', clientId)).toMatchObject({ name: 'A' });
  });
});

const OTHER_SECRET_KEY = 'another-secret-key-of-another-service-0123456789';
const parseLines = (lines: string): Record<string, unknown>[] =>
  lines
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
