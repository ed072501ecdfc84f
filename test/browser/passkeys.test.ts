// Passkeys in a real browser, with the authenticator that it carries for tests: made, offered, used, refused, removed.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RECENT_SIGN_IN } from '../../src/oauth/lifetimes.ts';
import {
  giveAuthenticator,
  openBrowser,
  openTab,
  PHONE,
  recordSignals,
  type Tab,
  type VirtualAuthenticator,
} from '../support/browser.ts';
import { at, atApi, fill } from '../support/console.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { signedInBrowser } from '../support/flow.ts';
import { sql } from '../support/populate.ts';
import { type TestUser, useTestService } from '../support/service.ts';

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

const BUTTON = 'Se connecter avec une clé d’accès';

/** Signs in with a password and makes a passkey, as people do. */
async function makePasskey(page: Page, authenticator: VirtualAuthenticator, user: TestUser): Promise<void> {
  await authenticator.touched(false); // another one would offer itself
  await page.goto(`${service.baseUrl}/signin?next=%2Faccount%2Fsecurity`);
  await page.fill('#email', user.email);
  await page.fill('#password', user.password);
  await page.click('form:has(#password) button[type=submit]');
  await page.waitForURL('**/account/security/passkeys/offer**');
  await authenticator.touched(true);
  await page.click('button:has-text("Créer une clé d’accès")');
  await page.waitForURL('**/account/security');
}

async function holder(options: Parameters<typeof openTab>[1] = {}) {
  const tab = await openTab(browser, options);
  const authenticator = await giveAuthenticator(tab.page);
  const user = await service.createUser({ locale: 'fr' });
  await makePasskey(tab.page, authenticator, user);
  return { ...tab, authenticator, user };
}

/** Ends the sessions of the browser, as closing it does. */
const leave = ({ context }: Pick<Tab, 'context'>) => context.clearCookies();

/** The sign-in page before its script has offered anything: whoever it offers one to has not been asked. */
async function openSignIn({ page }: Pick<Tab, 'page'>, authenticator: VirtualAuthenticator) {
  await authenticator.touched(false);
  await page.goto(`${service.baseUrl}/signin`);
  await page.getByRole('button', { name: BUTTON }).waitFor();
  await authenticator.touched(true);
}

