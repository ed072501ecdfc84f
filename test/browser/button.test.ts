// The sign-in button on other sites: logo and isolation from the site's styles.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchIntegrationPages } from '../interoperability/snippets.ts';
import { openBrowser, openTab, signInInTab, type TabOptions } from '../support/browser.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { readCodeBlock } from '../support/markup.ts';
import { type TestClient, type TestUser, useTestService } from '../support/service.ts';
import { type StaticSite, startStaticSite } from '../support/static-site.ts';

const browser = await openBrowser();
const service = useTestService();
let client: ExampleClient;
let site: StaticSite;
let owner: TestUser;
let application: TestClient;
beforeAll(async () => {
  client = await startExampleClient(service);
  site = await startStaticSite(
    {},
    { host: '127.0.0.1', headers: { 'cross-origin-embedder-policy': 'require-corp' } },
  );
  const page = await (await fetch(`${service.baseUrl}/button`)).text();
  site.setFile('/copied.css', readCodeBlock(page, 'button-css'));
  site.setFile(
    '/copied.html',
    buildSitePage('copied.css', readCodeBlock(page, 'button-html') + readCodeBlock(page, 'button-html-dark')),
  );
  site.setFile(
    '/hosted.html',
    buildSitePage(`${service.baseUrl}/button.css`, buildButtons(`${service.baseUrl}/images/logo.svg`)),
  );
  owner = await service.createUser();
  application = await service.createClient({ ownerId: owner.userId });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([client.close(), site.close()]);
});

