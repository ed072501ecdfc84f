import {
  buildBearerChallenge,
  buildMetadataUrl,
  buildResourceMetadata,
} from '../../src/oauth/resource-metadata.ts';
import { API_TEMPLATES, SNIPPET_GROUPS } from '../../src/pages/console/snippets/templates.ts';
import { changeResource } from '../../src/store/admin-actions.ts';
import { insertRefusalBatch } from '../../src/store/refusals.ts';
import { addExampleActivity } from '../../tools/example-activity.ts';
import { createApiWithSecret, grantServiceAccess, introspect, obtainApiToken } from './apis.ts';
import {
  APIS_PATH,
  apiPath,
  CLIENT_SETTINGS,
  clientPath,
  NEW_API_PATH,
  NEW_CLIENT_PATH,
  readApiId,
  readCredentials,
  registerApi,
  registerClient,
  submitForm,
} from './console-forms.ts';
import { createClientWithRefusals, readRefusals } from './diagnostics.ts';
import { openMetadataHost, respondJson } from './metadata-clients.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createSignedInUser,
  obtainTokens,
  submitDecision,
} from './oauth-flow.ts';
import {
  createPageList,
  HOSTILE_INPUT,
  HOSTILE_NAME,
  HOSTILE_USER_NAME,
  type Language,
  type OpenedPage,
} from './page-list.ts';
import type { TestService } from './service.ts';
import { sql } from './store-fixtures.ts';
import { createPicture, upload } from './upload.ts';

const APPLICATION_NAME = `${HOSTILE_NAME}'x'`;

