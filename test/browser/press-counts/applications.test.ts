// Press counts of application tasks that start at the console.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { openBrowser, openTab, signInInTab } from '../../support/browser.ts';
import { clientPath, submitForm } from '../../support/console-forms.ts';
import { createClientWithRefusals } from '../../support/diagnostics.ts';
import { createSignedInUser, obtainTokens } from '../../support/oauth-flow.ts';
import { createTwoColorPicture } from '../../support/pictures.ts';
import {
  button,
  chooseOption,
  confirmDeletion,
  expandSection,
  fillIn,
  type Journey,
  link,
  offerTransfer,
  type Step,
  saveSettings,
  testJourneys,
  upload,
  waitForSuccess,
  waitForText,
  waitForUrl,
  withoutPress,
} from '../../support/presses.ts';
import { useTestService } from '../../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
const logo = await createTwoColorPicture().png().toBuffer();
afterAll(() => browser?.close());

const IDENTIFIER = 'https://archives.example/v1';
let page: Page;

async function prepare(): Promise<void> {
  const developer = await service.createUser({ name: 'Ada Lovelace', email: 'ada@example.com' });
  const { userId: ownerId } = developer;
  const client = await service.createClient({ ownerId, name: 'Carnet', scopes: ['openid', 'profile'] });
  for (const name of ['Agenda', 'Horloge']) await service.createClient({ ownerId, name });
  await service.createApi({ ownerId, identifier: IDENTIFIER });
  await createClientWithRefusals(service, developer);
  const { user, browser: session } = await createSignedInUser(service);
  await obtainTokens(service, client, session, { scope: 'openid' });
  const { clientId } = await service.createClient({ ownerId: user.userId, name: 'Robot' });
  await submitForm(session, clientPath(clientId, '/transfer'), { email: developer.email });
  await service.services.diagnostics.flush();
  ({ page } = await openTab(browser, { language: 'en' }));
  await page.context().grantPermissions(['clipboard-write']);
  await signInInTab(page, { service, user: developer });
}

const openConsole = async (): Promise<Page> => {
  await page.goto(`${service.baseUrl}/console`);
  return page;
};
const today = (): string => service.clock.now().toISOString().slice(0, 10);

const fillRegistration: Step[] = [
  fillIn('Application name', 'Carnet de notes'),
  fillIn('Callback URLs', 'https://client.example/callback'),
];
const submitRegistration: Step[] = [button('Register an application'), waitForSuccess];
const register: Step[] = [link('Register an application'), ...fillRegistration, ...submitRegistration];

const REGISTRATION: Journey[] = [
  ['register a web application', 2, ...register],
  [
    'register a single-page application',
    3,
    link('Register an application'),
    chooseOption('Single-page application'),
    ...fillRegistration,
    ...submitRegistration,
  ],
  [
    'register a mobile application',
    3,
    link('Register an application'),
    chooseOption('Mobile or desktop'),
    ...fillRegistration,
    ...submitRegistration,
  ],
  [
    'register a machine-to-machine application',
    3,
    link('Register an application'),
    chooseOption('Machine to machine'),
    fillIn('Application name', 'Robot'),
    ...submitRegistration,
  ],
  [
    'register an application with the native names',
    5,
    ...register,
    link('Settings'),
    chooseOption('Native'),
    ...saveSettings,
  ],
  [
    'register an application with a sign-out URL',
    4,
    ...register,
    link('Sign-out'),
    fillIn('Sign-out URLs (optional)', 'https://client.example/out'),
    ...saveSettings,
  ],
  [
    'register an application with the phone scope',
    5,
    ...register,
    link('Settings'),
    chooseOption('phone'),
    ...saveSettings,
  ],
];

