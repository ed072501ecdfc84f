import { describe, expect, test } from 'vitest';
import { type ClientType, validateRedirectUri } from '../../src/oauth/redirect-uri.ts';

const PRODUCTION = true;
const COMBINATIONS: [ClientType, boolean][] = [
  ['confidential', true],
  ['confidential', false],
  ['public', true],
  ['public', false],
];

describe('validateRedirectUri', () => {
  test.each([
    'https://client.example',
    'https://client.example/callback',
    'https://client.example:8443/callback?tenant=7&next=%2Fhome',
    // These names only start like reserved parameters.
    'https://client.example/callback?error_uri=x&codes=1',
    'https://127.0.0.1/callback',
    'https://[2001:db8::1]/callback',
    'https://client.example/@person',
  ])('accepts an https URL for any client (%s)', (uri) => {
    for (const [type, production] of COMBINATIONS)
      expect(validateRedirectUri(uri, type, production)).toBeUndefined();
  });

  test('accepts http URLs for any client outside production', () => {
    for (const type of ['confidential', 'public'] as const)
      expect(validateRedirectUri('http://client.example/callback', type, !PRODUCTION)).toBeUndefined();
  });

  test.each([
    'http://127.0.0.1/cb',
    'http://127.0.0.1:8080/cb',
    'http://[::1]/cb',
    'http://localhost:8080/cb',
  ])('accepts %s for a public client in production (RFC 8252 §7.3)', (uri) => {
    expect(validateRedirectUri(uri, 'public', PRODUCTION)).toBeUndefined();
  });

  test.each(['com.example.app:/callback', 'com.example.app://callback', 'fr.exemple.mon-app:/x?y=1'])(
    'accepts the private-use scheme of %s for a public client',
    (uri) => {
      expect(validateRedirectUri(uri, 'public', PRODUCTION)).toBeUndefined();
    },
  );

  test('accepts URLs of up to 2,000 characters', () => {
    const uri = 'https://client.example/'.padEnd(2000, 'a');
    expect(validateRedirectUri(uri, 'confidential', PRODUCTION)).toBeUndefined();
  });

  test.each([
    ['2,001 characters', 'https://client.example/'.padEnd(2001, 'a'), 'uriTooLong'],
    ['no characters', '', 'uriCharacters'],
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
    ['a non-ASCII host', 'https://clïent.example/', 'uriCharacters'],
    ['only a path', '/callback', 'uriNotAbsolute'],
    ['no scheme', 'client.example/callback', 'uriNotAbsolute'],
    ['two slashes but no scheme', '//client.example/callback', 'uriNotAbsolute'],
    ['no slashes after the scheme', 'https:client.example', 'uriNotAbsolute'],
    ['one slash after the scheme', 'https:/client.example', 'uriNotAbsolute'],
    ['three slashes after the scheme', 'https:///client.example', 'uriNotAbsolute'],
    ['no host', 'https://', 'uriNotAbsolute'],
    ['a query but no host', 'https://?x=1', 'uriNotAbsolute'],
    ['an invalid port', 'https://client.example:65536/', 'uriNotAbsolute'],
    ['an incomplete IPv6 host', 'https://[::1/', 'uriNotAbsolute'],
  ])('rejects a URI with %s', (_, uri, error) => {
    for (const [type, production] of COMBINATIONS)
      expect(validateRedirectUri(uri, type, production)).toBe(error);
  });

  test.each(['code', 'state', 'iss', 'error'])('rejects a URI with the query parameter %s', (name) => {
    for (const query of [`${name}=1`, `a=1&${name}`, `%${name.charCodeAt(0).toString(16)}${name.slice(1)}=1`])
      for (const [type, production] of COMBINATIONS)
        expect(validateRedirectUri(`https://client.example/?${query}`, type, production)).toBe(
          'uriReservedParameter',
        );
    expect(validateRedirectUri(`com.example.app:/cb?${name}=1`, 'public', PRODUCTION)).toBe(
      'uriReservedParameter',
    );
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
  ])('rejects the scheme of %s', (uri) => {
    for (const [type, production] of COMBINATIONS)
      expect(validateRedirectUri(uri, type, production)).toBe(
        type === 'public' ? 'uriScheme' : 'uriNotHttps',
      );
  });
});

test('validateRedirectUri rejects URIs that the client type or environment doesn’t allow', () => {
  for (const type of ['confidential', 'public'] as const)
    expect.soft(validateRedirectUri('http://client.example/cb', type, PRODUCTION)).toBe('uriNotHttps');
  for (const host of ['127.0.0.1', '[::1]', 'localhost:80'])
    expect.soft(validateRedirectUri(`http://${host}/cb`, 'confidential', PRODUCTION)).toBe('uriNotHttps');
  // These hosts only look like loopback hosts.
  for (const host of ['127.0.0.1.evil.example', 'localhost.evil.example', '128.0.0.1', '[::2]', '0.0.0.0'])
    expect.soft(validateRedirectUri(`http://${host}/cb`, 'public', PRODUCTION)).toBe('uriNotHttps');
  for (const production of [true, false])
    expect.soft(validateRedirectUri('com.example.app:/cb', 'confidential', production)).toBe('uriNotHttps');
  for (const uri of ['com.example.app://user@host/', 'com.example.app://@host/'])
    expect.soft(validateRedirectUri(uri, 'public', PRODUCTION)).toBe('uriUserInfo');
});