export async function openClientPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const { user, browser } = await createSignedInUser(service, { name: HOSTILE_USER_NAME });
  const { openPage, submitInvalid } = withBrowser(browser);
  const { database } = service.services;
  await openPage('/console/applications');
  await openPage(NEW_CLIENT_PATH);
  const invalidFields = {
    name: '',
    redirect_uris: 'https://"><b>/\n\n/x#<i>',
    type: HOSTILE_INPUT,
  };
  await submitInvalid(NEW_CLIENT_PATH, invalidFields);
  const redirectUri = 'https://notes.example/cb?a=1&b=2';
  const fields = { name: APPLICATION_NAME, redirect_uris: redirectUri };
  const { clientId, clientSecret = '' } = readCredentials(
    add('registered', await registerClient(browser, fields)),
  );
  const publicFields = { type: 'native', redirect_uris: 'com.example.app:/"\nhttp://127.0.0.1/<b>' };
  const publicClientId = readCredentials(
    add('registered, public', await registerClient(browser, publicFields)),
  ).clientId;
  const ownedClientPath = (path: string) => clientPath(clientId, path);
  const machine = add('registered, machine', await registerClient(browser, { type: 'machine' }));
  const { clientId: machineClientId } = readCredentials(machine);
  for (const path of ['', '/edit', '/protocol', '/apis', '/secrets/1'])
    await openPage(clientPath(machineClientId, path));

  await openPage(ownedClientPath('/edit'));
  const settings = {
    ...CLIENT_SETTINGS,
    ...{ name: APPLICATION_NAME, redirect_uris: redirectUri, standard: 'on', refresh_grace: '30' },
    home_page: 'https://notes.example/?a=1&b="x',
    privacy_policy: 'https://privacy.example/<b>',
    terms_of_service: 'https://terms.example/',
  };
  await submitForm(browser, ownedClientPath('/edit'), settings);
  await submitInvalid(ownedClientPath('/edit'), {
    ...settings,
    name: '',
    refresh_grace: '<b>',
    home_page: 'ftp://"><b>',
    scopes: [],
  });
  const { csrf = '' } = (await openPage(ownedClientPath('/logo'))).hidden;
  add('logo, no file', await upload(browser, ownedClientPath('/logo'), { csrf }), 400);
  const logo = { name: 'logo', content: await createPicture(), fileName: `${HOSTILE_INPUT}.png` };
  await upload(browser, ownedClientPath('/logo'), { csrf }, logo);
  const application = { clientId, clientSecret, redirectUri: redirectUri };
  await authorize(service, application, browser, { scope: 'openid' });
  await openPage(ownedClientPath('/activity?until=2020-01-01'));
  await addExampleActivity(service.services, [clientId]);
  await openPage(ownedClientPath(`/activity?day=${service.clock.now().toISOString().slice(0, 10)}`));
  const otherUser = await createSignedInUser(service, { name: 'Ada "&" <u>Grace' });
  await submitForm(browser, ownedClientPath('/transfer'), { email: otherUser.user.email });
  for (const path of [
    '/edit',
    '/logo',
    '?done=changed',
    '/activity',
    '/transfer',
    '/secrets',
    '/secrets/1/end',
  ])
    await openPage(ownedClientPath(path));
  await openPage(clientPath(publicClientId));
  await openPage(ownedClientPath('/protocol'));
  await openPage(ownedClientPath('/sign-out'));
  await openPage('/console/applications?done=deleted');
  await submitInvalid(ownedClientPath('/transfer'), { email: HOSTILE_INPUT });
  await withBrowser(otherUser.browser).openPage('/console/applications');
  await withBrowser(otherUser.browser).openPage(ownedClientPath('/transfer/accept'));
  await withBrowser(otherUser.browser).openPage(ownedClientPath(''), 404);
  add('new secret', await submitForm(browser, ownedClientPath('/secrets'), { overlap: '3600' }));
  for (const path of ['/secrets/2', '/secrets?done=ended', '/secrets/1/end', '/delete'])
    await openPage(ownedClientPath(path));
  await submitInvalid(ownedClientPath('/secrets'), { overlap: HOSTILE_INPUT });
  await submitInvalid(ownedClientPath('/delete'), { name: HOSTILE_INPUT });
  const parameters = { scope: 'openid profile email phone', prompt: 'consent' };
  await openPage(buildAuthorizeUrl(service, application, parameters), 200, true);
  await changeResource(database, 'application', 'suspend', publicClientId, service.clock.now());
  await openPage(clientPath(publicClientId));

  const protocolSettings = {
    ...{ id_token_algorithm: 'ES256', pkce_required: 'on', mfa_required: 'on', device_flow: 'on' },
  };
  const signOutSettings = {
    post_logout_redirect_uris: 'https://notes.example/out?a=1&b="x',
    backchannel_logout_uri: 'https://notes.example/backchannel?<b>',
  };
  await openPage(clientPath(publicClientId, '/protocol'));
  await submitForm(browser, ownedClientPath('/protocol'), protocolSettings);
  await submitForm(browser, ownedClientPath('/sign-out'), signOutSettings);
  const later = new Date(service.clock.now().getTime() + 3_600_000);
  for (const delivery of [
    [service.clock.now(), null, null, null],
    [null, later, 'failed', 'alert <b>"'],
    [null, later, 'http_status', '500'],
    [null, null, 'timeout', null],
  ])
    await sql(
      database,
      `insert into logout_deliveries (client_id, user_id, sid, created_at, delivered_at, next_attempt_at, last_error, last_error_detail, attempts)
        values ($1, $2::uuid, $2::uuid, now(), $3::timestamptz, $4::timestamptz, $5, $6, 3)`,
      [clientId, user.userId, ...delivery],
    );
  await openPage(ownedClientPath('/protocol?done=changed'));
  await openPage(ownedClientPath('/sign-out?done=changed'));
  await submitInvalid(ownedClientPath('/protocol'), { jwks: '{"keys": "><b>"}' });
  await submitInvalid(ownedClientPath('/sign-out'), {
    post_logout_redirect_uris: `${HOSTILE_INPUT}\nhttps://notes.example/#<i>`,
    backchannel_logout_uri: 'ftp://"><b>',
  });

  for (const overrides of [
    {},
    { type: 'public', redirectUris: ['http://127.0.0.1/<b>', 'com.example.app:/"'] },
    { standard: true, redirectUris: ['https://notes.example/?a=1&b=<i>'] },
    { scopes: ['email'] },
  ] as object[]) {
    const client = await service.createClient({ ownerId: user.userId, name: APPLICATION_NAME, ...overrides });
    await openPage(clientPath(client.clientId, '/integrate'));
  }
  for (const group of SNIPPET_GROUPS) await openPage(ownedClientPath(`/integrate?language=${group}`));
  for (const tab of ['button', 'reference']) await openPage(ownedClientPath(`/integrate?tab=${tab}`));
  for (const group of ['page', 'react', 'ios', 'android', 'http'])
    await openPage(clientPath(publicClientId, `/integrate?language=${group}`));
  const testedClient = await service.createClient({ ownerId: user.userId, name: APPLICATION_NAME });
  const testPath = clientPath(testedClient.clientId, '/try-it');
  await openPage(testPath);
  for (const decision of ['deny', 'allow'] as const) {
    const consent = await browser.follow(await submitForm(browser, testPath));
    add(`test sign-in, ${decision}`, await browser.follow(await submitDecision(browser, consent, decision)));
  }
  await openPage('/button');
  const refusedClient = await createClientWithRefusals(service, user);
  const [newest] = await readRefusals(service, refusedClient);
  await openPage(ownedClientPath('/diagnostics'));
  for (const query of [
    '',
    `?incident=${newest?.incidents[0]}`,
    '?incident=%22%3E%3Cb%3E',
    '?reason=redirect_uri_unregistered&endpoint=authorize',
    '?reason=redirect_uri_unregistered&endpoint=token',
  ])
    await openPage(clientPath(refusedClient.clientId, `/diagnostics${query}`));
  const completeClient = await service.createClient({ ownerId: user.userId, name: APPLICATION_NAME });
  await obtainTokens(service, completeClient, browser);
  await openPage(clientPath(completeClient.clientId, '/diagnostics'));

  service.clock.advance(16 * 60);
  await openPage(ownedClientPath('/edit'));
  await submitInvalid(ownedClientPath('/edit'), {
    ...settings,
    redirect_uris: 'https://notes.example/other',
  });
  await submitInvalid(ownedClientPath('/secrets'), { overlap: '0' });
  await submitInvalid(ownedClientPath('/secrets/1/end'));
  await submitInvalid(ownedClientPath('/delete'), { name: APPLICATION_NAME });
  await submitInvalid(ownedClientPath('/protocol'), protocolSettings);
  await submitInvalid(ownedClientPath('/sign-out'), signOutSettings);
  await withBrowser(otherUser.browser).submitInvalid(ownedClientPath('/transfer/accept'));
  return pages;
}

