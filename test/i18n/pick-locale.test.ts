// Locale negotiation, including malformed input.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pickLocale } from '../../src/i18n/pick-locale.ts';

describe('pickLocale', () => {
  test('prefers ui_locales, then the user’s choice, then Accept-Language, then French', () => {
    expect(pickLocale({ uiLocales: 'en', chosen: 'fr', acceptLanguage: 'fr' })).toBe('en');
    expect(pickLocale({ chosen: 'en', acceptLanguage: 'fr' })).toBe('en');
    expect(pickLocale({ acceptLanguage: 'en' })).toBe('en');
    expect(pickLocale({})).toBe('fr');
  });

  test('uses the first supported tag in ui_locales', () => {
    const cases = [
      ['de en-GB fr', 'en'],
      ['FR-ca en', 'fr'],
      ['de it', 'fr'],
      ['english', 'fr'],
    ] as const;
    expect(cases.map(([uiLocales]) => [uiLocales, pickLocale({ uiLocales })])).toEqual(cases);
  });

  test('ignores ui_locales if it contains no supported tag', () => {
    expect(pickLocale({ uiLocales: 'tlh', chosen: 'xx', acceptLanguage: 'en' })).toBe('en');
  });

  test('uses the supported tag with the highest weight in Accept-Language', () => {
    const cases = [
      ['en-US,en;q=0.9,fr;q=0.8', 'en'],
      ['fr;q=0.5, en;q=0.7', 'en'],
      ['fr, en', 'fr'],
      ['en, fr', 'en'],
      ['de, en;q=0.1', 'en'],
      ['*', 'fr'],
      ['en;q=0.5, *', 'fr'],
      ['fr;q=0, *', 'en'],
      ['en;q=0', 'fr'],
      ['EN ; Q=0.8, fr;q=0.2', 'en'],
      ['en;q=abc, fr;q=0.1', 'fr'],
      ['tlh-KX, ja;q=0.9', 'fr'],
      ['', 'fr'],
    ] as const;
    expect(cases.map(([acceptLanguage]) => [acceptLanguage, pickLocale({ acceptLanguage })])).toEqual(cases);
  });

  test('returns a supported locale for any input', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('e', 'n', 'f', 'r', '-', ',', ';', 'q', '=', '0', '.', '*', ' ', '\0'),
      }),
    );
    fc.assert(
      fc.property(text, text, text, (uiLocales, chosen, acceptLanguage) => {
        expect(['fr', 'en']).toContain(pickLocale({ uiLocales, chosen, acceptLanguage }));
      }),
    );
  });

  test('truncates a one-megabyte value', () => {
    expect(pickLocale({ acceptLanguage: `${','.repeat(1_000_000)}en` })).toBe('fr');
    expect(pickLocale({ uiLocales: `__proto__ constructor ${'x'.repeat(1_000_000)} en` })).toBe('fr');
  });
});
