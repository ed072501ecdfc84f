// oidc-client-ts in Chromium: a public application on another origin signs in by PKCE, renews, and signs out by script.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';
import { createApplicationWithLogout } from './session.ts';

const require = createRequire(import.meta.url);
const LIBRARY = new URL('../browser/oidc-client-ts.min.js', pathToFileURL(require.resolve('oidc-client-ts')));
const chromium = await openBrowser();
const service = useTestService();
let site: StaticSite;
let person: TestUser;
beforeAll(async () => {
  site = await startStaticSite({ '/oidc-client-ts.js': LIBRARY });
  person = await service.createUser({ name: 'Grace Hopper' });
});
afterAll(async () => {
  await chromium?.close();
  await site.close();
});

const page = (script: string) => `<!doctype html><html lang="en"><title>${script}</title>
<link rel="icon" href="data:,"><script src="/oidc-client-ts.js"></script><script src="/${script}.js"></script>`;

/** Puts the application's pages on its site: everything is the library's doing. */
async function put() {
  const application = await createApplicationWithLogout(
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
    post_logout_redirect_uri: application.back,
    scope: 'openid profile email',
    loadUserInfo: true,
    automaticSilentRenew: false,
  };
  const manager = `const manager = new oidc.UserManager(${JSON.stringify(settings)});`;
  site.put('/index.html', page('application'));
  site.put('/silent.html', page('oidc_silent'));
  site.put('/popup.html', page('oidc_popup'));
  site.put('/application.js', manager);
  site.put('/oidc_popup.js', `${manager} manager.signinPopupCallback();`);
  site.put('/oidc_silent.js', `${manager} manager.signinSilentCallback();`);
  return application;
}

describe.skipIf(chromium === undefined)('oidc-client-ts, a public application in a browser', () => {
  test('signs in, reads the profile, renews, signs out', async () => {
    const application = await put();
    const { page: tab, faults, context } = await openTab(chromium);
    const calls: string[] = [];
    tab.on('request', (request) => {
      if (request.resourceType() === 'fetch') calls.push(new URL(request.url()).pathname);
    });
    const run = <Result>(script: string): Promise<Result> => tab.evaluate<Result>(script);

    await tab.goto(site.baseUrl);
    await run('void manager.signinRedirect({ nonce: "n-1" })');
    await tab.getByLabel('Adresse e-mail').fill(person.email);
    await tab.getByLabel('Mot de passe').fill(person.password);
    await tab.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await tab.getByRole('button', { name: 'Autoriser' }).click();
    await tab.waitForURL(`${site.baseUrl}/?**`);
    const profile = await run<Record<string, unknown>>(
      'manager.signinCallback().then(({ profile }) => profile)',
    );
    expect(profile).toMatchObject({ sub: person.userId, name: person.name, email: person.email });
    expect(profile).toHaveProperty('picture');
    expect(calls).toEqual(
      expect.arrayContaining(['/.well-known/openid-configuration', '/oauth/token', '/oauth/userinfo']),
    );

    const token = () => run<string>('manager.getUser().then((user) => user.access_token)');
    const first = await token();
    await run('manager.signinSilent().then(() => true)');
    const renewed = await token();
    expect(renewed, 'by its refresh token').not.toBe(first);

    // Without a refresh token it asks in a hidden frame, by prompt=none; any program could listen at this callback, so
    // the person would have to be asked again.
    await run('manager.getUser().then((u) => manager.storeUser(Object.assign(u, { refresh_token: null })))');
    expect(await run('manager.signinSilent().catch(({ error }) => error)')).toBe('consent_required');

    const last = await token();
    await run('manager.revokeTokens(["access_token"])');
    const refused = await fetch(new URL('/oauth/userinfo', service.baseUrl), {
      headers: { authorization: `Bearer ${last}` },
    });
    expect(refused.status).toBe(401);

    const left = tab.waitForURL((url) => url.origin === site.baseUrl && !url.searchParams.has('code'));
    await run('void manager.signoutRedirect()');
    await left;
    expect(new URL(tab.url()).pathname).toBe(new URL(application.back).pathname);
    await run('manager.signoutCallback().then(() => true)');
    expect(await run('manager.getUser()')).toBeNull();
    await tab.goto(`${service.baseUrl}/signout`);
    expect(new URL(tab.url()).pathname, 'nobody is signed in here any more').toBe('/');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('signs in in a popup, which keeps its opener through sign-up, sign-in and consent', async () => {
    await put();
    const { page: tab, faults, context } = await openTab(chromium);
    await tab.goto(site.baseUrl);
    const [popup] = await Promise.all([
      tab.waitForEvent('popup'),
      tab.evaluate(
        'void (window.signedIn = manager.signinPopup().then(({ profile }) => profile.sub, (error) => error.message))',
      ),
    ]);
    const hasOpener = () => popup.evaluate('window.opener !== null');
    await popup.getByRole('link', { name: 'Créer un compte' }).click();
    await popup.getByLabel('Nom').waitFor();
    expect(await hasOpener(), 'sign-up').toBe(true);
    await popup.goBack();
    await popup.getByLabel('Adresse e-mail').fill(person.email);
    await popup.getByLabel('Mot de passe').fill(person.password);
    expect(await hasOpener(), 'sign-in').toBe(true);
    await popup.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await popup.getByRole('button', { name: 'Autoriser' }).waitFor();
    expect(await hasOpener(), 'consent').toBe(true);
    const closed = popup.waitForEvent('close');
    await popup.getByRole('button', { name: 'Autoriser' }).click();
    expect(await tab.evaluate('window.signedIn')).toBe(person.userId);
    await closed;
    expect(faults).toEqual([]);
    await context.close();
  });
});
