// Press counts of journeys that start at the account overview.
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
  button,
  chooseOption,
  enterPassword,
  fillIn,
  link,
  type Step,
  saveSettings,
  testJourneys,
  upload,
  waitForDownload,
  waitForSuccess,
  waitForText,
  waitForUrl,
  withoutPress,
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
const openUrl = (path: () => string | URL): Step => withoutPress(() => goTo(path()));
const openEmailLink = (email: string): Step =>
  withoutPress(async () => goTo(readLink(await findLastEmailTo(service, email))));

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
      ['see the language setting', 0, waitForText(/Language: same as your browser/)],
      [
        'see what an application may receive',
        1,
        link('See what it receives'),
        waitForText('name and picture'),
      ],
      ['see what an application has received', 1, link('See what it receives'), waitForText(/^Received:/)],
      [
        'end the access of an application',
        2,
        link('See what it receives'),
        button('Revoke access for Agenda'),
        waitForSuccess,
      ],
      ['end another session', 2, link('Sessions'), button(/last activity/), waitForSuccess],
      ['end all other sessions', 2, link('Sessions'), button('End all other sessions'), waitForSuccess],
      ['see the latest sign-ins', 1, link('Activity'), waitForText('127.0.0.1')],
      ['change the name', 2, link('Profile'), fillIn('Name', 'Zoé Martin'), ...saveSettings],
      [
        'change the phone number',
        2,
        link('Profile'),
        fillIn('Phone (optional)', '+33612345678'),
        ...saveSettings,
      ],
      ['change the language', 3, link('Profile'), chooseOption('English'), ...saveSettings],
      [
        'change the picture',
        3,
        link('Profile'),
        link('Change picture'),
        upload('New picture', 'picture.png', picture),
        button('Use this picture'),
        waitForSuccess,
      ],
      [
        'remove the picture',
        3,
        link('Profile'),
        link('Change picture'),
        button('Remove picture'),
        waitForSuccess,
      ],
      [
        'verify the email address',
        3,
        link('Verify my address'),
        button('Send me the verification email'),
        waitForSuccess,
        openEmailLink('zoe@example.com'),
        button('Yes, this is my address'),
        waitForText('Confirmed'),
      ],
      [
        'create a passkey',
        3,
        link('Sign-in and security'),
        link('Create a passkey'),
        button('Create a passkey'),
        waitForSuccess,
      ],
      [
        'rename a passkey',
        3,
        link('Sign-in and security'),
        link(/^Rename/),
        fillIn('Name of the passkey', 'Laptop'),
        button('Rename'),
        waitForSuccess,
      ],
      [
        'remove a passkey',
        3,
        link('Sign-in and security'),
        link(/^Remove/),
        button('Remove the passkey'),
        waitForSuccess,
      ],
      [
        'see the key for an authenticator app',
        2,
        link('Sign-in and security'),
        link('Set up'),
        withoutPress(() => page.locator('#key').waitFor()),
      ],
      [
        'set up an authenticator app',
        3,
        link('Sign-in and security'),
        link('Set up'),
        fillIn('Six-digit code', async () => createTotpCode(service, (await page.textContent('#key')) ?? '')),
        button('Turn on'),
        waitForText('Your recovery codes'),
      ],
      [
        'create recovery codes',
        3,
        link('Sign-in and security'),
        link(/^Create new ones/),
        button('Create new codes'),
        waitForText('Your recovery codes'),
      ],
      [
        'remove the authenticator app',
        3,
        link('Sign-in and security'),
        link(/your authenticator app$/),
        button('Remove the authenticator app'),
        waitForSuccess,
      ],
      [
        'link an identity',
        4,
        withoutPress(async () => {
          upstream.user = { sub: 'zoe', email: 'zoe@upstream.example', email_verified: true, name: 'Zoé' };
        }),
        link('Sign-in and security'),
        link('Link an account'),
        link('Link your Upstream account'),
        button('Link this account'),
        waitForSuccess,
      ],
      [
        'change the email address',
        3,
        link('Email address'),
        fillIn('New email address', 'zoe.martin@example.com'),
        button('Send confirmation email'),
        waitForSuccess,
        openEmailLink('zoe.martin@example.com'),
        button('Use this address'),
        waitForText('Confirmed'),
      ],
      [
        'change the password',
        2,
        link('Change your password'),
        fillIn('Your current password', PASSWORD),
        fillIn('New password', NEW_PASSWORD),
        button('Change password'),
        waitForSuccess,
      ],
      ['download the data', 2, link('Your data'), waitForDownload(button('Download my data'))],
      [
        'allow an application',
        1,
        openUrl(() => buildAuthorizeUrl(service, client)),
        button('Allow'),
        waitForUrl('**/button?code=**'),
      ],
      [
        'deny an application',
        1,
        openUrl(() => buildAuthorizeUrl(service, client, { prompt: 'consent' })),
        button('Deny'),
        waitForUrl('**/button?error=**'),
      ],
      [
        'connect a device',
        2,
        openUrl(() => '/device'),
        fillIn('Code shown on the device', () => requestUserCode(service, client)),
        button('Continue'),
        button('Allow'),
        waitForText('Device allowed'),
      ],
      [
        'use another account',
        3,
        button('Zoé Martin'),
        link('Use another account'),
        ...enterPassword('lea@example.com'),
        waitForUrl(ACCOUNT),
      ],
      [
        'delete the account',
        3,
        link('Your data'),
        link('Delete my account'),
        fillIn('Enter your email address to confirm', 'lea@example.com'),
        button('Permanently delete my account'),
        withoutPress(async () => page.waitForURL((url) => !url.pathname.startsWith('/account/'))),
      ],
      [
        'sign out',
        2,
        withoutPress(async () => {
          await page.context().clearCookies();
          await signInInTab(page, { service, user: await service.createUser({ name: 'Sam' }) });
          await goTo('/account');
        }),
        button('Sam'),
        button('Sign out'),
        waitForUrl('**/?signed-out=**'),
      ],
    ],
  );
});
