import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revokeApiAccess } from '../../../../src/store/api-access.ts';
import { listEvents } from '../../../../src/store/audit-log.ts';
import { pruneCutoffs } from '../../../../src/store/pruning.ts';
import { statement } from '../../../../src/store/statement.ts';
import {
  createApiWithSecret,
  grantServiceAccess,
  insertExclusion,
  introspect,
  obtainApiToken,
  obtainServiceToken,
  type TestApi,
} from '../../../support/apis.ts';
import type { BrowserSession } from '../../../support/browser-session.ts';
import { apiPath, postFields, submitForm } from '../../../support/console-forms.ts';
import { findLastEmailTo } from '../../../support/emails.ts';
import { expectError } from '../../../support/expect-error.ts';
import { readFormErrors } from '../../../support/markup.ts';
import {
  authorizeMetadataClient,
  createMetadataClient,
  type MetadataHost,
  openMetadataHost,
} from '../../../support/metadata-clients.ts';
import {
  authorize,
  fetchUserinfo,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
} from '../../../support/oauth-flow.ts';
import {
  LARGE_POOL,
  PASSWORD,
  startTestService,
  type TestClient,
  type TestService,
  type TestUser,
} from '../../../support/service.ts';
import { pruneAll, sql } from '../../../support/store-fixtures.ts';

let host: MetadataHost;
let service: TestService;
let owner: TestUser;
let api: TestApi;
let browser: BrowserSession;
beforeAll(async () => {
  host = await openMetadataHost();
  service = await startTestService({ ...LARGE_POOL, AGENTS: host.origin });
  owner = await service.createUser();
  api = await createApiWithSecret(service, { ownerId: owner.userId });
  browser = await openSignedInBrowser(service, owner);
});
afterAll(async () => {
  await service.close();
  host.close();
});

const loadPage = async (accessedApi: Pick<TestApi, 'apiId'> = api) =>
  (await browser.get(apiPath(accessedApi.apiId, '/access'))).body;
const buildActionPath = (
  action: 'block' | 'restore',
  { clientId }: Pick<TestClient, 'clientId'>,
  accessedApi = api,
) => `${apiPath(accessedApi.apiId, `/access/${action}`)}?${new URLSearchParams({ client_id: clientId })}`;
const blockClient = (application: TestClient) => submitForm(browser, buildActionPath('block', application));
const signInNewUser = async () => openSignedInBrowser(service, await service.createUser());
const isActive = async (token: string, accessedApi = api) =>
  (await introspect(service, accessedApi, token)).body.active;
const findEntry = (body: string, name: string) =>
  body.split('<li>').find((entry) => entry.includes(`<h3><bdi>${name}</bdi></h3>`)) ?? '';

