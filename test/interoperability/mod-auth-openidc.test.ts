// Runs the mod_auth_openidc snippet in Apache and signs in with Chromium.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowser, openTab } from '../support/browser.ts';
import { readCodeBlock } from '../support/markup.ts';
import {
  completeAuthorization,
  fetchUserinfo,
  openSignedInBrowser,
  revokeToken,
} from '../support/oauth-flow.ts';
import { findFreePort, type TestUser, useTestService } from '../support/service.ts';
import { hasModAuthOpenidc, startApache, type TestApache } from './apache.ts';
import { fetchIntegrationPages } from './snippets.ts';

const browser = await openBrowser();
const canRun = hasModAuthOpenidc() && browser !== undefined;

const SET_POST_LOGOUT_URIS = statement(
  'test_allow_return',
  'update clients set post_logout_redirect_uris = $2 where client_id = $1',
);

const service = useTestService();
let user: TestUser;
const runningServers: TestApache[] = [];
beforeAll(async () => {
  user = await service.createUser();
});
afterAll(async () => {
  await browser?.close();
  await Promise.all(runningServers.map((apache) => apache.stop()));
});

interface Settings {
  standard?: boolean;
}

/**
 * Registers a client and starts Apache for it. Retries with a new client and port if the port is taken.
 */
async function startApacheForClient(settings: Settings, attempts = 3): ReturnType<typeof tryStartApache> {
  try {
    return await tryStartApache(settings);
  } catch (error) {
    if (attempts > 1 && /Address already in use/.test(String(error)))
      return startApacheForClient(settings, attempts - 1);
    throw error;
  }
}

async function tryStartApache({ standard = false }: Settings) {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const application = await service.createClient({
    ownerId: user.userId,
    redirectUris: [`${origin}/it's/callback`],
    scopes: ['openid', 'profile', 'email'],
    standard,
  });
  const code = readCodeBlock(await fetchIntegrationPages(service, user, application), 'mod-auth-openidc-1');
  expect(code).not.toContain(application.clientSecret);
  const apache = await startApache(port, code, {
    CLIENT_SECRET: application.clientSecret,
    CRYPTO_PASSPHRASE: 'for tests only',
  });
  runningServers.push(apache);
  return { origin, application, apache };
}

/** Opens the protected page in a new browser. Apache redirects the browser to the service. */
async function startSignIn(settings: Settings = {}) {
  const { origin, application, apache } = await startApacheForClient(settings);
  const { page } = await openTab(browser);
  const requests: URL[] = [];
  page.on('request', (request) => requests.push(new URL(request.url())));
  const home = `${origin}/index.html`;
  await page.goto(home);
  const authorizeUrl = requests.find(({ pathname }) => pathname === '/oauth/authorize');
  if (authorizeUrl === undefined) throw new Error(`Apache did not redirect to the service:\n${apache.log()}`);
  const session = await openSignedInBrowser(service, user);
  const callback = await completeAuthorization(session, authorizeUrl);
  return { session, page, home, apache, authorizeUrl, callback, requests, application };
}

describe.skipIf(!canRun)('Apache with the mod_auth_openidc configuration', () => {
  test('signs a user in with state, nonce and PKCE', async () => {
    const { page, home, apache, authorizeUrl, callback } = await startSignIn({ standard: true });
    for (const parameter of ['state', 'nonce', 'code_challenge'])
      expect(authorizeUrl.searchParams.get(parameter), parameter).toMatch(/^[\w-]{16,}$/);
    const response = await page.goto(callback.href);
    expect(page.url(), apache.log()).toBe(home);
    expect([response?.status(), await response?.text()]).toEqual([200, 'inside']);
    const headers = response?.headers() ?? {};
    expect(headers['x-remote-user']).toContain(user.userId);
    expect([headers['x-name'], headers['x-email']]).toEqual([user.name, user.email]);
  });

  test('signs the user out of the service (RP-Initiated Logout §2)', async () => {
    const { session, page, home, callback, requests, application } = await startSignIn();
    const knownBrowserCookie = {
      name: 'sesame-known',
      value: session.cookies.get('sesame-known') ?? '',
      url: service.baseUrl,
    };
    await page.context().addCookies([knownBrowserCookie]);
    await service.services.database.query(SET_POST_LOGOUT_URIS, [application.clientId, [home]]);
    await page.goto(callback.href);
    expect(page.url()).toBe(home);
    requests.length = 0;
    await page.goto(`${callback.origin}${callback.pathname}?logout=${encodeURIComponent(home)}`);
    const logoutRequest = requests.find(({ pathname }) => pathname === '/oauth/logout');
    expect(logoutRequest?.searchParams.get('post_logout_redirect_uri')).toBe(home);
    expect(logoutRequest?.searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const laterUrls = requests.slice(requests.indexOf(logoutRequest as URL) + 1).map(({ href }) => href);
    expect(laterUrls[0], 'the service redirects to the registered URL').toBe(home);
    // Without a session, Apache redirects to the service again.
    expect(new URL(page.url()).origin).toBe(service.baseUrl);
  });

  test('refreshes tokens without a new sign-in (RFC 6749 §6)', async () => {
    const { page, home, apache, callback, requests, application } = await startSignIn({ standard: true });
    let token = (await page.goto(callback.href))?.headers()['x-access-token'] ?? '';
    const buildRefreshUrl = () => {
      const parameters = new URLSearchParams({ refresh: home, access_token: token });
      return `${callback.origin}${callback.pathname}?${parameters}`;
    };
    requests.length = 0;
    // The second refresh shows that Apache stored the new refresh token.
    for (const attempt of ['first', 'second']) {
      const response = await page.goto(buildRefreshUrl());
      expect([response?.status(), page.url()], apache.log()).toEqual([200, home]);
      const refreshedToken = response?.headers()['x-access-token'] ?? '';
      expect(refreshedToken, attempt).not.toBe(token);
      expect((await fetchUserinfo(service, refreshedToken)).body.sub, attempt).toBe(user.userId);
      token = refreshedToken;
    }
    const serviceRequests = requests.filter(({ origin }) => origin !== callback.origin);
    expect(serviceRequests, 'the browser was not sent to the service').toEqual([]);
    // The refresh now fails, which shows that Apache sends refresh requests to the service.
    await revokeToken(service, application, token);
    await page.goto(buildRefreshUrl());
    expect(apache.log()).toContain('invalid_grant');
  });
});
