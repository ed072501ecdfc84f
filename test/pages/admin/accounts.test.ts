// Account moderation.
import { beforeAll, describe, expect, test } from 'vitest';
import { PAGE_SIZE } from '../../../src/store/admin-lists.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import {
  adminAccountPath,
  adminClientPath,
  createSignedInAdmin,
  type TestAdmin,
} from '../../support/admin.ts';
import { addIdentity, addUnreachableProvider } from '../../support/linked-identities.ts';
import { readFieldError, readFormErrors, readHeading, readText } from '../../support/markup.ts';
import { createSignedInUser, fetchUserinfo, obtainTokens, signIn } from '../../support/oauth-flow.ts';
import { PASSWORD, type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});

const readNotice = (body: string) => /role="status">.*?<span>([^<]*)</s.exec(body)?.[1];
const readEvents = (user: TestUser) =>
  listEvents(service.services.database, { userId: user.userId }, { limit: 50 });
const listEventKinds = async (user: TestUser) =>
  (await readEvents(user)).map(({ kind }) => kind).filter((kind) => /^(account|admin)_/.test(kind));

describe('suspending an account', () => {
  test('revokes its sessions and tokens', async () => {
    const { user, browser } = await createSignedInUser(service, { name: 'Suspend Me' });
    const { accessToken } = await obtainTokens(service, await service.createClient(), browser);
    const response = await admin.submit(adminAccountPath(user.userId, 'suspend'), {
      reason: ' spam\u202e  sent ',
    });
    expect([response.status, response.location?.search]).toEqual([303, '?done=suspend']);
    const { body } = await admin.browser.follow(response);
    expect(readNotice(body)).toBe('Account suspended');
    expect(body).toContain('id="open-sessions">0<');
    expect(body).toContain('id="connected-applications">0<');
    expect((await fetchUserinfo(service, accessToken)).status).toBe(401);
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
    expect((await readEvents(user))[0]).toMatchObject({
      ...{ kind: 'account_suspended', actorId: admin.user.userId, userId: user.userId },
      ...{ ip: '127.0.0.1', detail: { email: user.email, reason: 'spam sent' } },
    });

    expect((await admin.submit(adminAccountPath(user.userId, 'unsuspend'))).status).toBe(303);
    expect((await fetchUserinfo(service, accessToken)).status, 'revoked tokens stay revoked').toBe(401);
    await signIn(browser, user);
    expect((await browser.get('/account')).status).toBe(200);
    expect(await listEventKinds(user)).toEqual(['account_unsuspended', 'account_suspended']);
  });

  test('is logged once if the form is submitted concurrently', async () => {
    const user = await service.createUser();
    const path = adminAccountPath(user.userId, 'suspend');
    const { hidden } = await admin.browser.get(path);
    const responses = await Promise.all([1, 2, 3].map(() => admin.browser.post(path, hidden)));
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 303]);
    const notices = responses.map(({ location }) => location?.search).toSorted();
    expect(notices, 'only the first form shows a notice').toEqual(['', '', '?done=suspend']);
    expect(await listEventKinds(user)).toEqual(['account_suspended']);
    expect((await admin.browser.get(path)).location?.pathname).toBe(adminAccountPath(user.userId));
    const claimed = await admin.browser.get(`${adminAccountPath(user.userId)}?done=unsuspend`);
    expect(readNotice(claimed.body), 'the notice comes from the log, not the URL').toBe('Account suspended');
    expect(
      readNotice((await admin.browser.get('/console/operations/accounts?done=delete')).body),
    ).toBeUndefined();
  });

  test('is rejected if the reason is longer than 200 characters', async () => {
    const user = await service.createUser({ name: '<b>"Zoé" & \'co\'' });
    const path = adminAccountPath(user.userId, 'suspend');
    const reason = 'é'.repeat(201);
    const rejected = await admin.submit(path, { reason });
    expect(readFieldError(rejected.body, 'reason')).toBe('The reason must be 200 characters or fewer.');
    expect(rejected.body).toContain(`value="${reason}"`);
    expect(readHeading(rejected.body)).toBe(`Suspend <b>"Zoé" & 'co'`);
    expect(rejected.body).not.toContain('<b>"');
    const extra = { admin: 'true', user_id: admin.user.userId, action: 'grant', name: 'Mallory' };
    await admin.submit(path, extra);
    expect(await findUserByEmail(service.services.database, user.email)).toMatchObject({
      ...{ suspended: true, isAdmin: false, name: user.name },
    });
  });
});

