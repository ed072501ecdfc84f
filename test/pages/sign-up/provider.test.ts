// Sign-up with an identity that belongs to no account.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findUserIdByIdentity, listIdentities } from '../../../src/store/external-identities.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { readLink } from '../../support/emails.ts';
import {
  addProvider,
  signInThroughProvider,
  startUpstream,
  type Upstream,
  type UpstreamUser,
} from '../../support/identity-provider.ts';
import { addIdentity, disableProvider } from '../../support/linked-identities.ts';
import { readFormErrors, readHeading } from '../../support/markup.ts';
import {
  buildAuthorizeUrl,
  completeAuthorization,
  obtainTokens,
  openSignedInBrowser,
} from '../../support/oauth-flow.ts';
import { startTestService } from '../../support/service.ts';
import { startSmtp } from '../../support/smtp.ts';
import { sql } from '../../support/store-fixtures.ts';

const PROVIDER_SIGN_UP_PATH = '/signup/provider';
const CONFIRM_PATH = '/signup/provider/confirm';

const smtp = await startSmtp();
const environment = {
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'sesame@example.com',
  DATABASE_POOL_SIZE: '10',
};
const service = await startTestService(environment);
const { database } = service.services;
const upstream: Upstream = await startUpstream(service.baseUrl);
beforeAll(() => addProvider(service, { ...upstream, trustedEmailDomains: ['trusted.example'] }));
afterAll(async () => {
  await service.close();
  await upstream.close();
  await smtp.close();
});

let userCount = 0;
/** Returns the page for unknown identities. */
async function openSignUpPage(
  fields: Partial<UpstreamUser> & { domain?: string } = {},
  browser = openBrowserSession(service.baseUrl),
  query = '',
) {
  userCount += 1;
  const { domain = 'trusted.example', ...claims } = fields;
  const user = {
    sub: `person-${userCount}`,
    email: `person${userCount}@${domain}`,
    email_verified: true,
    name: 'Nina Simone',
    ...claims,
  };
  upstream.user = user;
  const page = await signInThroughProvider(browser, { query });
  return { browser, page, user, identity: { issuer: upstream.issuer, subject: user.sub } };
}

const submitSignUp = (
  browser: BrowserSession,
  page: Visit,
  fields: { name?: string; email: string; picture?: string },
) => browser.post(PROVIDER_SIGN_UP_PATH, { ...page.hidden, name: 'Nina Simone', ...fields });
const findOwnerId = (subject: string) => findUserIdByIdentity(database, { issuer: upstream.issuer, subject });
const isSignedIn = async (browser: BrowserSession) => (await browser.get('/account')).status === 200;

const setTrustedDomains = (domains: string[]) =>
  sql(database, 'update identity_providers set trusted_email_domains = $1', [domains]);

async function findLastEmailTo(email: string) {
  await service.services.mailer.idle();
  return smtp.emails.findLast(({ recipients }) => recipients.includes(email));
}
const readEmailedLink = (mail: { text?: string | undefined } | undefined) =>
  readLink({ text: mail?.text ?? '' });

