// Tests oidc-client-ts in Chromium, as a public client on another origin.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';
import { createClientWithLogout } from './logout-checks.ts';

const require = createRequire(import.meta.url);
const LIBRARY_URL = new URL(
  '../browser/oidc-client-ts.min.js',
  pathToFileURL(require.resolve('oidc-client-ts')),
);
const chromium = await openBrowser();
const service = useTestService();
let site: StaticSite;
let user: TestUser;
beforeAll(async () => {
  site = await startStaticSite({ '/oidc-client-ts.js': LIBRARY_URL });
  user = await service.createUser({ name: 'Grace Hopper' });
});
afterAll(async () => {
  await chromium?.close();
  await site.close();
});

const renderPage = (script: string) => `<!doctype html><html lang="en"><title>${script}</title>
<link rel="icon" href="data:,"><script src="/oidc-client-ts.js"></script><script src="/${script}.js"></script>`;

/** Registers a client and serves its pages, which only call oidc-client-ts. */
async function servePages() {
  const application = await createClientWithLogout(
    service,
    {
      type: 'public',
      standard: true,
      redirectUris: ['', 'silent.html', 'popup.html'].map((path) => `${site.baseUrl}/${path}`),
    },
    `${site.baseUrl}/`,
  );
  const settings = {
    authority: service.baseUrl,
    client_id: application.clientId,
    redirect_uri: `${site.baseUrl}/`,
    silent_redirect_uri: `${site.baseUrl}/silent.html`,
    popup_redirect_uri: `${site.baseUrl}/popup.html`,
    post_logout_redirect_uri: application.postLogoutUri,
    scope: 'openid profile email',
    loadUserInfo: true,
    automaticSilentRenew: false,
  };
  const manager = `const manager = new oidc.UserManager(${JSON.stringify(settings)});`;
  site.setFile('/index.html', renderPage('application'));
  site.setFile('/silent.html', renderPage('oidc_silent'));
  site.setFile('/popup.html', renderPage('oidc_popup'));
  site.setFile('/application.js', manager);
  site.setFile('/oidc_popup.js', `${manager} manager.signinPopupCallback();`);
  site.setFile('/oidc_silent.js', `${manager} manager.signinSilentCallback();`);
  return application;
}

describe.skipIf(chromium === undefined)('oidc-client-ts in a browser', () => {
  test('signs in, refreshes tokens and signs out', async () => {
    const application = await servePages();
    const { page, errors, context } = await openTab(chromium);
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') calls.push(new URL(request.url()).pathname);
    });
    const run = <Result>(script: string): Promise<Result> => page.evaluate<Result>(script);

    await page.goto(site.baseUrl);
    await run('void manager.signinRedirect({ nonce: "n-1" })');
    await page.getByLabel('Adresse e‑mail').fill(user.email);
    await page.getByLabel('Mot de passe').fill(user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('button', { name: 'Autoriser' }).click();
    await page.waitForURL(`${site.baseUrl}/?**`);
    const profile = await run<Record<string, unknown>>(
      'manager.signinCallback().then(({ profile }) => profile)',
    );
    expect(profile).toMatchObject({ sub: user.userId, name: user.name, email: user.email });
    expect(profile).toHaveProperty('picture');
    expect(calls).toEqual(
      expect.arrayContaining(['/.well-known/openid-configuration', '/oauth/token', '/oauth/userinfo']),
    );

    const readAccessToken = () => run<string>('manager.getUser().then((user) => user.access_token)');
    const firstToken = await readAccessToken();
    await run('manager.signinSilent().then(() => true)');
    const refreshed = await readAccessToken();
    expect(refreshed, 'with the refresh token').not.toBe(firstToken);

    // Without a refresh token, the library sends prompt=none in a hidden frame. The request
    // fails because loopback redirect URIs require consent every time.
    await run('manager.getUser().then((u) => manager.storeUser(Object.assign(u, { refresh_token: null })))');
    expect(await run('manager.signinSilent().catch(({ error }) => error)')).toBe('consent_required');

    const lastToken = await readAccessToken();
    await run('manager.revokeTokens(["access_token"])');
    const refused = await fetch(new URL('/oauth/userinfo', service.baseUrl), {
      headers: { authorization: `Bearer ${lastToken}` },
    });
    expect(refused.status).toBe(401);

    const returnedToClient = page.waitForURL(
      (url) => url.origin === site.baseUrl && !url.searchParams.has('code'),
    );
    await run('void manager.signoutRedirect()');
    await returnedToClient;
    expect(new URL(page.url()).pathname).toBe(new URL(application.postLogoutUri).pathname);
    await run('manager.signoutCallback().then(() => true)');
    expect(await run('manager.getUser()')).toBeNull();
    await page.goto(`${service.baseUrl}/signout`);
    expect(new URL(page.url()).pathname, 'signed out of the service').toBe('/');
    expect(errors).toEqual([]);
    await context.close();
  });

  test('signs in with a popup that can reach its opener', async () => {
    await servePages();
    const { page, errors, context } = await openTab(chromium);
    await page.goto(site.baseUrl);
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(
        'void (window.signedIn = manager.signinPopup().then(({ profile }) => profile.sub, (error) => error.message))',
      ),
    ]);
    const hasOpener = () => popup.evaluate('window.opener !== null');
    await popup.getByRole('link', { name: 'Créer un compte' }).click();
    await popup.getByLabel('Nom').waitFor();
    expect(await hasOpener(), 'sign-up').toBe(true);
    await popup.goBack();
    await popup.getByLabel('Adresse e‑mail').fill(user.email);
    await popup.getByLabel('Mot de passe').fill(user.password);
    expect(await hasOpener(), 'sign-in').toBe(true);
    await popup.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await popup.getByRole('button', { name: 'Autoriser' }).waitFor();
    expect(await hasOpener(), 'consent').toBe(true);
    const popupClosed = popup.waitForEvent('close');
    await popup.getByRole('button', { name: 'Autoriser' }).click();
    expect(await page.evaluate('window.signedIn')).toBe(user.userId);
    await popupClosed;
    expect(errors).toEqual([]);
    await context.close();
  });
});
