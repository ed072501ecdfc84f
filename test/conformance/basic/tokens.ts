// Basic certification plan: modules for the token endpoint and ID tokens.
import { decodeProtectedHeader } from 'jose';
import { expect } from 'vitest';
import { readJson } from '../../support/oauth-flow.ts';
import { fetchDiscovery, type Modules } from '../relying-party.ts';

export const TOKEN_MODULES: Modules = {
  'oidcc-idtoken-signature': async (rp) => {
    // rp.signIn verifies the token's signature.
    const { idToken } = await rp.signIn();
    const { alg, kid } = decodeProtectedHeader(idToken);
    expect(alg).toBe('RS256');
    const { body } = await readJson(await fetch(String((await fetchDiscovery(rp.service)).jwks_uri)));
    const kids = (body.keys as { kid: string }[]).map((key) => key.kid);
    expect(kids.filter((id) => id === kid)).toHaveLength(1);
  },

  'oidcc-idtoken-unsigned': async (rp) => {
    const { idToken } = await rp.signIn();
    expect((await fetchDiscovery(rp.service)).id_token_signing_alg_values_supported).not.toContain('none');
    const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    const unsignedToken = `${header}.${idToken.split('.')[1]}.`;
    expect(await rp.expectRefusal({ id_token_hint: unsignedToken })).toBe('invalid_request');
  },

  'oidcc-server-client-secret-post': async (rp) => {
    await rp.exchange(await rp.authorize(), {}, 'post');
  },

  'oidcc-codereuse': async (rp) => {
    const { authorization } = await rp.signIn();
    const { status, body } = await rp.redeem(authorization);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  },

  'oidcc-codereuse-30seconds': async (rp) => {
    const { authorization, accessToken } = await rp.signIn();
    rp.service.clock.advance(30);
    expect((await rp.userinfo(accessToken)).status).toBe(200);
    const { status, body } = await rp.redeem(authorization);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    expect((await rp.userinfo(accessToken)).status, 'RFC 6749 §4.1.2').toBe(401);
  },

  'oidcc-refresh-token': async (rp) => {
    const scope = 'openid offline_access';
    const first = await rp.signIn({ scope, prompt: 'consent' });
    rp.service.clock.advance(1);
    const response = await rp.refresh(first.refreshToken, { scope });
    const refreshed = await rp.checkTokens(response, first.authorization, undefined);
    expect(refreshed.accessToken).not.toBe(first.accessToken);
    // A refresh issues an ID token with the same claims, except for a later iat (OpenID Connect Core §12.2).
    const { iss, sub, aud, auth_time, sid } = first.claims;
    expect(refreshed.claims).toMatchObject({ iss, sub, aud, auth_time, sid });
    expect(refreshed.claims.iat).toBeGreaterThan(first.claims.iat ?? 0);
    expect((await rp.userinfo(refreshed.accessToken)).body).toEqual({ sub });

    const secondClient = await rp.openAnother();
    const secondTokens = await secondClient.signIn({ scope, prompt: 'consent' });
    const rejected = await rp.refresh(secondTokens.refreshToken);
    expect([rejected.status, rejected.body.error]).toEqual([400, 'invalid_grant']);
    expect(
      (await secondClient.refresh(secondTokens.refreshToken)).status,
      'still valid for the client it was issued to',
    ).toBe(200);
  },
};
