// Anybody can sign up with somebody else's email address: nothing of it is left once the owner proves the mailbox.

import { afterAll, describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { authorize, obtainTokens, signedInBrowser, signIn, userinfo } from '../support/flow.ts';
import { codeIn, linkIn } from '../support/mail.ts';
import { headingOf } from '../support/markup.ts';
import { enrol, newPasskey, showPasskey } from '../support/passkey.ts';
import { sql } from '../support/populate.ts';
import { protect, trustedBrowser } from '../support/protected-account.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';
import { startSmtp } from '../support/smtp.ts';

const NEW_PASSWORD = 'quite another password 7';
const SECURITY = '/account/security';

const smtp = await startSmtp();
const environment = {
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'sesame@example.com',
  DATABASE_POOL_SIZE: '10',
};
const service = await startTestService(environment);
const second = await startTestService(environment, { databaseUrl: service.databaseUrl });
/** The same service before its mail server was set up: there, unverified accounts may do everything. */
const mailless = await startTestService({}, { databaseUrl: service.databaseUrl });
afterAll(async () => {
  for (const one of [mailless, second, service]) await one.close();
  await smtp.close();
});

let counter = 0;
const freshEmail = () => `victim${++counter}@example.org`;
const find = (email: string) => findUserByEmail(service.parts.database, email);
const isSignedIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

async function signUp(email: string, { at = service, password = PASSWORD, name = 'Zoé' } = {}) {
  const browser = openBrowserSession(at.baseUrl);
  const page = await browser.get('/signup');
  const answer = await browser.post('/signup', { ...page.hidden, name, email, password });
  return { browser, answer };
}

/** The latest email with this link, once none is on its way: emails of several services arrive in any order. */
async function lastMail(email: string, link = '') {
  for (const { parts } of [service, second, mailless]) await parts.mailer.idle();
  const sent = smtp.mails.findLast(
    ({ recipients, text }) => recipients.includes(email) && text?.includes(link),
  )?.text;
  const text = sent ?? mailless.parts.mailer.kept?.list().find(({ to }) => to.address === email)?.text;
  if (text === undefined) throw new Error(`no mail to ${email}`);
  return { text };
}

/** Asks for a reset in a fresh browser, and chooses a password by its link. */
async function reset(email: string) {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/password/forgot');
  await browser.post('/password/forgot', { ...page.hidden, email });
  return choosePassword(browser, linkIn(await lastMail(email, '/password/reset')));
}

async function choosePassword(browser: BrowserSession, link: string) {
  const page = await browser.follow(await browser.get(link));
  const answer = await browser.post('/password/reset', { ...page.hidden, new_password: NEW_PASSWORD });
  return { browser, page, answer };
}

/** An unverified account from before there was a mail server, and the browser that is signed in to it. */
async function intruder(): Promise<{ user: TestUser; browser: BrowserSession }> {
  const user = await service.createUser({ email: freshEmail() });
  return { user, browser: await signedInBrowser(mailless, user) };
}

/** What is stored of an account's second factors. */
const leftOf = async ({ userId }: TestUser) =>
  (
    await sql(
      service.parts.database,
      `select totp_secret is not null as app,
        (select count(*)::int from recovery_codes where user_id = u.id) as codes,
        (select count(*)::int from trusted_browsers where user_id = u.id) as browsers
      from users u where id = $1`,
      [userId],
    )
  )[0];

describe('until its email address is verified, an account', () => {
  test.each([
    ['adds no passkey', `${SECURITY}/passkeys/new`, { passkey: '{}' }],
    ['adds no authenticator app', `${SECURITY}/app`, { code: '123456' }],
    ['makes no recovery codes', `${SECURITY}/codes/new`, {}],
    ['removes no password', `${SECURITY}/password/remove`, {}],
    ['registers no application', '/console/applications/new', { name: 'Carnet' }],
    ['registers no API', '/console/apis/new', { name: 'Carnet' }],
  ])('%s: page and form say to verify it first', async (_what, address, fields) => {
    const { browser } = await signUp(freshEmail());
    const page = await browser.get(address);
    expect([page.status, headingOf(page.body)]).toEqual([200, 'Verify your email address first']);
    expect(page.body).toContain(`href="/account/verify?next=${encodeURIComponent(address)}"`);
    const { csrf = '' } = (await browser.get('/account/email')).hidden;
    const refused = await browser.post(address, { csrf, ...fields });
    expect([refused.status, headingOf(refused.body)]).toEqual([403, 'Verify your email address first']);
  });

  test('is told so where its ways to sign in are listed', async () => {
    const { browser } = await signUp(freshEmail());
    expect((await browser.get(SECURITY)).body).toContain('first verify your email address');
  });

  test('sees and declines nothing that others offer to the address, until it is verified', async () => {
    const giver = await service.createUser({ emailVerified: true, name: 'Generous Giver' });
    const { clientId } = await service.createApplication({ ownerId: giver.userId });
    const { apiId } = await service.createApi({ ownerId: giver.userId });
    const giving = await signedInBrowser(service, giver);
    const email = freshEmail();
    const { browser } = await signUp(email);
    const code = codeIn(await lastMail(email));
    for (const path of [`/console/applications/${clientId}`, `/console/apis/${apiId}`]) {
      const form = await giving.get(`${path}/transfer`);
      expect((await giving.post(`${path}/transfer`, { ...form.hidden, email })).status).toBe(303);
    }
    const pages = ['/account', '/console/applications', '/console/apis'];
    const mentions = async () =>
      Promise.all(pages.map(async (path) => /Generous Giver|on offer/.test((await browser.get(path)).body)));
    expect(await mentions()).toEqual([false, false, false]);
    const { csrf = '' } = (await browser.get('/account/email')).hidden;
    for (const path of [`/console/applications/${clientId}`, `/console/apis/${apiId}`])
      expect((await browser.post(`${path}/transfer/decline`, { csrf })).status).toBe(404);
    const page = await browser.get('/account/verify');
    await browser.post('/account/verify', { ...page.hidden, code });
    expect(await mentions()).toEqual([true, true, true]);
  });

  test('may do all of it as soon as the code from the email was entered', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const page = await browser.get('/account/verify');
    await browser.post('/account/verify', { ...page.hidden, code: codeIn(await lastMail(email)) });
    expect((await enrol(browser, service)).answer.location?.search).toBe('?done=passkey-added');
  });

  test('may do all of it where no mail server is set up', async () => {
    const { browser } = await intruder();
    expect((await enrol(browser, mailless)).answer.location?.search).toBe('?done=passkey-added');
  });
});

