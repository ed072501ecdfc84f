// The console's applications in Chromium: a developer's way through it with JavaScript and without.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { buildClient } from '../../examples/client/app.ts';
import { listOwnApplications } from '../../src/store/applications.ts';
import { enter, openBrowser, openTab } from '../support/browser.ts';
import { at, CALLBACK, NEW } from '../support/console.ts';
import { halves } from '../support/pictures.ts';
import { freePort, type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const fillIn = async (page: Page, fields: Record<string, string>) => {
  for (const [id, value] of Object.entries(fields)) await page.fill(`#${id}`, value);
};

/** Goes back, wherever that leads; what was shown once is not there. */
async function backWithout(page: Page, secret: string): Promise<void> {
  const before = page.url();
  await page.goBack().catch(() => undefined);
  await expect.poll(() => page.evaluate<string>('document.readyState').catch(() => '')).toBe('complete');
  const content = await page.content();
  expect(content, `back from ${before}`).not.toContain(secret);
}

const go = (page: Page, path: string) => page.goto(new URL(path, service.baseUrl).href);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const textOf = (page: Page, id: string) => page.locator(`#${id}`).textContent();
const applicationsOf = ({ userId }: TestUser) => listOwnApplications(service.parts.database, userId);

describe.skipIf(browser === undefined)('an owner', () => {
  test('registers, copies, rotates, shows a logo, moves a callback and deletes', async () => {
    const user = await service.createUser({ name: 'Zoé Lefèvre' });
    const { page, context, faults } = await openTab(browser);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await enter(page, { service, user });
    await go(page, '/console');
    await page.getByRole('link', { name: 'Enregistrer une application' }).click();

    await press(page, 'Enregistrer une application');
    expect(await page.locator('.error-summary, .field-error').first().textContent()).toContain(
      'Saisissez le nom de l’application.',
    );
    await fillIn(page, { name: 'Carnet', redirect_uris: `${CALLBACK}\n/faux` });
    await page.getByLabel('phone', { exact: true }).check();
    await press(page, 'Enregistrer une application');
    expect(await textOf(page, 'redirect_uris-error')).toContain('Ligne 2\u202f:');
    expect(await page.getByLabel('phone', { exact: true }).isChecked(), 'nothing is lost').toBe(true);
    await fillIn(page, { redirect_uris: CALLBACK });
    await press(page, 'Enregistrer une application');

    const clientId = (await textOf(page, 'client-id')) ?? '';
    const secret = (await textOf(page, 'client-secret')) ?? '';
    expect(secret).toMatch(/^sesame_secret_[A-Za-z0-9_-]{49}$/);
    const copy = page.getByRole('button', { name: 'Copier Client Secret' });
    const onward = page.getByRole('link', { name: 'Intégrer le bouton et le code' });
    // Leaving before it was copied asks first.
    const asked = page.waitForEvent('dialog');
    const leaving = onward.click({ noWaitAfter: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await leaving;
    expect(await textOf(page, 'client-secret')).toBe(secret);
    await copy.click();
    await page.getByText('Copié', { exact: true }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret);

    await page.reload();
    await page.getByText('Ce secret a été affiché une fois').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await applicationsOf(user)).toHaveLength(1);
    await onward.click();
    await page.waitForURL((url) => url.pathname === at(clientId, '/integrate'));
    expect(await page.content()).not.toContain(secret);
    await backWithout(page, secret);

    await go(page, at(clientId));
    await page.locator('.parts').getByRole('link', { name: 'Secrets' }).click();
    await press(page, 'Créer le secret');
    const next = (await textOf(page, 'client-secret')) ?? '';
    expect(next).not.toBe(secret);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('link', { name: 'Secrets actifs' }).click();
    await page.waitForURL((url) => url.pathname === at(clientId, '/secrets'));
    await backWithout(page, next);
    await go(page, at(clientId));
    await page.locator('.parts').getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('link', { name: 'Révoquer le secret n°\u00a01' }).click();
    await press(page, 'Révoquer ce secret');
    await page.getByRole('status').filter({ hasText: 'Le secret choisi est révoqué' }).waitFor();
    await page.waitForLoadState();
    expect(await page.locator('.card').count()).toBe(1);

    await go(page, at(clientId));
    await page.getByRole('link', { name: 'Modifier le logo' }).click();
    const file = { name: 'logo.png', mimeType: 'image/png', buffer: await halves().png().toBuffer() };
    await page.setInputFiles('#logo', file);
    await press(page, 'Enregistrer');
    const logo = page.locator('.headed .logo');
    const width = () => logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(width).toBe(256);

    await page.getByRole('link', { name: 'Modifier', exact: true }).click();
    await fillIn(page, { redirect_uris: 'https://moved.example/cb', home_page: 'https://moved.example/' });
    await press(page, 'Enregistrer');
    await page.getByRole('status').filter({ hasText: 'Vos modifications sont enregistrées' }).waitFor();
    expect((await applicationsOf(user))[0]?.redirectUris).toEqual(['https://moved.example/cb']);

    await page.getByRole('link', { name: 'Supprimer l’application' }).click();
    await fillIn(page, { name: 'Carnet' });
    await press(page, 'Supprimer définitivement');
    await page.getByRole('status').filter({ hasText: 'Suppression effectuée.' }).waitFor();
    expect(await applicationsOf(user)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('without JavaScript gets from sign-up to a working sign-in of an application of their own in at most 12 page loads', async () => {
    const { page, context, faults, shown } = await openTab(browser, { javaScript: false });
    const port = await freePort();
    const baseUrl = `http://localhost:${port}`;
    await go(page, '/signup?next=/console/applications');
    await fillIn(page, {
      name: 'Zoé Lefèvre',
      email: 'zoe@developpeuse.example',
      password: 'un mot de passe bien long',
    });
    await press(page, 'Créer mon compte');
    await page.getByRole('link', { name: 'Plus tard' }).click();
    await page.getByRole('link', { name: 'Enregistrer une application' }).click();
    await fillIn(page, { name: 'Carnet', redirect_uris: `${baseUrl}/callback` });
    await press(page, 'Enregistrer une application');
    const [clientId = '', clientSecret = ''] = [
      await textOf(page, 'client-id'),
      await textOf(page, 'client-secret'),
    ].map(String);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('link', { name: 'Intégrer le bouton et le code' }).click();
    await page.waitForURL((url) => url.pathname === at(clientId, '/integrate'));

    // What the developer does with it: an application of their own, with these two values.
    const { serviceName } = service.parts.config;
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
      await press(page, 'Autoriser');
      await page.waitForURL(`${baseUrl}/profile`);
      expect(await textOf(page, 'profile-name')).toBe('Zoé Lefèvre');
      expect(shown.length, shown.join(' ')).toBeLessThanOrEqual(12);
      expect(shown).toEqual([
        '/signup',
        '/account/verify',
        '/console/applications',
        NEW,
        at(clientId, '/secrets/1'),
        at(clientId, '/integrate'),
        '/',
        '/consent',
        '/profile',
      ]);
      expect(faults).toEqual([]);
    } finally {
      await app.close();
      await context.close();
    }
  });
});
