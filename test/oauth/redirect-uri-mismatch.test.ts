import { describe, expect, test } from 'vitest';
import { redactUrl } from '../../src/oauth/redaction.ts';
import { compareUris, findNearestRedirectUri } from '../../src/oauth/redirect-uri-mismatch.ts';
import type { UriDifference } from '../../src/oauth/refusal-reason.ts';

const listDifferenceKinds = (sent: string, registered: string): UriDifference['kind'][] =>
  compareUris(sent, registered).map(({ kind }) => kind);

describe('compareUris', () => {
  test.each<[string, string, string, UriDifference['kind'][]]>([
    ['a trailing slash', 'https://a.example/cb/', 'https://a.example/cb', ['trailing_slash']],
    ['a slash as the path', 'https://a.example/', 'https://a.example', ['trailing_slash']],
    ['a missing trailing slash', 'https://a.example/cb', 'https://a.example/cb/', ['trailing_slash']],
    ['a different scheme', 'http://a.example/cb', 'https://a.example/cb', ['scheme']],
    ['a host with www.', 'https://www.a.example/cb', 'https://a.example/cb', ['host']],
    ['an upper-case host', 'https://A.example/cb', 'https://a.example/cb', ['host']],
    ['a user name', 'https://me@a.example/cb', 'https://a.example/cb', ['host']],
    ['a different port', 'http://localhost:3001/cb', 'http://localhost:3000/cb', ['port']],
    ['an explicit default port', 'https://a.example:443/cb', 'https://a.example/cb', ['port']],
    ['an IPv6 host and its port', 'http://[::1]:3001/cb', 'http://[::1]:3000/cb', ['port']],
    ['an upper-case path', 'https://a.example/CB', 'https://a.example/cb', ['path']],
    ['an encoded path', 'https://a.example/c%62', 'https://a.example/cb', ['path']],
    ['an unregistered query', 'https://a.example/cb?x=1', 'https://a.example/cb', ['query']],
    ['a missing query', 'https://a.example/cb', 'https://a.example/cb?x=1', ['query']],
    ['a fragment', 'https://a.example/cb#x', 'https://a.example/cb', ['query']],
    ['a path without a host', '/cb', 'https://a.example/cb', ['scheme', 'host']],
    ['a path after a private-use scheme', 'com.example.app:/callback', 'com.example.app:/cb', ['path']],
    [
      'several differences',
      'http://a.example:80/cb/',
      'https://a.example/cb',
      ['scheme', 'port', 'trailing_slash'],
    ],
  ])('classifies %s', (_, sent, registered, expected) => {
    expect(listDifferenceKinds(sent, registered)).toEqual(expected);
  });
});

describe('findNearestRedirectUri', () => {
  test('returns the most similar registered URI', () => {
    const registered = ['https://b.example/cb', 'https://a.example/other', 'https://a.example/cb'];
    expect(findNearestRedirectUri('https://a.example/cb/', registered)?.nearest).toBe('https://a.example/cb');
  });

  test('prefers the same host to the same path', () => {
    const registered = ['https://b.example/cb', 'https://a.example/callback'];
    expect(findNearestRedirectUri('https://a.example/cb', registered)?.nearest).toBe(
      'https://a.example/callback',
    );
  });
});

describe('redactUrl', () => {
  test.each<[string, string]>([
    ['https://a.example/cb?code=abc&x=1', 'https://a.example/cb?code=…&x=1'],
    ['https://a.example/cb#access_token=abc&state=s', 'https://a.example/cb#access_token=…&state=…'],
    ['https://me:word@a.example/', 'https://me:…@a.example/'],
    ['https://me:p@ss@a.example/', 'https://me:…@a.example/'],
    ['https://a.example:8443/cb?to=me@b.example', 'https://a.example:8443/cb?to=me@b.example'],
    ['https://a.example/cb%3Fcode%3Dabc%26x%3D1', 'https://a.example/cb%3Fcode%3D…%26x%3D1'],
    [
      'https%3A%2F%2Fa.example%2Fcb%3fx%3d1%26secret%3dabc',
      'https%3A%2F%2Fa.example%2Fcb%3fx%3d1%26secret%3d…',
    ],
    [
      'https://a.example/cb?device_code=abc&client_assertion=x',
      'https://a.example/cb?device_code=…&client_assertion=…',
    ],
    ['https://a.example/sesame_dc_AbC-_1/x', 'https://a.example/sesame_dc_…/x'],
    ['https://a.example/sesame_rt_AbC-_1/x', 'https://a.example/sesame_rt_…/x'],
    ['https%3A%2F%2Fa.example%2F%3Ft%3DeyJhbGciOi.eyJpc3M.sig-_x', 'https%3A%2F%2Fa.example%2F%3Ft%3D…'],
    ['https://a.example/eyJhbGciOi/eyJpc3M', 'https://a.example/eyJhbGciOi/eyJpc3M'],
    ['https://a.example/?t=eyJhbGciOi.eyJpc3M.sig-_x', 'https://a.example/?t=…'],
  ])('redacts only the credentials in %s', (url, expected) => {
    expect(redactUrl(url)).toBe(expected);
  });

  test('takes linear time for repeated token prefixes', () => {
    for (const piece of ['eyJ', 'eyJ.', '?code=', '%3fcode%3d', '://a:', 'sesame_rt_', 'a@'])
      expect(redactUrl(piece.repeat(150_000)).length).toBeLessThanOrEqual(2000);
  });
});
