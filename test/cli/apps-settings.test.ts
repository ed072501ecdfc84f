// Everything that an application's owner can set, from the command line: shown, changed, refused whole.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { halves } from '../support/pictures.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
let owner: TestUser;
let folder: string;
const cli = sesameCommand(() => service.databaseUrl);
beforeAll(async () => {
  owner = await service.createUser();
  folder = await mkdtemp(join(tmpdir(), 'sesame-settings-'));
});
afterAll(() => rm(folder, { recursive: true }));

const create = (fields = {}) => service.createApplication({ ownerId: owner.userId, ...fields });
const show = (clientId: string) => cli.json('apps', 'show', clientId);
const put = async (name: string, content: string | Buffer) => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};
const publicKeys = async () => ({ keys: [await exportJWK((await generateKeyPair('ES256')).publicKey)] });

async function eventsOf(clientId: string) {
  return service.parts.database.query<{ kind: string; actor: string | null; detail: unknown }>(
    statement(
      'test_new_events',
      'select kind, actor_id as actor, detail from events where client_id = $1 order by id',
    ),
    [clientId],
  );
}

describe('apps update', () => {
  test('sets everything that the console sets; apps show --json gives it back', async () => {
    const { clientId } = await create();
    const jwks = await put('keys.json', JSON.stringify(await publicKeys()));
    const logo = await put('logo.png', await halves().png().toBuffer());
    const changed = await cli.json(
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
      ...['--par-required', '--pkce-required', '--second-factor-required', '--device-flow'],
      ...['--jwks', jwks, '--logo', logo],
      ...['--home-page', 'https://a.example/', '--privacy-policy', 'https://a.example/p'],
      ...['--terms-of-service', 'https://a.example/t'],
    );
    const { changed: outcome, ...rest } = changed;
    expect(outcome).toBe(true);
    const shown = await show(clientId);
    expect(rest).toEqual(shown);
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
      second_factor_required: true,
      device_flow: true,
      jwks: { keys: [{ kty: 'EC', use: 'sig' }] },
      logo_uri: expect.stringContaining('/pictures/'),
      suspended: false,
      verified: false,
      secrets: [{ number: 1, expires_at: null }],
    });
    // As the console writes them, but that nobody's account did it.
    expect(await eventsOf(clientId)).toEqual([
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
    for (const words of ['Agenda', 'https://a.example/out', '"number":1']) expect(text).toContain(words);
  });

  test('what is not named stays; an empty text empties; the same again changes nothing', async () => {
    const { clientId } = await create();
    await cli.json(
      'apps',
      'update',
      clientId,
      '--device-flow',
      '--post-logout-redirect-uri',
      'https://h.example/out',
      '--home-page',
      'https://h.example/',
    );
    const first = await show(clientId);
    const post_logout_redirect_uris = ['https://h.example/out'];
    expect(first).toMatchObject({ name: 'Carnet', device_flow: true, post_logout_redirect_uris });
    expect(await cli.json('apps', 'update', clientId, '--device-flow')).toMatchObject({ changed: false });
    expect(await eventsOf(clientId)).toHaveLength(2);
    const emptied = ['--post-logout-redirect-uri', '', '--home-page', ''];
    await cli.json('apps', 'update', clientId, '--no-device-flow', ...emptied);
    expect(await show(clientId)).toEqual({
      ...first,
      device_flow: false,
      post_logout_redirect_uris: [],
      home_page: null,
    });
  });

  test('says every fault at once, and changes nothing of it', async () => {
    const { clientId } = await create();
    const before = await show(clientId);
    const words = await cli.fault([
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
      expect(words).toContain(part);
    expect(await show(clientId)).toEqual(before);
    expect(await eventsOf(clientId)).toEqual([]);
  });

  test('refuses bad files and choices in words', async () => {
    const { clientId } = await create();
    for (const [args, words] of [
      [[], /Say what to change/],
      [['--jwks', '/nowhere/keys.json'], /cannot be read: ENOENT/],
      [['--id-token-algorithm', 'none'], /Allowed choices are/],
      [['--logo', 'package.json'], /cannot read this picture/],
      [['--jwks', 'package.json'], /not a JWK Set/],
    ] as const)
      expect(await cli.fault(['apps', 'update', clientId, ...args])).toMatch(words);
  });

  test('a private key is refused, and a public application has no keys', async () => {
    const { clientId } = await create({ type: 'public' });
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const secret = await put('private.json', JSON.stringify({ keys: [await exportJWK(privateKey)] }));
    const words = await cli.fault(['apps', 'update', (await create()).clientId, '--jwks', secret]);
    expect(words).toContain('is private');
    const keys = await put('public.json', JSON.stringify(await publicKeys()));
    expect(await cli.fault(['apps', 'update', clientId, '--jwks', keys])).toContain('has no keys');
    expect(await cli.fault(['apps', 'update', 'app_nobody', '--name', 'x'])).toContain('No application has');
    expect(await cli.fault(['apps', 'show', 'app_nobody'])).toContain('No application has');
  });
});

describe('apps end-secret', () => {
  test('ends one by its number, once', async () => {
    const { clientId } = await create();
    await cli.json('apps', 'rotate-secret', clientId, '--overlap', '3600');
    expect((await show(clientId)).secrets).toMatchObject([{ number: 2 }, { number: 1 }]);
    expect(await cli.json('apps', 'end-secret', clientId, '1')).toEqual({ client_id: clientId, ended: 1 });
    expect((await show(clientId)).secrets).toMatchObject([{ number: 2, expires_at: null }]);
    expect(await cli.fault(['apps', 'end-secret', clientId, '1'])).toContain('no live secret 1');
    expect((await eventsOf(clientId)).at(-1)).toEqual({
      kind: 'secret_ended',
      actor: null,
      detail: { number: 1 },
    });
  });
});
