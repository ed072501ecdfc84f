// Weaknesses that advisories of 2026 reported of other identity systems, each as a test of what this service does instead.
import { randomBytes, randomUUID } from 'node:crypto';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GRANT_TYPES } from '../../src/grants/index.ts';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { statement } from '../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { cookieValue } from '../support/exact-request.ts';
import { startExampleClient } from '../support/example-client.ts';
import { expectError } from '../support/expect-error.ts';
import {
  allowDevices,
  authorize,
  authorizeAddress,
  deviceCode,
  goThrough,
  type JsonAnswer,
  newVerifier,
  postForm,
  redeem,
  renew,
  signedInBrowser,
  signIn,
} from '../support/flow.ts';
import { lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { headingOf } from '../support/markup.ts';
import { halfWay, protect } from '../support/protected-account.ts';
import { startTestService, type TestApplication, type TestUser } from '../support/service.ts';

let user: TestUser;
let browser: BrowserSession;
const service = await startTestService({
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMIT: '100000',
});
const application = await service.createApplication();
await allowDevices(service, application);
afterAll(() => service.close());
beforeEach(async () => {
  user = await service.createUser();
  browser = await signedInBrowser(service, user);
});

const emailOf = () => `${randomUUID()}@example.com`;
const PASSWORD = 'quite another password 7';

describe('a Host or forwarded header never chooses the host in an email', () => {
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
      'password reset',
      async (forged) => {
        const { hidden } = await forged.get('/password/forgot');
        await forged.post('/password/forgot', { ...hidden, email: user.email });
        return user.email;
      },
    ],
    [
      'sign-up',
      async (forged) => {
        const { hidden } = await forged.get('/signup');
        const email = emailOf();
        await forged.post('/signup', { ...hidden, name: 'Zoé', email, password: PASSWORD });
        return email;
      },
    ],
    [
      'change of the email address',
      async (forged) => {
        await signIn(forged, user);
        const { hidden } = await forged.get('/account/email');
        const email = emailOf();
        await forged.post('/account/email', { ...hidden, new_email: email });
        return email;
      },
    ],
    [
      'account notification of a new password',
      async (forged) => {
        await signIn(forged, user);
        const { hidden } = await forged.get('/account/password');
        const fields = { current_password: user.password, new_password: PASSWORD };
        await forged.post('/account/password', { ...hidden, ...fields });
        return user.email;
      },
    ],
  ])('%s', async (_, send) => {
    const to = await send(openBrowserSession(service.baseUrl, FORGED));
    const mails = await mailsTo(service, to);
    expect(mails.length).toBeGreaterThan(0);
    expect(JSON.stringify(mails)).not.toMatch(/evil|:666/);
    expect(mails.some(({ text }) => text.includes(`${service.baseUrl}/`))).toBe(true);
  });
});