describe('a reset by the owner of the mailbox leaves nothing of whoever used the address before', () => {
  test('a passkey does not sign in any more, sessions and tokens are dead, consents are withdrawn', async () => {
    const { user, browser } = await intruder();
    const { passkey } = await enrol(browser, mailless);
    const application = await service.createApplication();
    const tokens = await obtainTokens(mailless, application, browser);
    const { page, answer, browser: owner } = await reset(user.email);
    expect(page.body).toContain('everything set up so far will end');
    expect(answer.location?.pathname).toBe('/account');
    expect((await find(user.email))?.emailVerified).toBe(true);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await showPasskey(service, passkey)).answer.status).toBe(401);
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await owner.get('/account/applications')).body).not.toContain('Carnet');
    expect((await owner.get(SECURITY)).body).not.toContain('passkeys/remove');
  });

  test('an authenticator app, recovery codes and a trusted browser are gone', async () => {
    const account = await protect(mailless, { email: freshEmail() });
    const trusted = await trustedBrowser(mailless, account);
    const { browser: owner } = await reset(account.user.email);
    expect(await isSignedIn(owner)).toBe(true);
    const { body } = await owner.get(SECURITY);
    expect([body.includes('app/remove'), body.includes('codes/new">Make new')]).toEqual([false, false]);
    expect(await leftOf(account.user)).toEqual({ app: false, codes: 0, browsers: 0 });
    trusted.cookies.delete('sesame');
    await signIn(trusted, account.user);
    expect(await isSignedIn(trusted)).toBe(false);
  });

  test('it works where the password was removed: two passkeys, no password', async () => {
    const { user, browser } = await intruder();
    const { passkey } = await enrol(browser, mailless);
    await enrol(browser, mailless, { passkey: newPasskey(mailless.baseUrl) });
    const page = await browser.get(`${SECURITY}/password/remove`);
    expect((await browser.post(`${SECURITY}/password/remove`, page.hidden)).status).toBe(303);
    const { browser: owner } = await reset(user.email);
    expect(await isSignedIn(owner)).toBe(true);
    expect((await showPasskey(service, passkey)).answer.status).toBe(401);
  });

  test('a change to the intruder’s own mailbox that was asked for before cannot be confirmed any more', async () => {
    const { user, browser } = await intruder();
    const elsewhere = freshEmail();
    const page = await browser.get('/account/email');
    await browser.post('/account/email', { ...page.hidden, new_email: elsewhere });
    const code = codeIn(await lastMail(elsewhere));
    await reset(user.email);
    const back = openBrowserSession(service.baseUrl);
    await signIn(back, user);
    expect(await isSignedIn(back)).toBe(false);
    const refused = await browser.post('/account/email/code', { ...page.hidden, code });
    expect(refused.location?.pathname).toBe('/signin');
    expect((await find(user.email))?.userId).toBe(user.userId);
  });

  test('a verified account keeps its passkeys, its second factor and its consents', async () => {
    const user = await service.createUser({ email: freshEmail(), emailVerified: true });
    const browser = await signedInBrowser(service, user);
    const { passkey } = await enrol(browser, service);
    const application = await service.createApplication();
    const tokens = await obtainTokens(service, application, browser);
    const { browser: owner } = await reset(user.email);
    expect((await showPasskey(service, passkey)).answer.status).toBe(303);
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await authorize(service, application, owner)).searchParams.get('code')).toBeTruthy();
  });
});

