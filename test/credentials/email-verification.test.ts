// Verifying and changing email addresses with emailed links and codes.
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { databaseContent } from '../support/database-content.ts';
import { createWrongCode, findLastEmailTo, listEmailsTo, readCode, readLink } from '../support/emails.ts';
import { findInput, parseElements, readFieldError, readHeading } from '../support/markup.ts';
import {
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
} from '../support/oauth-flow.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

let counter = 0;
const freshEmail = () => `fresh${++counter}@example.org`;
const findUser = (email: string) => findUserByEmail(service.services.database, email);
const fetchCsrf = async (browser: BrowserSession) => (await browser.get('/account/email')).hidden.csrf ?? '';

async function signUp(): Promise<{ browser: BrowserSession; email: string }> {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signup');
  const email = freshEmail();
  await browser.post('/signup', { ...page.hidden, name: 'Zoé', email, password: PASSWORD });
  return { browser, email };
}

/** Opens an emailed link and submits the form on the page. */
async function submitEmailedForm(browser: BrowserSession, link: string) {
  const page = await browser.get(link);
  return browser.post(link.split('?')[0] ?? '', page.hidden);
}

describe('sign-up', () => {
  test('sends an email with a link and a code', async () => {
    const application = await service.createClient();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
    const page = await browser.get(`/signup?pending=${signInPage.hidden.pending}`);
    const email = freshEmail();
    const response = await browser.post('/signup', {
      ...page.hidden,
      name: 'Zoé',
      email,
      password: PASSWORD,
    });
    expect((await browser.follow(response)).body).toContain('action="/consent"');
    const mail = await findLastEmailTo(service, email);
    expect(mail.subject).toBe('Confirm your email address for Sésame');
    expect(readCode(mail)).toHaveLength(8);
    expect((await findUser(email))?.emailVerified).toBe(false);
  });

  test('is limited to 20 accounts per IP address per hour (HOURLY_LIMITS)', async () => {
    const strict = await startTestService({ HOURLY_LIMITS: 'on' });
    try {
      const attempt = async (email: string) => {
        const browser = openBrowserSession(strict.baseUrl);
        const page = await browser.get('/signup');
        return browser.post('/signup', { ...page.hidden, name: 'Zoé', email, password: PASSWORD });
      };
      for (let n = 0; n < 20; n += 1) expect((await attempt(`person${n}@example.org`)).status).toBe(303);
      // Invalid forms don't count toward the limit.
      expect((await attempt('bad')).status).toBe(400);
      const refused = await attempt('late@example.org');
      expect(refused.status).toBe(429);
      expect(refused.body).toContain('Too many accounts');
      expect(findInput(refused.body, 'email')?.value).toBe('late@example.org');
      expect(await findUserByEmail(strict.services.database, 'late@example.org')).toBeUndefined();
      strict.clock.advance(1800);
      expect((await attempt('late@example.org')).status).toBe(303);
    } finally {
      await strict.close();
    }
  });
});

describe('email verification', () => {
  test('requires submitting the form on the linked page', async () => {
    const { email, browser } = await signUp();
    const before = (await findUser(email))?.profileUpdatedAt;
    const link = readLink(await findLastEmailTo(service, email));
    for (let i = 0; i < 3; i++)
      expect(readHeading((await browser.get(link)).body)).toBe('Confirm your address');
    expect((await findUser(email))?.emailVerified).toBe(false);
    service.clock.advance(60);
    const response = await submitEmailedForm(browser, link);
    expect((await browser.follow(response)).body).toContain('Your address has been verified');
    const user = await findUser(email);
    expect(user?.emailVerified).toBe(true);
    expect(user?.profileUpdatedAt.getTime()).toBeGreaterThan(before?.getTime() ?? Infinity);
    expect(readHeading((await browser.get(link)).body)).toBe('This link no longer works');
    expect((await browser.get('/account/verify')).location?.pathname).toBe('/account/email');
    expect((await databaseContent(service.databaseUrl)).events).toContain('email_verified');
  });

  test('succeeds if the code contains spaces, dashes or full-width digits', async () => {
    for (const format of [
      (code: string) => code,
      (code: string) => ` ${code.slice(0, 4)}\u2011${code.slice(4)} `,
      (code: string) => code.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ]) {
      const { email, browser } = await signUp();
      const page = await browser.get('/account/verify');
      const field = parseElements(page.body).find(({ attributes }) => attributes.name === 'code');
      expect(field?.attributes).toMatchObject({ autocomplete: 'one-time-code', inputmode: 'numeric' });
      const code = format(readCode(await findLastEmailTo(service, email)));
      const response = await browser.post('/account/verify', { ...page.hidden, code });
      expect(response.location?.search).toBe('?done=verified');
      expect((await findUser(email))?.emailVerified).toBe(true);
    }
  });

  test('fails with a different account’s code', async () => {
    const { email } = await signUp();
    const otherUser = await signUp();
    const code = readCode(await findLastEmailTo(service, email));
    const page = await otherUser.browser.get('/account/verify');
    const response = await otherUser.browser.post('/account/verify', { ...page.hidden, code });
    expect(response.status).toBe(400);
    expect((await findUser(email))?.emailVerified).toBe(false);
  });

  test('stores only hashes of the code and the link token', async () => {
    const { email } = await signUp();
    const mail = await findLastEmailTo(service, email);
    const tokens = (await databaseContent(service.databaseUrl)).one_time_tokens ?? '';
    expect(tokens).not.toContain(readCode(mail));
    expect(tokens).not.toContain(readLink(mail).split('token=')[1]);
  });
});

