// Access tokens for APIs (RFC 8707): audience, scopes, consent, errors.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import type { NewApi } from '../../src/store/apis.ts';
import { expectError } from '../support/expect-error.ts';
import {
  buildAuthorizeUrl,
  completeAuthorization,
  fetchUserinfo,
  listCheckboxes,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  submitDecision,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

afterAll(async () => {
  resourceServer.close();
  await service.close();
});

/** TOKEN stands for a valid token. */
const TOKEN_VARIANTS = [
  'for others: TOKEN',
  'for others:TOKEN',
  'TOKEN for others',
  'foreign TOKEN',
  '["TOKEN"]',
  '3:TOKEN',
  'TOKEN=',
];
const asString = (value: unknown) => String(value);
const updateDatabase = (query: string, values: unknown[]) => sql(service.services.database, query, values);
const setStandard = (standard: boolean) =>
  updateDatabase('update clients set standard = $2 where client_id = $1', [client.clientId, standard]);
const enableDeviceFlow = (clientId: string) =>
  updateDatabase('update clients set device_flow = true where client_id = $1', [clientId]);

const buildAuthorizationUrl = (scope: string | undefined, resources: string[], app = client) => {
  const url = buildAuthorizeUrl(service, app, { scope });
  for (const resource of resources) url.searchParams.append('resource', resource);
  return url;
};
const obtainCode = async (scope: string, resources: string[], app = client) =>
  (await completeAuthorization(browser, buildAuthorizationUrl(scope, resources, app))).searchParams.get(
    'code',
  ) ?? '';
const obtainTokens = async (
  scope: string,
  resources: string[],
  fields: Record<string, string> = {},
  app = client,
) => (await redeemCode(service, app, await obtainCode(scope, resources, app), fields)).body;
const readAuthorizationError = async (scope: string, resources: string[], app = client) => {
  const { location } = await browser.get(buildAuthorizationUrl(scope, resources, app));
  return location?.searchParams.get('error');
};
const callApi = async (token: unknown) =>
  (await fetch(resourceUrl, { headers: { authorization: `Bearer ${token}` } })).status;
const introspect = async (token: unknown, { clientId, clientSecret }: TestClient = client) =>
  (
    await postForm(service, '/oauth/introspect', {
      token: asString(token),
      client_id: clientId,
      client_secret: clientSecret,
    })
  ).body;

const service = await startTestService();
const client = await service.createClient();
const archives = await service.createApi();
/** An API with the same scope names as `archives`. */
const files = await service.createApi({ identifier: 'https://files.example/', name: 'Files' });
const browser = await openSignedInBrowser(service, await service.createUser());
const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', service.baseUrl));
// Verifies tokens with the published keys.
const resourceServer = createServer(async (request, response) => {
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  const checks = {
    issuer: service.baseUrl,
    audience: archives.identifier,
    typ: 'at+jwt',
    algorithms: ['ES256'],
  };
  const verified = await jwtVerify(token, keys, checks).catch(() => undefined);
  response.writeHead(verified ? 200 : 401).end(verified?.payload.sub);
});
await new Promise<void>((resolve) => resourceServer.listen(0, '127.0.0.1', resolve));
const resourceUrl = `http://127.0.0.1:${(resourceServer.address() as AddressInfo).port}/`;

describe('a token for an API', () => {
  test('can be verified with the published keys', async () => {
    const body = await obtainTokens('openid profile read', [archives.identifier], {
      resource: archives.identifier,
    });
    expect(body).toMatchObject({ expires_in: 600, scope: 'read' });
    const claims = decodeJwt(asString(body.access_token));
    expect(claims).toMatchObject({
      aud: archives.identifier,
      scope: 'read',
      client_id: client.clientId,
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(600);
    expect(await callApi(body.access_token)).toBe(200);
    expect((await fetchUserinfo(service, asString(body.access_token))).status).toBe(401);
    expect(body.id_token).toBeDefined();
    const serviceTokens = await obtainTokens('openid profile', []);
    expect(await callApi(serviceTokens.access_token)).toBe(401);
    expect((await fetchUserinfo(service, asString(serviceTokens.access_token))).status).toBe(200);
  });

  test('is rejected by the userinfo endpoint, modified or not', async () => {
    await setStandard(true);
    const body = await obtainTokens('openid profile read', [archives.identifier], {
      resource: archives.identifier,
    });
    for (const standard of [true, false]) {
      await setStandard(standard);
      for (const variant of TOKEN_VARIANTS) {
        const token = variant.replace('TOKEN', asString(body.access_token));
        expectError(await fetchUserinfo(service, token), 401, 'invalid_token');
        const byForm = await postForm(service, '/oauth/userinfo', { access_token: token });
        expectError(byForm, 401, 'invalid_token');
      }
    }
  });

  test('has the audience from the token request', async () => {
    const resources = [files.identifier, archives.identifier];
    const first = await obtainTokens('openid profile read write', resources, { resource: files.identifier });
    expect(decodeJwt(asString(first.access_token))).toMatchObject({
      aud: files.identifier,
      scope: 'read write',
    });
    expect(await callApi(first.access_token)).toBe(401);
    const second = await redeemRefreshToken(service, client, asString(first.refresh_token), {
      resource: archives.identifier,
    });
    expect(await callApi(second.body.access_token)).toBe(200);
    // Without `resource`, the token's audience is this service.
    const third = await redeemRefreshToken(service, client, asString(second.body.refresh_token));
    expect(third.body).toMatchObject({ scope: 'openid profile', expires_in: 3600 });
    expect((await fetchUserinfo(service, asString(third.body.access_token))).status).toBe(200);
    const resourceQuery = `${new URLSearchParams(resources.map((resource) => ['resource', resource]))}`;
    const response = await fetch(new URL('/oauth/token', service.baseUrl), {
      method: 'POST',
      body: new URLSearchParams(
        `${resourceQuery}&grant_type=refresh_token&refresh_token=${third.body.refresh_token}&client_id=${client.clientId}&client_secret=${client.clientSecret}`,
      ),
    });
    expect(await response.json()).toMatchObject({ error: 'invalid_target' });
  });

  test('needs no resource parameter if the grant has one API', async () => {
    const tokens = await obtainTokens('read', [archives.identifier]);
    expect(decodeJwt(asString(tokens.access_token)).aud).toBe(archives.identifier);
    expect(tokens.id_token).toBeUndefined();
    const refreshed = await redeemRefreshToken(service, client, asString(tokens.refresh_token));
    expect(decodeJwt(asString(refreshed.body.access_token)).aud).toBe(archives.identifier);
    const code = await obtainCode('read', [archives.identifier, files.identifier]);
    expectError(await redeemCode(service, client, code), 400, 'invalid_target');
    expect((await redeemCode(service, client, code, { resource: files.identifier })).status).toBe(200);
  });
});

describe('requested scopes', () => {
  test('are granted for each API that defines them', async () => {
    const resources = [archives.identifier, files.identifier];
    const first = await obtainTokens('read nonsense', resources, { resource: archives.identifier });
    expect(first.scope).toBe('read');
    const second = await redeemRefreshToken(service, client, asString(first.refresh_token), {
      resource: files.identifier,
    });
    expect(second.body.scope).toBe('read');
  });

  test('cause invalid_scope if they do not match the requested APIs', async () => {
    expect(await readAuthorizationError('openid', [archives.identifier])).toBe('invalid_scope');
    expect(await readAuthorizationError('read', [])).toBe('invalid_scope');
    const reports = await service.createApi({
      scopes: [{ name: 'reports', fr: 'a', en: 'a', sensitive: false, agents: true }],
    });
    expect(await readAuthorizationError('openid read', [archives.identifier, reports.identifier])).toBe(
      'invalid_scope',
    );
  });

  test('cause invalid_scope if they are not registered for the client', async () => {
    const narrowClient = await service.createClient({ scopes: ['openid'] });
    expect(await readAuthorizationError('openid email read', [archives.identifier], narrowClient)).toBe(
      'invalid_scope',
    );
  });
});

describe('consent', () => {
  test('is required once for each scope of each API', async () => {
    const userBrowser = await openSignedInBrowser(service, await service.createUser());
    const needsConsent = async (scope: string, resources: string[]) => {
      const visit = await userBrowser.follow(await userBrowser.get(buildAuthorizationUrl(scope, resources)));
      if (visit.location !== undefined) return false;
      await submitDecision(userBrowser, visit, 'allow', listCheckboxes(visit));
      return true;
    };
    expect(await needsConsent('openid', [])).toBe(true);
    expect(await needsConsent('openid read', [archives.identifier])).toBe(true);
    expect(await needsConsent('openid read', [archives.identifier])).toBe(false);
    // Consent is stored per API, even if two APIs have the same scope names.
    expect(await needsConsent('openid read', [files.identifier])).toBe(true);
    expect(await needsConsent('openid read', [files.identifier])).toBe(false);
    expect(await needsConsent('openid write', [archives.identifier])).toBe(true);
    expect(await needsConsent('openid write', [archives.identifier])).toBe(true);
  });

  test('must already exist for prompt=none', async () => {
    const url = buildAuthorizationUrl('openid write', [archives.identifier]);
    url.searchParams.set('prompt', 'none');
    expect((await browser.get(url)).location?.searchParams.get('error')).toBe('consent_required');
  });
});

describe('the invalid_target error', () => {
  test('is returned for an unknown resource at every endpoint', async () => {
    const unknown = 'https://nobody.example/';
    const { clientId: client_id, clientSecret: client_secret } = client;
    expect(await readAuthorizationError('openid', [unknown])).toBe('invalid_target');
    const fields = Object.fromEntries(buildAuthorizationUrl('openid', [unknown]).searchParams);
    expectError(await postForm(service, '/oauth/par', { ...fields, client_secret }), 400, 'invalid_target');
    const code = await obtainCode('openid', []);
    expectError(await redeemCode(service, client, code, { resource: unknown }), 400, 'invalid_target');
    const { body } = await redeemCode(service, client, code);
    const refreshToken = asString(body.refresh_token);
    expectError(
      await redeemRefreshToken(service, client, refreshToken, { resource: unknown }),
      400,
      'invalid_target',
    );
    expect((await redeemRefreshToken(service, client, refreshToken)).status).toBe(200);
    await enableDeviceFlow(client_id);
    const deviceRequest = { client_id, client_secret, scope: 'openid' };
    const refused = await postForm(service, '/oauth/device_authorization', {
      ...deviceRequest,
      resource: unknown,
    });
    expectError(refused, 400, 'invalid_target');
    const unauthenticated = { ...deviceRequest, client_secret: 'wrong', resource: unknown };
    expectError(
      await postForm(service, '/oauth/device_authorization', unauthenticated),
      401,
      'invalid_client',
    );
  });

  test('is returned for variants of the identifier', async () => {
    const api = await service.createApi({ identifier: 'https://spelled.example/' });
    for (const resource of ['https://spelled.example/', 'https://spelled.example']) {
      const body = await obtainTokens('read', [resource], { resource });
      expect(decodeJwt(asString(body.access_token)).aud).toBe(api.identifier);
    }
    for (const variant of [
      'https://SPELLED.example',
      'https://spelled.example:443/',
      'https://spelled.example//',
    ])
      expect(await readAuthorizationError('read', [variant])).toBe('invalid_target');
    const code = await obtainCode('openid read', [archives.identifier]);
    const variants = [`${archives.identifier}/`, archives.identifier.replace('https', 'HTTPS')];
    for (const resource of variants)
      expectError(await redeemCode(service, client, code, { resource }), 400, 'invalid_target');
    const { body } = await redeemCode(service, client, code, { resource: archives.identifier });
    for (const resource of variants)
      expectError(
        await redeemRefreshToken(service, client, asString(body.refresh_token), { resource }),
        400,
        'invalid_target',
      );
    for (const variant of [`${archives.identifier}/`, archives.identifier.replace('https', 'http')])
      expect(await readAuthorizationError('read', [variant])).toBe('invalid_target');
  });

  test('is returned for an API that the client may not use', async () => {
    const owner = await service.createUser();
    const restricted = await service.createApi({ ownerId: owner.userId, allowedClients: 'own' });
    expect(await readAuthorizationError('read', [restricted.identifier])).toBe('invalid_target');
    const ownersClient = await service.createClient({ ownerId: owner.userId });
    expect((await obtainTokens('read', [restricted.identifier], {}, ownersClient)).scope).toBe('read');
    await updateDatabase('update apis set suspended_at = now() where api_id = $1', [restricted.apiId]);
    expect(await readAuthorizationError('read', [restricted.identifier], ownersClient)).toBe(
      'invalid_target',
    );
    await updateDatabase(
      'insert into api_exclusions (api_id, client_id, excluded_at) values ($1, $2, now())',
      [files.apiId, ownersClient.clientId],
    );
    expect(await readAuthorizationError('read', [files.identifier], ownersClient)).toBe('invalid_target');
  });

  test('is returned if the token request adds a resource (§2.2)', async () => {
    const code = await obtainCode('openid read', [archives.identifier]);
    const otherResource = { resource: files.identifier };
    expectError(await redeemCode(service, client, code, otherResource), 400, 'invalid_target');
    const { status, body } = await redeemCode(service, client, code, { resource: archives.identifier });
    expect(status).toBe(200);
    expectError(
      await redeemRefreshToken(service, client, asString(body.refresh_token), otherResource),
      400,
      'invalid_target',
    );
    expect((await redeemRefreshToken(service, client, asString(body.refresh_token))).status).toBe(200);
  });

  test('is returned for device flow requests with a resource', async () => {
    const { clientId: client_id, clientSecret: client_secret } = client;
    await enableDeviceFlow(client_id);
    const deviceRequest = { client_id, client_secret, scope: 'openid' };
    const resource = archives.identifier;
    const withResource = await postForm(service, '/oauth/device_authorization', {
      ...deviceRequest,
      resource,
    });
    expectError(withResource, 400, 'invalid_target');
    const { body } = await postForm(service, '/oauth/device_authorization', deviceRequest);
    const poll = {
      client_id,
      client_secret,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: asString(body.device_code),
    };
    expectError(await postForm(service, '/oauth/token', { ...poll, resource }), 400, 'invalid_target');
    expectError(await postForm(service, '/oauth/token', poll), 400, 'authorization_pending');
  });

  test('is not returned for a malformed resource', async () => {
    const api = encodeURIComponent(archives.identifier);
    for (const resources of [`resource=${api}&resource=%FF`, `resource=%FF&resource=${api}`]) {
      const { location } = await browser.get(`${buildAuthorizeUrl(service, client)}&${resources}`);
      expect(location?.searchParams.get('error')).toBe('invalid_request');
    }
  });

  test('is returned if too many APIs are requested', async () => {
    const duplicates = [...Array(25).fill(archives.identifier), files.identifier];
    expect(
      (await obtainTokens('read', duplicates, { resource: files.identifier })).access_token,
    ).toBeDefined();
    const unknownResources = Array.from({ length: 6 }, (_, number) => `https://api-${number}.example/`);
    expect(await readAuthorizationError('openid', unknownResources)).toBe('invalid_target');
  });
});

describe('API changes by the owner', () => {
  const createApiAndTokens = async (fields: Partial<NewApi> = {}) => {
    const api = await service.createApi(fields);
    const body = await obtainTokens('openid profile read write', [api.identifier], {
      resource: api.identifier,
    });
    const refresh = (token = asString(body.refresh_token)) =>
      redeemRefreshToken(service, client, token, { resource: api.identifier });
    return { api, body, refresh };
  };
  const isActive = async (token: unknown) => (await introspect(token)).active;

  test('remove the API from a blocked client’s grants for good', async () => {
    const { api, body, refresh } = await createApiAndTokens();
    await updateDatabase('insert into api_exclusions (api_id, client_id, excluded_at) values ($1, $2, $3)', [
      api.apiId,
      client.clientId,
      service.clock.now(),
    ]);
    expect(await isActive(body.access_token)).toBe(false);
    expectError(await refresh(), 400, 'invalid_target');
    service.clock.advance(1);
    await updateDatabase('update api_exclusions set lifted_at = $2 where api_id = $1', [
      api.apiId,
      service.clock.now(),
    ]);
    expect(await isActive(body.access_token)).toBe(false);
    expectError(await refresh(), 400, 'invalid_grant');
    const refreshed = await redeemRefreshToken(service, client, asString(body.refresh_token));
    expect((await fetchUserinfo(service, asString(refreshed.body.access_token))).status).toBe(200);
    const newTokens = await obtainTokens('read', [api.identifier]);
    expect(await isActive(newTokens.access_token)).toBe(true);
  });

  test('invalidate tokens for a restricted, suspended or deleted API', async () => {
    const { api, body, refresh } = await createApiAndTokens();
    await updateDatabase("update apis set allowed_clients = 'own' where api_id = $1", [api.apiId]);
    expect(await isActive(body.access_token)).toBe(false);
    expectError(await refresh(), 400, 'invalid_target');
    await updateDatabase(
      "update apis set allowed_clients = 'applications', suspended_at = now() where api_id = $1",
      [api.apiId],
    );
    expect(await isActive(body.access_token)).toBe(false);
    expectError(await refresh(), 400, 'invalid_target');
    await updateDatabase('update apis set suspended_at = null where api_id = $1', [api.apiId]);
    expect(await isActive(body.access_token)).toBe(true);
    await updateDatabase('delete from apis where api_id = $1', [api.apiId]);
    expect(await isActive(body.access_token)).toBe(false);
    expectError(await refresh(), 400, 'invalid_target');
    await service.createApi({ identifier: api.identifier });
    expect(await isActive(body.access_token)).toBe(false);
    expectError(await refresh(), 400, 'invalid_target');
  });

  test('to token lifetime or scopes apply at the next refresh', async () => {
    const { api, body, refresh } = await createApiAndTokens();
    await updateDatabase('update apis set token_lifetime = 120, scopes = scopes - 1 where api_id = $1', [
      api.apiId,
    ]);
    const refreshed = await refresh();
    expect(refreshed.body).toMatchObject({ expires_in: 120, scope: 'read' });
    const claims = decodeJwt(asString(refreshed.body.access_token));
    expect(Number(claims.exp) - Number(claims.iat)).toBe(120);
    expect((await refresh(asString(refreshed.body.refresh_token))).status).toBe(200);
    expectError(await refresh(), 400, 'invalid_grant'); // this refresh token was already used
    expect(body.scope).toBe('read write');
  });

  test('also apply to unredeemed codes', async () => {
    const api = await service.createApi();
    const code = await obtainCode('read write', [api.identifier]);
    await updateDatabase("update apis set token_lifetime = 90, scopes = '[]' where api_id = $1", [api.apiId]);
    expectError(await redeemCode(service, client, code), 400, 'invalid_scope');
    await updateDatabase('update apis set scopes = $2 where api_id = $1', [
      api.apiId,
      JSON.stringify(api.scopes),
    ]);
    const { body } = await redeemCode(service, client, code);
    expect(body).toMatchObject({ expires_in: 90, scope: 'read write' });
    expectError(await redeemCode(service, client, code), 400, 'invalid_grant');
    expectError(
      await redeemRefreshToken(service, client, asString(body.refresh_token)),
      400,
      'invalid_grant',
    );
  });

  test('cause invalid_target on an open consent page', async () => {
    const api = await service.createApi();
    const visit = await browser.follow(await browser.get(buildAuthorizationUrl('read', [api.identifier])));
    expect(visit.status).toBe(200);
    await updateDatabase("update apis set allowed_clients = 'own' where api_id = $1", [api.apiId]);
    const decision = await browser.post('/consent', { ...visit.hidden, decision: 'allow' });
    const response = await browser.follow(decision);
    expect(response.location?.searchParams.get('error')).toBe('invalid_target');
    expect(response.location?.searchParams.has('code')).toBe(false);
  });
});
