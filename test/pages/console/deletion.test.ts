// Deleting an application or an API: confirmed by its name and a recent sign-in; everything of it ends at once.
import { describe, expect, test } from 'vitest';
import { moderateAccount } from '../../../src/accounts/moderation.ts';
import { findOwnApplication } from '../../../src/store/applications.ts';
import { listEvents } from '../../../src/store/events.ts';
import { findOwnApi } from '../../../src/store/own-apis.ts';
import { deleteOwned } from '../../../src/store/owned.ts';
import {
  apiWithSecret,
  exclude,
  introspect,
  obtainApiToken,
  obtainServiceToken,
} from '../../support/apis.ts';
import { API_REGISTRATION, apiIdOn, fill, registerApi, SETTINGS, sendFields } from '../../support/console.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
  userinfo,
} from '../../support/flow.ts';
import { lockApi, lockApplication } from '../../support/locks.ts';
import { fieldError, formErrors } from '../../support/markup.ts';
import { CROWD, PASSWORD, useTestService } from '../../support/service.ts';

type Kind = 'application' | 'api';

const service = useTestService(CROWD);
const other = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

async function owned(kind: Kind) {
  const user = await service.createUser();
  const [api, application] =
    kind === 'api'
      ? [await apiWithSecret(service, { ownerId: user.userId, name: 'Mon carnet' }), undefined]
      : [undefined, await service.createApplication({ ownerId: user.userId, name: 'Mon carnet' })];
  const id = api?.apiId ?? application?.clientId ?? '';
  const { database } = service.parts;
  return {
    user,
    id,
    api,
    application,
    browser: await signedInBrowser(service, user),
    page: `/console/${kind}s/${id}/delete`,
    isThere: async () =>
      (await (kind === 'api' ? findOwnApi : findOwnApplication)(database, user.userId, id)) !== undefined,
    lastEvent: async () =>
      (await listEvents(database, kind === 'api' ? { apiId: id } : { clientId: id }, { limit: 1 }))[0],
  };
}

test('an application’s codes, tokens and grants end at once, in every process', async () => {
  const { user, application, browser, page, isThere, lastEvent } = await owned('application');
  if (application === undefined) throw new Error('no application');
  const person = await signedInBrowser(service, await service.createUser());
  const tokens = await obtainTokens(service, application, person);
  const code = (await authorize(service, application, person)).searchParams.get('code') ?? '';
  expect((await browser.get(page)).body).toContain('One person is signed in to this application.');

  const answer = await fill(browser, page, { name: '  Mon carnet ' });
  expect([answer.status, answer.location?.search]).toEqual([303, '?done=deleted']);
  expect((await browser.follow(answer)).body).toContain('It has been deleted.');
  expect(await isThere()).toBe(false);
  expect((await userinfo(other, tokens.accessToken)).status).toBe(401);
  expect((await renew(other, application, tokens.refreshToken)).status).toBe(401);
  expect((await redeem(other, application, code)).status).toBe(401);
  expect((await fetch(authorizeAddress(other, application), { redirect: 'manual' })).status).toBe(401);
  const actor = { kind: 'application_deleted', actorId: user.userId, detail: { name: 'Mon carnet' } };
  expect(await lastEvent()).toMatchObject(actor);
});

test('an API goes with its tokens, exclusions and accesses, and its identifier is free again', async () => {
  const { user, api, page, browser, isThere, lastEvent } = await owned('api');
  if (api === undefined) throw new Error('no API');
  const application = await service.createApplication();
  const person = await signedInBrowser(service, await service.createUser());
  const { apiToken } = await obtainApiToken(service, application, person, api);
  await obtainServiceToken(service, application, api);
  await exclude(service, api, await service.createApplication());
  const answer = await fill(browser, page, { name: ` ${api.name} ` });
  expect(answer.location?.search).toBe('?done=deleted');
  expect((await browser.follow(answer)).body).toContain('It has been deleted.');
  expect(await isThere()).toBe(false);
  expect((await introspect(service, api, apiToken)).status).toBe(401);
  const { name, identifier } = api;
  expect(await lastEvent()).toMatchObject({
    kind: 'api_deleted',
    actorId: user.userId,
    apiName: null,
    detail: { name, identifier },
  });
  const again = await signedInBrowser(service, await service.createUser());
  expect(apiIdOn(await registerApi(again, { identifier }))).not.toBe('');
});

describe.each<Kind>(['application', 'api'])('deleting (%s)', (kind) => {
  test('takes its name as it is now, and nothing else', async () => {
    const { user, id, browser, page, isThere } = await owned(kind);
    for (const name of ['', 'mon carnet', 'Mon carne', 'Mon carnett']) {
      const answer = await browser.follow(await fill(browser, page, { name }));
      expect(fieldError(answer.body, 'name'), name).toContain('The name does not match.');
    }
    const { database } = service.parts;
    expect(await deleteOwned(database, kind, user.userId, id, 'Its name of before')).toBeUndefined();
    expect(await isThere()).toBe(true);
  });

  test('while it is renamed is refused with its new name', async () => {
    const { id, browser, page, isThere } = await owned(kind);
    const settingsPage = `/console/${kind}s/${id}/edit`;
    const [edit, remove] = [await browser.get(settingsPage), await browser.get(page)];
    const settings = kind === 'api' ? API_REGISTRATION : SETTINGS;
    const lock = await (kind === 'api' ? lockApi : lockApplication)(service.databaseUrl, id);
    const renaming = sendFields(browser, settingsPage, { ...edit.hidden, ...settings, name: 'Autre' });
    await lock.heldUp(1);
    const deleting = sendFields(browser, page, { ...remove.hidden, name: 'Mon carnet' });
    await lock.heldUp(2);
    await lock.release();
    expect((await renaming).location?.search).toBe('?done=changed');
    const refused = await browser.follow(await deleting);
    expect(fieldError(refused.body, 'name')).toContain('The name does not match.');
    expect(await isThere()).toBe(true);
  });

  test('needs a recent sign-in, or the password', async () => {
    const { browser, page, isThere } = await owned(kind);
    service.clock.advance(15 * 60 + 1);
    const asked = await browser.follow(await fill(browser, page, { name: 'Mon carnet' }));
    expect([formErrors(asked.body), await isThere()]).toEqual([['Enter your current password.'], true]);
    await fill(browser, page, { name: 'Mon carnet', current_password: PASSWORD });
    expect(await isThere()).toBe(false);
  });

  test('twice: a second click is answered as the first, and from another page there is nothing left', async () => {
    const { browser, page } = await owned(kind);
    const fields = { ...(await browser.get(page)).hidden, name: 'Mon carnet' };
    const another = await browser.get(page);
    const answer = await sendFields(browser, page, fields);
    const again = await sendFields(browser, page, fields);
    expect([answer.status, again.status, again.location?.href]).toEqual([303, 303, answer.location?.href]);
    expect((await sendFields(browser, page, { ...fields, ...another.hidden })).status).toBe(404);
  });

  test('comes with the account that owns it, and the audit log says so', async () => {
    const { user, browser, lastEvent } = await owned(kind);
    expect((await browser.get('/account/delete')).body).toContain('<bdi>Mon carnet</bdi>');
    await moderateAccount(service.parts, 'delete', user.userId, {}, service.clock.now());
    expect(await lastEvent()).toMatchObject({ kind: `${kind}_deleted`, detail: { name: 'Mon carnet' } });
  });
});
