// Contrast requirements for the accent color and its derived colors, in the light and dark themes.
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AccentColors,
  BACKGROUNDS,
  contrast,
  DEFAULT_ACCENT,
  deriveAccent,
  type Hex,
  mixToContrast,
  renderAccentStyles,
  validateAccent,
} from '../../src/branding/accent.ts';

const anyColor = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number): Hex => `#${number.toString(16).padStart(6, '0')}`);

/** Returns the theme's pairs of text and background colors. */
const listColorPairs = ({ accent, hover, on, wash }: AccentColors, theme: 'light' | 'dark'): [Hex, Hex][] => [
  ...[BACKGROUNDS[theme].paper, BACKGROUNDS[theme].surface, wash].map((background): [Hex, Hex] => [
    accent,
    background,
  ]),
  [hover, BACKGROUNDS[theme].paper],
  [on, accent],
  [on, hover],
];

test('all colors derived from an accepted accent color have sufficient contrast', () => {
  fc.assert(
    fc.property(anyColor, (color) => {
      const light = mixToContrast(color, '#000000', Object.values(BACKGROUNDS.light), 4.5);
      expect(validateAccent(light)).toBeUndefined();
      const accent = deriveAccent(light);
      for (const theme of ['light', 'dark'] as const)
        for (const [text, background] of listColorPairs(accent[theme], theme))
          expect(contrast(text, background), `${text} on ${background}`).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 300 },
  );
});

test('a low-contrast accent color is refused and an alternative is suggested', () => {
  fc.assert(
    fc.property(anyColor, (color) => {
      const worst = Math.min(
        ...Object.values(BACKGROUNDS.light).map((background) => contrast(color, background)),
      );
      const error = validateAccent(color);
      expect(error === undefined).toBe(worst >= 4.5);
      if (error === undefined) return;
      expect(error).toContain(`${(Math.floor(worst * 100) / 100).toFixed(2)}:1`);
      const [, suggested] = /Use (#[0-9a-f]{6})/.exec(error) ?? [];
      expect(validateAccent(suggested as Hex)).toBeUndefined();
    }),
  );
});

test('the default accent color and the backgrounds match the stylesheet', async () => {
  const css = await readFile('src/public/styles/tokens.css', 'utf8');
  const [light = '', dark = ''] = css.split('prefers-color-scheme: dark');
  for (const [theme, text] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    const { accent, hover, on, wash } = DEFAULT_ACCENT[theme];
    const { paper, surface } = BACKGROUNDS[theme];
    const tokens = { accent, 'accent-hover': hover, 'on-accent': on, 'accent-wash': wash, paper, surface };
    for (const [name, color] of Object.entries(tokens))
      expect(new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(text)?.[1], `${theme} ${name}`).toBe(color);
  }
});

test('the generated stylesheet overrides only existing color variables', async () => {
  const css = await readFile('src/public/styles/tokens.css', 'utf8');
  const styles = renderAccentStyles(deriveAccent('#0b6e4f'));
  const names = [...styles.matchAll(/--([a-z-]+): #[0-9a-f]{6};/g)].map(([, name = '']) => name);
  expect(names).toHaveLength(16);
  for (const name of names) expect(css).toContain(`--${name}: #`);
  expect(styles).toContain('--accent: #0b6e4f;');
  expect(styles).toMatch(/prefers-color-scheme: dark[\s\S]*--accent: #[0-9a-f]{6};/);
});
