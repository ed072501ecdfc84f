// Proves the dictionaries: same keys, nothing empty, none that nothing asks for, and French set as a French printer would.
import { describe, expect, test } from 'vitest';
import { LOCALES, type Locale, messagesFor } from '../../src/i18n/index.ts';
import { sources } from '../support/sources.ts';
import { texts } from '../support/texts.ts';

const fr = texts('fr');
const en = texts('en');

/** What a text must not match, by the name of the rule. */
type Rules = Record<string, RegExp>;
const FRENCH: Rules = {
  'narrow no-break space before ; ! ? : »': /(?<!\u202f)[;!?:»]/,
  'narrow no-break space after «': /«(?!\u202f)/,
  'no-break space after a number': /\d (?=caractères|secondes|minutes|erreurs|pixels|jours|Mo)/,
  'typographic apostrophe and ellipsis': /'|\.\.\./,
};
const ENGLISH: Rules = { 'typographic quotes and ellipsis, no space before ; ! ? :': /'|"|\.\.\.|\s[;!?:]/ };

describe('dictionaries', () => {
  test('have the same keys and no empty text', () => {
    expect(en.map(([path]) => path)).toEqual(fr.map(([path]) => path));
    for (const [path, text] of [...fr, ...en]) expect(text.trim(), path).not.toBe('');
  });

  test('every word of every path stands somewhere in the code, as a name or in a text', async () => {
    const code = (await sources('src/**/*.ts')).filter(([path]) => !path.startsWith('src/i18n/'));
    // Languages are listed in src/i18n/ itself.
    const known = new Set([...LOCALES, ...code.flatMap(([, text]) => text.match(/\w+(?:-\w+)*/g) ?? [])]);
    const dead = fr.filter(
      ([path]) =>
        !path
          .split(/[.+]/)
          .slice(1)
          // Some begin with a kind: `${kind}_received`.
          .every(
            (name) =>
              known.has(name) || known.has(name.replace(/^api_access_|^(?:api|application)(?=_)/, '')),
          ),
    );
    expect(fr.length).toBeGreaterThan(1000);
    expect(dead.map(([path]) => path)).toEqual([]);
  });

  test('French is set in French typography, English in English', () => {
    const faults = (rules: Rules, locale: [path: string, text: string][], prose = (text: string) => text) =>
      locale.flatMap(([path, text]) =>
        Object.entries(rules).flatMap(([rule, wrong]) =>
          wrong.test(prose(text)) ? [{ path, text, rule }] : [],
        ),
      );
    // A URL or a clock is no prose.
    const withoutUrls = (text: string) =>
      text.replace(/https?:\/\/(?:localhost:\d+)?|\burn:[a-z0-9:-]+|\d\d:\d\d:\d\d/g, '');
    expect([...faults(FRENCH, fr, withoutUrls), ...faults(ENGLISH, en)]).toEqual([]);
    expect([fr.length, en.length]).toEqual([en.length, expect.toSatisfy((count) => count > 2000)]);
  });

  test('waiting times are said in words that fit', () => {
    const advice = (seconds: number) => messagesFor('fr').failures.rateLimited(seconds).text;
    expect(advice(1)).toContain('Attendez 1\u00a0seconde,');
    expect(advice(0)).toContain('1\u00a0seconde');
    expect(advice(42)).toContain('42\u00a0secondes');
    expect(advice(121)).toContain('3\u00a0minutes');
  });

  test('the first of a month is 1er in French', () => {
    expect(messagesFor('fr').date(new Date('2026-11-01T00:00:00Z'))).toBe('1er\u00a0novembre\u00a02026');
    expect(messagesFor('fr').brief(new Date('2026-11-01T00:00:00Z'))).toMatch(/^1er\u00a0nov\./);
    expect(messagesFor('en').date(new Date('2026-11-11T23:59:59Z'))).toBe('11\u00a0November\u00a02026');
  });

  test('a moment is broken before its time, and nowhere else', () => {
    const at = new Date('2026-11-24T16:02:05Z');
    const lines = (language: Locale) => {
      const { instant, instantAgo, brief, briefExact } = messagesFor(language);
      return [instant, instantAgo, brief, briefExact].map((words) => words(at).split(' '));
    };
    expect(lines('fr')).toEqual([
      ['24\u00a0novembre\u00a02026', 'à\u00a016\u00a0h\u00a002\u00a0UTC'],
      ['le\u00a024\u00a0novembre\u00a02026', 'à\u00a016\u00a0h\u00a002\u00a0UTC'],
      ['24\u00a0nov.\u00a02026,', '16\u00a0h\u00a002\u00a0UTC'],
      ['24\u00a0nov.\u00a02026,', '16:02:05\u00a0UTC'],
    ]);
    expect(lines('en')).toEqual([
      ['24\u00a0November\u00a02026', 'at\u00a016:02\u00a0UTC'],
      ['24\u00a0November\u00a02026', 'at\u00a016:02\u00a0UTC'],
      ['24\u00a0Nov\u00a02026,', '16:02\u00a0UTC'],
      ['24\u00a0Nov\u00a02026,', '16:02:05\u00a0UTC'],
    ]);
  });
});

test.each([
  ['fr', '2026-10-27', '2026-11-23', 'Du 27 octobre au 23 novembre 2026'],
  ['fr', '2019-12-05', '2020-01-01', 'Du 5 décembre 2019 au 1er janvier 2020'],
  ['en', '2026-10-27', '2026-11-23', '27 October to 23 November 2026'],
] as const)('%s: from %s to %s, a year of both is said once', (language, first, last, said) => {
  const { activity, date } = messagesFor(language);
  const words = activity.fromTo(date(new Date(first)), date(new Date(last)));
  expect(words.replaceAll('\u00a0', ' ')).toBe(said);
});
