// Builds the single-page app snippets that the console shows, and serves them on another origin.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SnippetId } from '../../src/pages/console/snippets/templates.ts';
import { openBrowser, openTab } from '../support/browser.ts';
import { type TestClient, type TestUser, useTestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';
import { createSnippetFolder, fetchIntegrationPages, readEnvFile, readSnippetFiles } from './snippets.ts';

const browser = await openBrowser();
const service = useTestService({ SERVICE_NAME: "L'Entrée" });
let site: StaticSite;
let user: TestUser;
let application: TestClient;
beforeAll(async () => {
  user = await service.createUser({ name: 'Zoé Lefèvre' });
  site = await startStaticSite();
  application = await service.createClient({
    ownerId: user.userId,
    type: 'public',
    redirectUris: ['com.example.app:/callback', `${site.baseUrl}/`],
    scopes: ['openid', 'profile', 'email'],
  });
});
afterAll(async () => {
  await browser?.close();
  await site.close();
});

const SNIPPETS: [id: SnippetId, script: string][] = [
  ['oidc-client-ts', 'main.js'],
  ['react-oidc-context', 'main.jsx'],
];

/** Writes the snippet's files and its .env file to a folder, builds them with Vite, and serves the result. */
async function serveSnippet(id: SnippetId, script: string): Promise<string[]> {
  const page = await fetchIntegrationPages(service, user, application);
  const files = readSnippetFiles(page, id);
  const folder = await createSnippetFolder();
  for (const [index, name] of [script, 'index.html'].entries()) await folder.write(name, files[index] ?? '');
  await folder.write('.env', readEnvFile(page, id, application));
  const output = await build({ root: folder.path, configFile: false, logLevel: 'silent' });
  const { output: chunks } = [output].flat()[0] as { output: { fileName: string }[] };
  for (const { fileName } of chunks)
    site.setFile(`/${fileName}`, await readFile(join(folder.path, 'dist', fileName), 'utf8'));
  await folder.remove();
  return files;
}

describe.skipIf(browser === undefined).each(SNIPPETS)('the page in the %s snippet', (id, script) => {
  test('signs a user in and stores no token in the browser', async () => {
    await serveSnippet(id, script);
    const { page, errors, context } = await openTab(browser);
    await page.goto(site.baseUrl);
    const button = page.locator('.service-signin-btn');
    expect(await button.textContent()).toBe("Se connecter avec L'Entrée");
    expect(await button.getAttribute('lang')).toBe('fr');
    await button.click();
    await page.waitForURL((url) => url.origin === service.baseUrl);
    await page.getByLabel('Adresse e‑mail').fill(user.email);
    await page.getByLabel('Mot de passe').fill(user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('button', { name: 'Autoriser' }).click();
    await page.getByText('Hello Zoé Lefèvre', { exact: true }).waitFor();
    await expect.poll(() => page.url()).toBe(`${site.baseUrl}/`);
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    expect(errors.filter((error) => !error.includes('/favicon.ico'))).toEqual([]);
    await context.close();
  });

  test('shows an error if access is denied or the state is forged', async () => {
    await serveSnippet(id, script);
    const { page, context } = await openTab(browser);
    await page.goto(site.baseUrl);
    await page.locator('.service-signin-btn').click();
    await page.waitForURL((url) => url.origin === service.baseUrl);
    await page.getByLabel('Adresse e‑mail').fill(user.email);
    await page.getByLabel('Mot de passe').fill(user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('button', { name: 'Refuser' }).click();
    await page.getByText('Sign-in failed').waitFor();
    await page.goto(`${site.baseUrl}/?code=forged&state=forged`);
    await page.getByText('Sign-in failed').waitFor();
    expect(await page.getByText('Hello').count()).toBe(0);
    await context.close();
  });
});
