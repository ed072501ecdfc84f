// People with a second factor, and what they and applications do with it.
import { codeAt } from './authenticator.ts';
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import { signedInBrowser } from './flow.ts';
import type { TestService, TestUser } from './service.ts';

export interface ProtectedPerson {
  user: TestUser;
  /** Of the authenticator app, in base32. */
  secret: string;
  /** Recovery codes. */
  codes: string[];
  /** Signed in with the password, from before the app was set up. */
  browser: BrowserSession;
  /** Where the app was set up: both factors were shown in it. */
  strong: BrowserSession;
}

/** The text of an element of a page. */
const wordsIn = (visit: Visit, id: string): string =>
  new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(visit.body)?.[1] ?? '';

/** The code of the app at the moment of the service. */
export const codeOf = (service: TestService, secret: string): string =>
  codeAt(secret, service.clock.now(), 0);

const SET_UP = '/account/security/app';

/** The hidden fields of that page's own form: on the way to something another one stands below it. */
export const setUpFields = ({ hidden, body }: Visit): Record<string, string> => ({
  ...hidden,
  csrf: /name="csrf" value="([^"]*)"/.exec(body.slice(body.indexOf(`action="${SET_UP}"`)))?.[1] ?? '',
});

/** Fills in the page that sets an app up. @returns the page with the recovery codes, and the secret */
export async function setUpApp(service: TestService, browser: BrowserSession, page: Visit) {
  const secret = wordsIn(page, 'key').replaceAll(' ', '');
  const shown = await browser.follow(
    await browser.post(SET_UP, { ...setUpFields(page), code: codeOf(service, secret) }),
  );
  service.clock.advance(30); // a code works once
  return { secret, shown };
}

/** Fills in the page that sets an app up on the way to something, and goes on from the recovery codes. */
export async function enrol(service: TestService, browser: BrowserSession, page: Visit) {
  const { secret, shown } = await setUpApp(service, browser, page);
  return {
    secret,
    shown,
    arrived: await browser.follow(await browser.post('/account/security/codes', shown.hidden)),
  };
}

/** Somebody who has an authenticator app. */
export async function protectedPerson(service: TestService): Promise<ProtectedPerson> {
  const user = await service.createUser();
  const browser = await signedInBrowser(service, user);
  const strong = await signedInBrowser(service, user);
  const page = await strong.get(SET_UP);
  const { secret, shown } = await setUpApp(service, strong, page);
  return { user, secret, codes: wordsIn(shown, 'codes').split('\n'), browser, strong };
}

/** Signs in where the account trusts the browser: with the password alone. */
export async function trustedBrowser(
  service: TestService,
  { user, secret }: ProtectedPerson,
): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  const { email, password } = user;
  const first = await browser.get('/signin');
  const half = await browser.follow(await browser.post('/signin', { ...first.hidden, email, password }));
  await browser.post('/signin/second-factor', {
    ...half.hidden,
    code: codeOf(service, secret),
    trust: 'yes',
  });
  service.clock.advance(30);
  browser.cookies.delete('sesame');
  const again = await browser.get('/signin');
  await browser.post('/signin', { ...again.hidden, email, password });
  return browser;
}

/** The `claims` parameter for which only these will do. */
export const essentialAcr = (...values: string[]): string =>
  JSON.stringify({ id_token: { acr: { essential: true, values } } });
