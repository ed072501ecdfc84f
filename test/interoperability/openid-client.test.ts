// openid-client: the complete flow with no check relaxed but plain http on localhost, and the server that pages show for it.
import * as openid from 'openid-client';
import { beforeAll, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { goThrough, signedInBrowser } from '../support/flow.ts';
import { type TestApplication, type TestUser, useTestService } from '../support/service.ts';
import { openFolder } from './copied.ts';
import { startCopied } from './copied-server.ts';
import { createApplicationWithLogout, expectSignOut } from './session.ts';
import { expectSignIn } from './sign-in-checks.ts';

const service = useTestService();
let person: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  person = await service.createUser({ name: 'Grace Hopper', phone: '+33612345678', emailVerified: true });
  browser = await signedInBrowser(service, person);
});

/** openid-client, discovering the service, checking signatures too; `asked` gathers every address it calls. */
async function discover(
  application: TestApplication,
  authentication: openid.ClientAuth,
): Promise<{ config: openid.Configuration; asked: string[] }> {
  const asked: string[] = [];
  const config = await openid.discovery(
    new URL(service.baseUrl),
    application.clientId,
    undefined,
    authentication,
    {
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
      [openid.customFetch]: (address, options) => {
        asked.push(new URL(address).pathname);
        return fetch(address, options as RequestInit);
      },
    },
  );
  return { config, asked };
}

/** Authorization and exchange with state, nonce, PKCE and max_age, all of them checked. */
async function exchange(config: openid.Configuration, application: TestApplication, scope: string) {
  const state = openid.randomState();
  const nonce = openid.randomNonce();
  const verifier = openid.randomPKCECodeVerifier();
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: application.redirectUri,
    scope,
    state,
    nonce,
    max_age: '3600',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const callback = await goThrough(browser, address);
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
] as const)('the complete flow by %s, standard mode $2', async (method, authenticationBy, standard) => {
  browser = await signedInBrowser(service, person);
  const application = await createApplicationWithLogout(service, { standard });
  const { config, asked } = await discover(application, authenticationBy(application.clientSecret));
  expect(config.serverMetadata()).toMatchObject({ issuer: service.baseUrl });
  expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain(method);
  expect(config.serverMetadata().supportsPKCE()).toBe(true);

  const scope = 'openid profile email phone';
  const { tokens } = await exchange(config, application, scope);
  expect(asked).toContain('/.well-known/jwks.json'); // the signature was checked, not taken on trust
  expect(tokens).toMatchObject({ expires_in: 3600, scope });
  const claims = tokens.claims() as openid.IDToken;
  expect(claims).toMatchObject({ iss: service.baseUrl, aud: application.clientId, sub: person.userId });
  expect(claims.auth_time).toBeTypeOf('number');
  // Standard mode: what the scopes tell is in the id_token, too.
  expect([claims.name, claims.email, claims.preferred_username]).toEqual(
    standard ? [person.name, person.email, person.email] : [undefined, undefined, undefined],
  );

  const profile = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
  const { name, email } = person;
  expect(profile).toMatchObject({ sub: person.userId, name, email, email_verified: true });
  expect(profile).toMatchObject(standard ? { phone_number: '+33612345678' } : { phone: '+33612345678' });
  expect(typeof profile.updated_at).toBe(standard ? 'number' : 'string');
  await expect(openid.fetchUserInfo(config, tokens.access_token, 'somebody-else')).rejects.toThrow();

  const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
  expect(renewed.id_token !== undefined).toBe(standard); // D15
  if (standard) {
    // OpenID Connect Core §12.2: same person, same sign-in.
    const { sub, auth_time, name, email } = claims;
    expect(renewed.claims()).toMatchObject({ sub, auth_time, name, email });
  }
  expect((await openid.fetchUserInfo(config, renewed.access_token, claims.sub)).sub).toBe(claims.sub);

  await openid.tokenRevocation(config, renewed.refresh_token ?? '', { token_type_hint: 'refresh_token' });
  await expect(openid.refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
    code: 'OAUTH_RESPONSE_BODY_ERROR',
    error: 'invalid_grant',
    status: 400,
  });
  for (const { access_token } of [tokens, renewed])
    await expect(openid.fetchUserInfo(config, access_token, claims.sub)).rejects.toMatchObject({
      code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    });

  const signOut = openid.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: application.back,
  });
  await expectSignOut(browser, signOut, application.back);
  browser = await signedInBrowser(service, person);
});

test('the server to copy signs a person in', async () => {
  const folder = await openFolder();
  await expectSignIn(service, {
    id: 'openid-client',
    standard: false,
    callback: '/callback',
    login: '/login',
    start: async ([code = ''], origin, _application, env) => {
      const [file, envFile] = [await folder.put('server.mjs', code), await folder.put('.env', env)];
      return startCopied([process.execPath, `--env-file=${envFile}`, file], origin, folder.path, {});
    },
  });
  await folder.remove();
});
