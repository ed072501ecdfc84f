import { describe, expect, test } from 'vitest';
import { recordEvent } from '../../../src/store/audit-log.ts';
import { adminAccountPath, createSignedInAdmin } from '../../support/admin.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { parseElements, readMain, readText } from '../../support/markup.ts';
import { authorize, createSignedInUser, openSignedInBrowser } from '../../support/oauth-flow.ts';
import { registerPasskey } from '../../support/passkey.ts';
import { PASSWORD, type TestUser, useTestService } from '../../support/service.ts';
import { deleteClient, sql } from '../../support/store-fixtures.ts';

const service = useTestService({ TRUSTED_PROXIES: '127.0.0.1' });

const ACTIVITY_PATH = '/account/activity';
const PHONE_USER_AGENT =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';

const openActivity = async (browser: BrowserSession, path = ACTIVITY_PATH): Promise<string> =>
  (await browser.get(path)).body;

const readRows = (body: string): string[] =>
  body
    .split('<li class="entry">')
    .slice(1)
    .map((entry) =>
      readText((entry.split('<div class="entry-end">')[0] ?? '').replaceAll('\u00a0', ' ')).trim(),
    );

async function tryToSignIn(user: TestUser, password: string, headers: Record<string, string> = {}) {
  const browser = openBrowserSession(service.baseUrl);
  const { hidden } = await browser.get('/signin', headers);
  await browser.post('/signin', { ...hidden, email: user.email, password }, headers);
  return browser;
}

const recordUserEvent = (user: TestUser, event: Omit<Parameters<typeof recordEvent>[1], 'userId'>) =>
  recordEvent(service.services.database, { ...event, userId: user.userId }, service.clock.now());

