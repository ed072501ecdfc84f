import { describe, expect, test } from 'vitest';
import { moderateAccount } from '../../../src/accounts/moderation.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { findOwnedApi } from '../../../src/store/owned-apis.ts';
import { findOwnedClient } from '../../../src/store/owned-clients.ts';
import { deleteOwnedResource } from '../../../src/store/owned-resources.ts';
import {
  createApiWithSecret,
  insertExclusion,
  introspect,
  obtainApiToken,
  obtainServiceToken,
} from '../../support/apis.ts';
import {
  API_REGISTRATION,
  CLIENT_SETTINGS,
  postFields,
  readApiId,
  registerApi,
  submitForm,
} from '../../support/console-forms.ts';
import { lockApi, lockClient } from '../../support/locks.ts';
import { readFieldError, readFormErrors } from '../../support/markup.ts';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../../support/oauth-flow.ts';
import { LARGE_POOL, PASSWORD, useTestService } from '../../support/service.ts';

type ResourceKind = 'application' | 'api';

const service = useTestService(LARGE_POOL);
const otherProcess = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

async function createOwnedResource(kind: ResourceKind) {
  const user = await service.createUser();
  const [api, application] =
    kind === 'api'
      ? [await createApiWithSecret(service, { ownerId: user.userId, name: 'Mon carnet' }), undefined]
      : [undefined, await service.createClient({ ownerId: user.userId, name: 'Mon carnet' })];
  const id = api?.apiId ?? application?.clientId ?? '';
  const { database } = service.services;
  return {
    user,
    id,
    api,
    application,
    browser: await openSignedInBrowser(service, user),
    page: `/console/${kind}s/${id}/delete`,
    exists: async () =>
      (await (kind === 'api' ? findOwnedApi : findOwnedClient)(database, user.userId, id)) !== undefined,
    lastEvent: async () =>
      (await listEvents(database, kind === 'api' ? { apiId: id } : { clientId: id }, { limit: 1 }))[0],
  };
}

test('deleting an application immediately invalidates all codes and tokens', async () => {
  const { user, application, browser, page, exists, lastEvent } = await createOwnedResource('application');
  if (application === undefined) throw new Error('no application');
  const userBrowser = await openSignedInBrowser(service, await service.createUser());
  const tokens = await obtainTokens(service, application, userBrowser);
  const code = (await authorize(service, application, userBrowser)).searchParams.get('code') ?? '';
  expect((await browser.get(page)).body).toContain('One person is signed in to this application.');

  const response = await submitForm(browser, page, { name: '  Mon carnet ' });
  expect([response.status, response.location?.search]).toEqual([303, '?done=deleted']);
  expect((await browser.follow(response)).body).toContain('The application has been deleted.');
  expect(await exists()).toBe(false);
  expect((await fetchUserinfo(otherProcess, tokens.accessToken)).status).toBe(401);
  expect((await redeemRefreshToken(otherProcess, application, tokens.refreshToken)).status).toBe(401);
  expect((await redeemCode(otherProcess, application, code)).status).toBe(401);
  expect((await fetch(buildAuthorizeUrl(otherProcess, application), { redirect: 'manual' })).status).toBe(
    401,
  );
  const actor = { kind: 'application_deleted', actorId: user.userId, detail: { name: 'Mon carnet' } };
  expect(await lastEvent()).toMatchObject(actor);
});