describe('the link that verifies an address', () => {
  test('in a browser that is not signed in to the account asks for a password, and ends what was set up before', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email, { name: 'Urgent: call 0900 123' });
    const link = linkIn(await lastMail(email));
    const owner = openBrowserSession(service.baseUrl);
    const { page, answer } = await choosePassword(owner, link);
    expect(headingOf(page.body)).toBe('Confirm your address');
    expect(page.body).not.toContain('Urgent');
    expect(answer.status).toBe(303);
    expect([await isSignedIn(owner), await isSignedIn(browser)]).toEqual([true, false]);
    const back = openBrowserSession(service.baseUrl);
    await signIn(back, { userId: '', name: '', email, password: PASSWORD });
    expect(await isSignedIn(back)).toBe(false);
    expect((await find(email))?.emailVerified).toBe(true);
  });

  test('in the browser that is signed in to the account verifies, and ends nothing', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const page = await browser.get(linkIn(await lastMail(email)));
    expect(page.body).toContain('Zoé’s account');
    const answer = await browser.post('/security/confirm', page.hidden);
    expect(answer.location?.search).toBe('?done=verified');
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('is dead once the address is verified: it must not become a second way to a new password', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const { text } = await lastMail(email);
    const page = await browser.get('/account/verify');
    await browser.post('/account/verify', { ...page.hidden, code: codeIn({ text }) });
    expect((await openBrowserSession(service.baseUrl).get(linkIn({ text }))).status).toBe(400);
  });
});

test('the link that changes an address does nothing in a browser that is not signed in to the account', async () => {
  const user = await service.createUser({ email: freshEmail(), emailVerified: true, name: 'Urgent: call' });
  const browser = await signedInBrowser(service, user);
  const victim = freshEmail();
  const asking = await browser.get('/account/email');
  await browser.post('/account/email', { ...asking.hidden, new_email: victim });
  const link = linkIn(await lastMail(victim));
  const page = await openBrowserSession(service.baseUrl).get(link);
  expect([
    page.status,
    page.body.includes('Urgent'),
    page.body.includes('action="/security/confirm"'),
  ]).toEqual([200, false, false]);
  expect(await find(victim)).toBeUndefined();
  const here = await browser.get(link);
  expect((await browser.post('/security/confirm', here.hidden)).location?.search).toBe('?done=changed');
});

