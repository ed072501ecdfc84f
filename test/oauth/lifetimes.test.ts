// The lifetimes that no setting changes, as the decisions have them: tests elsewhere move their clocks by these very names.
import { expect, test } from 'vitest';
import { PASSKEY_CHALLENGE, PASSKEY_OFFER } from '../../src/oauth/lifetimes.ts';

test('a challenge for a passkey lives five minutes (D38), the offer of one comes again after two weeks', () => {
  expect([PASSKEY_CHALLENGE, PASSKEY_OFFER]).toEqual([5 * 60, 14 * 24 * 3600]);
});
