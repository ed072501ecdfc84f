import { createHash } from 'node:crypto';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { obtainTokens, openSignedInBrowser, readJson, redeemRefreshToken } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
const user = await service.createUser();
const browser = await openSignedInBrowser(service, user);
const response = await readJson(await fetch(new URL('/.well-known/jwks.json', service.baseUrl)));
const publishedKeys = response.body as unknown as JSONWebKeySet;
afterAll(() => service.close());

const nowInSeconds = () => Math.floor(service.clock.now().getTime() / 1000);

async function verifyJwt(
  token: string | undefined,
  audience: string,
  algorithm: string,
  typ: string,
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token ?? '', createLocalJWKSet(publishedKeys), {
    issuer: service.baseUrl,
    audience,
    algorithms: [algorithm],
    typ,
    currentDate: service.clock.now(),
  });
  return payload;
}
const verifyAccessToken = (token: string | undefined) => verifyJwt(token, service.baseUrl, 'ES256', 'at+jwt');
const verifyIdToken = (token: string | undefined, app = client) =>
  verifyJwt(token, app.clientId, 'RS256', 'JWT');

describe('the JWKS', () => {
  test('may be cached for five minutes', () => {
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  });

  test('has one public key per algorithm, with kid, alg and use', () => {
    expect(publishedKeys.keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'EdDSA', 'RS256']);
    expect(new Set(publishedKeys.keys.map(({ kid }) => kid)).size).toBe(3);
    for (const key of publishedKeys.keys) {
      const members: Record<string, string[]> = {
        EC: ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
        OKP: ['alg', 'crv', 'kid', 'kty', 'use', 'x'],
        RSA: ['alg', 'e', 'kid', 'kty', 'n', 'use'],
      };
      expect(Object.keys(key).sort()).toEqual(members[key.kty ?? '']);
      expect(key.use).toBe('sig');
      if (key.kty === 'RSA') expect(Buffer.from(key.n ?? '', 'base64url').length).toBeGreaterThanOrEqual(256);
    }
  });
});

describe('access tokens', () => {
  test('can be verified offline and have exactly the expected claims', async () => {
    const issuedAt = nowInSeconds();
    const { accessToken } = await obtainTokens(service, client, browser, { scope: 'profile email' });
    const header = decodeProtectedHeader(accessToken);
    expect(Object.keys(header).sort()).toEqual(['alg', 'kid', 'typ']);
    const claims = await verifyAccessToken(accessToken);
    expect(Object.keys(claims).sort()).toEqual([
      'aud',
      'client_id',
      'exp',
      'iat',
      'iss',
      'jti',
      'scope',
      'sub',
    ]);
    expect(claims).toMatchObject({
      iss: service.baseUrl,
      aud: service.baseUrl,
      // The token has a sub even without the openid scope.
      sub: user.userId,
      client_id: client.clientId,
      scope: 'profile email',
    });
    expect(claims.iat).toBeGreaterThanOrEqual(issuedAt);
    expect(claims.iat).toBeLessThanOrEqual(nowInSeconds());
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
  });
});

describe('id_tokens', () => {
  test('are signed with RS256 and have exactly the expected claims', async () => {
    const signedInAt = nowInSeconds();
    const newBrowser = await openSignedInBrowser(service, user);
    const until = nowInSeconds();
    service.clock.advance(500);
    const { idToken, accessToken } = await obtainTokens(service, client, newBrowser, {
      nonce: 'n-0S6_WzA2Mj',
    });
    const claims = await verifyIdToken(idToken);
    expect(Object.keys(claims).sort()).toEqual([
      'acr',
      'amr',
      'at_hash',
      'aud',
      'auth_time',
      'exp',
      'iat',
      'iss',
      'nonce',
      'sid',
      'sub',
    ]);
    expect(claims).toMatchObject({ sub: user.userId, aud: client.clientId, nonce: 'n-0S6_WzA2Mj' });
    const hash = createHash('sha256').update(accessToken, 'ascii').digest();
    expect(claims.at_hash).toBe(hash.subarray(0, 16).toString('base64url'));
    // auth_time is the time of the sign-in, not of the token request.
    expect(claims.auth_time).toBeGreaterThanOrEqual(signedInAt);
    expect(claims.auth_time).toBeLessThanOrEqual(until);
    expect((claims.iat ?? 0) - Number(claims.auth_time)).toBeGreaterThanOrEqual(499);
  });

  test('have the same sid only within a session', async () => {
    const obtainSid = async (signedIn: BrowserSession) =>
      (await verifyIdToken((await obtainTokens(service, client, signedIn)).idToken)).sid;
    const other = await openSignedInBrowser(service, user);
    const [firstSid, secondSid, otherSid] = [
      await obtainSid(browser),
      await obtainSid(browser),
      await obtainSid(other),
    ];
    expect(firstSid).toBe(secondSid);
    expect(otherSid).not.toBe(firstSid);
    // The sid isn't the session ID in the cookie.
    expect([...browser.cookies.values()]).not.toContain(firstSid);
  });

  test('keep the original auth_time after a refresh (OpenID Connect Core §12.2)', async () => {
    const standard = await service.createClient({ standard: true });
    const tokens = await obtainTokens(service, standard, browser, { nonce: 'first' });
    const original = await verifyIdToken(tokens.idToken, standard);
    service.clock.advance(100);
    const { body } = await redeemRefreshToken(service, standard, tokens.refreshToken);
    const refreshed = await verifyIdToken(String(body.id_token), standard);
    for (const claim of ['iss', 'sub', 'aud', 'auth_time', 'sid'])
      expect(refreshed[claim]).toBe(original[claim]);
    expect((refreshed.iat ?? 0) - (original.iat ?? 0)).toBeGreaterThanOrEqual(100);
    expect(refreshed).not.toHaveProperty('nonce');
    const hash = createHash('sha256').update(String(body.access_token)).digest();
    expect(refreshed.at_hash).toBe(hash.subarray(0, 16).toString('base64url'));
    const narrowed = await redeemRefreshToken(service, standard, String(body.refresh_token), {
      scope: 'profile',
    });
    expect(narrowed.body).not.toHaveProperty('id_token');
  });
});
