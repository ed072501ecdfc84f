// What an application's page shows for mod_auth_openidc, in a real Apache as it is copied. Visited by Chromium: the
// module sends nobody to sign in who does not say that it is a browser on its way to a page.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowser, openTab } from '../support/browser.ts';
import { goThrough, revoke, signedInBrowser, userinfo } from '../support/flow.ts';
import { codeOf } from '../support/markup.ts';
import { freePort, type TestUser, useTestService } from '../support/service.ts';
import { hasModAuthOpenidc, startApache, type TestApache } from './apache.ts';
import { integratePageOf } from './copied.ts';

const browser = await openBrowser();
const isPossible = hasModAuthOpenidc() && browser !== undefined;

const ALLOW_RETURN = statement(
  'test_allow_return',
  'update clients set post_logout_redirect_uris = $2 where client_id = $1',
);

const service = useTestService();
let person: TestUser;
const running: TestApache[] = [];
beforeAll(async () => {
  person = await service.createUser();
});
afterAll(async () => {
  await browser?.close();
  await Promise.all(running.map((apache) => apache.stop()));
});

interface Settings {
  standard?: boolean;
}

/** An application, and Apache in front of its page; anew where the port was taken meanwhile, which the application names. */
async function setUp(settings: Settings, attempts = 3): ReturnType<typeof setUpOnce> {
  try {
    return await setUpOnce(settings);
  } catch (error) {
    if (attempts > 1 && /Address already in use/.test(String(error))) return setUp(settings, attempts - 1);
    throw error;
  }
}

async function setUpOnce({ standard = false }: Settings) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const application = await service.createApplication({
    ownerId: person.userId,
    redirectUris: [`${origin}/it's/callback`],
    scopes: ['openid', 'profile', 'email'],
    standard,
  });
  const code = codeOf(await integratePageOf(service, person, application), 'mod-auth-openidc-1');
  expect(code).not.toContain(application.clientSecret);
  const apache = await startApache(port, code, {
    CLIENT_SECRET: application.clientSecret,
    CRYPTO_PASSPHRASE: 'for tests only',
  });
  running.push(apache);
  return { origin, application, apache };
}

/** Opens the page in a fresh browser, which Apache sends to the service. */
async function visit(settings: Settings = {}) {
  const { origin, application, apache } = await setUp(settings);
  const { page } = await openTab(browser);
  const asked: URL[] = [];
  page.on('request', (request) => asked.push(new URL(request.url())));
  const home = `${origin}/index.html`;
  await page.goto(home);
  const address = asked.find(({ pathname }) => pathname === '/oauth/authorize');
  if (address === undefined) throw new Error(`Apache asked nobody to sign in:\n${apache.log()}`);
  const own = await signedInBrowser(service, person);
  const callback = await goThrough(own, address);
  return { own, page, home, apache, address, callback, asked, application };
}

describe.skipIf(!isPossible)('the configuration for mod_auth_openidc', () => {
  test('lets in who signed in, with state, nonce and PKCE', async () => {
    const { page, home, apache, address, callback } = await visit({ standard: true });
    for (const parameter of ['state', 'nonce', 'code_challenge'])
      expect(address.searchParams.get(parameter), parameter).toMatch(/^[\w-]{16,}$/);
    const answer = await page.goto(callback.href);
    expect(page.url(), apache.log()).toBe(home);
    expect([answer?.status(), await answer?.text()]).toEqual([200, 'inside']);
    const headers = answer?.headers() ?? {};
    expect(headers['x-remote-user']).toContain(person.userId);
    expect([headers['x-name'], headers['x-email']]).toEqual([person.name, person.email]);
  });

  test('signs out here too, by its own logout address (RP-Initiated Logout §2)', async () => {
    const { own, page, home, callback, asked, application } = await visit();
    // As if the person had signed in with this very browser.
    const known = {
      name: 'sesame-known',
      value: own.cookies.get('sesame-known') ?? '',
      url: service.baseUrl,
    };
    await page.context().addCookies([known]);
    await service.parts.database.query(ALLOW_RETURN, [application.clientId, [home]]);
    await page.goto(callback.href);
    expect(page.url()).toBe(home);
    asked.length = 0;
    await page.goto(`${callback.origin}${callback.pathname}?logout=${encodeURIComponent(home)}`);
    const logout = asked.find(({ pathname }) => pathname === '/oauth/logout');
    expect(logout?.searchParams.get('post_logout_redirect_uri')).toBe(home);
    expect(logout?.searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const back = asked.slice(asked.indexOf(logout as URL) + 1).map(({ href }) => href);
    expect(back[0], 'the service sends back to the registered address').toBe(home);
    // Apache knows nobody any more: its page sends to sign in again.
    expect(new URL(page.url()).origin).toBe(service.baseUrl);
  });

  test('renews, and signs nobody in again for it (RFC 6749 §6)', async () => {
    const { page, home, apache, callback, asked, application } = await visit({ standard: true });
    let token = (await page.goto(callback.href))?.headers()['x-access-token'] ?? '';
    const renewing = () => {
      const parameters = new URLSearchParams({ refresh: home, access_token: token });
      return `${callback.origin}${callback.pathname}?${parameters}`;
    };
    asked.length = 0;
    // Again, because only the refresh token that the first renewal brought is still good then.
    for (const time of ['first', 'second']) {
      const answer = await page.goto(renewing());
      expect([answer?.status(), page.url()], apache.log()).toEqual([200, home]);
      const renewed = answer?.headers()['x-access-token'] ?? '';
      expect(renewed, time).not.toBe(token);
      expect((await userinfo(service, renewed)).body.sub, time).toBe(person.userId);
      token = renewed;
    }
    const elsewhere = asked.filter(({ origin }) => origin !== callback.origin);
    expect(elsewhere, 'the browser was not sent to the service').toEqual([]);
    // It was the service that renewed: when the grant is revoked there, it refuses.
    await revoke(service, application, token);
    await page.goto(renewing());
    expect(apache.log()).toContain('invalid_grant');
  });
});
