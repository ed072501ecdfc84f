// Walking a page by keyboard: where Tab stops, what is there to be seen of it.
import type { Page } from 'playwright-core';

/** Where the keyboard is: what it is called, and how its focus shows. */
export interface Stop {
  name: string;
  /** Whether it lies within the window, at its full size. */
  inView: boolean;
  /** Width of the focus ring in pixels; 0 when there is none. */
  ring: number;
  /** Contrast of the ring with the page behind it, 1 to 21. */
  contrast: number;
}

/** The element that has the focus; undefined when none has. */
export async function focused(page: Page): Promise<Stop | undefined> {
  const found = await page.evaluate<
    (Omit<Stop, 'contrast'> & { color: string; behind: string }) | null
  >(`(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const style = getComputedStyle(element);
    const { top, left, bottom, right } = element.getBoundingClientRect();
    let behind = element.parentElement;
    while (behind.parentElement && /, 0\\)$/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
    return {
      name: (element.labels?.[0] ?? element).textContent.trim().replace(/\\s+/g, ' '),
      inView: top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && bottom > top,
      ring: style.outlineStyle === 'solid' ? parseFloat(style.outlineWidth) : 0,
      color: style.outlineColor,
      behind: getComputedStyle(behind).backgroundColor,
    };
  })()`);
  if (found === null) return undefined;
  const { color, behind, ...stop } = found;
  return { ...stop, contrast: contrast(color, behind) };
}

/** Every stop of the Tab key from the top of the page to its end. */
export async function tabStops(page: Page): Promise<Stop[]> {
  await page.evaluate('document.activeElement?.blur(); getSelection()?.removeAllRanges()');
  // Focus starts over at the top: the first thing in the page, then back out of it.
  await page.evaluate(
    "document.body.setAttribute('tabindex', '-1'); document.body.focus(); document.body.removeAttribute('tabindex')",
  );
  const stops: Stop[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    if (stop === undefined || stop.name === stops[0]?.name || stops.length > 50) return stops;
    stops.push(stop);
  }
}

/** WCAG 2.2 contrast ratio of two colours as `getComputedStyle` writes them. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const channels = [...color.matchAll(/[\d.]+/g)].slice(0, 3).map(([text]) => Number(text) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((channel) =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
