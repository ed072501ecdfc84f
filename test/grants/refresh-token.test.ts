// grant_type=refresh_token: rotation, reuse, narrowing, lifetimes, grace (D15, D16; RFC 6749 §6, RFC 9700 §4.14.2).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { CALLBACK, register } from '../support/console.ts';
import { expectError } from '../support/expect-error.ts';
import { obtainTokens, renew, signedInBrowser, type Tokens, userinfo } from '../support/flow.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

const DAY = 24 * 3600;
let browser: BrowserSession;
const service = await startTestService({ AGENTS_REGISTRATION: 'on' });
const application = await service.createApplication();
const other = await service.createApplication();
const user = await service.createUser();
browser = await signedInBrowser(service, user);
afterAll(() => service.close());

const obtain = (scope = 'openid profile email') => obtainTokens(service, application, browser, { scope });
const isAlive = async (accessToken: unknown) => (await userinfo(service, String(accessToken))).status === 200;

describe('renewal (contract §4.2, D15)', () => {
  test('D15: answers the five members of the contract, with a new refresh token every time', async () => {
    const { refreshToken, accessToken } = await obtain();
    const seen = new Set([refreshToken]);
    let current = refreshToken;
    for (let round = 1; round <= 3; round += 1) {
      const { status, body, headers } = await renew(service, application, current);
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual([
        'access_token',
        'expires_in',
        'refresh_token',
        'scope',
        'token_type',
      ]);
      expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'openid profile email' });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body.access_token).not.toBe(accessToken);
      current = String(body.refresh_token);
      expect(seen.has(current)).toBe(false);
      seen.add(current);
    }
  });

  test('D15: an earlier access token lives on to its own expiry', async () => {
    const { refreshToken, accessToken } = await obtain();
    service.clock.advance(1800);
    const renewed = (await renew(service, application, refreshToken)).body;
    expect(await isAlive(accessToken)).toBe(true);
    service.clock.advance(1801);
    expect(await isAlive(accessToken)).toBe(false);
    expect(await isAlive(renewed.access_token)).toBe(true);
  });

  test('D15: a refresh token of another application is 400 invalid_grant and stays good', async () => {
    const { refreshToken, accessToken } = await obtain();
    expectError(await renew(service, other, refreshToken), 400, 'invalid_grant');
    expect(await isAlive(accessToken)).toBe(true);
    expect((await renew(service, application, refreshToken)).status).toBe(200);
  });

  test('D15: nonsense, an altered token and an access token are 400 invalid_grant', async () => {
    const { refreshToken, accessToken } = await obtain();
    const altered = refreshToken.slice(0, -1) + (refreshToken.endsWith('A') ? 'E' : 'A');
    for (const token of ['nonsense', altered, `${refreshToken}A`, accessToken])
      expectError(await renew(service, application, token), 400, 'invalid_grant');
    expect((await renew(service, application, refreshToken)).status).toBe(200);
  });
});

describe('scope (D15, RFC 6749 §6)', () => {
  test('D15: may narrow this access token, and does not shrink the grant', async () => {
    const { refreshToken } = await obtain();
    const narrow = (await renew(service, application, refreshToken, { scope: 'profile' })).body;
    expect(narrow.scope).toBe('profile');
    const profile = (await userinfo(service, String(narrow.access_token))).body;
    expect(Object.keys(profile).sort()).toEqual(['avatar', 'name', 'updated_at']);
    const full = (await renew(service, application, String(narrow.refresh_token))).body;
    expect(full.scope).toBe('openid profile email');
    expect((await userinfo(service, String(full.access_token))).body).toMatchObject({
      sub: user.userId,
      email: user.email,
    });
  });

  test('D15: never widens: 400 invalid_scope, and the refresh token stays good', async () => {
    const { refreshToken } = await obtain('profile');
    for (const scope of ['profile email', 'email', 'phone'])
      expectError(await renew(service, application, refreshToken, { scope }), 400, 'invalid_scope');
    expect((await renew(service, application, refreshToken)).body.scope).toBe('profile');
  });

  test('D4: unknown words are ignored while a known one is left, else 400 invalid_scope', async () => {
    const { refreshToken } = await obtain();
    expectError(
      await renew(service, application, refreshToken, { scope: 'offline_access' }),
      400,
      'invalid_scope',
    );
    const { body } = await renew(service, application, refreshToken, { scope: 'email unknown email' });
    expect(body.scope).toBe('email');
  });
});

