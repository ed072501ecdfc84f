// Vulnerabilities that other identity providers had in 2026.
import { randomBytes, randomUUID } from 'node:crypto';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GRANT_TYPES } from '../../src/grants/index.ts';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { statement } from '../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { findLastEmailTo, listEmailsTo, readLink } from '../support/emails.ts';
import { readCookieValue } from '../support/exact-response.ts';
import { startExampleClient } from '../support/example-client.ts';
import { expectError } from '../support/expect-error.ts';
import { readHeading } from '../support/markup.ts';
import { createMfaAccount, enterPassword } from '../support/mfa-account.ts';
import {
  authorize,
  buildAuthorizeUrl,
  completeAuthorization,
  createVerifier,
  enableDeviceFlow,
  type JsonResponse,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  requestUserCode,
  signIn,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient, type TestUser } from '../support/service.ts';

let user: TestUser;
let browser: BrowserSession;
const service = await startTestService({
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMIT: '100000',
});
const client = await service.createClient();
await enableDeviceFlow(service, client);
afterAll(() => service.close());
beforeEach(async () => {
  user = await service.createUser();
  browser = await openSignedInBrowser(service, user);
});

const createEmail = () => `${randomUUID()}@example.com`;
const PASSWORD = 'quite another password 7';

describe('forged Host and forwarded headers', () => {
  const FORGED = {
    host: 'evil.example',
    forwarded: 'for=192.0.2.1;host=evil.example;proto=https',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-server': 'evil.example',
    'x-forwarded-port': '666',
    'x-forwarded-prefix': '/evil',
    'x-original-host': 'evil.example',
    'x-original-url': '/evil',
    'x-host': 'evil.example',
  };

  test.each<[string, (forged: BrowserSession) => Promise<string>]>([
    [
      'password reset emails',
      async (forged) => {
        const { hidden } = await forged.get('/password/forgot');
        await forged.post('/password/forgot', { ...hidden, email: user.email });
        return user.email;
      },
    ],
    [
      'sign-up emails',
      async (forged) => {
        const { hidden } = await forged.get('/signup');
        const email = createEmail();
        await forged.post('/signup', { ...hidden, name: 'Zoé', email, password: PASSWORD });
        return email;
      },
    ],
    [
      'emails that confirm a new email address',
      async (forged) => {
        await signIn(forged, user);
        const { hidden } = await forged.get('/account/email');
        const email = createEmail();
        await forged.post('/account/email', { ...hidden, new_email: email });
        return email;
      },
    ],
    [
      'notifications of password changes',
      async (forged) => {
        await signIn(forged, user);
        const { hidden } = await forged.get('/account/password');
        const fields = { current_password: user.password, new_password: PASSWORD };
        await forged.post('/account/password', { ...hidden, ...fields });
        return user.email;
      },
    ],
  ])('do not affect the links in %s', async (_, send) => {
    const to = await send(openBrowserSession(service.baseUrl, FORGED));
    const emails = await listEmailsTo(service, to);
    expect(emails.length).toBeGreaterThan(0);
    expect(JSON.stringify(emails)).not.toMatch(/evil|:666/);
    expect(emails.some(({ text }) => text.includes(`${service.baseUrl}/`))).toBe(true);
  });
});

