// GET and POST /signin: one answer whether or not the account exists; slowed down, never locked.
import { availableParallelism } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkPassword } from '../../../src/credentials/sign-in.ts';
import { changePassword } from '../../../src/store/users.ts';
import { suspendUser } from '../../support/accounts.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { authorizeAddress } from '../../support/flow.ts';
import { heldUp } from '../../support/locks.ts';
import { elementsOf, errorSummary, fieldError, headingOf, inputOf } from '../../support/markup.ts';
import { startTestService, type TestService, type TestUser } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(() => {
  // What earlier tests were counted for is forgotten, and their waits are not ours.
  service.clock.advance(3600);
  service.waits.length = 0;
});

async function attempt(
  email: string,
  password: string,
  browser: BrowserSession = openBrowserSession(service.baseUrl),
): Promise<Visit> {
  const page = await browser.get('/signin');
  return browser.post('/signin', { ...page.hidden, email, password });
}

/** Wrong passwords, one after the other, and the waits that they had. */
async function waitsOf(email: string, times: number): Promise<number[]> {
  service.waits.length = 0;
  for (let i = 0; i < times; i += 1) expect((await attempt(email, 'wrong password')).status).toBe(401);
  return [...service.waits];
}

describe('the right password', () => {
  test.each([
    '/account/%2e%2e/oauth/authorize?x=1',
    '/account/.%2E/signout',
    '/console/%2e/x',
    '/device/%2E%2e',
  ])('leads to the account where next is %s: browsers read an encoded dot as a dot', async (next) => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const { email, password } = user;
    const visit = await browser.post('/signin', { ...page.hidden, email, password, next });
    expect(visit.location?.pathname).toBe('/account');
    const again = await browser.get(`/signin?next=${encodeURIComponent(next)}`);
    expect(again.location?.pathname).toBe('/account');
  });

  test('signs in, whatever the case of the address and the spaces around it', async () => {
    const user = await service.createUser({ email: 'Ada@Example.org' });
    for (const email of ['Ada@Example.org', 'ada@example.org', ' ADA@EXAMPLE.ORG '])
      expect((await attempt(email, user.password)).location?.pathname).toBe('/account');
  });

  test('the stable names: email, password and the hidden csrf, with autocomplete', async () => {
    const page = await openBrowserSession(service.baseUrl).get('/signin');
    const inputs = elementsOf(page.body).filter(({ name }) => name === 'input');
    expect(inputs.map(({ attributes }) => [attributes.name, attributes.autocomplete])).toEqual([
      ['csrf', undefined],
      ['email', 'username'],
      ['password', 'current-password'],
    ]);
    expect(elementsOf(page.body).find(({ name }) => name === 'form')?.attributes).toMatchObject({
      method: 'post',
      action: '/signin',
    });
  });

  test('the page names the application on the way, and login_hint is filled in', async () => {
    const application = await service.createApplication({ name: 'Carnet d’Ada' });
    const browser = openBrowserSession(service.baseUrl);
    const address = authorizeAddress(service, application, { login_hint: 'ada"<@example.org' });
    const page = await browser.follow(await browser.get(address));
    expect(page.body).toContain('Carnet d’Ada');
    expect(page.body).toContain('client.example');
    expect(inputOf(page.body, 'email')?.value).toBe('ada"<@example.org');
  });

  test('somebody signed in who opens the page is led to the account', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    await attempt(user.email, user.password, browser);
    expect((await browser.get('/signin')).location?.pathname).toBe('/account');
  });
});

describe('faults of the form', () => {
  test.each([
    ['no password', { email: 'a@example.org', password: '' }, 'password', 'Enter your password.'],
    ['no address', { email: '', password: 'x' }, 'email', 'complete email address'],
    ['no address at all', { email: 'nobody', password: 'x' }, 'email', 'complete email address'],
  ])('%s: 400 at the field, the address is kept, nothing is counted', async (_, fields, field, text) => {
    const visit = await attempt(fields.email, fields.password);
    expect(visit.status).toBe(400);
    expect(fieldError(visit.body, field)).toContain(text);
    expect(inputOf(visit.body, 'email')?.value).toBe(fields.email);
  });
});

describe('an account that does not exist is answered like a wrong password', () => {
  const answerFor = (visit: Visit, email: string) => ({
    status: visit.status,
    body: visit.body.replaceAll(email, 'EMAIL').replace(/sent=[\w-]+/g, 'sent='),
    headers: Object.fromEntries(
      [...visit.headers].filter(([name]) => name !== 'date' && name !== 'content-length'),
    ),
  });

  test('same status, body and headers, apart from the address typed', async () => {
    const user = await service.createUser();
    const suspended = await service.createUser();
    await suspendUser(service.parts.database, suspended.userId, service.clock.now());
    const browser = openBrowserSession(service.baseUrl);
    const known = answerFor(await attempt(user.email, 'wrong password', browser), user.email);
    const unknown = answerFor(
      await attempt('nobody@example.org', 'wrong password', browser),
      'nobody@example.org',
    );
    const gone = answerFor(await attempt(suspended.email, suspended.password, browser), suspended.email);
    expect(known.status).toBe(401);
    expect(known.body).toContain('EMAIL');
    expect(unknown).toEqual(known);
    expect(gone).toEqual(known);
  });

  test('so are both on the way to an application', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(authorizeAddress(service, application)));
    const send = async (email: string) =>
      answerFor(await browser.post('/signin', { ...page.hidden, email, password: 'wrong password' }), email);
    expect(await send('nobody@example.org')).toEqual(await send(user.email));
  });

  test('the fault is of the whole form, and the password is not sent back', async () => {
    const visit = await attempt('nobody@example.org', 'wrong password');
    expect(errorSummary(visit.body)).toEqual(['Wrong email address or password.']);
    expect([fieldError(visit.body, 'email'), fieldError(visit.body, 'password')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(inputOf(visit.body, 'password')).not.toHaveProperty('value');
    expect(visit.body).not.toContain('wrong password');
    expect(visit.headers.getSetCookie().filter((line) => line.startsWith('sesame='))).toEqual([]);
  });
});

