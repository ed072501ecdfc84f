// Verifying the address and changing it: by link and by code, once, by the right person, told to the old mailbox.
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { databaseContent } from '../support/database-content.ts';
import { authorizeAddress, obtainTokens, signedInBrowser, userinfo } from '../support/flow.ts';
import { codeIn, lastMailTo, linkIn, mailsTo, otherCode } from '../support/mail.ts';
import { elementsOf, fieldError, headingOf, inputOf } from '../support/markup.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

let counter = 0;
const freshEmail = () => `fresh${++counter}@example.org`;
const find = (email: string) => findUserByEmail(service.parts.database, email);
const csrfOf = async (browser: BrowserSession) => (await browser.get('/account/email')).hidden.csrf ?? '';

async function signUp(): Promise<{ browser: BrowserSession; email: string }> {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signup');
  const email = freshEmail();
  await browser.post('/signup', { ...page.hidden, name: 'Zoé', email, password: PASSWORD });
  return { browser, email };
}

/** Sends the form of a page that a mail's link opens. */
async function confirm(browser: BrowserSession, link: string) {
  const page = await browser.get(link);
  return browser.post(link.split('?')[0] ?? '', page.hidden);
}

describe('at sign-up', () => {
  test('a mail with link and code goes out, and the person goes on at once', async () => {
    const application = await service.createApplication();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(authorizeAddress(service, application)));
    const page = await browser.get(`/signup?pending=${signInPage.hidden.pending}`);
    const email = freshEmail();
    const answer = await browser.post('/signup', { ...page.hidden, name: 'Zoé', email, password: PASSWORD });
    expect((await browser.follow(answer)).body).toContain('action="/consent"');
    const mail = await lastMailTo(service, email);
    expect(mail.subject).toBe('Confirm your address for Sésame');
    expect(codeIn(mail)).toHaveLength(8);
    expect((await find(email))?.emailVerified).toBe(false);
  });

  test('20 accounts an hour from one IP address (HOURLY_LIMITS), then the typed values stay', async () => {
    const strict = await startTestService({ HOURLY_LIMITS: 'on' });
    try {
      const attempt = async (email: string) => {
        const browser = openBrowserSession(strict.baseUrl);
        const page = await browser.get('/signup');
        return browser.post('/signup', { ...page.hidden, name: 'Zoé', email, password: PASSWORD });
      };
      for (let n = 0; n < 20; n += 1) expect((await attempt(`person${n}@example.org`)).status).toBe(303);
      expect((await attempt('bad')).status).toBe(400); // invalid forms aren't counted
      const refused = await attempt('late@example.org');
      expect(refused.status).toBe(429);
      expect(refused.body).toContain('Too many accounts');
      expect(inputOf(refused.body, 'email')?.value).toBe('late@example.org');
      expect(await findUserByEmail(strict.parts.database, 'late@example.org')).toBeUndefined();
      strict.clock.advance(1800);
      expect((await attempt('late@example.org')).status).toBe(303);
    } finally {
      await strict.close();
    }
  });
});