describe('a sealed value of each kind is refused by everything that takes a value of another kind', () => {
  let flash: [name: string, value: string];
  const PREFIXES = /^(sesame_(ac|rt|dc)_|urn:ietf:params:oauth:request_uri:)/;
  /** A value of each kind, without its prefix, as the service gave it to this browser. */
  let values: Record<string, string>;
  let half: BrowserSession;
  beforeEach(async () => {
    const callback = await authorize(service, application, browser);
    const code = callback.searchParams.get('code') ?? '';
    const { body } = await redeem(service, application, code);
    const pushed = await postForm(service, '/oauth/par', {
      client_id: application.clientId,
      client_secret: application.clientSecret,
      redirect_uri: application.redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 's',
    });
    const signedOut = openBrowserSession(service.baseUrl);
    const pending = await signedOut.get(authorizeAddress(service, application));
    const decision = await shown('/device', { user_code: await deviceCode(service, application) });
    await shown('/account/profile', { name: '' });
    flash = [...browser.cookies].find(([name]) => name.startsWith('sesame-flash')) ?? ['', ''];
    const begun = await halfWay(service, (await protect(service)).user);
    half = begun.browser;
    const passkey = JSON.parse(
      /data-create="([^"]*)"/
        .exec((await browser.get('/account/security/passkeys/new')).body)?.[1]
        ?.replaceAll('&quot;', '"') ?? '{}',
    );
    const fresh = await authorize(service, application, browser);
    values = {
      code: fresh.searchParams.get('code') ?? '',
      'refresh token': String(body.refresh_token),
      'pushed request': String(pushed.body.request_uri),
      'pending request': pending.location?.searchParams.get('pending') ?? '',
      'device decision': decision.location?.searchParams.get('device') ?? '',
      'flash cookie': flash[1],
      'half sign-in': begun.asked.location?.searchParams.get('half') ?? '',
      ...('challenge' in passkey && { 'passkey challenge': String(passkey.challenge) }),
    };
  });

  /** Sends a form of this browser without following where it leads. */
  async function shown(url: string, fields: Record<string, string>): Promise<{ location: URL | undefined }> {
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
    for (const line of response.headers.getSetCookie())
      if (line.startsWith('sesame-flash'))
        browser.cookies.set(line.split('=', 1)[0] ?? '', cookieValue(line));
    const location = response.headers.get('location');
    return { location: location === null ? undefined : new URL(location, service.baseUrl) };
  }

  const form = (path: string, fields: Record<string, string>) =>
    postForm(service, path, {
      client_id: application.clientId,
      client_secret: application.clientSecret,
      ...fields,
    });
  const page = async (visit: Promise<Visit>) => {
    const { status, location, body } = await visit;
    return [status, location?.pathname, headingOf(body)];
  };
  const json = async (answer: Promise<JsonAnswer>) => {
    const { status, body } = await answer;
    return [status, body.error, body.active];
  };

  /** What takes a sealed value: which kind, and the answer to a value. */
  const TAKES: [kind: string, at: string, send: (value: string) => Promise<unknown>][] = [
    [
      'code',
      'the token endpoint',
      (value) =>
        json(
          form('/oauth/token', {
            grant_type: 'authorization_code',
            code: `sesame_ac_${value}`,
            redirect_uri: application.redirectUri,
          }),
        ),
    ],
    [
      'refresh token',
      'the token endpoint',
      (value) =>
        json(form('/oauth/token', { grant_type: 'refresh_token', refresh_token: `sesame_rt_${value}` })),
    ],
    [
      'refresh token',
      'introspection',
      (value) => json(form('/oauth/introspect', { token: `sesame_rt_${value}` })),
    ],
    [
      'refresh token',
      'revocation',
      (value) => json(form('/oauth/token/revoke', { token: `sesame_rt_${value}` })),
    ],
    [
      'pushed request',
      'the authorization endpoint',
      (value) =>
        page(
          browser.get(
            `/oauth/authorize?${new URLSearchParams({
              client_id: application.clientId,
              request_uri: `urn:ietf:params:oauth:request_uri:${value}`,
            })}`,
          ),
        ),
    ],
    [
      'pending request',
      'the sign-in page',
      (value) => page(openBrowserSession(service.baseUrl).get(`/signin?pending=${value}`)),
    ],
    ['pending request', 'the consent page', (value) => page(browser.get(`/consent?pending=${value}`))],
    ['half sign-in', 'the second factor', (value) => page(half.get(`/signin/second-factor?half=${value}`))],
    ['mailed sign-in', 'the code of the email', (value) => page(browser.get(`/signin/code?token=${value}`))],
    [
      'device decision',
      'the device decision',
      (value) => page(browser.get(`/device/decision?device=${value}`)),
    ],
    [
      'flash cookie',
      'a form',
      (value) => {
        browser.cookies.set(flash[0], value);
        return page(browser.get('/account/profile'));
      },
    ],
    ['logout', 'the sign-out page', (value) => page(browser.get(`/signout?logout=${value}`))],
    [
      'undone',
      'the report of unauthorized activity',
      (value) => page(browser.get(`/security/not-me?done=everything&undone=${value}`)),
    ],
  ];

  test('a value of every kind was given', () => {
    for (const [kind, value] of Object.entries(values)) expect(value, kind).toMatch(/^[\w:.-]{60,}$/);
  });

  test.each(TAKES)('%s at %s', async (kind, at, send) => {
    const bytes = randomBytes(90).toString('base64url');
    const refused = await send(bytes);
    const own = values[kind];
    // The value of the right kind is taken; revocation answers both with 200.
    if (own !== undefined && at !== 'revocation')
      expect(await send(own.replace(PREFIXES, '')), kind).not.toEqual(refused);
    for (const [other, value] of Object.entries(values))
      if (other !== kind) expect(await send(value.replace(PREFIXES, '')), other).toEqual(refused);
  });
});

