// D60: after 100 wrong passwords since the last right one, a browser that the account does not know takes a mail, too.
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkPassword, emptyKeyOf, signIn as startSignIn } from '../../src/credentials/sign-in.ts';
import { recordGuess } from '../../src/store/password-guesses.ts';
import { changePassword } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { authorizeAddress, decide, redeem, signIn } from '../support/flow.ts';
import { lockAfterUse } from '../support/locks.ts';
import { codeIn, lastMailTo, linkIn, mailsTo, otherCode } from '../support/mail.ts';
import { fieldError, headingOf } from '../support/markup.ts';
import { codeOf, give, setUpApp } from '../support/protected-account.ts';
import { CROWD, PASSWORD, startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService(CROWD);
// Another process on the same database, under the same public address: cookies of one are good at the other.
const second = await startTestService(CROWD, { databaseUrl: service.databaseUrl });
afterAll(async () => {
  await second.close();
  await service.close();
});

const HEADING = 'Check your email';

async function attempt(email: string, password: string, browser = openBrowserSession(service.baseUrl)) {
  const page = await browser.get('/signin');
  return {
    browser,
    visit: await browser.follow(await browser.post('/signin', { ...page.hidden, email, password })),
  };
}

/** Wrong passwords, as if others had tried them. */
async function guess(user: TestUser, wrong: number): Promise<void> {
  const guessed = { userId: user.userId, emptyKey: '', address: '198.51.100.66', wrong };
  await recordGuess(service.parts.database, guessed, service.clock.now());
}

/** An account at which so many were tried. */
async function besieged(wrong = 100): Promise<TestUser> {
  const user = await service.createUser({ locale: 'en' });
  await guess(user, wrong);
  service.clock.advance(3600);
  return user;
}

const isIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

test('the hundredth wrong password is the last that counts alone, and the person is told once', async () => {
  const user = await besieged(98);
  expect((await attempt(user.email, 'wrong password')).visit.status).toBe(401);
  expect(await mailsTo(service, user.email)).toEqual([]);
  expect((await attempt(user.email, 'wrong password')).visit.status).toBe(401);
  expect((await lastMailTo(service, user.email)).subject).toContain('trying to guess the password');
  for (const password of ['wrong password', 'another wrong one', user.password])
    expect(headingOf((await attempt(user.email, password)).visit.body)).toBe(HEADING);
  const subjects = (await mailsTo(service, user.email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject.includes('trying to guess'))).toHaveLength(1);
});

test('the hundredth is the same work where there is no account, and sends nothing', async () => {
  const user = await besieged(99);
  const nobody = 'nobody-to-tell@example.org';
  const emptyKey = emptyKeyOf(service.parts.sealer, nobody);
  await recordGuess(
    service.parts.database,
    { userId: undefined, emptyKey, address: '198.51.100.66', wrong: 99 },
    service.clock.now(),
  );
  const written = async (email: string) => {
    const count = () => service.parts.database.usage().statements.get('insert_mail') ?? 0;
    const before = count();
    expect((await attempt(email, 'wrong password')).visit.status).toBe(401);
    return count() - before;
  };
  expect([await written(user.email), await written(nobody)]).toEqual([1, 1]);
  expect(await mailsTo(service, user.email)).toHaveLength(1);
  expect(await mailsTo(service, nobody)).toEqual([]);
});

test('checking a code is the same work whether the password was right or not', async () => {
  const user = await besieged();
  const work: [string, number][][] = [];
  for (const password of [user.password, 'wrong password']) {
    const { browser, visit } = await attempt(user.email, password);
    await service.parts.mailer.idle();
    const before = new Map(service.parts.database.usage().statements);
    expect((await browser.post('/signin/code', { ...visit.hidden, code: '00000000' })).status).toBe(400);
    const after = [...service.parts.database.usage().statements];
    const done = after.map(([name, times]): [string, number] => [name, times - (before.get(name) ?? 0)]);
    work.push(done.filter(([name, times]) => times > 0 && /token|code|limit/.test(name)));
  }
  expect(work[0]).not.toEqual([]);
  expect(work[1]?.toSorted()).toEqual(work[0]?.toSorted());
});

test('no time heals it, and one before the bound the password alone signs in', async () => {
  const [at, before] = [await besieged(), await besieged(99)];
  service.clock.advance(400 * 24 * 3600);
  expect(headingOf((await attempt(at.email, at.password)).visit.body)).toBe(HEADING);
  expect(await isIn((await attempt(before.email, before.password)).browser)).toBe(true);
});

test('the answer is the same to the right password, a wrong one, and for an account that does not exist', async () => {
  const user = await besieged();
  const nobody = 'nobody-at-all@example.org';
  const emptyKey = emptyKeyOf(service.parts.sealer, nobody);
  const guessed = { userId: undefined, emptyKey, address: '198.51.100.66', wrong: 100 };
  await recordGuess(service.parts.database, guessed, service.clock.now());
  service.clock.advance(3600);
  const answerFor = async (email: string, password: string) => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const answer = await browser.post('/signin', { ...page.hidden, email, password });
    const shown = await browser.follow(answer);
    const steady = (visit: Visit) => ({
      status: visit.status,
      headers: [...visit.headers.keys()].sort(),
      body: visit.body
        .replaceAll(email, 'EMAIL')
        .replace(/(name="(csrf|token)" value=")[^"]*/g, '$1')
        .replace(/(token|sent|typed)=[\w-]*/g, '$1='),
    });
    const wrong = await browser.post('/signin/code', { ...shown.hidden, code: '000000x' });
    return [steady(answer), steady(shown), steady(wrong), shown.hidden.token?.length];
  };
  const before = service.waits.length;
  const right = await answerFor(user.email, user.password);
  expect(await answerFor(user.email, 'wrong password')).toEqual(right);
  expect((await answerFor(nobody, 'wrong password')).slice(0, 3)).toEqual(right.slice(0, 3));
  expect(right[1]).toMatchObject({ status: 200 });
  expect(service.waits.length).toBe(before);
  expect(await mailsTo(service, nobody)).toEqual([]);
});

