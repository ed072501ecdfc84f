// Administration in Chromium: searching, managing accounts, and the audit log.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, type Tab } from '../support/browser.ts';
import { type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
let admin: TestUser;
beforeAll(async () => {
  admin = await service.createUser({ name: 'Grace Hopper', isAdmin: true });
  await service.createClient({ ownerId: admin.userId });
  await service.createApi({ ownerId: admin.userId });
});
afterAll(() => browser?.close());

async function signIn({ page }: Tab, path: string): Promise<void> {
  await page.goto(`${service.baseUrl}${path}`);
  await page.locator('#email').fill(admin.email);
  await page.locator('#password').fill(admin.password);
  await page.locator('main button[type=submit]').click();
  await page.waitForURL(`${service.baseUrl}${path}`);
}

describe.skipIf(browser === undefined)('an administrator', () => {
  test('can search, manage accounts and read the audit log without JavaScript', async () => {
    const tab = await openTab(browser, { javaScript: false });
    const { page, errors } = tab;
    const email = 'suspecte@exemple.fr';
    const suspect = await service.createUser({ name: 'Zoé Suspecte', email });
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

    await page.getByRole('link', { name: 'Nommer administrateur' }).click();
    await page.getByRole('button', { name: 'Nommer administrateur' }).click();
    await page.getByRole('link', { name: 'Retirer le rôle d’administrateur' }).click();
    await page.getByRole('link', { name: 'Annuler' }).click();
    await page.waitForLoadState();
    expect(await page.locator('main').textContent()).toContain('administrateur');

    await page.getByRole('link', { name: 'Supprimer le compte' }).click();
    await page.getByLabel('Son adresse e-mail, pour confirmer').fill('autre@exemple.fr');
    await page.getByRole('button', { name: 'Supprimer le compte' }).click();
    expect(await page.locator('.field-error').textContent()).toContain('n’est pas celle du compte');
    await page.getByLabel('Son adresse e-mail, pour confirmer').fill(email);
    await page.getByRole('button', { name: 'Supprimer le compte' }).click();
    expect(await page.getByRole('status').textContent()).toBe('Compte supprimé');

    await page.getByRole('link', { name: 'Journal' }).click();
    await page.getByText('Filtrer').click();
    await page.getByRole('textbox', { name: 'E-mail ou identifiant du compte' }).fill(suspect.userId);
    await page.getByRole('button', { name: 'Appliquer' }).click();
    const rows = page.locator('.records tbody tr td:nth-child(2)');
    await expect
      .poll(() => rows.allTextContents())
      .toEqual(['Compte supprimé', 'Administrateur nommé', 'Suspension du compte levée', 'Compte suspendu']);
    expect(await page.locator('.records').textContent()).toContain('courrier indésirable');
    expect(errors).toEqual([]);
    await tab.context.close();
  });

  test('can download the audit log', async () => {
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
