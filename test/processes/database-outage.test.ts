// PostgreSQL goes away: 503 meanwhile, never a revocation that did not happen, and back without anybody's help.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import {
  authorize,
  authorizeAddress,
  decide,
  obtainTokens,
  readJson,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  type Tokens,
  userinfo,
} from '../support/flow.ts';
import { lockGrants } from '../support/locks.ts';
import {
  endProcesses,
  expectUnharmed,
  isReady,
  ready,
  type ServiceProcess,
  spawnService,
  startService,
  temporaryFolder,
} from '../support/process.ts';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../support/service.ts';
import { type StoppablePostgres, startStoppablePostgres } from '../support/stoppable-postgres.ts';
import { until } from '../support/until.ts';

let postgres: StoppablePostgres;
let process: ServiceProcess;
let there: TestService;
let application: TestApplication;
let person: TestUser;
let browser: BrowserSession;

beforeAll(async () => {
  postgres = await startStoppablePostgres(await temporaryFolder());
  await migrate(postgres.directUrl());
  process = await startService({ DATABASE_URL: postgres.url });
  await withFactory(async (factory) => {
    there = { ...factory, baseUrl: process.address };
    application = await factory.createApplication();
    person = await factory.createUser();
    browser = await signedInBrowser(there, person);
  });
});
afterAll(async () => {
  await postgres.close();
  await endProcesses();
});

/** Accounts and applications are made by a service of this process, which must be gone before the outage. */
async function withFactory(work: (factory: TestService) => Promise<void>): Promise<void> {
  const factory = await startTestService(
    { BASE_URL: process.address },
    { databaseUrl: postgres.directUrl() },
  );
  await work(factory);
  await factory.close();
}

/** However it was away, the service is well again by itself. */
async function expectRecovery(): Promise<void> {
  await until('the service to recover by itself', () => isReady(process));
  await expectUnharmed(process);
}

describe('while PostgreSQL is away', () => {
  let tokens: Tokens;
  let code: string;
  /** Somebody who is not signed in. */
  let stranger: BrowserSession;
  let forms: Record<'signOut' | 'consent' | 'signIn' | 'signUp', Visit>;
  beforeEach(async () => {
    tokens = await obtainTokens(there, application, browser);
    code = (await authorize(there, application, browser)).searchParams.get('code') ?? '';
    stranger = openBrowserSession(there.baseUrl);
    const consent = await browser.get(authorizeAddress(there, application, { prompt: 'consent' }));
    forms = {
      signOut: await browser.get('/signout'),
      consent: await browser.follow(consent),
      signIn: await stranger.get('/signin'),
      signUp: await stranger.get('/signup'),
    };
    await postgres.stop();
  });
  afterEach(async () => {
    await postgres.comeBack();
    await expectRecovery();
  });

  test('machine-facing addresses answer 503 in JSON with Retry-After (D10, D22)', async () => {
    const get = async (address: string | URL) => readJson(await fetch(new URL(address, there.baseUrl)));
    const answers = {
      exchange: await redeem(there, application, code),
      refusedExchange: await redeem(there, application, 'sesame_ac_unknown'),
      renewal: await renew(there, application, tokens.refreshToken),
      userinfo: await userinfo(there, tokens.accessToken),
      unknownToken: await userinfo(there, `${tokens.accessToken.slice(0, -4)}AAAA`),
      revocation: await revoke(there, application, tokens.refreshToken),
      revocationOfUnknown: await revoke(there, application, 'unknown'),
      authorization: await get(authorizeAddress(there, application)),
      readiness: await get('/readyz'),
    };
    for (const [name, { status, headers, body }] of Object.entries(answers)) {
      expect([name, status, body.error]).toEqual([name, 503, 'temporarily_unavailable']);
      expect(Object.keys(body)).toEqual(['error', 'error_description']);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('what needs no database still answers', async () => {
    for (const path of [
      '/livez',
      '/.well-known/openid-configuration',
      '/.well-known/jwks.json',
      '/images/logo.svg',
    ])
      expect([path, (await fetch(`${process.address}${path}`)).status]).toEqual([path, 200]);
  });

  test('pages answer 503 as pages, forms opened before included (D10)', async () => {
    const { email, password } = person;
    const address = authorizeAddress(there, application);
    const visits = {
      home: await browser.get('/'),
      authorization: await browser.get(address),
      signOut: await browser.post('/signout', forms.signOut.hidden),
      consent: await decide(browser, forms.consent, 'allow'),
      signIn: await stranger.post('/signin', { ...forms.signIn.hidden, email, password }),
      signUp: await stranger.post('/signup', { ...forms.signUp.hidden, name: 'Ada', email, password }),
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

describe('once PostgreSQL is back', () => {
  test('what lived lives, what was to be revoked and could not be lives too, and can be revoked now (D22)', async () => {
    const tokens = await obtainTokens(there, application, browser);
    const code = (await authorize(there, application, browser)).searchParams.get('code') ?? '';
    await postgres.stop();
    expect((await revoke(there, application, tokens.refreshToken)).status).toBe(503);
    expect((await redeem(there, application, code)).status).toBe(503);
    expect((await renew(there, application, tokens.refreshToken)).status).toBe(503);
    await postgres.comeBack();
    await expectRecovery();
    expect((await userinfo(there, tokens.accessToken)).status).toBe(200);
    expect((await redeem(there, application, code)).status).toBe(200);
    const renewal = await renew(there, application, tokens.refreshToken);
    expect(renewal.status).toBe(200);
    expect((await revoke(there, application, String(renewal.body.refresh_token))).status).toBe(200);
    expect((await userinfo(there, tokens.accessToken)).status).toBe(401);
  });

  test('requests that a crash interrupted get 503, twice in a row', async () => {
    for (let round = 0; round < 2; round++) {
      const { refreshToken } = await obtainTokens(there, application, browser);
      const lock = await lockGrants(postgres.directUrl(), application.clientId);
      const interrupted = Array.from({ length: 10 }, () => renew(there, application, refreshToken));
      await lock.heldUp(1); // at least: how many connections they share is the service's own affair
      await postgres.crash();
      for (const { status, body } of await Promise.all(interrupted))
        expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
      await lock.release();
      await postgres.comeBack();
      await expectRecovery();
      expect((await renew(there, application, refreshToken)).status).toBe(200);
    }
  });

  test('connections that broke while nobody used them are replaced without a failed request', async () => {
    const { accessToken } = await obtainTokens(there, application, browser);
    const known = process.logs().length;
    await postgres.cut();
    await postgres.restore();
    await until('the service to notice', () =>
      process
        .logs()
        .slice(known)
        .some(({ msg }) => msg === 'a database connection was lost'),
    );
    expect((await userinfo(there, accessToken)).status).toBe(200);
  });
});

test('a service that starts before its database waits for it', async () => {
  await postgres.stop();
  const early = await spawnService({ DATABASE_URL: postgres.url });
  await until('it to wait', () => early.logs().some(({ msg }) => msg === 'waiting for the database'));
  await postgres.comeBack();
  await ready(early);
  expect(await early.stop()).toEqual({ code: 0, signal: null });
});
