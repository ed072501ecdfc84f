// What axe finds on a page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** In pages. */
declare const axe: typeof import('axe-core');
declare const coloursOf: () => Map<Element, string>;
declare const noted: ReturnType<typeof coloursOf>;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The rules that see the window: what is where in it, and on top of what. WCAG 2.5.8, which axe does not ask by itself, is
 * about fingers.
 */
const OF_THE_WINDOW = ['color-contrast', 'scrollable-region-focusable'];
const OF_FINGERS = 'target-size';

/**
 * Brings axe along with every page that the tab will show. Sent to each page by itself it costs as much as being asked;
 * brought along, the browser keeps it compiled.
 */
export const bringAxe = (page: Page): Promise<unknown> => page.addInitScript({ content: AXE });

/**
 * What axe finds: where, and why.
 * @param rules `of the phone`: only those that a window of another width may answer otherwise, and whether fingers hit
 */
export async function violations(page: Page, rules: 'all' | 'of the phone' = 'all'): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ['violations'],
    preload: false, // for rules that are not asked
    ...(rules !== 'all' && { runOnly: [...OF_THE_WINDOW, OF_FINGERS] }),
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

/** In pages: the elements with words of their own, each with what its contrast depends on; '' where it is not shown. */
const COLOURS_OF = `globalThis.coloursOf = () => {
  const known = new Map();
  const backgroundOf = (element) => {
    if (element === null) return '';
    if (!known.has(element)) {
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      const seenThrough = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none';
      known.set(element, seenThrough ? backgroundOf(element.parentElement) : backgroundColor + backgroundImage);
    }
    return known.get(element);
  };
  const lookOf = (element) => {
    const { width, height } = element.getBoundingClientRect();
    if (width <= 1 || height <= 1) return ''; // or there for screen readers alone
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    return [color, fontSize, fontWeight, backgroundOf(element)].join(' ');
  };
  const found = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    if (text.nodeValue.trim() !== '') found.set(text.parentElement, lookOf(text.parentElement));
  return found;
}`;

/** Notes the colours of all words as they are shown now, for `contrastsAnew` in another window. */
export const noteColours = (page: Page): Promise<unknown> =>
  page.evaluate(`${COLOURS_OF}; globalThis.noted = coloursOf()`);

/**
 * What axe finds of the contrast of those words that were not shown when colours were noted, or in others: seldom many, so
 * that this costs next to nothing.
 * @param seen what was in order on pages before, and is not asked about again; what is on this page goes there
 */
export async function contrastsAnew(page: Page, seen: Set<string>): Promise<string[]> {
  const { faults, names } = await page.evaluate(
    async (before) => {
      const nameOf = ({ nodeName, className }: Element) => `${nodeName}.${className}`;
      const named = [...coloursOf()]
        .filter(([one, look]) => look !== '' && look !== noted.get(one))
        .map(([one, look]) => {
          const above = [one, one.parentElement, one.parentElement?.parentElement];
          return [`${above.map((each) => each && nameOf(each))} ${look}`, one] as const;
        });
      const anew = new Map(named.filter(([name]) => !before.includes(name)));
      if (anew.size === 0) return { faults: [], names: [] };
      const rules = { runOnly: ['color-contrast'], resultTypes: ['violations' as const], preload: false };
      const { violations: found } = await axe.run({ include: [...anew.values()] }, rules);
      return {
        faults: found.flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
        ),
        names: [...anew.keys()],
      };
    },
    [...seen],
  );
  if (faults.length === 0) for (const name of names) seen.add(name);
  return faults;
}
