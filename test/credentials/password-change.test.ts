// Changing the password, and finding the way back without it: what ends, who is told, what is said to strangers.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { databaseContent } from '../support/database-content.ts';
import { authorizeAddress, obtainTokens, renew, signedInBrowser, signIn, userinfo } from '../support/flow.ts';
import { codeIn, lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { fieldError, formErrors, headingOf, inputOf } from '../support/markup.ts';
import { suspendUser } from '../support/populate.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const NEW = 'quite another password 7';
const events = async () => (await databaseContent(service.databaseUrl)).events ?? '';

/** Whether an account opens with a password. */
async function opens(user: TestUser, password: string): Promise<boolean> {
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, { ...user, password });
  return browser.cookies.has('sesame');
}

describe('POST /account/password', () => {
  const change = async (user: TestUser, fields: Record<string, string>) => {
    const browser = await signedInBrowser(service, user);
    const page = await browser.get('/account/password');
    const answer = await browser.post('/account/password', { ...page.hidden, ...fields });
    return { browser, answer };
  };

  test('ends all other sessions and every grant; this one goes on under another id (D28)', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const other = await signedInBrowser(service, user);
    const browser = await signedInBrowser(service, user);
    const tokens = await obtainTokens(service, application, browser);
    const before = browser.cookies.get('sesame');
    const page = await browser.get('/account/password');
    const answer = await browser.post('/account/password', {
      ...page.hidden,
      current_password: PASSWORD,
      new_password: NEW,
    });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=changed']);
    expect(browser.cookies.get('sesame')).not.toBe(before);
    expect((await browser.get('/account/password?done=changed')).body).toContain('has been changed');
    const copied = openBrowserSession(service.baseUrl);
    copied.cookies.set('sesame', before ?? '');
    expect((await copied.get('/account/password')).location?.pathname).toBe('/signin');
    expect((await other.get('/account/password')).location?.pathname).toBe('/signin');
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await renew(service, application, tokens.refreshToken)).body.error).toBe('invalid_grant');
    expect([await opens(user, PASSWORD), await opens(user, NEW)]).toEqual([false, true]);
    expect(await events()).toContain('password_changed');
  });

  test('in one session the password is tried twenty times an hour; another session has its own count (D60)', async () => {
    const user = await service.createUser();
    const stolen = await signedInBrowser(service, user);
    const page = await stolen.get('/account/password');
    const guess = (browser: BrowserSession, current: string, { hidden }: Visit = page) =>
      browser.post('/account/password', { ...hidden, current_password: current, new_password: NEW });
    for (let time = 1; time <= 20; time += 1) expect((await guess(stolen, 'x')).status).toBe(400);
    expect((await guess(stolen, PASSWORD)).status, 'the right one is not looked at any more').toBe(400);
    const own = await signedInBrowser(service, user);
    expect((await guess(own, PASSWORD, await own.get('/account/password'))).location?.search).toBe(
      '?done=changed',
    );
  });

  test.each([
    ['no present password', { current_password: '', new_password: NEW }, 'current_password', 'current'],
    [
      'a wrong present password',
      { current_password: 'x', new_password: NEW },
      'current_password',
      'not your',
    ],
    ['a short new one', { current_password: PASSWORD, new_password: 'short' }, 'new_password', 'at least 8'],
    ['a common one', { current_password: PASSWORD, new_password: 'password123' }, 'new_password', 'Too easy'],
    ['the same one', { current_password: PASSWORD, new_password: PASSWORD }, 'new_password', 'already'],
  ])('%s: refused at the field, and nothing changes', async (_, fields, field, text) => {
    const user = await service.createUser();
    const { answer, browser } = await change(user, fields);
    expect(answer.status).toBe(400);
    expect(fieldError(answer.body, field)).toContain(text);
    for (const name of ['current_password', 'new_password'])
      expect(inputOf(answer.body, name)).not.toHaveProperty('value');
    expect((await browser.get('/account/password')).status).toBe(200);
    expect(await opens(user, PASSWORD)).toBe(true);
  });
});

