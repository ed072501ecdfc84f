import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { serviceTokenDigest } from '../../src/oauth/digests.ts';
import { changeResource } from '../../src/store/admin-actions.ts';
import { isServiceTokenLive } from '../../src/store/service-tokens.ts';
import { statement } from '../../src/store/statement.ts';
import { expectError } from '../support/expect-error.ts';
import { waitForBlocked } from '../support/locks.ts';
import { fetchUserinfo, postForm, revokeToken } from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';
import { deleteClient, sql } from '../support/store-fixtures.ts';

afterAll(() => service.close());

const grantAccess = (
  app: TestClient,
  scopes: string[],
  { apiId } = api,
  grantedAt: Date | null = new Date(),
) =>
  sql(
    service.services.database,
    `insert into api_service_access (api_id, client_id, scopes, requested_at, granted_at) values ($1, $2, $3, now(), $4)`,
    [apiId, app.clientId, scopes, grantedAt],
  );
const requestToken = (fields: Record<string, string | undefined> = {}, app = client) =>
  postForm(service, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: app.clientId,
    client_secret: app.clientSecret || undefined,
    resource: api.identifier,
    ...fields,
  });
const introspect = async (token: string, app = client) =>
  (
    await postForm(service, '/oauth/introspect', {
      token,
      client_id: app.clientId,
      client_secret: app.clientSecret,
    })
  ).body;

const service = await startTestService();
const client = await service.createClient();
const createScope = (name: string) => ({ name, fr: name, en: name, sensitive: false, agents: false });
const scopes = ['reports:read', 'reports:write', 'reports:delete'].map(createScope);
const api = await service.createApi({ scopes });
await grantAccess(client, ['reports:read', 'reports:write']);

describe('client_credentials tokens', () => {
  test('have the requested scopes or all granted scopes', async () => {
    const { status, body, headers } = await requestToken();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'reports:read reports:write',
    });
    expect((await requestToken({ scope: 'reports:read' })).body.scope).toBe('reports:read');
  });

  test('have the client as subject and the API as audience', async () => {
    const { clientId } = client;
    const claims = decodeJwt(String((await requestToken()).body.access_token));
    expect(claims).toMatchObject({ sub: clientId, client_id: clientId, aud: api.identifier });
  });

  test('are rejected by userinfo', async () => {
    expect((await fetchUserinfo(service, String((await requestToken()).body.access_token))).status).toBe(401);
  });

  test('are active until they are revoked or expire', async () => {
    const token = String((await requestToken()).body.access_token);
    expect(await introspect(token)).toMatchObject({ active: true, sub: client.clientId });
    expect(await introspect(token, await service.createClient())).toEqual({ active: false });
    expect((await revokeToken(service, client, token)).status).toBe(200);
    expect(await introspect(token)).toEqual({ active: false });
    const expiringToken = String((await requestToken()).body.access_token);
    service.clock.advance(600);
    expect(await introspect(expiringToken)).toEqual({ active: false });
  });
});

test('suspending a client permanently revokes its client_credentials tokens', async () => {
  const { database } = service.services;
  const token = String((await requestToken()).body.access_token);
  await changeResource(database, 'application', 'suspend', client.clientId, service.clock.now());
  await changeResource(database, 'application', 'unsuspend', client.clientId, service.clock.now());
  expect(await introspect(token)).toEqual({ active: false });
  expect(await introspect(String((await requestToken()).body.access_token))).toMatchObject({ active: true });
});

test('deleting a client deletes its client_credentials tokens', async () => {
  const { database } = service.services;
  const otherClient = await service.createClient();
  await grantAccess(otherClient, ['reports:read']);
  const token = String((await requestToken({}, otherClient)).body.access_token);
  expect(await introspect(token, otherClient)).toMatchObject({ active: true });
  await deleteClient(database, otherClient.clientId);
  const tokenKey = {
    hash: serviceTokenDigest(token),
    clientId: otherClient.clientId,
    scopes: ['reports:read'],
  };
  expect(await isServiceTokenLive(database, { ...tokenKey, now: service.clock.now() })).toBe(false);
  expect(await introspect(token, otherClient)).toMatchObject({ error: 'invalid_client' });
});

