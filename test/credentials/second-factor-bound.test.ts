// How many codes of the app are looked at (ADR 13): a bound that holds whatever comes between them, and keeps no owner out.
import { afterAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { mailsTo } from '../support/mail.ts';
import { fieldError } from '../support/markup.ts';
import {
  codeOf,
  give,
  halfWay,
  isIn,
  type ProtectedAccount,
  protect as protectIn,
  signInWithCode,
} from '../support/protected-account.ts';
import { CROWD, startTestService, type TestService } from '../support/service.ts';

const HOUR = 3600;

const service = await startTestService(CROWD);
afterAll(() => service.close());

const protect = () => protectIn(service, { locale: 'en' });

/** Tries wrong codes in a browser that the account does not know. @returns the answers by their status, in order */
async function guess(
  { user }: ProtectedAccount,
  times: number,
  on: TestService = service,
): Promise<number[]> {
  const { browser, page } = await halfWay(on, user);
  const answers: number[] = [];
  for (let tried = 0; tried < times; tried += 1)
    answers.push((await give(browser, page, { code: String(tried).padStart(6, '0') })).status);
  return answers;
}

/** Whether the right code of the app lets somebody in who gives it in a browser. */
async function opens(account: ProtectedAccount, browser = openBrowserSession(service.baseUrl)) {
  const { page } = await halfWay(service, account.user, browser);
  await give(browser, page, { code: codeOf(service, account.secret) });
  return isIn(browser);
}

test('ten at once, then one in three hours: the right one is not looked at either', async () => {
  const account = await protect();
  expect(await guess(account, 12)).toEqual([...Array(10).fill(401), 429, 429]);
  expect(await opens(account)).toBe(false);
  service.clock.advance(3 * HOUR - 300);
  expect(await opens(account)).toBe(false);
  service.clock.advance(300);
  expect(await opens(account)).toBe(true);
});

test('the right code in between gives no more guesses: they add up over a month', async () => {
  const account = await protect();
  let looked = 0;
  for (let day = 0; day < 30; day += 1) {
    const answers = await guess(account, 10);
    looked += answers.filter((status) => status === 401).length;
    await signInWithCode(service, account);
    service.clock.advance(24 * HOUR);
  }
  // Each of the three steps that count is right by one in a million.
  expect((looked + 10) * 3e-6).toBeLessThan(1 / 1000);
  expect(looked).toBeGreaterThan(200);
});

test('delayed passwords of others, however many, keep no code out', async () => {
  const account = await protect();
  const { attempts } = service.parts;
  const leave = Array.from({ length: 1000 }, (_, n) => attempts.hold(`account ${n}`, `network ${n}`));
  expect(attempts.hold('one more', 'elsewhere')).toBeUndefined();
  expect(await opens(account)).toBe(true);
  for (const one of leave) one?.();
});

test('a recovery code works all the same, and is told of', async () => {
  const account = await protect();
  const answers = await guess(account, 11);
  expect(answers.at(-1)).toBe(429);
  const { browser, page } = await halfWay(service, account.user);
  const refused = await give(browser, page, { code: codeOf(service, account.secret) });
  expect(fieldError(refused.body, 'code')).toContain('Enter a recovery code');
  await give(browser, refused, { code: account.codes[0] ?? '' });
  expect(await isIn(browser)).toBe(true);
  // It gives no guess at the codes of the app back.
  expect(await guess(account, 1)).toEqual([429]);
});

test('a browser that the account knows is not held up by strangers, nor they by it', async () => {
  const account = await protect();
  const home = await signInWithCode(service, account);
  home.cookies.delete('sesame');
  expect((await guess(account, 11)).at(-1)).toBe(429);
  expect(await opens(account, home)).toBe(true);
  const other = await protect();
  expect(await opens(other)).toBe(true);
});

test('guesses in sessions have a bound of their own, which all of them share', async () => {
  const account = await protect();
  const sessions = [await signInWithCode(service, account), await signInWithCode(service, account)];
  service.clock.advance(16 * 60);
  const answers: string[] = [];
  for (let tried = 0; tried < 12; tried += 1) {
    const browser = sessions[tried % 2] ?? account.browser;
    const page = await browser.get('/account/security/app/remove');
    const refused = await browser.post('/account/security/app/remove', {
      ...page.hidden,
      current_password: account.user.password,
      confirmation_code: String(tried).padStart(6, '0'),
    });
    answers.push(fieldError(refused.body, 'confirmation_code') ?? '');
  }
  expect(answers.filter((text) => text.includes('Too many wrong codes'))).toHaveLength(2);
  expect(await opens(account)).toBe(true);
});

test('the owner is told once a day that it came to that', async () => {
  const account = await protect();
  for (let round = 0; round < 4; round += 1) {
    await guess(account, 12);
    service.clock.advance(4 * HOUR);
  }
  const subjects = (await mailsTo(service, account.user.email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject.startsWith('Many wrong codes'))).toHaveLength(1);
  service.clock.advance(13 * HOUR);
  await guess(account, 12);
  const later = (await mailsTo(service, account.user.email)).map(({ subject }) => subject);
  expect(later.filter((subject) => subject.startsWith('Many wrong codes'))).toHaveLength(2);
});
