// Delayed sign-in attempts don't block other users (ADR 4).
import { Agent } from 'undici';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  LARGE_POOL,
  PASSWORD,
  startTestService,
  type TestService,
  type TestUser,
} from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

let database: TestDatabase;
let service: TestService;
let release: () => void;
/** Each delayed attempt keeps a connection open, so this client has no connection limit. */
const unlimitedAgent = new Agent();
afterAll(() => unlimitedAgent.close());

/** Starts a process in which all delays of sign-in attempts end when `released` resolves. */
const startProcess = (released: Promise<void>, environment: Record<string, string> = {}) =>
  startTestService(
    { ...LARGE_POOL, RATE_LIMIT_PER_MINUTE: '60', TRUSTED_PROXIES: '127.0.0.1,::1', ...environment },
    { databaseUrl: database.url, wait: () => released },
  );

let released: Promise<void>;
beforeEach(async () => {
  released = new Promise((resolve) => {
    release = resolve;
  });
  database = await createTestDatabase();
  service = await startProcess(released, { RATE_LIMIT_ALLOW: '203.0.113.9' });
});
afterEach(async () => {
  release();
  await service.close();
  await database.drop();
});

async function openSignInForm(process: TestService = service) {
  const browser = openBrowserSession(process.baseUrl);
  const page = await browser.get('/signin', { 'x-forwarded-for': '203.0.113.9' });
  const attempt = async (email: string, password: string, ip: string): Promise<number> =>
    (await browser.post('/signin', { ...page.hidden, email, password }, { 'x-forwarded-for': ip })).status;
  /** Submits the form without following the redirect. Returns whether the attempt was rejected. */
  const isRejected = async (email: string, password: string, ip: string): Promise<boolean> => {
    const { statusCode, headers, body } = await unlimitedAgent.request({
      origin: process.baseUrl,
      path: '/signin',
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': ip,
        cookie: [...browser.cookies].map((cookie) => cookie.join('=')).join('; '),
      },
      body: new URLSearchParams({ ...page.hidden, email, password }).toString(),
    });
    await body.dump();
    return statusCode === 303 && /^\/signin(\?|$)/.test(String(headers.location));
  };
  return { browser, attempt, isRejected };
}

/** Creates accounts with the same password. The password is hashed only once to save time. */
async function createUsers(count: number): Promise<string[]> {
  const { userId } = await service.createUser();
  const { services } = service;
  const rows = await services.database.query<{ email: string }>(
    statement(
      'copy_user',
      `with copied as (
        insert into users (id, email, email_key, name, email_verified, password_hash, is_admin, profile_updated_at, created_at)
        select gen_random_uuid(), 'pupil' || n || '@school.example', 'pupil' || n || '@school.example', name, true,
          password_hash, false, created_at, created_at
        from users, generate_series(1, $2::int) n where id = $1::uuid returning id, email_key)
      insert into emails (email_key, user_id) select email_key, id from copied returning email_key as email`,
    ),
    [userId, count],
  );
  return rows.map(({ email }) => email);
}

const createIpInNetwork = (n: number): string => `10.${n >> 8}.${n & 255}.7`;

