// By keyboard alone: the order of the stops, a ring to be seen at each, Enter to send, the skip link (WCAG 2.2).
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, PHONE } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { focused, focusOn, tabStops } from '../support/keyboard.ts';
import { enter, type Gallery, openGallery, PAGES, type PageName } from '../support/page-gallery.ts';

const browser = await openBrowser();
let gallery: Gallery;
let client: ExampleClient;
beforeAll(async () => {
  gallery = await openGallery();
  client = await startExampleClient(gallery.service);
});
afterAll(async () => {
  await browser?.close();
  await client.close();
  await gallery.close();
});

const FRAME = { before: ['Aller au contenu', 'Sésame'], after: ['Français', 'English'] };
const ORDER = {
  'the landing page': ['Se connecter', 'Créer un compte'],
  'sign-in on the way to an application': [
    'Adresse e-mail',
    'Mot de passe',
    'Afficher',
    // It stands at the field, but whoever has typed a password wants to send it.
    'Se connecter',
    'Mot de passe oublié ?',
    'Se connecter avec une clé d’accès',
    'Créer un compte',
    'Annuler et revenir à Carnet',
  ],
  'sign-up': ['Nom', 'Adresse e-mail', 'Mot de passe', 'Afficher', 'Créer mon compte', 'Se connecter'],
  consent: ['Utiliser un autre compte', 'Détails', 'Refuser', 'Autoriser'],
  'the error for an expired request': ['Recommencer'],
} satisfies Partial<Record<PageName, string[]>>;

/** Presses Tab until the keyboard is there. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page))?.name === name) return;
  }
  throw new Error(`Tab never reaches ${name}`);
}

describe.skipIf(browser === undefined)('by keyboard', () => {
  test.each(Object.entries(ORDER) as [PageName, string[]][])(
    'on %s Tab stops at everything in reading order',
    async (name, order) => {
      const { page } = await openTab(browser);
      await PAGES[name].open(page, gallery);
      expect((await tabStops(page)).map((stop) => stop.name)).toEqual([
        ...FRAME.before,
        ...order,
        ...FRAME.after,
      ]);
    },
  );

  test('a page of the account adds the header’s links and its parts, and each « Retirer » says what of', async () => {
    const { page } = await openTab(browser);
    await PAGES['the connected applications with a notice'].open(page, gallery);
    const names = (await tabStops(page)).map((stop) => stop.name);
    expect(names).toEqual([
      ...FRAME.before,
      'Zoé Lefèvre',
      'Mon compte',
      'Applications',
      'API',
      'Vue d’ensemble',
      'Profil',
      'Adresse e-mail',
      'Connexion et sécurité',
      'Sessions',
      'Applications connectées',
      'Vos données',
      'Révoquer l’accès donné à Carnet',
      ...FRAME.after,
    ]);
  });

  test('on a phone every stop scrolls into view (WCAG 2.4.7, 2.4.11)', async () => {
    const { page } = await openTab(browser, { viewport: PHONE });
    for (const name of [...(Object.keys(ORDER) as PageName[]), 'sign-up with errors', 'sign-out'] as const) {
      await PAGES[name].open(page, gallery);
      const stops = await tabStops(page);
      expect(stops.length, name).toBeGreaterThanOrEqual(5);
      expect(
        stops.filter(({ inView }) => !inView),
        name,
      ).toEqual([]);
      await page.context().clearCookies();
    }
  });

  test('the skip link comes first, shows itself, and leads past the header (WCAG 2.4.1)', async () => {
    const { page } = await openTab(browser);
    await enter(page, gallery);
    await page.goto(gallery.service.baseUrl);
    expect(
      await page
        .locator('.skip-link')
        .boundingBox()
        .then((box) => (box?.y ?? 0) + (box?.height ?? 0)),
      'out of sight until reached',
    ).toBeLessThanOrEqual(0);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toMatchObject({ name: 'Aller au contenu', inView: true });
    await page.keyboard.press('Enter');
    await focusOn(page, 'main');
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.getElementById('main').contains(document.activeElement)")).toBe(
      true,
    );
  });

  test.each([
    ['allow', 'Autoriser', '/profile'],
    ['refuse', 'Refuser', '/callback'],
  ])(
    'a person signs in from the button to the application without a pointer: %s',
    async (_, answer, arrival) => {
      const { page, faults } = await openTab(browser);
      const user = await gallery.service.createUser();
      await page.goto(client.baseUrl);
      await tabTo(page, 'Se connecter avec Sésame');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Se connecter', level: 1 }).waitFor();
      await focusOn(page, 'email'); // the first field has it, without a key
      expect((await focused(page))?.name).toBe('Adresse e-mail');
      await page.keyboard.type(user.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(user.password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /^Partager vos informations/ }).waitFor();
      await tabTo(page, answer);
      await page.locator('[data-deliberate]:not([aria-disabled])').waitFor(); // Allow reacts after half a second
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.origin === client.baseUrl && url.pathname === arrival);
      expect(faults).toEqual([]);
    },
  );
});