describe.skipIf(browser === undefined)('passkeys', () => {
  test('from the button of the application to the profile: two taps', async () => {
    const { page, faults, ...tab } = await holder({ viewport: PHONE });
    // What the person has allowed before is not asked again.
    await page.goto(client.baseUrl);
    await page.click('a.service-signin-btn');
    await page.click('button[value=allow]');
    await page.waitForURL(`${client.baseUrl}/**`);
    await leave(tab);
    await tab.authenticator.touched(false);

    await page.goto(client.baseUrl);
    let taps = 0;
    const tap = async (what: string) => {
      await page.click(what);
      taps += 1;
    };
    await tap('a.service-signin-btn');
    await page.getByRole('button', { name: BUTTON }).waitFor();
    await tab.authenticator.touched(true);
    await tap(`button:has-text("${BUTTON}")`);
    await page.waitForURL(`${client.baseUrl}/profile`);
    expect(await page.textContent('body')).toContain(tab.user.email);
    expect(taps).toBe(2);
    expect(faults).toEqual([]);
  });

  test('one offers itself in the address field', async () => {
    const { page, user, ...tab } = await holder();
    await leave(tab);
    await page.goto(`${service.baseUrl}/signin`);
    // Whoever is recognised has chosen it there.
    await page.waitForURL('**/account');
    expect(await page.textContent('header')).toContain(user.name);
  });

  test('whoever the device does not recognise gets nowhere, and reads that nothing was done', async () => {
    const { page, authenticator, ...tab } = await holder();
    await leave(tab);
    await authenticator.recognises(false);
    await openSignIn({ page }, authenticator);
    await page.click(`button:has-text("${BUTTON}")`);
    await page.waitForSelector('.passkey-status:has-text("Rien n’a été fait")');
    expect(new URL(page.url()).pathname).toBe('/signin');
    // It can be tried again at once.
    await authenticator.recognises(true);
    await page.click(`button:has-text("${BUTTON}")`);
    await page.waitForURL('**/account');
  });

  test('removed here only: refused, and the device learns that it is none any more', async () => {
    const { page, authenticator, user, ...tab } = await holder();
    await leave(tab);
    const [id = ''] = await authenticator.kept();
    await sql(service.parts.database, 'delete from passkeys where user_id = $1', [user.userId]);
    await openSignIn({ page }, authenticator);
    await page.click(`button:has-text("${BUTTON}")`);
    await page.waitForSelector('.error-summary');
    expect(await page.textContent('.error-summary')).toContain('n’ouvre pas de compte ici');
    await expect.poll(async () => (await authenticator.kept()).includes(id)).toBe(false);
  });

  test('a device that has one says so in place of making another', async () => {
    const { page } = await holder();
    await page.click('text=Créer une clé d’accès');
    await page.click('button:has-text("Créer une clé d’accès")');
    await page.waitForSelector('.passkey-status:has-text("a déjà une clé d’accès")');
  });

  test('a page that was left open asks for another challenge before its own is over', async () => {
    const { page } = await openTab(browser);
    await page.clock.install();
    await page.goto(`${service.baseUrl}/signin`);
    const options = () => page.getAttribute('[data-passkey=sign-in]', 'data-options');
    const before = await options();
    await page.clock.fastForward(4 * 60_000 + 1000);
    await expect.poll(options).not.toBe(before);
  });

  test('confirms what touches the account, and removes one; the list that is left is told', async () => {
    const { page, authenticator } = await holder();
    service.clock.advance(RECENT_SIGN_IN + 1);
    await page.reload();
    await page.click('a:has-text("Retirer")');
    await page.click('button:has-text("Retirer la clé d’accès")');
    await page.waitForURL('**/account/security?done=passkey-removed');
    await expect.poll(() => authenticator.kept()).toEqual([]);
  });

  test('the button that is pressed is the one whose answer is confirmed', async () => {
    const { page, user } = await holder();
    const api = await service.createApi({ ownerId: user.userId });
    const asking = await service.createUser();
    const { clientId } = await service.createApplication({ ownerId: asking.userId });
    const wish = { identifier: api.identifier, scopes: 'read' };
    await fill(await signedInBrowser(service, asking), at(clientId, '/apis'), wish);
    service.clock.advance(RECENT_SIGN_IN + 1);
    await page.goto(`${service.baseUrl}${atApi(api.apiId, '/requests/answer')}?client_id=${clientId}`);
    await page.click('button[value=grant]');
    await page.waitForURL('**/requests?done=granted');
  });

  test('whoever enters something else to confirm with is asked for no passkey', async () => {
    const { page, user, authenticator } = await holder();
    service.clock.advance(RECENT_SIGN_IN + 1);
    await page.reload();
    await page.click('a:has-text("Retirer")');
    await authenticator.touched(false);
    await page.click('summary:has-text("Sans clé d’accès")');
    await page.fill('#current_password', user.password);
    await page.click('button:has-text("Retirer la clé d’accès")');
    await page.waitForSelector('#confirmation_code-error:has-text("code de secours")');
  });

  test('where one is made, one is asked for first, by the same press; once is enough', async () => {
    const { page } = await holder();
    service.clock.advance(RECENT_SIGN_IN + 1);
    await page.reload();
    await page.click('text=Créer une clé d’accès');
    const asked: string[] = [];
    await page.exposeFunction('note', (what: string) => asked.push(what));
    await page.evaluate(`for (const what of ['get', 'create']) {
      const ask = navigator.credentials[what].bind(navigator.credentials);
      navigator.credentials[what] = (options) => (note(what), ask(options));
    }`);
    for (const times of [1, 2]) {
      await page.click('button:has-text("Créer une clé d’accès")');
      await expect.poll(() => asked.filter((what) => what === 'create').length).toBe(times);
      await page.waitForSelector('.passkey-status:has-text("a déjà une clé d’accès")');
    }
    expect(asked).toEqual(['get', 'create', 'create']);
  });

  test('the browser learns which passkeys are good, and what their account is called now', async () => {
    const { page, user } = await holder();
    const signals = await recordSignals(page);
    await page.goto(`${service.baseUrl}/account/profile`);
    await page.fill('#name', 'Nouveau Nom');
    await page.click('main button[type=submit]');
    await page.goto(`${service.baseUrl}/account/security`);
    const named = expect.objectContaining({ name: user.email, displayName: 'Nouveau Nom' });
    await expect.poll(() => signals).toContainEqual({ signal: 'CurrentUserDetails', said: named });
    expect(signals.map(({ signal }) => signal)).toContain('AllAcceptedCredentials');
  });

  test('offered after a password, on the way, where the device can hold one; not twice in two weeks', async () => {
    const { page, context } = await openTab(browser, { viewport: PHONE });
    await giveAuthenticator(page);
    const user = await service.createUser({ locale: 'fr' });
    const enter = async () => {
      await context.clearCookies();
      await page.goto(client.baseUrl);
      await page.click('a.service-signin-btn');
      await page.fill('#email', user.email);
      await page.fill('#password', user.password);
      await page.click('form:has(#password) button[type=submit]');
    };
    await enter();
    await page.waitForURL('**/account/security/passkeys/offer**');
    // In another language it is still the same offer.
    await page.click('a[hreflang=en]');
    expect(await page.textContent('h1')).toBe('Sign in here without a password?');
    await page.click('button:has-text("Later")');
    await page.waitForURL('**/consent**');
    await enter();
    await page.waitForURL('**/consent**');
  });

  test('without JavaScript there is no button that does nothing', async () => {
    const { page } = await openTab(browser, { javaScript: false });
    await page.goto(`${service.baseUrl}/signin`);
    expect(await page.getByRole('button', { name: BUTTON }).isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Se connecter', exact: true }).isVisible()).toBe(true);
  });

  test('without JavaScript whoever has one confirms by the password, and reads what making another needs', async () => {
    const { context, user } = await holder();
    service.clock.advance(RECENT_SIGN_IN + 1);
    const { page, ...plain } = await openTab(browser, { javaScript: false });
    await plain.context.addCookies(await context.cookies());
    await page.goto(`${service.baseUrl}/account/security/passkeys/new`);
    const needs = page.locator('noscript .notice');
    expect(await needs.isVisible()).toBe(true);
    expect(await needs.textContent()).toContain('il faut un navigateur récent où JavaScript est activé');
    expect(await page.locator('main button:visible').count()).toBe(0);
    await page.goto(`${service.baseUrl}/account/security`);
    await page.click('a:has-text("Retirer")');
    await page.waitForLoadState();
    expect(await page.getByRole('button', { name: 'Confirmer avec' }).isVisible()).toBe(false);
    // All there is stands open.
    expect(await page.locator('summary:has-text("Sans clé d’accès")').isVisible()).toBe(false);
    expect(await page.locator('#current_password').isVisible()).toBe(true);
    await page.fill('#current_password', user.password);
    expect(await page.getByRole('button', { name: 'Retirer la clé d’accès' }).isVisible()).toBe(true);
  });
});
