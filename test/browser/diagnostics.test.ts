// Diagnostics in Chromium, with JavaScript and without: from the code on an error page to the repaired application.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import { authorizeAddress } from '../support/flow.ts';
import { type TestApplication, type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
let owner: TestUser;
beforeAll(async () => {
  owner = await service.createUser();
});
afterAll(() => browser?.close());

const addressOf = ({ clientId }: TestApplication) =>
  `${service.baseUrl}/console/applications/${clientId}/diagnostics`;

/** Signs the owner in on the way to an address. */
async function enter(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('#email').fill(owner.email);
  await page.locator('#password').fill(owner.password);
  await page.locator('main button[type=submit]').click();
  await page.waitForURL(address);
}

describe.skipIf(browser === undefined)('an application that cannot be signed in to', () => {
  test.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('%s: code on the error page, reason, repaired', async (_, javaScript) => {
    const application = await service.createApplication({
      ownerId: owner.userId,
      name: `Carnet ${javaScript}`,
    });
    const sent = `${application.redirectUri}/`;
    const address = authorizeAddress(service, application, { redirect_uri: sent }).href;
    const { page, faults, status } = await openTab(browser, { javaScript });

    await page.goto(address);
    expect(status()).toBe(400);
    const incident = (await page.locator('.incident-code').textContent()) ?? '';

    await enter(page, addressOf(application));
    await page.getByLabel('Retrouver un code d’incident').fill(incident.toLowerCase());
    await page.getByRole('button', { name: 'Rechercher' }).click();
    await page.getByRole('heading', { name: `Incident ${incident}` }).waitFor();
    const entry = page.locator('.refusal');
    await page.waitForLoadState();
    expect(await entry.count()).toBe(1);
    expect(await entry.locator('h3').textContent()).toBe(
      'Le chemin envoyé est /callback/, celui qui est enregistré est /callback : attention à la barre oblique finale.',
    );
    expect(await entry.locator('.refusal-sides code').allTextContents()).toEqual([
      sent,
      application.redirectUri,
    ]);

    await page.locator('.parts').getByRole('link', { name: 'Réglages' }).click();
    await page.locator('#redirect_uris').fill(`${application.redirectUri}\n${sent}`);
    await page.locator('main form').last().locator('button[type=submit]').click();
    await page.waitForURL(/done=changed/);

    await page.goto(address);
    expect(new URL(page.url()).pathname, 'the request is accepted now').toBe('/consent');
    await page.goto(addressOf(application));
    expect(await page.locator('.refusal').count(), 'what happened stays to be read').toBe(1);
    expect(faults).toEqual([]);
  });
});
