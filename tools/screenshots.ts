// npm run screenshots: the main pages, as README shows them, into docs/images/. With --all: see contact-sheets.ts.
import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startVitest } from 'vitest/node';
import { DESKTOP, openBrowser, openTab, type TabOptions } from '../test/support/browser.ts';
import { authorizeAddress } from '../test/support/flow.ts';
import { openExampleService, type Person } from './example-service.ts';

const FOLDER = fileURLToPath(new URL('../docs/images/', import.meta.url));
const PHONE = { width: 390, height: 780 };

type Example = Awaited<ReturnType<typeof openExampleService>>;

interface Picture extends TabOptions {
  who?: 'developer' | 'operator';
  at(example: Example): string;
}

const ofCarnet =
  (below = '') =>
  ({ carnet }: Example) =>
    `/console/applications/${carnet.clientId}${below}`;
const consent = (example: Example) =>
  authorizeAddress(example, example.carnet, { scope: 'openid profile email', prompt: 'consent' }).href;

const PICTURES: Record<string, Picture> = {
  'sign-in': { at: (example) => authorizeAddress(example, example.carnet).href },
  consent: { who: 'developer', at: consent },
  'consent-phone-dark': { who: 'developer', at: consent, viewport: PHONE, theme: 'dark' },
  account: { who: 'developer', at: () => '/account' },
  'account-phone-dark': { who: 'developer', at: () => '/account', viewport: PHONE, theme: 'dark' },
  applications: { who: 'developer', at: () => '/console/applications' },
  application: { who: 'developer', at: ofCarnet() },
  integrate: { who: 'developer', at: ofCarnet('/integrate') },
  diagnostics: { who: 'developer', at: ofCarnet('/diagnostics') },
  operations: { who: 'operator', at: () => '/console/operations' },
  button: { at: () => '/button' },
};

async function signIn(page: Page, baseUrl: string, person: Person): Promise<void> {
  await page.goto(`${baseUrl}/signin`);
  await page.fill('#email', person.email);
  await page.fill('#password', person.password);
  await page.locator('main button[type=submit]').click();
  await page.waitForURL(`${baseUrl}/account`);
}

if (process.argv.includes('--all')) {
  process.env.FAMILIES = process.argv
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
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, { who, at, ...options }] of Object.entries(PICTURES)) {
    const { page, context } = await openTab(browser, { viewport: DESKTOP, ...options });
    if (who !== undefined) await signIn(page, example.baseUrl, example[who]);
    const answer = await page.goto(new URL(at(example), example.baseUrl).href);
    if (answer?.status() !== 200) throw new Error(`${name}: ${answer?.status()} at ${page.url()}`);
    const path = `${FOLDER}${name}.png`;
    await page.screenshot({ path });
    process.stdout.write(`docs/images/${name}.png  ${Math.ceil(statSync(path).size / 1024)} kB\n`);
    await context.close();
  }
} finally {
  await browser.close();
  await example.close();
}
