// npm run screenshots -- --all [family …]: captures every page in every state. Writes sheets to
// node_modules/.screenshots/. Vitest runs this file on the tests' database.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { afterAll, beforeAll, test } from 'vitest';
import { PAGE_AREAS, startServiceForAllPages } from '../test/support/all-pages.ts';
import { openBrowser, openTab, type Tab } from '../test/support/browser.ts';
import type { OpenedPage } from '../test/support/page-list.ts';
import { createPageRenderer } from '../test/support/page-renderer.ts';
import { createBranding, type TestService } from '../test/support/service.ts';

const SHEET_FOLDER = fileURLToPath(new URL('../node_modules/.screenshots/', import.meta.url));
const WIDTHS = [360, 768, 1280] as const;
const VIEWPORT_HEIGHT = 800;
const MAX_HEIGHT = 2400; // in pixels
const SCALE = 0.5;
const SPACING = 16;
const LABEL_HEIGHT = 28;
const SHEET_WIDTH = WIDTHS.reduce<number>((sum, width) => sum + width * SCALE + SPACING, SPACING);

const selectedAreas = (process.env.AREAS ?? '').split(' ').filter(Boolean);
const browser = await openBrowser();
beforeAll(() => mkdirSync(SHEET_FOLDER, { recursive: true }));
afterAll(() => browser?.close());

const SHEETS = Object.entries({ ...PAGE_AREAS, branding: PAGE_AREAS.signIn })
  .filter(([family]) => selectedAreas.length === 0 || selectedAreas.includes(family))
  .flatMap(([family, open]) => (['fr', 'en'] as const).map((language) => ({ family, open, language })));

test.skipIf(browser === undefined).each(SHEETS)(
  '$family, $language',
  { timeout: 3_600_000 },
  async ({ family, open, language }) => {
    await using service = await startServiceForAllPages(family === 'branding' ? await createBranding() : {});
    const pages = await open(service, language);
    for (const theme of ['light', 'dark'] as const)
      for (const javaScript of [true, false]) {
        const tab = await openTab(browser, { language, theme, javaScript });
        const name = `${family}-${language}-${theme}${javaScript ? '' : '-no-script'}.png`;
        await renderSheet(tab, service, pages).then((sheet) => sheet.toFile(`${SHEET_FOLDER}${name}`));
        await tab.context.close();
        process.stdout.write(`${SHEET_FOLDER}${name}  ${pages.length} pages\n`);
      }
  },
);

async function renderSheet(tab: Tab, service: TestService, pages: readonly OpenedPage[]): Promise<Sharp> {
  // The service disables SVG in sharp.
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] });
  const show = await createPageRenderer(tab, service);
  const overlays: OverlayOptions[] = [];
  let y = SPACING;
  for (const page of pages) {
    overlays.push({ input: renderLabel(`${page.name} (${page.status})`), left: SPACING, top: y });
    y += LABEL_HEIGHT;
    let x = SPACING;
    let tallest = 0;
    await show(page);
    for (const width of WIDTHS) {
      await tab.page.setViewportSize({ width, height: VIEWPORT_HEIGHT });
      const { data, info } = await captureScreenshot(tab, width);
      overlays.push({ input: data, left: x, top: y });
      x += width * SCALE + SPACING;
      tallest = Math.max(tallest, info.height);
    }
    y += tallest + SPACING;
  }
  const background = { r: 128, g: 128, b: 128 };
  return sharp({ create: { width: SHEET_WIDTH, height: y, channels: 3, background } }).composite(overlays);
}

async function captureScreenshot({ page }: Tab, width: number) {
  // Chromium can't capture very tall pages.
  const clip = { x: 0, y: 0, width, height: MAX_HEIGHT };
  return sharp(await page.screenshot({ fullPage: true, clip }))
    .resize({ width: width * SCALE })
    .png()
    .toBuffer({ resolveWithObject: true });
}

const renderLabel = (text: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SHEET_WIDTH - 2 * SPACING}" height="${LABEL_HEIGHT}"><text y="20" font-family="sans-serif" font-size="16" font-weight="bold" fill="#fff">${text.replace(/[&<]/g, '·')}</text></svg>`,
  );
