// Which addresses may name an agent, and what its document has to say, fault by fault with the developer's words.
import { describe, expect, test } from 'vitest';
import {
  type AgentPolicy,
  agentAddressFault,
  areAgentsPossible,
  readAgentDocument,
} from '../../src/oauth/agent-document.ts';
import { matchesRedirectUri } from '../../src/oauth/redirect-uri.ts';
import { isClientIdShaped } from '../../src/oauth/secrets.ts';

const OPEN: AgentPolicy = {
  baseUrl: 'https://sesame.example',
  production: true,
  agents: ['*'],
  agentsRegistration: false,
};

describe('the address', () => {
  test.each([
    'https://agent.example/client.json',
    'https://a.b-c.example/x/',
    'https://xn--bcher-kva.example/x;y=1/%C3%A9',
    `https://agent.example/${'x'.repeat(478)}`,
  ])('%s', (address) => {
    expect(agentAddressFault(address, OPEN)).toBeUndefined();
    expect(isClientIdShaped(address)).toBe(true);
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
    ['another spelling of the host', 'https://Agent.Example/x'],
    ['another spelling of the scheme', 'HTTPS://agent.example/x'],
    ['the usual port', 'https://agent.example:443/x'],
    ['another port', 'https://agent.example:8443/x'],
    ['a dot at the end of the host', 'https://agent.example./x'],
    ['one slash', 'https:/agent.example/x'],
    ['a white space', 'https://agent.example/x y'],
    ['a letter outside ASCII', 'https://agent.example/é'],
    ['a host outside ASCII', 'https://bücher.example/x'],
    ['plain http', 'http://agent.example/x'],
    ['another scheme', 'ftp://agent.example/x'],
    ['an IPv4 address', 'https://93.184.216.34/x'],
    ['an IPv4 address in decimal', 'https://1572395042/x'],
    ['an IPv4 address in hexadecimal', 'https://0x5db8d822/x'],
    ['an IPv6 address', 'https://[2606:4700:4700::1111]/x'],
    ['this machine', 'https://localhost/x'],
    ['a name of this machine', 'https://agent.localhost/x'],
    ['a name without a domain', 'https://intranet/x'],
    ['a name that ends in digits', 'https://agent.1/x'],
    ['501 characters', `https://agent.example/${'x'.repeat(479)}`],
    ['nothing', ''],
  ])('not with %s', (_, address) => {
    expect(agentAddressFault(address, OPEN)).toMatch(/^client_id /);
  });

  test('operators say whether there are agents, and of which origins', () => {
    const address = 'https://agent.example/x';
    const listing = (...agents: string[]): AgentPolicy => ({ ...OPEN, agents });
    expect(agentAddressFault(address, listing('https://agent.example'))).toBeUndefined();
    expect(agentAddressFault(address, listing('https://other.example'))).toMatch(/no agents of this origin/);
    expect(agentAddressFault('https://a.agent.example/x', listing('https://agent.example'))).toMatch(
      /origin/,
    );
    expect(agentAddressFault(address, listing())).toMatch(/takes no client_id that is an address/);
    const registering = { ...listing(), agentsRegistration: true };
    expect([OPEN, listing('https://agent.example'), listing(), registering].map(areAgentsPossible)).toEqual([
      ...[true, true, false, true],
    ]);
  });

  test('ports and this machine outside production, where an operator lists them', () => {
    for (const [origin, address] of [
      ['http://localhost:4000', 'http://localhost:4000/x'],
      ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/x'],
      ['https://agent.example:8443', 'https://agent.example:8443/x'],
    ] as const) {
      const policy: AgentPolicy = { ...OPEN, agents: [origin], production: false };
      expect(agentAddressFault(address, policy)).toBeUndefined();
      expect(agentAddressFault(address, { ...policy, agents: ['https://x.example'] })).toMatch(
        /https address/,
      );
      expect(agentAddressFault(address, { ...policy, production: true })).toMatch(/https address/);
    }
  });
});

const ADDRESS = 'https://agent.example/client.json';
const GOOD = {
  client_id: ADDRESS,
  client_name: 'Scribe',
  redirect_uris: ['https://agent.example/callback', 'http://localhost/cb', 'com.example.scribe:/cb'],
};
const read = (document: object | string) =>
  readAgentDocument(typeof document === 'string' ? document : JSON.stringify(document), ADDRESS);

