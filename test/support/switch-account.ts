// Another account signs in where one is signed in already, as from another tab: the session changes hands at once.
import type { BrowserSession, Visit } from './browser-session.ts';
import { authorizeAddress, signIn } from './flow.ts';
import type { TestApplication, TestService, TestUser } from './service.ts';

/** Signs `user` in through a request of `application` that asks for it, and leaves that request there. */
export async function switchAccount(
  service: TestService,
  application: TestApplication,
  browser: BrowserSession,
  user: TestUser,
): Promise<Visit> {
  const address = authorizeAddress(service, application, { prompt: 'login', state: 'other-tab' });
  return signIn(browser, user, await browser.follow(await browser.get(address)));
}