describe('/password/forgot', () => {
  const ask = async (email: string, at = '/password/forgot') => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(at);
    return { browser, answer: await browser.post('/password/forgot', { ...page.hidden, email }) };
  };

  test('the answer is the same whether or not there is an account; only one of them gets a mail', async () => {
    const user = await service.createUser();
    const known = await ask(user.email);
    const unknown = await ask('nobody@example.org');
    for (const { answer } of [known, unknown])
      expect([answer.status, answer.location?.href]).toEqual([
        303,
        `${service.baseUrl}/password/forgot?done=sent`,
      ]);
    const pages = await Promise.all([known, unknown].map(({ browser, answer }) => browser.follow(answer)));
    const [one, other] = pages.map(({ body }) => body);
    expect(one).toBe(other);
    expect(await mailsTo(service, user.email)).toHaveLength(1);
    expect(await mailsTo(service, 'nobody@example.org')).toEqual([]);
  });

  test('nothing that depends on the account is done before the answer: a locked account table does not show', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    await service.parts.database.transaction(async (transaction) => {
      await transaction.query({ name: 'lock_users', text: 'lock table users in access exclusive mode' }, []);
      const answer = await browser.post('/password/forgot', { ...page.hidden, email: user.email });
      expect(answer.status).toBe(303);
    });
    expect(await mailsTo(service, user.email)).toHaveLength(1);
  });

  test('a suspended account gets no mail', async () => {
    const user = await service.createUser();
    await suspendUser(service.parts.database, user.userId, service.clock.now());
    await ask(user.email);
    expect(await mailsTo(service, user.email)).toEqual([]);
  });

  test('a mailbox gets five an hour, then no more; the answer stays the same', async () => {
    service.parts.config.hourlyLimits = true;
    onTestFinished(() => {
      service.parts.config.hourlyLimits = false;
    });
    const user = await service.createUser();
    for (let i = 0; i < 7; i++) expect((await ask(user.email)).answer.status).toBe(303);
    expect(await mailsTo(service, user.email)).toHaveLength(5);
    service.clock.advance(3600);
    await ask(user.email);
    expect(await mailsTo(service, user.email)).toHaveLength(6);
  });
});

