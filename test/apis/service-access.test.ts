import { beforeAll, describe, expect, test } from 'vitest';
import type { NewApi } from '../../src/store/apis.ts';
import { listEvents } from '../../src/store/audit-log.ts';
import { createApiWithSecret, insertExclusion, introspect, type TestApi } from '../support/apis.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { acceptTransfer, apiPath, clientPath, submitForm } from '../support/console-forms.ts';
import { findLastEmailTo, listEmailsTo } from '../support/emails.ts';
import { readFormErrors, readMain, readText } from '../support/markup.ts';
import { createSignedInUser, openSignedInBrowser, postForm } from '../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const service = useTestService();
let apiOwner: TestUser;
let apiBrowser: BrowserSession;
let clientOwner: TestUser;
let clientBrowser: BrowserSession;
beforeAll(async () => {
  apiOwner = await service.createUser({ name: 'Grace Hopper', emailVerified: true });
  clientOwner = await service.createUser({ emailVerified: true });
  apiBrowser = await openSignedInBrowser(service, apiOwner);
  clientBrowser = await openSignedInBrowser(service, clientOwner);
});

const createApi = (fields: Partial<NewApi> = {}) =>
  createApiWithSecret(service, { ownerId: apiOwner.userId, ...fields });
const createApplication = () => service.createClient({ ownerId: clientOwner.userId, name: 'Robot' });
const requestAccess = (
  { clientId }: TestClient,
  { identifier }: { identifier: string },
  scopes = 'read write',
  browser = clientBrowser,
) => submitForm(browser, clientPath(clientId, '/apis'), { identifier, scopes });
const buildRequestUrl = (api: NewApi, { clientId }: TestClient) =>
  `${apiPath(api.apiId, '/requests/answer')}?${new URLSearchParams({ client_id: clientId })}`;
const grantAccess = (
  api: NewApi,
  application: TestClient,
  scopes = ['read', 'write'],
  browser = apiBrowser,
) => submitForm(browser, buildRequestUrl(api, application), { decision: 'grant', scopes });
const refuseAccess = (api: NewApi, application: TestClient) =>
  submitForm(apiBrowser, buildRequestUrl(api, application), { decision: 'end' });
const buildAccessUrl = ({ clientId }: TestClient, { apiId }: NewApi) =>
  `${clientPath(clientId, '/apis/end')}?api_id=${apiId}`;
const requestToken = async ({ clientId, clientSecret }: TestClient, { identifier }: NewApi, scope?: string) =>
  (
    await postForm(service, '/oauth/token', {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      resource: identifier,
      scope,
    })
  ).body;
const isTokenActive = async (api: TestApi, text: unknown) =>
  (await introspect(service, api, String(text))).body.active;
const findRows = ({ clientId }: TestClient) =>
  sql(service.services.database, 'select scopes, granted_at from api_service_access where client_id = $1', [
    clientId,
  ]);
const readPage = async (browser: BrowserSession, url: string) =>
  readText(readMain((await browser.get(url)).body));

async function createGrantedAccess(scopes = ['read', 'write']) {
  const [api, application] = [await createApi(), await createApplication()];
  await requestAccess(application, api);
  await grantAccess(api, application, scopes);
  return { api, application };
}

