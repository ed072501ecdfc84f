// npm run bench:pages: when a page is ready to use, in Chromium on loopback, in a fresh profile and in one that has been here.
import type { Browser, BrowserContext } from 'playwright-core';
import { table } from '../src/cli/run.ts';
import { openBrowser, openTab } from '../test/support/browser.ts';
import { authorizeAddress } from '../test/support/flow.ts';
import { openExampleService, type Person } from '../tools/example-service.ts';

const ROUNDS = 15;

interface Figures {
  /** Milliseconds from the request until something is painted, and until everything is there and its scripts have run. */
  painted: number;
  ready: number;
  /** Bytes of document, styles, letters and scripts on their way. */
  bytes: number;
}

const READ = `(async () => {
  const paint = await new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntriesByName('first-contentful-paint')) resolve(entry);
    });
    observer.observe({ type: 'paint', buffered: true });
  });
  const [page] = performance.getEntriesByType('navigation');
  const fetched = performance.getEntriesByType('resource').filter(({ initiatorType }) => initiatorType !== 'img');
  const bytes = [page, ...fetched].reduce((sum, { transferSize }) => sum + transferSize, 0);
  return { painted: paint.startTime, ready: page.loadEventEnd, bytes };
})()`;

async function open(context: BrowserContext, address: string): Promise<Figures> {
  const page = await context.newPage();
  const answer = await page.goto(address, { waitUntil: 'load' });
  if (answer?.status() !== 200) throw new Error(`${answer?.status()} at ${page.url()}`);
  const figures = await page.evaluate<Figures>(READ);
  await page.close();
  return figures;
}

async function profileOf(browser: Browser, baseUrl: string, person?: Person): Promise<BrowserContext> {
  const { page, context } = await openTab(browser);
  if (person !== undefined) {
    await page.goto(`${baseUrl}/signin`);
    await page.fill('#email', person.email);
    await page.fill('#password', person.password);
    await page.locator('main button[type=submit]').first().click();
    await page.waitForURL(`${baseUrl}/account`);
  }
  await page.close();
  return context;
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const browser = await openBrowser();
if (browser === undefined) process.exit(1);
const example = await openExampleService();
try {
  const { baseUrl, carnet, developer, operator } = example;
  const consent = authorizeAddress(example, carnet, {
    scope: 'openid profile email',
    prompt: 'consent',
  }).href;
  const pages: [name: string, address: string, person?: Person][] = [
    ['sign-in', authorizeAddress(example, carnet).href],
    ['consent', consent, developer],
    ['account', `${baseUrl}/account`, developer],
    ['application', `${baseUrl}/console/applications/${carnet.clientId}`, developer],
    ['operations', `${baseUrl}/console/operations`, operator],
  ];
  const rows = [];
  for (const [name, address, person] of pages) {
    const first: Figures[] = [];
    const again: Figures[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const stranger = await profileOf(browser, baseUrl, person);
      // Whoever signed in has seen the styles already; a fresh profile has only the session.
      const fresh = await browser.newContext({ storageState: await stranger.storageState() });
      await stranger.close();
      first.push(await open(fresh, address));
      again.push(await open(fresh, address));
      await fresh.close();
    }
    const of = (figures: Figures[], key: keyof Figures, digits = 0) =>
      middle(figures.map((one) => one[key])).toFixed(digits);
    rows.push([
      name,
      of(first, 'painted'),
      of(first, 'ready'),
      of(first, 'bytes'),
      of(again, 'painted'),
      of(again, 'ready'),
      of(again, 'bytes'),
    ]);
  }
  const headings = ['page', 'painted', 'ready', 'bytes', 'again: painted', 'ready', 'bytes'];
  process.stdout.write(`${table(headings, rows)}\n`);
} finally {
  await browser.close();
  await example.close();
}
