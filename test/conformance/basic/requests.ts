// The modules of the Basic plan that are about what a request may hold, and how it is answered.
import { expect } from 'vitest';
import { challengeOf } from '../../../src/oauth/pkce.ts';
import { newVerifier } from '../../support/flow.ts';
import { inputOf } from '../../support/markup.ts';
import { discover, type Modules } from '../relying-party.ts';

const unsigned = (claims: object): string =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

export const REQUESTS: Modules = {
  'oidcc-server': async (rp) => {
    const { accessToken, claims, arrival } = await rp.signIn();
    expect(arrival.shown).toEqual(['/signin', '/consent']);
    expect((await rp.userinfo(accessToken)).body).toEqual({ sub: claims.sub });
  },

  'oidcc-response-type-missing': async (rp) => {
    expect(await rp.refused({ response_type: undefined })).toBe('invalid_request');
  },

  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': async (rp) => {
    expect((await rp.signIn({ nonce: undefined })).claims).not.toHaveProperty('nonce');
  },

  // The suite's earlier name for it is oidcc-ensure-other-scope-order-succeeds.
  'oidcc-alternate-happy-flow': async (rp) => {
    const sent = rp.request({ scope: 'email openid' });
    const { clientId, redirectUri } = rp.application;
    const whole = { ...sent, client_id: clientId, redirect_uri: redirectUri, response_type: 'code' };
    const reversed = Object.entries(whole).reverse();
    const query = reversed.map(([name, value]) =>
      value === undefined ? '' : `${name}=${encodeURIComponent(value)}`,
    );
    const visit = await rp.browser.get(`/oauth/authorize?${query.filter(Boolean).join('&')}`);
    const { body, accessToken } = await rp.exchange(await rp.walk(await rp.browser.follow(visit), sent));
    expect(String(body.scope).split(' ').sort()).toEqual(['email', 'openid']);
    expect((await rp.userinfo(accessToken)).body).toHaveProperty('email');
  },

  'oidcc-display-page': async (rp) => {
    await rp.signIn({ display: 'page' });
  },

  'oidcc-display-popup': async (rp) => {
    await rp.signIn({ display: 'popup' });
  },

  'oidcc-ensure-request-with-unknown-parameter-succeeds': async (rp) => {
    await rp.signIn({ extra: 'foobar' });
  },

  'oidcc-login-hint': async (rp) => {
    const sent = rp.request({ login_hint: 'buffy@client.example' });
    const page = await rp.open(sent);
    expect(inputOf(page.body, 'email')?.value).toBe('buffy@client.example');
    await rp.exchange(await rp.walk(page, sent)); // as somebody else: it is only a hint
  },

  'oidcc-ui-locales': async (rp) => {
    await rp.signIn({ ui_locales: 'se' });
  },

  'oidcc-claims-locales': async (rp) => {
    await rp.signIn({ claims_locales: 'se' });
  },

  'oidcc-ensure-request-with-acr-values-succeeds': async (rp) => {
    expect((await rp.signIn({ acr_values: '1 2' })).claims.acr).toBe('1');
  },

  'oidcc-ensure-registered-redirect-uri': async (rp) => {
    await rp.signIn(); // so that nothing else stands between the request and its answer
    for (const parameters of [{}, { prompt: 'none' }, { response_type: undefined }]) {
      const other = 'https://client.example/other';
      const page = await rp.open(rp.request({ redirect_uri: other, ...parameters }));
      expect([page.status, page.location]).toEqual([400, undefined]);
      expect(page.body).not.toMatch(/(href|action)="https:\/\/client\.example/);
    }
  },

  'oidcc-ensure-post-request-succeeds': async (rp) => {
    const sent = rp.request();
    const { clientId, redirectUri } = rp.application;
    const whole = { ...sent, client_id: clientId, redirect_uri: redirectUri, response_type: 'code' };
    const form = Object.entries(whole).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const visit = await rp.browser.post('/oauth/authorize', Object.fromEntries(form), {
      origin: 'https://client.example',
      'sec-fetch-site': 'cross-site',
    });
    await rp.exchange(await rp.walk(await rp.browser.follow(visit), sent));
  },

  // The suite passes over it where discovery lists algorithms and `none` is not among them; without the list, its answer
  // would have to come by form_post where only the object says so.
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': async (rp) => {
    expect((await discover(rp.service)).request_object_signing_alg_values_supported).toEqual([]);
    const hidden = rp.request();
    const bare = { state: undefined, nonce: undefined, response_mode: undefined };
    expect(await rp.refused({ ...bare, request: unsigned(hidden) })).toBe('request_not_supported');
  },

  'oidcc-ensure-request-object-with-redirect-uri': async (rp) => {
    const { redirectUri } = rp.application;
    const request = unsigned(rp.request({ redirect_uri: redirectUri }));
    const page = await rp.open(rp.request({ redirect_uri: `${redirectUri}/other`, request }));
    expect([page.status, page.location]).toEqual([400, undefined]);
  },

  // For applications that register themselves, which there are none of here.
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': async (rp) => {
    expect((await discover(rp.service)).request_uri_parameter_supported).toBe(false);
    const requestUri = 'https://client.example/request.jwt';
    expect(await rp.refused({ request_uri: requestUri })).toBe('request_uri_not_supported');
  },

  'oidcc-ensure-request-with-valid-pkce-succeeds': async (rp) => {
    const verifier = newVerifier();
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
    const arrival = await rp.authorize(pkce);
    const wrong = await rp.redeem(arrival, { code_verifier: newVerifier() });
    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_grant']);
    await rp.exchange(arrival, { code_verifier: verifier });
  },
};
