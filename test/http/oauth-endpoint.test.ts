// What all addresses that applications post to do alike, whatever they answer.
import { afterAll, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { allowDevices, obtainCode, postForm, signedInBrowser } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const LAST = statement('test_last_use', 'select last_used_at as at from secrets where client_id = $1');

async function lastUse(clientId: string): Promise<Date | null | undefined> {
  await service.parts.usage.flush();
  return (await service.parts.database.query<{ at: Date | null }>(LAST, [clientId]))[0]?.at;
}

test.each([
  ['/oauth/token', {}],
  ['/oauth/par', { response_type: 'code', scope: 'openid', state: 's' }],
  ['/oauth/device_authorization', { scope: 'openid' }],
  ['/oauth/introspect', { token: 'x' }],
  ['/oauth/token/revoke', { token: 'x' }],
])('that a secret was used at %s is noted for its owner', async (path, fields) => {
  const application = await service.createApplication();
  await allowDevices(service, application);
  const { clientId, clientSecret, redirectUri } = application;
  const browser = await signedInBrowser(service, await service.createUser());
  const code = await obtainCode(service, application, browser);
  const form = { ...fields, redirect_uri: redirectUri, grant_type: 'authorization_code', code };
  const send = (secret: string) =>
    postForm(service, path, { ...form, client_id: clientId, client_secret: secret });
  expect((await send('wrong')).status).toBe(401);
  expect(await lastUse(clientId)).toBeNull();
  expect((await send(clientSecret)).status).toBeLessThan(300);
  expect(await lastUse(clientId)).toBeInstanceOf(Date);
});
