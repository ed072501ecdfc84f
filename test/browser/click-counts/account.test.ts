// Limits on clicks in journeys that start at the account overview.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { addVirtualAuthenticator, openBrowser, openTab, signInInTab } from '../../support/browser.ts';
import {
  chooseOption,
  clickButton,
  clickLink,
  enterPassword,
  fillIn,
  type Step,
  saveSettings,
  testJourneys,
  upload,
  waitForDownload,
  waitForSuccess,
  waitForText,
  waitForUrl,
  withoutClick,
} from '../../support/clicks.ts';
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
import { PASSWORD, type TestClient, useTestService } from '../../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
const upstream = useUpstream(service);
const picture = await createTwoColorPicture().png().toBuffer();
afterAll(() => browser?.close());

const ACCOUNT_PATH = /\/account\b/;
const NEW_PASSWORD = 'correct-horse-battery-43';
let page: Page;
let client: TestClient;

const goTo = async (path: string | URL): Promise<Page> => {
  await page.goto(new URL(path, service.baseUrl).href);
  return page;
};
const openUrl = (path: () => string | URL): Step => withoutClick(() => goTo(path()));
const openEmailLink = (email: string): Step =>
  withoutClick(async () => goTo(readLink(await findLastEmailTo(service, email))));

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
        clickLink('See what it receives'),
        waitForText('name and picture'),
      ],
      [
        'see what an application has received',
        1,
        clickLink('See what it receives'),
        waitForText(/^Received:/),
      ],
      [
        'end the access of an application',
        2,
        clickLink('See what it receives'),
        clickButton('Revoke access for Agenda'),
        waitForSuccess,
      ],
      ['end another session', 2, clickLink('Sessions'), clickButton(/last activity/), waitForSuccess],
      [
        'end all other sessions',
        2,
        clickLink('Sessions'),
        clickButton('End all other sessions'),
        waitForSuccess,
      ],
      ['see the latest sign-ins', 1, clickLink('Activity'), waitForText('127.0.0.1')],
      ['change the name', 2, clickLink('Profile'), fillIn('Name', 'Zoé Martin'), ...saveSettings],
      [
        'change the phone number',
        2,
        clickLink('Profile'),
        fillIn('Phone (optional)', '+33612345678'),
        ...saveSettings,
      ],
      ['change the language', 3, clickLink('Profile'), chooseOption('English'), ...saveSettings],
      [
        'change the picture',
        3,
        clickLink('Profile'),
        clickLink('Change picture'),
        upload('New picture', 'picture.png', picture),
        clickButton('Use this picture'),
        waitForSuccess,
      ],
      [
        'remove the picture',
        3,
        clickLink('Profile'),
        clickLink('Change picture'),
        clickButton('Remove picture'),
        waitForSuccess,
      ],
      [
        'verify the email address',
        3,
        clickLink('Verify my address'),
        clickButton('Send me the verification email'),
        waitForSuccess,
        openEmailLink('zoe@example.com'),
        clickButton('Yes, this is my address'),
        waitForText('Confirmed'),
      ],
      [
        'create a passkey',
        3,
        clickLink('Sign-in and security'),
        clickLink('Create a passkey'),
        clickButton('Create a passkey'),
        waitForSuccess,
      ],
      [
        'rename a passkey',
        3,
        clickLink('Sign-in and security'),
        clickLink(/^Rename/),
        fillIn('Name of the passkey', 'Laptop'),
        clickButton('Rename'),
        waitForSuccess,
      ],
      [
        'remove a passkey',
        3,
        clickLink('Sign-in and security'),
        clickLink(/^Remove/),
        clickButton('Remove the passkey'),
        waitForSuccess,
      ],
      [
        'see the key for an authenticator app',
        2,
        clickLink('Sign-in and security'),
        clickLink('Set up'),
        withoutClick(() => page.locator('#key').waitFor()),
      ],
      [
        'set up an authenticator app',
        3,
        clickLink('Sign-in and security'),
        clickLink('Set up'),
        fillIn('Six-digit code', async () => createTotpCode(service, (await page.textContent('#key')) ?? '')),
        clickButton('Turn on'),
        waitForText('Your recovery codes'),
      ],
      [
        'create recovery codes',
        3,
        clickLink('Sign-in and security'),
        clickLink(/^Create new ones/),
        clickButton('Create new codes'),
        waitForText('Your recovery codes'),
      ],
      [
        'remove the authenticator app',
        3,
        clickLink('Sign-in and security'),
        clickLink(/your authenticator app$/),
        clickButton('Remove the authenticator app'),
        waitForSuccess,
      ],
      [
        'link an identity',
        4,
        withoutClick(async () => {
          upstream.user = { sub: 'zoe', email: 'zoe@upstream.example', email_verified: true, name: 'Zoé' };
        }),
        clickLink('Sign-in and security'),
        clickLink('Link an account'),
        clickLink('Link your Upstream account'),
        clickButton('Link this account'),
        waitForSuccess,
      ],
      [
        'change the email address',
        3,
        clickLink('Email address'),
        fillIn('New email address', 'zoe.martin@example.com'),
        clickButton('Send confirmation email'),
        waitForSuccess,
        openEmailLink('zoe.martin@example.com'),
        clickButton('Use this address'),
        waitForText('Confirmed'),
      ],
      [
        'change the password',
        2,
        clickLink('Change your password'),
        fillIn('Your current password', PASSWORD),
        fillIn('New password', NEW_PASSWORD),
        clickButton('Change password'),
        waitForSuccess,
      ],
      ['download the data', 2, clickLink('Your data'), waitForDownload(clickButton('Download my data'))],
      [
        'allow an application',
        1,
        openUrl(() => buildAuthorizeUrl(service, client)),
        clickButton('Allow'),
        waitForUrl('**/button?code=**'),
      ],
      [
        'deny an application',
        1,
        openUrl(() => buildAuthorizeUrl(service, client, { prompt: 'consent' })),
        clickButton('Deny'),
        waitForUrl('**/button?error=**'),
      ],
      [
        'connect a device',
        2,
        openUrl(() => '/device'),
        fillIn('Code shown on the device', () => requestUserCode(service, client)),
        clickButton('Continue'),
        clickButton('Allow'),
        waitForText('Device allowed'),
      ],
      [
        'use another account',
        3,
        clickButton('Zoé Martin'),
        clickLink('Use another account'),
        ...enterPassword('lea@example.com'),
        waitForUrl(ACCOUNT_PATH),
      ],
      [
        'delete the account',
        3,
        clickLink('Your data'),
        clickLink('Delete my account'),
        fillIn('Enter your email address to confirm', 'lea@example.com'),
        clickButton('Permanently delete my account'),
        withoutClick(async () => page.waitForURL((url) => !url.pathname.startsWith('/account/'))),
      ],
      [
        'sign out',
        2,
        withoutClick(async () => {
          await page.context().clearCookies();
          await signInInTab(page, { service, user: await service.createUser({ name: 'Sam' }) });
          await goTo('/account');
        }),
        clickButton('Sam'),
        clickButton('Sign out'),
        waitForUrl('**/?signed-out=**'),
      ],
    ],
  );
});