export async function openApiPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const { database } = service.services;
  const { user: owner, browser } = await createSignedInUser(service);
  const { openPage, submitInvalid } = withBrowser(browser);
  await openPage(APIS_PATH);
  await openPage(NEW_API_PATH);
  const invalidFields = { name: '', identifier: 'HTTPS://"><b>', description_fr: '', allowed_clients: 'x' };
  await submitInvalid(NEW_API_PATH, { ...invalidFields, token_lifetime: HOSTILE_INPUT });
  const identifier = `https://api-${Date.now()}.example/v1`;
  const apiId = readApiId(
    await registerApi(browser, { name: APPLICATION_NAME, identifier, description_en: APPLICATION_NAME }),
  );
  const ownedApiPath = (path: string) => apiPath(apiId, path);
  for (const path of [
    '/scopes',
    '/secrets',
    '/requests',
    '/access',
    '/diagnostics',
    '/integrate',
    '/integrate?tab=reference',
  ])
    await openPage(ownedApiPath(path));
  const descriptions = {
    description_fr: `Lire "<b>" ${'mot'.repeat(60)}`,
    description_en: `Read '<i>' & ${'more'.repeat(40)}`,
  };
  await submitForm(browser, ownedApiPath('/scopes/new'), {
    scope: "a/<'&>",
    ...descriptions,
    traits: ['sensitive', 'agents'],
  });
  await submitForm(browser, ownedApiPath('/scopes/new'), { scope: 'read', ...descriptions });
  add('new secret', await submitForm(browser, ownedApiPath('/secrets'), { overlap: '0' }));
  const otherUser = await createSignedInUser(service, { name: 'Ada "&" <u>Grace' });
  await submitForm(browser, ownedApiPath('/transfer'), { email: otherUser.user.email });
  for (const path of [
    '?done=created',
    '/edit',
    '/scopes/new',
    '/scopes?done=added',
    '/scopes/edit-read',
    '/keys',
  ])
    await openPage(ownedApiPath(path));
  for (const path of ['/scopes/remove-read', '/secrets', '/secrets/1/end', '/transfer', '/delete', '/test'])
    await openPage(ownedApiPath(path));
  for (const { id } of API_TEMPLATES) await openPage(ownedApiPath(`/integrate?library=${id}`));
  await openPage(APIS_PATH);
  await submitInvalid(ownedApiPath('/edit'), { name: '', token_lifetime: HOSTILE_INPUT });
  await submitInvalid(ownedApiPath('/scopes/new'), { scope: HOSTILE_INPUT });
  await submitInvalid(ownedApiPath('/keys'), { jwks: HOSTILE_INPUT });
  await submitInvalid(ownedApiPath('/test'), { address: HOSTILE_INPUT });
  await withBrowser(otherUser.browser).openPage(APIS_PATH);
  await withBrowser(otherUser.browser).openPage(ownedApiPath('/transfer/accept'));

  const api = await createApiWithSecret(service, { ownerId: owner.userId, name: APPLICATION_NAME });
  const requester = await createSignedInUser(service, { name: APPLICATION_NAME });
  const { clientId } = await service.createClient({ ownerId: requester.user.userId, name: APPLICATION_NAME });
  const { openPage: openAsRequester, submitInvalid: submitInvalidAsRequester } = withBrowser(
    requester.browser,
  );
  await openAsRequester(clientPath(clientId, '/apis'));
  await submitInvalidAsRequester(clientPath(clientId, '/apis'), {
    identifier: HOSTILE_INPUT,
    scopes: HOSTILE_INPUT,
  });
  const accessRequest = { identifier: api.identifier, scopes: 'read write' };
  add(
    'access requested',
    await requester.browser.follow(
      await submitForm(requester.browser, clientPath(clientId, '/apis'), accessRequest),
    ),
  );
  const answerPath = apiPath(api.apiId, `/requests/answer?client_id=${clientId}`);
  await openPage(apiPath(api.apiId, '/requests'));
  await openPage(answerPath);
  await submitInvalid(answerPath, { decision: 'grant' });
  add(
    'granted',
    await browser.follow(await submitForm(browser, answerPath, { decision: 'grant', scopes: ['read'] })),
  );
  await openPage(answerPath);
  await openAsRequester(clientPath(clientId, `/apis/end?api_id=${api.apiId}`));

  const application = await service.createClient({ name: APPLICATION_NAME });
  await introspect(service, api, 'x', { client_secret: HOSTILE_INPUT });
  await insertRefusalBatch(
    database,
    ['resource_not_open_to_client', 'scope_not_of_api', 'scope_not_of_api'].map((kind) => ({
      ...{
        clientId: application.clientId,
        apiId: api.apiId,
        authenticated: false,
        hasCredential: false,
        kind,
      },
      ...{ endpoint: 'authorize', error: 'invalid_target', facts: { sent: HOSTILE_INPUT }, ip: '192.0.2.1' },
      ...{ incident: 'ABCDEFGHJK', at: service.clock.now() },
    })),
  );
  await openPage(apiPath(api.apiId, '/diagnostics'));
  await openPage(apiPath(api.apiId, '/diagnostics?incident=%22%3E%3Cb%3E'));
  await openPage(apiPath(api.apiId, '/diagnostics?reason=scope_not_of_api'));
  const agentId = `https://assistant-${Date.now()}.example/client.json`;
  const convertedClient = await service.createClient({ name: APPLICATION_NAME, type: 'public' });
  const changeId = 'update clients set client_id = $2, owner_id = null where client_id = $1';
  await sql(database, changeId, [convertedClient.clientId, agentId]);
  await grantServiceAccess(database, api, { clientId: agentId });
  await obtainApiToken(service, application, browser, api);
  const accessPath = (action: string) =>
    apiPath(api.apiId, `/access/${action}?client_id=${encodeURIComponent(agentId)}`);
  await openPage(apiPath(api.apiId, '/access'));
  await openPage(accessPath('block'));
  add('access revoked', await browser.follow(await submitForm(browser, accessPath('block'))));
  await openPage(accessPath('restore'));
  await changeResource(database, 'api', 'suspend', apiId, service.clock.now());
  await openPage(ownedApiPath(''));
  pages.push(...(await openConnectionTestPages(service, language)));
  return pages;
}

