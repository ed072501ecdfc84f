// GET /.well-known/jwks.json, and what is signed with its keys: access tokens and id_tokens (D23, D24).
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
import { obtainTokens, readJson, renew, signedInBrowser } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const user = await service.createUser();
const browser = await signedInBrowser(service, user);
const answer = await readJson(await fetch(new URL('/.well-known/jwks.json', service.baseUrl)));
const published = answer.body as unknown as JSONWebKeySet;
afterAll(() => service.close());

const seconds = () => Math.floor(service.clock.now().getTime() / 1000);

/** Verifies as a client or resource server would, with nothing but the published keys. */
async function verify(
  token: string | undefined,
  audience: string,
  algorithm: string,
  typ: string,
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token ?? '', createLocalJWKSet(published), {
    issuer: service.baseUrl,
    audience,
    algorithms: [algorithm],
    typ,
    currentDate: service.clock.now(),
  });
  return payload;
}
const verifyAccessToken = (token: string | undefined) => verify(token, service.baseUrl, 'ES256', 'at+jwt');
const verifyIdToken = (token: string | undefined, app = application) =>
  verify(token, app.clientId, 'RS256', 'JWT');

describe('the published keys (RFC 7517)', () => {
  test('may be cached for five minutes', () => {
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  });

  test('RFC 7517 §5: one for each algorithm in use, with kid, alg and use; nothing private', () => {
    expect(published.keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'EdDSA', 'RS256']);
    expect(new Set(published.keys.map(({ kid }) => kid)).size).toBe(3);
    for (const key of published.keys) {
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

describe('access tokens (D23, RFC 9068)', () => {
  test('D23: are verifiable offline, with exactly the claims of the decision', async () => {
    const issuedAt = seconds();
    const { accessToken } = await obtainTokens(service, application, browser, { scope: 'profile email' });
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
      sub: user.userId, // D23: without openid too
      client_id: application.clientId,
      scope: 'profile email',
    });
    expect(claims.iat).toBeGreaterThanOrEqual(issuedAt);
    expect(claims.iat).toBeLessThanOrEqual(seconds());
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
  });
});

describe('id_tokens (D24, OpenID Connect Core §2)', () => {
  test('D24: RS256 with kid, and exactly the claims of the decision', async () => {
    const signedInAt = seconds();
    const person = await signedInBrowser(service, user);
    const until = seconds();
    service.clock.advance(500);
    const { idToken, accessToken } = await obtainTokens(service, application, person, {
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
    expect(claims).toMatchObject({ sub: user.userId, aud: application.clientId, nonce: 'n-0S6_WzA2Mj' });
    // OpenID Connect Core §3.1.3.6: the left half of the hash of the access token.
    const hash = createHash('sha256').update(accessToken, 'ascii').digest();
    expect(claims.at_hash).toBe(hash.subarray(0, 16).toString('base64url'));
    // auth_time is when the person signed in, not when the token was made.
    expect(claims.auth_time).toBeGreaterThanOrEqual(signedInAt);
    expect(claims.auth_time).toBeLessThanOrEqual(until);
    expect((claims.iat ?? 0) - Number(claims.auth_time)).toBeGreaterThanOrEqual(499);
  });

  test('D24: sid is the session: the same for two grants of one, another in another browser', async () => {
    const sidOf = async (person: BrowserSession) =>
      (await verifyIdToken((await obtainTokens(service, application, person)).idToken)).sid;
    const other = await signedInBrowser(service, user);
    const [first, again, elsewhere] = [await sidOf(browser), await sidOf(browser), await sidOf(other)];
    expect(first).toBe(again);
    expect(elsewhere).not.toBe(first);
    // D32: what is told to applications is not what the cookie holds.
    expect([...browser.cookies.values()]).not.toContain(first);
  });

  test('D19: in standard mode a renewal has one again, about the same sign-in (OpenID Connect Core §12.2)', async () => {
    const standard = await service.createApplication({ standard: true });
    const tokens = await obtainTokens(service, standard, browser, { nonce: 'first' });
    const original = await verifyIdToken(tokens.idToken, standard);
    service.clock.advance(100);
    const { body } = await renew(service, standard, tokens.refreshToken);
    const renewed = await verifyIdToken(String(body.id_token), standard);
    for (const claim of ['iss', 'sub', 'aud', 'auth_time', 'sid'])
      expect(renewed[claim]).toBe(original[claim]);
    expect((renewed.iat ?? 0) - (original.iat ?? 0)).toBeGreaterThanOrEqual(100);
    expect(renewed).not.toHaveProperty('nonce');
    const hash = createHash('sha256').update(String(body.access_token)).digest();
    expect(renewed.at_hash).toBe(hash.subarray(0, 16).toString('base64url'));
    const narrowed = await renew(service, standard, String(body.refresh_token), { scope: 'profile' });
    expect(narrowed.body).not.toHaveProperty('id_token');
  });
});
