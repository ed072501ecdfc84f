// Creates clients with a post-logout redirect URI and checks logout.
import { expect } from 'vitest';
import type { ClientRegistration } from '../../src/clients/registration.ts';
import { statement } from '../../src/store/statement.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import type { TestClient, TestService } from '../support/service.ts';

const SET_POST_LOGOUT_URIS = statement(
  'test_set_post_logout',
  'update clients set post_logout_redirect_uris = $2 where client_id = $1',
);

export async function createClientWithLogout(
  service: TestService,
  fields: Partial<ClientRegistration> = {},
  postLogoutUri = 'https://client.example/signed-out',
): Promise<TestClient & { postLogoutUri: string }> {
  const client = await service.createClient(fields);
  await service.services.database.query(SET_POST_LOGOUT_URIS, [client.clientId, [postLogoutUri]]);
  return { ...client, postLogoutUri };
}

/** Opens a logout URL that a library built and asserts that the user is signed out and redirected. */
export async function expectSignOut(browser: BrowserSession, url: URL, postLogoutUri: string): Promise<void> {
  expect((await browser.get('/signout')).status, 'the user is signed in before the logout').toBe(200);
  const visit = await browser.follow(await browser.get(url));
  expect(visit.location?.href).toBe(postLogoutUri);
  expect((await browser.get('/signout')).location?.pathname, 'the user is signed out after the logout').toBe(
    '/',
  );
}
