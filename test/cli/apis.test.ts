// sesame apis …, on a real database; what they print is used at once.
import { expect, test } from 'vitest';
import { isApiSecretShaped } from '../../src/oauth/secrets.ts';
import { introspect } from '../support/apis.ts';
import { useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = sesameCommand(() => service.databaseUrl);

const WORDS = ['--words-fr', 'Vos notes', '--words-en', 'Your notes'];

test('an API from registration to its end, as its owner would have it in the console', async () => {
  const { email } = await service.createUser();
  const identifier = 'https://cli.example/mcp';
  const made = await cli.json(
    ...['apis', 'create', '--owner', email, '--identifier', identifier, '--name', ' Notes ', ...WORDS],
  );
  expect(made).toEqual({ api_id: expect.stringMatching(/^api_/), identifier, name: 'Notes' });
  const apiId = String(made.api_id);
  await cli.json('apis', 'add-scope', apiId, 'read', ...WORDS, '--agents');
  await cli.json('apis', 'add-scope', apiId, 'drop', ...WORDS, '--sensitive');
  await cli.json('apis', 'remove-scope', apiId, 'drop');
  await cli.json('apis', 'update', apiId, '--admits', 'agents', '--token-lifetime', '90');
  const { api_secret: secret } = await cli.json('apis', 'rotate-secret', apiId);
  expect(isApiSecretShaped(String(secret))).toBe(true);
  expect(await cli.json('apis', 'show', apiId)).toMatchObject({
    api_id: apiId,
    owner: email,
    identifier,
    name: 'Notes',
    admits: 'agents',
    token_lifetime: 90,
    scopes: [{ name: 'read', fr: 'Vos notes', en: 'Your notes', sensitive: false, agents: true }],
    suspended: false,
    secrets: [{ number: 1, expires_at: null }],
  });
  const [row] = (await cli.rows('apis', 'list')).filter(({ api_id }) => api_id === apiId);
  expect(row).toMatchObject({ identifier, owner: email, admits: 'agents', scopes: ['read'] });

  const api = { apiId, secret: String(secret) } as Parameters<typeof introspect>[1];
  const asks = async () => (await introspect(service, api, 'x')).status;
  expect(await asks()).toBe(200);
  expect(await cli.json('apis', 'suspend', apiId, '--reason', 'Spam')).toEqual({
    api_id: apiId,
    changed: true,
  });
  expect((await cli.json('apis', 'show', apiId)).suspended).toBe(true);
  await cli.json('apis', 'unsuspend', apiId);
  await cli.json('apis', 'end-secret', apiId, '1');
  expect(await asks()).toBe(401);
  expect(await cli.json('apis', 'delete', apiId)).toEqual({ deleted: apiId });
  const kinds = (await cli.rows('audit', '--api', apiId)).map(({ kind }) => kind);
  expect(kinds.toReversed()).toEqual([
    ...['api_registered', 'api_scope_added', 'api_scope_added', 'api_scope_removed', 'api_changed'],
    ...['api_secret_rotated', 'api_suspended', 'api_unsuspended', 'api_secret_ended', 'api_deleted'],
  ]);
});

test('what the console refuses is refused in its words', async () => {
  const { email } = await service.createUser();
  const create = (identifier: string, ...more: string[]) => [
    ...['apis', 'create', '--owner', email, '--identifier', identifier, '--name', 'Notes', ...WORDS, ...more],
  ];
  expect(await cli.fault(create('https://API.example/x'))).toContain('like this: https://api.example/x');
  expect(await cli.fault(create('https://taken.example', '--token-lifetime', '5'))).toContain('60 to 86400');
  expect(await cli.fault(create('https://taken.example', '--admits', 'all'))).toContain('--admits is own');
  const { apiId } = await service.createApi({ identifier: 'https://taken.example' });
  expect(await cli.fault(create('https://taken.example/'))).toContain('already registered');
  expect(await cli.fault(['apis', 'add-scope', apiId, 'read', ...WORDS])).toContain('already has a scope');
  expect(await cli.fault(['apis', 'add-scope', apiId, 'openid', ...WORDS])).toContain(
    'a scope of this service',
  );
  expect(await cli.fault(['apis', 'remove-scope', apiId, 'none'])).toContain('has no scope none');
  expect(await cli.fault(['apis', 'update', apiId])).toContain('Say what to change');
  expect(await cli.fault(['apis', 'show', 'api_unknown'])).toContain('No API has the api_id');
  expect(await cli.fault(['apis', 'end-secret', apiId, '7'])).toContain('no live secret 7');
});