describe('an API access request', () => {
  test('gives no access until it is granted', async () => {
    const [api, application] = [await createApi(), await createApplication()];
    const response = await requestAccess(application, api);
    expect(response.headers.get('location')).toContain('?done=asked');
    expect((await requestToken(application, api)).error).toBe('unsupported_grant_type');
    expect(await readPage(clientBrowser, clientPath(application.clientId, '/apis'))).toContain('pending');
    const page = await readPage(apiBrowser, apiPath(api.apiId, '/requests'));
    for (const text of ['Robot', 'client.example', 'Ada Lovelace', 'read write'])
      expect(page).toContain(text);
    expect((await apiBrowser.get(apiPath(api.apiId, '/requests'))).body).toContain(
      '<code class="tag">read</code> <code class="tag">write</code>',
    );
    const done = await grantAccess(api, application, ['read']);
    expect(done.headers.get('location')).toContain('?done=granted');
    const body = await requestToken(application, api);
    expect(body.scope).toBe('read');
    expect(await isTokenActive(api, body.access_token)).toBe(true);
    expect((await requestToken(application, api, 'write')).error).toBe('invalid_scope');
    expect(await readPage(clientBrowser, clientPath(application.clientId, '/apis'))).toContain('Granted on');
  });

  test('is granted immediately if the user also owns the API', async () => {
    const application = await createApplication();
    const api = await createApi({ ownerId: clientOwner.userId, allowedClients: 'own' });
    expect((await requestAccess(application, api)).headers.get('location')).toContain('?done=granted');
    expect((await requestToken(application, api)).scope).toBe('read write');
  });

  test('fails with the same error for unknown and unavailable APIs', async () => {
    const application = await createApplication();
    const closed = await createApi({ allowedClients: 'own' });
    const [suspended, excluded] = [await createApi(), await createApi()];
    await sql(service.services.database, 'update apis set suspended_at = now() where api_id = $1', [
      suspended.apiId,
    ]);
    await insertExclusion(service, excluded, application);
    const outcomes: unknown[] = [];
    for (const api of [{ identifier: 'https://nobody.example/' }, closed, suspended, excluded]) {
      const response = await requestAccess(application, api);
      outcomes.push([response.status, readFormErrors(response.body)]);
    }
    expect(outcomes[0]).toEqual([400, [expect.stringContaining('No API available to this application')]]);
    expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
    expect(await findRows(application)).toEqual([]);
  });

  test('is rejected if its scopes are missing or unknown', async () => {
    const [api, application] = [await createApi(), await createApplication()];
    const requestScopes = async (scopes: string) =>
      readFormErrors((await requestAccess(application, api, scopes)).body);
    expect(await requestScopes('read admin')).toEqual([expect.stringContaining('does not have all')]);
    expect(await requestScopes('')).toEqual([expect.stringContaining('at least one scope')]);
    await requestAccess(application, api, 'read');
    expect(await requestScopes('write')).toEqual([expect.stringContaining('already')]);
    expect(await findRows(application)).toMatchObject([{ scopes: ['read'], granted_at: null }]);
  });

  test('can be sent only for a confidential client of the user', async () => {
    const publicClient = await service.createClient({ ownerId: clientOwner.userId, type: 'public' });
    const otherClient = await service.createClient();
    for (const { clientId } of [publicClient, otherClient])
      expect((await clientBrowser.get(clientPath(clientId, '/apis'))).status).toBe(404);
  });

  test('is rejected if the API has 50 pending requests', async () => {
    const api = await createApi();
    await sql(
      service.services.database,
      `with made as (insert into clients (client_id, owner_id, name, type, redirect_uris, scopes, standard, refresh_grace, created_at)
        select 'app_wait_' || n, $2, 'x', 'confidential', '{}', '{}', false, 0, now() from generate_series(1, 50) n returning client_id)
      insert into api_service_access (api_id, client_id, scopes, requested_at) select $1, client_id, '{read}', now() from made`,
      [api.apiId, clientOwner.userId],
    );
    const { user: frequentUser, browser } = await createSignedInUser(service);
    const application = await service.createClient({ ownerId: frequentUser.userId });
    const requestAgain = async () =>
      readFormErrors((await requestAccess(application, api, 'read', browser)).body);
    expect(await requestAgain()).toEqual([expect.stringContaining('Too many requests are already waiting')]);
    for (let times = 1; times < 20; times++) await requestAgain();
    expect(await requestAgain()).toEqual([expect.stringContaining('Too many requests in the last hour')]);
    expect(await findRows(application)).toEqual([]);
  });
});

describe('the decision on an API access request', () => {
  test('is reserved for the API’s owner', async () => {
    const [api, application] = [await createApi(), await createApplication()];
    expect((await apiBrowser.get(buildRequestUrl(api, application))).status).toBe(404);
    await requestAccess(application, api, 'read');
    expect((await clientBrowser.get(buildRequestUrl(api, application))).status).toBe(404);
    expect((await clientBrowser.get(apiPath(api.apiId, '/requests'))).status).toBe(404);
    const excessiveGrant = await grantAccess(api, application, ['read', 'write']);
    expect(excessiveGrant.status).toBe(409);
    const emptyGrant = await grantAccess(api, application, []);
    expect(readFormErrors(emptyGrant.body)).toEqual([expect.stringContaining('at least one scope')]);
    expect(await findRows(application)).toMatchObject([{ granted_at: null }]);
  });

  test('can revoke existing access', async () => {
    const [api, application] = [await createApi(), await createApplication()];
    await requestAccess(application, api);
    const form = { ...(await apiBrowser.get(buildRequestUrl(api, application))).hidden, scopes: 'read' };
    const submitDecision = async (decision: string) =>
      (await apiBrowser.post(buildRequestUrl(api, application), { ...form, decision })).location?.search;
    expect([await submitDecision('grant'), await submitDecision('end')]).toEqual([
      '?done=granted',
      '?done=ended',
    ]);
    expect(await findRows(application)).toEqual([]);
  });

  test('requires a recent sign-in', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const [api, application] = [await createApi(), await createApplication()];
    await requestAccess(application, api);
    const staleBrowser = await openSignedInBrowser(service, apiOwner);
    service.clock.advance(3601);
    const response = await grantAccess(api, application, ['read'], staleBrowser);
    expect(response.status).toBe(400);
    expect((await requestAccess(application, await createApi())).status).toBe(400);
    expect((await submitForm(clientBrowser, buildAccessUrl(application, api))).status).toBe(400);
    expect(await findRows(application)).toMatchObject([{ granted_at: null }]);
    expect((await browser.get(buildRequestUrl(api, application))).location?.pathname).toBe('/signin');
    apiBrowser = await openSignedInBrowser(service, apiOwner);
    clientBrowser = await openSignedInBrowser(service, clientOwner);
  });
});

