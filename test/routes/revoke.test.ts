// POST /oauth/token/revoke: any token of a grant ends the whole grant (contract §4.4, D22, RFC 7009).
import { afterAll, describe, expect, test } from 'vitest';
import { obtainApiToken } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { withDatabase } from '../support/database-content.ts';
import { expectError } from '../support/expect-error.ts';
import {
  type JsonAnswer,
  obtainCode,
  obtainCodeWithPkce,
  postForm,
  readJson,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

let browser: BrowserSession;
const service = await startTestService();
const application = await service.createApplication();
const other = await service.createApplication();
browser = await signedInBrowser(service, await service.createUser());
afterAll(() => service.close());

/** A grant with everything it ever issued: renewed twice. */
async function longGrant() {
  const code = await obtainCode(service, application, browser);
  const first = (await redeem(service, application, code)).body;
  const second = (await renew(service, application, String(first.refresh_token))).body;
  const third = (await renew(service, application, String(second.refresh_token))).body;
  const tokens = [first, second, third];
  return {
    code,
    accessTokens: tokens.map(({ access_token }) => String(access_token)),
    refreshTokens: tokens.map(({ refresh_token }) => String(refresh_token)),
  };
}
type LongGrant = Awaited<ReturnType<typeof longGrant>>;

async function expectDead({ accessTokens, refreshTokens }: LongGrant): Promise<void> {
  for (const token of accessTokens) expectError(await userinfo(service, token), 401, 'invalid_token');
  expectError(await renew(service, application, refreshTokens[2] ?? ''), 400, 'invalid_grant');
}

async function expectAlive({ accessTokens, refreshTokens }: LongGrant): Promise<void> {
  for (const token of accessTokens) expect((await userinfo(service, token)).status).toBe(200);
  expect((await renew(service, application, refreshTokens[2] ?? '')).status).toBe(200);
}

function expectEmpty200(answer: JsonAnswer): void {
  expect(answer.status).toBe(200);
  expect(answer.text).toBe('');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('pragma')).toBe('no-cache');
}

describe('any token ends the whole grant (D22)', () => {
  test.each<[string, (grant: LongGrant) => string | undefined]>([
    ['the current refresh token', (grant) => grant.refreshTokens[2]],
    ['the refresh token just superseded', (grant) => grant.refreshTokens[1]],
    ['the first refresh token, long superseded', (grant) => grant.refreshTokens[0]],
    ['the latest access token', (grant) => grant.accessTokens[2]],
    ['an earlier access token', (grant) => grant.accessTokens[0]],
  ])('D22: %s', async (_, pick) => {
    const grant = await longGrant();
    const bystander = await longGrant();
    expectEmpty200(await revoke(service, application, pick(grant) ?? ''));
    await expectDead(grant);
    await expectAlive(bystander);
  });

  test('D22: an access token that has expired, also after its row was pruned', async () => {
    const [expired, pruned] = [await longGrant(), await longGrant()];
    service.clock.advance(3601);
    expectEmpty200(await revoke(service, application, expired.accessTokens[0] ?? ''));
    await expectDead(expired);
    await withDatabase(service.databaseUrl, (client) => client.query('delete from access_tokens'));
    expectEmpty200(await revoke(service, application, pruned.accessTokens[0] ?? ''));
    await expectDead(pruned);
  });

  test('an access token for an API ends its grant while it lives; expired, it names no grant', async () => {
    const api = await service.createApi();
    const [live, expired] = [
      await obtainApiToken(service, application, browser, api),
      await obtainApiToken(service, application, browser, api),
    ];
    expectError(await revoke(service, other, live.apiToken), 400, 'invalid_request');
    expectEmpty200(await revoke(service, application, live.apiToken));
    expectError(await renew(service, application, live.refreshToken), 400, 'invalid_grant');
    service.clock.advance(3601);
    await withDatabase(service.databaseUrl, (client) => client.query('delete from access_tokens'));
    expectError(await revoke(service, other, expired.apiToken), 400, 'invalid_request');
    expectEmpty200(await revoke(service, application, expired.apiToken));
    expect((await renew(service, application, expired.refreshToken)).status).toBe(200);
  });

  test('D22: the hint is only a hint', async () => {
    for (const [pick, token_type_hint] of [
      ['refreshTokens', 'access_token'],
      ['accessTokens', 'refresh_token'],
      ['refreshTokens', 'nonsense'],
      ['accessTokens', ''],
    ] as const) {
      const grant = await longGrant();
      expectEmpty200(await revoke(service, application, grant[pick][0] ?? '', { token_type_hint }));
      await expectDead(grant);
    }
  });
});

