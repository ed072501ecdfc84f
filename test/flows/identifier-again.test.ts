// Whoever registers the identifier of an API that was deleted gets nothing of what that one had (D45, D48).
import { afterAll, expect, test } from 'vitest';
import { apiWithSecret, exclude, introspect, obtainApiToken, obtainServiceToken } from '../support/apis.ts';
import { atApi, sendFields } from '../support/console.ts';
import { authorize, authorizeAddress, postForm, redeem, renew, signedInBrowser } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

test('no consent, grant, code, token, access or exclusion of before', async () => {
  const owner = await service.createUser();
  const [owning, browser] = [
    await signedInBrowser(service, owner),
    await signedInBrowser(service, await service.createUser()),
  ];
  const [application, cut] = [await service.createApplication(), await service.createApplication()];
  const before = await apiWithSecret(service, { ownerId: owner.userId });
  const { identifier: resource } = before;
  const own = await obtainServiceToken(service, application, before);
  const { refreshToken, apiToken } = await obtainApiToken(service, application, browser, before);
  const wish = { scope: 'openid read', resource };
  const code = (await authorize(service, application, browser, wish)).searchParams.get('code') ?? '';
  await exclude(service, before, cut);
  for (const token of [own, apiToken])
    expect((await introspect(service, before, token)).body.active).toBe(true);

  const page = await owning.get(atApi(before.apiId, '/delete'));
  const deleted = await sendFields(owning, atApi(before.apiId, '/delete'), {
    ...page.hidden,
    name: before.name,
  });
  expect(deleted.status).toBe(303);
  const after = await apiWithSecret(service, { identifier: resource, scopes: before.scopes });
  for (const token of [own, apiToken])
    expect((await introspect(service, after, token)).body).toEqual({ active: false });
  expect((await introspect(service, before, apiToken)).body.error).toBe('invalid_client');
  expect((await renew(service, application, refreshToken, { resource })).body.error).toBe('invalid_target');
  expect((await redeem(service, application, code, { resource })).body.error).toBe('invalid_target');
  const { clientId: client_id, clientSecret: client_secret } = application;
  const alone = { grant_type: 'client_credentials', client_id, client_secret, resource };
  expect((await postForm(service, '/oauth/token', alone)).body.error).toBe('unsupported_grant_type');
  const silent = authorizeAddress(service, application, { ...wish, prompt: 'none' });
  expect((await browser.get(silent)).location?.searchParams.get('error')).toBe('consent_required');
  const asked = await browser.follow(await browser.get(authorizeAddress(service, cut, wish)));
  expect(asked.body, 'the exclusion is gone, too').toContain('action="/consent"');
});
