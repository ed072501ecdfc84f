// Basic certification plan: modules for request parameters and request objects.
import { expect } from 'vitest';
import { computeCodeChallenge } from '../../../src/oauth/pkce.ts';
import { findInput } from '../../support/markup.ts';
import { createVerifier } from '../../support/oauth-flow.ts';
import { fetchDiscovery, type Modules } from '../relying-party.ts';

const buildUnsignedRequestObject = (claims: object): string =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

export const REQUEST_MODULES: Modules = {
  'oidcc-server': async (rp) => {
    const { accessToken, claims, authorization } = await rp.signIn();
    expect(authorization.visitedPages).toEqual(['/signin', '/consent']);
    expect((await rp.userinfo(accessToken)).body).toEqual({ sub: claims.sub });
  },

  'oidcc-response-type-missing': async (rp) => {
    expect(await rp.expectRefusal({ response_type: undefined })).toBe('invalid_request');
  },

  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': async (rp) => {
    expect((await rp.signIn({ nonce: undefined })).claims).not.toHaveProperty('nonce');
  },

  // Earlier versions of the official suite call this module oidcc-ensure-other-scope-order-succeeds.
  'oidcc-alternate-happy-flow': async (rp) => {
    const request = rp.request({ scope: 'email openid' });
    const { clientId, redirectUri } = rp.client;
    const parameters = { ...request, client_id: clientId, redirect_uri: redirectUri, response_type: 'code' };
    const reversedParameters = Object.entries(parameters).reverse();
    const query = reversedParameters.map(([name, value]) =>
      value === undefined ? '' : `${name}=${encodeURIComponent(value)}`,
    );
    const visit = await rp.browser.get(`/oauth/authorize?${query.filter(Boolean).join('&')}`);
    const { body, accessToken } = await rp.exchange(
      await rp.continueToRedirect(await rp.browser.follow(visit), request),
    );
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
    const request = rp.request({ login_hint: 'buffy@client.example' });
    const page = await rp.open(request);
    expect(findInput(page.body, 'email')?.value).toBe('buffy@client.example');
    // login_hint is only a hint, so a different user may sign in.
    await rp.exchange(await rp.continueToRedirect(page, request));
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
    // After this sign-in, the next requests need no sign-in or consent.
    await rp.signIn();
    for (const parameters of [{}, { prompt: 'none' }, { response_type: undefined }]) {
      const unregistered = 'https://client.example/other';
      const page = await rp.open(rp.request({ redirect_uri: unregistered, ...parameters }));
      expect([page.status, page.location]).toEqual([400, undefined]);
      expect(page.body).not.toMatch(/(href|action)="https:\/\/client\.example/);
    }
  },

  'oidcc-ensure-post-request-succeeds': async (rp) => {
    const request = rp.request();
    const { clientId, redirectUri } = rp.client;
    const parameters = { ...request, client_id: clientId, redirect_uri: redirectUri, response_type: 'code' };
    const form = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const visit = await rp.browser.post('/oauth/authorize', Object.fromEntries(form), {
      origin: 'https://client.example',
      'sec-fetch-site': 'cross-site',
    });
    await rp.exchange(await rp.continueToRedirect(await rp.browser.follow(visit), request));
  },

  // The official suite skips this module if request_object_signing_alg_values_supported lacks `none`.
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': async (rp) => {
    expect((await fetchDiscovery(rp.service)).request_object_signing_alg_values_supported).toEqual([]);
    const requestObjectParameters = rp.request();
    const queryParameters = { state: undefined, nonce: undefined, response_mode: undefined };
    expect(
      await rp.expectRefusal({
        ...queryParameters,
        request: buildUnsignedRequestObject(requestObjectParameters),
      }),
    ).toBe('request_not_supported');
  },

  'oidcc-ensure-request-object-with-redirect-uri': async (rp) => {
    const { redirectUri } = rp.client;
    const request = buildUnsignedRequestObject(rp.request({ redirect_uri: redirectUri }));
    const page = await rp.open(rp.request({ redirect_uri: `${redirectUri}/other`, request }));
    expect([page.status, page.location]).toEqual([400, undefined]);
  },

  // The discovery document declares request_uri as unsupported.
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': async (rp) => {
    expect((await fetchDiscovery(rp.service)).request_uri_parameter_supported).toBe(false);
    const requestUri = 'https://client.example/request.jwt';
    expect(await rp.expectRefusal({ request_uri: requestUri })).toBe('request_uri_not_supported');
  },

  'oidcc-ensure-request-with-valid-pkce-succeeds': async (rp) => {
    const verifier = createVerifier();
    const pkce = { code_challenge: computeCodeChallenge(verifier), code_challenge_method: 'S256' };
    const authorization = await rp.authorize(pkce);
    const rejected = await rp.redeem(authorization, { code_verifier: createVerifier() });
    expect([rejected.status, rejected.body.error]).toEqual([400, 'invalid_grant']);
    await rp.exchange(authorization, { code_verifier: verifier });
  },
};