describe('revoking API access', () => {
  test('requires ownership of the client or the API', async () => {
    const { api, application } = await createGrantedAccess();
    const otherUser = await openSignedInBrowser(service, await service.createUser());
    expect((await otherUser.get(buildAccessUrl(application, api))).status).toBe(404);
    expect((await otherUser.get(buildRequestUrl(api, application))).status).toBe(404);
  });

  test('invalidates concurrently issued tokens', async () => {
    for (let round = 0; round < 2; round++) {
      const { api, application } = await createGrantedAccess();
      const [body] = await Promise.all([requestToken(application, api), refuseAccess(api, application)]);
      if (body.access_token !== undefined) expect(await isTokenActive(api, body.access_token)).toBe(false);
    }
  });

  test.each(['the API’s owner', 'the application’s owner'])(
    'invalidates issued tokens permanently (by %s)',
    async (revoker) => {
      const { api, application } = await createGrantedAccess();
      const { access_token: formerToken } = await requestToken(application, api);
      expect(await isTokenActive(api, formerToken)).toBe(true);
      if (revoker === 'the API’s owner') await refuseAccess(api, application);
      else await submitForm(clientBrowser, buildAccessUrl(application, api));
      expect(await isTokenActive(api, formerToken)).toBe(false);
      expect((await requestToken(application, api)).error).toBe('unsupported_grant_type');
      await requestAccess(application, api);
      await grantAccess(api, application);
      expect(await isTokenActive(api, formerToken)).toBe(false);
      expect(await isTokenActive(api, (await requestToken(application, api)).access_token)).toBe(true);
    },
  );
});

test('a decision form from before a transfer cannot grant the new owner’s request', async () => {
  const [api, application] = [await createApi(), await createApplication()];
  await requestAccess(application, api);
  const { hidden } = await apiBrowser.get(buildRequestUrl(api, application));
  const { user: newOwner, browser: newOwnerBrowser } = await createSignedInUser(service, { name: 'Mallory' });
  await submitForm(clientBrowser, clientPath(application.clientId, '/transfer'), { email: newOwner.email });
  await acceptTransfer(newOwnerBrowser, application.clientId);
  await requestAccess(application, api, 'read write', newOwnerBrowser);
  const fields = { ...hidden, decision: 'grant', scopes: 'read' };
  const response = await apiBrowser.follow(await apiBrowser.post(buildRequestUrl(api, application), fields));
  expect([response.status, await findRows(application)]).toMatchObject([409, [{ granted_at: null }]]);
  expect(readText(readMain(response.body))).toContain('Mallory');
  expect((await grantAccess(api, application)).location?.search).toBe('?done=granted');
});

describe('emails about API access', () => {
  const readLastEmail = async (user: TestUser) => (await findLastEmailTo(service, user.email)).text;

  test('notify the owners about requests and decisions', async () => {
    const [formerBrowser, owner] = [apiBrowser, await service.createUser({ emailVerified: true })];
    apiBrowser = await openSignedInBrowser(service, owner);
    const [api, application] = [await createApi({ ownerId: owner.userId }), await createApplication()];
    await requestAccess(application, api);
    expect(await readLastEmail(owner)).toContain('tant que vous ne l’avez pas accordé');
    await refuseAccess(api, application);
    expect(await readLastEmail(clientOwner)).toContain('Accès à une API refusé');
    await requestAccess(application, api);
    await grantAccess(api, application);
    expect(await readLastEmail(clientOwner)).toContain('Accès à une API accordé');
    await submitForm(clientBrowser, buildAccessUrl(application, api));
    expect(await readLastEmail(owner)).toContain('Fin d’un accès à une API');
    apiBrowser = formerBrowser;
  });

  test('aren’t sent to unverified email addresses', async () => {
    const [unverifiedOwner, application] = [await service.createUser(), await createApplication()];
    const api = await createApi({ ownerId: unverifiedOwner.userId });
    expect((await requestAccess(application, api)).headers.get('location')).toContain('?done=asked');
    expect(await listEmailsTo(service, unverifiedOwner.email)).toEqual([]);
  });
});

test('API access events in data exports don’t reveal the other owner’s identity', async () => {
  const { api, application } = await createGrantedAccess();
  await submitForm(clientBrowser, buildAccessUrl(application, api));
  for (const browser of [clientBrowser, apiBrowser]) {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const { events } = JSON.parse((await browser.post('/account/data', { csrf })).body);
    const accessEvents = events.filter(({ kind }: { kind: string }) => kind.startsWith('service_access_'));
    const actors = new Set(accessEvents.map(({ actor }: { actor: string }) => actor));
    expect([...actors].sort()).toEqual(['other_owner', 'you']);
  }
});

test('the audit log records requests, grants and revocations of API access', async () => {
  const { api, application } = await createGrantedAccess();
  await refuseAccess(api, application);
  const events = await listEvents(
    service.services.database,
    { clientId: application.clientId },
    { limit: 10 },
  );
  const text = JSON.stringify(events);
  for (const kind of ['service_access_requested', 'service_access_granted', 'service_access_ended'])
    expect(text).toContain(kind);
});
