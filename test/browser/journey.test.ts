// The whole journey in Chromium, with JavaScript and without: button, sign-up, consent, profile, renewal, logout.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowser, openTab } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
let client: ExampleClient;
beforeAll(async () => {
  client = await startExampleClient(service);
});
afterAll(async () => {
  await browser?.close();
  await client.close();
});

const LIVE_GRANTS = statement(
  'test_live_grants',
  `select g.id from grants g join users u on u.id = g.user_id where u.email = $1 and g.revoked_at is null`,
);
const liveGrants = async (email: string) => (await service.parts.database.query(LIVE_GRANTS, [email])).length;

describe.skipIf(browser === undefined)('a person and the example application', () => {
  test.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])(
    '%s: button, sign-up, consent, profile, renewal, logout here and there, and back without consent (D7)',
    async (_, javaScript) => {
      const { page, faults, shown } = await openTab(browser, { javaScript });
      const email = `zoe-${javaScript}@exemple.fr`;
      const text = (id: string) => page.locator(`#${id}`).textContent();

      await page.goto(client.baseUrl);
      await page.getByRole('link', { name: 'Se connecter avec Sésame', exact: true }).click();
      await page.getByRole('heading', { name: 'Se connecter', level: 1 }).waitFor();
      expect(await page.locator('.destination').textContent()).toBe(
        `pour continuer vers Carnet ${new URL(client.baseUrl).host}`,
      );

      await page.getByRole('link', { name: 'Créer un compte' }).click();
      await page.getByLabel('Nom').fill('Zoé Lefèvre');
      await page.getByLabel('Adresse e-mail').fill(email);
      await page.getByLabel('Mot de passe').fill('un mot de passe bien long');
      await page.getByRole('button', { name: 'Créer mon compte' }).click();

      await page.getByRole('heading', { name: 'Partager vos informations avec Carnet\u202f?' }).waitFor();
      expect(await page.locator('main').textContent()).toContain(email);
      expect(await page.getByRole('button').allTextContents()).toEqual(['Refuser', 'Autoriser']);
      expect(await liveGrants(email), 'nothing is granted before the answer').toBe(0);
      await page.getByRole('button', { name: 'Autoriser' }).click();

      await page.waitForURL(`${client.baseUrl}/profile`);
      expect(await text('profile-name')).toBe('Zoé Lefèvre');
      expect(await text('profile-email')).toBe(email);
      expect(await text('profile-email-verified')).toBe('non');
      expect(await text('scope')).toBe('openid profile email');
      const picture = page.locator('#profile-avatar');
      await expect
        .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
        .toBe(256);
      const sub = await text('profile-sub');

      const fingerprints = async () => [
        await text('access-token-fingerprint'),
        await text('refresh-token-fingerprint'),
      ];
      const before = await fingerprints();
      await page.getByRole('button', { name: 'Renouveler l’accès' }).click();
      expect(await text('message')).toBe('L’accès a été renouvelé.');
      const after = await fingerprints();
      expect(after[0]).not.toBe(before[0]);
      expect(after[1], 'every renewal brings a new refresh token').not.toBe(before[1]);
      expect(await liveGrants(email)).toBe(1);

      await page.getByRole('button', { name: 'Se déconnecter' }).click();
      expect(await text('message')).toContain('Vous avez quitté Carnet et Sésame.');
      expect(await liveGrants(email), 'logout revokes').toBe(0);

      const pagesBefore = shown.length;
      await page.getByRole('link', { name: 'Se connecter avec Sésame' }).click();
      await page.getByLabel('Adresse e-mail').fill(email);
      await page.getByLabel('Mot de passe').fill('un mot de passe bien long');
      await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
      await page.waitForURL(`${client.baseUrl}/profile`);
      expect(shown.slice(pagesBefore), 'signed out there, too; consent is remembered').toEqual([
        '/signin',
        '/profile',
      ]);
      expect(await text('profile-sub'), 'the same person').toBe(sub);
      expect(faults).toEqual([]);
    },
  );

  test('withdraws on the account page: the application is told at its next step (D28)', async () => {
    const { page, faults } = await openTab(browser);
    const user = await service.createUser();
    await page.goto(`${client.baseUrl}/login`);
    await page.getByLabel('Adresse e-mail').fill(user.email);
    await page.getByLabel('Mot de passe').fill(user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('button', { name: 'Autoriser' }).click();
    await page.waitForURL(`${client.baseUrl}/profile`);

    await page.goto(`${service.baseUrl}/account/applications`);
    await page.getByRole('button', { name: 'Révoquer l’accès donné à Carnet', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'Accès révoqué.' }).waitFor();
    await page.waitForLoadState();
    expect(await page.locator('.connected').count()).toBe(0);

    await page.goto(`${client.baseUrl}/profile`);
    expect(await page.locator('#message').textContent()).toContain('a mis fin à l’accès de Carnet');
    await page.goto(`${client.baseUrl}/login`);
    await page.getByRole('heading', { name: /^Partager vos informations/ }).waitFor();
    expect(faults).toEqual([]);
  });
});