describe('encrypted values', () => {
  let flash: [name: string, value: string];
  const PREFIXES = /^(sesame_(ac|rt|dc)_|urn:ietf:params:oauth:request_uri:)/;
  /** One encrypted value of each kind, all issued to the same browser. */
  let values: Record<string, string>;
  let pendingBrowser: BrowserSession;
  beforeEach(async () => {
    const callback = await authorize(service, client, browser);
    const code = callback.searchParams.get('code') ?? '';
    const { body } = await redeemCode(service, client, code);
    const pushed = await postForm(service, '/oauth/par', {
      client_id: client.clientId,
      client_secret: client.clientSecret,
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 's',
    });
    const signedOut = openBrowserSession(service.baseUrl);
    const pending = await signedOut.get(buildAuthorizeUrl(service, client));
    const decision = await submit('/device', { user_code: await requestUserCode(service, client) });
    await submit('/account/profile', { name: '' });
    flash = [...browser.cookies].find(([name]) => name.startsWith('sesame-flash')) ?? ['', ''];
    const pendingSignIn = await enterPassword(service, (await createMfaAccount(service)).user);
    pendingBrowser = pendingSignIn.browser;
    const passkey = JSON.parse(
      /data-create="([^"]*)"/
        .exec((await browser.get('/account/security/passkeys/new')).body)?.[1]
        ?.replaceAll('&quot;', '"') ?? '{}',
    );
    const unredeemed = await authorize(service, client, browser);
    values = {
      code: unredeemed.searchParams.get('code') ?? '',
      'refresh token': String(body.refresh_token),
      'pushed request': String(pushed.body.request_uri),
      'pending request': pending.location?.searchParams.get('pending') ?? '',
      'device decision': decision.location?.searchParams.get('device') ?? '',
      'flash cookie': flash[1],
      'pending sign-in': pendingSignIn.response.location?.searchParams.get('partial_sign_in') ?? '',
      ...('challenge' in passkey && { 'passkey challenge': String(passkey.challenge) }),
    };
  });

  async function submit(url: string, fields: Record<string, string>): Promise<{ location: URL | undefined }> {
    const { hidden } = await browser.get(url);
    const body = new URLSearchParams({ ...hidden, ...fields });
    const response = await fetch(new URL(url, service.baseUrl), {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: {
        cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; '),
        'sec-fetch-site': 'same-origin',
      },
    });
    for (const header of response.headers.getSetCookie())
      if (header.startsWith('sesame-flash'))
        browser.cookies.set(header.split('=', 1)[0] ?? '', readCookieValue(header));
    const location = response.headers.get('location');
    return { location: location === null ? undefined : new URL(location, service.baseUrl) };
  }

  const postAsClient = (path: string, fields: Record<string, string>) =>
    postForm(service, path, {
      client_id: client.clientId,
      client_secret: client.clientSecret,
      ...fields,
    });
  const summarizePage = async (visit: Promise<Visit>) => {
    const { status, location, body } = await visit;
    return [status, location?.pathname, readHeading(body)];
  };
  const summarizeJson = async (response: Promise<JsonResponse>) => {
    const { status, body } = await response;
    return [status, body.error, body.active];
  };

  /** Endpoints and the kind of encrypted value that each accepts. */
  const CONSUMERS: [kind: string, consumer: string, send: (value: string) => Promise<unknown>][] = [
    [
      'code',
      'the token endpoint',
      (value) =>
        summarizeJson(
          postAsClient('/oauth/token', {
            grant_type: 'authorization_code',
            code: `sesame_ac_${value}`,
            redirect_uri: client.redirectUri,
          }),
        ),
    ],
    [
      'refresh token',
      'the token endpoint',
      (value) =>
        summarizeJson(
          postAsClient('/oauth/token', { grant_type: 'refresh_token', refresh_token: `sesame_rt_${value}` }),
        ),
    ],
    [
      'refresh token',
      'the introspection endpoint',
      (value) => summarizeJson(postAsClient('/oauth/introspect', { token: `sesame_rt_${value}` })),
    ],
    [
      'refresh token',
      'the revocation endpoint',
      (value) => summarizeJson(postAsClient('/oauth/token/revoke', { token: `sesame_rt_${value}` })),
    ],
    [
      'pushed request',
      'the authorization endpoint',
      (value) =>
        summarizePage(
          browser.get(
            `/oauth/authorize?${new URLSearchParams({
              client_id: client.clientId,
              request_uri: `urn:ietf:params:oauth:request_uri:${value}`,
            })}`,
          ),
        ),
    ],
    [
      'pending request',
      'the sign-in page',
      (value) => summarizePage(openBrowserSession(service.baseUrl).get(`/signin?pending=${value}`)),
    ],
    [
      'pending request',
      'the consent page',
      (value) => summarizePage(browser.get(`/consent?pending=${value}`)),
    ],
    [
      'pending sign-in',
      'the second factor page',
      (value) => summarizePage(pendingBrowser.get(`/signin/second-factor?partial_sign_in=${value}`)),
    ],
    [
      'emailed sign-in',
      'the emailed code page',
      (value) => summarizePage(browser.get(`/signin/code?token=${value}`)),
    ],
    [
      'device decision',
      'the device decision form',
      (value) => summarizePage(browser.get(`/device/decision?device=${value}`)),
    ],
    [
      'flash cookie',
      'a page that shows messages',
      (value) => {
        browser.cookies.set(flash[0], value);
        return summarizePage(browser.get('/account/profile'));
      },
    ],
    ['logout', 'the sign-out page', (value) => summarizePage(browser.get(`/signout?logout=${value}`))],
    [
      'report outcome',
      'the page for reporting unauthorized activity',
      (value) => summarizePage(browser.get(`/security/report?done=everything&undone=${value}`)),
    ],
  ];

  test('of every kind are covered by these tests', () => {
    for (const [kind, value] of Object.entries(values)) expect(value, kind).toMatch(/^[\w:.-]{60,}$/);
  });

  test.each(CONSUMERS)('other than "%s" are rejected at %s', async (kind, consumer, send) => {
    const randomValue = randomBytes(90).toString('base64url');
    const rejection = await send(randomValue);
    const valid = values[kind];
    // The endpoint accepts the right kind. The revocation endpoint responds with 200 to any value.
    if (valid !== undefined && consumer !== 'the revocation endpoint')
      expect(await send(valid.replace(PREFIXES, '')), kind).not.toEqual(rejection);
    for (const [otherKind, value] of Object.entries(values))
      if (otherKind !== kind) expect(await send(value.replace(PREFIXES, '')), otherKind).toEqual(rejection);
  });
});

