import { expect, test } from 'vitest';
import { isWellFormedApiSecret } from '../../src/oauth/secrets.ts';
import { introspect } from '../support/apis.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);

const DESCRIPTION_OPTIONS = ['--description-fr', 'Vos notes', '--description-en', 'Your notes'];

test('the `apis` commands record the same audit events as the console', async () => {
  const { email } = await service.createUser();
  const identifier = 'https://cli.example/mcp';
  const created = await cli.runJson(
    ...[
      'apis',
      'create',
      '--owner',
      email,
      '--identifier',
      identifier,
      '--name',
      ' Notes ',
      ...DESCRIPTION_OPTIONS,
    ],
  );
  expect(created).toEqual({ api_id: expect.stringMatching(/^api_/), identifier, name: 'Notes' });
  const apiId = String(created.api_id);
  await cli.runJson('apis', 'add-scope', apiId, 'read', ...DESCRIPTION_OPTIONS, '--agents');
  await cli.runJson('apis', 'add-scope', apiId, 'drop', '--description-fr', 'Supprimer', '--sensitive');
  await cli.runJson('apis', 'remove-scope', apiId, 'drop');
  await cli.runJson('apis', 'update', apiId, '--allowed-clients', 'agents', '--token-lifetime', '90');
  const { api_secret: secret } = await cli.runJson('apis', 'rotate-secret', apiId);
  expect(isWellFormedApiSecret(String(secret))).toBe(true);
  expect(await cli.runJson('apis', 'show', apiId)).toMatchObject({
    api_id: apiId,
    owner: email,
    identifier,
    name: 'Notes',
    allowed_clients: 'agents',
    token_lifetime: 90,
    scopes: [{ name: 'read', fr: 'Vos notes', en: 'Your notes', sensitive: false, agents: true }],
    suspended: false,
    secrets: [{ number: 1, expires_at: null }],
  });
  const [row] = (await cli.runJsonList('apis', 'list')).filter(({ api_id }) => api_id === apiId);
  expect(row).toMatchObject({ identifier, owner: email, allowed_clients: 'agents', scopes: ['read'] });

  const api = { apiId, secret: String(secret) } as Parameters<typeof introspect>[1];
  const fetchIntrospectionStatus = async () => (await introspect(service, api, 'x')).status;
  expect(await fetchIntrospectionStatus()).toBe(200);
  expect(await cli.runJson('apis', 'suspend', apiId, '--reason', 'Spam')).toEqual({
    api_id: apiId,
    changed: true,
  });
  expect((await cli.runJson('apis', 'show', apiId)).suspended).toBe(true);
  await cli.runJson('apis', 'unsuspend', apiId);
  await cli.runJson('apis', 'revoke-secret', apiId, '1');
  expect(await fetchIntrospectionStatus()).toBe(401);
  expect(await cli.runJson('apis', 'delete', apiId)).toEqual({ deleted: apiId });
  const kinds = (await cli.runJsonList('audit', '--api', apiId)).map(({ kind }) => kind);
  expect(kinds.toReversed()).toEqual([
    ...['api_registered', 'api_scope_added', 'api_scope_added', 'api_scope_removed', 'api_changed'],
    ...['api_secret_rotated', 'api_suspended', 'api_unsuspended', 'api_secret_ended', 'api_deleted'],
  ]);
});

test('the `apis` commands refuse invalid input with the console’s messages', async () => {
  const { email } = await service.createUser();
  const buildCreateArguments = (identifier: string, ...extraArguments: string[]) => [
    ...[
      'apis',
      'create',
      '--owner',
      email,
      '--identifier',
      identifier,
      '--name',
      'Notes',
      ...DESCRIPTION_OPTIONS,
      ...extraArguments,
    ],
  ];
  expect(await cli.runFailing(buildCreateArguments('https://API.example/x'))).toContain(
    'Enter: https://api.example/x',
  );
  expect(
    await cli.runFailing(buildCreateArguments('https://taken.example', '--token-lifetime', '5')),
  ).toContain('60 to 86400');
  expect(
    await cli.runFailing(buildCreateArguments('https://taken.example', '--allowed-clients', 'all')),
  ).toContain('--allowed-clients must be own, applications or agents.');
  const { apiId } = await service.createApi({ identifier: 'https://taken.example' });
  expect(await cli.runFailing(buildCreateArguments('https://taken.example/'))).toContain(
    'already registered',
  );
  expect(await cli.runFailing(['apis', 'add-scope', apiId, 'read', ...DESCRIPTION_OPTIONS])).toContain(
    'already has a scope',
  );
  expect(await cli.runFailing(['apis', 'add-scope', apiId, 'delete'])).toContain(
    'description: Enter the description in French or English.',
  );
  expect(await cli.runFailing(['apis', 'add-scope', apiId, 'openid', ...DESCRIPTION_OPTIONS])).toContain(
    'a scope of this service',
  );
  expect(await cli.runFailing(['apis', 'remove-scope', apiId, 'none'])).toContain('has no scope none');
  expect(await cli.runFailing(['apis', 'update', apiId])).toContain('Nothing to change');
  expect(await cli.runFailing(['apis', 'show', 'api_unknown'])).toContain('No API has the api_id');
  expect(await cli.runFailing(['apis', 'revoke-secret', apiId, '7'])).toContain('no valid secret 7');
});
