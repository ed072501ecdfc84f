// Which registered callback a request names: string equality and one exception (D3, RFC 8252 §7.3).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLocalCallback, matchesRedirectUri } from '../../src/oauth/redirect-uri.ts';

describe('string equality (D3, RFC 9700 §2.1)', () => {
  const uris = fc.tuple(fc.webUrl({ withQueryParameters: true }), fc.webUrl({ withQueryParameters: true }));

  test('property: outside loopback, matching is equality', () => {
    fc.assert(
      fc.property(uris, fc.constantFrom('confidential' as const, 'public' as const), ([one, other], type) => {
        expect(matchesRedirectUri(one, [other], type)).toBe(one === other);
        expect(matchesRedirectUri(one, [other, one], type)).toBe(true);
      }),
    );
  });

  test('property: no normalisation variant of any registered address matches', () => {
    const spellings: ((uri: string) => string)[] = [
      (uri) => new URL(uri).href,
      (uri) => uri.toUpperCase(),
      (uri) => uri.toLowerCase(),
      (uri) => decodeURI(uri),
      (uri) => encodeURI(uri),
      (uri) => uri.normalize('NFKC'),
      (uri) => uri.trim(),
      (uri) => `${uri}/`,
      (uri) => uri.replace(/\/$/, ''),
      (uri) => uri.replace('://', '://user@'),
      (uri) => uri.replace(/%[0-9a-f]{2}/gi, (octet) => octet.toLowerCase()),
    ];
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: true, authoritySettings: { withPort: true } }),
        fc.constantFrom(...spellings),
        (uri, respell) => {
          const offered = respell(uri);
          expect(matchesRedirectUri(offered, [uri], 'public')).toBe(offered === uri);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the loopback port of a public application (RFC 8252 §7.3)', () => {
  const port = fc.integer({ min: 1, max: 65_535 });

  test('property: 127.0.0.1 and [::1] match on any port, registered with or without one', () => {
    fc.assert(
      fc.property(port, port, fc.constantFrom('127.0.0.1', '[::1]'), (registered, offered, host) => {
        for (const base of [`http://${host}:${registered}/cb?a=1`, `http://${host}/cb?a=1`]) {
          expect(matchesRedirectUri(`http://${host}:${offered}/cb?a=1`, [base], 'public')).toBe(true);
          expect(matchesRedirectUri(`http://${host}/cb?a=1`, [base], 'public')).toBe(true);
        }
      }),
    );
  });
});

describe('what a callback says about itself', () => {
  test('a callback that other programs of the device could receive is local (D7)', () => {
    const local = ['http://127.0.0.1:1/', 'http://[::1]/', 'http://localhost:3/', 'com.example.app:/cb'];
    for (const uri of local) expect(isLocalCallback(uri), uri).toBe(true);
    const remote = ['https://client.example/', 'http://client.example/', 'https://localhost/'];
    for (const uri of remote) expect(isLocalCallback(uri), uri).toBe(false);
  });
});
