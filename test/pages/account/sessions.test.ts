// The sessions page, and sign-in and sign-out events.
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { NIL_USER_ID } from '../../../src/store/nil-user-id.ts';
import { listSessions } from '../../../src/store/sessions.ts';
import { statement } from '../../../src/store/statement.ts';
import { render } from '../../../src/web/html/html.ts';
import { icon } from '../../../src/web/html/icons.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
  signIn,
  switchAccount,
} from '../../support/oauth-flow.ts';
import { type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService({ TRUSTED_PROXIES: '127.0.0.1' });

const FIREFOX_USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';

async function signInFrom(
  user: TestUser,
  ip: string,
  userAgent = FIREFOX_USER_AGENT,
): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  const headers = { 'x-forwarded-for': ip, 'user-agent': userAgent };
  const { hidden } = await browser.get('/signin', headers);
  await browser.post('/signin', { ...hidden, email: user.email, password: user.password }, headers);
  return browser;
}

const findSessions = ({ userId }: TestUser) =>
  listSessions(service.services.database, userId, service.clock.now());
const readCsrf = async (browser: BrowserSession) => (await browser.get('/account')).hidden.csrf ?? '';
const isSignedIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

function readListedSessions(
  page: string,
): { device: string; ip: string; current: boolean; sid: string | undefined }[] {
  return page
    .split('<li class="entry">')
    .slice(1)
    .map((entry) => ({
      device: /<h2>(?:<svg.*?<\/svg>)?([^<]*)/.exec(entry)?.[1]?.trim() ?? '',
      ip: /<span class="ip">([^<]*)/.exec(entry)?.[1] ?? '',
      current: entry.includes('this browser'),
      sid: /name="session" value="([^"]*)"/.exec(entry)?.[1],
    }));
}

const LIST_EVENTS = statement(
  'test_session_events',
  `select kind, user_id as "userId", actor_id as "actorId", ip, detail from events
  where user_id = $1::uuid or ip = $2::text order by id`,
);
const readEvents = (userId: string | null, ip = '') =>
  service.services.database.query<{
    kind: string;
    userId: string;
    actorId: string;
    ip: string;
    detail: Record<string, unknown>;
  }>(LIST_EVENTS, [userId, ip]);

