// Press counts of journeys that start at the operations overview.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { changeResource } from '../../../src/store/admin-actions.ts';
import { storeDocument } from '../../../src/store/agents.ts';
import { addExampleActivity } from '../../../tools/example-activity.ts';
import { openBrowser, openTab, signInInTab } from '../../support/browser.ts';
import { createMfaAccount } from '../../support/mfa-account.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import {
  button,
  expandSection,
  fillIn,
  type Journey,
  link,
  type Step,
  testJourneys,
  upload,
  waitForDownload,
  waitForSuccess,
  waitForText,
  waitForUrl,
  withoutPress,
} from '../../support/presses.ts';
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
  withoutPress(() => page.getByLabel('Show', { exact: true }).selectOption({ label }));

const searchFor = (name: string, path: string): Step[] => [
  fillIn('Search everywhere', name),
  button('Search'),
  link(new RegExp(`^${name}`)),
  waitForUrl(`**/${path}/**`),
];
const openAccount = (name = 'Zora'): Step[] => searchFor(name, 'accounts');
const openApplication: Step[] = searchFor('Horloge', 'applications');
const performAction = (action: string): Step[] => [link(action), button(action), waitForSuccess];

const ACCOUNTS: Journey[] = [
  ['find an account', 2, ...openAccount()],
  ['list the administrators', 1, link('Administrators'), waitForUrl('**state=admin')],
  ['send a password reset link', 4, ...openAccount(), ...performAction('Send password reset link')],
  ['resend the verification email', 4, ...openAccount(), ...performAction('Resend address verification')],
  ['end the sessions of an account', 4, ...openAccount(), ...performAction('End all sessions')],
  ['grant the administrator role', 4, ...openAccount(), ...performAction('Make an administrator')],
  ['reset a second factor', 4, ...openAccount('Max'), ...performAction('Reset second factor')],
  [
    'edit the name of an account',
    4,
    ...openAccount(),
    link('Edit'),
    fillIn('Name', 'Zora Martin'),
    button('Save'),
    waitForSuccess,
  ],
  ['suspend an account', 4, ...openAccount(), ...performAction('Suspend')],
  ['list the suspended accounts', 1, link(/^Suspended( accounts)?$/), waitForUrl('**state=suspended')],
  ['lift the suspension of an account', 4, ...openAccount(), ...performAction('Lift the suspension')],
  [
    'delete an account',
    4,
    ...openAccount('Lea'),
    link('Delete account'),
    fillIn('Account’s email address, to confirm', 'lea@example.com'),
    button('Delete account'),
    waitForSuccess,
  ],
  [
    'invite someone',
    3,
    link('Accounts'),
    link('Invite someone'),
    fillIn('Name', 'Élise'),
    fillIn('Email address', 'elise@example.com'),
    button('Create account and invite'),
    waitForSuccess,
  ],
  [
    'import accounts',
    3,
    link('Accounts'),
    link('Import accounts'),
    withoutPress(() => page.getByLabel('File format').selectOption('jsonl')),
    upload('File', 'users.jsonl', Buffer.from('{"email":"imported@example.com"}\n')),
    button('Import the accounts'),
    waitForText(/imported/),
  ],
];

const APPLICATIONS: Journey[] = [
  [
    'list the verified applications',
    2,
    link('Applications'),
    filterBy('Verified applications'),
    button('Search'),
    waitForUrl('**state=verified'),
  ],
  ['list the suspended applications', 1, link(/^Suspended applications$/), waitForUrl('**state=suspended')],
  ['find an application', 2, ...openApplication],
  ['verify an application', 4, ...openApplication, ...performAction('Mark as verified')],
  ['suspend an application', 4, ...openApplication, ...performAction('Suspend')],
  [
    'see the diagnostics of an application',
    3,
    ...openApplication,
    link(/^Diagnostics/),
    waitForText('Refused requests'),
  ],
  ['suspend an API', 4, link('APIs'), link('Cartes'), ...performAction('Suspend')],
  ['block an agent', 4, link('Agents'), link('scribe.example'), ...performAction('Block')],
  [
    'add an identity provider',
    4,
    link('Identity providers'),
    link('Add a provider'),
    link('OpenID Connect'),
    fillIn('Name', 'Exemple'),
    fillIn('Identifier', 'exemple'),
    fillIn('Issuer URL', 'https://issuer.example'),
    fillIn('Client ID', 'sesame'),
    fillIn('Client Secret', 'secret'),
    button('Add provider'),
    waitForSuccess,
  ],
];

const OPERATIONS: Journey[] = [
  [
    'see the sign-ins of each day',
    2,
    link('All activity'),
    expandSection('Show the figures'),
    withoutPress(() => page.getByRole('table').first().waitFor()),
  ],
  [
    'see the activity of a day',
    2,
    link('Activity'),
    fillIn('A day, hour by hour', today),
    button('Show'),
    waitForUrl('**day=**'),
  ],
  [
    'see the response times',
    2,
    link('Activity'),
    link('Response times'),
    waitForText('Profile (/oauth/userinfo)'),
  ],
  [
    'see a setting',
    2,
    link('Settings'),
    expandSection('Tokens and applications'),
    waitForText('ACCESS_TOKEN_TTL'),
  ],
  [
    'search the audit log',
    3,
    link('Audit log'),
    fillIn('Search', 'zora@example.com'),
    button('Search'),
    waitForUrl('**=zora**'),
  ],
  ['see the IP address of an event', 1, link('Audit log'), waitForText('127.0.0.1')],
  [
    'see the details of an event',
    2,
    link('Audit log'),
    expandSection('Details: Sign-in'),
    waitForText(/^Time:/),
  ],
  [
    'see the events of an account',
    3,
    ...openAccount(),
    link('All related events'),
    waitForUrl('**/audit?**'),
  ],
  ['download the audit log as JSON', 2, link('Audit log'), waitForDownload(link('Download JSON'))],
  ['download the audit log as CSV', 2, link('Audit log'), waitForDownload(link('Download CSV'))],
];

describe.skipIf(browser === undefined)('on the operations overview, an administrator', () => {
  beforeAll(prepare);
  testJourneys(openOverview, [...ACCOUNTS, ...APPLICATIONS, ...OPERATIONS]);
});
