// Limits on clicks in journeys that start at the operations overview.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { changeResource } from '../../../src/store/admin-actions.ts';
import { storeDocument } from '../../../src/store/agents.ts';
import { addExampleActivity } from '../../../tools/example-activity.ts';
import { openBrowser, openTab, signInInTab } from '../../support/browser.ts';
import {
  clickButton,
  clickLink,
  expandSection,
  fillIn,
  type Journey,
  type Step,
  testJourneys,
  upload,
  waitForDownload,
  waitForSuccess,
  waitForText,
  waitForUrl,
  withoutClick,
} from '../../support/clicks.ts';
import { createMfaAccount } from '../../support/mfa-account.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const browser = await openBrowser();
const service = useTestService({ AGENTS: 'https://agents.example' });
afterAll(() => browser?.close());

let page: Page;

async function prepare(): Promise<void> {
  const { database } = service.services;
  const now = service.clock.now();
  await openSignedInBrowser(service, await service.createUser({ name: 'Zora', email: 'zora@example.com' }));
  await createMfaAccount(service, { name: 'Max', email: 'max@example.com' });
  await service.createUser({ name: 'Lea', email: 'lea@example.com' });
  await service.createClient({ name: 'Horloge' });
  await service.createApi({ name: 'Cartes' });
  for (const action of ['suspend', 'verify'] as const) {
    const { clientId } = await service.createClient({ name: action });
    await changeResource(database, 'application', action, clientId, now);
    await addExampleActivity(service.services, [clientId]);
  }
  const origin = 'https://scribe.example';
  const agent = { clientId: `${origin}/client.json`, name: 'Scribe', redirectUris: [`${origin}/callback`] };
  await storeDocument(database, { ...agent, jwks: null, origin, freshUntil: now }, 10, now);

  ({ page } = await openTab(browser, { language: 'en' }));
  await signInInTab(page, { service, user: await service.createUser({ name: 'Grace', isAdmin: true }) });
}

const openOverview = async (): Promise<Page> => {
  await page.goto(`${service.baseUrl}/console/operations`);
  return page;
};
const today = (): string => service.clock.now().toISOString().slice(0, 10);
const filterBy = (label: string): Step =>
  withoutClick(() => page.getByLabel('Show', { exact: true }).selectOption({ label }));

const searchFor = (name: string, path: string): Step[] => [
  fillIn('Search everywhere', name),
  clickButton('Search'),
  clickLink(new RegExp(`^${name}`)),
  waitForUrl(`**/${path}/**`),
];
const openAccount = (name = 'Zora'): Step[] => searchFor(name, 'accounts');
const openApplication: Step[] = searchFor('Horloge', 'applications');
const performAction = (action: string): Step[] => [clickLink(action), clickButton(action), waitForSuccess];

const ACCOUNT_JOURNEYS: Journey[] = [
  ['find an account', 2, ...openAccount()],
  ['list the administrators', 1, clickLink('Administrators'), waitForUrl('**state=admin')],
  ['send a password reset link', 4, ...openAccount(), ...performAction('Send password reset link')],
  ['resend the verification email', 4, ...openAccount(), ...performAction('Resend address verification')],
  ['end the sessions of an account', 4, ...openAccount(), ...performAction('End all sessions')],
  ['grant the administrator role', 4, ...openAccount(), ...performAction('Make an administrator')],
  ['reset a second factor', 4, ...openAccount('Max'), ...performAction('Reset second factor')],
  [
    'edit the name of an account',
    4,
    ...openAccount(),
    clickLink('Edit'),
    fillIn('Name', 'Zora Martin'),
    clickButton('Save'),
    waitForSuccess,
  ],
  ['suspend an account', 4, ...openAccount(), ...performAction('Suspend')],
  ['list the suspended accounts', 1, clickLink(/^Suspended( accounts)?$/), waitForUrl('**state=suspended')],
  ['lift the suspension of an account', 4, ...openAccount(), ...performAction('Lift the suspension')],
  [
    'delete an account',
    4,
    ...openAccount('Lea'),
    clickLink('Delete account'),
    fillIn('Account’s email address, to confirm', 'lea@example.com'),
    clickButton('Delete account'),
    waitForSuccess,
  ],
  [
    'invite someone',
    3,
    clickLink('Accounts'),
    clickLink('Invite someone'),
    fillIn('Name', 'Élise'),
    fillIn('Email address', 'elise@example.com'),
    clickButton('Create account and invite'),
    waitForSuccess,
  ],
  [
    'import accounts',
    3,
    clickLink('Accounts'),
    clickLink('Import accounts'),
    withoutClick(() => page.getByLabel('File format').selectOption('jsonl')),
    upload('File', 'users.jsonl', Buffer.from('{"email":"imported@example.com"}\n')),
    clickButton('Import the accounts'),
    waitForText(/imported/),
  ],
];

