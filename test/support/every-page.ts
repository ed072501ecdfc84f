// Every page of the service, opened in both languages: for rules that hold for all of them.

import { openAccountPages } from './account-pages.ts';
import { openBrowserSession } from './browser-session.ts';
import { fill } from './console.ts';
import { openApiPages, openApplicationPages } from './console-pages.ts';
import { createTestDatabase } from './database.ts';
import { openDatabaseProxy } from './database-proxy.ts';
import {
  allowDevices,
  authorizeAddress,
  BACK,
  decide,
  deviceCode,
  obtainTokens,
  signedInBrowser,
  signIn,
  switchAccount,
} from './flow.ts';
import { openOperationsPages } from './operations-pages.ts';
import { HOSTILE, type OpenedPage, PERSON, pageList, WRONG } from './page-list.ts';
import { deleteClient, sql } from './populate.ts';
import { openSecurityPages } from './security-pages.ts';
import { HOUSE, startTestService, type TestApplication, type TestService } from './service.ts';

/** What opens the pages of each part of the service. */
export const AREAS = {
  operations: openOperationsPages,
  entrance: openEntrancePages,
  consent: openConsentPages,
  account: openAccountPages,
  security: openSecurityPages,
  applications: openApplicationPages,
  apis: openApiPages,
  errors: openErrors,
} satisfies Record<string, (service: TestService) => Promise<OpenedPage[]>>;

/** A service that every page can be opened of, with all that an administrator may add. */
export const startServiceOfEveryPage = (settings: Record<string, string> = {}): Promise<TestService> =>
  startTestService({ ...HOUSE, ...settings, AGENTS: 'https://agents.example' });

export async function openEveryPage(service: TestService): Promise<OpenedPage[]> {
  const pages: OpenedPage[] = [];
  for (const open of Object.values(AREAS)) pages.push(...(await open(service)));
  return pages;
}

async function openEntrancePages(service: TestService): Promise<OpenedPage[]> {
  const { pages, add, opensIn } = pageList();
  const { database } = service.parts;
  const application = await service.createApplication({
    name: HOSTILE,
    redirectUris: ['https://notes.example/cb?a=1&b=2'],
  });
  const doomed = await service.createApplication();
  const user = await service.createUser({ name: PERSON, phone: '+33612345678' });
  const browser = openBrowserSession(service.baseUrl);
  const { show, refuse } = opensIn(browser);
  const { email, password } = user;

  for (const path of ['/', '/?signed-out=1', '/signin', '/signup', '/button', '/dev/mail']) await show(path);
  for (const path of ['/signin', '/signup']) await refuse(path, { email: '"><i>', name: '', password: '' });
  await refuse('/signin', { email, password: 'wrong' }, 401);
  await refuse('/signin', { csrf: '', email, password }, 403);
  await show('/no/such/page?<b>', 404);
  add('wrong method', await browser.post('/', {}), 405);
  add('form of another site', await browser.post('/signout', {}, { 'sec-fetch-site': 'cross-site' }), 403);

  const address = authorizeAddress(service, application);
  const onTheWay = await show(address, 200, true);
  const { pending = '' } = onTheWay.hidden;
  await show(`/signup?pending=${pending}`, 200, true);
  const unsafe = (name: string, value: string | undefined, status = 400) =>
    show(authorizeAddress(service, application, { [name]: value }), status);
  await unsafe('client_id', 'app_nobody', 401);
  await unsafe('client_id', 'https://nobody.example/client.json', 401);
  await unsafe('client_id', undefined);
  await unsafe('redirect_uri', 'https://evil.example/"><b>');
  await show('/signin?pending=x', 400);
  await opensIn(openBrowserSession(service.baseUrl)).show(`/signin?pending=${pending}`, 400);
  const doomedPage = await browser.follow(await browser.get(authorizeAddress(service, doomed)));
  await deleteClient(database, doomed.clientId);
  await show(`/signin?pending=${doomedPage.hidden.pending}`, 403);

  const consent = add('consent', await signIn(browser, user, onTheWay), 200, true);
  await show(`/signin?pending=${consent.hidden.pending}`, 200, true);
  await switchAccount(service, application, browser, await service.createUser({ name: 'Ada "&" <u>Grace' }));
  add('consent asked again', await decide(browser, consent, 'allow'), 409, true);
  await decide(browser, await browser.follow(await browser.get(address)), 'allow');
  await show('/accounts');
  await refuse('/accounts', { account: 'x' });
  service.clock.advance(1);
  await show(authorizeAddress(service, application, { prompt: 'select_account' }), 200, true);
  await show('/signin?another=1');
  await show('/signout');
  await allowDevices(service, application);
  const logout = (uri: string) =>
    `/oauth/logout?${new URLSearchParams({ client_id: application.clientId, post_logout_redirect_uri: uri })}`;
  await show(logout(BACK), 200, true);
  await show(logout(`${BACK}${WRONG}`));
  add('accounts after sign-out', await browser.follow(await fill(browser, '/signout')));
  await opensIn(openBrowserSession(service.baseUrl)).show(logout(BACK), 200, true);
  service.clock.advance(3601);
  await show(`/signin?pending=${pending}`, 400);
  await sql(
    database,
    "update clients set par_required = true, home_page = 'https://notes.example/?a=1&b=2' where client_id = $1",
    [application.clientId],
  );
  await show(`/signin?pending=${pending}`, 400);
  return pages;
}