test('a confirmation page lists at most four details', async () => {
  const { user } = await createSignedInUser(service);
  const { clientId } = await service.createClient();
  const { apiId } = await service.createApi();
  for (const path of [
    adminAccountPath(user.userId, 'end'),
    adminAccountPath(user.userId, 'delete'),
    adminClientPath(clientId, 'verify'),
    `/console/operations/apis/${apiId}/suspend`,
  ]) {
    const { body } = await admin.browser.get(path);
    expect(body.match(/<dt>/g)?.length, path).toBeOneOf([2, 3, 4]);
  }
});

test('the button to end sessions is hidden if there is nothing to end', async () => {
  const { user, browser } = await createSignedInUser(service);
  const end = `href="${adminAccountPath(user.userId, 'end')}"`;
  const readPage = async () => (await admin.browser.get(adminAccountPath(user.userId))).body;
  expect(await readPage()).toContain(end);
  await obtainTokens(service, await service.createClient(), browser);
  await sql(service.services.database, 'delete from sessions where user_id = $1', [user.userId]);
  expect(await readPage(), 'applications still have access').toContain(end);
  await sql(service.services.database, 'delete from consents where user_id = $1', [user.userId]);
  expect(await readPage()).not.toContain(end);
});

test('an account’s page links to the edit form or the administrator’s own account pages', async () => {
  const own = (await admin.browser.get(adminAccountPath(admin.user.userId))).body;
  expect(own).toContain('href="/account"><span>My account</span>');
  expect(own).not.toContain('>Edit<');
});

test('an account’s page lists its linked identities', async () => {
  const { userId } = await service.createUser();
  const path = adminAccountPath(userId);
  expect((await admin.browser.get(path)).body).not.toContain('linked-accounts');
  await addUnreachableProvider(service, 'north', 'North & co');
  await addIdentity(service, userId, 'north');
  const { body } = await admin.browser.get(path);
  expect(readText(/<ul class="lines" id="linked-accounts">[\s\S]*?<\/ul>/.exec(body)?.[0] ?? '')).toMatch(
    /North & co \(ada@provider\.example\) ?Linked on .+, never used/,
  );
});

test('ending an account’s sessions also revokes its tokens', async () => {
  const { user, browser } = await createSignedInUser(service);
  const { accessToken } = await obtainTokens(service, await service.createClient(), browser);
  const page = await admin.browser.get(adminAccountPath(user.userId));
  expect(page.body).toContain('id="open-sessions">1<');
  expect(page.body).toContain('id="connected-applications">1<');
  await admin.submit(adminAccountPath(user.userId, 'end'));
  expect((await fetchUserinfo(service, accessToken)).status).toBe(401);
  expect((await browser.get('/account')).status).toBe(303);
  const pageAfter = await admin.browser.get(adminAccountPath(user.userId));
  expect(pageAfter.body).toContain('id="open-sessions">0<');
  expect(await listEventKinds(user)).toEqual(['account_access_ended']);
  await signIn(browser, user);
  expect((await browser.get('/account')).status).toBe(200);
});

test('deleting an account requires entering its email address', async () => {
  const user = await service.createUser({ name: 'Delete Me' });
  const { clientId } = await service.createClient({ ownerId: user.userId, name: 'Doomed' });
  await service.createApi({ ownerId: user.userId, name: 'Doomed API' });
  const path = adminAccountPath(user.userId, 'delete');
  const page = await admin.browser.get(path);
  for (const name of ['Doomed', 'Doomed API']) expect(page.body).toContain(`<bdi>${name}</bdi>`);
  for (const email of ['', admin.user.email]) {
    const rejected = await admin.submit(path, { email });
    expect([rejected.status, readFieldError(rejected.body, 'email')]).toEqual([
      400,
      'This is not the email address of the account to delete.',
    ]);
  }
  expect(await findUserByEmail(service.services.database, user.email)).toBeDefined();

  const response = await admin.submit(path, { email: user.email.toUpperCase(), reason: 'asked' });
  expect([response.status, response.location?.pathname]).toEqual([303, '/console/operations/accounts']);
  expect(readNotice((await admin.browser.follow(response)).body)).toBe('Account deleted');
  expect((await admin.browser.get(adminAccountPath(user.userId))).status).toBe(404);
  expect((await admin.browser.post(path, page.hidden)).status, 'resubmitting the form returns 404').toBe(404);
  expect((await readEvents(user))[0]).toMatchObject({
    kind: 'account_deleted',
    userEmail: null,
    detail: { email: user.email, name: 'Delete Me', applications: 1, reason: 'asked' },
  });
  expect((await listEvents(service.services.database, { clientId }, { limit: 1 }))[0]).toMatchObject({
    ...{ kind: 'application_deleted', actorId: admin.user.userId, detail: { name: 'Doomed' } },
  });
});

