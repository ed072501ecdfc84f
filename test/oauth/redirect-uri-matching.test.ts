// Which registered callback a request names: string equality and one exception (D3, RFC 8252 §7.3).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callbackHost, isLocalCallback, matchesRedirectUri } from '../../src/oauth/redirect-uri.ts';

const REGISTERED = 'https://client.example/callback?tenant=7&x=%7e';

/** Other spellings that some normalisation or other takes for the same address. */
const VARIANTS: [name: string, change: (uri: string) => string][] = [
  ['upper-case scheme', (uri) => uri.replace('https', 'HTTPS')],
  ['plain http', (uri) => uri.replace('https', 'http')],
  ['upper-case host', (uri) => uri.replace('client.example', 'Client.Example')],
  ['the default port', (uri) => uri.replace('client.example', 'client.example:443')],
  ['an empty port', (uri) => uri.replace('client.example', 'client.example:')],
  ['a dot after the host', (uri) => uri.replace('client.example', 'client.example.')],
  ['user information', (uri) => uri.replace('client.example', 'client.example@evil.example')],
  ['a slash at the end', (uri) => `${uri}/`],
  ['a doubled slash', (uri) => uri.replace('/callback', '//callback')],
  ['dot segments', (uri) => uri.replace('/callback', '/x/../callback')],
  ['a single dot segment', (uri) => uri.replace('/callback', '/./callback')],
  ['a path below', (uri) => uri.replace('/callback', '/callback/more')],
  ['an upper-case path', (uri) => uri.replace('/callback', '/Callback')],
  ['an encoded letter', (uri) => uri.replace('/callback', '/%63allback')],
  ['the other case of an escape', (uri) => uri.replace('%7e', '%7E')],
  ['a decoded escape', (uri) => uri.replace('%7e', '~')],
  ['another parameter', (uri) => `${uri}&more=1`],
  ['the parameters in another order', (uri) => uri.replace('tenant=7&x=%7e', 'x=%7e&tenant=7')],
  ['no query', (uri) => uri.replace(/\?.*/, '')],
  ['a fragment', (uri) => `${uri}#top`],
  ['an empty fragment', (uri) => `${uri}#`],
  ['white space around it', (uri) => ` ${uri} `],
  ['a line break at the end', (uri) => `${uri}\n`],
  ['a backslash', (uri) => uri.replace('/callback', '\\callback')],
  ['a subdomain', (uri) => uri.replace('client.', 'www.client.')],
  ['a longer host', (uri) => uri.replace('client.example', 'client.example.evil.example')],
];

describe('string equality (D3, RFC 9700 §2.1)', () => {
  test('each registered callback matches itself', () => {
    const registered = [REGISTERED, 'https://client.example/other', 'com.example.app:/cb'];
    for (const uri of registered)
      for (const type of ['confidential', 'public'] as const)
        expect(matchesRedirectUri(uri, registered, type), uri).toBe(true);
  });

  test.each(VARIANTS)('%s does not match', (_, change) => {
    const offered = change(REGISTERED);
    expect(offered).not.toBe(REGISTERED);
    expect(matchesRedirectUri(offered, [REGISTERED], 'confidential')).toBe(false);
    expect(matchesRedirectUri(offered, [REGISTERED], 'public')).toBe(false);
  });

  test('nothing matches when nothing is registered, and the empty string never does', () => {
    expect(matchesRedirectUri(REGISTERED, [], 'public')).toBe(false);
    expect(matchesRedirectUri('', [REGISTERED, 'http://127.0.0.1/'], 'public')).toBe(false);
  });

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

  test('also without any path', () => {
    expect(matchesRedirectUri('http://127.0.0.1:5000', ['http://127.0.0.1'], 'public')).toBe(true);
    expect(matchesRedirectUri('http://127.0.0.1:5000/', ['http://127.0.0.1'], 'public')).toBe(false);
  });

  test('never for a confidential application', () => {
    expect(matchesRedirectUri('http://127.0.0.1:2/cb', ['http://127.0.0.1:1/cb'], 'confidential')).toBe(
      false,
    );
    expect(matchesRedirectUri('http://127.0.0.1:1/cb', ['http://127.0.0.1:1/cb'], 'confidential')).toBe(true);
  });

  test.each([
    ['localhost keeps its exact port', 'http://localhost:2/cb', 'http://localhost:1/cb'],
    ['localhost is not 127.0.0.1', 'http://localhost:1/cb', 'http://127.0.0.1:1/cb'],
    ['the two loopback addresses are not each other', 'http://[::1]:1/cb', 'http://127.0.0.1:1/cb'],
    ['https keeps its port', 'https://127.0.0.1:2/cb', 'https://127.0.0.1:1/cb'],
    ['https is not http', 'https://127.0.0.1:1/cb', 'http://127.0.0.1:1/cb'],
    ['another path', 'http://127.0.0.1:2/cc', 'http://127.0.0.1:1/cb'],
    ['another query', 'http://127.0.0.1:2/cb?a=2', 'http://127.0.0.1:1/cb?a=1'],
    ['dot segments', 'http://127.0.0.1:2/./cb', 'http://127.0.0.1:1/cb'],
    ['a fragment', 'http://127.0.0.1:2/cb#x', 'http://127.0.0.1:1/cb'],
    ['user information', 'http://127.0.0.1:2@evil.example/cb', 'http://127.0.0.1:1/cb'],
    ['user information in front', 'http://u@127.0.0.1:2/cb', 'http://127.0.0.1:1/cb'],
    ['a longer host', 'http://127.0.0.1.evil.example/cb', 'http://127.0.0.1:1/cb'],
    ['another spelling of the address', 'http://127.1:2/cb', 'http://127.0.0.1:1/cb'],
    ['a mapped address', 'http://[::ffff:127.0.0.1]:2/cb', 'http://127.0.0.1:1/cb'],
    ['a long spelling of ::1', 'http://[0:0:0:0:0:0:0:1]:2/cb', 'http://[::1]:1/cb'],
    ['a port beyond 65535', 'http://127.0.0.1:65536/cb', 'http://127.0.0.1:1/cb'],
    ['a port that is none', 'http://127.0.0.1:80a/cb', 'http://127.0.0.1:1/cb'],
    ['an empty port', 'http://127.0.0.1:/cb', 'http://127.0.0.1:1/cb'],
    ['an upper-case scheme', 'HTTP://127.0.0.1:2/cb', 'http://127.0.0.1:1/cb'],
    ['a backslash', 'http://127.0.0.1:2\\cb', 'http://127.0.0.1:1/cb'],
  ])('%s: no match', (_, offered, registered) => {
    expect(matchesRedirectUri(offered, [registered], 'public')).toBe(false);
  });
});

describe('what a callback says about itself', () => {
  test('a callback that other programs of the device could receive is local (D7)', () => {
    const local = ['http://127.0.0.1:1/', 'http://[::1]/', 'http://localhost:3/', 'com.example.app:/cb'];
    for (const uri of local) expect(isLocalCallback(uri), uri).toBe(true);
    const remote = ['https://client.example/', 'http://client.example/', 'https://localhost/'];
    for (const uri of remote) expect(isLocalCallback(uri), uri).toBe(false);
  });

  test('a person recognises it by host and port, or by scheme', () => {
    expect(callbackHost('https://client.example/cb')).toBe('client.example');
    expect(callbackHost('http://127.0.0.1:8080/cb')).toBe('127.0.0.1:8080');
    expect(callbackHost('com.example.app://cb/x')).toBe('com.example.app');
  });
});
