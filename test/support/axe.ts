// What axe finds on a page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** In pages. */
declare const axe: typeof import('axe-core');
declare const looksOf: () => Map<Element, string>;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Asked of words by the way they look: `contrastsAnew`. */
const OF_WORDS = 'color-contrast';
/** What depends on where everything is in the window. WCAG 2.5.8, which axe does not ask by itself, is about fingers. */
const OF_THE_PHONE = ['scrollable-region-focusable', 'target-size'];

/**
 * Brings axe along with every page that the tab will show. Sent to each page by itself it costs as much as being asked;
 * brought along, the browser keeps it compiled.
 */
export const bringAxe = (page: Page): Promise<unknown> => page.addInitScript({ content: AXE });

/**
 * What axe finds: where, and why.
 * @param rules beside `contrastsAnew` all others, or `of the phone` those that a window of another width may answer
 *   otherwise, and whether fingers hit
 */
export async function violations(
  page: Page,
  rules: 'all' | 'but contrast' | 'of the phone' = 'all',
): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ['violations'],
    preload: false, // for rules that are not asked
    ...(rules === 'but contrast' && { rules: { [OF_WORDS]: { enabled: false } } }),
    ...(rules === 'of the phone' && { runOnly: OF_THE_PHONE }),
  };
  const ask = () =>
    page.evaluate(async (given) => {
      if (!('axe' in globalThis)) return undefined;
      const { violations: found } = await axe.run(given);
      return found.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
      );
    }, options);
  const found = await ask();
  if (found !== undefined) return found;
  // Where the tab does not bring it along, once per document: reading axe takes longer than most of its rules do.
  await page.evaluate(AXE);
  const now = await ask();
  if (now === undefined) throw new Error('axe is not there');
  return now;
}

/** In pages: the elements with words, each with what its contrast depends on: its colour and size, and what is behind it. */
const LOOKS_OF = `globalThis.looksOf = () => {
  const known = new Map();
  const groundOf = (element) => {
    if (element === null) return '';
    if (!known.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const own = [backgroundColor, backgroundImage, opacity].join(' ');
      const behind = groundOf(element.parentElement);
      known.set(element, own === 'rgba(0, 0, 0, 0) none 1' ? behind : own + ', ' + behind);
    }
    return known.get(element);
  };
  const lookOf = (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const { nodeName, className } = element;
    return [nodeName, className, element.matches(':disabled *, :disabled'), color, fontSize, fontWeight, textShadow, groundOf(element)].join(' ');
  };
  // Not what is there for screen readers alone, or comes into sight with the focus: axe has nothing to say of it.
  const isShown = (element) =>
    element.checkVisibility() && element.closest('.unseen') === null && element.getBoundingClientRect().bottom + scrollY > 0;
  const words = [...document.querySelectorAll('input:not([type=checkbox], [type=radio]), select, textarea')];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    if (text.nodeValue.trim() !== '') words.push(text.parentElement);
  return new Map(words.filter(isShown).map((one) => [one, lookOf(one)]));
}`;

/**
 * What axe finds of the contrast of those words that look otherwise than any before: of 76,000 words on all pages, in both
 * themes and two windows, some 500 do. A word that axe cannot judge where it is, half out of sight, is asked about where it
 * is seen next.
 * @param seen how words look that were found to be in order; what is on this page goes there
 */
export async function contrastsAnew(page: Page, seen: Set<string>): Promise<string[]> {
  const looks = await page.evaluate<string[]>(
    `'looksOf' in globalThis || (${LOOKS_OF}); [...new Set(looksOf().values())]`,
  );
  const anew = looks.filter((look) => !seen.has(look));
  if (anew.length === 0) return [];
  const { faults, passed } = await page.evaluate(
    async ([rule, asked]) => {
      const words = new Map([...looksOf()].filter(([, look]) => asked.includes(look)));
      const { violations: found, passes } = await axe.run(
        { include: [...words.keys()] },
        { runOnly: [rule], resultTypes: ['violations', 'passes'], elementRef: true, preload: false },
      );
      return {
        faults: found.flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
        ),
        passed: passes.flatMap(({ nodes }) => nodes.map(({ element }) => words.get(element as Element))),
      };
    },
    [OF_WORDS, anew] as const,
  );
  if (faults.length === 0) for (const look of passed) if (look !== undefined) seen.add(look);
  return faults;
}
