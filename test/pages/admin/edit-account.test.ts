import { beforeAll, describe, expect, test } from 'vitest';
import { RECENT_SIGN_IN_TTL } from '../../../src/oauth/lifetimes.ts';
import { findAccountDetail } from '../../../src/store/admin-accounts.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { adminAccountPath, createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { findLastEmailTo, listEmailsTo, readCode, readLink } from '../../support/emails.ts';
import { findInput, readFieldError, readFormErrors, readText } from '../../support/markup.ts';
import { createSignedInUser, openSignedInBrowser } from '../../support/oauth-flow.ts';
import { PASSWORD, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService({ HOURLY_LIMITS: 'on' });
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});

let emailCount = 0;
const newEmail = () => `edited${++emailCount}@exemple.fr`;
const VERIFIED_FIELDS = { emailVerified: true, locale: 'en' } as const;
const buildPath = ({ userId }: TestUser) => adminAccountPath(userId, 'edit');

async function createUser(fields: Parameters<typeof service.createUser>[0] = {}): Promise<TestUser> {
  service.clock.advance(1);
  return service.createUser({
    ...VERIFIED_FIELDS,
    email: newEmail(),
    name: 'Ada',
    phone: '+33612345678',
    ...fields,
  });
}

async function readAccount({ userId }: TestUser) {
  const account = await findAccountDetail(service.services.database, userId, service.clock.now());
  const { name, email, phone, emailVerified } = account ?? {};
  return { name, email, phone, emailVerified };
}

const listAdminEvents = async ({ userId }: TestUser) =>
  (await listEvents(service.services.database, { userId }, { limit: 50 }))
    .filter(({ actorId }) => actorId === admin.user.userId)
    .map(({ kind, detail }) => ({ kind, detail }));

async function editAccount(user: TestUser, changes: Record<string, string>, by: TestAdmin = admin) {
  const page = await by.browser.get(buildPath(user));
  const values = Object.fromEntries(
    ['name', 'email', 'phone'].map((name) => [name, findInput(page.body, name)?.value ?? '']),
  );
  service.clock.advance(1);
  return by.browser.post(buildPath(user), { ...page.hidden, ...values, ...changes });
}

const listAllEventKinds = async ({ userId }: TestUser) =>
  (await listEvents(service.services.database, { userId }, { limit: 50 })).map(({ kind }) => kind);

const listEmailSubjects = async (email: string) =>
  (await listEmailsTo(service, email)).map(({ subject }) => subject);
const UPDATED_SUBJECT = 'Your Sésame account was updated';
const CHANGED_BY_ADMIN_SUBJECT = 'An administrator changed the email address for your Sésame account';

async function reportChange(link: string) {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get(link);
  return { browser, page, response: await browser.post('/security/report', page.hidden) };
}

