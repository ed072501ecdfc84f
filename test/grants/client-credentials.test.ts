// grant_type=client_credentials: an application on its own account (RFC 6749 §4.4), and what its tokens are good for.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serviceTokenDigest } from '../../src/oauth/digests.ts';
import { changeApplication } from '../../src/store/moderation.ts';
import { isServiceTokenLive } from '../../src/store/service-tokens.ts';
import { statement } from '../../src/store/statement.ts';
import { deleteClient } from '../support/applications.ts';
import { expectError } from '../support/expect-error.ts';
import { postForm, revoke, userinfo } from '../support/flow.ts';
import { startTestService, type TestApplication, type TestService } from '../support/service.ts';

const RIGHTS = statement(
  'test_service_rights',
  'update clients set service_scopes = $2, resources = $3 where client_id = $1',
);
const API = 'https://api.example/v1';
let service: TestService;
let application: TestApplication;
beforeAll(async () => {
  service = await startTestService();
  application = await service.createApplication();
  await service.parts.database.query(RIGHTS, [
    application.clientId,
    ['reports:read', 'reports:write'],
    [API],
  ]);
});
afterAll(() => service.close());

const ask = (fields: Record<string, string | undefined> = {}, app = application) =>
  postForm(service, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: app.clientId,
    client_secret: app.clientSecret || undefined,
    resource: API,
    ...fields,
  });
const introspect = async (token: string, app = application) =>
  (
    await postForm(service, '/oauth/introspect', {
      token,
      client_id: app.clientId,
      client_secret: app.clientSecret,
    })
  ).body;

describe('a token', () => {
  test('for all its own scopes, or those it asks for; nothing to renew with (§4.4.3)', async () => {
    const { status, body, headers } = await ask();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'reports:read reports:write',
    });
    expect((await ask({ scope: 'reports:read' })).body.scope).toBe('reports:read');
  });

  test('says that the application is its own subject (RFC 9068 §2.2), and for whom it is (RFC 8707)', async () => {
    const { clientId } = application;
    const claims = decodeJwt(String((await ask()).body.access_token));
    expect(claims).toMatchObject({ sub: clientId, client_id: clientId, aud: API });
  });

  test('is no key to anybody’s profile', async () => {
    expect((await userinfo(service, String((await ask()).body.access_token))).status).toBe(401);
  });

  test('is known to introspection until it is revoked or has expired', async () => {
    const token = String((await ask()).body.access_token);
    expect(await introspect(token)).toMatchObject({ active: true, sub: application.clientId });
    expect(await introspect(token, await service.createApplication())).toEqual({ active: false });
    expect((await revoke(service, application, token)).status).toBe(200);
    expect(await introspect(token)).toEqual({ active: false });
    const later = String((await ask()).body.access_token);
    service.clock.advance(3600);
    expect(await introspect(later)).toEqual({ active: false });
  });
});

test('a suspended application’s tokens stay dead when the suspension is lifted', async () => {
  const { database } = service.parts;
  const token = String((await ask()).body.access_token);
  await changeApplication(database, 'suspend', application.clientId, service.clock.now());
  await changeApplication(database, 'unsuspend', application.clientId, service.clock.now());
  expect(await introspect(token)).toEqual({ active: false });
  expect(await introspect(String((await ask()).body.access_token))).toMatchObject({ active: true });
});

test('a deleted application’s tokens are gone with it', async () => {
  const { database } = service.parts;
  const other = await service.createApplication();
  await database.query(RIGHTS, [other.clientId, ['reports:read'], [API]]);
  const token = String((await ask({}, other)).body.access_token);
  expect(await introspect(token, other)).toMatchObject({ active: true });
  await deleteClient(database, other.clientId);
  const known = { hash: serviceTokenDigest(token), clientId: other.clientId, now: service.clock.now() };
  expect(await isServiceTokenLive(database, known)).toBe(false);
  expect(await introspect(token, other)).toMatchObject({ error: 'invalid_client' });
});

describe('refused', () => {
  test('an application without scopes of its own, a public one always: the grant is off', async () => {
    expectError(await ask({}, await service.createApplication()), 400, 'unsupported_grant_type');
    const single = await service.createApplication({ type: 'public' });
    await service.parts.database.query(RIGHTS, [single.clientId, ['x'], []]);
    expectError(await ask({}, single), 400, 'unsupported_grant_type');
  });

  test('a wrong secret, none', async () => {
    expectError(await ask({ client_secret: 'wrong' }), 401, 'invalid_client');
    expectError(await ask({ client_secret: undefined }), 401, 'invalid_client');
  });

  test('a scope that is not its own, a person’s data among them; a resource that is not registered', async () => {
    for (const scope of [' ', 'reports:delete', 'openid', 'profile reports:read'])
      expectError(await ask({ scope }), 400, 'invalid_scope');
    expectError(await ask({ resource: 'https://other.example/' }), 400, 'invalid_target');
  });

  test('no resource: an API that looks at aud and scope could not tell it from another application’s', async () => {
    expectError(await ask({ resource: undefined }), 400, 'invalid_target');
    const other = await service.createApplication();
    await service.parts.database.query(RIGHTS, [other.clientId, ['reports:read'], []]);
    expectError(await ask({ resource: undefined }, other), 400, 'invalid_target');
    expectError(await ask({}, other), 400, 'invalid_target');
    await service.parts.database.query(RIGHTS, [other.clientId, ['reports:read'], [service.baseUrl]]);
    expectError(await ask({ resource: service.baseUrl }, other), 400, 'invalid_target');
  });
});