describe('signing up with the address of an unverified account', () => {
  test('replaces it: another sub, and the former password, session and link are dead', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const before = await find(email);
    const oldLink = linkIn(await lastMail(email));
    const { browser: owner, answer } = await signUp(email, { password: NEW_PASSWORD, name: 'Owner' });
    expect(answer.status).toBe(303);
    expect([await isSignedIn(owner), await isSignedIn(browser)]).toEqual([true, false]);
    const after = await find(email);
    expect([after?.name, after?.userId === before?.userId]).toEqual(['Owner', false]);
    expect((await openBrowserSession(service.baseUrl).get(oldLink)).status).toBe(400);
    const back = openBrowserSession(service.baseUrl);
    await signIn(back, { userId: '', name: '', email, password: PASSWORD });
    expect(await isSignedIn(back)).toBe(false);
  });

  test('sends its owner a link instead where an application knows it: anybody could delete it otherwise', async () => {
    const email = freshEmail();
    const { browser } = await signUp(email);
    await obtainTokens(service, await service.createApplication(), browser);
    const before = await find(email);
    const { browser: owner, answer } = await signUp(email, { password: NEW_PASSWORD });
    const page = await owner.follow(answer);
    expect(page.body).toContain('the address was never confirmed');
    expect([await isSignedIn(owner), await isSignedIn(browser)]).toEqual([false, true]);
    await choosePassword(owner, linkIn(await lastMail(email)));
    expect([await isSignedIn(owner), await isSignedIn(browser)]).toEqual([true, false]);
    expect(await find(email)).toMatchObject({ userId: before?.userId, emailVerified: true });
  });

  test('such links count towards the 30 emails an hour for one IP address (HOURLY_LIMITS)', async () => {
    const limited = await startTestService(
      { ...environment, HOURLY_LIMITS: 'on' },
      { databaseUrl: service.databaseUrl },
    );
    const email = freshEmail();
    const { browser } = await signUp(email);
    await obtainTokens(service, await service.createApplication(), browser);
    const forgot = openBrowserSession(limited.baseUrl);
    const statuses: number[] = [(await signUp(email, { at: limited })).answer.status];
    for (let i = 0; i < 29; i++) {
      const page = await forgot.get('/password/forgot');
      await forgot.post('/password/forgot', { ...page.hidden, email: 'nobody@example.org' });
    }
    statuses.push((await signUp(email, { at: limited })).answer.status);
    await limited.close();
    expect(statuses).toEqual([303, 429]);
  });

  test.each([
    ['an administrator', { operator: true }],
    ['an account that waits for its owner to accept an invitation', { invited: true }],
  ])('never replaces %s', async (_who, fields) => {
    const user = await service.createUser({ email: freshEmail(), ...fields });
    const { browser } = await signUp(user.email);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await find(user.email))?.userId).toBe(user.userId);
  });

  test('never replaces the owner of an application', async () => {
    const user = await service.createUser({ email: freshEmail() });
    await service.createApplication({ ownerId: user.userId });
    await signUp(user.email);
    expect((await find(user.email))?.userId).toBe(user.userId);
  });

  test.each([
    ['a verified account', 'service'],
    ['any account where no mail server is set up', 'mailless'],
  ])('is refused for %s', async (_which, where) => {
    const user = await service.createUser({ email: freshEmail(), emailVerified: where === 'service' });
    const { answer } = await signUp(user.email, { at: where === 'service' ? service : mailless });
    expect(answer.body).toContain('already');
    expect((await find(user.email))?.userId).toBe(user.userId);
  });
});

test('a sign-up and the verification of what it replaces, at two processes at once: one of them wins wholly', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    const email = freshEmail();
    const { browser } = await signUp(email);
    const page = await browser.get('/account/verify');
    const code = codeIn(await lastMail(email));
    const before = await find(email);
    const [verified, { browser: other, answer }] = await Promise.all([
      browser.post('/account/verify', { ...page.hidden, code }),
      signUp(email, { at: second, password: NEW_PASSWORD }),
    ]);
    const statuses = [verified.status, answer.status];
    expect(Math.max(...statuses), `${statuses}`).toBeLessThan(500);
    const after = await find(email);
    const won = after?.userId === before?.userId ? 'verification' : 'sign-up';
    outcomes.add(won);
    expect(after?.emailVerified, won).toBe(won === 'verification');
    expect(await isSignedIn(browser), won).toBe(won === 'verification');
    expect(await isSignedIn(other), won).toBe(won === 'sign-up');
  }
  expect(outcomes.size).toBeGreaterThan(0);
}, 120_000);
