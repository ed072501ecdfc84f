// Email and password flows, including the emails and their links.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { findViolations } from '../support/axe.ts';
import { DESKTOP, measureOverflow, openBrowser, openTab, PHONE } from '../support/browser.ts';
import { findLastEmailTo, listEmailsTo, readCode, readLink } from '../support/emails.ts';
import { buildAuthorizeUrl } from '../support/oauth-flow.ts';
import { LONG_VALUES } from '../support/page-renderer.ts';
import { PASSWORD, type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const NEW_PASSWORD = 'un tout autre mot de passe';
const openPath = (page: Page, path: string) => page.goto(new URL(path, service.baseUrl).href);
const clickButton = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

async function signIn(page: Page, user: TestUser): Promise<void> {
  await openPath(page, '/signin?next=%2Faccount%2Femail');
  await page.fill('#email', user.email);
  await page.fill('#password', user.password);
  await clickButton(page, /^(Se connecter|Sign in)$/);
  await page.waitForURL(/\/account\/email/);
}

describe.skipIf(browser === undefined)('emails', () => {
  test('have no accessibility violations on a phone', async () => {
    const { page, context, errors } = await openTab(browser);
    const user = await service.createUser({
      name: LONG_VALUES.name,
      email: `m${LONG_VALUES.email}`,
      locale: 'fr',
    });
    await signIn(page, user);
    await openPath(page, '/account/verify');
    await clickButton(page, 'Recevoir l’e‑mail de vérification');
    const emails = await listEmailsTo(service, user.email);
    expect(emails).toHaveLength(2);
    for (const { id, html = '' } of emails) {
      // The development mailbox's sandbox blocks axe.
      await page.goto('about:blank');
      // Only mail clients can load `cid:` URLs.
      await page.setContent(
        html.replace(/cid:[^"]+/g, "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"),
      );
      for (const viewport of [DESKTOP, PHONE])
        for (const theme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: theme });
          await page.setViewportSize(viewport);
          expect(await findViolations(page), `${theme}, ${viewport.width} px`).toEqual([]);
          expect(await measureOverflow(page), `${theme}, ${viewport.width} px`).toBeLessThanOrEqual(0);
        }
      await openPath(page, `/dev/mail/${id}/html`);
      expect(await page.locator('a').first().getAttribute('href')).toContain('?token=');
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe.skipIf(browser === undefined)('a user', () => {
  test.each([
    ['without JavaScript', false],
    ['with JavaScript', true],
  ])('can reset a forgotten password on a phone (%s)', async (_, javaScript) => {
    const { page, context, errors, visitedPaths } = await openTab(browser, { viewport: PHONE, javaScript });
    const user = await service.createUser({ locale: 'fr' });
    const application = await service.createClient();
    await page.goto(buildAuthorizeUrl(service, application).href);
    await page.getByRole('link', { name: 'Mot de passe oublié' }).click();
    await page.getByLabel('Adresse e‑mail').fill(user.email);
    await clickButton(page, 'Envoyer le lien');
    await page.getByRole('heading', { name: 'Consultez vos e‑mails' }).waitFor();
    await openPath(page, readLink(await findLastEmailTo(service, user.email)));
    await page.getByLabel('Nouveau mot de passe').fill('court');
    await clickButton(page, 'Enregistrer et me connecter');
    await page.locator('.field-error').waitFor();
    await page.getByLabel('Nouveau mot de passe').fill(NEW_PASSWORD);
    await clickButton(page, 'Enregistrer et me connecter');
    await page.getByRole('heading', { name: /Partager vos informations/ }).waitFor();
    expect(visitedPaths.at(-1)).toBe('/consent');
    expect(errors).toEqual([]);
    await context.close();
  });

  test.each([
    ['without JavaScript', false],
    ['with JavaScript', true],
  ])('can sign up and verify an email address (%s)', async (_, javaScript) => {
    const { page, context, errors } = await openTab(browser, { viewport: PHONE, javaScript });
    const email = `camille.${javaScript}@exemple.fr`;
    await openPath(page, '/signup?next=%2Faccount%2Fverify');
    await page.getByLabel('Nom').fill('Camille');
    await page.getByLabel('Adresse e‑mail').fill(email);
    await page.getByLabel('Mot de passe').fill(PASSWORD);
    await clickButton(page, 'Créer mon compte');
    await page.getByLabel('Code reçu par e‑mail').fill(readCode(await findLastEmailTo(service, email)));
    await clickButton(page, 'Vérifier le code');
    await page.getByRole('status').filter({ hasText: 'votre adresse est vérifiée' }).waitFor();
    expect((await findUserByEmail(service.services.database, email))?.emailVerified).toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('can confirm a new email address through the emailed link', async () => {
    const { page, context, errors } = await openTab(browser);
    const user = await service.createUser({ locale: 'fr' });
    await signIn(page, user);
    await page.getByLabel('Nouvelle adresse e‑mail').fill('nouvelle@exemple.fr');
    await clickButton(page, 'Envoyer l’e‑mail de confirmation');
    await page.getByRole('status').filter({ hasText: 'E‑mail envoyé' }).waitFor();
    await findLastEmailTo(service, 'nouvelle@exemple.fr');
    await openPath(page, '/dev/mail');
    await page.getByRole('link', { name: 'Confirmez votre nouvelle adresse' }).first().click();
    await page.getByRole('link', { name: 'Voir la version mise en forme' }).click();
    await page.getByRole('link', { name: 'Confirmer ma nouvelle adresse' }).click();
    await clickButton(page, 'Utiliser cette adresse');
    await page.getByRole('heading', { name: 'C’est confirmé' }).waitFor();
    await page.getByRole('link', { name: 'Aller à mon compte' }).click();
    await page.waitForLoadState();
    expect(await page.locator('main').textContent()).toContain('nouvelle@exemple.fr');
    expect(errors).toEqual([]);
    await context.close();
  });

  test('can report an unauthorized password change through the emailed link', async () => {
    const { page, context } = await openTab(browser, { viewport: PHONE });
    const user = await service.createUser({ locale: 'fr' });
    const thief = await openTab(browser);
    await signIn(thief.page, user);
    await openPath(thief.page, '/account/password');
    await thief.page.getByLabel('Votre mot de passe actuel').fill(PASSWORD);
    await thief.page.getByLabel('Nouveau mot de passe').fill(NEW_PASSWORD);
    await clickButton(thief.page, 'Changer de mot de passe');
    await thief.page.getByRole('status').filter({ hasText: 'a été changé' }).waitFor();

    await openPath(page, readLink(await findLastEmailTo(service, user.email)));
    await clickButton(page, 'Ce n’était pas moi, tout arrêter');
    await page.getByRole('link', { name: 'Choisir un nouveau mot de passe' }).click();
    await page.getByLabel('Adresse e‑mail').fill(user.email);
    await clickButton(page, 'Envoyer le lien');
    await page.getByRole('heading', { name: 'Consultez vos e‑mails' }).waitFor();
    await openPath(page, readLink(await findLastEmailTo(service, user.email)));
    await page.getByLabel('Nouveau mot de passe').fill('encore un autre mot de passe');
    await clickButton(page, 'Enregistrer et me connecter');
    await page.getByRole('status').filter({ hasText: 'votre session est ouverte' }).waitFor();
    await thief.page.reload();
    expect(new URL(thief.page.url()).pathname).toBe('/signin');
    await Promise.all([context.close(), thief.context.close()]);
  });
});
