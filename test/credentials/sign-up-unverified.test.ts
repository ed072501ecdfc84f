// Unverified accounts, which the owner of the email address can claim (ADR 21).

import { afterAll, describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { readCode, readLink } from '../support/emails.ts';
import { toJsonLines, writeImportFile } from '../support/import-files.ts';
import { readHeading, readMain, readText } from '../support/markup.ts';
import { createMfaAccount, signInOnRememberedDevice } from '../support/mfa-account.ts';
import {
  authorize,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  signIn,
} from '../support/oauth-flow.ts';
import { createPasskey, registerPasskey, signInWithPasskey } from '../support/passkey.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';
import { startSmtp } from '../support/smtp.ts';
import { sql } from '../support/store-fixtures.ts';

const NEW_PASSWORD = 'quite another password 7';
const SECURITY_PATH = '/account/security';

const smtp = await startSmtp();
const environment = {
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'sesame@example.com',
  DATABASE_POOL_SIZE: '10',
};
const service = await startTestService(environment);
const secondProcess = await startTestService(environment, { databaseUrl: service.databaseUrl });
/** A process without a mail server. Such a process doesn't restrict unverified accounts. */
const serviceWithoutMail = await startTestService({}, { databaseUrl: service.databaseUrl });
afterAll(async () => {
  for (const process of [serviceWithoutMail, secondProcess, service]) await process.close();
  await smtp.close();
});

let counter = 0;
const freshEmail = () => `victim${++counter}@example.org`;
const findUser = (email: string) => findUserByEmail(service.services.database, email);
const isSignedIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

async function signUp(email: string, { process = service, password = PASSWORD, name = 'Zoé' } = {}) {
  const browser = openBrowserSession(process.baseUrl);
  const page = await browser.get('/signup');
  const response = await browser.post('/signup', { ...page.hidden, name, email, password });
  return { browser, response };
}

/**
 * Waits until all emails are sent. Returns the latest one to `email` that contains `link`.
 */
async function findLastMail(email: string, link = '') {
  for (const { services } of [service, secondProcess, serviceWithoutMail]) await services.mailer.idle();
  const sent = smtp.emails.findLast(
    ({ recipients, text }) => recipients.includes(email) && text?.includes(link),
  );
  // The processes share an outbox, so the process without a mail server can capture any email.
  const captured = serviceWithoutMail.services.mailer.captured
    ?.list()
    .find(({ to, text }) => to.address === email && text.includes(link));
  const text = sent?.text ?? captured?.text;
  if (text === undefined) throw new Error(`no email to ${email}`);
  return { text };
}

/** Requests a password reset and completes it in a new browser. */
async function resetPassword(email: string) {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/password/forgot');
  await browser.post('/password/forgot', { ...page.hidden, email });
  return choosePassword(browser, readLink(await findLastMail(email, '/password/reset')));
}

async function choosePassword(browser: BrowserSession, link: string) {
  const page = await browser.follow(await browser.get(link));
  const response = await browser.post('/password/reset', { ...page.hidden, new_password: NEW_PASSWORD });
  return { browser, page, response };
}

/**
 * Signs up without verification. The process without a mail server lets the user add credentials.
 */
async function createIntruder(): Promise<{ user: TestUser; browser: BrowserSession }> {
  const user = await service.createUser({ email: freshEmail() });
  return { user, browser: await openSignedInBrowser(serviceWithoutMail, user) };
}

const countMfaCredentials = async ({ userId }: TestUser) =>
  (
    await sql(
      service.services.database,
      `select totp_secret is not null as app,
        (select count(*)::int from recovery_codes where user_id = u.id) as codes,
        (select count(*)::int from remembered_devices where user_id = u.id) as browsers
      from users u where id = $1`,
      [userId],
    )
  )[0];

describe('an unverified user', () => {
  test.each([
    ['add a passkey', `${SECURITY_PATH}/passkeys/new`, { passkey: '{}' }],
    ['add an authenticator app', `${SECURITY_PATH}/app`, { code: '123456' }],
    ['create recovery codes', `${SECURITY_PATH}/codes/new`, {}],
    ['remove the password', `${SECURITY_PATH}/password/remove`, {}],
    ['register an application', '/console/applications/new', { name: 'Carnet' }],
    ['register an API', '/console/apis/new', { name: 'Carnet' }],
  ])('cannot %s', async (_action, url, fields) => {
    const { browser } = await signUp(freshEmail());
    const page = await browser.get(url);
    expect([page.status, readHeading(page.body)]).toEqual([200, 'Verify your email address first']);
    expect(page.body).toContain(`href="/account/verify?next=${encodeURIComponent(url)}"`);
    const { csrf = '' } = (await browser.get('/account/email')).hidden;
    const refused = await browser.post(url, { csrf, ...fields });
    expect([refused.status, readHeading(refused.body)]).toEqual([403, 'Verify your email address first']);
  });

  test('sees a notice on the security page', async () => {
    const { browser } = await signUp(freshEmail());
    expect((await browser.get(SECURITY_PATH)).body).toContain('first verify your email address');
  });

  test('cannot see or decline transfer offers', async () => {
    const sender = await service.createUser({ emailVerified: true, name: 'Generous Giver' });
    const { clientId } = await service.createClient({ ownerId: sender.userId });
    const { apiId } = await service.createApi({ ownerId: sender.userId });
    const senderBrowser = await openSignedInBrowser(service, sender);
    const email = freshEmail();
    const { browser } = await signUp(email);
    const code = readCode(await findLastMail(email));
    for (const path of [`/console/applications/${clientId}`, `/console/apis/${apiId}`]) {
      const form = await senderBrowser.get(`${path}/transfer`);
      expect((await senderBrowser.post(`${path}/transfer`, { ...form.hidden, email })).status).toBe(303);
    }
    const pages = ['/account', '/console/applications', '/console/apis'];
    const listOfferVisibility = async () =>
      Promise.all(pages.map(async (path) => /Generous Giver|on offer/.test((await browser.get(path)).body)));
    expect(await listOfferVisibility()).toEqual([false, false, false]);
    const { csrf = '' } = (await browser.get('/account/email')).hidden;
    for (const path of [`/console/applications/${clientId}`, `/console/apis/${apiId}`])
      expect((await browser.post(`${path}/transfer/decline`, { csrf })).status).toBe(404);
    const page = await browser.get('/account/verify');
    await browser.post('/account/verify', { ...page.hidden, code });
    expect(await listOfferVisibility()).toEqual([true, true, true]);
  });

  test('can add a passkey after entering the emailed code', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const page = await browser.get('/account/verify');
    await browser.post('/account/verify', { ...page.hidden, code: readCode(await findLastMail(email)) });
    expect((await registerPasskey(browser, service)).response.location?.search).toBe('?done=passkey-added');
  });

  test('can add a passkey if no mail server is configured', async () => {
    const { browser } = await createIntruder();
    expect((await registerPasskey(browser, serviceWithoutMail)).response.location?.search).toBe(
      '?done=passkey-added',
    );
  });
});

