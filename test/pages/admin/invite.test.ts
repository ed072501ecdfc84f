import { beforeAll, describe, expect, test } from 'vitest';
import { EMAIL_LINK_TTL } from '../../../src/oauth/lifetimes.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { adminAccountPath, createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { findLastEmailTo, listEmailsTo, readCode, readLink } from '../../support/emails.ts';
import { readFieldError, readFormErrors, readHeading, readText } from '../../support/markup.ts';
import { createSignedInUser, openSignedInBrowser, signIn } from '../../support/oauth-flow.ts';
import { PASSWORD, startTestService, useTestService } from '../../support/service.ts';

const service = useTestService({ SIGN_UP: 'closed', HOURLY_LIMITS: 'on' });
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});

const INVITATION_PATH = '/console/operations/accounts/new';
const CHOSEN_PASSWORD = 'four-wandering-otters-77';
let emailCount = 0;
const newEmail = () => `Invited.${++emailCount}@exemple.fr`;

async function inviteUser(email: string, fields: Record<string, string> = {}) {
  const response = await admin.submit(INVITATION_PATH, {
    name: 'Élise Martin',
    email,
    language: 'en',
    ...fields,
  });
  return { response, userId: response.location?.pathname.split('/').at(-1) ?? '' };
}

async function acceptInvitation(link: string, password: string) {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get(link);
  return {
    browser,
    page,
    response: await browser.post('/password/reset', { ...page.hidden, new_password: password }),
  };
}

const listEventKinds = async (userId: string) =>
  (await listEvents(service.services.database, { userId }, { limit: 50 })).map(({ kind }) => kind);

