// An administrator revokes a session or an application's access.
import { beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNT_CHANGES } from '../../../src/store/admin-actions.ts';
import { storeDocument } from '../../../src/store/agents.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { listSessions } from '../../../src/store/sessions.ts';
import {
  adminAccountPath,
  adminClientPath,
  createSignedInAdmin,
  type TestAdmin,
} from '../../support/admin.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { findLastEmailTo, listEmailsTo } from '../../support/emails.ts';
import { lockSession, waitForBlocked } from '../../support/locks.ts';
import { readFieldError, readText } from '../../support/markup.ts';
import {
  createSignedInUser,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
} from '../../support/oauth-flow.ts';
import { PASSWORD, startTestService, type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});

const isSignedIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

async function buildSessionPath({ userId }: TestUser, position = 0): Promise<string> {
  const sessions = await listSessions(service.services.database, userId, service.clock.now());
  return adminAccountPath(userId, `sessions/${sessions[position]?.sid}/end`);
}
const buildConnectionPath = ({ userId }: TestUser, clientId: string) =>
  adminAccountPath(userId, `applications/${encodeURIComponent(clientId)}/revoke`);

const listUserEvents = async ({ userId }: TestUser, kind: 'session_ended' | 'consent_withdrawn') =>
  listEvents(service.services.database, { userId, kind }, { limit: 10 });
async function createConnectedUser() {
  const { user, browser } = await createSignedInUser(service, { locale: 'en' });
  const client = await service.createClient({ name: 'Notebook' });
  return { user, browser, client, tokens: await obtainTokens(service, client, browser) };
}

describe('ending one session', () => {
  test('signs the user out of only one browser, on all processes', async () => {
    const { user, browser, client, tokens } = await createConnectedUser();
    const path = await buildSessionPath(user);
    await sql(service.services.database, 'update sessions set user_agent = $2 where user_id = $1', [
      user.userId,
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ]);
    service.clock.advance(1);
    const other = await openSignedInBrowser(service, user);
    const otherProcess = await startTestService({}, { databaseUrl: service.databaseUrl });
    const inOtherProcess = openBrowserSession(otherProcess.baseUrl);
    for (const [name, value] of browser.cookies) inOtherProcess.cookies.set(name, value);

    const response = await admin.submit(path, { reason: 'stolen laptop' });
    expect([response.status, String(response.location?.pathname), response.location?.search]).toEqual([
      303,
      adminAccountPath(user.userId),
      '?done=end',
    ]);
    expect((await admin.browser.follow(response)).body).toContain('<span>Session ended</span>');
    expect([await isSignedIn(browser), await isSignedIn(other), await isSignedIn(inOtherProcess)]).toEqual([
      false,
      true,
      false,
    ]);
    await otherProcess.close();
    expect((await fetchUserinfo(service, tokens.accessToken)).status, 'tokens stay valid').toBe(200);
    expect((await redeemRefreshToken(service, client, tokens.refreshToken)).status).toBe(200);
    expect(await listUserEvents(user, 'session_ended')).toMatchObject([
      {
        ...{ actorId: admin.user.userId, userId: user.userId, ip: '127.0.0.1' },
        detail: { session: path.split('/').at(-2), reason: 'stolen laptop' },
      },
    ]);
    const { subject, text } = await findLastEmailTo(service, user.email);
    expect(subject).toBe('A session in your Sésame account was ended');
    expect(text).toContain('contact your administrator');
    expect(text).toContain('Firefox on Linux');
    expect(text).not.toMatch(/stolen|127\.0\.0\.1|Grace/);
  });

  test('has no effect on resubmission', async () => {
    const { user } = await createSignedInUser(service);
    const path = await buildSessionPath(user);
    const { hidden } = await admin.browser.get(path);
    const responses = await Promise.all([1, 2].map(() => admin.browser.post(path, hidden)));
    responses.push(await admin.browser.post(path, hidden));
    expect(responses.map(({ status, location }) => [status, location?.pathname])).toEqual(
      responses.map(() => [303, adminAccountPath(user.userId)]),
    );
    expect(await listUserEvents(user, 'session_ended')).toHaveLength(1);
    const emails = await listEmailsTo(service, user.email);
    expect(emails.filter(({ subject }) => subject.includes('a été fermée'))).toHaveLength(1);
    expect((await admin.browser.get(path)).status).toBe(404);
  });

  test('does not lock the account’s other sessions', async () => {
    const { user } = await createSignedInUser(service);
    const path = await buildSessionPath(user);
    service.clock.advance(1);
    await openSignedInBrowser(service, user);
    const [other] = await listSessions(service.services.database, user.userId, service.clock.now());
    expect(path).not.toContain(other?.sid);
    const lock = await lockSession(service.databaseUrl, other?.sid);
    try {
      expect((await admin.submit(path)).location?.search).toBe('?done=end');
    } finally {
      await lock.release();
    }
  });

  test('is not offered for the administrator’s current session', async () => {
    const { body } = await admin.browser.get(adminAccountPath(admin.user.userId));
    const path = await buildSessionPath(admin.user);
    expect(body).not.toContain(path);
    expect(body).toContain('this browser');
    expect((await admin.browser.get(path)).location?.pathname).toBe(adminAccountPath(admin.user.userId));
    const { hidden } = await admin.browser.get(adminAccountPath(admin.user.userId, 'end'));
    const response = await admin.browser.post(path, hidden);
    expect([response.status, response.location?.search]).toEqual([303, '']);
    expect(await isSignedIn(admin.browser)).toBe(true);
  });
});

