// examples/button in Chromium: a public application without a server signs a person in and reads userinfo by script.
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';

const browser = await openBrowser();
const FOLDER = new URL('../../examples/button/', import.meta.url);
const NAMES = ['index.html', 'page.css', 'page.js', 'signin.js'];

const service = useTestService();
let site: StaticSite;
let user: TestUser;
let clientId: string;
beforeAll(async () => {
  user = await service.createUser({ name: 'Zoé Lefèvre' });
  site = await startStaticSite(Object.fromEntries(NAMES.map((name) => [`/${name}`, new URL(name, FOLDER)])));
  const application = await service.createApplication({
    name: 'Le bouton',
    type: 'public',
    redirectUris: [`${site.baseUrl}/`],
    scopes: ['openid', 'profile', 'email'],
  });
  clientId = application.clientId;
  // What its README says to do by hand.
  const page = await (await fetch(`${site.baseUrl}/index.html`)).text();
  site.put(
    '/index.html',
    page.replaceAll('http://localhost:3000', service.baseUrl).replace('CLIENT_ID', clientId),
  );
});
afterAll(async () => {
  await browser?.close();
  await site.close();
});

const stored = (page: Page) => page.evaluate<Record<string, string>>('({ ...sessionStorage })');
const result = (page: Page) => page.locator('#result').textContent();

/** An answer that leaves the person where they are. */
const stay = (route: Route) => route.fulfill({ status: 204 });

async function signIn(page: Page): Promise<void> {
  await page.goto(site.baseUrl);
  await page.locator('#sign-in').click();
  await page.getByLabel('Adresse e-mail').fill(user.email);
  await page.getByLabel('Mot de passe').fill(user.password);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
}

describe.skipIf(browser === undefined)('the example page', () => {
  test('signs in, reads userinfo by script, clears both stored values', async () => {
    const { page, faults } = await openTab(browser);
    const asked: URL[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin === service.baseUrl) asked.push(url);
    });
    await signIn(page);
    const query = asked.find((url) => url.searchParams.has('client_id'))?.searchParams;
    expect(query?.get('client_id')).toBe(clientId);
    expect(query?.get('state')).toMatch(/^[A-Za-z0-9._~-]{32}$/);
    expect(query?.get('code_challenge')).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(query?.get('code_challenge_method')).toBe('S256');

    await page.getByRole('button', { name: 'Autoriser' }).click();
    await expect.poll(() => result(page)).toBe('Bonjour Zoé Lefèvre !');
    expect(asked.map((url) => url.pathname)).toEqual(
      expect.arrayContaining(['/oauth/token', '/oauth/userinfo']),
    );
    expect(await stored(page)).toEqual({});
    expect(page.url(), 'the code does not stay in the address').toBe(`${site.baseUrl}/`);
    expect(faults).toEqual([]);
  });

  test('a refusal is told, and clears both stored values (D8)', async () => {
    const { page, faults } = await openTab(browser);
    await signIn(page);
    await page.getByRole('button', { name: 'Refuser' }).click();
    await expect.poll(() => result(page)).toBe('Vous avez refusé l’accès. Rien n’a été partagé.');
    expect(await stored(page)).toEqual({});
    expect(faults).toEqual([]);
  });

  test('a response with another state is refused, never sent to the service, and clears both stored values', async () => {
    const { page } = await openTab(browser);
    await page.route(`${service.baseUrl}/oauth/authorize**`, stay);
    await page.goto(site.baseUrl);
    await page.locator('#sign-in').click();
    await expect.poll(async () => Object.keys(await stored(page)).length).toBe(2);
    let exchanges = 0;
    page.on('request', (request) => {
      if (request.url().includes('/oauth/token')) exchanges += 1;
    });
    await page.goto(`${site.baseUrl}/?code=forged&state=${'x'.repeat(32)}`);
    await expect.poll(() => result(page)).toContain('Cette réponse ne correspond pas à la connexion');
    expect(await stored(page)).toEqual({});
    expect(exchanges).toBe(0);
  });

  test('userinfo, token and revocation answer scripts of any origin; pages do not (D29)', async () => {
    const { page } = await openTab(browser);
    await page.goto(site.baseUrl);
    const fetches = (path: string, init: string) =>
      page.evaluate<number | string>(
        `fetch(${JSON.stringify(service.baseUrl + path)}, ${init}).then((answer) => answer.status, (error) => error.name)`,
      );
    expect(await fetches('/oauth/userinfo', "{ headers: { authorization: 'Bearer nothing' } }")).toBe(401);
    expect(await fetches('/oauth/token', "{ method: 'POST', body: new URLSearchParams() }")).toBe(400);
    expect(await fetches('/oauth/token/revoke', "{ method: 'POST', body: new URLSearchParams() }")).toBe(400);
    for (const path of ['/', '/signin', '/oauth/authorize', '/consent'])
      expect(await fetches(path, '{}'), path).toBe('TypeError');
    expect(await fetches('/oauth/userinfo', "{ credentials: 'include' }"), 'without credentials').toBe(
      'TypeError',
    );
  });
});
