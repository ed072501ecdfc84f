// Refusal, another account, two tabs: each request arrives at its own application, for the account that agreed (D8, D9).
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, openTabIn } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { authorizeAddress } from '../support/flow.ts';
import { type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
let client: ExampleClient;
let other: ExampleClient;
beforeAll(async () => {
  client = await startExampleClient(service);
  other = await startExampleClient(service, { name: 'Agenda' }, '127.0.0.1');
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([client.close(), other.close()]);
});

async function signIn(page: Page, user: TestUser): Promise<void> {
  await page.getByLabel('Adresse e-mail').fill(user.email);
  await page.getByLabel('Mot de passe').fill(user.password);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
}
const choose = (page: Page, answer: 'Autoriser' | 'Refuser') =>
  page.getByRole('button', { name: answer }).click();
const profileEmail = (page: Page) => page.locator('#profile-email').textContent();

describe.skipIf(browser === undefined)('in Chromium', () => {
  test('a refusal comes back to the application as access_denied, and trying again asks again (D8)', async () => {
    const { page, faults, status } = await openTab(browser);
    const user = await service.createUser();
    await page.goto(`${client.baseUrl}/login`);
    await signIn(page, user);
    await choose(page, 'Refuser');
    expect(await page.locator('#failure').getAttribute('data-kind')).toBe('access_denied');
    expect(status()).toBe(403);
    expect(new URL(page.url()).origin).toBe(client.baseUrl);

    await page.locator('#retry').click();
    await choose(page, 'Autoriser');
    expect(await profileEmail(page)).toBe(user.email);
    expect(faults).toEqual([]);
  });

  test('« use another account » keeps the request, and the other account is the one that arrives', async () => {
    const { page, faults } = await openTab(browser);
    const [first, second] = [await service.createUser(), await service.createUser({ name: 'Grace Hopper' })];
    await page.goto(`${client.baseUrl}/login`);
    await signIn(page, first);
    expect(await page.locator('.parties').textContent()).toContain(first.email);
    await page.getByRole('link', { name: 'Utiliser un autre compte' }).click();
    expect(await page.locator('.destination').textContent()).toContain('Carnet');
    await signIn(page, second);
    expect(await page.locator('.parties').textContent()).toContain(second.email);
    await choose(page, 'Autoriser');
    expect(await profileEmail(page)).toBe(second.email);
    expect(await page.locator('#profile-name').textContent()).toBe('Grace Hopper');
    expect(faults).toEqual([]);
  });

  test('two tabs with two requests both arrive, each at its own application (D9)', async () => {
    const one = await openTab(browser);
    const two = await openTabIn(one.context);
    const user = await service.createUser();
    await one.page.goto(`${client.baseUrl}/login`);
    await two.page.goto(`${other.baseUrl}/login`);
    await signIn(one.page, user);
    await signIn(two.page, user);
    expect(await one.page.locator('h1').textContent()).toContain('Carnet');
    expect(await two.page.locator('h1').textContent()).toContain('Agenda');
    await choose(two.page, 'Autoriser');
    await choose(one.page, 'Autoriser');
    await one.page.waitForURL(`${client.baseUrl}/profile`);
    await two.page.waitForURL(`${other.baseUrl}/profile`);
    expect([await profileEmail(one.page), await profileEmail(two.page)]).toEqual([user.email, user.email]);
    expect([...one.faults, ...two.faults]).toEqual([]);
  });

  test('when another account signs in meanwhile, an open consent page is asked again, not answered (D9)', async () => {
    const one = await openTab(browser);
    const two = await openTabIn(one.context);
    const [first, second] = [await service.createUser(), await service.createUser()];
    await one.page.goto(`${client.baseUrl}/login`);
    await signIn(one.page, first);
    await two.page.goto(`${other.baseUrl}/login`);
    await two.page.getByRole('link', { name: 'Utiliser un autre compte' }).click();
    await signIn(two.page, second);

    await choose(one.page, 'Autoriser');
    expect(one.status()).toBe(409);
    await one.page.getByRole('alert').filter({ hasText: 'Le compte connecté a changé' }).waitFor();
    expect(await one.page.locator('.parties').textContent()).toContain(second.email);
    await choose(one.page, 'Autoriser');
    expect(await profileEmail(one.page)).toBe(second.email);
    expect([...one.faults, ...two.faults]).toEqual([]);
  });

  test('without JavaScript: another account beside the present one, one press apart, and chosen for an application', async () => {
    const { page, faults, context } = await openTab(browser, { javaScript: false });
    const [ada, grace] = [
      await service.createUser({ name: 'Ada' }),
      await service.createUser({ name: 'Grace' }),
    ];
    await page.goto(`${service.baseUrl}/signin`);
    await signIn(page, ada);
    const menu = page.getByRole('button', { name: 'Ada', exact: true });
    await menu.click();
    await page.getByRole('link', { name: 'Utiliser un autre compte' }).click();
    await page.waitForLoadState();
    expect(await page.getByRole('link', { name: 'Continuer avec Ada' }).count()).toBe(1);
    await signIn(page, grace);
    await page.waitForURL(`${service.baseUrl}/account`);
    await page.getByRole('button', { name: 'Grace', exact: true }).click();
    await page.getByRole('button', { name: ada.email }).click();
    await menu.waitFor();
    expect(await page.locator('h1').textContent()).toContain('Ada');

    await page.goto(authorizeAddress(service, client.application, { prompt: 'select_account' }).href);
    expect(await page.locator('.destination').textContent()).toContain('Carnet');
    await page.getByRole('button', { name: grace.email }).click();
    expect(await page.locator('.parties').textContent()).toContain(grace.email);
    expect(faults).toEqual([]);
    await context.close();
  });
});
