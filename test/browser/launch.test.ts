// Proves that both ways to come by a Chromium give one that runs scripts and draws text.
import { afterAll, expect, test } from 'vitest';
import { firstLine, launch, openBrowser, openTab, WAYS } from '../support/browser.ts';

const browser = await openBrowser();
afterAll(() => browser?.close());

test.for(Object.entries(WAYS))(
  'the %s Chromium starts, runs scripts and draws text',
  async ([way, find], context) => {
    const executable = await find();
    // One way is enough for the other tests, and a machine need not have both: npm carries one, the system may bring another.
    if (executable === undefined) return context.skip(`no ${way} Chromium on this machine`);
    const started = await launch(executable).catch((error: Error) => error);
    if (started instanceof Error) {
      console.warn(`The ${way} Chromium does not start here: ${firstLine(started)}`);
      return context.skip(`the ${way} Chromium does not start on this machine`);
    }
    try {
      const page = await started.newPage();
      await page.setContent('<p id="text">Sésame</p><script>document.title = String(6 * 7)</script>');
      expect(await page.title()).toBe('42');
      // Without any font, text has no width.
      const width = await page.evaluate<number>(
        "(() => { const r = document.createRange(); r.selectNodeContents(document.getElementById('text')); return r.getBoundingClientRect().width; })()",
      );
      expect(width).toBeGreaterThan(20);
    } finally {
      await started.close();
    }
  },
);

test.skipIf(browser === undefined)('a tab keeps what went wrong in it', async () => {
  const { page, faults } = await openTab(browser);
  await page.route('http://page.test/**', (route) =>
    new URL(route.request().url()).pathname === '/'
      ? route.fulfill({
          status: 404,
          headers: { 'content-type': 'text/html', 'content-security-policy': "style-src 'none'" },
          body: '<style>p{}</style><script>console.error("said"); throw new Error("thrown")</script><img src="/gone">',
        })
      : route.fulfill({ status: 404 }),
  );
  await page.goto('http://page.test/', { waitUntil: 'networkidle' });
  expect(faults.filter((fault) => fault.startsWith('console: said'))).toHaveLength(1);
  expect(faults).toContain('exception: thrown');
  expect(faults.filter((fault) => fault.includes('Content Security Policy'))).toHaveLength(1);
  expect(
    faults.filter((fault) => fault.includes('status of 404')),
    'the picture, not the page',
  ).toEqual([expect.stringContaining('http://page.test/gone')]);
});