describe('the list of sessions', () => {
  test('shows the current session first', async () => {
    const user = await service.createUser();
    await signInFrom(user, '203.0.113.7', 'curl/8');
    const browser = await signInFrom(user, '198.51.100.4');
    const { body } = await browser.get('/account/sessions', { 'x-forwarded-for': '198.51.100.5' });
    expect(readListedSessions(body)).toEqual([
      { device: 'Firefox on Linux', ip: '198.51.100.5', current: true, sid: undefined },
      {
        device: 'Unknown device',
        ip: '203.0.113.7',
        current: false,
        sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
  });

  test('shows an icon for each kind of device', async () => {
    const user = await service.createUser();
    const android = 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0';
    const devices = {
      [FIREFOX_USER_AGENT]: 'laptop',
      [`${android} Mobile Safari/537.36`]: 'smartphone',
      [`${android} Safari/537.36`]: 'tablet',
      'curl/8': 'circle-question-mark',
    } as const;
    let browser = await openSignedInBrowser(service, user);
    for (const userAgent of Object.keys(devices)) browser = await signInFrom(user, '203.0.113.7', userAgent);
    const { body } = await browser.get('/account/sessions');
    for (const name of Object.values(devices)) expect(body, name).toContain(render(icon(name)));
  });

  test('shows an icon for each browser', async () => {
    const user = await service.createUser();
    const chrome =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
    const safari =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.6 Safari/605.1.15';
    const families = {
      [FIREFOX_USER_AGENT]: 'flame',
      [chrome]: 'chrome',
      [safari]: 'compass',
      [`${chrome} Edg/141.0`]: 'globe',
    } as const;
    const browser = await signInFrom(user, '203.0.113.7', 'curl/8');
    for (const userAgent of Object.keys(families)) await signInFrom(user, '203.0.113.7', userAgent);
    const { body } = await browser.get('/account/sessions', { 'user-agent': 'curl/8' });
    for (const name of Object.values(families))
      expect(body.split(render(icon(name, 16))), name).toHaveLength(2);
    expect(body, 'an unknown browser has none').toMatch(/<h2>Unknown device/);
  });

  test('shows when and where other sessions were last active', async () => {
    const user = await service.createUser();
    const other = await signInFrom(user, '203.0.113.7');
    const browser = await signInFrom(user, '198.51.100.4');
    service.clock.advance(3600);
    const before = service.clock.now().getTime();
    await other.get('/account', { 'x-forwarded-for': '203.0.113.99' });
    await service.services.usage.flush();
    const { body: whileActive } = await browser.get('/account/sessions');
    expect(readListedSessions(whileActive)[1]?.ip).toBe('203.0.113.99');
    expect(whileActive.split('Active now'), 'both sessions are active').toHaveLength(3);
    service.clock.advance(300);
    const { body } = await browser.get('/account/sessions');
    expect(body.split('Active now'), 'only this session is active').toHaveLength(2);
    const otherSession = (await findSessions(user)).find(({ ip }) => ip === '203.0.113.99');
    expect(otherSession?.lastSeenAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(body).toContain(`Active <time datetime="${otherSession?.lastSeenAt.toISOString()}" data-as="ago"`);
  });

  test('shows activity only for the active account', async () => {
    const [first, second] = [await service.createUser(), await service.createUser()];
    const browser = await openSignedInBrowser(service, first);
    await switchAccount(service, await service.createClient(), browser, second);
    service.clock.advance(3600);
    const now = service.clock.now();
    await browser.get('/account');
    await service.services.usage.flush();
    const active = [];
    for (const user of [first, second])
      active.push((await findSessions(user)).map((each) => each.lastSeenAt >= now));
    expect(active).toEqual([[false], [true]]);
  });

  test('counts an authorization request as activity', async () => {
    const user = await service.createUser();
    const browser = await signInFrom(user, '203.0.113.7');
    const application = await service.createClient();
    await obtainTokens(service, application, browser);
    service.clock.advance(3600);
    const before = service.clock.now().getTime();
    await obtainTokens(service, application, browser);
    await service.services.usage.flush();
    expect((await findSessions(user))[0]?.lastSeenAt.getTime()).toBeGreaterThanOrEqual(before);
  });

  test('does not include expired sessions', async () => {
    const user = await service.createUser();
    await signInFrom(user, '203.0.113.7', '<b>"');
    const { body } = await (await signInFrom(user, '203.0.113.8')).get('/account/sessions');
    expect(body).not.toContain('<b>"');
    expect(readListedSessions(body)).toHaveLength(2);
    service.clock.advance(service.services.config.sessionTtl + 1);
    const laterBrowser = await signInFrom(user, '203.0.113.9');
    expect(readListedSessions((await laterBrowser.get('/account/sessions')).body)).toHaveLength(1);
    expect((await laterBrowser.get('/account/sessions')).body).toContain('not signed in anywhere else');
  });
});

test('signing in again keeps the sid of a live session', async () => {
  const user = await service.createUser();
  const application = await service.createClient();
  const browser = await openSignedInBrowser(service, user);
  const readCurrentSid = async () =>
    decodeJwt((await obtainTokens(service, application, browser)).idToken ?? '').sid;
  const firstSid = await readCurrentSid();
  await switchAccount(service, application, browser, user);
  expect(await readCurrentSid()).toBe(firstSid);
  service.clock.advance(service.services.config.sessionTtl + 1);
  await signIn(browser, user);
  expect(await readCurrentSid()).not.toBe(firstSid);
});

describe('the sessions page', () => {
  test('can end a single session', async () => {
    const user = await service.createUser();
    const [other, third] = [await signInFrom(user, '203.0.113.7'), await signInFrom(user, '203.0.113.8')];
    const browser = await signInFrom(user, '203.0.113.9');
    const session = (await findSessions(user)).find(({ ip }) => ip === '203.0.113.7')?.sid ?? '';
    const csrf = await readCsrf(browser);
    const response = await browser.post('/account/sessions/end', { csrf, session });
    expect([response.status, response.location?.search]).toEqual([303, '?done=ended']);
    expect((await browser.follow(response)).body).toContain('The session has ended.');
    expect([await isSignedIn(other), await isSignedIn(third), await isSignedIn(browser)]).toEqual([
      false,
      true,
      true,
    ]);
    expect((await readEvents(user.userId)).at(-1)).toMatchObject({
      kind: 'session_ended',
      actorId: user.userId,
      detail: { session },
    });
    const secondResponse = await browser.post('/account/sessions/end', { csrf, session });
    expect(secondResponse.location?.href).toBe(response.location?.href);
    expect((await readEvents(user.userId)).filter(({ kind }) => kind === 'session_ended')).toHaveLength(1);
  });

  test('can end all other sessions at once', async () => {
    const user = await service.createUser();
    const others = [await signInFrom(user, '203.0.113.7'), await signInFrom(user, '203.0.113.8')];
    const browser = await signInFrom(user, '203.0.113.9');
    const response = await browser.post('/account/sessions/end-others', { csrf: await readCsrf(browser) });
    expect((await browser.follow(response)).body).toContain('All other sessions have ended.');
    for (const other of others) expect(await isSignedIn(other)).toBe(false);
    expect(await isSignedIn(browser)).toBe(true);
    expect((await readEvents(user.userId)).at(-1)).toMatchObject({
      kind: 'sessions_ended',
      detail: { sessions: 2 },
    });
  });

  test('ends sessions without revoking clients’ tokens', async () => {
    const user = await service.createUser();
    const other = await signInFrom(user, '203.0.113.7');
    const application = await service.createClient();
    const tokens = await obtainTokens(service, application, other);
    const browser = await signInFrom(user, '203.0.113.9');
    await browser.post('/account/sessions/end-others', { csrf: await readCsrf(browser) });
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(200);
    expect((await redeemRefreshToken(service, application, tokens.refreshToken)).status).toBe(200);
  });

  test('cannot end another user’s session', async () => {
    const [user, otherUser] = [await service.createUser(), await service.createUser()];
    const victim = await signInFrom(user, '203.0.113.7');
    const session = (await findSessions(user))[0]?.sid ?? '';
    const browser = await signInFrom(otherUser, '203.0.113.9');
    const csrf = await readCsrf(browser);
    await browser.post('/account/sessions/end', { csrf, session, user_id: user.userId });
    await browser.post('/account/sessions/end-others', { csrf, user_id: user.userId });
    expect(await isSignedIn(victim)).toBe(true);
    expect((await readEvents(user.userId)).map(({ kind }) => kind)).toEqual(['signed_in']);
  });

  test.each(['', 'x', "'; drop table sessions", '00000000-0000-0000-0000-00000000000g'])(
    'returns 400 for the invalid session ID %j',
    async (session) => {
      const browser = await openSignedInBrowser(service, await service.createUser());
      const { status } = await browser.post('/account/sessions/end', {
        csrf: await readCsrf(browser),
        session,
      });
      expect(status).toBe(400);
    },
  );
});

describe('the audit log', () => {
  test('records sign-up, sign-in and sign-out', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const headers = { 'x-forwarded-for': '192.0.2.50' };
    const { hidden } = await browser.get('/signup');
    const fields = { name: 'Ada', email: 'logged@example.org', password: 'un mot de passe bien long' };
    await browser.post('/signup', { ...hidden, ...fields }, headers);
    await browser.post('/signout', { csrf: await readCsrf(browser) }, headers);
    await browser.post(
      '/signin',
      { ...(await browser.get('/signin')).hidden, email: fields.email, password: fields.password },
      headers,
    );
    const events = (await readEvents(null, '192.0.2.50')).filter(({ kind }) => kind.startsWith('signed_'));
    expect(events.map(({ kind }) => kind)).toEqual(['signed_up', 'signed_out', 'signed_in']);
    for (const { userId, actorId } of events) expect(actorId).toBe(userId);
  });

  test('groups wrong passwords by minute, account and IP address', async () => {
    const user = await service.createUser();
    const submitWrongPassword = (email: string, ip: string) =>
      signInFrom({ ...user, email, password: 'wrong password' }, ip);
    for (let i = 0; i < 5; i += 1) await submitWrongPassword(user.email, '192.0.2.60');
    await submitWrongPassword(user.email, '192.0.2.61');
    for (const email of ['nobody1@example.org', 'nobody2@example.org'])
      await submitWrongPassword(email, '192.0.2.60');
    service.clock.advance(61);
    await submitWrongPassword(user.email, '192.0.2.60');
    const countFailures = async (ip: string) =>
      (await readEvents(null, ip)).map(({ kind, userId, actorId, detail }) => [
        kind,
        userId,
        actorId,
        detail.times,
      ]);
    expect(await countFailures('192.0.2.60')).toEqual([
      ['sign_in_failed', user.userId, null, 5],
      ['sign_in_failed', NIL_USER_ID, null, 2],
      ['sign_in_failed', user.userId, null, 1],
    ]);
    expect(await countFailures('192.0.2.61')).toEqual([['sign_in_failed', user.userId, null, 1]]);
  });

  test('records a wrong password at re-authentication', async () => {
    const user = await service.createUser();
    const browser = await signInFrom(user, '192.0.2.80');
    service.clock.advance(16 * 60);
    const fields = { csrf: await readCsrf(browser), email: user.email, current_password: 'wrong password' };
    await browser.post('/account/delete', fields, { 'x-forwarded-for': '192.0.2.81' });
    expect(await readEvents(null, '192.0.2.81')).toMatchObject([
      { kind: 'sign_in_failed', userId: user.userId, actorId: null },
    ]);
  });

  test('never contains a password or an unknown email address', async () => {
    await signInFrom(
      { userId: '', name: '', email: 'secret-typed@example.org', password: 'typed password 1' },
      '192.0.2.70',
    );
    const events = JSON.stringify(await readEvents(null, '192.0.2.70'));
    expect(events).toContain('sign_in_failed');
    expect(events).not.toMatch(/typed/);
  });
});
