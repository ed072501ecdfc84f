// GET and POST /oauth/userinfo: the profile of a token's holder (contract §2.3, §4.3; D18 to D21).
import { afterAll, describe, expect, test } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { obtainCode, obtainTokens, readJson, signedInBrowser, userinfo } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const standard = await service.createApplication({ standard: true });
const user = await service.createUser({ name: 'Zoé Müller', phone: '+33612345678', emailVerified: true });
const browser = await signedInBrowser(service, user);
afterAll(() => service.close());

const tokenFor = async (scope: string, app = application, person = browser) =>
  (await obtainTokens(service, app, person, { scope })).accessToken;
const profileFor = async (scope: string, app = application, person = browser) =>
  (await userinfo(service, await tokenFor(scope, app, person))).body;

async function ask(init: RequestInit & { headers?: Record<string, string> }, query = '') {
  return readJson(await fetch(new URL(`/oauth/userinfo${query}`, service.baseUrl), init));
}

describe('the fields (contract §2.4, D18, D20)', () => {
  test.each([
    ['profile', ['avatar', 'name', 'updated_at']],
    ['openid profile', ['avatar', 'name', 'sub', 'updated_at']],
    ['profile email', ['avatar', 'email', 'email_verified', 'name', 'updated_at']],
    ['profile phone', ['avatar', 'name', 'phone', 'updated_at']],
    [
      'openid profile email phone',
      ['avatar', 'email', 'email_verified', 'name', 'phone', 'sub', 'updated_at'],
    ],
  ])('contract §2.4: the scope "%s" gives exactly its fields', async (scope, fields) => {
    expect(Object.keys(await profileFor(scope)).sort()).toEqual(fields);
  });

  test('contract §2.3: have the types of the contract', async () => {
    const answer = await userinfo(service, await tokenFor('openid profile email phone'));
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

  test('D20: phone is absent, never null or empty, where the account has none', async () => {
    const person = await signedInBrowser(service, await service.createUser());
    const profile = await profileFor('profile email phone', application, person);
    expect(Object.keys(profile).sort()).toEqual(['avatar', 'email', 'email_verified', 'name', 'updated_at']);
    expect(profile.email_verified).toBe(false);
  });
});

describe('the scope rule (contract §4.3, D18)', () => {
  test.each(['openid', 'email', 'openid email phone'])(
    'D18: a token with "%s" only is 403 insufficient_scope, in body and header',
    async (scope) => {
      const answer = await userinfo(service, await tokenFor(scope));
      expectError(answer, 403, 'insufficient_scope');
      expect(answer.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_scope", scope="profile"',
      );
    },
  );
});

describe('standard OpenID Connect mode (D19)', () => {
  test('D19: openid is enough', async () => {
    expect(await profileFor('openid', standard)).toEqual({ sub: user.userId });
    expect(await profileFor('openid email', standard)).toEqual({
      sub: user.userId,
      preferred_username: user.email, // D58
      email: user.email,
      email_verified: true,
    });
  });

  test('D19: without openid and profile it is 403', async () => {
    expectError(await userinfo(service, await tokenFor('email', standard)), 403, 'insufficient_scope');
  });

  test('D19: picture, phone_number and a numeric updated_at replace avatar, phone and the ISO string', async () => {
    const plain = await profileFor('openid profile phone');
    const profile = await profileFor('openid profile phone', standard);
    expect(profile).toEqual({
      sub: user.userId,
      name: 'Zoé Müller',
      picture: plain.avatar,
      updated_at: Math.floor(Date.parse(String(plain.updated_at)) / 1000),
      phone_number: '+33612345678',
    });
  });

  test('D21, OpenID Connect Core §5.3.1: a token in the POST body is accepted in standard mode only', async () => {
    const inForm = (token: string) =>
      ask({ method: 'POST', body: new URLSearchParams({ access_token: token }) });
    expect((await inForm(await tokenFor('openid', standard))).body).toEqual({ sub: user.userId });
    const refused = await inForm(await tokenFor('profile'));
    expectError(refused, 401, 'invalid_token');
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('RFC 6750 §2: a token in header and body at once is 400 invalid_request', async () => {
    const token = await tokenFor('openid', standard);
    const answer = await ask({
      method: 'POST',
      body: new URLSearchParams({ access_token: token }),
      headers: { authorization: `Bearer ${token}` },
    });
    expectError(answer, 400, 'invalid_request');
  });
});

describe('the bearer token (D21, RFC 6750)', () => {
  test('D21: GET and POST answer alike; other methods are 405 with Allow', async () => {
    const authorization = `Bearer ${await tokenFor('openid profile')}`;
    const [get, post] = [
      await ask({ headers: { authorization } }),
      await ask({ method: 'POST', headers: { authorization } }),
    ];
    expect(post.status).toBe(200);
    expect(post.text).toBe(get.text);
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await ask({ method, headers: { authorization } });
      expectError(answer, 405, 'invalid_request');
      expect(answer.headers.get('allow')).toBe('GET, POST, HEAD');
    }
  });

  test.each([
    ['no header', undefined],
    ['another scheme', 'Basic YTpi'],
    ['a scheme that only begins like it', 'BearerX abc'],
  ])('D21: %s is 401 invalid_token with a bare challenge', async (_, authorization) => {
    const answer = await ask({ headers: authorization === undefined ? {} : { authorization } });
    expectError(answer, 401, 'invalid_token');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('RFC 9110 §11.1: the scheme may be spelled in any case', async () => {
    const token = await tokenFor('profile');
    for (const scheme of ['bearer', 'BEARER', 'bEaReR'])
      expect((await ask({ headers: { authorization: `${scheme} ${token}` } })).status, scheme).toBe(200);
  });

  test('D21: a token in the query is never read', async () => {
    for (const app of [application, standard]) {
      const answer = await ask({}, `?access_token=${await tokenFor('openid profile', app)}`);
      expectError(answer, 401, 'invalid_token');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  async function expectInvalid(token: string): Promise<void> {
    const answer = await ask({ headers: { authorization: `Bearer ${token}` } });
    expectError(answer, 401, 'invalid_token');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
  }

  test('D21: a malformed token, none after the scheme, and two tokens are 401 invalid_token', async () => {
    const token = await tokenFor('profile');
    for (const wrong of ['', 'nonsense', 'a.b.c', `${token} ${token}`, `"${token}"`, 'x'.repeat(8000)])
      await expectInvalid(wrong);
  });

  test('D21: a token altered by one character, anywhere, is 401 invalid_token', async () => {
    const token = await tokenFor('profile');
    const step = Math.ceil(token.length / 40);
    for (let at = 0; at < token.length; at += step) {
      const other = token[at] === 'A' ? 'B' : 'A';
      await expectInvalid(token.slice(0, at) + other + token.slice(at + 1));
    }
    // The last character of a signature has bits that no byte keeps: another spelling of the same bytes.
    const last = token.length - 1;
    for (const other of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') {
      if (other !== token[last]) await expectInvalid(token.slice(0, last) + other);
    }
    await expectInvalid(`${token}=`);
    expect((await userinfo(service, token)).status).toBe(200);
  });

  test('D21: other kinds of token are 401 invalid_token', async () => {
    const { idToken, refreshToken } = await obtainTokens(service, application, browser);
    const code = await obtainCode(service, application, browser);
    for (const token of [idToken ?? '', refreshToken, code, application.clientSecret])
      await expectInvalid(token);
  });

  test('contract §8: an access token is refused from its expiry on', async () => {
    const token = await tokenFor('profile');
    service.clock.advance(3590);
    expect((await userinfo(service, token)).status).toBe(200);
    service.clock.advance(10);
    await expectInvalid(token);
  });
});