describe('verification', () => {
  test('by the link, in the browser that is signed in: the page asks, its form confirms', async () => {
    const { email, browser } = await signUp();
    const before = (await find(email))?.profileUpdatedAt;
    const link = linkIn(await lastMailTo(service, email));
    for (let i = 0; i < 3; i++)
      expect(headingOf((await browser.get(link)).body)).toBe('Confirm your address');
    expect((await find(email))?.emailVerified).toBe(false);
    service.clock.advance(60);
    const answer = await confirm(browser, link);
    expect((await browser.follow(answer)).body).toContain('Your address has been verified');
    const user = await find(email);
    expect(user?.emailVerified).toBe(true);
    expect(user?.profileUpdatedAt.getTime()).toBeGreaterThan(before?.getTime() ?? Infinity);
    expect(headingOf((await browser.get(link)).body)).toBe('This link no longer works');
    expect((await browser.get('/account/verify')).location?.pathname).toBe('/account/email');
    expect((await databaseContent(service.databaseUrl)).events).toContain('email_verified');
  });

  test('by the code, however it is typed', async () => {
    for (const written of [
      (code: string) => code,
      (code: string) => ` ${code.slice(0, 4)}\u2011${code.slice(4)} `,
      (code: string) => code.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ]) {
      const { email, browser } = await signUp();
      const page = await browser.get('/account/verify');
      const field = elementsOf(page.body).find(({ attributes }) => attributes.name === 'code');
      expect(field?.attributes).toMatchObject({ autocomplete: 'one-time-code', inputmode: 'numeric' });
      const code = written(codeIn(await lastMailTo(service, email)));
      const answer = await browser.post('/account/verify', { ...page.hidden, code });
      expect(answer.location?.search).toBe('?done=verified');
      expect((await find(email))?.emailVerified).toBe(true);
    }
  });

  test('nobody else can use the code', async () => {
    const { email } = await signUp();
    const other = await signUp();
    const code = codeIn(await lastMailTo(service, email));
    const page = await other.browser.get('/account/verify');
    const answer = await other.browser.post('/account/verify', { ...page.hidden, code });
    // One in a million that both have the same.
    expect(answer.status).toBe(400);
    expect((await find(email))?.emailVerified).toBe(false);
  });

  test('a code is kept as a keyed hash, a link as a hash (D32)', async () => {
    const { email } = await signUp();
    const mail = await lastMailTo(service, email);
    const tokens = (await databaseContent(service.databaseUrl)).one_time_tokens ?? '';
    expect(tokens).not.toContain(codeIn(mail));
    expect(tokens).not.toContain(linkIn(mail).split('token=')[1]);
  });
});

