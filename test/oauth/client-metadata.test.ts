import { describe, expect, test } from 'vitest';
import {
  type AgentPolicy,
  areAgentsEnabled,
  parseMetadataDocument,
  validateClientIdUrl,
} from '../../src/oauth/client-metadata.ts';
import { matchesRedirectUri } from '../../src/oauth/redirect-uri.ts';
import { isWellFormedClientId } from '../../src/oauth/secrets.ts';

const OPEN_POLICY: AgentPolicy = {
  baseUrl: 'https://sesame.example',
  production: true,
  agents: ['*'],
  agentsRegistration: false,
};

describe('a client_id URL', () => {
  test.each([
    'https://agent.example/client.json',
    'https://a.b-c.example/x/',
    'https://xn--bcher-kva.example/x;y=1/%C3%A9',
    `https://agent.example/${'x'.repeat(478)}`,
  ])('such as %s is accepted', (url) => {
    expect(validateClientIdUrl(url, OPEN_POLICY)).toBeUndefined();
    expect(isWellFormedClientId(url)).toBe(true);
  });

  test.each([
    ['no path', 'https://agent.example'],
    ['an empty path', 'https://agent.example/'],
    ['a query', 'https://agent.example/x?y'],
    ['an empty query', 'https://agent.example/x?'],
    ['a fragment', 'https://agent.example/x#y'],
    ['a user name', 'https://user@agent.example/x'],
    ['a password', 'https://user:word@agent.example/x'],
    ['an empty user name', 'https://@agent.example/x'],
    ['a backslash', 'https://agent.example\\x'],
    ['a dot segment', 'https://agent.example/a/../b'],
    ['a dot segment at the end', 'https://agent.example/a/.'],
    ['an encoded dot segment', 'https://agent.example/a/%2E%2e/b'],
    ['an upper-case host', 'https://Agent.Example/x'],
    ['an upper-case scheme', 'HTTPS://agent.example/x'],
    ['the default port', 'https://agent.example:443/x'],
    ['a different port', 'https://agent.example:8443/x'],
    ['a trailing dot in the host', 'https://agent.example./x'],
    ['a single slash', 'https:/agent.example/x'],
    ['a space', 'https://agent.example/x y'],
    ['a non-ASCII path', 'https://agent.example/é'],
    ['a non-ASCII host', 'https://bücher.example/x'],
    ['the scheme http', 'http://agent.example/x'],
    ['the scheme ftp', 'ftp://agent.example/x'],
    ['an IPv4 host', 'https://93.184.216.34/x'],
    ['an IPv4 host in decimal', 'https://1572395042/x'],
    ['an IPv4 host in hexadecimal', 'https://0x5db8d822/x'],
    ['an IPv6 host', 'https://[2606:4700:4700::1111]/x'],
    ['the host localhost', 'https://localhost/x'],
    ['a subdomain of localhost', 'https://agent.localhost/x'],
    ['a single-label host', 'https://intranet/x'],
    ['a numeric top-level domain', 'https://agent.1/x'],
    ['501 characters', `https://agent.example/${'x'.repeat(479)}`],
    ['no characters', ''],
  ])('with %s is rejected', (_, url) => {
    expect(validateClientIdUrl(url, OPEN_POLICY)).toMatch(/^client_id /);
  });

  test('must have an allowed origin', () => {
    const url = 'https://agent.example/x';
    const allowOrigins = (...agents: string[]): AgentPolicy => ({ ...OPEN_POLICY, agents });
    expect(validateClientIdUrl(url, allowOrigins('https://agent.example'))).toBeUndefined();
    expect(validateClientIdUrl(url, allowOrigins('https://other.example'))).toMatch(
      /does not allow clients of this origin/,
    );
    expect(validateClientIdUrl('https://a.agent.example/x', allowOrigins('https://agent.example'))).toMatch(
      /origin/,
    );
    expect(validateClientIdUrl(url, allowOrigins())).toMatch(/does not accept a URL as client_id/);
    const withRegistration = { ...allowOrigins(), agentsRegistration: true };
    expect(
      [OPEN_POLICY, allowOrigins('https://agent.example'), allowOrigins(), withRegistration].map(
        areAgentsEnabled,
      ),
    ).toEqual([...[true, true, false, true]]);
  });

  test('may contain a port or localhost only outside production', () => {
    for (const [origin, url] of [
      ['http://localhost:4000', 'http://localhost:4000/x'],
      ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/x'],
      ['https://agent.example:8443', 'https://agent.example:8443/x'],
    ] as const) {
      const policy: AgentPolicy = { ...OPEN_POLICY, agents: [origin], production: false };
      expect(validateClientIdUrl(url, policy)).toBeUndefined();
      expect(validateClientIdUrl(url, { ...policy, agents: ['https://x.example'] })).toMatch(/https URL/);
      expect(validateClientIdUrl(url, { ...policy, production: true })).toMatch(/https URL/);
    }
  });
});