/** Creates a page of another site, with styles that must not affect the button. */
const buildSitePage = (
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

const buildButtons = (logo: string) =>
  `<a href="/light" class="service-signin-btn"><img src="${logo}" alt="">Se connecter avec Sésame</a>
<button class="service-signin-btn service-signin-btn--dark"><img src="${logo}" alt="">Se connecter avec Sésame</button>`;

const STYLE_PROPERTIES = [
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

const readStyles = (element: Locator, properties: string[]): Promise<Record<string, string>> =>
  element.evaluate((node, names) => {
    const view = (node as unknown as { ownerDocument: { defaultView: Record<string, unknown> } })
      .ownerDocument.defaultView;
    const computed = (view.getComputedStyle as (of: unknown) => Record<string, string>)(node);
    return Object.fromEntries(names.map((name) => [name, computed[name] ?? '']));
  }, properties);

const LIGHT_STYLES = {
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
const DARK_STYLES = {
  ...LIGHT_STYLES,
  backgroundColor: 'rgb(79, 70, 229)',
  border: '2px solid rgb(79, 70, 229)',
  color: 'rgb(255, 255, 255)',
};
const HOVER_STYLES = {
  transform: 'matrix(1, 0, 0, 1, 0, -1)',
  boxShadow: 'rgba(99, 102, 241, 0.15) 0px 4px 12px 0px',
};

const BUTTON_PAGES: [name: string, url: () => string, hasDarkVariant: boolean][] = [
  ['the example client', () => client.baseUrl, false],
  ['the integration page of a client', () => `${service.baseUrl}${buildIntegrationPath()}?tab=button`, true],
  ['a site that uses the service’s stylesheet', () => `${site.baseUrl}/hosted.html`, true],
];

const buildIntegrationPath = () => `/console/applications/${application.clientId}/integrate`;

const lightButton = (page: Page) => page.locator('.service-signin-btn:not(.service-signin-btn--dark)');
const darkButton = (page: Page) => page.locator('.service-signin-btn--dark');

async function openAsOwner(url: string, options: TabOptions = {}) {
  const tab = await openTab(browser, options);
  await signInInTab(tab.page, { service, user: owner });
  await tab.page.goto(url);
  return tab;
}

test.skipIf(browser === undefined).each(BUTTON_PAGES)(
  'the button on %s has the specified styles',
  async (_, url, hasDarkVariant) => {
    const { page, errors } = await openAsOwner(url());
    const variants = [
      [lightButton(page), LIGHT_STYLES] as const,
      ...(hasDarkVariant ? [[darkButton(page), DARK_STYLES] as const] : []),
    ];
    for (const [button, expected] of variants) {
      expect(await readStyles(button, STYLE_PROPERTIES)).toEqual(expected);
      expect(await button.textContent()).toBe('Se connecter avec Sésame');
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(40);
      expect(await readStyles(button, ['fontFamily'])).toEqual(
        await readStyles(page.locator('body'), ['fontFamily']),
      );
    }
    await lightButton(page).hover();
    const lightHoverStyles = { ...LIGHT_STYLES, ...HOVER_STYLES, border: '2px solid rgb(129, 140, 248)' };
    await expect.poll(() => readStyles(lightButton(page), STYLE_PROPERTIES)).toEqual(lightHoverStyles);
    if (hasDarkVariant) {
      await darkButton(page).hover();
      const darkHoverColors = { border: '2px solid rgb(67, 56, 202)', backgroundColor: 'rgb(67, 56, 202)' };
      await expect
        .poll(() => readStyles(darkButton(page), STYLE_PROPERTIES))
        .toEqual({ ...DARK_STYLES, ...HOVER_STYLES, ...darkHoverColors });
      await expect.poll(() => readStyles(lightButton(page), STYLE_PROPERTIES)).toEqual(LIGHT_STYLES);
    }
    await page.setViewportSize({ width: 180, height: 600 });
    const measureLogo = () => lightButton(page).locator('img').boundingBox();
    await expect.poll(measureLogo).toMatchObject({ width: 22, height: 22 });
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

describe.skipIf(browser === undefined)('a code block', () => {
  test('has a copy button only if JavaScript is enabled', async () => {
    const { page, context, errors } = await openAsOwner(
      `${service.baseUrl}${buildIntegrationPath()}?tab=button`,
    );
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl });
    const copy = page.locator('button[data-copy="#button-html"]');
    await copy.click();
    await expect.poll(() => copy.textContent()).toContain('Copié');
    const html = readCodeBlock(await fetchIntegrationPages(service, owner, application), 'button-html');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(html);
    expect(errors).toEqual([]);

    const { page: pageWithoutScript } = await openAsOwner(
      `${service.baseUrl}${buildIntegrationPath()}?tab=button`,
      {
        javaScript: false,
      },
    );
    expect(await pageWithoutScript.locator('button[data-copy]:visible').count()).toBe(0);
    expect(await pageWithoutScript.locator('#button-html').textContent()).toBe(html);
    await pageWithoutScript.getByRole('link', { name: 'Code', exact: true }).click();
    await pageWithoutScript.getByRole('link', { name: 'passport-oauth2' }).click();
    await pageWithoutScript.locator('#passport-oauth2-1').waitFor();
  });

  test('is copied in full while it is collapsed', async () => {
    const path = `${service.baseUrl}${buildIntegrationPath()}`;
    const { page, context } = await openAsOwner(path);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl });
    await page.locator('button[data-copy="#openid-client-1"]').click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('createServer(async');

    const { page: pageWithoutScript } = await openAsOwner(path, { javaScript: false });
    const rest = pageWithoutScript.locator('.code-rest');
    expect(await rest.isVisible()).toBe(false);
    await pageWithoutScript.getByText(/^Afficher les \d+ lignes/).click();
    expect(await rest.isVisible()).toBe(true);
    await pageWithoutScript.getByText('Afficher moins de lignes').click();
    expect(await rest.isVisible()).toBe(false);
  });
});

describe.skipIf(browser === undefined)('the logo', () => {
  test('loads on a site with COEP require-corp', async () => {
    const { page, errors } = await openTab(browser);
    await page.goto(`${site.baseUrl}/copied.html`);
    const logo = lightButton(page).locator('img');
    await expect
      .poll(() => logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(64);
    expect(errors).toEqual([]);
  });

  test('is the only resource that a site with COEP require-corp can embed', async () => {
    site.setFile('/page.html', buildSitePage('copied.css', buildButtons(`${service.baseUrl}/signin`)));
    const { page, errors } = await openTab(browser);
    await page.goto(`${site.baseUrl}/page.html`, { waitUntil: 'networkidle' });
    expect(errors.filter((error) => error.includes(`${service.baseUrl}/signin`))).not.toEqual([]);
  });
});