describe('revoking one application’s access', () => {
  test('revokes only this application’s tokens', async () => {
    const { user, browser, client, tokens } = await createConnectedUser();
    const otherTokens = await obtainTokens(service, await service.createClient(), browser);
    await sql(service.services.database, 'update users set email_verified = true where id = $1', [
      user.userId,
    ]);
    const response = await admin.submit(buildConnectionPath(user, client.clientId), {
      reason: 'too curious',
    });
    expect([response.status, response.location?.pathname]).toEqual([303, adminAccountPath(user.userId)]);
    const page = await admin.browser.follow(response);
    expect(page.body).toContain('<span>Access revoked</span>');
    expect(page.body).toContain('id="connected-applications">1<');
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await redeemRefreshToken(service, client, tokens.refreshToken)).status).toBe(400);
    expect((await fetchUserinfo(service, otherTokens.accessToken)).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
    expect(await listUserEvents(user, 'consent_withdrawn')).toMatchObject([
      {
        ...{ actorId: admin.user.userId, userId: user.userId, clientId: client.clientId, ip: '127.0.0.1' },
        detail: { reason: 'too curious' },
      },
    ]);
    const { subject, text } = await findLastEmailTo(service, user.email);
    expect(subject).toBe('An application lost access to your Sésame account');
    expect(text).toContain('Notebook');
    expect(text).not.toMatch(/curious|127\.0\.0\.1|Grace/);
  });

  test('has no effect on resubmission', async () => {
    const { user, client } = await createConnectedUser();
    const path = buildConnectionPath(user, client.clientId);
    const { hidden } = await admin.browser.get(path);
    const responses = await Promise.all([1, 2].map(() => admin.browser.post(path, hidden)));
    responses.push(await admin.browser.post(path, hidden));
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(await listUserEvents(user, 'consent_withdrawn')).toHaveLength(1);
    expect((await findLastEmailTo(service, user.email)).text, 'the mailbox is unverified').not.toContain(
      'Notebook',
    );
    expect((await admin.browser.get(path)).status).toBe(404);
  });
});

test('an agent’s access can be revoked', async () => {
  const { user } = await createSignedInUser(service);
  const { database } = service.services;
  const now = service.clock.now();
  const clientId = 'https://scribe.example/oauth/client.json?a=1';
  const redirectUris = ['http://localhost/callback'];
  const agent = { clientId, name: 'Scribe', redirectUris, jwks: null, origin: 'https://scribe.example' };
  await storeDocument(database, { ...agent, freshUntil: now }, 10, now);
  const values = [user.userId, clientId, now];
  await sql(
    database,
    `insert into consents (user_id, client_id, scopes, granted_at) values ($1, $2, '{openid}', $3)`,
    values,
  );
  const { body } = await admin.browser.get(adminAccountPath(user.userId));
  expect(body).toContain(`href="/console/operations/agents/${encodeURIComponent(clientId)}"`);
  const path = buildConnectionPath(user, clientId);
  expect(body).toContain(`href="${path}"`);
  expect((await admin.submit(path)).status).toBe(303);
  expect(await listUserEvents(user, 'consent_withdrawn')).toMatchObject([{ clientId }]);
});