describe('a new user from a provider', () => {
  test('sees a sign-up page that loads nothing from the provider', async () => {
    const { page, user } = await openSignUpPage({ picture: 'https://pictures.example/nina.png' });
    expect(readHeading(page.body)).toBe('First sign-in with Upstream');
    for (const text of [
      user.email,
      'Nina Simone',
      'Use my picture from Upstream',
      'I already have an account',
    ])
      expect(page.body).toContain(text);
    expect(page.body).not.toContain('pictures.example');
    expect(page.body).not.toMatch(/name="picture"[^>]* checked/);
    expect(await findUserByEmail(database, user.email)).toBeUndefined();
  });

  test('gets an account immediately if the email domain is trusted', async () => {
    const { browser, page, user } = await openSignUpPage();
    const response = await submitSignUp(browser, page, { email: user.email });
    expect(response.location?.pathname).toBe('/account');
    const account = await findUserByEmail(database, user.email);
    expect(account).toMatchObject({ emailVerified: true, name: 'Nina Simone' });
    expect(await findOwnerId(user.sub)).toBe(account?.userId);
    expect(await isSignedIn(browser)).toBe(true);
    const [row] = await sql(database, 'select password_hash, password_set_at from users where id = $1', [
      account?.userId,
    ]);
    expect(row).toEqual({ password_hash: null, password_set_at: null });
    const other = openBrowserSession(service.baseUrl);
    expect((await signInThroughProvider(other)).status).toBe(200);
    expect(await isSignedIn(other)).toBe(true);
  });

  test('receives a sign-up link if trust has been revoked', async () => {
    const { browser, page, user } = await openSignUpPage();
    await setTrustedDomains([]);
    const response = await submitSignUp(browser, page, { email: user.email });
    await setTrustedDomains(['trusted.example']);
    expect(response.location?.pathname).toBe('/signup/provider/sent');
    expect(await findOwnerId(user.sub)).toBeUndefined();
  });

  test('returns to the application after sign-up', async () => {
    const client = await service.createClient();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(buildAuthorizeUrl(service, client)));
    const { page, user } = await openSignUpPage({}, browser, `?pending=${signInPage.hidden.pending}`);
    expect(page.body).toContain('to continue to');
    const created = await submitSignUp(browser, page, { email: user.email });
    expect(created.location?.pathname).toBe('/oauth/authorize');
    const redirect = await completeAuthorization(browser, created.location as URL);
    expect(redirect.searchParams.get('code')).toBeTruthy();
  });

  test.each([
    ['an untrusted email domain', { domain: 'elsewhere.example' }],
    ['an unverified email address', { email_verified: false }],
  ])('with %s receives a sign-up link by email', async (_case, claims) => {
    const { browser, page, user } = await openSignUpPage(claims);
    const sent = await browser.follow(await submitSignUp(browser, page, { email: user.email }));
    expect(readHeading(sent.body)).toBe('Check your email');
    expect(sent.body).toContain(user.email);
    expect(sent.body).toContain(
      `href="/signup/provider?identity=${page.hidden.identity}"><span>Enter another`,
    );
    expect(await findUserByEmail(database, user.email)).toBeUndefined();
    const mail = await findLastEmailTo(user.email);
    expect(mail?.subject).toBe('Create your Sésame account');
    const confirm = await browser.get(readEmailedLink(mail));
    expect(await findUserByEmail(database, user.email)).toBeUndefined();
    const created = await browser.post(CONFIRM_PATH, confirm.hidden);
    expect(created.location?.pathname).toBe('/account');
    expect(await findUserByEmail(database, user.email)).toMatchObject({ emailVerified: true });
    expect(await findOwnerId(user.sub)).toBeDefined();
  });

  test('receives a sign-up link after changing the email address', async () => {
    const { browser, page } = await openSignUpPage();
    const email = `other${userCount}@trusted.example`;
    const sent = await browser.follow(await submitSignUp(browser, page, { email }));
    expect(readHeading(sent.body)).toBe('Check your email');
    expect(await findUserByEmail(database, email)).toBeUndefined();
  });

  test.each([
    ['an untrusted email address', 'elsewhere.example'],
    ['a trusted email address', 'trusted.example'],
  ])('sees the usual response if %s is in use', async (_case, domain) => {
    const taken = await service.createUser({
      email: `taken${userCount}@${domain}`,
      emailVerified: true,
      locale: 'en',
    });
    const { browser, page, user } = await openSignUpPage({ email: taken.email });
    const response = await submitSignUp(browser, page, { email: taken.email });
    const free = await openSignUpPage({ domain: 'elsewhere.example' });
    const freeResponse = await submitSignUp(free.browser, free.page, { email: free.user.email });
    expect(response.status).toBe(freeResponse.status);
    expect(response.location?.pathname).toBe(freeResponse.location?.pathname);
    const [sent, freeSent] = [await browser.follow(response), await free.browser.follow(freeResponse)];
    const normalize = (body: string, email: string) =>
      body.replaceAll(email, 'EMAIL').replace(/(token|identity)=[\w-]+/g, '$1');
    expect(normalize(sent.body, taken.email)).toBe(normalize(freeSent.body, free.user.email));
    const mail = await findLastEmailTo(taken.email);
    expect(mail?.subject).toBe('You already have an account with Sésame');
    expect(readEmailedLink(mail)).toBe('/signin?next=%2Faccount%2Fsecurity');
    expect(await findOwnerId(user.sub)).toBeUndefined();
    expect(await listIdentities(database, taken.userId)).toEqual([]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test.each(['PERSON@Trusted.Example', ' person@trusted.example '])(
    'with the email address %j is not matched to an existing account',
    async (variant) => {
      const [row] = await sql(
        database,
        "select id from users where email_key = 'person@trusted.example'",
        [],
      );
      if (row === undefined)
        await service.createUser({ email: 'person@trusted.example', emailVerified: true });
      const { browser, page, user } = await openSignUpPage({ email: variant.trim() });
      const sent = await browser.follow(await submitSignUp(browser, page, { email: variant }));
      expect(readHeading(sent.body)).toBe('Check your email');
      expect(await findOwnerId(user.sub)).toBeUndefined();
    },
  );

  test('replaces an unused, unverified account with the same email address', async () => {
    const email = `squatted${userCount}@trusted.example`;
    const squatter = await service.createUser({ email });
    const squattersIdentity = await addIdentity(service, squatter.userId, 'upstream', `squatter${userCount}`);
    const { browser, page, user } = await openSignUpPage({ email });
    await submitSignUp(browser, page, { email });
    const account = await findUserByEmail(database, email);
    expect(account).toMatchObject({ emailVerified: true });
    expect(account?.userId).not.toBe(squatter.userId);
    expect(await findUserIdByIdentity(database, squattersIdentity)).toBeUndefined();
    expect(await findOwnerId(user.sub)).toBe(account?.userId);
  });

  test('cannot replace an unverified account in use', async () => {
    const email = `in-use${userCount}@elsewhere.example`;
    const used = await service.createUser({ email });
    await obtainTokens(service, await service.createClient(), await openSignedInBrowser(service, used));
    const { browser, page, user } = await openSignUpPage({ email });
    await submitSignUp(browser, page, { email });
    const confirm = await browser.get(readEmailedLink(await findLastEmailTo(email)));
    const response = await browser.follow(await browser.post(CONFIRM_PATH, confirm.hidden));
    expect(response.body).toContain('email');
    expect((await findUserByEmail(database, email))?.userId).toBe(used.userId);
    expect(await findOwnerId(user.sub)).toBeUndefined();
    expect(readEmailedLink(await findLastEmailTo(email))).toContain('/password/reset');
  });
});

describe('the provider sign-up page', () => {
  test('is unavailable in a different browser and after ten minutes', async () => {
    const { browser, page } = await openSignUpPage();
    const url = `${PROVIDER_SIGN_UP_PATH}?identity=${page.hidden.identity}`;
    const other = await openBrowserSession(service.baseUrl).get(url);
    expect([other.status, readHeading(other.body)]).toEqual([400, 'Sign in again']);
    service.clock.advance(601);
    expect((await browser.get(url)).status).toBe(400);
    expect(
      (await openBrowserSession(service.baseUrl).get(`${PROVIDER_SIGN_UP_PATH}?identity=x`)).status,
    ).toBe(400);
  });

  test('returns 403 if the provider is disabled', async () => {
    const { browser, page, user } = await openSignUpPage();
    await disableProvider(service, 'upstream');
    const response = await submitSignUp(browser, page, { email: user.email });
    await disableProvider(service, 'upstream', null);
    expect([response.status, readHeading(response.body)]).toEqual([
      403,
      'Upstream is no longer available here',
    ]);
    expect(await findUserByEmail(database, user.email)).toBeUndefined();
  });

  test('creates one account if it is submitted twice', async () => {
    const { browser, page, user } = await openSignUpPage();
    const tab = await browser.get(`${PROVIDER_SIGN_UP_PATH}?identity=${page.hidden.identity}`);
    const responses = await Promise.all(
      [page, page, tab].map((form) => submitSignUp(browser, form, { email: user.email })),
    );
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 303]);
    // Either form may be processed first.
    const [first, second, other] = responses.map(({ location }) => location?.pathname);
    expect(second).toBe(first);
    expect([first, other].filter((path) => path === '/account')).toHaveLength(1);
    const rows = await sql(database, 'select 1 from external_identities where subject = $1', [user.sub]);
    expect(rows).toHaveLength(1);
  });

  test('links an identity to one account if two email addresses are submitted', async () => {
    const { browser, page, user } = await openSignUpPage();
    const tab = await browser.get(`${PROVIDER_SIGN_UP_PATH}?identity=${page.hidden.identity}`);
    await submitSignUp(browser, tab, { email: `second${userCount}@elsewhere.example` });
    const confirm = await browser.get(
      readEmailedLink(await findLastEmailTo(`second${userCount}@elsewhere.example`)),
    );
    await Promise.all([
      submitSignUp(browser, page, { email: user.email }),
      browser.post(CONFIRM_PATH, confirm.hidden),
    ]);
    const rows = await sql(database, 'select user_id from external_identities where subject = $1', [
      user.sub,
    ]);
    expect(rows).toHaveLength(1);
    const accounts = await Promise.all(
      [user.email, `second${userCount}@elsewhere.example`].map((email) => findUserByEmail(database, email)),
    );
    expect(accounts.filter((account) => account !== undefined)).toHaveLength(1);
  });

  test('shows errors and keeps the entered values', async () => {
    const { browser, page } = await openSignUpPage();
    const refused = await submitSignUp(browser, page, { name: '', email: 'nobody' });
    expect(readFormErrors(refused.body)).toHaveLength(2);
    expect(refused.body).toContain('value="nobody"');
  });

  test('creates the account if the picture cannot be copied', async () => {
    const { browser, page, user } = await openSignUpPage({ picture: 'https://127.0.0.1:1/nina.png' });
    const created = await submitSignUp(browser, page, { email: user.email, picture: 'yes' });
    expect(created.location?.pathname).toBe('/account');
    expect((await findUserByEmail(database, user.email))?.pictureHash).toBeNull();
  });
});

