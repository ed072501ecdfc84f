// What agents may ask for, and when a refresh token comes (D48, D51 to D53). An agent here is an application without an owner.
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { expectError } from '../support/expect-error.ts';
import { authorizeAddress, goThrough, newVerifier, redeem, renew, signedInBrowser } from '../support/flow.ts';
import { sql } from '../support/populate.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const agent = await service.createApplication({
  type: 'public',
  standard: true,
  scopes: ['openid', 'profile', 'email'],
});
await sql(service.parts.database, 'update clients set owner_id = null where client_id = $1', [
  agent.clientId,
]);
const scope = (name: string, agents: boolean) => ({ name, fr: name, en: name, sensitive: false, agents });
const api = await service.createApi({
  admits: 'agents',
  scopes: [scope('read', true), scope('delete', false)],
});
const browser = await signedInBrowser(service, await service.createUser());
afterAll(() => service.close());

const verifier = newVerifier();
const address = (scope: string | undefined, resource = api.identifier) =>
  authorizeAddress(service, agent, {
    scope,
    resource,
    state: undefined,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  });
const refusal = async (url: URL) => (await browser.get(url)).location?.searchParams.get('error');
const tokensFor = async (scope: string) => {
  const code = (await goThrough(browser, address(scope))).searchParams.get('code') ?? '';
  const { body } = await redeem(service, agent, code, {
    code_verifier: verifier,
    resource: api.identifier,
  });
  return body;
};

describe('D52: a refresh token', () => {
  test('comes with offline_access, which is echoed, and is nothing to the API', async () => {
    const body = await tokensFor('read offline_access');
    expect(body.scope).toBe('read offline_access');
    expect(decodeJwt(String(body.access_token)).scope).toBe('read');
    const renewed = await renew(service, agent, String(body.refresh_token), { resource: api.identifier });
    expect(renewed.body).toMatchObject({ scope: 'read offline_access', refresh_token: expect.any(String) });
  });

  test('does not come without it; the access token is good all the same', async () => {
    const body = await tokensFor('openid read');
    expect(body.scope).toBe('read');
    expect(body).not.toHaveProperty('refresh_token');
    expect(body.id_token).toBeDefined();
  });
});

describe('what an agent asks for', () => {
  test('is asked of the person every time; without a page it is consent_required', async () => {
    await tokensFor('read');
    const visit = await browser.follow(await browser.get(address('read')));
    expect(visit.location).toBeUndefined();
    expect(visit.hidden.pending).toBeDefined();
    const silent = address('read');
    silent.searchParams.set('prompt', 'none');
    expect(await refusal(silent)).toBe('consent_required');
  });

  test('a scope that the API’s owner keeps from agents is nobody’s word to them', async () => {
    expect((await tokensFor('read delete')).scope).toBe('read');
    expect(await refusal(address('delete'))).toBe('invalid_scope');
  });

  test('D53: of this service openid, profile and email at most', async () => {
    expect(await refusal(address('openid phone read'))).toBe('invalid_scope');
  });

  test('an API that opens nothing to agents has nothing to pick: invalid_scope', async () => {
    const scopes = api.scopes.map((scope) => ({ ...scope, agents: false }));
    const shut = await service.createApi({ admits: 'agents', scopes });
    for (const scope of [undefined, 'read']) {
      expect(await refusal(address(scope, shut.identifier))).toBe('invalid_scope');
    }
  });

  test('an API that admits registered applications alone: invalid_target', async () => {
    const closed = await service.createApi({ admits: 'applications' });
    expect(await refusal(address('read', closed.identifier))).toBe('invalid_target');
  });

  test('scopes that are kept from agents later are gone at the next renewal', async () => {
    const body = await tokensFor('read offline_access');
    const kept = JSON.stringify(api.scopes.map((scope) => ({ ...scope, agents: false })));
    const set = (scopes: string) =>
      sql(service.parts.database, 'update apis set scopes = $2 where api_id = $1', [api.apiId, scopes]);
    await set(kept);
    expectError(
      await renew(service, agent, String(body.refresh_token), { resource: api.identifier }),
      400,
      'invalid_scope',
    );
    await set(JSON.stringify(api.scopes));
    expect((await renew(service, agent, String(body.refresh_token))).status).toBe(200);
  });

  test('D51: a missing scope is the person’s to pick; to anybody else it is invalid_request', async () => {
    const visit = await browser.follow(await browser.get(address(undefined)));
    expect(visit.location).toBeUndefined();
    const application = await service.createApplication();
    const url = authorizeAddress(service, application, { scope: undefined });
    expect(await refusal(url)).toBe('invalid_request');
  });
});
