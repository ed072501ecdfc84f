import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import {
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

let browser: BrowserSession;
const service = await startTestService();
const client = await service.createClient();
const user = await service.createUser();
browser = await openSignedInBrowser(service, user);
afterAll(() => service.close());

const send = (token: string | undefined, fields: Record<string, string | undefined> = {}, app = client) =>
  postForm(service, '/oauth/introspect', {
    token,
    client_id: app.clientId,
    client_secret: app.clientSecret || undefined,
    ...fields,
  });
const introspectToken = async (
  token: string,
  fields: Record<string, string | undefined> = {},
  app = client,
) => (await send(token, fields, app)).body;
const INACTIVE_RESPONSE = { active: false };

describe('introspection', () => {
  test('returns an access token’s claims', async () => {
    const { accessToken } = await obtainTokens(service, client, browser);
    for (const token_type_hint of [undefined, 'access_token', 'refresh_token', 'nonsense'])
      expect(await introspectToken(accessToken, { token_type_hint })).toEqual({
        active: true,
        token_type: 'Bearer',
        ...decodeJwt(accessToken),
      });
    const { headers } = await send(accessToken);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('returns a refresh token’s claims', async () => {
    const { refreshToken } = await obtainTokens(service, client, browser);
    const response = await introspectToken(refreshToken);
    expect(response).toMatchObject({
      active: true,
      scope: 'openid profile email',
      client_id: client.clientId,
      sub: user.userId,
      iss: service.baseUrl,
    });
    expect(Number(response.exp) - Number(response.iat)).toBe(30 * 24 * 3600);
  });
});

describe('introspected tokens', () => {
  test('are inactive if they are malformed or modified', async () => {
    const { accessToken } = await obtainTokens(service, client, browser);
    for (const token of ['nonsense', 'a.b.c', `${accessToken}x`, 'sesame_ac_x', '\u00e9'])
      expect(await introspectToken(token)).toEqual(INACTIVE_RESPONSE);
  });

  test('are inactive if they belong to a different client', async () => {
    const other = await service.createClient();
    const { accessToken, refreshToken } = await obtainTokens(service, client, browser);
    for (const token of [accessToken, refreshToken])
      expect(await introspectToken(token, {}, other)).toEqual(INACTIVE_RESPONSE);
  });

  test('are inactive once they are revoked or superseded', async () => {
    const tokens = await obtainTokens(service, client, browser);
    await redeemRefreshToken(service, client, tokens.refreshToken);
    expect(await introspectToken(tokens.refreshToken)).toEqual(INACTIVE_RESPONSE);
    expect((await introspectToken(tokens.accessToken)).active).toBe(true);
    await revokeToken(service, client, tokens.accessToken);
    expect(await introspectToken(tokens.accessToken)).toEqual(INACTIVE_RESPONSE);
  });

  test('are inactive once they have expired', async () => {
    const { accessToken, refreshToken } = await obtainTokens(service, client, browser);
    service.clock.advance(3600);
    expect(await introspectToken(accessToken)).toEqual(INACTIVE_RESPONSE);
    expect((await introspectToken(refreshToken)).active).toBe(true);
    service.clock.advance(30 * 24 * 3600);
    expect(await introspectToken(refreshToken)).toEqual(INACTIVE_RESPONSE);
    browser = await openSignedInBrowser(service, user);
  });
});

describe('authentication for introspection', () => {
  test('fails without credentials or with wrong credentials', async () => {
    expectError(await send('x', { client_secret: 'wrong' }), 401, 'invalid_client');
    expectError(await send('x', { client_secret: undefined }), 401, 'invalid_client');
    expectError(await send('x', { client_id: undefined }), 400, 'invalid_request');
    expectError(await send(undefined), 400, 'invalid_request');
  });

  test('fails with unauthorized_client for public clients', async () => {
    const publicClient = await service.createClient({ type: 'public' });
    expectError(await send('x', {}, publicClient), 400, 'unauthorized_client');
  });
});
