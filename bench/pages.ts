// npm run bench:pages: measures page load times in Chromium with a cold and a warm cache.
import type { Browser, BrowserContext } from 'playwright-core';
import { formatTable } from '../src/cli/run.ts';
import { openBrowser, openTab } from '../test/support/browser.ts';
import { buildAuthorizeUrl } from '../test/support/oauth-flow.ts';
import { type ExampleUser, openExampleService } from '../tools/example-service.ts';

const ROUNDS = 15;

interface PageMetrics {
  /** Milliseconds until the first contentful paint. */
  painted: number;
  /** Milliseconds until the end of the load event. */
  ready: number;
  bytes: number;
}

const READ_METRICS = `(async () => {
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

async function loadPage(context: BrowserContext, url: string): Promise<PageMetrics> {
  const page = await context.newPage();
  const response = await page.goto(url, { waitUntil: 'load' });
  if (response?.status() !== 200) throw new Error(`${response?.status()} at ${page.url()}`);
  const metrics = await page.evaluate<PageMetrics>(READ_METRICS);
  await page.close();
  return metrics;
}

async function openBrowserContext(
  browser: Browser,
  baseUrl: string,
  user?: ExampleUser,
): Promise<BrowserContext> {
  const { page, context } = await openTab(browser);
  if (user !== undefined) {
    await page.goto(`${baseUrl}/signin`);
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.locator('main button[type=submit]').first().click();
    await page.waitForURL(`${baseUrl}/account`);
  }
  await page.close();
  return context;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const browser = await openBrowser();
if (browser === undefined) process.exit(1);
const example = await openExampleService();
try {
  const { baseUrl, carnet, developer, admin } = example;
  const consent = buildAuthorizeUrl(example, carnet, {
    scope: 'openid profile email',
    prompt: 'consent',
  }).href;
  const pages: [name: string, url: string, user?: ExampleUser][] = [
    ['sign-in', buildAuthorizeUrl(example, carnet).href],
    ['consent', consent, developer],
    ['account', `${baseUrl}/account`, developer],
    ['application', `${baseUrl}/console/applications/${carnet.clientId}`, developer],
    ['admin', `${baseUrl}/console/operations`, admin],
  ];
  const rows = [];
  for (const [name, url, user] of pages) {
    const uncached: PageMetrics[] = [];
    const cached: PageMetrics[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const signedIn = await openBrowserContext(browser, baseUrl, user);
      // Signing in filled the first profile's cache.
      const emptyProfile = await browser.newContext({ storageState: await signedIn.storageState() });
      await signedIn.close();
      uncached.push(await loadPage(emptyProfile, url));
      cached.push(await loadPage(emptyProfile, url));
      await emptyProfile.close();
    }
    const formatMedian = (metrics: PageMetrics[], key: keyof PageMetrics) =>
      median(metrics.map((one) => one[key])).toFixed(0);
    rows.push([
      name,
      formatMedian(uncached, 'painted'),
      formatMedian(uncached, 'ready'),
      formatMedian(uncached, 'bytes'),
      formatMedian(cached, 'painted'),
      formatMedian(cached, 'ready'),
      formatMedian(cached, 'bytes'),
    ]);
  }
  const headings = ['page', 'painted', 'ready', 'bytes', 'cached: painted', 'ready', 'bytes'];
  process.stdout.write(`${formatTable(headings, rows)}\n`);
} finally {
  await browser.close();
  await example.close();
}
