// Telephone numbers as their country groups them, in one piece.
import { expect, test } from 'vitest';
import { readPhone } from '../../src/accounts/phone.ts';
import { phoneInWords, typedPhone } from '../../src/i18n/phones.ts';

test.each([
  ['+33612345678', '+33 6 12 34 56 78'],
  ['+442079460958', '+44 20 7946 0958'],
  ['+12015550123', '+1 201 555 0123'],
  ['+32470123456', '+32 470 12 34 56'],
  ['+999123456789', '+999123456789'],
])('%s is written %s', (kept, written) => {
  expect(typedPhone(kept)).toBe(written);
  expect(phoneInWords(kept)).toBe(written.replaceAll(' ', '\u00a0'));
});

test('what is shown in the field is read as the number that it is', () => {
  for (const kept of ['+33612345678', '+442079460958', '+12015550123'])
    for (const written of [typedPhone(kept), phoneInWords(kept)])
      expect(readPhone(written, undefined)).toBe(kept);
});
