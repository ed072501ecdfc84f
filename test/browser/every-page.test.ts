// Checks every page in both languages and themes, on desktop and phone.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { PAGE_AREAS, startServiceForAllPages } from '../support/all-pages.ts';
import { findContrastViolations, findViolations, installAxe } from '../support/axe.ts';
import {
  createResizer,
  DESKTOP,
  findLongLines,
  measureOverflow,
  openBrowser,
  openTab,
  PHONE,
} from '../support/browser.ts';
import { findKeyboardErrors } from '../support/keyboard.ts';
import { createPageRenderer, LONG_VALUES, lengthenNames } from '../support/page-renderer.ts';
import { startTestService } from '../support/service.ts';

const browser = await openBrowser();
const services = { fr: await startServiceForAllPages(), en: await startServiceForAllPages() };
const service = services.fr;
afterAll(async () => {
  await browser?.close();
  for (const { close } of Object.values(services)) await close();
});

/** The narrowest viewport that pages must fit (WCAG 1.4.10). */
const NARROWEST_VIEWPORT = { width: 320, height: 640 };
/**
 * Two variants are enough. Styles don't depend on the language, and layout doesn't depend on the theme.
 * Keyboard navigation is tested on phones. NARROWEST_VIEWPORT is tested in French, which has longer words.
 */
const VARIANTS = [
  { language: 'fr', theme: 'light', viewport: DESKTOP, rules: 'all but contrast' },
  { language: 'en', theme: 'dark', viewport: PHONE, rules: 'viewport' },
] as const;

/** Pages that resemble another page are tested in one variant only. */
const SIMILAR_PAGES = /^POST |\?(library|language)=/;

/** Text styles that were already checked on another page. */
const checkedStyles = new Set<string>();

/** Scrolls to the end so that sticky bars don't cover content. */
const openDetailsAndScroll = (page: Page) =>
  page.evaluate(
    "for (const details of document.querySelectorAll('details')) details.open = true; scrollTo(0, document.documentElement.scrollHeight)",
  );

describe.skipIf(browser === undefined)('every page', () => {
  test.each(Object.entries(PAGE_AREAS))(
    'is accessible and fits the viewport (%s)',
    async (_, openArea) => {
      const problems: string[] = [];
      for (const { language, theme, viewport, rules } of VARIANTS) {
        const service = services[language];
        const pages = await openArea(service, language);
        const tab = await openTab(browser, { language, theme });
        const { page } = tab;
        await installAxe(page);
        const [show, resize] = await Promise.all([createPageRenderer(tab, service), createResizer(tab)]);
        for (const testPage of pages) {
          if (language === 'en' && SIMILAR_PAGES.test(testPage.name)) continue;
          await resize(viewport);
          await show(testPage);
          await openDetailsAndScroll(page);
          const violations = await findContrastViolations(page, checkedStyles);
          if ((await measureOverflow(page)) > 0) violations.push('overflows');
          if (viewport === DESKTOP)
            violations.push(
              ...(await findLongLines(page)).map((line) => `has a line of over 75 characters: ${line}`),
            );
          violations.push(...(await findViolations(page, rules)));
          if (language === 'fr') {
            await resize(NARROWEST_VIEWPORT);
            await lengthenNames(page);
            if ((await measureOverflow(page)) > 0) violations.push('overflows 320 px with long names');
          } else violations.push(...(await findKeyboardErrors(page)));
          problems.push(...violations.map((problem) => `${testPage.name}, ${language}: ${problem}`));
        }
        problems.push(...tab.errors);
        await tab.context.close();
      }
      expect(problems).toEqual([]);
    },
    240_000,
  );

  test('uses the same styles in both languages', async () => {
    const styles = await (await fetch(`${service.baseUrl}/sesame.css`)).text();
    expect(styles).not.toMatch(/lang\b/);
  });

  test('differs only in color between the light and dark themes', async () => {
    const { page, context } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    const darkDeclarations = await page.evaluate(() => {
      const listRules = (list: CSSRuleList): CSSRule[] => [...list];
      return [...document.styleSheets]
        .flatMap(({ cssRules }) => listRules(cssRules))
        .filter((rule) => rule instanceof CSSMediaRule && rule.conditionText.includes('color-scheme'))
        .flatMap((media) => listRules((media as CSSMediaRule).cssRules))
        .flatMap((rule) => {
          const { selectorText, style } = rule as CSSStyleRule;
          return [...style].map((name) => [selectorText, name, style.getPropertyValue(name).trim()] as const);
        });
    });
    expect(darkDeclarations.length).toBeGreaterThan(10);
    for (const [selector, name, value] of darkDeclarations) {
      expect([selector, name.slice(0, 2)]).toEqual([':root', '--']);
      expect(value, name).toMatch(/^(#[\da-f]{6}|rgb\(.+\))$/);
    }
    await context.close();
  });
});

test.skipIf(browser === undefined)('the consent page shows long names in full', async () => {
  const [consent] = await PAGE_AREAS.consent(service, 'fr');
  if (consent === undefined) throw new Error('consent page not found');
  const tab = await openTab(browser, { viewport: PHONE });
  const show = await createPageRenderer(tab, service);
  await show(consent);
  await lengthenNames(tab.page);
  const text = (await tab.page.locator('main').textContent()) ?? '';
  for (const value of [LONG_VALUES.name, LONG_VALUES.email, LONG_VALUES.applicationName])
    expect(text).toContain(value);
  await tab.context.close();
});

test.skipIf(browser === undefined)('the “HTTPS required” page has no accessibility violations', async () => {
  await using production = await startTestService({
    NODE_ENV: 'production',
    BASE_URL: 'https://sesame.example',
  });
  const { page, context, status } = await openTab(browser);
  await page.goto(`http://localhost:${production.services.config.port}/signin`);
  expect(status()).toBe(400);
  expect(await page.locator('h1').textContent()).toBe('Cette connexion n’est pas chiffrée');
  expect(await findViolations(page)).toEqual([]);
  await context.close();
});
