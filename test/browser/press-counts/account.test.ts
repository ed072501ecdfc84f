// Counts the presses of users' journeys, from the account overview.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { addVirtualAuthenticator, openBrowser, openTab, signInInTab } from '../../support/browser.ts';
import { findLastEmailTo, readLink } from '../../support/emails.ts';
import { useUpstream } from '../../support/identity-provider.ts';
import { createTotpCode } from '../../support/mfa-account.ts';
import {
  buildAuthorizeUrl,
  enableDeviceFlow,
  obtainTokens,
  openSignedInBrowser,
  requestUserCode,
} from '../../support/oauth-flow.ts';
import { createTwoColorPicture } from '../../support/pictures.ts';
import {
  act,
  arriveAt,
  button,
  choice,
  done,
  download,
  enterPassword,
  link,
  type Step,
  save,
  see,
  testJourneys,
  type,
  upload,
} from '../../support/presses.ts';
import { PASSWORD, type TestClient, useTestService } from '../../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
const upstream = useUpstream(service);
const picture = await createTwoColorPicture().png().toBuffer();
afterAll(() => browser?.close());

const ACCOUNT = /\/account\b/;
const NEW_PASSWORD = 'correct-horse-battery-43';
let page: Page;
let client: TestClient;

const goTo = async (path: string | URL): Promise<Page> => {
  await page.goto(new URL(path, service.baseUrl).href);
  return page;
};
const open = (path: () => string | URL): Step => act(() => goTo(path()));
const openEmailLink = (email: string): Step =>
  act(async () => goTo(readLink(await findLastEmailTo(service, email))));

describe.skipIf(browser === undefined)('on the account overview, a user', () => {
  beforeAll(async () => {
    client = await service.createClient({ name: 'Agenda', redirectUris: [`${service.baseUrl}/button`] });
    await enableDeviceFlow(service, client);
    await service.createUser({ email: 'lea@example.com' });
    const user = await service.createUser({ name: 'Zoé Lefèvre', email: 'zoe@example.com' });
    const session = await openSignedInBrowser(service, user);
    for (let i = 0; i < 2; i += 1) await openSignedInBrowser(service, user);
    await obtainTokens(service, client, session);
    await service.services.usage.flush();
    ({ page } = await openTab(browser, { language: 'en' }));
    await addVirtualAuthenticator(page);
    await signInInTab(page, { service, user });
  });

  testJourneys(
    () => goTo('/account'),
    [
      ['see the language setting', 0, see(/Language: same as your browser/)],
      ['see what an application may receive', 1, link('See what it receives'), see('name and picture')],
      ['see what an application has received', 1, link('See what it receives'), see(/^Received:/)],
      [
        'end the access of an application',
        2,
        link('See what it receives'),
        button('Revoke access for Agenda'),
        done,
      ],
      ['end another session', 2, link('Sessions'), button(/last activity/), done],
      ['end all other sessions', 2, link('Sessions'), button('End all other sessions'), done],
      ['see the latest sign-ins', 1, link('Activity'), see('127.0.0.1')],
      ['change the name', 2, link('Profile'), type('Name', 'Zoé Martin'), ...save],
      ['change the phone number', 2, link('Profile'), type('Phone (optional)', '+33612345678'), ...save],
      ['change the language', 3, link('Profile'), choice('English'), ...save],
      [
        'change the picture',
        3,
        link('Profile'),
        link('Change picture'),
        upload('New picture', 'picture.png', picture),
        button('Use this picture'),
        done,
      ],
      ['remove the picture', 3, link('Profile'), link('Change picture'), button('Remove picture'), done],
      [
        'verify the email address',
        3,
        link('Verify my address'),
        button('Send me the verification email'),
        done,
        openEmailLink('zoe@example.com'),
        button('Yes, this is my address'),
        see('Confirmed'),
      ],
      [
        'create a passkey',
        3,
        link('Sign-in and security'),
        link('Create a passkey'),
        button('Create a passkey'),
        done,
      ],
      [
        'rename a passkey',
        3,
        link('Sign-in and security'),
        link(/^Rename/),
        type('Name of the passkey', 'Laptop'),
        button('Rename'),
        done,
      ],
      [
        'remove a passkey',
        3,
        link('Sign-in and security'),
        link(/^Remove/),
        button('Remove the passkey'),
        done,
      ],
      [
        'see the key for an authenticator app',
        2,
        link('Sign-in and security'),
        link('Set up'),
        act(() => page.locator('#key').waitFor()),
      ],
      [
        'set up an authenticator app',
        3,
        link('Sign-in and security'),
        link('Set up'),
        type('Six-digit code', async () => createTotpCode(service, (await page.textContent('#key')) ?? '')),
        button('Turn on'),
        see('Your recovery codes'),
      ],
      [
        'create recovery codes',
        3,
        link('Sign-in and security'),
        link(/^Create new ones/),
        button('Create new codes'),
        see('Your recovery codes'),
      ],
      [
        'remove the authenticator app',
        3,
        link('Sign-in and security'),
        link(/your authenticator app$/),
        button('Remove the authenticator app'),
        done,
      ],
      [
        'link an identity',
        4,
        act(async () => {
          upstream.user = { sub: 'zoe', email: 'zoe@upstream.example', email_verified: true, name: 'Zoé' };
        }),
        link('Sign-in and security'),
        link('Link an account'),
        link('Link your Upstream account'),
        button('Link this account'),
        done,
      ],
      [
        'change the email address',
        3,
        link('Email address'),
        type('New email address', 'zoe.martin@example.com'),
        button('Send confirmation email'),
        done,
        openEmailLink('zoe.martin@example.com'),
        button('Use this address'),
        see('Confirmed'),
      ],
      [
        'change the password',
        2,
        link('Change your password'),
        type('Your current password', PASSWORD),
        type('New password', NEW_PASSWORD),
        button('Change password'),
        done,
      ],
      ['download the data', 2, link('Your data'), download(button('Download my data'))],
      [
        'allow an application',
        1,
        open(() => buildAuthorizeUrl(service, client)),
        button('Allow'),
        arriveAt('**/button?code=**'),
      ],
      [
        'deny an application',
        1,
        open(() => buildAuthorizeUrl(service, client, { prompt: 'consent' })),
        button('Deny'),
        arriveAt('**/button?error=**'),
      ],
      [
        'connect a device',
        2,
        open(() => '/device'),
        type('Code shown on the device', () => requestUserCode(service, client)),
        button('Continue'),
        button('Allow'),
        see('Device allowed'),
      ],
      [
        'use another account',
        3,
        button('Zoé Martin'),
        link('Use another account'),
        ...enterPassword('lea@example.com'),
        arriveAt(ACCOUNT),
      ],
      [
        'delete the account',
        3,
        link('Your data'),
        link('Delete my account'),
        type('Enter your email address to confirm', 'lea@example.com'),
        button('Permanently delete my account'),
        act(async () => page.waitForURL((url) => !url.pathname.startsWith('/account/'))),
      ],
      [
        'sign out',
        2,
        act(async () => {
          await page.context().clearCookies();
          await signInInTab(page, { service, user: await service.createUser({ name: 'Sam' }) });
          await goTo('/account');
        }),
        button('Sam'),
        button('Sign out'),
        arriveAt('**/?signed-out=**'),
      ],
    ],
  );
});