const CLIENT_ID = 'https://agent.example/client.json';
const VALID_DOCUMENT = {
  client_id: CLIENT_ID,
  client_name: 'Scribe',
  redirect_uris: ['https://agent.example/callback', 'http://localhost/cb', 'com.example.scribe:/cb'],
};
const parseDocument = (document: object | string) =>
  parseMetadataDocument(typeof document === 'string' ? document : JSON.stringify(document), CLIENT_ID);

describe('a metadata document', () => {
  test('may contain unknown members', () => {
    expect(parseDocument(VALID_DOCUMENT)).toEqual({
      name: 'Scribe',
      redirectUris: ['com.example.scribe:/cb', 'http://localhost/cb', 'https://agent.example/callback'],
      jwks: undefined,
    });
    const ignoredMembers = {
      grant_types: ['client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'],
      scope: 'openid phone everything',
      logo_uri: 'http://169.254.169.254/',
      jwks_uri: 'http://169.254.169.254/',
      backchannel_logout_uri: 'http://169.254.169.254/',
      redirect_uris: [...VALID_DOCUMENT.redirect_uris].reverse(),
    };
    expect(parseDocument({ ...VALID_DOCUMENT, ...ignoredMembers })).toEqual(parseDocument(VALID_DOCUMENT));
    const jwks = { keys: [] };
    expect(
      parseDocument({ ...VALID_DOCUMENT, jwks, token_endpoint_auth_method: 'none' }).jwks,
    ).toBeUndefined();
    expect(
      parseDocument({ ...VALID_DOCUMENT, jwks, token_endpoint_auth_method: 'private_key_jwt' }).jwks,
    ).toEqual(jwks);
  });

  test.each<[string, object | string, RegExp]>([
    ['that is not JSON', 'client_id', /not a JSON object/],
    ['that is an array', '[]', /not a JSON object/],
    ['that is null', 'null', /not a JSON object/],
    [
      'with a different client_id',
      { ...VALID_DOCUMENT, client_id: 'https://other.example/x' },
      /must be the URL/,
    ],
    [
      'with a trailing slash in client_id',
      { ...VALID_DOCUMENT, client_id: `${CLIENT_ID}/` },
      /must be the URL/,
    ],
    [
      'with the client_id of a registered client',
      { ...VALID_DOCUMENT, client_id: 'app_x' },
      /must be the URL/,
    ],
    ['without client_id', { ...VALID_DOCUMENT, client_id: undefined }, /must be the URL/],
    ['with a secret', { ...VALID_DOCUMENT, client_secret: 'x' }, /client_secret is not allowed/],
    [
      'with a secret expiry',
      { ...VALID_DOCUMENT, client_secret_expires_at: 0 },
      /client_secret_expires_at is not/,
    ],
    [
      'with authentication by client secret',
      { ...VALID_DOCUMENT, token_endpoint_auth_method: 'client_secret_post' },
      /none or private/,
    ],
    [
      'with an invalid authentication method',
      { ...VALID_DOCUMENT, token_endpoint_auth_method: 7 },
      /none or private_key_jwt/,
    ],
    [
      'with a jwks_uri instead of jwks',
      {
        ...VALID_DOCUMENT,
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri: 'https://agent.example/keys',
      },
      /jwks_uri is not supported/,
    ],
    [
      'with a private key',
      { ...VALID_DOCUMENT, jwks: { keys: [{ kty: 'EC', d: 'x' }] } },
      /only public keys/,
    ],
    ['without a name', { ...VALID_DOCUMENT, client_name: undefined }, /client_name is missing/],
    ['with an array as the name', { ...VALID_DOCUMENT, client_name: ['x'] }, /client_name is missing/],
    ['with a blank name', { ...VALID_DOCUMENT, client_name: ' \u2800\u3164' }, /1 to 80 printable/],
    ['with a long name', { ...VALID_DOCUMENT, client_name: 'x'.repeat(81) }, /1 to 80 printable/],
    [
      'with a direction mark in the name',
      { ...VALID_DOCUMENT, client_name: 'Scribe\u202e' },
      /1 to 80 printable/,
    ],
    [
      'with an invisible character in the name',
      { ...VALID_DOCUMENT, client_name: 'Scr\u200bibe' },
      /1 to 80 printable/,
    ],
    [
      'with a line break in the name',
      { ...VALID_DOCUMENT, client_name: 'Scribe\nby us' },
      /1 to 80 printable/,
    ],
    [
      'with an unpaired surrogate in the name',
      { ...VALID_DOCUMENT, client_name: 'Scribe\ud800' },
      /1 to 80 printable/,
    ],
    ['without a redirect URI', { ...VALID_DOCUMENT, redirect_uris: [] }, /list of 1 to 20/],
    [
      'with 21 redirect URIs',
      { ...VALID_DOCUMENT, redirect_uris: Array(21).fill('https://agent.example/') },
      /1 to 20/,
    ],
    ['with a number as a redirect URI', { ...VALID_DOCUMENT, redirect_uris: [7] }, /list of 1 to 20/],
    [
      'with a string as redirect_uris',
      { ...VALID_DOCUMENT, redirect_uris: 'https://agent.example/' },
      /list of 1 to 20/,
    ],
    [
      'with an http redirect URI',
      { ...VALID_DOCUMENT, redirect_uris: ['http://agent.example/cb'] },
      /http, but its host/,
    ],
    [
      'with a javascript: redirect URI',
      { ...VALID_DOCUMENT, redirect_uris: ['javascript:x'] },
      /custom URL scheme/,
    ],
    [
      'with a wildcard in a redirect URI',
      { ...VALID_DOCUMENT, redirect_uris: ['https://*.example/cb'] },
      /\* or a backslash/,
    ],
    [
      'with a fragment in a redirect URI',
      { ...VALID_DOCUMENT, redirect_uris: ['https://agent.example/#x'] },
      /fragment/,
    ],
  ])('%s is rejected', (_, document, message) => {
    expect(() => parseDocument(document)).toThrow(message);
  });
});

