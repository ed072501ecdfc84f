// Signing in from an unknown browser requires an email code after 100 wrong passwords (ADR 4).
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RequestContext } from '../../src/credentials/session-start.ts';
import {
  type AttemptContext,
  checkPassword,
  deriveUnknownEmailKey,
  signIn as startSignIn,
} from '../../src/credentials/sign-in.ts';
import { recordPasswordAttempt } from '../../src/store/password-failures.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { createWrongCode, findLastEmailTo, listEmailsTo, readCode, readLink } from '../support/emails.ts';
import { blockAfterTokenUse } from '../support/locks.ts';
import { readFieldError, readHeading } from '../support/markup.ts';
import { createTotpCode, setUpAuthenticatorApp, submitSecondFactor } from '../support/mfa-account.ts';
import { buildAuthorizeUrl, redeemCode, signIn, submitDecision } from '../support/oauth-flow.ts';
import { LARGE_POOL, PASSWORD, startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService(LARGE_POOL);
afterAll(() => service.close());

const CODE_PAGE_HEADING = 'Check your email';

async function attemptSignIn(email: string, password: string, browser = openBrowserSession(service.baseUrl)) {
  const page = await browser.get('/signin');
  return {
    browser,
    visit: await browser.follow(await browser.post('/signin', { ...page.hidden, email, password })),
  };
}

/** Records the given number of wrong passwords, all from another network. */
async function recordWrongPasswords(user: TestUser, wrong: number): Promise<void> {
  const guessed: Parameters<typeof recordPasswordAttempt>[1] = {
    userId: user.userId,
    unknownEmailKey: '',
    ip: '198.51.100.66',
    wrong,
  };
  await recordPasswordAttempt(service.services.database, guessed, service.clock.now());
}

/** Creates an account for which wrong passwords have been recorded. */
async function createUserWithWrongPasswords(wrong = 100): Promise<TestUser> {
  const user = await service.createUser({ locale: 'en' });
  await recordWrongPasswords(user, wrong);
  service.clock.advance(3600);
  return user;
}

const isSignedIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

test('after the 100th wrong password, sign-in requires an email code', async () => {
  const user = await createUserWithWrongPasswords(98);
  expect((await attemptSignIn(user.email, 'wrong password')).visit.status).toBe(401);
  expect(await listEmailsTo(service, user.email)).toEqual([]);
  expect((await attemptSignIn(user.email, 'wrong password')).visit.status).toBe(401);
  expect((await findLastEmailTo(service, user.email)).subject).toContain('trying to guess the password');
  for (const password of ['wrong password', 'another wrong one', user.password])
    expect(readHeading((await attemptSignIn(user.email, password)).visit.body)).toBe(CODE_PAGE_HEADING);
  const subjects = (await listEmailsTo(service, user.email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject.includes('trying to guess'))).toHaveLength(1);
});

test('the 100th wrong password triggers the same queries for known and unknown email addresses', async () => {
  const user = await createUserWithWrongPasswords(99);
  const unknownEmail = 'nobody-to-tell@example.org';
  const unknownEmailKey = deriveUnknownEmailKey(service.services.sealer, unknownEmail);
  await recordPasswordAttempt(
    service.services.database,
    { userId: undefined, unknownEmailKey, ip: '198.51.100.66', wrong: 99 },
    service.clock.now(),
  );
  const countInserts = async (email: string) => {
    const count = () => service.services.database.usage().statements.get('queue_email') ?? 0;
    const before = count();
    expect((await attemptSignIn(email, 'wrong password')).visit.status).toBe(401);
    return count() - before;
  };
  expect([await countInserts(user.email), await countInserts(unknownEmail)]).toEqual([1, 1]);
  expect(await listEmailsTo(service, user.email)).toHaveLength(1);
  expect(await listEmailsTo(service, unknownEmail)).toEqual([]);
});

test('a wrong email code triggers the same queries after a correct or a wrong password', async () => {
  const user = await createUserWithWrongPasswords();
  const work: [string, number][][] = [];
  for (const password of [user.password, 'wrong password']) {
    const { browser, visit } = await attemptSignIn(user.email, password);
    await service.services.mailer.idle();
    const before = new Map(service.services.database.usage().statements);
    expect((await browser.post('/signin/code', { ...visit.hidden, code: '00000000' })).status).toBe(400);
    const after = [...service.services.database.usage().statements];
    const executed = after.map(([name, times]): [string, number] => [name, times - (before.get(name) ?? 0)]);
    work.push(executed.filter(([name, times]) => times > 0 && /token|code|limit/.test(name)));
  }
  expect(work[0]).not.toEqual([]);
  expect(work[1]?.toSorted()).toEqual(work[0]?.toSorted());
});

test('wrong passwords still count toward the limit after a year', async () => {
  const [atLimit, belowLimit] = [
    await createUserWithWrongPasswords(),
    await createUserWithWrongPasswords(99),
  ];
  service.clock.advance(400 * 24 * 3600);
  expect(readHeading((await attemptSignIn(atLimit.email, atLimit.password)).visit.body)).toBe(
    CODE_PAGE_HEADING,
  );
  expect(await isSignedIn((await attemptSignIn(belowLimit.email, belowLimit.password)).browser)).toBe(true);
});

test('correct passwords, wrong passwords and unknown accounts get the same response', async () => {
  const user = await createUserWithWrongPasswords();
  const unknownEmail = 'nobody-at-all@example.org';
  const unknownEmailKey = deriveUnknownEmailKey(service.services.sealer, unknownEmail);
  const guessed: Parameters<typeof recordPasswordAttempt>[1] = {
    userId: undefined,
    unknownEmailKey,
    ip: '198.51.100.66',
    wrong: 100,
  };
  await recordPasswordAttempt(service.services.database, guessed, service.clock.now());
  service.clock.advance(3600);
  const attemptAndNormalize = async (email: string, password: string) => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const response = await browser.post('/signin', { ...page.hidden, email, password });
    const followed = await browser.follow(response);
    const normalize = (visit: Visit) => ({
      status: visit.status,
      headers: [...visit.headers.keys()].sort(),
      body: visit.body
        .replaceAll(email, 'EMAIL')
        .replace(/(name="(csrf|token)" value=")[^"]*/g, '$1')
        .replace(/(token|sent|typed)=[\w-]*/g, '$1='),
    });
    const wrong = await browser.post('/signin/code', { ...followed.hidden, code: '000000x' });
    return [normalize(response), normalize(followed), normalize(wrong), followed.hidden.token?.length];
  };
  const before = service.delays.length;
  const right = await attemptAndNormalize(user.email, user.password);
  expect(await attemptAndNormalize(user.email, 'wrong password')).toEqual(right);
  expect((await attemptAndNormalize(unknownEmail, 'wrong password')).slice(0, 3)).toEqual(right.slice(0, 3));
  expect(right[1]).toMatchObject({ status: 200 });
  expect(service.delays.length).toBe(before);
  expect(await listEmailsTo(service, unknownEmail)).toEqual([]);
});

