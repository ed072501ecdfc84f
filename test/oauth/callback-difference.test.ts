import { describe, expect, test } from 'vitest';
import { differencesOf, nearestCallback } from '../../src/oauth/callback-difference.ts';
import type { Difference } from '../../src/oauth/reason.ts';
import { withoutCredentials } from '../../src/oauth/shown.ts';

const kinds = (sent: string, registered: string): Difference['kind'][] =>
  differencesOf(sent, registered).map(({ kind }) => kind);

describe('differencesOf', () => {
  test.each<[string, string, string, Difference['kind'][]]>([
    ['a final slash', 'https://a.example/cb/', 'https://a.example/cb', ['trailing_slash']],
    ['no path but a slash', 'https://a.example/', 'https://a.example', ['trailing_slash']],
    ['no final slash', 'https://a.example/cb', 'https://a.example/cb/', ['trailing_slash']],
    ['another scheme', 'http://a.example/cb', 'https://a.example/cb', ['scheme']],
    ['www.', 'https://www.a.example/cb', 'https://a.example/cb', ['host']],
    ['capitals in the host', 'https://A.example/cb', 'https://a.example/cb', ['host']],
    ['a user name', 'https://me@a.example/cb', 'https://a.example/cb', ['host']],
    ['another port', 'http://localhost:3001/cb', 'http://localhost:3000/cb', ['port']],
    ['the default port written out', 'https://a.example:443/cb', 'https://a.example/cb', ['port']],
    ['an IPv6 host and its port', 'http://[::1]:3001/cb', 'http://[::1]:3000/cb', ['port']],
    ['capitals in the path', 'https://a.example/CB', 'https://a.example/cb', ['path']],
    ['an encoded path', 'https://a.example/c%62', 'https://a.example/cb', ['path']],
    ['a query that is not registered', 'https://a.example/cb?x=1', 'https://a.example/cb', ['query']],
    ['no query', 'https://a.example/cb', 'https://a.example/cb?x=1', ['query']],
    ['a fragment', 'https://a.example/cb#x', 'https://a.example/cb', ['query']],
    ['a path alone', '/cb', 'https://a.example/cb', ['scheme', 'host']],
    ['a private-use scheme', 'com.example.app:/callback', 'com.example.app:/cb', ['path']],
    ['several', 'http://a.example:80/cb/', 'https://a.example/cb', ['scheme', 'port', 'trailing_slash']],
  ])('%s', (_, sent, registered, expected) => {
    expect(kinds(sent, registered)).toEqual(expected);
  });
});

describe('nearestCallback', () => {
  test('takes the one with the smallest slip, not the first', () => {
    const registered = ['https://b.example/cb', 'https://a.example/other', 'https://a.example/cb'];
    expect(nearestCallback('https://a.example/cb/', registered)?.nearest).toBe('https://a.example/cb');
  });

  test('prefers the same host to the same path', () => {
    const registered = ['https://b.example/cb', 'https://a.example/callback'];
    expect(nearestCallback('https://a.example/cb', registered)?.nearest).toBe('https://a.example/callback');
  });
});

describe('withoutCredentials', () => {
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
  ])('%s', (address, expected) => {
    expect(withoutCredentials(address)).toBe(expected);
  });

  test('takes no longer for what looks like the beginning of a token again and again: it would take minutes', () => {
    for (const piece of ['eyJ', 'eyJ.', '?code=', '%3fcode%3d', '://a:', 'sesame_rt_', 'a@'])
      expect(withoutCredentials(piece.repeat(150_000)).length).toBeLessThanOrEqual(2000);
  });
});
