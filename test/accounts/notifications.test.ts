// Security alerts: which changes trigger them, and how their report links work.

import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { notify } from '../../src/accounts/notifications.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import {
  API_REGISTRATION,
  apiPath,
  CLIENT_SETTINGS,
  clientPath,
  submitForm,
} from '../support/console-forms.ts';
import { findLastEmailTo, listEmailsTo, readLink } from '../support/emails.ts';
import { createMfaAccount } from '../support/mfa-account.ts';
import { createSignedInUser, openSignedInBrowser, signIn } from '../support/oauth-flow.ts';
import { registerPasskey } from '../support/passkey.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const service = await startTestService();
afterAll(() => service.close());

const NEW_PASSWORD = 'quite another password 7';
let counter = 0;
const newEmail = () => `other${++counter}@example.org`;
const findUser = (email: string) => findUserByEmail(service.services.database, email);
const isSignedIn = async (browser: BrowserSession) => (await browser.get('/account/password')).status === 200;

/** Opens an emailed link in a new browser and submits the form on the page. */
async function submitLinkedForm(link: string) {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get(link);
  return { page, browser, response: await browser.post(link.split('?')[0] ?? '', page.hidden) };
}

async function changePassword(browser: BrowserSession, from: string, to: string): Promise<void> {
  const page = await browser.get('/account/password');
  await browser.post('/account/password', { ...page.hidden, current_password: from, new_password: to });
}

async function changeEmail(browser: BrowserSession, email: string): Promise<void> {
  const page = await browser.get('/account/email');
  await browser.post('/account/email', { csrf: page.hidden.csrf ?? '', new_email: email });
  const form = await browser.get(readLink(await findLastEmailTo(service, email)));
  await browser.post('/security/confirm', form.hidden);
}

describe('an alert about a new sign-in', () => {
  test('is sent only once per unknown browser', async () => {
    const user = await service.createUser({ locale: 'fr' });
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; http://evil.example) Gecko/20100101 Firefox/140.0';
    const headers = { 'user-agent': agent };
    await browser.post('/signin', { ...page.hidden, email: user.email, password: PASSWORD }, headers);
    const mail = await findLastEmailTo(service, user.email);
    expect(mail.subject).toBe('Nouvelle connexion à votre compte Sésame');
    expect(mail.text).toContain('127.0.0.1');
    expect(mail.text).toContain('Firefox sur Linux');
    expect(mail.text).not.toContain('evil.example');
    for (let i = 0; i < 2; i++) {
      browser.cookies.delete('sesame');
      await signIn(browser, user);
    }
    expect(await listEmailsTo(service, user.email)).toHaveLength(1);
  });

  test('is sent despite a forged cookie for a known browser', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    browser.cookies.set(
      'sesame-known',
      Buffer.from(user.userId.replaceAll('-', ''), 'hex').toString('base64url'),
    );
    await signIn(browser, user);
    expect(await listEmailsTo(service, user.email)).toHaveLength(1);
  });

  test('is sent once for a browser that was known before a password change', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    await changePassword(await openSignedInBrowser(service, user), PASSWORD, NEW_PASSWORD);
    /** Signs in and returns the number of alerts that the sign-in triggers. */
    const countNewAlerts = async () => {
      const countAlerts = async () =>
        (await listEmailsTo(service, user.email)).filter(({ subject }) => subject.startsWith('New sign-in'))
          .length;
      const before = await countAlerts();
      browser.cookies.delete('sesame');
      for (const password of [PASSWORD, NEW_PASSWORD]) await signIn(browser, { ...user, password });
      expect(browser.cookies.has('sesame')).toBe(true);
      return (await countAlerts()) - before;
    };
    expect([await countNewAlerts(), await countNewAlerts()]).toEqual([1, 0]);
  });

  test('is not sent after 20 alerts within an hour', async () => {
    const user = await service.createUser();
    for (let i = 0; i < 25; i++) await openSignedInBrowser(service, user);
    expect(await listEmailsTo(service, user.email)).toHaveLength(20);
  });
});

