// Limits on clicks in journeys that start at the sign-in page.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import {
  addVirtualAuthenticator,
  openBrowser,
  openTab,
  signInInTab,
  type VirtualAuthenticator,
} from '../../support/browser.ts';
import {
  clickButton,
  clickLink,
  enterPassword,
  fillIn,
  type Step,
  testJourneys,
  waitForText,
  waitForUrl,
  withoutClick,
} from '../../support/clicks.ts';
import { findLastEmailTo, readLink } from '../../support/emails.ts';
import { useUpstream } from '../../support/identity-provider.ts';
import { createMfaAccount, createTotpCode, type MfaAccount } from '../../support/mfa-account.ts';
import { useTestService } from '../../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
useUpstream(service);
afterAll(() => browser?.close());

const ACCOUNT_PATH = /\/account\b/;
let page: Page;

const goTo = (path: string) => page.goto(`${service.baseUrl}${path}`);
const openEmailLink = (email: string): Step =>
  withoutClick(async () => goTo(readLink(await findLastEmailTo(service, email))));

describe.skipIf(browser === undefined)('on the sign-in page, a user', () => {
  let authenticator: VirtualAuthenticator;
  let mfaAccount: MfaAccount;
  beforeAll(async () => {
    ({ page } = await openTab(browser, { language: 'en' }));
    mfaAccount = await createMfaAccount(service, { email: 'mia@example.com' });
    const user = await service.createUser({ email: 'ada@example.com', emailVerified: true });
    await signInInTab(page, { service, user });
    authenticator = await addVirtualAuthenticator(page);
    await goTo('/account/security/passkeys/new');
    await clickButton('Create a passkey')(page);
    await page.waitForURL('**/account/security?*');
  });

  const openSignIn = async () => {
    await page.context().clearCookies();
    // Prevent autofill from using the passkey.
    await authenticator.setUserPresent(false);
    await goTo('/signin');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    return page;
  };

  testJourneys(openSignIn, [
    ['sign in with a password', 1, ...enterPassword('ada@example.com'), waitForUrl(ACCOUNT_PATH)],
    [
      'sign in with a passkey',
      1,
      withoutClick(() => authenticator.setUserPresent(true)),
      clickButton('Sign in with a passkey'),
      waitForUrl(ACCOUNT_PATH),
    ],
    [
      'sign in with an authenticator app',
      2,
      ...enterPassword('mia@example.com'),
      fillIn('Code', () => createTotpCode(service, mfaAccount.secret)),
      clickButton('Sign in'),
      waitForUrl(ACCOUNT_PATH),
    ],
    [
      'sign in with a recovery code',
      2,
      ...enterPassword('mia@example.com'),
      fillIn('Code', () => mfaAccount.codes[0] ?? ''),
      clickButton('Sign in'),
      waitForUrl(ACCOUNT_PATH),
    ],
    [
      'sign in through an identity provider',
      1,
      clickLink('Continue with Upstream'),
      waitForUrl('**/signup/provider?**'),
    ],
    [
      'sign up',
      2,
      clickLink('Create an account'),
      fillIn('Name', 'Nina Simone'),
      fillIn('Email address', 'nina@example.com'),
      fillIn('Password', 'correct-horse-battery-43'),
      clickButton('Create my account'),
      waitForUrl(ACCOUNT_PATH),
    ],
    [
      'reset the password',
      3,
      clickLink('Forgot your password?'),
      fillIn('Email address', 'ada@example.com'),
      clickButton('Send link'),
      waitForText('Check your email'),
      openEmailLink('ada@example.com'),
      fillIn('New password', 'correct-horse-battery-43'),
      clickButton('Save and sign me in'),
      waitForUrl(ACCOUNT_PATH),
    ],
    [
      'report unauthorized activity',
      1,
      openEmailLink('mia@example.com'),
      clickButton('This was not me, stop everything'),
      waitForText('Your account is protected'),
    ],
  ]);
});