describe('reuse (D15, RFC 9700 §4.14.2)', () => {
  test('D15: a superseded token is 400 invalid_grant, and the whole grant dies', async () => {
    const first = await obtain();
    const second = (await renew(service, application, first.refreshToken)).body;
    expectError(await renew(service, application, first.refreshToken), 400, 'invalid_grant');
    expectError(await renew(service, application, String(second.refresh_token)), 400, 'invalid_grant');
    expect(await isAlive(first.accessToken)).toBe(false);
    expect(await isAlive(second.access_token)).toBe(false);
  });

  test('D15: other grants of the account live on, at this application and at others', async () => {
    const sibling = await obtain();
    const elsewhere = await obtainTokens(service, other, browser);
    const { refreshToken } = await obtain();
    await renew(service, application, refreshToken);
    expectError(await renew(service, application, refreshToken), 400, 'invalid_grant');
    expect(await isAlive(sibling.accessToken)).toBe(true);
    expect(await isAlive(elsewhere.accessToken)).toBe(true);
    expect((await renew(service, application, sibling.refreshToken)).status).toBe(200);
    expect((await renew(service, other, elsewhere.refreshToken)).status).toBe(200);
  });

  test('D15: a superseded token in the hands of another application, or with a wrong secret, kills nothing', async () => {
    const { refreshToken } = await obtain();
    const { body } = await renew(service, application, refreshToken);
    expectError(await renew(service, other, refreshToken), 400, 'invalid_grant');
    expectError(
      await renew(service, application, refreshToken, { client_secret: 'x' }),
      401,
      'invalid_client',
    );
    expect((await renew(service, application, String(body.refresh_token))).status).toBe(200);
  });

  test('D15: a superseded token still kills when it is older than 30 days', async () => {
    const { refreshToken } = await obtain();
    service.clock.advance(20 * DAY);
    const second = (await renew(service, application, refreshToken)).body;
    service.clock.advance(20 * DAY);
    const third = (await renew(service, application, String(second.refresh_token))).body;
    expectError(await renew(service, application, refreshToken), 400, 'invalid_grant');
    expect(await isAlive(third.access_token)).toBe(false);
    browser = await signedInBrowser(service, user);
  });
});

describe('lifetimes (contract §8, D15, D30)', () => {
  test('D15: 30 days without use end it; every use begins them anew', async () => {
    let { refreshToken } = await obtain();
    for (let month = 1; month <= 3; month += 1) {
      service.clock.advance(30 * DAY - 60);
      const { status, body } = await renew(service, application, refreshToken);
      expect(status).toBe(200);
      refreshToken = String(body.refresh_token);
    }
    service.clock.advance(30 * DAY);
    expectError(await renew(service, application, refreshToken), 400, 'invalid_grant');
    browser = await signedInBrowser(service, user);
  });

  test('D15: REFRESH_TOKEN_MAX_TTL ends a grant that is in daily use; REFRESH_TOKEN_IDLE_TTL is a setting', async () => {
    const strict = await startTestService({
      REFRESH_TOKEN_MAX_TTL: String(3 * DAY),
      REFRESH_TOKEN_IDLE_TTL: String(DAY),
    });
    try {
      const app = await strict.createApplication();
      const person = await strict.createUser();
      const idle = await obtainTokens(strict, app, await signedInBrowser(strict, person));
      let { refreshToken } = await obtainTokens(strict, app, await signedInBrowser(strict, person));
      for (let day = 1; day <= 3; day += 1) {
        strict.clock.advance(DAY - 60);
        const { status, body } = await renew(strict, app, refreshToken);
        expect(status).toBe(200);
        refreshToken = String(body.refresh_token);
      }
      strict.clock.advance(180);
      expectError(await renew(strict, app, refreshToken), 400, 'invalid_grant');
      expectError(await renew(strict, app, idle.refreshToken), 400, 'invalid_grant');
    } finally {
      await strict.close();
    }
  });
});