describe('POST /account/email', () => {
  const ask = async (user: TestUser, email: string, fields: Record<string, string> = {}) => {
    const browser = await signedInBrowser(service, user);
    const csrf = await csrfOf(browser);
    return { browser, answer: await browser.post('/account/email', { csrf, new_email: email, ...fields }) };
  };

  test('a mailbox that has not answered is told neither name nor address: a stranger may have chosen both', async () => {
    const user = await service.createUser({ name: 'Ring Mallory Now' });
    const email = 'call.mallory@evil.example';
    const { browser } = await ask(user, email);
    const [notice] = await mailsTo(service, user.email);
    const [confirmation] = await mailsTo(service, email);
    for (const { text, html, to } of [notice, confirmation].filter((mail) => mail !== undefined))
      expect(`${text}${html}${to.name}`).not.toContain('Mallory');
    expect(notice?.text).toContain('Concerns: c…@…');
    expect(notice?.html).not.toContain('evil.example');
    await confirm(browser, linkIn(confirmation ?? { text: '' }));
    expect((await find(email))?.userId).toBe(user.userId);
    const changed = await lastMailTo(service, user.email);
    expect(changed.subject).toContain('The address of your');
    expect(changed.text + changed.html).not.toContain('evil.example');
  });

  test('mails the new address and tells the old one; nothing changes before the link is used', async () => {
    const user = await service.createUser({ emailVerified: true });
    const email = freshEmail();
    const { browser, answer } = await ask(user, email);
    expect(answer.location?.search).toBe('?done=sent');
    expect((await browser.follow(answer)).body).toContain(`We’ve sent an email to ${email}`);
    expect((await find(user.email))?.userId).toBe(user.userId);
    expect((await lastMailTo(service, user.email)).text).toContain(`Concerns: ${email}`);

    const tokens = await obtainTokens(service, await service.createApplication(), browser);
    service.clock.advance(60);
    const link = linkIn(await lastMailTo(service, email));
    expect(headingOf((await browser.get(link)).body)).toBe('Confirm your new address');
    expect(await find(email)).toBeUndefined();
    const before = service.clock.now();
    await browser.follow(await confirm(browser, link));
    expect(await find(email)).toMatchObject({ userId: user.userId, emailVerified: true });
    expect(await find(user.email)).toBeUndefined();
    // Sessions and grants go on, and applications see the new address and a new updated_at (D20).
    const { body } = await userinfo(service, tokens.accessToken);
    expect(body).toMatchObject({ email, email_verified: true });
    expect(Date.parse(String(body.updated_at))).toBeGreaterThanOrEqual(before.getTime());
    expect((await browser.get('/account/email')).body).toContain(email);
    expect((await lastMailTo(service, user.email)).subject).toContain('The address of your');
    const { events } = await databaseContent(service.databaseUrl);
    for (const kind of ['email_change_requested', 'email_changed']) expect(events).toContain(kind);
  });

  test('the code does it too', async () => {
    const user = await service.createUser();
    const email = freshEmail();
    const { browser } = await ask(user, email);
    const code = codeIn(await lastMailTo(service, email));
    const csrf = await csrfOf(browser);
    const wrong = await browser.post('/account/email/code', { csrf, code: otherCode(code) });
    expect(fieldError(wrong.body, 'code')).toContain('not the code');
    expect(fieldError((await browser.post('/account/email/code', { csrf })).body, 'code')).toContain(
      'eight-digit',
    );
    const answer = await browser.post('/account/email/code', { csrf, code });
    expect(answer.location?.search).toBe('?done=changed');
    expect((await find(email))?.userId).toBe(user.userId);
  });

  test('a sign-in of long ago asks for the password', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    service.clock.advance(16 * 60);
    const email = freshEmail();
    const page = await browser.get('/account/email');
    expect(inputOf(page.body, 'current_password')).toBeDefined();
    const send = (fields: Record<string, string>) =>
      browser.post('/account/email', { csrf: page.hidden.csrf ?? '', new_email: email, ...fields });
    const missing = await send({});
    expect([missing.status, fieldError(missing.body, 'current_password')]).toEqual([
      400,
      expect.stringContaining('current password'),
    ]);
    expect(inputOf(missing.body, 'new_email')?.value).toBe(email);
    expect((await send({ current_password: 'wrong' })).status).toBe(400);
    expect(await mailsTo(service, email)).toEqual([]);
    expect((await send({ current_password: PASSWORD })).status).toBe(303);
    expect(await mailsTo(service, email)).toHaveLength(1);
  });

  test('the present address, and one that another account has, are refused', async () => {
    const [user, other] = [await service.createUser(), await service.createUser()];
    const same = await ask(user, user.email);
    expect(fieldError(same.answer.body, 'new_email')).toContain('already');
    expect(await mailsTo(service, other.email)).toEqual([]);
  });

  test('whether the new address has an account shows nowhere but in its own mailbox', async () => {
    const [user, twin] = [await service.createUser(), await service.createUser()];
    const owner = await service.createUser({ locale: 'en' });
    const free = freshEmail();
    const before = service.parts.database.usage().statements;
    const seen = async (asker: TestUser, email: string) => {
      const counts = new Map(before);
      const { answer, browser } = await ask(asker, email);
      const sent = [...before].filter(([name, count]) => count !== counts.get(name)).map(([name]) => name);
      const page = await browser.follow(answer);
      const wrong = await browser.post('/account/email/code', {
        csrf: await csrfOf(browser),
        code: '12345x',
      });
      const steady = ({ status, body }: Visit) => [
        status,
        body
          .replaceAll(email, 'EMAIL')
          .replaceAll(asker.email, 'OWN')
          .replace(/(name="(?:csrf|account)" value=")[^"&]*/g, '$1'),
      ];
      return [
        steady(answer),
        steady(page),
        steady(wrong),
        sent.filter((name) => /allowance|token/.test(name)),
      ];
    };
    expect(await seen(user, owner.email)).toEqual(await seen(twin, free));
    const told = await lastMailTo(service, owner.email);
    expect(told.subject).toContain('already has an account');
    expect(told.text).not.toMatch(/\b\d{8}\b|token=/);
    expect((await lastMailTo(service, free)).text).toContain('token=');
    expect(await find(owner.email)).toMatchObject({ userId: owner.userId });
  });

  test('the last wish counts: an earlier link is dead', async () => {
    const user = await service.createUser();
    const [first, second] = [freshEmail(), freshEmail()];
    const { browser } = await ask(user, first);
    await browser.post('/account/email', { csrf: await csrfOf(browser), new_email: second });
    const visit = await browser.get(linkIn(await lastMailTo(service, first)));
    expect(headingOf(visit.body)).toBe('This link no longer works');
    await confirm(browser, linkIn(await lastMailTo(service, second)));
    expect((await find(second))?.userId).toBe(user.userId);
  });

  test('giving up kills the link', async () => {
    const user = await service.createUser();
    const email = freshEmail();
    const { browser } = await ask(user, email);
    const answer = await browser.post('/account/email/cancel', { csrf: await csrfOf(browser) });
    expect((await browser.follow(answer)).body).toContain('Change cancelled');
    expect((await browser.get(linkIn(await lastMailTo(service, email)))).status).toBe(400);
  });

  test('of two accounts that want one address the second learns that it is taken, and nothing of it changes', async () => {
    const [one, two] = [await service.createUser(), await service.createUser()];
    const email = freshEmail();
    const { browser: browserOfOne } = await ask(one, email);
    const first = linkIn(await lastMailTo(service, email));
    const { browser: browserOfTwo } = await ask(two, email);
    const second = linkIn(await lastMailTo(service, email));
    const answers = await Promise.all([confirm(browserOfOne, first), confirm(browserOfTwo, second)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const owner = (await find(email))?.userId;
    expect([one.userId, two.userId]).toContain(owner);
    const loser = owner === one.userId ? two : one;
    expect(await find(loser.email)).toMatchObject({ userId: loser.userId, emailVerified: false });
  });

  test('changing the password kills a change that somebody else has begun', async () => {
    const user = await service.createUser();
    const email = freshEmail();
    await ask(user, email);
    const browser = await signedInBrowser(service, user);
    const page = await browser.get('/account/password');
    const fields = { current_password: PASSWORD, new_password: 'quite another password 7' };
    await browser.post('/account/password', { ...page.hidden, ...fields });
    expect((await browser.get(linkIn(await lastMailTo(service, email)))).status).toBe(400);
  });
});

describe('with HOURLY_LIMITS', () => {
  beforeEach(() => {
    service.clock.advance(3600);
    service.parts.config.hourlyLimits = true;
    onTestFinished(() => {
      service.parts.config.hourlyLimits = false;
    });
  });

  const forget = async (email: string) => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    return browser.post('/password/forgot', { ...page.hidden, email });
  };

  test('a mailbox gets five emails an hour to verify it, the one at sign-up included', async () => {
    const { email, browser } = await signUp();
    const ask = async () =>
      browser.post('/account/verify/send', (await browser.get('/account/verify')).hidden);
    for (let i = 0; i < 4; i++) expect((await ask()).status).toBe(303);
    const refused = await ask();
    expect([refused.status, refused.body.includes('Too many emails')]).toEqual([429, true]);
    expect(await mailsTo(service, email)).toHaveLength(5);
  });

  test('30 emails an hour are sent for one IP address, to whichever mailboxes, the one at sign-up included', async () => {
    const { browser } = await signUp();
    const verify = await browser.get('/account/verify');
    const fields = { csrf: await csrfOf(browser), new_email: freshEmail() };
    for (let i = 0; i < 29; i++) expect((await forget(freshEmail())).status).toBe(303);
    for (const refused of [
      await forget(freshEmail()),
      await browser.post('/account/verify/send', verify.hidden),
      await browser.post('/account/email', fields),
    ])
      expect([refused.status, refused.body.includes('Too many emails')]).toEqual([429, true]);
  });

  test('a new address gets five an hour, and other emails to it do not count: they would show its account', async () => {
    const [owner, user] = [await service.createUser(), await service.createUser()];
    for (let i = 0; i < 5; i++) await forget(owner.email);
    expect(await mailsTo(service, owner.email)).toHaveLength(5);
    const browser = await signedInBrowser(service, user);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      const fields = { csrf: await csrfOf(browser), new_email: owner.email };
      statuses.push((await browser.post('/account/email', fields)).status);
    }
    expect(statuses).toEqual([...Array<number>(5).fill(303), 429]);
  });
});
