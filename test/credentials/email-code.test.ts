// Daily limits on wrong emailed codes, per account and per network.
import { afterAll, beforeEach, expect, test } from 'vitest';
import { recordPasswordAttempt } from '../../src/store/password-failures.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { createWrongCode, findLastEmailTo, readCode, readLink } from '../support/emails.ts';
import { readFieldError } from '../support/markup.ts';
import { openSignedInBrowser, signIn } from '../support/oauth-flow.ts';
import { LARGE_POOL, startTestService, type TestService, type TestUser } from '../support/service.ts';

const DAY = 86_400;
let service: TestService | undefined;
const startService = async (environment: Record<string, string> = {}): Promise<TestService> => {
  await service?.close();
  service = await startTestService({ ...LARGE_POOL, ...environment });
  // Start each test at 00:05 to avoid a change of day.
  service.clock.advance(DAY + 300 - ((service.clock.now().getTime() / 1000) % DAY));
  return service;
};
const currentService = (): TestService => {
  if (service === undefined) throw new Error('no service is running');
  return service;
};
beforeEach(() => startService());
afterAll(() => service?.close());

let counter = 0;
const freshEmail = () => `mailbox${++counter}@example.org`;

/** Requests an email change. Returns the emailed code and a function that enters a code. */
async function requestChange(browser: BrowserSession, email = freshEmail()) {
  const { hidden } = await browser.get('/account/email');
  const csrf = hidden.csrf ?? '';
  await browser.post('/account/email', { csrf, new_email: email });
  const mail = await findLastEmailTo(currentService(), email);
  const enter = async (code: string) => {
    const { status, body } = await browser.post('/account/email/code', { csrf, code });
    return { status, error: readFieldError(body, 'code') };
  };
  return { email, mail, code: readCode(mail), enter };
}

async function createSignedInUser(): Promise<{ user: TestUser; browser: BrowserSession }> {
  const user = await currentService().createUser({ emailVerified: true });
  return { user, browser: await openSignedInBrowser(currentService(), user) };
}

const enterWrongCodes = async (
  { enter, code }: { enter: (code: string) => Promise<{ status: number }>; code: string },
  times: number,
) => {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push((await enter(createWrongCode(code))).status);
  return statuses;
};

test('after ten wrong codes in a day, only emailed links work', async () => {
  const { user, browser } = await createSignedInUser();
  expect(await enterWrongCodes(await requestChange(browser), 4)).toEqual([400, 400, 400, 400]);
  expect(await enterWrongCodes(await requestChange(browser), 6)).toEqual([400, 400, 400, 400, 400, 400]);
  const third = await requestChange(browser);
  expect(await third.enter(third.code)).toEqual({
    status: 429,
    error: expect.stringContaining('Open the link in the email instead'),
  });
  const page = await browser.get(readLink(third.mail));
  expect((await browser.post('/security/confirm', page.hidden)).status).toBe(303);
  expect((await findUserByEmail(currentService().services.database, third.email))?.userId).toBe(user.userId);
});

test('the daily limit on wrong codes resets the next day', async () => {
  const { user, browser } = await createSignedInUser();
  await enterWrongCodes(await requestChange(browser), 10);
  currentService().clock.advance(DAY);
  const change = await requestChange(await openSignedInBrowser(currentService(), user));
  expect((await change.enter(change.code)).status).toBe(303);
});

test('correct codes do not count toward the daily limit', async () => {
  const { browser } = await createSignedInUser();
  await enterWrongCodes(await requestChange(browser), 9);
  for (let time = 0; time < 3; time += 1) {
    const change = await requestChange(browser);
    expect((await change.enter(change.code)).status).toBe(303);
  }
});

test('malformed codes do not count toward the daily limit', async () => {
  const { browser } = await createSignedInUser();
  const change = await requestChange(browser);
  for (const entered of Array.from(
    { length: 40 },
    (_, index) => ['my-password', '1234567', '', 'x'][index % 4] ?? '',
  ))
    expect((await change.enter(entered)).status).toBe(400);
  expect((await change.enter(change.code)).status).toBe(303);
});

test('all codes from a network are rejected after 30 wrong codes in a day', async () => {
  for (let account = 0; account < 3; account += 1)
    await enterWrongCodes(await requestChange((await createSignedInUser()).browser), 10);
  const change = await requestChange((await createSignedInUser()).browser);
  expect((await change.enter(change.code)).status).toBe(429);
});

test('only ten of 40 concurrently submitted codes are checked', async () => {
  const { code, enter } = await requestChange((await createSignedInUser()).browser);
  const responses = await Promise.all(Array.from({ length: 40 }, () => enter(createWrongCode(code))));
  expect(responses.filter(({ status }) => status !== 429)).toHaveLength(10);
});

test('a sign-in code becomes invalid after five wrong codes', async () => {
  const { user } = await createSignedInUser();
  const guessed: Parameters<typeof recordPasswordAttempt>[1] = {
    userId: user.userId,
    unknownEmailKey: '',
    ip: '192.0.2.1',
    wrong: 100,
  };
  await recordPasswordAttempt(currentService().services.database, guessed, currentService().clock.now());
  const attempt = async () => {
    const browser = openBrowserSession(currentService().baseUrl);
    const page = await signIn(browser, user);
    const code = readCode(await findLastEmailTo(currentService(), user.email));
    const enter = (entered: string) => browser.post('/signin/code', { ...page.hidden, code: entered });
    return { code, enter };
  };
  for (let attacker = 0; attacker < 7; attacker += 1) {
    const { code, enter } = await attempt();
    expect(await enterWrongCodes({ code, enter }, 5)).toEqual([400, 400, 400, 400, 400]);
    expect((await enter(code)).status).toBe(400);
  }
  const { code, enter } = await attempt();
  expect((await enter(code)).status).toBe(303);
});

test('codes entered after a wrong password do not count toward the daily limit', async () => {
  const { user, browser } = await createSignedInUser();
  const guessed: Parameters<typeof recordPasswordAttempt>[1] = {
    userId: user.userId,
    unknownEmailKey: '',
    ip: '192.0.2.1',
    wrong: 100,
  };
  await recordPasswordAttempt(currentService().services.database, guessed, currentService().clock.now());
  const attacker = openBrowserSession(currentService().baseUrl);
  const page = await signIn(attacker, { ...user, password: 'a wrong password' });
  for (let time = 0; time < 15; time += 1)
    expect((await attacker.post('/signin/code', { ...page.hidden, code: '00000000' })).status).toBe(400);
  const change = await requestChange(browser);
  expect((await change.enter(change.code)).status).toBe(303);
});
