// Phone numbers are formatted with each country's usual digit groups.
import { expect, test } from 'vitest';
import { parsePhone } from '../../src/accounts/phone.ts';
import { formatEditablePhone, formatPhone } from '../../src/i18n/phones.ts';

test.each([
  ['+33612345678', '+33 6 12 34 56 78'],
  ['+442079460958', '+44 20 7946 0958'],
  ['+12015550123', '+1 201 555 0123'],
  ['+32470123456', '+32 470 12 34 56'],
  ['+999123456789', '+999123456789'],
])('the phone number %s is formatted as %s', (stored, formatted) => {
  expect(formatEditablePhone(stored)).toBe(formatted);
  expect(formatPhone(stored)).toBe(formatted.replaceAll(' ', '\u00a0'));
});

test('a formatted phone number can be parsed back to the stored number', () => {
  for (const stored of ['+33612345678', '+442079460958', '+12015550123'])
    for (const formatted of [formatEditablePhone(stored), formatPhone(stored)])
      expect(parsePhone(formatted, undefined)).toBe(stored);
});
