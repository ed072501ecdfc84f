import type { BrowserSession, Visit } from './browser-session.ts';
import { openSignedInBrowser } from './oauth-flow.ts';
import type { TestService, TestUser } from './service.ts';

export interface TestAdmin {
  user: TestUser;
  browser: BrowserSession;
  submit(path: string, fields?: Record<string, string>): Promise<Visit>;
}

export async function createSignedInAdmin(service: TestService): Promise<TestAdmin> {
  const user = await service.createUser({ name: 'Grace Hopper', isAdmin: true });
  const browser = await openSignedInBrowser(service, user);
  return {
    user,
    browser,
    submit: async (path, fields = {}) => {
      const { hidden } = await browser.get(path);
      return browser.post(path, { ...hidden, ...fields });
    },
  };
}

export const adminAccountPath = (userId: string, action = ''): string =>
  `/console/operations/accounts/${userId}${action && `/${action}`}`;
export const adminClientPath = (clientId: string, action = ''): string =>
  `/console/operations/applications/${clientId}${action && `/${action}`}`;
