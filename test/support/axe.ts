// What axe finds on a page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** In pages. */
declare const axe: typeof import('axe-core');

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