describe('grace for lost responses (D16)', () => {
  let lenient: TestApplication;
  beforeAll(async () => {
    lenient = await service.createApplication({ refreshGrace: 30 });
  });
  const obtainLenient = () => obtainTokens(service, lenient, browser);

  test('D16: within it the superseded token gives the same successor, and an access token that works', async () => {
    const { refreshToken } = await obtainLenient();
    const first = (await renew(service, lenient, refreshToken)).body;
    service.clock.advance(20);
    const again = await renew(service, lenient, refreshToken);
    expect(again.status).toBe(200);
    expect(again.body.refresh_token).toBe(first.refresh_token);
    expect(await isAlive(again.body.access_token)).toBe(true);
    expect(await isAlive(first.access_token)).toBe(true);
    expect((await renew(service, lenient, String(first.refresh_token))).status).toBe(200);
  });

  test('D16: repeating does not prolong it, and after it D15 holds: the grant dies', async () => {
    const { refreshToken } = await obtainLenient();
    const first = (await renew(service, lenient, refreshToken)).body;
    service.clock.advance(20);
    expect((await renew(service, lenient, refreshToken)).status).toBe(200);
    service.clock.advance(10);
    expectError(await renew(service, lenient, refreshToken), 400, 'invalid_grant');
    expect(await isAlive(first.access_token)).toBe(false);
    expectError(await renew(service, lenient, String(first.refresh_token)), 400, 'invalid_grant');
  });

  test('D16: once the successor has been used, the token is reused, grace or not', async () => {
    const { refreshToken } = await obtainLenient();
    const second = (await renew(service, lenient, refreshToken)).body;
    const third = (await renew(service, lenient, String(second.refresh_token))).body;
    expectError(await renew(service, lenient, refreshToken), 400, 'invalid_grant');
    expect(await isAlive(third.access_token)).toBe(false);
    expectError(await renew(service, lenient, String(third.refresh_token)), 400, 'invalid_grant');
  });

  test('D16: only the same authenticated application is given the successor', async () => {
    const { refreshToken } = await obtainLenient();
    const { body } = await renew(service, lenient, refreshToken);
    expectError(await renew(service, other, refreshToken), 400, 'invalid_grant');
    expectError(await renew(service, lenient, refreshToken, { client_secret: 'x' }), 401, 'invalid_client');
    expect((await renew(service, lenient, String(body.refresh_token))).status).toBe(200);
  });

  test('D16: two workers that race both go on with the same successor; without grace the grant dies', async () => {
    const { refreshToken } = await obtainLenient();
    const racing = await Promise.all([1, 2].map(() => renew(service, lenient, refreshToken)));
    expect(racing.map(({ status }) => status)).toEqual([200, 200]);
    expect(racing[0]?.body.refresh_token).toBe(racing[1]?.body.refresh_token);

    const strict = await obtain();
    const losing = await Promise.all([1, 2].map(() => renew(service, application, strict.refreshToken)));
    expect(losing.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await isAlive(strict.accessToken)).toBe(false);
  });
});

describe('the grace of new clients', () => {
  test('an application registered in the console has 10 seconds, then reuse ends the grant', async () => {
    const owner = await service.createUser();
    const registered = await register(await signedInBrowser(service, owner), { type: 'public' });
    const clientId = /app_[A-Za-z0-9_-]{20}/.exec(registered.body)?.[0] ?? '';
    const own = { clientId, clientSecret: '', redirectUri: CALLBACK };
    await expectGrace(own, await obtainTokens(service, own, browser), 10);
  });

  test('an agent has 60 seconds, then reuse ends the grant', async () => {
    const agent = await registerAgent();
    const tokens = await obtainTokens(service, agent, browser, {
      scope: 'openid profile offline_access',
    });
    await expectGrace(agent, tokens, 60);
  });

  async function registerAgent(): Promise<TestApplication> {
    const redirectUri = 'http://127.0.0.1:7777/callback';
    const answer = await fetch(`${service.baseUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [redirectUri] }),
    });
    const { client_id: clientId } = (await answer.json()) as { client_id: string };
    return { clientId, clientSecret: '', redirectUri };
  }

  async function expectGrace(client: TestApplication, { refreshToken }: Tokens, seconds: number) {
    const first = (await renew(service, client, refreshToken)).body;
    service.clock.advance(seconds - 2);
    const again = await renew(service, client, refreshToken);
    expect([again.status, again.body.refresh_token]).toEqual([200, first.refresh_token]);
    service.clock.advance(3);
    expectError(await renew(service, client, refreshToken), 400, 'invalid_grant');
    expect(await isAlive(first.access_token)).toBe(false);
  }
});
