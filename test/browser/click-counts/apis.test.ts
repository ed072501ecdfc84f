// Limits on clicks in API tasks that start at the console.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { openBrowser, openTab, signInInTab } from '../../support/browser.ts';
import {
  clickButton,
  clickLink,
  confirmDeletion,
  fillIn,
  type Journey,
  offerTransfer,
  type Step,
  saveSettings,
  testJourneys,
  waitForSuccess,
  waitForText,
  waitForUrl,
} from '../../support/clicks.ts';
import { clientPath, submitForm } from '../../support/console-forms.ts';
import { createSignedInUser, obtainTokens } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const IDENTIFIER = 'https://archives.example';
let page: Page;

async function prepare(): Promise<void> {
  const developer = await service.createUser({ name: 'Ada Lovelace' });
  for (const name of ['Archives', 'Agenda', 'Horloge'])
    await service.createApi({
      ownerId: developer.userId,
      name,
      identifier: `https://${name.toLowerCase()}.example`,
    });
  const { user, browser: session } = await createSignedInUser(service);
  const client = await service.createClient({ ownerId: user.userId, name: 'Robot' });
  await obtainTokens(service, client, session, { scope: 'openid read', resource: IDENTIFIER });
  const request = { identifier: IDENTIFIER, scopes: 'read' };
  await submitForm(session, clientPath(client.clientId, '/apis'), request);

  ({ page } = await openTab(browser, { language: 'en' }));
  await page.context().grantPermissions(['clipboard-write']);
  await signInInTab(page, { service, user: developer });
}

const openConsole = async (): Promise<Page> => {
  await page.goto(`${service.baseUrl}/console`);
  return page;
};
const openApi: Step[] = [clickLink('APIs'), clickLink('Archives')];

const API_JOURNEYS: Journey[] = [
  [
    'register an API',
    3,
    clickLink('APIs'),
    clickLink('Register an API'),
    fillIn('API name', 'Photos'),
    fillIn('API identifier', 'https://photos.example'),
    fillIn('In English', 'Your photos.'),
    fillIn('In French', 'Vos photos.'),
    clickButton('Register an API'),
    waitForSuccess,
  ],
  ['see the settings of an API', 2, ...openApi, waitForText('Token lifetime')],
  ['edit an API', 4, ...openApi, clickLink('Settings'), fillIn('API name', 'Archives'), ...saveSettings],
  [
    'add a scope',
    5,
    ...openApi,
    clickLink('Scopes'),
    clickLink('Add a scope'),
    fillIn('Scope name', 'share'),
    fillIn('In English', 'Share.'),
    fillIn('In French', 'Partager.'),
    clickButton('Add a scope'),
    waitForSuccess,
  ],
  [
    'edit a scope',
    5,
    ...openApi,
    clickLink('Scopes'),
    clickLink(/^Edit share/),
    fillIn('In English', 'Share them.'),
    ...saveSettings,
  ],
  [
    'remove a scope',
    5,
    ...openApi,
    clickLink('Scopes'),
    clickLink(/^Remove share/),
    clickButton(/^Remove/),
    waitForSuccess,
  ],
  [
    'run the connection test',
    4,
    ...openApi,
    clickLink('Connection test'),
    clickButton('Start the test'),
    waitForUrl('**report=**'),
  ],
  [
    'give an application access',
    5,
    ...openApi,
    clickLink('Requests'),
    clickLink(/^Review/),
    clickButton('Allow'),
    waitForSuccess,
  ],
  [
    'block an application’s access',
    5,
    ...openApi,
    clickLink('Access'),
    clickLink(/^Block access/),
    clickButton('Block access'),
    waitForSuccess,
  ],
  [
    'create a secret for an API',
    4,
    ...openApi,
    clickLink('Secrets'),
    clickButton('Create secret'),
    waitForUrl('**/secrets/1'),
  ],
  [
    'save the keys of an API',
    4,
    ...openApi,
    clickLink('Public keys'),
    fillIn('JWK Set (optional)', ''),
    ...saveSettings,
  ],
  ['copy the sample code for an API', 4, ...openApi, clickLink('Integrate'), clickButton(/^Copy api.mjs/)],
  [
    'see the metadata document of an API',
    3,
    ...openApi,
    clickLink('Reference'),
    waitForText('Metadata document'),
  ],
  [
    'see the refused requests of an API',
    3,
    ...openApi,
    clickLink('Diagnostics'),
    waitForText('Refused requests'),
  ],
  ['offer an API to someone else', 4, clickLink('APIs'), clickLink('Agenda'), ...offerTransfer],
  [
    'delete an API',
    4,
    clickLink('APIs'),
    clickLink('Horloge'),
    clickLink('Delete API'),
    ...confirmDeletion('Horloge'),
  ],
];

describe.skipIf(browser === undefined)('on the console’s first page, a developer', () => {
  beforeAll(prepare);
  testJourneys(openConsole, API_JOURNEYS);
});
