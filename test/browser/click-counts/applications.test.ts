// Limits on clicks in application tasks that start at the console.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { openBrowser, openTab, signInInTab } from '../../support/browser.ts';
import {
  chooseOption,
  clickButton,
  clickLink,
  confirmDeletion,
  expandSection,
  fillIn,
  type Journey,
  offerTransfer,
  type Step,
  saveSettings,
  testJourneys,
  upload,
  waitForSuccess,
  waitForText,
  waitForUrl,
  withoutClick,
} from '../../support/clicks.ts';
import { clientPath, submitForm } from '../../support/console-forms.ts';
import { createClientWithRefusals } from '../../support/diagnostics.ts';
import { createSignedInUser, obtainTokens } from '../../support/oauth-flow.ts';
import { createTwoColorPicture } from '../../support/pictures.ts';
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
const submitRegistration: Step[] = [clickButton('Register an application'), waitForSuccess];
const register: Step[] = [clickLink('Register an application'), ...fillRegistration, ...submitRegistration];

const REGISTRATION_JOURNEYS: Journey[] = [
  ['register a web application', 2, ...register],
  [
    'register a single-page application',
    3,
    clickLink('Register an application'),
    chooseOption('Single-page application'),
    ...fillRegistration,
    ...submitRegistration,
  ],
  [
    'register a mobile application',
    3,
    clickLink('Register an application'),
    chooseOption('Mobile or desktop'),
    ...fillRegistration,
    ...submitRegistration,
  ],
  [
    'register a machine-to-machine application',
    3,
    clickLink('Register an application'),
    chooseOption('Machine to machine'),
    fillIn('Application name', 'Robot'),
    ...submitRegistration,
  ],
  [
    'register an application with the native names',
    5,
    ...register,
    clickLink('Settings'),
    chooseOption('Native'),
    ...saveSettings,
  ],
  [
    'register an application with a sign-out URL',
    4,
    ...register,
    clickLink('Sign-out'),
    fillIn('Sign-out URLs (optional)', 'https://client.example/out'),
    ...saveSettings,
  ],
  [
    'register an application with the phone scope',
    5,
    ...register,
    clickLink('Settings'),
    chooseOption('phone'),
    ...saveSettings,
  ],
];

