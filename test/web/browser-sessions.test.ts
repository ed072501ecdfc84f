import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newAccountSecret } from '../../src/oauth/secrets.ts';
import { NIL_USER_ID } from '../../src/store/nil-user-id.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { databaseContent } from '../support/database-content.ts';
import { type ExactResponse, readCookieValue, sendExactRequest } from '../support/exact-response.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createSignedInUser,
  openSignedInBrowser,
  signIn,
  switchAccount,
} from '../support/oauth-flow.ts';
import {
  PASSWORD,
  startTestService,
  type TestService,
  type TestUser,
  useTestService,
} from '../support/service.ts';
import { deleteUser, sql, suspendUser } from '../support/store-fixtures.ts';

const service = useTestService();

async function isLive(id: string): Promise<boolean> {
  const { body } = await sendExactRequest(new URL('/account', service.baseUrl), {
    cookies: new Map([['sesame', id]]),
  });
  return body.includes('action="/signout"');
}

const readSessionId = (browser: BrowserSession): string => browser.cookies.get('sesame') ?? '';

const signOut = async (browser: BrowserSession) =>
  browser.post('/signout', { csrf: (await browser.get('/account')).hidden.csrf ?? '' });

/** BASE_URL may differ from the listening URL. */
async function signInAt(
  listeningUrl: string,
  user: TestUser,
  headers: Record<string, string> = {},
): Promise<ExactResponse> {
  const page = await sendExactRequest(new URL('/signin', listeningUrl), { headers });
  const cookies = new Map([...page.setCookies].map(([name, line]) => [name, readCookieValue(line)]));
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? '';
  return sendExactRequest(new URL('/signin', listeningUrl), {
    method: 'POST',
    body: new URLSearchParams({ csrf, email: user.email, password: user.password }),
    headers,
    cookies,
  });
}

const parseAttributes = (line: string | undefined): string[] => (line ?? '').split('; ').slice(1).sort();

test('inactive sessions are not loaded if the active session is invalid', async () => {
  const createSessionId = () => newAccountSecret(randomUUID());
  const others = Array.from({ length: 4 }, createSessionId).join('.');
  const countSessionReads = () => service.services.database.usage().statements.get('find_session') ?? 0;
  const countReadsWith = async (active: string) => {
    const before = countSessionReads();
    await sendExactRequest(new URL('/account', service.baseUrl), {
      cookies: new Map([
        ['sesame', active],
        ['sesame-others', others],
      ]),
    });
    return countSessionReads() - before;
  };
  expect(await countReadsWith(createSessionId())).toBe(1);
  expect(
    await countReadsWith(readSessionId(await openSignedInBrowser(service, await service.createUser()))),
  ).toBe(5);
});