describe('an emailed password reset', () => {
  test('deletes an unverified account’s passkeys and consents', async () => {
    const { user, browser } = await createIntruder();
    const { passkey } = await registerPasskey(browser, serviceWithoutMail);
    const application = await service.createClient();
    const tokens = await obtainTokens(serviceWithoutMail, application, browser);
    const { page, response, browser: owner } = await resetPassword(user.email);
    expect(page.body).toContain('Everything set up so far will be removed');
    expect(response.location?.pathname).toBe('/account');
    expect((await findUser(user.email))?.emailVerified).toBe(true);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await signInWithPasskey(service, passkey)).response.status).toBe(401);
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await owner.get('/account/applications')).body).not.toContain('Carnet');
    expect((await owner.get(SECURITY_PATH)).body).not.toContain('passkeys/remove');
  });

  test('deletes an unverified account’s MFA factors and remembered devices', async () => {
    const account = await createMfaAccount(serviceWithoutMail, { email: freshEmail() });
    const remembered = await signInOnRememberedDevice(serviceWithoutMail, account);
    const { browser: owner } = await resetPassword(account.user.email);
    expect(await isSignedIn(owner)).toBe(true);
    const { body } = await owner.get(SECURITY_PATH);
    expect([body.includes('app/remove'), body.includes('codes/new">Make new')]).toEqual([false, false]);
    expect(await countMfaCredentials(account.user)).toEqual({ app: false, codes: 0, browsers: 0 });
    remembered.cookies.delete('sesame');
    await signIn(remembered, account.user);
    expect(await isSignedIn(remembered)).toBe(false);
  });

  test('works for an unverified account without a password', async () => {
    const { user, browser } = await createIntruder();
    const { passkey } = await registerPasskey(browser, serviceWithoutMail);
    await registerPasskey(browser, serviceWithoutMail, {
      passkey: createPasskey(serviceWithoutMail.baseUrl),
    });
    const page = await browser.get(`${SECURITY_PATH}/password/remove`);
    expect((await browser.post(`${SECURITY_PATH}/password/remove`, page.hidden)).status).toBe(303);
    const { browser: owner } = await resetPassword(user.email);
    expect(await isSignedIn(owner)).toBe(true);
    expect((await signInWithPasskey(service, passkey)).response.status).toBe(401);
  });

  test('cancels an unverified account’s pending email change', async () => {
    const { user, browser } = await createIntruder();
    const newEmail = freshEmail();
    const page = await browser.get('/account/email');
    await browser.post('/account/email', { ...page.hidden, new_email: newEmail });
    const code = readCode(await findLastMail(newEmail));
    await resetPassword(user.email);
    const retry = openBrowserSession(service.baseUrl);
    await signIn(retry, user);
    expect(await isSignedIn(retry)).toBe(false);
    const refused = await browser.post('/account/email/code', { ...page.hidden, code });
    expect(refused.location?.pathname).toBe('/signin');
    expect((await findUser(user.email))?.userId).toBe(user.userId);
  });

  test('keeps a verified account’s passkeys, MFA and consents', async () => {
    const user = await service.createUser({ email: freshEmail(), emailVerified: true });
    const browser = await openSignedInBrowser(service, user);
    const { passkey } = await registerPasskey(browser, service);
    const application = await service.createClient();
    const tokens = await obtainTokens(service, application, browser);
    const { browser: owner } = await resetPassword(user.email);
    expect((await signInWithPasskey(service, passkey)).response.status).toBe(303);
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await authorize(service, application, owner)).searchParams.get('code')).toBeTruthy();
  });
});

