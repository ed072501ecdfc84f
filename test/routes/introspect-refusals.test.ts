// What an API's owner finds of introspection that was refused: the reason, and never a secret.
import { afterAll, expect, test } from 'vitest';
import { newApiSecret } from '../../src/oauth/secrets.ts';
import { statement } from '../../src/store/statement.ts';
import { apiWithSecret, asserted, introspect, keyOf, type TestApi } from '../support/apis.ts';
import { databaseContent } from '../support/database-content.ts';
import { refusalsOf, refusalsOfApi } from '../support/diagnostics.ts';
import { postForm } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const last = async (api: TestApi) => {
  const [latest] = await refusalsOfApi(service, api);
  return latest && { kind: latest.kind, facts: latest.facts, held: latest.held };
};

test.each([
  ['none', undefined, 'secret_missing'],
  ['with a line break', 'sesame_api_secret_x\n', 'secret_white_space'],
  ['of the form of an application’s', `sesame_secret_${'x'.repeat(49)}`, 'secret_of_application'],
  ['truncated', newApiSecret().slice(0, 40), 'secret_shortened'],
  ['altered', newApiSecret().replace(/.$/, '~'), 'secret_altered'],
  ['of nobody', newApiSecret(), 'secret_unknown'],
  ['of something else', 'changeme', 'secret_not_ours'],
])('a secret that is wrong: %s', async (_, client_secret, kind) => {
  const api = await apiWithSecret(service);
  await introspect(service, api, 'x', { client_secret });
  expect(await last(api)).toMatchObject({ kind, held: false });
});

test('a secret that has expired is named by its number and dates; whoever sends it held it', async () => {
  const api = await apiWithSecret(service);
  const end = 'update secrets set expires_at = created_at where api_id = $1';
  await service.parts.database.query(statement('test_expire_api_secret', end), [api.apiId]);
  await introspect(service, api, 'x');
  expect(await last(api)).toMatchObject({ kind: 'secret_expired', facts: { number: 1 }, held: true });
});

test('the secret of another API is named to its own owner only', async () => {
  const mine = await apiWithSecret(service);
  const sibling = await apiWithSecret(service, { ownerId: mine.ownerId, name: 'Agenda' });
  const stranger = await apiWithSecret(service);
  await introspect(service, mine, 'x', { client_secret: sibling.secret });
  expect(await last(mine)).toMatchObject({ kind: 'secret_of_other', facts: { holder: 'Agenda' } });
  await introspect(service, stranger, 'x', { client_secret: sibling.secret });
  expect(await last(stranger)).toMatchObject({ kind: 'secret_unknown', facts: {} });
});

test('an assertion says what is wrong with it', async () => {
  const api = await apiWithSecret(service);
  const sign = await keyOf(service, api);
  await introspect(service, api, 'x', asserted(await sign({ aud: 'https://other.example' })));
  expect(await last(api)).toMatchObject({ kind: 'assertion_audience' });
  const once = asserted(await sign());
  await introspect(service, api, 'x', once);
  await introspect(service, api, 'x', once);
  expect(await last(api)).toMatchObject({ kind: 'assertion_used' });
});

test('an application that uses an API’s secret finds that, too', async () => {
  const api = await apiWithSecret(service);
  const application = await service.createApplication();
  await postForm(service, '/oauth/token', {
    ...{ client_id: application.clientId, client_secret: api.secret, grant_type: 'refresh_token' },
    refresh_token: 'x',
  });
  expect(await refusalsOf(service, application)).toMatchObject([{ kind: 'secret_of_api', apiId: null }]);
  expect(await refusalsOfApi(service, api)).toEqual([]);
});

test('nothing that was sent is kept: no secret, no assertion, no token', async () => {
  const api = await apiWithSecret(service);
  const sign = await keyOf(service, api);
  const [secret, assertion] = [newApiSecret(), await sign({ exp: 1 })];
  await introspect(service, api, 'TOKEN-SENT', { client_secret: secret });
  await introspect(service, api, 'TOKEN-SENT', asserted(assertion));
  expect(await refusalsOfApi(service, api)).toHaveLength(2);
  const content = JSON.stringify(await databaseContent(service.databaseUrl));
  for (const text of [secret, assertion, 'TOKEN-SENT']) expect(content).not.toContain(text);
});
