import { afterAll, describe, expect, test } from 'vitest';
import { withdrawConsent } from '../../src/store/consents.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import {
  fetchUserinfo,
  obtainCode,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
  signIn,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient, type TestUser } from '../support/service.ts';
import { deleteClient, deleteUser, rotateClientSecret, sql, suspendUser } from '../support/store-fixtures.ts';

const service = await startTestService();
afterAll(() => service.close());

async function issueCodeAndTokens(client: TestClient, user: TestUser) {
  const browser = await openSignedInBrowser(service, user);
  const tokens = await obtainTokens(service, client, browser);
  const { body } = await redeemRefreshToken(service, client, tokens.refreshToken);
  return {
    accessTokens: [tokens.accessToken, String(body.access_token)],
    refreshToken: String(body.refresh_token),
    code: await obtainCode(service, client, browser),
  };
}
type IssuedCodeAndTokens = Awaited<ReturnType<typeof issueCodeAndTokens>>;

async function expectValid(client: TestClient, { accessTokens, refreshToken, code }: IssuedCodeAndTokens) {
  for (const token of accessTokens) expect((await fetchUserinfo(service, token)).status).toBe(200);
  expect((await redeemRefreshToken(service, client, refreshToken)).status).toBe(200);
  expect((await redeemCode(service, client, code)).status).toBe(200);
}

async function expectRevoked(
  client: TestClient,
  { accessTokens, refreshToken, code }: IssuedCodeAndTokens,
  [status, error]: [number, string] = [400, 'invalid_grant'],
) {
  for (const token of accessTokens) expectError(await fetchUserinfo(service, token), 401, 'invalid_token');
  expectError(await redeemRefreshToken(service, client, refreshToken), status, error);
  expectError(await redeemCode(service, client, code), status, error);
}

describe('codes and tokens', () => {
  test('are revoked when their client is deleted', async () => {
    const user = await service.createUser();
    const [client, other] = [await service.createClient(), await service.createClient()];
    const [revoked, unaffected] = [
      await issueCodeAndTokens(client, user),
      await issueCodeAndTokens(other, user),
    ];
    expect(await deleteClient(service.services.database, client.clientId)).toBe(true);
    await expectRevoked(client, revoked, [401, 'invalid_client']);
    expectError(await revokeToken(service, client, revoked.refreshToken), 401, 'invalid_client');
    await expectValid(other, unaffected);
  });

  test('are revoked when consent is withdrawn', async () => {
    const [user, otherUser] = [await service.createUser(), await service.createUser()];
    const [client, other] = [await service.createClient(), await service.createClient()];
    const revoked = await issueCodeAndTokens(client, user);
    const unaffected = await issueCodeAndTokens(client, otherUser);
    const otherClient = await issueCodeAndTokens(other, user);
    const { database, now } = service.services;
    expect(await withdrawConsent(database, user.userId, client.clientId, now())).toBe(true);
    await expectRevoked(client, revoked);
    await expectValid(client, unaffected);
    await expectValid(other, otherClient);
  });

  test('are revoked when the password is changed', async () => {
    const user = await service.createUser();
    const client = await service.createClient();
    const revoked = await issueCodeAndTokens(client, user);
    const { database, hasher } = service.services;
    const password = 'another-long-password-7';
    expect(await setAccountPassword(database, user.userId, await hasher.hash(password))).toBe(true);
    await expectRevoked(client, revoked);
    await expectValid(client, await issueCodeAndTokens(client, { ...user, password }));
  });

  test('are permanently revoked when the account is suspended', async () => {
    const user = await service.createUser();
    const client = await service.createClient();
    const revoked = await issueCodeAndTokens(client, user);
    expect(await suspendUser(service.services.database, user.userId, service.services.now())).toBe(true);
    await expectRevoked(client, revoked);
    await sql(service.services.database, 'update users set suspended_at = null where id = $1', [user.userId]);
    await expectRevoked(client, revoked);
    await suspendUser(service.services.database, user.userId, service.services.now());
    const browser = openBrowserSession(service.baseUrl);
    expect((await signIn(browser, user)).status).not.toBe(200);
    expect(browser.cookies.has('sesame')).toBe(false);
  });

  test('are revoked when the client is suspended', async () => {
    const client = await service.createClient();
    const revoked = await issueCodeAndTokens(client, await service.createUser());
    const { database, now } = service.services;
    await sql(database, 'update clients set suspended_at = $2 where client_id = $1', [
      client.clientId,
      now(),
    ]);
    await expectRevoked(client, revoked, [401, 'invalid_client']);
    expectError(await revokeToken(service, client, revoked.refreshToken), 401, 'invalid_client');
  });

  test('are revoked when the account is deleted', async () => {
    const user = await service.createUser();
    const client = await service.createClient();
    const revoked = await issueCodeAndTokens(client, user);
    expect(await deleteUser(service.services.database, user.userId)).toBe(true);
    await expectRevoked(client, revoked);
    const successor = await service.createUser({ email: user.email });
    await expectRevoked(client, revoked);
    const { accessTokens } = await issueCodeAndTokens(client, successor);
    const { body } = await fetchUserinfo(service, accessTokens[0] ?? '');
    expect(body.sub).toBe(successor.userId);
    expect(body.sub).not.toBe(user.userId);
  });
});

