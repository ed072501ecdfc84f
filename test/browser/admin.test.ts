import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNT_CHANGES, changeResource } from '../../src/store/admin-actions.ts';
import { recordEvent } from '../../src/store/audit-log.ts';
import { openBrowser, openTab, PHONE, type Tab } from '../support/browser.ts';
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
  test('sees the Firebase hash parameters without JavaScript', async () => {
    const tab = await openTab(browser, { javaScript: false, language: 'en' });
    await signIn(tab, '/console/operations/import');
    const field = tab.page.getByLabel('Firebase hash parameters');
    expect(await field.isVisible()).toBe(false);
    await tab.page.getByLabel('File format').selectOption('firebase');
    expect(await field.isVisible()).toBe(true);
    await tab.page.getByLabel('File format').selectOption('csv');
    expect(await field.isVisible()).toBe(false);
    await tab.context.close();
  });

  test('can manage accounts and read the audit log without JavaScript', async () => {
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
    await page.getByRole('textbox', { name: 'Nom, adresse e‑mail ou identifiant' }).fill('SUSPECTE');
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
    await page.getByLabel('Son adresse e‑mail, pour confirmer').fill('autre@exemple.fr');
    await page.getByRole('button', { name: 'Supprimer le compte' }).click();
    expect(await page.locator('.field-error').textContent()).toContain('n’est pas celle du compte');
    await page.getByLabel('Son adresse e‑mail, pour confirmer').fill(email);
    await page.getByRole('button', { name: 'Supprimer le compte' }).click();
    expect(await page.getByRole('status').textContent()).toBe('Compte supprimé');

    await page.getByRole('link', { name: 'Journal' }).click();
    await page.getByRole('textbox', { name: 'Rechercher' }).fill(suspect.userId);
    await page.getByRole('button', { name: 'Rechercher' }).click();
    const rows = page.locator('.event > strong');
    await expect
      .poll(() => rows.allTextContents())
      .toEqual(['Compte supprimé', 'Administrateur nommé', 'Suspension du compte levée', 'Compte suspendu']);
    expect(await page.locator('.event-list').textContent()).toContain('courrier indésirable');
    expect(errors).toEqual([]);
    await tab.context.close();
  });

  test('can open the menu of sections on a phone without JavaScript', async () => {
    const tab = await openTab(browser, { javaScript: false, viewport: PHONE, language: 'en' });
    await signIn(tab, '/console/operations/settings');
    const menu = tab.page.getByRole('navigation', { name: 'Administration' });
    expect(await menu.getByRole('link').count()).toBe(0);
    await menu.locator('summary').click();
    expect(await menu.getByRole('link').count()).toBe(10);
    await menu.getByRole('link', { name: 'Audit log' }).click();
    expect(await tab.page.locator('h1').textContent()).toBe('Audit log');
    await tab.context.close();
  });

  test('sees the full email address on hover', async () => {
    const email = 'maximilienne.de-robespierre-dupont@universite-paris-saclay.example';
    const { userId: ownerId } = await service.createUser({ name: 'Maximilienne', email });
    await service.createClient({ ownerId, name: 'Un potager dont le nom est long' });
    await service.createApi({ ownerId, name: 'Une API dont le nom est long' });
    const tab = await openTab(browser, { viewport: { width: 1280, height: 800 } });
    await signIn(tab, '/console/operations');
    for (const path of ['', '/accounts', '/applications', '/apis', '/audit']) {
      await tab.page.goto(`${service.baseUrl}/console/operations${path}`);
      const emails = await tab.page.locator('main .email').all();
      expect(emails.length, path).toBeGreaterThan(0);
      for (const shown of emails) {
        expect((await shown.boundingBox())?.height, path).toBeLessThan(30);
        expect(await shown.getAttribute('title')).toBe(await shown.textContent());
      }
    }
    await tab.context.close();
  });

  test('sees the whole overview without scrolling at 1280×800', async () => {
    const suspended = await service.createUser();
    const { database } = service.services;
    const now = service.clock.now();
    await ACCOUNT_CHANGES.suspend(database, suspended.userId, now);
    for (const kind of ['signed_up', 'unauthorized_activity_reported', 'password_changed'] as const)
      for (const at of [now, now, now])
        await recordEvent(database, { kind, actorId: admin.userId, userId: admin.userId }, at);
    const { apiId } = await service.createApi();
    await changeResource(database, 'api', 'suspend', apiId, now);
    const tab = await openTab(browser, { viewport: { width: 1280, height: 800 } });
    await signIn(tab, '/console/operations');
    expect(await tab.page.locator('.attention li').count()).toBe(4);
    expect(await tab.page.locator('.event-lines li').count()).toBe(7);
    expect(await tab.page.evaluate(() => document.body.scrollHeight)).toBe(800);
    await tab.context.close();
  });

  test('can follow a link to a setting in a collapsed section', async () => {
    const tab = await openTab(browser);
    await signIn(tab, '/console/operations');
    expect(await tab.page.locator('details[open]').count()).toBe(0);
    await tab.page.getByRole('link', { name: 'Aucun serveur d’e‑mail n’est configuré' }).click();
    expect(await tab.page.locator('#SMTP_URL').isVisible()).toBe(true);
    expect(await tab.page.locator('#HOST').isVisible()).toBe(false);
    await tab.page.getByText('Réseau et limites').click();
    expect(await tab.page.locator('#HOST').isVisible()).toBe(true);
    await tab.context.close();
  });

  test('can download the audit log', async () => {
    const tab = await openTab(browser);
    await signIn(tab, '/console/operations/audit');
    for (const format of ['csv', 'json']) {
      const [download] = await Promise.all([
        tab.page.waitForEvent('download'),
        tab.page.getByRole('link', { name: `Télécharger ${format.toUpperCase()}` }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`audit.${format}`);
    }
    await tab.context.close();
  });
});