test("an account's page lists at most 40 applications", async () => {
  const { userId: ownerId } = await service.createUser();
  for (let number = 0; number < PAGE_SIZE + 2; number += 1) await service.createClient({ ownerId });
  const { apiId } = await service.createApi({ ownerId });
  const deletion = await admin.browser.get(adminAccountPath(ownerId, 'delete'));
  const page = await admin.browser.get(adminAccountPath(ownerId));
  expect(page.body).toContain(`href="/console/operations/apis/${apiId}"`);
  for (const { body } of [deletion, page]) expect(body).toContain('>and 2 more</li>');
});

describe('administrators', () => {
  test('can grant and revoke the administrator role', async () => {
    const { user, browser } = await createSignedInUser(service);
    expect((await browser.get('/console/operations')).status).toBe(404);
    await admin.submit(adminAccountPath(user.userId, 'grant'));
    expect((await browser.get('/console/operations')).status).toBe(200);
    await admin.submit(adminAccountPath(user.userId, 'revoke'));
    expect((await browser.get('/console/operations')).status).toBe(404);
    expect(await listEventKinds(user)).toEqual(['admin_revoked', 'admin_granted']);
  });

  test('cannot suspend, delete or demote themselves', async () => {
    const secondAdmin = await createSignedInAdmin(service);
    const buildSecondAdminPath = (action?: string) => adminAccountPath(secondAdmin.user.userId, action);
    const { body } = await secondAdmin.browser.get(buildSecondAdminPath());
    const { hidden } = await secondAdmin.browser.get(buildSecondAdminPath('end'));
    for (const action of ['suspend', 'revoke', 'delete']) {
      expect(body).not.toContain(`/${action}"`);
      const rejected = await secondAdmin.browser.post(buildSecondAdminPath(action), {
        ...hidden,
        email: secondAdmin.user.email,
      });
      expect(readFormErrors(rejected.body)).toEqual([
        'You cannot do this to your own account. Ask another administrator.',
      ]);
    }
    expect(await listEventKinds(secondAdmin.user)).toEqual([]);
    expect(
      (await secondAdmin.browser.follow(await secondAdmin.submit(buildSecondAdminPath('end')))).status,
    ).toBe(200);
    expect((await secondAdmin.browser.get('/console/operations')).location?.pathname).toBe('/signin');
  });
});

test('administrators must re-authenticate if their sign-in is over 15 minutes old', async () => {
  const secondAdmin = await createSignedInAdmin(service);
  service.clock.advance(15 * 60 + 1);
  for (const action of ['suspend', 'end', 'grant', 'delete']) {
    const user = await service.createUser();
    const path = adminAccountPath(user.userId, action);
    const page = await secondAdmin.browser.get(path);
    const form = { ...page.hidden, email: user.email };
    for (const [current_password, error] of [
      ['', 'Enter your current password.'],
      ['wrong', 'That is not your current password.'],
    ] as const) {
      const rejected = await secondAdmin.browser.post(path, { ...form, current_password });
      expect([rejected.status, readFieldError(rejected.body, 'current_password')]).toEqual([400, error]);
      expect(rejected.body).not.toContain('value="wrong"');
    }
    expect(await listEventKinds(user)).toEqual([]);
    const accepted = await secondAdmin.browser.post(path, { ...form, current_password: PASSWORD });
    expect([accepted.status, (await listEventKinds(user)).length]).toEqual([303, 1]);
    service.clock.advance(15 * 60 + 1);
  }
});

test('an account’s page says if an imported password has never been used', async () => {
  const user = await service.createUser();
  const readPage = async () => (await admin.browser.get(adminAccountPath(user.userId))).body;
  expect(await readPage()).not.toContain('Imported');
  const hash = '{imported}$2b$10$BaCCkHfpyBLKOWR5QCtkG.OaQ2uqBQ1ZSVSw2k2qnFcypTL5WF7B2';
  await sql(service.services.database, 'update users set password_hash = $2 where id = $1', [
    user.userId,
    hash,
  ]);
  const body = await readPage();
  expect(body).toContain('Imported, not used yet');
  expect(body).not.toContain('$2b$');
});
