// Codes as people type them: separators and digits of any script, and what is no code at all.
import { expect, test } from 'vitest';
import { readDigits, readTypedCode } from '../../src/oauth/typed-code.ts';

test.each([
  ['as it was sent', '123456'],
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
])('a code is read with %s', (_what, typed) => {
  expect(readDigits(typed, 6)).toBe('123456');
});

test.each([
  ['a word', 'my-password'],
  ['nothing', ''],
  ['separators alone', ' -- '],
  ['too few digits', '12345'],
  ['too many digits', '1234567'],
  ['digits among letters', '123a456'],
  ['a long text', `123456${' '.repeat(100)}`],
])('%s is no code', (_what, typed) => {
  expect(readDigits(typed, 6)).toBeUndefined();
});

test('every decimal digit of Unicode has the value that comes next after the one before it', () => {
  const digits = Array.from({ length: 0x110000 }, (_, code) => code).filter(
    (code) => (code < 0xd800 || code > 0xdfff) && /\p{Nd}/u.test(String.fromCodePoint(code)),
  );
  expect(digits.length % 10).toBe(0);
  digits.forEach((code, place) => {
    expect(readTypedCode(String.fromCodePoint(code)), code.toString(16)).toBe(String(place % 10));
  });
});
