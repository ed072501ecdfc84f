// Deleting an API in the console: confirmed by its name and a proof; all of it ends.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { moderateAccount } from '../../../../src/accounts/moderation.ts';
import { listEvents } from '../../../../src/store/events.ts';
import { deleteOwnApi, findOwnApi } from '../../../../src/store/own-apis.ts';
import { APIS, apiIdOn, atApi, registerApi } from '../../../support/api-console.ts';
import {
  apiWithSecret,
  exclude,
  introspect,
  obtainApiToken,
  obtainServiceToken,
} from '../../../support/apis.ts';
import { fill } from '../../../support/console.ts';
import { signedInBrowser } from '../../../support/flow.ts';
import { fieldError } from '../../../support/markup.ts';
import { PASSWORD, startTestService, type TestService } from '../../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function owned() {
  const user = await service.createUser();
  const api = await apiWithSecret(service, { ownerId: user.userId });
  const there = async () => (await findOwnApi(service.parts.database, user.userId, api.apiId)) !== undefined;
  return {
    user,
    api,
    there,
    page: atApi(api.apiId, '/delete'),
    browser: await signedInBrowser(service, user),
  };
}

test('takes all of it away, whatever hangs on it; its identifier is anybody’s again', async () => {
  const { user, api, page, browser, there } = await owned();
  const application = await service.createApplication();
  const person = await signedInBrowser(service, await service.createUser());
  const { apiToken } = await obtainApiToken(service, application, person, api);
  await obtainServiceToken(service, application, api);
  await exclude(service, api, await service.createApplication());
  const answer = await fill(browser, page, { name: ` ${api.name} ` });
  expect([answer.location?.pathname, answer.location?.search]).toEqual([APIS, '?done=deleted']);
  expect((await browser.follow(answer)).body).toContain('The API has been deleted.');
  expect(await there()).toBe(false);
  expect((await introspect(service, api, apiToken)).status).toBe(401);
  const [event] = await listEvents(service.parts.database, { apiId: api.apiId }, { limit: 1 });
  expect(event).toMatchObject({
    kind: 'api_deleted',
    actorId: user.userId,
    apiName: null,
    detail: { name: api.name, identifier: api.identifier },
  });
  const again = await signedInBrowser(service, await service.createUser());
  expect(apiIdOn(await registerApi(again, { identifier: api.identifier }))).not.toBe('');
});

test('needs its name, and a recent sign-in or the password', async () => {
  const { page, browser, there, api } = await owned();
  const wrong = await browser.follow(await fill(browser, page, { name: 'Autre' }));
  expect(fieldError(wrong.body, 'name')).toContain('not the name of the API');
  service.clock.advance(16 * 60);
  await fill(browser, page, { name: api.name });
  expect(await there()).toBe(true);
  await fill(browser, page, { name: api.name, current_password: PASSWORD });
  expect(await there()).toBe(false);
});

test('is not deleted under a name that it has no longer', async () => {
  const { user, api, there } = await owned();
  const { database } = service.parts;
  const byName = (name: string) => deleteOwnApi(database, user.userId, api.apiId, name);
  expect(await byName('Archives of before')).toBeUndefined();
  expect(await there()).toBe(true);
  expect(await byName(api.name)).toBe(api.identifier);
});

test('is its owner’s alone', async () => {
  const { page, there, api } = await owned();
  const other = await owned();
  const { hidden } = await other.browser.get(other.page);
  expect((await other.browser.get(page)).status).toBe(404);
  expect((await other.browser.post(page, { ...hidden, name: api.name })).status).toBe(404);
  expect(await there()).toBe(true);
});

test('goes with the account that owns it, and the audit log says so', async () => {
  const { user, api, browser } = await owned();
  expect((await browser.get('/account/delete')).body).toContain(`<bdi>${api.name}</bdi>`);
  const { database } = service.parts;
  await moderateAccount(database, 'delete', user.userId, {}, service.clock.now());
  const [event] = await listEvents(database, { apiId: api.apiId }, { limit: 1 });
  expect(event).toMatchObject({ kind: 'api_deleted', detail: { name: api.name } });
});
