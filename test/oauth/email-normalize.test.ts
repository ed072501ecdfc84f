import { expect, test } from 'vitest';
import { normalizeText } from '../../src/oauth/email.ts';

test('normalizeText normalizes a string of 4,096 bytes', () => {
  expect(normalizeText('e\u0301'.repeat(1365))).toBe('é'.repeat(1365));
  expect(normalizeText('é', 'NFD')).toBe('e\u0301');
});

test('normalizeText returns a string of more than 4,096 bytes unchanged', () => {
  const text = 'e\u0301'.repeat(1366);
  expect(normalizeText(text)).toBe(text);
});