describe('the mail', () => {
  test('its code signs in where the password was given, on the way to the application, and the count is forgotten', async () => {
    const user = await besieged();
    const application = await service.createApplication();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(authorizeAddress(service, application)));
    const asked = await signIn(browser, user, page);
    expect(headingOf(asked.body)).toBe(HEADING);
    const mail = await lastMailTo(service, user.email);
    const refused = await browser.post('/signin/code', { ...asked.hidden, code: otherCode(codeIn(mail)) });
    expect([refused.status, fieldError(refused.body, 'code')]).toEqual([
      400,
      expect.stringContaining('not the code'),
    ]);
    expect(await isIn(browser)).toBe(false);
    const consent = await browser.follow(
      await browser.post('/signin/code', { ...asked.hidden, code: codeIn(mail) }),
    );
    const { location } = await decide(browser, consent, 'allow');
    const code = location?.searchParams.get('code') ?? '';
    expect((await redeem(service, application, code)).status).toBe(200);
    expect(await isIn((await attempt(user.email, user.password)).browser)).toBe(true);
    const fields = { ...asked.hidden, ...(await openForm(browser)), code: codeIn(mail) };
    const again = await browser.post('/signin/code', fields);
    expect(again.status).toBe(400);
  });

  test('stands for the password alone: the code of an app is asked for after it, also of one set up meanwhile', async () => {
    for (const meanwhile of [false, true]) {
      const user = await service.createUser({ locale: 'en' });
      const owner = openBrowserSession(service.baseUrl);
      await signIn(owner, user);
      const app = meanwhile ? undefined : await setUpApp(service, owner);
      await guess(user, 100);
      const { browser, visit } = await attempt(user.email, user.password);
      const code = codeIn(await lastMailTo(service, user.email));
      const { secret } = app ?? (await setUpApp(service, owner));
      const page = await browser.follow(await browser.post('/signin/code', { ...visit.hidden, code }));
      expect([headingOf(page.body), await isIn(browser)]).toEqual(['Enter your code', false]);
      await give(browser, page, { code: codeOf(service, secret) });
      expect(await isIn(browser)).toBe(true);
    }
  });

  test('a code of one browser is nothing in another, and wrong codes there use up none', async () => {
    const user = await besieged();
    const { browser, visit } = await attempt(user.email, user.password);
    const code = codeIn(await lastMailTo(service, user.email));
    const guesser = await attempt(user.email, 'wrong password');
    for (let i = 0; i < 6; i += 1)
      await guesser.browser.post('/signin/code', { ...guesser.visit.hidden, code });
    expect(await isIn(guesser.browser)).toBe(false);
    await browser.post('/signin/code', { ...visit.hidden, code });
    expect(await isIn(browser)).toBe(true);
  });

  test('is worth nothing after a new password, and only the right password sends one', async () => {
    const user = await besieged();
    await attempt(user.email, 'wrong password');
    expect(
      (await mailsTo(service, user.email)).filter(({ subject }) => subject.startsWith('Confirm')),
    ).toEqual([]);
    const { browser, visit } = await attempt(user.email, user.password);
    const code = codeIn(await lastMailTo(service, user.email));
    await changePassword(service.parts.database, user.userId, await service.parts.hasher.hash(PASSWORD));
    expect((await browser.post('/signin/code', { ...visit.hidden, code })).status).toBe(400);
  });

  test('goes out so many times an hour and no more', async () => {
    const user = await besieged();
    service.parts.config.hourlyLimits = true;
    onTestFinished(() => {
      service.parts.config.hourlyLimits = false;
    });
    for (let i = 0; i < 7; i += 1) await attempt(user.email, user.password);
    const sent = (await mailsTo(service, user.email)).filter(({ subject }) => subject.startsWith('Confirm'));
    expect(sent).toHaveLength(5);
  });
});

