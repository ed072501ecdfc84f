import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { listEvents } from '../../../../src/store/audit-log.ts';
import { findOwnedApi } from '../../../../src/store/owned-apis.ts';
import { introspect, toAssertionFields } from '../../../support/apis.ts';
import { apiPath, submitForm } from '../../../support/console-forms.ts';
import { readFieldError } from '../../../support/markup.ts';
import { openSignedInBrowser } from '../../../support/oauth-flow.ts';
import { PASSWORD, useTestService } from '../../../support/service.ts';

const service = useTestService();

async function createOwnedApi() {
  const user = await service.createUser();
  const api = await service.createApi({ ownerId: user.userId });
  const page = apiPath(api.apiId, '/keys');
  const findKeys = async () => (await findOwnedApi(service.services.database, user.userId, api.apiId))?.jwks;
  return { user, api, page, keys: findKeys, browser: await openSignedInBrowser(service, user) };
}

test('an API can authenticate with a key until the key is removed', async () => {
  const { api, page, browser, keys } = await createOwnedApi();
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const response = await submitForm(browser, page, { jwks: JSON.stringify(await exportJWK(publicKey)) });
  expect(response.location?.search).toBe('?done=changed');
  const introspectWithKey = async (jti: string) => {
    const now = Math.floor(service.clock.now().getTime() / 1000);
    const claims = { iss: api.apiId, sub: api.apiId, aud: service.baseUrl, exp: now + 60, jti };
    const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    return (await introspect(service, { ...api, secret: '' }, 'x', toAssertionFields(assertion))).status;
  };
  expect(await introspectWithKey('one')).toBe(200);
  expect((await browser.get(page)).body).toContain('P-256');
  await submitForm(browser, page, { jwks: '' });
  expect(await keys()).toBeNull();
  expect(await introspectWithKey('two')).toBe(401);
  const events = await listEvents(service.services.database, { apiId: api.apiId }, { limit: 5 });
  expect(events.map(({ kind, detail }) => [kind, detail.keys])).toEqual([
    ['api_keys_changed', 0],
    ['api_keys_changed', 1],
  ]);
});

test('the form for public keys rejects private and malformed keys', async () => {
  const { page, browser, keys } = await createOwnedApi();
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const readRejection = async (jwks: string) =>
    readFieldError((await browser.follow(await submitForm(browser, page, { jwks }))).body, 'jwks');
  expect(await readRejection(JSON.stringify(await exportJWK(privateKey)))).toContain('private');
  expect(await readRejection('{"keys": 1}')).toContain('JWK Set');
  expect(await keys()).toBeNull();
});

test("changing an API's public keys requires ownership and re-authentication", async () => {
  const { page, browser, keys } = await createOwnedApi();
  const { publicKey } = await generateKeyPair('ES256');
  const jwks = JSON.stringify(await exportJWK(publicKey));
  const { hidden } = await browser.get(page);
  const other = await createOwnedApi();
  expect((await other.browser.get(page)).status).toBe(404);
  service.clock.advance(16 * 60);
  await browser.post(page, { ...hidden, jwks });
  expect(await keys()).toBeNull();
  await browser.post(page, { ...hidden, jwks, current_password: PASSWORD });
  expect((await keys())?.keys).toHaveLength(1);
});
