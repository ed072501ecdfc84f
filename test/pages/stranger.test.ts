// Nothing that a stranger asks for by GET writes to the database: not a row appears, goes or changes. The one exception is
// what applications are refused, which is kept for their owners, folded and within a quota (test/pages/console/diagnostics-recording).

import { beforeAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { settledContent } from '../support/database-content.ts';
import { authorizeAddress, obtainTokens, signedInBrowser } from '../support/flow.ts';
import { deleteUser } from '../support/populate.ts';
import { type TestApplication, useTestService } from '../support/service.ts';

const service = useTestService();
let application: TestApplication;
beforeAll(async () => {
  application = await service.createApplication();
  // Rows in every table that a journey writes to, so that a change of one would show.
  const person = await service.createUser();
  await obtainTokens(service, application, await signedInBrowser(service, person));
  const browser = openBrowserSession(service.baseUrl);
  const { hidden } = await browser.get('/signin');
  await browser.post('/signin', { ...hidden, email: person.email, password: 'wrong password' });
});

const ADDRESSES: [name: string, address: () => string | URL][] = [
  ['the landing page', () => '/'],
  ['the account', () => '/account'],
  ['sign-in', () => '/signin'],
  ['sign-up', () => '/signup'],
  ['sign-out', () => '/signout'],
  ['consent', () => '/consent'],
  ['an authorization request', () => authorizeAddress(service, application)],
  ['one with prompt=none', () => authorizeAddress(service, application, { prompt: 'none' })],
  ['one with a fault', () => authorizeAddress(service, application, { scope: 'x' })],
  [
    'one of an unknown application',
    () => authorizeAddress(service, application, { client_id: 'app_nobody' }),
  ],
  [
    'one with a wrong callback',
    () => authorizeAddress(service, application, { redirect_uri: 'https://evil.example' }),
  ],
  ['an unreadable request', () => '/oauth/authorize?pending=x'],
  ['userinfo', () => '/oauth/userinfo'],
  ['the token address', () => '/oauth/token?grant_type=refresh_token'],
  ['the revocation address', () => '/oauth/token/revoke?token=x'],
  ['discovery', () => '/.well-known/openid-configuration'],
  ['the keys', () => '/.well-known/jwks.json'],
  ['health', () => '/readyz'],
  ['the logo', () => '/images/logo.svg'],
  ['an avatar', () => '/avatars/initials/AL-1.svg'],
  ['nothing', () => '/nothing'],
];

test.each(ADDRESSES)('GET of %s', async (_, address) => {
  const before = await settledContent(service.databaseUrl);
  for (const table of ['users', 'sessions', 'clients', 'consents', 'grants', 'access_tokens', 'throttles'])
    expect(before[table], table).not.toBe('[]');
  const browser = openBrowserSession(service.baseUrl);
  await browser.follow(await browser.get(address()));
  // And once more with the cookies that the first time gave, and with a session id that is nobody's.
  browser.cookies.set('sesame', 'A'.repeat(43));
  await browser.follow(await browser.get(address()));
  expect(await settledContent(service.databaseUrl)).toEqual(before);
});

test('the comparison would notice: an account that goes is seen', async () => {
  const before = await settledContent(service.databaseUrl);
  const { userId } = await service.createUser();
  const between = await settledContent(service.databaseUrl);
  expect(between).not.toEqual(before);
  await deleteUser(service.parts.database, userId);
  expect(await settledContent(service.databaseUrl)).toEqual(before);
});
