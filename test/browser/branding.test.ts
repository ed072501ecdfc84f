// An operator's own house in a browser: their colour and logo on the pages, in mails, light and dark; all of it readable.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { violations } from '../support/axe.ts';
import { DESKTOP, openBrowser, openTab, overflow, PHONE } from '../support/browser.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { signedInBrowser } from '../support/flow.ts';
import { lastMailTo } from '../support/mail.ts';
import { brandedHouse, HOUSE, startTestService, type TestService } from '../support/service.ts';

const browser = await openBrowser();
let own: TestService;
beforeAll(async () => {
  own = await startTestService({ ...HOUSE, ...brandedHouse() });
});
afterAll(async () => {
  await browser?.close();
  await own.close();
});

const THEMES = [
  { theme: 'light', accent: 'rgb(11, 110, 79)' },
  { theme: 'dark', accent: 'rgb(128, 180, 163)' },
] as const;

const style = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`);

describe.skipIf(browser === undefined)('the pages of an operator’s house', () => {
  test.each(THEMES)('$theme: colour and logo are the operator’s', async ({ theme, accent }) => {
    const { page, context, faults } = await openTab(browser, { theme });
    await page.goto(`${own.baseUrl}/signin`);
    expect(await style(page, '.button--primary', 'background-color')).toBe(accent);
    const shown = await page.evaluate<[string, number]>(
      "(() => { const image = document.querySelector('.brand img'); return [image.currentSrc, image.naturalWidth]; })()",
    );
    expect([new URL(shown[0]).pathname, shown[1] > 0]).toEqual(['/images/logo.svg', true]);
    expect(await style(page, '.threshold', 'display')).toBe('block');
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe.skipIf(browser === undefined)('a mail of an operator’s house', () => {
  test.each(THEMES)(
    '$theme: readable, with the logo that goes with it, on any screen',
    async ({ theme, accent }) => {
      const user = await own.createUser();
      await signedInBrowser(own, user);
      const { id } = await lastMailTo(own, user.email);
      const { page, context, faults } = await openTab(browser, { theme });
      // As a mail program shows it; the page of development lets no script in, not even a test's.
      const { body } = await openBrowserSession(own.baseUrl).get(`/dev/mail/${id}/html`);
      await page.setContent(body);
      expect(await style(page, '.button-quiet-text', 'color')).toBe(accent);
      expect(await page.locator('img:visible').count()).toBe(1);
      for (const viewport of [DESKTOP, PHONE, { width: 320, height: 640 }]) {
        await page.setViewportSize(viewport);
        expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
      }
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});
