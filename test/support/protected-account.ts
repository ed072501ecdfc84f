// An account with an authenticator app, set up as a person does it, and signing in to it.

import { Secret, TOTP } from 'otpauth';
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import { signedInBrowser, signIn } from './flow.ts';
import { elementsOf } from './markup.ts';
import type { TestService, TestUser } from './service.ts';

export interface ProtectedAccount {
  user: TestUser;
  secret: string;
  codes: string[];
  /** The browser in which the app was set up. */
  browser: BrowserSession;
}

/** The words that an element of a page shows, by its id. */
export const wordsIn = (visit: Visit, id: string): string =>
  new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(visit.body)?.[1] ?? '';

/** The code of an app at the moment of the service, or so many steps from it. */
export const codeOf = (service: TestService, secret: string, steps = 0): string =>
  codeAt(secret, service.clock.now(), steps);

const SET_UP = '/account/security/app';

/** The hidden fields of the page that sets an app up, or of another such page: on the way to something another form stands below its own. */
export const setUpFields = ({ hidden, body }: Visit, action = SET_UP): Record<string, string> => ({
  ...hidden,
  csrf: /name="csrf" value="([^"]*)"/.exec(body.slice(body.indexOf(`action="${action}"`)))?.[1] ?? '',
});

/** Fills that page in as a person does. @returns the secret, and the page that follows: that of the recovery codes */
export async function setUpApp(
  service: TestService,
  browser: BrowserSession,
  page?: Visit,
): Promise<{ secret: string; shown: Visit }> {
  const visit = page ?? (await browser.get(SET_UP));
  const secret = wordsIn(visit, 'key').replaceAll(' ', '');
  const shown = await browser.follow(
    await browser.post(SET_UP, { ...setUpFields(visit), code: codeOf(service, secret) }),
  );
  service.clock.advance(30); // a code works once
  return { secret, shown };
}

/** Makes an account with an app. */
export async function protect(
  service: TestService,
  fields: Parameters<TestService['createUser']>[0] = {},
): Promise<ProtectedAccount> {
  const user = await service.createUser(fields);
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, user);
  const { secret, shown } = await setUpApp(service, browser);
  // Of two mails that are on their way at once either may come first: the one about the app is there before the next one.
  await service.parts.mailer.idle();
  return { user, secret, codes: wordsIn(shown, 'codes').split('\n'), browser };
}

/** Gives the password in a browser of its own. */
export async function halfWay(
  service: TestService,
  { email, password }: TestUser,
  browser = openBrowserSession(service.baseUrl),
): Promise<{ browser: BrowserSession; asked: Visit; page: Visit }> {
  const page = await browser.get('/signin');
  const asked = await browser.post('/signin', { ...page.hidden, email, password });
  return { browser, asked, page: await browser.follow(asked) };
}

/** Gives the code on the page that asks for it. */
export const give = (browser: BrowserSession, page: Visit, fields: Record<string, string>): Promise<Visit> =>
  browser.post('/signin/second-factor', { ...page.hidden, ...fields });

/** Signs in with password and code. */
export async function signInWithCode(
  service: TestService,
  { user, secret }: Pick<ProtectedAccount, 'user' | 'secret'>,
): Promise<BrowserSession> {
  const { browser, page } = await halfWay(service, user);
  await give(browser, page, { code: codeOf(service, secret) });
  service.clock.advance(30);
  return browser;
}

export const isIn = async (browser: BrowserSession): Promise<boolean> =>
  (await browser.get('/account')).status === 200;

/** Its code at a moment, or so many steps of thirty seconds from it. @param secret base32 */
export const codeAt = (secret: string, at: Date, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() + steps * 30_000 });

/** The account, whose browser showed both factors, and one in which it is signed in by the password, from before. */
export interface ProtectedPerson extends ProtectedAccount {
  before: BrowserSession;
}

/** Somebody who has an authenticator app. */
export async function protectedPerson(service: TestService): Promise<ProtectedPerson> {
  const user = await service.createUser();
  const before = await signedInBrowser(service, user);
  const browser = await signedInBrowser(service, user);
  const { secret, shown } = await setUpApp(service, browser);
  return { user, secret, codes: wordsIn(shown, 'codes').split('\n'), browser, before };
}

/** Fills in the page that sets an app up on the way to something, and goes on from the recovery codes. */
export async function enrol(service: TestService, browser: BrowserSession, page: Visit) {
  const { secret, shown } = await setUpApp(service, browser, page);
  return { secret, shown, arrived: await browser.follow(await browser.get(onwardFrom(shown))) };
}

/** Where the page of recovery codes leads on to. */
const onwardFrom = ({ body }: Visit): string =>
  elementsOf(body).find(({ attributes }) => attributes.class === 'button button--primary')?.attributes.href ??
  '';

/** Signs in where the account trusts the browser: by the password alone. */
export async function trustedBrowser(
  service: TestService,
  { user, secret }: Pick<ProtectedAccount, 'user' | 'secret'>,
): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  const { page } = await halfWay(service, user, browser);
  await give(browser, page, { code: codeOf(service, secret), trust: 'yes' });
  service.clock.advance(30);
  browser.cookies.delete('sesame');
  await halfWay(service, user, browser);
  return browser;
}

/** The `claims` parameter for which only these will do. */
export const essentialAcr = (...values: string[]): string =>
  JSON.stringify({ id_token: { acr: { essential: true, values } } });
