import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { databaseContent } from '../support/database-content.ts';
import { findLastEmailTo, listEmailsTo, readCode, readLink } from '../support/emails.ts';
import { findInput, readFieldError, readFormErrors, readHeading } from '../support/markup.ts';
import {
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
  signIn,
} from '../support/oauth-flow.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';
import { suspendUser } from '../support/store-fixtures.ts';

const service = await startTestService();
afterAll(() => service.close());

const NEW_PASSWORD = 'quite another password 7';
const readEvents = async () => (await databaseContent(service.databaseUrl)).events ?? '';

async function canSignIn(user: TestUser, password: string): Promise<boolean> {
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, { ...user, password });
  return browser.cookies.has('sesame');
}

describe('POST /account/password', () => {
  const submitPasswordChange = async (user: TestUser, fields: Record<string, string>) => {
    const browser = await openSignedInBrowser(service, user);
    const page = await browser.get('/account/password');
    const response = await browser.post('/account/password', { ...page.hidden, ...fields });
    return { browser, response };
  };

  test('revokes all other sessions and all grants', async () => {
    const user = await service.createUser();
    const application = await service.createClient();
    const otherBrowser = await openSignedInBrowser(service, user);
    const browser = await openSignedInBrowser(service, user);
    const tokens = await obtainTokens(service, application, browser);
    const formerCookie = browser.cookies.get('sesame');
    const page = await browser.get('/account/password');
    const response = await browser.post('/account/password', {
      ...page.hidden,
      current_password: PASSWORD,
      new_password: NEW_PASSWORD,
    });
    expect([response.status, response.location?.search]).toEqual([303, '?done=changed']);
    expect(browser.cookies.get('sesame')).not.toBe(formerCookie);
    expect((await browser.get('/account/password?done=changed')).body).toContain('has been changed');
    const copied = openBrowserSession(service.baseUrl);
    copied.cookies.set('sesame', formerCookie ?? '');
    expect((await copied.get('/account/password')).location?.pathname).toBe('/signin');
    expect((await otherBrowser.get('/account/password')).location?.pathname).toBe('/signin');
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await redeemRefreshToken(service, application, tokens.refreshToken)).body.error).toBe(
      'invalid_grant',
    );
    expect([await canSignIn(user, PASSWORD), await canSignIn(user, NEW_PASSWORD)]).toEqual([false, true]);
    expect(await readEvents()).toContain('password_changed');
  });

  test('allows 20 wrong passwords per hour in each session', async () => {
    const user = await service.createUser();
    const stolen = await openSignedInBrowser(service, user);
    const page = await stolen.get('/account/password');
    const guessPassword = (browser: BrowserSession, current: string, { hidden }: Visit = page) =>
      browser.post('/account/password', { ...hidden, current_password: current, new_password: NEW_PASSWORD });
    for (let time = 1; time <= 20; time += 1) expect((await guessPassword(stolen, 'x')).status).toBe(400);
    expect(
      (await guessPassword(stolen, PASSWORD)).status,
      'response to the correct password after the limit',
    ).toBe(400);
    const ownerBrowser = await openSignedInBrowser(service, user);
    expect(
      (await guessPassword(ownerBrowser, PASSWORD, await ownerBrowser.get('/account/password'))).location
        ?.search,
    ).toBe('?done=changed');
  });

  test.each([
    [
      'a missing current password',
      { current_password: '', new_password: NEW_PASSWORD },
      'current_password',
      'current',
    ],
    [
      'a wrong current password',
      { current_password: 'x', new_password: NEW_PASSWORD },
      'current_password',
      'not your',
    ],
    [
      'a short new password',
      { current_password: PASSWORD, new_password: 'short' },
      'new_password',
      'at least 8',
    ],
    [
      'a common new password',
      { current_password: PASSWORD, new_password: 'password123' },
      'new_password',
      'Too easy',
    ],
    [
      'an unchanged password',
      { current_password: PASSWORD, new_password: PASSWORD },
      'new_password',
      'already',
    ],
  ])('rejects %s', async (_, fields, field, text) => {
    const user = await service.createUser();
    const { response, browser } = await submitPasswordChange(user, fields);
    expect(response.status).toBe(400);
    expect(readFieldError(response.body, field)).toContain(text);
    for (const name of ['current_password', 'new_password'])
      expect(findInput(response.body, name)).not.toHaveProperty('value');
    expect((await browser.get('/account/password')).status).toBe(200);
    expect(await canSignIn(user, PASSWORD)).toBe(true);
  });
});

