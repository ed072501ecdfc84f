import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openInstance, type ResolvedConfig } from '../../src/process/instance.ts';
import { createLogger } from '../../src/process/logger.ts';
import { createTestDatabase } from '../support/database.ts';
import { openDatabaseProxy } from '../support/database-proxy.ts';
import { expectError, getHeader } from '../support/expect-error.ts';
import { sendHttpRequest } from '../support/http-request.ts';
import { findFreePort } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const database = await createTestDatabase();
const proxy = await openDatabaseProxy(database.url);
const port = await findFreePort();
const config = readConfig({
  NODE_ENV: 'test',
  PORT: String(port),
  DATABASE_URL: proxy.url,
  SECRET_KEY: 'a secret key for tests only: 0123456789abcdef',
  RATE_LIMIT_PER_MINUTE: '2',
  LOG_LEVEL: 'silent',
}) as ResolvedConfig;
const service = await openInstance(config, createLogger('silent'));
await service.app.listen({ host: '127.0.0.1', port });
afterAll(async () => {
  await service.close();
  await proxy.close();
  await database.drop();
});

const get = (path: string) => sendHttpRequest(port, path);

describe('health checks', () => {
  test('return 200 for GET and HEAD', async () => {
    for (const [path, status] of [
      ['/livez', 'alive'],
      ['/readyz', 'ready'],
    ] as const) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(JSON.parse(response.text)).toEqual({ status });
      expect(getHeader(response, 'cache-control')).toBe('no-store');
      const head = await sendHttpRequest(port, path, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
    }
  });

  test('return 503 only at /readyz while the database is unreachable', async () => {
    await proxy.cut();
    const unavailable = await waitUntil('/readyz to respond with 503', async () => {
      const response = await get('/readyz');
      return response.status !== 200 && response;
    });
    expectError(unavailable, 503, 'temporarily_unavailable');
    expect(Number(getHeader(unavailable, 'retry-after'))).toBeGreaterThan(0);
    expect((await get('/livez')).status).toBe(200);
    await proxy.restore();
    await waitUntil('/readyz to respond with 200', async () => (await get('/readyz')).status === 200);
  });

  test('return 503 only at /readyz during shutdown', async () => {
    service.startShutdown();
    expectError(await get('/readyz'), 503, 'temporarily_unavailable');
    expect((await get('/livez')).status).toBe(200);
  });
});
