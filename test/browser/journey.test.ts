// The complete flow, from the sign-in button to logout.
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

const LIST_LIVE_GRANTS = statement(
  'test_live_grants',
  `select g.id from grants g join users u on u.id = g.user_id where u.email = $1 and g.revoked_at is null`,
);
const countLiveGrants = async (email: string) =>
  (await service.services.database.query(LIST_LIVE_GRANTS, [email])).length;

describe.skipIf(browser === undefined)('a user', () => {
  test.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('consents to the example client once (%s)', async (_, javaScript) => {
    const { page, errors, visitedPaths } = await openTab(browser, { javaScript });
    const email = `zoe-${javaScript}@exemple.fr`;
    const readElementText = (id: string) => page.locator(`#${id}`).textContent();

    await page.goto(client.baseUrl);
    await page.getByRole('link', { name: 'Se connecter avec Sésame', exact: true }).click();
    await page.getByRole('heading', { name: 'Se connecter', level: 1 }).waitFor();
    expect(await page.locator('.destination').textContent()).toBe(
      `pour continuer vers Carnet ${new URL(client.baseUrl).host}`,
    );

    await page.getByRole('link', { name: 'Créer un compte' }).click();
    await page.getByLabel('Nom').fill('Zoé Lefèvre');
    await page.getByLabel('Adresse e‑mail').fill(email);
    await page.getByLabel('Mot de passe').fill('un mot de passe bien long');
    await page.getByRole('button', { name: 'Créer mon compte' }).click();

    await page.getByRole('heading', { name: 'Partager vos informations avec Carnet\u202f?' }).waitFor();
    expect(await page.locator('main').textContent()).toContain(email);
    expect(await page.getByRole('button').allTextContents()).toEqual(['Refuser', 'Autoriser']);
    expect(await countLiveGrants(email), 'no access is granted before the user decides').toBe(0);
    await page.getByRole('button', { name: 'Autoriser' }).click();

    await page.waitForURL(`${client.baseUrl}/profile`);
    expect(await readElementText('profile-name')).toBe('Zoé Lefèvre');
    expect(await readElementText('profile-email')).toBe(email);
    expect(await readElementText('profile-email-verified')).toBe('non');
    expect(await readElementText('scope')).toBe('openid profile email');
    const picture = page.locator('#profile-avatar');
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(256);
    const sub = await readElementText('profile-sub');

    const readTokenFingerprints = async () => [
      await readElementText('access-token-fingerprint'),
      await readElementText('refresh-token-fingerprint'),
    ];
    const previousFingerprints = await readTokenFingerprints();
    await page.getByRole('button', { name: 'Renouveler l’accès' }).click();
    expect(await readElementText('message')).toBe('L’accès a été renouvelé.');
    const newFingerprints = await readTokenFingerprints();
    expect(newFingerprints[0]).not.toBe(previousFingerprints[0]);
    expect(newFingerprints[1], 'each refresh returns a new refresh token').not.toBe(previousFingerprints[1]);
    expect(await countLiveGrants(email)).toBe(1);

    await page.getByRole('button', { name: 'Se déconnecter' }).click();
    expect(await readElementText('message')).toContain('Vous avez quitté Carnet et Sésame.');
    expect(await countLiveGrants(email), 'logout revokes the grant').toBe(0);

    const previousPageCount = visitedPaths.length;
    await page.getByRole('link', { name: 'Se connecter avec Sésame' }).click();
    await page.getByLabel('Adresse e‑mail').fill(email);
    await page.getByLabel('Mot de passe').fill('un mot de passe bien long');
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.waitForURL(`${client.baseUrl}/profile`);
    expect(
      visitedPaths.slice(previousPageCount),
      'the user was also signed out of the service, but consent is remembered',
    ).toEqual(['/signin', '/profile']);
    expect(await readElementText('profile-sub'), 'the client receives the same subject').toBe(sub);
    expect(errors).toEqual([]);
  });

  test('can revoke the example client’s access', async () => {
    const { page, errors } = await openTab(browser);
    const user = await service.createUser();
    await page.goto(`${client.baseUrl}/login`);
    await page.getByLabel('Adresse e‑mail').fill(user.email);
    await page.getByLabel('Mot de passe').fill(user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('button', { name: 'Autoriser' }).click();
    await page.waitForURL(`${client.baseUrl}/profile`);

    await page.goto(`${service.baseUrl}/account/applications`);
    await page.getByRole('button', { name: 'Révoquer l’accès donné à Carnet', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'Accès révoqué.' }).waitFor();
    await page.waitForLoadState();
    expect(await page.locator('.entries').count()).toBe(0);

    await page.goto(`${client.baseUrl}/profile`);
    expect(await page.locator('#message').textContent()).toContain('a mis fin à l’accès de Carnet');
    await page.goto(`${client.baseUrl}/login`);
    await page.getByRole('heading', { name: /^Partager vos informations/ }).waitFor();
    expect(errors).toEqual([]);
  });
});
