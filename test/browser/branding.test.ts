// Branding: color and logo of pages and emails in both themes.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { DESKTOP, measureOverflow, openBrowser, openTab, PHONE } from '../support/browser.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { findLastEmailTo } from '../support/emails.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { createBranding, SERVICE_LINKS, startTestService, type TestService } from '../support/service.ts';

const browser = await openBrowser();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ...SERVICE_LINKS, ...createBranding() });
});
afterAll(async () => {
  await browser?.close();
  await service.close();
});

const THEMES = [
  { theme: 'light', accent: 'rgb(11, 110, 79)' },
  { theme: 'dark', accent: 'rgb(128, 180, 163)' },
] as const;

const readStyle = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`);

describe.skipIf(browser === undefined)('a branded page', () => {
  test.each(THEMES)('uses the configured color and logo in the $theme theme', async ({ theme, accent }) => {
    const { page, context, errors } = await openTab(browser, { theme });
    await page.goto(`${service.baseUrl}/signin`);
    expect(await readStyle(page, '.button--primary', 'background-color')).toBe(accent);
    const [logoUrl, logoWidth] = await page.evaluate<[string, number]>(
      "(() => { const image = document.querySelector('.brand img'); return [image.currentSrc, image.naturalWidth]; })()",
    );
    expect([new URL(logoUrl).pathname, logoWidth > 0]).toEqual(['/images/logo.svg', true]);
    expect(await readStyle(page, '.illustration', 'display')).toBe('block');
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      expect([await findViolations(page), await measureOverflow(page)]).toEqual([[], 0]);
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe.skipIf(browser === undefined)('a branded email', () => {
  test.each(THEMES)('is accessible in the $theme theme', async ({ theme, accent }) => {
    const user = await service.createUser();
    await openSignedInBrowser(service, user);
    const { id } = await findLastEmailTo(service, user.email);
    const { page, context, errors } = await openTab(browser, { theme });
    // The test opens a copy because the development mailbox's Content Security Policy blocks the test's scripts.
    const { body } = await openBrowserSession(service.baseUrl).get(`/dev/mail/${id}/html`);
    await page.setContent(body);
    expect(await readStyle(page, '.button-quiet-text', 'color')).toBe(accent);
    expect(await page.locator('img:visible').count()).toBe(1);
    for (const viewport of [DESKTOP, PHONE, { width: 320, height: 640 }]) {
      await page.setViewportSize(viewport);
      expect([await findViolations(page), await measureOverflow(page)]).toEqual([[], 0]);
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});