describe('an email change', () => {
  const requestChange = async (user: TestUser, email: string, fields: Record<string, string> = {}) => {
    const browser = await openSignedInBrowser(service, user);
    const csrf = await fetchCsrf(browser);
    return { browser, response: await browser.post('/account/email', { csrf, new_email: email, ...fields }) };
  };

  test('sends no email that contains the user’s name', async () => {
    const user = await service.createUser({ name: 'Ring Mallory Now' });
    const email = 'call.mallory@evil.example';
    const { browser } = await requestChange(user, email);
    const [notice] = await listEmailsTo(service, user.email);
    const [confirmation] = await listEmailsTo(service, email);
    for (const { text, html, to } of [notice, confirmation].filter((mail) => mail !== undefined))
      expect(`${text}${html}${to.name}`).not.toContain('Mallory');
    expect(notice?.text).toContain('Concerns: c…@…');
    expect(notice?.html).not.toContain('evil.example');
    await submitEmailedForm(browser, readLink(confirmation ?? { text: '' }));
    expect((await findUser(email))?.userId).toBe(user.userId);
    const changed = await findLastEmailTo(service, user.email);
    expect(changed.subject).toContain('The email address for your');
    expect(changed.text + changed.html).not.toContain('evil.example');
  });

  test('takes effect only after confirmation', async () => {
    const user = await service.createUser({ emailVerified: true });
    const email = freshEmail();
    const { browser, response } = await requestChange(user, email);
    expect(response.location?.search).toBe('?done=sent');
    expect((await browser.follow(response)).body).toContain(`We’ve sent an email to ${email}`);
    expect((await findUser(user.email))?.userId).toBe(user.userId);
    expect((await findLastEmailTo(service, user.email)).text).toContain(`Concerns: ${email}`);

    const tokens = await obtainTokens(service, await service.createClient(), browser);
    service.clock.advance(60);
    const link = readLink(await findLastEmailTo(service, email));
    expect(readHeading((await browser.get(link)).body)).toBe('Confirm your new address');
    expect(await findUser(email)).toBeUndefined();
    const before = service.clock.now();
    await browser.follow(await submitEmailedForm(browser, link));
    expect(await findUser(email)).toMatchObject({ userId: user.userId, emailVerified: true });
    expect(await findUser(user.email)).toBeUndefined();
    // Sessions and grants stay valid, and clients receive the new `email` and `updated_at` claims.
    const { body } = await fetchUserinfo(service, tokens.accessToken);
    expect(body).toMatchObject({ email, email_verified: true });
    expect(Date.parse(String(body.updated_at))).toBeGreaterThanOrEqual(before.getTime());
    expect((await browser.get('/account/email')).body).toContain(email);
    expect((await findLastEmailTo(service, user.email)).subject).toContain('The email address for your');
    const { events } = await databaseContent(service.databaseUrl);
    for (const kind of ['email_change_requested', 'email_changed']) expect(events).toContain(kind);
  });

  test('can be confirmed with the emailed code', async () => {
    const user = await service.createUser();
    const email = freshEmail();
    const { browser } = await requestChange(user, email);
    const code = readCode(await findLastEmailTo(service, email));
    const csrf = await fetchCsrf(browser);
    const wrong = await browser.post('/account/email/code', { csrf, code: createWrongCode(code) });
    expect(readFieldError(wrong.body, 'code')).toContain('not the code');
    expect(readFieldError((await browser.post('/account/email/code', { csrf })).body, 'code')).toContain(
      'eight-digit',
    );
    const response = await browser.post('/account/email/code', { csrf, code });
    expect(response.location?.search).toBe('?done=changed');
    expect((await findUser(email))?.userId).toBe(user.userId);
  });

  test('requires the password if the sign-in is not recent', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    service.clock.advance(16 * 60);
    const email = freshEmail();
    const page = await browser.get('/account/email');
    expect(findInput(page.body, 'current_password')).toBeDefined();
    const send = (fields: Record<string, string>) =>
      browser.post('/account/email', { csrf: page.hidden.csrf ?? '', new_email: email, ...fields });
    const missing = await send({});
    expect([missing.status, readFieldError(missing.body, 'current_password')]).toEqual([
      400,
      expect.stringContaining('current password'),
    ]);
    expect(findInput(missing.body, 'new_email')?.value).toBe(email);
    expect((await send({ current_password: 'wrong' })).status).toBe(400);
    expect(await listEmailsTo(service, email)).toEqual([]);
    expect((await send({ current_password: PASSWORD })).status).toBe(303);
    expect(await listEmailsTo(service, email)).toHaveLength(1);
  });

  test('leaves only the code field and a resend button on the page while it is pending', async () => {
    const user = await service.createUser();
    const email = freshEmail();
    const { browser } = await requestChange(user, email);
    const { body } = await browser.get('/account/email');
    expect(findInput(body, 'new_email')).toMatchObject({ type: 'hidden', value: email });
    expect(body).not.toContain('Change your address');
    await browser.post('/account/email', { csrf: await fetchCsrf(browser), new_email: email });
    expect(await listEmailsTo(service, email)).toHaveLength(2);
  });

  test('requires the password to resend the email if the sign-in is not recent', async () => {
    const email = freshEmail();
    const { browser } = await requestChange(await service.createUser(), email);
    const { hidden } = await browser.get('/account/email');
    service.clock.advance(16 * 60);
    const missing = await browser.post('/account/email', { ...hidden, new_email: email });
    expect(readFieldError(missing.body, 'current_password')).toContain('current password');
    const fields = { ...missing.hidden, current_password: PASSWORD };
    expect((await browser.post('/account/email', fields)).status).toBe(303);
    expect(await listEmailsTo(service, email)).toHaveLength(2);
  });

  test('is rejected if the email address is unchanged', async () => {
    const [user, other] = [await service.createUser(), await service.createUser()];
    const same = await requestChange(user, user.email);
    expect(readFieldError(same.response.body, 'new_email')).toContain('already');
    expect(await listEmailsTo(service, other.email)).toEqual([]);
  });

  test('does not reveal whether another account uses the address', async () => {
    const [user, otherUser] = [await service.createUser(), await service.createUser()];
    const owner = await service.createUser({ locale: 'en' });
    const free = freshEmail();
    const before = service.services.database.usage().statements;
    const recordResponses = async (requester: TestUser, email: string) => {
      const counts = new Map(before);
      const { response, browser } = await requestChange(requester, email);
      const sent = [...before].filter(([name, count]) => count !== counts.get(name)).map(([name]) => name);
      const page = await browser.follow(response);
      const wrong = await browser.post('/account/email/code', {
        csrf: await fetchCsrf(browser),
        code: '12345x',
      });
      const normalize = ({ status, body }: Visit) => [
        status,
        body
          .replaceAll('<wbr>', '')
          .replaceAll(email, 'EMAIL')
          .replaceAll(requester.email, 'OWN')
          .replace(/(name="(?:csrf|account)" value=")[^"&]*/g, '$1'),
      ];
      return [
        normalize(response),
        normalize(page),
        normalize(wrong),
        sent.filter((name) => /allowance|token/.test(name)),
      ];
    };
    expect(await recordResponses(user, owner.email)).toEqual(await recordResponses(otherUser, free));
    const email = await findLastEmailTo(service, owner.email);
    expect(email.subject).toContain('already has an account');
    expect(email.text).not.toMatch(/\b\d{8}\b|token=/);
    expect((await findLastEmailTo(service, free)).text).toContain('token=');
    expect(await findUser(owner.email)).toMatchObject({ userId: owner.userId });
  });

  test('invalidates the previous confirmation link', async () => {
    const user = await service.createUser();
    const [first, second] = [freshEmail(), freshEmail()];
    const { browser } = await requestChange(user, first);
    await browser.post('/account/email', { csrf: await fetchCsrf(browser), new_email: second });
    const visit = await browser.get(readLink(await findLastEmailTo(service, first)));
    expect(readHeading(visit.body)).toBe('This link no longer works');
    await submitEmailedForm(browser, readLink(await findLastEmailTo(service, second)));
    expect((await findUser(second))?.userId).toBe(user.userId);
  });

  test('cannot be confirmed after cancellation', async () => {
    const user = await service.createUser();
    const email = freshEmail();
    const { browser } = await requestChange(user, email);
    const response = await browser.post('/account/email/cancel', { csrf: await fetchCsrf(browser) });
    expect((await browser.follow(response)).body).toContain('Change canceled');
    expect((await browser.get(readLink(await findLastEmailTo(service, email)))).status).toBe(400);
  });

  test('can be confirmed with the form that replaces an expired one', async () => {
    const email = freshEmail();
    const { browser } = await requestChange(await service.createUser(), email);
    const page = await browser.get(readLink(await findLastEmailTo(service, email)));
    const expired = await browser.post('/security/confirm', { ...page.hidden, csrf: 'expired' });
    expect([expired.status, expired.body]).toEqual([403, expect.stringContaining('The form expired')]);
    expect(expired.body).not.toContain('Choose another address');
    expect((await browser.post('/security/confirm', expired.hidden)).status).toBe(303);
    expect((await findUser(email))?.emailVerified).toBe(true);
  });

  test('fails with 409 if another account takes the email address first', async () => {
    const [userA, userB] = [await service.createUser(), await service.createUser()];
    const email = freshEmail();
    const { browser: browserA } = await requestChange(userA, email);
    const first = readLink(await findLastEmailTo(service, email));
    const { browser: browserB } = await requestChange(userB, email);
    const second = readLink(await findLastEmailTo(service, email));
    const responses = await Promise.all([
      submitEmailedForm(browserA, first),
      submitEmailedForm(browserB, second),
    ]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const taken = responses.find(({ status }) => status === 409)?.body;
    expect(readHeading(taken ?? '')).toBe('This address is already used');
    expect(taken).toContain('href="/account/email"><span>Choose another address');
    expect(taken).not.toContain('Use this address');
    const owner = (await findUser(email))?.userId;
    expect([userA.userId, userB.userId]).toContain(owner);
    const loser = owner === userA.userId ? userB : userA;
    expect(await findUser(loser.email)).toMatchObject({ userId: loser.userId, emailVerified: false });
  });

  test('cannot be confirmed after a password change', async () => {
    const user = await service.createUser();
    const email = freshEmail();
    await requestChange(user, email);
    const browser = await openSignedInBrowser(service, user);
    const page = await browser.get('/account/password');
    const fields = { current_password: PASSWORD, new_password: 'quite another password 7' };
    await browser.post('/account/password', { ...page.hidden, ...fields });
    expect((await browser.get(readLink(await findLastEmailTo(service, email)))).status).toBe(400);
  });
});