describe('POST /password/forgot', () => {
  const requestReset = async (email: string) => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    return { browser, response: await browser.post('/password/forgot', { ...page.hidden, email }) };
  };

  test('sends an email only if the account exists', async () => {
    const user = await service.createUser();
    const known = await requestReset(user.email);
    const unknown = await requestReset('nobody@example.org');
    for (const { response } of [known, unknown])
      expect([response.status, response.location?.href.replace(/(?<=token=)[\w-]+$/, '…')]).toEqual([
        303,
        `${service.baseUrl}/password/forgot?done=sent&token=…`,
      ]);
    expect(await listEmailsTo(service, user.email)).toHaveLength(1);
    expect(await listEmailsTo(service, 'nobody@example.org')).toEqual([]);
  });

  test('responds without accessing the users table', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    await service.services.database.transaction(async (transaction) => {
      await transaction.query({ name: 'lock_users', text: 'lock table users in access exclusive mode' }, []);
      const response = await browser.post('/password/forgot', { ...page.hidden, email: user.email });
      expect(response.status).toBe(303);
    });
    expect(await listEmailsTo(service, user.email)).toHaveLength(1);
  });

  test('sends no email to a suspended account', async () => {
    const user = await service.createUser();
    await suspendUser(service.services.database, user.userId, service.clock.now());
    await requestReset(user.email);
    expect(await listEmailsTo(service, user.email)).toEqual([]);
  });

  test('sends at most five emails per hour to an email address', async () => {
    service.services.config.hourlyLimits = true;
    onTestFinished(() => {
      service.services.config.hourlyLimits = false;
    });
    const user = await service.createUser();
    for (let i = 0; i < 7; i++) expect((await requestReset(user.email)).response.status).toBe(303);
    expect(await listEmailsTo(service, user.email)).toHaveLength(5);
    service.clock.advance(3600);
    await requestReset(user.email);
    expect(await listEmailsTo(service, user.email)).toHaveLength(6);
  });
});

