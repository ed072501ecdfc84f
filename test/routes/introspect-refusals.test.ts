import { afterAll, expect, test } from 'vitest';
import { newApiSecret } from '../../src/oauth/secrets.ts';
import {
  createApiKey,
  createApiWithSecret,
  introspect,
  type TestApi,
  toAssertionFields,
} from '../support/apis.ts';
import { databaseContent } from '../support/database-content.ts';
import { readApiRefusals, readRefusals } from '../support/diagnostics.ts';
import { postForm } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const findLastRefusal = async (api: TestApi) => {
  const [latest] = await readApiRefusals(service, api);
  return latest && { kind: latest.kind, facts: latest.facts };
};

test('diagnostics name a secret’s API only to the API’s owner', async () => {
  const api = await createApiWithSecret(service);
  const sibling = await createApiWithSecret(service, { ownerId: api.ownerId, name: 'Agenda' });
  const foreign = await createApiWithSecret(service);
  await introspect(service, api, 'x', { client_secret: sibling.secret });
  expect(await findLastRefusal(api)).toMatchObject({
    kind: 'secret_belongs_to_other_client',
    facts: { holder: 'Agenda' },
  });
  await introspect(service, foreign, 'x', { client_secret: sibling.secret });
  expect(await findLastRefusal(foreign)).toMatchObject({ kind: 'secret_unknown', facts: {} });
});

test('a client’s request with an API secret appears only in the client’s diagnostics', async () => {
  const api = await createApiWithSecret(service);
  const client = await service.createClient();
  await postForm(service, '/oauth/token', {
    ...{ client_id: client.clientId, client_secret: api.secret, grant_type: 'refresh_token' },
    refresh_token: 'x',
  });
  expect(await readRefusals(service, client)).toMatchObject([{ kind: 'secret_belongs_to_api', apiId: null }]);
  expect(await readApiRefusals(service, api)).toEqual([]);
});

test('the database contains no secret, assertion or token from a rejected request', async () => {
  const api = await createApiWithSecret(service);
  const sign = await createApiKey(service, api);
  const [secret, assertion] = [newApiSecret(), await sign({ exp: 1 })];
  await introspect(service, api, 'TOKEN-SENT', { client_secret: secret });
  await introspect(service, api, 'TOKEN-SENT', toAssertionFields(assertion));
  expect(await readApiRefusals(service, api)).toHaveLength(2);
  const content = JSON.stringify(await databaseContent(service.databaseUrl));
  for (const text of [secret, assertion, 'TOKEN-SENT']) expect(content).not.toContain(text);
});