describe('a reset link of one account is of no use for another', () => {
  const resetLink = async (of: TestUser) => {
    const asking = openBrowserSession(service.baseUrl);
    const { hidden } = await asking.get('/password/forgot');
    await asking.post('/password/forgot', { ...hidden, email: of.email });
    return linkIn(await lastMailTo(service, of.email));
  };
  const signsIn = async ({ email }: TestUser, password: string) => {
    const session = openBrowserSession(service.baseUrl);
    const { hidden } = await session.get('/signin');
    return (await session.post('/signin', { ...hidden, email, password })).status === 303;
  };

  test('whoever is signed in, and whichever account the form names', async () => {
    const other = await service.createUser();
    const link = await resetLink(user);
    const session = await signedInBrowser(service, other);
    const page = await session.get(link);
    const named = { email: other.email, user_id: other.userId, sub: other.userId, account: other.userId };
    await session.post(`/password/reset?email=${other.email}`, {
      ...page.hidden,
      ...named,
      new_password: PASSWORD,
    });
    expect(await signsIn(other, other.password)).toBe(true);
    expect(await signsIn(other, PASSWORD)).toBe(false);
    expect(await signsIn(user, PASSWORD)).toBe(true);
  });

  test('a link of another kind resets no password, and a reset link does nothing else', async () => {
    const { hidden } = await browser.get('/account/email');
    await browser.post('/account/email', { ...hidden, new_email: emailOf() });
    const notMe = linkIn(await lastMailTo(service, user.email));
    const tokens = [notMe, await resetLink(user)].map(
      (link) => new URL(link, service.baseUrl).searchParams.get('token') ?? '',
    );
    const session = openBrowserSession(service.baseUrl);
    const page = await session.get('/password/forgot');
    for (const [path, token] of [
      ['/password/reset', tokens[0]],
      ['/security/confirm', tokens[1]],
      ['/security/not-me', tokens[1]],
    ] as const) {
      const answer = await session.post(path, { ...page.hidden, token: token ?? '', new_password: PASSWORD });
      expect(answer.status, path).toBeGreaterThanOrEqual(400);
      expect(answer.status, path).toBeLessThan(500);
    }
    expect(await signsIn(user, user.password)).toBe(true);
  });
});