/** Runs two connection tests. One API is unreachable, and the other API fails the last step. */
async function openConnectionTestPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const { user, browser } = await createSignedInUser(service);
  const startConnectionTest = async (identifier: string) => {
    const api = await service.createApi({ ownerId: user.userId, allowedClients: 'agents', identifier });
    const path = apiPath(api.apiId, '/test');
    return { path, page: await submitForm(browser, path, { address: identifier }) };
  };
  const { page: testPage } = await startConnectionTest('http://localhost:9/');
  await withBrowser(browser).openPage(testPage.location as URL);
  const host = await openMetadataHost();
  const mcp = host.setHandler(({ headers }, response) => {
    const challenge = `Bearer ${buildBearerChallenge(mcp, ['read'])}`;
    if (headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': challenge }).end();
    else response.writeHead(200).end(`"><b>${'x'.repeat(1000)}`);
  }, '/mcp');
  const metadata = respondJson(buildResourceMetadata(mcp, service.baseUrl, ['read']));
  host.setHandler(metadata, new URL(buildMetadataUrl(mcp)).pathname);
  const { path, page: started } = await startConnectionTest(mcp);
  const { csrf = '', report = '' } = add('test, before consent', await browser.follow(started)).hidden;
  const consent = await browser.follow(await browser.post(path, { csrf, report }));
  add('test, last step failed', await browser.follow(await submitDecision(browser, consent, 'allow')));
  host.close();
  return pages;
}
