// What the tests of client libraries share: an application that may ask for sign-outs, and the sign-out itself.
import { expect } from 'vitest';
import type { Application } from '../../src/applications/registration.ts';
import { statement } from '../../src/store/statement.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import type { TestApplication, TestService } from '../support/service.ts';

const SET = statement(
  'test_set_post_logout',
  'update clients set post_logout_redirect_uris = $2 where client_id = $1',
);

/** Registers an application with an address to come back to after signing out. */
export async function createApplicationWithLogout(
  service: TestService,
  fields: Partial<Application> = {},
  back = 'https://client.example/signed-out',
): Promise<TestApplication & { back: string }> {
  const application = await service.createApplication(fields);
  await service.parts.database.query(SET, [application.clientId, [back]]);
  return { ...application, back };
}

/** Sends the person to the end-session address that a library made; they are signed out and led back. */
export async function expectSignOut(browser: BrowserSession, address: URL, back: string): Promise<void> {
  expect((await browser.get('/signout')).status, 'signed in before').toBe(200);
  const visit = await browser.follow(await browser.get(address));
  expect(visit.location?.href).toBe(back);
  expect((await browser.get('/signout')).location?.pathname, 'signed out after').toBe('/');
}
