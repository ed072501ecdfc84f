// Password sign-in: throttling and protection against account enumeration.
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type AttemptContext, checkPassword } from '../../src/credentials/sign-in.ts';
import { recordPasswordAttempt } from '../../src/store/password-failures.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { findInput, readFieldError, readFormErrors } from '../support/markup.ts';
import { startTestService } from '../support/service.ts';
import { suspendUser } from '../support/store-fixtures.ts';

const service = await startTestService();
afterAll(() => service.close());
beforeEach(() => {
  // After an hour, attempts from earlier tests no longer count.
  service.clock.advance(3600);
  service.delays.length = 0;
});

async function attemptSignIn(
  email: string,
  password: string,
  browser: BrowserSession = openBrowserSession(service.baseUrl),
): Promise<Visit> {
  const page = await browser.get('/signin');
  return browser.post('/signin', { ...page.hidden, email, password });
}

/** Enters wrong passwords sequentially. @returns each attempt's delay in milliseconds */
async function enterWrongPasswords(email: string, times: number): Promise<number[]> {
  service.delays.length = 0;
  for (let i = 0; i < times; i += 1) expect((await attemptSignIn(email, 'wrong password')).status).toBe(401);
  return [...service.delays];
}

describe('sign-in to an unknown account', () => {
  const normalize = (visit: Visit, email: string) => ({
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

  test('gets the same response as a wrong password', async () => {
    const user = await service.createUser();
    const suspended = await service.createUser();
    await suspendUser(service.services.database, suspended.userId, service.clock.now());
    const browser = openBrowserSession(service.baseUrl);
    const known = normalize(await attemptSignIn(user.email, 'wrong password', browser), user.email);
    const unknown = normalize(
      await attemptSignIn('nobody@example.org', 'wrong password', browser),
      'nobody@example.org',
    );
    const refused = normalize(
      await attemptSignIn(suspended.email, 'wrong password', browser),
      suspended.email,
    );
    expect(known.status).toBe(401);
    expect(known.body).toContain('EMAIL');
    expect(unknown).toEqual(known);
    expect(refused).toEqual(known);
  });

  test('gets a form with an empty password field', async () => {
    const visit = await attemptSignIn('nobody@example.org', 'wrong password');
    expect(readFormErrors(visit.body)).toEqual(['Incorrect email address or password.']);
    expect([readFieldError(visit.body, 'email'), readFieldError(visit.body, 'password')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(findInput(visit.body, 'password')).not.toHaveProperty('value');
    expect(visit.body).not.toContain('wrong password');
    expect(visit.headers.getSetCookie().filter((line) => line.startsWith('sesame='))).toEqual([]);
  });
});

test('email addresses that differ only in case, normalization or IDN encoding belong to one account', async () => {
  const user = await service.createUser({ email: 'zoe@caf\u00e9.example' });
  for (const email of ['ZOE@CAF\u00c9.example', 'zoe@cafe\u0301.EXAMPLE', 'Zoe@xn--caf-dma.example']) {
    expect((await attemptSignIn(email, user.password)).status, email).toBe(303);
    await expect(service.createUser({ email })).rejects.toThrow('already in use');
  }
});

describe('wrong passwords', () => {
  test('double the delay for further attempts up to a maximum', async () => {
    const user = await service.createUser();
    const known = await enterWrongPasswords(user.email, 9);
    service.clock.advance(3600);
    const unknown = await enterWrongPasswords('nobody@example.org', 9);
    expect(known).toEqual([500, 1000, 2000, 4000, 8000]);
    expect(unknown).toEqual(known);
  });

  test('delay further attempts from the same IP address', async () => {
    service.delays.length = 0;
    for (let i = 0; i < 31; i += 1) await attemptSignIn(`someone${i}@example.org`, 'wrong password');
    expect(service.delays).toEqual([500]);
  });

  test('never lock the account', async () => {
    const user = await service.createUser();
    const delays = await enterWrongPasswords(user.email, 30);
    expect(Math.max(...delays)).toBe(8000);
    expect((await attemptSignIn(user.email, user.password)).status).toBe(303);
  });

  test('no longer count after a successful sign-in', async () => {
    const user = await service.createUser();
    await enterWrongPasswords(user.email, 6);
    expect((await attemptSignIn(user.email, user.password)).status).toBe(303);
    expect(await enterWrongPasswords(user.email, 4)).toEqual([]);
  });

  test('expire at a rate of one every 30 seconds', async () => {
    const user = await service.createUser();
    await enterWrongPasswords(user.email, 10);
    service.clock.advance(9 * 30);
    expect(
      await enterWrongPasswords(user.email, 5),
      'delays after nine of ten wrong passwords are forgotten',
    ).toEqual([500, 1000]);
    service.clock.advance(15 * 60);
    expect(await enterWrongPasswords(user.email, 1)).toEqual([]);
  });

  test('delay further attempts before the password is checked', async () => {
    const { email, password, userId } = await service.createUser();
    await enterWrongPasswords(email, 5);
    const { services } = service;
    const wait = async () => {
      await setAccountPassword(
        services.database,
        userId,
        await services.hasher.hash('another long password'),
      );
    };
    const context: AttemptContext = {
      ip: '192.0.2.1',
      known: [],
      withoutSlot: <R>(work: () => Promise<R>) => work(),
    };
    const check = (entered: string) =>
      checkPassword({ ...services, wait }, { email, password: entered }, context, services.now);
    expect(await check(password)).toBeUndefined();
    expect((await check('another long password'))?.userId).toBe(userId);
  });
});

describe('sign-in to a suspended account', () => {
  const createSuspendedUser = async () => {
    const user = await service.createUser();
    await suspendUser(service.services.database, user.userId, service.clock.now());
    return user;
  };

  test('starts no session', async () => {
    const { email, password } = await createSuspendedUser();
    const browser = openBrowserSession(service.baseUrl);
    const visit = await attemptSignIn(email, password, browser);
    expect(visit.status).toBe(403);
    expect(readFormErrors(visit.body)[0]).toContain('Your account is suspended.');
    expect(browser.cookies.has('sesame')).toBe(false);
  });

  test('requires an email code after 100 wrong passwords', async () => {
    const { email, password, userId } = await createSuspendedUser();
    const guessed: Parameters<typeof recordPasswordAttempt>[1] = {
      userId,
      unknownEmailKey: '',
      ip: '192.0.2.1',
      wrong: 100,
    };
    await recordPasswordAttempt(service.services.database, guessed, service.clock.now());
    const visit = await attemptSignIn(email, password);
    expect([visit.status, visit.location?.pathname]).toEqual([303, '/signin/code']);
  });
});
