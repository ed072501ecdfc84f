// Sign-in under siege (ADR 4, D60): who is held back holds nothing that others need.
import { Agent } from 'undici';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { CROWD, PASSWORD, startTestService, type TestService, type TestUser } from '../support/service.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let service: TestService;
let release: () => void;
/** The connections of crowds, as many as they need: who is held keeps one. */
const storms = new Agent();
afterAll(() => storms.close());

/** One process of the service, in which waits last until `release`. */
const start = (released: Promise<void>, environment: Record<string, string> = {}) =>
  startTestService(
    { ...CROWD, RATE_LIMIT_PER_MINUTE: '60', TRUSTED_PROXIES: '127.0.0.1,::1', ...environment },
    { databaseUrl: database.url, wait: () => released },
  );

let released: Promise<void>;
beforeEach(async () => {
  released = new Promise((resolve) => {
    release = resolve;
  });
  database = await createTestDatabase();
  service = await start(released, { RATE_LIMIT_ALLOW: '203.0.113.9' });
});
afterEach(async () => {
  release();
  await service.close();
  await database.drop();
});

/** A browser on the sign-in page, and what it sends from there. */
async function openDoor(of: TestService = service) {
  const browser = openBrowserSession(of.baseUrl);
  const page = await browser.get('/signin', { 'x-forwarded-for': '203.0.113.9' });
  const attempt = async (email: string, password: string, address: string): Promise<number> =>
    (await browser.post('/signin', { ...page.hidden, email, password }, { 'x-forwarded-for': address }))
      .status;
  /** The same, without going to the page that says what is wrong: whether the way leads back to the form with it. */
  const isRefused = async (email: string, password: string, address: string): Promise<boolean> => {
    const { statusCode, headers, body } = await storms.request({
      origin: of.baseUrl,
      path: '/signin',
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': address,
        cookie: [...browser.cookies].map((cookie) => cookie.join('=')).join('; '),
      },
      body: new URLSearchParams({ ...page.hidden, email, password }).toString(),
    });
    await body.dump();
    return statusCode === 303 && /^\/signin(\?|$)/.test(String(headers.location));
  };
  return { browser, attempt, isRefused };
}

/** Accounts with the same password, without hashing it for each. */
async function createUsers(count: number): Promise<string[]> {
  const { userId } = await service.createUser();
  const { parts } = service;
  const rows = await parts.database.query<{ email: string }>(
    statement(
      'copy_user',
      `with copied as (
        insert into users (id, email, email_key, name, email_verified, password_hash, operator, profile_updated_at, created_at)
        select gen_random_uuid(), 'pupil' || n || '@school.example', 'pupil' || n || '@school.example', name, true,
          password_hash, false, created_at, created_at
        from users, generate_series(1, $2::int) n where id = $1::uuid returning id, email_key)
      insert into emails (email_key, user_id) select email_key, id from copied returning email_key as email`,
    ),
    [userId, count],
  );
  return rows.map(({ email }) => email);
}

/** An address of one of so many networks. */
const network = (n: number): string => `10.${n >> 8}.${n & 255}.7`;

/** Runs so many works, some hundreds at a time, and counts what they gave. */
async function tally<Answer>(
  times: number,
  work: (n: number) => Promise<Answer>,
): Promise<Map<Answer, number>> {
  const counts = new Map<Answer, number>();
  let next = 0;
  const one = async () => {
    while (next < times) {
      const status = await work(next++);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 300 }, one));
  return counts;
}

test('600 attempts at one account from 300 networks: everybody else signs in undisturbed', async () => {
  const victim = await service.createUser();
  const others: TestUser[] = [];
  for (let i = 0; i < 9; i += 1) others.push(await service.createUser());
  const home = await openDoor();
  expect(await home.attempt(victim.email, victim.password, '198.51.100.1')).toBe(303);
  const before = service.waits.length;

  const storm = await openDoor();
  const answers: (number | false)[] = [];
  const siege = tally(600, async (n) => {
    const attempt = [victim.email, 'wrong password', network(n % 300)] as const;
    // One in ten goes all the way to the page.
    const status =
      n % 10 === 0 ? await storm.attempt(...attempt) : (await storm.isRefused(...attempt)) && 401;
    answers.push(status);
    return status;
  });
  await until('the siege to be on', () => answers.length > 150);

  const bystanders = await Promise.all(others.map(() => openDoor()));
  const shown = await Promise.all(
    Array.from({ length: 64 }, async (_, i) => {
      const page = await openBrowserSession(service.baseUrl).get('/signin', {
        'x-forwarded-for': `198.51.100.${i + 10}`,
      });
      return page.status;
    }),
  );
  expect(shown.filter((status) => status !== 200)).toEqual([]);
  const entered = await Promise.all(
    others.map(({ email, password }, i) => bystanders[i]?.attempt(email, password, `198.51.100.${i + 80}`)),
  );
  expect(entered).toEqual(others.map(() => 303));
  // Nor is the owner kept out, in a browser that the account knows.
  expect(await home.attempt(victim.email, victim.password, '198.51.100.2')).toBe(303);

  await until('all the others to be answered', () => answers.length === 600 - 8, 120_000);
  expect(service.waits.slice(before)).toHaveLength(8);
  release();
  expect(await siege).toEqual(new Map([[401, 600]]));
}, 180_000);

