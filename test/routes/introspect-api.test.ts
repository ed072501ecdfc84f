// POST /oauth/introspect: what an API is told about tokens for it, by credentials that are good nowhere else (D56).

import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiSecret } from '../../src/oauth/secrets.ts';
import { statement } from '../../src/store/statement.ts';
import {
  apiWithSecret,
  asserted,
  exclude,
  introspect,
  keyOf,
  obtainApiToken,
  obtainServiceToken,
  type TestApi,
} from '../support/apis.ts';
import { expectError } from '../support/expect-error.ts';
import { obtainTokens, postForm, renew, signedInBrowser } from '../support/flow.ts';
import { deleteClient, suspendUser } from '../support/populate.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const api = await apiWithSecret(service);
const other = await apiWithSecret(service);
const user = await service.createUser();
const browser = await signedInBrowser(service, user);
afterAll(() => service.close());

const INACTIVE = { active: false };
const about = async (token: string, who = api) => (await introspect(service, who, token)).body;
const run = (name: string, sql: string, values: unknown[]) =>
  service.parts.database.query(statement(`test_introspection_${name}`, sql), values);
const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const apiToken = async (app = application, who: TestApi = api) =>
  (await obtainApiToken(service, app, browser, who)).apiToken;

describe('a live token for the API', () => {
  test('of a person’s grant: what it says itself, whoever got it', async () => {
    for (const app of [application, await service.createApplication({ type: 'public' })]) {
      const token = await apiToken(app);
      const answer = await introspect(service, api, token);
      expect(answer.body).toEqual({ active: true, token_type: 'Bearer', ...decodeJwt(token) });
      expect(answer.body).toMatchObject({
        iss: service.baseUrl,
        sub: user.userId,
        aud: api.identifier,
        client_id: app.clientId,
        scope: 'read',
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('of an application on its own account', async () => {
    const token = await obtainServiceToken(service, application, api);
    expect(await about(token)).toEqual({ active: true, token_type: 'Bearer', ...decodeJwt(token) });
  });
});

describe('inactive, and nothing more is said', () => {
  test('refresh tokens, tokens for this service, codes, nonsense, an altered one', async () => {
    const tokens = await obtainApiToken(service, application, browser, api);
    for (const token of [
      ...[tokens.accessToken, tokens.refreshToken, String(tokens.idToken)],
      ...['nonsense', 'a.b.c', `${tokens.apiToken}x`, 'é'],
    ])
      expect(await about(token)).toEqual(INACTIVE);
  });

  test('tokens for another API, of either kind', async () => {
    const service_ = await obtainServiceToken(service, application, other);
    for (const token of [await apiToken(application, other), service_]) {
      expect(await about(token)).toEqual(INACTIVE);
      expect((await about(token, other)).active).toBe(true);
    }
  });

  test('what an application asks of its own stays hidden from APIs, and the other way round', async () => {
    const { accessToken, apiToken: token } = await obtainApiToken(service, application, browser, api);
    expect(await about(accessToken)).toEqual(INACTIVE);
    const stranger = await service.createApplication();
    const asked = await postForm(service, '/oauth/introspect', {
      token,
      client_id: stranger.clientId,
      client_secret: stranger.clientSecret,
    });
    expect(asked.body).toEqual(INACTIVE);
  });

  test('expired, by the API’s lifetime', async () => {
    const tokens = [await apiToken(), await obtainServiceToken(service, application, api)];
    service.clock.advance(api.tokenLifetime - 5);
    for (const token of tokens) expect((await about(token)).active).toBe(true);
    service.clock.advance(6);
    for (const token of tokens) expect(await about(token)).toEqual(INACTIVE);
  });

  test('the account suspended, the application suspended or deleted (D28)', async () => {
    const person = await service.createUser();
    const app = await service.createApplication();
    const { apiToken: token } = await obtainApiToken(
      service,
      app,
      await signedInBrowser(service, person),
      api,
    );
    const own = await obtainServiceToken(service, app, api);
    const mine = await apiToken(app);
    await suspendUser(service.parts.database, person.userId, service.clock.now());
    expect(await about(token)).toEqual(INACTIVE);
    const suspend = 'update clients set suspended_at = $2::timestamptz where client_id = $1';
    await run('suspend', suspend, [app.clientId, service.clock.now()]);
    for (const one of [mine, own]) expect(await about(one)).toEqual(INACTIVE);
    await run('suspend', suspend, [app.clientId, null]);
    for (const one of [mine, own]) expect((await about(one)).active).toBe(true);
    await deleteClient(service.parts.database, app.clientId);
    for (const one of [mine, own]) expect(await about(one)).toEqual(INACTIVE);
  });

  test('an application that the API’s owner has cut off; the others go on', async () => {
    const [cut, kept] = [await service.createApplication(), await service.createApplication()];
    const theirs = [await apiToken(cut), await obtainServiceToken(service, cut, api)];
    const token = await apiToken(kept);
    await exclude(service, api, cut);
    for (const one of theirs) expect(await about(one)).toEqual(INACTIVE);
    expect((await about(token)).active).toBe(true);
  });

  test('an application that the API does not admit any more: its owner’s own go on', async () => {
    const choosy = await apiWithSecret(service);
    const own = await service.createApplication({ ownerId: choosy.ownerId });
    const tokens = { own: await apiToken(own, choosy), foreign: await apiToken(application, choosy) };
    const admit = 'update apis set admits = $2 where api_id = $1';
    await run('admit', admit, [choosy.apiId, 'own']);
    expect((await about(tokens.own, choosy)).active).toBe(true);
    expect(await about(tokens.foreign, choosy)).toEqual(INACTIVE);
  });

  test('an agent where only registered applications may ask', async () => {
    const choosy = await apiWithSecret(service, { admits: 'agents' });
    const agent = await service.createApplication({ type: 'public' });
    const token = await apiToken(agent, choosy);
    await run('disown', 'update clients set owner_id = null where client_id = $1', [agent.clientId]);
    expect((await about(token, choosy)).active).toBe(true);
    await run('admit', 'update apis set admits = $2 where api_id = $1', [choosy.apiId, 'applications']);
    expect(await about(token, choosy)).toEqual(INACTIVE);
  });

  test('access on an application’s own account that is not granted any more', async () => {
    const app = await service.createApplication();
    const token = await obtainServiceToken(service, app, api);
    const end = 'update api_service_access set granted_at = null where api_id = $1 and client_id = $2';
    await run('end_access', end, [api.apiId, app.clientId]);
    expect(await about(token)).toEqual(INACTIVE);
  });

  test('a token with a scope that the API has no more, of either kind', async () => {
    const changing = await apiWithSecret(service);
    const app = await service.createApplication();
    const tokens = [await apiToken(app, changing), await obtainServiceToken(service, app, changing)];
    const set = 'update apis set scopes = $2::jsonb where api_id = $1';
    await run('set_scopes', set, [changing.apiId, JSON.stringify(changing.scopes.slice(1))]);
    for (const token of tokens) expect(await about(token, changing)).toEqual(INACTIVE);
    await run('set_scopes', set, [changing.apiId, JSON.stringify(changing.scopes)]);
    for (const token of tokens) expect((await about(token, changing)).active).toBe(true);
  });

  test('a suspended API is told so of every token; its credentials are not called wrong', async () => {
    const held = await apiWithSecret(service);
    const token = await apiToken(application, held);
    const suspend = 'update apis set suspended_at = $2::timestamptz where api_id = $1';
    await run('change_suspension', suspend, [held.apiId, service.clock.now()]);
    const answer = await introspect(service, held, token);
    expect([answer.status, answer.body]).toEqual([200, INACTIVE]);
    await run('change_suspension', suspend, [held.apiId, null]);
    expect((await about(token, held)).active).toBe(true);
  });
});

describe('who may ask', () => {
  test('nobody without credentials, with wrong ones, or with those of another API', async () => {
    const token = await apiToken();
    for (const client_secret of [undefined, 'wrong', newApiSecret(), other.secret, api.apiId])
      expectError(await introspect(service, api, token, { client_secret }), 401, 'invalid_client');
    expectError(await introspect(service, api, token, { client_id: undefined }), 400, 'invalid_request');
    expectError(await introspect(service, api, undefined), 400, 'invalid_request');
    const nobody = { ...api, apiId: `api_${'x'.repeat(20)}` };
    expectError(await introspect(service, nobody, token), 401, 'invalid_client');
    const wrong = await postForm(service, '/oauth/introspect', { token }, basic(api.apiId, 'wrong'));
    expectError(wrong, 401, 'invalid_client');
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /);
    const both = await introspect(service, api, token, {}, basic(api.apiId, api.secret));
    expectError(both, 400, 'invalid_request');
  });

  test('ids and secrets of applications and APIs do not mix', async () => {
    const token = await apiToken();
    const { clientId, clientSecret } = application;
    for (const credentials of [
      { client_id: api.apiId, client_secret: clientSecret },
      { client_id: clientId, client_secret: api.secret },
    ])
      for (const path of ['/oauth/introspect', '/oauth/token', '/oauth/token/revoke', '/oauth/par']) {
        const fields = { token, grant_type: 'refresh_token', refresh_token: 'x' };
        expectError(await postForm(service, path, { ...fields, ...credentials }), 401, 'invalid_client');
      }
  });

  test('the API’s own credentials are worth nothing anywhere else', async () => {
    const { refreshToken } = await obtainTokens(service, application, browser);
    const sign = await keyOf(service, api);
    const fields = {
      token: refreshToken,
      refresh_token: refreshToken,
      scope: 'openid',
      response_type: 'code',
      redirect_uri: application.redirectUri,
      state: 's',
    };
    const places = [
      ...['refresh_token', 'client_credentials', 'authorization_code'].map((grant_type) => ({
        path: '/oauth/token',
        grant_type,
      })),
      { path: '/oauth/token/revoke' },
      { path: '/oauth/par' },
      { path: '/oauth/device_authorization' },
    ];
    for (const { path, ...more } of places)
      for (const proof of [{ client_secret: api.secret }, asserted(await sign())]) {
        const sent = { ...fields, code: 'x', ...more, client_id: api.apiId, ...proof };
        expectError(await postForm(service, path, sent), 401, 'invalid_client');
      }
    expect((await renew(service, application, refreshToken)).status).toBe(200);
  });
});

describe('private_key_jwt', () => {
  let signing: TestApi;
  let sign: Awaited<ReturnType<typeof keyOf>>;
  beforeAll(async () => {
    signing = await apiWithSecret(service);
    sign = await keyOf(service, signing);
  });
  const ask = async (
    claims = {},
    fields: Record<string, string | undefined> = {},
    where: { baseUrl: string } = service,
  ) => introspect(where, signing, 'x', { ...asserted(await sign(claims)), ...fields });

  test('one made for others, of another, too old, signed with another key', async () => {
    const stranger = await keyOf(service, other);
    expectError(await ask({ aud: 'https://other.example' }), 401, 'invalid_client');
    expectError(await ask({ iss: other.apiId }), 401, 'invalid_client');
    expectError(await ask({ sub: application.clientId, iss: application.clientId }), 401, 'invalid_client');
    expectError(
      await ask({ exp: Math.floor(service.clock.now().getTime() / 1000) - 60 }),
      401,
      'invalid_client',
    );
    const forged = await stranger({ iss: signing.apiId, sub: signing.apiId });
    expectError(await ask({}, asserted(forged)), 401, 'invalid_client');
    expectError(await ask({}, { client_id: other.apiId }), 401, 'invalid_client');
  });

  test('the same key of an application and an API: an assertion of one is none of the other', async () => {
    const jwks = 'update clients set jwks = (select jwks from apis where api_id = $2) where client_id = $1';
    await run('same_keys', jwks, [application.clientId, signing.apiId]);
    const ofApi = asserted(await sign());
    const ofApplication = asserted(await sign({ iss: application.clientId, sub: application.clientId }));
    const send = (client_id: string, proof: object) =>
      postForm(service, '/oauth/introspect', { token: 'x', client_id, ...proof });
    expectError(await send(application.clientId, ofApi), 401, 'invalid_client');
    expectError(await send(signing.apiId, ofApplication), 401, 'invalid_client');
    expect((await send(signing.apiId, ofApi)).status).toBe(200); // it was not used up by the wrong name
    expect((await send(application.clientId, ofApplication)).status).toBe(200);
  });
});

test('the secret’s last use is noted in a batch, and nobody else’s', async () => {
  const used = await apiWithSecret(service);
  await introspect(service, used, 'x', { client_secret: newApiSecret() });
  await service.parts.usage.flush();
  const last = 'select last_used_at as at from secrets where api_id = $1';
  expect(await run('last_used', last, [used.apiId])).toEqual([{ at: null }]);
  await introspect(service, used, 'x');
  await service.parts.usage.flush();
  expect(await run('last_used', last, [used.apiId])).toEqual([{ at: expect.any(Date) }]);
});
