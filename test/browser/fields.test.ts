// Form fields: passwords, restored values, slow scripts, double clicks.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { openBrowser, openTab, PHONE, signInInTab } from '../support/browser.ts';
import { PASSWORD, useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

async function delayScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/*.js', async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

async function measureSubmitButton(page: Page) {
  const button = page.locator('main button[type=submit]').first();
  await button.waitFor();
  await expect.poll(() => page.evaluate('document.styleSheets.length')).toBeGreaterThan(0);
  await page.evaluate('document.fonts.ready');
  return button.boundingBox();
}

describe.skipIf(browser === undefined)('a slow script', () => {
  test('doesn’t interrupt typing in the password field', async () => {
    const { page } = await openTab(browser);
    const release = await delayScripts(page);
    await page.goto(`${service.baseUrl}/signin`, { waitUntil: 'commit' });
    await page.locator('#password').pressSequentially('bleuet orage');
    release();
    await page.getByRole('button', { name: 'Afficher' }).waitFor();
    await page.keyboard.type(' tuile lampe');
    expect(await page.inputValue('#password')).toBe('bleuet orage tuile lampe');
  });

  test('rates a password entered before the script loaded', async () => {
    const { page } = await openTab(browser);
    const release = await delayScripts(page);
    await page.goto(`${service.baseUrl}/signup`, { waitUntil: 'commit' });
    await page.fill('#password', 'motdepasse1');
    release();
    await page.locator('#password-strength').getByText('Trop facile à deviner').waitFor();
  });

  test('doesn’t overwrite newly entered values', async () => {
    const { page } = await openTab(browser);
    await page.goto(service.baseUrl);
    const stored = JSON.stringify(['/signin/recovery null', [['code', 'abcd-efgh']]]);
    await page.evaluate(`sessionStorage.setItem('typed', ${JSON.stringify(stored)})`);
    const release = await delayScripts(page);
    await page.goto(`${service.baseUrl}/signin/recovery`, { waitUntil: 'commit' });
    await page.fill('#code', 'ijkl-mnop');
    release();
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(0);
    expect(await page.inputValue('#code')).toBe('ijkl-mnop');
  });

  test('doesn’t move the submit button', async () => {
    for (const path of ['/signin', '/signup', '/account/password', '/account/email']) {
      const { page, context } = await openTab(browser, { viewport: PHONE });
      if (path.startsWith('/account')) {
        await signInInTab(page, { service, user: await service.createUser() });
        service.clock.advance(3600);
      }
      const release = await delayScripts(page);
      await page.goto(service.baseUrl + path, { waitUntil: 'commit' });
      const before = await measureSubmitButton(page);
      release();
      await page.getByRole('button', { name: 'Afficher' }).first().waitFor();
      expect(await measureSubmitButton(page), path).toEqual(before);
      await context.close();
    }
  });
});

describe.skipIf(browser === undefined)('a form', () => {
  test('lets the user show and hide a password', async () => {
    const { page, errors } = await openTab(browser, { viewport: PHONE });
    await page.goto(`${service.baseUrl}/signin`);
    await page.fill('#password', 'abc');
    await page.getByRole('button', { name: 'Afficher' }).click();
    expect(await page.getAttribute('#password', 'type')).toBe('text');
    expect(await page.inputValue('#password')).toBe('abc');
    await page.getByRole('button', { name: 'Masquer' }).click();
    expect(await page.getAttribute('#password', 'type')).toBe('password');
    expect(errors).toEqual([]);
  });

  test('can’t be submitted with a weak new password', async () => {
    const { page, errors } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signup`);
    await page.fill('#name', 'Ada Lovelace');
    await page.fill('#email', 'ada.strong@example.org');
    await page.fill('#password', 'lovelace1815');
    const strength = page.locator('#password-strength');
    await strength.getByText('Trop facile à deviner').waitFor();
    await page.locator('form button[type=submit]').first().click();
    expect(new URL(page.url()).search).toBe('');
    expect(await page.inputValue('#password')).toBe('lovelace1815');
    await page.fill('#password', 'bleuet orage tuile lampe');
    await strength.getByText('très solide').waitFor();
    await page.locator('form button[type=submit]').first().click();
    await page.waitForURL('**/account**');
    expect(errors).toEqual([]);
  });

  test('for sign-up is prefilled with the email address from the sign-in page', async () => {
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
    'for sign-up creates one account on a double click (JavaScript: %s)',
    async (javaScript) => {
      const { page } = await openTab(browser, { javaScript });
      const email = `taps.${javaScript}@example.org`;
      await page.goto(`${service.baseUrl}/signup`);
      await page.fill('#name', 'Ada');
      await page.fill('#email', email);
      await page.fill('#password', PASSWORD);
      await page.locator('form button[type=submit]').first().dblclick({ noWaitAfter: true });
      // `waitForURL` would fail because the second click aborts the first navigation.
      await expect.poll(() => page.url(), { timeout: 30_000 }).toContain('/account');
      const user = await findUserByEmail(service.services.database, email);
      const sessions = await sql(service.services.database, 'select from sessions where user_id = $1::uuid', [
        user?.userId,
      ]);
      expect(sessions).toHaveLength(1);
    },
  );
});
