// Sessions: the cookie, rotation, the end, and what of them the database holds (D32).
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newAccountSecret } from '../../src/oauth/secrets.ts';
import { NO_USER } from '../../src/store/no-user.ts';
import { changePassword } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { databaseContent } from '../support/database-content.ts';
import { cookieValue, type ExactAnswer, sendExactly } from '../support/exact-request.ts';
import {
  authorize,
  authorizeAddress,
  newPerson,
  signedInBrowser,
  signIn,
  switchAccount,
} from '../support/flow.ts';
import { deleteUser, sql, suspendUser } from '../support/populate.ts';
import {
  PASSWORD,
  startTestService,
  type TestService,
  type TestUser,
  useTestService,
} from '../support/service.ts';

const service = useTestService();

/** Whether a session id of a cookie is anybody's. */
async function isLive(id: string): Promise<boolean> {
  const { body } = await sendExactly(new URL('/account', service.baseUrl), {
    cookies: new Map([['sesame', id]]),
  });
  return body.includes('action="/signout"');
}

const idOf = (browser: BrowserSession): string => browser.cookies.get('sesame') ?? '';

const signOut = async (browser: BrowserSession) =>
  browser.post('/signout', { csrf: (await browser.get('/account')).hidden.csrf ?? '' });

/** Signs in at the address where a service listens, whatever its public address; gives the answer that sets the cookie. */
async function signInAt(
  address: string,
  user: TestUser,
  headers: Record<string, string> = {},
): Promise<ExactAnswer> {
  const page = await sendExactly(new URL('/signin', address), { headers });
  const cookies = new Map([...page.setCookies].map(([name, line]) => [name, cookieValue(line)]));
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? '';
  return sendExactly(new URL('/signin', address), {
    method: 'POST',
    body: new URLSearchParams({ csrf, email: user.email, password: user.password }),
    headers,
    cookies,
  });
}

const attributesOf = (line: string | undefined): string[] => (line ?? '').split('; ').slice(1).sort();

test('other sessions of a browser are only read if the active one is live', async () => {
  const made = () => newAccountSecret(randomUUID());
  const others = Array.from({ length: 4 }, made).join('.');
  const reads = () => service.parts.database.usage().statements.get('find_session') ?? 0;
  const readsWith = async (active: string) => {
    const before = reads();
    await sendExactly(new URL('/account', service.baseUrl), {
      cookies: new Map([
        ['sesame', active],
        ['sesame-others', others],
      ]),
    });
    return reads() - before;
  };
  expect(await readsWith(made())).toBe(1);
  expect(await readsWith(idOf(await signedInBrowser(service, await service.createUser())))).toBe(5);
});