describe('the document', () => {
  test('its name, callbacks and keys count; everything else is ignored', () => {
    expect(read(GOOD)).toEqual({
      name: 'Scribe',
      redirectUris: ['com.example.scribe:/cb', 'http://localhost/cb', 'https://agent.example/callback'],
      jwks: undefined,
    });
    const more = {
      grant_types: ['client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'],
      scope: 'openid phone everything',
      logo_uri: 'http://169.254.169.254/',
      jwks_uri: 'http://169.254.169.254/',
      backchannel_logout_uri: 'http://169.254.169.254/',
      redirect_uris: [...GOOD.redirect_uris].reverse(),
    };
    expect(read({ ...GOOD, ...more })).toEqual(read(GOOD));
    const jwks = { keys: [] };
    expect(read({ ...GOOD, jwks, token_endpoint_auth_method: 'none' }).jwks).toBeUndefined();
    expect(read({ ...GOOD, jwks, token_endpoint_auth_method: 'private_key_jwt' }).jwks).toEqual(jwks);
  });

  test.each<[string, object | string, RegExp]>([
    ['is no JSON', 'client_id', /not a JSON object/],
    ['is a list', '[]', /not a JSON object/],
    ['is nothing', 'null', /not a JSON object/],
    ['names another client_id', { ...GOOD, client_id: 'https://other.example/x' }, /not the address/],
    ['names it in another spelling', { ...GOOD, client_id: `${ADDRESS}/` }, /not the address/],
    ['names a registered application', { ...GOOD, client_id: 'app_x' }, /not the address/],
    ['names none', { ...GOOD, client_id: undefined }, /not the address/],
    ['has a secret', { ...GOOD, client_secret: 'x' }, /client_secret must not be there/],
    ['speaks of a secret', { ...GOOD, client_secret_expires_at: 0 }, /client_secret_expires_at must not/],
    [
      'wants to send a secret',
      { ...GOOD, token_endpoint_auth_method: 'client_secret_post' },
      /none or private/,
    ],
    ['has another method', { ...GOOD, token_endpoint_auth_method: 7 }, /none or private_key_jwt/],
    [
      'has its keys elsewhere',
      { ...GOOD, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://agent.example/keys' },
      /never fetched/,
    ],
    ['publishes a private key', { ...GOOD, jwks: { keys: [{ kty: 'EC', d: 'x' }] } }, /public keys alone/],
    ['has no name', { ...GOOD, client_name: undefined }, /client_name is missing/],
    ['has a list for a name', { ...GOOD, client_name: ['x'] }, /client_name is missing/],
    ['has a blank name', { ...GOOD, client_name: ' \u2800\u3164' }, /1 to 80 printable/],
    ['has a long name', { ...GOOD, client_name: 'x'.repeat(81) }, /1 to 80 printable/],
    ['turns its name around', { ...GOOD, client_name: 'Scribe\u202e' }, /1 to 80 printable/],
    ['hides something in its name', { ...GOOD, client_name: 'Scr\u200bibe' }, /1 to 80 printable/],
    ['has a name of two lines', { ...GOOD, client_name: 'Scribe\nby us' }, /1 to 80 printable/],
    ['has half a character in its name', { ...GOOD, client_name: 'Scribe\ud800' }, /1 to 80 printable/],
    ['has no callback', { ...GOOD, redirect_uris: [] }, /list of 1 to 20/],
    ['has 21 callbacks', { ...GOOD, redirect_uris: Array(21).fill('https://agent.example/') }, /1 to 20/],
    ['has a callback that is no text', { ...GOOD, redirect_uris: [7] }, /list of 1 to 20/],
    ['has one text for a list', { ...GOOD, redirect_uris: 'https://agent.example/' }, /list of 1 to 20/],
    ['has a plain callback', { ...GOOD, redirect_uris: ['http://agent.example/cb'] }, /http and not of this/],
    ['has a callback that is a script', { ...GOOD, redirect_uris: ['javascript:x'] }, /scheme of its own/],
    ['has a wildcard', { ...GOOD, redirect_uris: ['https://*.example/cb'] }, /\* or a backslash/],
    ['has a fragment', { ...GOOD, redirect_uris: ['https://agent.example/#x'] }, /fragment/],
  ])('that %s is none', (_, document, words) => {
    expect(() => read(document)).toThrow(words);
  });
});

describe('its callbacks (D50)', () => {
  const matches = (offered: string, registered: string) => matchesRedirectUri(offered, [registered], 'agent');
  test.each(['localhost', '127.0.0.1', '[::1]'])('on %s match on any port, and on no other path', (host) => {
    expect(matches(`http://${host}:4711/cb`, `http://${host}/cb`)).toBe(true);
    expect(matches(`http://${host}/cb`, `http://${host}:1/cb`)).toBe(true);
    expect(matches(`http://${host}:4711/other`, `http://${host}/cb`)).toBe(false);
    expect(matches(`http://${host}.evil.example:1/cb`, `http://${host}/cb`)).toBe(false);
    expect(matches(`https://${host}:1/cb`, `https://${host}/cb`)).toBe(false);
  });

  test('of different names of this machine are different; all others match byte for byte', () => {
    expect(matches('http://127.0.0.1:1/cb', 'http://localhost/cb')).toBe(false);
    expect(matches('https://agent.example:1/cb', 'https://agent.example/cb')).toBe(false);
    expect(matchesRedirectUri('http://localhost:2/cb', ['http://localhost:1/cb'], 'public')).toBe(false);
  });
});
