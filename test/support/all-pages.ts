// Opens every page in one language.

import { openAccountPages } from './account-pages.ts';
import { openAdminPages } from './admin-pages.ts';
import { openBrowserSession } from './browser-session.ts';
import { submitForm } from './console-forms.ts';
import { openApiPages, openClientPages } from './console-pages.ts';
import { createTestDatabase } from './database.ts';
import { openDatabaseProxy } from './database-proxy.ts';
import { openIdentityPages } from './identity-pages.ts';
import { addProvider } from './identity-provider.ts';
import {
  buildAuthorizeUrl,
  enableDeviceFlow,
  obtainTokens,
  openSignedInBrowser,
  POST_LOGOUT_URI,
  requestUserCode,
  signIn,
  submitDecision,
  switchAccount,
} from './oauth-flow.ts';
import {
  createPageList,
  HOSTILE_INPUT,
  HOSTILE_NAME,
  HOSTILE_USER_NAME,
  type Language,
  type OpenedPage,
} from './page-list.ts';
import { openSecurityPages } from './security-pages.ts';
import { SERVICE_LINKS, startTestService, type TestClient, type TestService } from './service.ts';
import { deleteClient, sql } from './store-fixtures.ts';

export const PAGE_AREAS = {
  admin: openAdminPages,
  signIn: openSignInPages,
  consent: openConsentPages,
  account: openAccountPages,
  security: openSecurityPages,
  identities: openIdentityPages,
  clients: openClientPages,
  apis: openApiPages,
  errors: openErrorPages,
} satisfies Record<string, (service: TestService, language: Language) => Promise<OpenedPage[]>>;

/** Starts a service whose settings enable all optional parts of the pages. */
export const startServiceForAllPages = (settings: Record<string, string> = {}): Promise<TestService> =>
  startTestService({ ...SERVICE_LINKS, ...settings, AGENTS: 'https://agents.example' });

export async function openAllPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const pages: OpenedPage[] = [];
  for (const open of Object.values(PAGE_AREAS)) pages.push(...(await open(service, language)));
  return pages;
}

async function openSignInPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const { database } = service.services;
  const application = await service.createClient({
    name: HOSTILE_NAME,
    redirectUris: ['https://notes.example/cb?a=1&b=2'],
  });
  const deletedClient = await service.createClient();
  const user = await service.createUser({ name: HOSTILE_USER_NAME, phone: '+33612345678' });
  const browser = openBrowserSession(service.baseUrl);
  const { openPage, submitInvalid } = withBrowser(browser);
  const { email, password } = user;

  for (const path of ['/', '/?signed-out=1', '/signin', '/signup', '/button', '/dev/mail'])
    await openPage(path);
  for (const path of ['/signin', '/signup'])
    await submitInvalid(path, { email: '"><i>', name: '', password: '' });
  await submitInvalid('/signin', { email, password: 'wrong' }, 401);
  await submitInvalid('/signin', { csrf: '', email, password }, 403);
  await openPage('/no/such/page?<b>', 404);
  add('wrong method', await browser.post('/', {}), 405);
  add('cross-site form', await browser.post('/signout', {}, { 'sec-fetch-site': 'cross-site' }), 403);

  const authorizeUrl = buildAuthorizeUrl(service, application);
  const signInPage = await openPage(authorizeUrl, 200, true);
  const { pending = '' } = signInPage.hidden;
  await openPage(`/signup?pending=${pending}`, 200, true);
  const openInvalidRequest = (name: string, value: string | undefined, status = 400) =>
    openPage(buildAuthorizeUrl(service, application, { [name]: value }), status);
  await openInvalidRequest('client_id', 'app_nobody', 401);
  await openInvalidRequest('client_id', 'https://nobody.example/client.json', 401);
  await openInvalidRequest('client_id', undefined);
  await openInvalidRequest('redirect_uri', 'https://evil.example/"><b>');
  await openPage('/signin?pending=x', 400);
  await withBrowser(openBrowserSession(service.baseUrl)).openPage(`/signin?pending=${pending}`, 400);
  const deletedClientPage = await browser.follow(
    await browser.get(buildAuthorizeUrl(service, deletedClient)),
  );
  await deleteClient(database, deletedClient.clientId);
  await openPage(`/signin?pending=${deletedClientPage.hidden.pending}`, 403);

  const consent = add('consent', await signIn(browser, user, signInPage), 200, true);
  await openPage(`/signin?pending=${consent.hidden.pending}`, 200, true);
  await switchAccount(service, application, browser, await service.createUser({ name: 'Ada "&" <u>Grace' }));
  add('consent requested again', await submitDecision(browser, consent, 'allow'), 409, true);
  await submitDecision(browser, await browser.follow(await browser.get(authorizeUrl)), 'allow');
  await openPage('/accounts');
  await submitInvalid('/accounts', { account: 'x' });
  service.clock.advance(1);
  await openPage(buildAuthorizeUrl(service, application, { prompt: 'select_account' }), 200, true);
  await openPage('/signin?another=1');
  await openPage('/signout');
  await enableDeviceFlow(service, application);
  const buildLogoutUrl = (uri: string) =>
    `/oauth/logout?${new URLSearchParams({ client_id: application.clientId, post_logout_redirect_uri: uri })}`;
  await openPage(buildLogoutUrl(POST_LOGOUT_URI), 200, true);
  await openPage(buildLogoutUrl(`${POST_LOGOUT_URI}${HOSTILE_INPUT}`));
  add('accounts after sign-out', await browser.follow(await submitForm(browser, '/signout')));
  await withBrowser(openBrowserSession(service.baseUrl)).openPage(buildLogoutUrl(POST_LOGOUT_URI), 200, true);
  service.clock.advance(3601);
  await openPage(`/signin?pending=${pending}`, 400);
  await sql(
    database,
    "update clients set par_required = true, home_page = 'https://notes.example/?a=1&b=2' where client_id = $1",
    [application.clientId],
  );
  await openPage(`/signin?pending=${pending}`, 400);
  return pages;
}

