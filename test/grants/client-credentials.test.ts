// grant_type=client_credentials: an application on its own account (RFC 6749 §4.4), and what its tokens are good for.
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { serviceTokenDigest } from '../../src/oauth/digests.ts';
import { changeThing } from '../../src/store/moderation.ts';
import { isServiceTokenLive } from '../../src/store/service-tokens.ts';
import { statement } from '../../src/store/statement.ts';
import { expectError } from '../support/expect-error.ts';
import { postForm, revoke, userinfo } from '../support/flow.ts';
import { heldUp } from '../support/locks.ts';
import { deleteClient, sql } from '../support/populate.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

afterAll(() => service.close());

/** What the owner of an API says yes to. */
const grant = (
  app: TestApplication,
  scopes: string[],
  { apiId } = api,
  grantedAt: Date | null = new Date(),
) =>
  sql(
    service.parts.database,
    `insert into api_service_access (api_id, client_id, scopes, asked_at, granted_at) values ($1, $2, $3, now(), $4)`,
    [apiId, app.clientId, scopes, grantedAt],
  );
const ask = (fields: Record<string, string | undefined> = {}, app = application) =>
  postForm(service, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: app.clientId,
    client_secret: app.clientSecret || undefined,
    resource: api.identifier,
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

const service = await startTestService();
const application = await service.createApplication();
const scope = (name: string) => ({ name, fr: name, en: name, sensitive: false, agents: false });
const scopes = ['reports:read', 'reports:write', 'reports:delete'].map(scope);
const api = await service.createApi({ scopes });
await grant(application, ['reports:read', 'reports:write']);

describe('a token', () => {
  test('for all its own scopes, or those it asks for; nothing to renew with (§4.4.3)', async () => {
    const { status, body, headers } = await ask();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'reports:read reports:write',
    });
    expect((await ask({ scope: 'reports:read' })).body.scope).toBe('reports:read');
  });

  test('says that the application is its own subject (RFC 9068 §2.2), and for whom it is (RFC 8707)', async () => {
    const { clientId } = application;
    const claims = decodeJwt(String((await ask()).body.access_token));
    expect(claims).toMatchObject({ sub: clientId, client_id: clientId, aud: api.identifier });
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
    service.clock.advance(600);
    expect(await introspect(later)).toEqual({ active: false });
  });
});

test('a suspended application’s tokens stay dead when the suspension is lifted', async () => {
  const { database } = service.parts;
  const token = String((await ask()).body.access_token);
  await changeThing(database, 'application', 'suspend', application.clientId, service.clock.now());
  await changeThing(database, 'application', 'unsuspend', application.clientId, service.clock.now());
  expect(await introspect(token)).toEqual({ active: false });
  expect(await introspect(String((await ask()).body.access_token))).toMatchObject({ active: true });
});

test('a deleted application’s tokens are gone with it', async () => {
  const { database } = service.parts;
  const other = await service.createApplication();
  await grant(other, ['reports:read']);
  const token = String((await ask({}, other)).body.access_token);
  expect(await introspect(token, other)).toMatchObject({ active: true });
  await deleteClient(database, other.clientId);
  const known = { hash: serviceTokenDigest(token), clientId: other.clientId, scopes: ['reports:read'] };
  expect(await isServiceTokenLive(database, { ...known, now: service.clock.now() })).toBe(false);
  expect(await introspect(token, other)).toMatchObject({ error: 'invalid_client' });
});

describe('refused', () => {
  test('an application to which the API’s owner granted nothing, or not yet; a public one always', async () => {
    const other = await service.createApplication();
    expectError(await ask({}, other), 400, 'unsupported_grant_type');
    await grant(other, ['reports:read'], api, null);
    expectError(await ask({}, other), 400, 'unsupported_grant_type');
    await grant(other, ['read'], await service.createApi());
    expectError(await ask({}, other), 400, 'unauthorized_client');
    const single = await service.createApplication({ type: 'public' });
    await grant(single, ['reports:read']);
    expectError(await ask({}, single), 400, 'unsupported_grant_type');
  });

  test('a wrong secret, none', async () => {
    expectError(await ask({ client_secret: 'wrong' }), 401, 'invalid_client');
    expectError(await ask({ client_secret: undefined }), 401, 'invalid_client');
  });

  test('a scope that was not granted, a person’s data among them; a resource that nobody owns', async () => {
    for (const scope of [' ', 'reports:delete', 'openid', 'profile reports:read'])
      expectError(await ask({ scope }), 400, 'invalid_scope');
    expectError(await ask({ resource: 'https://nobody.example/' }), 400, 'invalid_target');
    expectError(await ask({ resource: service.baseUrl }), 400, 'invalid_target');
  });

  test('no resource: an API that looks at aud and scope could not tell it from another application’s', async () => {
    expectError(await ask({ resource: undefined }), 400, 'invalid_target');
  });

  test('an API that is suspended, or does not admit the application; what it was given is dead, too', async () => {
    const theirs = await service.createApi({ scopes: api.scopes });
    await grant(application, ['reports:read'], theirs);
    const there = { resource: theirs.identifier };
    const token = String((await ask(there)).body.access_token);
    expect(await introspect(token)).toMatchObject({ active: true, scope: 'reports:read' });
    const { database } = service.parts;
    await sql(database, "update apis set admits = 'own' where api_id = $1", [theirs.apiId]);
    expectError(await ask(there), 400, 'invalid_target');
    expect(await introspect(token)).toEqual({ active: false });
    await sql(database, "update apis set admits = 'agents', suspended_at = now() where api_id = $1", [
      theirs.apiId,
    ]);
    expectError(await ask(there), 400, 'invalid_target');
    expect(await introspect(token)).toEqual({ active: false });
  });

  test('a scope that the API has no more; a token with it is dead, too', async () => {
    const theirs = await service.createApi({ scopes: api.scopes });
    await grant(application, ['reports:read', 'reports:write'], theirs);
    const there = { resource: theirs.identifier };
    const [both, left] = [await ask(there), await ask({ ...there, scope: 'reports:write' })];
    await sql(service.parts.database, 'update apis set scopes = scopes - 0 where api_id = $1', [
      theirs.apiId,
    ]);
    expect(await introspect(String(both.body.access_token))).toEqual({ active: false });
    expect(await introspect(String(left.body.access_token))).toMatchObject({ active: true });
    expect((await ask(there)).body.scope).toBe('reports:write');
    expectError(await ask({ ...there, scope: 'reports:read' }), 400, 'invalid_scope');
  });
});

test.each(['apis', 'clients'] as const)(
  'while what it is about is deleted (%s): refused, and deleted',
  async (table) => {
    const [app, theirs] = [
      await service.createApplication(),
      await service.createApi({ scopes: api.scopes }),
    ];
    await grant(app, ['reports:read'], theirs);
    const [column, id] = table === 'apis' ? ['api_id', theirs.apiId] : ['client_id', app.clientId];
    let answer: ReturnType<typeof ask> | undefined;
    await service.parts.database.transaction(async (transaction) => {
      await transaction.query(
        statement(`test_lock_${table}`, `select from ${table} where ${column} = $1 for update`),
        [id],
      );
      answer = ask({ resource: theirs.identifier }, app);
      await heldUp(service.databaseUrl);
      await transaction.query(
        statement(`test_delete_${table}`, `delete from ${table} where ${column} = $1`),
        [id],
      );
    });
    expect((await answer)?.status).toBe(400);
  },
);