describe('the form to edit an account', () => {
  test('shows the account’s current values', async () => {
    const user = await createUser();
    const account = await admin.browser.get(adminAccountPath(user.userId));
    expect(account.body).toContain(`href="${buildPath(user)}"`);
    const { body } = await admin.browser.get(buildPath(user));
    expect(findInput(body, 'name')?.value).toBe('Ada');
    expect(findInput(body, 'email')?.value).toBe(user.email);
    expect(findInput(body, 'phone')?.value).toBe('+33 6 12 34 56 78');
  });

  test('records the changed fields and notifies the user', async () => {
    const user = await createUser();
    const response = await editAccount(user, {
      name: ' Ada  Lovelace ',
      phone: '06 98 76 54 32',
      reason: 'married',
    });
    expect(response.location?.search).toBe('?done=edit');
    expect((await admin.browser.follow(response)).body).toMatch(/role="status"[\s\S]*?Profile changed/);
    expect(await readAccount(user)).toEqual({
      name: 'Ada Lovelace',
      email: user.email,
      phone: '+33698765432',
      emailVerified: true,
    });
    expect(await listAdminEvents(user)).toEqual([
      { kind: 'profile_changed', detail: { fields: ['name', 'phone'], reason: 'married' } },
    ]);
    const mail = await findLastEmailTo(service, user.email);
    expect(mail.subject).toBe(UPDATED_SUBJECT);
    expect(mail.text).not.toContain('married');
    expect(mail.text).not.toContain(admin.user.name);
    expect((await editAccount(user, { phone: '' })).location?.search).toBe('?done=edit');
    expect((await readAccount(user)).phone).toBeNull();
  });

  test('has no effect if nothing was changed', async () => {
    const user = await createUser();
    expect((await editAccount(user, {})).location?.search).toBe('');
    expect(await listAdminEvents(user)).toEqual([]);
    expect(await listEmailsTo(service, user.email)).toEqual([]);
  });

  test('shows the same validation errors as the profile form', async () => {
    const user = await createUser();
    const response = await editAccount(user, {
      name: ' ',
      email: 'nobody',
      phone: '12',
      reason: 'x'.repeat(201),
    });
    const { body, status } = await admin.browser.follow(response);
    expect(status).toBe(400);
    expect(readFormErrors(body)).toHaveLength(4);
    expect(readFieldError(body, 'name')).toBe('Enter your name.');
    expect(findInput(body, 'email')?.value).toBe('nobody');
    expect((await readAccount(user)).name).toBe('Ada');
  });

  test('requires an administrator who signed in recently', async () => {
    const user = await createUser();
    const { user: other, browser } = await createSignedInUser(service);
    expect((await browser.get(buildPath(user))).status).toBe(404);
    expect((await browser.post(buildPath(other), { name: 'Me', email: other.email })).status).toBe(404);
    const own = { browser: await openSignedInBrowser(service, admin.user), user: admin.user };
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const refused = await own.browser.get(buildPath(user));
    const submit = (fields: Record<string, string>) =>
      own.browser.post(buildPath(user), {
        ...refused.hidden,
        name: 'Taken over',
        email: user.email,
        ...fields,
      });
    expect((await own.browser.follow(await submit({}))).body).toContain('Taken over');
    expect((await readAccount(user)).name).toBe('Ada');
    expect((await submit({ current_password: admin.user.password })).location?.search).toBe('?done=edit');
    admin = await createSignedInAdmin(service);
  });

  test("is not available for the administrator's own account", async () => {
    const self = adminAccountPath(admin.user.userId);
    expect((await admin.browser.get(self)).body).not.toContain(`${self}/edit`);
    expect((await admin.browser.get(`${self}/edit`)).location?.pathname).toBe(self);
    const { hidden } = await admin.browser.get(buildPath(await createUser()));
    const fields = { ...hidden, name: 'Root', email: newEmail(), verified: 'yes' };
    expect((await admin.browser.post(`${self}/edit`, fields)).location?.pathname).toBe(self);
    expect((await readAccount(admin.user)).name).toBe(admin.user.name);
  });

  test('is refused if the administrator has lost the role', async () => {
    const former = await createSignedInAdmin(service);
    const user = await createUser();
    const page = await former.browser.get(buildPath(user));
    await admin.submit(adminAccountPath(former.user.userId, 'revoke'));
    const fields = { ...page.hidden, name: 'Late', email: user.email };
    expect((await former.browser.post(buildPath(user), fields)).status).toBe(404);
    expect((await readAccount(user)).name).toBe('Ada');
  });

  test('is rejected if the account was changed concurrently', async () => {
    const user = await createUser();
    const other = await createSignedInAdmin(service);
    const pages = [
      await admin.browser.get(buildPath(user)),
      await other.browser.get(buildPath(user)),
    ] as const;
    service.clock.advance(1);
    const submit = (browser: BrowserSession, page: (typeof pages)[0], name: string) =>
      browser.post(buildPath(user), { ...page.hidden, name, email: user.email, phone: '+33612345678' });
    const responses = await Promise.all([
      submit(admin.browser, pages[0], 'First'),
      submit(other.browser, pages[1], 'Second'),
    ]);
    const [rejected] = responses.filter(({ status }) => status !== 303);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    expect(readText(rejected?.body ?? '')).toContain('The account has changed since');
    expect(await listAllEventKinds(user)).toEqual(['profile_changed']);
    const { hidden } = await admin.browser.get(buildPath(user));
    for (const version of ['', 'x', '0']) {
      await admin.browser.post(buildPath(user), { ...hidden, version, name: 'Third', email: user.email });
      expect((await readAccount(user)).name).not.toBe('Third');
    }
  });
});

