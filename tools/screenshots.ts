// npm run screenshots: takes README.md's screenshots. For --all, see contact-sheets.ts.
import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startVitest } from 'vitest/node';
import { DESKTOP, openBrowser, openTab, type TabOptions } from '../test/support/browser.ts';
import { buildAuthorizeUrl } from '../test/support/oauth-flow.ts';
import { type ExampleUser, openExampleService } from './example-service.ts';

const SCREENSHOT_FOLDER = fileURLToPath(new URL('../docs/images/', import.meta.url));
const PHONE_VIEWPORT = { width: 390, height: 780 };

type ExampleService = Awaited<ReturnType<typeof openExampleService>>;

interface Screenshot extends TabOptions {
  as?: 'developer' | 'admin';
  at(example: ExampleService): string;
}

const carnetPath =
  (suffix = '') =>
  ({ carnet }: ExampleService) =>
    `/console/applications/${carnet.clientId}${suffix}`;
const consentUrl = (example: ExampleService) =>
  buildAuthorizeUrl(example, example.carnet, { scope: 'openid profile email', prompt: 'consent' }).href;

const SCREENSHOTS: Record<string, Screenshot> = {
  'sign-in': { at: (example) => buildAuthorizeUrl(example, example.carnet).href },
  consent: { as: 'developer', at: consentUrl },
  'consent-phone-dark': { as: 'developer', at: consentUrl, viewport: PHONE_VIEWPORT, theme: 'dark' },
  account: { as: 'developer', at: () => '/account' },
  'account-phone-dark': { as: 'developer', at: () => '/account', viewport: PHONE_VIEWPORT, theme: 'dark' },
  applications: { as: 'developer', at: () => '/console/applications' },
  application: { as: 'developer', at: carnetPath() },
  integrate: { as: 'developer', at: carnetPath('/integrate') },
  diagnostics: { as: 'developer', at: carnetPath('/diagnostics') },
  operations: { as: 'admin', at: () => '/console/operations' },
  button: { at: () => '/button' },
};

async function signIn(page: Page, baseUrl: string, user: ExampleUser): Promise<void> {
  await page.goto(`${baseUrl}/signin`);
  await page.fill('#email', user.email);
  await page.fill('#password', user.password);
  await page.locator('main button[type=submit]').click();
  await page.waitForURL(`${baseUrl}/account`);
}

if (process.argv.includes('--all')) {
  process.env.AREAS = process.argv
    .slice(2)
    .filter((word) => !word.startsWith('-'))
    .join(' ');
  const options = { include: ['tools/contact-sheets.ts'], watch: false, reporters: ['default'] };
  const run = await startVitest('test', [], options);
  await run.close();
  process.exit();
}

const browser = await openBrowser();
if (browser === undefined) process.exit(1);
const example = await openExampleService();
try {
  mkdirSync(SCREENSHOT_FOLDER, { recursive: true });
  for (const [name, { as: user, at: pathOf, ...options }] of Object.entries(SCREENSHOTS)) {
    const { page, context } = await openTab(browser, { language: 'en', viewport: DESKTOP, ...options });
    if (user !== undefined) await signIn(page, example.baseUrl, example[user]);
    const response = await page.goto(new URL(pathOf(example), example.baseUrl).href);
    if (response?.status() !== 200) throw new Error(`${name}: ${response?.status()} at ${page.url()}`);
    // The consent page's button is disabled for the first half second.
    await page.locator('main [aria-disabled=true]').waitFor({ state: 'detached' });
    const path = `${SCREENSHOT_FOLDER}${name}.png`;
    await page.screenshot({ path });
    process.stdout.write(`docs/images/${name}.png  ${Math.ceil(statSync(path).size / 1024)} kB\n`);
    await context.close();
  }
} finally {
  await example.close();
}
// The browser is still running and would keep this process alive.
process.exit();