const APPLICATION_JOURNEYS: Journey[] = [
  ['see the client ID', 0, waitForText(/^app_/)],
  ['copy the client ID', 2, clickLink('Carnet'), clickButton(/^Copy Client ID/)],
  ['see the callback URLs', 1, clickLink('Carnet'), waitForText('https://client.example/')],
  [
    'create a secret',
    3,
    clickLink('Carnet'),
    clickLink('Secrets'),
    clickButton('Create secret'),
    withoutClick(() => page.locator('#client-secret').waitFor()),
  ],
  [
    'revoke a secret',
    4,
    clickLink('Carnet'),
    clickLink('Secrets'),
    clickLink(/^Revoke secret no. 1/),
    clickButton(/^Revoke/),
    waitForSuccess,
  ],
  [
    'change the name of an application',
    3,
    clickLink('Carnet'),
    clickLink('Settings'),
    fillIn('Application name', 'Carnet'),
    ...saveSettings,
  ],
  [
    'edit the callback URLs',
    3,
    clickLink('Carnet'),
    clickLink('Settings'),
    fillIn('Callback URLs', 'https://client.example/other'),
    ...saveSettings,
  ],
  [
    'change the scopes',
    4,
    clickLink('Carnet'),
    clickLink('Settings'),
    chooseOption('phone'),
    ...saveSettings,
  ],
  [
    'switch to standard names',
    4,
    clickLink('Carnet'),
    clickLink('Settings'),
    chooseOption('Standard (OpenID Connect)'),
    ...saveSettings,
  ],
  [
    'change the logo of an application',
    3,
    clickLink('Carnet'),
    clickLink('Logo'),
    upload('File', 'logo.png', logo),
    ...saveSettings,
  ],
  [
    'add a sign-out URL',
    3,
    clickLink('Carnet'),
    clickLink('Sign-out'),
    fillIn('Sign-out URLs (optional)', 'https://client.example/out'),
    ...saveSettings,
  ],
  [
    'require PKCE',
    4,
    clickLink('Carnet'),
    clickLink('Protocol'),
    chooseOption('Require PKCE (RFC 7636)'),
    ...saveSettings,
  ],
  [
    'copy the sample code for Node',
    3,
    clickLink('Carnet'),
    clickLink('Integrate'),
    clickButton(/^Copy server.mjs/),
  ],
  [
    'read the whole sample code for Node',
    3,
    clickLink('Carnet'),
    clickLink('Integrate'),
    expandSection('Show all'),
  ],
  [
    'copy the sample for Python',
    4,
    clickLink('Carnet'),
    clickLink('Integrate'),
    clickLink('Python'),
    clickButton(/^Copy app.py/),
  ],
  [
    'see the discovery URL',
    2,
    clickLink('Carnet'),
    clickLink('Reference'),
    waitForText('/.well-known/openid-configuration'),
  ],
  ['see the button', 2, clickLink('Carnet'), clickLink('Button'), waitForText('Se connecter avec Sésame')],
  [
    'copy the HTML of the button',
    3,
    clickLink('Carnet'),
    clickLink('Button'),
    clickButton(/^Copy HTML for the light button/),
  ],
  [
    'copy the CSS of the button',
    4,
    clickLink('Carnet'),
    clickLink('Button'),
    expandSection('CSS for both buttons'),
    clickButton(/^Copy CSS for both buttons/),
  ],
  ['see the refused requests', 2, clickLink('See why'), waitForText(/secret/i)],
  [
    'see why a request was refused',
    2,
    clickLink('See why'),
    expandSection('Secret truncated'),
    waitForText('Copy the whole secret.'),
  ],
  [
    'find a refused request',
    3,
    clickLink('See why'),
    fillIn('Incident code', 'ABCDEFGHJK'),
    clickButton('Filter'),
    waitForUrl('**incident=**'),
  ],
  [
    'see the integration checklist',
    2,
    clickLink('Agenda'),
    clickLink('Diagnostics'),
    waitForText('Token refresh'),
  ],
  [
    'see the details of a complete integration',
    3,
    clickLink('Carnet'),
    clickLink('Diagnostics'),
    expandSection('Integration complete'),
    waitForText('Token refresh'),
  ],
  ['see the activity', 2, clickLink('Carnet'), clickLink('Activity'), waitForText('Active sign-ins')],
  [
    'see the activity of a day',
    3,
    clickLink('Carnet'),
    clickLink('Activity'),
    fillIn('A day, hour by hour', today),
    clickButton('Show'),
    waitForUrl('**day=**'),
  ],
  [
    'request access to an API',
    3,
    clickLink('Carnet'),
    clickLink('APIs'),
    fillIn('API identifier', IDENTIFIER),
    fillIn('Scopes', 'read'),
    clickButton('Request'),
    waitForSuccess,
  ],
  [
    'accept the transfer of an application',
    2,
    clickLink(/^See the offer/),
    clickButton('Accept'),
    waitForSuccess,
  ],
  ['offer an application to someone else', 3, clickLink('Agenda'), ...offerTransfer],
  [
    'cancel an offer',
    3,
    clickLink('Agenda'),
    clickLink(/Current offer$/),
    clickButton('Cancel the offer'),
    waitForSuccess,
  ],
  [
    'delete an application',
    3,
    clickLink('Horloge'),
    clickLink('Delete application'),
    ...confirmDeletion('Horloge'),
  ],
];

describe.skipIf(browser === undefined)('on the console’s first page, a developer', () => {
  beforeAll(prepare);
  testJourneys(openConsole, [...APPLICATION_JOURNEYS, ...REGISTRATION_JOURNEYS]);
});