async function createIntrusion(): Promise<{
  user: TestUser;
  ownerBrowser: BrowserSession;
  intruder: BrowserSession;
}> {
  const user = await service.createUser();
  const ownerBrowser = await openSignedInBrowser(service, user);
  return { user, ownerBrowser, intruder: await openSignedInBrowser(service, user) };
}

describe('an intruder who knows the password', () => {
  test('can’t suppress the alert about a password change', async () => {
    const { user, intruder } = await createIntrusion();
    for (let i = 0; i < 25; i++) await openSignedInBrowser(service, user);
    await changePassword(intruder, PASSWORD, NEW_PASSWORD);
    expect((await findLastEmailTo(service, user.email)).subject).toContain('The password for your');
  });

  test('can’t complete an email address change that the owner reports', async () => {
    const { user, intruder } = await createIntrusion();
    const intruderEmail = newEmail();
    const page = await intruder.get('/account/email');
    await intruder.post('/account/email', { csrf: page.hidden.csrf ?? '', new_email: intruderEmail });
    await submitLinkedForm(readLink(await findLastEmailTo(service, user.email)));
    await submitLinkedForm(readLink(await findLastEmailTo(service, intruderEmail)));
    expect(await findUser(intruderEmail)).toBeUndefined();
    expect((await findUser(user.email))?.userId).toBe(user.userId);
  });

  test('loses the new email address when the owner reports the change', async () => {
    const { user, intruder } = await createIntrusion();
    const intruderEmail = newEmail();
    const page = await intruder.get('/account/email');
    await intruder.post('/account/email', { csrf: page.hidden.csrf ?? '', new_email: intruderEmail });
    const reportLink = readLink(await findLastEmailTo(service, user.email));
    const form = await intruder.get(readLink(await findLastEmailTo(service, intruderEmail)));
    await intruder.post('/security/confirm', form.hidden);
    expect((await findUser(intruderEmail))?.userId).toBe(user.userId);
    await submitLinkedForm(reportLink);
    expect((await findUser(user.email))?.userId).toBe(user.userId);
  });

  test.each([
    ['before', true],
    ['after', false],
  ])('can’t keep the account by using a report link %s the owner does', async (_, isIntruderFirst) => {
    const { user, intruder } = await createIntrusion();
    const [intruderEmail, nextIntruderEmail] = [newEmail(), newEmail()];
    await changeEmail(intruder, intruderEmail);
    const ownersLink = readLink(await findLastEmailTo(service, user.email));
    service.clock.advance(1);
    await changeEmail(intruder, nextIntruderEmail);
    const intrudersLink = readLink(await findLastEmailTo(service, intruderEmail));
    if (isIntruderFirst) {
      await submitLinkedForm(intrudersLink);
      expect((await findUser(intruderEmail))?.userId).toBe(user.userId);
    }
    await submitLinkedForm(ownersLink);
    expect((await findUser(user.email))?.userId).toBe(user.userId);
    expect((await submitLinkedForm(intrudersLink)).page.status).toBe(400);
    expect((await findUser(user.email))?.userId).toBe(user.userId);
  });

  test('can’t exhaust the alert limit with password reset emails', async () => {
    const { user, intruder } = await createIntrusion();
    for (let i = 0; i < 6; i++) {
      const browser = openBrowserSession(service.baseUrl);
      const page = await browser.get('/password/forgot');
      await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    }
    await changePassword(intruder, PASSWORD, NEW_PASSWORD);
    expect((await findLastEmailTo(service, user.email)).subject).toContain('has changed');
  });
});

