// Address and password in Chromium: the mails, and a person's ways through mails, with JavaScript and without.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { violations } from '../support/axe.ts';
import { DESKTOP, openBrowser, openTab, overflow, PHONE } from '../support/browser.ts';
import { authorizeAddress } from '../support/flow.ts';
import { codeIn, lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { PASSWORD, type TestUser, useTestService } from '../support/service.ts';
import { LONG } from '../support/shown-page.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const NEW = 'un tout autre mot de passe';
const go = (page: Page, path: string) => page.goto(new URL(path, service.baseUrl).href);
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

async function signIn(page: Page, user: TestUser): Promise<void> {
  await go(page, '/signin?next=%2Faccount%2Femail');
  await page.fill('#email', user.email);
  await page.fill('#password', user.password);
  await button(page, /^(Se connecter|Sign in)$/);
  await page.waitForURL(/\/account\/email/);
}

describe.skipIf(browser === undefined)('mails', () => {
  test('have no axe violation, and fit a telephone', async () => {
    const { page, context, faults } = await openTab(browser);
    const user = await service.createUser({ name: LONG.name, email: `m${LONG.email}`, locale: 'fr' });
    await signIn(page, user);
    await go(page, '/account/verify');
    await button(page, 'Envoyer un e-mail');
    const mails = await mailsTo(service, user.email);
    expect(mails).toHaveLength(2);
    for (const { id, html = '' } of mails) {
      // As a mail program shows it: without our headers, among which a sandbox keeps axe out.
      await page.goto('about:blank');
      // Its pictures come with the mail.
      await page.setContent(
        html.replace(/cid:[^"]+/g, "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"),
      );
      for (const viewport of [DESKTOP, PHONE])
        for (const theme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: theme });
          await page.setViewportSize(viewport);
          expect(await violations(page), `${theme}, ${viewport.width} px`).toEqual([]);
          expect(await overflow(page), `${theme}, ${viewport.width} px`).toBeLessThanOrEqual(0);
        }
      await go(page, `/dev/mail/${id}/html`);
      expect(await page.locator('a').first().getAttribute('href')).toContain('?token=');
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe.skipIf(browser === undefined)('ways through mails', () => {
  test.each([
    ['without JavaScript', false],
    ['with JavaScript', true],
  ])('a forgotten password on a telephone, %s: back at the application', async (_, javaScript) => {
    const { page, context, faults, shown } = await openTab(browser, { viewport: PHONE, javaScript });
    const user = await service.createUser({ locale: 'fr' });
    const application = await service.createApplication();
    await page.goto(authorizeAddress(service, application).href);
    await page.getByRole('link', { name: 'Mot de passe oublié' }).click();
    await page.getByLabel('Adresse e-mail').fill(user.email);
    await button(page, 'Envoyer le lien');
    await page.getByRole('heading', { name: 'Consultez vos e-mails' }).waitFor();
    await go(page, linkIn(await lastMailTo(service, user.email)));
    await page.getByLabel('Nouveau mot de passe').fill('court');
    await button(page, 'Enregistrer et me connecter');
    await page.locator('.field-error').waitFor();
    await page.getByLabel('Nouveau mot de passe').fill(NEW);
    await button(page, 'Enregistrer et me connecter');
    await page.getByRole('heading', { name: /Partager vos informations/ }).waitFor();
    expect(shown.at(-1)).toBe('/consent');
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each([
    ['without JavaScript', false],
    ['with JavaScript', true],
  ])('sign-up and verification by code, %s', async (_, javaScript) => {
    const { page, context, faults } = await openTab(browser, { viewport: PHONE, javaScript });
    const email = `camille.${javaScript}@exemple.fr`;
    await go(page, '/signup?next=%2Faccount%2Fverify');
    await page.getByLabel('Nom').fill('Camille');
    await page.getByLabel('Adresse e-mail').fill(email);
    await page.getByLabel('Mot de passe').fill(PASSWORD);
    await button(page, 'Créer mon compte');
    await page.getByLabel('Code reçu par e-mail').fill(codeIn(await lastMailTo(service, email)));
    await button(page, 'Vérifier le code');
    await page.getByRole('status').filter({ hasText: 'votre adresse est vérifiée' }).waitFor();
    expect((await findUserByEmail(service.parts.database, email))?.emailVerified).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('another address, read in development’s mails, its link followed by mouse', async () => {
    const { page, context, faults } = await openTab(browser);
    const user = await service.createUser({ locale: 'fr' });
    await signIn(page, user);
    await page.getByLabel('Nouvelle adresse e-mail').fill('nouvelle@exemple.fr');
    await button(page, 'Envoyer l’e-mail de confirmation');
    await page.getByRole('status').filter({ hasText: 'E-mail envoyé' }).waitFor();
    await lastMailTo(service, 'nouvelle@exemple.fr');
    await go(page, '/dev/mail');
    await page.getByRole('link', { name: 'Confirmez votre nouvelle adresse' }).first().click();
    await page.getByRole('link', { name: 'Voir la version mise en forme' }).click();
    await page.getByRole('link', { name: 'Confirmer ma nouvelle adresse' }).click();
    await button(page, 'Utiliser cette adresse');
    await page.getByRole('heading', { name: 'C’est confirmé' }).waitFor();
    await page.getByRole('link', { name: 'Aller à mon compte' }).click();
    await page.waitForLoadState();
    expect(await page.locator('main').textContent()).toContain('nouvelle@exemple.fr');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a stolen account: « Ce n’était pas moi », then a new password', async () => {
    const { page, context } = await openTab(browser, { viewport: PHONE });
    const user = await service.createUser({ locale: 'fr' });
    const thief = await openTab(browser);
    await signIn(thief.page, user);
    await go(thief.page, '/account/password');
    await thief.page.getByLabel('Votre mot de passe actuel').fill(PASSWORD);
    await thief.page.getByLabel('Nouveau mot de passe').fill(NEW);
    await button(thief.page, 'Changer de mot de passe');
    await thief.page.getByRole('status').filter({ hasText: 'a été changé' }).waitFor();

    await go(page, linkIn(await lastMailTo(service, user.email)));
    await button(page, 'Ce n’était pas moi, tout arrêter');
    await page.getByRole('link', { name: 'Choisir un nouveau mot de passe' }).click();
    await page.getByLabel('Adresse e-mail').fill(user.email);
    await button(page, 'Envoyer le lien');
    await page.getByRole('heading', { name: 'Consultez vos e-mails' }).waitFor();
    await go(page, linkIn(await lastMailTo(service, user.email)));
    await page.getByLabel('Nouveau mot de passe').fill('encore un autre mot de passe');
    await button(page, 'Enregistrer et me connecter');
    await page.getByRole('status').filter({ hasText: 'votre session est ouverte' }).waitFor();
    await thief.page.reload();
    expect(new URL(thief.page.url()).pathname).toBe('/signin');
    await Promise.all([context.close(), thief.context.close()]);
  });
});
