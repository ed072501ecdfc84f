// What operators do about APIs: search, suspend, lift; their owner is told.
import { beforeAll, describe, expect, test } from 'vitest';
import { findApi } from '../../../src/store/api-lists.ts';
import { listEvents } from '../../../src/store/events.ts';
import { atApi } from '../../support/api-console.ts';
import { apiWithSecret, introspect, obtainApiToken } from '../../support/apis.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { lastMailTo } from '../../support/mail.ts';
import { type Operator, signedInOperator } from '../../support/operator.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();
let operator: Operator;
beforeAll(async () => {
  operator = await signedInOperator(service);
});

const LIST = '/console/operations/apis';
const at = (apiId: string, action = '') => `${LIST}/${apiId}${action && `/${action}`}`;
const listed = async (query: Record<string, string>) => {
  const { status, body } = await operator.browser.get(`${LIST}?${new URLSearchParams(query)}`);
  expect(status).toBe(200);
  return [...body.matchAll(/<td data-heading="Name"><div><a href="[^"]*\/([^/"]+)">/g)].map(([, id]) => id);
};

describe('the list', () => {
  test('finds by the beginning of a name, of the owner’s email, by api_id and by identifier', async () => {
    const owner = await service.createUser({ email: 'Api.Owner@exemple.fr' });
    const mine = await service.createApi({
      ownerId: owner.userId,
      name: 'Écran %_',
      identifier: 'https://find.example',
    });
    await service.createApi({ name: 'Autre' });
    const by = ['écr', 'api.o', mine.apiId, 'https://find.example', 'https://find.example/'];
    for (const search of by) expect([search, await listed({ search })]).toEqual([search, [mine.apiId]]);
    for (const search of ['cran', '%', `' or true --`, 'api_'])
      expect([search, await listed({ search })]).toEqual([search, []]);
  });

  test('lists suspended ones and those open to agents on their own', async () => {
    const [open, closed] = [await service.createApi({ admits: 'agents' }), await service.createApi()];
    expect(await listed({ state: 'agents' })).toEqual([open.apiId]);
    expect(await listed({ state: 'suspended' })).toEqual([]);
    await operator.act(at(closed.apiId, 'suspend'));
    expect(await listed({ state: 'suspended' })).toEqual([closed.apiId]);
  });

  test('so does the search over everything', async () => {
    const api = await service.createApi({ name: 'Partout' });
    const { body } = await operator.browser.get('/console/operations/search?search=partout');
    expect(body).toContain(`href="${at(api.apiId)}"`);
  });
});

test('the page of an API leads to its diagnostics and to the connection tester', async () => {
  const { apiId } = await service.createApi({ name: 'Archives' });
  const { body } = await operator.browser.get(at(apiId));
  for (const way of ['diagnostics', 'test']) {
    expect(body).toContain(`href="/console/apis/${apiId}/${way}"`);
    expect((await operator.browser.get(`/console/apis/${apiId}/${way}`)).status).toBe(200);
  }
});

test('the page of an API leads to its events once there are any', async () => {
  const { apiId } = await service.createApi({ name: 'Neuve' });
  const log = `href="/console/operations/audit?api_id=${apiId}"`;
  const before = await operator.browser.get(at(apiId));
  expect(before.body).toContain('There is nothing in the log.');
  expect(before.body).not.toContain(log);
  await operator.act(at(apiId, 'suspend'));
  expect((await operator.browser.get(at(apiId))).body).toContain(log);
});

describe('suspending', () => {
  test('stops what its tokens count for at once; lifting it, they count again', async () => {
    const owner = await service.createUser();
    const api = await apiWithSecret(service, { ownerId: owner.userId });
    const application = await service.createApplication();
    const person = await signedInBrowser(service, await service.createUser());
    const { apiToken } = await obtainApiToken(service, application, person, api);
    const active = async () => (await introspect(service, api, apiToken)).body.active;
    expect(await active()).toBe(true);
    const answer = await operator.act(at(api.apiId, 'suspend'), { reason: 'Spam' });
    expect(answer.location?.search).toBe('?done=suspend');
    expect((await operator.browser.get(`${at(api.apiId)}?done=suspend`)).body).toContain(
      'The API is suspended.',
    );
    expect(await active()).not.toBe(true);
    const own = await signedInBrowser(service, owner);
    const { body: overview } = await own.get(atApi(api.apiId));
    expect(overview).toContain('have suspended this API');
    expect(overview).not.toContain('All is well');
    await operator.act(at(api.apiId, 'unsuspend'));
    expect(await active()).toBe(true);
    const events = await listEvents(service.parts.database, { apiId: api.apiId }, { limit: 5 });
    expect(events.map(({ kind, actorId, detail }) => [kind, actorId, detail])).toEqual([
      ['api_unsuspended', operator.user.userId, {}],
      ['api_suspended', operator.user.userId, { reason: 'Spam' }],
    ]);
    const log = await operator.browser.get(`/console/operations/audit?api_id=${api.apiId}`);
    expect(log.body).toContain('API suspended');
    expect(log.body).toContain(`href="${at(api.apiId)}"`);
  });

  test('an API is named on the page of the account that owns it', async () => {
    const owner = await service.createUser();
    const { apiId } = await service.createApi({ ownerId: owner.userId });
    const { body } = await operator.browser.get(`/console/operations/accounts/${owner.userId}`);
    expect(body).toContain(`href="${at(apiId)}"`);
  });

  test('tells the owner by mail', async () => {
    const owner = await service.createUser();
    const { apiId } = await service.createApi({ ownerId: owner.userId, name: 'Mes notes' });
    await operator.act(at(apiId, 'suspend'));
    const { subject, text } = await lastMailTo(service, owner.email);
    expect(subject).toMatch(/API/);
    expect(text).toContain('Mes notes');
  });

  test('is asked only where it changes anything, and a second one changes nothing', async () => {
    const { apiId } = await service.createApi();
    expect((await operator.browser.get(at(apiId, 'unsuspend'))).location?.pathname).toBe(at(apiId));
    await operator.act(at(apiId, 'suspend'));
    const since = (await findApi(service.parts.database, apiId))?.suspendedAt;
    service.clock.advance(60);
    const { hidden } = await operator.browser.get(at(apiId, 'unsuspend'));
    await operator.browser.post(at(apiId, 'suspend'), { csrf: hidden.csrf ?? '' });
    expect((await findApi(service.parts.database, apiId))?.suspendedAt).toEqual(since);
  });
});

test('there is nothing at what is no API, and no action', async () => {
  const { apiId } = await service.createApi();
  for (const address of [at('api_unknown'), at(apiId, 'delete')])
    expect((await operator.browser.get(address)).status).toBe(404);
});
