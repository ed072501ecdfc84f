// Steps of browser journeys, and a limit on the presses per journey.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from './service.ts';

type StepResult = 'pressed' | 'not pressed';
export type Step = (page: Page) => Promise<StepResult>;
export type Journey = [name: string, limit: number, ...steps: Step[]];
type TextPattern = string | RegExp;

const press =
  (find: (page: Page) => Locator): Step =>
  async (page) => {
    // The navigation comes first, so the last match is the page's own control.
    await find(page).filter({ visible: true }).last().click();
    return 'pressed';
  };

export const clickLink = (name: TextPattern): Step =>
  press((page) => page.getByRole('link', { name, exact: true }));
export const clickButton = (name: TextPattern): Step =>
  press((page) => page.getByRole('button', { name, exact: true }));
/** Clicks the label because a tile's input is hidden. */
export const chooseOption = (name: string): Step => press((page) => page.locator('label', { hasText: name }));
/** Uses the keyboard because links may cover the middle of the summary. */
export const expandSection =
  (name: string): Step =>
  async (page) => {
    await page.locator('summary', { hasText: name }).filter({ visible: true }).last().press('Enter');
    return 'pressed';
  };

/** A step without a press, such as typing. */
export const withoutPress =
  (perform: (page: Page) => Promise<unknown>): Step =>
  async (page) => {
    await perform(page);
    return 'not pressed';
  };

export const fillIn = (label: string, value: string | ((page: Page) => Promise<string> | string)): Step =>
  withoutPress(async (page) => {
    const field = page.getByLabel(label, { exact: true }).and(page.locator('input, textarea'));
    await field.fill(typeof value === 'string' ? value : await value(page));
  });

export const upload = (label: string, name: string, buffer: Buffer): Step =>
  withoutPress((page) =>
    page
      .getByLabel(label, { exact: true })
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer }),
  );

export const waitForText = (text: TextPattern): Step =>
  withoutPress((page) => page.getByText(text).filter({ visible: true }).first().waitFor());

export const waitForSuccess: Step = withoutPress((page) =>
  page.getByRole('status').filter({ visible: true }).first().waitFor(),
);

export const waitForUrl = (url: TextPattern): Step => withoutPress((page) => page.waitForURL(url));

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
  test.each(journeys)('can %s in at most %d presses', async (_, limit, ...steps) => {
    const page = await openStart();
    let presses = 0;
    for (const step of steps) if ((await step(page)) === 'pressed') presses += 1;
    expect(presses).toBeLessThanOrEqual(limit);
  });
}