describe('without the mail', () => {
  test('a browser that the account knows signs in with the password, and the count is forgotten', async () => {
    const user = await service.createUser();
    const home = openBrowserSession(service.baseUrl);
    await signIn(home, user);
    await guess(user, 100);
    service.clock.advance(3600);
    expect(headingOf((await attempt(user.email, user.password)).visit.body)).toBe(HEADING);
    const page = await openAgain(home);
    expect(
      (await home.post('/signin', { ...page.hidden, email: user.email, password: PASSWORD })).status,
    ).toBe(303);
    expect(await isIn((await attempt(user.email, user.password)).browser)).toBe(true);
  });

  test('a password reset opens the account and forgets the count', async () => {
    const user = await besieged();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    const reset = await browser.get(linkIn(await lastMailTo(service, user.email)));
    await browser.post('/password/reset', { ...reset.hidden, new_password: 'another good password' });
    expect(await isIn(browser)).toBe(true);
    const other = await attempt(user.email, 'another good password');
    expect(await isIn(other.browser)).toBe(true);
  });

  test('where there is none, nobody is asked for one: the right password signs in', async () => {
    const production = {
      NODE_ENV: 'production',
      BASE_URL: 'https://sesame.example',
      TRUSTED_PROXIES: '127.0.0.1',
    };
    const silent = await startTestService(production);
    try {
      expect(silent.parts.mailer.available).toBe(false);
      const user = await silent.createUser();
      const guessed = { userId: user.userId, emptyKey: '', address: '192.0.2.1', wrong: 500 };
      await recordGuess(silent.parts.database, guessed, silent.clock.now());
      const from = { address: '192.0.2.2', known: [], aside: <R>(work: () => Promise<R>) => work() };
      const origin = { address: '192.0.2.2', userAgent: '', sessionIds: [] };
      const parts = { ...silent.parts, sessionLifetime: 60 };
      expect(await startSignIn(parts, user, from, origin, silent.parts.now)).toMatchObject({
        userId: user.userId,
      });
      expect(await checkPassword(silent.parts, user, from, silent.parts.now)).toBeDefined();
    } finally {
      await silent.close();
    }
  });
});

test('a reset at the moment at which a code is used: no session starts with the old password', async () => {
  const user = await besieged();
  const { browser, visit } = await attempt(user.email, user.password);
  const code = codeIn(await lastMailTo(service, user.email));
  const owner = openBrowserSession(service.baseUrl);
  const forgot = await owner.get('/password/forgot');
  await owner.post('/password/forgot', { ...forgot.hidden, email: user.email });
  const form = await owner.get(linkIn(await lastMailTo(service, user.email)));
  // Held up first, because hashing the password takes longer than a statement may wait.
  const resetting = await lockAfterUse(service.databaseUrl, 'reset_password');
  const reset = owner.post('/password/reset', { ...form.hidden, new_password: 'quite another password 7' });
  await resetting.heldUp(1);
  const signingIn = await lockAfterUse(service.databaseUrl, 'sign_in');
  const entering = browser.post('/signin/code', { ...visit.hidden, code });
  await signingIn.heldUp(1);
  await resetting.release();
  await reset;
  await signingIn.release();
  await entering;
  expect([await isIn(owner), await isIn(browser)]).toEqual([true, false]);
});

/** The token of another page. */
async function openForm(browser: BrowserSession): Promise<{ csrf: string }> {
  const { csrf = '' } = (await browser.get('/password/forgot')).hidden;
  return { csrf };
}

/** The sign-in page in a browser that is signed in already. */
async function openAgain(browser: BrowserSession): Promise<Visit> {
  const page = await browser.get('/signout');
  await browser.post('/signout', page.hidden);
  return browser.get('/signin');
}