describe('/password/reset', () => {
  const forgotten = async (fields = {}) => {
    const user = await service.createUser(fields);
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    return { user, browser, link: linkIn(await lastMailTo(service, user.email)) };
  };
  const isDead = async (link: string) =>
    headingOf((await openBrowserSession(service.baseUrl).get(link)).body) === 'This link no longer works';

  test('sets the password, ends all sessions and grants, signs in, verifies the address, tells the owner', async () => {
    const { user, browser, link } = await forgotten();
    const application = await service.createApplication();
    const other = await signedInBrowser(service, user);
    const tokens = await obtainTokens(service, application, other);
    const page = await browser.get(link);
    const answer = await browser.post('/password/reset', { ...page.hidden, new_password: NEW });
    expect([answer.status, answer.location?.pathname]).toEqual([303, '/account']);
    expect((await browser.follow(answer)).body).toContain('you’re signed in');
    expect((await other.get('/account/password')).location?.pathname).toBe('/signin');
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect([await opens(user, PASSWORD), await opens(user, NEW)]).toEqual([false, true]);
    expect((await browser.get('/account/email')).body).toContain('>verified<');
    const subjects = (await mailsTo(service, user.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.includes('was reset'))).toHaveLength(1);
    expect(await events()).toContain('password_reset');
  });

  test('opening the link does not use it up, however often: mail scanners do', async () => {
    const { link, browser } = await forgotten();
    for (let i = 0; i < 3; i++)
      expect((await openBrowserSession(service.baseUrl).get(link)).status).toBe(200);
    const page = await browser.get(link);
    const answer = await browser.post('/password/reset', { ...page.hidden, new_password: NEW });
    expect(answer.status).toBe(303);
  });

  test('a link is good once', async () => {
    const { link, browser } = await forgotten();
    const page = await browser.get(link);
    await browser.post('/password/reset', { ...page.hidden, new_password: NEW });
    const again = await browser.post('/password/reset', { ...page.hidden, new_password: `${NEW} again` });
    expect(again.status).toBe(400);
    expect(await isDead(link)).toBe(true);
  });

  test('a link is good for 30 minutes', async () => {
    const { link } = await forgotten();
    service.clock.advance(29 * 60);
    expect(await isDead(link)).toBe(false);
    service.clock.advance(61);
    expect(await isDead(link)).toBe(true);
  });

  test('changing the password kills links that were sent before', async () => {
    const { link, user } = await forgotten();
    const browser = await signedInBrowser(service, user);
    const page = await browser.get('/account/password');
    await browser.post('/account/password', {
      ...page.hidden,
      current_password: PASSWORD,
      new_password: NEW,
    });
    expect(await isDead(link)).toBe(true);
  });

  test('changing the email address kills links that were sent to the old one', async () => {
    const { link, user } = await forgotten();
    const browser = await signedInBrowser(service, user);
    const { csrf = '' } = (await browser.get('/account/email')).hidden;
    const email = `moved-${user.email}`;
    await browser.post('/account/email', { csrf, new_email: email });
    expect(await isDead(link)).toBe(false);
    const code = codeIn(await lastMailTo(service, email));
    const changed = await browser.post('/account/email/code', { csrf, code });
    expect(changed.location?.search).toBe('?done=changed');
    expect(await isDead(link)).toBe(true);
  });

  test('using one link kills the others', async () => {
    const { link, user, browser } = await forgotten();
    const page = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    const second = linkIn(await lastMailTo(service, user.email));
    const form = await browser.get(second);
    await browser.post('/password/reset', { ...form.hidden, new_password: NEW });
    expect(second).not.toBe(link);
    expect(await isDead(link)).toBe(true);
  });

  test('a bad password is refused at the field, and the link stays good', async () => {
    const { link, browser } = await forgotten();
    const page = await browser.get(link);
    const answer = await browser.post('/password/reset', { ...page.hidden, new_password: 'short' });
    expect(answer.status).toBe(400);
    expect(fieldError(answer.body, 'new_password')).toContain('at least 8');
    const again = await browser.post('/password/reset', { ...answer.hidden, new_password: NEW });
    expect(again.status).toBe(303);
  });

  test('the person arrives at the application they were on the way to', async () => {
    const application = await service.createApplication();
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(authorizeAddress(service, application)));
    const forgotHref = /href="(\/password\/forgot[^"]*)"/.exec(signInPage.body)?.[1] ?? '';
    const page = await browser.get(forgotHref);
    await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    const form = await browser.get(linkIn(await lastMailTo(service, user.email)));
    const answer = await browser.post('/password/reset', { ...form.hidden, new_password: NEW });
    expect((await browser.follow(answer)).body).toContain('action="/consent"');
  });

  test('an address elsewhere is not gone to', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    const next = '//evil.example/';
    await browser.post('/password/forgot', { ...page.hidden, email: user.email, next });
    const form = await browser.get(linkIn(await lastMailTo(service, user.email)));
    const answer = await browser.post('/password/reset', { ...form.hidden, new_password: NEW });
    expect(answer.location?.pathname).toBe('/account');
  });

  test('neither link nor password is in the database (D32)', async () => {
    const { link } = await forgotten();
    const token = new URLSearchParams(link.split('?')[1]).get('token') ?? '';
    expect(token).toHaveLength(64);
    const content = JSON.stringify(await databaseContent(service.databaseUrl));
    expect(content).not.toContain(token);
    expect(content).not.toContain(Buffer.from(token).toString('hex'));
  });
});

test('production without SMTP_URL offers nothing that needs mail, and says whom to ask', async () => {
  const production = await startTestService({
    NODE_ENV: 'production',
    TRUSTED_PROXIES: '127.0.0.1',
    BASE_URL: 'https://sesame.example',
  });
  try {
    const { port } = production.parts.config;
    const browser = openBrowserSession(`http://localhost:${port}`);
    const https = { 'x-forwarded-proto': 'https' };
    const page = await browser.get('/password/forgot', https);
    expect(page.status).toBe(200);
    expect(page.body).toContain('No email server is configured');
    expect(page.body).not.toContain('<form');
    const answer = await browser.post('/password/forgot', { email: 'a@example.org' }, https);
    expect(answer.body).toContain('No email server is configured');
    expect((await browser.get('/dev/mail', https)).status).toBe(404);
    expect((await databaseContent(production.databaseUrl)).one_time_tokens).toBe('[]');
    expect(formErrors(page.body)).toEqual([]);
  } finally {
    await production.close();
  }
});
