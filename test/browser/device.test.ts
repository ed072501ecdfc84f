import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, PHONE, type Tab } from '../support/browser.ts';
import { postForm } from '../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const clickButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function openSignedIn({ page }: Tab, path: string, user: TestUser): Promise<void> {
  await page.goto(`${service.baseUrl}${path}`);
  await page.fill('#email', user.email);
  await page.fill('#password', user.password);
  await clickButton(page, 'Se connecter');
  await page.waitForURL(`${service.baseUrl}${path}`);
}

async function enableDeviceFlow(tab: Tab, { clientId }: TestClient, owner: TestUser): Promise<void> {
  const path = `/console/applications/${clientId}/protocol`;
  await openSignedIn(tab, path, owner);
  await tab.page.getByLabel('Autoriser la connexion d’appareils avec un code').check();
  await clickButton(tab.page, 'Enregistrer');
  await tab.page.waitForURL(/done=changed/);
  await tab.page.getByRole('link', { name: 'Déconnexion', exact: true }).click();
  await tab.page.fill('#post_logout_redirect_uris', 'https://client.example/sortie');
  await clickButton(tab.page, 'Enregistrer');
  await tab.page.waitForURL(/sign-out\?done=changed/);
}

const pollForTokens = (deviceCode: string, { clientId }: TestClient) =>
  postForm(service, '/oauth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
    client_id: clientId,
  });

describe.skipIf(browser === undefined)('the device flow', () => {
  const javaScript = false;
  test('works without JavaScript', async () => {
    const owner = await service.createUser();
    const application = await service.createClient({ ownerId: owner.userId, type: 'public' });
    const developer = await openTab(browser, { javaScript });
    await enableDeviceFlow(developer, application, owner);

    const authorization = await postForm(service, '/oauth/device_authorization', {
      client_id: application.clientId,
      scope: 'openid profile',
    });
    const { device_code: code = '', user_code: userCode = '' } = authorization.body as Record<string, string>;
    const phone = await openTab(browser, { javaScript, viewport: PHONE });
    const { page } = phone;
    await openSignedIn(phone, '/device', await service.createUser({ name: 'Zoé Lefèvre' }));
    await page.fill('#user_code', 'BCDF GHJK');
    await clickButton(page, 'Continuer');
    expect(phone.status(), 'unknown code').toBe(400);
    expect(await page.locator('#user_code').inputValue()).toBe('BCDF GHJK');
    await page.fill('#user_code', userCode.replace('-', ' ').toLowerCase());
    await clickButton(page, 'Continuer');
    expect(await page.locator('h1').textContent()).toContain('Connecter un appareil à Carnet');
    expect(await page.locator('main').textContent()).toContain(userCode);
    await clickButton(page, 'Autoriser');
    await page.waitForURL(/done=allowed/);
    expect(await page.locator('h1').textContent()).toBe('Appareil autorisé');
    expect(await page.locator('main form').count(), 'the page no longer has a form').toBe(0);
    expect((await pollForTokens(code, application)).body).toMatchObject({ scope: 'openid profile' });
    expect([...phone.errors, ...developer.errors]).toEqual([]);
    await Promise.all([phone.context.close(), developer.context.close()]);
  });
});
