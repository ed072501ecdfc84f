// Faults that the application is told at its callback, at once and by redirect (D2, D4, D5, D6).
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { authorize, authorizeAddress, signedInBrowser } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const narrow = await service.createApplication({ scopes: ['openid'] });
const mobile = await service.createApplication({ type: 'public' });
const signedIn = await signedInBrowser(service, await service.createUser());
await authorize(service, application, signedIn);
afterAll(() => service.close());

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const S256 = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
type Parameters = Record<string, string | undefined>;

function expectRefusal(visit: { status: number; location: URL | undefined }, error: string): void {
  expect(visit.status).toBe(303);
  const { location } = visit;
  expect(`${location?.origin}${location?.pathname}`).toBe('https://client.example/callback');
  const answer = [...(location?.searchParams ?? [])].sort(([a], [b]) => a.localeCompare(b));
  expect(answer).toEqual([
    ['error', error],
    // RFC 6749 §4.1.2.1: printable ASCII without " and \.
    ['error_description', expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)],
    ['iss', service.baseUrl],
    ['state', 'state-1'],
  ]);
}

const CASES: [name: string, error: string, parameters: Parameters][] = [
  ['missing response_type', 'invalid_request', { response_type: undefined }],
  ['empty response_type', 'invalid_request', { response_type: '' }],
  ['response_type=token', 'unsupported_response_type', { response_type: 'token' }],
  ['response_type=code id_token', 'unsupported_response_type', { response_type: 'code id_token' }],
  ['response_type=CODE', 'unsupported_response_type', { response_type: 'CODE' }],
  ['missing scope', 'invalid_request', { scope: undefined }],
  ['empty scope', 'invalid_request', { scope: '' }],
  ['only unknown scopes (D4)', 'invalid_scope', { scope: 'offline_access read' }],
  ['scopes separated by commas (D4)', 'invalid_scope', { scope: 'openid,profile' }],
  ['response_mode=fragment (D6)', 'invalid_request', { response_mode: 'fragment' }],
  ['an id_token_hint that is none', 'invalid_request', { id_token_hint: 'a.b.c' }],
  ['a challenge without the method (D5)', 'invalid_request', { code_challenge: CHALLENGE }],
  ['the method without a challenge (D5)', 'invalid_request', { code_challenge_method: 'S256' }],
  ['method plain (D5)', 'invalid_request', { ...S256, code_challenge_method: 'plain' }],
  ['method s256 (D5)', 'invalid_request', { ...S256, code_challenge_method: 's256' }],
  ['a challenge of 42 characters (D5)', 'invalid_request', { ...S256, code_challenge: 'a'.repeat(42) }],
  ['a challenge of 44 characters (D5)', 'invalid_request', { ...S256, code_challenge: 'a'.repeat(44) }],
  ['a padded challenge (D5)', 'invalid_request', { ...S256, code_challenge: `${'a'.repeat(42)}=` }],
  ['a base64 challenge (D5)', 'invalid_request', { ...S256, code_challenge: `${'a'.repeat(42)}/` }],
  ['a request object', 'request_not_supported', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
  ['a foreign request_uri', 'request_uri_not_supported', { request_uri: 'https://client.example/r' }],
  [
    'a made-up PAR request_uri',
    'invalid_request_uri',
    { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
  ],
  ['prompt=none with another prompt', 'invalid_request', { prompt: 'none login' }],
  ['max_age that is no number', 'invalid_request', { max_age: 'soon' }],
  ['negative max_age', 'invalid_request', { max_age: '-1' }],
  ['a nonce too long to carry', 'invalid_request', { nonce: 'n'.repeat(1025) }],
  ['a fraction as max_age', 'invalid_request', { max_age: '1.5' }],
  ['response_mode=FORM_POST', 'invalid_request', { response_mode: 'FORM_POST' }],
  ['an id_token_hint of 4,609 bytes', 'invalid_request', { id_token_hint: 'x'.repeat(4609) }],
  ['a login_hint of 257 bytes', 'invalid_request', { login_hint: 'x'.repeat(257) }],
  ['a login_hint of 129 characters of two bytes', 'invalid_request', { login_hint: 'é'.repeat(129) }],
  ['ui_locales of 257 bytes', 'invalid_request', { ui_locales: 'x'.repeat(257) }],
];

describe.each(CASES)('%s', (_, error, parameters) => {
  test(`is ${error} at the callback, signed in or not, by GET or POST (D2)`, async () => {
    const address = authorizeAddress(service, application, parameters);
    expectRefusal(await openBrowserSession(service.baseUrl).get(address), error);
    expectRefusal(await signedIn.get(address), error);
    const form = Object.fromEntries(address.searchParams);
    expectRefusal(await signedIn.post('/oauth/authorize', form), error);
  });
});

describe('faults that depend on the application', () => {
  test('a known scope that was not chosen at registration is invalid_scope (D4)', async () => {
    expectRefusal(
      await signedIn.get(authorizeAddress(service, narrow, { scope: 'openid email' })),
      'invalid_scope',
    );
    expectRefusal(await signedIn.get(authorizeAddress(service, narrow, { scope: 'email' })), 'invalid_scope');
  });

  test('a public application without PKCE is invalid_request (D5)', async () => {
    expectRefusal(await signedIn.get(authorizeAddress(service, mobile)), 'invalid_request');
    const withPkce = await signedIn.get(authorizeAddress(service, mobile, S256));
    expect(withPkce.location?.pathname).toBe('/consent');
  });
});

describe('state in the answer (D2)', () => {
  const answerTo = async (suffix: string, parameters: Parameters = {}) => {
    const address = authorizeAddress(service, application, parameters);
    address.search += suffix;
    return (await signedIn.get(address)).location?.searchParams;
  };

  test('missing: invalid_request without state', async () => {
    const answer = await answerTo('', { state: undefined });
    expect([...(answer?.keys() ?? [])].sort()).toEqual(['error', 'error_description', 'iss']);
    expect(answer?.get('error')).toBe('invalid_request');
  });

  test.each([
    ['repeated', '&state=state-2'],
    ['repeated with the same value', '&state=state-1'],
  ])('%s: invalid_request, and neither is echoed', async (_, suffix) => {
    const answer = await answerTo(suffix);
    expect([...(answer?.keys() ?? [])].sort()).toEqual(['error', 'error_description', 'iss']);
    expect(answer?.get('error')).toBe('invalid_request');
  });

  test.each([
    ['bad percent-encoding', '&state=%zz'],
    ['bad UTF-8', '&state=%ff'],
    ['NUL', '&state=a%00b'],
  ])('with %s: invalid_request, and it is not echoed', async (_, suffix) => {
    const answer = await answerTo(suffix, { state: undefined });
    expect([...(answer?.keys() ?? [])].sort()).toEqual(['error', 'error_description', 'iss']);
    expect(answer?.get('error')).toBe('invalid_request');
  });

  test('too long: invalid_request', async () => {
    expect((await answerTo('', { state: 's'.repeat(4097) }))?.get('error')).toBe('invalid_request');
  });
});

describe('repeated parameters (D2, RFC 6749 §3.1)', () => {
  test.each(['response_type', 'scope', 'code_challenge', 'nonce', 'prompt', 'unheard_of'])(
    '%s twice is invalid_request',
    async (name) => {
      const address = authorizeAddress(service, application);
      address.searchParams.append(name, 'x');
      if (address.searchParams.getAll(name).length < 2) address.searchParams.append(name, 'x');
      expectRefusal(await signedIn.get(address), 'invalid_request');
    },
  );
});

describe('request_uri', () => {
  let server: Server;
  const seen: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.url ?? '');
      response.end('eyJhbGciOiJub25lIn0.e30.');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test('is never fetched (D2), nor is the callback (D3)', async () => {
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const local = await service.createApplication({ redirectUris: [`${own}/callback`] });
    const visit = await signedIn.get(authorizeAddress(service, local, { request_uri: `${own}/request.jwt` }));
    expect(visit.location?.searchParams.get('error')).toBe('request_uri_not_supported');
    await authorize(service, local, signedIn);
    // The server does answer whoever asks, and nobody else did.
    await fetch(`${own}/probe`);
    expect(seen).toEqual(['/probe']);
  });
});
