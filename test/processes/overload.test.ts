// Load shedding: 503 with Retry-After while all slots of a route are taken.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockGrants } from '../support/locks.ts';
import {
  fetchUserinfo,
  type JsonResponse,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { type TestClient, type TestService, type TestUser, useTestService } from '../support/service.ts';
import {
  expectHealthy,
  isReady,
  killProcesses,
  type ServiceProcess,
  startService,
} from '../support/service-process.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Must equal the limit in src/http/overload.ts. */
const SLOTS_PER_ROUTE = 500;

const service = useTestService();
let process: ServiceProcess;
let remote: TestService;
let client: TestClient;
let user: TestUser;
beforeAll(async () => {
  process = await startService({
    DATABASE_URL: service.databaseUrl,
    BASE_URL: service.baseUrl,
  });
  remote = { ...service, baseUrl: process.url };
  client = await service.createClient();
  user = await service.createUser();
});
afterAll(killProcesses);

const obtainClientTokens = async () => obtainTokens(remote, client, await openSignedInBrowser(remote, user));

function expectRefused({ status, headers, body }: JsonResponse): void {
  expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

test('requests get 503 once a route has too many requests in flight', async () => {
  const { accessToken } = await obtainClientTokens();
  const blocked = await obtainClientTokens();
  const lock = await lockGrants(service.databaseUrl, client.clientId);
  const surplus = 50;
  const refused: JsonResponse[] = [];
  const responses = Promise.all(
    Array.from({ length: SLOTS_PER_ROUTE + surplus }, async () => {
      for (;;) {
        const response = await redeemRefreshToken(remote, client, blocked.refreshToken);
        if (released) return response;
        // Any other error is a lock timeout, after which the request is sent again.
        if (!String(response.body.error_description).includes('overloaded')) continue;
        refused.push(response);
        return response;
      }
    }),
  );
  let released = false;
  await waitUntil('the surplus requests to be refused', () => refused.length >= surplus);
  expect((await fetchUserinfo(remote, accessToken)).status).toBe(200);
  expect(await isReady(process)).toBe(true);
  released = true;
  await lock.release();
  for (const response of refused) expectRefused(response);
  const completed = await responses;
  // All requests use the same refresh token, so only one of them can succeed.
  expect(completed.filter(({ status }) => status === 200)).toHaveLength(1);
  await waitUntil('token requests to be served again', async () => {
    const { status, body } = await redeemRefreshToken(remote, client, blocked.refreshToken);
    return status === 400 && body.error === 'invalid_grant';
  });
  await expectHealthy(process);
});
