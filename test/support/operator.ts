// An operator in a browser without a screen, for tests of what operators see and do.
import type { BrowserSession, Visit } from './browser-session.ts';
import { signedInBrowser } from './flow.ts';
import type { TestService, TestUser } from './service.ts';

export interface Operator {
  user: TestUser;
  browser: BrowserSession;
  /** Opens the page that asks, and sends its form with these fields. */
  act(path: string, fields?: Record<string, string>): Promise<Visit>;
}

/** Creates an operator who is signed in. */
export async function signedInOperator(service: TestService): Promise<Operator> {
  const user = await service.createUser({ name: 'Grace Hopper', operator: true });
  const browser = await signedInBrowser(service, user);
  return {
    user,
    browser,
    act: async (path, fields = {}) => {
      const { hidden } = await browser.get(path);
      return browser.post(path, { csrf: hidden.csrf ?? '', ...fields });
    },
  };
}

export const accountPath = (userId: string, action = ''): string =>
  `/console/operations/accounts/${userId}${action && `/${action}`}`;
export const applicationPath = (clientId: string, action = ''): string =>
  `/console/operations/applications/${clientId}${action && `/${action}`}`;