describe('the session cookie', () => {
  test('is named `sesame` if BASE_URL uses http', async () => {
    const { setCookies } = await signInAt(service.baseUrl, await service.createUser());
    expect([...setCookies.keys()].toSorted()).toEqual(['sesame', 'sesame-known']);
    expect(parseAttributes(setCookies.get('sesame'))).toEqual([
      'HttpOnly',
      `Max-Age=${service.services.config.sessionTtl + 7 * 24 * 3600}`,
      'Path=/',
      'SameSite=Lax',
    ]);
    // The session ID contains the account ID and 256 random bits.
    expect(readCookieValue(setCookies.get('sesame'))).toMatch(/^[A-Za-z0-9_-]{64}$/);
  });

  test('has the prefix `__Host-` if BASE_URL uses https', async () => {
    await using secure = await startTestService({ BASE_URL: 'https://signin.example', SESSION_TTL: '600' });
    const listeningUrl = `http://127.0.0.1:${secure.services.config.port}`;
    const user = await secure.createUser();
    const { status, setCookies } = await signInAt(listeningUrl, user);
    expect(status).toBe(303);
    expect([...setCookies.keys()].toSorted()).toEqual(['__Host-sesame', '__Host-sesame-known']);
    expect(parseAttributes(setCookies.get('__Host-sesame'))).toEqual([
      'HttpOnly',
      `Max-Age=${600 + 7 * 24 * 3600}`,
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
    const id = readCookieValue(setCookies.get('__Host-sesame'));
    const openAccount = (name: string) =>
      sendExactRequest(new URL('/account', listeningUrl), { cookies: new Map([[name, id]]) });
    expect((await openAccount('__Host-sesame')).body).toContain('action="/signout"');
    expect((await openAccount('sesame')).body).not.toContain('action="/signout"');

    const page = await sendExactRequest(new URL('/signin?lang=en', listeningUrl));
    expect(page.setCookies.size).toBe(2);
    for (const [name, line] of page.setCookies) {
      expect(name).toMatch(/^__Host-sesame-/);
      expect(parseAttributes(line)).toEqual(
        expect.arrayContaining(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']),
      );
      expect(line).not.toMatch(/domain=/i);
    }
  });
});

test('two development instances on one host use different session cookies', async () => {
  const instances = await Promise.all([1, 2].map(() => startTestService({ NODE_ENV: 'development' })));
  const jar = new Map<string, string>();
  const signInTo = async (instance: TestService) => {
    const browser = openBrowserSession(instance.baseUrl);
    for (const [name, value] of jar) browser.cookies.set(name, value);
    await signIn(browser, await instance.createUser());
    for (const [name, value] of browser.cookies) jar.set(name, value);
  };
  for (const instance of instances) await signInTo(instance);
  for (const instance of instances) {
    const browser = openBrowserSession(instance.baseUrl);
    for (const [name, value] of jar) browser.cookies.set(name, value);
    expect((await browser.get('/account')).status).toBe(200);
    await instance.close();
  }
});

describe('the session ID', () => {
  test('is replaced when the user signs in again', async () => {
    const application = await service.createClient();
    const { user, browser } = await createSignedInUser(service);
    const before = readSessionId(browser);
    expect(await isLive(before)).toBe(true);
    await switchAccount(service, application, browser, user);
    expect(readSessionId(browser)).not.toBe(before);
    expect(await isLive(before)).toBe(false);
    expect(await isLive(readSessionId(browser))).toBe(true);
  });

  test('is replaced only for the account that signs in', async () => {
    const application = await service.createClient();
    const [user, other] = [await service.createUser(), await service.createUser()];
    const browser = await openSignedInBrowser(service, user);
    const before = readSessionId(browser);
    await switchAccount(service, application, browser, other);
    expect(await isLive(before), 'the first account stays signed in').toBe(true);
    await switchAccount(service, application, browser, user);
    expect(await isLive(before)).toBe(false);
    expect(await isLive(readSessionId(browser))).toBe(true);
  });

  test('is replaced when the user signs up', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signup');
    await signIn(browser, await service.createUser());
    const before = readSessionId(browser);
    const fields = { name: 'Ada', email: 'rotated@example.org', password: PASSWORD };
    expect((await browser.post('/signup', { ...page.hidden, ...fields })).status).toBe(303);
    expect(readSessionId(browser)).not.toBe(before);
  });

  test('never equals a cookie from before sign-in (session fixation)', async () => {
    const user = await service.createUser();
    const planted = newAccountSecret(user.userId);
    const browser = openBrowserSession(service.baseUrl);
    browser.cookies.set('sesame', planted);
    await signIn(browser, user);
    expect(readSessionId(browser)).not.toBe(planted);
    expect(await isLive(planted)).toBe(false);
  });

  test('stays the same if a sign-in fails', async () => {
    const application = await service.createClient();
    const { user, browser } = await createSignedInUser(service);
    const before = readSessionId(browser);
    await switchAccount(service, application, browser, { ...user, password: 'wrong password' });
    expect(readSessionId(browser)).toBe(before);
    expect(await isLive(before)).toBe(true);
  });
});

describe('a forged session ID', () => {
  const replaceUserId = (id: string, userId: string): string =>
    newAccountSecret(userId, Buffer.from(id, 'base64url').subarray(16));

  test.each<[string, (ownId: string, victimId: string, victim: TestUser) => string]>([
    [
      'the attacker’s secret and the victim’s account ID',
      (ownId, _, { userId }) => replaceUserId(ownId, userId),
    ],
    [
      'the victim’s secret and a nonexistent account ID',
      (_, victimId) => replaceUserId(victimId, NIL_USER_ID),
    ],
    ['a random secret and the victim’s account ID', (_own, _victim, { userId }) => newAccountSecret(userId)],
  ])('is rejected if it consists of %s', async (_, forge) => {
    const application = await service.createClient();
    const [attacker, victim] = [await createSignedInUser(service), await createSignedInUser(service)];
    await authorize(service, application, victim.browser);
    const [ownId, victimId] = [readSessionId(attacker.browser), readSessionId(victim.browser)];
    const forged = forge(ownId, victimId, victim.user);
    expect(await isLive(forged)).toBe(false);

    const browser = openBrowserSession(service.baseUrl);
    browser.cookies.set('sesame', forged);
    browser.cookies.set('sesame-others', forged);
    const authorization = await browser.get(buildAuthorizeUrl(service, application, { prompt: 'none' }));
    expect(authorization.location?.searchParams.get('error')).toBe('login_required');
    expect((await browser.get('/signout')).location?.pathname).toBe('/');
    expect((await browser.get('/accounts')).body).not.toContain(victim.user.email);

    // Signing in revokes the session in the cookie, but the forged ID matches no session.
    await signIn(browser, attacker.user);
    expect([await isLive(ownId), await isLive(victimId), await isLive(readSessionId(browser))]).toEqual([
      true,
      true,
      true,
    ]);
    const sids = await sql(service.services.database, 'select sid from sessions where user_id = $1', [
      attacker.user.userId,
    ]);
    expect(new Set(sids.map(({ sid }) => sid)).size).toBe(2);
  });
});

describe('the database', () => {
  test('contains no session IDs or browser IDs in any encoding', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    await authorize(service, await service.createClient(), browser);
    const content = await databaseContent(service.databaseUrl);
    expect(JSON.parse(content.sessions ?? '[]').length).toBeGreaterThan(0);
    const allRows = Object.values(content).join('\n');
    expect([...browser.cookies.keys()].some((name) => name.startsWith('sesame-browser'))).toBe(true);
    for (const [name, value] of browser.cookies) {
      // This cookie contains sealed account IDs, which are not secret.
      if (name === 'sesame-known') continue;
      expect(value).toHaveLength(name === 'sesame' ? 64 : 43);
      const bytes = Buffer.from(value, 'base64url').subarray(-32);
      for (const encoded of [
        value,
        bytes.toString('base64'),
        bytes.toString('hex'),
        Buffer.from(value).toString('hex'),
      ])
        expect(allRows).not.toContain(encoded);
    }
  });

  test('contains passwords only as Argon2id hashes', async () => {
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

describe('a session', () => {
  test('is revoked on the server when the user signs out', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const id = readSessionId(browser);
    const visit = await signOut(browser);
    expect([visit.status, visit.location?.pathname]).toEqual([303, '/']);
    expect(visit.headers.getSetCookie()).toEqual([expect.stringMatching(/^sesame=; Max-Age=0; Path=\/;/)]);
    expect(await isLive(id)).toBe(false);
    expect((await browser.follow(visit)).body).toContain('You’re signed out.');
  });

  test('survives sign-out in a different browser', async () => {
    const user = await service.createUser();
    const [browser, otherBrowser] = [
      await openSignedInBrowser(service, user),
      await openSignedInBrowser(service, user),
    ];
    await signOut(browser);
    expect([await isLive(readSessionId(browser)), await isLive(readSessionId(otherBrowser))]).toEqual([
      false,
      true,
    ]);
  });

  test('survives opening the sign-out page', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const page = await browser.get('/signout');
    expect(page.status).toBe(200);
    expect(await isLive(readSessionId(browser))).toBe(true);
    expect((await browser.post('/signout', page.hidden)).status).toBe(303);
    expect((await browser.get('/signout')).location?.pathname).toBe('/');
  });

  test('expires after SESSION_TTL', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const id = readSessionId(browser);
    service.clock.advance(service.services.config.sessionTtl - 10);
    expect(await isLive(id)).toBe(true);
    service.clock.advance(11);
    expect(await isLive(id)).toBe(false);
  });

  test.each([
    [
      'the account is suspended',
      (userId: string) => suspendUser(service.services.database, userId, service.clock.now()),
    ],
    ['the account is deleted', (userId: string) => deleteUser(service.services.database, userId)],
    [
      'the password changes',
      (userId: string) => setAccountPassword(service.services.database, userId, 'another hash'),
    ],
  ])('is revoked immediately when %s', async (_, change) => {
    const { user, browser } = await createSignedInUser(service);
    expect(await isLive(readSessionId(browser))).toBe(true);
    expect(await change(user.userId)).toBe(true);
    expect(await isLive(readSessionId(browser))).toBe(false);
  });

  test.each(['', 'x', 'A'.repeat(43), 'A'.repeat(63), 'A'.repeat(65), `${'A'.repeat(63)}!`, '%00', '"'])(
    'is not created from the malformed cookie %j',
    async (value) => {
      const { status, body } = await sendExactRequest(service.baseUrl, {
        cookies: new Map([['sesame', value]]),
      });
      expect(status).toBe(200);
      expect(body).toContain('href="/signin"');
    },
  );
});