describe('the email code', () => {
  test('lets the user sign in', async () => {
    const user = await createUserWithWrongPasswords();
    const application = await service.createClient();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
    const codePage = await signIn(browser, user, page);
    expect(readHeading(codePage.body)).toBe(CODE_PAGE_HEADING);
    const mail = await findLastEmailTo(service, user.email);
    const refused = await browser.post('/signin/code', {
      ...codePage.hidden,
      code: createWrongCode(readCode(mail)),
    });
    expect([refused.status, readFieldError(refused.body, 'code')]).toEqual([
      400,
      expect.stringContaining('not the code'),
    ]);
    expect(await isSignedIn(browser)).toBe(false);
    const consent = await browser.follow(
      await browser.post('/signin/code', { ...codePage.hidden, code: readCode(mail) }),
    );
    const { location } = await submitDecision(browser, consent, 'allow');
    const code = location?.searchParams.get('code') ?? '';
    expect((await redeemCode(service, application, code)).status).toBe(200);
    expect(await isSignedIn((await attemptSignIn(user.email, user.password)).browser)).toBe(true);
    const fields = { ...codePage.hidden, ...(await fetchCsrf(browser)), code: readCode(mail) };
    const reused = await browser.post('/signin/code', fields);
    expect(reused.status).toBe(400);
  });

  test('does not replace MFA', async () => {
    for (const isLater of [false, true]) {
      const user = await service.createUser({ locale: 'en' });
      const owner = openBrowserSession(service.baseUrl);
      await signIn(owner, user);
      const app = isLater ? undefined : await setUpAuthenticatorApp(service, owner);
      await recordWrongPasswords(user, 100);
      const { browser, visit } = await attemptSignIn(user.email, user.password);
      const code = readCode(await findLastEmailTo(service, user.email));
      const { secret } = app ?? (await setUpAuthenticatorApp(service, owner));
      const page = await browser.follow(await browser.post('/signin/code', { ...visit.hidden, code }));
      expect([readHeading(page.body), await isSignedIn(browser)]).toEqual(['Enter your code', false]);
      await submitSecondFactor(browser, page, { code: createTotpCode(service, secret) });
      expect(await isSignedIn(browser)).toBe(true);
    }
  });

  test('is valid only in the browser that requested it', async () => {
    const user = await createUserWithWrongPasswords();
    const { browser, visit } = await attemptSignIn(user.email, user.password);
    const code = readCode(await findLastEmailTo(service, user.email));
    const guesser = await attemptSignIn(user.email, 'wrong password');
    for (let i = 0; i < 6; i += 1)
      await guesser.browser.post('/signin/code', { ...guesser.visit.hidden, code });
    expect(await isSignedIn(guesser.browser)).toBe(false);
    await browser.post('/signin/code', { ...visit.hidden, code });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('is sent only if the password is correct', async () => {
    const user = await createUserWithWrongPasswords();
    await attemptSignIn(user.email, 'wrong password');
    expect(
      (await listEmailsTo(service, user.email)).filter(({ subject }) => subject.startsWith('Confirm')),
    ).toEqual([]);
    const { browser, visit } = await attemptSignIn(user.email, user.password);
    const code = readCode(await findLastEmailTo(service, user.email));
    await setAccountPassword(
      service.services.database,
      user.userId,
      await service.services.hasher.hash(PASSWORD),
    );
    expect((await browser.post('/signin/code', { ...visit.hidden, code })).status).toBe(400);
  });

  test('is sent at most five times per hour', async () => {
    const user = await createUserWithWrongPasswords();
    service.services.config.hourlyLimits = true;
    onTestFinished(() => {
      service.services.config.hourlyLimits = false;
    });
    for (let i = 0; i < 7; i += 1) await attemptSignIn(user.email, user.password);
    const sent = (await listEmailsTo(service, user.email)).filter(({ subject }) =>
      subject.startsWith('Confirm'),
    );
    expect(sent).toHaveLength(5);
  });
});

describe('the email code requirement', () => {
  test('does not apply to sign-ins in a known browser', async () => {
    const user = await service.createUser();
    const known = openBrowserSession(service.baseUrl);
    await signIn(known, user);
    await recordWrongPasswords(user, 100);
    service.clock.advance(3600);
    expect(readHeading((await attemptSignIn(user.email, user.password)).visit.body)).toBe(CODE_PAGE_HEADING);
    const page = await signOutAndReopen(known);
    expect(
      (await known.post('/signin', { ...page.hidden, email: user.email, password: PASSWORD })).status,
    ).toBe(303);
    expect(await isSignedIn((await attemptSignIn(user.email, user.password)).browser)).toBe(true);
  });

  test('does not apply to a password reset', async () => {
    const user = await createUserWithWrongPasswords();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    const reset = await browser.get(readLink(await findLastEmailTo(service, user.email)));
    await browser.post('/password/reset', { ...reset.hidden, new_password: 'another good password' });
    expect(await isSignedIn(browser)).toBe(true);
    const secondAttempt = await attemptSignIn(user.email, 'another good password');
    expect(await isSignedIn(secondAttempt.browser)).toBe(true);
  });

  test('does not apply if no mail server is configured', async () => {
    const production = {
      NODE_ENV: 'production',
      BASE_URL: 'https://sesame.example',
      TRUSTED_PROXIES: '127.0.0.1',
    };
    const serviceWithoutMail = await startTestService(production);
    try {
      expect(serviceWithoutMail.services.mailer.available).toBe(false);
      const user = await serviceWithoutMail.createUser();
      const guessed: Parameters<typeof recordPasswordAttempt>[1] = {
        userId: user.userId,
        unknownEmailKey: '',
        ip: '192.0.2.1',
        wrong: 500,
      };
      await recordPasswordAttempt(
        serviceWithoutMail.services.database,
        guessed,
        serviceWithoutMail.clock.now(),
      );
      const context: AttemptContext = {
        ip: '192.0.2.2',
        known: [],
        withoutSlot: <R>(work: () => Promise<R>) => work(),
      };
      const request: RequestContext = { ip: '192.0.2.2', userAgent: '', sessionIds: [] };
      expect(
        await startSignIn(
          serviceWithoutMail.services,
          user,
          context,
          request,
          serviceWithoutMail.services.now,
        ),
      ).toMatchObject({
        userId: user.userId,
      });
      expect(
        await checkPassword(serviceWithoutMail.services, user, context, serviceWithoutMail.services.now),
      ).toBeDefined();
    } finally {
      await serviceWithoutMail.close();
    }
  });
});

test('an email code entered during a password reset starts no session', async () => {
  const user = await createUserWithWrongPasswords();
  const { browser, visit } = await attemptSignIn(user.email, user.password);
  const code = readCode(await findLastEmailTo(service, user.email));
  const owner = openBrowserSession(service.baseUrl);
  const forgot = await owner.get('/password/forgot');
  await owner.post('/password/forgot', { ...forgot.hidden, email: user.email });
  const form = await owner.get(readLink(await findLastEmailTo(service, user.email)));
  // Block the reset first because hashing the new password takes longer than the statement timeout.
  const resetting = await blockAfterTokenUse(service.databaseUrl, 'reset_password');
  const reset = owner.post('/password/reset', { ...form.hidden, new_password: 'quite another password 7' });
  await resetting.waitForBlocked(1);
  const signingIn = await blockAfterTokenUse(service.databaseUrl, 'sign_in');
  const signInRequest = browser.post('/signin/code', { ...visit.hidden, code });
  await signingIn.waitForBlocked(1);
  await resetting.release();
  await reset;
  await signingIn.release();
  await signInRequest;
  expect([await isSignedIn(owner), await isSignedIn(browser)]).toEqual([true, false]);
});

/** Loads the password reset page and returns its CSRF token as a form field. */
async function fetchCsrf(browser: BrowserSession): Promise<{ csrf: string }> {
  const { csrf = '' } = (await browser.get('/password/forgot')).hidden;
  return { csrf };
}

async function signOutAndReopen(browser: BrowserSession): Promise<Visit> {
  const page = await browser.get('/signout');
  await browser.post('/signout', page.hidden);
  return browser.get('/signin');
}
