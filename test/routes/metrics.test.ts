// GET /metrics: the figures are right, and nothing in them comes from outside.
import { afterAll, describe, expect, test } from 'vitest';
import { startPruning } from '../../src/background/pruning.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { expectError, header } from '../support/expect-error.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { type HttpAnswer, httpRequest } from '../support/http-request.ts';
import { lockGrants } from '../support/locks.ts';
import { type MetricsText, readMetrics } from '../support/metrics-text.ts';
import { freePort, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const REQUESTS = 'sesame_http_requests_total';
const DURATION = 'sesame_http_request_duration_seconds';

const metricsPort = await freePort();
const service = await startTestService({ METRICS_PORT: `127.0.0.2:${metricsPort}` });
afterAll(() => service.close());

const portOf = (of: TestService): number => of.parts.config.port;
const ask = (path = '/metrics', options = {}): Promise<HttpAnswer> =>
  httpRequest(metricsPort, path, { host: '127.0.0.2', ...options });

/** The current metrics. */
async function scrape(): Promise<MetricsText> {
  const answer = await ask();
  expect(answer.status, answer.text).toBe(200);
  return readMetrics(answer.text);
}

/** The samples that `work` has changed, as the values of their labels and by how much. */
async function changedBy(name: string, work: () => Promise<unknown>): Promise<Record<string, number>> {
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

describe('the port', () => {
  test('serves /metrics and nothing else, on the host before it; the main port has no metrics', async () => {
    const answer = await ask();
    expect(header(answer, 'content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(header(answer, 'cache-control')).toBe('no-store');
    const { families } = readMetrics(answer.text);
    expect([families.get(REQUESTS), families.get(DURATION)]).toEqual(['counter', 'histogram']);
    expect(families.get('process_resident_memory_bytes')).toBe('gauge');
    expect((await ask('/metrics', { method: 'HEAD' })).text).toBe('');
    expect((await ask('/metrics', { method: 'POST' })).status).toBe(405);
    for (const path of ['/', '/metrics/', '/livez', '/oauth/userinfo'])
      expect((await ask(path)).status, path).toBe(404);
    await expect(httpRequest(metricsPort, '/metrics')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expectError(await httpRequest(portOf(service), '/metrics'), 404, 'not_found');
  });

  test('closes with the service, even with open connections', async () => {
    const port = await freePort();
    const other = await startTestService({ METRICS_PORT: String(port) });
    await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(); // fetch keeps its connection
    await other.close();
    await expect(httpRequest(port, '/metrics')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('requests', () => {
  test('are counted by method, route, class of status and outcome', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const { accessToken, refreshToken } = await obtainTokens(service, application, browser);
    const anonymous = openBrowserSession(service.baseUrl);
    const { hidden } = await anonymous.get('/signin');
    const changed = await changedBy(REQUESTS, async () => {
      for (let round = 0; round < 3; round += 1) await userinfo(service, accessToken);
      await userinfo(service, 'nothing');
      await authorize(service, application, browser);
      await browser.get(authorizeAddress(service, application, { scope: 'everything' }));
      await renew(service, application, refreshToken);
      await renew(service, application, refreshToken); // reuse
      await renew(service, { ...application, clientSecret: 'wrong' }, refreshToken);
      await revoke(service, application, accessToken);
      await httpRequest(portOf(service), '/oauth/token', { method: 'DELETE' });
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
      'GET 4xx refused /signin': 1, // the wrong password: refused without an OAuth error
    });
  });

  test('whose client hung up are "aborted"', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const { refreshToken } = await obtainTokens(service, application, browser);
    const changed = await changedBy(REQUESTS, async () => {
      const lock = await lockGrants(service.databaseUrl, application.clientId);
      const hangUp = new AbortController();
      const renewal = fetch(`${service.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ grant_type: 'refresh_token', refresh_token: refreshToken },
          ...{ client_id: application.clientId, client_secret: application.clientSecret },
        }),
        signal: hangUp.signal,
      });
      renewal.catch(() => {});
      await lock.heldUp(1);
      expect((await scrape()).value('sesame_database_hot_statements', { kind: 'write' })).toBe(1);
      hangUp.abort();
      await until('it to be counted', async () =>
        (await scrape()).samples.some(({ labels }) => labels.outcome === 'aborted'),
      );
      await lock.release();
    });
    expect(changed).toEqual({ 'POST 4xx aborted /oauth/token': 1 });
  });

  test('are all in the histogram of their route, whose buckets are cumulative', async () => {
    const { samples, value } = await scrape();
    const requests = samples.filter(({ name }) => name === REQUESTS);
    for (const route of new Set(requests.map(({ labels }) => labels.route ?? ''))) {
      const buckets = samples.filter(
        ({ name, labels }) => name === `${DURATION}_bucket` && labels.route === route,
      );
      const values = buckets.map((bucket) => bucket.value);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
      expect(buckets.at(-1)?.labels.le).toBe('+Inf');
      const sum = requests
        .filter(({ labels }) => labels.route === route)
        .reduce((all, one) => all + one.value, 0);
      expect([values.at(-1), value(`${DURATION}_count`, { route })], route).toEqual([sum, sum]);
      expect(value(`${DURATION}_sum`, { route })).toBeGreaterThan(0);
    }
  });

  test('hostile URLs and methods make no labels, and no label holds a token, email, identifier or IP', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, user);
    const { accessToken, refreshToken } = await obtainTokens(service, application, browser);
    await userinfo(service, accessToken);
    const before = await scrape();
    for (let n = 0; n < 50; n++)
      for (const path of [
        `/hostile-${n}/"}\\${'\\n'}x{a="b"}?hostile=${n}`,
        `/images/avatars/hostile-${n}.svg`,
        `/oauth/authorize?client_id=hostile${n}&scope=hostile`,
      ])
        await httpRequest(portOf(service), path);
    for (const path of ['/%', '/%ff%fe', '/oauth/token/%']) await httpRequest(portOf(service), path);
    for (const method of ['PROPFIND', 'M-SEARCH', 'TRACE', 'PURGE'])
      await httpRequest(portOf(service), '/hostile', { method });
    const { text } = await ask();
    expect(text).not.toMatch(/hostile|PROPFIND|SEARCH|TRACE|PURGE/);
    const after = readMetrics(text);
    const routesOf = ({ samples }: MetricsText) => samples.filter(({ name }) => name === REQUESTS).length;
    expect(routesOf(after) - routesOf(before)).toBeLessThanOrEqual(6);
    expect(after.samples.some(({ labels }) => labels.method === 'other')).toBe(true);
    const { email, userId, name } = user;
    const { clientId, clientSecret } = application;
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

test('database: statements by name, the pool and those that wait for it', async () => {
  const application = await service.createApplication();
  const browser = await signedInBrowser(service, await service.createUser());
  const { accessToken } = await obtainTokens(service, application, browser);
  const changed = await changedBy('sesame_database_statements_total', () => userinfo(service, accessToken));
  expect(changed).toMatchObject({ find_access_token_holder: 1 });

  const { promise: held, resolve: finish } = Promise.withResolvers<void>();
  const pool = (text: MetricsText, state: string) => text.value('sesame_database_pool', { state });
  const limit = service.parts.config.databasePoolSize;
  const hold = () => service.parts.database.transaction(() => held);
  const transactions = Array.from({ length: limit }, hold);
  await until('every connection to be taken', async () => {
    const now = await scrape();
    return pool(now, 'total') === limit && pool(now, 'idle') === 0;
  });
  transactions.push(hold(), hold());
  const full = await until('two transactions to wait', async () => {
    const now = await scrape();
    return pool(now, 'waiting') === 2 && now;
  });
  expect([pool(full, 'total'), pool(full, 'idle'), pool(full, 'limit')]).toEqual([limit, 0, limit]);
  finish();
  await Promise.all(transactions);
  expect(pool(await scrape(), 'waiting')).toBe(0);
});

test('sign-in: passwords being hashed and waiting', async () => {
  const hashes = Array.from({ length: 45 }, () => service.parts.hasher.hash('horse-battery-staple'));
  const busy = await scrape();
  expect(busy.value('sesame_password_hashing_running')).toBeGreaterThan(0);
  expect(busy.value('sesame_password_hashing_waiting')).toBeGreaterThan(0);
  await Promise.all(hashes);
  expect((await scrape()).value('sesame_password_hashing_running')).toBe(0);
});

test('pruning: rows by table, batches, time of the last one, live grants', async () => {
  const application = await service.createApplication();
  const browser = await signedInBrowser(service, await service.createUser());
  const revoked = await obtainTokens(service, application, browser);
  const live = await obtainTokens(service, application, browser);
  await revoke(service, application, revoked.refreshToken);
  const works = ['expired', 'grants', 'consents'];
  const batches = (now: MetricsText) =>
    works.map((work) => now.value('sesame_pruning_batches_total', { work }));
  const before = await scrape();
  expect([before.has('sesame_grants_live'), ...batches(before)]).toEqual([false, 0, 0, 0]);

  service.clock.advance(3600 + 700); // every access token has expired
  await renew(service, application, live.refreshToken);
  const begun = service.clock.now().getTime() / 1000;
  const pruning = startPruning(service.parts, createLogger('silent'));
  const after = await until('one batch of each', async () => {
    const now = await scrape();
    return batches(now).every((number) => number === 1) && now;
  });
  await pruning.stop();
  expect(after.value('sesame_grants_live')).toBeGreaterThan(0);
  for (const table of ['access_tokens', 'grants'])
    expect(after.value('sesame_pruned_rows_total', { table })).toBeGreaterThan(0);
  for (const work of works) {
    expect(after.value('sesame_pruning_failures_total', { work })).toBe(0);
    expect(after.value('sesame_pruning_last_batch_timestamp_seconds', { work })).toBeGreaterThanOrEqual(
      begun,
    );
  }
});
