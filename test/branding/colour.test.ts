// Contrast as WCAG 2.2 defines it, and colours that keep their hue while they get lighter or darker.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  contrast,
  fromOklch,
  type Hex,
  mix,
  parseHex,
  readable,
  toOklch,
} from '../../src/branding/colour.ts';

const anyColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number): Hex => `#${number.toString(16).padStart(6, '0')}`);

test.each([
  ['#0b6e4f', '#0b6e4f'],
  ['#0B6E4F', '#0b6e4f'],
  ['#7c9', '#77cc99'],
  ['0b6e4f', undefined],
  ['#0b6e4', undefined],
  ['#0b6e4f80', undefined],
  ['green', undefined],
  ['', undefined],
])('%j is %j', (text, colour) => expect(parseHex(text)).toBe(colour));

describe('contrast', () => {
  test.each([
    ['#000000', '#ffffff', 21],
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#ffffff', 4.48],
    ['#ff0000', '#ffffff', 4.0],
    ['#4f46e5', '#ffffff', 6.29],
  ] as const)('of %s and %s is %d', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 2);
    expect(contrast(other, one)).toBe(contrast(one, other));
  });
});

test('there and back: a colour is itself', () => {
  fc.assert(fc.property(anyColour, (colour) => fromOklch(toOklch(colour)) === colour));
});

test('a layer that lets nothing through is its own colour, one that is not there the ground’s', () => {
  fc.assert(
    fc.property(anyColour, anyColour, (ground, part) => {
      expect([mix(ground, part, 0), mix(ground, part, 1)]).toEqual([ground, part]);
    }),
  );
});

test('there is a readable colour of every hue, on white and on black', () => {
  fc.assert(
    fc.property(anyColour, (colour) => {
      const [dark, light] = [
        readable(colour, ['#ffffff'], 4.5, 'darker'),
        readable(colour, ['#000000'], 4.5, 'lighter'),
      ];
      expect(contrast(dark ?? '#ffffff', '#ffffff')).toBeGreaterThanOrEqual(4.5);
      expect(contrast(light ?? '#000000', '#000000')).toBeGreaterThanOrEqual(4.5);
    }),
  );
});
