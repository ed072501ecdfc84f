// Tests `sesame providers`, except `test`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createSealer } from '../../src/oauth/seal.ts';
import { openProviderSecret } from '../../src/providers/configuration.ts';
import { resealProviderSecrets } from '../../src/providers/settings.ts';
import { linkIdentity, listIdentities } from '../../src/store/external-identities.ts';
import { findProvider } from '../../src/store/identity-providers.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';
import { sql } from '../support/store-fixtures.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);
const folder = mkdtempSync(join(tmpdir(), 'sesame-providers-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => sql(service.services.database, 'delete from identity_providers'));

const SECRET = 'a-secret-that-nobody-knows';
const secretFile = join(folder, 'secret.txt');
writeFileSync(secretFile, `${SECRET}\n`);
const environment = () => ({ SECRET_KEY, BASE_URL: service.baseUrl });
const runJson = async (...args: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await cli.run(['providers', ...args, '--json'], SECRET, environment());
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};
const runFailing = (...args: string[]) => cli.runFailing(['providers', ...args], SECRET, environment());
const OIDC_OPTIONS = ['--preset', 'oidc', '--issuer', 'https://idp.example', '--client-id', 'sesame'];
const addProvider = (...args: string[]) =>
  runJson('add', ...OIDC_OPTIONS, '--secret-file', secretFile, ...args);
const openSecret = async (providerId: string) => {
  const provider = await findProvider(service.services.database, providerId);
  return provider && openProviderSecret(service.services.sealer, provider);
};

describe('`providers add`', () => {
  test('stores a provider and prints the redirect URI to register', async () => {
    expect(await addProvider('--id', 'example', '--email-domain', 'a.example', 'b.example')).toEqual({
      provider_id: 'example',
      redirect_uri: `${service.baseUrl}/signin/provider/example/callback`,
    });
    expect(await runJson('show', 'example')).toMatchObject({
      name: 'OpenID Connect',
      issuer: 'https://idp.example',
      client_id: 'sesame',
      secret: 'stored',
      email_domains: ['a.example', 'b.example'],
      position: 1,
      linked_accounts: 0,
      disabled: false,
    });
    expect(await openSecret('example')).toBe(SECRET);
    const [event] = await cli.runJsonList('audit');
    expect(event).toMatchObject({ kind: 'provider_added', actor: null, detail: { provider: 'example' } });
  });

  test('reads the secret from standard input', async () => {
    await runJson('add', ...OIDC_OPTIONS, '--secret-stdin');
    expect(await openSecret('oidc')).toBe(SECRET);
  });

  test('lists all invalid options', async () => {
    const error = await runFailing(
      'add',
      '--preset',
      'oidc',
      '--id',
      'A B',
      '--issuer',
      'x',
      '--email-domain',
      '*',
    );
    for (const option of [
      '--id',
      '--issuer',
      '--client-id',
      '--secret-file or --secret-stdin',
      '--email-domain',
    ])
      expect(error).toContain(`${option}: `);
  });

  test('refuses unknown presets and unsupported options', async () => {
    expect(await runFailing('add', '--preset', 'facebook')).toContain(
      '--preset must be one of: google, microsoft',
    );
    const error = await runFailing('add', '--preset', 'google', '--tenant', 'x', '--team-id', 'y');
    expect(error).toContain("--tenant doesn't apply to the preset google.");
    expect(error).toContain("--team-id doesn't apply to the preset google.");
  });

  test('stores the options of a preset', async () => {
    const tenant = '0b5c2c9e-7a33-4c40-9d3b-1f2a3b4c5d6e';
    await runJson(
      'add',
      '--preset',
      'microsoft',
      '--client-id',
      'x',
      '--tenant',
      tenant,
      '--personal-accounts',
      '--secret-stdin',
    );
    expect(await runJson('show', 'microsoft')).toMatchObject({ tenants: [tenant], personal_accounts: true });
    expect(await runJson('update', 'microsoft', '--no-personal-accounts')).not.toHaveProperty(
      'personal_accounts',
    );
    expect(await runFailing('add', ...OIDC_OPTIONS, '--token-auth', 'none')).toContain(
      '--token-auth must be automatic,',
    );
  });

  test('fails if the secret file does not exist', async () => {
    expect(await runFailing('add', ...OIDC_OPTIONS, '--secret-file', join(folder, 'none'))).toMatch(
      /Can't read .*: ENOENT/,
    );
  });

  test('refuses to combine --secret-file with --secret-stdin', async () => {
    expect(await runFailing('add', ...OIDC_OPTIONS, '--secret-file', secretFile, '--secret-stdin')).toContain(
      'not both',
    );
  });

  test('refuses an id that is already in use', async () => {
    await addProvider();
    expect(await runFailing('add', ...OIDC_OPTIONS, '--secret-stdin')).toContain(
      '--id: Another provider already has',
    );
  });

  test('refuses a name that another provider already has', async () => {
    await addProvider('--name', 'Example');
    const other = ['--preset', 'oidc', '--id', 'other', '--issuer', 'https://b.example', '--client-id', 'b'];
    expect(await runFailing('add', ...other, '--name', 'example', '--secret-stdin')).toBe(
      'sesame: --name: Another provider already has this name. Choose another one.\n',
    );
    await runJson('add', ...other, '--name', 'Other', '--secret-stdin');
    expect(await runFailing('update', 'other', '--name', 'Example')).toContain(
      '--name: Another provider already has',
    );
  });

  test('refuses a preset whose issuer is already in use', async () => {
    const google = ['--preset', 'google', '--client-id', 'sesame', '--secret-stdin'];
    await runJson('add', ...google);
    expect(await runFailing('add', ...google, '--id', 'google-2')).toBe(
      'sesame: --preset: Another provider already has this issuer. Edit it instead of adding a second one.\n',
    );
  });

  test('does not accept the secret as an argument', async () => {
    const { stdout } = await cli.run(['providers', 'add', '--help']);
    expect(stdout).not.toMatch(/--(client-)?secret[ =]/);
  });
});

describe('`providers update`', () => {
  test('changes only the given settings', async () => {
    await addProvider('--email-domain', 'a.example', '--mfa-acr', 'urn:mfa');
    await runJson(
      'add',
      '--preset',
      'oidc',
      '--id',
      'second',
      '--name',
      'Second',
      '--issuer',
      'https://b.example',
      '--client-id',
      'b',
      '--secret-stdin',
    );
    expect(
      await runJson('update', 'oidc', '--name', 'Example', '--email-domain', '', '--position', '2'),
    ).toMatchObject({
      name: 'Example',
      client_id: 'sesame',
      email_domains: [],
      mfa_acrs: ['urn:mfa'],
      position: 2,
    });
    expect(await openSecret('oidc')).toBe(SECRET);
  });

  test('replaces the secret but refuses an empty one', async () => {
    await addProvider();
    const { code } = await cli.run(['providers', 'update', 'oidc', '--secret-stdin'], 'new\n', environment());
    expect([code, await openSecret('oidc')]).toEqual([0, 'new']);
    const empty = await cli.runFailing(
      ['providers', 'update', 'oidc', '--secret-stdin'],
      '\n',
      environment(),
    );
    expect(empty).toContain('The secret is empty.');
  });

  test('fails without options or for an unknown provider', async () => {
    expect(await runFailing('update', 'oidc')).toContain('Nothing to change');
    expect(await runFailing('update', 'oidc', '--name', 'X')).toContain('No provider has the ID oidc');
  });
});

test('`providers disable` and `providers enable` record the reason', async () => {
  await addProvider();
  expect(await runJson('disable', 'oidc', '--reason', 'incident')).toEqual({
    provider_id: 'oidc',
    changed: true,
  });
  expect(await runJson('disable', 'oidc')).toEqual({ provider_id: 'oidc', changed: false });
  expect(await runJson('list')).toMatchObject([{ provider_id: 'oidc', disabled: true }]);
  expect(await runJson('enable', 'oidc')).toEqual({ provider_id: 'oidc', changed: true });
  const events = await cli.runJsonList('audit', '--limit', '2');
  expect(events).toMatchObject([{ kind: 'provider_enabled' }, { detail: { reason: 'incident' } }]);
});

test('`providers remove` unlinks accounts and requires --yes', async () => {
  await addProvider();
  expect(await runFailing('remove', 'oidc')).toContain('No account is linked to it. To confirm');
  const { database } = service.services;
  const { userId } = await service.createUser();
  const identity = { issuer: 'https://idp.example', subject: 'ada', providerId: 'oidc', label: 'ada' };
  await database.transaction((transaction) =>
    linkIdentity(transaction, userId, identity, service.clock.now()),
  );
  expect(await runFailing('remove', 'oidc')).toBe(
    'sesame: The provider and its settings are deleted, and one linked account is unlinked. Adding the provider again does not restore the links. To confirm, add --yes.\n',
  );
  await sql(database, 'update users set password_hash = null where id = $1', [userId]);
  expect(await runFailing('remove', 'oidc')).toContain('links. One account has no other way to sign in.');
  expect(await runJson('remove', 'oidc', '--yes')).toEqual({ removed: 'oidc', unlinked: 1 });
  expect(await listIdentities(database, userId)).toEqual([]);
  expect(await runFailing('remove', 'oidc', '--yes')).toContain('No provider has the ID oidc');
});

test('provider secrets are re-encrypted with a new SECRET_KEY', async () => {
  await addProvider();
  const { database } = service.services;
  const newKey = 'quite another secret key: abcdefghij9876543210';
  await resealProviderSecrets(database, createSealer(newKey, [SECRET_KEY]));
  const provider = await findProvider(database, 'oidc');
  expect(provider && openProviderSecret(createSealer(newKey), provider)).toBe(SECRET);
  expect(provider && openProviderSecret(createSealer(SECRET_KEY), provider)).toBeUndefined();
});
