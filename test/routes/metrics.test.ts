import { afterAll, describe, expect, test } from 'vitest';
import { startPruning } from '../../src/background/pruning.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { expectError, getHeader } from '../support/expect-error.ts';
import { type HttpResponse, sendHttpRequest } from '../support/http-request.ts';
import { lockGrants } from '../support/locks.ts';
import { type MetricsText, parseMetrics } from '../support/metrics-text.ts';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { findFreePort, startTestService, type TestService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const REQUESTS_METRIC = 'sesame_http_requests_total';
const DURATION_METRIC = 'sesame_http_request_duration_seconds';

const metricsPort = await findFreePort();
const service = await startTestService({ METRICS_PORT: `127.0.0.2:${metricsPort}` });
afterAll(() => service.close());

const getPort = (target: TestService): number => target.services.config.port;
const getMetrics = (path = '/metrics', options = {}): Promise<HttpResponse> =>
  sendHttpRequest(metricsPort, path, { host: '127.0.0.2', ...options });

async function scrape(): Promise<MetricsText> {
  const response = await getMetrics();
  expect(response.status, response.text).toBe(200);
  return parseMetrics(response.text);
}

async function measureChanges(name: string, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await scrape();
  await work();
  const after = await scrape();
  return Object.fromEntries(
    after.samples
      .filter((sample) => sample.name === name)
      .map(
        ({ labels, value }) => [Object.values(labels).join(' '), value - before.value(name, labels)] as const,
      )
      .filter(([, change]) => change !== 0),
  );
}

describe('the metrics port', () => {
  test('serves only /metrics', async () => {
    const response = await getMetrics();
    expect(getHeader(response, 'content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(getHeader(response, 'cache-control')).toBe('no-store');
    const { families } = parseMetrics(response.text);
    expect([families.get(REQUESTS_METRIC), families.get(DURATION_METRIC)]).toEqual(['counter', 'histogram']);
    expect(families.get('process_resident_memory_bytes')).toBe('gauge');
    expect((await getMetrics('/metrics', { method: 'HEAD' })).text).toBe('');
    expect((await getMetrics('/metrics', { method: 'POST' })).status).toBe(405);
    for (const path of ['/', '/metrics/', '/livez', '/oauth/userinfo'])
      expect((await getMetrics(path)).status, path).toBe(404);
    await expect(sendHttpRequest(metricsPort, '/metrics')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expectError(await sendHttpRequest(getPort(service), '/metrics'), 404, 'not_found');
  });

  test('closes with the service, even if it has open connections', async () => {
    const port = await findFreePort();
    const other = await startTestService({ METRICS_PORT: String(port) });
    // fetch keeps its connection open.
    await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await other.close();
    await expect(sendHttpRequest(port, '/metrics')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('request metrics', () => {
  test('count requests by method, route, status class and outcome', async () => {
    const client = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { accessToken, refreshToken } = await obtainTokens(service, client, browser);
    const anonymous = openBrowserSession(service.baseUrl);
    const { hidden } = await anonymous.get('/signin');
    const changed = await measureChanges(REQUESTS_METRIC, async () => {
      for (let round = 0; round < 3; round += 1) await fetchUserinfo(service, accessToken);
      await fetchUserinfo(service, 'nothing');
      await authorize(service, client, browser);
      await browser.get(buildAuthorizeUrl(service, client, { scope: 'everything' }));
      await redeemRefreshToken(service, client, refreshToken);
      await redeemRefreshToken(service, client, refreshToken);
      await redeemRefreshToken(service, { ...client, clientSecret: 'wrong' }, refreshToken);
      await revokeToken(service, client, accessToken);
      await sendHttpRequest(getPort(service), '/oauth/token', { method: 'DELETE' });
      await anonymous.post('/signin', { ...hidden, email: 'nobody@example.com', password: 'wrong' });
    });
    expect(changed).toEqual({
      'GET 2xx ok /oauth/userinfo': 3,
      'GET 4xx invalid_token /oauth/userinfo': 1,
      'GET 3xx ok /oauth/authorize': 1,
      'GET 3xx invalid_scope /oauth/authorize': 1,
      'POST 2xx ok /oauth/token': 1,
      'POST 4xx invalid_grant /oauth/token': 1,
      'POST 4xx invalid_client /oauth/token': 1,
      'POST 2xx ok /oauth/token/revoke': 1,
      'DELETE 4xx invalid_request unmatched': 1,
      'POST 3xx ok /signin': 1,
      // A wrong password has no OAuth error code.
      'GET 4xx refused /signin': 1,
    });
  });

  test('count requests from disconnected clients as aborted', async () => {
    const client = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { refreshToken } = await obtainTokens(service, client, browser);
    const changed = await measureChanges(REQUESTS_METRIC, async () => {
      const lock = await lockGrants(service.databaseUrl, client.clientId);
      const disconnect = new AbortController();
      const refresh = fetch(`${service.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ grant_type: 'refresh_token', refresh_token: refreshToken },
          ...{ client_id: client.clientId, client_secret: client.clientSecret },
        }),
        signal: disconnect.signal,
      });
      refresh.catch(() => {});
      await lock.waitForBlocked(1);
      expect((await scrape()).value('sesame_database_hot_statements', { kind: 'write' })).toBe(1);
      disconnect.abort();
      await waitUntil('the request to be counted', async () =>
        (await scrape()).samples.some(({ labels }) => labels.outcome === 'aborted'),
      );
      await lock.release();
    });
    expect(changed).toEqual({ 'POST 4xx aborted /oauth/token': 1 });
  });

  test('include all requests in their route’s cumulative histogram', async () => {
    const { samples, value } = await scrape();
    const requests = samples.filter(({ name }) => name === REQUESTS_METRIC);
    for (const route of new Set(requests.map(({ labels }) => labels.route ?? ''))) {
      const buckets = samples.filter(
        ({ name, labels }) => name === `${DURATION_METRIC}_bucket` && labels.route === route,
      );
      const values = buckets.map((bucket) => bucket.value);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
      expect(buckets.at(-1)?.labels.le).toBe('+Inf');
      const sum = requests
        .filter(({ labels }) => labels.route === route)
        .reduce((total, request) => total + request.value, 0);
      expect([values.at(-1), value(`${DURATION_METRIC}_count`, { route })], route).toEqual([sum, sum]);
      expect(value(`${DURATION_METRIC}_sum`, { route })).toBeGreaterThan(0);
    }
  });

  test('never contain URLs, tokens or IP addresses in their labels', async () => {
    const user = await service.createUser();
    const client = await service.createClient();
    const browser = await openSignedInBrowser(service, user);
    const { accessToken, refreshToken } = await obtainTokens(service, client, browser);
    await fetchUserinfo(service, accessToken);
    const before = await scrape();
    for (let index = 0; index < 50; index++)
      for (const path of [
        `/hostile-${index}/"}\\${'\\n'}x{a="b"}?hostile=${index}`,
        `/images/avatars/hostile-${index}.svg`,
        `/oauth/authorize?client_id=hostile${index}&scope=hostile`,
      ])
        await sendHttpRequest(getPort(service), path);
    for (const path of ['/%', '/%ff%fe', '/oauth/token/%']) await sendHttpRequest(getPort(service), path);
    for (const method of ['PROPFIND', 'M-SEARCH', 'TRACE', 'PURGE'])
      await sendHttpRequest(getPort(service), '/hostile', { method });
    const { text } = await getMetrics();
    expect(text).not.toMatch(/hostile|PROPFIND|SEARCH|TRACE|PURGE/);
    const after = parseMetrics(text);
    const countSeries = ({ samples }: MetricsText) =>
      samples.filter(({ name }) => name === REQUESTS_METRIC).length;
    expect(countSeries(after) - countSeries(before)).toBeLessThanOrEqual(6);
    expect(after.samples.some(({ labels }) => labels.method === 'other')).toBe(true);
    const { email, userId, name } = user;
    const { clientId, clientSecret } = client;
    for (const secret of [
      email,
      userId,
      name,
      clientId,
      clientSecret,
      accessToken,
      refreshToken,
      '127.0.0.1',
    ])
      expect(text).not.toContain(secret);
    for (const secret of browser.cookies.values()) expect(text).not.toContain(secret);
  });
});

test('database metrics include statements, connections and queued transactions', async () => {
  const client = await service.createClient();
  const browser = await openSignedInBrowser(service, await service.createUser());
  const { accessToken } = await obtainTokens(service, client, browser);
  const changed = await measureChanges('sesame_database_statements_total', () =>
    fetchUserinfo(service, accessToken),
  );
  expect(changed).toMatchObject({ find_access_token_user: 1 });

  const { promise: blocked, resolve: finish } = Promise.withResolvers<void>();
  const readPoolSize = (text: MetricsText, state: string) => text.value('sesame_database_pool', { state });
  const limit = service.services.config.databasePoolSize;
  const holdConnection = () => service.services.database.transaction(() => blocked);
  const transactions = Array.from({ length: limit }, holdConnection);
  await waitUntil('every connection to be taken', async () => {
    const now = await scrape();
    return readPoolSize(now, 'total') === limit && readPoolSize(now, 'idle') === 0;
  });
  // Background jobs may also be waiting for a connection.
  const waiting = readPoolSize(await scrape(), 'waiting') ?? 0;
  transactions.push(holdConnection(), holdConnection());
  const full = await waitUntil('two transactions to wait', async () => {
    const now = await scrape();
    return (readPoolSize(now, 'waiting') ?? 0) >= waiting + 2 && now;
  });
  expect([readPoolSize(full, 'total'), readPoolSize(full, 'idle'), readPoolSize(full, 'limit')]).toEqual([
    limit,
    0,
    limit,
  ]);
  finish();
  await Promise.all(transactions);
  expect(readPoolSize(await scrape(), 'waiting')).toBe(0);
});

test('sign-in metrics include running and queued password hashes', async () => {
  const hashes = Array.from({ length: 45 }, () => service.services.hasher.hash('horse-battery-staple'));
  const busy = await scrape();
  expect(busy.value('sesame_password_hashing_running')).toBeGreaterThan(0);
  expect(busy.value('sesame_password_hashing_waiting')).toBeGreaterThan(0);
  await Promise.all(hashes);
  expect((await scrape()).value('sesame_password_hashing_running')).toBe(0);
});

test('pruning metrics include deleted rows, batches and live grants', async () => {
  const client = await service.createClient();
  const browser = await openSignedInBrowser(service, await service.createUser());
  const revoked = await obtainTokens(service, client, browser);
  const live = await obtainTokens(service, client, browser);
  await revokeToken(service, client, revoked.refreshToken);
  const jobs = ['expired', 'grants', 'consents'];
  const readBatches = (now: MetricsText) =>
    jobs.map((work) => now.value('sesame_pruning_batches_total', { work }));
  const before = await scrape();
  expect([before.has('sesame_grants_live'), ...readBatches(before)]).toEqual([false, 0, 0, 0]);

  // After this time, all access tokens have expired.
  service.clock.advance(3600 + 700);
  await redeemRefreshToken(service, client, live.refreshToken);
  const startedAt = service.clock.now().getTime() / 1000;
  const pruning = startPruning(service.services, createLogger('silent'));
  const after = await waitUntil('one batch of each job', async () => {
    const now = await scrape();
    return readBatches(now).every((count) => count === 1) && now;
  });
  await pruning.stop();
  expect(after.value('sesame_grants_live')).toBeGreaterThan(0);
  for (const table of ['access_tokens', 'grants'])
    expect(after.value('sesame_pruned_rows_total', { table })).toBeGreaterThan(0);
  for (const work of jobs) {
    expect(after.value('sesame_pruning_failures_total', { work })).toBe(0);
    expect(after.value('sesame_pruning_last_batch_timestamp_seconds', { work })).toBeGreaterThanOrEqual(
      startedAt,
    );
  }
});