describe('POST /password/reset', () => {
  const createResetLink = async (fields = {}) => {
    const user = await service.createUser(fields);
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    return { user, browser, link: readLink(await findLastEmailTo(service, user.email)) };
  };
  const isInvalid = async (link: string) =>
    readHeading((await openBrowserSession(service.baseUrl).get(link)).body) === 'This link no longer works';

  test('revokes all sessions and grants and signs the user in', async () => {
    const { user, browser, link } = await createResetLink();
    const application = await service.createClient();
    const otherBrowser = await openSignedInBrowser(service, user);
    const tokens = await obtainTokens(service, application, otherBrowser);
    const page = await browser.get(link);
    const response = await browser.post('/password/reset', { ...page.hidden, new_password: NEW_PASSWORD });
    expect([response.status, response.location?.pathname]).toEqual([303, '/account']);
    expect((await browser.follow(response)).body).toContain('you’re signed in');
    expect((await otherBrowser.get('/account/password')).location?.pathname).toBe('/signin');
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect([await canSignIn(user, PASSWORD), await canSignIn(user, NEW_PASSWORD)]).toEqual([false, true]);
    expect((await browser.get('/account/email')).body).toContain('>verified<');
    const subjects = (await listEmailsTo(service, user.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.includes('was reset'))).toHaveLength(1);
    expect(await readEvents()).toContain('password_reset');
  });

  test('accepts a link even if it was already opened', async () => {
    const { link, browser } = await createResetLink();
    for (let i = 0; i < 3; i++)
      expect((await openBrowserSession(service.baseUrl).get(link)).status).toBe(200);
    const page = await browser.get(link);
    const response = await browser.post('/password/reset', { ...page.hidden, new_password: NEW_PASSWORD });
    expect(response.status).toBe(303);
  });

  test('accepts a link only once', async () => {
    const { link, browser } = await createResetLink();
    const page = await browser.get(link);
    await browser.post('/password/reset', { ...page.hidden, new_password: NEW_PASSWORD });
    const repeated = await browser.post('/password/reset', {
      ...page.hidden,
      new_password: `${NEW_PASSWORD} 2`,
    });
    expect(repeated.status).toBe(400);
    expect(await isInvalid(link)).toBe(true);
  });

  test('rejects links older than 30 minutes', async () => {
    const { link } = await createResetLink();
    service.clock.advance(29 * 60);
    expect(await isInvalid(link)).toBe(false);
    service.clock.advance(61);
    expect(await isInvalid(link)).toBe(true);
  });

  test('rejects links sent before a password change', async () => {
    const { link, user } = await createResetLink();
    const browser = await openSignedInBrowser(service, user);
    const page = await browser.get('/account/password');
    await browser.post('/account/password', {
      ...page.hidden,
      current_password: PASSWORD,
      new_password: NEW_PASSWORD,
    });
    expect(await isInvalid(link)).toBe(true);
  });

  test('rejects links sent to the account’s former email address', async () => {
    const { link, user } = await createResetLink();
    const browser = await openSignedInBrowser(service, user);
    const { csrf = '' } = (await browser.get('/account/email')).hidden;
    const email = `moved-${user.email}`;
    await browser.post('/account/email', { csrf, new_email: email });
    expect(await isInvalid(link)).toBe(false);
    const code = readCode(await findLastEmailTo(service, email));
    const changed = await browser.post('/account/email/code', { csrf, code });
    expect(changed.location?.search).toBe('?done=changed');
    expect(await isInvalid(link)).toBe(true);
  });

  test('invalidates the account’s unused links', async () => {
    const { link, user, browser } = await createResetLink();
    const page = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    const second = readLink(await findLastEmailTo(service, user.email));
    const form = await browser.get(second);
    await browser.post('/password/reset', { ...form.hidden, new_password: NEW_PASSWORD });
    expect(second).not.toBe(link);
    expect(await isInvalid(link)).toBe(true);
  });

  test('rejects a short password without invalidating the link', async () => {
    const { link, browser } = await createResetLink();
    const page = await browser.get(link);
    const response = await browser.post('/password/reset', { ...page.hidden, new_password: 'short' });
    expect(response.status).toBe(400);
    expect(readFieldError(response.body, 'new_password')).toContain('at least 8');
    const corrected = await browser.post('/password/reset', {
      ...response.hidden,
      new_password: NEW_PASSWORD,
    });
    expect(corrected.status).toBe(303);
  });

  test('resumes the user’s authorization request', async () => {
    const application = await service.createClient();
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
    const forgotHref = /href="(\/password\/forgot[^"]*)"/.exec(signInPage.body)?.[1] ?? '';
    const page = await browser.get(forgotHref);
    await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    const form = await browser.get(readLink(await findLastEmailTo(service, user.email)));
    const response = await browser.post('/password/reset', { ...form.hidden, new_password: NEW_PASSWORD });
    expect((await browser.follow(response)).body).toContain('action="/consent"');
  });

  test('ignores a return URL on a different origin', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/password/forgot');
    const next = '//evil.example/';
    await browser.post('/password/forgot', { ...page.hidden, email: user.email, next });
    const form = await browser.get(readLink(await findLastEmailTo(service, user.email)));
    const response = await browser.post('/password/reset', { ...form.hidden, new_password: NEW_PASSWORD });
    expect(response.location?.pathname).toBe('/account');
  });

  test('stores tokens only as hashes', async () => {
    const { link } = await createResetLink();
    const token = new URLSearchParams(link.split('?')[1]).get('token') ?? '';
    expect(token).toHaveLength(64);
    const content = JSON.stringify(await databaseContent(service.databaseUrl));
    expect(content).not.toContain(token);
    expect(content).not.toContain(Buffer.from(token).toString('hex'));
  });
});

test('the password reset page reports a missing email server in production', async () => {
  const production = await startTestService({
    NODE_ENV: 'production',
    TRUSTED_PROXIES: '127.0.0.1',
    BASE_URL: 'https://sesame.example',
  });
  try {
    const { port } = production.services.config;
    const browser = openBrowserSession(`http://localhost:${port}`);
    const https = { 'x-forwarded-proto': 'https' };
    const page = await browser.get('/password/forgot', https);
    expect(page.status).toBe(200);
    expect(page.body).toContain('No email server is configured');
    expect(page.body).not.toContain('<form');
    const response = await browser.post('/password/forgot', { email: 'a@example.org' }, https);
    expect(response.body).toContain('No email server is configured');
    expect((await browser.get('/dev/mail', https)).status).toBe(404);
    expect((await databaseContent(production.databaseUrl)).one_time_tokens).toBe('[]');
    expect(readFormErrors(page.body)).toEqual([]);
  } finally {
    await production.close();
  }
});