test('the account’s page collapses all but five sessions and five applications', async () => {
  const { user, browser } = await createSignedInUser(service);
  for (let number = 0; number < 6; number += 1) {
    const client = await service.createClient({ name: `Notebook ${number}` });
    await obtainTokens(service, client, browser);
    service.clock.advance(1);
    await openSignedInBrowser(service, user);
  }
  const { body } = await admin.browser.get(adminAccountPath(user.userId));
  const lists = [...body.matchAll(/<ul class="entries">[\s\S]*?<\/ul>\s*<\/?(?:details|section)/g)].map(
    ([list]) => list,
  );
  expect(lists.map((list) => list.match(/<li class="entry">/g)?.length)).toEqual([5, 2, 5, 1]);
  expect(body).toContain('<summary>Show 2 more</summary>');
  expect(readText(lists[0] ?? '')).toMatch(
    /Unknown device\s+127\.0\.0\.1 · signed in .* · active .*End session/,
  );
  expect(readText(lists[2] ?? '')).toMatch(/Notebook 5\s+Allowed on .* · used .*identifier name and picture/);
  expect(lists[2]).toMatch(new RegExp(`href="${adminClientPath('[^"]+')}"`));
});

test('an account’s page lists at most 100 sessions and applications', async () => {
  const { user, browser } = await createSignedInUser(service, { locale: 'en' });
  const { database } = service.services;
  const path = await buildSessionPath(user);
  const client = await service.createClient();
  await obtainTokens(service, client, browser);
  const now = service.clock.now();
  await sql(
    database,
    `insert into sessions (id_hash, sid, user_id, user_epoch, auth_time, expires_at, ip, user_agent, started_at)
    select decode(md5(n::text), 'hex'), gen_random_uuid(), $1, 0, $2::timestamptz + interval '1 second',
      $2::timestamptz + interval '1 day', '', '', $2 from generate_series(1, 1200) n`,
    [user.userId, now],
  );
  await sql(
    database,
    `with copies as (
      insert into clients select (jsonb_populate_record(c, jsonb_build_object('client_id', 'copy-' || n))).*
      from clients c, generate_series(1, 120) n where c.client_id = $2 returning client_id
    )
    insert into consents (user_id, client_id, scopes, granted_at)
    select $1, client_id, '{openid}', $3::timestamptz + interval '1 second' from copies`,
    [user.userId, client.clientId, now],
  );
  const { body } = await admin.browser.get(adminAccountPath(user.userId));
  expect(body.match(/<li class="entry">/g)).toHaveLength(200);
  expect(body).toContain('id="open-sessions">more than 999<');
  expect(body).toContain('id="connected-applications">121<');
  expect(body.match(/and \d+ more/g)).toEqual(['and 21 more']);
  for (const unlisted of [path, buildConnectionPath(user, client.clientId)]) {
    expect(body).not.toContain(unlisted);
    expect((await admin.submit(unlisted)).status).toBe(303);
  }
  expect(await listUserEvents(user, 'session_ended')).toHaveLength(1);
  expect(await listUserEvents(user, 'consent_withdrawn')).toMatchObject([{ clientId: client.clientId }]);
});

