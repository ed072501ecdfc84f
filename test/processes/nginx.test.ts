// Two processes behind nginx serve as one. Each request may reach another of them.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { authorizeAddress, decide, newVerifier, redeem, renew, signIn, userinfo } from '../support/flow.ts';
import { startNginx, type TestNginx } from '../support/nginx.ts';
import { endProcesses, type ServiceProcess, startService } from '../support/process.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { freePort, startTestService, type TestService } from '../support/service.ts';
import { isInstalled } from '../support/sources.ts';
import { until } from '../support/until.ts';

const LIMIT = 30;
const installed =
  isInstalled('nginx', 'two processes behind nginx') &&
  isInstalled('redis-server', 'two processes behind nginx');

describe.skipIf(!installed)('two processes behind nginx', () => {
  let redis: TestRedis;
  /** Makes accounts and applications; nobody asks it anything. */
  let service: TestService;
  let processes: ServiceProcess[];
  let nginx: TestNginx;
  let front: TestService;
  beforeAll(async () => {
    redis = await testRedis();
    await redis.start();
    const port = await freePort();
    const baseUrl = `http://localhost:${port}`;
    service = await startTestService({ BASE_URL: baseUrl });
    const environment = {
      DATABASE_URL: service.databaseUrl,
      BASE_URL: baseUrl,
      TRUSTED_PROXIES: '127.0.0.1',
      REDIS_URL: redis.url,
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      RATE_LIMIT_ALLOW: '127.0.0.1',
    };
    processes = await Promise.all(Array.from({ length: 2 }, () => startService(environment)));
    nginx = await startNginx(
      processes.map(({ address }) => address),
      port,
    );
    front = { ...service, baseUrl };
  });
  afterAll(async () => {
    await nginx?.stop();
    await endProcesses();
    await service?.close();
    await redis?.kill();
  });

  const answered = (process: ServiceProcess, route: string) =>
    process.logs().filter((line) => line.route === route).length;

  test('whole sign-in flows go through all of them, and each takes what another gave', async () => {
    const application = await service.createApplication();
    const signInOnce = async (): Promise<void> => {
      const verifier = newVerifier();
      const browser = openBrowserSession(front.baseUrl);
      const address = authorizeAddress(front, application, {
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
      });
      const entrance = await browser.follow(await browser.get(address));
      const consent = await signIn(browser, await service.createUser(), entrance);
      const { location } = await decide(browser, consent, 'allow');
      expect(location?.searchParams.get('iss')).toBe(front.baseUrl);
      const code = location?.searchParams.get('code') ?? '';
      const { status, body } = await redeem(front, application, code, { code_verifier: verifier });
      expect(status).toBe(200);
      expect((await userinfo(front, String(body.access_token))).status).toBe(200);
      expect((await renew(front, application, String(body.refresh_token))).status).toBe(200);
    };
    await until('each to have answered every step', async () => {
      await signInOnce();
      return processes.every((process) =>
        ['/oauth/authorize', '/signin', '/consent', '/oauth/token', '/oauth/userinfo'].every(
          (route) => answered(process, route) > 0,
        ),
      );
    });
  });

  /** Asks through nginx from an address of this machine. */
  const askFrom = (localAddress: string, headers: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(front.baseUrl);
      request(
        { host: '127.0.0.1', port, path: '/oauth/userinfo', localAddress, headers, agent: false },
        (response) => resolve(response.resume().statusCode ?? 0),
      )
        .on('error', reject)
        .end();
    });

  test('the client is counted, not nginx, over all together, whatever it says of itself (D25)', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < LIMIT + 5; index++)
      statuses.push(await askFrom('127.0.0.2', { 'x-forwarded-for': `203.0.113.${index}` }));
    expect(statuses.slice(0, LIMIT)).toEqual(Array(LIMIT).fill(401));
    expect(statuses.slice(LIMIT)).toEqual(Array(5).fill(429));
    expect(await askFrom('127.0.0.3')).toBe(401);
  });
});