const APPLICATION_JOURNEYS: Journey[] = [
  [
    'list the verified applications',
    2,
    clickLink('Applications'),
    filterBy('Verified applications'),
    clickButton('Search'),
    waitForUrl('**state=verified'),
  ],
  [
    'list the suspended applications',
    1,
    clickLink(/^Suspended applications$/),
    waitForUrl('**state=suspended'),
  ],
  ['find an application', 2, ...openApplication],
  ['verify an application', 4, ...openApplication, ...performAction('Mark as verified')],
  ['suspend an application', 4, ...openApplication, ...performAction('Suspend')],
  [
    'see the diagnostics of an application',
    3,
    ...openApplication,
    clickLink(/^Diagnostics/),
    waitForText('Refused requests'),
  ],
  ['suspend an API', 4, clickLink('APIs'), clickLink('Cartes'), ...performAction('Suspend')],
  ['block an agent', 4, clickLink('Agents'), clickLink('scribe.example'), ...performAction('Block')],
  [
    'add an identity provider',
    4,
    clickLink('Identity providers'),
    clickLink('Add a provider'),
    clickLink('OpenID Connect'),
    fillIn('Name', 'Exemple'),
    fillIn('Identifier', 'exemple'),
    fillIn('Issuer URL', 'https://issuer.example'),
    fillIn('Client ID', 'sesame'),
    fillIn('Client Secret', 'secret'),
    clickButton('Add provider'),
    waitForSuccess,
  ],
];

const OPERATIONS_JOURNEYS: Journey[] = [
  [
    'see the sign-ins of each day',
    2,
    clickLink('All activity'),
    expandSection('Show the figures'),
    withoutClick(() => page.getByRole('table').first().waitFor()),
  ],
  [
    'see the activity of a day',
    2,
    clickLink('Activity'),
    fillIn('A day, hour by hour', today),
    clickButton('Show'),
    waitForUrl('**day=**'),
  ],
  [
    'see the response times',
    2,
    clickLink('Activity'),
    clickLink('Response times'),
    waitForText('Profile (/oauth/userinfo)'),
  ],
  [
    'see a setting',
    2,
    clickLink('Settings'),
    expandSection('Tokens and applications'),
    waitForText('ACCESS_TOKEN_TTL'),
  ],
  [
    'search the audit log',
    3,
    clickLink('Audit log'),
    fillIn('Search', 'zora@example.com'),
    clickButton('Search'),
    waitForUrl('**=zora**'),
  ],
  ['see the IP address of an event', 1, clickLink('Audit log'), waitForText('127.0.0.1')],
  [
    'see the details of an event',
    2,
    clickLink('Audit log'),
    expandSection('Details: Sign-in'),
    waitForText(/^Time:/),
  ],
  [
    'see the events of an account',
    3,
    ...openAccount(),
    clickLink('All related events'),
    waitForUrl('**/audit?**'),
  ],
  ['download the audit log as JSON', 2, clickLink('Audit log'), waitForDownload(clickLink('Download JSON'))],
  ['download the audit log as CSV', 2, clickLink('Audit log'), waitForDownload(clickLink('Download CSV'))],
];

describe.skipIf(browser === undefined)('on the operations overview, an administrator', () => {
  beforeAll(prepare);
  testJourneys(openOverview, [...ACCOUNT_JOURNEYS, ...APPLICATION_JOURNEYS, ...OPERATIONS_JOURNEYS]);
});
