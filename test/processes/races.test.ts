// Concurrent requests to two processes: single use and immediate revocation.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { openCode } from '../../src/oauth/token-payload.ts';
import { listConsents, withdrawConsent } from '../../src/store/consents.ts';
import { countLiveAccessTokens, type Lock, lockCode, lockGrants } from '../support/locks.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createVerifier,
  fetchUserinfo,
  type JsonResponse,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { type TestClient, type TestService, useTestService } from '../support/service.ts';
import { killProcesses, readAllLogs, type ServiceProcess, startService } from '../support/service-process.ts';
import { sql } from '../support/store-fixtures.ts';

const CONCURRENT_REQUESTS = 50;
/** Each of the two processes has one blocked connection because statements are batched (ADR 5). */
const MIN_BLOCKED_CONNECTIONS = 2;

const service = useTestService();
let processes: ServiceProcess[];
let firstService: TestService;
let secondService: TestService;
beforeAll(async () => {
  const environment = { DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl };
  processes = await Promise.all([startService(environment), startService(environment)]);
  [firstService, secondService] = processes.map(({ url }) => ({ ...service, baseUrl: url })) as [
    TestService,
    TestService,
  ];
});
afterAll(killProcesses);

/**
 * Sends concurrent requests to both processes. If a lock is passed, all requests wait until the lock is
 * released.
 */
async function sendMany(
  lock: Lock | undefined,
  send: (process: TestService) => Promise<JsonResponse>,
): Promise<JsonResponse[]> {
  const responses = Promise.all(
    Array.from({ length: CONCURRENT_REQUESTS }, (_, index) =>
      send(index % 2 === 0 ? firstService : secondService),
    ),
  );
  await lock?.waitForBlocked(MIN_BLOCKED_CONNECTIONS);
  await lock?.release();
  return responses;
}

const lockClientGrants = ({ clientId }: TestClient) => lockGrants(service.databaseUrl, clientId);

const readTokens = ({ body }: JsonResponse) => ({
  accessToken: String(body.access_token),
  refreshToken: String(body.refresh_token),
});

/**
 * Expects one request to succeed and all others to fail with invalid_grant. Returns the successful response.
 */
function expectOneSuccess(responses: JsonResponse[]): JsonResponse {
  const winners = responses.filter(({ status }) => status === 200);
  expect(winners).toHaveLength(1);
  for (const loser of responses.filter(({ status }) => status !== 200)) {
    expect([loser.status, loser.body.error]).toEqual([400, 'invalid_grant']);
    expect(loser.text).not.toMatch(/access_token|refresh_token/);
  }
  return winners[0] as JsonResponse;
}

/** Expects both processes to refuse all tokens. */
async function expectAllRevoked(
  client: TestClient,
  tokens: { accessToken: string; refreshToken: string }[],
): Promise<void> {
  for (const process of [firstService, secondService])
    for (const { accessToken, refreshToken } of tokens) {
      expect((await fetchUserinfo(process, accessToken)).status).toBe(401);
      expect((await redeemRefreshToken(process, client, refreshToken)).body.error).toBe('invalid_grant');
    }
  expect(await countLiveAccessTokens(service.databaseUrl, client.clientId)).toBe(0);
}

const obtainClientTokens = async (client: TestClient) =>
  obtainTokens(firstService, client, await openSignedInBrowser(firstService, await service.createUser()));

