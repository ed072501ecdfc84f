// /account/sessions: where the account is open, and closing it there; signing in and out in the audit log.
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { NO_USER } from '../../../src/store/no-user.ts';
import { listSessions } from '../../../src/store/sessions.ts';
import { statement } from '../../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { obtainTokens, renew, signedInBrowser, signIn, switchAccount, userinfo } from '../../support/flow.ts';
import { type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService({ TRUSTED_PROXIES: '127.0.0.1' });

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';

/** A browser in which somebody signs in from an address. */
async function enterFrom(user: TestUser, address: string, userAgent = FIREFOX): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  const headers = { 'x-forwarded-for': address, 'user-agent': userAgent };
  const { hidden } = await browser.get('/signin', headers);
  await browser.post('/signin', { ...hidden, email: user.email, password: user.password }, headers);
  return browser;
}

const sessionsOf = ({ userId }: TestUser) =>
  listSessions(service.parts.database, userId, service.clock.now());
const csrfOf = async (browser: BrowserSession) => (await browser.get('/account')).hidden.csrf ?? '';
const isIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

/** The sessions as the page shows them: device, address, and whether there is a button. */
function shownOn(
  page: string,
): { device: string; address: string; current: boolean; sid: string | undefined }[] {
  return page
    .split('<div class="connected-who">')
    .slice(1)
    .map((entry) => ({
      device: /<h2>([^<]*)/.exec(entry)?.[1]?.trim() ?? '',
      address: /IP address<\/dt><dd>([^<]*)/.exec(entry)?.[1] ?? '',
      current: entry.includes('this session'),
      sid: /name="session" value="([^"]*)"/.exec(entry)?.[1],
    }));
}

const EVENTS = statement(
  'test_session_events',
  `select kind, user_id as "userId", actor_id as "actorId", address, detail from events
  where user_id = $1::uuid or address = $2::text order by id`,
);
const eventsOf = (userId: string | null, address = '') =>
  service.parts.database.query<{
    kind: string;
    userId: string;
    actorId: string;
    address: string;
    detail: Record<string, unknown>;
  }>(EVENTS, [userId, address]);

