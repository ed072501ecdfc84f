// What axe finds on a page.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** The rules that look at colours: all that another theme can break. */
export const COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds, by all its rules or by some: where, and why. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // Legacy mode: no page here has frames, and a second tab for each analysis would double its time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations: found } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`),
  );
}
