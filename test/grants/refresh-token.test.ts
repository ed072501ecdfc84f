import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { REDIRECT_URI, registerClient } from '../support/console-forms.ts';
import { expectError } from '../support/expect-error.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
  type Tokens,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';

const DAY = 24 * 3600;
let browser: BrowserSession;
const service = await startTestService({ AGENTS_REGISTRATION: 'on' });
const client = await service.createClient();
const otherClient = await service.createClient();
const user = await service.createUser();
browser = await openSignedInBrowser(service, user);
afterAll(() => service.close());

const obtainClientTokens = (scope = 'openid profile email') =>
  obtainTokens(service, client, browser, { scope });
const isAccessTokenValid = async (accessToken: unknown) =>
  (await fetchUserinfo(service, String(accessToken))).status === 200;

describe('a token refresh', () => {
  test('always returns a new refresh token', async () => {
    const { refreshToken, accessToken } = await obtainClientTokens();
    const seen = new Set([refreshToken]);
    let current = refreshToken;
    for (let round = 1; round <= 3; round += 1) {
      const { status, body, headers } = await redeemRefreshToken(service, client, current);
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

  test('does not revoke access tokens issued before the refresh', async () => {
    const { refreshToken, accessToken } = await obtainClientTokens();
    service.clock.advance(1800);
    const refreshed = (await redeemRefreshToken(service, client, refreshToken)).body;
    expect(await isAccessTokenValid(accessToken)).toBe(true);
    service.clock.advance(1801);
    expect(await isAccessTokenValid(accessToken)).toBe(false);
    expect(await isAccessTokenValid(refreshed.access_token)).toBe(true);
  });

  test('from a different client fails with invalid_grant', async () => {
    const { refreshToken, accessToken } = await obtainClientTokens();
    expectError(await redeemRefreshToken(service, otherClient, refreshToken), 400, 'invalid_grant');
    expect(await isAccessTokenValid(accessToken)).toBe(true);
    expect((await redeemRefreshToken(service, client, refreshToken)).status).toBe(200);
  });

  test('with an altered token or an access token fails with invalid_grant', async () => {
    const { refreshToken, accessToken } = await obtainClientTokens();
    const altered = refreshToken.slice(0, -1) + (refreshToken.endsWith('A') ? 'E' : 'A');
    for (const token of ['nonsense', altered, `${refreshToken}A`, accessToken])
      expectError(await redeemRefreshToken(service, client, token), 400, 'invalid_grant');
    expect((await redeemRefreshToken(service, client, refreshToken)).status).toBe(200);
  });
});

describe('the scope parameter of a refresh', () => {
  test('narrows the access token’s scope but not the grant’s', async () => {
    const { refreshToken } = await obtainClientTokens();
    const narrowed = (await redeemRefreshToken(service, client, refreshToken, { scope: 'profile' })).body;
    expect(narrowed.scope).toBe('profile');
    const profile = (await fetchUserinfo(service, String(narrowed.access_token))).body;
    expect(Object.keys(profile).sort()).toEqual(['avatar', 'name', 'updated_at']);
    const full = (await redeemRefreshToken(service, client, String(narrowed.refresh_token))).body;
    expect(full.scope).toBe('openid profile email');
    expect((await fetchUserinfo(service, String(full.access_token))).body).toMatchObject({
      sub: user.userId,
      email: user.email,
    });
  });

  test('is rejected if a known scope was not granted', async () => {
    const { refreshToken } = await obtainClientTokens('profile');
    for (const scope of ['profile email', 'email', 'phone'])
      expectError(await redeemRefreshToken(service, client, refreshToken, { scope }), 400, 'invalid_scope');
    expect((await redeemRefreshToken(service, client, refreshToken)).body.scope).toBe('profile');
  });

  test('must contain a granted scope', async () => {
    const { refreshToken } = await obtainClientTokens();
    expectError(
      await redeemRefreshToken(service, client, refreshToken, { scope: 'offline_access' }),
      400,
      'invalid_scope',
    );
    const { body } = await redeemRefreshToken(service, client, refreshToken, {
      scope: 'email unknown email',
    });
    expect(body.scope).toBe('email');
  });
});

describe('reuse of a refresh token', () => {
  test('revokes the grant', async () => {
    const first = await obtainClientTokens();
    const second = (await redeemRefreshToken(service, client, first.refreshToken)).body;
    expectError(await redeemRefreshToken(service, client, first.refreshToken), 400, 'invalid_grant');
    expectError(
      await redeemRefreshToken(service, client, String(second.refresh_token)),
      400,
      'invalid_grant',
    );
    expect(await isAccessTokenValid(first.accessToken)).toBe(false);
    expect(await isAccessTokenValid(second.access_token)).toBe(false);
  });

  test('does not affect the account’s other grants', async () => {
    const sibling = await obtainClientTokens();
    const otherTokens = await obtainTokens(service, otherClient, browser);
    const { refreshToken } = await obtainClientTokens();
    await redeemRefreshToken(service, client, refreshToken);
    expectError(await redeemRefreshToken(service, client, refreshToken), 400, 'invalid_grant');
    expect(await isAccessTokenValid(sibling.accessToken)).toBe(true);
    expect(await isAccessTokenValid(otherTokens.accessToken)).toBe(true);
    expect((await redeemRefreshToken(service, client, sibling.refreshToken)).status).toBe(200);
    expect((await redeemRefreshToken(service, otherClient, otherTokens.refreshToken)).status).toBe(200);
  });

  test('by a different client does not revoke the grant', async () => {
    const { refreshToken } = await obtainClientTokens();
    const { body } = await redeemRefreshToken(service, client, refreshToken);
    expectError(await redeemRefreshToken(service, otherClient, refreshToken), 400, 'invalid_grant');
    expectError(
      await redeemRefreshToken(service, client, refreshToken, { client_secret: 'x' }),
      401,
      'invalid_client',
    );
    expect((await redeemRefreshToken(service, client, String(body.refresh_token))).status).toBe(200);
  });

  test('revokes the grant even after the token has expired', async () => {
    const { refreshToken } = await obtainClientTokens();
    service.clock.advance(20 * DAY);
    const second = (await redeemRefreshToken(service, client, refreshToken)).body;
    service.clock.advance(20 * DAY);
    const third = (await redeemRefreshToken(service, client, String(second.refresh_token))).body;
    expectError(await redeemRefreshToken(service, client, refreshToken), 400, 'invalid_grant');
    expect(await isAccessTokenValid(third.access_token)).toBe(false);
    browser = await openSignedInBrowser(service, user);
  });
});

describe('a refresh token', () => {
  test('expires after 30 days without use', async () => {
    let { refreshToken } = await obtainClientTokens();
    for (let month = 1; month <= 3; month += 1) {
      service.clock.advance(30 * DAY - 60);
      const { status, body } = await redeemRefreshToken(service, client, refreshToken);
      expect(status).toBe(200);
      refreshToken = String(body.refresh_token);
    }
    service.clock.advance(30 * DAY);
    expectError(await redeemRefreshToken(service, client, refreshToken), 400, 'invalid_grant');
    browser = await openSignedInBrowser(service, user);
  });

  test('expires after REFRESH_TOKEN_MAX_TTL even if it is used', async () => {
    const configuredService = await startTestService({
      REFRESH_TOKEN_MAX_TTL: String(3 * DAY),
      REFRESH_TOKEN_IDLE_TTL: String(DAY),
    });
    try {
      const app = await configuredService.createClient();
      const account = await configuredService.createUser();
      const idle = await obtainTokens(
        configuredService,
        app,
        await openSignedInBrowser(configuredService, account),
      );
      let { refreshToken } = await obtainTokens(
        configuredService,
        app,
        await openSignedInBrowser(configuredService, account),
      );
      for (let day = 1; day <= 3; day += 1) {
        configuredService.clock.advance(DAY - 60);
        const { status, body } = await redeemRefreshToken(configuredService, app, refreshToken);
        expect(status).toBe(200);
        refreshToken = String(body.refresh_token);
      }
      configuredService.clock.advance(180);
      expectError(await redeemRefreshToken(configuredService, app, refreshToken), 400, 'invalid_grant');
      expectError(await redeemRefreshToken(configuredService, app, idle.refreshToken), 400, 'invalid_grant');
    } finally {
      await configuredService.close();
    }
  });
});

describe('the grace period for lost responses', () => {
  let withGrace: TestClient;
  beforeAll(async () => {
    withGrace = await service.createClient({ refreshGrace: 30 });
  });
  const obtainTokensWithGrace = () => obtainTokens(service, withGrace, browser);

  test('lets the client exchange a replaced token for its successor', async () => {
    const { refreshToken } = await obtainTokensWithGrace();
    const first = (await redeemRefreshToken(service, withGrace, refreshToken)).body;
    service.clock.advance(20);
    const repeated = await redeemRefreshToken(service, withGrace, refreshToken);
    expect(repeated.status).toBe(200);
    expect(repeated.body.refresh_token).toBe(first.refresh_token);
    expect(await isAccessTokenValid(repeated.body.access_token)).toBe(true);
    expect(await isAccessTokenValid(first.access_token)).toBe(true);
    expect((await redeemRefreshToken(service, withGrace, String(first.refresh_token))).status).toBe(200);
  });

  test('is not extended by a second exchange', async () => {
    const { refreshToken } = await obtainTokensWithGrace();
    const first = (await redeemRefreshToken(service, withGrace, refreshToken)).body;
    service.clock.advance(20);
    expect((await redeemRefreshToken(service, withGrace, refreshToken)).status).toBe(200);
    service.clock.advance(10);
    expectError(await redeemRefreshToken(service, withGrace, refreshToken), 400, 'invalid_grant');
    expect(await isAccessTokenValid(first.access_token)).toBe(false);
    expectError(
      await redeemRefreshToken(service, withGrace, String(first.refresh_token)),
      400,
      'invalid_grant',
    );
  });

  test('ends as soon as the successor is used', async () => {
    const { refreshToken } = await obtainTokensWithGrace();
    const second = (await redeemRefreshToken(service, withGrace, refreshToken)).body;
    const third = (await redeemRefreshToken(service, withGrace, String(second.refresh_token))).body;
    expectError(await redeemRefreshToken(service, withGrace, refreshToken), 400, 'invalid_grant');
    expect(await isAccessTokenValid(third.access_token)).toBe(false);
    expectError(
      await redeemRefreshToken(service, withGrace, String(third.refresh_token)),
      400,
      'invalid_grant',
    );
  });

  test('applies only to the same authenticated client', async () => {
    const { refreshToken } = await obtainTokensWithGrace();
    const { body } = await redeemRefreshToken(service, withGrace, refreshToken);
    expectError(await redeemRefreshToken(service, otherClient, refreshToken), 400, 'invalid_grant');
    expectError(
      await redeemRefreshToken(service, withGrace, refreshToken, { client_secret: 'x' }),
      401,
      'invalid_client',
    );
    expect((await redeemRefreshToken(service, withGrace, String(body.refresh_token))).status).toBe(200);
  });

  test('lets concurrent refreshes return the same successor', async () => {
    const { refreshToken } = await obtainTokensWithGrace();
    const concurrent = await Promise.all(
      [1, 2].map(() => redeemRefreshToken(service, withGrace, refreshToken)),
    );
    expect(concurrent.map(({ status }) => status)).toEqual([200, 200]);
    expect(concurrent[0]?.body.refresh_token).toBe(concurrent[1]?.body.refresh_token);

    const withoutGrace = await obtainClientTokens();
    const withoutGraceResponses = await Promise.all(
      [1, 2].map(() => redeemRefreshToken(service, client, withoutGrace.refreshToken)),
    );
    expect(withoutGraceResponses.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await isAccessTokenValid(withoutGrace.accessToken)).toBe(false);
  });
});

describe('the default grace period', () => {
  test('is 10 seconds for clients registered in the console', async () => {
    const owner = await service.createUser();
    const registered = await registerClient(await openSignedInBrowser(service, owner), { type: 'spa' });
    const clientId = /app_[A-Za-z0-9_-]{20}/.exec(registered.body)?.[0] ?? '';
    const registeredClient = { clientId, clientSecret: '', redirectUri: REDIRECT_URI };
    await expectGracePeriod(registeredClient, await obtainTokens(service, registeredClient, browser), 10);
  });

  test('is 60 seconds for agents (CIMD and DCR clients)', async () => {
    const agent = await registerAgent();
    const tokens = await obtainTokens(service, agent, browser, {
      scope: 'openid profile offline_access',
    });
    await expectGracePeriod(agent, tokens, 60);
  });

  async function registerAgent(): Promise<TestClient> {
    const redirectUri = 'http://127.0.0.1:7777/callback';
    const response = await fetch(`${service.baseUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [redirectUri] }),
    });
    const { client_id: clientId } = (await response.json()) as { client_id: string };
    return { clientId, clientSecret: '', redirectUri };
  }

  async function expectGracePeriod(client: TestClient, { refreshToken }: Tokens, seconds: number) {
    const first = (await redeemRefreshToken(service, client, refreshToken)).body;
    service.clock.advance(seconds - 2);
    const repeated = await redeemRefreshToken(service, client, refreshToken);
    expect([repeated.status, repeated.body.refresh_token]).toEqual([200, first.refresh_token]);
    service.clock.advance(3);
    expectError(await redeemRefreshToken(service, client, refreshToken), 400, 'invalid_grant');
    expect(await isAccessTokenValid(first.access_token)).toBe(false);
  }
});
