// GET /livez and /readyz: the process is alive; it can serve.
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/process/logger.ts';
import { type CompleteConfig, openService } from '../../src/process/service.ts';
import { createTestDatabase } from '../support/database.ts';
import { openDatabaseProxy } from '../support/database-proxy.ts';
import { expectError, header } from '../support/expect-error.ts';
import { httpRequest } from '../support/http-request.ts';
import { freePort } from '../support/service.ts';
import { until } from '../support/until.ts';

const database = await createTestDatabase();
const proxy = await openDatabaseProxy(database.url);
const port = await freePort();
const config = readConfig({
  NODE_ENV: 'test',
  PORT: String(port),
  DATABASE_URL: proxy.url,
  SECRET_KEY: 'a secret key for tests only: 0123456789abcdef',
  RATE_LIMIT_PER_MINUTE: '2',
  LOG_LEVEL: 'silent',
}) as CompleteConfig;
const service = await openService(config, createLogger('silent'));
await service.app.listen({ host: '127.0.0.1', port });
afterAll(async () => {
  await service.close();
  await proxy.close();
  await database.drop();
});

const get = (path: string) => httpRequest(port, path);

describe('health addresses', () => {
  test('answer 200 with JSON that nobody stores, and HEAD without a body', async () => {
    for (const [path, status] of [
      ['/livez', 'alive'],
      ['/readyz', 'ready'],
    ] as const) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toEqual({ status });
      expect(header(answer, 'cache-control')).toBe('no-store');
      const head = await httpRequest(port, path, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
    }
  });

  test('without the database /readyz is 503 temporarily_unavailable, /livez stays 200, and both come back', async () => {
    await proxy.cut();
    const away = await until('a 503 of /readyz', async () => {
      const answer = await get('/readyz');
      return answer.status !== 200 && answer;
    });
    expectError(away, 503, 'temporarily_unavailable');
    expect(Number(header(away, 'retry-after'))).toBeGreaterThan(0);
    expect((await get('/livez')).status).toBe(200);
    await proxy.restore();
    await until('/readyz to come back', async () => (await get('/readyz')).status === 200);
  });

  test('once asked to stop, /readyz is 503 while /livez still answers 200', async () => {
    service.startClosing();
    expectError(await get('/readyz'), 503, 'temporarily_unavailable');
    expect((await get('/livez')).status).toBe(200);
  });
});