test('60 right passwords at once from one IP that may send as many: none is held', async () => {
  const emails = await createUsers(60);
  const door = await openDoor();
  const statuses = await Promise.all(emails.map((email) => door.attempt(email, PASSWORD, '203.0.113.9')));
  expect(statuses).toEqual(emails.map(() => 303));
  expect(service.waits).toEqual([]);
});

test('wrong ones at once are counted one by one, whichever process they come to: none outruns the count', async () => {
  const { email } = await service.createUser();
  const second = await start(released);
  try {
    const doors = await Promise.all([openDoor(), openDoor(second)]);
    const done: number[] = [];
    const storm = tally(80, async (n) => {
      const status = (await doors[n % 2]?.attempt(email, 'wrong password', network(n))) ?? 0;
      done.push(status);
      return status;
    });
    await until('all but the held to be answered', () => done.length === 80 - 16);
    const waits = [...service.waits, ...second.waits].sort((a, b) => a - b);
    expect(waits).toHaveLength(16);
    // The four free ones, and each wait shorter than the longest, were had once.
    expect(waits.slice(0, 5)).toEqual([500, 1000, 2000, 4000, 8000]);
    release();
    expect(await storm).toEqual(new Map([[401, 80]]));
  } finally {
    release();
    await second.close();
  }
});

test('D60: 32 attempts of one network wait, an IPv6 /56 being one, and the next is wrong at once', async () => {
  const door = await openDoor();
  const done: number[] = [];
  const from = (n: number) => `2001:db8:0:4${(n % 200).toString(16).padStart(2, '0')}::1`;
  const storm = tally(70, async (n) => {
    const status = await door.attempt(`nobody${n}@example.org`, 'wrong password', from(n));
    done.push(status);
    return status;
  });
  await until('all but the held to be answered', () => done.length === 70 - 32);
  expect(service.waits).toHaveLength(32);
  const { email } = await service.createUser();
  expect(await (await openDoor()).attempt(email, PASSWORD, '2001:db8:0:5ff::1')).toBe(303);
  release();
  expect(await storm).toEqual(new Map([[401, 70]]));
});

test.each([true, false])(
  'with eight attempts at one email held, the next does no work; with an account: %s',
  async (exists) => {
    const email = exists ? (await service.createUser()).email : 'nobody@example.org';
    const door = await openDoor();
    const network = (n: number) => `2001:db8:${n}::1`;
    const done: boolean[] = [];
    const refuse = async (n: number) => done.push(await door.isRefused(email, 'wrong password', network(n)));
    const storm = Promise.all(Array.from({ length: 30 }, (_, n) => refuse(n)));
    await until('all but the held to be answered', () => done.length === 30 - 8);
    const COUNT = statement('count_throttles', 'select count(*)::int as n from throttles');
    const before = await service.parts.database.query(COUNT, []);
    await refuse(99);
    expect(done.at(-1)).toBe(true);
    expect(await service.parts.database.query(COUNT, [])).toEqual(before);
    release();
    await storm;
  },
);

test('a neighbour who guesses keeps nobody out who is at home, nor from confirming by the password', async () => {
  const owner = await service.createUser();
  const home = await openDoor();
  const { browser, attempt } = home;
  expect(await attempt(owner.email, owner.password, '203.0.113.9')).toBe(303);
  const storm = await openDoor();
  const done: number[] = [];
  const guessing = tally(70, async (n) => {
    const status = await storm.attempt(`nobody${n}@example.org`, 'wrong password', '203.0.113.9');
    done.push(status);
    return status;
  });
  await until('the places of the network to be taken', () => done.length === 70 - 32);
  expect(await attempt(owner.email, owner.password, '203.0.113.9')).toBe(303);
  service.clock.advance(16 * 60);
  // The count has drained by then and is filled again; those who wait go on waiting.
  await tally(40, (n) => storm.attempt(`nobody${n}@example.com`, 'wrong password', '203.0.113.9'));
  const from = { 'x-forwarded-for': '203.0.113.9' };
  const { hidden } = await browser.get('/account/data', from);
  const confirmed = await browser.post(
    '/account/data',
    { csrf: hidden.csrf ?? '', current_password: owner.password },
    from,
  );
  expect([confirmed.status, confirmed.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  release();
  await guessing;
});
