// The presets for GitHub, Apple, ProConnect and Microsoft, each tested with a local server.
import { decodeJwt, exportPKCS8, importJWK, jwtVerify } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ReleasedSlotProof } from '../../src/outgoing/guarded-request.ts';
import { sealProviderSecret } from '../../src/providers/configuration.ts';
import { createIdentityProviders } from '../../src/providers/identity-providers.ts';
import { PERSONAL_TENANT } from '../../src/providers/microsoft.ts';
import { createProviderFetch } from '../../src/providers/provider-fetch.ts';
import { findProvider, updateProvider } from '../../src/store/identity-providers.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { disableProvider } from '../support/linked-identities.ts';
import { unescapeHtml } from '../support/markup.ts';
import { obtainTokens, openSignedInBrowser } from '../support/oauth-flow.ts';
import { sendRequest } from '../support/send-request.ts';
import { useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';
import {
  createKey,
  DISCOVERY_EXPIRY,
  isSignedIn,
  type Respond,
  type StubIssuer,
  type StubKey,
  SUBJECT,
  signWith,
  useStubIssuer,
} from '../support/stub-issuer.ts';

const service = useTestService();
const newBrowser = () => openBrowserSession(service.baseUrl);

const respondWithJson =
  (content: unknown, status = 200): Respond =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));

describe('the GitHub preset', () => {
  const github = useStubIssuer(service, { providerId: 'github', preset: 'github', name: 'GitHub' });
  const TOKEN = {
    '/login/oauth/access_token': respondWithJson({
      access_token: 'gho_1',
      token_type: 'bearer',
      scope: 'user:email',
    }),
  };
  const USER = { id: 583231, login: 'ada', name: 'Ada Lovelace', avatar_url: 'https://avatars.example/1' };
  const EMAILS = [
    { email: 'old@github.example', primary: false, verified: true },
    { email: 'ada@github.example', primary: true, verified: true },
  ];
  const respond = ({ user = USER as unknown, emails = EMAILS as unknown } = {}) => ({
    respond: {
      ...TOKEN,
      '/api/v3/user': respondWithJson(user),
      '/api/v3/user/emails': respondWithJson(emails),
    },
  });

  test('identifies users by their numeric ID and uses PKCE but no nonce', async () => {
    const { userId } = await service.createUser();
    await github.link(userId, '583231');
    github.stub.behavior = respond();
    const browser = newBrowser();
    const request = await github.start(browser);
    expect(request.get('scope')).toBe('read:user user:email');
    expect(request.get('code_challenge_method')).toBe('S256');
    expect(request.has('nonce')).toBe(false);
    // GitHub sends this value.
    const iss = `${github.stub.issuer}/login/oauth`;
    expect(isSignedIn(await github.respond(browser, request, { iss }))).toBe(true);
  });

  test('returns the primary verified email address', async () => {
    github.stub.behavior = respond();
    expect(await github.redeem()).toMatchObject({
      issuer: github.stub.issuer,
      subject: '583231',
      email: 'ada@github.example',
      emailVerified: false,
      name: 'Ada Lovelace',
      picture: 'https://avatars.example/1',
    });
  });

  test.each([
    ['the primary address is not verified', [{ email: 'a@github.example', primary: true, verified: false }]],
    ['no address is primary', [{ email: 'a@github.example', primary: false, verified: true }]],
    ['the list is malformed', { email: 'a@github.example' }],
    ['an entry is malformed', [null, 7]],
  ])('returns no email address if %s', async (_title, emails) => {
    github.stub.behavior = respond({ emails });
    expect(await github.redeem()).toMatchObject({ subject: '583231', email: undefined });
  });

  test.each([
    ['has no id', { login: 'ada' }, 'profile: id missing'],
    ['has a string as its id', { id: '583231' }, 'profile: id missing'],
    ['is null', null, 'profile: id missing'],
  ])('rejects the profile if the user %s', async (_title, user, refusal) => {
    github.stub.behavior = respond({ user });
    expect(await github.redeem()).toBe(refusal);
  });

  test('rejects a wrong code even though GitHub responds with 200', async () => {
    github.stub.behavior = {
      respond: { '/login/oauth/access_token': respondWithJson({ error: 'bad_verification_code' }) },
    };
    expect(await github.redeem()).toBe('token: OAUTH_INVALID_RESPONSE');
  });

  test('rejects an API response that isn’t JSON, without logging its text', async () => {
    github.stub.behavior = {
      respond: { ...TOKEN, '/api/v3/user': (_request, response) => response.end('ada@github.example') },
    };
    expect(await github.redeem()).toBe('profile: id missing');
  });

  test('rejects a 401 response from the API', async () => {
    github.stub.behavior = { respond: { ...TOKEN, '/api/v3/user': respondWithJson({}, 401) } };
    expect(await github.redeem()).toBe('profile: status 401');
  });
});

