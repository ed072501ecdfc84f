// Every page in both languages, both themes, on desktop and phone: axe finds nothing, nothing fails, nothing overflows.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DESKTOP, openBrowser, openTab, overflow, PHONE } from '../support/browser.ts';
import { type Gallery, LONG, openGallery, PAGES, type PageWay } from '../support/page-gallery.ts';

const browser = await openBrowser();
let gallery: Gallery;
let long: Gallery;
beforeAll(async () => {
  [gallery, long] = await Promise.all([openGallery(), openGallery({ long: true })]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gallery.close(), long.close()]);
});

/** The rules of axe that look at colours: all that another theme can break. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** What axe finds, by all its rules unless told: where, and why. */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // Legacy mode: no page here has frames, and a second tab for each analysis would double its time.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations: found } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`),
  );
}

const LOOKS = [
  ['light', DESKTOP],
  ['dark', DESKTOP],
  ['light', PHONE],
  ['dark', PHONE],
] as const;

const each = Object.entries<PageWay>(PAGES).flatMap(([name, { status, open }]) =>
  (['fr', 'en'] as const).map((language) => ({ name, language, status, open })),
);

describe.skipIf(browser === undefined)('every page', () => {
  test.each(each)(
    '$name ($language) has no axe violation, no error on the console, no overflow',
    async (one) => {
      const { page, context, faults, status } = await openTab(browser, { language: one.language });
      await one.open(page, gallery);
      expect(status()).toBe(one.status);
      expect(await page.locator('html').getAttribute('lang')).toBe(one.language);
      for (const [theme, viewport] of LOOKS) {
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize(viewport);
        const rules = theme === 'dark' ? COLOR_RULES : undefined;
        expect(await violations(page, rules), `${theme}, ${viewport.width} px`).toEqual([]);
        expect(await overflow(page), `${theme}, ${viewport.width} px`).toBeLessThanOrEqual(0);
      }
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test.each(each.filter(({ name }) => !name.startsWith('the error')))(
    '$name ($language) holds the longest names and addresses at 360 px (WCAG 1.4.10)',
    async ({ language, open }) => {
      const { page, context, faults } = await openTab(browser, { language, viewport: PHONE });
      await open(page, long);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test('the longest names are shown whole on the consent page', async () => {
    const { page, context } = await openTab(browser, { viewport: PHONE });
    await PAGES.consent.open(page, long);
    const text = (await page.locator('main').textContent()) ?? '';
    for (const words of [LONG.name, LONG.email, LONG.applicationName, new URL(LONG.callback).host])
      expect(text).toContain(words);
    await context.close();
  });

  test('the page that asks for https has no axe violation either, though its styles are refused too (D26)', async () => {
    const { page, context, status } = await openTab(browser);
    const { config } = gallery.others.production.parts;
    await page.goto(`http://localhost:${config.port}/signin`);
    expect(status()).toBe(400);
    expect(await page.locator('h1').textContent()).toBe('Cette connexion n’est pas chiffrée');
    expect(await violations(page)).toEqual([]);
    await context.close();
  });
});
