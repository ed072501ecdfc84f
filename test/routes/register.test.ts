// Agents that register themselves (RFC 7591, D55): where an operator lets them, bounded, and never with a secret.

import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { limitsOf } from '../../src/store/pruning.ts';
import { statement } from '../../src/store/statement.ts';
import { agentAddress, agentAt, authorizeAgent } from '../support/agents.ts';
import { asserted } from '../support/apis.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import { authorizeAddress, readJson, redeem, renew, signedInBrowser } from '../support/flow.ts';
import { pruneAll } from '../support/populate.ts';
import { startTestService, type TestService } from '../support/service.ts';

const service = await startTestService({ AGENTS_REGISTRATION: 'on', TRUSTED_PROXIES: '127.0.0.1' });
afterAll(() => service.close());

let counter = 0;
const send = async (
  body: unknown,
  { type = 'application/json', address = `192.0.2.${++counter}`, to = service } = {},
) =>
  readJson(
    await fetch(new URL('/oauth/register', to.baseUrl), {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': type, 'x-forwarded-for': address },
    }),
  );
const GOOD = { client_name: 'Scribe', redirect_uris: ['http://localhost/callback'] };
const registered = async (metadata = GOOD) => String((await send(metadata)).body.client_id);

describe('registering', () => {
  test('gives a name to be called by, and no secret', async () => {
    const answer = await send({ ...GOOD, scope: 'everything', grant_types: ['client_credentials'] });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      ...GOOD,
      client_id: expect.stringMatching(/^agent_[A-Za-z0-9_-]{20}$/),
      client_id_issued_at: expect.any(Number),
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    });
  });

  test.each<[string, unknown, string, RegExp]>([
    ['no JSON', '{', 'invalid_client_metadata', /not a JSON object/],
    ['a list', [], 'invalid_client_metadata', /not a JSON object/],
    ['no name', { ...GOOD, client_name: undefined }, 'invalid_client_metadata', /client_name/],
    ['a secret', { ...GOOD, client_secret: 'x' }, 'invalid_client_metadata', /client_secret/],
    [
      'another method',
      { ...GOOD, token_endpoint_auth_method: 'x' },
      'invalid_client_metadata',
      /private_key/,
    ],
    [
      'keys that are lists within lists without end',
      JSON.stringify({ ...GOOD, token_endpoint_auth_method: 'private_key_jwt', jwks: 'DEEP' }).replace(
        '"DEEP"',
        `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      ),
      'invalid_client_metadata',
      /jwks must hold public keys/,
    ],
    ['no callback', { client_name: 'Scribe' }, 'invalid_redirect_uri', /list of 1 to 20/],
    ['a plain callback', { ...GOOD, redirect_uris: ['http://x.example/'] }, 'invalid_redirect_uri', /http/],
  ])('with %s is refused, with the reason', async (_, body, error, words) => {
    const answer = await send(body);
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    expect(answer.body.error_description).toMatch(words);
  });

  test('ten times an hour from one address', async () => {
    const address = '198.51.100.1';
    for (let times = 0; times < 10; times++) expect((await send(GOOD, { address })).status).toBe(201);
    const answer = await send(GOOD, { address });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '360']);
    expect((await send(GOOD)).status).toBe(201);
    service.clock.advance(370);
    expect((await send(GOOD, { address })).status).toBe(201);
  });

  test('where there is no room and nobody makes any: 503, to come back later', async () => {
    const full = await startTestService({ AGENTS_REGISTRATION: 'on' });
    await full.parts.database.query(
      statement(
        'test_fill_agents',
        `with made as (insert into clients
          (client_id, type, name, redirect_uris, scopes, standard, pkce_required, refresh_grace, created_at, suspended_at)
          select 'agent_' || n, 'public', 'x', '{}', '{}', true, true, 0, $1::timestamptz, $1::timestamptz
          from generate_series(1, 10000) n returning client_id, created_at)
        insert into agents (client_id, way, created_at) select client_id, 'registration', created_at from made`,
      ),
      [full.clock.now()],
    );
    const answer = await send(GOOD, { to: full });
    expect([answer.status, answer.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(answer.headers.get('retry-after')).toBe('360');
    await full.close();
  });

  test('is nothing unless it is switched on', async () => {
    const closed = await startTestService();
    try {
      expect((await send(GOOD, { to: closed })).status).toBe(404);
      const endpoint = async ({ baseUrl }: TestService) =>
        (
          (await (await fetch(`${baseUrl}/.well-known/oauth-authorization-server`)).json()) as never as {
            registration_endpoint?: string;
          }
        ).registration_endpoint;
      expect(await endpoint(closed)).toBeUndefined();
      expect(await endpoint(service)).toBe(`${service.baseUrl}/oauth/register`);
    } finally {
      await closed.close();
    }
  });
});

describe('one that is registered', () => {
  test('is an agent: asked every time, PKCE, any port of this machine', async () => {
    const clientId = await registered();
    const browser = await signedInBrowser(service, await service.createUser());
    const { code, verifier } = await authorizeAgent(service, clientId, browser);
    expect((await redeem(service, agentAt(clientId), code, { code_verifier: verifier })).status).toBe(200);
    const bare = await browser.get(authorizeAddress(service, agentAt(clientId)));
    expect(bare.location?.searchParams.get('error')).toBe('invalid_request');
    const { callback } = await authorizeAgent(service, clientId, browser, {
      redirect_uri: 'http://localhost:4711/callback',
    });
    expect(callback.port).toBe('4711');
  });

  test('leads nobody to its site before they have agreed, even where AGENTS lists origins', async () => {
    const listing = await startTestService(
      { AGENTS: 'https://agents.example', AGENTS_REGISTRATION: 'on' },
      { databaseUrl: service.databaseUrl },
    );
    const site = { redirect_uri: 'https://agent.example/callback' };
    const clientId = await registered({ ...GOOD, redirect_uris: [site.redirect_uri] });
    for (const to of [service, listing]) {
      const browser = await signedInBrowser(to, await to.createUser());
      const refused = async () => {
        const { address } = agentAddress(to, clientId, { ...site, scope: 'openid phone' });
        const { status, location } = await browser.get(address);
        return [status, location?.origin];
      };
      expect(await refused()).toEqual([400, undefined]);
      await authorizeAgent(to, clientId, browser, site);
      expect(await refused()).toEqual([303, 'https://agent.example']);
    }
    await listing.close();
  });

  const LIST = statement(
    'test_registered',
    `select client_id as "clientId" from clients where owner_id is null`,
  );
  const prune = () => pruneAll(service.parts.database, limitsOf(service.parts.config, service.clock.now()));
  const isThere = async (id: string) =>
    (await service.parts.database.query<{ clientId: string }>(LIST, [])).some(
      ({ clientId }) => clientId === id,
    );

  test('is forgotten after a day unless somebody agreed, and then after 90 days; one that is blocked is not', async () => {
    const [used, unused, blocked] = [await registered(), await registered(), await registered()];
    const browser = await signedInBrowser(service, await service.createUser());
    await authorizeAgent(service, used, browser);
    await service.parts.database.query(
      statement('test_block', 'update clients set suspended_at = $2 where client_id = $1'),
      [blocked, service.clock.now()],
    );
    const there = () => Promise.all([used, unused, blocked].map(isThere));
    service.clock.advance(86_000);
    await prune();
    expect(await there()).toEqual([true, true, true]);
    service.clock.advance(1_200);
    await prune();
    expect(await there()).toEqual([true, false, true]);
    service.clock.advance(90 * 86_400);
    await prune();
    expect(await there()).toEqual([false, false, true]);
    const gone = await openBrowserSession(service.baseUrl).get(authorizeAddress(service, agentAt(used)));
    expect(gone.status).toBe(401);
  });

  test('is out, with what it has, where an operator lets no agents in any more', async () => {
    const clientId = await registered();
    const agent = agentAt(clientId);
    const browser = await signedInBrowser(service, await service.createUser());
    const scope = 'openid profile offline_access';
    const { code, verifier } = await authorizeAgent(service, clientId, browser, { scope });
    const { body } = await redeem(service, agent, code, { code_verifier: verifier });
    const closed = await startTestService({ AGENTS: '' }, { databaseUrl: service.databaseUrl });
    try {
      expectError(await renew(closed, agent, String(body.refresh_token)), 401, 'invalid_client');
      const page = await openBrowserSession(closed.baseUrl).get(agentAddress(closed, clientId).address);
      expect([page.status, page.location]).toEqual([401, undefined]);
    } finally {
      await closed.close();
    }
    expect((await renew(service, agent, String(body.refresh_token))).status).toBe(200);
  });

  test('with keys of its own proves itself by them, and by nothing else', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwks = { keys: [await exportJWK(publicKey)] };
    const asked = { ...GOOD, token_endpoint_auth_method: 'private_key_jwt', jwks };
    const answer = await send(asked);
    expect(answer.body).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt', jwks });
    const clientId = String(answer.body.client_id);
    const browser = await signedInBrowser(service, await service.createUser());
    const { code, verifier } = await authorizeAgent(service, clientId, browser);
    const bare = { code_verifier: verifier };
    expectError(await redeem(service, agentAt(clientId), code, bare), 401, 'invalid_client');
    const assertion = await new SignJWT({ jti: 'once' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(service.baseUrl)
      .setExpirationTime(new Date(service.clock.now().getTime() + 60_000))
      .sign(privateKey);
    const proof = { ...bare, ...asserted(assertion) };
    expect((await redeem(service, agentAt(clientId), code, proof)).status).toBe(200);
  });
});
