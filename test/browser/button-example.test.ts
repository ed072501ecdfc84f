// examples/button, a static page that is a public client.
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';

const browser = await openBrowser();
const EXAMPLE_FOLDER = new URL('../../examples/button/', import.meta.url);
const EXAMPLE_FILES = ['index.html', 'page.css', 'page.js', 'signin.js'];

const service = useTestService();
let site: StaticSite;
let user: TestUser;
let clientId: string;
beforeAll(async () => {
  user = await service.createUser({ name: 'Zoé Lefèvre' });
  site = await startStaticSite(
    Object.fromEntries(EXAMPLE_FILES.map((name) => [`/${name}`, new URL(name, EXAMPLE_FOLDER)])),
  );
  const application = await service.createClient({
    name: 'Le bouton',
    type: 'public',
    redirectUris: [`${site.baseUrl}/`],
    scopes: ['openid', 'profile', 'email'],
  });
  clientId = application.clientId;
  // Configure the page as described in the example's README.
  const page = await (await fetch(`${site.baseUrl}/index.html`)).text();
  site.setFile(
    '/index.html',
    page.replaceAll('http://localhost:3000', service.baseUrl).replace('CLIENT_ID', clientId),
  );
});
afterAll(async () => {
  await browser?.close();
  await site.close();
});

const readStorage = (page: Page) => page.evaluate<Record<string, string>>('({ ...sessionStorage })');
const readResult = (page: Page) => page.locator('#result').textContent();

/** Responds with 204, so that the browser stays on the current page. */
const fulfillEmpty = (route: Route) => route.fulfill({ status: 204 });

async function signIn(page: Page): Promise<void> {
  await page.goto(site.baseUrl);
  await page.locator('#sign-in').click();
  await page.getByLabel('Adresse e‑mail').fill(user.email);
  await page.getByLabel('Mot de passe').fill(user.password);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
}

describe.skipIf(browser === undefined)('the example page', () => {
  test('signs the user in and reads userinfo', async () => {
    const { page, errors } = await openTab(browser);
    const requests: URL[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin === service.baseUrl) requests.push(url);
    });
    await signIn(page);
    const query = requests.find((url) => url.searchParams.has('client_id'))?.searchParams;
    expect(query?.get('client_id')).toBe(clientId);
    expect(query?.get('state')).toMatch(/^[A-Za-z0-9._~-]{32}$/);
    expect(query?.get('code_challenge')).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(query?.get('code_challenge_method')).toBe('S256');

    await page.getByRole('button', { name: 'Autoriser' }).click();
    await expect.poll(() => readResult(page)).toBe('Bonjour Zoé Lefèvre !');
    expect(requests.map((url) => url.pathname)).toEqual(
      expect.arrayContaining(['/oauth/token', '/oauth/userinfo']),
    );
    expect(await readStorage(page)).toEqual({});
    expect(page.url(), 'the code is removed from the URL').toBe(`${site.baseUrl}/`);
    expect(errors).toEqual([]);
  });

  test('shows an error if the user denied access', async () => {
    const { page, errors } = await openTab(browser);
    await signIn(page);
    await page.getByRole('button', { name: 'Refuser' }).click();
    await expect.poll(() => readResult(page)).toBe('Vous avez refusé l’accès. Rien n’a été partagé.');
    expect(await readStorage(page)).toEqual({});
    expect(errors).toEqual([]);
  });

  test('rejects a response with the wrong state', async () => {
    const { page } = await openTab(browser);
    await page.route(`${service.baseUrl}/oauth/authorize**`, fulfillEmpty);
    await page.goto(site.baseUrl);
    await page.locator('#sign-in').click();
    await expect.poll(async () => Object.keys(await readStorage(page)).length).toBe(2);
    let tokenRequests = 0;
    page.on('request', (request) => {
      if (request.url().includes('/oauth/token')) tokenRequests += 1;
    });
    await page.goto(`${site.baseUrl}/?code=forged&state=${'x'.repeat(32)}`);
    await expect.poll(() => readResult(page)).toContain('Cette réponse ne correspond pas à la connexion');
    expect(await readStorage(page)).toEqual({});
    expect(tokenRequests).toBe(0);
  });

  test('can make CORS requests only to the OAuth endpoints', async () => {
    const { page } = await openTab(browser);
    await page.goto(site.baseUrl);
    const fetchInPage = (path: string, init: string) =>
      page.evaluate<number | string>(
        `fetch(${JSON.stringify(service.baseUrl + path)}, ${init}).then((response) => response.status, (error) => error.name)`,
      );
    expect(await fetchInPage('/oauth/userinfo', "{ headers: { authorization: 'Bearer nothing' } }")).toBe(
      401,
    );
    expect(await fetchInPage('/oauth/token', "{ method: 'POST', body: new URLSearchParams() }")).toBe(400);
    expect(await fetchInPage('/oauth/token/revoke', "{ method: 'POST', body: new URLSearchParams() }")).toBe(
      400,
    );
    for (const path of ['/', '/signin', '/oauth/authorize', '/consent'])
      expect(await fetchInPage(path, '{}'), path).toBe('TypeError');
    expect(
      await fetchInPage('/oauth/userinfo', "{ credentials: 'include' }"),
      'credentials are not allowed',
    ).toBe('TypeError');
  });
});
