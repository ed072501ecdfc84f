import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { pruneCutoffs } from '../../src/store/pruning.ts';
import { statement } from '../../src/store/statement.ts';
import { toAssertionFields } from '../support/apis.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorizeMetadataClient,
  buildMetadataClientRequest,
  createMetadataClient,
} from '../support/metadata-clients.ts';
import {
  buildAuthorizeUrl,
  openSignedInBrowser,
  readJson,
  redeemCode,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { pruneAll } from '../support/store-fixtures.ts';

const service = await startTestService({ AGENTS_REGISTRATION: 'on', TRUSTED_PROXIES: '127.0.0.1' });
afterAll(() => service.close());

let counter = 0;
const send = async (
  body: unknown,
  { type = 'application/json', ip = `192.0.2.${++counter}`, to = service } = {},
) =>
  readJson(
    await fetch(new URL('/oauth/register', to.baseUrl), {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': type, 'x-forwarded-for': ip },
    }),
  );
const CLIENT_METADATA = { client_name: 'Scribe', redirect_uris: ['http://localhost/callback'] };
const registerClient = async (metadata = CLIENT_METADATA) => String((await send(metadata)).body.client_id);

describe('dynamic client registration', () => {
  test('returns a client_id and no secret', async () => {
    const response = await send({
      ...CLIENT_METADATA,
      scope: 'everything',
      grant_types: ['client_credentials'],
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.body).toEqual({
      ...CLIENT_METADATA,
      client_id: expect.stringMatching(/^agent_[A-Za-z0-9_-]{20}$/),
      client_id_issued_at: expect.any(Number),
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    });
  });

  test.each<[string, unknown, string, RegExp]>([
    ['invalid JSON', '{', 'invalid_client_metadata', /not a JSON object/],
    ['an array', [], 'invalid_client_metadata', /not a JSON object/],
    [
      'no client_name',
      { ...CLIENT_METADATA, client_name: undefined },
      'invalid_client_metadata',
      /client_name/,
    ],
    ['a secret', { ...CLIENT_METADATA, client_secret: 'x' }, 'invalid_client_metadata', /client_secret/],
    [
      'an unsupported authentication method',
      { ...CLIENT_METADATA, token_endpoint_auth_method: 'x' },
      'invalid_client_metadata',
      /private_key/,
    ],
    [
      'deeply nested jwks',
      JSON.stringify({
        ...CLIENT_METADATA,
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: 'DEEP',
      }).replace('"DEEP"', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
      'invalid_client_metadata',
      /jwks must contain public signing keys/,
    ],
    ['no redirect_uris', { client_name: 'Scribe' }, 'invalid_redirect_uri', /list of 1 to 20/],
    [
      'a plain HTTP redirect URI',
      { ...CLIENT_METADATA, redirect_uris: ['http://x.example/'] },
      'invalid_redirect_uri',
      /http/,
    ],
  ])('with %s fails with a descriptive error', async (_, body, error, message) => {
    const response = await send(body);
    expect([response.status, response.body.error]).toEqual([400, error]);
    expect(response.body.error_description).toMatch(message);
  });

  test('is limited to ten clients per IP address per hour', async () => {
    const ip = '198.51.100.1';
    for (let count = 0; count < 10; count++) expect((await send(CLIENT_METADATA, { ip })).status).toBe(201);
    const response = await send(CLIENT_METADATA, { ip });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '360']);
    expect((await send(CLIENT_METADATA)).status).toBe(201);
    service.clock.advance(370);
    expect((await send(CLIENT_METADATA, { ip })).status).toBe(201);
  });

  test('fails with 503 at the maximum number of clients', async () => {
    const fullService = await startTestService({ AGENTS_REGISTRATION: 'on' });
    await fullService.services.database.query(
      statement(
        'test_fill_agents',
        `with made as (insert into clients
          (client_id, type, name, redirect_uris, scopes, standard, pkce_required, refresh_grace, created_at, suspended_at)
          select 'agent_' || n, 'public', 'x', '{}', '{}', true, true, 0, $1::timestamptz, $1::timestamptz
          from generate_series(1, 10000) n returning client_id, created_at)
        insert into agents (client_id, kind, created_at) select client_id, 'registration', created_at from made`,
      ),
      [fullService.clock.now()],
    );
    const response = await send(CLIENT_METADATA, { to: fullService });
    expect([response.status, response.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(response.headers.get('retry-after')).toBe('360');
    await fullService.close();
  });

  test('fails with 404 if it is disabled', async () => {
    const closedService = await startTestService();
    try {
      expect((await send(CLIENT_METADATA, { to: closedService })).status).toBe(404);
      const fetchRegistrationEndpoint = async ({ baseUrl }: TestService) =>
        (
          (await (await fetch(`${baseUrl}/.well-known/oauth-authorization-server`)).json()) as never as {
            registration_endpoint?: string;
          }
        ).registration_endpoint;
      expect(await fetchRegistrationEndpoint(closedService)).toBeUndefined();
      expect(await fetchRegistrationEndpoint(service)).toBe(`${service.baseUrl}/oauth/register`);
    } finally {
      await closedService.close();
    }
  });
});

describe('a dynamic client', () => {
  test('must use PKCE', async () => {
    const clientId = await registerClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { code, verifier } = await authorizeMetadataClient(service, clientId, browser);
    expect(
      (await redeemCode(service, createMetadataClient(clientId), code, { code_verifier: verifier })).status,
    ).toBe(200);
    const withoutPkce = await browser.get(buildAuthorizeUrl(service, createMetadataClient(clientId)));
    expect(withoutPkce.location?.searchParams.get('error')).toBe('invalid_request');
    const { callback } = await authorizeMetadataClient(service, clientId, browser, {
      redirect_uri: 'http://localhost:4711/callback',
    });
    expect(callback.port).toBe('4711');
  });

  test('gets error redirects only after consent', async () => {
    const listingService = await startTestService(
      { AGENTS: 'https://agents.example', AGENTS_REGISTRATION: 'on' },
      { databaseUrl: service.databaseUrl },
    );
    const site = { redirect_uri: 'https://agent.example/callback' };
    const clientId = await registerClient({ ...CLIENT_METADATA, redirect_uris: [site.redirect_uri] });
    for (const to of [service, listingService]) {
      const browser = await openSignedInBrowser(to, await to.createUser());
      const requestPhoneScope = async () => {
        const { url } = buildMetadataClientRequest(to, clientId, { ...site, scope: 'openid phone' });
        const { status, location } = await browser.get(url);
        return [status, location?.origin];
      };
      expect(await requestPhoneScope()).toEqual([400, undefined]);
      await authorizeMetadataClient(to, clientId, browser, site);
      expect(await requestPhoneScope()).toEqual([303, 'https://agent.example']);
    }
    await listingService.close();
  });

  const LIST_DYNAMIC_CLIENTS = statement(
    'test_registered',
    `select client_id as "clientId" from clients where owner_id is null`,
  );
  const prune = () =>
    pruneAll(service.services.database, pruneCutoffs(service.services.config, service.clock.now()));
  const isStored = async (id: string) =>
    (await service.services.database.query<{ clientId: string }>(LIST_DYNAMIC_CLIENTS, [])).some(
      ({ clientId }) => clientId === id,
    );

  test('is deleted after a day without consent or 90 days without use', async () => {
    const [used, unused, suspended] = [
      await registerClient(),
      await registerClient(),
      await registerClient(),
    ];
    const browser = await openSignedInBrowser(service, await service.createUser());
    await authorizeMetadataClient(service, used, browser);
    await service.services.database.query(
      statement('test_block', 'update clients set suspended_at = $2 where client_id = $1'),
      [suspended, service.clock.now()],
    );
    const checkAllStored = () => Promise.all([used, unused, suspended].map(isStored));
    service.clock.advance(86_000);
    await prune();
    expect(await checkAllStored()).toEqual([true, true, true]);
    service.clock.advance(1_200);
    await prune();
    expect(await checkAllStored()).toEqual([true, false, true]);
    service.clock.advance(90 * 86_400);
    await prune();
    expect(await checkAllStored()).toEqual([false, false, true]);
    const refused = await openBrowserSession(service.baseUrl).get(
      buildAuthorizeUrl(service, createMetadataClient(used)),
    );
    expect(refused.status).toBe(401);
  });

  test('gets 401 at all endpoints once agents are disabled', async () => {
    const clientId = await registerClient();
    const agent = createMetadataClient(clientId);
    const browser = await openSignedInBrowser(service, await service.createUser());
    const scope = 'openid profile offline_access';
    const { code, verifier } = await authorizeMetadataClient(service, clientId, browser, { scope });
    const { body } = await redeemCode(service, agent, code, { code_verifier: verifier });
    const closedService = await startTestService({ AGENTS: '' }, { databaseUrl: service.databaseUrl });
    try {
      expectError(
        await redeemRefreshToken(closedService, agent, String(body.refresh_token)),
        401,
        'invalid_client',
      );
      const page = await openBrowserSession(closedService.baseUrl).get(
        buildMetadataClientRequest(closedService, clientId).url,
      );
      expect([page.status, page.location]).toEqual([401, undefined]);
    } finally {
      await closedService.close();
    }
    expect((await redeemRefreshToken(service, agent, String(body.refresh_token))).status).toBe(200);
  });

  test('must authenticate with private_key_jwt if it registered keys', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwks = { keys: [await exportJWK(publicKey)] };
    const metadata = { ...CLIENT_METADATA, token_endpoint_auth_method: 'private_key_jwt', jwks };
    const response = await send(metadata);
    expect(response.body).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt', jwks });
    const clientId = String(response.body.client_id);
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { code, verifier } = await authorizeMetadataClient(service, clientId, browser);
    const unauthenticated = { code_verifier: verifier };
    expectError(
      await redeemCode(service, createMetadataClient(clientId), code, unauthenticated),
      401,
      'invalid_client',
    );
    const assertion = await new SignJWT({ jti: 'once' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(service.baseUrl)
      .setExpirationTime(new Date(service.clock.now().getTime() + 60_000))
      .sign(privateKey);
    const authenticated = { ...unauthenticated, ...toAssertionFields(assertion) };
    expect((await redeemCode(service, createMetadataClient(clientId), code, authenticated)).status).toBe(200);
  });
});
