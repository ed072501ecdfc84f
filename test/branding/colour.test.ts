// Contrast as WCAG 2.2 defines it, and mixing.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrast, type Hex, mix, mixUntilReadable, parseHex } from '../../src/branding/accent.ts';

const anyColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number): Hex => `#${number.toString(16).padStart(6, '0')}`);

test('#rgb and #rrggbb are colours', () => {
  for (const [text = '', colour] of [
    ['#0b6e4f', '#0b6e4f'],
    ['#0B6E4F', '#0b6e4f'],
    ['#7c9', '#77cc99'],
    ['0b6e4f', undefined],
    ['#0b6e4', undefined],
    ['#0b6e4f80', undefined],
    ['green', undefined],
    ['', undefined],
  ])
    expect(parseHex(text), text).toBe(colour);
});

test('contrast is that of WCAG', () => {
  for (const [one, other, ratio] of [
    ['#000000', '#ffffff', 21],
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#ffffff', 4.48],
    ['#ff0000', '#ffffff', 4.0],
    ['#4f46e5', '#ffffff', 6.29],
  ] as const) {
    expect(contrast(one, other)).toBeCloseTo(ratio, 2);
    expect(contrast(other, one)).toBe(contrast(one, other));
  }
});

test('a mix ends at either colour', () => {
  fc.assert(
    fc.property(anyColour, anyColour, (one, other) => {
      expect([mix(one, other, 0), mix(one, other, 1)]).toEqual([one, other]);
    }),
  );
});

test('every colour becomes readable on white with enough black in it, and on black with enough white', () => {
  fc.assert(
    fc.property(anyColour, (colour) => {
      const dark = mixUntilReadable(colour, '#000000', ['#ffffff'], 4.5);
      const light = mixUntilReadable(colour, '#ffffff', ['#000000'], 4.5);
      expect(contrast(dark, '#ffffff')).toBeGreaterThanOrEqual(4.5);
      expect(contrast(light, '#000000')).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test('a colour that is readable as it is stays as it is', () =>
  expect(mixUntilReadable('#4f46e5', '#000000', ['#ffffff'], 4.5)).toBe('#4f46e5'));
