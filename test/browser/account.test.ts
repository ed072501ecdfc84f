// The account in Chromium: a person's way through it with JavaScript and without.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enter, openBrowser, openTab, PHONE } from '../support/browser.ts';
import { obtainTokens, signedInBrowser, userinfo } from '../support/flow.ts';
import { rememberConsent } from '../support/populate.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { samplePicture } from '../support/upload.ts';

const browser = await openBrowser();
const service = useTestService();
let full: TestUser;
beforeAll(async () => {
  full = await service.createUser({ name: 'Zoé Lefèvre', phone: '+33612345678', emailVerified: true });
});
afterAll(() => browser?.close());

/** Gives somebody an application that read something, one that no longer may, one of their own, and a second session. */
async function fill(user: TestUser, name: string, callback: string): Promise<void> {
  const session = await signedInBrowser(service, user);
  const application = await service.createApplication({ name, redirectUris: [callback] });
  const former = await service.createApplication({ name: `${name} (ancien)` });
  const scope = 'openid profile email phone';
  for (const one of [application, former]) {
    const { accessToken } = await obtainTokens(service, one, session, { scope });
    await userinfo(service, accessToken);
  }
  const { csrf = '' } = (await session.get('/account')).hidden;
  await session.post('/account/applications/withdraw', { csrf, client_id: former.clientId });
  const own = await service.createApplication({ name: `${name} (à moi)`, ownerId: user.userId });
  const { userId } = await service.createUser();
  const { database } = service.parts;
  await rememberConsent(database, { userId, clientId: own.clientId, scopes: ['openid'], now: new Date() });
  await service.parts.usage.flush();
}

const go = (page: Page, path: string) => page.goto(new URL(path, service.baseUrl).href);

describe.skipIf(browser === undefined)('forms with faults', () => {
  test('keep what was typed', async () => {
    const { page, context } = await openTab(browser, { viewport: PHONE });
    await enter(page, { service, user: full });
    await go(page, '/account/profile');
    await page.fill('#name', '');
    await page.fill('#phone', '12 34');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await page.waitForLoadState();
    expect(await page.locator('#phone').inputValue()).toBe('12 34');
    expect(await page.locator('.error-summary li').count()).toBe(2);
    await context.close();
  });
});

describe.skipIf(browser === undefined)('a person’s way through the account', () => {
  test('without JavaScript: profile, picture, other sessions, applications, all data, deletion', async () => {
    const { page, context, faults } = await openTab(browser, { javaScript: false });
    const user = await service.createUser({ name: 'Ada' });
    await fill(user, 'Carnet', 'https://carnet.exemple.fr/callback');
    await go(page, '/');
    await page.getByRole('link', { name: 'Se connecter' }).click();
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('heading', { name: 'Bonjour Ada', level: 1 }).waitFor();

    const parts = page.getByRole('navigation', { name: 'Votre compte' });
    await parts.getByRole('link', { name: 'Profil' }).click();
    await page.getByLabel('Nom').fill('Ada Lovelace');
    await page.getByLabel('Téléphone').fill('06 12 34 56 78');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await page.getByRole('status').filter({ hasText: 'Votre profil a été enregistré.' }).waitFor();
    expect(await page.getByLabel('Téléphone').inputValue()).toBe('+33 6 12 34 56 78');

    await page.getByRole('link', { name: 'Modifier la photo' }).click();
    const content = await samplePicture('#0f766e');
    await page
      .getByLabel('Nouvelle photo')
      .setInputFiles({ name: 'moi.png', mimeType: 'image/png', buffer: content });
    await page.getByRole('button', { name: 'Utiliser cette photo' }).click();
    await page.getByRole('status').filter({ hasText: 'Votre photo a été mise à jour.' }).waitFor();
    const picture = page.locator('main img');
    expect(await picture.getAttribute('src')).toMatch(/^\/pictures\/[\w-]{43}$/);

    await parts.getByRole('link', { name: 'Sessions' }).click();
    await page.waitForLoadState();
    expect(await page.locator('.connected > li').count()).toBe(2);
    expect(await page.locator('.connected > li').first().textContent()).toContain('Chrome');
    await page.getByRole('button', { name: /^Fermer .*dernière activité/ }).click();
    await page.getByRole('status').filter({ hasText: 'La session est fermée.' }).waitFor();
    await page.waitForLoadState();
    expect(await page.locator('.connected > li').count()).toBe(1);

    await parts.getByRole('link', { name: 'Applications connectées' }).click();
    const received = page.locator('.connected .lines').last();
    expect(await received.textContent()).toContain('nom, photo, date de modification du profil');
    await page.getByRole('button', { name: 'Révoquer l’accès donné à Carnet', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'Accès révoqué.' }).waitFor();

    await parts.getByRole('link', { name: 'Vos données' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Télécharger mes données' }).click();
    expect((await download).suggestedFilename()).toMatch(/^account-\d{4}-\d\d-\d\d\.json$/);

    await page.getByRole('link', { name: 'Supprimer mon compte' }).click();
    await page.waitForLoadState();
    expect(await page.locator('main').textContent()).toContain('Carnet (à moi) (une personne l’utilise)');
    await page.getByLabel('Saisissez votre adresse e-mail').fill(user.email);
    await page.getByRole('button', { name: 'Supprimer définitivement mon compte' }).click();
    await page.getByRole('status').filter({ hasText: 'Votre compte a été supprimé.' }).waitFor();
    await go(page, '/account');
    await page.getByRole('heading', { name: 'Se connecter', level: 1 }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
