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

test('who goes on trying while none is looked at does not put it off', async () => {
  const account = await protect();
  await guess(account, 10);
  for (let tried = 0; tried < 5; tried += 1) {
    service.clock.advance(HOUR / 2);
    expect(await guess(account, 3)).toEqual([429, 429, 429]);
  }
  service.clock.advance(HOUR / 2 + 60);
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

test('tries that come together from two processes are ten in all', async () => {
  const other = await startTestService(CROWD, { databaseUrl: service.databaseUrl });
  other.clock.advance((service.clock.now().getTime() - other.clock.now().getTime()) / 1000);
  try {
    const account = await protect();
    const halves = await Promise.all(
      Array.from({ length: 16 }, (_, place) => halfWay(place % 2 === 0 ? service : other, account.user)),
    );
    const answers = await Promise.all(
      halves.map(({ browser, page }, place) => give(browser, page, { code: String(place).padStart(6, '0') })),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(6);
  } finally {
    await other.close();
  }
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

/** A service whose waits do not end before the test, and in it an account with codes that nobody finds tried by a stranger. */
async function besieged(run: (on: TestService, account: ProtectedAccount) => Promise<void>): Promise<void> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const on = await startTestService({}, { wait: () => ended });
  try {
    const account = await protectIn(on, { locale: 'en' });
    const { browser, page } = await halfWay(on, account.user);
    const tries = Array.from({ length: 14 }, (_, place) =>
      give(browser, page, { code: `0000-0000-0000-00${10 + place}` }),
    );
    await Promise.all(tries.slice(0, 4));
    await run(on, account);
    end();
    await Promise.all(tries);
  } finally {
    end();
    await on.close();
  }
}

test('recovery codes that are none keep nobody out, however many come at once', () =>
  besieged(async (on, account) => {
    const { browser, page } = await halfWay(on, account.user);
    await give(browser, page, { code: account.codes[0] ?? '' });
    expect(await isIn(browser)).toBe(true);
    const other = await halfWay(on, account.user);
    await give(other.browser, other.page, { code: codeOf(on, account.secret) });
    expect(await isIn(other.browser)).toBe(true);
  }));

test('what cannot be a code is no attempt: a password typed eleven times leaves the right code its chances', async () => {
  const account = await protect();
  const { browser, page } = await halfWay(service, account.user);
  for (let time = 0; time < 11; time += 1)
    expect((await give(browser, page, { code: 'my-password' })).status).toBe(401);
  const code = codeOf(service, account.secret);
  expect((await give(browser, page, { code: `${code.slice(0, 3)}\u2011${code.slice(3)}` })).status).toBe(303);
});
