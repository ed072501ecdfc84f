import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { checkPassword } from '../../src/credentials/sign-in.ts';
import { recordGuess } from '../../src/store/password-guesses.ts';
import { changePassword } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { fieldError, formErrors, inputOf } from '../support/markup.ts';
import { suspendUser } from '../support/populate.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
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

describe('an account that does not exist is answered like a wrong password', () => {
  const answerFor = (visit: Visit, email: string) => ({
    status: visit.status,
    body: visit.body
      .replaceAll(email, 'EMAIL')
      .replace(/(sent|typed)=[\w-]+/g, '$1=')
      .replace(/name="csrf" value="[\w-]{65}"/g, 'csrf')
      .replace(/&quot;challenge&quot;:&quot;[\w-]+&quot;/g, 'challenge'),
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
    const gone = answerFor(await attempt(suspended.email, 'wrong password', browser), suspended.email);
    expect(known.status).toBe(401);
    expect(known.body).toContain('EMAIL');
    expect(unknown).toEqual(known);
    expect(gone).toEqual(known);
  });

  test('the fault is of the whole form, and the password is not sent back', async () => {
    const visit = await attempt('nobody@example.org', 'wrong password');
    expect(formErrors(visit.body)).toEqual(['Incorrect email address or password.']);
    expect([fieldError(visit.body, 'email'), fieldError(visit.body, 'password')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(inputOf(visit.body, 'password')).not.toHaveProperty('value');
    expect(visit.body).not.toContain('wrong password');
    expect(visit.headers.getSetCookie().filter((line) => line.startsWith('sesame='))).toEqual([]);
  });
});

test('spellings of an email that differ in case, or in the form of the domain, are one account', async () => {
  const user = await service.createUser({ email: 'zoe@caf\u00e9.example' });
  for (const email of ['ZOE@CAF\u00c9.example', 'zoe@cafe\u0301.EXAMPLE', 'Zoe@xn--caf-dma.example']) {
    expect((await attempt(email, user.password)).status, email).toBe(303);
    await expect(service.createUser({ email })).rejects.toThrow('taken');
  }
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

  test('an address that tries many accounts is slowed down too', async () => {
    service.waits.length = 0;
    for (let i = 0; i < 31; i += 1) await attempt(`someone${i}@example.org`, 'wrong password');
    expect(service.waits).toEqual([500]);
  });

  test('the right password after 30 wrong ones signs in', async () => {
    const user = await service.createUser();
    const waits = await waitsOf(user.email, 30);
    expect(Math.max(...waits)).toBe(8000);
    expect((await attempt(user.email, user.password)).status).toBe(303);
  });

  test('signing in clears the account’s count', async () => {
    const user = await service.createUser();
    await waitsOf(user.email, 6);
    expect((await attempt(user.email, user.password)).status).toBe(303);
    expect(await waitsOf(user.email, 4)).toEqual([]);
  });

  test('the count drains by one in 30 seconds', async () => {
    const user = await service.createUser();
    await waitsOf(user.email, 10);
    service.clock.advance(9 * 30);
    expect(await waitsOf(user.email, 5), 'one of ten is left').toEqual([500, 1000]);
    service.clock.advance(15 * 60);
    expect(await waitsOf(user.email, 1)).toEqual([]);
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

describe('a suspended account', () => {
  const suspended = async (on = service) => {
    const user = await on.createUser();
    await suspendUser(on.parts.database, user.userId, on.clock.now());
    return user;
  };

  test('is told so by the right password, which opens nothing', async () => {
    const { email, password } = await suspended();
    const browser = openBrowserSession(service.baseUrl);
    const visit = await attempt(email, password, browser);
    expect(visit.status).toBe(403);
    expect(formErrors(visit.body)[0]).toContain('Your account is suspended.');
    expect(browser.cookies.has('sesame')).toBe(false);
  });

  test('is slowed as every other one is, and held behind a mail after a hundred wrong passwords (D60)', async () => {
    const { email, password, userId } = await suspended();
    const guessed = { userId, emptyKey: '', address: '192.0.2.1', wrong: 100 };
    await recordGuess(service.parts.database, guessed, service.clock.now());
    const visit = await attempt(email, password);
    expect([visit.status, visit.location?.pathname]).toEqual([303, '/signin/code']);
  });
});
