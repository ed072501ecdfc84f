// The address of an answer: the registered callback byte for byte, with the answer appended (D3, D6; RFC 9207).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callbackAddress } from '../../src/oauth/authorization-request.ts';

const ISSUER = 'https://signin.example';
const answerTo = (redirectUri: string, state: string | undefined = 's') =>
  callbackAddress({ redirectUri, state }, ISSUER, { code: 'abc' });
const ANSWER = 'code=abc&state=s&iss=https%3A%2F%2Fsignin.example';

describe('the registered part stays byte for byte', () => {
  test.each([
    ['no query', 'https://client.example/cb', '?'],
    ['no path', 'https://client.example', '?'],
    ['a query', 'https://client.example/cb?tenant=7', '&'],
    ['an unusual query', 'https://Client.example:443/a/../cb?x=%7e&y=a+b&&z', '&'],
    ['an empty query', 'https://client.example/cb?', ''],
    ['a query that ends in &', 'https://client.example/cb?x=1&', ''],
    ['a question mark in the query', 'https://client.example/cb?x=a?b', '&'],
    ['a private-use scheme', 'com.example.app:/cb', '?'],
    ['a loopback port', 'http://127.0.0.1:49152/cb', '?'],
  ])('%s', (_, redirectUri, separator) => {
    expect(answerTo(redirectUri)).toBe(`${redirectUri}${separator}${ANSWER}`);
  });

  test('property: for any callback, and what is appended reads back exactly', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), text, text, (redirectUri, state, code) => {
        const address = callbackAddress({ redirectUri, state }, ISSUER, { code });
        expect(address.startsWith(redirectUri)).toBe(true);
        const query = new URLSearchParams(address.slice(redirectUri.length).replace(/^[?&]/, ''));
        expect([...query]).toEqual([
          ['code', code],
          ['state', state],
          ['iss', ISSUER],
        ]);
      }),
    );
  });
});

describe('what is appended', () => {
  test('a hostile state cannot add a parameter, a fragment or a header', () => {
    const state = 'a&code=evil#x\r\nSet-Cookie: y=1';
    const address = answerTo('https://client.example/cb', state);
    expect(address).toMatch(/^[\x21-\x7e]+$/);
    expect(address).not.toContain('#');
    const { searchParams } = new URL(address);
    expect(searchParams.getAll('code')).toEqual(['abc']);
    expect(searchParams.get('state')).toBe(state);
  });
});