describe('the cookie', () => {
  test('under an http BASE_URL is `sesame`: HttpOnly, SameSite=Lax, for the whole site, a week longer than the session', async () => {
    const { setCookies } = await signInAt(service.baseUrl, await service.createUser());
    expect([...setCookies.keys()].toSorted()).toEqual(['sesame', 'sesame-known']);
    expect(attributesOf(setCookies.get('sesame'))).toEqual([
      'HttpOnly',
      `Max-Age=${service.parts.config.sessionTtl + 7 * 24 * 3600}`,
      'Path=/',
      'SameSite=Lax',
    ]);
    // The account's id and 256 random bits.
    expect(cookieValue(setCookies.get('sesame'))).toMatch(/^[A-Za-z0-9_-]{64}$/);
  });

  test('under an https BASE_URL is `__Host-sesame` and Secure, and so is every other cookie', async () => {
    await using secure = await startTestService({ BASE_URL: 'https://signin.example', SESSION_TTL: '600' });
    const address = `http://127.0.0.1:${secure.parts.config.port}`;
    const user = await secure.createUser();
    const { status, setCookies } = await signInAt(address, user);
    expect(status).toBe(303);
    expect([...setCookies.keys()].toSorted()).toEqual(['__Host-sesame', '__Host-sesame-known']);
    expect(attributesOf(setCookies.get('__Host-sesame'))).toEqual([
      'HttpOnly',
      `Max-Age=${600 + 7 * 24 * 3600}`,
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
    const id = cookieValue(setCookies.get('__Host-sesame'));
    const home = (name: string) =>
      sendExactly(new URL('/account', address), { cookies: new Map([[name, id]]) });
    expect((await home('__Host-sesame')).body).toContain('action="/signout"');
    expect((await home('sesame')).body).not.toContain('action="/signout"');

    const page = await sendExactly(new URL('/signin?lang=en', address));
    expect(page.setCookies.size).toBe(2);
    for (const [name, line] of page.setCookies) {
      expect(name).toMatch(/^__Host-sesame-/);
      expect(attributesOf(line)).toEqual(
        expect.arrayContaining(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']),
      );
      expect(line).not.toMatch(/domain=/i);
    }
  });
});

test('in development two instances on one host, whose cookies browsers share, keep people signed in to both', async () => {
  const instances = await Promise.all([1, 2].map(() => startTestService({ NODE_ENV: 'development' })));
  const jar = new Map<string, string>();
  const enter = async (instance: TestService) => {
    const browser = openBrowserSession(instance.baseUrl);
    for (const [name, value] of jar) browser.cookies.set(name, value);
    await signIn(browser, await instance.createUser());
    for (const [name, value] of browser.cookies) jar.set(name, value);
  };
  for (const instance of instances) await enter(instance);
  for (const instance of instances) {
    const browser = openBrowserSession(instance.baseUrl);
    for (const [name, value] of jar) browser.cookies.set(name, value);
    expect((await browser.get('/account')).status).toBe(200);
    await instance.close();
  }
});

describe('the id changes at every sign-in, and the one before is dead', () => {
  test('signing in again', async () => {
    const application = await service.createApplication();
    const { user, browser } = await newPerson(service);
    const before = idOf(browser);
    expect(await isLive(before)).toBe(true);
    await switchAccount(service, application, browser, user);
    expect(idOf(browser)).not.toBe(before);
    expect(await isLive(before)).toBe(false);
    expect(await isLive(idOf(browser))).toBe(true);
  });

  test('signing in again as an account that is signed in beside another one', async () => {
    const application = await service.createApplication();
    const [user, other] = [await service.createUser(), await service.createUser()];
    const browser = await signedInBrowser(service, user);
    const before = idOf(browser);
    await switchAccount(service, application, browser, other);
    expect(await isLive(before), 'it stays signed in').toBe(true);
    await switchAccount(service, application, browser, user);
    expect(await isLive(before)).toBe(false);
    expect(await isLive(idOf(browser))).toBe(true);
  });

  test('signing up', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signup');
    await signIn(browser, await service.createUser());
    const before = idOf(browser);
    const fields = { name: 'Ada', email: 'rotated@example.org', password: PASSWORD };
    expect((await browser.post('/signup', { ...page.hidden, ...fields })).status).toBe(303);
    expect(idOf(browser)).not.toBe(before);
  });

  test('an id that somebody planted before sign-in is never taken over (session fixation)', async () => {
    const user = await service.createUser();
    const planted = newAccountSecret(user.userId);
    const browser = openBrowserSession(service.baseUrl);
    browser.cookies.set('sesame', planted);
    await signIn(browser, user);
    expect(idOf(browser)).not.toBe(planted);
    expect(await isLive(planted)).toBe(false);
  });

  test('a failed sign-in leaves the session as it is', async () => {
    const application = await service.createApplication();
    const { user, browser } = await newPerson(service);
    const before = idOf(browser);
    await switchAccount(service, application, browser, { ...user, password: 'wrong password' });
    expect(idOf(browser)).toBe(before);
    expect(await isLive(before)).toBe(true);
  });
});

describe('an id with an account that its bearer chose is no session, and harms none', () => {
  /** The same secret bits under the name of another account. */
  const renamed = (id: string, userId: string): string =>
    newAccountSecret(userId, Buffer.from(id, 'base64url').subarray(16));

  test.each<[string, (own: string, theirs: string, them: TestUser) => string]>([
    ['one’s own, with the account of another person', (own, _, { userId }) => renamed(own, userId)],
    ['another person’s, with an account that there isn’t', (_, theirs) => renamed(theirs, NO_USER)],
    ['another person’s account, with other bits', (_own, _theirs, { userId }) => newAccountSecret(userId)],
  ])('%s', async (_, forge) => {
    const application = await service.createApplication();
    const [me, them] = [await newPerson(service), await newPerson(service)];
    await authorize(service, application, them.browser);
    const [own, theirs] = [idOf(me.browser), idOf(them.browser)];
    const forged = forge(own, theirs, them.user);
    expect(await isLive(forged)).toBe(false);

    const browser = openBrowserSession(service.baseUrl);
    browser.cookies.set('sesame', forged);
    browser.cookies.set('sesame-others', forged);
    const asked = await browser.get(authorizeAddress(service, application, { prompt: 'none' }));
    expect(asked.location?.searchParams.get('error')).toBe('login_required');
    expect((await browser.get('/signout')).location?.pathname).toBe('/');
    expect((await browser.get('/accounts')).body).not.toContain(them.user.email);

    // Signing in ends the sessions that the browser had, and continues the one of the same account.
    await signIn(browser, me.user);
    expect([await isLive(own), await isLive(theirs), await isLive(idOf(browser))]).toEqual([
      true,
      true,
      true,
    ]);
    const sids = await sql(service.parts.database, 'select sid from sessions where user_id = $1', [
      me.user.userId,
    ]);
    expect(new Set(sids.map(({ sid }) => sid)).size).toBe(2);
  });
});

describe('the database holds hashes only (D32)', () => {
  test('neither the session’s id nor the browser’s is in any table, in any spelling', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    await authorize(service, await service.createApplication(), browser);
    const content = await databaseContent(service.databaseUrl);
    expect(JSON.parse(content.sessions ?? '[]').length).toBeGreaterThan(0);
    const everything = Object.values(content).join('\n');
    expect([...browser.cookies.keys()].some((name) => name.startsWith('sesame-browser'))).toBe(true);
    for (const [name, value] of browser.cookies) {
      // Sealed account ids, which are no secret.
      if (name === 'sesame-known') continue;
      expect(value).toHaveLength(name === 'sesame' ? 64 : 43);
      const bytes = Buffer.from(value, 'base64url').subarray(-32);
      for (const spelling of [
        value,
        bytes.toString('base64'),
        bytes.toString('hex'),
        Buffer.from(value).toString('hex'),
      ])
        expect(everything).not.toContain(spelling);
    }
  });

  test('a password is there as Argon2id only', async () => {
    const email = 'hashed@example.com';
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signup');
    await browser.post('/signup', { ...hidden, name: 'Ada', email, password: 'never to be seen again' });
    const { users = '' } = await databaseContent(service.databaseUrl);
    const row = (JSON.parse(users) as Record<string, string>[]).find((user) => user.email === email);
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(users).not.toContain('never to be seen again');
  });
});

describe('the end of a session', () => {
  test('signing out ends it on the server and deletes the cookie', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const id = idOf(browser);
    const visit = await signOut(browser);
    expect([visit.status, visit.location?.pathname]).toEqual([303, '/']);
    expect(visit.headers.getSetCookie()).toEqual([expect.stringMatching(/^sesame=; Max-Age=0; Path=\/;/)]);
    expect(await isLive(id)).toBe(false);
    expect((await browser.follow(visit)).body).toContain('You’re signed out.');
  });

  test('signing out of one browser leaves the other ones signed in', async () => {
    const user = await service.createUser();
    const [one, other] = [await signedInBrowser(service, user), await signedInBrowser(service, user)];
    await signOut(one);
    expect([await isLive(idOf(one)), await isLive(idOf(other))]).toEqual([false, true]);
  });

  test('asking for the sign-out page ends nothing', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const page = await browser.get('/signout');
    expect(page.status).toBe(200);
    expect(await isLive(idOf(browser))).toBe(true);
    expect((await browser.post('/signout', page.hidden)).status).toBe(303);
    expect((await browser.get('/signout')).location?.pathname).toBe('/');
  });

  test('it expires by the service’s clock (D36)', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const id = idOf(browser);
    service.clock.advance(service.parts.config.sessionTtl - 10);
    expect(await isLive(id)).toBe(true);
    service.clock.advance(11);
    expect(await isLive(id)).toBe(false);
  });

  test.each([
    [
      'the account is suspended',
      (userId: string) => suspendUser(service.parts.database, userId, service.clock.now()),
    ],
    ['the account is deleted', (userId: string) => deleteUser(service.parts.database, userId)],
    [
      'the password changes',
      (userId: string) => changePassword(service.parts.database, userId, 'another hash'),
    ],
  ])('it ends at once when %s (D28)', async (_, change) => {
    const { user, browser } = await newPerson(service);
    expect(await isLive(idOf(browser))).toBe(true);
    expect(await change(user.userId)).toBe(true);
    expect(await isLive(idOf(browser))).toBe(false);
  });

  test.each(['', 'x', 'A'.repeat(43), 'A'.repeat(63), 'A'.repeat(65), `${'A'.repeat(63)}!`, '%00', '"'])(
    'a cookie of no possible shape is no session: %j',
    async (value) => {
      const { status, body } = await sendExactly(service.baseUrl, { cookies: new Map([['sesame', value]]) });
      expect(status).toBe(200);
      expect(body).toContain('href="/signin"');
    },
  );
});
