// What each hot operation costs the database: statements counted on the wire, rows and pages counted where they lie.

import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { limitsOf } from '../../src/store/pruning.ts';
import { agentAddress, authorizeAgent, openAgentHost } from '../support/agents.ts';
import { apiWithSecret, introspect, obtainApiToken } from '../support/apis.ts';
import { createTestDatabase } from '../support/database.ts';
import { openDatabaseProxy, statementsDuring } from '../support/database-proxy.ts';
import {
  authorize,
  authorizeAddress,
  newVerifier,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { pruneAll } from '../support/populate.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const database = await createTestDatabase();
const proxy = await openDatabaseProxy(database.url);
const host = await openAgentHost();
const service = await startTestService({ AGENTS: host.origin }, { databaseUrl: proxy.url });
const application = await service.createApplication();
const browser = await signedInBrowser(service, await service.createUser());
afterAll(async () => {
  host.close();
  await service.close();
  await proxy.close();
  await database.drop();
});

/** What the database is asked to execute during `work`, which must succeed with the given status. */
async function statementsOf(status: number, work: () => Promise<{ status: number }>): Promise<string[]> {
  const { result, statements } = await statementsDuring(service, proxy, work);
  expect(result.status).toBe(status);
  return statements;
}

describe('statements that reach the database, the authentication of the application included', () => {
  test('userinfo: 1', async () => {
    const { accessToken } = await obtainTokens(service, application, browser);
    expect(await statementsOf(200, () => userinfo(service, accessToken))).toHaveLength(1);
    expect(await statementsOf(401, () => userinfo(service, `${accessToken}x`))).toHaveLength(1);
  });

  test.each(['contract', 'standard'])(
    'exchange of a code with PKCE and id_token, %s mode: 1',
    async (mode) => {
      const own = await service.createApplication({ standard: mode === 'standard' });
      const verifier = newVerifier();
      const callback = await authorize(service, own, browser, {
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
        nonce: 'nonce-1',
      });
      const code = callback.searchParams.get('code') ?? '';
      let idToken: unknown;
      const statements = await statementsOf(200, async () => {
        const answer = await redeem(service, own, code, { code_verifier: verifier });
        idToken = answer.body.id_token;
        return answer;
      });
      expect(idToken).toBeTypeOf('string');
      expect(statements).toHaveLength(1);
    },
  );

  test('renewal: 1, within its grace and on reuse as well', async () => {
    const own = await service.createApplication({ refreshGrace: 60 });
    const { refreshToken } = await obtainTokens(service, own, browser);
    expect(await statementsOf(200, () => renew(service, own, refreshToken))).toHaveLength(1);
    expect(await statementsOf(200, () => renew(service, own, refreshToken))).toHaveLength(1);
    service.clock.advance(61);
    expect(await statementsOf(400, () => renew(service, own, refreshToken))).toHaveLength(1);
  });

  test('revocation of a refresh token, of a live access token, of a revoked one: 1', async () => {
    const [first, second] = [
      await obtainTokens(service, application, browser),
      await obtainTokens(service, application, browser),
    ];
    for (const token of [first.refreshToken, first.refreshToken, second.accessToken])
      expect(await statementsOf(200, () => revoke(service, application, token))).toHaveLength(1);
  });

  test('the same for an API: exchange, renewal and revocation are 1, authorize is 1 (RFC 8707)', async () => {
    const { identifier: resource } = await service.createApi();
    const asked = { scope: 'openid read', resource };
    const callback = await authorize(service, application, browser, asked);
    const code = callback.searchParams.get('code') ?? '';
    let token = '';
    const noted = async (answer: ReturnType<typeof renew>) => {
      const { status, body } = await answer;
      token = String(body.refresh_token);
      return { status };
    };
    for (const work of [
      () => noted(redeem(service, application, code, { resource })),
      () => noted(renew(service, application, token, { resource })),
      () => revoke(service, application, token),
    ])
      expect(await statementsOf(200, work)).toHaveLength(1);
    const again = () => browser.get(authorizeAddress(service, application, asked));
    expect(await statementsOf(303, again)).toEqual(['find_authorization_facts_with_apis']);
  });

  test('authorize by an agent whose document is known: 1 more than by an application', async () => {
    const clientId = host.publish();
    await authorizeAgent(service, clientId, browser);
    const { address } = agentAddress(service, clientId);
    const statements = await statementsOf(303, () => browser.get(address));
    expect(statements).toEqual(['find_agent', 'find_authorization_facts']);
  });

  test('introspection by an API: 1, whatever the token is', async () => {
    const api = await apiWithSecret(service);
    const { apiToken, accessToken, refreshToken } = await obtainApiToken(service, application, browser, api);
    for (const token of [apiToken, accessToken, refreshToken, 'nonsense'])
      expect(await statementsOf(200, () => introspect(service, api, token))).toEqual(['introspect_for_api']);
    const wrong = { client_secret: 'x' };
    expect(await statementsOf(401, () => introspect(service, api, apiToken, wrong))).toHaveLength(1);
  });

  test('authorize with a session and a remembered consent: at most 2', async () => {
    await authorize(service, application, browser);
    const statements = await statementsOf(303, async () => {
      const visit = await browser.get(authorizeAddress(service, application));
      expect(visit.location?.searchParams.get('code')).toBeTruthy();
      return visit;
    });
    expect(statements.length).toBeLessThanOrEqual(2);
    expect(statements.length).toBeGreaterThan(0);
  });

  test('a wrong password: 6, with or without an account; the right one, where the browser is known: 7', async () => {
    const user = await service.createUser();
    const visitor = await signedInBrowser(service, user);
    await visitor.post('/signout', (await visitor.get('/signout')).hidden);
    const { hidden } = await visitor.get('/signin');
    const statementsAt = async (status: number, email: string, password: string) =>
      (await statementsOf(status, () => visitor.post('/signin', { ...hidden, email, password }))).toSorted();
    const begun = [
      ...['count_attempt', 'count_attempt'],
      ...['find_user_for_sign_in', 'find_user_id_by_email'],
    ];
    const wrong = [...begun, 'count_wrong_password', 'log_password_guess'].toSorted();
    expect(await statementsAt(401, user.email, 'wrong password')).toEqual(wrong);
    expect(await statementsAt(401, 'nobody@example.org', 'wrong password')).toEqual(wrong);
    expect(await statementsAt(303, user.email, user.password)).toEqual(
      [...begun, 'forget_attempts', 'insert_session', 'return_attempt'].toSorted(),
    );
  });
});

test('what happened is counted with no statement of its own: ten renewals are two, whenever they are written', async () => {
  const own = await service.createApplication();
  let { refreshToken } = await obtainTokens(service, own, browser);
  await service.parts.activity.flush();
  const renewals = await statementsOf(200, async () => {
    for (let renewal = 1; renewal < 10; renewal++)
      refreshToken = String((await renew(service, own, refreshToken)).body.refresh_token);
    return renew(service, own, refreshToken);
  });
  const counted = (statements: string[]) => statements.filter((name) => name.startsWith('add_'));
  expect(renewals.filter((name) => name === 'advance_grant')).toHaveLength(10);
  expect(counted(renewals)).toEqual([]);
  proxy.forget();
  await service.parts.activity.flush();
  expect(counted(proxy.executed())).toEqual(['add_activity', 'add_activity']);
});

describe('the size of the tables', () => {
  const RENEWALS = 50;

  async function ask<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<Row>(text, values);
    await client.end();
    return rows[0] as Row;
  }
  // New versions that need no index entry of their own (HOT): PostgreSQL counts, and tells when it is idle.
  const updatesOf = (table: string) =>
    ask<{ all: number; hot: number }>(
      `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = $1`,
      [table],
    );
  const countOf = async (table: 'grants' | 'access_tokens'): Promise<number> =>
    (await ask<{ count: number }>(`select count(*)::int as count from ${table}`)).count;

  test(`${RENEWALS} renewals leave one row, and pruning takes the access tokens away`, async () => {
    const own = await service.createApplication();
    await ask('truncate grants, access_tokens');
    const { accessToken, ...first } = await obtainTokens(service, own, browser);
    let { refreshToken } = first;
    for (let renewal = 0; renewal < RENEWALS; renewal++) {
      const { status, body } = await renew(service, own, refreshToken);
      expect(status).toBe(200);
      refreshToken = String(body.refresh_token);
    }
    expect(await countOf('grants')).toBe(1);
    expect(await countOf('access_tokens')).toBe(RENEWALS + 1);
    // Only columns without an index change; a page may have been full of versions that somebody could still see.
    await until('the updates are counted', async () => (await updatesOf('grants')).all > RENEWALS);
    expect((await updatesOf('grants')).hot).toBeGreaterThan(RENEWALS / 2);

    service.clock.advance(3600 + 3600);
    const renewed = await renew(service, own, refreshToken);
    await pruneAll(service.parts.database, limitsOf(service.parts.config, service.parts.now()));
    expect(await countOf('access_tokens')).toBe(1);
    expect(await countOf('grants')).toBe(1);
    expect((await userinfo(service, accessToken)).status).toBe(401);
    expect((await userinfo(service, String(renewed.body.access_token))).status).toBe(200);
    expect((await renew(service, own, String(renewed.body.refresh_token))).status).toBe(200);

    service.clock.advance(31 * 24 * 3600);
    await pruneAll(service.parts.database, limitsOf(service.parts.config, service.parts.now()));
    expect([await countOf('grants'), await countOf('access_tokens')]).toEqual([0, 0]);
  });
});