describe('the email verification page', () => {
  test('asks for a new password in a signed-out browser', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email, { name: 'Urgent: call 0900 123' });
    const link = readLink(await findLastMail(email));
    const owner = openBrowserSession(service.baseUrl);
    const { page, response } = await choosePassword(owner, link);
    expect(readHeading(page.body)).toBe('Confirm your address');
    expect(page.body).not.toContain('Urgent');
    expect(response.status).toBe(303);
    expect([await isSignedIn(owner), await isSignedIn(browser)]).toEqual([true, false]);
    const retry = openBrowserSession(service.baseUrl);
    await signIn(retry, { userId: '', name: '', email, password: PASSWORD });
    expect(await isSignedIn(retry)).toBe(false);
    expect((await findUser(email))?.emailVerified).toBe(true);
  });

  test('doesn’t ask for a new password in a signed-in browser', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const page = await browser.get(readLink(await findLastMail(email)));
    expect(page.body).toContain('Zoé’s account');
    const response = await browser.post('/security/confirm', page.hidden);
    expect(response.location?.search).toBe('?done=verified');
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('rejects links after the email address has been verified', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const { text } = await findLastMail(email);
    const page = await browser.get('/account/verify');
    await browser.post('/account/verify', { ...page.hidden, code: readCode({ text }) });
    expect((await openBrowserSession(service.baseUrl).get(readLink({ text }))).status).toBe(400);
  });
});

test('an email change link works only while its user is signed in', async () => {
  const user = await service.createUser({ email: freshEmail(), emailVerified: true, name: 'Urgent: call' });
  const browser = await openSignedInBrowser(service, user);
  const victim = freshEmail();
  const form = await browser.get('/account/email');
  await browser.post('/account/email', { ...form.hidden, new_email: victim });
  const link = readLink(await findLastMail(victim));
  const page = await openBrowserSession(service.baseUrl).get(link);
  expect([
    page.status,
    page.body.includes('Urgent'),
    page.body.includes('action="/security/confirm"'),
  ]).toEqual([200, false, false]);
  expect(await findUser(victim)).toBeUndefined();
  const confirmPage = await browser.get(link);
  expect((await browser.post('/security/confirm', confirmPage.hidden)).location?.search).toBe(
    '?done=changed',
  );
});

