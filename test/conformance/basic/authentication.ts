// Basic certification plan: modules for prompt, max_age and id_token_hint.
import { expect } from 'vitest';
import type { Modules } from '../relying-party.ts';

export const AUTHENTICATION_MODULES: Modules = {
  'oidcc-prompt-login': async (rp) => {
    const first = await rp.signIn();
    rp.service.clock.advance(2);
    const second = await rp.signIn({ prompt: 'login' });
    expect(second.authorization.visitedPages).toEqual(['/signin']);
    expect(second.claims.sub).toBe(first.claims.sub);
    expect(second.claims.auth_time).toBeGreaterThan(first.claims.auth_time);
  },

  'oidcc-prompt-none-not-logged-in': async (rp) => {
    const sent = rp.request({ prompt: 'none' });
    const { response, visitedPages } = await rp.continueToRedirect(await rp.open(sent), sent);
    expect(visitedPages).toEqual([]);
    expect(response).toMatchObject({ error: 'login_required', state: sent.state });
    expect(response).not.toHaveProperty('code');
  },

  'oidcc-prompt-none-logged-in': async (rp) => {
    const first = await rp.signIn();
    rp.service.clock.advance(2);
    const second = await rp.signIn({ prompt: 'none' });
    expect(second.authorization.visitedPages).toEqual([]);
    expect(second.claims).toMatchObject({ sub: first.claims.sub, auth_time: first.claims.auth_time });
  },

  'oidcc-max-age-1': async (rp) => {
    const first = await rp.signIn();
    rp.service.clock.advance(2);
    const second = await rp.signIn({ max_age: '1' });
    expect(second.authorization.visitedPages).toEqual(['/signin']);
    expect(second.claims.auth_time).toBeGreaterThan(first.claims.auth_time);
    expect(Number(second.claims.iat) - second.claims.auth_time).toBeLessThanOrEqual(60);
  },

  'oidcc-max-age-10000': async (rp) => {
    const first = await rp.signIn();
    rp.service.clock.advance(2);
    const second = await rp.signIn({ max_age: '10000' });
    expect(second.authorization.visitedPages).toEqual([]);
    expect(second.claims).toMatchObject({ sub: first.claims.sub, auth_time: first.claims.auth_time });
  },

  'oidcc-id-token-hint': async (rp) => {
    const first = await rp.signIn();
    const second = await rp.signIn({ prompt: 'none', id_token_hint: first.idToken });
    expect(second.authorization.visitedPages).toEqual([]);
    expect(second.claims).toMatchObject({ sub: first.claims.sub, auth_time: first.claims.auth_time });
  },
};
