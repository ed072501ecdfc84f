// Scopes and refresh tokens of agents.
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { expectError } from '../support/expect-error.ts';
import {
  buildAuthorizeUrl,
  completeAuthorization,
  createVerifier,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const service = await startTestService();
const agent = await service.createClient({
  type: 'public',
  standard: true,
  scopes: ['openid', 'profile', 'email'],
});
await sql(service.services.database, 'update clients set owner_id = null where client_id = $1', [
  agent.clientId,
]);
const buildScope = (name: string, agents: boolean) => ({
  name,
  fr: name,
  en: name,
  sensitive: false,
  agents,
});
const api = await service.createApi({
  allowedClients: 'agents',
  scopes: [buildScope('read', true), buildScope('delete', false)],
});
const browser = await openSignedInBrowser(service, await service.createUser());
afterAll(() => service.close());

const verifier = createVerifier();
const buildAuthorizationUrl = (scope: string | undefined, resource = api.identifier) =>
  buildAuthorizeUrl(service, agent, {
    scope,
    resource,
    state: undefined,
    code_challenge: computeCodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
const readError = async (url: URL) => (await browser.get(url)).location?.searchParams.get('error');
const obtainTokens = async (scope: string) => {
  const code =
    (await completeAuthorization(browser, buildAuthorizationUrl(scope))).searchParams.get('code') ?? '';
  const { body } = await redeemCode(service, agent, code, {
    code_verifier: verifier,
    resource: api.identifier,
  });
  return body;
};

describe("an agent's refresh token", () => {
  test('is issued if offline_access was requested', async () => {
    const body = await obtainTokens('read offline_access');
    expect(body.scope).toBe('read offline_access');
    expect(decodeJwt(String(body.access_token)).scope).toBe('read');
    const refreshed = await redeemRefreshToken(service, agent, String(body.refresh_token), {
      resource: api.identifier,
    });
    expect(refreshed.body).toMatchObject({ scope: 'read offline_access', refresh_token: expect.any(String) });
  });

  test('is not issued if offline_access was not requested', async () => {
    const body = await obtainTokens('openid read');
    expect(body.scope).toBe('read');
    expect(body).not.toHaveProperty('refresh_token');
    expect(body.id_token).toBeDefined();
  });
});

describe('scopes requested by an agent', () => {
  test('require consent every time', async () => {
    await obtainTokens('read');
    const visit = await browser.follow(await browser.get(buildAuthorizationUrl('read')));
    expect(visit.location).toBeUndefined();
    expect(visit.hidden.pending).toBeDefined();
    const silentUrl = buildAuthorizationUrl('read');
    silentUrl.searchParams.set('prompt', 'none');
    expect(await readError(silentUrl)).toBe('consent_required');
  });

  test('are ignored if they are closed to agents', async () => {
    expect((await obtainTokens('read delete')).scope).toBe('read');
    expect(await readError(buildAuthorizationUrl('delete'))).toBe('invalid_scope');
  });

  test('cannot include the phone scope', async () => {
    expect(await readError(buildAuthorizationUrl('openid phone read'))).toBe('invalid_scope');
  });

  test('cause invalid_scope if the API has no scopes for agents', async () => {
    const scopes = api.scopes.map((scope) => ({ ...scope, agents: false }));
    const restrictedApi = await service.createApi({ allowedClients: 'agents', scopes });
    for (const scope of [undefined, 'read']) {
      expect(await readError(buildAuthorizationUrl(scope, restrictedApi.identifier))).toBe('invalid_scope');
    }
  });

  test('cause invalid_target if the API does not admit agents', async () => {
    const closedApi = await service.createApi({ allowedClients: 'applications' });
    expect(await readError(buildAuthorizationUrl('read', closedApi.identifier))).toBe('invalid_target');
  });

  test('cannot be refreshed once they are closed to agents', async () => {
    const body = await obtainTokens('read offline_access');
    const closedScopes = JSON.stringify(api.scopes.map((scope) => ({ ...scope, agents: false })));
    const setScopes = (scopes: string) =>
      sql(service.services.database, 'update apis set scopes = $2 where api_id = $1', [api.apiId, scopes]);
    await setScopes(closedScopes);
    expectError(
      await redeemRefreshToken(service, agent, String(body.refresh_token), { resource: api.identifier }),
      400,
      'invalid_scope',
    );
    await setScopes(JSON.stringify(api.scopes));
    expect((await redeemRefreshToken(service, agent, String(body.refresh_token))).status).toBe(200);
  });

  test('are optional, unlike those of a registered client', async () => {
    const visit = await browser.follow(await browser.get(buildAuthorizationUrl(undefined)));
    expect(visit.location).toBeUndefined();
    const registeredClient = await service.createClient();
    const url = buildAuthorizeUrl(service, registeredClient, { scope: undefined });
    expect(await readError(url)).toBe('invalid_request');
  });
});
