// Keyboard access: focus order, visible focus, skip link (WCAG 2.2).
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, PHONE, signInInTab } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { listTabStops, readFocus, waitForFocus } from '../support/keyboard.ts';
import { buildAuthorizeUrl } from '../support/oauth-flow.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
let client: ExampleClient;
beforeAll(async () => {
  client = await startExampleClient(service);
});
afterAll(async () => {
  await browser?.close();
  await client.close();
});

const LAYOUT_TAB_STOPS = { before: ['Aller au contenu', 'Sésame'], after: ['Français', 'English'] };
const SIGN_IN_TAB_STOPS = [
  'Adresse e‑mail',
  'Mot de passe',
  'Afficher',
  'Se connecter',
  // The link is above the submit button, but after it in the focus order.
  'Mot de passe oublié ?',
  'Se connecter avec une clé d’accès',
  'Créer un compte',
  'Annuler et revenir à Carnet',
];
const CONSENT_TAB_STOPS = ['Utiliser un autre compte', 'Détails', 'Refuser', 'Autoriser'];

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await readFocus(page))?.name === name) return;
  }
  throw new Error(`Tab did not reach ${name}`);
}

describe.skipIf(browser === undefined)('a keyboard user', () => {
  test('reaches all controls in reading order (WCAG 2.4.7, 2.4.11)', async () => {
    const { page } = await openTab(browser, { viewport: PHONE });
    const { href } = buildAuthorizeUrl(service, await service.createClient());
    for (const order of [SIGN_IN_TAB_STOPS, CONSENT_TAB_STOPS]) {
      await page.goto(href);
      // Wait for autofocus, which could otherwise move the focus during the test.
      if (order === SIGN_IN_TAB_STOPS) await waitForFocus(page, 'email');
      const stops = await listTabStops(page);
      expect(stops.map(({ name }) => name)).toEqual([
        ...LAYOUT_TAB_STOPS.before,
        ...order,
        ...LAYOUT_TAB_STOPS.after,
      ]);
      expect(stops.filter(({ isInView }) => !isInView)).toEqual([]);
      await signInInTab(page, { service, user: await service.createUser() });
    }
  });

  test('reaches the skip link first (WCAG 2.4.1)', async () => {
    const { page } = await openTab(browser);
    await page.goto(service.baseUrl);
    const box = await page.locator('.skip-link').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0), 'hidden until focused').toBeLessThanOrEqual(0);
    await page.keyboard.press('Tab');
    expect(await readFocus(page)).toMatchObject({ name: 'Aller au contenu', isInView: true });
    await page.keyboard.press('Enter');
    await waitForFocus(page, 'main');
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.getElementById('main').contains(document.activeElement)")).toBe(
      true,
    );
  });

  test('can sign in and consent', async () => {
    const { page, errors } = await openTab(browser);
    const user = await service.createUser();
    await page.goto(client.baseUrl);
    await tabTo(page, 'Se connecter avec Sésame');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Se connecter', level: 1 }).waitFor();
    await waitForFocus(page, 'email');
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(user.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Partager vos informations/ }).waitFor();
    await tabTo(page, 'Autoriser');
    await page.locator('[data-deliberate]:not([aria-disabled])').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.origin === client.baseUrl && url.pathname === '/profile');
    expect(errors).toEqual([]);
  });
});