test('deleting an API frees its identifier for a new registration', async () => {
  const { user, api, page, browser, exists, lastEvent } = await createOwnedResource('api');
  if (api === undefined) throw new Error('no API');
  const application = await service.createClient();
  const userBrowser = await openSignedInBrowser(service, await service.createUser());
  const { apiToken } = await obtainApiToken(service, application, userBrowser, api);
  await obtainServiceToken(service, application, api);
  await insertExclusion(service, api, await service.createClient());
  const response = await submitForm(browser, page, { name: ` ${api.name} ` });
  expect(response.location?.search).toBe('?done=deleted');
  expect((await browser.follow(response)).body).toContain('The API has been deleted.');
  expect(await exists()).toBe(false);
  expect((await introspect(service, api, apiToken)).status).toBe(401);
  const { name, identifier } = api;
  expect(await lastEvent()).toMatchObject({
    kind: 'api_deleted',
    actorId: user.userId,
    apiName: null,
    detail: { name, identifier },
  });
  const newOwnerBrowser = await openSignedInBrowser(service, await service.createUser());
  expect(readApiId(await registerApi(newOwnerBrowser, { identifier }))).not.toBe('');
});

describe.each<ResourceKind>(['application', 'api'])('deleting an %s', (kind) => {
  test('requires entering the current name', async () => {
    const { user, id, browser, page, exists } = await createOwnedResource(kind);
    for (const name of ['', 'mon carnet', 'Mon carne', 'Mon carnett']) {
      const response = await browser.follow(await submitForm(browser, page, { name }));
      expect(readFieldError(response.body, 'name'), name).toContain('The name does not match.');
    }
    const { database } = service.services;
    expect(await deleteOwnedResource(database, kind, user.userId, id, 'Its former name')).toBeUndefined();
    expect(await exists()).toBe(true);
  });

  test('is rejected if the name was changed concurrently', async () => {
    const { id, browser, page, exists } = await createOwnedResource(kind);
    const settingsPage = `/console/${kind}s/${id}/edit`;
    const [edit, remove] = [await browser.get(settingsPage), await browser.get(page)];
    const settings = kind === 'api' ? API_REGISTRATION : CLIENT_SETTINGS;
    const lock = await (kind === 'api' ? lockApi : lockClient)(service.databaseUrl, id);
    const renaming = postFields(browser, settingsPage, { ...edit.hidden, ...settings, name: 'Autre' });
    await lock.waitForBlocked(1);
    const deleting = postFields(browser, page, { ...remove.hidden, name: 'Mon carnet' });
    await lock.waitForBlocked(2);
    await lock.release();
    expect((await renaming).location?.search).toBe('?done=changed');
    const rejected = await browser.follow(await deleting);
    expect(readFieldError(rejected.body, 'name')).toContain('The name does not match.');
    expect(await exists()).toBe(true);
  });

  test('requires re-authentication', async () => {
    const { browser, page, exists } = await createOwnedResource(kind);
    service.clock.advance(15 * 60 + 1);
    const passwordPrompt = await browser.follow(await submitForm(browser, page, { name: 'Mon carnet' }));
    expect([readFormErrors(passwordPrompt.body), await exists()]).toEqual([
      ['Enter your current password.'],
      true,
    ]);
    await submitForm(browser, page, { name: 'Mon carnet', current_password: PASSWORD });
    expect(await exists()).toBe(false);
  });

  test('redirects to the same page on a double click', async () => {
    const { browser, page } = await createOwnedResource(kind);
    const fields = { ...(await browser.get(page)).hidden, name: 'Mon carnet' };
    const otherForm = await browser.get(page);
    const response = await postFields(browser, page, fields);
    const secondResponse = await postFields(browser, page, fields);
    expect([response.status, secondResponse.status, secondResponse.location?.href]).toEqual([
      303,
      303,
      response.location?.href,
    ]);
    expect((await postFields(browser, page, { ...fields, ...otherForm.hidden })).status).toBe(404);
  });

  test("is logged when the owner's account is deleted", async () => {
    const { user, browser, lastEvent } = await createOwnedResource(kind);
    expect((await browser.get('/account/delete')).body).toContain('<bdi>Mon carnet</bdi>');
    await moderateAccount(service.services, 'delete', user.userId, {}, service.clock.now());
    expect(await lastEvent()).toMatchObject({ kind: `${kind}_deleted`, detail: { name: 'Mon carnet' } });
  });
});
