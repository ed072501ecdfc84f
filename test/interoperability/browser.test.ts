// The page and the modules that a public application's page shows, on a site of their own as they are copied.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';
import { filesOf, integratePageOf } from './copied.ts';

const browser = await openBrowser();
const service = useTestService();
let site: StaticSite;
let person: TestUser;
beforeAll(async () => {
  person = await service.createUser({ name: 'Zoé Lefèvre' });
  site = await startStaticSite();
});
afterAll(async () => {
  await browser?.close();
  await site.close();
});

/** Copies the three files of a new public application. */
async function copy(callback: string) {
  const application = await service.createApplication({
    ownerId: person.userId,
    type: 'public',
    redirectUris: ['com.example.app:/callback', callback],
    scopes: ['openid', 'profile', 'email'],
  });
  const files = filesOf(await integratePageOf(service, person, application), 'browser');
  for (const [index, name] of ['index.html', 'sign-in-page.js', 'signin.js'].entries())
    site.put(`/${name}`, files[index] ?? '');
  return files;
}

describe.skipIf(browser === undefined)('the page of a public application', () => {
  test('signs a person in', async () => {
    await copy(`${site.baseUrl}/`);
    const { page, faults } = await openTab(browser);
    await page.goto(site.baseUrl);
    const button = page.locator('.service-signin-btn');
    expect(await button.textContent()).toBe('Se connecter avec Sésame');
    expect(await button.getAttribute('lang')).toBe('fr');
    await button.click();
    await page.getByLabel('Adresse e-mail').fill(person.email);
    await page.getByLabel('Mot de passe').fill(person.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('button', { name: 'Autoriser' }).click();
    await expect.poll(() => page.locator('#result').textContent()).toBe('Hello Zoé Lefèvre');
    expect(page.url()).toBe(`${site.baseUrl}/`);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(faults.filter((fault) => !fault.includes('/favicon.ico'))).toEqual([]);
  });
});

describe('the module', () => {
  test('is the one of examples/button, which test/examples/button.test.ts proves', async () => {
    const [, , module] = await copy('https://application.example/');
    expect(module).toBe((await readFile('examples/button/signin.js', 'utf8')).trimEnd());
  });
});
