// Rate limiting across several processes, with and without Redis.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestRedis, type TestRedis } from '../support/redis.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { killProcesses, readAllLogs, type ServiceProcess, startService } from '../support/service-process.ts';
import { isInstalled } from '../support/source-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const REQUESTS_PER_MINUTE = 5;
const UNAVAILABLE_PATTERN = /^Redis is unavailable/;
const AVAILABLE_AGAIN_PATTERN = /^Redis is available again/;

describe.skipIf(!isInstalled('redis-server', 'a rate limit shared through Redis'))('a rate limit', () => {
  let factory: TestService;
  let redis: TestRedis;
  let processes: [ServiceProcess, ServiceProcess];
  let testCount = 0;
  let ip = '';

  beforeAll(async () => {
    factory = await startTestService();
    // Without an administrator, each process would create one.
    await factory.createUser({ isAdmin: true });
    redis = await createTestRedis();
    await redis.start();
    processes = await Promise.all([startProcess(), startProcess()]);
  });
  afterAll(async () => {
    await killProcesses();
    redis?.thaw();
    await redis?.kill();
    await factory?.close();
  });
  beforeEach(() => {
    testCount += 1;
    ip = `192.0.2.${testCount}`;
  });

  const startProcess = (environment: Record<string, string> = {}) =>
    startService({
      DATABASE_URL: factory.databaseUrl,
      REDIS_URL: redis.url,
      RATE_LIMIT_PER_MINUTE: String(REQUESTS_PER_MINUTE),
      TRUSTED_PROXIES: '127.0.0.1,::1',
      ...environment,
    });

  async function send(service: ServiceProcess, from = ip): Promise<number> {
    const headers = { 'x-forwarded-for': from };
    return (await fetch(`${service.url}/oauth/userinfo`, { headers })).status;
  }
  async function sendTimes(count: number, service: ServiceProcess, from = ip): Promise<number[]> {
    const statuses: number[] = [];
    for (let round = 1; round <= count; round += 1) statuses.push(await send(service, from));
    return statuses;
  }
  const findLogLines = async (service: ServiceProcess, pattern: RegExp) =>
    (await readAllLogs(service)).filter(({ msg }) => pattern.test(String(msg)));

  const ALLOWED = Array.from({ length: REQUESTS_PER_MINUTE }, () => 401);

  test('is shared by two processes', async () => {
    const [firstProcess, secondProcess] = processes;
    const statuses = [...(await sendTimes(3, firstProcess)), ...(await sendTimes(2, secondProcess))];
    expect(statuses).toEqual(ALLOWED);
    expect([await send(firstProcess), await send(secondProcess)]).toEqual([429, 429]);
    expect(await send(firstProcess, '198.51.100.1')).toBe(401);
  });

  test('is applied by each process separately while Redis is stopped', async () => {
    await redis.kill();
    for (const service of processes) {
      expect([...(await sendTimes(REQUESTS_PER_MINUTE, service)), await send(service)]).toEqual([
        ...ALLOWED,
        429,
      ]);
      expect(await findLogLines(service, UNAVAILABLE_PATTERN)).toMatchObject([{ level: 'warn' }]);
    }
    await redis.start();
    const [firstProcess, secondProcess] = processes;
    for (const [index, service] of processes.entries())
      await waitUntil('the process to reconnect to Redis', async () => {
        await send(service, `203.0.113.${index}`);
        return (await findLogLines(service, AVAILABLE_AGAIN_PATTERN)).length === 1;
      });
    const newIp = '198.51.100.2';
    expect([
      ...(await sendTimes(3, firstProcess, newIp)),
      ...(await sendTimes(2, secondProcess, newIp)),
    ]).toEqual(ALLOWED);
    expect([await send(firstProcess, newIp), await send(secondProcess, newIp)]).toEqual([429, 429]);
    for (const service of processes)
      expect((await findLogLines(service, UNAVAILABLE_PATTERN)).length).toBe(1);
  });

  test('is applied by each process separately while Redis does not respond', async () => {
    const [firstProcess, secondProcess] = processes;
    const before = {
      unavailable: (await findLogLines(firstProcess, UNAVAILABLE_PATTERN)).length,
      available: (await findLogLines(firstProcess, AVAILABLE_AGAIN_PATTERN)).length,
    };
    redis.freeze();
    expect(await sendTimes(3 * REQUESTS_PER_MINUTE, firstProcess)).toEqual([
      ...ALLOWED,
      ...Array(2 * REQUESTS_PER_MINUTE).fill(429),
    ]);
    expect((await findLogLines(firstProcess, UNAVAILABLE_PATTERN)).length).toBe(before.unavailable + 1);
    redis.thaw();
    await waitUntil('the process to reconnect to Redis', async () => {
      await send(firstProcess, '203.0.113.77');
      return (await findLogLines(firstProcess, AVAILABLE_AGAIN_PATTERN)).length === before.available + 1;
    });
    expect(await send(secondProcess)).toBe(401);
  });

  test('is applied separately by a process that starts without Redis', async () => {
    await redis.kill();
    const newProcess = await startProcess();
    expect([...(await sendTimes(REQUESTS_PER_MINUTE, newProcess)), await send(newProcess)]).toEqual([
      ...ALLOWED,
      429,
    ]);
    expect(await findLogLines(newProcess, UNAVAILABLE_PATTERN)).toMatchObject([{ level: 'warn' }]);
    expect((await newProcess.stop()).code).toBe(0);
  });

  test('is applied without logging the password in REDIS_URL', async () => {
    const secret = 'redis-pass-word-123';
    const newProcess = await startProcess({
      REDIS_URL: redis.url.replace('//', `//:${secret}@`),
      LOG_LEVEL: 'trace',
    });
    expect(await send(newProcess)).toBe(401);
    await waitUntil(
      'a warning',
      async () => (await findLogLines(newProcess, UNAVAILABLE_PATTERN)).length === 1,
    );
    expect(newProcess.output()).not.toContain(secret);
  });
});
