// Every page in both languages, both themes, on desktop and phone: axe finds nothing, nothing fails, nothing overflows,
// everything is reached by keyboard.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bringAxe, contrastsAnew, violations } from '../support/axe.ts';
import { DESKTOP, openBrowser, openTab, overflow, PHONE, resizer } from '../support/browser.ts';
import { AREAS, startServiceOfEveryPage } from '../support/every-page.ts';
import { keyboardFaults } from '../support/keyboard.ts';
import { type Gallery, LONG, openGallery, PAGES, type PageWay } from '../support/page-gallery.ts';
import type { TestService } from '../support/service.ts';
import { lengthenNames, pageShower } from '../support/shown-page.ts';

const browser = await openBrowser();
let service: TestService;
let gallery: Gallery;
beforeAll(async () => {
  [service, gallery] = await Promise.all([startServiceOfEveryPage(), openGallery()]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([service.close(), gallery.close()]);
});

/** The narrowest window that a page has to fit (WCAG 1.4.10). */
const NARROW = { width: 320, height: 640 };
/**
 * Each language in a theme; the last is the window in which Tab walks the page. Styles know no language and a theme moves
 * nothing, so axe checks the markup of the light page alone; contrast is checked in every window and theme.
 */
const LOOKS = [
  ['fr', 'light', DESKTOP],
  ['en', 'dark', PHONE],
] as const;

/** How words look that were found to be in order on the pages before. */
const seen = new Set<string>();

/** Opens what is folded, and scrolls down: what stays within sight at its foot is then where it belongs, and on top of nothing. */
const unfold = (page: Page) =>
  page.evaluate(
    "for (const one of document.querySelectorAll('details')) one.open = true; scrollTo(0, document.documentElement.scrollHeight)",
  );

describe.skipIf(browser === undefined)('every page', () => {
  test.each(Object.entries(AREAS).flatMap(([area, open]) => LOOKS.map((look) => ({ area, open, look }))))(
    'of $area in $look.0, $look.1: no axe violation, no fault, no overflow, all of it within reach of the keyboard',
    async ({ open, look: [language, theme, walked] }) => {
      const pages = await open(service, language);
      const tab = await openTab(browser, { language, theme });
      const { page } = tab;
      await bringAxe(page);
      const [show, resize] = await Promise.all([pageShower(tab, service), resizer(tab)]);
      const faults: string[] = [];
      for (const one of pages) {
        await show(one);
        for (const viewport of [walked, walked === PHONE ? DESKTOP : PHONE]) {
          await resize(viewport);
          await unfold(page);
          const found = await contrastsAnew(page, seen);
          if ((await overflow(page)) > 0) found.push('overflows');
          if (viewport === walked) found.push(...(await keyboardFaults(page)));
          if (theme === 'light')
            found.push(...(await violations(page, viewport === DESKTOP ? 'but contrast' : 'of the phone')));
          faults.push(...found.map((fault) => `${one.name}, ${viewport.width} px: ${fault}`));
        }
        await resize(NARROW);
        await lengthenNames(page);
        if ((await overflow(page)) > 0) faults.push(`${one.name} overflows 320 px with long names`);
      }
      expect([...faults, ...tab.faults]).toEqual([]);
      await tab.context.close();
    },
    240_000,
  );

  test.each(LOOKS)(
    'of services that fail or refuse, in %s, %s: no axe violation, no fault, no overflow',
    async (language, theme) => {
      const pages = Object.entries<PageWay>(PAGES).filter(([, { elsewhere }]) => elsewhere);
      expect(pages).toHaveLength(4);
      const wrong: unknown[] = [];
      for (const [name, { open, status: expected }] of pages) {
        const { page, context, faults, status } = await openTab(browser, { language, theme });
        await open(page, gallery);
        wrong.push(...faults.map((fault) => `${name}: ${fault}`));
        const got = [status(), await page.locator('html').getAttribute('lang')];
        if (`${got}` !== `${[expected, language]}`) wrong.push(`${name}: ${got}`);
        for (const viewport of [DESKTOP, PHONE, NARROW]) {
          await page.setViewportSize(viewport);
          const found = await violations(page);
          if ((await overflow(page)) > 0) found.push('overflows');
          wrong.push(...found.map((fault) => `${name}, ${viewport.width} px: ${fault}`));
        }
        await context.close();
      }
      expect(wrong).toEqual([]);
    },
  );

  test('the styles know no language: a theme that is right in one is right in both', async () => {
    const styles = await (await fetch(`${service.baseUrl}/sesame.css`)).text();
    expect(styles).not.toMatch(/lang\b/);
  });

  test('the dark theme sets colours alone, in one place: whatever stands where it should in one does in the other', async () => {
    const { page, context } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    const set = await page.evaluate(() => {
      const rulesOf = (list: CSSRuleList): CSSRule[] => [...list];
      return [...document.styleSheets]
        .flatMap(({ cssRules }) => rulesOf(cssRules))
        .filter((rule) => rule instanceof CSSMediaRule && rule.conditionText.includes('color-scheme'))
        .flatMap((media) => rulesOf((media as CSSMediaRule).cssRules))
        .flatMap((rule) => {
          const { selectorText, style } = rule as CSSStyleRule;
          return [...style].map((name) => [selectorText, name, style.getPropertyValue(name).trim()] as const);
        });
    });
    expect(set.length).toBeGreaterThan(10);
    for (const [selector, name, value] of set) {
      expect([selector, name.slice(0, 2)]).toEqual([':root', '--']);
      expect(value, name).toMatch(/^(#[\da-f]{6}|rgb\(.+\))$/);
    }
    await context.close();
  });

  test('the longest names are shown whole on the consent page', async () => {
    const pages = await AREAS.entrance(service, 'fr');
    const consent = pages.find(({ name }) => name === 'consent');
    if (consent === undefined) throw new Error('there is no consent page');
    const tab = await openTab(browser, { viewport: PHONE });
    const show = await pageShower(tab, service);
    await show(consent);
    await lengthenNames(tab.page);
    const text = (await tab.page.locator('main').textContent()) ?? '';
    for (const words of [LONG.name, LONG.email, LONG.applicationName, new URL(LONG.callback).host])
      expect(text).toContain(words);
    await tab.context.close();
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
