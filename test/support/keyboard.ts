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

/** Until the element of that id has the focus: `autofocus` gives it with the first frame, after the page has loaded. */
export const focusOn = (page: Page, id: string): Promise<void> => page.locator(`#${id}:focus`).waitFor();

/** Until the page is drawn, and so what asks for the focus has had it. */
const drawn = (page: Page) => page.evaluate('new Promise((done) => requestAnimationFrame(() => done()))');

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
      // Pages are scrolled by whole pixels.
      inView: top > -1 && left >= 0 && bottom < innerHeight + 1 && right <= innerWidth && bottom > top,
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
  await drawn(page);
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

/**
 * What keeps the keyboard from a page's controls, a line each: one that Tab passes by, or reaches before what stands
 * above it, or that does not show that it is reached (WCAG 2.1.1, 2.4.3, 2.4.7, 1.4.11).
 */
export async function keyboardFaults(page: Page): Promise<string[]> {
  await drawn(page);
  const presses = await page.evaluate<number>(`(() => {
    const group = ({ form, name, type }) => type === 'radio' && (form.querySelector('input[name=' + name + ']:checked') ?? form.querySelector('input[name=' + name + ']'));
    const controls = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
      .filter((one) => one.checkVisibility() && !(group(one) && group(one) !== one));
    const stops = [];
    window.walked = { controls, stops };
    document.addEventListener('focusin', ({ target }) => {
      getComputedStyle(target).outlineWidth;
      for (const transition of target.getAnimations()) transition.finish();
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(target);
      let behind = target.parentElement;
      while (behind.parentElement && /, 0\\)$/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
      stops.push({ target, ring: outlineStyle === 'solid' ? parseFloat(outlineWidth) : 0, color: outlineColor, behind: getComputedStyle(behind).backgroundColor });
    });
    document.body.setAttribute('tabindex', '-1');
    document.body.focus();
    document.body.removeAttribute('tabindex');
    stops.length = 0;
    // A date is typed in three parts and picked by a fourth, and Tab stops at each.
    return controls.length + 3 * controls.filter(({ type }) => type === 'date').length;
  })()`);
  await pressTab(page, presses);
  const stops = await page.evaluate<
    { name: string; expected: string; ring: number; color: string; behind: string; late: boolean }[]
  >(`(() => {
    const { controls, stops } = window.walked;
    const nameOf = (one) => one && (one.labels?.[0] ?? one).textContent.trim().replace(/\\s+/g, ' ');
    const place = (one) => one.getBoundingClientRect();
    return controls.map((control, index) => {
      const { target, ...look } = stops[index] ?? { ring: 0, color: '', behind: '' };
      const before = index > 1 && place(controls[index - 1]);
      const here = place(control);
      // Above what came before it, and not in a column beside it. The way on without a password stands at the field, and waits
      // until after the button: it means the same wherever it is reached, and most who leave the field want to send the form.
      const late = before && !control.matches('.forgot') && here.bottom <= before.top && here.left < before.right;
      return { ...look, name: target === control ? nameOf(control) : (nameOf(target) ?? 'nothing'), expected: nameOf(control), late };
    });
  })()`);
  return stops.flatMap(({ name, expected, ring, color, behind, late }) => [
    ...(name === expected ? [] : [`Tab comes to ${name}, not to ${expected}`]),
    ...(late ? [`Tab comes to ${name} after what stands below it`] : []),
    ...(ring >= 2 && contrast(color, behind) >= 3 ? [] : [`no ring to be seen at ${name}`]),
  ]);
}

/** Presses Tab so often; each press is on its way before the one before it is answered. The key is let go of at the end. */
async function pressTab(page: Page, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const key = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };
  const down = () => session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
  await Promise.all(Array.from({ length: times }, down));
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
  await session.detach();
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