describe('nothing to revoke (D22, RFC 7009 §2.2)', () => {
  test('D22: unknown, malformed and altered tokens answer 200 with an empty body and touch nothing', async () => {
    const grant = await longGrant();
    const [accessToken = ''] = grant.accessTokens;
    const altered = accessToken.slice(0, -4) + (accessToken.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    for (const token of ['nonsense', 'a.b.c', 'sesame_rt_AAAA', altered, 'é', 'x'.repeat(5000)])
      expectEmpty200(await revoke(service, application, token));
    await expectAlive(grant);
  });

  test('D22: what was revoked already answers the same', async () => {
    const grant = await longGrant();
    for (const token of [...grant.accessTokens, ...grant.refreshTokens, ...grant.accessTokens])
      expectEmpty200(await revoke(service, application, token));
    await expectDead(grant);
  });
});

describe('who may revoke (D11, D22)', () => {
  test("D22: another application's token is 400 invalid_request, and nothing is revoked", async () => {
    const grant = await longGrant();
    for (const token of [...grant.accessTokens, ...grant.refreshTokens])
      expectError(await revoke(service, other, token), 400, 'invalid_request');
    await expectAlive(grant);
    service.clock.advance(3601);
    for (const token of grant.accessTokens)
      expectError(await revoke(service, other, token), 400, 'invalid_request');
  });

  test.each([
    ['a wrong secret', { client_secret: 'wrong' }],
    ['no secret', { client_secret: undefined }],
    ['an unknown application', { client_id: 'app_nobody' }],
  ])('D11: %s is 401 invalid_client, and nothing is revoked', async (_, fields) => {
    const grant = await longGrant();
    for (const token of [grant.accessTokens[0], grant.refreshTokens[0], 'nonsense'])
      expectError(await revoke(service, application, token ?? '', fields), 401, 'invalid_client');
    await expectAlive(grant);
  });

  test("D22: an unauthenticated caller does not learn whether a token is somebody else's", async () => {
    const grant = await longGrant();
    const answers = await Promise.all(
      [...grant.accessTokens, ...grant.refreshTokens, 'nonsense'].map((token) =>
        revoke(service, other, token, { client_secret: 'wrong' }),
      ),
    );
    for (const { status, text } of answers) expect([status, text]).toEqual([401, answers[0]?.text]);
  });
});

describe('the request (D10, D17)', () => {
  test('D22: a missing or empty token is 400 invalid_request, before the application is looked at', async () => {
    const { clientId: client_id } = application;
    for (const fields of [{}, { token: '' }]) {
      const form = { ...fields, client_id, client_secret: 'wrong' };
      const answer = await postForm(service, '/oauth/token/revoke', form);
      expect(expectError(answer, 400, 'invalid_request')).toContain('token');
    }
  });

  test('D17: a repeated token is 400 invalid_request and revokes nothing', async () => {
    const grant = await longGrant();
    const form = new URLSearchParams({
      client_id: application.clientId,
      client_secret: application.clientSecret,
    });
    for (const token of grant.refreshTokens) form.append('token', token);
    const url = new URL('/oauth/token/revoke', service.baseUrl);
    expectError(await readJson(await fetch(url, { method: 'POST', body: form })), 400, 'invalid_request');
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    expectError(await readJson(await fetch(url, json)), 400, 'invalid_request');
    await expectAlive(grant);
  });

  test('RFC 7009 §2.1: a code is no token; it stays usable', async () => {
    const { code, verifier } = await obtainCodeWithPkce(service, application, browser);
    expectEmpty200(await revoke(service, application, code));
    expect((await redeem(service, application, code, { code_verifier: verifier })).status).toBe(200);
  });
});
