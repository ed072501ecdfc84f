// The accent: what is refused, and that whatever follows from one that is taken can be read, on light and dark pages.
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  accentFault,
  accentFrom,
  accentStyles,
  contrast,
  GROUNDS,
  type Hex,
  mixUntilReadable,
  OWN_ACCENT,
  type Tints,
} from '../../src/branding/accent.ts';

const anyColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number): Hex => `#${number.toString(16).padStart(6, '0')}`);

/** The pairs of a theme that are text and what it stands on. */
const pairsOf = ({ accent, hover, on, wash }: Tints, theme: 'light' | 'dark'): [Hex, Hex][] => [
  ...[GROUNDS[theme].paper, GROUNDS[theme].surface, wash].map((ground): [Hex, Hex] => [accent, ground]),
  [hover, GROUNDS[theme].paper],
  [on, accent],
  [on, hover],
];

test('of every accent that is taken, every tint can be read wherever it stands', () => {
  fc.assert(
    fc.property(anyColour, (colour) => {
      const light = mixUntilReadable(colour, '#000000', Object.values(GROUNDS.light), 4.5);
      expect(accentFault(light)).toBeUndefined();
      const accent = accentFrom(light);
      for (const theme of ['light', 'dark'] as const)
        for (const [text, ground] of pairsOf(accent[theme], theme))
          expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 300 },
  );
});

test('a colour that cannot be read is refused, and the one that is named instead is not', () => {
  fc.assert(
    fc.property(anyColour, (colour) => {
      const worst = Math.min(...Object.values(GROUNDS.light).map((ground) => contrast(colour, ground)));
      const fault = accentFault(colour);
      expect(fault === undefined).toBe(worst >= 4.5);
      if (fault === undefined) return;
      expect(fault).toContain(`${(Math.floor(worst * 100) / 100).toFixed(2)}:1`);
      const [, named] = /; (#[0-9a-f]{6}) has it/.exec(fault) ?? [];
      expect(accentFault(named as Hex)).toBeUndefined();
    }),
  );
});

test('what it is measured against, and our own accent, are those of the stylesheet', async () => {
  const css = await readFile('src/public/styles/tokens.css', 'utf8');
  const [light = '', dark = ''] = css.split('prefers-color-scheme: dark');
  for (const [theme, text] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    const { accent, hover, on, wash } = OWN_ACCENT[theme];
    const { paper, surface } = GROUNDS[theme];
    const tokens = { accent, 'accent-hover': hover, 'on-accent': on, 'accent-wash': wash, paper, surface };
    for (const [name, colour] of Object.entries(tokens))
      expect(new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(text)?.[1], `${theme} ${name}`).toBe(colour);
  }
});

test('the stylesheet replaces tokens that there are, in both themes', async () => {
  const css = await readFile('src/public/styles/tokens.css', 'utf8');
  const styles = accentStyles(accentFrom('#0b6e4f'));
  const names = [...styles.matchAll(/--([a-z-]+): #[0-9a-f]{6};/g)].map(([, name = '']) => name);
  expect(names).toHaveLength(16);
  for (const name of names) expect(css).toContain(`--${name}: #`);
  expect(styles).toContain('--accent: #0b6e4f;');
  expect(styles).toMatch(/prefers-color-scheme: dark[\s\S]*--accent: #[0-9a-f]{6};/);
});
