// Forms: the error summary takes the focus and leads to the fields, what was typed stays, browsers can fill them in.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { violations } from '../support/axe.ts';
import { openBrowser, openTab } from '../support/browser.ts';
import { focusOn } from '../support/keyboard.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const send = (page: Page) => page.locator('form button[type=submit]').click();
const attributes = (page: Page) =>
  page.locator('form input:not([type=hidden])').evaluateAll((inputs) =>
    inputs.map((input) => {
      const { name, type, autocomplete, inputMode, required } = input as unknown as Record<string, string>;
      return { name, type, autocomplete, inputMode, required };
    }),
  );

const SIGN_IN_FAULTS: [field: string, text: string][] = [
  ['email', 'Saisissez une adresse e-mail complète, par exemple camille@exemple.fr.'],
  ['password', 'Saisissez votre mot de passe.'],
];
const SIGN_UP_FAULTS: [field: string, text: string][] = [
  ['name', 'Saisissez votre nom.'],
  ['email', 'Saisissez une adresse e-mail complète, par exemple camille@exemple.fr.'],
  ['password', 'Choisissez un mot de passe d’au moins 8\u00a0caractères.'],
];

describe.skipIf(browser === undefined)('forms', () => {
  test.each([
    ['/signin', true, SIGN_IN_FAULTS],
    ['/signin', false, SIGN_IN_FAULTS],
    ['/signup', true, SIGN_UP_FAULTS],
    ['/signup', false, SIGN_UP_FAULTS],
  ] as const)(
    '%s sent empty: the summary has the focus and links each fault to its field (JavaScript: %s)',
    async (path, javaScript, faults) => {
      const { page, status } = await openTab(browser, { javaScript });
      await page.goto(service.baseUrl + path);
      await send(page);
      expect(status()).toBe(400);
      expect(await page.title()).toMatch(/^Erreur\u202f: /);
      await focusOn(page, 'errors');
      const summary = page.getByRole('alert');
      expect(await summary.getByRole('heading').textContent()).toBe(
        `${faults.length}\u00a0erreurs à corriger`,
      );
      expect(await summary.getByRole('link').allTextContents()).toEqual(faults.map(([, text]) => text));
      for (const [field, text] of faults) {
        await summary.getByRole('link', { name: text }).click();
        await focusOn(page, field);
        const input = page.locator(`#${field}`);
        expect(await input.getAttribute('aria-invalid')).toBe('true');
        const described = ((await input.getAttribute('aria-describedby')) ?? '').split(' ');
        expect(await page.locator(`#${described.at(-1)}`).textContent()).toBe(text);
      }
    },
  );

  test('the only error is shown once, at its field, which has the focus; typed values stay, except the password', async () => {
    const { page } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signup`);
    await page.fill('#name', 'Zoé "Z" <Lefèvre>');
    await page.fill('#email', 'zoe@exemple.fr');
    await page.fill('#password', 'password');
    await send(page);
    await focusOn(page, 'password');
    expect(await page.title()).toMatch(/^Erreur\u202f: /);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getAttribute('#password', 'aria-describedby')).toContain('password-error');
    expect(await page.locator('.field-error').count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    expect(await page.locator('[aria-invalid]').evaluateAll((inputs) => inputs.map(({ id }) => id))).toEqual([
      'password',
    ]);
    expect(await page.inputValue('#name')).toBe('Zoé "Z" <Lefèvre>');
    expect(await page.inputValue('#email')).toBe('zoe@exemple.fr');
    expect(await page.inputValue('#password')).toBe('');
  });

  test('a wrong password is told in the summary, without saying which of the two is wrong', async () => {
    const user = await service.createUser();
    const { page, status } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    await page.fill('#email', user.email);
    await page.fill('#password', 'not the password');
    await page.press('#password', 'Enter');
    const summary = page.getByRole('alert');
    await summary.waitFor();
    expect(status()).toBe(401);
    await focusOn(page, 'errors');
    expect(await summary.textContent()).toContain('Adresse e-mail ou mot de passe incorrect.');
    expect(await summary.getByRole('link').count()).toBe(0);
    expect(await page.locator('[aria-invalid]').count()).toBe(0);
  });

  test('without errors there is no summary, and the first field has the focus', async () => {
    const { page } = await openTab(browser);
    for (const [path, field] of [
      ['/signin', 'email'],
      ['/signup', 'name'],
    ] as const) {
      await page.goto(`${service.baseUrl}${path}`);
      expect(await page.getByRole('alert').count()).toBe(0);
      await focusOn(page, field);
    }
  });

  test('autocomplete tells browsers and password managers what each field is (WCAG 1.3.5)', async () => {
    const { page } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    const email = {
      name: 'email',
      type: 'email',
      autocomplete: 'username',
      inputMode: 'email',
      required: true,
    };
    const password = { name: 'password', type: 'password', inputMode: '', required: true };
    expect(await attributes(page)).toEqual([
      { ...email, autocomplete: 'username webauthn' },
      { ...password, autocomplete: 'current-password' },
    ]);
    await page.goto(`${service.baseUrl}/signup`);
    expect(await attributes(page)).toEqual([
      { name: 'name', type: 'text', autocomplete: 'name', inputMode: '', required: true },
      email,
      { ...password, autocomplete: 'new-password' },
    ]);
  });

  test('every control is at least 44 px high and labelled (WCAG 2.5.8, 3.3.2)', async () => {
    const { page } = await openTab(browser);
    for (const path of ['/signin', '/signup']) {
      await page.goto(service.baseUrl + path);
      const controls = page.locator('form input:not([type=hidden]), form button');
      for (const control of await controls.all())
        expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      for (const input of await page.locator('form input:not([type=hidden])').all())
        expect(
          await input.evaluate((one) => (one as unknown as { labels: ArrayLike<unknown> }).labels.length),
        ).toBe(1);
    }
  });
});
