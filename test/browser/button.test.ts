// The sign-in button as browsers draw it: contract §1's constants, wherever it is taken from; the logo on other sites.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { integratePageOf } from '../interoperability/copied.ts';
import { enter, openBrowser, openTab, type TabOptions } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { codeOf } from '../support/markup.ts';
import { type TestApplication, type TestUser, useTestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';

const browser = await openBrowser();
const service = useTestService();
let client: ExampleClient;
let site: StaticSite;
let owner: TestUser;
let application: TestApplication;
beforeAll(async () => {
  client = await startExampleClient(service);
  // Another site than the service's, and as strict about what it embeds as a site can be.
  site = await startStaticSite(
    {},
    { host: '127.0.0.1', headers: { 'cross-origin-embedder-policy': 'require-corp' } },
  );
  const page = await (await fetch(`${service.baseUrl}/button`)).text();
  site.put('/copied.css', codeOf(page, 'button-css'));
  site.put(
    '/copied.html',
    sitePage('copied.css', codeOf(page, 'button-html') + codeOf(page, 'button-html-dark')),
  );
  site.put(
    '/hosted.html',
    sitePage(`${service.baseUrl}/button.css`, buttons(`${service.baseUrl}/images/logo.svg`)),
  );
  owner = await service.createUser();
  application = await service.createApplication({ ownerId: owner.userId });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([client.close(), site.close()]);
});

/** A page of another site, whose own links look and move in ways that the button must not take over. */
const sitePage = (
  stylesheet: string,
  content: string,
) => `<!doctype html><html lang="fr"><title>Bouton</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${stylesheet}">
<style>
a:link { color: red; text-decoration: underline; border-radius: 0; background: yellow; }
a:hover { color: lime; text-decoration: underline double; padding: 0; }
img { max-width: 100%; height: auto; }
button { font: 30px serif; border: 0; }
</style>
<body style="font-family: monospace">${content}`;

const buttons = (logo: string) =>
  `<a href="/light" class="service-signin-btn"><img src="${logo}" alt="">Se connecter avec Sésame</a>
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
  'transform',
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
  transform: 'none',
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
  ['an application’s page of code to copy', () => `${service.baseUrl}${integrateAddress()}`, true],
  ['a site with the stylesheet that the service offers', () => `${site.baseUrl}/hosted.html`, true],
];

const integrateAddress = () => `/console/applications/${application.clientId}/integrate`;

const light = (page: Page) => page.locator('.service-signin-btn:not(.service-signin-btn--dark)');
const dark = (page: Page) => page.locator('.service-signin-btn--dark');

/** Opens one of the places, with the owner of the application signed in to the service. */
async function show(address: string, options: TabOptions = {}) {
  const tab = await openTab(browser, options);
  await enter(tab.page, { service, user: owner });
  await tab.page.goto(address);
  return tab;
}

test.skipIf(browser === undefined).each(PLACES)(
  'the button on %s looks as it must',
  async (_, address, hasDark) => {
    const { page, faults } = await show(address());
    const variants = [[light(page), LIGHT] as const, ...(hasDark ? [[dark(page), DARK] as const] : [])];
    for (const [button, constants] of variants) {
      expect(await style(button, PROPERTIES)).toEqual(constants);
      expect(await button.textContent()).toBe('Se connecter avec Sésame');
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(40);
      expect(await style(button, ['fontFamily'])).toEqual(await style(page.locator('body'), ['fontFamily']));
    }
    await light(page).hover();
    const lit = { ...LIGHT, ...HOVER, border: '2px solid rgb(129, 140, 248)' };
    await expect.poll(() => style(light(page), PROPERTIES)).toEqual(lit);
    if (hasDark) {
      await dark(page).hover();
      const darker = { border: '2px solid rgb(67, 56, 202)', backgroundColor: 'rgb(67, 56, 202)' };
      await expect.poll(() => style(dark(page), PROPERTIES)).toEqual({ ...DARK, ...HOVER, ...darker });
      await expect.poll(() => style(light(page), PROPERTIES)).toEqual(LIGHT);
    }
    // The logo keeps its size where there is no room.
    await page.setViewportSize({ width: 180, height: 600 });
    const logo = () => light(page).locator('img').boundingBox();
    await expect.poll(logo).toMatchObject({ width: 22, height: 22 });
    expect(faults).toEqual([]);
    await page.context().close();
  },
);

describe.skipIf(browser === undefined)('the pages to copy from', () => {
  test('copy by a button, which says so; without JavaScript there is none, and the text can be selected', async () => {
    const { page, context, faults } = await show(`${service.baseUrl}${integrateAddress()}`);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl });
    const copy = page.locator('button[data-copy="#button-html"]');
    await copy.click();
    await expect.poll(() => copy.textContent()).toContain('Copié');
    const html = codeOf(await integratePageOf(service, owner, application), 'button-html');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(html);
    expect(faults).toEqual([]);

    const { page: plain } = await show(`${service.baseUrl}${integrateAddress()}`, { javaScript: false });
    expect(await plain.locator('button[data-copy]:visible').count()).toBe(0);
    expect(await plain.locator('#button-html').textContent()).toBe(html);
    await plain.getByRole('link', { name: 'Passport, avec passport-oauth2' }).click();
    await plain.locator('#passport-oauth2-1').waitFor();
  });
});

describe.skipIf(browser === undefined)('the logo', () => {
  test('is shown by other sites, even by one that embeds only what allows it (COEP require-corp)', async () => {
    const { page, faults } = await openTab(browser);
    await page.goto(`${site.baseUrl}/copied.html`);
    const logo = light(page).locator('img');
    await expect
      .poll(() => logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(64);
    expect(faults).toEqual([]);
  });

  test('anything else of the service that does not say so is not: a page in its place stays empty', async () => {
    site.put('/page.html', sitePage('copied.css', buttons(`${service.baseUrl}/signin`)));
    const { page, faults } = await openTab(browser);
    await page.goto(`${site.baseUrl}/page.html`, { waitUntil: 'networkidle' });
    expect(faults.filter((fault) => fault.includes(`${service.baseUrl}/signin`))).not.toEqual([]);
  });
});