describe('a password reset link', () => {
  const requestResetLink = async (account: TestUser) => {
    const anonymous = openBrowserSession(service.baseUrl);
    const { hidden } = await anonymous.get('/password/forgot');
    await anonymous.post('/password/forgot', { ...hidden, email: account.email });
    return readLink(await findLastEmailTo(service, account.email));
  };
  const canSignIn = async ({ email }: TestUser, password: string) => {
    const session = openBrowserSession(service.baseUrl);
    const { hidden } = await session.get('/signin');
    return (await session.post('/signin', { ...hidden, email, password })).status === 303;
  };

  test("resets the recipient's password in another user's session", async () => {
    const otherUser = await service.createUser();
    const link = await requestResetLink(user);
    const session = await openSignedInBrowser(service, otherUser);
    const page = await session.get(link);
    const otherAccountFields = {
      email: otherUser.email,
      user_id: otherUser.userId,
      sub: otherUser.userId,
      account: otherUser.userId,
    };
    await session.post(`/password/reset?email=${otherUser.email}`, {
      ...page.hidden,
      ...otherAccountFields,
      new_password: PASSWORD,
    });
    expect(await canSignIn(otherUser, otherUser.password)).toBe(true);
    expect(await canSignIn(otherUser, PASSWORD)).toBe(false);
    expect(await canSignIn(user, PASSWORD)).toBe(true);
  });

  test('does not work with the token from a different link', async () => {
    const { hidden } = await browser.get('/account/email');
    await browser.post('/account/email', { ...hidden, new_email: createEmail() });
    const reportLink = readLink(await findLastEmailTo(service, user.email));
    const tokens = [reportLink, await requestResetLink(user)].map(
      (link) => new URL(link, service.baseUrl).searchParams.get('token') ?? '',
    );
    const session = openBrowserSession(service.baseUrl);
    const page = await session.get('/password/forgot');
    for (const [path, token] of [
      ['/password/reset', tokens[0]],
      ['/security/confirm', tokens[1]],
      ['/security/report', tokens[1]],
    ] as const) {
      const response = await session.post(path, {
        ...page.hidden,
        token: token ?? '',
        new_password: PASSWORD,
      });
      expect(response.status, path).toBeGreaterThanOrEqual(400);
      expect(response.status, path).toBeLessThan(500);
    }
    expect(await canSignIn(user, user.password)).toBe(true);
  });
});

