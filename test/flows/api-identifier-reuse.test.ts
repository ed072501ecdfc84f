// Reuse of a deleted API's identifier by a new API.
import { afterAll, expect, test } from 'vitest';
import {
  createApiWithSecret,
  insertExclusion,
  introspect,
  obtainApiToken,
  obtainServiceToken,
} from '../support/apis.ts';
import { apiPath, postFields } from '../support/console-forms.ts';
import {
  authorize,
  buildAuthorizeUrl,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

test('a new API does not inherit the grants of a deleted API with the same identifier', async () => {
  const owner = await service.createUser();
  const [ownerBrowser, browser] = [
    await openSignedInBrowser(service, owner),
    await openSignedInBrowser(service, await service.createUser()),
  ];
  const [client, excluded] = [await service.createClient(), await service.createClient()];
  const deletedApi = await createApiWithSecret(service, { ownerId: owner.userId });
  const { identifier: resource } = deletedApi;
  const serviceToken = await obtainServiceToken(service, client, deletedApi);
  const { refreshToken, apiToken } = await obtainApiToken(service, client, browser, deletedApi);
  const parameters = { scope: 'openid read', resource };
  const code = (await authorize(service, client, browser, parameters)).searchParams.get('code') ?? '';
  await insertExclusion(service, deletedApi, excluded);
  for (const token of [serviceToken, apiToken])
    expect((await introspect(service, deletedApi, token)).body.active).toBe(true);

  const page = await ownerBrowser.get(apiPath(deletedApi.apiId, '/delete'));
  const deletion = await postFields(ownerBrowser, apiPath(deletedApi.apiId, '/delete'), {
    ...page.hidden,
    name: deletedApi.name,
  });
  expect(deletion.status).toBe(303);
  const newApi = await createApiWithSecret(service, { identifier: resource, scopes: deletedApi.scopes });
  for (const token of [serviceToken, apiToken])
    expect((await introspect(service, newApi, token)).body).toEqual({ active: false });
  expect((await introspect(service, deletedApi, apiToken)).body.error).toBe('invalid_client');
  expect((await redeemRefreshToken(service, client, refreshToken, { resource })).body.error).toBe(
    'invalid_target',
  );
  expect((await redeemCode(service, client, code, { resource })).body.error).toBe('invalid_target');
  const { clientId: client_id, clientSecret: client_secret } = client;
  const request = { grant_type: 'client_credentials', client_id, client_secret, resource };
  expect((await postForm(service, '/oauth/token', request)).body.error).toBe('unsupported_grant_type');
  const silentUrl = buildAuthorizeUrl(service, client, { ...parameters, prompt: 'none' });
  expect((await browser.get(silentUrl)).location?.searchParams.get('error')).toBe('consent_required');
  const consentPage = await browser.follow(
    await browser.get(buildAuthorizeUrl(service, excluded, parameters)),
  );
  expect(consentPage.body, 'the exclusion is not inherited').toContain('action="/consent"');
});