describe('client secret rotation', () => {
  test('keeps the old secret valid during the overlap', async () => {
    const user = await service.createUser();
    const client = await service.createClient();
    const { code, refreshToken, accessTokens } = await issueCodeAndTokens(client, user);
    const { database, now } = service.services;
    const clientSecret = await rotateClientSecret(database, client.clientId, 3000, now());
    const rotated = { ...client, clientSecret };
    expect((await redeemCode(service, client, code)).status).toBe(200);
    const refreshed = await redeemRefreshToken(service, rotated, refreshToken);
    expect(refreshed.status).toBe(200);
    const next = String(refreshed.body.refresh_token);

    service.clock.advance(2990);
    const lateRefresh = await redeemRefreshToken(service, client, next);
    expect(lateRefresh.status).toBe(200);
    expect((await fetchUserinfo(service, accessTokens[0] ?? '')).status).toBe(200);
    service.clock.advance(10);
    const last = String(lateRefresh.body.refresh_token);
    expectError(await redeemRefreshToken(service, client, last), 401, 'invalid_client');
    expect((await redeemRefreshToken(service, rotated, last)).status).toBe(200);
  });

  test('replaces the old secret immediately without an overlap', async () => {
    const client = await service.createClient();
    const { refreshToken } = await issueCodeAndTokens(client, await service.createUser());
    const { database, now } = service.services;
    const clientSecret = await rotateClientSecret(database, client.clientId, 0, now());
    expectError(await redeemRefreshToken(service, client, refreshToken), 401, 'invalid_client');
    expect((await redeemRefreshToken(service, { ...client, clientSecret }, refreshToken)).status).toBe(200);
  });

  test('does not extend an earlier overlap', async () => {
    const client = await service.createClient();
    const { refreshToken } = await issueCodeAndTokens(client, await service.createUser());
    const { database, now } = service.services;
    const secondSecret = await rotateClientSecret(database, client.clientId, 60, now());
    const thirdSecret = await rotateClientSecret(database, client.clientId, 3600, now());
    service.clock.advance(61);
    expectError(await redeemRefreshToken(service, client, refreshToken), 401, 'invalid_client');
    const { status, body } = await redeemRefreshToken(
      service,
      { ...client, clientSecret: secondSecret },
      refreshToken,
    );
    expect(status).toBe(200);
    const next = String(body.refresh_token);
    expect((await redeemRefreshToken(service, { ...client, clientSecret: thirdSecret }, next)).status).toBe(
      200,
    );
  });
});
