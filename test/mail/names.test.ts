// Names in letters: whatever a stranger calls a person or an application, it is no address to open and no number to call.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { greetingName, nameForMail } from '../../src/mail/names.ts';

/** Pieces that bait is made of, and any character at all. */
const bait = fc
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

/** What mail programs make a link of: a stop with a letter or digit right behind a label of two. */
const HOST = /[\p{L}\p{M}\p{N}-][.\u3002\uff0e\uff61\u2024\ufe52](?=[\p{L}\p{M}\p{N}-]{2})/u;

describe.each([
  ['nameForMail', nameForMail],
  ['greetingName', greetingName],
])('%s', (_, say) => {
  const always = (holds: (said: string, name: string) => boolean) =>
    fc.assert(
      fc.property(bait, (name) => holds(say(name), name)),
      { numRuns: 2_000 },
    );

  test('never says more than four digits, in whatever script', () => {
    always((said) => (said.match(/\p{N}/gu)?.length ?? 0) <= 4);
    always((said) => (said.normalize('NFKC').match(/\p{N}/gu)?.length ?? 0) <= 4);
  });

  test('never says a host name or the beginning of an address', () => {
    always((said) => !HOST.test(said));
    always((said) => !/[@/\\:#?<>"\r\n]/.test(said));
  });

  test('never says a line of its own, and no more than forty characters', () => {
    always((said) => !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(said));
    always((said) => [...new Intl.Segmenter().segment(said)].length <= 40);
  });
});

test('harmless names stay as they are, others are cut', () => {
  for (const name of [
    'J.R.R. Tolkien',
    'Siân O’Connor-Łuksza',
    '日本語 Ζωή 👩‍🚀',
    'Q&A (beta)',
    'Carnet 2026',
    'C++ Club',
  ])
    expect([nameForMail(name), greetingName(name)]).toEqual([name, name]);
  for (const [name, said] of [
    ['Call +٣٣ ٦١٢ ٣٤٥', 'Call +'],
    ['Win http://evil.example/x?y', 'Win http evil example x y'],
    ['"Zoé" <zoe@evil。example>', 'Zoé zoe evil example'],
    ['0612345678', ''],
    ['Zoé '.repeat(20), 'Zoé Zoé Zoé Zoé Zoé Zoé Zoé Zoé Zoé Zoé…'],
  ] as const)
    expect(nameForMail(name)).toBe(said);
  for (const name of ['Call +33 6 12 34 56 78 now', 'evil.example', 'me@evil.example'])
    expect(greetingName(name)).toBe('');
});