describe("a different client's credentials", () => {
  let victim: TestClient;
  let key: CryptoKey;
  beforeAll(async () => {
    victim = await service.createClient();
    await enableDeviceFlow(service, victim);
    const pair = await generateKeyPair('ES256');
    key = pair.privateKey;
    const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }] };
    await service.services.database.query(
      statement('test_advisory_keys', 'update clients set jwks = $2::jsonb where client_id = $1'),
      [client.clientId, jwks],
    );
  });

  const buildBasicHeader = () => {
    const credentials = [client.clientId, client.clientSecret].map(encodeURIComponent).join(':');
    return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  };
  const createAssertion = async () => ({
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(client.clientId)
      .setSubject(client.clientId)
      .setAudience(service.baseUrl)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(key),
  });
  /** Sends the victim's client_id with another client's credentials. */
  async function expectRejection(path: string, fields: Record<string, string>): Promise<void> {
    const victimFields = { ...fields, client_id: victim.clientId };
    expectError(await postForm(service, path, victimFields, buildBasicHeader()), 400, 'invalid_request');
    expectError(
      await postForm(service, path, { ...victimFields, ...(await createAssertion()) }),
      401,
      'invalid_client',
    );
    const withSecret = { ...victimFields, client_secret: client.clientSecret };
    expectError(await postForm(service, path, withSecret), 401, 'invalid_client');
  }

  test.each(GRANT_TYPES)('are rejected for the grant type %s', async (grant_type) => {
    const { redirectUri } = victim;
    const obtainCode = async () => (await authorize(service, victim, browser)).searchParams.get('code') ?? '';
    const code = await obtainCode();
    const { body } = await redeemCode(service, victim, await obtainCode());
    const refreshToken = String(body.refresh_token);
    await expectRejection('/oauth/token', {
      grant_type,
      code,
      redirect_uri: redirectUri,
      refresh_token: refreshToken,
      device_code: `sesame_dc_${'A'.repeat(86)}`,
      scope: 'openid',
    });
    expect((await redeemCode(service, victim, code)).status).toBe(200);
    expect((await redeemRefreshToken(service, victim, refreshToken)).status).toBe(200);
  });

  test.each(['/oauth/token/revoke', '/oauth/introspect', '/oauth/par', '/oauth/device_authorization'])(
    'are rejected by %s',
    async (path) => {
      await expectRejection(path, { token: 'x', scope: 'openid', redirect_uri: victim.redirectUri });
    },
  );
});

describe("an authorization request's nonce", () => {
  const createNonce = () => randomBytes(16).toString('base64url');
  const decodeClaims = ({ body }: JsonResponse) => decodeJwt(String(body.id_token));

  test.each([
    ['the query response mode', {}, {}],
    ['the form_post response mode', { response_mode: 'form_post' }, {}],
    ['a client in standard mode', {}, { standard: true }],
    ['a public client', {}, { type: 'public' as const }],
  ])('is returned in the id_token for %s', async (_, parameters, fields) => {
    const client = await service.createClient(fields);
    const nonce = createNonce();
    const verifier = createVerifier();
    const pkce = { code_challenge: computeCodeChallenge(verifier), code_challenge_method: 'S256' };
    const page = await browser.follow(
      await browser.get(buildAuthorizeUrl(service, client, { ...parameters, ...pkce, nonce })),
    );
    const response = await browser.post('/consent', { ...page.hidden, decision: 'allow' });
    const code = response.location?.searchParams.get('code') ?? response.hidden.code ?? '';
    expect(decodeClaims(await redeemCode(service, client, code, { code_verifier: verifier })).nonce).toBe(
      nonce,
    );
  });

  test('is returned in the id_token if the request was pushed', async () => {
    const nonce = createNonce();
    const pushed = await postForm(service, '/oauth/par', {
      client_id: client.clientId,
      client_secret: client.clientSecret,
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state: 's',
      nonce,
    });
    const query = new URLSearchParams({
      client_id: client.clientId,
      request_uri: String(pushed.body.request_uri),
    });
    const callback = await completeAuthorization(
      browser,
      new URL(`/oauth/authorize?${query}`, service.baseUrl),
    );
    const redeemed = await redeemCode(service, client, callback.searchParams.get('code') ?? '');
    expect(decodeClaims(redeemed).nonce).toBe(nonce);
  });

  test('is not returned by token refreshes', async () => {
    const client = await service.createClient({ standard: true });
    const callback = await authorize(service, client, browser, { nonce: createNonce() });
    const { body } = await redeemCode(service, client, callback.searchParams.get('code') ?? '');
    expect(
      decodeClaims(await redeemRefreshToken(service, client, String(body.refresh_token))),
    ).not.toHaveProperty('nonce');
  });

  test('is verified by the example client', async () => {
    const example = await startExampleClient(service);
    try {
      for (const alter of [
        (query: URLSearchParams) => query.delete('nonce'),
        (query: URLSearchParams) => query.set('nonce', createNonce()),
      ]) {
        const exampleBrowser = openBrowserSession(example.baseUrl);
        const { location } = await exampleBrowser.get('/login');
        if (location === undefined) throw new Error('no redirect to the service');
        alter(location.searchParams);
        const response = await exampleBrowser.get(await completeAuthorization(browser, location));
        expect(response.status).toBeGreaterThanOrEqual(400);
      }
    } finally {
      await example.close();
    }
  });
});
