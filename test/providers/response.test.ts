// Authorization responses from providers, and the service's subsequent requests to the providers.
import { beforeAll, describe, expect, test } from 'vitest';
import type { IdentityProvider } from '../../src/oauth/identity-provider.ts';
import { findProvider } from '../../src/store/identity-providers.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { UNUSED_SLOT } from '../support/metadata-clients.ts';
import { buildAuthorizeUrl } from '../support/oauth-flow.ts';
import { type TestClient, useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';
import {
  DISCOVERY_EXPIRY,
  isSignedIn,
  type StubIssuer,
  SUBJECT,
  useStubIssuer,
} from '../support/stub-issuer.ts';
import { waitUntil } from '../support/wait-until.ts';

const service = useTestService();
const { stub, link, start, respond, redeem, signIn } = useStubIssuer(service, { name: 'Stub' });
const secondProvider = useStubIssuer(service, { providerId: 'second', name: 'Second' });
let client: TestClient;

beforeAll(async () => {
  client = await service.createClient();
  const { userId } = await service.createUser();
  await link(userId);
  await secondProvider.link(userId);
});

const newBrowser = () => openBrowserSession(service.baseUrl);
const SIGN_IN_AGAIN = 'Sign in again';
const FAILURE_TEXT = 'did not work';

describe('an authorization request to a provider', () => {
  test('contains a different state, nonce and PKCE challenge every time', async () => {
    const first = await start(newBrowser());
    const next = await start(newBrowser());
    expect(first.get('code_challenge_method')).toBe('S256');
    expect(first.get('redirect_uri')).toBe(`${service.baseUrl}/signin/provider/stub/callback`);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first.get(name)?.length).toBeGreaterThanOrEqual(43);
      expect(first.get(name)).not.toBe(next.get(name));
    }
  });

  test('has a state that does not reveal the nonce', async () => {
    const request = await start(newBrowser());
    const state = Buffer.from(request.get('state') ?? '', 'base64url').toString('latin1');
    expect(state).not.toContain(request.get('nonce'));
    expect(state).not.toContain('stub');
  });

  test('is not stored in the database', async () => {
    const countUsedTokens = async () =>
      (await sql(service.services.database, 'select count(*) from used_tokens'))[0];
    const before = await countUsedTokens();
    await start(newBrowser());
    expect(await countUsedTokens()).toEqual(before);
  });
});

describe('a provider’s response', () => {
  test('is rejected when it is submitted a second time', async () => {
    const browser = newBrowser();
    const request = await start(browser);
    expect(isSignedIn(await respond(browser, request))).toBe(true);
    const page = await respond(browser, request);
    expect([page.status, page.body.includes(SIGN_IN_AGAIN)]).toEqual([400, true]);
    expect(stub.tokenRequests).toHaveLength(1);
  });

  test('is accepted only once if it is submitted twice concurrently', async () => {
    const browser = newBrowser();
    const request = await start(browser);
    const pages = await Promise.all([respond(browser, request), respond(browser, request)]);
    expect(pages.map(isSignedIn).sort()).toEqual([false, true]);
  });

  test('is rejected in a different browser', async () => {
    const page = await respond(newBrowser(), await start(newBrowser()));
    expect([page.status, page.body.includes(SIGN_IN_AGAIN)]).toEqual([400, true]);
    expect(stub.tokenRequests).toHaveLength(0);
  });

  test('is rejected after ten minutes', async () => {
    const browser = newBrowser();
    const request = await start(browser);
    service.clock.advance(601);
    expect((await respond(browser, request)).status).toBe(400);
  });

  test.each(['', 'x', `${'A'.repeat(43)}`])('is rejected if its state is %j', async (state) => {
    const browser = newBrowser();
    await start(browser);
    expect((await respond(browser, new URLSearchParams({ state }))).status).toBe(400);
  });

  test('is rejected at the callback URL of a different provider', async () => {
    const browser = newBrowser();
    const page = await secondProvider.respond(browser, await start(browser));
    expect([page.status, page.body.includes(SIGN_IN_AGAIN)]).toEqual([400, true]);
    expect(secondProvider.stub.tokenRequests).toHaveLength(0);
  });

  test('is rejected if its iss is a different provider’s', async () => {
    const browser = newBrowser();
    const page = await respond(browser, await start(browser), { iss: secondProvider.stub.issuer });
    expect([page.status, page.body.includes(FAILURE_TEXT)]).toEqual([502, true]);
    expect(await redeem({ iss: secondProvider.stub.issuer })).toBe('response: OAUTH_INVALID_RESPONSE');
    expect(stub.tokenRequests).toHaveLength(0);
  });

  test('is rejected if it omits the iss that the provider’s metadata promises', async () => {
    stub.behavior = { metadata: { authorization_response_iss_parameter_supported: true } };
    expect(await redeem()).toBe('response: OAUTH_INVALID_RESPONSE');
    expect(isSignedIn(await signIn({ iss: stub.issuer }))).toBe(true);
  });

  test('is rejected if it repeats a parameter', async () => {
    const browser = newBrowser();
    const request = await start(browser);
    const query = new URLSearchParams({ state: request.get('state') ?? '', code: 'a' });
    const page = await browser.get(`/signin/provider/stub/callback?${query}&code=b`);
    expect(page.status).toBe(502);
    expect(stub.tokenRequests).toHaveLength(0);
  });

  test('is rejected if its state was tampered with', async () => {
    const browser = newBrowser();
    const state = (await start(browser)).get('state') ?? '';
    const tampered = `${state.slice(0, -2)}${state.endsWith('AA') ? 'BB' : 'AA'}`;
    expect((await respond(browser, new URLSearchParams({ state: tampered }))).status).toBe(400);
  });
});

