// The modules of the Basic plan that are about the token endpoint and what it gives.
import { decodeProtectedHeader } from 'jose';
import { expect } from 'vitest';
import { readJson } from '../../support/flow.ts';
import { discover, type Modules } from '../relying-party.ts';

export const TOKENS: Modules = {
  'oidcc-idtoken-signature': async (rp) => {
    const { idToken } = await rp.signIn(); // the signature is checked there
    const { alg, kid } = decodeProtectedHeader(idToken);
    expect(alg).toBe('RS256');
    const { body } = await readJson(await fetch(String((await discover(rp.service)).jwks_uri)));
    const kids = (body.keys as { kid: string }[]).map((key) => key.kid);
    expect(kids.filter((one) => one === kid)).toHaveLength(1);
  },

  // For applications that register themselves; here nobody gets one, and none is believed.
  'oidcc-idtoken-unsigned': async (rp) => {
    const { idToken } = await rp.signIn();
    expect((await discover(rp.service)).id_token_signing_alg_values_supported).not.toContain('none');
    const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    const stripped = `${header}.${idToken.split('.')[1]}.`;
    expect(await rp.refused({ id_token_hint: stripped })).toBe('invalid_request');
  },

  'oidcc-server-client-secret-post': async (rp) => {
    await rp.exchange(await rp.authorize(), {}, 'post');
  },

  'oidcc-codereuse': async (rp) => {
    const { arrival } = await rp.signIn();
    const { status, body } = await rp.redeem(arrival);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  },

  'oidcc-codereuse-30seconds': async (rp) => {
    const { arrival, accessToken } = await rp.signIn();
    rp.service.clock.advance(30);
    expect((await rp.userinfo(accessToken)).status).toBe(200);
    const { status, body } = await rp.redeem(arrival);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    expect((await rp.userinfo(accessToken)).status, 'RFC 6749 §4.1.2').toBe(401);
  },

  'oidcc-refresh-token': async (rp) => {
    const scope = 'openid offline_access';
    const first = await rp.signIn({ scope, prompt: 'consent' });
    rp.service.clock.advance(1);
    const answer = await rp.renew(first.refreshToken, { scope });
    const renewed = await rp.checkTokens(answer, first.arrival, undefined);
    expect(renewed.accessToken).not.toBe(first.accessToken);
    // Core §12.2: the same person, application and sign-in, at a later time.
    const { iss, sub, aud, auth_time, sid } = first.claims;
    expect(renewed.claims).toMatchObject({ iss, sub, aud, auth_time, sid });
    expect(renewed.claims.iat).toBeGreaterThan(first.claims.iat ?? 0);
    expect((await rp.userinfo(renewed.accessToken)).body).toEqual({ sub });

    const other = await rp.another();
    const theirs = await other.signIn({ scope, prompt: 'consent' });
    const stolen = await rp.renew(theirs.refreshToken);
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant']);
    expect((await other.renew(theirs.refreshToken)).status, 'its own application can still use it').toBe(200);
  },
};
