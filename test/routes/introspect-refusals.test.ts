// What an API's owner finds of introspection that was refused: the reason, and never a secret.
import { afterAll, expect, test } from 'vitest';
import { newApiSecret } from '../../src/oauth/secrets.ts';
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

test('the secret of another API is named to its own owner only', async () => {
  const mine = await apiWithSecret(service);
  const sibling = await apiWithSecret(service, { ownerId: mine.ownerId, name: 'Agenda' });
  const stranger = await apiWithSecret(service);
  await introspect(service, mine, 'x', { client_secret: sibling.secret });
  expect(await last(mine)).toMatchObject({ kind: 'secret_of_other', facts: { holder: 'Agenda' } });
  await introspect(service, stranger, 'x', { client_secret: sibling.secret });
  expect(await last(stranger)).toMatchObject({ kind: 'secret_unknown', facts: {} });
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
