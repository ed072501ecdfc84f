// The number of SQL statements that each hot operation needs.

import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { pruneCutoffs } from '../../src/store/pruning.ts';
import { createApiWithSecret, introspect, obtainApiToken } from '../support/apis.ts';
import { createTestDatabase } from '../support/database.ts';
import { openDatabaseProxy, recordStatements } from '../support/database-proxy.ts';
import {
  authorizeMetadataClient,
  buildMetadataClientRequest,
  openMetadataHost,
} from '../support/metadata-clients.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createVerifier,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';
import { pruneAll } from '../support/store-fixtures.ts';
import { waitUntil } from '../support/wait-until.ts';

const database = await createTestDatabase();
const proxy = await openDatabaseProxy(database.url);
const host = await openMetadataHost();
const service = await startTestService({ AGENTS: host.origin }, { databaseUrl: proxy.url });
const application = await service.createClient();
const browser = await openSignedInBrowser(service, await service.createUser());
afterAll(async () => {
  host.close();
  await service.close();
  await proxy.close();
  await database.drop();
});

/** Runs an operation that must return the given status. Returns its SQL statements. */
async function runAndListStatements(
  status: number,
  work: () => Promise<{ status: number }>,
): Promise<string[]> {
  const { result, statements } = await recordStatements(service, proxy, work);
  expect(result.status).toBe(status);
  return statements;
}

describe('the service', () => {
  test('executes one SQL statement for userinfo', async () => {
    const { accessToken } = await obtainTokens(service, application, browser);
    expect(await runAndListStatements(200, () => fetchUserinfo(service, accessToken))).toHaveLength(1);
    expect(await runAndListStatements(401, () => fetchUserinfo(service, `${accessToken}x`))).toHaveLength(1);
  });

  test.each(['default', 'standard'])(
    'executes one SQL statement for code redemption in %s mode',
    async (mode) => {
      const client = await service.createClient({ standard: mode === 'standard' });
      const verifier = createVerifier();
      const callback = await authorize(service, client, browser, {
        code_challenge: computeCodeChallenge(verifier),
        code_challenge_method: 'S256',
        nonce: 'nonce-1',
      });
      const code = callback.searchParams.get('code') ?? '';
      let idToken: unknown;
      const statements = await runAndListStatements(200, async () => {
        const response = await redeemCode(service, client, code, { code_verifier: verifier });
        idToken = response.body.id_token;
        return response;
      });
      expect(idToken).toBeTypeOf('string');
      expect(statements).toHaveLength(1);
    },
  );

  test('executes one SQL statement for a token refresh', async () => {
    const client = await service.createClient({ refreshGrace: 60 });
    const { refreshToken } = await obtainTokens(service, client, browser);
    expect(
      await runAndListStatements(200, () => redeemRefreshToken(service, client, refreshToken)),
    ).toHaveLength(1);
    expect(
      await runAndListStatements(200, () => redeemRefreshToken(service, client, refreshToken)),
    ).toHaveLength(1);
    service.clock.advance(61);
    expect(
      await runAndListStatements(400, () => redeemRefreshToken(service, client, refreshToken)),
    ).toHaveLength(1);
  });

  test('executes one SQL statement for revocation', async () => {
    const [first, second] = [
      await obtainTokens(service, application, browser),
      await obtainTokens(service, application, browser),
    ];
    for (const token of [first.refreshToken, first.refreshToken, second.accessToken])
      expect(await runAndListStatements(200, () => revokeToken(service, application, token))).toHaveLength(1);
  });

  test('executes one SQL statement for each OAuth request for an API (RFC 8707)', async () => {
    const { identifier: resource } = await service.createApi();
    const requested = { scope: 'openid read', resource };
    const callback = await authorize(service, application, browser, requested);
    const code = callback.searchParams.get('code') ?? '';
    let token = '';
    const updateToken = async (response: ReturnType<typeof redeemRefreshToken>) => {
      const { status, body } = await response;
      token = String(body.refresh_token);
      return { status };
    };
    for (const work of [
      () => updateToken(redeemCode(service, application, code, { resource })),
      () => updateToken(redeemRefreshToken(service, application, token, { resource })),
      () => revokeToken(service, application, token),
    ])
      expect(await runAndListStatements(200, work)).toHaveLength(1);
    const authorizeAgain = () => browser.get(buildAuthorizeUrl(service, application, requested));
    expect(await runAndListStatements(303, authorizeAgain)).toEqual(['find_authorization_context_with_apis']);
  });

  test('executes two SQL statements for a metadata client with a cached document', async () => {
    const clientId = host.publish();
    await authorizeMetadataClient(service, clientId, browser);
    const { url } = buildMetadataClientRequest(service, clientId);
    const statements = await runAndListStatements(303, () => browser.get(url));
    expect(statements).toEqual(['find_agent', 'find_authorization_context']);
  });

  test('executes one SQL statement for introspection by an API', async () => {
    const api = await createApiWithSecret(service);
    const { apiToken, accessToken, refreshToken } = await obtainApiToken(service, application, browser, api);
    for (const token of [apiToken, accessToken, refreshToken, 'nonsense'])
      expect(await runAndListStatements(200, () => introspect(service, api, token))).toEqual([
        'introspect_for_api',
      ]);
    const wrongSecret = { client_secret: 'x' };
    expect(
      await runAndListStatements(401, () => introspect(service, api, apiToken, wrongSecret)),
    ).toHaveLength(1);
  });

  test('executes at most two SQL statements for an authorization request', async () => {
    await authorize(service, application, browser);
    const statements = await runAndListStatements(303, async () => {
      const visit = await browser.get(buildAuthorizeUrl(service, application));
      expect(visit.location?.searchParams.get('code')).toBeTruthy();
      return visit;
    });
    expect(statements.length).toBeLessThanOrEqual(2);
    expect(statements.length).toBeGreaterThan(0);
  });

  test('executes six or seven SQL statements for a sign-in', async () => {
    const user = await service.createUser();
    const visitor = await openSignedInBrowser(service, user);
    await visitor.post('/signout', (await visitor.get('/signout')).hidden);
    const { hidden } = await visitor.get('/signin');
    const signInAndListStatements = async (status: number, email: string, password: string) =>
      (
        await runAndListStatements(status, () => visitor.post('/signin', { ...hidden, email, password }))
      ).toSorted();
    const lookup = [
      ...['count_attempt', 'count_attempt'],
      ...['find_user_for_sign_in', 'find_user_id_by_email'],
    ];
    // Once a minute, a failed attempt also triggers a query for imported password hashes.
    await visitor.post('/signin', { ...hidden, email: user.email, password: 'wrong password' });
    // The page with the error lists the identity providers.
    const wrongPassword = [
      ...lookup,
      'count_password_failure',
      'list_identity_providers',
      'log_password_attempt',
    ].toSorted();
    expect(await signInAndListStatements(401, user.email, 'wrong password')).toEqual(wrongPassword);
    expect(await signInAndListStatements(401, 'nobody@example.org', 'wrong password')).toEqual(wrongPassword);
    expect(await signInAndListStatements(303, user.email, user.password)).toEqual(
      [...lookup, 'clear_attempts', 'insert_session', 'return_attempt'].toSorted(),
    );
  });
});

