// Checks the dictionaries' keys, typography and formats.
import { describe, expect, test } from 'vitest';
import { LOCALES, type Locale, messagesFor } from '../../src/i18n/index.ts';
import { listTexts } from '../support/dictionary-texts.ts';
import { readSources } from '../support/source-files.ts';

const fr = listTexts('fr');
const en = listTexts('en');

/** Patterns that match violations, by typographic rule. */
type Rules = Record<string, RegExp>;
const FRENCH_RULES: Rules = {
  'narrow no-break space before ; ! ? : »': /(?<!\u202f)[;!?:»]/,
  'narrow no-break space after «': /«(?!\u202f)/,
  'no-break space after a number': /\d (?=caractères|secondes|minutes|erreurs|pixels|jours|Mo)/,
  'typographic apostrophe and ellipsis': /'|\.\.\./,
  'no-break hyphen in e‑mail': /\be-mail/i,
};
const ENGLISH_RULES: Rules = {
  'typographic quotes and ellipsis, no space before ; ! ? :': /'|"|\.\.\.|\s[;!?:]/,
};

describe('the dictionaries', () => {
  test('have the same keys', () => {
    expect(en.map(([path]) => path)).toEqual(fr.map(([path]) => path));
    for (const [path, text] of [...fr, ...en]) expect(text.trim(), path).not.toBe('');
  });

  test('contain no unused keys', async () => {
    const code = (await readSources('src/**/*.ts')).filter(([path]) => !path.startsWith('src/i18n/'));
    // Include the locale names, which only src/i18n uses.
    const identifiers = new Set([
      ...LOCALES,
      ...code.flatMap(([, text]) => text.match(/\w+(?:-\w+)*/g) ?? []),
    ]);
    const unused = fr.filter(
      ([path]) =>
        !path
          .split(/[.+]/)
          .slice(1)
          // Some keys are built at run time, for example `${kind}_received`.
          .every(
            (name) =>
              identifiers.has(name) ||
              identifiers.has(name.replace(/^api_access_|^(?:api|application)(?=_)/, '')),
          ),
    );
    expect(fr.length).toBeGreaterThan(1000);
    expect(unused.map(([path]) => path)).toEqual([]);
  });

  test('follow the typographic rules of each language', () => {
    const findViolations = (
      rules: Rules,
      messages: [path: string, text: string][],
      prepare = (text: string) => text,
    ) =>
      messages.flatMap(([path, text]) =>
        Object.entries(rules).flatMap(([rule, violation]) =>
          violation.test(prepare(text)) ? [{ path, text, rule }] : [],
        ),
      );
    // French puts a space before a colon, except in URLs and times.
    const removeUrls = (text: string) =>
      text.replace(/https?:\/\/(?:localhost:\d+)?|\burn:[a-z0-9:-]+|\d\d:\d\d:\d\d/g, '');
    // Emails are plain text, which mail programs wrap only at spaces.
    const pages = fr.map(([path, text]): [string, string] => [
      path,
      path.startsWith('.mail') ? text.replace(/e-mail/gi, '') : text,
    ]);
    expect([
      ...findViolations(FRENCH_RULES, pages, removeUrls),
      ...findViolations(ENGLISH_RULES, en),
    ]).toEqual([]);
    expect([fr.length, en.length]).toEqual([en.length, expect.toSatisfy((count) => count > 2000)]);
  });

  test('show waiting times in the correct unit', () => {
    const buildRateLimitText = (seconds: number) => messagesFor('fr').errorPages.rateLimited(seconds).text;
    expect(buildRateLimitText(1)).toContain('dans 1\u00a0seconde.');
    expect(buildRateLimitText(0)).toContain('1\u00a0seconde');
    expect(buildRateLimitText(42)).toContain('42\u00a0secondes');
    expect(buildRateLimitText(121)).toContain('3\u00a0minutes');
  });

  test('write the first day of a month as 1er in French', () => {
    expect(messagesFor('fr').date(new Date('2026-11-01T00:00:00Z'))).toBe('1er\u00a0nov.\u00a02026');
    expect(messagesFor('fr').instant(new Date('2026-11-01T00:00:00Z'))).toMatch(/^1er\u00a0nov\./);
    expect(messagesFor('en').date(new Date('2026-11-11T23:59:59Z'))).toBe('11\u00a0Nov\u00a02026');
  });

  test('allow line breaks only between a date and a time', () => {
    const at = new Date('2026-11-24T16:02:05Z');
    const splitAtSpaces = (language: Locale) => {
      const { instant, instantAgo, instantExact } = messagesFor(language);
      return [instant, instantAgo, instantExact].map((format) => format(at).split(' '));
    };
    expect(splitAtSpaces('fr')).toEqual([
      ['24\u00a0nov.\u00a02026', 'à\u00a016\u00a0h\u00a002\u00a0UTC'],
      ['le\u00a024\u00a0nov.\u00a02026', 'à\u00a016\u00a0h\u00a002\u00a0UTC'],
      ['24\u00a0nov.\u00a02026', 'à\u00a016:02:05\u00a0UTC'],
    ]);
    expect(splitAtSpaces('en')).toEqual([
      ['24\u00a0Nov\u00a02026,', '16:02\u00a0UTC'],
      ['24\u00a0Nov\u00a02026,', '16:02\u00a0UTC'],
      ['24\u00a0Nov\u00a02026,', '16:02:05\u00a0UTC'],
    ]);
  });
});

test.each([
  ['fr', '2026-10-27', '2026-11-23', 'Du 27 oct. au 23 nov. 2026'],
  ['fr', '2019-12-05', '2020-01-01', 'Du 5 déc. 2019 au 1er janv. 2020'],
  ['en', '2026-10-27', '2026-11-23', '27 Oct to 23 Nov 2026'],
] as const)(
  'a date range shows a common year only once (%s, %s to %s)',
  (language, first, last, expected) => {
    const { activity, date } = messagesFor(language);
    const range = activity.fromTo(date(new Date(first)), date(new Date(last)));
    expect(range.replaceAll('\u00a0', ' ')).toBe(expected);
  },
);
