// npm run screenshots -- --all [family …]: every page in every state, on one sheet per family, language, theme and script or
// none, at three widths side by side; « house » is the entrance as an operator may have it. For looking at, below
// node_modules/.screenshots/. It runs as a test file, on the tests' database.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { afterAll, beforeAll, test } from 'vitest';
import { openBrowser, openTab, type Tab } from '../test/support/browser.ts';
import { AREAS, startServiceOfEveryPage } from '../test/support/every-page.ts';
import type { OpenedPage } from '../test/support/page-list.ts';
import { brandedHouse, type TestService } from '../test/support/service.ts';
import { pageShower } from '../test/support/shown-page.ts';

const FOLDER = fileURLToPath(new URL('../node_modules/.screenshots/', import.meta.url));
const WIDTHS = [360, 768, 1280] as const;
const HEIGHT = 800;
/** What is below this many pixels of a page is not shown. */
const LONGEST = 2400;
const SCALE = 0.5;
const GAP = 16;
const LABEL = 28;
const SHEET = WIDTHS.reduce<number>((sum, width) => sum + width * SCALE + GAP, GAP);

const wished = (process.env.FAMILIES ?? '').split(' ').filter(Boolean);
const browser = await openBrowser();
let service: TestService;
let branded: TestService;
beforeAll(async () => {
  service = await startServiceOfEveryPage();
  branded = await startServiceOfEveryPage(await brandedHouse());
  mkdirSync(FOLDER, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([service.close(), branded.close()]);
});

const SHEETS = Object.entries({ ...AREAS, house: AREAS.entrance })
  .filter(([family]) => wished.length === 0 || wished.includes(family))
  .flatMap(([family, open]) => (['fr', 'en'] as const).map((language) => ({ family, open, language })));

test.skipIf(browser === undefined).each(SHEETS)(
  '$family, $language',
  { timeout: 3_600_000 },
  async ({ family, open, language }) => {
    const shown = family === 'house' ? branded : service;
    const pages = (await open(shown)).filter((page) => page.language === language);
    for (const theme of ['light', 'dark'] as const)
      for (const javaScript of [true, false]) {
        const tab = await openTab(browser, { language, theme, javaScript });
        const name = `${family}-${language}-${theme}${javaScript ? '' : '-no-script'}.png`;
        await sheetOf(tab, shown, pages).then((sheet) => sheet.toFile(`${FOLDER}${name}`));
        await tab.context.close();
        process.stdout.write(`${FOLDER}${name}  ${pages.length} pages\n`);
      }
  },
);

/** The pages one below the other, each at three widths. */
async function sheetOf(tab: Tab, service: TestService, pages: readonly OpenedPage[]): Promise<Sharp> {
  // The service beside us takes no drawings for pictures, and says so for the whole process.
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] });
  const show = await pageShower(tab, service);
  const pieces: OverlayOptions[] = [];
  let top = GAP;
  for (const page of pages) {
    pieces.push({ input: label(`${page.name} (${page.status})`), left: GAP, top });
    top += LABEL;
    let left = GAP;
    let tallest = 0;
    await show(page);
    for (const width of WIDTHS) {
      await tab.page.setViewportSize({ width, height: HEIGHT });
      const { data, info } = await shot(tab, width);
      pieces.push({ input: data, left, top });
      left += width * SCALE + GAP;
      tallest = Math.max(tallest, info.height);
    }
    top += tallest + GAP;
  }
  const background = { r: 128, g: 128, b: 128 };
  return sharp({ create: { width: SHEET, height: top, channels: 3, background } }).composite(pieces);
}

async function shot({ page }: Tab, width: number) {
  // Chromium draws what is asked for, and fails at a page that is very long.
  const clip = { x: 0, y: 0, width, height: LONGEST };
  return sharp(await page.screenshot({ fullPage: true, clip }))
    .resize({ width: width * SCALE })
    .png()
    .toBuffer({ resolveWithObject: true });
}

const label = (text: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SHEET - 2 * GAP}" height="${LABEL}"><text y="20" font-family="sans-serif" font-size="16" font-weight="bold" fill="#fff">${text.replace(/[&<]/g, '·')}</text></svg>`,
  );