test('activity counts for ten token refreshes are stored in two SQL statements', async () => {
  const client = await service.createClient();
  let { refreshToken } = await obtainTokens(service, client, browser);
  await service.services.activity.flush();
  const statements = await runAndListStatements(200, async () => {
    for (let refresh = 1; refresh < 10; refresh++)
      refreshToken = String((await redeemRefreshToken(service, client, refreshToken)).body.refresh_token);
    return redeemRefreshToken(service, client, refreshToken);
  });
  const filterActivity = (statements: string[]) => statements.filter((name) => name.startsWith('add_'));
  expect(statements.filter((name) => name === 'rotate_grant')).toHaveLength(10);
  expect(filterActivity(statements)).toEqual([]);
  proxy.clear();
  await service.services.activity.flush();
  expect(filterActivity(proxy.executed())).toEqual(['add_activity', 'add_activity']);
});

describe('a grant', () => {
  const REFRESHES = 50;

  async function queryRow<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<Row>(text, values);
    await client.end();
    return rows[0] as Row;
  }
  // Returns the number of updates and of HOT updates. PostgreSQL reports them with a delay.
  const countUpdates = (table: string) =>
    queryRow<{ all: number; hot: number }>(
      `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = $1`,
      [table],
    );
  const countRows = async (table: 'grants' | 'access_tokens'): Promise<number> =>
    (await queryRow<{ count: number }>(`select count(*)::int as count from ${table}`)).count;

  test(`is still stored in a single row after ${REFRESHES} token refreshes`, async () => {
    const client = await service.createClient();
    await queryRow('truncate grants, access_tokens');
    const { accessToken, ...first } = await obtainTokens(service, client, browser);
    let { refreshToken } = first;
    for (let refresh = 0; refresh < REFRESHES; refresh++) {
      const { status, body } = await redeemRefreshToken(service, client, refreshToken);
      expect(status).toBe(200);
      refreshToken = String(body.refresh_token);
    }
    expect(await countRows('grants')).toBe(1);
    expect(await countRows('access_tokens')).toBe(REFRESHES + 1);
    // A full page of visible row versions prevents a HOT update.
    await waitUntil('the updates to be counted', async () => (await countUpdates('grants')).all > REFRESHES);
    expect((await countUpdates('grants')).hot).toBeGreaterThan(REFRESHES / 2);

    service.clock.advance(3600 + 3600);
    const refreshed = await redeemRefreshToken(service, client, refreshToken);
    await pruneAll(service.services.database, pruneCutoffs(service.services.config, service.services.now()));
    expect(await countRows('access_tokens')).toBe(1);
    expect(await countRows('grants')).toBe(1);
    expect((await fetchUserinfo(service, accessToken)).status).toBe(401);
    expect((await fetchUserinfo(service, String(refreshed.body.access_token))).status).toBe(200);
    expect((await redeemRefreshToken(service, client, String(refreshed.body.refresh_token))).status).toBe(
      200,
    );

    service.clock.advance(31 * 24 * 3600);
    await pruneAll(service.services.database, pruneCutoffs(service.services.config, service.services.now()));
    expect([await countRows('grants'), await countRows('access_tokens')]).toEqual([0, 0]);
  });
});
