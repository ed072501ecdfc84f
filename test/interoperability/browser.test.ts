// Serves the unchanged browser snippet for a public client on another origin.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';
import { fetchIntegrationPages, readSnippetFiles } from './snippets.ts';

const browser = await openBrowser();
const service = useTestService();
let site: StaticSite;
let user: TestUser;
beforeAll(async () => {
  user = await service.createUser({ name: 'Zoé Lefèvre' });
  site = await startStaticSite();
});
afterAll(async () => {
  await browser?.close();
  await site.close();
});

/** Creates a public client, and serves the three files of its snippet. */
async function serveSnippet(callback: string) {
  const application = await service.createClient({
    ownerId: user.userId,
    type: 'public',
    redirectUris: ['com.example.app:/callback', callback],
    scopes: ['openid', 'profile', 'email'],
  });
  const files = readSnippetFiles(await fetchIntegrationPages(service, user, application), 'browser');
  for (const [index, name] of ['index.html', 'sign-in-page.js', 'signin.js'].entries())
    site.setFile(`/${name}`, files[index] ?? '');
  return files;
}

describe.skipIf(browser === undefined)('the page in the browser snippet', () => {
  test('signs a user in', async () => {
    await serveSnippet(`${site.baseUrl}/`);
    const { page, errors } = await openTab(browser);
    await page.goto(site.baseUrl);
    const button = page.locator('.service-signin-btn');
    expect(await button.textContent()).toBe('Se connecter avec Sésame');
    expect(await button.getAttribute('lang')).toBe('fr');
    await button.click();
    await page.getByLabel('Adresse e-mail').fill(user.email);
    await page.getByLabel('Mot de passe').fill(user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('button', { name: 'Autoriser' }).click();
    await expect.poll(() => page.locator('#result').textContent()).toBe('Hello Zoé Lefèvre');
    expect(page.url()).toBe(`${site.baseUrl}/`);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(errors.filter((error) => !error.includes('/favicon.ico'))).toEqual([]);
  });
});

describe('signin.js in the browser snippet', () => {
  test('is identical to the tested examples/button/signin.js', async () => {
    const [, , snippet] = await serveSnippet('https://application.example/');
    expect(snippet).toBe((await readFile('examples/button/signin.js', 'utf8')).trimEnd());
  });
});