describe('a client that authenticates as one and names another in client_id is refused', () => {
  let victim: TestApplication;
  let key: CryptoKey;
  beforeAll(async () => {
    victim = await service.createApplication();
    await allowDevices(service, victim);
    const pair = await generateKeyPair('ES256');
    key = pair.privateKey;
    const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }] };
    await service.parts.database.query(
      statement('test_advisory_keys', 'update clients set jwks = $2::jsonb where client_id = $1'),
      [application.clientId, jwks],
    );
  });

  const basic = () => {
    const pair = [application.clientId, application.clientSecret].map(encodeURIComponent).join(':');
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  };
  const assertion = async () => ({
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(application.clientId)
      .setSubject(application.clientId)
      .setAudience(service.baseUrl)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(key),
  });
  /** Sends a request of the victim, authenticated as the other client in each way. */
  async function expectRefused(path: string, fields: Record<string, string>): Promise<void> {
    const named = { ...fields, client_id: victim.clientId };
    expectError(await postForm(service, path, named, basic()), 400, 'invalid_request');
    expectError(await postForm(service, path, { ...named, ...(await assertion()) }), 401, 'invalid_client');
    const secret = { ...named, client_secret: application.clientSecret };
    expectError(await postForm(service, path, secret), 401, 'invalid_client');
  }

  test.each(GRANT_TYPES)('at the grant %s, which spends nothing of the other', async (grant_type) => {
    const { redirectUri } = victim;
    const code = async () => (await authorize(service, victim, browser)).searchParams.get('code') ?? '';
    const first = await code();
    const { body } = await redeem(service, victim, await code());
    const refreshToken = String(body.refresh_token);
    await expectRefused('/oauth/token', {
      grant_type,
      code: first,
      redirect_uri: redirectUri,
      refresh_token: refreshToken,
      device_code: `sesame_dc_${'A'.repeat(86)}`,
      scope: 'openid',
    });
    expect((await redeem(service, victim, first)).status).toBe(200);
    expect((await renew(service, victim, refreshToken)).status).toBe(200);
  });

  test.each(['/oauth/token/revoke', '/oauth/introspect', '/oauth/par', '/oauth/device_authorization'])(
    'at %s',
    async (path) => {
      await expectRefused(path, { token: 'x', scope: 'openid', redirect_uri: victim.redirectUri });
    },
  );
});

describe('the nonce of an authorization request', () => {
  const nonce = () => randomBytes(16).toString('base64url');
  const claims = ({ body }: JsonAnswer) => decodeJwt(String(body.id_token));

  test.each([
    ['query', {}, {}],
    ['form_post', { response_mode: 'form_post' }, {}],
    ['standard mode', {}, { standard: true }],
    ['a public client', {}, { type: 'public' as const }],
  ])('is in the id_token: %s', async (_, parameters, fields) => {
    const client = await service.createApplication(fields);
    const sent = nonce();
    const verifier = newVerifier();
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
    const page = await browser.follow(
      await browser.get(authorizeAddress(service, client, { ...parameters, ...pkce, nonce: sent })),
    );
    const answer = await browser.post('/consent', { ...page.hidden, decision: 'allow' });
    const code = answer.location?.searchParams.get('code') ?? answer.hidden.code ?? '';
    expect(claims(await redeem(service, client, code, { code_verifier: verifier })).nonce).toBe(sent);
  });

  test('is in the id_token of a pushed request too', async () => {
    const sent = nonce();
    const pushed = await postForm(service, '/oauth/par', {
      client_id: application.clientId,
      client_secret: application.clientSecret,
      redirect_uri: application.redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state: 's',
      nonce: sent,
    });
    const query = new URLSearchParams({
      client_id: application.clientId,
      request_uri: String(pushed.body.request_uri),
    });
    const callback = await goThrough(browser, new URL(`/oauth/authorize?${query}`, service.baseUrl));
    const redeemed = await redeem(service, application, callback.searchParams.get('code') ?? '');
    expect(claims(redeemed).nonce).toBe(sent);
  });

  test('is absent after a refresh, which has no authorization request (OpenID Connect Core §12.2)', async () => {
    const client = await service.createApplication({ standard: true });
    const callback = await authorize(service, client, browser, { nonce: nonce() });
    const { body } = await redeem(service, client, callback.searchParams.get('code') ?? '');
    expect(claims(await renew(service, client, String(body.refresh_token)))).not.toHaveProperty('nonce');
  });

  test('the example client refuses an id_token without it, and one with another', async () => {
    const carnet = await startExampleClient(service);
    try {
      for (const spoil of [
        (query: URLSearchParams) => query.delete('nonce'),
        (query: URLSearchParams) => query.set('nonce', nonce()),
      ]) {
        const own = openBrowserSession(carnet.baseUrl);
        const { location } = await own.get('/login');
        if (location === undefined) throw new Error('no redirect to the service');
        spoil(location.searchParams);
        const answer = await own.get(await goThrough(browser, location));
        expect(answer.status).toBeGreaterThanOrEqual(400);
      }
    } finally {
      await carnet.close();
    }
  });
});