describe("the list of an API's clients", () => {
  test('shows the number of live grants per client', async () => {
    const application = await service.createClient({ name: 'Agenda' });
    const [firstBrowser, secondBrowser] = [await signInNewUser(), await signInNewUser()];
    const tokens = await obtainApiToken(service, application, firstBrowser, api);
    await obtainApiToken(service, application, firstBrowser, api);
    await obtainApiToken(service, application, secondBrowser, api);
    const entry = findEntry(await loadPage(), 'Agenda');
    expect(entry).toContain(`<code>${application.clientId}</code>`);
    expect(entry).toContain('<dd>3, from 2 people</dd>');
    await postForm(service, '/oauth/token/revoke', {
      token: tokens.refreshToken,
      client_id: application.clientId,
      client_secret: application.clientSecret,
    });
    expect(findEntry(await loadPage(), 'Agenda')).toContain('<dd>2, from 2 people</dd>');
  });

  test('omits clients without grants for the API', async () => {
    const newApi = await createApiWithSecret(service, { ownerId: owner.userId });
    const application = await service.createClient();
    await authorize(service, application, await signInNewUser());
    await obtainApiToken(service, application, await signInNewUser(), api);
    expect(await loadPage(newApi)).toContain('No application has access to this API yet.');
  });

  test('marks clients that the API no longer allows', async () => {
    const restrictedApi = await createApiWithSecret(service, { ownerId: owner.userId });
    const otherOwnersClient = await service.createClient({ name: 'Agenda' });
    const ownedClient = await service.createClient({ name: 'Carnet', ownerId: owner.userId });
    const { apiToken } = await obtainApiToken(
      service,
      otherOwnersClient,
      await signInNewUser(),
      restrictedApi,
    );
    await obtainApiToken(service, ownedClient, await signInNewUser(), restrictedApi);
    const settings = {
      name: 'Archives',
      description_fr: 'Vos papiers.',
      description_en: 'Your papers.',
      token_lifetime: '3600',
    };
    const setAllowedClients = (value: string) =>
      submitForm(browser, apiPath(restrictedApi.apiId, '/edit'), { ...settings, allowed_clients: value });
    const isMarkedAsBlocked = async (name: string) =>
      findEntry(await loadPage(restrictedApi), name).includes('blocked by your settings');
    expect([await isMarkedAsBlocked('Agenda'), await isActive(apiToken, restrictedApi)]).toEqual([
      false,
      true,
    ]);
    await setAllowedClients('own');
    expect([await isMarkedAsBlocked('Agenda'), await isActive(apiToken, restrictedApi)]).toEqual([
      true,
      false,
    ]);
    expect(await isMarkedAsBlocked('Carnet')).toBe(false);
    expect(findEntry(await loadPage(restrictedApi), 'Agenda')).toContain('<dd>1, from one person</dd>');
    await setAllowedClients('applications');
    expect([await isMarkedAsBlocked('Agenda'), await isActive(apiToken, restrictedApi)]).toEqual([
      false,
      true,
    ]);
  });

  test('shows agents separately, grouped by host', async () => {
    const agentApi = await createApiWithSecret(service, { ownerId: owner.userId, allowedClients: 'agents' });
    const agent = host.publish({ client_name: 'Assistant' });
    for (const userBrowser of [await signInNewUser(), await signInNewUser()]) {
      const requestParameters = { scope: 'read offline_access', resource: agentApi.identifier };
      const { code, verifier } = await authorizeMetadataClient(
        service,
        agent,
        userBrowser,
        requestParameters,
      );
      const tokens = await redeemCode(service, createMetadataClient(agent), code, {
        code_verifier: verifier,
      });
      expect(tokens.status).toBe(200);
    }
    const body = await loadPage(agentApi);
    expect(body).toContain('<h2>Agents</h2>');
    expect(body).not.toContain('<h2>Applications</h2>');
    expect(body).toContain(`<h3 class="host">${new URL(agent).host}</h3>`);
    expect(body).toContain('<bdi>Assistant</bdi>');
    expect(body).toContain('<dd>2, from 2 people</dd>');
    const decision = await submitForm(browser, buildActionPath('block', { clientId: agent }, agentApi));
    expect((await browser.follow(decision)).body).toContain('<h2>Access blocked</h2>');
  });
});