describe('an email address set by an administrator', () => {
  test('needs confirmation if the current address is verified', async () => {
    const { user, browser } = await createSignedInUser(service, { ...VERIFIED_FIELDS, email: newEmail() });
    const email = newEmail();
    const response = await editAccount(user, { email, reason: 'moved' });
    expect((await admin.browser.follow(response)).body).toContain('Email address change requested');
    expect(await readAccount(user)).toMatchObject({ email: user.email, emailVerified: true });
    expect(await listAdminEvents(user)).toEqual([
      { kind: 'email_change_requested', detail: { email, reason: 'moved' } },
    ]);
    const alert = await findLastEmailTo(service, user.email);
    expect(alert.subject).toBe('Email address change requested for your Sésame account');
    expect(readLink(alert)).toContain('/security/report');
    const mail = await findLastEmailTo(service, email);
    const otherBrowser = openBrowserSession(service.baseUrl);
    const page = await otherBrowser.get(readLink(mail));
    await otherBrowser.post('/security/confirm', page.hidden);
    expect((await readAccount(user)).email, 'the link alone is not enough').toBe(user.email);
    const { hidden } = await browser.get('/account/email');
    await browser.post('/account/email/code', { csrf: hidden.csrf ?? '', code: readCode(mail) });
    expect(await readAccount(user)).toMatchObject({ email, emailVerified: true });
  });

  test('causes one confirmation email on a double click', async () => {
    const user = await createUser();
    const email = newEmail();
    const page = await admin.browser.get(buildPath(user));
    const fields = { ...page.hidden, name: 'Ada', email, phone: '+33612345678' };
    for (const response of await Promise.all([
      admin.browser.post(buildPath(user), fields),
      admin.browser.post(buildPath(user), fields),
    ]))
      expect(response.location?.search).toBe('?done=edit');
    expect(await listEmailsTo(service, email)).toHaveLength(1);
    expect(await listAdminEvents(user)).toHaveLength(1);
  });

  test('takes effect immediately if marked as verified', async () => {
    const { user, browser } = await createSignedInUser(service, { ...VERIFIED_FIELDS, email: newEmail() });
    const email = newEmail();
    // The administrator's edit invalidates this pending change.
    const own = await browser.get('/account/email');
    const pendingEmail = newEmail();
    await browser.post('/account/email', { ...own.hidden, new_email: pendingEmail });
    const pending = await findLastEmailTo(service, pendingEmail);
    service.clock.advance(1);
    await editAccount(user, { email, verified: 'yes', reason: 'identity checked' });
    expect(await readAccount(user)).toMatchObject({ email, emailVerified: true });
    expect(await listAdminEvents(user)).toEqual([
      {
        kind: 'email_changed',
        detail: { email, former_email: user.email, verified: true, reason: 'identity checked' },
      },
    ]);
    expect((await findLastEmailTo(service, user.email)).subject).toBe(CHANGED_BY_ADMIN_SUBJECT);
    expect(await listEmailSubjects(email)).toEqual([UPDATED_SUBJECT]);
    const { hidden } = await browser.get('/account/email');
    await browser.post('/account/email/code', { csrf: hidden.csrf ?? '', code: readCode(pending) });
    expect((await readAccount(user)).email).toBe(email);
  });

  test('takes effect immediately if the current address is unverified', async () => {
    const user = await createUser({ emailVerified: false });
    const email = newEmail();
    await editAccount(user, { email });
    expect(await readAccount(user)).toMatchObject({ email, emailVerified: false });
    const mail = await findLastEmailTo(service, user.email);
    expect([mail.subject, mail.text.includes('http')]).toEqual([UPDATED_SUBJECT, false]);
    expect(mail.text, 'the mailbox may belong to someone else').not.toContain('Ada');
    expect(await listEmailsTo(service, email)).toEqual([]);
    await editAccount(user, { verified: 'yes' });
    expect((await readAccount(user)).emailVerified).toBe(true);
    expect((await listAdminEvents(user)).map(({ kind }) => kind)).toEqual([
      'email_verified',
      'email_changed',
    ]);
  });

  test('is rejected if another account uses it', async () => {
    const [user, other] = [await createUser(), await createUser()];
    for (const verified of [{}, { verified: 'yes' }])
      for (const email of [other.email, other.email.toUpperCase()]) {
        const { body, status } = await admin.browser.follow(
          await editAccount(user, { name: 'New', email, ...verified }),
        );
        expect(status).toBe(400);
        expect(readFieldError(body, 'email')).toContain('An account already uses this address.');
        expect(body).toContain(`href="${adminAccountPath(other.userId)}"`);
      }
    expect(await readAccount(user)).toMatchObject({ name: 'Ada', email: user.email });
    expect(await listAdminEvents(user)).toEqual([]);
  });

  test('stays verified if only the case changes', async () => {
    const user = await createUser();
    const email = user.email.replace('edited', 'Edited');
    await editAccount(user, { email });
    expect(await readAccount(user)).toMatchObject({ email, emailVerified: true });
    expect(await listAdminEvents(user)).toEqual([{ kind: 'profile_changed', detail: { fields: ['email'] } }]);
  });

  test('is saved for only one of two concurrent forms', async () => {
    const other = await createSignedInAdmin(service);
    const users = [await createUser(), await createUser()] as const;
    const email = newEmail();
    await Promise.all([
      editAccount(users[0], { email, verified: 'yes' }),
      editAccount(users[1], { email, verified: 'yes' }, other),
    ]);
    const emails = [(await readAccount(users[0])).email, (await readAccount(users[1])).email];
    expect(emails.filter((one) => one === email)).toHaveLength(1);
  });

  test('does not conflict with a concurrent change by the user', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { user, browser } = await createSignedInUser(service, { ...VERIFIED_FIELDS, email: newEmail() });
      const [requested, assigned] = [newEmail(), newEmail()];
      const { hidden } = await browser.get('/account/email');
      await browser.post('/account/email', { ...hidden, new_email: requested });
      const code = readCode(await findLastEmailTo(service, requested));
      const page = await admin.browser.get(buildPath(user));
      const fields = { ...page.hidden, name: user.name, email: assigned, verified: 'yes' };
      const [edited] = await Promise.all([
        admin.browser.post(buildPath(user), fields),
        browser.post('/account/email/code', { csrf: hidden.csrf ?? '', code }),
      ]);
      // If the user's change commits first, the administrator's form is rejected with 409.
      const expected = edited.status === 303 ? assigned : requested;
      expect([303, 409]).toContain(edited.status);
      expect(await readAccount(user)).toMatchObject({ email: expected, emailVerified: true });
      const free = [user.email, requested, assigned].filter((email) => email !== expected);
      for (const email of free)
        expect(
          await findUserByEmail(service.services.database, email),
          'the address is free',
        ).toBeUndefined();
    }
  });

  test('cannot be swapped between two accounts', async () => {
    const other = await createSignedInAdmin(service);
    const users = [await createUser(), await createUser()] as const;
    await Promise.all([
      editAccount(users[0], { email: users[1].email, verified: 'yes' }),
      editAccount(users[1], { email: users[0].email, verified: 'yes' }, other),
    ]);
    for (const user of users) expect((await readAccount(user)).email).toBe(user.email);
    const temporary = newEmail();
    await editAccount(users[0], { email: temporary, verified: 'yes' });
    await editAccount(users[1], { email: users[0].email, verified: 'yes' });
    // Another verified account now uses the old email address, so the report doesn't restore it.
    const [alert] = (await listEmailsTo(service, users[0].email)).filter(
      ({ subject }) => subject === CHANGED_BY_ADMIN_SUBJECT,
    );
    const { response, browser } = await reportChange(readLink(alert ?? { text: '' }));
    const { body } = await browser.follow(response);
    expect(body).toContain('Your account is suspended');
    expect(body).not.toContain('href="/password/forgot"');
    const [secured] = (await listEmailsTo(service, users[0].email)).filter(({ text }) =>
      text.includes('Another account now uses'),
    );
    expect(secured?.text).toContain('Your account is suspended');
    expect(secured?.text).not.toContain('/password/forgot');
    expect((await readAccount(users[1])).email).toBe(users[0].email);
    // Without suspension, the temporary mailbox's owner could reset the password.
    expect((await readAccount(users[0])).email).toBe(temporary);
    expect(
      (await findAccountDetail(service.services.database, users[0].userId, service.clock.now()))?.suspendedAt,
    ).toBeInstanceOf(Date);
  });

  test('receives at most five confirmation emails per hour', async () => {
    const email = newEmail();
    for (let n = 0; n < 5; n += 1)
      expect((await editAccount(await createUser(), { email })).location?.search).toBe('?done=edit');
    const user = await createUser();
    const response = await editAccount(user, { name: 'New', email });
    expect((await admin.browser.follow(response)).status).toBe(429);
    expect((await readAccount(user)).name).toBe('Ada');
  });
});

