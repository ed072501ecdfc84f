// Checks focus order and focus rings with the Tab key.
import type { Page } from 'playwright-core';

export interface FocusedControl {
  name: string;
  isInView: boolean;
  /** In CSS pixels, or 0 if the control has no focus ring. */
  ringWidth: number;
  contrast: number;
}

/** `autofocus` takes effect in the first frame after the load event. */
export const waitForFocus = (page: Page, id: string): Promise<void> => page.locator(`#${id}:focus`).waitFor();

const waitForFrame = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => done()))');

export async function readFocus(page: Page): Promise<FocusedControl | undefined> {
  const focused = await page.evaluate<
    (Omit<FocusedControl, 'contrast'> & { color: string; behind: string }) | null
  >(`(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const style = getComputedStyle(element);
    const { top, left, bottom, right } = element.getBoundingClientRect();
    let behind = element.parentElement;
    while (behind.parentElement && /, 0\\)$/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
    return {
      name: (element.labels?.[0] ?? element).textContent.trim().replace(/\\s+/g, ' '),
      // Allow for a pixel of error because scroll positions are rounded.
      isInView: top > -1 && left >= 0 && bottom < innerHeight + 1 && right <= innerWidth && bottom > top,
      ringWidth: style.outlineStyle === 'solid' ? parseFloat(style.outlineWidth) : 0,
      color: style.outlineColor,
      behind: getComputedStyle(behind).backgroundColor,
    };
  })()`);
  if (focused === null) return undefined;
  const { color, behind, ...stop } = focused;
  return { ...stop, contrast: computeContrast(color, behind) };
}

export async function listTabStops(page: Page): Promise<FocusedControl[]> {
  await waitForFrame(page);
  await page.evaluate('document.activeElement?.blur(); getSelection()?.removeAllRanges()');
  // Make Tab start at the top of the page.
  await page.evaluate(
    "document.body.setAttribute('tabindex', '-1'); document.body.focus(); document.body.removeAttribute('tabindex')",
  );
  const stops: FocusedControl[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await readFocus(page);
    if (stop === undefined || stop.name === stops[0]?.name || stops.length > 50) return stops;
    stops.push(stop);
  }
}

/** Finds skipped controls, wrong focus order and missing focus rings (WCAG 2.1.1, 2.4.3, 2.4.7). */
export async function findKeyboardErrors(page: Page): Promise<string[]> {
  await waitForFrame(page);
  const presses = await page.evaluate<number>(`(() => {
    const group = ({ form, name, type }) => type === 'radio' && (form.querySelector('input[name=' + name + ']:checked') ?? form.querySelector('input[name=' + name + ']'));
    const controls = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
      .filter((one) => one.checkVisibility() && !one.matches(':disabled, [inert] *') && !(group(one) && group(one) !== one));
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
    // A date field has three more tab stops: month, year and the date picker.
    return controls.length + 3 * controls.filter(({ type }) => type === 'date').length;
  })()`);
  await pressTab(page, presses);
  const stops = await page.evaluate<
    { name: string; expected: string; ring: number; color: string; behind: string; isOutOfOrder: boolean }[]
  >(`(() => {
    const { controls, stops } = window.walked;
    const nameOf = (one) => one && (one.labels?.[0] ?? one).textContent.trim().replace(/\\s+/g, ' ');
    const place = (one) => one.getBoundingClientRect();
    return controls.map((control, index) => {
      const { target, ...look } = stops[index] ?? { ring: 0, color: '', behind: '' };
      const before = index > 1 && place(controls[index - 1]);
      const here = place(control);
      // The Tab key must not move up, except into a column further right, or from the button to "Forgot password".
      const isOutOfOrder = before && !control.matches('.forgot') && here.bottom <= before.top && here.left < before.right;
      return { ...look, name: target === control ? nameOf(control) : (nameOf(target) ?? 'no element'), expected: nameOf(control), isOutOfOrder };
    });
  })()`);
  return stops.flatMap(({ name, expected, ring, color, behind, isOutOfOrder }) => [
    ...(name === expected ? [] : [`Tab focuses ${name} instead of ${expected}`]),
    ...(isOutOfOrder ? [`Tab focuses ${name} after a control below it`] : []),
    ...(ring >= 2 && computeContrast(color, behind) >= 3 ? [] : [`no visible focus ring at ${name}`]),
  ]);
}

async function pressTab(page: Page, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const key = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };
  const pressKey = () => session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
  await Promise.all(Array.from({ length: times }, pressKey));
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
  await session.detach();
}

/** Computes the contrast ratio (WCAG 2.2) of two `getComputedStyle` colors. */
function computeContrast(first: string, second: string): number {
  const [light = 0, dark = 0] = [computeLuminance(first), computeLuminance(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function computeLuminance(color: string): number {
  const channels = [...color.matchAll(/[\d.]+/g)].slice(0, 3).map(([text]) => Number(text) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((channel) =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