test('the confirmation pages mention an email if emails can be sent', async () => {
  const { user, client } = await createConnectedUser();
  const paths = [await buildSessionPath(user), buildConnectionPath(user, client.clientId)];
  await using serviceWithoutEmail = await startTestService(
    {
      NODE_ENV: 'production',
      MFA_POLICY: 'optional',
      BASE_URL: 'https://sesame.example',
      TRUSTED_PROXIES: '127.0.0.1',
    },
    { databaseUrl: service.databaseUrl },
  );
  const { email, password } = await service.createUser({ isAdmin: true });
  const browser = openBrowserSession(`http://127.0.0.1:${serviceWithoutEmail.services.config.port}`, {
    'x-forwarded-proto': 'https',
  });
  const { hidden } = await browser.get('/signin');
  await browser.post('/signin', { ...hidden, email, password });
  for (const path of paths) {
    expect((await admin.browser.get(path)).body).toContain('The user is notified by email.');
    const page = await browser.get(path);
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('notified by email');
  }
  expect((await browser.get(adminAccountPath(user.userId, 'edit'))).body).not.toContain('notified by email');
});

describe.each(['session', 'application'] as const)('ending a user’s %s', (kind) => {
  const createUserAndPath = async (): Promise<{ user: TestUser; path: string }> => {
    const { user, client } = await createConnectedUser();
    return {
      user,
      path: kind === 'session' ? await buildSessionPath(user) : buildConnectionPath(user, client.clientId),
    };
  };
  const countEvents = async (user: TestUser) =>
    (await listUserEvents(user, kind === 'session' ? 'session_ended' : 'consent_withdrawn')).length;

  test('is rejected for unknown IDs and other accounts', async () => {
    const { user, path } = await createUserAndPath();
    const { hidden } = await admin.browser.get(path);
    const other = await service.createUser();
    const segment = kind === 'session' ? 'sessions' : 'applications';
    for (const wrong of [
      path.replace(user.userId, other.userId),
      path.replace(user.userId, 'me'),
      adminAccountPath(
        user.userId,
        `${segment}/00000000-0000-0000-0000-000000000000/${path.split('/').at(-1)}`,
      ),
      adminAccountPath(user.userId, `${segment}/%00/${path.split('/').at(-1)}`),
    ]) {
      expect((await admin.browser.get(wrong)).status, wrong).toBe(404);
      expect((await admin.browser.post(wrong, hidden)).status, wrong).toBe(404);
    }
    expect(await countEvents(user)).toBe(0);
  });

  test('is rejected for other users and without a CSRF token', async () => {
    const { user, path } = await createUserAndPath();
    const { hidden } = await admin.browser.get(path);
    const anonymous = openBrowserSession(service.baseUrl);
    expect((await anonymous.get(path)).location?.pathname).toBe('/signin');
    expect((await anonymous.post(path, hidden)).status).not.toBe(200);
    const ordinary = await createSignedInUser(service);
    expect((await ordinary.browser.get(path)).status).toBe(404);
    expect((await ordinary.browser.post(path, hidden)).status).toBeOneOf([403, 404]);
    for (const csrf of ['', 'forged'])
      expect((await admin.browser.post(path, { ...hidden, csrf })).status, csrf).toBe(403);
    expect(await countEvents(user)).toBe(0);
  });

  test('has no effect if the administrator role is removed concurrently', async () => {
    const formerAdmin = await createSignedInAdmin(service);
    const { user, path } = await createUserAndPath();
    const { hidden } = await formerAdmin.browser.get(path);
    const { database } = service.services;
    const submitted = await database.transaction(async (transaction) => {
      const { userId } = formerAdmin.user;
      await ACCOUNT_CHANGES.revoke(transaction, userId, service.clock.now());
      const response = formerAdmin.browser.post(path, hidden);
      await waitForBlocked(service.databaseUrl);
      return { response };
    });
    expect((await submitted.response).status).toBe(404);
    expect((await admin.browser.get(path)).status).toBe(200);
    expect(await countEvents(user)).toBe(0);
  });

  test('requires re-authentication if the sign-in is over 15 minutes old', async () => {
    const secondAdmin = await createSignedInAdmin(service);
    const { user, path } = await createUserAndPath();
    service.clock.advance(15 * 60 + 1);
    const rejected = await secondAdmin.submit(path, { current_password: 'wrong' });
    expect([rejected.status, readFieldError(rejected.body, 'current_password')]).toEqual([
      400,
      'That is not your current password.',
    ]);
    expect(await countEvents(user)).toBe(0);
    expect((await secondAdmin.submit(path, { current_password: PASSWORD })).status).toBe(303);
    expect(await countEvents(user)).toBe(1);
  });
});
