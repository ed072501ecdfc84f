import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

declare const axe: typeof import('axe-core');
declare const collectStyleKeys: () => Map<Element, string>;

const AXE_SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const CONTRAST_RULE = 'color-contrast';
/** axe disables target-size (WCAG 2.5.8) by default. */
const VIEWPORT_RULES = ['scrollable-region-focusable', 'target-size'];

export const installAxe = (page: Page): Promise<unknown> => page.addInitScript({ content: AXE_SCRIPT });

export async function findViolations(
  page: Page,
  rules: 'all' | 'all but contrast' | 'viewport' = 'all',
): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ['violations'],
    preload: false, // only disabled rules need preloaded assets
    ...(rules === 'all but contrast' && { rules: { [CONTRAST_RULE]: { enabled: false } } }),
    ...(rules === 'viewport' && { runOnly: VIEWPORT_RULES }),
  };
  const runAxe = () =>
    page.evaluate(async (options) => {
      if (!('axe' in globalThis)) return undefined;
      const { violations: found } = await axe.run(options);
      return found.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
      );
    }, options);
  const violations = await runAxe();
  if (violations !== undefined) return violations;
  await page.evaluate(AXE_SCRIPT);
  const retried = await runAxe();
  if (retried === undefined) throw new Error('axe could not be injected');
  return retried;
}

/** A style key identifies all styles that affect an element's contrast. */
const STYLE_KEYS_SCRIPT = `globalThis.collectStyleKeys = () => {
  const known = new Map();
  const backgroundOf = (element) => {
    if (element === null) return '';
    if (!known.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const background = [backgroundColor, backgroundImage, opacity].join(' ');
      const parentBackground = backgroundOf(element.parentElement);
      known.set(element, background === 'rgba(0, 0, 0, 0) none 1' ? parentBackground : background + ', ' + parentBackground);
    }
    return known.get(element);
  };
  const styleKeyOf = (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const { nodeName, className } = element;
    return [nodeName, className, element.matches(':disabled *, :disabled'), color, fontSize, fontWeight, textShadow, backgroundOf(element)].join(' ');
  };
  // Skips the elements that axe considers hidden.
  const isShown = (element) =>
    element.checkVisibility() && element.closest('.visually-hidden') === null && element.getBoundingClientRect().bottom + scrollY > 0;
  const elements = [...document.querySelectorAll('input:not([type=checkbox], [type=radio]), select, textarea')];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    if (text.nodeValue.trim() !== '') elements.push(text.parentElement);
  return new Map(elements.filter(isShown).map((one) => [one, styleKeyOf(one)]));
}`;

/**
 * Checks contrast once per text style because axe is slow.
 * @param seen style keys that were already checked
 */
export async function findContrastViolations(page: Page, seen: Set<string>): Promise<string[]> {
  const styleKeys = await page.evaluate<string[]>(
    `'collectStyleKeys' in globalThis || (${STYLE_KEYS_SCRIPT}); [...new Set(collectStyleKeys().values())]`,
  );
  const unseen = styleKeys.filter((styleKey) => !seen.has(styleKey));
  if (unseen.length === 0) return [];
  const { violations: failed, passed } = await page.evaluate(
    async ([rule, keys]) => {
      const elements = new Map([...collectStyleKeys()].filter(([, styleKey]) => keys.includes(styleKey)));
      const { violations: found, passes } = await axe.run(
        { include: [...elements.keys()] },
        { runOnly: [rule], resultTypes: ['violations', 'passes'], elementRef: true, preload: false },
      );
      return {
        violations: found.flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
        ),
        passed: passes.flatMap(({ nodes }) => nodes.map(({ element }) => elements.get(element as Element))),
      };
    },
    [CONTRAST_RULE, unseen] as const,
  );
  if (failed.length === 0) for (const styleKey of passed) if (styleKey !== undefined) seen.add(styleKey);
  return failed;
}
