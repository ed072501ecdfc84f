import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, PHONE, signInInTab } from '../support/browser.ts';
import { fetchUserinfo, obtainTokens, openSignedInBrowser } from '../support/oauth-flow.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { insertConsent } from '../support/store-fixtures.ts';
import { createPicture } from '../support/upload.ts';

const browser = await openBrowser();
const service = useTestService();
let userWithPhone: TestUser;
beforeAll(async () => {
  userWithPhone = await service.createUser({
    name: 'Zoé Lefèvre',
    phone: '+33612345678',
    emailVerified: true,
  });
});
afterAll(() => browser?.close());

/** Adds a second session, an owned client, a connected client and a revoked client. */
async function addAccountData(user: TestUser, name: string, redirectUri: string): Promise<void> {
  const session = await openSignedInBrowser(service, user);
  const application = await service.createClient({ name, redirectUris: [redirectUri] });
  const former = await service.createClient({ name: `${name} (ancien)` });
  const scope = 'openid profile email phone';
  for (const client of [application, former]) {
    const { accessToken } = await obtainTokens(service, client, session, { scope });
    await fetchUserinfo(service, accessToken);
  }
  const { csrf = '' } = (await session.get('/account')).hidden;
  await session.post('/account/applications/withdraw', { csrf, client_id: former.clientId });
  const ownedClient = await service.createClient({ name: `${name} (à moi)`, ownerId: user.userId });
  const { userId } = await service.createUser();
  const { database } = service.services;
  await insertConsent(database, {
    userId,
    clientId: ownedClient.clientId,
    scopes: ['openid'],
    now: new Date(),
  });
  await service.services.usage.flush();
}

const openPath = (page: Page, path: string) => page.goto(new URL(path, service.baseUrl).href);

describe.skipIf(browser === undefined)('a rejected profile form', () => {
  test('keeps the values that the user entered', async () => {
    const { page, context } = await openTab(browser, { viewport: PHONE });
    await signInInTab(page, { service, user: userWithPhone });
    await openPath(page, '/account/profile');
    await page.fill('#name', '');
    await page.fill('#phone', '12 34');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await page.waitForLoadState();
    expect(await page.locator('#phone').inputValue()).toBe('12 34');
    expect(await page.locator('.error-summary li').count()).toBe(2);
    await context.close();
  });
});

describe.skipIf(browser === undefined)('the account pages', () => {
  test('work without JavaScript', async () => {
    const { page, context, errors } = await openTab(browser, { javaScript: false });
    const user = await service.createUser({ name: 'Ada' });
    await addAccountData(user, 'Carnet', 'https://carnet.exemple.fr/callback');
    await openPath(page, '/');
    await page.getByRole('link', { name: 'Se connecter' }).click();
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('heading', { name: 'Bonjour Ada', level: 1 }).waitFor();

    const navigation = page.getByRole('navigation', { name: 'Votre compte' });
    await navigation.getByRole('link', { name: 'Profil' }).click();
    await page.getByLabel('Nom').fill('Ada Lovelace');
    await page.getByLabel('Téléphone').fill('06 12 34 56 78');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await page.getByRole('status').filter({ hasText: 'Votre profil a été enregistré.' }).waitFor();
    expect(await page.getByLabel('Téléphone').inputValue()).toBe('+33 6 12 34 56 78');

    await page.getByRole('link', { name: 'Modifier la photo' }).click();
    const pictureFile = await createPicture('#0f766e');
    await page
      .getByLabel('Nouvelle photo')
      .setInputFiles({ name: 'moi.png', mimeType: 'image/png', buffer: pictureFile });
    await page.getByRole('button', { name: 'Utiliser cette photo' }).click();
    await page.getByRole('status').filter({ hasText: 'Votre photo a été mise à jour.' }).waitFor();
    const picture = page.locator('main img');
    expect(await picture.getAttribute('src')).toMatch(/^\/pictures\/[\w-]{43}$/);

    await navigation.getByRole('link', { name: 'Sessions' }).click();
    await page.waitForLoadState();
    expect(await page.locator('.entries > li').count()).toBe(2);
    expect(await page.locator('.entries > li').first().textContent()).toContain('Chrome');
    await page.getByRole('button', { name: /^Fermer la session .*dernière activité/ }).click();
    await page.getByRole('status').filter({ hasText: 'La session est fermée.' }).waitFor();
    await page.waitForLoadState();
    expect(await page.locator('.entries > li').count()).toBe(1);

    await navigation.getByRole('link', { name: 'Applications connectées' }).click();
    const received = page.locator('.entry', { hasText: 'Carnet' }).getByText('Reçu\u202f:').first();
    expect(await received.textContent()).toContain('nom, photo, date de modification du profil');
    await page.getByRole('button', { name: 'Révoquer l’accès donné à Carnet', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'Accès révoqué.' }).waitFor();

    await navigation.getByRole('link', { name: 'Activité' }).click();
    await page.getByRole('heading', { name: 'Ce qui s’est passé dans votre compte', level: 1 }).waitFor();
    const latest = (await page.locator('.entries > li .entry-title').allTextContents()).slice(0, 3);
    expect(latest.map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'Accès révoqué Carnet',
      'Session fermée',
      'Photo modifiée',
    ]);

    await navigation.getByRole('link', { name: 'Vos données' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Télécharger mes données' }).click();
    expect((await download).suggestedFilename()).toMatch(/^account-\d{4}-\d\d-\d\d\.json$/);

    await page.getByRole('link', { name: 'Supprimer mon compte' }).click();
    await page.waitForLoadState();
    expect(await page.locator('main').textContent()).toContain('Carnet (à moi) (une personne l’utilise)');
    await page.getByLabel('Votre adresse e‑mail, pour confirmer').fill(user.email);
    await page.getByRole('button', { name: 'Supprimer définitivement mon compte' }).click();
    await page.getByRole('status').filter({ hasText: 'Votre compte a été supprimé.' }).waitFor();
    await openPath(page, '/account');
    await page.getByRole('heading', { name: 'Se connecter', level: 1 }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});