describe('the emailed sign-up link', () => {
  async function requestLink() {
    const arrival = await openSignUpPage({ domain: 'elsewhere.example' });
    await submitSignUp(arrival.browser, arrival.page, { email: arrival.user.email });
    return { ...arrival, link: readEmailedLink(await findLastEmailTo(arrival.user.email)) };
  }

  test('creates no account in a different browser', async () => {
    const { link, user } = await requestLink();
    const victim = openBrowserSession(service.baseUrl);
    const page = await victim.get(link);
    expect(readHeading(page.body)).toBe('Open this link in the original browser');
    expect(page.body).not.toContain('<form');
    const { hidden } = await victim.get('/signup');
    const token = new URL(link, service.baseUrl).searchParams.get('token') ?? '';
    await victim.post(CONFIRM_PATH, { ...hidden, token });
    expect(await findUserByEmail(database, user.email)).toBeUndefined();
    expect(await findOwnerId(user.sub)).toBeUndefined();
  });

  test('expires after an hour', async () => {
    const { link, browser } = await requestLink();
    service.clock.advance(3601);
    expect((await browser.get(link)).status).toBe(400);
    expect((await browser.get(`${CONFIRM_PATH}?token=x`)).status).toBe(400);
  });

  test('works only once', async () => {
    const { link, browser, user } = await requestLink();
    const [first, second] = [await browser.get(link), await browser.get(link)];
    await browser.post(CONFIRM_PATH, first.hidden);
    const userId = await findOwnerId(user.sub);
    const repeated = await browser.post(CONFIRM_PATH, second.hidden);
    expect(repeated.status).toBeLessThan(500);
    expect(await findOwnerId(user.sub)).toBe(userId);
  });

  test('shows an error if the email address has been taken', async () => {
    const { link, browser, user } = await requestLink();
    await service.createUser({ email: user.email, emailVerified: true });
    const page = await browser.get(link);
    const refused = await browser.post(CONFIRM_PATH, page.hidden);
    expect(readFormErrors(refused.body)[0]).toContain('already');
    expect(await findOwnerId(user.sub)).toBeUndefined();
  });

  test('leads back to the application', async () => {
    const client = await service.createClient();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(buildAuthorizeUrl(service, client)));
    const { page, user } = await openSignUpPage(
      { domain: 'elsewhere.example' },
      browser,
      `?pending=${signInPage.hidden.pending}`,
    );
    await submitSignUp(browser, page, { email: user.email });
    const confirm = await browser.get(readEmailedLink(await findLastEmailTo(user.email)));
    const created = await browser.post(CONFIRM_PATH, confirm.hidden);
    expect(created.location?.pathname).toBe('/oauth/authorize');
  });
});