/** Consent to an application, an API and an agent, and the pages between a device and its user. */
async function openConsentPages(service: TestService): Promise<OpenedPage[]> {
  const { pages, add, opensIn } = pageList();
  const scopes = ['read', 'delete'].map((name) => ({
    ...{ name, fr: HOSTILE, en: HOSTILE, agents: true },
    sensitive: name === 'delete',
  }));
  const { identifier: resource } = await service.createApi({
    ownerId: (await service.createUser({ name: HOSTILE })).userId,
    ...{ name: HOSTILE, wordsFr: HOSTILE, wordsEn: HOSTILE, admits: 'agents', scopes },
  });
  const user = await service.createUser({ name: PERSON, phone: '+33612345678' });
  const browser = await signedInBrowser(service, user);
  const { show, refuse } = opensIn(browser);
  const application = await service.createApplication({ name: HOSTILE });
  const ask = (of: TestApplication, parameters: Record<string, string | undefined>) =>
    show(authorizeAddress(service, of, parameters), 200, true);
  await ask(application, { scope: 'profile phone' });
  await ask(application, { resource, scope: 'profile read delete' });
  const agent = await createAgent(service);
  const pkce = { scope: undefined, code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  await ask(agent, pkce);
  const picks = await ask(agent, { resource, ...pkce });
  add('nothing picked', await decide(browser, picks, 'allow'), 400, true);

  await allowDevices(service, application);
  await show('/device?user_code=%22%3E%3Cb%3E');
  await refuse('/device', { user_code: WRONG });
  const decision = async () =>
    browser.follow(await fill(browser, '/device', { user_code: await deviceCode(service, application) }));
  for (const answer of ['allow', 'deny']) {
    const { hidden } = add('device decision', await decision());
    const decided = await browser.post('/device/decision', { ...hidden, decision: answer });
    add(`device, ${answer}`, await browser.follow(decided));
  }
  for (let tries = 0; tries < 20; tries += 1) await fill(browser, '/device', { user_code: 'BCDFGHJK' });
  await refuse('/device', { user_code: 'BCDFGHJK' }, 429);
  const byForm = authorizeAddress(service, application, { response_mode: 'form_post', prompt: 'consent' });
  const consent = await browser.follow(await browser.get(byForm));
  add('back to the application by a form', await decide(browser, consent, 'allow'), 200, true);
  const { idToken = '' } = await obtainTokens(service, application, await signedInBrowser(service, user));
  const hint = (id_token_hint: string) =>
    `/oauth/logout?${new URLSearchParams({ id_token_hint, post_logout_redirect_uri: BACK })}`;
  await show(hint(idToken), 200, true);
  await show(hint(WRONG), 400);
  return pages;
}

/** An agent that registered itself, and whose answers stay on the device. */
async function createAgent(service: TestService): Promise<TestApplication> {
  const application = await service.createApplication({
    name: HOSTILE,
    type: 'public',
    standard: true,
    redirectUris: ['http://127.0.0.1:8080/callback'],
    scopes: ['openid', 'profile', 'email'],
  });
  const clientId = `agent_${application.clientId}`;
  await sql(
    service.parts.database,
    'update clients set owner_id = null, client_id = $2 where client_id = $1',
    [application.clientId, clientId],
  );
  return { ...application, clientId };
}

/** What other services answer: one without sign-up, one that is asked too often, two whose database failed them. */
async function openErrors(): Promise<OpenedPage[]> {
  const { pages, opensIn } = pageList();
  const database = await createTestDatabase();
  const proxy = await openDatabaseProxy(database.url);
  const [closed, limited, broken, unavailable] = await Promise.all([
    startTestService({ ...HOUSE, SIGN_UP: 'closed' }),
    startTestService({ ...HOUSE, RATE_LIMIT_PER_MINUTE: '1' }),
    startTestService(HOUSE),
    startTestService(HOUSE, { databaseUrl: proxy.url }),
  ]);
  const ask = (of: TestService, path: string | URL, status: number) =>
    opensIn(openBrowserSession(of.baseUrl)).show(path, status);
  const application = await broken.createApplication();
  await sql(broken.parts.database, 'drop table consents', []);
  await proxy.cut();
  await openBrowserSession(limited.baseUrl).get('/signin');
  await ask(closed, '/signup', 403);
  await ask(limited, '/signin', 429);
  await ask(broken, authorizeAddress(broken, application), 500);
  await ask(unavailable, authorizeAddress(unavailable, application), 503);
  await Promise.all([closed, limited, broken, unavailable].map((one) => one.close()));
  await proxy.close();
  await database.drop();
  return pages;
}
