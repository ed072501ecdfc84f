// Several processes share one count through Redis, and go on without it (D25).

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { caughtUp, endProcesses, type ServiceProcess, startService } from '../support/process.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { isInstalled } from '../support/sources.ts';
import { until } from '../support/until.ts';

const LIMIT = 5;
const AWAY = /^Redis is away/;
const BACK = /^Redis is back/;

describe.skipIf(!isInstalled('redis-server', 'a rate limit shared through Redis'))(
  'with REDIS_URL (D25)',
  () => {
    let owner: TestService;
    let redis: TestRedis;
    let processes: [ServiceProcess, ServiceProcess];
    let tests = 0;
    let address = '';

    beforeAll(async () => {
      owner = await startTestService();
      await owner.createUser({ operator: true }); // so that the processes make up none
      redis = await testRedis();
      await redis.start();
      processes = await Promise.all([start(), start()]);
    });
    afterAll(async () => {
      await endProcesses();
      redis?.thaw();
      await redis?.kill();
      await owner?.close();
    });
    beforeEach(() => {
      tests += 1;
      address = `192.0.2.${tests}`;
    });

    const start = (environment: Record<string, string> = {}) =>
      startService({
        DATABASE_URL: owner.databaseUrl,
        REDIS_URL: redis.url,
        RATE_LIMIT_PER_MINUTE: String(LIMIT),
        TRUSTED_PROXIES: '127.0.0.1,::1',
        ...environment,
      });

    async function ask(service: ServiceProcess, from = address): Promise<number> {
      const headers = { 'x-forwarded-for': from };
      return (await fetch(`${service.address}/oauth/userinfo`, { headers })).status;
    }
    async function askTimes(count: number, service: ServiceProcess, from = address): Promise<number[]> {
      const statuses: number[] = [];
      for (let round = 1; round <= count; round += 1) statuses.push(await ask(service, from));
      return statuses;
    }
    const said = async (service: ServiceProcess, words: RegExp) =>
      (await caughtUp(service)).filter(({ msg }) => words.test(String(msg)));

    const PASSED = Array.from({ length: LIMIT }, () => 401);

    test('D25: two processes share a count', async () => {
      const [one, two] = processes;
      const passed = [...(await askTimes(3, one)), ...(await askTimes(2, two))];
      expect(passed).toEqual(PASSED);
      expect([await ask(one), await ask(two)]).toEqual([429, 429]);
      expect(await ask(one, '198.51.100.1')).toBe(401);
    });

    test('D25: when Redis dies each counts by itself, warns once, never fails, and shares again afterwards', async () => {
      await redis.kill();
      for (const service of processes) {
        expect([...(await askTimes(LIMIT, service)), await ask(service)]).toEqual([...PASSED, 429]);
        expect(await said(service, AWAY)).toMatchObject([{ level: 'warn' }]);
      }
      await redis.start();
      const [one, two] = processes;
      for (const [at, service] of processes.entries())
        await until('Redis to be found again', async () => {
          await ask(service, `203.0.113.${at}`);
          return (await said(service, BACK)).length === 1;
        });
      const later = '198.51.100.2';
      expect([...(await askTimes(3, one, later)), ...(await askTimes(2, two, later))]).toEqual(PASSED);
      expect([await ask(one, later), await ask(two, later)]).toEqual([429, 429]);
      for (const service of processes) expect((await said(service, AWAY)).length).toBe(1);
    });

    test('when Redis hangs each counts by itself, and what it was asked is held against nobody once it wakes up', async () => {
      const [one, two] = processes;
      const before = { away: (await said(one, AWAY)).length, back: (await said(one, BACK)).length };
      redis.freeze();
      expect(await askTimes(3 * LIMIT, one)).toEqual([...PASSED, ...Array(2 * LIMIT).fill(429)]);
      expect((await said(one, AWAY)).length).toBe(before.away + 1);
      redis.thaw();
      await until('Redis to be found again', async () => {
        await ask(one, '203.0.113.77');
        return (await said(one, BACK)).length === before.back + 1;
      });
      expect(await ask(two)).toBe(401);
    });

    test('D25: a process starts without Redis, warns once and counts by itself', async () => {
      await redis.kill();
      const late = await start();
      expect([...(await askTimes(LIMIT, late)), await ask(late)]).toEqual([...PASSED, 429]);
      expect(await said(late, AWAY)).toMatchObject([{ level: 'warn' }]);
      expect((await late.stop()).code).toBe(0);
    });

    test('D32: a password in REDIS_URL does not get into the log', async () => {
      const secret = 'redis-pass-word-123';
      const late = await start({ REDIS_URL: redis.url.replace('//', `//:${secret}@`), LOG_LEVEL: 'trace' });
      expect(await ask(late)).toBe(401);
      await until('a warning', async () => (await said(late, AWAY)).length === 1);
      expect(late.output()).not.toContain(secret);
    });
  },
);
