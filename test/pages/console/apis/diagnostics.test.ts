import { beforeAll, describe, expect, test } from 'vitest';
import { messagesFor } from '../../../../src/i18n/index.ts';
import type { NewApi } from '../../../../src/store/apis.ts';
import { insertRefusalBatch } from '../../../../src/store/refusals.ts';
import { createSignedInAdmin } from '../../../support/admin.ts';
import {
  createApiWithSecret,
  insertExclusion,
  introspect,
  obtainApiToken,
  type TestApi,
} from '../../../support/apis.ts';
import { type BrowserSession, openBrowserSession } from '../../../support/browser-session.ts';
import { apiPath } from '../../../support/console-forms.ts';
import { readApiRefusals, readRefusals } from '../../../support/diagnostics.ts';
import {
  buildAuthorizeUrl,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemRefreshToken,
} from '../../../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../../../support/service.ts';

const service = useTestService();
let owner: TestUser;
let api: TestApi;
let browser: BrowserSession;
beforeAll(async () => {
  owner = await service.createUser();
  api = await createApiWithSecret(service, { ownerId: owner.userId });
  browser = await openSignedInBrowser(service, owner);
});

const loadPage = (query = '', session = browser, shownApi: Pick<TestApi, 'apiId'> = api) =>
  session.get(apiPath(shownApi.apiId, `/diagnostics${query}`));
const sendWrongSecret = async (sender = api) => {
  const response = await introspect(service, sender, 'x', { client_secret: 'changeme' });
  expect(response.status).toBe(401);
};
const sendInvalidClientRequest = (
  clientId: string,
  fields: { kind?: string; facts?: Record<string, string>; apiId?: string } = {},
) =>
  insertRefusalBatch(service.services.database, [
    {
      ...{ clientId, apiId: api.apiId, authenticated: true, hasCredential: false, endpoint: 'token' },
      ...{ error: 'invalid_target', kind: 'resource_not_open_to_client', facts: { sent: api.identifier } },
      ...{ ip: '192.0.2.77', incident: 'MET4567890', at: new Date() },
      ...fields,
    },
  ]);

test("an API's diagnostics page tells administrators that someone else owns the API", async () => {
  const { browser: admin } = await createSignedInAdmin(service);
  await sendWrongSecret();
  const { status, body } = await loadPage('', admin);
  expect(status).toBe(200);
  expect(body).toContain('This API belongs to someone else.');
  const backPath = `/console/operations/apis/${api.apiId}`;
  expect(body).toContain(`href="${backPath}"`);
  expect((await admin.get(backPath)).body).toContain(`href="${apiPath(api.apiId, '/diagnostics')}"`);
  for (const page of ['/scopes', '/secrets']) expect(body).not.toContain(apiPath(api.apiId, page));
});

test("an API's diagnostics page lists requests with a wrong secret", async () => {
  await sendWrongSecret();
  const { body } = await loadPage();
  expect(body).toContain('The secret sent is unknown, and does not look like a secret created here');
  expect(body).toContain('Introspection');
  expect(body).toContain('<dt>IP address</dt><dd>127.0.0.1</dd>');
  expect(body).toContain(`create a new secret. <a href="${apiPath(api.apiId, '/secrets')}">Secrets</a>`);
  const [latest] = await readApiRefusals(service, api);
  const foundPage = (await loadPage(`?incident=${latest?.incidents[0]?.toLowerCase()}`)).body;
  expect(foundPage.match(/<li class="refusal">/g)).toHaveLength(1);
  expect((await loadPage('?incident=ABCDEFGHJK')).body).toContain('No stored request for this API');
});

test("an API's overview mentions recent refused requests", async () => {
  const noisy = await createApiWithSecret(service, { ownerId: owner.userId });
  const loadOverview = async () => (await browser.get(apiPath(noisy.apiId))).body;
  expect(await loadOverview()).not.toContain('in the last seven days');
  await sendWrongSecret(noisy);
  await loadPage('', browser, noisy);
  expect(await loadOverview()).toContain('One request was refused in the last seven days.');
  expect(await loadOverview()).toContain(`href="${apiPath(noisy.apiId, '/diagnostics')}"`);
});

test("an API's diagnostics page hides clients' IP addresses", async () => {
  const { clientId } = await service.createClient({ name: 'Agenda <b>' });
  await sendInvalidClientRequest(clientId);
  const { body } = await loadPage();
  expect(body).toContain('An application that your API does not allow requested a token for it.');
  expect(body).toContain(`<dt>Application</dt><dd><bdi>Agenda &lt;b&gt;</bdi> <code>${clientId}</code></dd>`);
  expect(body).not.toContain('192.0.2.77');
});

