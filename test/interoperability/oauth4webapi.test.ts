// oauth4webapi drives the whole flow, step by step; no check of its own is relaxed but plain http on localhost.
import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { decide, goThrough, signedInBrowser } from '../support/flow.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { createApplicationWithLogout, expectSignOut } from './session.ts';

const service = useTestService();
let person: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  person = await service.createUser({ name: 'Grace Hopper' });
  browser = await signedInBrowser(service, person);
});

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  test.each([
    ['client_secret_post', false],
    ['client_secret_basic', true],
    ['none', true],
  ] as const)('the complete flow by %s, standard mode %s', async (method, standard) => {
    const type = method === 'none' ? 'public' : 'confidential';
    browser = await signedInBrowser(service, person);
    const application = await createApplicationWithLogout(service, { standard, type });
    const { clientId, clientSecret, redirectUri } = application;
    const authentication = {
      client_secret_post: () => oauth.ClientSecretPost(clientSecret),
      client_secret_basic: () => oauth.ClientSecretBasic(clientSecret),
      none: () => oauth.None(),
    }[method]();
    const issuer = new URL(service.baseUrl);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client: oauth.Client = { client_id: clientId, require_auth_time: true };

    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const address = new URL(as.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid profile',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const parameters = oauth.validateAuthResponse(as, client, await goThrough(browser, address), state);

    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      authentication,
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(as, answer, insecure);
    const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';
    expect(sub).toBe(person.userId);

    // RFC 9068: a resource server can check the access token offline.
    const api = new Request('http://localhost/api', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const claims = await oauth.validateJwtAccessToken(as, api, service.baseUrl, insecure);
    expect(claims).toMatchObject({ sub, client_id: clientId, scope: 'openid profile' });

    const userInfo = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
    expect((await oauth.processUserInfoResponse(as, client, sub, userInfo)).name).toBe(person.name);

    const renewal = await oauth.refreshTokenGrantRequest(
      as,
      client,
      authentication,
      tokens.refresh_token ?? '',
      insecure,
    );
    const renewed = await oauth.processRefreshTokenResponse(as, client, renewal);
    expect(renewed.scope).toBe('openid profile');
    if (standard) await oauth.validateApplicationLevelSignature(as, renewal, insecure);

    const revocation = await oauth.revocationRequest(
      as,
      client,
      authentication,
      renewed.access_token,
      insecure,
    );
    expect(await oauth.processRevocationResponse(revocation)).toBeUndefined();
    const again = await oauth.userInfoRequest(as, client, renewed.access_token, insecure);
    await expect(oauth.processUserInfoResponse(as, client, sub, again)).rejects.toMatchObject({
      code: oauth.WWW_AUTHENTICATE_CHALLENGE,
      status: 401,
    });

    const signOut = new URL(as.end_session_endpoint ?? '');
    signOut.searchParams.set('id_token_hint', tokens.id_token ?? '');
    signOut.searchParams.set('post_logout_redirect_uri', application.back);
    await expectSignOut(browser, signOut, application.back);
  });

  test('discovers by RFC 8414 as by OpenID Connect', async () => {
    const issuer = new URL(service.baseUrl);
    const [oidc, oauth2] = await Promise.all(
      (['oidc', 'oauth2'] as const).map(async (algorithm) =>
        oauth.processDiscoveryResponse(
          issuer,
          await oauth.discoveryRequest(issuer, { ...insecure, algorithm }),
        ),
      ),
    );
    expect(oauth2).toEqual(oidc);
    expect(oauth2?.issuer).toBe(service.baseUrl);
  });

  test('an answer by form_post is validated as it is posted, iss included (RFC 9207)', async () => {
    const { clientId, redirectUri } = await service.createApplication();
    const issuer = new URL(service.baseUrl);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const address = new URL(as.authorization_endpoint ?? '');
    const state = oauth.generateRandomState();
    address.search = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid', state },
      response_mode: 'form_post',
    }).toString();
    const own = await signedInBrowser(service, person);
    const page = await decide(own, await own.follow(await own.get(address)), 'allow');
    const posted = new URLSearchParams(page.hidden);
    expect(oauth.validateAuthResponse(as, { client_id: clientId }, posted, state).get('code')).toBeTruthy();
    posted.set('iss', 'https://other.example');
    expect(() => oauth.validateAuthResponse(as, { client_id: clientId }, posted, state)).toThrow(/iss/);
  });
});