describe(`${CONCURRENT_REQUESTS} simultaneous requests to two processes`, () => {
  test('redeem the code once and then revoke the grant', async () => {
    const client = await service.createClient();
    const verifier = createVerifier();
    const browser = await openSignedInBrowser(firstService, await service.createUser());
    const redirect = await authorize(firstService, client, browser, {
      code_challenge: computeCodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const code = redirect.searchParams.get('code') ?? '';
    const payload = openCode(service.services.sealer, code);
    if (payload === undefined) throw new Error('no code');
    const lock = await lockCode(service.databaseUrl, payload);
    const responses = await sendMany(lock, (process) =>
      redeemCode(process, client, code, { code_verifier: verifier }),
    );
    await expectAllRevoked(client, [readTokens(expectOneSuccess(responses))]);
  });

  test('refresh the token once and then revoke the grant', async () => {
    const client = await service.createClient({ refreshGrace: 0 });
    const initialTokens = await obtainClientTokens(client);
    const responses = await sendMany(await lockClientGrants(client), (process) =>
      redeemRefreshToken(process, client, initialTokens.refreshToken),
    );
    await expectAllRevoked(client, [initialTokens, readTokens(expectOneSuccess(responses))]);
  });

  test('get the same new refresh token within the grace period', async () => {
    const client = await service.createClient({ refreshGrace: 60 });
    const initialTokens = await obtainClientTokens(client);
    const responses = await sendMany(await lockClientGrants(client), (process) =>
      redeemRefreshToken(process, client, initialTokens.refreshToken),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = new Set(responses.map((response) => readTokens(response).refreshToken));
    expect(successors.size).toBe(1);
    const [successor = ''] = successors;
    expect(successor).not.toBe(initialTokens.refreshToken);
    for (const { accessToken } of responses.map(readTokens))
      expect((await fetchUserinfo(secondService, accessToken)).status).toBe(200);
    expect((await redeemRefreshToken(secondService, client, successor)).status).toBe(200);
  });
});

test('concurrent submissions of a consent form get the same code', async () => {
  const client = await service.createClient();
  const user = await service.createUser();
  const browser = await openSignedInBrowser(firstService, user);
  const page = await browser.follow(await browser.get(buildAuthorizeUrl(firstService, client)));
  const submit = (process: TestService) =>
    browser.post(new URL('/consent', process.baseUrl), { ...page.hidden, decision: 'allow' });
  const submitAll = () =>
    Promise.all(
      Array.from({ length: 10 }, (_, index) => submit(index % 2 === 0 ? firstService : secondService)),
    );
  const redirects = new Set((await submitAll()).map(({ location }) => location?.href ?? ''));
  expect(redirects.size).toBe(1);
  const code = new URL([...redirects][0] ?? '').searchParams.get('code') ?? '';
  expect((await redeemCode(secondService, client, code)).status).toBe(200);

  await withdrawConsent(service.services.database, user.userId, client.clientId, new Date());
  for (const { location } of await submitAll()) expect(location?.pathname).toBe('/oauth/authorize');
  expect(await listConsents(service.services.database, user.userId)).toEqual([]);
});

test('a device that polls concurrently gets tokens only once (RFC 8628 §3.4)', async () => {
  const client = await service.createClient();
  await sql(service.services.database, 'update clients set device_flow = true where client_id = $1', [
    client.clientId,
  ]);
  const { clientId: client_id, clientSecret: client_secret } = client;
  const user = await service.createUser();
  const browser = await openSignedInBrowser(firstService, user);
  for (let round = 0; round < 2; round++) {
    const fields = { client_id, client_secret, scope: 'openid profile' };
    const { body } = await postForm(firstService, '/oauth/device_authorization', fields);
    const { hidden } = await browser.get('/device');
    const page = await browser.follow(
      await browser.post('/device', { ...hidden, user_code: String(body.user_code) }),
    );
    await browser.post('/device/decision', { ...page.hidden, decision: 'allow' });
    const responses = await sendMany(undefined, (process) =>
      postForm(process, '/oauth/token', {
        client_id,
        client_secret,
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(body.device_code),
      }),
    );
    const { accessToken, refreshToken } = readTokens(expectOneSuccess(responses));
    expect((await fetchUserinfo(secondService, accessToken)).body.sub).toBe(user.userId);
    expect((await redeemRefreshToken(secondService, client, refreshToken)).status).toBe(200);
  }
});

describe('a concurrent refresh and revocation at two processes', () => {
  test.each([
    ['if the refresh is first', 200],
    ['if the revocation is first', 400],
  ])('invalidate all tokens from the grant %s', async (order, expected) => {
    for (let round = 0; round < 4; round++) {
      const client = await service.createClient({ refreshGrace: round % 2 === 0 ? 0 : 60 });
      const initialTokens = await obtainClientTokens(client);
      const revoked = round % 4 < 2 ? initialTokens.refreshToken : initialTokens.accessToken;
      const lock = await lockGrants(service.databaseUrl, client.clientId);
      const steps = [
        () => redeemRefreshToken(firstService, client, initialTokens.refreshToken),
        () => revokeToken(secondService, client, revoked),
      ];
      if (order.startsWith('if the revocation')) steps.reverse();
      const responses: Promise<JsonResponse>[] = [];
      for (const step of steps) {
        responses.push(step());
        await lock.waitForBlocked(responses.length);
      }
      await lock.release();
      const [refresh, revocation] = order.startsWith('if the revocation')
        ? (await Promise.all(responses)).reverse()
        : await Promise.all(responses);
      expect(revocation?.status).toBe(200);
      expect(refresh?.status).toBe(expected);
      const refreshed = refresh?.status === 200 ? [readTokens(refresh)] : [];
      await expectAllRevoked(client, [initialTokens, ...refreshed]);
    }
  });
});

test('a revocation takes effect immediately in a second process', async () => {
  const client = await service.createClient();
  const tokens = await obtainClientTokens(client);
  expect((await fetchUserinfo(secondService, tokens.accessToken)).status).toBe(200);
  expect((await revokeToken(firstService, client, tokens.accessToken)).status).toBe(200);
  expect((await fetchUserinfo(secondService, tokens.accessToken)).status).toBe(401);
  expect((await redeemRefreshToken(secondService, client, tokens.refreshToken)).body.error).toBe(
    'invalid_grant',
  );
});

test('concurrent requests cause no warnings in the log', async () => {
  for (const process of processes) {
    expect(process.hasExited()).toBe(false);
    expect((await readAllLogs(process)).filter(({ level }) => level !== 'info')).toEqual([]);
  }
});
