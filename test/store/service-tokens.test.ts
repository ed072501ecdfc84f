// Access tokens of applications on their own account: the statement that stores one looks at all that it was signed on, which may
// have changed since it was read.
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { NewApi } from '../../src/store/apis.ts';
import { insertServiceToken } from '../../src/store/service-tokens.ts';
import { exclude } from '../support/apis.ts';
import { sql } from '../support/populate.ts';
import { startTestService } from '../support/service.ts';
import { grantServiceAccess } from '../support/service-access.ts';

const service = await startTestService();
const application = await service.createApplication();
afterAll(() => service.close());

const granted = async (): Promise<NewApi> => {
  const api = await service.createApi();
  await grantServiceAccess(service.parts.database, api, application, ['read']);
  return api;
};
const store = ({ apiId, tokenLifetime: lifetime }: NewApi, scopes = ['read']) =>
  insertServiceToken(
    service.parts.database,
    {
      hash: randomBytes(33),
      clientId: application.clientId,
      target: { apiId, lifetime, scopes },
      expiresAt: new Date(service.clock.now().getTime() + 60_000),
    },
    service.clock.now(),
  );

test('a token on the terms that hold is stored; none for more than was granted', async () => {
  const api = await granted();
  expect(await store(api)).toBe(true);
  expect(await store(api, ['read', 'write'])).toBe(false);
});

test.each<[string, (api: NewApi) => Promise<unknown>]>([
  [
    'the lifetime was changed',
    ({ apiId }) =>
      sql(service.parts.database, 'update apis set token_lifetime = 61 where api_id = $1', [apiId]),
  ],
  [
    'the scope was removed',
    ({ apiId }) => sql(service.parts.database, "update apis set scopes = '[]' where api_id = $1", [apiId]),
  ],
  ['the application was cut off', (api) => exclude(service, api, application)],
  [
    'the access was ended',
    ({ apiId }) => sql(service.parts.database, 'delete from api_service_access where api_id = $1', [apiId]),
  ],
])('none where %s meanwhile', async (_, change) => {
  const api = await granted();
  await change(api);
  expect(await store(api)).toBe(false);
});