describe('blocking a client', () => {
  test("immediately invalidates the client's tokens", async () => {
    const [application, other] = [await service.createClient(), await service.createClient()];
    const userBrowser = await signInNewUser();
    const tokens = await obtainApiToken(service, application, userBrowser, api);
    const serviceToken = await obtainServiceToken(service, application, api);
    const otherClientTokens = await obtainApiToken(service, other, userBrowser, api);
    const callback = await authorize(service, application, userBrowser, {
      scope: 'openid read',
      resource: api.identifier,
    });
    const response = await blockClient(application);
    expect(response.location?.search).toBe('?done=block');
    expect((await browser.follow(response)).body).toContain('Access has been blocked.');

    for (const token of [tokens.apiToken, serviceToken]) expect(await isActive(token)).toBe(false);
    const resource = api.identifier;
    expect((await redeemRefreshToken(service, application, tokens.refreshToken, { resource })).status).toBe(
      400,
    );
    const { clientId: client_id, clientSecret: client_secret, redirectUri: redirect_uri } = application;
    const code = callback.searchParams.get('code') ?? '';
    const grant_type = 'authorization_code';
    const exchange = { grant_type, code, redirect_uri, resource, client_id, client_secret };
    expect((await postForm(service, '/oauth/token', exchange)).status).toBe(400);
    const newCallback = await authorize(service, application, userBrowser, {
      scope: 'openid read',
      resource,
    });
    expect(newCallback.searchParams.get('error')).toBe('invalid_target');
    expectError(
      await postForm(service, '/oauth/token', {
        ...{ grant_type: 'client_credentials', resource, client_id, client_secret },
      }),
      400,
      'invalid_target',
    );

    expect(await isActive(otherClientTokens.apiToken)).toBe(true);
    expect(
      (await redeemRefreshToken(service, other, otherClientTokens.refreshToken, { resource })).status,
    ).toBe(200);
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(200);
  });

  test("is announced to the API's owner by email", async () => {
    const application = await service.createClient({ name: 'Intrus' });
    await obtainApiToken(service, application, await signInNewUser(), api);
    await blockClient(application);
    const body = await loadPage();
    expect(body.slice(body.indexOf('<h2>Access blocked</h2>'))).toContain('<bdi>Intrus</bdi>');
    const [event] = await listEvents(service.services.database, { apiId: api.apiId }, { limit: 1 });
    expect(event).toMatchObject({ kind: 'api_access_cut', clientId: application.clientId });
    expect((await findLastEmailTo(service, owner.email)).text).toContain('Concerns: “Intrus”');
  });

  test('requires the password if the sign-in is not recent', async () => {
    const application = await service.createClient();
    service.clock.advance(15 * 60 + 1);
    const passwordPrompt = await browser.follow(await blockClient(application));
    expect([passwordPrompt.status, readFormErrors(passwordPrompt.body)]).toEqual([
      400,
      ['Enter your current password.'],
    ]);
    expect(passwordPrompt.body).toContain(`client_id=${application.clientId}`);
    const confirmed = await postFields(browser, buildActionPath('block', application), {
      ...passwordPrompt.hidden,
      current_password: PASSWORD,
    });
    expect(confirmed.location?.search).toBe('?done=block');
  });
});

test('the block on a client is removed once the client is deleted', async () => {
  const [deletedClient, remainingClient] = [await service.createClient(), await service.createClient()];
  for (const application of [deletedClient, remainingClient])
    await insertExclusion(service, api, application);
  const { database, config } = service.services;
  await sql(database, 'delete from clients where client_id = $1', [deletedClient.clientId]);
  await pruneAll(database, pruneCutoffs(config, service.clock.now()));
  const rows = await sql(database, 'select client_id from api_exclusions where client_id = any($1::text[])', [
    [deletedClient.clientId, remainingClient.clientId],
  ]);
  expect(rows).toEqual([{ client_id: remainingClient.clientId }]);
});

describe('a blocked agent', () => {
  test('stays blocked after the agent record is pruned', async () => {
    const agentService = await startTestService({ AGENTS: host.origin });
    const ownerAccount = await agentService.createUser();
    const agentApi = await createApiWithSecret(agentService, {
      ownerId: ownerAccount.userId,
      allowedClients: 'agents',
    });
    const [agent, { host: hostName }] = [host.publish(), new URL(host.origin)];
    const userBrowser = await openSignedInBrowser(agentService, await agentService.createUser());
    const request = { scope: 'openid read', resource: agentApi.identifier };
    expect((await authorizeMetadataClient(agentService, agent, userBrowser, request)).code).not.toBe('');
    const ownerBrowser = await openSignedInBrowser(agentService, ownerAccount);
    await submitForm(ownerBrowser, buildActionPath('block', { clientId: agent }, agentApi));
    const deleteAgentSql = 'delete from clients where client_id = $1';
    await agentService.services.database.query(statement('test_forget_agent', deleteAgentSql), [agent]);
    await pruneAll(
      agentService.services.database,
      pruneCutoffs(agentService.services.config, agentService.clock.now()),
    );
    const body = (await ownerBrowser.get(apiPath(agentApi.apiId, '/access'))).body;
    expect(body.slice(body.indexOf('<h2>Access blocked</h2>'))).toContain(
      `<h3 class="host">${hostName}</h3>`,
    );
    expect(
      (await authorizeMetadataClient(agentService, agent, userBrowser, request)).callback.searchParams.get(
        'error',
      ),
    ).toBe('invalid_target');
    await agentService.services.database.query(statement('test_forget_agent', deleteAgentSql), [agent]);
    const response = await submitForm(
      ownerBrowser,
      buildActionPath('restore', { clientId: agent }, agentApi),
    );
    expect(response.location?.search).toBe('?done=restore');
    expect((await authorizeMetadataClient(agentService, agent, userBrowser, request)).code).not.toBe('');
    await agentService.close();
  });
});

