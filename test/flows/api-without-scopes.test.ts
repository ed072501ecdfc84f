// APIs without scopes: users consent to the whole API, and tokens contain no scope.
import { decodeJwt } from 'jose';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { createApiWithSecret, introspect, type TestApi } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import {
  buildAuthorizeUrl,
  completeAuthorization,
  createVerifier,
  fetchUserinfo,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  submitDecision,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const verifier = createVerifier();
const PKCE_PARAMETERS = { code_challenge: computeCodeChallenge(verifier), code_challenge_method: 'S256' };
const WHOLE_API_MESSAGE = 'Access to the whole API: it has no separate permissions.';

let api: TestApi;
let browser: BrowserSession;
const service = await startTestService();
const registeredClient = await service.createClient();
const agent = await service.createClient({ type: 'public', standard: true });
await sql(service.services.database, 'update clients set owner_id = null where client_id = $1', [
  agent.clientId,
]);
afterAll(() => service.close());
beforeEach(async () => {
  api = await createApiWithSecret(service, { allowedClients: 'agents', scopes: [] });
  browser = await openSignedInBrowser(service, await service.createUser({ locale: 'en' }));
});

const buildAuthorizationUrl = (client: TestClient, parameters: Record<string, string | undefined> = {}) =>
  buildAuthorizeUrl(service, client, {
    scope: undefined,
    resource: api.identifier,
    ...PKCE_PARAMETERS,
    ...parameters,
  });
const readCode = (callback: URL | undefined) => callback?.searchParams.get('code') ?? '';
const readError = (callback: URL | undefined) => callback?.searchParams.get('error');
const obtainTokens = async (client: TestClient, parameters: Record<string, string | undefined> = {}) => {
  const code = readCode(await completeAuthorization(browser, buildAuthorizationUrl(client, parameters)));
  return redeemCode(service, client, code, { code_verifier: verifier, resource: api.identifier });
};
const addScope = (agents: boolean) =>
  sql(
    service.services.database,
    `update apis set scopes = '[{"name":"read","fr":"Lire","en":"Read","sensitive":false,"agents":${agents}}]'
     where api_id = $1`,
    [api.apiId],
  );

describe('a client of an API without scopes', () => {
  test('gets a token without scopes', async () => {
    const { status, body } = await obtainTokens(registeredClient);
    expect([status, body]).toEqual([200, expect.not.objectContaining({ scope: expect.anything() })]);
    const token = String(body.access_token);
    expect(decodeJwt(token)).toMatchObject({ aud: api.identifier, client_id: registeredClient.clientId });
    expect(decodeJwt(token)).not.toHaveProperty('scope');
    const introspection = await introspect(service, api, token);
    expect(introspection.body).toMatchObject({ active: true, aud: api.identifier });
    expect(introspection.body).not.toHaveProperty('scope');
  });

  test('cannot use the token at the userinfo endpoint', async () => {
    const { body } = await obtainTokens(registeredClient);
    expectError(await fetchUserinfo(service, String(body.access_token)), 401, 'invalid_token');
  });

  test('can refresh the token', async () => {
    const { body } = await obtainTokens(registeredClient);
    const refreshed = await redeemRefreshToken(service, registeredClient, String(body.refresh_token));
    expect(refreshed.status).toBe(200);
    expect(refreshed.body).not.toHaveProperty('scope');
    expect(decodeJwt(String(refreshed.body.access_token)).aud).toBe(api.identifier);
    const excessive = await redeemRefreshToken(
      service,
      registeredClient,
      String(refreshed.body.refresh_token),
      {
        scope: 'read',
      },
    );
    expectError(excessive, 400, 'invalid_scope');
  });

  test("needs the user's consent only once", async () => {
    const page = await browser.follow(await browser.get(buildAuthorizationUrl(registeredClient)));
    expect(page.body).toContain(WHOLE_API_MESSAGE);
    await submitDecision(browser, page, 'allow');
    const repeatedVisit = await browser.follow(await browser.get(buildAuthorizationUrl(registeredClient)));
    expect(readCode(repeatedVisit.location)).not.toBe('');
    expect((await browser.get('/account/applications')).body).toContain(WHOLE_API_MESSAGE);
  });

  test("can also request this service's scopes", async () => {
    const { body } = await obtainTokens(registeredClient, { scope: 'openid profile' });
    expect(body).not.toHaveProperty('scope');
    const refreshed = await redeemRefreshToken(service, registeredClient, String(body.refresh_token));
    expect(refreshed.body.scope).toBe('openid profile');
  });

  test('may send unknown scopes', async () => {
    expect((await obtainTokens(registeredClient, { scope: 'read offline_access' })).body.scope).toBe(
      'offline_access',
    );
  });

  test('cannot use its token after consent is revoked', async () => {
    const { body } = await obtainTokens(registeredClient);
    const { csrf = '' } = (await browser.get('/account')).hidden;
    await browser.post('/account/applications/withdraw', { csrf, client_id: registeredClient.clientId });
    expect((await introspect(service, api, String(body.access_token))).body).toEqual({ active: false });
  });

  test('must request scopes for other APIs', async () => {
    const apiWithScopes = await service.createApi({ allowedClients: 'agents' });
    for (const resource of [apiWithScopes.identifier, undefined, 'https://nobody.example/']) {
      const { location } = await browser.get(buildAuthorizationUrl(registeredClient, { resource }));
      expect(readError(location), resource).toBe('invalid_request');
    }
  });
});

describe('an agent', () => {
  test('gets access to the whole API if it requests no scope', async () => {
    const page = await browser.follow(await browser.get(buildAuthorizationUrl(agent)));
    expect(page.body).toContain(WHOLE_API_MESSAGE);
    expect(page.body).not.toContain('type="checkbox"');
    const code = readCode((await submitDecision(browser, page, 'allow')).location);
    const { body } = await redeemCode(service, agent, code, { code_verifier: verifier });
    expect(decodeJwt(String(body.access_token))).toMatchObject({ aud: api.identifier });
    expect(body).not.toHaveProperty('refresh_token');
  });

  test('gets a refresh token if it requests only offline_access', async () => {
    const { body } = await obtainTokens(agent, { scope: 'offline_access' });
    expect(body).toMatchObject({ scope: 'offline_access', refresh_token: expect.any(String) });
    const refreshed = await redeemRefreshToken(service, agent, String(body.refresh_token), {
      resource: api.identifier,
    });
    expect(decodeJwt(String(refreshed.body.access_token))).not.toHaveProperty('scope');
  });

  test("gets invalid_scope if the API's only scope is closed to agents", async () => {
    await addScope(false);
    const parameters = Object.fromEntries(buildAuthorizationUrl(agent).searchParams);
    expectError(await postForm(service, '/oauth/par', parameters), 400, 'invalid_scope');
  });
});

test('consent is rejected if a scope was added while the page was open', async () => {
  const page = await browser.follow(await browser.get(buildAuthorizationUrl(registeredClient)));
  await addScope(true);
  const response = await browser.follow(await submitDecision(browser, page, 'allow'));
  expect(readError(response.location)).toBe('invalid_scope');
});

test('a new scope does not change existing grants', async () => {
  const { body } = await obtainTokens(registeredClient);
  await addScope(true);
  expect((await introspect(service, api, String(body.access_token))).body).toMatchObject({ active: true });
  const refreshed = await redeemRefreshToken(service, registeredClient, String(body.refresh_token));
  expect(decodeJwt(String(refreshed.body.access_token))).not.toHaveProperty('scope');
});
