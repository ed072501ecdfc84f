// Tests openid-client with all of its checks except TLS, and runs its server snippet.
import * as openid from 'openid-client';
import { beforeAll, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { completeAuthorization, openSignedInBrowser } from '../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../support/service.ts';
import { createClientWithLogout, expectSignOut } from './logout-checks.ts';
import { checkSignInSnippet } from './sign-in-checks.ts';
import { startSnippetServer } from './snippet-server.ts';
import { createSnippetFolder } from './snippets.ts';

const service = useTestService();
let user: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  user = await service.createUser({ name: 'Grace Hopper', phone: '+33612345678', emailVerified: true });
  browser = await openSignedInBrowser(service, user);
});

/**
 * Runs discovery with signature verification. `requestedPaths` collects the paths of all requests.
 */
async function discover(
  application: TestClient,
  authentication: openid.ClientAuth,
): Promise<{ config: openid.Configuration; requestedPaths: string[] }> {
  const requestedPaths: string[] = [];
  const config = await openid.discovery(
    new URL(service.baseUrl),
    application.clientId,
    undefined,
    authentication,
    {
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
      [openid.customFetch]: (url, options) => {
        requestedPaths.push(new URL(url).pathname);
        return fetch(url, options as RequestInit);
      },
    },
  );
  return { config, requestedPaths };
}

/** Authorizes with state, nonce, PKCE and max_age, and exchanges the code. */
async function exchange(config: openid.Configuration, application: TestClient, scope: string) {
  const state = openid.randomState();
  const nonce = openid.randomNonce();
  const verifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: application.redirectUri,
    scope,
    state,
    nonce,
    max_age: '3600',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const callback = await completeAuthorization(browser, url);
  const tokens = await openid.authorizationCodeGrant(config, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    maxAge: 3600,
    idTokenExpected: true,
  });
  return { callback, verifier, state, nonce, tokens };
}

test.each([
  ['client_secret_post', openid.ClientSecretPost, false],
  ['client_secret_basic', openid.ClientSecretBasic, true],
] as const)(
  'openid-client authenticates with %s and completes the flow (standard mode: $2)',
  async (method, createAuthentication, standard) => {
    browser = await openSignedInBrowser(service, user);
    const application = await createClientWithLogout(service, { standard });
    const { config, requestedPaths } = await discover(
      application,
      createAuthentication(application.clientSecret),
    );
    expect(config.serverMetadata()).toMatchObject({ issuer: service.baseUrl });
    expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain(method);
    expect(config.serverMetadata().supportsPKCE()).toBe(true);

    const scope = 'openid profile email phone';
    const { tokens } = await exchange(config, application, scope);
    // Verifying the signature requires the JWKS.
    expect(requestedPaths).toContain('/.well-known/jwks.json');
    expect(tokens).toMatchObject({ expires_in: 3600, scope });
    const claims = tokens.claims() as openid.IDToken;
    expect(claims).toMatchObject({ iss: service.baseUrl, aud: application.clientId, sub: user.userId });
    expect(claims.auth_time).toBeTypeOf('number');
    // In standard mode, the id_token contains the user claims for the scopes.
    expect([claims.name, claims.email, claims.preferred_username]).toEqual(
      standard ? [user.name, user.email, user.email] : [undefined, undefined, undefined],
    );

    const profile = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
    const { name, email } = user;
    expect(profile).toMatchObject({ sub: user.userId, name, email, email_verified: true });
    expect(profile).toMatchObject(standard ? { phone_number: '+33612345678' } : { phone: '+33612345678' });
    expect(typeof profile.updated_at).toBe(standard ? 'number' : 'string');
    await expect(openid.fetchUserInfo(config, tokens.access_token, 'another-sub')).rejects.toThrow();

    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    expect(refreshed.id_token !== undefined).toBe(standard);
    if (standard) {
      // After a refresh, the id_token has the same sub and auth_time (OpenID Connect Core §12.2).
      const { sub, auth_time, name, email } = claims;
      expect(refreshed.claims()).toMatchObject({ sub, auth_time, name, email });
    }
    expect((await openid.fetchUserInfo(config, refreshed.access_token, claims.sub)).sub).toBe(claims.sub);

    await openid.tokenRevocation(config, refreshed.refresh_token ?? '', { token_type_hint: 'refresh_token' });
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      code: 'OAUTH_RESPONSE_BODY_ERROR',
      error: 'invalid_grant',
      status: 400,
    });
    for (const { access_token } of [tokens, refreshed])
      await expect(openid.fetchUserInfo(config, access_token, claims.sub)).rejects.toMatchObject({
        code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
        status: 401,
        cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
      });

    const signOutUrl = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: application.postLogoutUri,
    });
    await expectSignOut(browser, signOutUrl, application.postLogoutUri);
    browser = await openSignedInBrowser(service, user);
  },
);

test('the openid-client snippet for servers signs a user in', async () => {
  const folder = await createSnippetFolder();
  await checkSignInSnippet(service, {
    id: 'openid-client',
    standard: false,
    callback: '/callback',
    login: '/login',
    start: async ([code = ''], origin, _application, env) => {
      const [file, envFile] = [await folder.write('server.mjs', code), await folder.write('.env', env)];
      return startSnippetServer([process.execPath, `--env-file=${envFile}`, file], origin, folder.path, {});
    },
  });
  await folder.remove();
});
