// Graphs in Chromium, without JavaScript: as high on the screen as their figures say, read by whoever cannot see them, and the
// hours of a day found by its date.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countExampleActivity } from '../../tools/example-activity.ts';
import { openBrowser, openTab, type Tab } from '../support/browser.ts';
import { type TestApplication, type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
let owner: TestUser;
let application: TestApplication;
beforeAll(async () => {
  owner = await service.createUser();
  application = await service.createApplication({ ownerId: owner.userId });
  await countExampleActivity(service.parts, [application.clientId]);
});
afterAll(() => browser?.close());

async function openActivity({ page }: Tab): Promise<void> {
  const path = `/console/applications/${application.clientId}/activity`;
  await page.goto(`${service.baseUrl}${path}`);
  await page.locator('#email').fill(owner.email);
  await page.locator('#password').fill(owner.password);
  await page.locator('main button[type=submit]').click();
  await page.waitForURL(`${service.baseUrl}${path}`);
}

describe.skipIf(browser === undefined)('an owner', () => {
  test('sees bars as high as their figures, on a scale from zero', async () => {
    const tab = await openTab(browser, { language: 'en', javaScript: false });
    const { page, faults } = tab;
    await openActivity(tab);
    const chart = page.getByRole('region', { name: 'Sign-ins', exact: true });
    await chart.getByText('Show the figures').click();
    const figures = (await chart.locator('td').allTextContents()).map((text) =>
      Number(text.replace(/\D/g, '')),
    );
    const scale = (await chart.locator('.chart-scale span').allTextContents()).map((text) => Number(text));
    expect([figures.length, scale.at(-1)]).toEqual([28, 0]);
    const box = await chart.locator('svg').boundingBox();
    const bars = await Promise.all(
      (await chart.locator('.chart-bars path:not(.chart-unfinished)').all()).map((bar) => bar.boundingBox()),
    );
    // Today's has an outline.
    const drawn = figures.slice(0, -1).filter((figure) => figure > 0);
    expect(bars).toHaveLength(drawn.length);
    for (const [place, figure] of drawn.entries()) {
      const [bar, top] = [bars[place], scale[0] ?? 0];
      if (!bar || !box) throw new Error('nothing is drawn');
      expect(Math.abs(bar.height - (box.height * figure) / top)).toBeLessThan(2);
    }
    expect(faults).toEqual([]);
    await tab.context.close();
  });

  test('who cannot see them is told what they come to', async () => {
    const tab = await openTab(browser, { language: 'en', javaScript: false });
    await openActivity(tab);
    const names = await tab.page
      .getByRole('img')
      .evaluateAll((images) => images.map((image) => image.getAttribute('aria-label') ?? ''));
    expect(
      names.filter((name) => /^Sign-ins\. .*: [\d,]+ in total, [\d,]+ at most \(.*\)\.$/.test(name)),
    ).toHaveLength(1);
    await tab.context.close();
  });

  test('finds the hours of a day by its date, and comes back', async () => {
    const tab = await openTab(browser, { language: 'en', javaScript: false });
    const { page, faults } = tab;
    await openActivity(tab);
    const days = page.url();
    const yesterday = new Date(service.clock.now().getTime() - 24 * 3600 * 1000).toISOString().slice(0, 10);
    // Counts begin with the application, which is of today.
    await page.locator('#day').evaluate((field) => field.removeAttribute('min'));
    await page.getByLabel('A day, hour by hour').fill(yesterday);
    await page.getByRole('button', { name: 'Show' }).click();
    expect(new URL(page.url()).search).toBe(`?day=${yesterday}`);
    const chart = page.getByRole('region', { name: 'Sign-ins', exact: true });
    await chart.getByText('Show the figures').click();
    expect(await chart.locator('td').count()).toBe(24);
    await page.getByRole('link', { name: 'Next day' }).click();
    await page.getByRole('link', { name: 'Last 4 weeks' }).click();
    expect(page.url()).toBe(days);
    expect(faults).toEqual([]);
    await tab.context.close();
  });
});
