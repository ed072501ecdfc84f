// GET requests by anonymous users write only diagnostics.

import { beforeAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { contentWithoutBackground } from '../support/database-content.ts';
import { buildAuthorizeUrl, obtainTokens, openSignedInBrowser } from '../support/oauth-flow.ts';
import { type TestClient, useTestService } from '../support/service.ts';
import { deleteUser } from '../support/store-fixtures.ts';

const service = useTestService();
let application: TestClient;
beforeAll(async () => {
  application = await service.createClient();
  // The tables that users can write to need rows, so that deleted rows are detected.
  const user = await service.createUser();
  await obtainTokens(service, application, await openSignedInBrowser(service, user));
  const browser = openBrowserSession(service.baseUrl);
  const { hidden } = await browser.get('/signin');
  await browser.post('/signin', { ...hidden, email: user.email, password: 'wrong password' });
});

const REQUESTS: [name: string, url: () => string | URL][] = [
  ['the landing page', () => '/'],
  ['the account', () => '/account'],
  ['sign-in', () => '/signin'],
  ['sign-up', () => '/signup'],
  ['sign-out', () => '/signout'],
  ['consent', () => '/consent'],
  ['an authorization request', () => buildAuthorizeUrl(service, application)],
  [
    'the authorization endpoint with prompt=none',
    () => buildAuthorizeUrl(service, application, { prompt: 'none' }),
  ],
  ['an invalid authorization request', () => buildAuthorizeUrl(service, application, { scope: 'x' })],
  [
    'the authorization endpoint with an unknown client',
    () => buildAuthorizeUrl(service, application, { client_id: 'app_nobody' }),
  ],
  [
    'the authorization endpoint with an unregistered redirect URI',
    () => buildAuthorizeUrl(service, application, { redirect_uri: 'https://evil.example' }),
  ],
  ['an unreadable pending request', () => '/oauth/authorize?pending=x'],
  ['userinfo', () => '/oauth/userinfo'],
  ['the token endpoint', () => '/oauth/token?grant_type=refresh_token'],
  ['the revocation endpoint', () => '/oauth/token/revoke?token=x'],
  ['discovery', () => '/.well-known/openid-configuration'],
  ['the keys', () => '/.well-known/jwks.json'],
  ['health', () => '/readyz'],
  ['the logo', () => '/images/logo.svg'],
  ['an avatar', () => '/avatars/initials/AL-1.svg'],
  ['an unknown URL', () => '/nothing'],
];

test.each(REQUESTS)('an anonymous GET request (%s) does not write to the database', async (_, url) => {
  const before = await contentWithoutBackground(service.databaseUrl);
  for (const table of ['users', 'sessions', 'clients', 'consents', 'grants', 'access_tokens', 'throttles'])
    expect(before[table], table).not.toBe('[]');
  const browser = openBrowserSession(service.baseUrl);
  await browser.follow(await browser.get(url()));
  // Repeat the request with an unknown session ID.
  browser.cookies.set('sesame', 'A'.repeat(43));
  await browser.follow(await browser.get(url()));
  expect(await contentWithoutBackground(service.databaseUrl)).toEqual(before);
});

test('the comparison of database contents detects added and deleted accounts', async () => {
  const before = await contentWithoutBackground(service.databaseUrl);
  const { userId } = await service.createUser();
  const changed = await contentWithoutBackground(service.databaseUrl);
  expect(changed).not.toEqual(before);
  await deleteUser(service.services.database, userId);
  expect(await contentWithoutBackground(service.databaseUrl)).toEqual(before);
});
