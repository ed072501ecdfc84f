// Unicode normalization of input. Its length is limited, because many combining marks take seconds.
import { expect, test } from 'vitest';
import { normalizeText } from '../../src/oauth/email.ts';

test('a string of 4,096 bytes is normalized', () => {
  expect(normalizeText('e\u0301'.repeat(1365))).toBe('é'.repeat(1365));
  expect(normalizeText('é', 'NFD')).toBe('e\u0301');
});

test('a longer string is returned unchanged', () => {
  const text = 'e\u0301'.repeat(1366);
  expect(normalizeText(text)).toBe(text);
});