test("refused requests of one client don't displace those of other clients", async () => {
  const [quietClient, noisyClient] = [
    await service.createClient({ name: 'Rare' }),
    await service.createClient({ name: 'Noisy' }),
  ];
  const requestScope = (application: TestClient, scope: string) =>
    browser.get(buildAuthorizeUrl(service, application, { scope, resource: api.identifier }));
  await requestScope(quietClient, 'openid nothing');
  await service.services.diagnostics.flush();
  for (let count = 0; count < 110; count++) await requestScope(noisyClient, `openid nothing${count}`);
  const clients = (await readApiRefusals(service, api)).map(({ clientId }) => clientId);
  expect([clients.includes(quietClient.clientId), clients.includes(noisyClient.clientId)]).toEqual([
    true,
    true,
  ]);
  expect((await loadPage()).body).toContain('Rare');
});

test('refused requests to an API can be filtered by reason and endpoint', async () => {
  const filtered = await createApiWithSecret(service, { ownerId: owner.userId });
  await sendWrongSecret(filtered);
  const { clientId } = await service.createClient({ name: 'Agenda' });
  await sendInvalidClientRequest(clientId, { apiId: filtered.apiId });
  const loadBody = async (query: string) => (await loadPage(query, browser, filtered)).body;
  const countRows = async (query: string) =>
    (await loadBody(query)).match(/<li class="refusal">/g)?.length ?? 0;
  const values = [...(await loadBody('')).matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value);
  expect(values).toEqual(['resource_not_open_to_client', 'secret_prefix_invalid', 'introspect', 'token']);
  expect(await countRows('')).toBe(2);
  expect(await loadBody('?reason=resource_not_open_to_client')).toContain('<bdi>Agenda</bdi>');
  expect(await countRows('?reason=resource_not_open_to_client')).toBe(1);
  expect(await countRows('?endpoint=introspect')).toBe(1);
  expect(await countRows('?reason=resource_not_open_to_client&endpoint=introspect')).toBe(0);
});

describe('a refused request', () => {
  const requestAuthorization = (application: TestClient, parameters: Record<string, string>) =>
    openBrowserSession(service.baseUrl).get(buildAuthorizeUrl(service, application, parameters));
  const post = ({ clientId, clientSecret }: TestClient, path: string, fields: Record<string, string>) =>
    postForm(service, `/oauth/${path}`, { client_id: clientId, client_secret: clientSecret, ...fields });
  type SendRequest = (application: TestClient, rejectingApi: TestApi) => Promise<unknown>;
  const CASES: [string, string, Partial<NewApi>, SendRequest][] = [
    [
      ...([
        'the API allows only its owner’s clients',
        'resource_not_open_to_client',
        { allowedClients: 'own' },
      ] as const),
      (application, { identifier: resource }) =>
        requestAuthorization(application, { scope: 'openid read', resource }),
    ],
    [
      ...(['the API has no such scope', 'scope_not_of_api', {}] as const),
      (application, { identifier: resource }) =>
        requestAuthorization(application, { scope: 'openid all', resource }),
    ],
    [
      ...(['the grant does not include the API', 'resource_beyond_grant', {}] as const),
      async (application, { identifier: resource }) => {
        const userBrowser = await openSignedInBrowser(service, await service.createUser());
        const { refreshToken } = await obtainTokens(service, application, userBrowser);
        await redeemRefreshToken(service, application, refreshToken, { resource });
      },
    ],
    [
      ...(['the client was blocked after the grant', 'resource_blocks_client', {}] as const),
      async (application, rejectingApi) => {
        const userBrowser = await openSignedInBrowser(service, await service.createUser());
        const { refreshToken } = await obtainApiToken(service, application, userBrowser, rejectingApi);
        await insertExclusion(service, rejectingApi, application);
        await redeemRefreshToken(service, application, refreshToken, { resource: rejectingApi.identifier });
      },
    ],
    [
      ...(['service access was not granted', 'client_credentials_disabled', {}] as const),
      (application, { identifier: resource }) =>
        post(application, 'token', { grant_type: 'client_credentials', resource }),
    ],
  ];

  test.each(CASES)('is shown to client and API owners if %s (%s)', async (_, kind, fields, sendRequest) => {
    const rejectingApi = await createApiWithSecret(service, { ownerId: owner.userId, ...fields });
    const application = await service.createClient({ name: 'Agenda' });
    await sendRequest(application, rejectingApi);
    expect((await readRefusals(service, application)).map((one) => one.kind)).toContain(kind);
    expect(await readApiRefusals(service, rejectingApi)).toMatchObject([
      { kind, clientId: application.clientId, clientName: 'Agenda', ip: '' },
    ]);
    const { body } = await loadPage('', browser, rejectingApi);
    const text = messagesFor('en').apiAccess.diagnostics.about[kind];
    expect(body).toContain(text?.what.split('{')[0]);
  });

  test('is not shown to owners of other APIs', async () => {
    const [api, otherApi] = [
      await createApiWithSecret(service, { allowedClients: 'own' }),
      await createApiWithSecret(service),
    ];
    const application = await service.createClient();
    await requestAuthorization(application, { scope: 'openid read', resource: api.identifier });
    await requestAuthorization(application, { scope: 'openid read', resource: 'https://nobody.example' });
    expect(await readApiRefusals(service, api)).toHaveLength(1);
    expect(await readApiRefusals(service, otherApi)).toEqual([]);
  });
});
