// French and English, light and dark: chosen by the browser, the application or the person (D31).
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { authorizeAddress } from '../support/flow.ts';
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

const language = (page: Page) => page.locator('html').getAttribute('lang');
const heading = (page: Page) => page.locator('h1').textContent();
const style = (page: Page, selector: string, property: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`);

describe.skipIf(browser === undefined)('languages and themes', () => {
  test('a page speaks the browser’s language, and says so', async () => {
    for (const [wish, words] of [
      ['fr', 'Se connecter'],
      ['en', 'Sign in'],
    ] as const) {
      const { page } = await openTab(browser, { language: wish });
      await page.goto(`${service.baseUrl}/signin`);
      expect([await language(page), await heading(page)]).toEqual([wish, words]);
      expect(await page.locator('.languages [aria-current]').getAttribute('lang')).toBe(wish);
    }
  });

  test('the application’s ui_locales comes before the browser’s language', async () => {
    const { page } = await openTab(browser, { language: 'fr' });
    await page.goto(authorizeAddress(service, client.application, { ui_locales: 'en' }).href);
    expect([await language(page), await heading(page)]).toEqual(['en', 'Sign in']);
  });

  test('the person’s choice in the footer keeps the request, and holds to the end and after', async () => {
    const user = await service.createUser();
    const { page, faults } = await openTab(browser, { language: 'fr' });
    await page.goto(`${client.baseUrl}/login`);
    await page.getByRole('link', { name: 'English' }).click();
    expect(await heading(page)).toBe('Sign in');
    expect(await page.locator('.destination').textContent()).toContain('to continue to Carnet');
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect(await heading(page)).toBe('Share your information with Carnet?');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${client.baseUrl}/profile`);
    await page.goto(service.baseUrl);
    expect(await heading(page)).toBe(`Hello ${user.name}`);
    expect(faults).toEqual([]);
  });

  test('pages follow the theme of the device: dark on light, light on dark, the picture of the door with them', async () => {
    const { page } = await openTab(browser);
    await page.goto(service.baseUrl);
    const colors = async () => ({
      paper: await style(page, 'html', 'backgroundColor'),
      ink: await style(page, 'h1', 'color'),
      door: await style(page, '.threshold', 'backgroundColor'),
    });
    expect(await colors()).toEqual({
      paper: 'rgb(251, 250, 247)',
      ink: 'rgb(30, 27, 51)',
      door: 'rgb(30, 27, 75)',
    });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colors()).toEqual({
      paper: 'rgb(21, 19, 31)',
      ink: 'rgb(242, 240, 250)',
      door: 'rgb(13, 11, 24)',
    });
  });

  test('the door is not there on a narrow screen, nor where the person has chosen the colours', async () => {
    const { page } = await openTab(browser);
    await page.goto(service.baseUrl);
    expect(await style(page, '.threshold', 'display')).toBe('block');
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await style(page, '.threshold', 'display')).toBe('none');
    await page.emulateMedia({ forcedColors: null });
    await page.setViewportSize({ width: 900, height: 700 });
    expect(await style(page, '.threshold', 'display')).toBe('none');
  });

  test('nothing moves for people who want no motion', async () => {
    const { page } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    // Seconds that the longest movement takes, and whether the sign of a button at work turns.
    const motion = () =>
      page.evaluate<[number, boolean]>(`(() => {
        const [button] = document.querySelectorAll('.button[type=submit]');
        button.dataset.busy = '';
        const lasting = [...document.querySelectorAll('*')].flatMap((one) => getComputedStyle(one).transitionDuration.split(','));
        return [Math.max(...lasting.map(parseFloat)), getComputedStyle(button, '::after').animationName !== 'none'];
      })()`);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await motion()).toEqual([0, false]);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await motion()).toEqual([expect.toSatisfy((seconds) => seconds > 0), true]);
  });
});
