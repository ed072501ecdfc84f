// GET and POST /oauth/userinfo: claims for each scope and mode, and bearer tokens.
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
const standard = await service.createClient({ standard: true });
const user = await service.createUser({ name: 'Zoé Müller', phone: '+33612345678', emailVerified: true });
const browser = await openSignedInBrowser(service, user);
afterAll(() => service.close());

const tokenFor = async (scope: string, app = client, user = browser) =>
  (await obtainTokens(service, app, user, { scope })).accessToken;
const profileFor = async (scope: string, app = client, user = browser) =>
  (await fetchUserinfo(service, await tokenFor(scope, app, user))).body;

async function send(init: RequestInit & { headers?: Record<string, string> }, query = '') {
  return readJson(await fetch(new URL(`/oauth/userinfo${query}`, service.baseUrl), init));
}

describe('the claims', () => {
  test.each([
    ['profile', ['avatar', 'name', 'updated_at']],
    ['openid profile', ['avatar', 'name', 'sub', 'updated_at']],
    ['profile email', ['avatar', 'email', 'email_verified', 'name', 'updated_at']],
    ['profile phone', ['avatar', 'name', 'phone', 'updated_at']],
    [
      'openid profile email phone',
      ['avatar', 'email', 'email_verified', 'name', 'phone', 'sub', 'updated_at'],
    ],
  ])('are exactly those that the scope "%s" allows', async (scope, claims) => {
    expect(Object.keys(await profileFor(scope)).sort()).toEqual(claims);
  });

  test('have the documented types', async () => {
    const answer = await fetchUserinfo(service, await tokenFor('openid profile email phone'));
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toMatchObject({
      sub: user.userId,
      name: 'Zoé Müller',
      email: user.email,
      email_verified: true,
      phone: '+33612345678',
    });
    expect(answer.body.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });

  test('do not include phone if the user has no phone number', async () => {
    const otherBrowser = await openSignedInBrowser(service, await service.createUser());
    const profile = await profileFor('profile email phone', client, otherBrowser);
    expect(Object.keys(profile).sort()).toEqual(['avatar', 'email', 'email_verified', 'name', 'updated_at']);
    expect(profile.email_verified).toBe(false);
  });
});

describe('insufficient_scope (403)', () => {
  test.each(['openid', 'email', 'openid email phone'])(
    'is returned in the body and the header for a token with only the scope "%s"',
    async (scope) => {
      const answer = await fetchUserinfo(service, await tokenFor(scope));
      expectError(answer, 403, 'insufficient_scope');
      expect(answer.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_scope", scope="profile"',
      );
    },
  );
});

describe('userinfo in standard OpenID Connect mode', () => {
  test('requires only the openid scope', async () => {
    expect(await profileFor('openid', standard)).toEqual({ sub: user.userId });
    expect(await profileFor('openid email', standard)).toEqual({
      sub: user.userId,
      preferred_username: user.email,
      email: user.email,
      email_verified: true,
    });
  });

  test('returns 403 if the token has neither openid nor profile', async () => {
    expectError(await fetchUserinfo(service, await tokenFor('email', standard)), 403, 'insufficient_scope');
  });

  test('returns picture, phone_number and a numeric updated_at instead of avatar, phone and an ISO string', async () => {
    const defaultProfile = await profileFor('openid profile phone');
    const profile = await profileFor('openid profile phone', standard);
    expect(profile).toEqual({
      sub: user.userId,
      name: 'Zoé Müller',
      picture: defaultProfile.avatar,
      updated_at: Math.floor(Date.parse(String(defaultProfile.updated_at)) / 1000),
      phone_number: '+33612345678',
    });
  });

  test('accepts a token in the POST body, unlike in the default mode (OpenID Connect Core §5.3.1)', async () => {
    const sendInForm = (token: string) =>
      send({ method: 'POST', body: new URLSearchParams({ access_token: token }) });
    expect((await sendInForm(await tokenFor('openid', standard))).body).toEqual({ sub: user.userId });
    const refused = await sendInForm(await tokenFor('profile'));
    expectError(refused, 401, 'invalid_token');
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('returns 400 invalid_request for a token in both header and body (RFC 6750 §2)', async () => {
    const token = await tokenFor('openid', standard);
    const answer = await send({
      method: 'POST',
      body: new URLSearchParams({ access_token: token }),
      headers: { authorization: `Bearer ${token}` },
    });
    expectError(answer, 400, 'invalid_request');
  });
});

describe('a userinfo request with a bearer token (RFC 6750)', () => {
  test('gets the same response for GET and POST, and 405 with an Allow header for other methods', async () => {
    const authorization = `Bearer ${await tokenFor('openid profile')}`;
    const [get, post] = [
      await send({ headers: { authorization } }),
      await send({ method: 'POST', headers: { authorization } }),
    ];
    expect(post.status).toBe(200);
    expect(post.text).toBe(get.text);
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await send({ method, headers: { authorization } });
      expectError(answer, 405, 'invalid_request');
      expect(answer.headers.get('allow')).toBe('GET, POST, HEAD');
    }
  });

  test.each([
    ['no Authorization header', undefined],
    ['a different scheme', 'Basic YTpi'],
    ['a scheme with the prefix Bearer', 'BearerX abc'],
  ])('gets 401 with a challenge that has no error code if it has %s', async (_, authorization) => {
    const answer = await send({ headers: authorization === undefined ? {} : { authorization } });
    expectError(answer, 401, 'invalid_token');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('may contain the scheme name in upper or lower case (RFC 9110 §11.1)', async () => {
    const token = await tokenFor('profile');
    for (const scheme of ['bearer', 'BEARER', 'bEaReR'])
      expect((await send({ headers: { authorization: `${scheme} ${token}` } })).status, scheme).toBe(200);
  });

  test('gets 401 if the token is sent in the query', async () => {
    for (const app of [client, standard]) {
      const answer = await send({}, `?access_token=${await tokenFor('openid profile', app)}`);
      expectError(answer, 401, 'invalid_token');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  async function expectInvalid(token: string): Promise<void> {
    const answer = await send({ headers: { authorization: `Bearer ${token}` } });
    expectError(answer, 401, 'invalid_token');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
  }

  test('gets 401 invalid_token for a malformed, missing or repeated token', async () => {
    const token = await tokenFor('profile');
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

  test('gets 401 invalid_token if any character of the token has been modified', async () => {
    const token = await tokenFor('profile');
    const step = Math.ceil(token.length / 40);
    for (let index = 0; index < token.length; index += step) {
      const other = token[index] === 'A' ? 'B' : 'A';
      await expectInvalid(token.slice(0, index) + other + token.slice(index + 1));
    }
    // The last character has unused bits, so other base64url strings decode to the same signature.
    const last = token.length - 1;
    for (const other of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') {
      if (other !== token[last]) await expectInvalid(token.slice(0, last) + other);
    }
    await expectInvalid(`${token}=`);
    expect((await fetchUserinfo(service, token)).status).toBe(200);
  });

  test('gets 401 invalid_token for an id_token, refresh token, code or secret', async () => {
    const { idToken, refreshToken } = await obtainTokens(service, client, browser);
    const code = await obtainCode(service, client, browser);
    for (const token of [idToken ?? '', refreshToken, code, client.clientSecret]) await expectInvalid(token);
  });

  test('gets 401 invalid_token for an expired access token', async () => {
    const token = await tokenFor('profile');
    service.clock.advance(3590);
    expect((await fetchUserinfo(service, token)).status).toBe(200);
    service.clock.advance(10);
    await expectInvalid(token);
  });
});
