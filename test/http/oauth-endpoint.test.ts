// All OAuth endpoints record the last use of a client secret.
import { afterAll, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { enableDeviceFlow, obtainCode, openSignedInBrowser, postForm } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const FIND_LAST_USE = statement(
  'test_last_use',
  'select last_used_at as at from secrets where client_id = $1',
);

async function findLastUse(clientId: string): Promise<Date | null | undefined> {
  await service.services.usage.flush();
  return (await service.services.database.query<{ at: Date | null }>(FIND_LAST_USE, [clientId]))[0]?.at;
}

test.each([
  ['/oauth/token', {}],
  ['/oauth/par', { response_type: 'code', scope: 'openid', state: 's' }],
  ['/oauth/device_authorization', { scope: 'openid' }],
  ['/oauth/introspect', { token: 'x' }],
  ['/oauth/token/revoke', { token: 'x' }],
])('%s records the last use of a client secret', async (path, fields) => {
  const client = await service.createClient();
  await enableDeviceFlow(service, client);
  const { clientId, clientSecret, redirectUri } = client;
  const browser = await openSignedInBrowser(service, await service.createUser());
  const code = await obtainCode(service, client, browser);
  const form = { ...fields, redirect_uri: redirectUri, grant_type: 'authorization_code', code };
  const send = (secret: string) =>
    postForm(service, path, { ...form, client_id: clientId, client_secret: secret });
  expect((await send('wrong')).status).toBe(401);
  expect(await findLastUse(clientId)).toBeNull();
  expect((await send(clientSecret)).status).toBeLessThan(300);
  expect(await findLastUse(clientId)).toBeInstanceOf(Date);
});