describe('the Apple preset', () => {
  let key: StubKey;
  const apple = useStubIssuer(service, {
    providerId: 'apple',
    preset: 'apple',
    name: 'Apple',
    options: { teamId: 'TEAM123456', keyId: 'KEY1234567' },
  });
  beforeAll(async () => {
    key = await createKey('ES256', 'KEY1234567');
    const provider = {
      providerId: 'apple',
      name: 'Apple',
      clientId: 'sesame',
      sealedSecret: sealProviderSecret(service.services.sealer, await exportPKCS8(key.privateKey)),
      options: { teamId: 'TEAM123456', keyId: 'KEY1234567' },
      trustedEmailDomains: [],
      position: 9,
      disabledAt: null,
    };
    await updateProvider(service.services.database, provider);
  });

  /** Posts the response like Apple's page: cross-site, without cookies. */
  const post = async (fields: Record<string, string>) =>
    sendRequest(new URL('/signin/provider/apple/callback', service.baseUrl), {
      method: 'POST',
      headers: { origin: 'https://appleid.apple.com', 'sec-fetch-site': 'cross-site', accept: 'text/html' },
      body: new URLSearchParams(fields),
    });

  test('signs the user in after a cross-site POST and a redirect', async () => {
    await apple.link((await service.createUser()).userId);
    const browser = newBrowser();
    const request = await apple.start(browser);
    expect(request.get('response_mode')).toBe('form_post');
    const posted = await post({ code: 'code', state: request.get('state') ?? '', unknown: 'x' });
    expect([posted.status, posted.headers.getSetCookie()]).toEqual([303, []]);
    const location = new URL(posted.headers.get('location') ?? '', service.baseUrl);
    expect([...location.searchParams.keys()]).toEqual(['code', 'state']);
    expect(isSignedIn(await browser.get(location))).toBe(true);
    expect(browser.cookies.has('sesame-logout-hint')).toBe(false);
  });

  test('sends a client secret valid for less than six months', async () => {
    expect(await apple.redeem()).toMatchObject({ subject: SUBJECT });
    const secret = apple.stub.tokenRequests[0]?.get('client_secret') ?? '';
    const publicKey = await importJWK(key.publicJwk, 'ES256');
    const { payload, protectedHeader } = await jwtVerify(secret, publicKey, {
      issuer: 'TEAM123456',
      subject: 'sesame',
      audience: apple.stub.issuer,
      currentDate: service.clock.now(),
    });
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'KEY1234567' });
    expect(Number(payload.exp) - Number(payload.iat)).toBeLessThan(15_777_000);
  });

  test('takes only the name from the user parameter', async () => {
    const user = JSON.stringify({
      name: { firstName: 'Ada', lastName: 'Lovelace' },
      email: 'other@apple.example',
      sub: 'other',
    });
    expect(await apple.redeem({ user })).toMatchObject({
      subject: SUBJECT,
      name: 'Ada Lovelace',
      email: 'ada@stub.example',
    });
    expect(await apple.redeem()).toMatchObject({ subject: SUBJECT, name: undefined });
  });

  test.each(['{', '[]', '{"name":7}', '{"name":{"firstName":7}}', '{"name":null}'])(
    'ignores the malformed user parameter %s',
    async (user) => {
      expect(await apple.redeem({ user })).toMatchObject({ subject: SUBJECT, name: undefined });
    },
  );

  test.each([
    [true, true],
    ['true', true],
    ['false', false],
    [undefined, false],
  ])('converts the email_verified claim %j to %s', async (claim, emailVerified) => {
    const [provider] = (await service.services.identityProviders.listEnabled()).filter(
      ({ providerId }) => providerId === 'apple',
    );
    if (provider === undefined) throw new Error('no provider');
    await updateProvider(service.services.database, { ...provider, trustedEmailDomains: ['stub.example'] });
    apple.stub.behavior = { claims: { email_verified: claim } };
    expect(await apple.redeem()).toMatchObject({ emailVerified });
  });

  test('treats the error user_cancelled_authorize as a cancellation', async () => {
    const browser = newBrowser();
    const request = await apple.start(browser);
    const posted = await post({ error: 'user_cancelled_authorize', state: request.get('state') ?? '' });
    const page = await browser.follow(
      await browser.get(new URL(posted.headers.get('location') ?? '', service.baseUrl)),
    );
    expect(page.body).toContain('You canceled the sign-in.');
  });

  test('fails if the private key is malformed', async () => {
    const provider = (await service.services.identityProviders.listEnabled()).find(
      ({ providerId }) => providerId === 'apple',
    );
    if (provider === undefined) throw new Error('no provider');
    const sealedSecret = sealProviderSecret(service.services.sealer, 'not a key');
    await updateProvider(service.services.database, { ...provider, sealedSecret });
    expect(await apple.redeem()).toBe('token: secret_malformed');
    await updateProvider(service.services.database, provider);
  });
});

