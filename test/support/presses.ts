// Steps of journeys in a browser. Counts the presses on links, buttons, choices and summaries.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from './service.ts';

type Result = 'pressed' | 'not pressed';
export type Step = (page: Page) => Promise<Result>;
export type Journey = [name: string, limit: number, ...steps: Step[]];
type Name = string | RegExp;

const press =
  (find: (page: Page) => Locator): Step =>
  async (page) => {
    // The navigation comes first in the document, so the last match is the page's own control.
    await find(page).filter({ visible: true }).last().click();
    return 'pressed';
  };

export const link = (name: Name): Step => press((page) => page.getByRole('link', { name, exact: true }));
export const button = (name: Name): Step => press((page) => page.getByRole('button', { name, exact: true }));
/** Selects a radio button or checkbox by its label, because the input of a tile is hidden. */
export const choice = (name: string): Step => press((page) => page.locator('label', { hasText: name }));
/** Opens a `details` element with the keyboard, because links may cover the middle of its summary. */
export const summary =
  (name: string): Step =>
  async (page) => {
    await page.locator('summary', { hasText: name }).filter({ visible: true }).last().press('Enter');
    return 'pressed';
  };

/** A step without a press, such as typing, choosing a file or waiting. */
export const act =
  (perform: (page: Page) => Promise<unknown>): Step =>
  async (page) => {
    await perform(page);
    return 'not pressed';
  };

export const type = (label: string, value: string | ((page: Page) => Promise<string> | string)): Step =>
  act(async (page) => {
    const field = page.getByLabel(label, { exact: true }).and(page.locator('input, textarea'));
    await field.fill(typeof value === 'string' ? value : await value(page));
  });

export const upload = (label: string, name: string, buffer: Buffer): Step =>
  act((page) =>
    page
      .getByLabel(label, { exact: true })
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer }),
  );

export const see = (text: Name): Step =>
  act((page) => page.getByText(text).filter({ visible: true }).first().waitFor());

/** Waits for the message that confirms an action. */
export const done: Step = act((page) => page.getByRole('status').filter({ visible: true }).first().waitFor());

export const arriveAt = (url: Name): Step => act((page) => page.waitForURL(url));

/** Presses a control that starts a download. */
export const download =
  (step: Step): Step =>
  async (page) => {
    const [, result] = await Promise.all([page.waitForEvent('download'), step(page)]);
    return result;
  };

/** Submits the page's settings form. */
export const save: Step[] = [button('Save'), done];

export const enterPassword = (email: string): Step[] => [
  type('Email address', email),
  type('Password', PASSWORD),
  button('Sign in'),
];

/** Offers the open application or API to another account. */
export const offer: Step[] = [
  link('Transfer to another account'),
  type('Email address of the other account', 'zoe@example.com'),
  button('Make the offer'),
  done,
];

export const confirmDeletion = (name: string): Step[] => [
  type('Name', name),
  button('Delete permanently'),
  done,
];

/** Tests that each journey takes no more presses than its limit. All journeys use the same tab. */
export function testJourneys(openStart: () => Promise<Page>, journeys: Journey[]): void {
  test.each(journeys)('can %s in at most %d presses', async (_, limit, ...steps) => {
    const page = await openStart();
    let presses = 0;
    for (const step of steps) if ((await step(page)) === 'pressed') presses += 1;
    expect(presses).toBeLessThanOrEqual(limit);
  });
}
