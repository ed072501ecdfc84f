// Concurrent requests can't give two accounts the same email address.
import { afterAll, afterEach, expect, test } from 'vitest';
import { lockAccount } from '../../src/store/admin-actions.ts';
import { listEvents } from '../../src/store/audit-log.ts';
import { changeEmail } from '../../src/store/credentials.ts';
import { lockOneTimeTokens } from '../../src/store/unverified-accounts.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { readCode, readLink } from '../support/emails.ts';
import { waitForBlocked } from '../support/locks.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { LARGE_POOL, PASSWORD, startTestService, type TestService } from '../support/service.ts';
import { startSmtp } from '../support/smtp.ts';
import { sql } from '../support/store-fixtures.ts';

const smtp = await startSmtp();
const environment = {
  ...LARGE_POOL,
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'sesame@example.com',
};
const service = await startTestService(environment);
const secondProcess = await startTestService(environment, { databaseUrl: service.databaseUrl });
const { database } = service.services;
afterAll(async () => {
  for (const process of [secondProcess, service]) await process.close();
  await smtp.close();
});

afterEach(async () => {
  const orphans = await sql(
    database,
    `select * from users u full join emails e on e.user_id = u.id and e.email_key = u.email_key
    where u.id is null or e.user_id is null`,
  );
  expect(orphans, 'email addresses without an account, or accounts without an email address').toEqual([]);
});

let counter = 0;
const freshEmail = () => `raced${++counter}@example.org`;
const countAccounts = async (email: string) =>
  (await sql(database, 'select id from users where email_key = $1', [email])).length;
const isSignedIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

/** Opens the sign-up page. @returns a function that submits its form */
async function openSignUp(email: string, process: TestService) {
  const browser = openBrowserSession(process.baseUrl);
  const { hidden } = await browser.get('/signup');
  const post = () => browser.post('/signup', { ...hidden, name: 'Zoé', email, password: PASSWORD });
  return { browser, post };
}

/** Requests an email change. @returns a function that opens the emailed link and submits the form */
async function requestEmailChange(email: string) {
  const user = await service.createUser({ emailVerified: true });
  const browser = await openSignedInBrowser(service, user);
  const { csrf = '' } = (await browser.get('/account/email')).hidden;
  const before = smtp.emails.length;
  await browser.post('/account/email', { csrf, new_email: email });
  await service.services.mailer.idle();
  await secondProcess.services.mailer.idle();
  const mail = smtp.emails.slice(before).find(({ recipients }) => recipients.includes(email));
  const link = readLink({ text: mail?.text ?? '' });
  const { hidden } = await browser.get(link);
  return { user, post: () => browser.post(link.split('?')[0] ?? '', hidden) };
}

test('30 concurrent sign-ups with the same email address create only one account', async () => {
  const email = freshEmail();
  const forms = await Promise.all(
    Array.from({ length: 30 }, (_, n) => openSignUp(email, n % 2 === 0 ? service : secondProcess)),
  );
  const responses = await Promise.all(forms.map(({ post }) => post()));
  expect(Math.max(...responses.map(({ status }) => status))).toBeLessThan(500);
  expect(await countAccounts(email)).toBe(1);
  const signedIn = await Promise.all(forms.map(({ browser }) => isSignedIn(browser)));
  expect(signedIn.filter(Boolean)).toHaveLength(1);
}, 60_000);

test('only one of three concurrent requests for the same email address succeeds', async () => {
  for (let round = 0; round < 8; round += 1) {
    const email = freshEmail();
    const changes = [await requestEmailChange(email), await requestEmailChange(email)];
    const signUp = await openSignUp(email, secondProcess);
    const posts = [...changes, signUp].map(({ post }) => post);
    const responses = await Promise.all(posts.map((post) => post()));
    expect(Math.max(...responses.map(({ status }) => status))).toBeLessThan(500);
    expect(await countAccounts(email)).toBe(1);
    const owner = (await findUserByEmail(database, email))?.userId;
    for (const { user } of changes)
      expect((await findUserByEmail(database, user.email)) === undefined).toBe(owner === user.userId);
  }
}, 60_000);

