// Requests get 503 during a PostgreSQL outage, and the service recovers without a restart.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { lockGrants } from '../support/locks.ts';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  readJson,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
  submitDecision,
  type Tokens,
} from '../support/oauth-flow.ts';
import { type StoppablePostgres, startStoppablePostgres } from '../support/postgres-server.ts';
import { startTestService, type TestClient, type TestService, type TestUser } from '../support/service.ts';
import {
  createTemporaryFolder,
  expectHealthy,
  isReady,
  killProcesses,
  type ServiceProcess,
  spawnService,
  startService,
  waitUntilReady,
} from '../support/service-process.ts';
import { waitUntil } from '../support/wait-until.ts';

let postgres: StoppablePostgres;
let process: ServiceProcess;
let remote: TestService;
let client: TestClient;
let user: TestUser;
let browser: BrowserSession;

beforeAll(async () => {
  postgres = await startStoppablePostgres(await createTemporaryFolder());
  await migrate(postgres.directUrl());
  process = await startService({ DATABASE_URL: postgres.url });
  await withSetupService(async (factory) => {
    remote = { ...factory, baseUrl: process.url };
    client = await factory.createClient();
    user = await factory.createUser();
    browser = await openSignedInBrowser(remote, user);
  });
});
afterAll(async () => {
  await postgres.close();
  await killProcesses();
});

/** Runs `work` with a second service that is closed before the outage. */
async function withSetupService(work: (factory: TestService) => Promise<void>): Promise<void> {
  const factory = await startTestService({ BASE_URL: process.url }, { databaseUrl: postgres.directUrl() });
  await work(factory);
  await factory.close();
}

async function expectRecovery(): Promise<void> {
  await waitUntil('the service to recover', () => isReady(process));
  await expectHealthy(process);
}

describe('a PostgreSQL outage', () => {
  let tokens: Tokens;
  let code: string;
  let anonymous: BrowserSession;
  let forms: Record<'signOut' | 'consent' | 'signIn' | 'signUp', Visit>;
  beforeEach(async () => {
    tokens = await obtainTokens(remote, client, browser);
    code = (await authorize(remote, client, browser)).searchParams.get('code') ?? '';
    anonymous = openBrowserSession(remote.baseUrl);
    const consent = await browser.get(buildAuthorizeUrl(remote, client, { prompt: 'consent' }));
    forms = {
      signOut: await browser.get('/signout'),
      consent: await browser.follow(consent),
      signIn: await anonymous.get('/signin'),
      signUp: await anonymous.get('/signup'),
    };
    await postgres.stop();
  });
  afterEach(async () => {
    await postgres.start();
    await expectRecovery();
  });

  test('causes 503 with Retry-After and a JSON error at OAuth endpoints', async () => {
    const get = async (url: string | URL) => readJson(await fetch(new URL(url, remote.baseUrl)));
    const responses = {
      redemption: await redeemCode(remote, client, code),
      refusedRedemption: await redeemCode(remote, client, 'sesame_ac_unknown'),
      refresh: await redeemRefreshToken(remote, client, tokens.refreshToken),
      userinfo: await fetchUserinfo(remote, tokens.accessToken),
      unknownToken: await fetchUserinfo(remote, `${tokens.accessToken.slice(0, -4)}AAAA`),
      revocation: await revokeToken(remote, client, tokens.refreshToken),
      revocationOfUnknown: await revokeToken(remote, client, 'unknown'),
      authorization: await get(buildAuthorizeUrl(remote, client)),
      readiness: await get('/readyz'),
    };
    for (const [name, { status, headers, body }] of Object.entries(responses)) {
      expect([name, status, body.error]).toEqual([name, 503, 'temporarily_unavailable']);
      expect(Object.keys(body)).toEqual(['error', 'error_description']);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('does not affect endpoints that do not need the database', async () => {
    for (const path of [
      '/livez',
      '/.well-known/openid-configuration',
      '/.well-known/jwks.json',
      '/images/logo.svg',
    ])
      expect([path, (await fetch(`${process.url}${path}`)).status]).toEqual([path, 200]);
  });

  test('causes 503 with an error page for pages and forms', async () => {
    const { email, password } = user;
    const url = buildAuthorizeUrl(remote, client);
    const visits = {
      home: await browser.get('/'),
      authorization: await browser.get(url),
      signOut: await browser.post('/signout', forms.signOut.hidden),
      consent: await submitDecision(browser, forms.consent, 'allow'),
      signIn: await anonymous.post('/signin', { ...forms.signIn.hidden, email, password }),
      signUp: await anonymous.post('/signup', { ...forms.signUp.hidden, name: 'Ada', email, password }),
    };
    for (const [name, { status, headers, body }] of Object.entries(visits)) {
      expect([name, status]).toEqual([name, 503]);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(body).toContain('<h1');
      expect(body).not.toMatch(/ECONN|postgres|127\.0\.0\.1|node_modules|terminat/i);
    }
  });
});

describe('requests after a PostgreSQL restart', () => {
  test('can use existing codes and tokens', async () => {
    const tokens = await obtainTokens(remote, client, browser);
    const code = (await authorize(remote, client, browser)).searchParams.get('code') ?? '';
    await postgres.stop();
    expect((await revokeToken(remote, client, tokens.refreshToken)).status).toBe(503);
    expect((await redeemCode(remote, client, code)).status).toBe(503);
    expect((await redeemRefreshToken(remote, client, tokens.refreshToken)).status).toBe(503);
    await postgres.start();
    await expectRecovery();
    expect((await fetchUserinfo(remote, tokens.accessToken)).status).toBe(200);
    expect((await redeemCode(remote, client, code)).status).toBe(200);
    const refresh = await redeemRefreshToken(remote, client, tokens.refreshToken);
    expect(refresh.status).toBe(200);
    expect((await revokeToken(remote, client, String(refresh.body.refresh_token))).status).toBe(200);
    expect((await fetchUserinfo(remote, tokens.accessToken)).status).toBe(401);
  });

  test('succeed even if a crash interrupted earlier requests', async () => {
    for (let round = 0; round < 2; round++) {
      const { refreshToken } = await obtainTokens(remote, client, browser);
      const lock = await lockGrants(postgres.directUrl(), client.clientId);
      const interrupted = Array.from({ length: 10 }, () => redeemRefreshToken(remote, client, refreshToken));
      // Batched statements share one blocked connection.
      await lock.waitForBlocked(1);
      await postgres.crash();
      for (const { status, body } of await Promise.all(interrupted))
        expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
      await lock.release();
      await postgres.start();
      await expectRecovery();
      expect((await redeemRefreshToken(remote, client, refreshToken)).status).toBe(200);
    }
  });

  test('succeed despite broken idle connections', async () => {
    const { accessToken } = await obtainTokens(remote, client, browser);
    const lineCount = process.logs().length;
    await postgres.cut();
    await postgres.restore();
    await waitUntil('the service to detect the lost connection', () =>
      process
        .logs()
        .slice(lineCount)
        .some(({ msg }) => msg === 'database connection lost'),
    );
    expect((await fetchUserinfo(remote, accessToken)).status).toBe(200);
  });
});

test('at startup, the service waits until its database is available', async () => {
  await postgres.stop();
  const early = await spawnService({ DATABASE_URL: postgres.url });
  await waitUntil('the process to wait for the database', () =>
    early.logs().some(({ msg }) => msg === 'waiting for the database'),
  );
  await postgres.start();
  await waitUntilReady(early);
  expect(await early.stop()).toEqual({ code: 0, signal: null });
});
