// More than can be done: the surplus is told so at once, with 503 and Retry-After, and what can be done is done.
import { hash } from '@node-rs/argon2';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePassword } from '../../src/store/users.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { type JsonAnswer, obtainTokens, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { lockGrants } from '../support/locks.ts';
import {
  caughtUp,
  endProcesses,
  expectUnharmed,
  isReady,
  type ServiceProcess,
  startService,
} from '../support/process.ts';
import {
  PASSWORD,
  type TestApplication,
  type TestService,
  type TestUser,
  useTestService,
} from '../support/service.ts';
import { until } from '../support/until.ts';

/** What one address works on at a time (src/http/overload.ts). */
const AT_A_TIME = 500;

const service = useTestService();
let process: ServiceProcess;
let there: TestService;
let application: TestApplication;
let person: TestUser;
beforeAll(async () => {
  process = await startService({
    DATABASE_URL: service.databaseUrl,
    BASE_URL: service.baseUrl,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  there = { ...service, baseUrl: process.address };
  application = await service.createApplication();
  person = await service.createUser();
});
afterAll(endProcesses);

const obtain = async () => obtainTokens(there, application, await signedInBrowser(there, person));

function expectRefused({ status, headers, body }: JsonAnswer): void {
  expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

test('100 sign-ins at once: those beyond the queue are refused, renewals are served throughout', async () => {
  let { refreshToken } = await obtain();
  const forms = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const browser = openBrowserSession(there.baseUrl);
      return { browser, form: await browser.get('/signin') };
    }),
  );
  // Accounts and addresses of their own: none is slowed down for another's attempts.
  const people: TestUser[] = [];
  // Verified with twice the usual work: the queue is full however slowly the attempts come.
  const costly = await hash(PASSWORD, { algorithm: 2, memoryCost: 19_456, timeCost: 4, parallelism: 1 });
  for (const _ of forms) {
    const user = await service.createUser();
    await changePassword(service.parts.database, user.userId, costly);
    people.push(user);
  }
  let over = false;
  const signIns = Promise.all(
    forms.map(({ browser, form }, n) => {
      const { email, password } = people[n] as TestUser;
      return browser.post(
        '/signin',
        { ...form.hidden, email, password },
        { 'x-forwarded-for': `10.0.0.${n}` },
      );
    }),
  ).finally(() => {
    over = true;
  });
  let renewals = 0;
  while (!over) {
    const answer = await renew(there, application, refreshToken);
    expect(answer.status).toBe(200);
    refreshToken = String(answer.body.refresh_token);
    if (!over) renewals += 1;
  }
  const answers = await signIns;
  const entered = answers.filter(({ status }) => status === 303).length;
  console.info(`100 sign-ins: ${entered} entered, the others were refused; ${renewals} renewals meanwhile`);
  for (const { status, headers } of answers.filter(({ status }) => status !== 303)) {
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }
  expect(entered).toBeGreaterThan(0);
  expect(entered).toBeLessThan(answers.length); // else they were not too many
  expect(renewals).toBeGreaterThan(10); // in a line with the passwords there would be one or two
});

test('one address past its capacity: the surplus is refused while the others still wait, other addresses are served', async () => {
  const { accessToken } = await obtain();
  const held = await obtain();
  const lock = await lockGrants(service.databaseUrl, application.clientId);
  const surplus = 50;
  const refused: JsonAnswer[] = [];
  const answers = Promise.all(
    Array.from({ length: AT_A_TIME + surplus }, async () => {
      for (;;) {
        const answer = await renew(there, application, held.refreshToken);
        if (released) return answer;
        // Who has waited too long for the lock comes again; it is about those for whom there is no room.
        if (!String(answer.body.error_description).includes('busy')) continue;
        refused.push(answer);
        return answer;
      }
    }),
  );
  let released = false;
  await until('the surplus to be refused', () => refused.length >= surplus);
  expect((await userinfo(there, accessToken)).status).toBe(200);
  expect(await isReady(process)).toBe(true);
  released = true;
  await lock.release();
  for (const answer of refused) expectRefused(answer);
  const all = await answers;
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1); // the others are reuse
  await until('renewals to be served again', async () => {
    const { status, body } = await renew(there, application, held.refreshToken);
    return status === 400 && body.error === 'invalid_grant';
  });
});

test('1,500 requests at once, again and again: the surplus is told so before the others are served', async () => {
  const { accessToken } = await obtain();
  const CONNECTIONS = 1_500;
  const ROUNDS = 2;
  const pool = new Pool(process.address, { connections: CONNECTIONS, pipelining: 1 });
  /** Which of its round each answer was, by status. */
  const places: Record<number, number[]> = { 200: [], 503: [] };
  let place = 0;
  const ask = async () => {
    const { statusCode, headers, body } = await pool.request({
      method: 'GET',
      path: '/oauth/userinfo',
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const answer = { status: statusCode, headers: new Headers(headers as Record<string, string>) };
    const text = await body.text();
    if (statusCode !== 200) expectRefused({ ...answer, text, body: JSON.parse(text) });
    places[statusCode]?.push(place++);
  };
  let over = false;
  const flood = (async () => {
    for (let round = 0; round < ROUNDS; round++) {
      place = 0;
      await Promise.all(Array.from({ length: CONNECTIONS }, ask));
    }
  })().finally(() => {
    over = true;
  });
  flood.catch(() => {});
  let asked = 0;
  while (!over) {
    expect(await isReady(process)).toBe(true);
    if (!over) asked += 1;
  }
  await flood;
  await pool.close();
  const [served, refused] = [places[200] ?? [], places[503] ?? []];
  console.info(
    `${CONNECTIONS * ROUNDS} requests: ${served.length} served (half of them after ${median(served)} others), ` +
      `${refused.length} refused (after ${median(refused)}); health asked ${asked} times`,
  );
  expect(served.length).toBeGreaterThan(AT_A_TIME);
  expect(refused.length).toBeGreaterThan(AT_A_TIME); // else it was no more than can be done
  expect(median(refused)).toBeLessThan(median(served)); // to be refused is not to wait one's turn
  expect(asked).toBeGreaterThan(0);
  const refusals = (await caughtUp(process)).filter(
    ({ route, status }) => route === '/oauth/userinfo' && status === 503,
  );
  expect(refusals).toHaveLength(refused.length);
  expect((await userinfo(there, accessToken)).status).toBe(200);
  await expectUnharmed(process);
});

const median = (times: number[]): number =>
  Math.round(times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0);
