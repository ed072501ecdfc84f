import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { authorize, buildAuthorizeUrl, openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
const openidClient = await service.createClient({ scopes: ['openid'] });
const publicClient = await service.createClient({ type: 'public' });
const signedIn = await openSignedInBrowser(service, await service.createUser());
await authorize(service, client, signedIn);
afterAll(() => service.close());

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const S256 = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
type Parameters = Record<string, string | undefined>;

function expectErrorRedirect(visit: { status: number; location: URL | undefined }, error: string): void {
  expect(visit.status).toBe(303);
  const { location } = visit;
  expect(`${location?.origin}${location?.pathname}`).toBe('https://client.example/callback');
  const response = [...(location?.searchParams ?? [])].sort(([a], [b]) => a.localeCompare(b));
  expect(response).toEqual([
    ['error', error],
    // RFC 6749 §4.1.2.1 allows only these characters.
    ['error_description', expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)],
    ['iss', service.baseUrl],
    ['state', 'state-1'],
  ]);
}

const CASES: [name: string, error: string, parameters: Parameters][] = [
  ['a missing response_type', 'invalid_request', { response_type: undefined }],
  ['an empty response_type', 'invalid_request', { response_type: '' }],
  ['response_type=token', 'unsupported_response_type', { response_type: 'token' }],
  ['response_type=code id_token', 'unsupported_response_type', { response_type: 'code id_token' }],
  ['response_type=CODE', 'unsupported_response_type', { response_type: 'CODE' }],
  ['a missing scope', 'invalid_request', { scope: undefined }],
  ['an empty scope', 'invalid_request', { scope: '' }],
  ['only unknown scopes', 'invalid_scope', { scope: 'offline_access read' }],
  ['scopes separated by commas', 'invalid_scope', { scope: 'openid,profile' }],
  ['response_mode=fragment', 'invalid_request', { response_mode: 'fragment' }],
  ['an invalid id_token_hint', 'invalid_request', { id_token_hint: 'a.b.c' }],
  ['a code challenge without a method', 'invalid_request', { code_challenge: CHALLENGE }],
  ['a challenge method without a challenge', 'invalid_request', { code_challenge_method: 'S256' }],
  ['the challenge method plain', 'invalid_request', { ...S256, code_challenge_method: 'plain' }],
  ['the challenge method s256', 'invalid_request', { ...S256, code_challenge_method: 's256' }],
  ['a code challenge of 42 characters', 'invalid_request', { ...S256, code_challenge: 'a'.repeat(42) }],
  ['a code challenge of 44 characters', 'invalid_request', { ...S256, code_challenge: 'a'.repeat(44) }],
  ['a padded code challenge', 'invalid_request', { ...S256, code_challenge: `${'a'.repeat(42)}=` }],
  ['a code challenge in base64', 'invalid_request', { ...S256, code_challenge: `${'a'.repeat(42)}/` }],
  ['a request object', 'request_not_supported', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
  ['an external request_uri', 'request_uri_not_supported', { request_uri: 'https://client.example/r' }],
  [
    'a made-up PAR request_uri',
    'invalid_request_uri',
    { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
  ],
  ['prompt=none with a second prompt', 'invalid_request', { prompt: 'none login' }],
  ['a non-numeric max_age', 'invalid_request', { max_age: 'soon' }],
  ['a negative max_age', 'invalid_request', { max_age: '-1' }],
  ['a nonce of 1,025 bytes', 'invalid_request', { nonce: 'n'.repeat(1025) }],
  ['a fractional max_age', 'invalid_request', { max_age: '1.5' }],
  ['response_mode=FORM_POST', 'invalid_request', { response_mode: 'FORM_POST' }],
  ['an id_token_hint of 4,609 bytes', 'invalid_request', { id_token_hint: 'x'.repeat(4609) }],
  ['a login_hint of 257 bytes', 'invalid_request', { login_hint: 'x'.repeat(257) }],
  ['a login_hint of 129 two-byte characters', 'invalid_request', { login_hint: 'é'.repeat(129) }],
  ['ui_locales of 257 bytes', 'invalid_request', { ui_locales: 'x'.repeat(257) }],
];

describe.each(CASES)('a request with %s', (_, error, parameters) => {
  test(`is redirected with ${error}, regardless of method and session`, async () => {
    const url = buildAuthorizeUrl(service, client, parameters);
    expectErrorRedirect(await openBrowserSession(service.baseUrl).get(url), error);
    expectErrorRedirect(await signedIn.get(url), error);
    const form = Object.fromEntries(url.searchParams);
    expectErrorRedirect(await signedIn.post('/oauth/authorize', form), error);
  });
});

describe('an error redirect', () => {
  test('is sent for a scope that the client may not request', async () => {
    expectErrorRedirect(
      await signedIn.get(buildAuthorizeUrl(service, openidClient, { scope: 'openid email' })),
      'invalid_scope',
    );
    expectErrorRedirect(
      await signedIn.get(buildAuthorizeUrl(service, openidClient, { scope: 'email' })),
      'invalid_scope',
    );
  });

  test('is sent if a public client omits PKCE', async () => {
    expectErrorRedirect(await signedIn.get(buildAuthorizeUrl(service, publicClient)), 'invalid_request');
    const withPkce = await signedIn.get(buildAuthorizeUrl(service, publicClient, S256));
    expect(withPkce.location?.pathname).toBe('/consent');
  });
});

describe('an authorization request', () => {
  const fetchResponse = async (suffix: string, parameters: Parameters = {}) => {
    const url = buildAuthorizeUrl(service, client, parameters);
    url.search += suffix;
    return (await signedIn.get(url)).location?.searchParams;
  };

  test('gets invalid_request if the state is missing', async () => {
    const response = await fetchResponse('', { state: undefined });
    expect([...(response?.keys() ?? [])].sort()).toEqual(['error', 'error_description', 'iss']);
    expect(response?.get('error')).toBe('invalid_request');
  });

  test.each([
    ['repeated', '&state=state-2'],
    ['repeated with the same value', '&state=state-1'],
  ])('gets invalid_request if the state is %s', async (_, suffix) => {
    const response = await fetchResponse(suffix);
    expect([...(response?.keys() ?? [])].sort()).toEqual(['error', 'error_description', 'iss']);
    expect(response?.get('error')).toBe('invalid_request');
  });

  test.each([
    ['invalid percent-encoding', '&state=%zz'],
    ['invalid UTF-8', '&state=%ff'],
    ['a NUL character', '&state=a%00b'],
  ])('gets invalid_request if the state contains %s', async (_, suffix) => {
    const response = await fetchResponse(suffix, { state: undefined });
    expect([...(response?.keys() ?? [])].sort()).toEqual(['error', 'error_description', 'iss']);
    expect(response?.get('error')).toBe('invalid_request');
  });

  test('gets invalid_request if the state is too long', async () => {
    expect((await fetchResponse('', { state: 's'.repeat(4097) }))?.get('error')).toBe('invalid_request');
  });

  test.each(['response_type', 'scope', 'code_challenge', 'nonce', 'prompt', 'unheard_of'])(
    'gets invalid_request if %s is repeated',
    async (name) => {
      const url = buildAuthorizeUrl(service, client);
      url.searchParams.append(name, 'x');
      if (url.searchParams.getAll(name).length < 2) url.searchParams.append(name, 'x');
      expectErrorRedirect(await signedIn.get(url), 'invalid_request');
    },
  );
});

describe('the URLs in request_uri and redirect_uri', () => {
  let server: Server;
  const received: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      received.push(request.url ?? '');
      response.end('eyJhbGciOiJub25lIn0.e30.');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test('are never fetched', async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const local = await service.createClient({ redirectUris: [`${origin}/callback`] });
    const visit = await signedIn.get(
      buildAuthorizeUrl(service, local, { request_uri: `${origin}/request.jwt` }),
    );
    expect(visit.location?.searchParams.get('error')).toBe('request_uri_not_supported');
    await authorize(service, local, signedIn);
    // This request shows that the server is reachable.
    await fetch(`${origin}/probe`);
    expect(received).toEqual(['/probe']);
  });
});
