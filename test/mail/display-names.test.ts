// Sanitized names contain no links, phone numbers or messages.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sanitizeName, toGreetingName } from '../../src/mail/display-names.ts';

/** Generates names that mix parts of links and phone numbers with random characters. */
const hostileName = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['evil', '.', '。', '．', '․', 'example', 'com', '://', '@', '+33 6 12 34 56 78', '0', '٣', '①'],
        ...[
          '３',
          ' ',
          '\u200c',
          '\u0301',
          '\n',
          '\r\n',
          '-',
          'www',
          '/',
          '\\',
          ':',
          '#',
          '?',
          '(',
          ')',
          '<b>',
        ],
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.integer({ min: 0, max: 99_999 }).map(String),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

/** Matches text that mail clients turn into links, such as "a.bc". */
const AUTOLINK_PATTERN = /[\p{L}\p{M}\p{N}-][.\u3002\uff0e\uff61\u2024\ufe52](?=[\p{L}\p{M}\p{N}-]{2})/u;

describe.each([
  ['sanitizeName', sanitizeName],
  ['greetingName', toGreetingName],
])('a name sanitized by %s', (_, sanitize) => {
  const expectAlways = (holds: (sanitized: string) => boolean) =>
    fc.assert(
      fc.property(hostileName, (name) => holds(sanitize(name))),
      { numRuns: 2_000 },
    );

  test('contains at most four digits in any script', () => {
    expectAlways((sanitized) => (sanitized.match(/\p{N}/gu)?.length ?? 0) <= 4);
    expectAlways((sanitized) => (sanitized.normalize('NFKC').match(/\p{N}/gu)?.length ?? 0) <= 4);
  });

  test('contains no host names or URL schemes', () => {
    expectAlways((sanitized) => !AUTOLINK_PATTERN.test(sanitized));
    expectAlways((sanitized) => !/[@/\\:#?<>"\r\n]/.test(sanitized));
  });

  test('contains no line breaks and at most 40 characters', () => {
    expectAlways((sanitized) => !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(sanitized));
    expectAlways((sanitized) => [...new Intl.Segmenter().segment(sanitized)].length <= 40);
  });
});

test('sanitizing a name removes only links, phone numbers and excess characters', () => {
  for (const name of [
    'J.R.R. Tolkien',
    'Siân O’Connor-Łuksza',
    '日本語 Ζωή 👩‍🚀',
    'Q&A (beta)',
    'Carnet 2026',
    'C++ Club',
  ])
    expect([sanitizeName(name), toGreetingName(name)]).toEqual([name, name]);
  for (const [name, sanitized] of [
    ['Call +٣٣ ٦١٢ ٣٤٥', 'Call +'],
    ['Win http://evil.example/x?y', 'Win http evil example x y'],
    ['"Zoé" <zoe@evil。example>', 'Zoé zoe evil example'],
    ['0612345678', ''],
    ['Zoé '.repeat(20), 'Zoé Zoé Zoé Zoé Zoé Zoé Zoé Zoé Zoé Zoé…'],
  ] as const)
    expect(sanitizeName(name)).toBe(sanitized);
  for (const name of ['Call +33 6 12 34 56 78 now', 'evil.example', 'me@evil.example'])
    expect(toGreetingName(name)).toBe('');
});
