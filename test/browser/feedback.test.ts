// Feedback: busy buttons, code fields, wait times, picture previews.
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { contrast } from '../../src/branding/accent.ts';
import { RESEND_DELAY } from '../../src/oauth/lifetimes.ts';
import { findViolations } from '../support/axe.ts';
import { openBrowser, openTab, PHONE, signInInTab } from '../support/browser.ts';
import { createTwoColorPicture } from '../support/pictures.ts';
import { PASSWORD, startTestService, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

/** Blocks form submissions. Returns a function that counts them. */
async function blockSubmissions(page: Page) {
  await page.evaluate(
    'window.submissions = 0; addEventListener("submit", (event) => { if (!event.defaultPrevented) submissions += 1; event.preventDefault(); })',
  );
  await page.clock.install();
  // Otherwise, the clock also advances in real time.
  await page.clock.pauseAt(Date.now() + 1_000);
  return () => page.evaluate('submissions');
}

const isBusy = (page: Page, button: string) =>
  page.evaluate(`document.querySelector('${button}').ariaBusy === 'true'`);

describe.skipIf(browser === undefined)('a submit button', () => {
  const button = 'main .form > button[type=submit]';

  test('submits the form only once', async () => {
    const { page, context, errors } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    const countSubmissions = await blockSubmissions(page);
    await page.click(button);
    await page.clock.runFor(250);
    expect(await isBusy(page, button)).toBe(false);
    await page.clock.runFor(100);
    expect(await isBusy(page, button)).toBe(true);
    await page.click(button);
    await page.press('#password', 'Enter');
    await page.clock.runFor(5000);
    expect(await countSubmissions()).toBe(1);
    expect(await isBusy(page, button)).toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('is enabled again when the page is restored from the cache', async () => {
    const { page, context } = await openTab(browser);
    await page.goto(`${service.baseUrl}/signin`);
    const countSubmissions = await blockSubmissions(page);
    await page.click(button);
    await page.clock.runFor(400);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    expect(await isBusy(page, button)).toBe(false);
    await page.click(button);
    await page.clock.runFor(29_000);
    expect(await isBusy(page, button)).toBe(true);
    await page.clock.runFor(2000);
    expect(await isBusy(page, button)).toBe(false);
    await page.click(button);
    expect(await countSubmissions()).toBe(3);
    await context.close();
  });

  test('is enabled again after a download', async () => {
    const { page, context } = await openTab(browser);
    await signInInTab(page, { service, user: await service.createUser() });
    await page.goto(`${service.baseUrl}/account/data`);
    await blockSubmissions(page);
    await page.click('form[data-download] button');
    await page.clock.runFor(400);
    expect(await isBusy(page, 'form[data-download] button')).toBe(true);
    await page.clock.runFor(4000);
    expect(await isBusy(page, 'form[data-download] button')).toBe(false);
    await context.close();
  });
});

async function signUp(page: Page) {
  await page.goto(`${service.baseUrl}/signup`);
  for (const [field, value] of Object.entries({ name: 'Ada', email: 'ada@example.org', password: PASSWORD }))
    await page.fill(`#${field}`, value);
  await page.locator('main button[type=submit]').first().click();
  await page.waitForURL('**/account/verify**');
}

describe.skipIf(browser === undefined)('a code field', () => {
  test.each([
    ['/account/security/app', 'code', '123456'],
    ['/account/verify', 'code', '12345678'],
    ['/signin/recovery', 'code', 'abcd-efgh-ijkm-npqr'],
    ['/device', 'user_code', 'WDJB-MJHT'],
  ])('is as wide as the expected code (%s)', async (path, field, code) => {
    const { page, context } = await openTab(browser, { viewport: PHONE });
    if (path === '/account/verify') await signUp(page);
    else {
      if (path !== '/signin/recovery') await signInInTab(page, { service, user: await service.createUser() });
      await page.goto(service.baseUrl + path);
    }
    await page.fill(`#${field}`, code);
    const { isCut, characters } = await page.locator(`#${field}`).evaluate((element) => {
      const input = element as unknown as { scrollWidth: number; clientWidth: number; value: string };
      const style = getComputedStyle(element);
      const canvas = document.createElement('canvas').getContext('2d');
      if (canvas === null) throw new Error('no canvas');
      canvas.font = style.font;
      const width =
        input.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      return {
        isCut: input.scrollWidth > input.clientWidth,
        characters: width / canvas.measureText('0').width,
      };
    });
    expect(isCut).toBe(false);
    expect(characters).toBeGreaterThanOrEqual(code.length);
    expect(characters).toBeLessThan(code.length + 2);
    await context.close();
  });
});

describe.skipIf(browser === undefined)('the retry link', () => {
  test('is enabled when the countdown ends', async () => {
    await using limited = await startTestService({ RATE_LIMIT_PER_MINUTE: '1' });
    const { page, context, status } = await openTab(browser, { language: 'en' });
    await page.goto(`${limited.baseUrl}/signin`);
    await page.clock.install();
    await page.goto(`${limited.baseUrl}/signup`);
    expect(status()).toBe(429);
    const link = page.locator('a[data-retry-after]');
    const seconds = Number(await link.getAttribute('data-retry-after'));
    expect(await link.textContent()).toMatch(/^Try again in \d+\u00a0s$/);
    await link.click({ force: true });
    expect(page.url()).toMatch(/\/signup$/);
    await page.clock.runFor((seconds - 10) * 1000);
    expect(await link.textContent()).toMatch(/^Try again in (9|10)\u00a0s$/);
    await page.clock.runFor(11_000);
    expect([await link.textContent(), await link.getAttribute('aria-disabled')]).toEqual(['Try again', null]);
    const response = page.waitForResponse('**/signup');
    await link.click();
    await response;
    await context.close();
  });
});

test.skipIf(browser === undefined)(
  'a button that sends an email again is enabled after a countdown',
  async () => {
    const { page, context } = await openTab(browser, { language: 'en' });
    await page.clock.install();
    await page.goto(`${service.baseUrl}/password/forgot`);
    await page.fill('#email', 'nobody@example.org');
    await page.getByRole('button', { name: 'Send link' }).click();
    const button = page.getByRole('button');
    expect(await button.textContent()).toMatch(/^Send the email again in \d+\u00a0s$/);
    const url = page.url();
    await button.click({ force: true });
    expect(page.url()).toBe(url);
    await page.clock.runFor(RESEND_DELAY * 1000);
    expect(await button.textContent()).toBe('Send the email again');
    await button.click();
    await page.waitForURL((resent) => resent.href !== url);
    expect(await button.textContent()).toMatch(/^Send the email again in /);
    await context.close();
  },
);

test.skipIf(browser === undefined).each(['light', 'dark'] as const)(
  'the retry link is readable while it is disabled (%s)',
  async (theme) => {
    await using limited = await startTestService({ RATE_LIMIT_PER_MINUTE: '1' });
    const { page, context } = await openTab(browser, { theme });
    await page.goto(`${limited.baseUrl}/signin`);
    await page.goto(`${limited.baseUrl}/signup`);
    const link = page.locator('a[data-retry-after][aria-disabled=true]');
    const [color, background, opacity] = await link.evaluate((element) => {
      const style = getComputedStyle(element);
      return [style.color, style.backgroundColor, style.opacity];
    });
    const toHex = (rgb = '') =>
      `#${(rgb.match(/\d+/g) ?? []).map((value) => Number(value).toString(16).padStart(2, '0')).join('')}` as const;
    expect(opacity).toBe('1');
    expect(contrast(toHex(color), toHex(background))).toBeGreaterThanOrEqual(4.5);
    await context.close();
  },
);

describe.skipIf(browser === undefined)('a profile picture', () => {
  async function readColors(page: Page) {
    const url = await page.locator('main img.avatar').first().getAttribute('src');
    const { data, info } = await sharp(await (await fetch(new URL(url ?? '', service.baseUrl))).arrayBuffer())
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([256, 256]);
    const colorAt = (x: number) => ((data[(128 * 256 + x) * 3] ?? 0) > 128 ? 'red' : 'blue');
    return [colorAt(16), colorAt(240)];
  }

  async function openPicturePage(javaScript: boolean) {
    const tab = await openTab(browser, { language: 'en', javaScript });
    await signInInTab(tab.page, { service, user: await service.createUser() });
    await tab.page.goto(`${service.baseUrl}/account/picture`);
    await tab.page.setInputFiles('#picture', {
      name: 'flag.png',
      mimeType: 'image/png',
      buffer: await createTwoColorPicture(600, 200).png().toBuffer(),
    });
    return tab;
  }

  test('is cropped to the selected square', async () => {
    const { page, context, errors } = await openPicturePage(true);
    const left = page.getByLabel('Left to right');
    await left.waitFor();
    expect(await page.getByRole('img', { name: 'Preview' }).isVisible()).toBe(true);
    expect(await page.getByLabel('Top to bottom').isDisabled(), 'a wide picture can’t move vertically').toBe(
      true,
    );
    expect(await findViolations(page)).toEqual([]);
    await page.locator('#picture').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByLabel('Top to bottom').isDisabled()).toBe(false);
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await page.getByRole('button', { name: 'Use this picture' }).click();
    await page.getByRole('status').first().waitFor();
    expect(await readColors(page)).toEqual(['red', 'red']);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('can be moved by dragging', async () => {
    const { page, context } = await openPicturePage(true);
    const box = await page.getByRole('img', { name: 'Preview' }).boundingBox();
    if (box === null) throw new Error('no preview');
    await page.mouse.move(box.x + 20, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 140, box.y + 80, { steps: 5 });
    await page.mouse.up();
    expect(Number(await page.getByLabel('Left to right').inputValue())).toBeLessThan(20);
    await context.close();
  });

  test('is cropped to a centered square if JavaScript is disabled', async () => {
    const { page, context } = await openPicturePage(false);
    expect(await page.locator('.crop').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Use this picture' }).click();
    await page.getByRole('status').first().waitFor();
    expect(await readColors(page)).toEqual(['blue', 'red']);
    await context.close();
  });

  test('is rejected if the browser can’t decode it', async () => {
    const { page, context, errors } = await openPicturePage(true);
    await page.setInputFiles('#picture', {
      name: 'a.png',
      mimeType: 'image/png',
      buffer: Buffer.from('no picture'),
    });
    await page.locator('.crop').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Use this picture' }).click();
    await page.locator('#picture-error').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});
