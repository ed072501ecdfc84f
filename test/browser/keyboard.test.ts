// By keyboard alone: the order of the stops, a ring to be seen at each, Enter to send, the skip link (WCAG 2.2).
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enter, openBrowser, openTab, PHONE } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { authorizeAddress } from '../support/flow.ts';
import { focused, focusOn, tabStops } from '../support/keyboard.ts';
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

const FRAME = { before: ['Aller au contenu', 'Sésame'], after: ['Français', 'English'] };
const SIGN_IN = [
  'Adresse e-mail',
  'Mot de passe',
  'Afficher',
  // It stands at the field, but whoever has typed a password wants to send it.
  'Se connecter',
  'Mot de passe oublié ?',
  'Se connecter avec une clé d’accès',
  'Créer un compte',
  'Annuler et revenir à Carnet',
];
const CONSENT = ['Utiliser un autre compte', 'Détails', 'Refuser', 'Autoriser'];

/** Presses Tab until the keyboard is there. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page))?.name === name) return;
  }
  throw new Error(`Tab never reaches ${name}`);
}

describe.skipIf(browser === undefined)('by keyboard', () => {
  test('Tab stops at everything in reading order, and on a phone every stop scrolls into view (WCAG 2.4.7, 2.4.11)', async () => {
    const { page } = await openTab(browser, { viewport: PHONE });
    const { href } = authorizeAddress(service, await service.createApplication());
    for (const order of [SIGN_IN, CONSENT]) {
      await page.goto(href);
      // Autofocus moves the focus after the load event, and would skip stops of a walk that had begun.
      if (order === SIGN_IN) await focusOn(page, 'email');
      const stops = await tabStops(page);
      expect(stops.map(({ name }) => name)).toEqual([...FRAME.before, ...order, ...FRAME.after]);
      expect(stops.filter(({ inView }) => !inView)).toEqual([]);
      await enter(page, { service, user: await service.createUser() });
    }
  });

  test('the skip link comes first, shows itself, and leads past the header (WCAG 2.4.1)', async () => {
    const { page } = await openTab(browser);
    await page.goto(service.baseUrl);
    const box = await page.locator('.skip-link').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0), 'out of sight until reached').toBeLessThanOrEqual(0);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toMatchObject({ name: 'Aller au contenu', inView: true });
    await page.keyboard.press('Enter');
    await focusOn(page, 'main');
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.getElementById('main').contains(document.activeElement)")).toBe(
      true,
    );
  });

  test('a person signs in from the button to the application without a pointer', async () => {
    const { page, faults } = await openTab(browser);
    const user = await service.createUser();
    await page.goto(client.baseUrl);
    await tabTo(page, 'Se connecter avec Sésame');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Se connecter', level: 1 }).waitFor();
    await focusOn(page, 'email'); // the first field has it, without a key
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(user.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Partager vos informations/ }).waitFor();
    await tabTo(page, 'Autoriser');
    await page.locator('[data-deliberate]:not([aria-disabled])').waitFor(); // Allow reacts after half a second
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.origin === client.baseUrl && url.pathname === '/profile');
    expect(faults).toEqual([]);
  });
});