describe('a client_credentials request', () => {
  test('is rejected if the client has no access to the API', async () => {
    const otherClient = await service.createClient();
    expectError(await requestToken({}, otherClient), 400, 'unsupported_grant_type');
    await grantAccess(otherClient, ['reports:read'], api, null);
    expectError(await requestToken({}, otherClient), 400, 'unsupported_grant_type');
    await grantAccess(otherClient, ['read'], await service.createApi());
    expectError(await requestToken({}, otherClient), 400, 'unauthorized_client');
    const publicClient = await service.createClient({ type: 'public' });
    await grantAccess(publicClient, ['reports:read']);
    expectError(await requestToken({}, publicClient), 400, 'unsupported_grant_type');
  });

  test('is rejected if the client secret is wrong or missing', async () => {
    expectError(await requestToken({ client_secret: 'wrong' }), 401, 'invalid_client');
    expectError(await requestToken({ client_secret: undefined }), 401, 'invalid_client');
  });

  test('is rejected for a scope that was not granted', async () => {
    for (const scope of [' ', 'reports:delete', 'openid', 'profile reports:read'])
      expectError(await requestToken({ scope }), 400, 'invalid_scope');
    expectError(await requestToken({ resource: 'https://nobody.example/' }), 400, 'invalid_target');
    expectError(await requestToken({ resource: service.baseUrl }), 400, 'invalid_target');
  });

  test('is rejected without a resource parameter', async () => {
    expectError(await requestToken({ resource: undefined }), 400, 'invalid_target');
  });

  test('is rejected if the API’s settings exclude the client', async () => {
    const otherApi = await service.createApi({ scopes: api.scopes });
    await grantAccess(client, ['reports:read'], otherApi);
    const target = { resource: otherApi.identifier };
    const token = String((await requestToken(target)).body.access_token);
    expect(await introspect(token)).toMatchObject({ active: true, scope: 'reports:read' });
    const { database } = service.services;
    await sql(database, "update apis set allowed_clients = 'own' where api_id = $1", [otherApi.apiId]);
    expectError(await requestToken(target), 400, 'invalid_target');
    expect(await introspect(token)).toEqual({ active: false });
    await sql(
      database,
      "update apis set allowed_clients = 'agents', suspended_at = now() where api_id = $1",
      [otherApi.apiId],
    );
    expectError(await requestToken(target), 400, 'invalid_target');
    expect(await introspect(token)).toEqual({ active: false });
  });

  test('is rejected if the API no longer has the scope', async () => {
    const otherApi = await service.createApi({ scopes: api.scopes });
    await grantAccess(client, ['reports:read', 'reports:write'], otherApi);
    const target = { resource: otherApi.identifier };
    const [allScopes, remainingScope] = [
      await requestToken(target),
      await requestToken({ ...target, scope: 'reports:write' }),
    ];
    await sql(service.services.database, 'update apis set scopes = scopes - 0 where api_id = $1', [
      otherApi.apiId,
    ]);
    expect(await introspect(String(allScopes.body.access_token))).toEqual({ active: false });
    expect(await introspect(String(remainingScope.body.access_token))).toMatchObject({ active: true });
    expect((await requestToken(target)).body.scope).toBe('reports:write');
    expectError(await requestToken({ ...target, scope: 'reports:read' }), 400, 'invalid_scope');
  });
});

test.each(['apis', 'clients'] as const)(
  'a client_credentials request is rejected if a row in %s is deleted concurrently',
  async (table) => {
    const [app, otherApi] = [await service.createClient(), await service.createApi({ scopes: api.scopes })];
    await grantAccess(app, ['reports:read'], otherApi);
    const [column, id] = table === 'apis' ? ['api_id', otherApi.apiId] : ['client_id', app.clientId];
    let response: ReturnType<typeof requestToken> | undefined;
    await service.services.database.transaction(async (transaction) => {
      await transaction.query(
        statement(`test_lock_${table}`, `select from ${table} where ${column} = $1 for update`),
        [id],
      );
      response = requestToken({ resource: otherApi.identifier }, app);
      await waitForBlocked(service.databaseUrl);
      await transaction.query(
        statement(`test_delete_${table}`, `delete from ${table} where ${column} = $1`),
        [id],
      );
    });
    expect((await response)?.status).toBe(400);
  },
);
