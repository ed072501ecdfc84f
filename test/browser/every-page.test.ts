// Every page in both languages and themes, on desktop and phone: axe finds nothing, nothing fails, nothing overflows,
// everything is reached by keyboard.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bringAxe, contrastsAnew, violations } from '../support/axe.ts';
import { DESKTOP, openBrowser, openTab, overflow, PHONE, resizer } from '../support/browser.ts';
import { AREAS, startServiceOfEveryPage } from '../support/every-page.ts';
import { keyboardFaults } from '../support/keyboard.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { LONG, lengthenNames, pageShower } from '../support/shown-page.ts';

const browser = await openBrowser();
let service: TestService;
beforeAll(async () => {
  service = await startServiceOfEveryPage();
});
afterAll(async () => {
  await browser?.close();
  await service.close();
});

/** The narrowest window that a page has to fit (WCAG 1.4.10). */
const NARROW = { width: 320, height: 640 };
/**
 * Styles know no language and a theme moves nothing, so axe checks the light page on the desktop, and on the phone what
 * depends on the window; contrast is checked in both themes. Tab walks the phone, where the least is within sight, and
 * French, whose words are longer, has to fit the narrowest window.
 */
const LOOKS = [
  { language: 'fr', theme: 'light', viewport: DESKTOP, rules: 'but contrast' },
  { language: 'en', theme: 'dark', viewport: PHONE, rules: 'of the phone' },
] as const;

/** Pages that look like others of their area, and are opened in one look alone: refused forms, and code for a library. */
const ALIKE = /^POST |\?(library|language)=/;

/** How words look that were found to be in order on the pages before. */
const seen = new Set<string>();

/** Opens what is folded, and scrolls down: what stays within sight at its foot is then where it belongs, and on top of nothing. */
const unfold = (page: Page) =>
  page.evaluate(
    "for (const one of document.querySelectorAll('details')) one.open = true; scrollTo(0, document.documentElement.scrollHeight)",
  );

describe.skipIf(browser === undefined)('every page', () => {
  test.each(Object.entries(AREAS))(
    'of %s: no axe violation, no fault, no overflow, all of it within reach of the keyboard',
    async (_, open) => {
      const pages = await open(service);
      const faults: string[] = [];
      for (const { language, theme, viewport, rules } of LOOKS) {
        const tab = await openTab(browser, { language, theme });
        const { page } = tab;
        await bringAxe(page);
        const [show, resize] = await Promise.all([pageShower(tab, service), resizer(tab)]);
        for (const one of pages) {
          if (one.language !== language || (language === 'en' && ALIKE.test(one.name))) continue;
          await resize(viewport);
          await show(one);
          await unfold(page);
          const found = await contrastsAnew(page, seen);
          if ((await overflow(page)) > 0) found.push('overflows');
          found.push(...(await violations(page, rules)));
          if (language === 'fr') {
            await resize(NARROW);
            await lengthenNames(page);
            if ((await overflow(page)) > 0) found.push('overflows 320 px with long names');
          } else found.push(...(await keyboardFaults(page)));
          faults.push(...found.map((fault) => `${one.name}, ${language}: ${fault}`));
        }
        faults.push(...tab.faults);
        await tab.context.close();
      }
      expect(faults).toEqual([]);
    },
    240_000,
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
    const [consent] = await AREAS.consent(service);
    if (consent === undefined) throw new Error('there is no consent page');
    const tab = await openTab(browser, { viewport: PHONE });
    const show = await pageShower(tab, service);
    await show(consent);
    await lengthenNames(tab.page);
    const text = (await tab.page.locator('main').textContent()) ?? '';
    for (const words of [LONG.name, LONG.email, LONG.applicationName]) expect(text).toContain(words);
    await tab.context.close();
  });

  test('the page that asks for https has no axe violation either, though its styles are refused too', async () => {
    await using production = await startTestService({
      NODE_ENV: 'production',
      BASE_URL: 'https://sesame.example',
    });
    const { page, context, status } = await openTab(browser);
    await page.goto(`http://localhost:${production.parts.config.port}/signin`);
    expect(status()).toBe(400);
    expect(await page.locator('h1').textContent()).toBe('Cette connexion n’est pas chiffrée');
    expect(await violations(page)).toEqual([]);
    await context.close();
  });
});
