import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiSecret } from '../../src/oauth/secrets.ts';
import { statement } from '../../src/store/statement.ts';
import {
  createApiKey,
  createApiWithSecret,
  insertExclusion,
  introspect,
  obtainApiToken,
  obtainServiceToken,
  type TestApi,
  toAssertionFields,
} from '../support/apis.ts';
import { expectError } from '../support/expect-error.ts';
import { obtainTokens, openSignedInBrowser, postForm, redeemRefreshToken } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';
import { deleteClient, suspendUser } from '../support/store-fixtures.ts';

const service = await startTestService();
const client = await service.createClient();
const api = await createApiWithSecret(service);
const otherApi = await createApiWithSecret(service);
const user = await service.createUser();
const browser = await openSignedInBrowser(service, user);
afterAll(() => service.close());

const INACTIVE_RESPONSE = { active: false };
const introspectToken = async (token: string, caller = api) =>
  (await introspect(service, caller, token)).body;
const runSql = (name: string, sql: string, values: unknown[]) =>
  service.services.database.query(statement(`test_introspection_${name}`, sql), values);
const buildBasicHeader = (id: string, secret: string) => ({
  authorization: `Basic ${btoa(`${id}:${secret}`)}`,
});
const obtainToken = async (app = client, audience: TestApi = api) =>
  (await obtainApiToken(service, app, browser, audience)).apiToken;

