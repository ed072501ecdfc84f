import { afterAll, describe, expect, test } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import {
  fetchUserinfo,
  obtainCode,
  obtainTokens,
  openSignedInBrowser,
  readJson,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
const standardClient = await service.createClient({ standard: true });
const user = await service.createUser({ name: 'Zoé Müller', phone: '+33612345678', emailVerified: true });
const browser = await openSignedInBrowser(service, user);
afterAll(() => service.close());

const obtainToken = async (scope: string, app = client, user = browser) =>
  (await obtainTokens(service, app, user, { scope })).accessToken;
const fetchClaims = async (scope: string, app = client, user = browser) =>
  (await fetchUserinfo(service, await obtainToken(scope, app, user))).body;

async function send(init: RequestInit & { headers?: Record<string, string> }, query = '') {
  return readJson(await fetch(new URL(`/oauth/userinfo${query}`, service.baseUrl), init));
}

describe('userinfo claims', () => {
  test.each([
    ['profile', ['avatar', 'name', 'updated_at']],
    ['openid profile', ['avatar', 'name', 'sub', 'updated_at']],
    ['profile email', ['avatar', 'email', 'email_verified', 'name', 'updated_at']],
    ['profile phone', ['avatar', 'name', 'phone', 'updated_at']],
    [
      'openid profile email phone',
      ['avatar', 'email', 'email_verified', 'name', 'phone', 'sub', 'updated_at'],
    ],
  ])('are limited to those in the scope "%s"', async (scope, claims) => {
    expect(Object.keys(await fetchClaims(scope)).sort()).toEqual(claims);
  });

  test('have the documented types', async () => {
    const response = await fetchUserinfo(service, await obtainToken('openid profile email phone'));
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.body).toMatchObject({
      sub: user.userId,
      name: 'Zoé Müller',
      email: user.email,
      email_verified: true,
      phone: '+33612345678',
    });
    expect(response.body.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });

  test('omit phone if the user has no phone number', async () => {
    const otherBrowser = await openSignedInBrowser(service, await service.createUser());
    const profile = await fetchClaims('profile email phone', client, otherBrowser);
    expect(Object.keys(profile).sort()).toEqual(['avatar', 'email', 'email_verified', 'name', 'updated_at']);
    expect(profile.email_verified).toBe(false);
  });
});

describe('insufficient_scope (403)', () => {
  test.each(['openid', 'email', 'openid email phone'])(
    'is returned for a token with only the scope "%s"',
    async (scope) => {
      const response = await fetchUserinfo(service, await obtainToken(scope));
      expectError(response, 403, 'insufficient_scope');
      expect(response.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_scope", scope="profile"',
      );
    },
  );
});

describe('the userinfo endpoint in standard mode', () => {
  test('requires only the openid scope', async () => {
    expect(await fetchClaims('openid', standardClient)).toEqual({ sub: user.userId });
    expect(await fetchClaims('openid email', standardClient)).toEqual({
      sub: user.userId,
      preferred_username: user.email,
      email: user.email,
      email_verified: true,
    });
  });

  test('returns 403 if the token has neither openid nor profile', async () => {
    expectError(
      await fetchUserinfo(service, await obtainToken('email', standardClient)),
      403,
      'insufficient_scope',
    );
  });

  test('returns standard claims such as picture and phone_number', async () => {
    const defaultProfile = await fetchClaims('openid profile phone');
    const profile = await fetchClaims('openid profile phone', standardClient);
    expect(profile).toEqual({
      sub: user.userId,
      name: 'Zoé Müller',
      picture: defaultProfile.avatar,
      updated_at: Math.floor(Date.parse(String(defaultProfile.updated_at)) / 1000),
      phone_number: '+33612345678',
    });
  });

  test('accepts a token in the POST body', async () => {
    const sendInForm = (token: string) =>
      send({ method: 'POST', body: new URLSearchParams({ access_token: token }) });
    expect((await sendInForm(await obtainToken('openid', standardClient))).body).toEqual({
      sub: user.userId,
    });
    const refused = await sendInForm(await obtainToken('profile'));
    expectError(refused, 401, 'invalid_token');
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('returns invalid_request for two tokens (RFC 6750 §2)', async () => {
    const token = await obtainToken('openid', standardClient);
    const response = await send({
      method: 'POST',
      body: new URLSearchParams({ access_token: token }),
      headers: { authorization: `Bearer ${token}` },
    });
    expectError(response, 400, 'invalid_request');
  });
});

describe('a userinfo request', () => {
  test('gets the same response for GET and POST', async () => {
    const authorization = `Bearer ${await obtainToken('openid profile')}`;
    const [get, post] = [
      await send({ headers: { authorization } }),
      await send({ method: 'POST', headers: { authorization } }),
    ];
    expect(post.status).toBe(200);
    expect(post.text).toBe(get.text);
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const response = await send({ method, headers: { authorization } });
      expectError(response, 405, 'invalid_request');
      expect(response.headers.get('allow')).toBe('GET, POST, HEAD');
    }
  });

  test.each([
    ['no Authorization header', undefined],
    ['a different scheme', 'Basic YTpi'],
    ['a scheme with the prefix Bearer', 'BearerX abc'],
  ])('with %s gets 401 without an error code', async (_, authorization) => {
    const response = await send({ headers: authorization === undefined ? {} : { authorization } });
    expectError(response, 401, 'invalid_token');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('may use any case for the authentication scheme', async () => {
    const token = await obtainToken('profile');
    for (const scheme of ['bearer', 'BEARER', 'bEaReR'])
      expect((await send({ headers: { authorization: `${scheme} ${token}` } })).status, scheme).toBe(200);
  });

  test('gets 401 if the token is in the query', async () => {
    for (const app of [client, standardClient]) {
      const response = await send({}, `?access_token=${await obtainToken('openid profile', app)}`);
      expectError(response, 401, 'invalid_token');
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  async function expectInvalid(token: string): Promise<void> {
    const response = await send({ headers: { authorization: `Bearer ${token}` } });
    expectError(response, 401, 'invalid_token');
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
  }

  test('gets 401 invalid_token for a malformed, empty or repeated token', async () => {
    const token = await obtainToken('profile');
    for (const malformedToken of [
      '',
      'nonsense',
      'a.b.c',
      `${token} ${token}`,
      `"${token}"`,
      'x'.repeat(8000),
    ])
      await expectInvalid(malformedToken);
  });

  test('gets 401 invalid_token for an altered token', async () => {
    const token = await obtainToken('profile');
    const step = Math.ceil(token.length / 40);
    for (let index = 0; index < token.length; index += step) {
      const other = token[index] === 'A' ? 'B' : 'A';
      await expectInvalid(token.slice(0, index) + other + token.slice(index + 1));
    }
    // Some last characters decode to the same signature. Tokens that end in one of them must be rejected too.
    const last = token.length - 1;
    for (const other of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') {
      if (other !== token[last]) await expectInvalid(token.slice(0, last) + other);
    }
    await expectInvalid(`${token}=`);
    expect((await fetchUserinfo(service, token)).status).toBe(200);
  });

  test('gets 401 invalid_token for tokens of other types', async () => {
    const { idToken, refreshToken } = await obtainTokens(service, client, browser);
    const code = await obtainCode(service, client, browser);
    for (const token of [idToken ?? '', refreshToken, code, client.clientSecret]) await expectInvalid(token);
  });

  test('gets 401 invalid_token for an expired access token', async () => {
    const token = await obtainToken('profile');
    service.clock.advance(3590);
    expect((await fetchUserinfo(service, token)).status).toBe(200);
    service.clock.advance(10);
    await expectInvalid(token);
  });
});
