import { beforeAll, describe, expect, test } from 'vitest';
import { findApiDetail } from '../../../src/store/admin-apis.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import { createApiWithSecret, introspect, obtainApiToken } from '../../support/apis.ts';
import { apiPath } from '../../support/console-forms.ts';
import { findLastEmailTo } from '../../support/emails.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});

const APIS_PATH = '/console/operations/apis';
const buildPath = (apiId: string, action = '') => `${APIS_PATH}/${apiId}${action && `/${action}`}`;
describe('suspending an API', () => {
  test('deactivates its tokens until the suspension is lifted', async () => {
    const owner = await service.createUser();
    const api = await createApiWithSecret(service, { ownerId: owner.userId });
    const application = await service.createClient();
    const userBrowser = await openSignedInBrowser(service, await service.createUser());
    const { apiToken } = await obtainApiToken(service, application, userBrowser, api);
    const isActive = async () => (await introspect(service, api, apiToken)).body.active;
    expect(await isActive()).toBe(true);
    const response = await admin.submit(buildPath(api.apiId, 'suspend'), { reason: 'Spam' });
    expect(response.location?.search).toBe('?done=suspend');
    expect((await admin.browser.get(`${buildPath(api.apiId)}?done=suspend`)).body).toMatch(
      /role="status"[\s\S]*?API suspended/,
    );
    expect(await isActive()).not.toBe(true);
    const ownerBrowser = await openSignedInBrowser(service, owner);
    const { body: overview } = await ownerBrowser.get(apiPath(api.apiId));
    expect(overview).toContain('Suspended: its tokens are inactive');
    expect(overview).not.toContain('Nothing to do');
    await admin.submit(buildPath(api.apiId, 'unsuspend'));
    expect(await isActive()).toBe(true);
    const events = await listEvents(service.services.database, { apiId: api.apiId }, { limit: 5 });
    expect(events.map(({ kind, actorId, detail }) => [kind, actorId, detail])).toEqual([
      ['api_unsuspended', admin.user.userId, {}],
      ['api_suspended', admin.user.userId, { reason: 'Spam' }],
    ]);
    const log = await admin.browser.get(`/console/operations/audit?search=${api.apiId}`);
    expect(log.body).toContain('API suspended');
    expect(log.body).toContain(`href="${buildPath(api.apiId)}"`);
  });

  test('notifies the owner by email', async () => {
    const owner = await service.createUser();
    const { apiId } = await service.createApi({ ownerId: owner.userId, name: 'Mes notes' });
    await admin.submit(buildPath(apiId, 'suspend'));
    const { subject, text } = await findLastEmailTo(service, owner.email);
    expect(subject).toMatch(/API/);
    expect(text).toContain('Mes notes');
  });

  test('has no effect on a suspended API', async () => {
    const { apiId } = await service.createApi();
    expect((await admin.browser.get(buildPath(apiId, 'unsuspend'))).location?.pathname).toBe(
      buildPath(apiId),
    );
    await admin.submit(buildPath(apiId, 'suspend'));
    const suspendedAt = (await findApiDetail(service.services.database, apiId))?.suspendedAt;
    service.clock.advance(60);
    const { hidden } = await admin.browser.get(buildPath(apiId, 'unsuspend'));
    await admin.browser.post(buildPath(apiId, 'suspend'), { csrf: hidden.csrf ?? '' });
    expect((await findApiDetail(service.services.database, apiId))?.suspendedAt).toEqual(suspendedAt);
  });
});