describe('a report link', () => {
  async function resetPassword(email: string): Promise<BrowserSession> {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...page.hidden, email });
    const form = await browser.get(readLink(await findLastEmailTo(service, email)));
    await browser.post('/password/reset', { ...form.hidden, new_password: 'password of the new mailbox' });
    return browser;
  }
  const DAY = 24 * 3600;

  test('is invalid after an email address change and a password reset', async () => {
    const { user, ownerBrowser } = await createIntrusion();
    const signInLink = readLink(await findLastEmailTo(service, user.email));
    await changePassword(ownerBrowser, PASSWORD, NEW_PASSWORD);
    const passwordLink = readLink(await findLastEmailTo(service, user.email));
    const movedEmail = newEmail();
    await changeEmail(ownerBrowser, movedEmail);
    const browser = await resetPassword(movedEmail);
    for (const link of [signInLink, passwordLink])
      expect((await submitLinkedForm(link)).page.status).toBe(400);
    expect(await isSignedIn(browser)).toBe(true);
  });

  async function signInAfter(browser: BrowserSession, user: TestUser, seconds: number): Promise<void> {
    service.clock.advance(seconds);
    browser.cookies.delete('sesame');
    await signIn(browser, user);
  }

  test('can’t undo an email address change made in a known browser', async () => {
    const { user, ownerBrowser } = await createIntrusion();
    await signInAfter(ownerBrowser, user, DAY);
    const movedEmail = newEmail();
    await changeEmail(ownerBrowser, movedEmail);
    const links = (await listEmailsTo(service, user.email)).map(readLink);
    const reset = await resetPassword(movedEmail);
    for (const link of links) expect((await submitLinkedForm(link)).page.status).toBe(400);
    expect((await findUser(movedEmail))?.userId).toBe(user.userId);
    expect(await isSignedIn(reset)).toBe(true);
  });

  test.each([
    [
      'during a second session',
      async (intruder: BrowserSession, user: TestUser) => signInAfter(intruder, user, DAY - 60),
    ],
    [
      'after a password change',
      async (intruder: BrowserSession) => changePassword(intruder, PASSWORD, NEW_PASSWORD),
    ],
  ])('can undo an email address change made in a new browser %s', async (_, prepare) => {
    const { user, intruder } = await createIntrusion();
    await prepare(intruder, user);
    const intruderEmail = newEmail();
    await changeEmail(intruder, intruderEmail);
    const reportLink = readLink(await findLastEmailTo(service, user.email));
    await resetPassword(intruderEmail);
    const reset = await resetPassword(intruderEmail);
    // One minute less than a day because the test clock keeps running.
    service.clock.advance(DAY - 60);
    await submitLinkedForm(reportLink);
    expect(await findUser(user.email)).toMatchObject({ userId: user.userId, emailVerified: true });
    expect(await isSignedIn(reset)).toBe(false);
  });

  test('can’t undo an email address change after one day', async () => {
    const { user, intruder } = await createIntrusion();
    const movedEmail = newEmail();
    await changeEmail(intruder, movedEmail);
    const link = readLink(await findLastEmailTo(service, user.email));
    await resetPassword(movedEmail);
    service.clock.advance(DAY);
    expect((await submitLinkedForm(link)).page.status).toBe(400);
    expect((await findUser(movedEmail))?.userId).toBe(user.userId);
  });
});