/** Calls `work` the given number of times, at most 300 times at once, and counts each result. */
async function countResults<Result>(
  times: number,
  work: (n: number) => Promise<Result>,
): Promise<Map<Result, number>> {
  const counts = new Map<Result, number>();
  let next = 0;
  const runWorker = async () => {
    while (next < times) {
      const result = await work(next++);
      counts.set(result, (counts.get(result) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 300 }, runWorker));
  return counts;
}

test('an attack on one account from 300 networks does not affect other users', async () => {
  const victim = await service.createUser();
  const bystanders: TestUser[] = [];
  for (let i = 0; i < 9; i += 1) bystanders.push(await service.createUser());
  const ownerForm = await openSignInForm();
  expect(await ownerForm.attempt(victim.email, victim.password, '198.51.100.1')).toBe(303);
  const before = service.delays.length;

  const attacker = await openSignInForm();
  const statuses: (number | false)[] = [];
  const attack = countResults(600, async (n) => {
    const attempt = [victim.email, 'wrong password', createIpInNetwork(n % 300)] as const;
    // Every tenth attempt also follows the redirect.
    const status =
      n % 10 === 0 ? await attacker.attempt(...attempt) : (await attacker.isRejected(...attempt)) && 401;
    statuses.push(status);
    return status;
  });
  await waitUntil('the attack to start', () => statuses.length > 150);

  const forms = await Promise.all(bystanders.map(() => openSignInForm()));
  const pages = await Promise.all(
    Array.from({ length: 64 }, async (_, i) => {
      const page = await openBrowserSession(service.baseUrl).get('/signin', {
        'x-forwarded-for': `198.51.100.${i + 10}`,
      });
      return page.status;
    }),
  );
  expect(pages.filter((status) => status !== 200)).toEqual([]);
  const signIns = await Promise.all(
    bystanders.map(({ email, password }, i) => forms[i]?.attempt(email, password, `198.51.100.${i + 80}`)),
  );
  expect(signIns).toEqual(bystanders.map(() => 303));
  // The owner of the attacked account can still sign in from a known browser.
  expect(await ownerForm.attempt(victim.email, victim.password, '198.51.100.2')).toBe(303);

  await waitUntil('all responses except the delayed ones', () => statuses.length === 600 - 8, 120_000);
  expect(service.delays.slice(before)).toHaveLength(8);
  release();
  expect(await attack).toEqual(new Map([[401, 600]]));
}, 180_000);

test('60 concurrent sign-ins with correct passwords from one IP are not delayed', async () => {
  const emails = await createUsers(60);
  const form = await openSignInForm();
  const statuses = await Promise.all(emails.map((email) => form.attempt(email, PASSWORD, '203.0.113.9')));
  expect(statuses).toEqual(emails.map(() => 303));
  expect(service.delays).toEqual([]);
});

test('wrong passwords sent concurrently to two processes are all counted', async () => {
  const { email } = await service.createUser();
  const second = await startProcess(released);
  try {
    const forms = await Promise.all([openSignInForm(), openSignInForm(second)]);
    const responses: number[] = [];
    const guesses = countResults(80, async (n) => {
      const status = (await forms[n % 2]?.attempt(email, 'wrong password', createIpInNetwork(n))) ?? 0;
      responses.push(status);
      return status;
    });
    await waitUntil('all responses except the delayed ones', () => responses.length === 80 - 16);
    const waits = [...service.delays, ...second.delays].sort((a, b) => a - b);
    expect(waits).toHaveLength(16);
    // The first four attempts aren't delayed. The delay then doubles with each attempt, up to the maximum.
    expect(waits.slice(0, 5)).toEqual([500, 1000, 2000, 4000, 8000]);
    release();
    expect(await guesses).toEqual(new Map([[401, 80]]));
  } finally {
    release();
    await second.close();
  }
});

test('further attempts from a network fail immediately while 32 are delayed', async () => {
  const form = await openSignInForm();
  const responses: number[] = [];
  const createIpInSameNetwork = (n: number) => `2001:db8:0:4${(n % 200).toString(16).padStart(2, '0')}::1`;
  const guesses = countResults(70, async (n) => {
    const status = await form.attempt(`nobody${n}@example.org`, 'wrong password', createIpInSameNetwork(n));
    responses.push(status);
    return status;
  });
  await waitUntil('all responses except the delayed ones', () => responses.length === 70 - 32);
  expect(service.delays).toHaveLength(32);
  const { email } = await service.createUser();
  expect(await (await openSignInForm()).attempt(email, PASSWORD, '2001:db8:0:5ff::1')).toBe(303);
  release();
  expect(await guesses).toEqual(new Map([[401, 70]]));
});

test.each([true, false])(
  'further attempts for an email address fail immediately while eight are delayed (account exists: %s)',
  async (exists) => {
    const email = exists ? (await service.createUser()).email : 'nobody@example.org';
    const form = await openSignInForm();
    const createIp = (n: number) => `2001:db8:${n}::1`;
    const responses: boolean[] = [];
    const attempt = async (n: number) =>
      responses.push(await form.isRejected(email, 'wrong password', createIp(n)));
    const guesses = Promise.all(Array.from({ length: 30 }, (_, n) => attempt(n)));
    await waitUntil('all responses except the delayed ones', () => responses.length === 30 - 8);
    const COUNT = statement('count_throttles', 'select count(*)::int as n from throttles');
    const before = await service.services.database.query(COUNT, []);
    await attempt(99);
    expect(responses.at(-1)).toBe(true);
    expect(await service.services.database.query(COUNT, [])).toEqual(before);
    release();
    await guesses;
  },
);

test('password guessing does not block known browsers at the same IP address', async () => {
  const owner = await service.createUser();
  const { browser, attempt } = await openSignInForm();
  expect(await attempt(owner.email, owner.password, '203.0.113.9')).toBe(303);
  const attacker = await openSignInForm();
  const responses: number[] = [];
  const guessing = countResults(70, async (n) => {
    const status = await attacker.attempt(`nobody${n}@example.org`, 'wrong password', '203.0.113.9');
    responses.push(status);
    return status;
  });
  await waitUntil('the delay slots of the network to be full', () => responses.length === 70 - 32);
  expect(await attempt(owner.email, owner.password, '203.0.113.9')).toBe(303);
  service.clock.advance(16 * 60);
  // The network's count of wrong passwords has decayed. 40 more exceed the limit of 30 again.
  await countResults(40, (n) => attacker.attempt(`nobody${n}@example.com`, 'wrong password', '203.0.113.9'));
  const from = { 'x-forwarded-for': '203.0.113.9' };
  const { hidden } = await browser.get('/account/data', from);
  const exported = await browser.post(
    '/account/data',
    { csrf: hidden.csrf ?? '', current_password: owner.password },
    from,
  );
  expect([exported.status, exported.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  release();
  await guessing;
});
