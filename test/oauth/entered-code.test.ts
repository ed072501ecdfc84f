import { expect, test } from 'vitest';
import { normalizeEnteredCode, parseDigits } from '../../src/oauth/entered-code.ts';

test.each([
  ['no separators', '123456'],
  ['spaces', ' 123 456 '],
  ['a hyphen', '123-456'],
  ['a non-breaking hyphen', '123\u2011456'],
  ['an en dash', '123\u2013456'],
  ['a minus sign', '123\u2212456'],
  ['no-break spaces', '123\u00a0\u202f456'],
  ['invisible characters from copying', '\u200e123\u200b456\u2060'],
  ['full-width digits', '\uff11\uff12\uff13\uff14\uff15\uff16'],
  ['Arabic digits', '١٢٣٤٥٦'],
  ['Persian digits', '۱۲۳۴۵۶'],
  ['Devanagari digits', '१२३४५६'],
])('parseDigits accepts a code with %s', (_, entered) => {
  expect(parseDigits(entered, 6)).toBe('123456');
});

test.each([
  ['a word', 'my-password'],
  ['an empty string', ''],
  ['separators only', ' -- '],
  ['too few digits', '12345'],
  ['too many digits', '1234567'],
  ['digits among letters', '123a456'],
  ['a long string', `123456${' '.repeat(100)}`],
])('parseDigits rejects %s', (_, entered) => {
  expect(parseDigits(entered, 6)).toBeUndefined();
});

test('normalizeEnteredCode converts decimal digits of all scripts to ASCII', () => {
  const digits = Array.from({ length: 0x110000 }, (_, code) => code).filter(
    (code) => (code < 0xd800 || code > 0xdfff) && /\p{Nd}/u.test(String.fromCodePoint(code)),
  );
  expect(digits.length % 10).toBe(0);
  digits.forEach((code, index) => {
    expect(normalizeEnteredCode(String.fromCodePoint(code)), code.toString(16)).toBe(String(index % 10));
  });
});