const APPLICATION: Journey[] = [
  ['see the client ID', 0, waitForText(/^app_/)],
  ['copy the client ID', 2, link('Carnet'), button(/^Copy Client ID/)],
  ['see the callback URLs', 1, link('Carnet'), waitForText('https://client.example/')],
  [
    'create a secret',
    3,
    link('Carnet'),
    link('Secrets'),
    button('Create secret'),
    withoutPress(() => page.locator('#client-secret').waitFor()),
  ],
  [
    'revoke a secret',
    4,
    link('Carnet'),
    link('Secrets'),
    link(/^Revoke secret no. 1/),
    button(/^Revoke/),
    waitForSuccess,
  ],
  [
    'change the name of an application',
    3,
    link('Carnet'),
    link('Settings'),
    fillIn('Application name', 'Carnet'),
    ...saveSettings,
  ],
  [
    'edit the callback URLs',
    3,
    link('Carnet'),
    link('Settings'),
    fillIn('Callback URLs', 'https://client.example/other'),
    ...saveSettings,
  ],
  ['change the scopes', 4, link('Carnet'), link('Settings'), chooseOption('phone'), ...saveSettings],
  [
    'switch to standard names',
    4,
    link('Carnet'),
    link('Settings'),
    chooseOption('Standard (OpenID Connect)'),
    ...saveSettings,
  ],
  [
    'change the logo of an application',
    3,
    link('Carnet'),
    link('Logo'),
    upload('File', 'logo.png', logo),
    ...saveSettings,
  ],
  [
    'add a sign-out URL',
    3,
    link('Carnet'),
    link('Sign-out'),
    fillIn('Sign-out URLs (optional)', 'https://client.example/out'),
    ...saveSettings,
  ],
  [
    'require PKCE',
    4,
    link('Carnet'),
    link('Protocol'),
    chooseOption('Require PKCE (RFC 7636)'),
    ...saveSettings,
  ],
  ['copy the sample code for Node', 3, link('Carnet'), link('Integrate'), button(/^Copy server.mjs/)],
  ['read the whole sample code for Node', 3, link('Carnet'), link('Integrate'), expandSection('Show all')],
  [
    'copy the sample for Python',
    4,
    link('Carnet'),
    link('Integrate'),
    link('Python'),
    button(/^Copy app.py/),
  ],
  [
    'see the discovery URL',
    2,
    link('Carnet'),
    link('Reference'),
    waitForText('/.well-known/openid-configuration'),
  ],
  ['see the button', 2, link('Carnet'), link('Button'), waitForText('Se connecter avec Sésame')],
  [
    'copy the HTML of the button',
    3,
    link('Carnet'),
    link('Button'),
    button(/^Copy HTML for the light button/),
  ],
  [
    'copy the CSS of the button',
    4,
    link('Carnet'),
    link('Button'),
    expandSection('CSS for both buttons'),
    button(/^Copy CSS for both buttons/),
  ],
  ['see the refused requests', 2, link('See why'), waitForText(/secret/i)],
  [
    'see why a request was refused',
    2,
    link('See why'),
    expandSection('Secret truncated'),
    waitForText('Copy the whole secret.'),
  ],
  [
    'find a refused request',
    3,
    link('See why'),
    fillIn('Incident code', 'ABCDEFGHJK'),
    button('Filter'),
    waitForUrl('**incident=**'),
  ],
  ['see the integration checklist', 2, link('Agenda'), link('Diagnostics'), waitForText('Token refresh')],
  [
    'see the details of a complete integration',
    3,
    link('Carnet'),
    link('Diagnostics'),
    expandSection('Integration complete'),
    waitForText('Token refresh'),
  ],
  ['see the activity', 2, link('Carnet'), link('Activity'), waitForText('Active sign-ins')],
  [
    'see the activity of a day',
    3,
    link('Carnet'),
    link('Activity'),
    fillIn('A day, hour by hour', today),
    button('Show'),
    waitForUrl('**day=**'),
  ],
  [
    'request access to an API',
    3,
    link('Carnet'),
    link('APIs'),
    fillIn('API identifier', IDENTIFIER),
    fillIn('Scopes', 'read'),
    button('Request'),
    waitForSuccess,
  ],
  ['accept the transfer of an application', 2, link(/^See the offer/), button('Accept'), waitForSuccess],
  ['offer an application to someone else', 3, link('Agenda'), ...offerTransfer],
  ['cancel an offer', 3, link('Agenda'), link(/Current offer$/), button('Cancel the offer'), waitForSuccess],
  ['delete an application', 3, link('Horloge'), link('Delete application'), ...confirmDeletion('Horloge')],
];

describe.skipIf(browser === undefined)('on the console’s first page, a developer', () => {
  beforeAll(prepare);
  testJourneys(openConsole, [...APPLICATION, ...REGISTRATION]);
});