describe('unblocking a client', () => {
  test('says what the client can do next', async () => {
    const ownApi = await createApiWithSecret(service, { ownerId: owner.userId });
    const machine = await service.createClient({ name: 'Robot' });
    await grantServiceAccess(service.services.database, ownApi, machine);
    await submitForm(browser, buildActionPath('block', machine, ownApi));
    const readPage = async () => (await browser.get(buildActionPath('restore', machine, ownApi))).body;
    const allowed = await readPage();
    expect(allowed).toContain('It can get new tokens for this API.');
    expect(allowed).toContain('Its access on its own behalf becomes active again.');
    await sql(service.services.database, `update apis set allowed_clients = 'own' where api_id = $1`, [
      ownApi.apiId,
    ]);
    const blocked = await readPage();
    expect(blocked).toContain('The API’s settings will still not allow this application to get tokens.');
    expect(blocked).not.toContain('becomes active again');
  });

  test('does not restore grants from before the block', async () => {
    const application = await service.createClient({ name: 'Revenant' });
    const userBrowser = await signInNewUser();
    const oldTokens = await obtainApiToken(service, application, userBrowser, api);
    await blockClient(application);
    service.clock.advance(1);
    const response = await submitForm(browser, buildActionPath('restore', application));
    expect(response.location?.search).toBe('?done=restore');
    expect(await isActive(oldTokens.apiToken)).toBe(false);
    const resource = api.identifier;
    expect(
      (await redeemRefreshToken(service, application, oldTokens.refreshToken, { resource })).status,
    ).toBe(400);
    service.clock.advance(1);
    const newTokens = await obtainApiToken(service, application, userBrowser, api);
    expect(await isActive(newTokens.apiToken)).toBe(true);
    expect(findEntry(await loadPage(), 'Revenant')).toContain('<dd>1, from one person</dd>');
    const [event] = await listEvents(service.services.database, { apiId: api.apiId }, { limit: 1 });
    expect(event).toMatchObject({ kind: 'api_access_restored', clientId: application.clientId });
    await blockClient(application);
    expect(await isActive(newTokens.apiToken)).toBe(false);
  });

  test('does not restore grants issued during the block', async () => {
    const [application, userBrowser] = [await service.createClient(), await signInNewUser()];
    const ids = { apiId: api.apiId, clientId: application.clientId };
    const concurrentGrant = await service.services.database.transaction(async (transaction) => {
      expect(await revokeApiAccess(transaction, owner.userId, ids, service.clock.now())).toBe(true);
      service.clock.advance(1);
      return obtainApiToken(service, application, userBrowser, api);
    });
    expect(await isActive(concurrentGrant.apiToken)).toBe(false);
    service.clock.advance(1);
    await submitForm(browser, buildActionPath('restore', application));
    expect(await isActive(concurrentGrant.apiToken)).toBe(false);
    const resource = api.identifier;
    expect(
      (await redeemRefreshToken(service, application, concurrentGrant.refreshToken, { resource })).status,
    ).toBe(400);
    expect(await loadPage()).not.toContain(application.clientId);
    expect(await isActive((await obtainApiToken(service, application, userBrowser, api)).apiToken)).toBe(
      true,
    );
  });
});

test('the page to block a client returns 404 for an unknown client', async () => {
  for (const clientId of ['', 'app_nobody', '"><b>', '%00', 'x'.repeat(3000)]) {
    const { status } = await browser.get(`${apiPath(api.apiId, '/access/block')}?client_id=${clientId}`);
    expect([clientId, status]).toEqual([clientId, 404]);
  }
});
