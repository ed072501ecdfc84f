// Counts the presses of users' journeys, from the sign-in page.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import {
  addVirtualAuthenticator,
  openBrowser,
  openTab,
  signInInTab,
  type VirtualAuthenticator,
} from '../../support/browser.ts';
import { findLastEmailTo, readLink } from '../../support/emails.ts';
import { useUpstream } from '../../support/identity-provider.ts';
import { createMfaAccount, createTotpCode, type MfaAccount } from '../../support/mfa-account.ts';
import {
  act,
  arriveAt,
  button,
  enterPassword,
  link,
  type Step,
  see,
  testJourneys,
  type,
} from '../../support/presses.ts';
import { useTestService } from '../../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
useUpstream(service);
afterAll(() => browser?.close());

const ACCOUNT = /\/account\b/;
let page: Page;

const goTo = (path: string) => page.goto(`${service.baseUrl}${path}`);
const openEmailLink = (email: string): Step =>
  act(async () => goTo(readLink(await findLastEmailTo(service, email))));

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
    await button('Create a passkey')(page);
    await page.waitForURL('**/account/security?*');
  });

  const openSignIn = async () => {
    await page.context().clearCookies();
    // Keeps autofill from using the passkey immediately.
    await authenticator.setUserPresent(false);
    await goTo('/signin');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    return page;
  };

  testJourneys(openSignIn, [
    ['sign in with a password', 1, ...enterPassword('ada@example.com'), arriveAt(ACCOUNT)],
    [
      'sign in with a passkey',
      1,
      act(() => authenticator.setUserPresent(true)),
      button('Sign in with a passkey'),
      arriveAt(ACCOUNT),
    ],
    [
      'sign in with an authenticator app',
      2,
      ...enterPassword('mia@example.com'),
      type('Code', () => createTotpCode(service, mfaAccount.secret)),
      button('Sign in'),
      arriveAt(ACCOUNT),
    ],
    [
      'sign in with a recovery code',
      2,
      ...enterPassword('mia@example.com'),
      type('Code', () => mfaAccount.codes[0] ?? ''),
      button('Sign in'),
      arriveAt(ACCOUNT),
    ],
    [
      'sign in through an identity provider',
      1,
      link('Continue with Upstream'),
      arriveAt('**/signup/provider?**'),
    ],
    [
      'sign up',
      2,
      link('Create an account'),
      type('Name', 'Nina Simone'),
      type('Email address', 'nina@example.com'),
      type('Password', 'correct-horse-battery-43'),
      button('Create my account'),
      arriveAt(ACCOUNT),
    ],
    [
      'reset the password',
      3,
      link('Forgot your password?'),
      type('Email address', 'ada@example.com'),
      button('Send link'),
      see('Check your email'),
      openEmailLink('ada@example.com'),
      type('New password', 'correct-horse-battery-43'),
      button('Save and sign me in'),
      arriveAt(ACCOUNT),
    ],
    [
      'report unauthorized activity',
      1,
      openEmailLink('mia@example.com'),
      button('This was not me, stop everything'),
      see('Your account is protected'),
    ],
  ]);
});