describe('notify', () => {
  test('writes the email in the account’s language', async () => {
    const user = await service.createUser({ locale: 'fr' });
    const browser = await openSignedInBrowser(service, user);
    await notify(
      service.services,
      {
        account: user.userId,
        kind: 'secret_created',
        ip: '203.0.113.7',
        subject: 'Carnet <b>',
      },
      service.clock.now(),
    );
    const mail = await findLastEmailTo(service, user.email);
    expect(mail.text).toContain('Concerne\u202f: «\u202fCarnet b\u202f»');
    expect(mail.html).toContain('Carnet b');
    // The alert isn't tied to a session, so its report link ends all of the account's sessions.
    await submitLinkedForm(readLink(mail));
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('never throws', async () => {
    const unknown = { account: crypto.randomUUID(), kind: 'password_changed', ip: '' } as const;
    await notify(service.services, unknown, service.clock.now());
    const broken = {
      ...service.services,
      database: { query: () => Promise.reject(new Error('unavailable')) },
    };
    await notify(broken as never, unknown, service.clock.now());
  });
});

describe('if a security alert can’t be stored, the service', () => {
  /** Makes inserting an alert fail until the returned function is called. */
  async function makeAlertsFail(): Promise<() => Promise<void>> {
    const run = (text: string) => sql(service.services.database, text, []);
    await run("create function fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$");
    await run(
      `create trigger broken before insert on one_time_tokens for each row when (new.kind = 'report_activity')
      execute function fail()`,
    );
    return async () => void (await run('drop function fail cascade'));
  }

  test('rejects email address changes', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const [first, next] = [newEmail(), newEmail()];
    const requestChange = async (email: string) => {
      const { csrf = '' } = (await browser.get('/account/email')).hidden;
      return browser.post('/account/email', { csrf, new_email: email });
    };
    await requestChange(first);
    const form = await browser.get(readLink(await findLastEmailTo(service, first)));
    const repair = await makeAlertsFail();
    const responses = [await browser.post('/security/confirm', form.hidden), await requestChange(next)];
    await repair();
    expect(responses.map(({ status }) => status)).toEqual([500, 500]);
    expect([await findUser(first), await listEmailsTo(service, next)]).toEqual([undefined, []]);
    // The confirmation link still works.
    expect((await browser.post('/security/confirm', form.hidden)).status).toBe(303);
    expect((await findUser(first))?.userId).toBe(user.userId);
  });

  test('rejects credential changes', async () => {
    const { user, browser } = await createMfaAccount(service);
    const { passkey } = await registerPasskey(browser, service);
    const { hidden } = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...hidden, email: user.email });
    const link = readLink(await findLastEmailTo(service, user.email));
    const readCredentials = async () => {
      const { userId } = user;
      const [row] = await sql(
        service.services.database,
        `select u.password_hash, u.totp_secret, u.epoch, (select json_agg(p.name) from passkeys p where p.user_id = u.id) as passkeys
        from users u where u.id = $1`,
        [userId],
      );
      return row;
    };
    const before = await readCredentials();
    const securityPath = (path: string) => `/account/security/${path}`;
    const send = async (path: string, page: string, fields = {}) =>
      (await browser.post(path, { ...(await browser.get(page)).hidden, ...fields })).status;
    const repair = await makeAlertsFail();
    const changed = [
      await send('/account/password', '/account/password', {
        current_password: PASSWORD,
        new_password: NEW_PASSWORD,
      }),
      await send('/password/reset', link, { new_password: NEW_PASSWORD }),
      await send(securityPath('app/remove'), securityPath('app/remove')),
      await send(securityPath('passkeys/rename'), securityPath(`passkeys/rename?passkey=${passkey.id}`), {
        name: 'Other',
      }),
      await send(securityPath('passkeys/remove'), securityPath(`passkeys/remove?passkey=${passkey.id}`)),
      await send(securityPath('password/remove'), securityPath('password/remove')),
      (await registerPasskey(browser, service)).response.status,
    ];
    await repair();
    expect(changed).toEqual(Array.from(changed, () => 500));
    expect(await readCredentials()).toEqual(before);
  });
});

test('changed client secrets, transfer offers and deletions each trigger an alert', async () => {
  const user = await service.createUser({ name: 'Ada' });
  const { clientId } = await service.createClient({ ownerId: user.userId, name: 'Carnet' });
  const browser = await openSignedInBrowser(service, user);
  const send = async (path: string, fields: Record<string, string>) => {
    const url = `/console/applications/${clientId}/${path}`;
    const page = await browser.get(url);
    expect((await browser.post(url, { ...page.hidden, ...fields })).status).toBeLessThan(400);
  };
  await send('secrets', { overlap: '86400' });
  await send('secrets/1/end', {});
  await send('transfer', { email: 'somebody@example.org' });
  await send('delete', { name: 'Carnet' });
  const alerts = (await listEmailsTo(service, user.email)).filter(({ text }) =>
    text.includes('Concerns: “Carnet”'),
  );
  expect(alerts.map(({ subject }) => subject).toReversed()).toEqual([
    'New secret for an application on Sésame',
    'Application secret revoked on Sésame',
    'One of your applications has been offered to another account on Sésame',
    'One of your applications was deleted from Sésame',
  ]);
  // The alert's report link ends the session in which the change was made.
  await submitLinkedForm(readLink(alerts[0] ?? { text: '' }));
  expect(await isSignedIn(browser)).toBe(false);
});

