// What applications ask of people with a second factor, and the sessions in which less was shown.
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import { signedInBrowser } from './flow.ts';
import { elementsOf } from './markup.ts';
import { codeOf, give, halfWay, type ProtectedAccount, setUpApp, wordsIn } from './protected-account.ts';
import type { TestService } from './service.ts';

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
