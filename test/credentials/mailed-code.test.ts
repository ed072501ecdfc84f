// Wrong codes from emails: how many are checked in a day, for an account and for a network, whatever else is sent.
import { afterAll, beforeEach, expect, test } from 'vitest';
import { recordGuess } from '../../src/store/password-guesses.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { signedInBrowser, signIn } from '../support/flow.ts';
import { codeIn, lastMailTo, linkIn, otherCode } from '../support/mail.ts';
import { fieldError } from '../support/markup.ts';
import { CROWD, startTestService, type TestService, type TestUser } from '../support/service.ts';

const DAY = 86_400;
let service: TestService | undefined;
const open = async (environment: Record<string, string> = {}): Promise<TestService> => {
  await service?.close();
  service = await startTestService({ ...CROWD, ...environment });
  // Five past midnight, so that no test runs into another day.
  service.clock.advance(DAY + 300 - ((service.clock.now().getTime() / 1000) % DAY));
  return service;
};
const running = (): TestService => {
  if (service === undefined) throw new Error('no service');
  return service;
};
beforeEach(() => open());
afterAll(() => service?.close());

let counter = 0;
const freshEmail = () => `mailbox${++counter}@example.org`;

/** Asks to change the address of an account; gives the code, and a way to type one. */
async function change(browser: BrowserSession, email = freshEmail()) {
  const { hidden } = await browser.get('/account/email');
  const csrf = hidden.csrf ?? '';
  await browser.post('/account/email', { csrf, new_email: email });
  const mail = await lastMailTo(running(), email);
  const type = async (code: string) => {
    const { status, body } = await browser.post('/account/email/code', { csrf, code });
    return { status, said: fieldError(body, 'code') };
  };
  return { email, mail, code: codeIn(mail), type };
}

async function person(): Promise<{ user: TestUser; browser: BrowserSession }> {
  const user = await running().createUser({ emailVerified: true });
  return { user, browser: await signedInBrowser(running(), user) };
}

const guess = async (
  { type, code }: { type: (code: string) => Promise<{ status: number }>; code: string },
  times: number,
) => {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push((await type(otherCode(code))).status);
  return statuses;
};

test('an account has ten wrong codes a day, over all emails and mailboxes; then only the link works', async () => {
  const { user, browser } = await person();
  expect(await guess(await change(browser), 4)).toEqual([400, 400, 400, 400]);
  expect(await guess(await change(browser), 6)).toEqual([400, 400, 400, 400, 400, 400]);
  const third = await change(browser);
  expect(await third.type(third.code)).toEqual({
    status: 429,
    said: expect.stringContaining('Open the link in the email instead'),
  });
  const page = await browser.get(linkIn(third.mail));
  expect((await browser.post('/security/confirm', page.hidden)).status).toBe(303);
  expect((await findUserByEmail(running().parts.database, third.email))?.userId).toBe(user.userId);
});

test('the next day there are ten more', async () => {
  const { browser } = await person();
  await guess(await change(browser), 10);
  running().clock.advance(DAY);
  const again = await change(await signedInBrowser(running(), (await person()).user));
  expect((await again.type(again.code)).status).toBe(303);
});

test('a right code counts nothing', async () => {
  const { browser } = await person();
  await guess(await change(browser), 9);
  for (let time = 0; time < 3; time += 1) {
    const one = await change(browser);
    expect((await one.type(one.code)).status).toBe(303);
  }
});

test('what cannot be a code is no attempt', async () => {
  const { browser } = await person();
  const one = await change(browser);
  for (const typed of Array.from(
    { length: 40 },
    (_, place) => ['my-password', '1234567', '', 'x'][place % 4] ?? '',
  ))
    expect((await one.type(typed)).status).toBe(400);
  expect((await one.type(one.code)).status).toBe(303);
});

test('a network has thirty wrong codes a day, over all accounts', async () => {
  for (let account = 0; account < 3; account += 1) await guess(await change((await person()).browser), 10);
  const one = await change((await person()).browser);
  expect((await one.type(one.code)).status).toBe(429);
});

test('of forty codes at once, ten are checked', async () => {
  const { code, type } = await change((await person()).browser);
  const answers = await Promise.all(Array.from({ length: 40 }, () => type(otherCode(code))));
  expect(answers.filter(({ status }) => status !== 429)).toHaveLength(10);
});

test('five wrong codes of a sign-in are checked, and they keep nobody else out', async () => {
  const { user } = await person();
  const guessed = { userId: user.userId, emptyKey: '', address: '192.0.2.1', wrong: 100 };
  await recordGuess(running().parts.database, guessed, running().clock.now());
  const attempt = async () => {
    const browser = openBrowserSession(running().baseUrl);
    const page = await signIn(browser, user);
    const code = codeIn(await lastMailTo(running(), user.email));
    const type = (typed: string) => browser.post('/signin/code', { ...page.hidden, code: typed });
    return { code, type };
  };
  for (let thief = 0; thief < 7; thief += 1) {
    const { code, type } = await attempt();
    expect(await guess({ code, type }, 5)).toEqual([400, 400, 400, 400, 400]);
    expect((await type(code)).status).toBe(400);
  }
  const { code, type } = await attempt();
  expect((await type(code)).status).toBe(303);
});

test('whoever does not know the password uses up no codes of an account', async () => {
  const { user, browser } = await person();
  const guessed = { userId: user.userId, emptyKey: '', address: '192.0.2.1', wrong: 100 };
  await recordGuess(running().parts.database, guessed, running().clock.now());
  const stranger = openBrowserSession(running().baseUrl);
  const page = await signIn(stranger, { ...user, password: 'a wrong password' });
  for (let time = 0; time < 15; time += 1)
    expect((await stranger.post('/signin/code', { ...page.hidden, code: '00000000' })).status).toBe(400);
  const one = await change(browser);
  expect((await one.type(one.code)).status).toBe(303);
});