describe('the link “I already have an account”', () => {
  test('lets the user sign in and link the identity', async () => {
    const account = await service.createUser({ emailVerified: true, locale: 'en' });
    const client = await service.createClient();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(buildAuthorizeUrl(service, client)));
    const { page, user } = await openSignUpPage({}, browser, `?pending=${signInPage.hidden.pending}`);
    const href =
      /href="(\/signin\?next=[^"]*identities[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const form = await browser.get(href);
    expect(form.body).toContain('You can then link your Upstream account to it.');
    expect(form.body).not.toContain('Sign in to open this page');
    expect(form.body).not.toContain('href="/signin/provider/upstream');
    const { email, password } = account;
    const confirm = await browser.follow(await browser.post('/signin', { ...form.hidden, email, password }));
    expect(readHeading(confirm.body)).toBe('Link this Upstream account?');
    expect(confirm.body).toContain(user.email);
    expect(confirm.body).toContain(account.email);
    expect(await findOwnerId(user.sub)).toBeUndefined();
    const linked = await browser.post('/account/security/identities/link', confirm.hidden);
    expect(await findOwnerId(user.sub)).toBe(account.userId);
    const redirect = await completeAuthorization(browser, linked.location as URL);
    expect(redirect.searchParams.get('code')).toBeTruthy();
    const mail = await findLastEmailTo(account.email);
    expect(mail?.subject).toBe('An external account was linked to your Sésame account');
    expect(mail?.text).toContain('/security/report?token=');
  });
});
