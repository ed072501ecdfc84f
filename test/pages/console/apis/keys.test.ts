// The public keys of an API in the console, by which it authenticates instead of a secret.
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { listEvents } from '../../../../src/store/events.ts';
import { findOwnApi } from '../../../../src/store/own-apis.ts';
import { asserted, introspect } from '../../../support/apis.ts';
import { atApi, fill } from '../../../support/console.ts';
import { signedInBrowser } from '../../../support/flow.ts';
import { fieldError } from '../../../support/markup.ts';
import { PASSWORD, useTestService } from '../../../support/service.ts';

const service = useTestService();

async function owned() {
  const user = await service.createUser();
  const api = await service.createApi({ ownerId: user.userId });
  const page = atApi(api.apiId, '/keys');
  const keys = async () => (await findOwnApi(service.parts.database, user.userId, api.apiId))?.jwks;
  return { user, api, page, keys, browser: await signedInBrowser(service, user) };
}

test('a pasted public key lets the API ask about tokens, until it is taken away', async () => {
  const { api, page, browser, keys } = await owned();
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const answer = await fill(browser, page, { jwks: JSON.stringify(await exportJWK(publicKey)) });
  expect(answer.location?.search).toBe('?done=changed');
  const ask = async (jti: string) => {
    const now = Math.floor(service.clock.now().getTime() / 1000);
    const claims = { iss: api.apiId, sub: api.apiId, aud: service.baseUrl, exp: now + 60, jti };
    const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    return (await introspect(service, { ...api, secret: '' }, 'x', asserted(assertion))).status;
  };
  expect(await ask('one')).toBe(200);
  expect((await browser.get(page)).body).toContain('P-256');
  await fill(browser, page, { jwks: '' });
  expect(await keys()).toBeNull();
  expect(await ask('two')).toBe(401);
  const events = await listEvents(service.parts.database, { apiId: api.apiId }, { limit: 5 });
  expect(events.map(({ kind, detail }) => [kind, detail.keys])).toEqual([
    ['api_keys_changed', 0],
    ['api_keys_changed', 1],
  ]);
});

test('a private key, and what is none, are refused by the words for it; nothing is kept', async () => {
  const { page, browser, keys } = await owned();
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const refused = async (jwks: string) =>
    fieldError((await browser.follow(await fill(browser, page, { jwks }))).body, 'jwks');
  expect(await refused(JSON.stringify(await exportJWK(privateKey)))).toContain('private');
  expect(await refused('{"keys": 1}')).toContain('JWK Set');
  expect(await keys()).toBeNull();
});

test('a change needs a recent sign-in, or the password; the API has to be one’s own', async () => {
  const { page, browser, keys } = await owned();
  const { publicKey } = await generateKeyPair('ES256');
  const jwks = JSON.stringify(await exportJWK(publicKey));
  const { hidden } = await browser.get(page);
  const other = await owned();
  expect((await other.browser.get(page)).status).toBe(404);
  service.clock.advance(16 * 60);
  await browser.post(page, { ...hidden, jwks });
  expect(await keys()).toBeNull();
  await browser.post(page, { ...hidden, jwks, current_password: PASSWORD });
  expect((await keys())?.keys).toHaveLength(1);
});
