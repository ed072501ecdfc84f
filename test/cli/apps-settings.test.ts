// Tests `sesame apps update`, `show` and `revoke-secret`.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { createTwoColorPicture } from '../support/pictures.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
let owner: TestUser;
let folder: string;
const cli = createSesameCommand(() => service.databaseUrl);
beforeAll(async () => {
  owner = await service.createUser();
  folder = await mkdtemp(join(tmpdir(), 'sesame-settings-'));
});
afterAll(() => rm(folder, { recursive: true }));

const createOwnedClient = (fields = {}) => service.createClient({ ownerId: owner.userId, ...fields });
const showApp = (clientId: string) => cli.runJson('apps', 'show', clientId);
const writeTestFile = async (name: string, content: string | Buffer) => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};
const createPublicKeys = async () => ({
  keys: [await exportJWK((await generateKeyPair('ES256')).publicKey)],
});

async function listEvents(clientId: string) {
  return service.services.database.query<{ kind: string; actor: string | null; detail: unknown }>(
    statement(
      'test_new_events',
      'select kind, actor_id as actor, detail from events where client_id = $1 order by id',
    ),
    [clientId],
  );
}

describe('`apps update`', () => {
  test('can change every setting that the console can', async () => {
    const { clientId } = await createOwnedClient();
    const jwks = await writeTestFile('keys.json', JSON.stringify(await createPublicKeys()));
    const logo = await writeTestFile('logo.png', await createTwoColorPicture().png().toBuffer());
    const changed = await cli.runJson(
      ...['apps', 'update', clientId, '--name', 'Agenda'],
      ...['--callback', 'https://a.example/cb', 'https://b.example/cb', '--scopes', 'openid email'],
      ...[
        '--standard',
        '--refresh-grace',
        '30',
        '--id-token-claims',
        'never',
        '--id-token-algorithm',
        'ES256',
      ],
      ...[
        '--post-logout-redirect-uri',
        'https://a.example/out',
        '--backchannel-logout-uri',
        'https://a.example/bc',
      ],
      ...['--par-required', '--pkce-required', '--mfa-required', '--device-flow'],
      ...['--jwks', jwks, '--logo', logo],
      ...['--home-page', 'https://a.example/', '--privacy-policy', 'https://a.example/p'],
      ...['--terms-of-service', 'https://a.example/t'],
    );
    const { changed: outcome, ...printed } = changed;
    expect(outcome).toBe(true);
    const shown = await showApp(clientId);
    expect(printed).toEqual(shown);
    expect(shown).toMatchObject({
      client_id: clientId,
      type: 'confidential',
      owner: owner.email,
      name: 'Agenda',
      redirect_uris: ['https://a.example/cb', 'https://b.example/cb'],
      scopes: ['openid', 'email'],
      standard: true,
      id_token_claims: false,
      id_token_algorithm: 'ES256',
      refresh_grace: 30,
      home_page: 'https://a.example/',
      privacy_policy: 'https://a.example/p',
      terms_of_service: 'https://a.example/t',
      post_logout_redirect_uris: ['https://a.example/out'],
      backchannel_logout_uri: 'https://a.example/bc',
      par_required: true,
      pkce_required: true,
      mfa_required: true,
      device_flow: true,
      jwks: { keys: [{ kty: 'EC', use: 'sig' }] },
      logo_uri: expect.stringContaining('/pictures/'),
      suspended: false,
      verified: false,
      secrets: [{ number: 1, expires_at: null }],
    });
    // The actor is null because no user is signed in when a command runs.
    expect(await listEvents(clientId)).toEqual([
      { kind: 'application_changed', actor: null, detail: { part: 'protocol' } },
      {
        kind: 'application_changed',
        actor: null,
        detail: {
          changed: expect.arrayContaining(['name', 'redirectUris', 'scopes', 'standard', 'refreshGrace']),
          redirectUris: ['https://a.example/cb', 'https://b.example/cb'],
        },
      },
      { kind: 'application_changed', actor: null, detail: { changed: ['logo'] } },
    ]);
    const text = (await cli.run(['apps', 'show', clientId])).stdout;
    for (const part of ['Agenda', 'https://a.example/out', '"number":1']) expect(text).toContain(part);
  });

  test('clears a setting if the given value is empty', async () => {
    const { clientId } = await createOwnedClient();
    await cli.runJson(
      'apps',
      'update',
      clientId,
      '--device-flow',
      '--post-logout-redirect-uri',
      'https://h.example/out',
      '--home-page',
      'https://h.example/',
    );
    const initial = await showApp(clientId);
    const post_logout_redirect_uris = ['https://h.example/out'];
    expect(initial).toMatchObject({ name: 'Carnet', device_flow: true, post_logout_redirect_uris });
    expect(await cli.runJson('apps', 'update', clientId, '--device-flow')).toMatchObject({ changed: false });
    expect(await listEvents(clientId)).toHaveLength(2);
    const cleared = ['--post-logout-redirect-uri', '', '--home-page', ''];
    await cli.runJson('apps', 'update', clientId, '--no-device-flow', ...cleared);
    expect(await showApp(clientId)).toEqual({
      ...initial,
      device_flow: false,
      post_logout_redirect_uris: [],
      home_page: null,
    });
  });

  test('lists all validation errors', async () => {
    const { clientId } = await createOwnedClient();
    const before = await showApp(clientId);
    const message = await cli.runFailing([
      ...['apps', 'update', clientId, '--name', ' ', '--callback', 'nonsense', '--refresh-grace', '61'],
      ...['--home-page', 'ftp://x', '--backchannel-logout-uri', 'x', '--scopes', 'nothing'],
      ...['--post-logout-redirect-uri', 'https://a.example/#x', '--device-flow'],
    ]);
    for (const part of [
      'Enter a name for the application.',
      'Callback URL "nonsense"',
      'refresh_grace: Enter a whole number from 0 to 60.',
      'home_page: Enter a full URL',
      'backchannel_logout_uri: Enter a full https URL',
      'Unknown scope "nothing"',
      'post_logout_redirect_uris "https://a.example/#x"',
    ])
      expect(message).toContain(part);
    expect(await showApp(clientId)).toEqual(before);
    expect(await listEvents(clientId)).toEqual([]);
  });

  test('refuses invalid files and option values', async () => {
    const { clientId } = await createOwnedClient();
    for (const [args, message] of [
      [[], /Nothing to change/],
      [['--jwks', '/nowhere/keys.json'], /Can't read .*: ENOENT/],
      [['--id-token-algorithm', 'none'], /Allowed choices are/],
      [['--logo', 'package.json'], /cannot read this picture/],
      [['--jwks', 'package.json'], /not a JWK Set/],
    ] as const)
      expect(await cli.runFailing(['apps', 'update', clientId, ...args])).toMatch(message);
  });

  test('refuses private keys', async () => {
    const { clientId } = await createOwnedClient({ type: 'public' });
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const secret = await writeTestFile(
      'private.json',
      JSON.stringify({ keys: [await exportJWK(privateKey)] }),
    );
    const message = await cli.runFailing([
      'apps',
      'update',
      (await createOwnedClient()).clientId,
      '--jwks',
      secret,
    ]);
    expect(message).toContain('One of these keys is private');
    const keys = await writeTestFile('public.json', JSON.stringify(await createPublicKeys()));
    expect(await cli.runFailing(['apps', 'update', clientId, '--jwks', keys])).toContain("can't have keys");
    expect(await cli.runFailing(['apps', 'update', 'app_nobody', '--name', 'x'])).toContain(
      'No application has',
    );
    expect(await cli.runFailing(['apps', 'show', 'app_nobody'])).toContain('No application has');
  });
});

describe('`apps revoke-secret`', () => {
  test('revokes the secret with the given number', async () => {
    const { clientId } = await createOwnedClient();
    await cli.runJson('apps', 'rotate-secret', clientId, '--overlap', '3600');
    expect((await showApp(clientId)).secrets).toMatchObject([{ number: 2 }, { number: 1 }]);
    expect(await cli.runJson('apps', 'revoke-secret', clientId, '1')).toEqual({
      client_id: clientId,
      revoked: 1,
    });
    expect((await showApp(clientId)).secrets).toMatchObject([{ number: 2, expires_at: null }]);
    expect(await cli.runFailing(['apps', 'revoke-secret', clientId, '1'])).toContain('no valid secret 1');
    expect((await listEvents(clientId)).at(-1)).toEqual({
      kind: 'secret_ended',
      actor: null,
      detail: { number: 1 },
    });
  });
});
