// Sign-in and sign-up forms: errors, focus, entered values, autocomplete tokens.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { openBrowser, openTab } from '../support/browser.ts';
import { waitForFocus } from '../support/keyboard.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const submitForm = (page: Page) => page.locator('form button[type=submit]').click();
const readInputAttributes = (page: Page) =>
  page.locator('form input:not([type=hidden])').evaluateAll((inputs) =>
    inputs.map((input) => {
      const { name, type, autocomplete, inputMode, required } = input as unknown as Record<string, string>;
      return { name, type, autocomplete, inputMode, required };
    }),
  );

const SIGN_IN_ERRORS: [field: string, label: string, text: string][] = [
  ['email', 'Adresse e‑mail', 'Saisissez une adresse e‑mail complète, par exemple camille@exemple.fr.'],
  ['password', 'Mot de passe', 'Saisissez votre mot de passe.'],
];
const SIGN_UP_ERRORS: [field: string, label: string, text: string][] = [
  ['name', 'Nom', 'Saisissez votre nom.'],
  ['email', 'Adresse e‑mail', 'Saisissez une adresse e‑mail complète, par exemple camille@exemple.fr.'],
  ['password', 'Mot de passe', 'Choisissez un mot de passe d’au moins 8\u00a0caractères.'],
];

describe.skipIf(browser === undefined)('a form', () => {
  test.each([
    ['/signin', true, SIGN_IN_ERRORS],
    ['/signin', false, SIGN_IN_ERRORS],
    ['/signup', true, SIGN_UP_ERRORS],
    ['/signup', false, SIGN_UP_ERRORS],
  ] as const)(
    'focuses the error summary after an empty submission (%s, JavaScript: %s)',
    async (path, javaScript, expectedErrors) => {
      const { page, status } = await openTab(browser, { javaScript });
      await page.goto(service.baseUrl + path);
      await submitForm(page);
      expect(status()).toBe(400);
      expect(await page.title()).toMatch(/^Erreur\u202f: /);
      await waitForFocus(page, 'errors');
      const summary = page.getByRole('alert');
      expect(await summary.getByRole('heading').textContent()).toBe(
        `${expectedErrors.length}\u00a0erreurs à corriger`,
      );
      expect(await summary.getByRole('link').allTextContents()).toEqual(
        expectedErrors.map(([, label]) => label),
      );
      for (const [field, label, text] of expectedErrors) {
        expect(await page.getByText(text).count(), 'each error is shown once').toBe(1);
        await summary.getByRole('link', { name: label }).click();
        await waitForFocus(page, field);
        const input = page.locator(`#${field}`);
        expect(await input.getAttribute('aria-invalid')).toBe('true');
        const descriptionIds = ((await input.getAttribute('aria-describedby')) ?? '').split(' ');
        expect(await page.locator(`#${descriptionIds.at(-1)}`).textContent()).toBe(text);
      }
    },
  );

  test('focuses the invalid field if there is only one error', async () => {
    const { page } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signup`);
    await page.fill('#name', 'Zoé "Z" <Lefèvre>');
    await page.fill('#email', 'zoe@exemple.fr');
    await page.fill('#password', 'password');
    await submitForm(page);
    await waitForFocus(page, 'password');
    expect(await page.title()).toMatch(/^Erreur\u202f: /);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getAttribute('#password', 'aria-describedby')).toContain('password-error');
    expect(await page.locator('.field-error').count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    expect(await page.locator('[aria-invalid]').evaluateAll((inputs) => inputs.map(({ id }) => id))).toEqual([
      'password',
    ]);
    expect(await page.inputValue('#name')).toBe('Zoé "Z" <Lefèvre>');
    expect(await page.inputValue('#email')).toBe('zoe@exemple.fr');
    expect(await page.inputValue('#password')).toBe('');
  });

  test('shows a general error for a wrong password', async () => {
    const user = await service.createUser();
    const { page, status } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    await page.fill('#email', user.email);
    await page.fill('#password', 'not the password');
    await page.press('#password', 'Enter');
    const summary = page.getByRole('alert');
    await summary.waitFor();
    expect(status()).toBe(401);
    await waitForFocus(page, 'errors');
    expect(await summary.textContent()).toContain('Adresse e‑mail ou mot de passe incorrect.');
    expect(await summary.getByRole('link').count()).toBe(0);
    expect(await page.locator('[aria-invalid]').count()).toBe(0);
  });

  test('focuses the first field if there are no errors', async () => {
    const { page } = await openTab(browser);
    for (const [path, field] of [
      ['/signin', 'email'],
      ['/signup', 'name'],
    ] as const) {
      await page.goto(`${service.baseUrl}${path}`);
      expect(await page.getByRole('alert').count()).toBe(0);
      await waitForFocus(page, field);
    }
  });

  test('has the right autocomplete value on every field (WCAG 1.3.5)', async () => {
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
    expect(await readInputAttributes(page)).toEqual([
      { ...email, autocomplete: 'username webauthn' },
      { ...password, autocomplete: 'current-password' },
    ]);
    await page.goto(`${service.baseUrl}/signup`);
    expect(await readInputAttributes(page)).toEqual([
      { name: 'name', type: 'text', autocomplete: 'name', inputMode: '', required: true },
      email,
      { ...password, autocomplete: 'new-password' },
    ]);
  });

  test('has only labeled controls of at least 44 px (WCAG 2.5.8, 3.3.2)', async () => {
    const { page } = await openTab(browser);
    for (const path of ['/signin', '/signup']) {
      await page.goto(service.baseUrl + path);
      const controls = page.locator('form input:not([type=hidden]), form button');
      for (const control of await controls.all())
        expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      for (const input of await page.locator('form input:not([type=hidden])').all())
        expect(
          await input.evaluate(
            (element) => (element as unknown as { labels: ArrayLike<unknown> }).labels.length,
          ),
        ).toBe(1);
    }
  });
});
