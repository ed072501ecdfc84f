// Passkeys in Chromium with a virtual authenticator.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RECENT_SIGN_IN_TTL } from '../../src/oauth/lifetimes.ts';
import {
  addVirtualAuthenticator,
  openBrowser,
  openTab,
  PHONE,
  recordSignals,
  type Tab,
  type VirtualAuthenticator,
} from '../support/browser.ts';
import { apiPath, clientPath, submitForm } from '../support/console-forms.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

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

const SIGN_IN_BUTTON = 'Se connecter avec une clé d’accès';

/** Signs in with a password, then creates a passkey. */
async function createOfferedPasskey(
  page: Page,
  authenticator: VirtualAuthenticator,
  user: TestUser,
): Promise<void> {
  // Prevent autofill from using an existing passkey.
  await authenticator.setUserPresent(false);
  await page.goto(`${service.baseUrl}/signin?next=%2Faccount%2Fsecurity`);
  await page.fill('#email', user.email);
  await page.fill('#password', user.password);
  await page.click('form:has(#password) button[type=submit]');
  await page.waitForURL('**/account/security/passkeys/offer**');
  await authenticator.setUserPresent(true);
  await page.click('button:has-text("Créer une clé d’accès")');
  await page.waitForURL('**/account/security');
}

async function openTabWithPasskey(options: Parameters<typeof openTab>[1] = {}) {
  const tab = await openTab(browser, options);
  const authenticator = await addVirtualAuthenticator(tab.page);
  const user = await service.createUser({ locale: 'fr' });
  await createOfferedPasskey(tab.page, authenticator, user);
  return { ...tab, authenticator, user };
}

const clearCookies = ({ context }: Pick<Tab, 'context'>) => context.clearCookies();

async function openSignInPage({ page }: Pick<Tab, 'page'>, authenticator: VirtualAuthenticator) {
  await authenticator.setUserPresent(false);
  await page.goto(`${service.baseUrl}/signin`);
  await page.getByRole('button', { name: SIGN_IN_BUTTON }).waitFor();
  await authenticator.setUserPresent(true);
}