describe('the activity page', () => {
  test('lists all kinds of events, newest first', async () => {
    const { user, browser } = await createSignedInUser(service, { emailVerified: true });
    await tryToSignIn(user, 'wrong password', { 'x-forwarded-for': '203.0.113.9' });
    await tryToSignIn(user, 'wrong password', { 'x-forwarded-for': '203.0.113.9' });
    service.clock.advance(1);
    await tryToSignIn(user, PASSWORD, { 'user-agent': PHONE_USER_AGENT, 'x-forwarded-for': '203.0.113.7' });
    const client = await service.createClient({ name: 'Carnet <b>' });
    service.clock.advance(1);
    await authorize(service, client, browser);
    service.clock.advance(1);
    const { csrf = '' } = (await browser.get('/account')).hidden;
    await browser.post('/account/applications/withdraw', { csrf, client_id: client.clientId });
    service.clock.advance(1);
    await registerPasskey(browser, service);
    service.clock.advance(1);
    await browser.post('/account/sessions/end-others', { csrf });
    service.clock.advance(1);
    await browser.post('/account/data', { csrf });
    const body = await openActivity(browser);
    const passkeyRow = expect.stringMatching(/^Passkey added .+ 127\.0\.0\.1$/);
    expect(readRows(body)).toEqual([
      'Data exported 127.0.0.1',
      'Other sessions ended 127.0.0.1',
      passkeyRow,
      'Access revoked Carnet <b> 127.0.0.1',
      'Access allowed Carnet <b> 127.0.0.1',
      'Sign-in Password · Safari on iPhone · 203.0.113.7',
      'Failed sign-in 2 times 203.0.113.9 · Secure your account',
      'Sign-in Password · Unknown device · 127.0.0.1',
    ]);
    expect(body).toMatch(/Access allowed <span class="entry-subject"><img class="logo" src="\/avatars\//);
  });

  test('links to the security page only for suspicious events', async () => {
    const { user, browser } = await createSignedInUser(service);
    await tryToSignIn(user, 'wrong password');
    await recordUserEvent(user, { kind: 'passkey_clone_suspected', ip: '203.0.113.9' });
    const links = (await openActivity(browser))
      .split('<li class="entry">')
      .slice(1)
      .map((entry) => entry.includes('<a href="/account/security">Secure your account</a>'));
    expect(links).toEqual([true, true, false]);
  });

  test('shows no events of other accounts', async () => {
    const { user } = await createSignedInUser(service);
    await recordUserEvent(user, { kind: 'password_changed', actorId: user.userId, ip: '203.0.113.44' });
    const { browser } = await createSignedInUser(service);
    const body = await openActivity(
      browser,
      `${ACTIVITY_PATH}?user_id=${user.userId}&account=${user.userId}`,
    );
    expect(readRows(body)).toEqual(['Sign-in Password · Unknown device · 127.0.0.1']);
    const anonymous = await openBrowserSession(service.baseUrl).get(ACTIVITY_PATH);
    expect([anonymous.status, anonymous.location?.pathname]).toEqual([303, '/signin']);
  });

  test("hides an administrator's name, IP address and reason", async () => {
    const user = await service.createUser();
    const admin = await createSignedInAdmin(service);
    await admin.submit(adminAccountPath(user.userId, 'end'), { reason: 'suspicious reason' });
    await recordUserEvent(user, { kind: 'admin_granted' });
    await recordUserEvent(user, { kind: 'password_offered', actorId: admin.user.userId, ip: '203.0.113.66' });
    const body = await openActivity(await openSignedInBrowser(service, user));
    expect(readRows(body).slice(1).sort()).toEqual([
      'Account’s sessions ended and tokens revoked your administrator',
      'Administrator role granted your administrator',
      'Password reset link sent your administrator',
    ]);
    for (const secret of ['suspicious reason', '203.0.113.66', admin.user.name, admin.user.email])
      expect(body).not.toContain(secret);
  });

  test('shows other accounts only as “another account”', async () => {
    const { user, browser } = await createSignedInUser(service);
    const other = await service.createUser({ name: 'Olga Unseen' });
    for (const kind of ['application_transferred', 'service_access_requested'] as const)
      await recordUserEvent(user, {
        kind,
        actorId: other.userId,
        ip: '203.0.113.77',
        detail: { name: 'Agenda' },
      });
    const body = await openActivity(browser);
    expect(readRows(body).filter((row) => row.endsWith('Agenda another account'))).toHaveLength(2);
    expect(body).not.toMatch(/203\.0\.113\.77|Olga/);
    expect(body).not.toContain(other.email);
  });

  test('lists events without an IP address', async () => {
    const { user, browser } = await createSignedInUser(service);
    const client = await service.createClient({ name: 'Carnet' });
    await authorize(service, client, browser);
    const { database } = service.services;
    await deleteClient(database, client.clientId);
    await sql(database, `update events set ip = null where user_id = $1`, [user.userId]);
    await sql(
      database,
      `insert into events (at, kind, user_id, detail) values ($2, 'from_the_future', $1, '{"times": "many"}')`,
      [user.userId, new Date(service.clock.now().getTime() + 1000)],
    );
    expect(readRows(await openActivity(browser))).toEqual([
      'Other event',
      'Access allowed deleted application',
      'Sign-in Password · Unknown device',
    ]);
  });

  test('shows each event on only one page', async () => {
    const { user, browser } = await createSignedInUser(service);
    for (let i = 0; i < 44; i += 1)
      await recordUserEvent(user, { kind: 'passkey_renamed', detail: { name: `No. ${i}` } });
    const rows: string[] = [];
    let path: string | undefined = ACTIVITY_PATH;
    const sizes: number[] = [];
    while (path !== undefined) {
      const body: string = await openActivity(browser, path);
      expect(body.includes('Back to latest')).toBe(path !== ACTIVITY_PATH);
      const page = readRows(body);
      sizes.push(page.length);
      rows.push(...page);
      path = parseElements(body).find(({ attributes }) => attributes.rel === 'next')?.attributes.href;
    }
    expect(sizes).toEqual([20, 20, 5]);
    expect(new Set(rows).size).toBe(45);
    expect(rows[0]).toBe('Passkey renamed No. 43');
  });

  test.each([
    '',
    'x',
    '1',
    "1.1'",
    '9999999999999999.1',
    '999999999999999.1',
    '1.99999999999999999999',
    '%00',
  ])('shows the newest events if the position in the URL is %j', async (before) => {
    const { browser } = await createSignedInUser(service);
    const visit = await browser.get(`${ACTIVITY_PATH}?before=${before}`);
    expect([visit.status, readRows(visit.body).length]).toEqual([200, 1]);
  });

  test('says how long events are stored', async () => {
    const { user, browser } = await createSignedInUser(service);
    const main = readMain(await openActivity(browser));
    expect(readText(main)).toContain('This list goes back 90 days.');
    expect(main).toContain('<a href="/account/sessions">end your other sessions</a>');
    await sql(service.services.database, 'delete from events where user_id = $1', [user.userId]);
    expect(await openActivity(browser)).toContain('Nothing yet.');
    const beyond = readText(readMain((await browser.get('/account/activity?before=9.1')).body));
    expect(beyond).toContain('Nothing older. Back to latest');
    expect(beyond).not.toContain('Nothing yet.');
  });
});