const MAX_AGES: [maxAge: number | undefined, prompt: string | null][] = [
  [60, 'login'],
  [undefined, null],
];

/**
 * Starts a sign-in. @returns the `prompt` and `max_age` parameters of the authorization request to the
 * provider
 */
async function startWithMaxAge(providerId: string, maxAge: number | undefined) {
  const provider = await findProvider(service.services.database, providerId);
  if (provider === undefined) throw new Error('no provider');
  const redirectUri = `${service.baseUrl}/signin/provider/${providerId}/callback`;
  const secrets = { state: 'state', nonce: 'nonce', codeVerifier: 'v'.repeat(43) };
  const { searchParams } = await service.services.identityProviders.start(
    provider,
    { redirectUri, ...secrets, maxAge },
    {} as ReleasedSlotProof,
  );
  return { prompt: searchParams.get('prompt'), max_age: searchParams.get('max_age') };
}

describe('the ProConnect preset', () => {
  const proconnect = useStubIssuer(service, {
    providerId: 'proconnect',
    preset: 'proconnect',
    name: 'ProConnect',
  });
  const CLAIMS = {
    sub: SUBJECT,
    given_name: 'Ada',
    usual_name: 'LOVELACE',
    email: 'ada@ministere.example',
    aud: 'sesame',
  };
  const respondWithUserinfo =
    (token: () => Promise<string>): Respond =>
    async (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/jwt' }).end(await token());
  const claims = { acr: 'eidas1', email: undefined, name: undefined };

  test('requests eidas1 and reads the profile from a signed JWT', async () => {
    const { stub } = proconnect;
    const request = await proconnect.start(newBrowser());
    expect(request.get('acr_values')).toBe('eidas1');
    expect(request.get('scope')).toBe('openid given_name usual_name email');
    stub.behavior = {
      claims,
      respond: {
        '/userinfo': respondWithUserinfo(() => signWith(stub.key)({ ...CLAIMS, iss: stub.issuer })),
      },
    };
    expect(await proconnect.redeem()).toMatchObject({
      subject: SUBJECT,
      email: 'ada@ministere.example',
      emailVerified: false,
      name: 'Ada LOVELACE',
      acr: 'eidas1',
    });
  });

  test.each<[title: string, token: (stub: StubIssuer) => Promise<string>, refusal: string]>([
    [
      'a different key signed it',
      async () => signWith(await createKey())(CLAIMS),
      'id_token: OAUTH_INVALID_RESPONSE',
    ],
    [
      'it is for a different subject',
      ({ key }) => signWith(key)({ ...CLAIMS, sub: 'other' }),
      'profile: OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED sub',
    ],
    [
      'it is for a different client',
      ({ key }) => signWith(key)({ ...CLAIMS, aud: 'other' }),
      'id_token: OAUTH_JWT_CLAIM_COMPARISON_FAILED aud',
    ],
    [
      'it is from a different issuer',
      ({ key }) => signWith(key)({ ...CLAIMS, iss: 'https://other.example' }),
      'id_token: OAUTH_JWT_CLAIM_COMPARISON_FAILED iss',
    ],
  ])('rejects a userinfo JWT if %s', async (_title, token, refusal) => {
    const { stub } = proconnect;
    stub.behavior = { claims, respond: { '/userinfo': respondWithUserinfo(() => token(stub)) } };
    expect(await proconnect.redeem()).toBe(refusal);
  });

  test.each(MAX_AGES)(
    'sends no max_age to the provider (max_age: %s, prompt: %s)',
    async (maxAge, prompt) => {
      expect(await startWithMaxAge('proconnect', maxAge)).toEqual({ prompt, max_age: null });
    },
  );

  test('rejects unsigned userinfo', async () => {
    proconnect.stub.behavior = { claims };
    expect(await proconnect.redeem()).toBe('profile: OAUTH_JWT_USERINFO_EXPECTED');
  });

  describe('at sign-out', () => {
    const COOKIE = 'sesame-logout-hint';
    let counter = 0;

    /** Signs in a new user through ProConnect. @param more additional ID token claims */
    async function signIn(more: Record<string, unknown> = {}) {
      const { stub } = proconnect;
      counter += 1;
      const sub = `agent-${counter}`;
      const user = await service.createUser();
      await proconnect.link(user.userId, sub);
      stub.behavior = {
        claims: { ...claims, sub, ...more },
        metadata: { end_session_endpoint: `${stub.issuer}/session/end?v=2` },
        respond: {
          '/userinfo': respondWithUserinfo(() => signWith(stub.key)({ ...CLAIMS, sub, iss: stub.issuer })),
        },
      };
      const browser = newBrowser();
      const visit = await proconnect.respond(browser, await proconnect.start(browser));
      expect(isSignedIn(visit)).toBe(true);
      return { browser, visit, sub, user };
    }
    const submitSignOut = async (browser: BrowserSession) =>
      browser.post('/signout', (await browser.get('/signout')).hidden);
    const isSignedOut = async (browser: BrowserSession) => (await browser.get('/signout')).status === 303;
    const parseLogoutRequest = ({ headers }: { headers: Headers }) =>
      new URL(headers.get('refresh')?.replace(/^0;url=/, '') ?? '');
    const HOME = '/?signed-out=1';
    const formatPath = (location: URL | undefined) => `${location?.pathname}${location?.search}`;

    test('ends the ProConnect session and returns to the home page', async () => {
      const { browser, sub } = await signIn();
      const visit = await submitSignOut(browser);
      expect([visit.status, visit.location?.pathname]).toEqual([303, '/signout/provider']);
      expect(await isSignedOut(browser)).toBe(true);
      const page = await browser.get(visit.location ?? '');
      const { origin, pathname, searchParams } = parseLogoutRequest(page);
      expect(`${origin}${pathname}`).toBe(`${proconnect.stub.issuer}/session/end`);
      expect([...searchParams.keys()]).toEqual(['v', 'id_token_hint', 'post_logout_redirect_uri', 'state']);
      expect(decodeJwt(searchParams.get('id_token_hint') ?? '').sub).toBe(sub);
      expect(searchParams.get('post_logout_redirect_uri')).toBe(`${service.baseUrl}/signout/provider`);
      expect(searchParams.get('state')?.length).toBeGreaterThan(32);
      expect(unescapeHtml(page.body)).toContain(`href="${parseLogoutRequest(page).href}"`);
      expect(browser.cookies.has(COOKIE)).toBe(false);
      const returned = await browser.get(`/signout/provider?state=${searchParams.get('state')}`);
      expect([returned.status, formatPath(returned.location)]).toEqual([303, HOME]);
    });

    test('returns to the application that requested the logout', async () => {
      const { browser } = await signIn();
      const application = await service.createClient();
      const redirectUri = 'https://client.example/signed-out';
      await sql(
        service.services.database,
        'update clients set post_logout_redirect_uris = $2 where client_id = $1',
        [application.clientId, [redirectUri]],
      );
      const { idToken = '' } = await obtainTokens(service, application, browser);
      const query = new URLSearchParams({
        id_token_hint: idToken,
        post_logout_redirect_uri: redirectUri,
        state: 'a&b',
      });
      const page = await browser.follow(await browser.get(`/oauth/logout?${query}`));
      const state = parseLogoutRequest(page).searchParams.get('state');
      const returned = await browser.get(`/signout/provider?state=${state}`);
      expect(returned.location?.href).toBe(`${redirectUri}?state=a%26b`);
      expect(await isSignedOut(browser)).toBe(true);
    });

    test('keeps the id_token in an encrypted cookie that fits nginx’s header limit', async () => {
      const { visit, browser } = await signIn({ large: 'x'.repeat(810) });
      expect(browser.cookies.get(COOKIE)?.length).toBeGreaterThan(2300);
      const cookie = visit.headers.getSetCookie().find((line) => line.startsWith(`${COOKIE}=`));
      const maxAge = service.services.config.sessionTtl;
      expect(cookie).toMatch(
        new RegExp(`^${COOKIE}=[\\w-]+; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax$`),
      );
      expect(Buffer.from(browser.cookies.get(COOKIE) ?? '', 'base64url').toString()).not.toContain('eyJ');
      // By default, nginx limits response headers to 4 kB.
      const length = [...visit.headers].reduce(
        (sum, [name, value]) => sum + name.length + value.length + 4,
        0,
      );
      expect(length).toBeLessThan(4096);
    });

    test.each<[title: string, prepare: (browser: BrowserSession) => unknown]>([
      ['has no logout endpoint', () => delete proconnect.stub.behavior.metadata],
      [
        'has a malformed logout endpoint',
        () => {
          proconnect.stub.behavior.metadata = { end_session_endpoint: 'not a url' };
        },
      ],
      [
        'can’t be reached',
        () => {
          proconnect.stub.behavior.respond = {
            '/.well-known/openid-configuration': respondWithJson({}, 503),
          };
        },
      ],
      ['is disabled', () => disableProvider(service, 'proconnect')],
    ])('ends only the local session if the provider %s', async (_title, prepare) => {
      const { browser } = await signIn();
      await prepare(browser);
      service.clock.advance(DISCOVERY_EXPIRY);
      const visit = await submitSignOut(browser);
      const page = await browser.get(visit.location ?? '');
      expect([page.status, formatPath(page.location)]).toEqual([303, HOME]);
      expect([await isSignedOut(browser), browser.cookies.has(COOKIE)]).toEqual([true, false]);
      await disableProvider(service, 'proconnect', null);
    });

    test('ends only the local session if the id_token is too large for a cookie', async () => {
      const { browser } = await signIn({ large: 'x'.repeat(3000) });
      expect(browser.cookies.has(COOKIE)).toBe(false);
      expect(formatPath((await submitSignOut(browser)).location)).toBe(HOME);
    });

    test('ends only the local session if the cookie belongs to a different account', async () => {
      const { browser } = await signIn();
      const other = await openSignedInBrowser(service, await service.createUser());
      other.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? '');
      expect(formatPath((await submitSignOut(other)).location)).toBe(HOME);
    });

    test('ends only the local session if the cookie is forged', async () => {
      const { browser } = await signIn();
      browser.cookies.set(COOKIE, 'x'.repeat(400));
      expect(formatPath((await submitSignOut(browser)).location)).toBe(HOME);
    });

    test('redirects to ProConnect only in the same browser and within ten minutes', async () => {
      const { browser } = await signIn();
      const { location = '' } = await submitSignOut(browser);
      expect(formatPath((await newBrowser().get(location)).location)).toBe(HOME);
      service.clock.advance(601);
      const expired = await browser.get(location);
      expect([formatPath(expired.location), browser.cookies.has(COOKIE)]).toEqual([HOME, true]);
    });
  });
});

