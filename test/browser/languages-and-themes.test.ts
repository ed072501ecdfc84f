import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCALES } from '../../src/i18n/index.ts';
import { openBrowser, openTab } from '../support/browser.ts';
import { listTexts } from '../support/dictionary-texts.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { buildAuthorizeUrl } from '../support/oauth-flow.ts';
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

const readLanguage = (page: Page) => page.locator('html').getAttribute('lang');
const readHeading = (page: Page) => page.locator('h1').textContent();
const readStyle = (page: Page, selector: string, property: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`);

describe.skipIf(browser === undefined)('a page', () => {
  test('is shown in the browser’s language and declares it', async () => {
    for (const [expected, title] of [
      ['fr', 'Se connecter'],
      ['en', 'Sign in'],
    ] as const) {
      const { page } = await openTab(browser, { language: expected });
      await page.goto(`${service.baseUrl}/signin`);
      expect([await readLanguage(page), await readHeading(page)]).toEqual([expected, title]);
      expect(await page.locator('.languages [aria-current]').getAttribute('lang')).toBe(expected);
    }
  });

  test('uses only our font, which has all characters of the dictionaries', async () => {
    const { page, context } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    const characters = new Set(
      LOCALES.flatMap((locale) => listTexts(locale).flatMap(([, text]) => [...text])),
    );
    await page.evaluate(
      `document.querySelector('h1').textContent = ${JSON.stringify([...characters].join(''))}`,
    );
    const session = await context.newCDPSession(page);
    for (const domain of ['DOM', 'CSS'] as const) await session.send(`${domain}.enable`);
    const { root } = await session.send('DOM.getDocument');
    const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'h1' });
    const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
    expect(fonts.map(({ familyName }) => familyName)).toEqual([expect.stringMatching(/^Figtree/)]);
  });

  test('is shown in the language from ui_locales', async () => {
    const { page } = await openTab(browser, { language: 'fr' });
    await page.goto(buildAuthorizeUrl(service, client.client, { ui_locales: 'en' }).href);
    expect([await readLanguage(page), await readHeading(page)]).toEqual(['en', 'Sign in']);
  });

  test('keeps the authorization request when the user switches languages', async () => {
    const user = await service.createUser();
    const { page, errors } = await openTab(browser, { language: 'fr' });
    await page.goto(`${client.baseUrl}/login`);
    await page.getByRole('link', { name: 'English' }).click();
    expect(await readHeading(page)).toBe('Sign in');
    expect(await page.locator('.destination').textContent()).toContain('to continue to Carnet');
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect(await readHeading(page)).toBe('Share your information with Carnet?');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${client.baseUrl}/profile`);
    await page.goto(service.baseUrl);
    expect(await readHeading(page)).toBe(`Hello ${user.name}`);
    expect(errors).toEqual([]);
  });

  test('is shown in the device’s light or dark theme', async () => {
    const { page } = await openTab(browser);
    await page.goto(service.baseUrl);
    const readColors = async () => ({
      paper: await readStyle(page, 'html', 'backgroundColor'),
      ink: await readStyle(page, 'h1', 'color'),
      illustration: await readStyle(page, '.illustration', 'backgroundColor'),
    });
    expect(await readColors()).toEqual({
      paper: 'rgb(251, 250, 247)',
      ink: 'rgb(30, 27, 51)',
      illustration: 'rgb(30, 27, 75)',
    });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await readColors()).toEqual({
      paper: 'rgb(21, 19, 31)',
      ink: 'rgb(242, 240, 250)',
      illustration: 'rgb(13, 11, 24)',
    });
  });

  test('has no illustration on narrow screens and with forced colors', async () => {
    const { page } = await openTab(browser);
    await page.goto(service.baseUrl);
    expect(await readStyle(page, '.illustration', 'display')).toBe('block');
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await readStyle(page, '.illustration', 'display')).toBe('none');
    await page.emulateMedia({ forcedColors: null });
    await page.setViewportSize({ width: 900, height: 700 });
    expect(await readStyle(page, '.illustration', 'display')).toBe('none');
  });

  test('has no animations if the user prefers reduced motion', async () => {
    const { page } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    // Returns the longest transition in seconds, and whether a busy button's spinner is animated.
    const measureMotion = () =>
      page.evaluate<[number, boolean]>(`(() => {
        const [button] = document.querySelectorAll('.button[type=submit]');
        button.ariaBusy = 'true';
        const durations = [...document.querySelectorAll('*')].flatMap((element) => getComputedStyle(element).transitionDuration.split(','));
        return [Math.max(...durations.map(parseFloat)), getComputedStyle(button, '::after').animationName !== 'none'];
      })()`);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await measureMotion()).toEqual([0, false]);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await measureMotion()).toEqual([expect.toSatisfy((seconds) => seconds > 0), true]);
  });
});
