import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildResponseUrl } from '../../src/oauth/authorization-request.ts';

const ISSUER = 'https://signin.example';
const buildTestUrl = (redirectUri: string, state: string | undefined = 's') =>
  buildResponseUrl({ redirectUri, state }, ISSUER, { code: 'abc' });
const PARAMETERS = 'code=abc&state=s&iss=https%3A%2F%2Fsignin.example';

describe('buildResponseUrl', () => {
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
  ])('only appends parameters to a redirect URI with %s', (_, redirectUri, separator) => {
    expect(buildTestUrl(redirectUri)).toBe(`${redirectUri}${separator}${PARAMETERS}`);
  });

  test('preserves parameter values for any redirect URI', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), text, text, (redirectUri, state, code) => {
        const url = buildResponseUrl({ redirectUri, state }, ISSUER, { code });
        expect(url.startsWith(redirectUri)).toBe(true);
        const query = new URLSearchParams(url.slice(redirectUri.length).replace(/^[?&]/, ''));
        expect([...query]).toEqual([
          ['code', code],
          ['state', state],
          ['iss', ISSUER],
        ]);
      }),
    );
  });
});

describe('the state parameter', () => {
  test('cannot add parameters, fragments or headers to the response', () => {
    const state = 'a&code=evil#x\r\nSet-Cookie: y=1';
    const url = buildTestUrl('https://client.example/cb', state);
    expect(url).toMatch(/^[\x21-\x7e]+$/);
    expect(url).not.toContain('#');
    const { searchParams } = new URL(url);
    expect(searchParams.getAll('code')).toEqual(['abc']);
    expect(searchParams.get('state')).toBe(state);
  });
});
