// Two processes behind nginx share sign-in state and the rate limit.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { startNginx, type TestNginx } from '../support/nginx.ts';
import {
  buildAuthorizeUrl,
  createVerifier,
  fetchUserinfo,
  redeemCode,
  redeemRefreshToken,
  signIn,
  submitDecision,
} from '../support/oauth-flow.ts';
import { createTestRedis, type TestRedis } from '../support/redis.ts';
import { findFreePort, startTestService, type TestService } from '../support/service.ts';
import { killProcesses, type ServiceProcess, startService } from '../support/service-process.ts';
import { isInstalled } from '../support/source-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const REQUESTS_PER_MINUTE = 30;
const isNginxInstalled =
  isInstalled('nginx', 'two processes behind nginx') &&
  isInstalled('redis-server', 'two processes behind nginx');

describe.skipIf(!isNginxInstalled)('two processes behind nginx', () => {
  let redis: TestRedis;
  /** A service that isn't behind nginx, used to create accounts and clients. */
  let service: TestService;
  let processes: ServiceProcess[];
  let nginx: TestNginx;
  let front: TestService;
  beforeAll(async () => {
    redis = await createTestRedis();
    await redis.start();
    const port = await findFreePort();
    const baseUrl = `http://localhost:${port}`;
    service = await startTestService({ BASE_URL: baseUrl });
    const environment = {
      DATABASE_URL: service.databaseUrl,
      BASE_URL: baseUrl,
      TRUSTED_PROXIES: '127.0.0.1',
      REDIS_URL: redis.url,
      RATE_LIMIT_PER_MINUTE: String(REQUESTS_PER_MINUTE),
      RATE_LIMIT_ALLOW: '127.0.0.1',
    };
    processes = await Promise.all(Array.from({ length: 2 }, () => startService(environment)));
    nginx = await startNginx(
      processes.map(({ url }) => url),
      port,
    );
    front = { ...service, baseUrl };
  });
  afterAll(async () => {
    await nginx?.stop();
    await killProcesses();
    await service?.close();
    await redis?.kill();
  });

  const countRequests = (process: ServiceProcess, route: string) =>
    process.logs().filter((line) => line.route === route).length;

  test('can complete a sign-in together', async () => {
    const client = await service.createClient();
    const signInOnce = async (): Promise<void> => {
      const verifier = createVerifier();
      const browser = openBrowserSession(front.baseUrl);
      const url = buildAuthorizeUrl(front, client, {
        code_challenge: computeCodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const signInPage = await browser.follow(await browser.get(url));
      const consent = await signIn(browser, await service.createUser(), signInPage);
      const { location } = await submitDecision(browser, consent, 'allow');
      expect(location?.searchParams.get('iss')).toBe(front.baseUrl);
      const code = location?.searchParams.get('code') ?? '';
      const { status, body } = await redeemCode(front, client, code, { code_verifier: verifier });
      expect(status).toBe(200);
      expect((await fetchUserinfo(front, String(body.access_token))).status).toBe(200);
      expect((await redeemRefreshToken(front, client, String(body.refresh_token))).status).toBe(200);
    };
    await waitUntil('each process to have served every step', async () => {
      await signInOnce();
      return processes.every((process) =>
        ['/oauth/authorize', '/signin', '/consent', '/oauth/token', '/oauth/userinfo'].every(
          (route) => countRequests(process, route) > 0,
        ),
      );
    });
  });

  /** Sends a request from a loopback IP address. */
  const sendFrom = (localAddress: string, headers: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(front.baseUrl);
      request(
        { host: '127.0.0.1', port, path: '/oauth/userinfo', localAddress, headers, agent: false },
        (response) => resolve(response.resume().statusCode ?? 0),
      )
        .on('error', reject)
        .end();
    });

  test('share one rate limit per client IP address', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < REQUESTS_PER_MINUTE + 5; index++)
      statuses.push(await sendFrom('127.0.0.2', { 'x-forwarded-for': `203.0.113.${index}` }));
    expect(statuses.slice(0, REQUESTS_PER_MINUTE)).toEqual(Array(REQUESTS_PER_MINUTE).fill(401));
    expect(statuses.slice(REQUESTS_PER_MINUTE)).toEqual(Array(5).fill(429));
    expect(await sendFrom('127.0.0.3')).toBe(401);
  });
});
