// The bearer token of the Authorization header (RFC 6750 §2.1, D21).
import { expect, test } from 'vitest';
import { bearerToken, isBearerToken } from '../../src/oauth/bearer.ts';

test('the scheme in any case, one space or several (D21, RFC 9110 §11.4)', () => {
  for (const header of [
    'Bearer abc.def',
    'bearer abc.def',
    'BEARER abc.def',
    'Bearer   abc.def',
    ' Bearer abc.def ',
  ])
    expect(bearerToken(header), header).toBe('abc.def');
});

test('no header or another scheme: no token was sent', () => {
  for (const header of [undefined, '', 'Basic abc', 'Bearerabc', 'DPoP abc', 'Token Bearer abc'])
    expect(bearerToken(header), header).toBeNull();
});

test('the scheme alone is an empty token, not a missing one', () => {
  for (const header of ['Bearer', 'bearer', 'Bearer ']) expect(bearerToken(header), header).toBe('');
});

test('nothing is cut out of what stands behind the scheme', () => {
  expect(bearerToken('Bearer a b')).toBe('a b');
  expect(bearerToken('Bearer a, Bearer b')).toBe('a, Bearer b');
});

test('RFC 6750 §2.1: a token is a b64token or none at all', () => {
  for (const text of ['', 'a b', 'for others: a', 'a:b', '["a"]', 'a\tb', 'a\n', 'é', '=', 'a=b', '"a"'])
    expect(isBearerToken(text), text).toBe(false);
  for (const text of ['a-._~+/9', 'a=', 'a==', 'a.b.c']) expect(isBearerToken(text), text).toBe(true);
});
