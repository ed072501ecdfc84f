import { afterAll, describe, expect, test } from 'vitest';
import { obtainApiToken } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { withDatabase } from '../support/database-content.ts';
import { expectError } from '../support/expect-error.ts';
import {
  fetchUserinfo,
  type JsonResponse,
  obtainCode,
  obtainCodeWithPkce,
  openSignedInBrowser,
  postForm,
  readJson,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

let browser: BrowserSession;
const service = await startTestService();
const client = await service.createClient();
const otherClient = await service.createClient();
browser = await openSignedInBrowser(service, await service.createUser());
afterAll(() => service.close());

async function createRefreshedGrant() {
  const code = await obtainCode(service, client, browser);
  const first = (await redeemCode(service, client, code)).body;
  const second = (await redeemRefreshToken(service, client, String(first.refresh_token))).body;
  const third = (await redeemRefreshToken(service, client, String(second.refresh_token))).body;
  const tokens = [first, second, third];
  return {
    code,
    accessTokens: tokens.map(({ access_token }) => String(access_token)),
    refreshTokens: tokens.map(({ refresh_token }) => String(refresh_token)),
  };
}
type RefreshedGrant = Awaited<ReturnType<typeof createRefreshedGrant>>;

async function expectRevoked({ accessTokens, refreshTokens }: RefreshedGrant): Promise<void> {
  for (const token of accessTokens) expectError(await fetchUserinfo(service, token), 401, 'invalid_token');
  expectError(await redeemRefreshToken(service, client, refreshTokens[2] ?? ''), 400, 'invalid_grant');
}

async function expectValid({ accessTokens, refreshTokens }: RefreshedGrant): Promise<void> {
  for (const token of accessTokens) expect((await fetchUserinfo(service, token)).status).toBe(200);
  expect((await redeemRefreshToken(service, client, refreshTokens[2] ?? '')).status).toBe(200);
}

function expectEmpty200(response: JsonResponse): void {
  expect(response.status).toBe(200);
  expect(response.text).toBe('');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('pragma')).toBe('no-cache');
}

describe('revocation', () => {
  test.each<[string, (grant: RefreshedGrant) => string | undefined]>([
    ['the current refresh token', (grant) => grant.refreshTokens[2]],
    ['the previous refresh token', (grant) => grant.refreshTokens[1]],
    ['the first refresh token', (grant) => grant.refreshTokens[0]],
    ['the latest access token', (grant) => grant.accessTokens[2]],
    ['an earlier access token', (grant) => grant.accessTokens[0]],
  ])('of %s revokes the whole grant', async (_, pick) => {
    const grant = await createRefreshedGrant();
    const unaffected = await createRefreshedGrant();
    expectEmpty200(await revokeToken(service, client, pick(grant) ?? ''));
    await expectRevoked(grant);
    await expectValid(unaffected);
  });

  test('of an expired access token revokes the whole grant, even after pruning', async () => {
    const [expired, pruned] = [await createRefreshedGrant(), await createRefreshedGrant()];
    service.clock.advance(3601);
    expectEmpty200(await revokeToken(service, client, expired.accessTokens[0] ?? ''));
    await expectRevoked(expired);
    await withDatabase(service.databaseUrl, (client) => client.query('delete from access_tokens'));
    expectEmpty200(await revokeToken(service, client, pruned.accessTokens[0] ?? ''));
    await expectRevoked(pruned);
  });

  test('of an active access token for an API revokes the whole grant', async () => {
    const api = await service.createApi();
    const [live, expired] = [
      await obtainApiToken(service, client, browser, api),
      await obtainApiToken(service, client, browser, api),
    ];
    expectError(await revokeToken(service, otherClient, live.apiToken), 400, 'invalid_request');
    expectEmpty200(await revokeToken(service, client, live.apiToken));
    expectError(await redeemRefreshToken(service, client, live.refreshToken), 400, 'invalid_grant');
    service.clock.advance(3601);
    await withDatabase(service.databaseUrl, (client) => client.query('delete from access_tokens'));
    expectError(await revokeToken(service, otherClient, expired.apiToken), 400, 'invalid_request');
    expectEmpty200(await revokeToken(service, client, expired.apiToken));
    expect((await redeemRefreshToken(service, client, expired.refreshToken)).status).toBe(200);
  });

  test('succeeds with any token_type_hint', async () => {
    for (const [pick, token_type_hint] of [
      ['refreshTokens', 'access_token'],
      ['accessTokens', 'refresh_token'],
      ['refreshTokens', 'nonsense'],
      ['accessTokens', ''],
    ] as const) {
      const grant = await createRefreshedGrant();
      expectEmpty200(await revokeToken(service, client, grant[pick][0] ?? '', { token_type_hint }));
      await expectRevoked(grant);
    }
  });
});

