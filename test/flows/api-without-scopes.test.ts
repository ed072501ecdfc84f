// An API without scopes: people consent to the API itself, and its tokens carry its identifier and no scope.
import { decodeJwt } from 'jose';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { apiWithSecret, introspect, type TestApi } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorizeAddress,
  decide,
  goThrough,
  newVerifier,
  postForm,
  redeem,
  renew,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { sql } from '../support/populate.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

const verifier = newVerifier();
const PKCE = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
const TEXT = 'Access to the whole API, which is not divided into permissions.';

let api: TestApi;
let browser: BrowserSession;
const service = await startTestService();
const application = await service.createApplication();
const agent = await service.createApplication({ type: 'public', standard: true });
await sql(service.parts.database, 'update clients set owner_id = null where client_id = $1', [
  agent.clientId,
]);
afterAll(() => service.close());
beforeEach(async () => {
  api = await apiWithSecret(service, { admits: 'agents', scopes: [] });
  browser = await signedInBrowser(service, await service.createUser({ locale: 'en' }));
});

const address = (client: TestApplication, parameters: Record<string, string | undefined> = {}) =>
  authorizeAddress(service, client, { scope: undefined, resource: api.identifier, ...PKCE, ...parameters });
const codeOf = (callback: URL | undefined) => callback?.searchParams.get('code') ?? '';
const refusal = (callback: URL | undefined) => callback?.searchParams.get('error');
const tokensFor = async (client: TestApplication, parameters: Record<string, string | undefined> = {}) => {
  const code = codeOf(await goThrough(browser, address(client, parameters)));
  return redeem(service, client, code, { code_verifier: verifier, resource: api.identifier });
};
const addScope = (agents: boolean) =>
  sql(
    service.parts.database,
    `update apis set scopes = '[{"name":"read","fr":"Lire","en":"Read","sensitive":false,"agents":${agents}}]'
     where api_id = $1`,
    [api.apiId],
  );

describe('a registered application', () => {
  test('leaves scope out; the token has the API as aud and no scope, nor has the response, nor introspection', async () => {
    const { status, body } = await tokensFor(application);
    expect([status, body]).toEqual([200, expect.not.objectContaining({ scope: expect.anything() })]);
    const token = String(body.access_token);
    expect(decodeJwt(token)).toMatchObject({ aud: api.identifier, client_id: application.clientId });
    expect(decodeJwt(token)).not.toHaveProperty('scope');
    const asked = await introspect(service, api, token);
    expect(asked.body).toMatchObject({ active: true, aud: api.identifier });
    expect(asked.body).not.toHaveProperty('scope');
  });

  test('gets nothing of the profile by such a token', async () => {
    const { body } = await tokensFor(application);
    expectError(await userinfo(service, String(body.access_token)), 401, 'invalid_token');
  });

  test('renews: the next token is the same, and the refresh token of before is replaced', async () => {
    const { body } = await tokensFor(application);
    const renewed = await renew(service, application, String(body.refresh_token));
    expect(renewed.status).toBe(200);
    expect(renewed.body).not.toHaveProperty('scope');
    expect(decodeJwt(String(renewed.body.access_token)).aud).toBe(api.identifier);
    const beyond = await renew(service, application, String(renewed.body.refresh_token), { scope: 'read' });
    expectError(beyond, 400, 'invalid_scope');
  });

  test('is asked about once: the consent page names the API as a whole, and so does the account', async () => {
    const page = await browser.follow(await browser.get(address(application)));
    expect(page.body).toContain(TEXT);
    await decide(browser, page, 'allow');
    const again = await browser.follow(await browser.get(address(application)));
    expect(codeOf(again.location)).not.toBe('');
    expect((await browser.get('/account/applications')).body).toContain(TEXT);
  });

  test('asks for the profile beside it, with scope', async () => {
    const { body } = await tokensFor(application, { scope: 'openid profile' });
    expect(body).not.toHaveProperty('scope');
    const own = await renew(service, application, String(body.refresh_token));
    expect(own.body.scope).toBe('openid profile');
  });

  test('is not refused for words that the API does not have', async () => {
    expect((await tokensFor(application, { scope: 'read offline_access' })).body.scope).toBe(
      'offline_access',
    );
  });

  test('loses what it has when the person withdraws', async () => {
    const { body } = await tokensFor(application);
    const { csrf = '' } = (await browser.get('/account')).hidden;
    await browser.post('/account/applications/withdraw', { csrf, client_id: application.clientId });
    expect((await introspect(service, api, String(body.access_token))).body).toEqual({ active: false });
  });

  test('may not leave scope out for an API with scopes, nor for none', async () => {
    const other = await service.createApi({ admits: 'agents' });
    for (const resource of [other.identifier, undefined, 'https://nobody.example/']) {
      const { location } = await browser.get(address(application, { resource }));
      expect(refusal(location), resource).toBe('invalid_request');
    }
  });
});

describe('an agent', () => {
  test('leaves scope out: the person allows the API itself, without boxes to tick', async () => {
    const page = await browser.follow(await browser.get(address(agent)));
    expect(page.body).toContain(TEXT);
    expect(page.body).not.toContain('type="checkbox"');
    const code = codeOf((await decide(browser, page, 'allow')).location);
    const { body } = await redeem(service, agent, code, { code_verifier: verifier });
    expect(decodeJwt(String(body.access_token))).toMatchObject({ aud: api.identifier });
    expect(body).not.toHaveProperty('refresh_token');
  });

  test('gets a refresh token where it asks for offline_access alone', async () => {
    const { body } = await tokensFor(agent, { scope: 'offline_access' });
    expect(body).toMatchObject({ scope: 'offline_access', refresh_token: expect.any(String) });
    const renewed = await renew(service, agent, String(body.refresh_token), { resource: api.identifier });
    expect(decodeJwt(String(renewed.body.access_token))).not.toHaveProperty('scope');
  });

  test('is refused by an API that has scopes, none of them for agents', async () => {
    await addScope(false);
    const parameters = Object.fromEntries(address(agent).searchParams);
    expectError(await postForm(service, '/oauth/par', parameters), 400, 'invalid_scope');
  });
});

test('an API that got a scope while the consent page was open is not given as a whole', async () => {
  const page = await browser.follow(await browser.get(address(application)));
  await addScope(true);
  const answer = await browser.follow(await decide(browser, page, 'allow'));
  expect(refusal(answer.location)).toBe('invalid_scope');
});

test('a token from before the API got a scope stays as it is', async () => {
  const { body } = await tokensFor(application);
  await addScope(true);
  expect((await introspect(service, api, String(body.access_token))).body).toMatchObject({ active: true });
  const renewed = await renew(service, application, String(body.refresh_token));
  expect(decodeJwt(String(renewed.body.access_token))).not.toHaveProperty('scope');
});
