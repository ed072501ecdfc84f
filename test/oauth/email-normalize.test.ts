// Normalizing texts from outside: bounded, because many combining marks in a row take seconds.
import { expect, test } from 'vitest';
import { normalized } from '../../src/oauth/email.ts';

test('a text of 4,096 bytes is normalized', () => {
  expect(normalized('e\u0301'.repeat(1365))).toBe('é'.repeat(1365));
  expect(normalized('é', 'NFD')).toBe('e\u0301');
});

test('a longer text is returned as it is', () => {
  const text = 'e\u0301'.repeat(1366);
  expect(normalized(text)).toBe(text);
});
