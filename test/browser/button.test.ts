// The sign-in button as browsers draw it: contract §1's constants, wherever it is taken from; the logo on other sites.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, PHONE } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';

const browser = await openBrowser();
let service: TestService;
let client: ExampleClient;
let site: StaticSite;
beforeAll(async () => {
  service = await startTestService();
  client = await startExampleClient(service);
  const folder = new URL('../../examples/button/', import.meta.url);
  // Another site than the service's, and as strict about what it embeds as a site can be.
  site = await startStaticSite(
    { '/signin-button.css': new URL('signin-button.css', folder) },
    { host: '127.0.0.1', headers: { 'cross-origin-embedder-policy': 'require-corp' } },
  );
  for (const [path, stylesheet] of [
    ['/own.html', 'signin-button.css'],
    ['/hosted.html', `${service.baseUrl}/button.css`],
  ] as const)
    site.put(path, buttonPage(stylesheet, `${service.baseUrl}/images/logo.svg`));
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([client.close(), site.close()]);
  await service.close();
});

const buttonPage = (stylesheet: string, logo: string) => `<!doctype html><html lang="fr"><title>Bouton</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${stylesheet}">
<body style="font-family: monospace">
<a href="/light" class="service-signin-btn"><img src="${logo}" alt="">Se connecter avec Sésame</a>
<button class="service-signin-btn service-signin-btn--dark"><img src="${logo}" alt="">Se connecter avec Sésame</button>`;

const PROPERTIES = [
  'display',
  'alignItems',
  'gap',
  'padding',
  'backgroundColor',
  'border',
  'borderRadius',
  'fontSize',
  'fontWeight',
  'color',
  'textDecorationLine',
  'cursor',
  'transitionProperty',
  'transitionDuration',
  'transitionTimingFunction',
  'boxShadow',
  'minHeight',
];

const style = (element: Locator, properties: string[]): Promise<Record<string, string>> =>
  element.evaluate((node, names) => {
    const view = (node as unknown as { ownerDocument: { defaultView: Record<string, unknown> } })
      .ownerDocument.defaultView;
    const computed = (view.getComputedStyle as (of: unknown) => Record<string, string>)(node);
    return Object.fromEntries(names.map((name) => [name, computed[name] ?? '']));
  }, properties);

const LIGHT = {
  display: 'inline-flex',
  alignItems: 'center',
  gap: '10px',
  padding: '10px 20px',
  backgroundColor: 'rgb(255, 255, 255)',
  border: '2px solid rgb(229, 231, 235)',
  borderRadius: '10px',
  fontSize: '15px',
  fontWeight: '600',
  color: 'rgb(31, 41, 55)',
  textDecorationLine: 'none',
  cursor: 'pointer',
  transitionProperty: 'all',
  transitionDuration: '0.2s',
  transitionTimingFunction: 'ease',
  boxShadow: 'rgba(0, 0, 0, 0.08) 0px 1px 3px 0px',
  minHeight: '40px',
};
const DARK = {
  ...LIGHT,
  backgroundColor: 'rgb(79, 70, 229)',
  border: '2px solid rgb(79, 70, 229)',
  color: 'rgb(255, 255, 255)',
};
const HOVER = {
  transform: 'matrix(1, 0, 0, 1, 0, -1)',
  boxShadow: 'rgba(99, 102, 241, 0.15) 0px 4px 12px 0px',
};

/** The places that show the button; the example application shows the light one alone. */
const PLACES: [place: string, address: () => string, dark: boolean][] = [
  ['the example application', () => client.baseUrl, false],
  ['a page with the stylesheet of examples/button', () => `${site.baseUrl}/own.html`, true],
  ['a page with the stylesheet that the service offers', () => `${site.baseUrl}/hosted.html`, true],
];

const light = (page: Page) => page.locator('.service-signin-btn:not(.service-signin-btn--dark)');
const dark = (page: Page) => page.locator('.service-signin-btn--dark');

describe.skipIf(browser === undefined).each(PLACES)('the button on %s', (_, address, hasDark) => {
  test('has the constants of contract §1', async () => {
    const { page, faults } = await openTab(browser);
    await page.goto(address());
    expect(await style(light(page), PROPERTIES)).toEqual(LIGHT);
    if (hasDark) expect(await style(dark(page), PROPERTIES)).toEqual(DARK);
    expect(faults).toEqual([]);
  });

  test('says exactly « Se connecter avec » and the name, in the font around it, at least 40 px high', async () => {
    const { page } = await openTab(browser);
    await page.goto(address());
    for (const button of [light(page), ...(hasDark ? [dark(page)] : [])]) {
      expect(await button.textContent()).toBe('Se connecter avec Sésame');
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(40);
      expect(await style(button, ['fontFamily'])).toEqual(await style(page.locator('body'), ['fontFamily']));
    }
  });

  test('shows the logo at 22 by 22 px, also where there is no room', async () => {
    const { page } = await openTab(browser, { viewport: PHONE });
    await page.goto(address());
    for (const viewport of [PHONE, { width: 180, height: 600 }]) {
      await page.setViewportSize(viewport);
      expect(await light(page).locator('img').boundingBox()).toMatchObject({ width: 22, height: 22 });
    }
  });

  test('lifts under the pointer as contract §1 and D35 say', async () => {
    const { page } = await openTab(browser);
    await page.goto(address());
    const names = ['transform', 'boxShadow', 'borderColor', 'backgroundColor'];
    await light(page).hover();
    await expect
      .poll(() => style(light(page), names))
      .toEqual({ ...HOVER, borderColor: 'rgb(129, 140, 248)', backgroundColor: 'rgb(255, 255, 255)' });
    if (!hasDark) return;
    await dark(page).hover();
    await expect
      .poll(() => style(dark(page), names))
      .toEqual({ ...HOVER, borderColor: 'rgb(67, 56, 202)', backgroundColor: 'rgb(67, 56, 202)' });
  });
});

describe.skipIf(browser === undefined)('the logo', () => {
  test('is shown by other sites, even by one that embeds only what allows it (COEP require-corp)', async () => {
    const { page, faults } = await openTab(browser);
    await page.goto(`${site.baseUrl}/own.html`);
    const logo = light(page).locator('img');
    await expect
      .poll(() => logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(64);
    expect(faults).toEqual([]);
  });

  test('anything else of the service that does not say so is not: a page in its place stays empty', async () => {
    site.put('/page.html', buttonPage('signin-button.css', `${service.baseUrl}/signin`));
    const { page, faults } = await openTab(browser);
    await page.goto(`${site.baseUrl}/page.html`, { waitUntil: 'networkidle' });
    expect(faults.filter((fault) => fault.includes(`${service.baseUrl}/signin`))).not.toEqual([]);
  });
});