describe('an invitation', () => {
  test('contains a link to choose a password', async () => {
    const email = newEmail();
    const { response, userId } = await inviteUser(email);
    expect([response.status, response.location?.search]).toEqual([303, '?done=invitation']);
    const page = await admin.browser.follow(response);
    expect(page.body).toContain(`<span>Invitation sent to ${email}</span>`);
    expect(page.body).toContain('>invited</span>');
    expect(page.body).toContain('not chosen yet');

    const mail = await findLastEmailTo(service, email);
    expect(mail.subject).toBe('Your Sésame account is ready');
    expect(mail.text).toContain('Hello Élise Martin,');
    const {
      browser,
      page: opened,
      response: accepted,
    } = await acceptInvitation(readLink(mail), CHOSEN_PASSWORD);
    expect(readHeading(opened.body)).toBe('Welcome to Sésame');
    expect(readText(opened.body)).not.toMatch(/new password/i);
    expect(opened.body).toContain(email);
    expect([accepted.status, accepted.location?.pathname]).toEqual([303, '/account']);
    expect((await browser.follow(accepted)).body).toContain('Your account is ready. Welcome to Sésame.');
    const account = await findUserByEmail(service.services.database, email);
    expect(account).toMatchObject({ userId, emailVerified: true, invited: false, isAdmin: false });
    const secondBrowser = openBrowserSession(service.baseUrl);
    await signIn(secondBrowser, { userId, email, name: 'Élise Martin', password: CHOSEN_PASSWORD });
    expect((await secondBrowser.get('/account')).status).toBe(200);
    expect((await listEventKinds(userId)).filter((kind) => kind !== 'signed_in')).toEqual([
      'invitation_accepted',
      'account_invited',
    ]);
    const [invited] = await listEvents(
      service.services.database,
      { userId, kind: 'account_invited' },
      { limit: 1 },
    );
    expect(invited).toMatchObject({ actorId: admin.user.userId, ip: '127.0.0.1', detail: { email } });
  });

  test('is sent again if the user requests a password reset', async () => {
    const email = newEmail();
    await inviteUser(email);
    const anonymous = openBrowserSession(service.baseUrl);
    const forgot = await anonymous.get('/password/forgot');
    await anonymous.post('/password/forgot', { ...forgot.hidden, email });
    const mail = await findLastEmailTo(service, email);
    const page = await anonymous.get(readLink(mail));
    expect(readHeading(page.body)).toBe('Welcome to Sésame');
    expect(readText(page.body)).not.toMatch(/new password/i);
    const accepted = await anonymous.post('/password/reset', {
      ...page.hidden,
      new_password: CHOSEN_PASSWORD,
    });
    expect((await anonymous.follow(accepted)).body).toContain('Your account is ready. Welcome to Sésame.');
  });

  test('contains a link that works once and expires', async () => {
    const email = newEmail();
    await inviteUser(email);
    const link = readLink(await findLastEmailTo(service, email));
    const browsers = [0, 1, 2].map(() => openBrowserSession(service.baseUrl));
    const responses = await Promise.all(
      browsers.map(async (browser, index) => {
        const { hidden } = await browser.get(link);
        return browser.post('/password/reset', { ...hidden, new_password: `${CHOSEN_PASSWORD} ${index}` });
      }),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([303, 400, 400]);
    expect((await openBrowserSession(service.baseUrl).get(link)).status).toBe(400);

    const secondEmail = newEmail();
    await inviteUser(secondEmail);
    const expired = readLink(await findLastEmailTo(service, secondEmail));
    service.clock.advance(EMAIL_LINK_TTL.invitation + 1);
    expect((await openBrowserSession(service.baseUrl).get(expired)).status).toBe(400);
    admin = await createSignedInAdmin(service);
  });

  test('creates an account that cannot sign in before acceptance', async () => {
    const email = newEmail();
    const { userId } = await inviteUser(email);
    const browser = openBrowserSession(service.baseUrl);
    for (const password of ['', PASSWORD, CHOSEN_PASSWORD])
      await signIn(browser, { userId, email, name: 'Élise Martin', password });
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
    const token = readLink(await findLastEmailTo(service, email)).split('token=')[1];
    for (const path of ['/security/confirm', '/security/report', '/security/cancel-reset'])
      expect([path, (await browser.get(`${path}?token=${token}`)).status]).toEqual([path, 400]);
  });

  test("cannot be accepted with another browser's CSRF token", async () => {
    const email = newEmail();
    await inviteUser(email);
    const { hidden } = await openBrowserSession(service.baseUrl).get(
      readLink(await findLastEmailTo(service, email)),
    );
    const forged = await openBrowserSession(service.baseUrl).post('/password/reset', {
      ...hidden,
      new_password: CHOSEN_PASSWORD,
    });
    expect(forged.status).toBe(403);
    expect((await findUserByEmail(service.services.database, email))?.invited).toBe(true);
  });

  test('is rejected if the email address is taken', async () => {
    const user = await service.createUser({ email: 'There.Already@exemple.fr' });
    const rejected = await admin.browser.follow(
      (await inviteUser('there.already@EXEMPLE.fr', { name: 'Another' })).response,
    );
    expect(rejected.status).toBe(400);
    expect(readFieldError(rejected.body, 'email')).toContain('An account already uses this address.');
    expect(rejected.body).toContain(`href="${adminAccountPath(user.userId)}"`);
    expect(rejected.body).toContain('value="Another"');
    expect(await listEmailsTo(service, user.email)).toEqual([]);
    expect((await findUserByEmail(service.services.database, user.email))?.name).toBe(user.name);
    await openSignedInBrowser(service, user);
  });

  test('is sent once if the form is submitted concurrently', async () => {
    const email = newEmail();
    const { hidden } = await admin.browser.get(INVITATION_PATH);
    const form = { csrf: hidden.csrf ?? '', name: 'Élise Martin', email, language: 'fr' };
    const responses = await Promise.all([0, 1, 2].map(() => admin.browser.post(INVITATION_PATH, form)));
    const destinations = new Set(responses.map(({ location }) => `${location?.pathname}${location?.search}`));
    expect(destinations.size).toBe(1);
    expect([...destinations][0]).toMatch(/\?done=invitation$/);
    expect(await listEmailsTo(service, email)).toHaveLength(1);
    expect((await findLastEmailTo(service, email)).subject).toBe('Votre compte Sésame vous attend');
  });

  test('requires a name, an email address and recent authentication', async () => {
    const { response } = await inviteUser('nobody', { name: '' });
    const rejected = await admin.browser.follow(response);
    expect([readFieldError(rejected.body, 'name'), readFieldError(rejected.body, 'email')]).not.toContain('');
    const oldSession = await createSignedInAdmin(service);
    service.clock.advance(16 * 60);
    const email = newEmail();
    const passwordPrompt = await oldSession.browser.follow(
      await oldSession.submit(INVITATION_PATH, { name: 'Élise', email, language: 'fr' }),
    );
    expect(passwordPrompt.status).toBe(400);
    expect(await findUserByEmail(service.services.database, email)).toBeUndefined();
    const fields = { name: 'Élise', email, language: 'fr', current_password: PASSWORD };
    expect((await oldSession.submit(INVITATION_PATH, fields)).location?.search).toBe('?done=invitation');
    admin = oldSession;
  });

  test('can be sent again until it is accepted', async () => {
    const email = newEmail();
    const { userId } = await inviteUser(email);
    const path = adminAccountPath(userId, 'invitation');
    expect((await admin.submit(path, { reason: 'lost' })).location?.search).toBe('?done=invitation');
    const [second, first] = (await listEmailsTo(service, email)).map(readLink);
    expect((await acceptInvitation(first ?? '', CHOSEN_PASSWORD)).response.status).toBe(303);
    expect(
      (await acceptInvitation(second ?? '', 'seven-other-badgers-12')).page.status,
      'the second link is no longer valid',
    ).toBe(400);
    expect((await admin.browser.get(path)).location?.pathname).toBe(adminAccountPath(userId));
    expect(await listEventKinds(userId)).toContain('invitation_sent');

    const suspendedEmail = newEmail();
    const { userId: suspended } = await inviteUser(suspendedEmail);
    const link = readLink(await findLastEmailTo(service, suspendedEmail));
    await admin.submit(adminAccountPath(suspended, 'suspend'));
    const { csrf = '' } = (await admin.browser.get('/account')).hidden;
    const response = await admin.browser.post(adminAccountPath(suspended, 'invitation'), { csrf });
    expect([response.status, response.location?.search]).toEqual([303, '']);
    expect(await listEmailsTo(service, suspendedEmail)).toHaveLength(2); // invitation and suspension notice
    expect((await openBrowserSession(service.baseUrl).get(link)).status).toBe(400);
  });
});

describe('an email sent by an administrator', () => {
  test('can contain a password reset link', async () => {
    const { user, browser: userBrowser } = await createSignedInUser(service, { emailVerified: true });
    const response = await admin.submit(adminAccountPath(user.userId, 'reset_password'));
    expect((await admin.browser.follow(response)).body).toMatch(
      /role="status"[\s\S]*?Password reset link sent/,
    );
    expect((await userBrowser.get('/account')).status).toBe(200);
    const mail = await findLastEmailTo(service, user.email);
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(readLink(mail));
    expect((await browser.post('/password/reset', { ...hidden, new_password: CHOSEN_PASSWORD })).status).toBe(
      303,
    );
    expect((await userBrowser.get('/account')).location?.pathname).toBe('/signin');
    expect(await listEventKinds(user.userId)).toContain('password_offered');
  });

  test('can contain a code to verify the email address', async () => {
    const user = await service.createUser();
    const path = adminAccountPath(user.userId, 'verify_email');
    expect((await admin.submit(path)).location?.search).toBe('?done=verify_email');
    const userBrowser = await openSignedInBrowser(service, user);
    const { csrf = '' } = (await userBrowser.get('/account/verify')).hidden;
    const mail = (await listEmailsTo(service, user.email)).find(({ text }) => /^\d{8}$/m.test(text));
    await userBrowser.post('/account/verify', { csrf, code: readCode(mail ?? { text: '' }) });
    expect((await findUserByEmail(service.services.database, user.email))?.emailVerified).toBe(true);
    expect((await admin.browser.get(path)).location?.pathname).toBe(adminAccountPath(user.userId));
    expect((await admin.browser.get(adminAccountPath(user.userId))).body).not.toContain('verify_email');
  });

  test("counts toward the address's hourly limit", async () => {
    const user = await service.createUser({ emailVerified: true });
    const path = adminAccountPath(user.userId, 'reset_password');
    for (let sent = 0; sent < 5; sent += 1) await admin.submit(path);
    const rejected = await admin.browser.follow(await admin.submit(path));
    expect(rejected.status).toBe(429);
    expect(readFormErrors(rejected.body).join()).toContain('Too many emails have been sent to this address');
  });
});

test('administrators cannot send emails if no mail server is configured', async () => {
  await using serviceWithoutEmail = await startTestService();
  serviceWithoutEmail.services.mailer.available = false; // as in production without SMTP_URL
  const secondAdmin = await createSignedInAdmin(serviceWithoutEmail);
  expect((await secondAdmin.browser.get(INVITATION_PATH)).body).toContain('No email server is configured');
  const email = newEmail();
  const rejected = await secondAdmin.submit(INVITATION_PATH, { name: 'Élise', email, language: 'fr' });
  expect(rejected.status).toBe(400);
  expect(readFormErrors(rejected.body).join()).toContain('No email server is configured');
  expect(await findUserByEmail(serviceWithoutEmail.services.database, email)).toBeUndefined();
  const { body } = await secondAdmin.browser.get(
    adminAccountPath((await serviceWithoutEmail.createUser()).userId),
  );
  expect(body).not.toContain('/verify_email');
});
