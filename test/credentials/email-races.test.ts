// An email belongs to one account, however many claim it at the same time, and to none after a failure.
import { afterAll, afterEach, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { signedInBrowser } from '../support/flow.ts';
import { heldUp } from '../support/locks.ts';
import { linkIn } from '../support/mail.ts';
import { sql } from '../support/populate.ts';
import { CROWD, PASSWORD, startTestService, type TestService } from '../support/service.ts';
import { startSmtp } from '../support/smtp.ts';

const smtp = await startSmtp();
const environment = { ...CROWD, SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'sesame@example.com' };
const service = await startTestService(environment);
const second = await startTestService(environment, { databaseUrl: service.databaseUrl });
const { database } = service.parts;
afterAll(async () => {
  for (const one of [second, service]) await one.close();
  await smtp.close();
});

afterEach(async () => {
  const apart = await sql(
    database,
    `select * from users u full join emails e on e.user_id = u.id and e.email_key = u.email_key
    where u.id is null or e.user_id is null`,
  );
  expect(apart, 'emails without their account, or accounts without their email').toEqual([]);
});

let counter = 0;
const freshEmail = () => `raced${++counter}@example.org`;
const accountsWith = async (email: string) =>
  (await sql(database, 'select id from users where email_key = $1', [email])).length;
const isSignedIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

/** Opens the sign-up page. @returns what sends its form */
async function openSignUp(email: string, at: TestService) {
  const browser = openBrowserSession(at.baseUrl);
  const { hidden } = await browser.get('/signup');
  const post = () => browser.post('/signup', { ...hidden, name: 'Zoé', email, password: PASSWORD });
  return { browser, post };
}

/** Asks for a change of email. @returns what sends the form of the mailed link */
async function openChange(email: string) {
  const user = await service.createUser({ emailVerified: true });
  const browser = await signedInBrowser(service, user);
  const { csrf = '' } = (await browser.get('/account/email')).hidden;
  const before = smtp.mails.length;
  await browser.post('/account/email', { csrf, new_email: email });
  await service.parts.mailer.idle();
  await second.parts.mailer.idle();
  const mail = smtp.mails.slice(before).find(({ recipients }) => recipients.includes(email));
  const link = linkIn({ text: mail?.text ?? '' });
  const { hidden } = await browser.get(link);
  return { user, post: () => browser.post(link.split('?')[0] ?? '', hidden) };
}

test('of 30 sign-ups at two processes at once, one gets the account', async () => {
  const email = freshEmail();
  const all = await Promise.all(
    Array.from({ length: 30 }, (_, n) => openSignUp(email, n % 2 === 0 ? service : second)),
  );
  const answers = await Promise.all(all.map(({ post }) => post()));
  expect(Math.max(...answers.map(({ status }) => status))).toBeLessThan(500);
  expect(await accountsWith(email)).toBe(1);
  const signedIn = await Promise.all(all.map(({ browser }) => isSignedIn(browser)));
  expect(signedIn.filter(Boolean)).toHaveLength(1);
}, 60_000);

test('two changes and a sign-up at once: one account gets the email, the others keep theirs', async () => {
  for (let round = 0; round < 8; round += 1) {
    const email = freshEmail();
    const changes = [await openChange(email), await openChange(email)];
    const signUp = await openSignUp(email, second);
    const posts = [...changes, signUp].map(({ post }) => post);
    const answers = await Promise.all(posts.map((post) => post()));
    expect(Math.max(...answers.map(({ status }) => status))).toBeLessThan(500);
    expect(await accountsWith(email)).toBe(1);
    const owner = (await findUserByEmail(database, email))?.userId;
    for (const { user } of changes)
      expect((await findUserByEmail(database, user.email)) === undefined).toBe(owner === user.userId);
  }
}, 60_000);

test('a sign-up that replaces an unverified account while that is deleted: both are answered', async () => {
  for (let round = 0; round < 8; round += 1) {
    const email = freshEmail();
    const first = await openSignUp(email, service);
    await first.post();
    const deletion = await first.browser.get('/account/delete');
    const confirmed = { ...deletion.hidden, email, current_password: PASSWORD };
    const next = await openSignUp(email, second);
    const answers = await Promise.all([first.browser.post('/account/delete', confirmed), next.post()]);
    expect(Math.max(...answers.map(({ status }) => status))).toBeLessThan(500);
    expect(await isSignedIn(first.browser)).toBe(false);
    expect(await accountsWith(email)).toBe((await isSignedIn(next.browser)) ? 1 : 0);
  }
}, 60_000);

test('a sign-up that replaces an account locks the email after the account, as everything does', async () => {
  const email = freshEmail();
  const { userId } = await service.createUser({ email });
  const { browser, post } = await openSignUp(email, second);
  let sent: Promise<Visit> | undefined;
  await database.transaction(async (transaction) => {
    const lock = (text: string, value: string) => transaction.query({ name: '', text }, [value]);
    await lock('select from users where id = $1 for no key update', userId);
    sent = post();
    await heldUp(service.databaseUrl);
    await lock('select from emails where email_key = $1 for update nowait', email);
  });
  expect((await sent)?.status).toBe(303);
  expect(await isSignedIn(browser)).toBe(true);
  expect(await accountsWith(email)).toBe(1);
});

test('a changed email is free again, under any spelling', async () => {
  const email = freshEmail();
  const { user, post } = await openChange(email);
  expect((await post()).status).toBe(303);
  const { browser, post: signUp } = await openSignUp(user.email.toUpperCase(), service);
  await signUp();
  expect(await isSignedIn(browser)).toBe(true);
  expect(await accountsWith(user.email)).toBe(1);
});

test('an account that could not be written leaves its email free', async () => {
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