describe('revocation of an invalid token', () => {
  test('returns 200 for unknown, malformed and modified tokens', async () => {
    const grant = await createRefreshedGrant();
    const [accessToken = ''] = grant.accessTokens;
    const modified = accessToken.slice(0, -4) + (accessToken.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    for (const token of ['nonsense', 'a.b.c', 'sesame_rt_AAAA', modified, 'é', 'x'.repeat(5000)])
      expectEmpty200(await revokeToken(service, client, token));
    await expectValid(grant);
  });

  test('returns 200 for already revoked tokens', async () => {
    const grant = await createRefreshedGrant();
    for (const token of [...grant.accessTokens, ...grant.refreshTokens, ...grant.accessTokens])
      expectEmpty200(await revokeToken(service, client, token));
    await expectRevoked(grant);
  });
});

describe('the revocation endpoint', () => {
  test('returns invalid_request for another client’s token', async () => {
    const grant = await createRefreshedGrant();
    for (const token of [...grant.accessTokens, ...grant.refreshTokens])
      expectError(await revokeToken(service, otherClient, token), 400, 'invalid_request');
    await expectValid(grant);
    service.clock.advance(3601);
    for (const token of grant.accessTokens)
      expectError(await revokeToken(service, otherClient, token), 400, 'invalid_request');
  });

  test.each([
    ['a wrong secret', { client_secret: 'wrong' }],
    ['no secret', { client_secret: undefined }],
    ['an unknown client_id', { client_id: 'app_nobody' }],
  ])('returns 401 invalid_client for %s', async (_, fields) => {
    const grant = await createRefreshedGrant();
    for (const token of [grant.accessTokens[0], grant.refreshTokens[0], 'nonsense'])
      expectError(await revokeToken(service, client, token ?? '', fields), 401, 'invalid_client');
    await expectValid(grant);
  });

  test('returns the same error for every token if authentication fails', async () => {
    const grant = await createRefreshedGrant();
    const responses = await Promise.all(
      [...grant.accessTokens, ...grant.refreshTokens, 'nonsense'].map((token) =>
        revokeToken(service, otherClient, token, { client_secret: 'wrong' }),
      ),
    );
    for (const { status, text } of responses) expect([status, text]).toEqual([401, responses[0]?.text]);
  });
});

describe('a revocation request', () => {
  test('without a token gets invalid_request before authentication', async () => {
    const { clientId: client_id } = client;
    for (const fields of [{}, { token: '' }]) {
      const form = { ...fields, client_id, client_secret: 'wrong' };
      const response = await postForm(service, '/oauth/token/revoke', form);
      expect(expectError(response, 400, 'invalid_request')).toContain('token');
    }
  });

  test('gets invalid_request if it is malformed', async () => {
    const grant = await createRefreshedGrant();
    const form = new URLSearchParams({
      client_id: client.clientId,
      client_secret: client.clientSecret,
    });
    for (const token of grant.refreshTokens) form.append('token', token);
    const url = new URL('/oauth/token/revoke', service.baseUrl);
    expectError(await readJson(await fetch(url, { method: 'POST', body: form })), 400, 'invalid_request');
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    expectError(await readJson(await fetch(url, json)), 400, 'invalid_request');
    await expectValid(grant);
  });

  test('does not revoke an authorization code (RFC 7009 §2.1)', async () => {
    const { code, verifier } = await obtainCodeWithPkce(service, client, browser);
    expectEmpty200(await revokeToken(service, client, code));
    expect((await redeemCode(service, client, code, { code_verifier: verifier })).status).toBe(200);
  });
});
