// Operators in Chromium, with JavaScript and without: from the overview to a suspended account, and back through the log.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, type Tab } from '../support/browser.ts';
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
  test('without JavaScript: searches, suspends with a reason, lifts it, makes an operator, deletes, and reads the log', async () => {
    const tab = await openTab(browser, { javaScript: false });
    const { page, faults } = tab;
    const email = 'suspecte@exemple.fr';
    const person = await service.createUser({ name: 'Zoé Suspecte', email });
    await signIn(tab, '/console/operations');
    expect(await page.locator('h1').textContent()).toBe('Vue d’ensemble');

    await page
      .getByRole('navigation', { name: 'Administration' })
      .getByRole('link', { name: 'Comptes' })
      .click();
    await page.getByRole('textbox', { name: 'Nom, adresse e-mail ou identifiant' }).fill('SUSPECTE');
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
  });

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
});
