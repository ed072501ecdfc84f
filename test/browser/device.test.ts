// A device and the protocol page that lets it sign in, in Chromium: a person types the code on a phone, with JavaScript
// and without; a developer switches it on.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, PHONE, type Tab } from '../support/browser.ts';
import { postForm } from '../support/flow.ts';
import { type TestApplication, type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Opens a page, signing in on the way to it. */
async function enter({ page }: Tab, path: string, user: TestUser): Promise<void> {
  await page.goto(`${service.baseUrl}${path}`);
  await page.fill('#email', user.email);
  await page.fill('#password', user.password);
  await press(page, 'Se connecter');
  await page.waitForURL(`${service.baseUrl}${path}`);
}

/** Switches devices on for an application, on its protocol page. */
async function letDevicesIn(tab: Tab, { clientId }: TestApplication, owner: TestUser): Promise<void> {
  const path = `/console/applications/${clientId}/protocol`;
  await enter(tab, path, owner);
  await tab.page.getByLabel('Autoriser la connexion d’appareils avec un code').check();
  await tab.page.fill('#post_logout_redirect_uris', 'https://client.example/sortie');
  await press(tab.page, 'Enregistrer');
  await tab.page.waitForURL(/done=changed/);
}

const poll = (deviceCode: string, { clientId }: TestApplication) =>
  postForm(service, '/oauth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
    client_id: clientId,
  });

describe.skipIf(browser === undefined)('without JavaScript', () => {
  const javaScript = false;
  test('a developer switches devices on; a person types a code on a phone, and the device is in', async () => {
    const owner = await service.createUser();
    const application = await service.createApplication({ ownerId: owner.userId, type: 'public' });
    const developer = await openTab(browser, { javaScript });
    await letDevicesIn(developer, application, owner);

    const asked = await postForm(service, '/oauth/device_authorization', {
      client_id: application.clientId,
      scope: 'openid profile',
    });
    const { device_code: code = '', user_code: shown = '' } = asked.body as Record<string, string>;
    const phone = await openTab(browser, { javaScript, viewport: PHONE });
    const { page } = phone;
    await enter(phone, '/device', await service.createUser({ name: 'Zoé Lefèvre' }));
    await page.fill('#user_code', 'BCDF GHJK');
    await press(page, 'Continuer');
    expect(phone.status(), 'no device shows this code').toBe(400);
    expect(await page.locator('#user_code').inputValue()).toBe('BCDF GHJK');
    // As people type: small letters, no hyphen.
    await page.fill('#user_code', shown.replace('-', ' ').toLowerCase());
    await press(page, 'Continuer');
    expect(await page.locator('h1').textContent()).toContain('Connecter un appareil à Carnet');
    expect(await page.locator('main').textContent()).toContain(shown);
    await press(page, 'Autoriser');
    await page.waitForURL(/done=allowed/);
    expect(await page.locator('h1').textContent()).toBe('Appareil autorisé');
    expect(await page.locator('main form').count(), 'there is nothing left to do').toBe(0);
    expect((await poll(code, application)).body).toMatchObject({ scope: 'openid profile' });
    expect([...phone.faults, ...developer.faults]).toEqual([]);
    await Promise.all([phone.context.close(), developer.context.close()]);
  });
});