describe('the list', () => {
  test('names device and address in words, this one first, with a button for each other', async () => {
    const user = await service.createUser();
    await enterFrom(user, '203.0.113.7', 'curl/8');
    const browser = await enterFrom(user, '198.51.100.4');
    const { body } = await browser.get('/account/sessions', { 'x-forwarded-for': '198.51.100.5' });
    expect(shownOn(body)).toEqual([
      { device: 'Firefox on Linux', address: '198.51.100.5', current: true, sid: undefined },
      {
        device: 'Unknown device',
        address: '203.0.113.7',
        current: false,
        sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
  });

  test('shows when and where another one was last active, once that is written', async () => {
    const user = await service.createUser();
    const other = await enterFrom(user, '203.0.113.7');
    const browser = await enterFrom(user, '198.51.100.4');
    service.clock.advance(3600);
    const before = service.clock.now().getTime();
    await other.get('/account', { 'x-forwarded-for': '203.0.113.99' });
    await service.parts.usage.flush();
    const { body } = await browser.get('/account/sessions');
    expect(shownOn(body)[1]?.address).toBe('203.0.113.99');
    const shown = (await sessionsOf(user)).find(({ address }) => address === '203.0.113.99');
    expect(shown?.lastSeenAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(body).toContain(`<time datetime="${shown?.lastSeenAt.toISOString()}" data-as="ago">`);
  });

  test('of two accounts in one browser, only the one in use was active', async () => {
    const [one, two] = [await service.createUser(), await service.createUser()];
    const browser = await signedInBrowser(service, one);
    await switchAccount(service, await service.createApplication(), browser, two);
    service.clock.advance(3600);
    const now = service.clock.now();
    await browser.get('/account');
    await service.parts.usage.flush();
    const active = [];
    for (const user of [one, two])
      active.push((await sessionsOf(user)).map((each) => each.lastSeenAt >= now));
    expect(active).toEqual([[false], [true]]);
  });

  test('an authorization by a remembered consent is an activity as well', async () => {
    const user = await service.createUser();
    const browser = await enterFrom(user, '203.0.113.7');
    const application = await service.createApplication();
    await obtainTokens(service, application, browser);
    service.clock.advance(3600);
    const before = service.clock.now().getTime();
    await obtainTokens(service, application, browser);
    await service.parts.usage.flush();
    expect((await sessionsOf(user))[0]?.lastSeenAt.getTime()).toBeGreaterThanOrEqual(before);
  });

  test('what a browser calls itself cannot become markup, and expired sessions are not shown', async () => {
    const user = await service.createUser();
    await enterFrom(user, '203.0.113.7', '<b>"');
    const { body } = await (await enterFrom(user, '203.0.113.8')).get('/account/sessions');
    expect(body).not.toContain('<b>"');
    expect(shownOn(body)).toHaveLength(2);
    service.clock.advance(service.parts.config.sessionTtl + 1);
    const later = await enterFrom(user, '203.0.113.9');
    expect(shownOn((await later.get('/account/sessions')).body)).toHaveLength(1);
    expect((await later.get('/account/sessions')).body).toContain('not signed in anywhere else');
  });
});

test('a sign-in continues the session id of a live session, not that of an expired one', async () => {
  const user = await service.createUser();
  const application = await service.createApplication();
  const browser = await signedInBrowser(service, user);
  const sidNow = async () => decodeJwt((await obtainTokens(service, application, browser)).idToken ?? '').sid;
  const first = await sidNow();
  await switchAccount(service, application, browser, user);
  expect(await sidNow()).toBe(first);
  service.clock.advance(service.parts.config.sessionTtl + 1);
  await signIn(browser, user);
  expect(await sidNow()).not.toBe(first);
});

describe('ending', () => {
  test('one session: it is over at once, the others and this one live', async () => {
    const user = await service.createUser();
    const [other, third] = [await enterFrom(user, '203.0.113.7'), await enterFrom(user, '203.0.113.8')];
    const browser = await enterFrom(user, '203.0.113.9');
    const session = (await sessionsOf(user)).find(({ address }) => address === '203.0.113.7')?.sid ?? '';
    const csrf = await csrfOf(browser);
    const answer = await browser.post('/account/sessions/end', { csrf, session });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=ended']);
    expect((await browser.follow(answer)).body).toContain('The session has ended.');
    expect([await isIn(other), await isIn(third), await isIn(browser)]).toEqual([false, true, true]);
    expect((await eventsOf(user.userId)).at(-1)).toMatchObject({
      kind: 'session_ended',
      actorId: user.userId,
      detail: { session },
    });
    const again = await browser.post('/account/sessions/end', { csrf, session });
    expect(again.location?.href).toBe(answer.location?.href);
    expect((await eventsOf(user.userId)).filter(({ kind }) => kind === 'session_ended')).toHaveLength(1);
  });

  test('all others: only this one is left', async () => {
    const user = await service.createUser();
    const others = [await enterFrom(user, '203.0.113.7'), await enterFrom(user, '203.0.113.8')];
    const browser = await enterFrom(user, '203.0.113.9');
    const answer = await browser.post('/account/sessions/end-others', { csrf: await csrfOf(browser) });
    expect((await browser.follow(answer)).body).toContain('All other sessions have ended.');
    for (const other of others) expect(await isIn(other)).toBe(false);
    expect(await isIn(browser)).toBe(true);
    expect((await eventsOf(user.userId)).at(-1)).toMatchObject({
      kind: 'sessions_ended',
      detail: { sessions: 2 },
    });
  });

  test('leaves the tokens of applications alone (D28)', async () => {
    const user = await service.createUser();
    const other = await enterFrom(user, '203.0.113.7');
    const application = await service.createApplication();
    const tokens = await obtainTokens(service, application, other);
    const browser = await enterFrom(user, '203.0.113.9');
    await browser.post('/account/sessions/end-others', { csrf: await csrfOf(browser) });
    expect((await userinfo(service, tokens.accessToken)).status).toBe(200);
    expect((await renew(service, application, tokens.refreshToken)).status).toBe(200);
  });

  test('another person’s session cannot be ended: only one’s own are ever looked for', async () => {
    const [user, stranger] = [await service.createUser(), await service.createUser()];
    const victim = await enterFrom(user, '203.0.113.7');
    const session = (await sessionsOf(user))[0]?.sid ?? '';
    const browser = await enterFrom(stranger, '203.0.113.9');
    const csrf = await csrfOf(browser);
    await browser.post('/account/sessions/end', { csrf, session, user_id: user.userId });
    await browser.post('/account/sessions/end-others', { csrf, user_id: user.userId });
    expect(await isIn(victim)).toBe(true);
    expect((await eventsOf(user.userId)).map(({ kind }) => kind)).toEqual(['signed_in']);
  });

  test.each(['', 'x', "'; drop table sessions", '00000000-0000-0000-0000-00000000000g'])(
    'what is no session is refused with 400: %j',
    async (session) => {
      const browser = await signedInBrowser(service, await service.createUser());
      const { status } = await browser.post('/account/sessions/end', {
        csrf: await csrfOf(browser),
        session,
      });
      expect(status).toBe(400);
    },
  );
});

describe('in the audit log', () => {
  test('signing up, in and out, each with who and from where', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const headers = { 'x-forwarded-for': '192.0.2.50' };
    const { hidden } = await browser.get('/signup');
    const fields = { name: 'Ada', email: 'logged@example.org', password: 'un mot de passe bien long' };
    await browser.post('/signup', { ...hidden, ...fields }, headers);
    await browser.post('/signout', { csrf: await csrfOf(browser) }, headers);
    await browser.post(
      '/signin',
      { ...(await browser.get('/signin')).hidden, email: fields.email, password: fields.password },
      headers,
    );
    const events = (await eventsOf(null, '192.0.2.50')).filter(({ kind }) => kind.startsWith('signed_'));
    expect(events.map(({ kind }) => kind)).toEqual(['signed_up', 'signed_out', 'signed_in']);
    for (const { userId, actorId } of events) expect(actorId).toBe(userId);
  });

  test('wrong passwords: those of a minute for one account from one address share a row that counts them', async () => {
    const user = await service.createUser();
    const wrong = (email: string, address: string) =>
      enterFrom({ ...user, email, password: 'wrong password' }, address);
    for (let i = 0; i < 5; i += 1) await wrong(user.email, '192.0.2.60');
    await wrong(user.email, '192.0.2.61');
    for (const email of ['nobody1@example.org', 'nobody2@example.org']) await wrong(email, '192.0.2.60');
    service.clock.advance(61);
    await wrong(user.email, '192.0.2.60');
    const failures = async (address: string) =>
      (await eventsOf(null, address)).map(({ kind, userId, actorId, detail }) => [
        kind,
        userId,
        actorId,
        detail.times,
      ]);
    expect(await failures('192.0.2.60')).toEqual([
      ['sign_in_failed', user.userId, null, 5],
      ['sign_in_failed', NO_USER, null, 2],
      ['sign_in_failed', user.userId, null, 1],
    ]);
    expect(await failures('192.0.2.61')).toEqual([['sign_in_failed', user.userId, null, 1]]);
  });

  test('a wrong password in a confirmation is one of them', async () => {
    const user = await service.createUser();
    const browser = await enterFrom(user, '192.0.2.80');
    service.clock.advance(16 * 60);
    const fields = { csrf: await csrfOf(browser), email: user.email, current_password: 'wrong password' };
    await browser.post('/account/delete', fields, { 'x-forwarded-for': '192.0.2.81' });
    expect(await eventsOf(null, '192.0.2.81')).toMatchObject([
      { kind: 'sign_in_failed', userId: user.userId, actorId: null },
    ]);
  });

  test('neither a password nor an unknown address is ever in it', async () => {
    await enterFrom(
      { userId: '', name: '', email: 'secret-typed@example.org', password: 'typed password 1' },
      '192.0.2.70',
    );
    const events = JSON.stringify(await eventsOf(null, '192.0.2.70'));
    expect(events).toContain('sign_in_failed');
    expect(events).not.toMatch(/typed/);
  });
});