describe('wrong passwords slow down and never lock', () => {
  test('the waits grow to a limit, and are the same whether or not the account exists', async () => {
    const user = await service.createUser();
    const known = await waitsOf(user.email, 9);
    service.clock.advance(3600);
    const unknown = await waitsOf('nobody@example.org', 9);
    expect(known).toEqual([500, 1000, 2000, 4000, 8000]);
    expect(unknown).toEqual(known);
  });

  test('writing the address in another case does not escape them', async () => {
    const user = await service.createUser();
    await waitsOf(user.email, 4);
    expect(await waitsOf(user.email.toUpperCase(), 1)).toEqual([500]);
  });

  test('an address that tries many accounts is slowed down too', async () => {
    service.waits.length = 0;
    for (let i = 0; i < 31; i += 1) await attempt(`someone${i}@example.org`, 'wrong password');
    expect(service.waits).toEqual([500]);
  });

  test('the right password after 30 wrong ones signs in, and clears the account’s count', async () => {
    const user = await service.createUser();
    const waits = await waitsOf(user.email, 30);
    expect(Math.max(...waits)).toBe(8000);
    expect((await attempt(user.email, user.password)).status).toBe(303);
  });

  test('the count drains with time: a quarter of an hour of peace empties thirty', async () => {
    const user = await service.createUser();
    await waitsOf(user.email, 6);
    service.clock.advance(15 * 60 + 1);
    expect(await waitsOf(user.email, 1)).toEqual([]);
  });

  test('signing in clears the account’s count', async () => {
    const user = await service.createUser();
    await waitsOf(user.email, 6);
    expect((await attempt(user.email, user.password)).status).toBe(303);
    expect(await waitsOf(user.email, 4)).toEqual([]);
  });

  test('the password that counts is the one at the end of the wait', async () => {
    const { email, password, userId } = await service.createUser();
    await waitsOf(email, 5);
    const { parts } = service;
    const wait = async () => {
      await changePassword(parts.database, userId, await parts.hasher.hash('another long password'));
    };
    const from = { address: '192.0.2.1', known: [], aside: <R>(work: () => Promise<R>) => work() };
    const checked = (typed: string) =>
      checkPassword({ ...parts, wait }, { email, password: typed }, from, parts.now);
    expect(await checked(password)).toBeUndefined();
    expect((await checked('another long password'))?.userId).toBe(userId);
  });
});

test('an account that is deleted at that moment: 503, and then as if it had never been', async () => {
  const user = await service.createUser();
  const deleting = new pg.Client({ connectionString: service.databaseUrl });
  await deleting.connect();
  await deleting.query('begin');
  await deleting.query('delete from users where id = $1', [user.userId]);
  const answer = attempt(user.email, user.password);
  await heldUp(service.databaseUrl);
  await deleting.query('commit');
  await deleting.end();
  const { status, headers } = await answer;
  expect([status, headers.get('retry-after')]).toEqual([503, expect.any(String)]);
  expect((await attempt(user.email, user.password)).status).toBe(401);
});

describe('the password queue is full', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await service.createUser();
  });

  /** Keeps every turn and every place in the queue taken while `work` goes on. */
  async function whileFull<Result>(work: () => Promise<Result>): Promise<Result> {
    let done = false;
    const occupy = async () => {
      // One that is refused has found the queue full and goes; the others take a new place the moment they leave one.
      while (!done)
        try {
          await service.parts.hasher.hash('somebody else');
        } catch {
          return;
        }
    };
    const crowd = Array.from({ length: availableParallelism() + 60 }, occupy);
    try {
      return await work();
    } finally {
      done = true;
      await Promise.all(crowd);
    }
  }

  test('signing in is 503 with Retry-After, as a page and as JSON, and works again afterwards', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const fields = { ...page.hidden, email: user.email, password: user.password };
    const [visit, json] = await whileFull(async () => [
      await browser.post('/signin', fields),
      await browser.post('/signin', fields, { accept: 'application/json' }),
    ]);
    expect(visit?.status).toBe(503);
    expect(Number(visit?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headingOf(visit?.body ?? '')).toBe('There is a crowd at the door');
    expect(JSON.parse(json?.body ?? '').error).toBe('temporarily_unavailable');
    expect((await browser.post('/signin', fields)).status).toBe(303);
  });

  test('so is signing up, and no account is made', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signup');
    const fields = { ...page.hidden, name: 'Ada', email: 'crowd@example.org', password: 'a good password 1' };
    const visit = await whileFull(() => browser.post('/signup', fields));
    expect(visit.status).toBe(503);
    expect(Number(visit.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await browser.post('/signup', fields)).status).toBe(303);
  });
});
