// Email addresses as people type them: one account for both spellings of an international domain.
import { expect, test } from 'vitest';
import { readEmail } from '../../src/oauth/email.ts';

test.each([
  ['zoe@bücher.example', 'zoe@xn--bcher-kva.example'],
  ['zoe@BÜCHER.example', 'zoe@xn--bcher-kva.example'],
  ['zoe@bu\u0308cher.example', 'zoe@xn--bcher-kva.example'],
  ['zoe@例え。テスト', 'zoe@xn--r8jz45g.xn--zckzah'],
  [' zoe@xn--bcher-kva.example ', 'zoe@xn--bcher-kva.example'],
  ['Zoe@Example.com', 'Zoe@Example.com'],
  ['zoë@example.com', 'zoë@example.com'],
])('%s is read as %s', (typed, read) => {
  expect(readEmail(typed)).toBe(read);
});

test.each([
  ['no address', 'bücher'],
  ['nothing', ''],
  ['a domain that is none', 'zoe@bücher example'],
  ['a text that is too long', `zoe@${'ü'.repeat(300)}`],
])('%s stays as it is', (_what, typed) => {
  expect(readEmail(typed)).toBe(typed);
});
