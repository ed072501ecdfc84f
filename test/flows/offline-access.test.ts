// The offline_access scope. Client libraries expect it in token responses.
import { afterAll, expect, test } from 'vitest';
import { listConsents } from '../../src/store/consents.ts';
import { statement } from '../../src/store/statement.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  readJson,
  redeemCode,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const SCOPE = 'openid profile offline_access';
const service = await startTestService();
const client = await service.createClient();
await service.services.database.query(
  statement('test_devices', 'update clients set device_flow = true where client_id = $1'),
  [client.clientId],
);
const user = await service.createUser();
const browser = await openSignedInBrowser(service, user);
afterAll(() => service.close());

const buildCredentials = () => ({ client_id: client.clientId, client_secret: client.clientSecret });
/** oauthlib raises an error if the response omits a requested scope. */
const listMissingScopes = (requested: string, body: Record<string, unknown>) =>
  requested.split(' ').filter((scope) => !String(body.scope).split(' ').includes(scope));
const decodePayload = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
const introspect = async (token: unknown) =>
  (await postForm(service, '/oauth/introspect', { ...buildCredentials(), token: String(token) })).body;

test('the discovery document lists offline_access as a supported scope', async () => {
  const url = new URL('/.well-known/openid-configuration', service.baseUrl);
  const { body } = await readJson(await fetch(url));
  expect(body.scopes_supported).toContain('offline_access');
});

test('tokens, token responses and introspection responses contain the offline_access scope', async () => {
  const callback = await authorize(service, client, browser, { scope: SCOPE });
  const first = await redeemCode(service, client, callback.searchParams.get('code') ?? '');
  let refreshToken = String(first.body.refresh_token);
  for (const { body } of [first, await redeemRefreshToken(service, client, refreshToken)]) {
    expect(body.scope).toBe(SCOPE);
    expect(listMissingScopes(SCOPE, body)).toEqual([]);
    expect(decodePayload(body.access_token).scope).toBe(SCOPE);
    expect((await introspect(body.access_token)).scope).toBe(SCOPE);
    expect((await fetchUserinfo(service, String(body.access_token))).body.sub).toBe(user.userId);
    refreshToken = String(body.refresh_token);
  }
  expect((await introspect(refreshToken)).scope).toBe(SCOPE);
  const narrowed = await redeemRefreshToken(service, client, refreshToken, {
    scope: 'profile offline_access',
  });
  expect(narrowed.body.scope).toBe('profile offline_access');
  const refreshed = await redeemRefreshToken(service, client, String(narrowed.body.refresh_token));
  expect(refreshed.body.scope).toBe(SCOPE);
});

test('token responses contain offline_access after PAR and in the device flow', async () => {
  const url = buildAuthorizeUrl(service, client, { scope: SCOPE });
  const fields = Object.fromEntries(url.searchParams);
  const { body } = await postForm(service, '/oauth/par', { ...fields, ...buildCredentials() });
  const { clientId: client_id } = client;
  const query = new URLSearchParams({ client_id, request_uri: String(body.request_uri) });
  const { location } = await browser.follow(await browser.get(`/oauth/authorize?${query}`));
  const redeemed = await redeemCode(service, client, location?.searchParams.get('code') ?? '');
  expect(listMissingScopes(SCOPE, redeemed.body)).toEqual([]);

  const requested = await postForm(service, '/oauth/device_authorization', {
    ...buildCredentials(),
    scope: SCOPE,
  });
  const { hidden } = await browser.get('/device');
  const decision = await browser.follow(
    await browser.post('/device', { ...hidden, user_code: String(requested.body.user_code) }),
  );
  expect(decision.body).not.toContain('offline');
  await browser.post('/device/decision', { ...decision.hidden, decision: 'allow' });
  const tokens = await postForm(service, '/oauth/token', {
    ...buildCredentials(),
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: String(requested.body.device_code),
  });
  expect(listMissingScopes(SCOPE, tokens.body)).toEqual([]);
  const refreshed = await redeemRefreshToken(service, client, String(tokens.body.refresh_token));
  expect(listMissingScopes(SCOPE, refreshed.body)).toEqual([]);
});

test('offline_access requires no consent', async () => {
  const otherClient = await service.createClient();
  const account = await service.createUser();
  const userBrowser = await openSignedInBrowser(service, account);
  const page = await userBrowser.follow(
    await userBrowser.get(buildAuthorizeUrl(service, otherClient, { scope: SCOPE })),
  );
  expect(page.status).toBe(200);
  expect(page.body).not.toContain('offline');
  await obtainTokens(service, otherClient, userBrowser, { scope: 'openid profile' });
  const silentRequest = { scope: SCOPE, prompt: 'none' };
  const { location } = await userBrowser.get(buildAuthorizeUrl(service, otherClient, silentRequest));
  const { body } = await redeemCode(service, otherClient, location?.searchParams.get('code') ?? '');
  expect(body.scope).toBe(SCOPE);
  expect((await listConsents(service.services.database, account.userId))[0]?.scopes).toEqual([
    'openid',
    'profile',
  ]);
});

test('offline_access cannot be requested alone or added by a refresh', async () => {
  const { location } = await browser.get(buildAuthorizeUrl(service, client, { scope: 'offline_access' }));
  expect(location?.searchParams.get('error')).toBe('invalid_scope');
  const deviceRequest = { ...buildCredentials(), scope: 'offline_access' };
  expectError(await postForm(service, '/oauth/device_authorization', deviceRequest), 400, 'invalid_scope');
  const { refreshToken } = await obtainTokens(service, client, browser, { scope: 'openid profile' });
  const narrowed = await redeemRefreshToken(service, client, refreshToken, { scope: 'offline_access' });
  expectError(narrowed, 400, 'invalid_scope');
  const { body } = await redeemRefreshToken(service, client, refreshToken, { scope: SCOPE });
  expect(body.scope).toBe('openid profile');
});