describe('a provider’s error response', () => {
  test('leads back to the sign-in page if its code is access_denied', async () => {
    const browser = newBrowser();
    const request = await start(browser);
    const page = await browser.follow(
      await respond(browser, request, { code: undefined, error: 'access_denied' }),
    );
    expect(page.status).toBe(200);
    expect(page.body).toContain('You canceled the sign-in.');
  });

  test('is shown on an error page, not sent to the application', async () => {
    const browser = newBrowser();
    const first = await browser.get(buildAuthorizeUrl(service, client, { provider_hint: 'stub' }));
    const { location } = await browser.get(first.location ?? '');
    const state = location?.searchParams.get('state') ?? '';
    const error = { code: undefined, error: 'temporarily_unavailable', error_description: '<b>down</b>' };
    const page = await respond(browser, new URLSearchParams({ state }), error);
    expect(page.status).toBe(502);
    expect(page.location).toBeUndefined();
    expect(page.body).toContain('Signing in with Stub did not work');
    expect(page.body).not.toContain('<b>down');
    expect(page.body).toMatch(/href="\/signin\?pending=/);
    expect(page.body).toContain('Incident code');
  });

  test('gets 404 if the provider is not registered', async () => {
    expect((await newBrowser().get('/signin/provider/none')).status).toBe(404);
    expect((await newBrowser().get('/signin/provider/none/callback?code=a&state=b')).status).toBe(404);
  });
});

test('a HEAD request to the callback URL does not redeem the code', async () => {
  const browser = newBrowser();
  const request = await start(browser);
  const query = new URLSearchParams({ code: 'code', state: request.get('state') ?? '' });
  await browser.send(`/signin/provider/stub/callback?${query}`, { method: 'HEAD' });
  expect(stub.tokenRequests).toHaveLength(0);
  expect(isSignedIn(await respond(browser, request))).toBe(true);
});

const respondWithJson =
  (body: string | Buffer, status = 200, type = 'application/json') =>
  (_request: unknown, response: import('node:http').ServerResponse) =>
    response.writeHead(status, { 'content-type': type }).end(body);
const respondWithRedirect = (_request: unknown, response: import('node:http').ServerResponse) =>
  response.writeHead(302, { location: `${stub.issuer}/elsewhere` }).end();
const DISCOVERY_PATH = '/.well-known/openid-configuration';

test('a discovery document URL is rejected as an issuer', async () => {
  const victim = { ...stub.behavior.metadata, issuer: 'https://accounts.example' };
  stub.behavior = { metadata: victim, claims: { iss: 'https://accounts.example' } };
  const provider = await findProvider(service.services.database, 'stub');
  const issuer = `${stub.issuer}/.well-known/openid-configuration`;
  const request = { redirectUri: service.baseUrl, state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) };
  const started = service.services.identityProviders.start(
    { ...(provider as IdentityProvider), providerId: 'other', issuer },
    request,
    UNUSED_SLOT,
  );
  await expect(started).rejects.toMatchObject({ step: 'discovery', code: 'issuer_mismatch' });
});

