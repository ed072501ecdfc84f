// What fields do better with a script: passwords can be shown, their strength is said, the address comes along; and without a
// script, in another language or with an impatient finger nothing is lost or done twice.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { enter, openBrowser, openTab, PHONE } from '../support/browser.ts';
import { sql } from '../support/populate.ts';
import { PASSWORD, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

/** Keeps scripts from a page until what it gives is called. */
async function holdScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/*.js', async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Where the button stands that sends the form, once the page has its styles and its letters. */
async function boxOfSubmit(page: Page) {
  const button = page.locator('main button[type=submit]').first();
  await button.waitFor();
  await expect.poll(() => page.evaluate('document.styleSheets.length')).toBeGreaterThan(0);
  await page.evaluate('document.fonts.ready');
  return button.boundingBox();
}

describe.skipIf(browser === undefined)('scripts that come late', () => {
  test('take nothing from whoever is typing a password meanwhile', async () => {
    const { page } = await openTab(browser);
    const release = await holdScripts(page);
    await page.goto(`${service.baseUrl}/signin`, { waitUntil: 'commit' });
    await page.locator('#password').pressSequentially('bleuet orage');
    release();
    await page.getByRole('button', { name: 'Afficher' }).waitFor();
    await page.keyboard.type(' tuile lampe');
    expect(await page.inputValue('#password')).toBe('bleuet orage tuile lampe');
  });

  test('say how strong a password is that was typed before', async () => {
    const { page } = await openTab(browser);
    const release = await holdScripts(page);
    await page.goto(`${service.baseUrl}/signup`, { waitUntil: 'commit' });
    await page.fill('#password', 'motdepasse1');
    release();
    await page.locator('#password-strength').getByText('Trop facile à deviner').waitFor();
  });

  test('do not put what was typed before the language was changed in place of what was typed since', async () => {
    const { page } = await openTab(browser);
    await page.goto(service.baseUrl);
    const kept = JSON.stringify(['/signin/recovery null', [['code', 'abcd-efgh']]]);
    await page.evaluate(`sessionStorage.setItem('typed', ${JSON.stringify(kept)})`);
    const release = await holdScripts(page);
    await page.goto(`${service.baseUrl}/signin/recovery`, { waitUntil: 'commit' });
    await page.fill('#code', 'ijkl-mnop');
    release();
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(0);
    expect(await page.inputValue('#code')).toBe('ijkl-mnop');
  });

  test('move no button that somebody may be pressing', async () => {
    for (const path of ['/signin', '/signup', '/account/password', '/account/email']) {
      const { page, context } = await openTab(browser, { viewport: PHONE });
      if (path.startsWith('/account')) {
        await enter(page, { service, user: await service.createUser() });
        service.clock.advance(3600); // now the password is asked for
      }
      const release = await holdScripts(page);
      await page.goto(service.baseUrl + path, { waitUntil: 'commit' });
      const before = await boxOfSubmit(page);
      release();
      await page.getByRole('button', { name: 'Afficher' }).first().waitFor();
      expect(await boxOfSubmit(page), path).toEqual(before);
      await context.close();
    }
  });
});

describe.skipIf(browser === undefined)('fields', () => {
  test('a password can be shown and hidden again; it is sent from a field that no browser remembers', async () => {
    const { page, faults } = await openTab(browser, { viewport: PHONE });
    await page.goto(`${service.baseUrl}/signin`);
    await page.fill('#password', 'abc');
    await page.getByRole('button', { name: 'Afficher' }).click();
    expect(await page.getAttribute('#password', 'type')).toBe('text');
    expect(await page.inputValue('#password')).toBe('abc');
    await page.getByRole('button', { name: 'Masquer' }).click();
    expect(await page.getAttribute('#password', 'type')).toBe('password');
    expect(faults).toEqual([]);
  });

  test('the strength of a new password is said; a weak one is kept from being sent, and stays typed', async () => {
    const { page, faults } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signup`);
    await page.fill('#name', 'Ada Lovelace');
    await page.fill('#email', 'ada.strong@example.org');
    await page.fill('#password', 'lovelace1815');
    const words = page.locator('#password-strength');
    await words.getByText('Trop facile à deviner').waitFor();
    await page.locator('form button[type=submit]').first().click();
    expect(new URL(page.url()).search).toBe('');
    expect(await page.inputValue('#password')).toBe('lovelace1815');
    await page.fill('#password', 'bleuet orage tuile lampe');
    await words.getByText('très solide').waitFor();
    await page.locator('form button[type=submit]').first().click();
    await page.waitForURL('**/account**');
    expect(faults).toEqual([]);
  });

  test('the address comes along to sign-up, and no password does', async () => {
    const { page } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    await page.fill('#email', 'zoe@example.org');
    await page.fill('#password', 'not to be kept');
    await page.getByRole('link', { name: 'Créer un compte' }).click();
    await page.waitForURL('**/signup**');
    expect([await page.inputValue('#email'), await page.inputValue('#password')]).toEqual([
      'zoe@example.org',
      '',
    ]);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test.each([true, false])(
    'two taps on « Créer mon compte » make one account (JavaScript: %s)',
    async (javaScript) => {
      const { page } = await openTab(browser, { javaScript });
      const email = `taps.${javaScript}@example.org`;
      await page.goto(`${service.baseUrl}/signup`);
      await page.fill('#name', 'Ada');
      await page.fill('#email', email);
      await page.fill('#password', PASSWORD);
      await page.locator('form button[type=submit]').first().dblclick({ noWaitAfter: true });
      await page.waitForURL('**/account**');
      const user = await findUserByEmail(service.parts.database, email);
      const sessions = await sql(service.parts.database, 'select from sessions where user_id = $1::uuid', [
        user?.userId,
      ]);
      expect(sessions).toHaveLength(1);
    },
  );
});
