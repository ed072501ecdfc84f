// Telephone numbers as people write them: E.164 comes out, or nothing.
import { describe, expect, test } from 'vitest';
import { isPhone } from '../../src/accounts/account-fields.ts';
import { readPhone } from '../../src/accounts/phone.ts';

describe('readPhone', () => {
  test.each([
    ['06 12 34 56 78', undefined, '+33612345678'],
    ['06.12.34.56.78', 'fr-FR,fr;q=0.9', '+33612345678'],
    ['+33 (0)6 12 34 56 78', undefined, '+33612345678'],
    ['0033 6 12 34 56 78', undefined, '+33612345678'],
    ['020 7946 0000', 'en-GB,en;q=0.9', '+442079460000'],
    ['+44 20 7946 0958', 'fr-FR', '+442079460958'],
    ['(201) 555-0123', 'en-US', '+12015550123'],
    // French all the same where the browser's country has no such number.
    ['06 12 34 56 78', 'en-GB', '+33612345678'],
    // Digits of other scripts are digits.
    ['٠٦١٢٣٤٥٦٧٨', undefined, '+33612345678'],
  ])('%s with %s is %s', (text, languages, expected) => {
    const number = readPhone(text, languages);
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
  ])('%j is no number', (text) => {
    expect(readPhone(text, 'fr-FR')).toBeUndefined();
  });

  test.each(['x'.repeat(10_000), 'zz-ZZ', 'fr-', '*', 'en-GB-oed'])(
    'languages of any shape do no harm: %j',
    (languages) => {
      expect(readPhone('06 12 34 56 78', languages)).toBe('+33612345678');
    },
  );
});
