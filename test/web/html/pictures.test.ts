import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { initialsAvatar, initialsOf } from '../../../src/web/html/pictures.ts';

describe('initialsOf', () => {
  test.each([
    ['Camille Lefèvre', 'CL'],
    ['Jean de la Fontaine', 'JF'],
    ['élodie', 'É'],
    ['e\u0301lodie', 'É'],
    ['  « Zoé »  Ångström ', 'ZÅ'],
    ['山田太郎', '山'],
    ['ßara', 'S'],
    ['O’Neill 3', 'O3'],
    ['𝒳avier 𐐨', '𝒳𐐀'],
    ['', '?'],
    ['🎉 !', '?'],
  ])('returns the initials of %s as %s', (name, initials) => {
    expect(initialsOf(name).initials).toBe(initials);
  });

  test('always returns the same color and characters for a name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const result = initialsOf(name);
        expect(Array.from(result.initials).length).toBeGreaterThanOrEqual(1);
        expect(Array.from(result.initials).length).toBeLessThanOrEqual(2);
        expect([0, 1, 2, 3, 4, 5, 6, 7]).toContain(result.color);
        expect(initialsOf(name)).toEqual(result);
      }),
    );
  });

  test('uses all eight colors', () => {
    const colors = new Set(Array.from({ length: 200 }, (_, i) => initialsOf(`Person ${i}`).color));
    expect(colors.size).toBe(8);
  });
});

describe('initialsAvatar', () => {
  test('escapes the initials', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer(), (initials, color) => {
        const tags = initialsAvatar(initials, color).match(/<\/?[a-z]*/g);
        expect(tags).toEqual(['<svg', '<rect', '<text', '</text', '</svg']);
      }),
    );
  });

  test('gives the text a contrast of at least 4.5:1 on every background color', () => {
    for (let color = 0; color < 8; color++) {
      const background = /<rect[^>]*fill="#([0-9a-f]{6})"/.exec(initialsAvatar('A', color))?.[1] ?? 'ffffff';
      const [r = 1, g = 1, b = 1] = [0, 2, 4].map((offset) => {
        const channel = Number.parseInt(background.slice(offset, offset + 2), 16) / 255;
        return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
      });
      expect(1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05)).toBeGreaterThanOrEqual(4.5);
    }
  });
});
