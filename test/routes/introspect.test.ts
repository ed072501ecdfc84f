// POST /oauth/introspect: what an application is told about its own tokens (RFC 7662).
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import { obtainTokens, postForm, renew, revoke, signedInBrowser } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

let browser: BrowserSession;
const service = await startTestService();
const application = await service.createApplication();
const user = await service.createUser();
browser = await signedInBrowser(service, user);
afterAll(() => service.close());

const ask = (token: string | undefined, fields: Record<string, string | undefined> = {}, app = application) =>
  postForm(service, '/oauth/introspect', {
    token,
    client_id: app.clientId,
    client_secret: app.clientSecret || undefined,
    ...fields,
  });
const about = async (token: string, fields: Record<string, string | undefined> = {}, app = application) =>
  (await ask(token, fields, app)).body;
const INACTIVE = { active: false };

describe('a live token', () => {
  test('an access token: what it says itself, whatever the hint', async () => {
    const { accessToken } = await obtainTokens(service, application, browser);
    for (const token_type_hint of [undefined, 'access_token', 'refresh_token', 'nonsense'])
      expect(await about(accessToken, { token_type_hint })).toEqual({
        active: true,
        token_type: 'Bearer',
        ...decodeJwt(accessToken),
      });
    const { headers } = await ask(accessToken);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('a refresh token: whose, for what, until when', async () => {
    const { refreshToken } = await obtainTokens(service, application, browser);
    const answer = await about(refreshToken);
    expect(answer).toMatchObject({
      active: true,
      scope: 'openid profile email',
      client_id: application.clientId,
      sub: user.userId,
      iss: service.baseUrl,
    });
    expect(Number(answer.exp) - Number(answer.iat)).toBe(30 * 24 * 3600);
  });
});

describe('inactive, and nothing more is said', () => {
  test('unknown, empty of meaning, altered, a code', async () => {
    const { accessToken } = await obtainTokens(service, application, browser);
    for (const token of ['nonsense', 'a.b.c', `${accessToken}x`, 'sesame_ac_x', '\u00e9'])
      expect(await about(token)).toEqual(INACTIVE);
  });

  test('another application asks', async () => {
    const other = await service.createApplication();
    const { accessToken, refreshToken } = await obtainTokens(service, application, browser);
    for (const token of [accessToken, refreshToken]) expect(await about(token, {}, other)).toEqual(INACTIVE);
  });

  test('revoked, superseded', async () => {
    const first = await obtainTokens(service, application, browser);
    await renew(service, application, first.refreshToken);
    expect(await about(first.refreshToken)).toEqual(INACTIVE);
    expect((await about(first.accessToken)).active).toBe(true); // D15: it lives to its own end
    await revoke(service, application, first.accessToken);
    expect(await about(first.accessToken)).toEqual(INACTIVE);
  });

  test('expired: the access token after an hour, the refresh token after 30 days without use', async () => {
    const { accessToken, refreshToken } = await obtainTokens(service, application, browser);
    service.clock.advance(3600);
    expect(await about(accessToken)).toEqual(INACTIVE);
    expect((await about(refreshToken)).active).toBe(true);
    service.clock.advance(30 * 24 * 3600);
    expect(await about(refreshToken)).toEqual(INACTIVE);
    browser = await signedInBrowser(service, user);
  });
});

describe('who may ask (§2.1)', () => {
  test('nobody without credentials, or with wrong ones', async () => {
    expectError(await ask('x', { client_secret: 'wrong' }), 401, 'invalid_client');
    expectError(await ask('x', { client_secret: undefined }), 401, 'invalid_client');
    expectError(await ask('x', { client_id: undefined }), 400, 'invalid_request');
    expectError(await ask(undefined), 400, 'invalid_request');
  });

  test('no public application', async () => {
    const single = await service.createApplication({ type: 'public' });
    expectError(await ask('x', {}, single), 400, 'unauthorized_client');
  });
});