describe('introspection by an API', () => {
  test('returns the claims of a user’s token', async () => {
    for (const app of [client, await service.createClient({ type: 'public' })]) {
      const token = await obtainToken(app);
      const response = await introspect(service, api, token);
      expect(response.body).toEqual({ active: true, token_type: 'Bearer', ...decodeJwt(token) });
      expect(response.body).toMatchObject({
        iss: service.baseUrl,
        sub: user.userId,
        aud: api.identifier,
        client_id: app.clientId,
        scope: 'read',
      });
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('returns the claims of a client_credentials token', async () => {
    const token = await obtainServiceToken(service, client, api);
    expect(await introspectToken(token)).toEqual({ active: true, token_type: 'Bearer', ...decodeJwt(token) });
  });
});

describe('introspected tokens', () => {
  test('are inactive if they are not access tokens for an API', async () => {
    const tokens = await obtainApiToken(service, client, browser, api);
    for (const token of [
      ...[tokens.accessToken, tokens.refreshToken, String(tokens.idToken)],
      ...['nonsense', 'a.b.c', `${tokens.apiToken}x`, 'é'],
    ])
      expect(await introspectToken(token)).toEqual(INACTIVE_RESPONSE);
  });

  test('issued for a different API are inactive', async () => {
    const serviceToken = await obtainServiceToken(service, client, otherApi);
    for (const token of [await obtainToken(client, otherApi), serviceToken]) {
      expect(await introspectToken(token)).toEqual(INACTIVE_RESPONSE);
      expect((await introspectToken(token, otherApi)).active).toBe(true);
    }
  });

  test('issued for this service are inactive for APIs', async () => {
    const { accessToken, apiToken: token } = await obtainApiToken(service, client, browser, api);
    expect(await introspectToken(accessToken)).toEqual(INACTIVE_RESPONSE);
    const otherClient = await service.createClient();
    const response = await postForm(service, '/oauth/introspect', {
      token,
      client_id: otherClient.clientId,
      client_secret: otherClient.clientSecret,
    });
    expect(response.body).toEqual(INACTIVE_RESPONSE);
  });

  test('are inactive after the API’s token lifetime', async () => {
    const tokens = [await obtainToken(), await obtainServiceToken(service, client, api)];
    service.clock.advance(api.tokenLifetime - 5);
    for (const token of tokens) expect((await introspectToken(token)).active).toBe(true);
    service.clock.advance(6);
    for (const token of tokens) expect(await introspectToken(token)).toEqual(INACTIVE_RESPONSE);
  });

  test('are inactive after their account or client is suspended or deleted', async () => {
    const otherUser = await service.createUser();
    const app = await service.createClient();
    const { apiToken: token } = await obtainApiToken(
      service,
      app,
      await openSignedInBrowser(service, otherUser),
      api,
    );
    const appServiceToken = await obtainServiceToken(service, app, api);
    const userToken = await obtainToken(app);
    await suspendUser(service.services.database, otherUser.userId, service.clock.now());
    expect(await introspectToken(token)).toEqual(INACTIVE_RESPONSE);
    const suspend = 'update clients set suspended_at = $2::timestamptz where client_id = $1';
    await runSql('suspend', suspend, [app.clientId, service.clock.now()]);
    for (const appToken of [userToken, appServiceToken])
      expect(await introspectToken(appToken)).toEqual(INACTIVE_RESPONSE);
    await runSql('suspend', suspend, [app.clientId, null]);
    for (const appToken of [userToken, appServiceToken])
      expect((await introspectToken(appToken)).active).toBe(true);
    await deleteClient(service.services.database, app.clientId);
    for (const appToken of [userToken, appServiceToken])
      expect(await introspectToken(appToken)).toEqual(INACTIVE_RESPONSE);
  });

  test('are inactive if the API’s owner has blocked the client', async () => {
    const [excluded, admitted] = [await service.createClient(), await service.createClient()];
    const excludedTokens = [await obtainToken(excluded), await obtainServiceToken(service, excluded, api)];
    const token = await obtainToken(admitted);
    await insertExclusion(service, api, excluded);
    for (const excludedToken of excludedTokens)
      expect(await introspectToken(excludedToken)).toEqual(INACTIVE_RESPONSE);
    expect((await introspectToken(token)).active).toBe(true);
  });

  test('are inactive once the API allows only its owner’s clients', async () => {
    const restricted = await createApiWithSecret(service);
    const ownClient = await service.createClient({ ownerId: restricted.ownerId });
    const tokens = {
      ownClient: await obtainToken(ownClient, restricted),
      foreign: await obtainToken(client, restricted),
    };
    const admit = 'update apis set allowed_clients = $2 where api_id = $1';
    await runSql('admit', admit, [restricted.apiId, 'own']);
    expect((await introspectToken(tokens.ownClient, restricted)).active).toBe(true);
    expect(await introspectToken(tokens.foreign, restricted)).toEqual(INACTIVE_RESPONSE);
  });

  test('are inactive once the API no longer allows agents', async () => {
    const restricted = await createApiWithSecret(service, { allowedClients: 'agents' });
    const agent = await service.createClient({ type: 'public' });
    const token = await obtainToken(agent, restricted);
    await runSql('clear_owner', 'update clients set owner_id = null where client_id = $1', [agent.clientId]);
    expect((await introspectToken(token, restricted)).active).toBe(true);
    await runSql('admit', 'update apis set allowed_clients = $2 where api_id = $1', [
      restricted.apiId,
      'applications',
    ]);
    expect(await introspectToken(token, restricted)).toEqual(INACTIVE_RESPONSE);
  });

  test('are inactive after the client’s access to the API is revoked', async () => {
    const app = await service.createClient();
    const token = await obtainServiceToken(service, app, api);
    const revokeAccess =
      'update api_service_access set granted_at = null where api_id = $1 and client_id = $2';
    await runSql('end_access', revokeAccess, [api.apiId, app.clientId]);
    expect(await introspectToken(token)).toEqual(INACTIVE_RESPONSE);
  });

  test('are inactive after one of their scopes is deleted', async () => {
    const changing = await createApiWithSecret(service);
    const app = await service.createClient();
    const tokens = [await obtainToken(app, changing), await obtainServiceToken(service, app, changing)];
    const set = 'update apis set scopes = $2::jsonb where api_id = $1';
    await runSql('set_scopes', set, [changing.apiId, JSON.stringify(changing.scopes.slice(1))]);
    for (const token of tokens) expect(await introspectToken(token, changing)).toEqual(INACTIVE_RESPONSE);
    await runSql('set_scopes', set, [changing.apiId, JSON.stringify(changing.scopes)]);
    for (const token of tokens) expect((await introspectToken(token, changing)).active).toBe(true);
  });

  test('are inactive while the API is suspended', async () => {
    const suspended = await createApiWithSecret(service);
    const token = await obtainToken(client, suspended);
    const suspend = 'update apis set suspended_at = $2::timestamptz where api_id = $1';
    await runSql('change_suspension', suspend, [suspended.apiId, service.clock.now()]);
    const response = await introspect(service, suspended, token);
    expect([response.status, response.body]).toEqual([200, INACTIVE_RESPONSE]);
    await runSql('change_suspension', suspend, [suspended.apiId, null]);
    expect((await introspectToken(token, suspended)).active).toBe(true);
  });
});

describe('API authentication', () => {
  test('fails without the credentials of an API', async () => {
    const token = await obtainToken();
    for (const client_secret of [undefined, 'wrong', newApiSecret(), otherApi.secret, api.apiId])
      expectError(await introspect(service, api, token, { client_secret }), 401, 'invalid_client');
    expectError(await introspect(service, api, token, { client_id: undefined }), 400, 'invalid_request');
    expectError(await introspect(service, api, undefined), 400, 'invalid_request');
    const unknown = { ...api, apiId: `api_${'x'.repeat(20)}` };
    expectError(await introspect(service, unknown, token), 401, 'invalid_client');
    const basicResponse = await postForm(
      service,
      '/oauth/introspect',
      { token },
      buildBasicHeader(api.apiId, 'wrong'),
    );
    expectError(basicResponse, 401, 'invalid_client');
    expect(basicResponse.headers.get('www-authenticate')).toMatch(/^Basic /);
    const mixedResponse = await introspect(service, api, token, {}, buildBasicHeader(api.apiId, api.secret));
    expectError(mixedResponse, 400, 'invalid_request');
  });

  test('fails with a client’s ID and an API’s secret or vice versa', async () => {
    const token = await obtainToken();
    const { clientId, clientSecret } = client;
    for (const credentials of [
      { client_id: api.apiId, client_secret: clientSecret },
      { client_id: clientId, client_secret: api.secret },
    ])
      for (const path of ['/oauth/introspect', '/oauth/token', '/oauth/token/revoke', '/oauth/par']) {
        const fields = { token, grant_type: 'refresh_token', refresh_token: 'x' };
        expectError(await postForm(service, path, { ...fields, ...credentials }), 401, 'invalid_client');
      }
  });

  test('fails at all endpoints except introspection', async () => {
    const { refreshToken } = await obtainTokens(service, client, browser);
    const sign = await createApiKey(service, api);
    const fields = {
      token: refreshToken,
      refresh_token: refreshToken,
      scope: 'openid',
      response_type: 'code',
      redirect_uri: client.redirectUri,
      state: 's',
    };
    const requests = [
      ...['refresh_token', 'client_credentials', 'authorization_code'].map((grant_type) => ({
        path: '/oauth/token',
        grant_type,
      })),
      { path: '/oauth/token/revoke' },
      { path: '/oauth/par' },
      { path: '/oauth/device_authorization' },
    ];
    for (const { path, ...grantFields } of requests)
      for (const credential of [{ client_secret: api.secret }, toAssertionFields(await sign())]) {
        const sent = { ...fields, code: 'x', ...grantFields, client_id: api.apiId, ...credential };
        expectError(await postForm(service, path, sent), 401, 'invalid_client');
      }
    expect((await redeemRefreshToken(service, client, refreshToken)).status).toBe(200);
  });
});

describe('API authentication with private_key_jwt', () => {
  let signingApi: TestApi;
  let sign: Awaited<ReturnType<typeof createApiKey>>;
  beforeAll(async () => {
    signingApi = await createApiWithSecret(service);
    sign = await createApiKey(service, signingApi);
  });
  const introspectWith = async (
    claims = {},
    fields: Record<string, string | undefined> = {},
    where: { baseUrl: string } = service,
  ) => introspect(where, signingApi, 'x', { ...toAssertionFields(await sign(claims)), ...fields });

  test('fails for an assertion with a wrong claim or key', async () => {
    const foreignKey = await createApiKey(service, otherApi);
    expectError(await introspectWith({ aud: 'https://other.example' }), 401, 'invalid_client');
    expectError(await introspectWith({ iss: otherApi.apiId }), 401, 'invalid_client');
    expectError(await introspectWith({ sub: client.clientId, iss: client.clientId }), 401, 'invalid_client');
    expectError(
      await introspectWith({ exp: Math.floor(service.clock.now().getTime() / 1000) - 60 }),
      401,
      'invalid_client',
    );
    const forged = await foreignKey({ iss: signingApi.apiId, sub: signingApi.apiId });
    expectError(await introspectWith({}, toAssertionFields(forged)), 401, 'invalid_client');
    expectError(await introspectWith({}, { client_id: otherApi.apiId }), 401, 'invalid_client');
  });

  test('fails for a client’s assertion with the same key', async () => {
    const jwks = 'update clients set jwks = (select jwks from apis where api_id = $2) where client_id = $1';
    await runSql('same_keys', jwks, [client.clientId, signingApi.apiId]);
    const apiAssertion = toAssertionFields(await sign());
    const clientAssertion = toAssertionFields(await sign({ iss: client.clientId, sub: client.clientId }));
    const send = (client_id: string, credential: object) =>
      postForm(service, '/oauth/introspect', { token: 'x', client_id, ...credential });
    expectError(await send(client.clientId, apiAssertion), 401, 'invalid_client');
    expectError(await send(signingApi.apiId, clientAssertion), 401, 'invalid_client');
    // The failed attempt didn't use up the assertion.
    expect((await send(signingApi.apiId, apiAssertion)).status).toBe(200);
    expect((await send(client.clientId, clientAssertion)).status).toBe(200);
  });
});

test('only a correct API secret is recorded as used', async () => {
  const used = await createApiWithSecret(service);
  await introspect(service, used, 'x', { client_secret: newApiSecret() });
  await service.services.usage.flush();
  const last = 'select last_used_at as at from secrets where api_id = $1';
  expect(await runSql('last_used', last, [used.apiId])).toEqual([{ at: null }]);
  await introspect(service, used, 'x');
  await service.services.usage.flush();
  expect(await runSql('last_used', last, [used.apiId])).toEqual([{ at: expect.any(Date) }]);
});
