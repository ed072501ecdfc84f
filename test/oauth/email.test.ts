import { expect, test } from 'vitest';
import { normalizeEmail } from '../../src/oauth/email.ts';

test.each([
  ['zoe@bücher.example', 'zoe@xn--bcher-kva.example'],
  ['zoe@BÜCHER.example', 'zoe@xn--bcher-kva.example'],
  ['zoe@bu\u0308cher.example', 'zoe@xn--bcher-kva.example'],
  ['zoe@例え。テスト', 'zoe@xn--r8jz45g.xn--zckzah'],
  [' zoe@xn--bcher-kva.example ', 'zoe@xn--bcher-kva.example'],
  ['Zoe@Example.com', 'Zoe@Example.com'],
  ['zoë@example.com', 'zoë@example.com'],
])('normalizeEmail normalizes %s to %s', (entered, normalized) => {
  expect(normalizeEmail(entered)).toBe(normalized);
});

test.each([
  ['a string without @', 'bücher'],
  ['an empty string', ''],
  ['an invalid domain', 'zoe@bücher example'],
  ['a string that is too long', `zoe@${'ü'.repeat(300)}`],
])('normalizeEmail does not change %s', (_, entered) => {
  expect(normalizeEmail(entered)).toBe(entered);
});