describe('HOURLY_LIMITS', () => {
  beforeEach(() => {
    service.clock.advance(3600);
    service.services.config.hourlyLimits = true;
    onTestFinished(() => {
      service.services.config.hourlyLimits = false;
    });
  });

  const requestReset = async (email: string) => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    return browser.post('/password/forgot', { ...page.hidden, email });
  };

  test('allows five verification emails per email address', async () => {
    const { email, browser } = await signUp();
    const resend = async () =>
      browser.post('/account/verify/send', (await browser.get('/account/verify')).hidden);
    for (let i = 0; i < 4; i++) expect((await resend()).status).toBe(303);
    const refused = await resend();
    expect([refused.status, refused.body.includes('Too many emails')]).toEqual([429, true]);
    expect(await listEmailsTo(service, email)).toHaveLength(5);
  });

  test('allows 30 requested emails per IP address', async () => {
    const { browser } = await signUp();
    const verify = await browser.get('/account/verify');
    const fields = { csrf: await fetchCsrf(browser), new_email: freshEmail() };
    for (let i = 0; i < 29; i++) expect((await requestReset(freshEmail())).status).toBe(303);
    for (const refused of [
      await requestReset(freshEmail()),
      await browser.post('/account/verify/send', verify.hidden),
      await browser.post('/account/email', fields),
    ])
      expect([refused.status, refused.body.includes('Too many emails')]).toEqual([429, true]);
  });

  test('allows five email change requests per new email address', async () => {
    const [owner, user] = [await service.createUser(), await service.createUser()];
    for (let i = 0; i < 5; i++) await requestReset(owner.email);
    expect(await listEmailsTo(service, owner.email)).toHaveLength(5);
    const browser = await openSignedInBrowser(service, user);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      const fields = { csrf: await fetchCsrf(browser), new_email: owner.email };
      statuses.push((await browser.post('/account/email', fields)).status);
    }
    expect(statuses).toEqual([...Array<number>(5).fill(303), 429]);
  });
});
