// Every page of the service, opened in one go: for rules that hold for all of them.

import { statement } from '../../src/store/statement.ts';
import { openAccountPages } from './account-pages.ts';
import { openApiAccessPages } from './api-access-pages.ts';
import { openApiIntegratePages } from './api-integrate-pages.ts';
import { openApiPages } from './api-pages.ts';
import { openApplicationPages } from './application-pages.ts';
import { deleteClient } from './applications.ts';
import { type BrowserSession, openBrowserSession } from './browser-session.ts';
import { openConsentPages } from './consent-pages.ts';
import { openCredentialsPages } from './credentials-pages.ts';
import { openDevicePages } from './device-pages.ts';
import { openDiagnosticsPages } from './diagnostics-pages.ts';
import { authorizeAddress, browserIn, decide, signIn } from './flow.ts';
import { HOUSE } from './house.ts';
import { openIntegratePages } from './integrate-pages.ts';
import { type OpenedPage, pageList } from './opened-page.ts';
import { openOperationsPages } from './operations-pages.ts';
import { openProtocolPages } from './protocol-pages.ts';
import { startTestService, type TestService } from './service.ts';
import { openServiceAccessPages } from './service-access-pages.ts';
import { switchAccount } from './switch-account.ts';

const ADD_LOGOUT_ADDRESS = statement(
  'test_add_logout_address',
  'update clients set post_logout_redirect_uris = array[$2] where client_id = $1',
);

const HAVE_TO_PUSH = statement(
  'test_have_to_push',
  'update clients set par_required = true, home_page = $2 where client_id = $1',
);

/** What opens the pages of each part of the service. */
export const AREAS = {
  entrance: openEntrancePages,
  account: openAccountPages,
  apis: openApiPages,
  apiAccess: openApiAccessPages,
  apiIntegrate: openApiIntegratePages,
  applications: openApplicationPages,
  consent: openConsentPages,
  credentials: openCredentialsPages,
  device: openDevicePages,
  diagnostics: openDiagnosticsPages,
  integrate: openIntegratePages,
  operations: openOperationsPages,
  protocol: openProtocolPages,
  serviceAccess: openServiceAccessPages,
};

/** A service that every page can be opened of, with all that an operator may add: it sends as many mails as that takes. */
export const startServiceOfEveryPage = (settings: Record<string, string> = {}): Promise<TestService> =>
  startTestService({
    ...HOUSE,
    ...settings,
    AGENTS: 'https://agents.example',
  });

/** Opens every page in a language, with names and addresses that have to be escaped. */
export async function openEveryPage(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const pages: OpenedPage[] = [];
  for (const open of Object.values(AREAS)) pages.push(...(await open(service, language)));
  return pages;
}

async function openEntrancePages(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const { pages, add } = pageList();
  const application = await service.createApplication({
    name: 'Notes & "Cie" <b>',
    redirectUris: ['https://notes.example/cb?a=1&b=2'],
  });
  const doomed = await service.createApplication();
  const user = await service.createUser({ name: 'Zoé "O\'Hara" <i>& Fils', phone: '+33612345678' });
  const browser = await browserIn(service, language);
  const { email, password } = user;

  add('welcome', 200, await browser.get('/'));
  add('signed out', 200, await browser.get('/?signed-out=1'));
  const signInPage = add('sign-in', 200, await browser.get('/signin'));
  const signUpPage = add('sign-up', 200, await browser.get('/signup'));
  const faulty = { email: '"><i>', name: '', password: '' };
  add('sign-in with faults', 400, await browser.post('/signin', { ...signInPage.hidden, ...faulty }));
  add('sign-up with faults', 400, await browser.post('/signup', { ...signUpPage.hidden, ...faulty }));
  add(
    'wrong password',
    401,
    await browser.post('/signin', { ...signInPage.hidden, email, password: 'wrong' }),
  );
  add('expired form', 403, await browser.post('/signin', { email, password }));
  add('not found', 404, await browser.get('/no/such/page?<b>'));
  add('wrong method', 405, await browser.post('/', {}));
  add('form of another site', 403, await browser.post('/signout', {}, { 'sec-fetch-site': 'cross-site' }));

  const address = authorizeAddress(service, application);
  const onTheWay = add('sign-in on the way', 200, await browser.follow(await browser.get(address)), true);
  const { pending = '' } = onTheWay.hidden;
  add('sign-up on the way', 200, await browser.get(`/signup?pending=${pending}`), true);
  const unsafe = (name: string, value: string | undefined) =>
    browser.get(authorizeAddress(service, application, { [name]: value }));
  add('unknown application', 401, await unsafe('client_id', 'app_nobody'));
  add('agent that is not let in', 401, await unsafe('client_id', 'https://nobody.example/client.json'));
  add('missing parameter', 400, await unsafe('client_id', undefined));
  add('wrong callback', 400, await unsafe('redirect_uri', 'https://evil.example/"><b>'));
  add('unreadable request', 400, await browser.get('/signin?pending=x'));
  add(
    'another browser',
    400,
    await openBrowserSession(service.baseUrl).get(`/signin?pending=${pending}&lang=${language}`),
  );
  const doomedPage = await browser.follow(await browser.get(authorizeAddress(service, doomed)));
  await deleteClient(service.parts.database, doomed.clientId);
  add('application gone', 403, await browser.get(`/signin?pending=${doomedPage.hidden.pending}`));

  const consent = add('consent', 200, await signIn(browser, user, onTheWay), true);
  add('sign-in as another', 200, await browser.get(`/signin?pending=${consent.hidden.pending}`), true);
  const other = await service.createUser({ name: 'Ada "&" <u>Grace' });
  await switchAccount(service, application, browser, other);
  add('consent asked again', 409, await decide(browser, consent, 'allow'), true);
  await decide(browser, await browser.follow(await browser.get(address)), 'allow');
  add('account', 200, await browser.get('/account'));
  const chooser = add('accounts', 200, await browser.get('/accounts'));
  add('account that is over', 400, await browser.post('/accounts', { ...chooser.hidden, account: 'x' }));
  const asking = authorizeAddress(service, application, { prompt: 'select_account' });
  service.clock.advance(1);
  add('accounts on the way', 200, await browser.follow(await browser.get(asking)), true);
  add('sign-in beside another account', 200, await browser.get('/signin?another=1'));
  const signOut = add('sign-out', 200, await browser.get('/signout'));
  const back = 'https://notes.example/left?a=1&b=2';
  await service.parts.database.query(ADD_LOGOUT_ADDRESS, [application.clientId, back]);
  const logout = (address: string) =>
    `/oauth/logout?${new URLSearchParams({ client_id: application.clientId, post_logout_redirect_uri: address })}`;
  const asked = async (by: BrowserSession, address: string) => by.follow(await by.get(logout(address)));
  add('sign-out for an application', 200, await asked(browser, back), true);
  add('sign-out with nowhere to return to', 200, await asked(browser, `${back}"><b>`));
  add('accounts after sign-out', 200, await browser.follow(await browser.post('/signout', signOut.hidden)));
  const stranger = await browserIn(service, language);
  add('on to an application after sign-out', 200, await asked(stranger, back), true);
  service.clock.advance(3601);
  add('expired request', 400, await browser.get(`/signin?pending=${pending}`));
  await service.parts.database.query(HAVE_TO_PUSH, [application.clientId, 'https://notes.example/?a=1&b=2']);
  add('expired request that was pushed', 400, await browser.get(`/signin?pending=${pending}`));
  return pages;
}
