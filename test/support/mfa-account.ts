// Creates accounts with an authenticator app and signs users in with MFA.

import { Secret, TOTP } from 'otpauth';
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import { parseElements } from './markup.ts';
import { openSignedInBrowser, signIn } from './oauth-flow.ts';
import type { TestService, TestUser } from './service.ts';

export interface MfaAccount {
  user: TestUser;
  secret: string;
  codes: string[];
  browser: BrowserSession;
}

export const readElementText = (visit: Visit, id: string): string =>
  new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(visit.body)?.[1] ?? '';

/** @param steps offset from the service's time, in steps of 30 seconds */
export const createTotpCode = (service: TestService, secret: string, steps = 0): string =>
  createTotpCodeAt(secret, service.clock.now(), steps);

const SETUP_PATH = '/account/security/app';

/** During a sign-in, the page has a second form with a different CSRF token. */
export const readSetUpFields = ({ hidden, body }: Visit, action = SETUP_PATH): Record<string, string> => ({
  ...hidden,
  csrf: /name="csrf" value="([^"]*)"/.exec(body.slice(body.indexOf(`action="${action}"`)))?.[1] ?? '',
});

export async function setUpAuthenticatorApp(
  service: TestService,
  browser: BrowserSession,
  page?: Visit,
): Promise<{ secret: string; recoveryCodesPage: Visit }> {
  const visit = page ?? (await browser.get(SETUP_PATH));
  const secret = readElementText(visit, 'key').replaceAll(' ', '');
  const recoveryCodesPage = await browser.follow(
    await browser.post(SETUP_PATH, { ...readSetUpFields(visit), code: createTotpCode(service, secret) }),
  );
  service.clock.advance(30);
  return { secret, recoveryCodesPage };
}

export async function createMfaAccount(
  service: TestService,
  fields: Parameters<TestService['createUser']>[0] = {},
): Promise<MfaAccount> {
  const user = await service.createUser(fields);
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, user);
  const { secret, recoveryCodesPage } = await setUpAuthenticatorApp(service, browser);
  // The setup emails could otherwise arrive after later emails.
  await service.services.mailer.idle();
  return { user, secret, codes: readElementText(recoveryCodesPage, 'codes').split('\n'), browser };
}

export async function enterPassword(
  service: TestService,
  { email, password }: TestUser,
  browser = openBrowserSession(service.baseUrl),
): Promise<{ browser: BrowserSession; response: Visit; page: Visit }> {
  const page = await browser.get('/signin');
  const response = await browser.post('/signin', { ...page.hidden, email, password });
  return { browser, response, page: await browser.follow(response) };
}

export const submitSecondFactor = (
  browser: BrowserSession,
  page: Visit,
  fields: Record<string, string>,
): Promise<Visit> => browser.post('/signin/second-factor', { ...page.hidden, ...fields });

export async function signInWithCode(
  service: TestService,
  { user, secret }: Pick<MfaAccount, 'user' | 'secret'>,
): Promise<BrowserSession> {
  const { browser, page } = await enterPassword(service, user);
  await submitSecondFactor(browser, page, { code: createTotpCode(service, secret) });
  service.clock.advance(30);
  return browser;
}

export const isSignedIn = async (browser: BrowserSession): Promise<boolean> =>
  (await browser.get('/account')).status === 200;

/**
 * @param secret in base32
 * @param steps offset from `at`, in steps of 30 seconds
 */
export const createTotpCodeAt = (secret: string, at: Date, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() + steps * 30_000 });

/** One session is older than the authenticator app. */
export interface MfaAccountWithOldSession extends MfaAccount {
  passwordOnlyBrowser: BrowserSession;
}

export async function createMfaAccountWithOldSession(
  service: TestService,
): Promise<MfaAccountWithOldSession> {
  const user = await service.createUser();
  const passwordOnlyBrowser = await openSignedInBrowser(service, user);
  const browser = await openSignedInBrowser(service, user);
  const { secret, recoveryCodesPage } = await setUpAuthenticatorApp(service, browser);
  return {
    user,
    secret,
    codes: readElementText(recoveryCodesPage, 'codes').split('\n'),
    browser,
    passwordOnlyBrowser: passwordOnlyBrowser,
  };
}

export async function enrollDuringSignIn(service: TestService, browser: BrowserSession, page: Visit) {
  const { secret, recoveryCodesPage } = await setUpAuthenticatorApp(service, browser, page);
  return {
    secret,
    shown: recoveryCodesPage,
    continuedTo: await browser.follow(await browser.get(readContinueUrl(recoveryCodesPage))),
  };
}

const readContinueUrl = ({ body }: Visit): string =>
  parseElements(body).find(({ attributes }) => attributes.class === 'button button--primary')?.attributes
    .href ?? '';

/** Signs in with MFA, then again without a code. */
export async function signInOnRememberedDevice(
  service: TestService,
  { user, secret }: Pick<MfaAccount, 'user' | 'secret'>,
): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  const { page } = await enterPassword(service, user, browser);
  await submitSecondFactor(browser, page, { code: createTotpCode(service, secret), trust: 'yes' });
  service.clock.advance(30);
  browser.cookies.delete('sesame');
  await enterPassword(service, user, browser);
  return browser;
}

export const buildEssentialAcrClaims = (...values: string[]): string =>
  JSON.stringify({ id_token: { acr: { essential: true, values } } });
