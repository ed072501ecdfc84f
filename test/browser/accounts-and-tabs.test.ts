// Denied requests, several accounts and parallel tabs.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, openTabIn } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { buildAuthorizeUrl } from '../support/oauth-flow.ts';
import { type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
let client: ExampleClient;
let otherClient: ExampleClient;
beforeAll(async () => {
  client = await startExampleClient(service);
  otherClient = await startExampleClient(service, { name: 'Agenda' }, '127.0.0.1');
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([client.close(), otherClient.close()]);
});

async function signIn(page: Page, user: TestUser): Promise<void> {
  await page.getByLabel('Adresse e‑mail').fill(user.email);
  await page.getByLabel('Mot de passe').fill(user.password);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
}
const submitConsent = (page: Page, decision: 'Autoriser' | 'Refuser') =>
  page.getByRole('button', { name: decision }).click();
const readProfileEmail = (page: Page) => page.locator('#profile-email').textContent();

describe.skipIf(browser === undefined)('the consent page', () => {
  test('is shown again on a retry after access was denied', async () => {
    const { page, errors, status } = await openTab(browser);
    const user = await service.createUser();
    await page.goto(`${client.baseUrl}/login`);
    await signIn(page, user);
    await submitConsent(page, 'Refuser');
    expect(await page.locator('#failure').getAttribute('data-kind')).toBe('access_denied');
    expect(status()).toBe(403);
    expect(new URL(page.url()).origin).toBe(client.baseUrl);

    await page.locator('#retry').click();
    await submitConsent(page, 'Autoriser');
    expect(await readProfileEmail(page)).toBe(user.email);
    expect(errors).toEqual([]);
  });

  test('lets the user switch to a different account', async () => {
    const { page, errors } = await openTab(browser);
    const [first, second] = [await service.createUser(), await service.createUser({ name: 'Grace Hopper' })];
    await page.goto(`${client.baseUrl}/login`);
    await signIn(page, first);
    expect(await page.locator('.parties').textContent()).toContain(first.email);
    await page.getByRole('link', { name: 'Utiliser un autre compte' }).click();
    expect(await page.locator('.destination').textContent()).toContain('Carnet');
    await signIn(page, second);
    expect(await page.locator('.parties').textContent()).toContain(second.email);
    await submitConsent(page, 'Autoriser');
    expect(await readProfileEmail(page)).toBe(second.email);
    expect(await page.locator('#profile-name').textContent()).toBe('Grace Hopper');
    expect(errors).toEqual([]);
  });

  test('redirects each tab to the right client', async () => {
    const firstTab = await openTab(browser);
    const secondTab = await openTabIn(firstTab.context);
    const user = await service.createUser();
    await firstTab.page.goto(`${client.baseUrl}/login`);
    await secondTab.page.goto(`${otherClient.baseUrl}/login`);
    await signIn(firstTab.page, user);
    await signIn(secondTab.page, user);
    expect(await firstTab.page.locator('h1').textContent()).toContain('Carnet');
    expect(await secondTab.page.locator('h1').textContent()).toContain('Agenda');
    await submitConsent(secondTab.page, 'Autoriser');
    await submitConsent(firstTab.page, 'Autoriser');
    await firstTab.page.waitForURL(`${client.baseUrl}/profile`);
    await secondTab.page.waitForURL(`${otherClient.baseUrl}/profile`);
    expect([await readProfileEmail(firstTab.page), await readProfileEmail(secondTab.page)]).toEqual([
      user.email,
      user.email,
    ]);
    expect([...firstTab.errors, ...secondTab.errors]).toEqual([]);
  });

  test('asks for confirmation after an account switch in another tab', async () => {
    const firstTab = await openTab(browser);
    const secondTab = await openTabIn(firstTab.context);
    const [first, second] = [await service.createUser(), await service.createUser()];
    await firstTab.page.goto(`${client.baseUrl}/login`);
    await signIn(firstTab.page, first);
    await secondTab.page.goto(`${otherClient.baseUrl}/login`);
    await secondTab.page.getByRole('link', { name: 'Utiliser un autre compte' }).click();
    await signIn(secondTab.page, second);

    await submitConsent(firstTab.page, 'Autoriser');
    expect(firstTab.status()).toBe(409);
    await firstTab.page.getByRole('alert').filter({ hasText: 'Le compte connecté a changé' }).waitFor();
    expect(await firstTab.page.locator('.parties').textContent()).toContain(second.email);
    await submitConsent(firstTab.page, 'Autoriser');
    expect(await readProfileEmail(firstTab.page)).toBe(second.email);
    expect([...firstTab.errors, ...secondTab.errors]).toEqual([]);
  });

  test('opens from the account chooser without JavaScript', async () => {
    const { page, errors, context } = await openTab(browser, { javaScript: false });
    const [ada, grace] = [
      await service.createUser({ name: 'Ada' }),
      await service.createUser({ name: 'Grace' }),
    ];
    await page.goto(`${service.baseUrl}/signin`);
    await signIn(page, ada);
    const adaMenu = page.getByRole('button', { name: 'Ada', exact: true });
    await adaMenu.click();
    await page.getByRole('link', { name: 'Utiliser un autre compte' }).click();
    await page.waitForLoadState();
    expect(await page.getByRole('link', { name: 'Continuer avec le compte d’Ada' }).count()).toBe(1);
    await signIn(page, grace);
    await page.waitForURL(`${service.baseUrl}/account`);
    await page.getByRole('button', { name: 'Grace', exact: true }).click();
    await page.getByRole('button', { name: ada.email }).click();
    await adaMenu.waitFor();
    expect(await page.locator('h1').textContent()).toContain('Ada');

    await page.goto(buildAuthorizeUrl(service, client.client, { prompt: 'select_account' }).href);
    expect(await page.locator('.destination').textContent()).toContain('Carnet');
    await page.getByRole('button', { name: grace.email }).click();
    expect(await page.locator('.parties').textContent()).toContain(grace.email);
    expect(errors).toEqual([]);
    await context.close();
  });
});
