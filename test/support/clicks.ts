// Steps of browser journeys, and a limit on the clicks per journey.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from './service.ts';

type StepResult = 'clicked' | 'not clicked';
export type Step = (page: Page) => Promise<StepResult>;
export type Journey = [name: string, limit: number, ...steps: Step[]];
type TextPattern = string | RegExp;

const click =
  (find: (page: Page) => Locator): Step =>
  async (page) => {
    // The navigation comes first, so the last match is the page's own control.
    await find(page).filter({ visible: true }).last().click();
    return 'clicked';
  };

export const clickLink = (name: TextPattern): Step =>
  click((page) => page.getByRole('link', { name, exact: true }));
export const clickButton = (name: TextPattern): Step =>
  click((page) => page.getByRole('button', { name, exact: true }));
/** Clicks the label because a tile's input is hidden. */
export const chooseOption = (name: string): Step => click((page) => page.locator('label', { hasText: name }));
/** Uses the keyboard because links may cover the middle of the summary. */
export const expandSection =
  (name: string): Step =>
  async (page) => {
    await page.locator('summary', { hasText: name }).filter({ visible: true }).last().press('Enter');
    return 'clicked';
  };

/** A step without a click, such as typing. */
export const withoutClick =
  (perform: (page: Page) => Promise<unknown>): Step =>
  async (page) => {
    await perform(page);
    return 'not clicked';
  };

export const fillIn = (label: string, value: string | ((page: Page) => Promise<string> | string)): Step =>
  withoutClick(async (page) => {
    const field = page.getByLabel(label, { exact: true }).and(page.locator('input, textarea'));
    await field.fill(typeof value === 'string' ? value : await value(page));
  });

export const upload = (label: string, name: string, buffer: Buffer): Step =>
  withoutClick((page) =>
    page
      .getByLabel(label, { exact: true })
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer }),
  );

export const waitForText = (text: TextPattern): Step =>
  withoutClick((page) => page.getByText(text).filter({ visible: true }).first().waitFor());

export const waitForSuccess: Step = withoutClick((page) =>
  page.getByRole('status').filter({ visible: true }).first().waitFor(),
);

export const waitForUrl = (url: TextPattern): Step => withoutClick((page) => page.waitForURL(url));

export const waitForDownload =
  (step: Step): Step =>
  async (page) => {
    const [, result] = await Promise.all([page.waitForEvent('download'), step(page)]);
    return result;
  };

export const saveSettings: Step[] = [clickButton('Save'), waitForSuccess];

export const enterPassword = (email: string): Step[] => [
  fillIn('Email address', email),
  fillIn('Password', PASSWORD),
  clickButton('Sign in'),
];

export const offerTransfer: Step[] = [
  clickLink('Transfer to another account'),
  fillIn('Email address of the other account', 'zoe@example.com'),
  clickButton('Make the offer'),
  waitForSuccess,
];

export const confirmDeletion = (name: string): Step[] => [
  fillIn('Name', name),
  clickButton('Delete permanently'),
  waitForSuccess,
];

export function testJourneys(openStart: () => Promise<Page>, journeys: Journey[]): void {
  test.each(journeys)('can %s (maximum clicks: %d)', async (_, limit, ...steps) => {
    const page = await openStart();
    let clicks = 0;
    for (const step of steps) if ((await step(page)) === 'clicked') clicks += 1;
    expect(clicks).toBeLessThanOrEqual(limit);
  });
}
