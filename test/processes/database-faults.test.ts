// PostgreSQL is there but does not come to it: a locked table, every connection taken, back ends ended under load. What
// cannot be done is refused in the right shape while that lasts, everything else goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { openDatabaseProxy } from '../support/database-proxy.ts';
import {
  authorizeAddress,
  type JsonAnswer,
  obtainTokens,
  readJson,
  renew,
  revoke,
  signedInBrowser,
  type Tokens,
  userinfo,
} from '../support/flow.ts';
import { startLoad } from '../support/load.ts';
import { lockTable } from '../support/locks.ts';
import {
  endProcesses,
  expectUnharmed,
  isReady,
  type ServiceProcess,
  startService,
} from '../support/process.ts';
import { type TestApplication, type TestService, type TestUser, useTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const POOL_SIZE = 3;

const service = useTestService();
let process: ServiceProcess;
let there: TestService;
let application: TestApplication;
let person: TestUser;
/** Tokens that are only looked at, and those that a refused request may have ended or moved on all the same. */
let tokens: Tokens;
let uncertain: Tokens;
let revoked: Tokens;
beforeAll(async () => {
  process = await startService({
    DATABASE_URL: service.databaseUrl,
    BASE_URL: service.baseUrl,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
  });
  there = { ...service, baseUrl: process.address };
  application = await service.createApplication();
  person = await service.createUser();
  const browser = await signedInBrowser(there, person);
  const obtain = () => obtainTokens(there, application, browser);
  [tokens, uncertain, revoked] = [await obtain(), await obtain(), await obtain()];
});
afterAll(endProcesses);

/** 503 in D10's shape. */
function expectRefused(answer: JsonAnswer): void {
  expect([answer.status, answer.body.error]).toEqual([503, 'temporarily_unavailable']);
  expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

const get = async (path: string | URL): Promise<JsonAnswer> =>
  readJson(await fetch(new URL(path, process.address), { redirect: 'manual' }));

/** None was a 500, nothing went unhandled, and the process is still there. */
async function expectNoDamage(one = process): Promise<void> {
  await expectUnharmed(one);
  expect(one.logs().filter(({ status }) => status === 500)).toEqual([]);
}

describe('a table locked for 500 requests that need it', () => {
  test('grants: what needs it is refused while it is, what does not is served', async () => {
    const lock = await lockTable(service.databaseUrl, 'grants');
    const held: Promise<JsonAnswer>[] = [];
    const stranger = openBrowserSession(there.baseUrl);
    const form = await stranger.get('/signin');
    let done = false;
    /** A crowd that does not give up: one request after the other, each of a kind that needs the table. */
    const crowd = Array.from({ length: 24 }, async (_, n) => {
      while (!done) {
        const asked =
          n % 3 < 2 ? userinfo(there, tokens.accessToken) : renew(there, application, uncertain.refreshToken);
        asked.catch(() => {}); // a failure is told where it is awaited
        held.push(asked);
        const { status } = await asked;
        if (status === 503) await sleep(50); // a client that keeps to Retry-After asks far less
      }
    });
    for (const one of crowd) one.catch(() => {});
    await lock.heldUp(2);
    // Whoever asked when the lock came may have been behind it; those from now on have no reason to wait.
    await until('the first of the crowd to be refused', async () => (await Promise.race(held)) !== undefined);
    let bystanders = 0;
    let refusedBystanders = 0;
    while (held.length < 500) {
      const round = await Promise.all([
        get(authorizeAddress(there, application)),
        get('/signin'),
        get('/readyz'),
        get('/.well-known/jwks.json'),
      ]);
      for (const { status } of round) {
        if (status === 503) refusedBystanders += 1;
        expect([200, 303, 503]).toContain(status);
      }
      if (bystanders === 0) {
        expectRefused(await revoke(there, application, revoked.refreshToken)); // D22: never 200
        const entered = await stranger.post('/signin', {
          ...form.hidden,
          email: person.email,
          password: person.password,
        });
        expect(entered.status).toBe(303); // a person signs in
      }
      bystanders += round.length;
    }
    done = true;
    await Promise.all(crowd);
    await lock.release();
    console.info(`locked table: ${held.length} refused; of ${bystanders} others ${refusedBystanders}`);
    for (const one of await Promise.all(held)) expectRefused(one);
    // Only one that shares a lane with the trial of a held-up statement may be hit.
    expect(refusedBystanders).toBeLessThan(bystanders / 20);

    await until(
      'userinfo to be served again',
      async () => (await userinfo(there, tokens.accessToken)).status === 200,
    );
    const renewal = await renew(there, application, tokens.refreshToken);
    expect(renewal.status).toBe(200);
    tokens.refreshToken = String(renewal.body.refresh_token);
    await expectNoDamage();
  });
});

test('a table that only people need: they are refused while it is locked, with a page', async () => {
  const browser = openBrowserSession(there.baseUrl);
  const form = await browser.get('/signin');
  const lock = await lockTable(service.databaseUrl, 'throttles');
  const { email, password } = person;
  const visit = await browser.post('/signin', { ...form.hidden, email, password });
  await lock.release();
  expect(visit.status).toBe(503);
  expect(visit.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(visit.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect((await browser.post('/signin', { ...form.hidden, email, password })).status).toBe(303);
  await expectNoDamage();
});

test('every connection of the pool held up: who finds none is refused meanwhile, tokens are served', async () => {
  // Of one network eight passwords are checked at a time, of one account one: more would stand in line instead.
  const AT_A_TIME = 8;
  const visits = await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      const browser = openBrowserSession(there.baseUrl);
      return { user: await service.createUser(), browser, form: await browser.get('/signin') };
    }),
  );
  const lock = await lockTable(service.databaseUrl, 'throttles');
  const signIns = visits.map(({ user: { email, password }, browser, form }) =>
    browser.post('/signin', { ...form.hidden, email, password }),
  );
  await lock.heldUp(POOL_SIZE);
  for (let round = 0; round < 5; round++) {
    expect((await userinfo(there, tokens.accessToken)).status).toBe(200);
    const renewal = await renew(there, application, tokens.refreshToken);
    expect(renewal.status).toBe(200);
    tokens.refreshToken = String(renewal.body.refresh_token);
  }
  expect(await isReady(process)).toBe(true);
  // Those that wait for a connection are refused while the lock still holds the others.
  let refused = 0;
  for (const signIn of signIns)
    void signIn.then(({ status }) => {
      if (status === 503) refused += 1;
    });
  await until('those without a connection to be refused', () => refused >= AT_A_TIME - POOL_SIZE);
  await lock.release();
  for (const visit of await Promise.all(signIns)) {
    expect([303, 503]).toContain(visit.status);
    if (visit.status === 303) continue;
    expect(visit.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(visit.headers.get('content-type')).toBe('text/html; charset=utf-8');
  }
  const { user, browser, form } = visits[0] as (typeof visits)[number];
  const again = { ...form.hidden, email: user.email, password: user.password };
  expect((await browser.post('/signin', again)).status).toBe(303);
  await expectNoDamage();
});

test('back ends and connections ended again and again under load: requests in flight fail with 503, the next ones are served', async () => {
  const ROUNDS = 10;
  const VISITORS = 4;
  const administrator = new pg.Client({ connectionString: service.databaseUrl });
  await administrator.connect();
  const proxy = await openDatabaseProxy(service.databaseUrl);
  const process = await startService({ DATABASE_URL: proxy.url, BASE_URL: service.baseUrl });
  const there = { ...service, baseUrl: process.address };
  const patient = await service.createApplication({ refreshGrace: 60 });
  const browser = await signedInBrowser(there, person);
  const obtain = (one: TestApplication) => obtainTokens(there, one, browser);
  const ghost = await obtain(application);
  expect((await revoke(there, application, ghost.refreshToken)).status).toBe(200);
  const stock: Tokens[] = [];
  while (stock.length < ROUNDS) stock.push(await obtain(application));

  const load = await startLoad([there], { strict: application, patient, revoked: ghost, obtain, pause: 0 });
  let done = false;
  const visits: Record<number, number> = {};
  const visitors = Promise.all(
    Array.from({ length: VISITORS }, async () => {
      while (!done) {
        const { status, headers } = await browser.get(authorizeAddress(there, application));
        visits[status] = (visits[status] ?? 0) + 1;
        if (status === 503) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        else expect([200, 303]).toContain(status);
      }
    }),
  );
  visitors.catch(() => {});
  const answers = (kind: string, status: number) =>
    load.asked.filter((one) => one.kind === kind && one.status === status).length;
  const KINDS = ['look', 'renewal', 'revocation'];
  const allWereHit = () => KINDS.every((kind) => answers(kind, 503) > 0);
  let ended = 0;
  let round = 0;
  for (; round < ROUNDS || !allWereHit(); round++) {
    // As soon as requests of each kind are served again, the connections are cut off again.
    const before = load.asked.length;
    await load.until('requests to be served', () =>
      KINDS.every(
        (kind) =>
          load.asked.slice(before).filter((one) => one.kind === kind && one.status === 200).length > 2,
      ),
    );
    load.toRevoke(stock.splice(0, 1));
    // Every other time they are cut in the middle instead: then what was sent is carried out, and nobody hears of it.
    if (round % 2 === 0) proxy.sever();
    else ended += await endConnections(administrator);
  }
  done = true;
  await visitors;
  await load.stop();
  const refused = load.asked.filter(({ status }) => status === 503).length;
  console.info(
    `${round} times, ${ended} back ends ended; of ${load.asked.length} requests ${refused} were refused, ${answers('renewal', 503)} of ` +
      `them renewals, ${answers('revocation', 503)} revocations; visits by status: ${JSON.stringify(visits)}`,
  );
  // Each of them has one request in flight.
  expect(refused).toBeLessThanOrEqual(round * load.workers);
  expect(visits[503] ?? 0).toBeLessThanOrEqual(round * VISITORS);
  await until(
    'userinfo to be served',
    async () => (await userinfo(there, tokens.accessToken)).status === 200,
  );
  await administrator.end();
  // Recovered means: whatever was broken has been noticed, and no further request pays for it.
  for (let round = 0; round < 40; round++) {
    expect((await userinfo(there, tokens.accessToken)).status).toBe(200);
    const renewal = await renew(there, application, tokens.refreshToken);
    expect(renewal.status).toBe(200);
    tokens.refreshToken = String(renewal.body.refresh_token);
  }
  await load.expectPromisesKept(service.databaseUrl);
  await expectNoDamage(process);
  await process.stop();
  await proxy.close();
});

/** Ends, as an administrator would, every connection of the service; it has one soon if it has none. How many there were. */
const endConnections = (administrator: pg.Client): Promise<number> =>
  until('a connection of the service to end', async () => {
    const { rows } = await administrator.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'sesame' and datname = current_database()`,
    );
    return rows.length > 0 && rows.length;
  });