describe('the report link in the alert', () => {
  test('restores the former email address after a password reset', async () => {
    const user = await createUser();
    const email = newEmail();
    await editAccount(user, { email, verified: 'yes' });
    await editAccount(user, { email: newEmail(), verified: 'yes' });
    const alerts = await listEmailsTo(service, user.email);
    expect(alerts.map(({ subject }) => subject)).toEqual([CHANGED_BY_ADMIN_SUBJECT]);
    const current = (await readAccount(user)).email ?? '';
    const intruder = openBrowserSession(service.baseUrl);
    const forgot = await intruder.get('/password/forgot');
    await intruder.post('/password/forgot', { ...forgot.hidden, email: current });
    const link = readLink(await findLastEmailTo(service, current));
    const { hidden } = await intruder.get(link);
    await intruder.post('/password/reset', { ...hidden, new_password: 'four-wandering-otters-77' });
    service.clock.advance(23 * 3600);
    await reportChange(readLink(alerts[0] ?? { text: '' }));
    expect(await readAccount(user)).toMatchObject({ email: user.email, emailVerified: true });
    admin = await createSignedInAdmin(service);
  });

  test('cannot undo an administrator’s correction', async () => {
    const { user: victim, browser } = await createSignedInUser(service, {
      ...VERIFIED_FIELDS,
      email: newEmail(),
    });
    const evil = newEmail();
    const { hidden } = await browser.get('/account/email');
    await browser.post('/account/email', { ...hidden, new_email: evil });
    await browser.post('/account/email/code', {
      csrf: hidden.csrf ?? '',
      code: readCode(await findLastEmailTo(service, evil)),
    });
    // The intruder's mailbox receives an alert with a report link.
    const password = await browser.get('/account/password');
    await browser.post('/account/password', {
      ...password.hidden,
      current_password: PASSWORD,
      new_password: 'four-wandering-otters-77',
    });
    const intruderLink = readLink(await findLastEmailTo(service, evil));
    expect(intruderLink).toContain('/security/report');
    await editAccount(victim, { email: victim.email, verified: 'yes' });
    const [notification] = await listEmailsTo(service, evil);
    expect(notification?.subject).toBe(UPDATED_SUBJECT);
    expect(notification?.text).not.toContain('http');
    await reportChange(intruderLink);
    expect(await readAccount(victim)).toMatchObject({ email: victim.email, emailVerified: true });
    const [ownAlert] = (await listEmailsTo(service, victim.email)).filter(({ subject }) =>
      subject.includes('has changed'),
    );
    expect((await openBrowserSession(service.baseUrl).get(readLink(ownAlert ?? { text: '' }))).status).toBe(
      200,
    );
  });
});