describe('sign-up with an existing email address', () => {
  test('replaces an unverified account', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const before = await findUser(email);
    const oldLink = readLink(await findLastMail(email));
    const { browser: owner, response } = await signUp(email, { password: NEW_PASSWORD, name: 'Owner' });
    expect(response.status).toBe(303);
    expect([await isSignedIn(owner), await isSignedIn(browser)]).toEqual([true, false]);
    const after = await findUser(email);
    expect([after?.name, after?.userId === before?.userId]).toEqual(['Owner', false]);
    expect((await openBrowserSession(service.baseUrl).get(oldLink)).status).toBe(400);
    const retry = openBrowserSession(service.baseUrl);
    await signIn(retry, { userId: '', name: '', email, password: PASSWORD });
    expect(await isSignedIn(retry)).toBe(false);
  });

  test('emails a link if a client has a grant for the account', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    await obtainTokens(service, await service.createClient(), browser);
    const before = await findUser(email);
    const { browser: owner, response } = await signUp(email, { password: NEW_PASSWORD });
    const page = await owner.follow(response);
    expect(page.body).toContain(
      `An account with the address ${email} was created, but the address was never`,
    );
    const again = await owner.follow(await owner.post('/password/forgot', page.hidden));
    expect(readText(readMain(again.body)), 'the email was sent again').toBe(readText(readMain(page.body)));
    expect([await isSignedIn(owner), await isSignedIn(browser)]).toEqual([false, true]);
    await choosePassword(owner, readLink(await findLastMail(email)));
    expect([await isSignedIn(owner), await isSignedIn(browser)]).toEqual([true, false]);
    expect(await findUser(email)).toMatchObject({ userId: before?.userId, emailVerified: true });
  });

  test('counts toward the IP address’s hourly email limit', async () => {
    const limited = await startTestService(
      { ...environment, HOURLY_LIMITS: 'on' },
      { databaseUrl: service.databaseUrl },
    );
    const email = freshEmail();
    const { browser } = await signUp(email);
    await obtainTokens(service, await service.createClient(), browser);
    const forgot = openBrowserSession(limited.baseUrl);
    const statuses: number[] = [(await signUp(email, { process: limited })).response.status];
    for (let i = 0; i < 29; i++) {
      const page = await forgot.get('/password/forgot');
      await forgot.post('/password/forgot', { ...page.hidden, email: 'nobody@example.org' });
    }
    statuses.push((await signUp(email, { process: limited })).response.status);
    await limited.close();
    expect(statuses).toEqual([303, 429]);
  });

  test.each([
    ['an administrator', { isAdmin: true }],
    ['an account with a pending invitation', { invited: true }],
  ])('never replaces %s', async (_, fields) => {
    const user = await service.createUser({ email: freshEmail(), ...fields });
    const { browser } = await signUp(user.email);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await findUser(user.email))?.userId).toBe(user.userId);
  });

  test('never replaces an imported account', async () => {
    const email = freshEmail();
    const cli = createSesameCommand(() => service.databaseUrl);
    const file = writeImportFile(toJsonLines([{ email, name: 'Grace Hopper' }]));
    await cli.run(['import', 'users', file, '--from', 'jsonl'], '', { SECRET_KEY });
    const before = await findUser(email);
    const { browser } = await signUp(email, { password: NEW_PASSWORD });
    expect(await isSignedIn(browser)).toBe(false);
    await choosePassword(browser, readLink(await findLastMail(email)));
    expect(await findUser(email)).toMatchObject({ userId: before?.userId, emailVerified: true });
  });

  test('never replaces the owner of a client', async () => {
    const user = await service.createUser({ email: freshEmail() });
    await service.createClient({ ownerId: user.userId });
    await signUp(user.email);
    expect((await findUser(user.email))?.userId).toBe(user.userId);
  });

  test.each([
    ['a verified account', 'service'],
    ['any account if no mail server is configured', 'serviceWithoutMail'],
  ])('is rejected for %s', async (_, where) => {
    const user = await service.createUser({ email: freshEmail(), emailVerified: where === 'service' });
    const { response } = await signUp(user.email, {
      process: where === 'service' ? service : serviceWithoutMail,
    });
    expect(response.body).toContain('already');
    expect((await findUser(user.email))?.userId).toBe(user.userId);
  });
});

test('an account cannot be both verified and replaced by concurrent requests', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const page = await browser.get('/account/verify');
    const code = readCode(await findLastMail(email));
    const before = await findUser(email);
    const [verified, { browser: other, response }] = await Promise.all([
      browser.post('/account/verify', { ...page.hidden, code }),
      signUp(email, { process: secondProcess, password: NEW_PASSWORD }),
    ]);
    const statuses = [verified.status, response.status];
    expect(Math.max(...statuses), `${statuses}`).toBeLessThan(500);
    const after = await findUser(email);
    const winner = after?.userId === before?.userId ? 'verification' : 'sign-up';
    outcomes.add(winner);
    expect(after?.emailVerified, winner).toBe(winner === 'verification');
    expect(await isSignedIn(browser), winner).toBe(winner === 'verification');
    expect(await isSignedIn(other), winner).toBe(winner === 'sign-up');
  }
  expect(outcomes.size).toBeGreaterThan(0);
}, 120_000);