describe('a sign-in through a provider', () => {
  test.each<[title: string, behavior: StubIssuer['behavior'], refusal: string]>([
    [
      'if the code is for a different client',
      { respond: { '/token': respondWithJson('{"error":"invalid_grant"}', 400) } },
      'token: invalid_grant',
    ],
    [
      'if the token endpoint responds with 500',
      { respond: { '/token': respondWithJson('oops', 500, 'text/plain') } },
      'token: OAUTH_RESPONSE_IS_NOT_CONFORM',
    ],
    [
      'if the token endpoint responds with HTML',
      { respond: { '/token': respondWithJson('<p>', 200, 'text/html') } },
      'token: OAUTH_RESPONSE_IS_NOT_JSON',
    ],
    [
      'if the token response is not JSON',
      { respond: { '/token': respondWithJson('{') } },
      'token: OAUTH_PARSE_ERROR',
    ],
    [
      'if the token response has no id_token',
      { respond: { '/token': respondWithJson('{"access_token":"a","token_type":"bearer"}') } },
      'token: OAUTH_INVALID_RESPONSE',
    ],
    [
      'if the error code contains text',
      { respond: { '/token': respondWithJson('{"error":"<b>no</b>"}', 400) } },
      'token: unknown_error',
    ],
    [
      'if the token response exceeds 64 kB',
      { respond: { '/token': respondWithJson(Buffer.alloc(65_537, ' ')) } },
      'token: too-large',
    ],
    [
      'if the JWKS exceeds 64 kB',
      { respond: { '/jwks': respondWithJson(Buffer.alloc(65_537, ' ')) } },
      'keys: too-large',
    ],
    [
      'if the discovery document exceeds 64 kB',
      { respond: { [DISCOVERY_PATH]: respondWithJson(Buffer.alloc(65_537, ' ')) } },
      'discovery: too-large',
    ],
    [
      'if the token endpoint redirects',
      { respond: { '/token': respondWithRedirect } },
      'token: OAUTH_RESPONSE_IS_NOT_CONFORM',
    ],
    ['if the JWKS endpoint redirects', { respond: { '/jwks': respondWithRedirect } }, 'keys: status 302'],
    [
      'if the discovery document redirects',
      { respond: { [DISCOVERY_PATH]: respondWithRedirect } },
      'discovery: OAUTH_RESPONSE_IS_NOT_CONFORM',
    ],
    [
      'if the discovery document names a different issuer',
      { metadata: { issuer: 'https://other.example' } },
      'discovery: OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED issuer',
    ],
    [
      'if the token endpoint has a private address',
      { metadata: { token_endpoint: 'http://10.0.0.1/token' } },
      'token: not-public',
    ],
    [
      'if the JWKS URL has a link-local address',
      { metadata: { jwks_uri: 'http://169.254.169.254/keys' } },
      'keys: not-public',
    ],
    [
      'if the token endpoint is a file URL',
      { metadata: { token_endpoint: 'file:///etc/passwd' } },
      'token: OAUTH_REQUEST_PROTOCOL_FORBIDDEN',
    ],
    [
      'if the connection is closed',
      { respond: { '/token': (_request, response) => response.destroy() } },
      'token: failed',
    ],
    [
      'if a member of the discovery document has the wrong type',
      { metadata: { token_endpoint_auth_methods_supported: 7 } },
      'token: unexpected',
    ],
    ['if the JWKS is empty', { keys: [] }, 'keys: OAUTH_KEY_SELECTION_FAILED'],
    [
      'if the userinfo response is for a different subject',
      { claims: { email: undefined }, userinfo: { sub: 'other' } },
      'profile: OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED sub',
    ],
    [
      'if the userinfo endpoint has a private address',
      { claims: { email: undefined }, metadata: { userinfo_endpoint: 'http://192.168.1.1/' } },
      'profile: not-public',
    ],
  ])('fails %s', async (_title, behavior, refusal) => {
    stub.behavior = behavior;
    expect(await redeem()).toBe(refusal);
    service.clock.advance(DISCOVERY_EXPIRY);
    const browser = newBrowser();
    const { location, status, body } = await browser.get('/signin/provider/stub');
    if (refusal.startsWith('discovery')) {
      expect([status, body.includes(FAILURE_TEXT)]).toEqual([502, true]);
      return;
    }
    stub.nonce = location?.searchParams.get('nonce') ?? '';
    const page = await respond(browser, location?.searchParams ?? new URLSearchParams());
    expect([page.status, page.body.includes(FAILURE_TEXT)]).toEqual([502, true]);
    expect([...browser.cookies.keys()].some((name) => name === 'sesame')).toBe(false);
  });

  test('fails if the authorization endpoint is a javascript: URL', async () => {
    stub.behavior = { metadata: { authorization_endpoint: 'javascript:alert(1)' } };
    const page = await newBrowser().get('/signin/provider/stub');
    expect([page.status, page.location]).toEqual([502, undefined]);
  });

  test('fails if the provider does not respond within three seconds', async () => {
    stub.behavior = { respond: { '/token': () => {} } };
    expect(await redeem()).toBe('token: timeout');
  });

  test('succeeds after discovery recovers', async () => {
    stub.behavior = { respond: { [DISCOVERY_PATH]: respondWithJson('', 500) } };
    expect(await redeem()).toMatch(/^discovery/);
    stub.reset();
    expect(await redeem()).toMatchObject({ subject: SUBJECT });
  });
});

test('a slow provider does not delay sign-ins through a different provider', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  secondProvider.stub.behavior = { respond: { '/token': () => released } };
  let finished = 0;
  const slow = Array.from({ length: 4 }, async () => {
    const browser = newBrowser();
    await secondProvider.respond(browser, await secondProvider.start(browser));
    finished += 1;
  });
  await waitUntil(
    'four token requests',
    () => secondProvider.stub.requests.filter((request) => request === 'POST /token').length === 4,
  );
  expect(isSignedIn(await signIn())).toBe(true);
  expect(finished).toBe(0);
  release();
  await Promise.all(slow);
});

test('a user with an unlinked identity is sent to sign-up even if the email address is taken', async () => {
  const { email } = await service.createUser();
  stub.behavior = { claims: { sub: 'other', email, email_verified: true } };
  const page = await signIn();
  expect(page.location?.pathname).toBe('/signup/provider');
});