async function openConsentPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const scopes = ['read', 'delete'].map((name) => ({
    ...{ name, fr: HOSTILE_NAME, en: HOSTILE_NAME, agents: true },
    sensitive: name === 'delete',
  }));
  const { identifier: resource } = await service.createApi({
    ownerId: (await service.createUser({ name: HOSTILE_NAME })).userId,
    ...{
      name: HOSTILE_NAME,
      descriptionFr: HOSTILE_NAME,
      descriptionEn: HOSTILE_NAME,
      allowedClients: 'agents',
      scopes,
    },
  });
  const user = await service.createUser({ name: HOSTILE_USER_NAME, phone: '+33612345678' });
  const browser = await openSignedInBrowser(service, user);
  const { openPage, submitInvalid } = withBrowser(browser);
  const application = await service.createClient({ name: HOSTILE_NAME });
  const openConsentPage = (client: TestClient, parameters: Record<string, string | undefined>) =>
    openPage(buildAuthorizeUrl(service, client, parameters), 200, true);
  await openConsentPage(application, { scope: 'profile phone' });
  await openConsentPage(application, { resource, scope: 'profile read delete' });
  const agent = await createDynamicClient(service);
  const pkce = { scope: undefined, code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  await openConsentPage(agent, pkce);
  const scopeSelection = await openConsentPage(agent, { resource, ...pkce });
  add('no scope selected', await submitDecision(browser, scopeSelection, 'allow'), 400, true);

  await enableDeviceFlow(service, application);
  await openPage('/device?user_code=%22%3E%3Cb%3E');
  await submitInvalid('/device', { user_code: HOSTILE_INPUT });
  const openDecision = async () =>
    browser.follow(
      await submitForm(browser, '/device', { user_code: await requestUserCode(service, application) }),
    );
  for (const decision of ['allow', 'deny']) {
    const { hidden } = add('device decision', await openDecision());
    const outcome = await browser.post('/device/decision', { ...hidden, decision });
    add(`device, ${decision}`, await browser.follow(outcome));
  }
  for (let tries = 0; tries < 20; tries += 1) await submitForm(browser, '/device', { user_code: 'BCDFGHJK' });
  await submitInvalid('/device', { user_code: 'BCDFGHJK' }, 429);
  const formPostUrl = buildAuthorizeUrl(service, application, {
    response_mode: 'form_post',
    prompt: 'consent',
  });
  const consent = await browser.follow(await browser.get(formPostUrl));
  add('form_post response', await submitDecision(browser, consent, 'allow'), 200, true);
  const { idToken = '' } = await obtainTokens(service, application, await openSignedInBrowser(service, user));
  const buildLogoutUrl = (id_token_hint: string) =>
    `/oauth/logout?${new URLSearchParams({ id_token_hint, post_logout_redirect_uri: POST_LOGOUT_URI })}`;
  await openPage(buildLogoutUrl(idToken), 200, true);
  await openPage(buildLogoutUrl(HOSTILE_INPUT), 400);
  return pages;
}

async function createDynamicClient(service: TestService): Promise<TestClient> {
  const application = await service.createClient({
    name: HOSTILE_NAME,
    type: 'public',
    standard: true,
    redirectUris: ['http://127.0.0.1:8080/callback'],
    scopes: ['openid', 'profile', 'email'],
  });
  const clientId = `agent_${application.clientId}`;
  await sql(
    service.services.database,
    'update clients set owner_id = null, client_id = $2 where client_id = $1',
    [application.clientId, clientId],
  );
  return { ...application, clientId };
}

async function openErrorPages(_: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, withBrowser } = createPageList(language);
  const database = await createTestDatabase();
  const proxy = await openDatabaseProxy(database.url);
  const [closed, limited, broken, unavailable] = await Promise.all([
    startTestService({ ...SERVICE_LINKS, SIGN_UP: 'closed' }),
    startTestService({ ...SERVICE_LINKS, RATE_LIMIT_PER_MINUTE: '1' }),
    startTestService(SERVICE_LINKS),
    startTestService(SERVICE_LINKS, { databaseUrl: proxy.url }),
  ]);
  const openPageOf = (target: TestService, path: string | URL, status: number) =>
    withBrowser(openBrowserSession(target.baseUrl)).openPage(path, status);
  const application = await broken.createClient();
  await sql(broken.services.database, 'drop table consents', []);
  await proxy.cut();
  await openBrowserSession(limited.baseUrl).get('/signin');
  await openPageOf(closed, '/signup', 403);
  const provider = { providerId: 'down', name: HOSTILE_NAME, issuer: 'http://127.0.0.1:9' };
  await addProvider(closed, provider);
  await openPageOf(closed, '/signin/provider/down', 502);
  await openPageOf(closed, '/signin/provider/down/callback?state=x', 400);
  await openPageOf(closed, '/signin?done=providerCanceled', 200);
  await sql(closed.services.database, 'update identity_providers set disabled_at = now()');
  await openPageOf(closed, '/signin/provider/down', 403);
  await openPageOf(limited, '/signin', 429);
  await openPageOf(broken, buildAuthorizeUrl(broken, application), 500);
  await openPageOf(unavailable, buildAuthorizeUrl(unavailable, application), 503);
  await Promise.all([closed, limited, broken, unavailable].map((service) => service.close()));
  await proxy.close();
  await database.drop();
  return pages;
}
