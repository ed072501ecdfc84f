import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLocalRedirectUri, matchesRedirectUri } from '../../src/oauth/redirect-uri.ts';

describe('matchesRedirectUri', () => {
  const uris = fc.tuple(fc.webUrl({ withQueryParameters: true }), fc.webUrl({ withQueryParameters: true }));

  test('requires exact equality except for loopback URIs (RFC 9700 §2.1)', () => {
    fc.assert(
      fc.property(
        uris,
        fc.constantFrom('confidential' as const, 'public' as const),
        ([sent, registered], type) => {
          expect(matchesRedirectUri(sent, [registered], type)).toBe(sent === registered);
          expect(matchesRedirectUri(sent, [registered, sent], type)).toBe(true);
        },
      ),
    );
  });

  test('rejects any variant of a registered URI', () => {
    const variants: ((uri: string) => string)[] = [
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
        fc.constantFrom(...variants),
        (uri, vary) => {
          const sent = vary(uri);
          expect(matchesRedirectUri(sent, [uri], 'public')).toBe(sent === uri);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('matchesRedirectUri for public clients', () => {
  const port = fc.integer({ min: 1, max: 65_535 });

  test('ignores the port of loopback URIs (RFC 8252 §7.3)', () => {
    fc.assert(
      fc.property(port, port, fc.constantFrom('127.0.0.1', '[::1]'), (registered, sent, host) => {
        for (const registeredUri of [`http://${host}:${registered}/cb?a=1`, `http://${host}/cb?a=1`]) {
          expect(matchesRedirectUri(`http://${host}:${sent}/cb?a=1`, [registeredUri], 'public')).toBe(true);
          expect(matchesRedirectUri(`http://${host}/cb?a=1`, [registeredUri], 'public')).toBe(true);
        }
      }),
    );
  });
});

describe('isLocalRedirectUri', () => {
  test('returns true only for loopback hosts and custom schemes', () => {
    const local = ['http://127.0.0.1:1/', 'http://[::1]/', 'http://localhost:3/', 'com.example.app:/cb'];
    for (const uri of local) expect(isLocalRedirectUri(uri), uri).toBe(true);
    const remote = ['https://client.example/', 'http://client.example/', 'https://localhost/'];
    for (const uri of remote) expect(isLocalRedirectUri(uri), uri).toBe(false);
  });
});
