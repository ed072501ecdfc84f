// /account/data and /account/delete: data export and account deletion.

import { beforeAll, describe, expect, test } from 'vitest';
import { moderateResource } from '../../../src/accounts/moderation.ts';
import { statement } from '../../../src/store/statement.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { listTablesContaining, TABLES_KEPT_ON_DELETION } from '../../support/database-content.ts';
import { readFieldError, readHeading } from '../../support/markup.ts';
import {
  fetchUserinfo,
  obtainCode,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../../support/oauth-flow.ts';
import { startTestService, type TestClient, type TestUser, useTestService } from '../../support/service.ts';
import { insertConsent } from '../../support/store-fixtures.ts';
import { createPicture, upload } from '../../support/upload.ts';

const service = useTestService();
beforeAll(() => service.createUser({ isAdmin: true }));

interface SignedInUser {
  user: TestUser;
  browser: BrowserSession;
  csrf: string;
}

async function signInUser(user?: TestUser): Promise<SignedInUser> {
  const accountUser = user ?? (await service.createUser({ phone: '+33612345678' }));
  const browser = await openSignedInBrowser(service, accountUser);
  return { user: accountUser, browser, csrf: (await browser.get('/account')).hidden.csrf ?? '' };
}

const exportData = ({ browser, csrf }: SignedInUser, fields = {}): Promise<Visit> =>
  browser.post('/account/data', { csrf, ...fields });
const deleteAccount = ({ browser, csrf, user }: SignedInUser, fields = {}): Promise<Visit> =>
  browser.post('/account/delete', { csrf, email: user.email, ...fields });
const accountExists = async ({ user }: SignedInUser) =>
  (await findUserByEmail(service.services.database, user.email)) !== undefined;

const LIST_EVENTS = statement(
  'test_events',
  'select kind, detail from events where user_id = $1 or actor_id = $1 order by id',
);
const listEventKinds = async ({ user }: SignedInUser) =>
  (await service.services.database.query<{ kind: string }>(LIST_EVENTS, [user.userId])).map(
    ({ kind }) => kind,
  );

async function createUserWithAllData(): Promise<
  SignedInUser & {
    tokens: { accessToken: string; refreshToken: string };
    application: TestClient;
    own: TestClient;
  }
> {
  const signedIn = await signInUser();
  const picture = { name: 'picture', content: await createPicture(), fileName: 'me.png' };
  await upload(signedIn.browser, '/account/picture', { csrf: signedIn.csrf }, picture);
  const application = await service.createClient({ name: 'Carnet <b>' });
  const tokens = await obtainTokens(service, application, signedIn.browser);
  await fetchUserinfo(service, tokens.accessToken);
  const ownedClient = await service.createClient({ name: 'À moi', ownerId: signedIn.user.userId });
  const { userId } = await service.createUser();
  const now = service.clock.now();
  await insertConsent(service.services.database, {
    userId,
    clientId: ownedClient.clientId,
    scopes: ['openid'],
    now,
  });
  await service.services.usage.flush();
  return { ...signedIn, tokens, application, own: ownedClient };
}

describe('the data export', () => {
  test('contains all data except hashes and secrets', async () => {
    const signedIn = await createUserWithAllData();
    const { user, application, own: ownedClient } = signedIn;
    const response = await exportData(signedIn);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="account-\d{4}-\d\d-\d\d\.json"$/,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    const file = JSON.parse(response.body);
    expect(file).toMatchObject({
      issuer: service.baseUrl,
      profile: {
        sub: user.userId,
        name: user.name,
        email: user.email,
        phone: '+33612345678',
        picture_type: 'image/webp',
      },
      sessions: [{ ip: '127.0.0.1', user_agent: 'node' }],
      consents: [{ client_id: application.clientId, application: 'Carnet <b>', withdrawn_at: null }],
      applications: [{ client_id: ownedClient.clientId, name: 'À moi', secrets: [{ number: 1 }] }],
    });
    expect(Buffer.from(file.profile.picture, 'base64').subarray(8, 12).toString()).toBe('WEBP');
    expect(file.disclosures.map(({ fields }: { fields: string[] }) => fields)).toEqual([
      ['sub', 'auth_time'],
      ['sub', 'name', 'avatar', 'updated_at', 'email', 'email_verified'],
    ]);
    expect(file.events.map(({ kind }: { kind: string }) => kind)).toEqual([
      'signed_in',
      'picture_changed',
      'consent_given',
      'data_exported',
    ]);
    for (const event of file.events) expect(event).toMatchObject({ actor: 'you', ip: '127.0.0.1' });
    expect(response.body).not.toMatch(/hash|argon2|\\\\x[0-9a-f]/);
    for (const secret of [
      ...signedIn.browser.cookies.values(),
      ownedClient.clientSecret,
      ...Object.values(signedIn.tokens),
    ])
      expect(response.body).not.toContain(secret);
  });

  test('contains no data about other users', async () => {
    const admin = await signInUser(await service.createUser({ isAdmin: true }));
    const other = await signInUser();
    const insert = statement(
      'test_insert_event',
      `insert into events (at, kind, actor_id, user_id, ip, detail)
      values (now(), 'account_suspended', $1, $2, '192.0.2.99', '{"email": "whom@example.org"}')`,
    );
    await service.services.database.query(insert, [admin.user.userId, other.user.userId]);
    expect((await exportData(admin)).body).not.toContain('whom@example.org');
    const otherClient = await service.createClient();
    await moderateResource(
      { database: service.services.database },
      'application',
      'suspend',
      otherClient.clientId,
      { userId: admin.user.userId, ip: '127.0.0.1', reason: 'a reason of theirs' },
      service.clock.now(),
    );
    const adminExport = (await exportData(admin)).body;
    for (const part of ['whom@example.org', other.user.userId, otherClient.clientId, 'a reason of theirs'])
      expect(adminExport).not.toContain(part);
    expect(
      JSON.parse(adminExport).events.filter(({ kind }: { kind: string }) => /suspended/.test(kind)),
    ).toEqual([
      expect.objectContaining({ kind: 'account_suspended', actor: 'you', detail: {}, client_id: null }),
      expect.objectContaining({ kind: 'application_suspended', actor: 'you', detail: {}, client_id: null }),
    ]);
    const moderationEvent = JSON.parse((await exportData(other)).body).events.at(-2);
    expect(moderationEvent).toMatchObject({ kind: 'account_suspended', actor: 'administrator', ip: null });
  });

  test('requires the password if the user has not signed in recently', async () => {
    const signedIn = await signInUser();
    service.clock.advance(16 * 60);
    expect((await signedIn.browser.get('/account/data')).body).toContain('name="current_password"');
    const missingPassword = await exportData(signedIn);
    expect([missingPassword.status, readFieldError(missingPassword.body, 'current_password')]).toEqual([
      400,
      'Enter your current password.',
    ]);
    const wrongPassword = await exportData(signedIn, { current_password: 'wrong password' });
    expect(readFieldError(wrongPassword.body, 'current_password')).toBe('That is not your current password.');
    expect(await listEventKinds(signedIn)).not.toContain('data_exported');
    const correctPassword = await exportData(signedIn, { current_password: signedIn.user.password });
    expect(JSON.parse(correctPassword.body).profile.email).toBe(signedIn.user.email);
  });
});

describe('the account deletion form', () => {
  test('lists the data that will be deleted', async () => {
    const { browser, user } = await createUserWithAllData();
    const { body } = await browser.get('/account/delete');
    expect(readHeading(body)).toBe('Delete your account?');
    expect(body).toContain('the access you gave to one application');
    expect(body).toContain('<strong><bdi>À moi</bdi></strong> (one person uses it)');
    expect(body).toContain(`Your address is ${user.email}.`);
  });

  test('revokes all access and deletes the user’s applications', async () => {
    const signedIn = await createUserWithAllData();
    const { user, browser, tokens, application, own: ownedClient } = signedIn;
    const secondSession = await signInUser(user);
    const code = await obtainCode(service, application, browser);
    const response = await deleteAccount(signedIn);
    expect([response.status, response.location?.search]).toEqual([303, '?deleted=1']);
    expect(browser.cookies.has('sesame')).toBe(false);
    expect((await browser.follow(response)).body).toContain('Your account has been deleted.');
    expect((await secondSession.browser.get('/account')).location?.pathname).toBe('/signin');
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await redeemRefreshToken(service, application, tokens.refreshToken)).body.error).toBe(
      'invalid_grant',
    );
    expect((await redeemCode(service, application, code)).body.error).toBe('invalid_grant');
    expect((await redeemCode(service, ownedClient, 'x')).body.error).toBe('invalid_client');
    expect((await listEventKinds(signedIn)).slice(-2)).toEqual(['application_deleted', 'account_deleted']);

    expect(await listTablesContaining(service.databaseUrl, user.userId, TABLES_KEPT_ON_DELETION)).toEqual([]);
    const newUser = await service.createUser({ email: user.email });
    expect(newUser.userId, '`sub` is never reused').not.toBe(user.userId);
  });

  test.each([
    ['without the email address', { email: '' }],
    ['with a different email address', { email: 'somebody@example.org' }],
  ])('is rejected %s', async (_, fields) => {
    const signedIn = await signInUser();
    const { status, body } = await deleteAccount(signedIn, fields);
    expect([status, readFieldError(body, 'email')]).toEqual([
      400,
      'This is not the email address of this account.',
    ]);
    expect(await accountExists(signedIn)).toBe(true);
  });

  test('requires the password if the user has not signed in recently', async () => {
    const signedIn = await signInUser();
    service.clock.advance(16 * 60);
    for (const [fields, error] of [
      [{}, 'Enter your current password.'],
      [{ current_password: 'wrong password' }, 'That is not your current password.'],
    ] as const) {
      const { status, body } = await deleteAccount(signedIn, fields);
      expect([status, readFieldError(body, 'current_password')]).toEqual([400, error]);
    }
    expect(await accountExists(signedIn)).toBe(true);
    expect((await deleteAccount(signedIn, { current_password: signedIn.user.password })).status).toBe(303);
    expect(await accountExists(signedIn)).toBe(false);
  });

  test('requires a valid CSRF token', async () => {
    const [signedIn, victim] = [await signInUser(), await signInUser()];
    expect((await deleteAccount(signedIn, { csrf: victim.csrf })).status).toBe(403);
    expect(await accountExists(signedIn)).toBe(true);
    await deleteAccount(signedIn, { user_id: victim.user.userId, userId: victim.user.userId });
    expect([await accountExists(signedIn), await accountExists(victim)]).toEqual([false, true]);
  });

  test('creates one audit log event if it is submitted concurrently', async () => {
    const signedIn = await signInUser();
    const responses = await Promise.all([deleteAccount(signedIn), deleteAccount(signedIn)]);
    for (const { status } of responses) expect(status).toBe(303);
    expect((await listEventKinds(signedIn)).filter((kind) => kind === 'account_deleted')).toHaveLength(1);
  });

  test('is rejected if the user is the only administrator', async () => {
    await using alone = await startTestService();
    const user = await alone.createUser({ isAdmin: true });
    const browser = await openSignedInBrowser(alone, user);
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const { status, body } = await browser.post('/account/delete', { csrf, email: user.email });
    expect(status).toBe(400);
    expect(body).toContain('You’re the only administrator of this service.');
    await alone.createUser({ isAdmin: true });
    expect((await browser.post('/account/delete', { csrf, email: user.email })).status).toBe(303);
  });
});

test('account data can be exported at most five times per hour', async () => {
  const signedIn = await signInUser();
  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) statuses.push((await exportData(signedIn)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await exportData(await signInUser())).status).toBe(200);
  service.clock.advance(12 * 60);
  const { csrf = '' } = (await signedIn.browser.get('/account/data')).hidden;
  expect((await exportData({ ...signedIn, csrf })).status).toBe(200);
});
