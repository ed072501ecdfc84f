// Operators in Chromium, with JavaScript and without: from the overview to a suspended account, and back through the log.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordEvent } from '../../src/store/events.ts';
import { openBrowser, openTab, overflow, type Tab } from '../support/browser.ts';
import { type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
let operator: TestUser;
beforeAll(async () => {
  operator = await service.createUser({ name: 'Grace Hopper', operator: true });
  await service.createApplication({ ownerId: operator.userId });
  await service.createApi({ ownerId: operator.userId });
});
afterAll(() => browser?.close());

async function signIn({ page }: Tab, path: string): Promise<void> {
  await page.goto(`${service.baseUrl}${path}`);
  await page.locator('#email').fill(operator.email);
  await page.locator('#password').fill(operator.password);
  await page.locator('main button[type=submit]').click();
  await page.waitForURL(`${service.baseUrl}${path}`);
}

describe.skipIf(browser === undefined)('an operator', () => {
  test.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])(
    '%s: searches, suspends with a reason, lifts it, makes an operator, deletes, and reads the log',
    async (_, javaScript) => {
      const tab = await openTab(browser, { javaScript });
      const { page, faults } = tab;
      const email = `suspecte-${javaScript}@exemple.fr`;
      const person = await service.createUser({ name: 'Zoé Suspecte', email });
      await signIn(tab, '/console/operations');
      expect(await page.locator('h1').textContent()).toBe('Vue d’ensemble');

      await page
        .getByRole('navigation', { name: 'Administration' })
        .getByRole('link', { name: 'Comptes' })
        .click();
      await page
        .getByRole('textbox', { name: 'Nom, adresse e-mail ou identifiant' })
        .fill(`SUSPECTE-${javaScript}`);
      await page.getByRole('button', { name: 'Rechercher' }).click();
      await page.getByRole('link', { name: email }).click();
      expect(await page.locator('h1').textContent()).toBe('Zoé Suspecte');

      await page.getByRole('link', { name: 'Suspendre' }).click();
      await page.getByLabel('Motif').fill('courrier indésirable');
      await page.getByRole('button', { name: 'Suspendre' }).click();
      expect(await page.getByRole('status').textContent()).toBe('Compte suspendu');
      expect(await page.locator('.tag--stopped').textContent()).toBe('suspendu');

      await page.getByRole('link', { name: 'Lever la suspension' }).click();
      await page.getByRole('button', { name: 'Lever la suspension' }).click();
      expect(await page.getByRole('status').textContent()).toBe('Suspension du compte levée');

      await page.getByRole('link', { name: 'Nommer responsable' }).click();
      await page.getByRole('button', { name: 'Nommer responsable' }).click();
      await page.getByRole('link', { name: 'Retirer le rôle de responsable' }).click();
      await page.getByRole('link', { name: 'Annuler' }).click();
      await page.waitForLoadState();
      expect(await page.locator('main').textContent()).toContain('responsable');

      await page.getByRole('link', { name: 'Supprimer le compte' }).click();
      await page.getByLabel('Son adresse e-mail, pour confirmer').fill('autre@exemple.fr');
      await page.getByRole('button', { name: 'Supprimer le compte' }).click();
      expect(await page.locator('.field-error').textContent()).toContain('n’est pas celle du compte');
      await page.getByLabel('Son adresse e-mail, pour confirmer').fill(email);
      await page.getByRole('button', { name: 'Supprimer le compte' }).click();
      expect(await page.getByRole('status').textContent()).toBe('Compte supprimé');

      await page.getByRole('link', { name: 'Journal' }).click();
      await page.getByText('Filtrer').click();
      await page.getByRole('textbox', { name: 'E-mail ou identifiant du compte' }).fill(person.userId);
      await page.getByRole('button', { name: 'Appliquer' }).click();
      const rows = page.locator('.records tbody tr td:nth-child(2)');
      await expect
        .poll(() => rows.allTextContents())
        .toEqual(['Compte supprimé', 'Responsable nommé', 'Suspension du compte levée', 'Compte suspendu']);
      expect(await page.locator('.records').textContent()).toContain('courrier indésirable');
      expect(faults).toEqual([]);
      await tab.context.close();
    },
  );

  test('takes the log along as a file', async () => {
    const tab = await openTab(browser);
    await signIn(tab, '/console/operations/audit');
    const [download] = await Promise.all([
      tab.page.waitForEvent('download'),
      tab.page.getByRole('link', { name: 'Télécharger en JSON' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit.json');
    await tab.context.close();
  });

  test('reads the log in a window of any width', async () => {
    const tab = await openTab(browser, { javaScript: false }); // times in UTC are the longest
    const { page } = tab;
    const person = await service.createUser({ email: 'quelqu.un.au.nom.long@messagerie.exemple.fr' });
    const event = { kind: 'app_added', actorId: operator.userId, userId: person.userId } as const;
    await recordEvent(service.parts.database, { ...event, detail: { reason: 'x'.repeat(40) } }, new Date());
    await signIn(tab, '/console/operations/audit');
    for (const width of [320, 769, 800, 876, 878, 1024, 1100, 1117, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await overflow(page)]).toEqual([width, 0]);
    }
    await tab.context.close();
  });

  test('sees lists as tables wherever their columns have room, and the log’s entries side by side before that', async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await signIn(tab, '/console/operations/accounts');
    const looks = async (list: string, width: number) => {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${service.baseUrl}/console/operations/${list}`);
      return page.evaluate<string>(
        "getComputedStyle(document.querySelector('.records tbody tr')).display + ' ' + getComputedStyle(document.querySelector('.records thead')).position",
      );
    };
    for (const list of ['accounts', 'applications', 'apis']) {
      expect([list, await looks(list, 360)]).toEqual([list, 'block absolute']);
      expect([list, await looks(list, 768)]).toEqual([list, 'table-row static']);
    }
    expect(await looks('audit', 360)).toBe('block absolute');
    expect(await looks('audit', 768)).toBe('grid absolute');
    expect(await looks('audit', 1280)).toBe('table-row static');
    await tab.context.close();
  });
});