describe('the Microsoft preset', () => {
  const MICROSOFT = 'https://login.microsoftonline.com';
  const TENANT = '3f0f1f2e-0000-4000-8000-000000000001';
  const OTHER = '3f0f1f2e-0000-4000-8000-000000000002';
  const microsoft = useStubIssuer(service, {
    providerId: 'microsoft',
    preset: 'microsoft',
    name: 'Microsoft',
  });
  const createProviders = () =>
    // The library supports the issuer `{tenantid}` only at Microsoft's URL. Requests to that URL are therefore sent to
    // the stub.
    createIdentityProviders({
      ...service.services,
      policy: { production: false, allowLoopback: true },
      createFetch: (...dependencies) => {
        const send = createProviderFetch(...dependencies);
        return (url, options) => send(url.replace(MICROSOFT, microsoft.stub.issuer), options);
      },
    });

  test.each(MAX_AGES)(
    'sends no max_age to the provider (max_age: %s, prompt: %s)',
    async (maxAge, prompt) => {
      expect(await startWithMaxAge('microsoft', maxAge)).toEqual({ prompt, max_age: null });
    },
  );

  /** @returns the profile, or the failed step and error code */
  async function redeem(
    tid: string | undefined,
    options: Record<string, unknown> = {},
    claims = {},
    metadata = {},
  ) {
    microsoft.stub.behavior = {
      metadata: {
        issuer: `${MICROSOFT}/{tenantid}/v2.0`,
        token_endpoint: `${MICROSOFT}/token`,
        jwks_uri: `${MICROSOFT}/jwks`,
        userinfo_endpoint: undefined,
        ...metadata,
      },
      claims: { iss: `${MICROSOFT}/${tid}/v2.0`, tid, ...claims },
    };
    const [provider] = (await service.services.identityProviders.listEnabled()).filter(
      ({ preset }) => preset === 'microsoft',
    );
    if (provider === undefined) throw new Error('no provider');
    const { redeem: redeemDefault } = service.services.identityProviders;
    const substitute = createProviders();
    service.services.identityProviders.redeem = (_provider, ...rest) =>
      substitute.redeem({ ...provider, issuer: `${MICROSOFT}/organizations/v2.0`, options }, ...rest);
    try {
      return await microsoft.redeem();
    } finally {
      service.services.identityProviders.redeem = redeemDefault;
    }
  }

  test('assigns each identity to the tenant that issued its token', async () => {
    expect(await redeem(TENANT)).toMatchObject({ issuer: `${MICROSOFT}/${TENANT}/v2.0`, subject: SUBJECT });
  });

  test('accepts only users from the listed tenants', async () => {
    expect(await redeem(TENANT, { tenants: [TENANT] })).toMatchObject({ subject: SUBJECT });
    expect(await redeem(OTHER, { tenants: [TENANT] })).toBe('id_token: tenant_not_allowed');
  });

  test('rejects personal accounts unless they are allowed', async () => {
    expect(await redeem(PERSONAL_TENANT)).toBe('id_token: tenant_not_allowed');
    expect(await redeem(PERSONAL_TENANT, { personalAccounts: true })).toMatchObject({ subject: SUBJECT });
    expect(await redeem(PERSONAL_TENANT, { tenants: [PERSONAL_TENANT] })).toMatchObject({ subject: SUBJECT });
    expect(await redeem(PERSONAL_TENANT, { tenants: [TENANT], personalAccounts: true })).toBe(
      'id_token: tenant_not_allowed',
    );
  });

  test.each([
    [{}, 'organizations'],
    [{ personalAccounts: true }, 'common'],
    [{ tenants: [TENANT] }, TENANT],
    [{ tenants: [TENANT, OTHER] }, 'organizations'],
    [{ tenants: [TENANT, PERSONAL_TENANT] }, 'common'],
  ])('with the settings %j uses the endpoints of %s', async (options, segment) => {
    await redeem(TENANT, options);
    expect(microsoft.stub.requests).toContain(`GET /${segment}/v2.0/.well-known/openid-configuration`);
  });

  test('accepts the issuer of a single tenant in the discovery document', async () => {
    const metadata = { issuer: `${MICROSOFT}/${TENANT}/v2.0` };
    expect(await redeem(TENANT, { tenants: [TENANT] }, {}, metadata)).toMatchObject({ subject: SUBJECT });
    expect(await redeem(TENANT, { tenants: [OTHER] }, {}, metadata)).toBe('discovery: issuer_mismatch');
  });

  test('rejects a discovery document with a different issuer', async () => {
    const otherIssuer = { issuer: 'https://other.example' };
    expect(await redeem(TENANT, {}, {}, otherIssuer)).toBe('discovery: issuer_mismatch');
  });

  test('rejects a token whose iss and tid name different tenants', async () => {
    const claims = { iss: `${MICROSOFT}/${OTHER}/v2.0` };
    expect(await redeem(TENANT, {}, claims)).toBe('id_token: OAUTH_JWT_CLAIM_COMPARISON_FAILED iss');
  });

  test('treats every email address as unverified', async () => {
    expect(await redeem(TENANT, {}, { email_verified: undefined })).toMatchObject({ emailVerified: false });
  });
});
