// Phone number conversion to E.164.
import { describe, expect, test } from 'vitest';
import { isPhone } from '../../src/accounts/account-fields.ts';
import { parsePhone } from '../../src/accounts/phone.ts';

describe('parsePhone', () => {
  test.each([
    ['06 12 34 56 78', undefined, '+33612345678'],
    ['06.12.34.56.78', 'fr-FR,fr;q=0.9', '+33612345678'],
    ['+33 (0)6 12 34 56 78', undefined, '+33612345678'],
    ['0033 6 12 34 56 78', undefined, '+33612345678'],
    ['020 7946 0000', 'en-GB,en;q=0.9', '+442079460000'],
    ['+44 20 7946 0958', 'fr-FR', '+442079460958'],
    ['(201) 555-0123', 'en-US', '+12015550123'],
    // The number isn't a valid UK number, so it is parsed as a French one.
    ['06 12 34 56 78', 'en-GB', '+33612345678'],
    // Non-ASCII digits are accepted.
    ['٠٦١٢٣٤٥٦٧٨', undefined, '+33612345678'],
  ])('parses %s with Accept-Language %s as %s', (text, languages, expected) => {
    const number = parsePhone(text, languages);
    expect(number).toBe(expected);
    expect(isPhone(number ?? '')).toBe(true);
  });

  test.each([
    '3611',
    '06 12 34 56',
    '+999 123456789',
    'appelez le 0612345678',
    '0612345678 poste 3',
    '+33612345678;ext=5',
    '0612345678 / 0712345678',
    `06${' '.repeat(60)}12345678`,
    '"><b>',
  ])('returns undefined for %j', (text) => {
    expect(parsePhone(text, 'fr-FR')).toBeUndefined();
  });

  test.each(['x'.repeat(10_000), 'zz-ZZ', 'fr-', '*', 'en-GB-oed'])(
    'ignores the malformed Accept-Language header %j',
    (languages) => {
      expect(parsePhone('06 12 34 56 78', languages)).toBe('+33612345678');
    },
  );
});
