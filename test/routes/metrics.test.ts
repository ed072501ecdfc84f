// GET /metrics: that the figures are those of what happened, and that nothing from outside gets in.
import { createHash } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startPruning } from '../../src/background/pruning.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/process/logger.ts';
import { type CompleteConfig, openService } from '../../src/process/service.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { createTestDatabase } from '../support/database.ts';
import { openDatabaseProxy } from '../support/database-proxy.ts';
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
import { lockGrants, lockTable } from '../support/locks.ts';
import { type MetricsText, readMetrics } from '../support/metrics-text.ts';
import { endProcesses, spawnService } from '../support/process.ts';
import { freePort, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const REQUESTS = 'sesame_http_requests_total';
/** When this process read this file, which it did some time after its start. */
const LOADED = Date.now() / 1000;
const DURATION = 'sesame_http_request_duration_seconds';

const service = await startTestService({ METRICS_PORT: String(await freePort()) });
afterAll(() => service.close());

const others: TestService[] = [];
async function startAnother(environment: Record<string, string>, databaseUrl?: string): Promise<TestService> {
  const other = await startTestService(
    { METRICS_PORT: String(await freePort()), ...environment },
    databaseUrl === undefined ? {} : { databaseUrl },
  );
  others.push(other);
  return other;
}
afterEach(async () => {
  for (const other of others.splice(0)) await other.close();
});

const portOf = (of: TestService): number => of.parts.config.port;
const ask = (port: number | string | undefined): Promise<HttpAnswer> => httpRequest(Number(port), '/metrics');

/** What /metrics says now. */
async function scrape(of = service): Promise<MetricsText> {
  const answer = await ask(of.parts.config.metricsPort);
  expect(answer.status, answer.text).toBe(200);
  return readMetrics(answer.text);
}

/** The samples that `work` has changed, as `name{labels}` and by how much. */
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

test('without METRICS_PORT there are no metrics', async () => {
  const off = await startAnother({ METRICS_PORT: '' });
  expectError(await ask(portOf(off)), 404, 'not_found');
});

test('the text format, kept by nobody', async () => {
  const answer = await ask(service.parts.config.metricsPort);
  expect([answer.status, header(answer, 'content-type')]).toEqual([200, TEXT]);
  expect(header(answer, 'cache-control')).toBe('no-store');
  expect(readMetrics(answer.text).families.get(REQUESTS)).toBe('counter');
  expect(readMetrics(answer.text).families.get(DURATION)).toBe('histogram');
});

describe('a port of its own', () => {
  test('answers without a token, knows nothing else, and the main port has no such address', async () => {
    const port = await freePort();
    const own = await startAnother({ METRICS_PORT: String(port) });
    const answer = await ask(port);
    expect([answer.status, header(answer, 'content-type')]).toEqual([200, TEXT]);
    expect(readMetrics(answer.text).has('process_resident_memory_bytes')).toBe(true);
    const head = await httpRequest(port, '/metrics', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await httpRequest(port, '/metrics', { method: 'POST' })).status).toBe(405);
    for (const path of ['/', '/metrics/', '/livez', '/oauth/userinfo', '/signin'])
      expect((await httpRequest(port, path)).status, path).toBe(404);
    expectError(await ask(portOf(own)), 404, 'not_found');
  });

  test('listens on the host before it; HOST is the default', async () => {
    const port = await freePort();
    await startAnother({ METRICS_PORT: `127.0.0.2:${port}` });
    expect((await httpRequest(port, '/metrics', { host: '127.0.0.2' })).status).toBe(200);
    await expect(ask(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('it closes with the service, whoever is still connected', async () => {
    const port = await freePort();
    const own = await startTestService({ METRICS_PORT: String(port) });
    const kept = await fetch(`http://127.0.0.1:${port}/metrics`); // fetch keeps its connection
    await kept.text();
    await own.close();
    await expect(ask(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('in use by another program: the process says which setting to change, and ends with 1', async () => {
    const taken = portOf(service);
    const started = await spawnService({
      DATABASE_URL: service.databaseUrl,
      METRICS_PORT: String(taken),
    });
    try {
      expect((await started.ended()).code).toBe(1);
      expect(started.output()).toContain(`${taken} is in use by another program; set METRICS_PORT`);
    } finally {
      await endProcesses();
    }
  });
});

describe('settings that cannot be used', () => {
  const faultsOf = (environment: Record<string, string>): string[] => {
    try {
      readConfig(environment);
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
    return [];
  };

  test.each([
    [{ METRICS_PORT: '0' }, 'METRICS_PORT must be a port from 1 to 65535'],
    [{ METRICS_PORT: 'a b:9464' }, 'METRICS_PORT must be a port from 1 to 65535'],
    [{ METRICS_PORT: '127.0.0.1:3000' }, 'METRICS_PORT must be another port than PORT'],
    [{ METRICS_PORT: '3000' }, 'METRICS_PORT must be another port than PORT'],
    [{ METRICS_PORT: '8080', PORT: '8080' }, 'METRICS_PORT must be another port than PORT'],
  ])('%o', (environment, fault) => {
    const faults = faultsOf(environment as Record<string, string>);
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });

  test('those beside them can', () => {
    for (const METRICS_PORT of ['9464', '10.0.0.1:9464', '[::1]:9464', 'metrics.internal:9464'])
      expect(faultsOf({ METRICS_PORT }), METRICS_PORT).toEqual([]);
  });
});

describe('requests', () => {
  test('each is counted by method, route, class of status and outcome', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, user);
    const { accessToken, refreshToken } = await obtainTokens(service, application, browser);
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
      const page = await openBrowserSession(service.baseUrl).get('/signin');
      expect(page.status).toBe(200);
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
      'GET 2xx ok /signin': 1,
    });
  });

  test('a wrong password is refused, without an error code', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const changed = await changedBy(REQUESTS, () =>
      browser.post('/signin', { ...page.hidden, email: 'nobody@example.com', password: 'wrong password' }),
    );
    expect(changed).toEqual({ 'POST 3xx ok /signin': 1, 'GET 4xx refused /signin': 1 });
  });

  test('one whose peer hung up before its answer is "aborted"', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const { refreshToken } = await obtainTokens(service, application, browser);
    const changed = await changedBy(REQUESTS, async () => {
      const lock = await lockGrants(service.databaseUrl, application.clientId);
      const hangUp = new AbortController();
      const renewal = fetch(`${service.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          client_id: application.clientId,
          client_secret: application.clientSecret,
        }),
        signal: hangUp.signal,
      });
      renewal.catch(() => {});
      await lock.heldUp(1);
      hangUp.abort();
      await until('it to be counted', async () =>
        (await scrape()).samples.some(({ labels }) => labels.outcome === 'aborted'),
      );
      await lock.release();
    });
    expect(changed).toEqual({ 'POST 4xx aborted /oauth/token': 1 });
  });

  test('the histogram has every request of a route, and its buckets only grow', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const { refreshToken } = await obtainTokens(service, application, browser);
    const slow = '/oauth/token';
    const before = await scrape();
    const lock = await lockGrants(service.databaseUrl, application.clientId);
    const renewal = renew(service, application, refreshToken);
    await lock.heldUp(1);
    await lock.release();
    await renewal;
    const after = await scrape();
    expect(after.value(`${DURATION}_count`, { route: slow })).toBe(
      before.value(`${DURATION}_count`, { route: slow }) + 1,
    );
    expect(after.value(`${DURATION}_sum`, { route: slow })).toBeGreaterThan(
      before.value(`${DURATION}_sum`, { route: slow }),
    );
    const routes = new Set(
      after.samples.filter(({ name }) => name === REQUESTS).map(({ labels }) => labels.route),
    );
    for (const route of routes) {
      const buckets = after.samples.filter(
        ({ name, labels }) => name === `${DURATION}_bucket` && labels.route === route,
      );
      const values = buckets.map(({ value }) => value);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
      expect(buckets.at(-1)?.labels.le).toBe('+Inf');
      const answered = after.samples
        .filter(({ name, labels }) => name === REQUESTS && labels.route === route)
        .reduce((sum, { value }) => sum + value, 0);
      expect(values.at(-1), route).toBe(answered);
      expect(after.value(`${DURATION}_count`, { route: route ?? '' })).toBe(answered);
    }
  });

  test('hostile addresses and methods make no labels of their own', async () => {
    const before = await scrape();
    const paths = Array.from({ length: 200 }, (_, n) => `/hostile-${n}/"}\\${'\\n'}x{a="b"}?hostile=${n}`);
    const avatars = Array.from({ length: 50 }, (_, n) => `/images/avatars/hostile-${n}.svg`);
    const fields = Array.from(
      { length: 20 },
      (_, n) => `/oauth/authorize?client_id=hostile${n}&scope=hostile`,
    );
    const undecodable = ['/%', '/%ff%fe', '/oauth/token/%'];
    for (const path of [...paths, ...avatars, ...fields, ...undecodable])
      await httpRequest(portOf(service), path);
    for (const method of ['PROPFIND', 'M-SEARCH', 'TRACE', 'MKCOL', 'PURGE'])
      await httpRequest(portOf(service), '/hostile', { method });
    const answer = await ask(service.parts.config.metricsPort);
    expect(answer.text).not.toMatch(/hostile|PROPFIND|SEARCH|TRACE|PURGE/);
    const after = readMetrics(answer.text);
    const added =
      after.samples.filter(({ name }) => name === REQUESTS).length -
      before.samples.filter(({ name }) => name === REQUESTS).length;
    expect(added).toBeLessThanOrEqual(6);
    expect(
      after.value(REQUESTS, { method: 'GET', route: 'unmatched', status: '4xx', outcome: 'not_found' }),
    ).toBeGreaterThanOrEqual(200);
    expect(after.samples.some(({ labels }) => labels.method === 'other')).toBe(true);
  });

  test('D32: no token, address, email or identifier is in it', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, user);
    const tokens = await obtainTokens(service, application, browser);
    await userinfo(service, tokens.accessToken);
    const { text } = await ask(service.parts.config.metricsPort);
    for (const secret of [
      user.email,
      user.userId,
      user.name,
      application.clientId,
      application.clientSecret,
      tokens.accessToken,
      tokens.refreshToken,
      '127.0.0.1',
      'localhost',
      ...browser.cookies.values(),
    ])
      expect(text).not.toContain(secret);
  });
});

describe('the database', () => {
  test('statements are counted by name', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const { accessToken } = await obtainTokens(service, application, browser);
    const changed = await changedBy('sesame_database_statements_total', async () => {
      await userinfo(service, accessToken);
      await userinfo(service, accessToken);
    });
    // What was noted meanwhile may be written just now, by statements of its own names.
    expect(changed).toMatchObject({ find_access_token_holder: 2 });
  });

  test('transactions that hold the pool, those that wait for it, statements in flight', async () => {
    const small = await startAnother({ DATABASE_POOL_SIZE: '1' });
    const pool = (text: MetricsText) =>
      ['connections', 'idle_connections', 'waiting', 'max_connections'].map((name) =>
        text.value(`sesame_database_pool_${name}`),
      );
    let finish: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const transactions = [1, 2, 3].map(() => small.parts.database.transaction(() => held));
    await until('two transactions to wait', async () => {
      const now = pool(await scrape(small));
      return now[0] === 1 && now[2] === 2;
    });
    expect(pool(await scrape(small))).toEqual([1, 0, 2, 1]);
    finish();
    await Promise.all(transactions);
    expect(pool(await scrape(small))).toEqual([1, 1, 0, 1]);

    const application = await small.createApplication();
    const browser = await signedInBrowser(small, await small.createUser());
    const { refreshToken } = await obtainTokens(small, application, browser);
    const lock = await lockGrants(small.databaseUrl, application.clientId);
    const renewal = renew(small, application, refreshToken);
    await lock.heldUp(1);
    expect((await scrape(small)).value('sesame_database_hot_statements', { kind: 'write' })).toBe(1);
    await lock.release();
    await renewal;
    expect((await scrape(small)).value('sesame_database_hot_statements', { kind: 'write' })).toBe(0);
  });

  test('while it is away the figures are still there', async () => {
    const database = await createTestDatabase();
    const proxy = await openDatabaseProxy(database.url);
    const other = await startAnother({}, proxy.url);
    await proxy.cut();
    try {
      await until('a 503', async () => (await httpRequest(portOf(other), '/readyz')).status === 503);
      const refused = { method: 'GET', route: '/readyz', status: '5xx', outcome: 'temporarily_unavailable' };
      expect((await scrape(other)).value(REQUESTS, refused)).toBeGreaterThanOrEqual(1);
    } finally {
      await other.close();
      others.length = 0;
      await proxy.close();
      await database.drop();
    }
  });
});

describe('signing in', () => {
  test('passwords being hashed and waiting for it', async () => {
    const idle = await scrape();
    expect(idle.has('sesame_password_hashing_running')).toBe(true);
    expect(idle.value('sesame_password_hashing_waiting')).toBe(0);
    const hashes = Array.from({ length: 45 }, () => service.parts.hasher.hash('horse-battery-staple'));
    const busy = await scrape();
    expect(busy.value('sesame_password_hashing_running')).toBeGreaterThan(0);
    expect(busy.value('sesame_password_hashing_waiting')).toBeGreaterThan(0);
    await Promise.all(hashes);
    const after = await scrape();
    expect(after.value('sesame_password_hashing_running')).toBe(0);
    expect(after.value('sesame_password_hashing_waiting')).toBe(0);
  });

  test('D17: attempts that are held back after wrong passwords', async () => {
    const database = await createTestDatabase();
    const [port, metricsPort] = [await freePort(), await freePort()];
    const config = readConfig({
      NODE_ENV: 'test',
      PORT: String(port),
      DATABASE_URL: database.url,
      SECRET_KEY: 'a secret key for tests only: 0123456789abcdef',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'silent',
      METRICS_PORT: String(metricsPort),
    }) as CompleteConfig;
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const slow = await openService(config, createLogger('silent'), { wait: () => held });
    try {
      await slow.app.listen({ host: '127.0.0.1', port });
      const browser = openBrowserSession(`http://localhost:${port}`);
      const { hidden } = await browser.get('/signin');
      const fields = { ...hidden, email: 'nobody@example.com', password: 'wrong password' };
      for (let attempt = 0; attempt < 4; attempt += 1) await browser.post('/signin', fields);
      const heldBack = async () =>
        readMetrics((await ask(metricsPort)).text).value('sesame_sign_in_slowed_down');
      expect(await heldBack()).toBe(0);
      const fifth = browser.post('/signin', fields);
      await until('the fifth attempt to be held back', async () => (await heldBack()) === 1);
      letGo();
      expect((await fifth).status).toBe(401);
      expect(await heldBack()).toBe(0);
    } finally {
      letGo();
      await slow.close();
      await database.drop();
    }
  });
});

describe('pruning and grants', () => {
  test('rows by table, batches, the time of the last one, and the live grants', async () => {
    const other = await startAnother({});
    const application = await other.createApplication();
    const [revoked, live, alsoLive] = [
      await obtainTokens(other, application, await signedInBrowser(other, await other.createUser())),
      await obtainTokens(other, application, await signedInBrowser(other, await other.createUser())),
      await obtainTokens(other, application, await signedInBrowser(other, await other.createUser())),
    ];
    await revoke(other, application, revoked.refreshToken);
    const before = await scrape(other);
    expect(before.has('sesame_grants_live')).toBe(false); // 0 would be a figure
    expect(before.has('sesame_pruning_last_batch_timestamp_seconds')).toBe(false);
    const works = ['expired', 'grants', 'consents', 'pictures'];
    const batches = (now: MetricsText) =>
      works.map((work) => now.value('sesame_pruning_batches_total', { work }));
    expect(batches(before)).toEqual([0, 0, 0, 0]);

    other.clock.advance(3600 + 700); // every access token is past its end
    await renew(other, application, live.refreshToken);
    const seconds = () => other.clock.now().getTime() / 1000;
    const begun = seconds();
    const pruning = startPruning(other.parts, createLogger('silent'));
    try {
      const after = await until('all of it once', async () => {
        const now = await scrape(other);
        return batches(now).every((number) => number === 1) && now;
      });
      expect(after.value('sesame_grants_live')).toBe(2);
      const rows = (table: string) => after.value('sesame_pruned_rows_total', { table });
      expect([rows('access_tokens'), rows('grants'), rows('consents')]).toEqual([3, 1, 0]);
      for (const work of works) {
        expect(after.value('sesame_pruning_failures_total', { work })).toBe(0);
        const last = after.value('sesame_pruning_last_batch_timestamp_seconds', { work });
        expect(last).toBeGreaterThanOrEqual(begun);
        expect(last).toBeLessThanOrEqual(seconds());
      }
    } finally {
      await pruning.stop();
    }
    expect((await renew(other, application, alsoLive.refreshToken)).status).toBe(200);
  });

  test('a batch that fails is counted as that', async () => {
    const other = await startAnother({});
    const lock = await lockTable(other.databaseUrl, 'sessions');
    const pruning = startPruning(other.parts, createLogger('silent'));
    await lock.heldUp(1);
    await other.parts.database.query(
      {
        name: '',
        text: `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      },
      [],
    );
    await lock.release();
    const expired = { work: 'expired' };
    const after = await until('the failure', async () => {
      const now = await scrape(other);
      return now.value('sesame_pruning_failures_total', expired) === 1 && now;
    });
    expect(after.value('sesame_pruning_batches_total', expired)).toBe(0);
    expect(after.value('sesame_pruning_failures_total', { work: 'grants' })).toBe(0);
    await pruning.stop();
  });
});

test('the process: processor, memory, event loop; what only grows is a counter', async () => {
  const first = await scrape();
  for (let n = 0, hash = Buffer.alloc(0); n < 20_000; n += 1)
    hash = createHash('sha256').update(hash).digest();
  const second = await scrape();
  for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_active_seconds_total']) {
    expect(second.value(name), name).toBeGreaterThan(first.value(name));
    expect(second.families.get(name)).toBe('counter');
  }
  expect(second.value('process_resident_memory_bytes')).toBeGreaterThan(
    second.value('nodejs_heap_size_used_bytes'),
  );
  const started = second.value('process_start_time_seconds');
  expect(started).toBeGreaterThan(1_700_000_000); // seconds since 1970, not since something else
  expect(started).toBeLessThan(LOADED);
});