test('a sign-up during the deletion of an account causes no server error', async () => {
  for (let round = 0; round < 8; round += 1) {
    const email = freshEmail();
    const first = await openSignUp(email, service);
    await first.post();
    const deletion = await first.browser.get('/account/delete');
    const fields = { ...deletion.hidden, email, current_password: PASSWORD };
    const replacing = await openSignUp(email, secondProcess);
    const responses = await Promise.all([first.browser.post('/account/delete', fields), replacing.post()]);
    expect(Math.max(...responses.map(({ status }) => status))).toBeLessThan(500);
    expect(await isSignedIn(first.browser)).toBe(false);
    expect(await countAccounts(email)).toBe((await isSignedIn(replacing.browser)) ? 1 : 0);
  }
}, 60_000);

test('a sign-up does not replace an account while an administrator changes its email address', async () => {
  const [email, corrected] = [freshEmail(), freshEmail()];
  const { userId } = await service.createUser({ email });
  const { browser, post } = await openSignUp(email, secondProcess);
  let sent: Promise<Visit> | undefined;
  await database.transaction(async (transaction) => {
    await lockAccount(transaction, userId);
    sent = post();
    await waitForBlocked(service.databaseUrl);
    await changeEmail(transaction, userId, corrected, service.clock.now(), false);
  });
  expect((await sent)?.status).toBe(303);
  expect(await isSignedIn(browser)).toBe(true);
  expect((await findUserByEmail(database, corrected))?.userId).toBe(userId);
  expect(await countAccounts(email)).toBe(1);
});

test('an email address is not recorded as verified while an administrator replaces it', async () => {
  const [email, corrected] = [freshEmail(), freshEmail()];
  const { browser, post } = await openSignUp(email, service);
  await post();
  await service.services.mailer.idle();
  await secondProcess.services.mailer.idle();
  const userId = (await findUserByEmail(database, email))?.userId ?? '';
  const code = readCode({
    text: smtp.emails.find(({ recipients }) => recipients.includes(email))?.text ?? '',
  });
  const { hidden } = await browser.get('/account/verify');
  let sent: Promise<Visit> | undefined;
  await database.transaction(async (transaction) => {
    await lockOneTimeTokens(transaction, userId);
    await lockAccount(transaction, userId);
    sent = browser.post('/account/verify', { ...hidden, code });
    await waitForBlocked(service.databaseUrl);
    await changeEmail(transaction, userId, corrected, service.clock.now(), false);
  });
  expect((await sent)?.status).toBe(400);
  expect((await findUserByEmail(database, corrected))?.emailVerified).toBe(false);
  const events = await listEvents(database, { userId, kind: 'email_verified' }, { limit: 1 });
  expect(events).toEqual([]);
});

test('a sign-up locks an existing account before replacing it', async () => {
  const email = freshEmail();
  const { userId } = await service.createUser({ email });
  const { browser, post } = await openSignUp(email, secondProcess);
  let sent: Promise<Visit> | undefined;
  await database.transaction(async (transaction) => {
    const lock = (text: string, value: string) => transaction.query({ name: '', text }, [value]);
    await lock('select from users where id = $1 for no key update', userId);
    sent = post();
    await waitForBlocked(service.databaseUrl);
    await lock('select from emails where email_key = $1 for update nowait', email);
  });
  expect((await sent)?.status).toBe(303);
  expect(await isSignedIn(browser)).toBe(true);
  expect(await countAccounts(email)).toBe(1);
});

test('an account’s former email address can be used for a new sign-up', async () => {
  const email = freshEmail();
  const { user, post } = await requestEmailChange(email);
  expect((await post()).status).toBe(303);
  const { browser, post: signUp } = await openSignUp(user.email.toUpperCase(), service);
  await signUp();
  expect(await isSignedIn(browser)).toBe(true);
  expect(await countAccounts(user.email)).toBe(1);
});

test('an email address is still available after a failed sign-up', async () => {
  const email = freshEmail();
  const { browser, post } = await openSignUp(email, service);
  await sql(
    database,
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
  );
  await sql(database, 'create trigger refuse before insert on users for each row execute function refuse()');
  expect((await post()).status).toBe(500);
  expect(await sql(database, 'select from emails where email_key = $1', [email])).toEqual([]);
  await sql(database, 'drop function refuse cascade');
  await post();
  expect(await isSignedIn(browser)).toBe(true);
});
