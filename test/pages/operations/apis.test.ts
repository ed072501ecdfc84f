// What operators do about APIs: suspend, lift; their owner is told.

import { beforeAll, describe, expect, test } from 'vitest';
import { findApi } from '../../../src/store/api-lists.ts';
import { listEvents } from '../../../src/store/events.ts';
import { apiWithSecret, introspect, obtainApiToken } from '../../support/apis.ts';
import { atApi } from '../../support/console.ts';
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
    expect((await operator.browser.get(`${at(api.apiId)}?done=suspend`)).body).toMatch(
      /role="status"[\s\S]*?API suspended/,
    );
    expect(await active()).not.toBe(true);
    const own = await signedInBrowser(service, owner);
    const { body: overview } = await own.get(atApi(api.apiId));
    expect(overview).toContain('Suspended: its tokens do not count');
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
