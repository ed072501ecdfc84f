// Basic certification plan: modules for userinfo requests and the claims of each scope.
import { expect } from 'vitest';
import { fetchDiscovery, type Modules, type RelyingParty } from '../relying-party.ts';

/** Signs in with a scope. @returns the userinfo response */
async function fetchUserinfo(rp: RelyingParty, scope: string): Promise<Record<string, unknown>> {
  const { accessToken, claims } = await rp.signIn({ scope });
  const { status, headers, body } = await rp.userinfo(accessToken);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body.sub).toBe(claims.sub);
  return body;
}

const buildProfileClaims = ({ user }: RelyingParty) => ({
  name: user.name,
  picture: expect.stringMatching(/^https?:\/\/./),
  updated_at: expect.toSatisfy((seconds) => Number.isInteger(seconds) && seconds > 1e9 && seconds < 1e10),
});
const buildEmailClaims = ({ user }: RelyingParty) => ({
  preferred_username: user.email,
  email: user.email,
  email_verified: true,
});
const phone = { phone_number: '+33612345678' };
const sub = expect.any(String);

export const CLAIMS_MODULES: Modules = {
  'oidcc-userinfo-get': async (rp) => {
    expect(await fetchUserinfo(rp, 'openid')).toEqual({ sub: rp.user.userId });
  },

  'oidcc-userinfo-post-header': async (rp) => {
    const { accessToken } = await rp.signIn();
    const headers = { authorization: `Bearer ${accessToken}` };
    const { status, body } = await rp.userinfo(accessToken, { method: 'POST', headers });
    expect([status, body]).toEqual([200, { sub: rp.user.userId }]);
  },

  'oidcc-userinfo-post-body': async (rp) => {
    const { accessToken } = await rp.signIn();
    const form = new URLSearchParams({ access_token: accessToken });
    const { status, body } = await rp.userinfo(accessToken, { method: 'POST', body: form });
    expect([status, body]).toEqual([200, { sub: rp.user.userId }]);
  },

  'oidcc-scope-profile': async (rp) => {
    expect(await fetchUserinfo(rp, 'openid profile')).toEqual({ sub, ...buildProfileClaims(rp) });
  },

  'oidcc-scope-email': async (rp) => {
    expect(await fetchUserinfo(rp, 'openid email')).toEqual({ sub, ...buildEmailClaims(rp) });
  },

  // The official suite skips this module if scopes_supported lacks `address`.
  'oidcc-scope-address': async (rp) => {
    expect((await fetchDiscovery(rp.service)).scopes_supported).not.toContain('address');
    expect(await fetchUserinfo(rp, 'openid address')).toEqual({ sub });
    // The granted scope differs from the requested one, so the response contains it (RFC 6749 §3.3).
    expect((await rp.signIn({ scope: 'openid address' })).body.scope).toBe('openid');
  },

  'oidcc-scope-phone': async (rp) => {
    expect(await fetchUserinfo(rp, 'openid phone')).toEqual({ sub, ...phone });
  },

  'oidcc-scope-all': async (rp) => {
    const claims = await fetchUserinfo(rp, 'openid profile email address phone');
    expect(claims).toEqual({ sub, ...buildProfileClaims(rp), ...buildEmailClaims(rp), ...phone });
  },

  // The official suite only warns if a service ignores the claims parameter.
  'oidcc-claims-essential': async (rp) => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const { accessToken, claims: idTokenClaims } = await rp.signIn({ claims });
    expect((await rp.userinfo(accessToken)).body).toEqual({ sub });
    expect(idTokenClaims).not.toHaveProperty('name');
  },
};
