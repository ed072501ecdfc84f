// Line breaks in URLs, hosts and email addresses.
import { expect, test } from 'vitest';
import { breakable } from '../../../src/web/html/breakable.ts';

test.each([
  ['ada.lovelace@example.com', 'ada.|lovelace@|example.|com'],
  ['https://a-b.example/.well-known/x/', 'https://a-b.|example/|.well-known/|x/'],
  ['com.example.app:/callback', 'com.|example.|app:/callback'],
  ['app_8QETmVk2mEzow9969N7f', 'app_8QETmVk2mEzow9969N7f'],
])('%s breaks between its parts', (text, expected) => {
  expect(breakable(text).toString().replaceAll('<wbr>', '|')).toBe(expected);
});
