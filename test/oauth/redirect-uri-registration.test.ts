// Which callback URLs may be registered (D3).
import { describe, expect, test } from 'vitest';
import { type ClientType, redirectUriFault } from '../../src/oauth/redirect-uri.ts';

const PRODUCTION = true;
const everywhere: [ClientType, boolean][] = [
  ['confidential', true],
  ['confidential', false],
  ['public', true],
  ['public', false],
];

describe('accepted', () => {
  test.each([
    'https://client.example',
    'https://client.example/callback',
    'https://client.example:8443/callback?tenant=7&next=%2Fhome',
    'https://client.example/callback?error_uri=x&codes=1', // names that merely begin like ours
    'https://127.0.0.1/callback',
    'https://[2001:db8::1]/callback',
    'https://client.example/@person',
  ])('https everywhere, its own query kept: %s', (uri) => {
    for (const [type, production] of everywhere)
      expect(redirectUriFault(uri, type, production)).toBeUndefined();
  });

  test('http outside production', () => {
    for (const type of ['confidential', 'public'] as const)
      expect(redirectUriFault('http://client.example/callback', type, !PRODUCTION)).toBeUndefined();
  });

  test.each([
    'http://127.0.0.1/cb',
    'http://127.0.0.1:8080/cb',
    'http://[::1]/cb',
    'http://localhost:8080/cb',
  ])('http loopback in production for a public application (RFC 8252 §7.3): %s', (uri) => {
    expect(redirectUriFault(uri, 'public', PRODUCTION)).toBeUndefined();
  });

  test.each(['com.example.app:/callback', 'com.example.app://callback', 'fr.exemple.mon-app:/x?y=1'])(
    'a private-use scheme with a dot for a public application (RFC 8252 §7.1): %s',
    (uri) => {
      expect(redirectUriFault(uri, 'public', PRODUCTION)).toBeUndefined();
    },
  );

  test('up to 2,000 characters', () => {
    const uri = 'https://client.example/'.padEnd(2000, 'a');
    expect(redirectUriFault(uri, 'confidential', PRODUCTION)).toBeUndefined();
  });
});

describe('refused everywhere', () => {
  test.each([
    ['2,001 characters', 'https://client.example/'.padEnd(2001, 'a'), 'uriTooLong'],
    ['nothing', '', 'uriCharacters'],
    ['a fragment', 'https://client.example/#x', 'uriFragment'],
    ['an empty fragment', 'https://client.example/#', 'uriFragment'],
    ['a user name', 'https://user@client.example/', 'uriUserInfo'],
    ['a password', 'https://:secret@client.example/', 'uriUserInfo'],
    ['empty user information', 'https://@client.example/', 'uriUserInfo'],
    ['a wildcard host', 'https://*.client.example/', 'uriWildcard'],
    ['a wildcard path', 'https://client.example/*', 'uriWildcard'],
    ['a backslash', 'https://client.example\\@evil.example/', 'uriWildcard'],
    ['a space', 'https://client.example/a b', 'uriCharacters'],
    ['a space at the end', 'https://client.example/ ', 'uriCharacters'],
    ['a tab', 'https://client.example/\tcb', 'uriCharacters'],
    ['a line break', 'https://client.example/\r\nSet-Cookie:x', 'uriCharacters'],
    ['a line break at the end', 'https://client.example/\n', 'uriCharacters'],
    ['NUL', 'https://client.example/\u0000', 'uriCharacters'],
    ['DEL', 'https://client.example/\u007f', 'uriCharacters'],
    ['a no-break space', 'https://client.example/\u00a0', 'uriCharacters'],
    ['letters outside ASCII', 'https://clïent.example/', 'uriCharacters'],
    ['a relative path', '/callback', 'uriNotAbsolute'],
    ['no scheme', 'client.example/callback', 'uriNotAbsolute'],
    ['a scheme-relative address', '//client.example/callback', 'uriNotAbsolute'],
    ['no slashes', 'https:client.example', 'uriNotAbsolute'],
    ['one slash', 'https:/client.example', 'uriNotAbsolute'],
    ['three slashes', 'https:///client.example', 'uriNotAbsolute'],
    ['no host', 'https://', 'uriNotAbsolute'],
    ['no host but a query', 'https://?x=1', 'uriNotAbsolute'],
    ['an impossible port', 'https://client.example:65536/', 'uriNotAbsolute'],
    ['half an IPv6 address', 'https://[::1/', 'uriNotAbsolute'],
  ])('%s', (_, uri, fault) => {
    for (const [type, production] of everywhere) expect(redirectUriFault(uri, type, production)).toBe(fault);
  });

  test.each(['code', 'state', 'iss', 'error'])('a query that already contains %s', (name) => {
    for (const query of [`${name}=1`, `a=1&${name}`, `%${name.charCodeAt(0).toString(16)}${name.slice(1)}=1`])
      for (const [type, production] of everywhere)
        expect(redirectUriFault(`https://client.example/?${query}`, type, production)).toBe(
          'uriOwnParameter',
        );
    expect(redirectUriFault(`com.example.app:/cb?${name}=1`, 'public', PRODUCTION)).toBe('uriOwnParameter');
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://client.example/',
    'ws://client.example/',
    'myapp:/callback',
    'about:blank',
    'urn:ietf:wg:oauth:2.0:oob',
  ])('a scheme without a dot that is not http(s): %s', (uri) => {
    for (const [type, production] of everywhere)
      expect(redirectUriFault(uri, type, production)).toBe(type === 'public' ? 'uriScheme' : 'uriNotHttps');
  });
});

test('refused to some', () => {
  // Http in production.
  for (const type of ['confidential', 'public'] as const)
    expect.soft(redirectUriFault('http://client.example/cb', type, PRODUCTION)).toBe('uriNotHttps');
  // Http loopback in production for a confidential application.
  for (const host of ['127.0.0.1', '[::1]', 'localhost:80'])
    expect.soft(redirectUriFault(`http://${host}/cb`, 'confidential', PRODUCTION)).toBe('uriNotHttps');
  // Hosts that merely look like loopback.
  for (const host of ['127.0.0.1.evil.example', 'localhost.evil.example', '128.0.0.1', '[::2]', '0.0.0.0'])
    expect.soft(redirectUriFault(`http://${host}/cb`, 'public', PRODUCTION)).toBe('uriNotHttps');
  // A private-use scheme for a confidential application.
  for (const production of [true, false])
    expect.soft(redirectUriFault('com.example.app:/cb', 'confidential', production)).toBe('uriNotHttps');
  // User information behind a private-use scheme.
  for (const uri of ['com.example.app://user@host/', 'com.example.app://@host/'])
    expect.soft(redirectUriFault(uri, 'public', PRODUCTION)).toBe('uriUserInfo');
});