describe('an agent’s redirect URI', () => {
  const matchesAgentRedirectUri = (sent: string, registered: string) =>
    matchesRedirectUri(sent, [registered], 'agent');
  test.each(['localhost', '127.0.0.1', '[::1]'])('on %s matches any port', (host) => {
    expect(matchesAgentRedirectUri(`http://${host}:4711/cb`, `http://${host}/cb`)).toBe(true);
    expect(matchesAgentRedirectUri(`http://${host}/cb`, `http://${host}:1/cb`)).toBe(true);
    expect(matchesAgentRedirectUri(`http://${host}:4711/other`, `http://${host}/cb`)).toBe(false);
    expect(matchesAgentRedirectUri(`http://${host}.evil.example:1/cb`, `http://${host}/cb`)).toBe(false);
    expect(matchesAgentRedirectUri(`https://${host}:1/cb`, `https://${host}/cb`)).toBe(false);
  });

  test('must have the registered host', () => {
    expect(matchesAgentRedirectUri('http://127.0.0.1:1/cb', 'http://localhost/cb')).toBe(false);
    expect(matchesAgentRedirectUri('https://agent.example:1/cb', 'https://agent.example/cb')).toBe(false);
    expect(matchesRedirectUri('http://localhost:2/cb', ['http://localhost:1/cb'], 'public')).toBe(false);
  });
});