test('changed client settings, data exports and ended sessions each trigger an alert', async () => {
  const user = await service.createUser();
  const { clientId } = await service.createClient({ ownerId: user.userId, name: 'Carnet' });
  const [browser, second] = [
    await openSignedInBrowser(service, user),
    await openSignedInBrowser(service, user),
  ];
  const before = (await listEmailsTo(service, user.email)).length;
  const redirectUris = 'https://client.example/callback\nhttps://client.example/other';
  const edit = { ...CLIENT_SETTINGS, redirect_uris: redirectUris };
  expect((await submitForm(browser, clientPath(clientId, '/edit'), edit)).status).toBe(303);
  expect((await submitForm(browser, clientPath(clientId, '/edit'), { ...edit, name: 'Agenda' })).status).toBe(
    303,
  );
  const protocol = { par_required: 'on' };
  expect((await submitForm(browser, clientPath(clientId, '/protocol'), protocol)).status).toBe(303);
  const signOut = { backchannel_logout_uri: 'https://client.example/logout' };
  expect((await submitForm(browser, clientPath(clientId, '/sign-out'), signOut)).status).toBe(303);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  for (let i = 0; i < 2; i++) await browser.post('/account/sessions/end-others', { csrf });
  expect(await isSignedIn(second)).toBe(false);
  expect((await browser.post('/account/data', { csrf })).status).toBe(200);
  const alerts = (await listEmailsTo(service, user.email)).slice(0, -before).map(({ subject }) => subject);
  const expected = [
    'Application settings changed on Sésame',
    'Application settings changed on Sésame',
    'Application settings changed on Sésame',
    'Sessions in your Sésame account were ended',
    'The data in your Sésame account was downloaded',
  ];
  expect(alerts.toSorted()).toEqual(expected.toSorted());
});

test('changed API settings and granted access to APIs each trigger an alert', async () => {
  const { user, browser } = await createSignedInUser(service, { locale: 'en', emailVerified: true });
  const otherOwner = await createSignedInUser(service, { emailVerified: true });
  const { apiId, identifier } = await service.createApi({
    ownerId: user.userId,
    allowedClients: 'applications',
  });
  const ownClient = await service.createClient({ ownerId: user.userId });
  const otherClient = await service.createClient({ ownerId: otherOwner.user.userId });
  await openSignedInBrowser(service, user);
  const before = (await listEmailsTo(service, user.email)).length;
  const edit = { ...API_REGISTRATION, token_lifetime: '600' };
  const jwks = JSON.stringify(await exportJWK((await generateKeyPair('ES256')).publicKey));
  const answerUrl = `${apiPath(apiId, '/requests/answer')}?client_id=${otherClient.clientId}`;
  const [, session = ''] =
    /name="session" value="([^"]*)"/.exec((await browser.get('/account/sessions')).body) ?? [];
  const requested = { identifier, scopes: 'read' };
  for (const [sender, path, fields] of [
    [browser, apiPath(apiId, '/edit'), { ...edit, allowed_clients: 'agents' }],
    // The new name triggers no alert.
    [browser, apiPath(apiId, '/edit'), { ...edit, allowed_clients: 'agents', name: 'Other' }],
    [browser, apiPath(apiId, '/keys'), { jwks }],
    [browser, clientPath(ownClient.clientId, '/apis'), requested],
    [otherOwner.browser, clientPath(otherClient.clientId, '/apis'), requested],
    [browser, answerUrl, { decision: 'grant', scopes: 'read' }],
  ] as const)
    expect((await submitForm(sender, path, fields)).status, path).toBe(303);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  for (let i = 0; i < 2; i++) await browser.post('/account/sessions/end', { csrf, session });
  const alerts = (await listEmailsTo(service, user.email)).slice(0, -before).map(({ subject }) => subject);
  const expected = [
    'API settings changed on Sésame',
    'API public keys changed on Sésame',
    'Access granted to one of your APIs on Sésame',
    'An application has requested access to one of your APIs on Sésame',
    'Access granted to one of your APIs on Sésame',
    'Sessions in your Sésame account were ended',
  ];
  expect(alerts.toSorted()).toEqual(expected.toSorted());
});