describe.skipIf(browser === undefined)('a passkey', () => {
  test('signs the user in with two clicks', async () => {
    const { page, errors, ...tab } = await openTabWithPasskey({ viewport: PHONE });
    // Consent is stored, so the second sign-in shows no consent page.
    await page.goto(client.baseUrl);
    await page.click('a.service-signin-btn');
    await page.click('button[value=allow]');
    await page.waitForURL(`${client.baseUrl}/**`);
    await clearCookies(tab);
    await tab.authenticator.setUserPresent(false);

    await page.goto(client.baseUrl);
    let clicks = 0;
    const click = async (selector: string) => {
      await page.click(selector);
      clicks += 1;
    };
    await click('a.service-signin-btn');
    await page.getByRole('button', { name: SIGN_IN_BUTTON }).waitFor();
    await tab.authenticator.setUserPresent(true);
    await click(`button:has-text("${SIGN_IN_BUTTON}")`);
    await page.waitForURL(`${client.baseUrl}/profile`);
    expect(await page.textContent('body')).toContain(tab.user.email);
    expect(clicks).toBe(2);
    expect(errors).toEqual([]);
  });

  test('is suggested by autofill in the email field', async () => {
    const { page, user, ...tab } = await openTabWithPasskey();
    await clearCookies(tab);
    await page.goto(`${service.baseUrl}/signin`);
    // The virtual authenticator selects the passkey without a click.
    await page.waitForURL('**/account');
    expect(await page.textContent('header')).toContain(user.name);
  });

  test('can be used after a failed user verification', async () => {
    const { page, authenticator, ...tab } = await openTabWithPasskey();
    await clearCookies(tab);
    await authenticator.setUserVerified(false);
    await openSignInPage({ page }, authenticator);
    await page.click(`button:has-text("${SIGN_IN_BUTTON}")`);
    await page.waitForSelector('.passkey-status:has-text("Rien n’a été fait")');
    expect(new URL(page.url()).pathname).toBe('/signin');
    await authenticator.setUserVerified(true);
    await page.click(`button:has-text("${SIGN_IN_BUTTON}")`);
    await page.waitForURL('**/account');
  });

  test('is reported to the device as unknown after its removal', async () => {
    const { page, authenticator, user, ...tab } = await openTabWithPasskey();
    await clearCookies(tab);
    const [id = ''] = await authenticator.listCredentialIds();
    await sql(service.services.database, 'delete from passkeys where user_id = $1', [user.userId]);
    await openSignInPage({ page }, authenticator);
    await page.click(`button:has-text("${SIGN_IN_BUTTON}")`);
    await page.waitForSelector('.error-summary');
    expect(await page.textContent('.error-summary')).toContain('n’appartient à aucun compte ici');
    await expect.poll(async () => (await authenticator.listCredentialIds()).includes(id)).toBe(false);
  });

  test('cannot be created twice on one device', async () => {
    const { page } = await openTabWithPasskey();
    await page.click('text=Créer une clé d’accès');
    await page.click('button:has-text("Créer une clé d’accès")');
    await page.waitForSelector('.passkey-status:has-text("a déjà une clé d’accès")');
  });

  test('is requested with a new challenge before the challenge expires', async () => {
    const { page } = await openTab(browser);
    await page.clock.install();
    await page.goto(`${service.baseUrl}/signin`);
    const readOptions = () => page.getAttribute('[data-passkey=sign-in]', 'data-options');
    const previousOptions = await readOptions();
    await page.clock.fastForward(4 * 60_000 + 1000);
    await expect.poll(readOptions).not.toBe(previousOptions);
  });

  test('is deleted from the device when the user removes it', async () => {
    const { page, authenticator } = await openTabWithPasskey();
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    await page.reload();
    await page.click('a:has-text("Retirer")');
    await page.click('button:has-text("Retirer la clé d’accès")');
    await page.waitForURL('**/account/security?done=passkey-removed');
    await expect.poll(() => authenticator.listCredentialIds()).toEqual([]);
  });

  test('re-authenticates the user without loss of form data', async () => {
    const { page, user } = await openTabWithPasskey();
    const api = await service.createApi({ ownerId: user.userId });
    const clientOwner = await service.createUser();
    const { clientId } = await service.createClient({ ownerId: clientOwner.userId });
    const accessRequest = { identifier: api.identifier, scopes: 'read' };
    await submitForm(
      await openSignedInBrowser(service, clientOwner),
      clientPath(clientId, '/apis'),
      accessRequest,
    );
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    await page.goto(`${service.baseUrl}${apiPath(api.apiId, '/requests/answer')}?client_id=${clientId}`);
    await page.click('button[value=grant]');
    await page.waitForURL('**/requests?done=granted');
  });

  test('is not needed for re-authentication with password and code', async () => {
    const { page, user, authenticator } = await openTabWithPasskey();
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    await page.reload();
    await page.click('a:has-text("Retirer")');
    await authenticator.setUserPresent(false);
    await page.click('summary:has-text("Confirmer autrement")');
    await page.fill('#current_password', user.password);
    await page.click('button:has-text("Retirer la clé d’accès")');
    await page.waitForSelector('#confirmation_code-error:has-text("code de secours")');
  });

  test('can be created on a second attempt without re-authentication', async () => {
    const { page } = await openTabWithPasskey();
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    await page.reload();
    await page.click('text=Créer une clé d’accès');
    const calls: string[] = [];
    await page.exposeFunction('recordCall', (method: string) => calls.push(method));
    await page.evaluate(`for (const method of ['get', 'create']) {
      const original = navigator.credentials[method].bind(navigator.credentials);
      navigator.credentials[method] = (options) => (recordCall(method), original(options));
    }`);
    for (const creations of [1, 2]) {
      await page.click('button:has-text("Créer une clé d’accès")');
      await expect.poll(() => calls.filter((method) => method === 'create').length).toBe(creations);
      await page.waitForSelector('.passkey-status:has-text("a déjà une clé d’accès")');
    }
    expect(calls).toEqual(['get', 'create', 'create']);
  });

  test('is updated on the device when the user’s name changes', async () => {
    const { page, user } = await openTabWithPasskey();
    const signals = await recordSignals(page);
    await page.goto(`${service.baseUrl}/account/profile`);
    await page.fill('#name', 'Nouveau Nom');
    await page.click('main button[type=submit]');
    await page.goto(`${service.baseUrl}/account/security`);
    const currentUser = expect.objectContaining({ name: user.email, displayName: 'Nouveau Nom' });
    await expect
      .poll(() => signals)
      .toContainEqual({ signal: 'CurrentUserDetails', parameters: currentUser });
    expect(signals.map(({ signal }) => signal)).toContain('AllAcceptedCredentials');
  });

  test('is suggested at most every two weeks', async () => {
    const { page, context } = await openTab(browser, { viewport: PHONE });
    await addVirtualAuthenticator(page);
    const user = await service.createUser({ locale: 'fr' });
    const signInWithPassword = async () => {
      await context.clearCookies();
      await page.goto(client.baseUrl);
      await page.click('a.service-signin-btn');
      await page.fill('#email', user.email);
      await page.fill('#password', user.password);
      await page.click('form:has(#password) button[type=submit]');
    };
    await signInWithPassword();
    await page.waitForURL('**/account/security/passkeys/offer**');
    await page.click('a[hreflang=en]');
    expect(await page.textContent('h1')).toBe('Sign in here without a password?');
    await page.click('button:has-text("Later")');
    await page.waitForURL('**/consent**');
    await signInWithPassword();
    await page.waitForURL('**/consent**');
  });

  test('is not offered for sign-in if JavaScript is disabled', async () => {
    const { page } = await openTab(browser, { javaScript: false });
    await page.goto(`${service.baseUrl}/signin`);
    expect(await page.getByRole('button', { name: SIGN_IN_BUTTON }).isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Se connecter', exact: true }).isVisible()).toBe(true);
  });

  test('can be removed by entering the password if JavaScript is disabled', async () => {
    const { context, user } = await openTabWithPasskey();
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const { page, ...tabWithoutScript } = await openTab(browser, { javaScript: false });
    await tabWithoutScript.context.addCookies(await context.cookies());
    await page.goto(`${service.baseUrl}/account/security/passkeys/new`);
    const scriptNotice = page.locator('noscript .notice');
    expect(await scriptNotice.isVisible()).toBe(true);
    expect(await scriptNotice.textContent()).toContain(
      'il faut un navigateur récent où JavaScript est activé',
    );
    expect(await page.locator('main button:visible').count()).toBe(0);
    await page.goto(`${service.baseUrl}/account/security`);
    await page.click('a:has-text("Retirer")');
    await page.waitForLoadState();
    expect(await page.getByRole('button', { name: 'Confirmer avec' }).isVisible()).toBe(false);
    expect(await page.locator('summary:has-text("Confirmer autrement")').isVisible()).toBe(false);
    expect(await page.locator('#current_password').isVisible()).toBe(true);
    await page.fill('#current_password', user.password);
    expect(await page.getByRole('button', { name: 'Retirer la clé d’accès' }).isVisible()).toBe(true);
  });
});
