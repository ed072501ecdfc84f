import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { buildClient } from '../../examples/client/app.ts';
import { listOwnedClients } from '../../src/store/owned-clients.ts';
import { openBrowser, openTab, PHONE, signInInTab } from '../support/browser.ts';
import { clientPath, NEW_CLIENT_PATH, REDIRECT_URI } from '../support/console-forms.ts';
import { createTwoColorPicture } from '../support/pictures.ts';
import { findFreePort, type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const fillIn = async (page: Page, fields: Record<string, string>) => {
  for (const [id, value] of Object.entries(fields)) await page.fill(`#${id}`, value);
};

async function expectNoSecretAfterBack(page: Page, secret: string): Promise<void> {
  const previousUrl = page.url();
  await page.goBack().catch(() => undefined);
  await expect.poll(() => page.evaluate<string>('document.readyState').catch(() => '')).toBe('complete');
  const content = await page.content();
  expect(content, `back from ${previousUrl}`).not.toContain(secret);
}

const openPath = (page: Page, path: string) => page.goto(new URL(path, service.baseUrl).href);
const clickButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const readElementText = (page: Page, id: string) => page.locator(`#${id}`).textContent();
const listApplications = ({ userId }: TestUser) => listOwnedClients(service.services.database, userId);

describe.skipIf(browser === undefined)('a developer', () => {
  test('can register, edit and delete a client', async () => {
    const user = await service.createUser({ name: 'Zoé Lefèvre' });
    const { page, context, errors } = await openTab(browser);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signInInTab(page, { service, user });
    await openPath(page, '/console');
    await page.getByRole('link', { name: 'Enregistrer une application' }).click();

    await clickButton(page, 'Enregistrer une application');
    expect(await page.locator('.field-error').first().textContent()).toContain(
      'Saisissez le nom de l’application.',
    );
    await fillIn(page, { name: 'Carnet', redirect_uris: `${REDIRECT_URI}\n/faux` });
    const [web, machine] = [page.locator('#type-web'), page.locator('#type-machine')];
    await page.getByText('Machine à machine').click();
    expect(await machine.isChecked(), 'the whole tile selects the type').toBe(true);
    expect(
      await page.locator('#redirect_uris').isVisible(),
      'machine-to-machine applications need no callback URL',
    ).toBe(false);
    await machine.press('ArrowDown');
    expect(await web.isChecked(), 'arrow keys select a type').toBe(true);
    await clickButton(page, 'Enregistrer une application');
    expect(await readElementText(page, 'redirect_uris-error')).toContain('Ligne 2\u202f:');
    expect(await web.isChecked(), 'the type is still selected').toBe(true);
    await fillIn(page, { redirect_uris: REDIRECT_URI });
    await clickButton(page, 'Enregistrer une application');

    const clientId = (await readElementText(page, 'client-id')) ?? '';
    const secret = (await readElementText(page, 'client-secret')) ?? '';
    expect(secret).toMatch(/^sesame_secret_[A-Za-z0-9_-]{49}$/);
    const copy = page.getByRole('button', { name: 'Copier Client Secret' });
    const integrateLink = page.getByRole('link', { name: 'Intégrer le bouton et le code' });
    // The page asks for confirmation because the secret wasn't copied.
    const dialogOpened = page.waitForEvent('dialog');
    const leaving = integrateLink.click({ noWaitAfter: true });
    const dialog = await dialogOpened;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await leaving;
    expect(await readElementText(page, 'client-secret')).toBe(secret);
    await copy.click();
    await page.getByText('Copié', { exact: true }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret);

    await page.reload();
    await page.getByText('Ce secret a été affiché à sa création').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await listApplications(user)).toHaveLength(1);
    await integrateLink.click();
    await page.waitForURL((url) => url.pathname === clientPath(clientId, '/integrate'));
    expect(await page.content()).not.toContain(secret);
    await expectNoSecretAfterBack(page, secret);

    await openPath(page, clientPath(clientId));
    await page.getByRole('link', { name: 'Voir Secrets' }).click();
    await clickButton(page, 'Créer le secret');
    const newSecret = (await readElementText(page, 'client-secret')) ?? '';
    expect(newSecret).not.toBe(secret);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('link', { name: 'Secrets actifs' }).click();
    await page.waitForURL((url) => url.pathname === clientPath(clientId, '/secrets'));
    await expectNoSecretAfterBack(page, newSecret);
    await openPath(page, clientPath(clientId));
    await page.locator('.side-nav').getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('link', { name: 'Révoquer le secret n°\u00a01' }).click();
    await clickButton(page, 'Révoquer ce secret');
    await page.getByRole('status').filter({ hasText: 'Le secret a été révoqué' }).waitFor();
    await page.waitForLoadState();
    expect(await page.locator('.facts--framed > div').count()).toBe(1);

    await openPath(page, clientPath(clientId));
    await page.locator('.side-nav').getByRole('link', { name: 'Logo' }).click();
    const file = {
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: await createTwoColorPicture().png().toBuffer(),
    };
    await page.setInputFiles('#logo', file);
    await clickButton(page, 'Enregistrer');
    const logo = page.locator('.title-with-logo .logo');
    await logo.waitFor();
    const measureLogoWidth = () =>
      logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(measureLogoWidth).toBe(256);

    await page.locator('.side-nav').getByRole('link', { name: 'Réglages' }).click();
    await fillIn(page, { redirect_uris: 'https://moved.example/cb', home_page: 'https://moved.example/' });
    await clickButton(page, 'Enregistrer');
    await page.getByRole('status').filter({ hasText: 'Vos modifications ont été enregistrées' }).waitFor();
    expect((await listApplications(user))[0]?.redirectUris).toEqual(['https://moved.example/cb']);

    await page.getByRole('link', { name: 'Supprimer l’application' }).click();
    await fillIn(page, { name: 'Carnet' });
    await clickButton(page, 'Supprimer définitivement');
    await page.getByRole('status').filter({ hasText: 'L’application a été supprimée.' }).waitFor();
    expect(await listApplications(user)).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('sees all languages and libraries on a phone', async () => {
    const user = await service.createUser();
    const { clientId } = await service.createClient({ ownerId: user.userId });
    const { page, context } = await openTab(browser, { viewport: PHONE });
    await signInInTab(page, { service, user });
    await openPath(page, clientPath(clientId, '/integrate'));
    const links = await page.locator('.tabs--within a').all();
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) {
      const { x = 0, width = 0 } = (await link.boundingBox()) ?? {};
      expect([x >= 0, x + width <= PHONE.width]).toEqual([true, true]);
    }
    const steps = page.locator('.step');
    const measureBottom = async (row: Locator) => {
      const { y = 0, height = 0 } = (await row.boundingBox()) ?? {};
      return y + height;
    };
    const [lastTabs, firstStep] = [page.locator('.tabs--within').last(), await steps.first().boundingBox()];
    expect(firstStep?.y).toBeGreaterThan(await measureBottom(lastTabs));
    const headings = ['Installer', '.env (à ne pas versionner)', 'server.mjs', 'Lancer', 'Essayer'];
    expect(await steps.locator('h3').allTextContents()).toEqual(headings);
    expect(await steps.locator('.code-head .button').count()).toBe(4);
    expect(await steps.last().getByRole('button', { name: 'Essayer la connexion' }).isVisible()).toBe(true);
    await context.close();
  });

  test('needs at most 12 page loads to set up a client', async () => {
    const { page, context, errors, visitedPaths } = await openTab(browser, { javaScript: false });
    const port = await findFreePort();
    const baseUrl = `http://localhost:${port}`;
    await openPath(page, '/signup?next=/console/applications');
    await fillIn(page, {
      name: 'Zoé Lefèvre',
      email: 'zoe@developpeuse.example',
      password: 'un mot de passe bien long',
    });
    await clickButton(page, 'Créer mon compte');
    await page.getByRole('link', { name: 'Plus tard' }).click();
    await page.getByRole('link', { name: 'Enregistrer une application' }).click();
    await fillIn(page, { name: 'Carnet', redirect_uris: `${baseUrl}/callback` });
    await clickButton(page, 'Enregistrer une application');
    const [clientId = '', clientSecret = ''] = [
      await readElementText(page, 'client-id'),
      await readElementText(page, 'client-secret'),
    ].map(String);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('link', { name: 'Intégrer le bouton et le code' }).click();
    await page.waitForURL((url) => url.pathname === clientPath(clientId, '/integrate'));

    const { serviceName } = service.services.config;
    const scope = 'openid profile email';
    const app = await buildClient({
      issuer: service.baseUrl,
      clientId,
      clientSecret,
      baseUrl,
      serviceName,
      scope,
    });
    await app.listen({ host: '127.0.0.1', port });
    try {
      await page.goto(baseUrl);
      await page.getByRole('link', { name: 'Se connecter avec Sésame', exact: true }).click();
      await clickButton(page, 'Autoriser');
      await page.waitForURL(`${baseUrl}/profile`);
      expect(await readElementText(page, 'profile-name')).toBe('Zoé Lefèvre');
      expect(visitedPaths.length, visitedPaths.join(' ')).toBeLessThanOrEqual(12);
      expect(visitedPaths).toEqual([
        '/signup',
        '/account/verify',
        '/console/applications',
        NEW_CLIENT_PATH,
        clientPath(clientId, '/secrets/1'),
        clientPath(clientId, '/integrate'),
        '/',
        '/consent',
        '/profile',
      ]);
      expect(errors).toEqual([]);
    } finally {
      await app.close();
      await context.close();
    }
  });
});
