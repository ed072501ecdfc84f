// Several accounts in one browser (ADR 12).
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteSession, MAX_SESSIONS_PER_BROWSER } from '../../../src/store/sessions.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { databaseContent } from '../../support/database-content.ts';
import { readCookieValue, sendExactRequest } from '../../support/exact-response.ts';
import { readHeading, readText } from '../../support/markup.ts';
import {
  authorize,
  buildAuthorizeUrl,
  obtainTokens,
  redeemCode,
  signIn,
  submitDecision,
} from '../../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../../support/service.ts';
import { parseSessionCookie, sql, suspendUser } from '../../support/store-fixtures.ts';

const service = useTestService();
let application: TestClient;
beforeAll(async () => {
  application = await service.createClient();
});

const readSessionId = (browser: BrowserSession) => browser.cookies.get('sesame') ?? '';
const readInactiveIds = (browser: BrowserSession) =>
  (browser.cookies.get('sesame-others') ?? '').split('.').filter((id) => id !== '');
const isLive = async (id: string) =>
  (await sendExactRequest(new URL('/account', service.baseUrl), { cookies: new Map([['sesame', id]]) }))
    .status === 200;

const addAccount = async (browser: BrowserSession, user: TestUser) =>
  signIn(browser, user, await browser.get('/signin?another=1'));

/** Signs the users in to one browser. The last user's account becomes active. */
async function openBrowserWith(...users: TestUser[]): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  for (const user of users) await addAccount(browser, user);
  return browser;
}

const createUsers = async (count = 2): Promise<TestUser[]> =>
  Promise.all(
    Array.from({ length: count }, (_, at) => service.createUser({ name: `Person ${'ABCDEFG'[at]}` })),
  );

function readSid(visit: Visit, { email }: TestUser): string {
  const row = visit.body.split('<li>').find((item) => item.includes(email)) ?? '';
  return /name="account" value="([^"]+)"/.exec(row)?.[1] ?? '';
}

function selectAccount(browser: BrowserSession, visit: Visit, user: TestUser): Promise<Visit> {
  const csrf = /action="\/accounts"[^>]*>\s*<input type="hidden" name="csrf" value="([^"]*)"/.exec(
    visit.body,
  )?.[1];
  return browser.post('/accounts', { ...visit.hidden, csrf: csrf ?? '', account: readSid(visit, user) });
}

const readActiveEmail = async (browser: BrowserSession) =>
  /title="([^"]+)"/.exec((await browser.get('/account')).body)?.[1];

const readCode = (visit: Visit) => visit.location?.searchParams.get('code') ?? '';

async function redeemForSubject(code: string): Promise<string | undefined> {
  const { body } = await redeemCode(service, application, code);
  return decodeJwt(String(body.access_token)).sub;
}

describe('a browser with several accounts', () => {
  test('keeps the existing session when the user adds an account', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    expect(await readActiveEmail(browser)).toBe(grace.email);
    const page = await browser.get('/account');
    expect(readSid(page, ada), 'the menu lists the other account').not.toBe('');
    const visit = await selectAccount(browser, page, ada);
    expect([visit.status, visit.location?.pathname]).toEqual([303, '/account']);
    expect(await readActiveEmail(browser)).toBe(ada.email);
    await selectAccount(browser, await browser.get('/accounts'), grace);
    expect(await readActiveEmail(browser)).toBe(grace.email);
  });

  test("stores inactive accounts' session IDs in a cookie", async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada);
    const { hidden } = await browser.get('/signin?another=1');
    const first = readSessionId(browser);
    const { setCookies } = await sendExactRequest(new URL('/signin', service.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({ ...hidden, email: grace.email, password: grace.password }),
      cookies: browser.cookies,
    });
    const othersCookie = setCookies.get('sesame-others') ?? '';
    expect(readCookieValue(othersCookie)).toBe(first);
    expect(othersCookie.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      `Max-Age=${service.services.config.sessionTtl}`,
      'Path=/',
      'SameSite=Lax',
    ]);
    expect(
      await databaseContent(service.databaseUrl),
      'only digests of session IDs are stored',
    ).not.toContain(first);
  });

  test('loses the least recently used session above the limit', async () => {
    const users = await createUsers(MAX_SESSIONS_PER_BROWSER + 1);
    const [first, ...laterUsers] = users;
    if (!first) throw new Error('no user');
    const browser = await openBrowserWith(first);
    const oldest = readSessionId(browser);
    for (const user of laterUsers) await addAccount(browser, user);
    expect(readInactiveIds(browser)).toHaveLength(MAX_SESSIONS_PER_BROWSER - 1);
    expect(readInactiveIds(browser)).not.toContain(oldest);
    expect(await isLive(oldest)).toBe(false);
  });

  test('gets a new session ID when the user signs in again', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada);
    const before = readSessionId(browser);
    const { idToken = '' } = await obtainTokens(service, application, browser);
    await addAccount(browser, grace);
    await addAccount(browser, ada);
    expect(await isLive(before)).toBe(false);
    expect(readInactiveIds(browser)).toHaveLength(1);
    const newTokens = await obtainTokens(service, application, browser, { login_hint: ada.email });
    expect(decodeJwt(newTokens.idToken ?? '').sid).toBe(decodeJwt(idToken).sid);
  });
});

describe('an inactive session', () => {
  test.each<[string, (id: string, user: TestUser) => Promise<unknown>]>([
    [
      'after it has been revoked in another browser',
      (id) => deleteSession(service.services.database, parseSessionCookie(id), service.clock.now()),
    ],
    [
      'after the account has been suspended',
      (_, user) => suspendUser(service.services.database, user.userId, service.clock.now()),
    ],
  ])('cannot be selected %s', async (_, end) => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    const page = await browser.get('/accounts');
    const [id = ''] = readInactiveIds(browser);
    await end(id, ada);
    expect((await browser.get('/accounts')).body).not.toContain(ada.email);
    expect(readText((await browser.get('/account')).body)).not.toContain(ada.email);
    const rejected = await selectAccount(browser, page, ada);
    expect(rejected.status).toBe(400);
    expect(rejected.body).toContain('This account is signed out in this browser.');
    expect(await readActiveEmail(browser)).toBe(grace.email);
  });

  test('is offered after the active session has ended', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    await deleteSession(
      service.services.database,
      parseSessionCookie(readSessionId(browser)),
      service.clock.now(),
    );
    const page = await browser.follow(await browser.get('/account/profile'));
    expect(readHeading(page.body)).toBe('Choose an account');
    const consent = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
    expect(readHeading(consent.body)).toBe('Choose an account');
    const chosen = await selectAccount(browser, page, ada);
    expect(chosen.location?.pathname).toBe('/account/profile');
    expect(await readActiveEmail(browser)).toBe(ada.email);
  });
});

describe('an account selection', () => {
  test('is rejected if the session ID is forged', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const victim = await openBrowserWith(grace);
    const sid = readSid(await victim.get('/accounts'), grace);
    for (const forged of ['A'.repeat(43), `${'A'.repeat(43)}.x`, sid, '.', '%00', 'A'.repeat(4000)]) {
      const browser = await openBrowserWith(ada);
      browser.cookies.set('sesame-others', forged);
      const page = await browser.get('/accounts');
      expect([page.status, page.body.includes(grace.email)]).toEqual([200, false]);
      expect((await browser.post('/accounts', { ...page.hidden, account: sid })).status).toBe(400);
      expect(await readActiveEmail(browser)).toBe(ada.email);
    }
  });

  test('is rejected if the session belongs to a different browser', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const sid = readSid(await (await openBrowserWith(grace)).get('/accounts'), grace);
    const browser = await openBrowserWith(ada);
    const { hidden } = await browser.get('/accounts');
    expect((await browser.post('/accounts', { ...hidden, account: sid })).status).toBe(400);
    expect(await readActiveEmail(browser)).toBe(ada.email);
  });

  test('is rejected without a valid CSRF token', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    const page = await browser.get('/accounts');
    const sid = readSid(page, ada);
    const other = await (await openBrowserWith(ada)).get('/accounts');
    expect((await browser.post('/accounts', { account: sid })).status).toBe(403);
    expect((await browser.post('/accounts', { account: sid, csrf: other.hidden.csrf ?? '' })).status).toBe(
      403,
    );
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect((await browser.post('/accounts', { ...page.hidden, account: sid }, crossSite)).status).toBe(403);
    await browser.get(`/accounts?account=${sid}`);
    expect(await readActiveEmail(browser), "GET doesn't switch accounts either").toBe(grace.email);
  });

  test('invalidates forms of the previously active account', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    const profile = await browser.get('/account/profile');
    const { csrf = '' } = profile.hidden;
    await selectAccount(browser, await browser.get('/accounts'), ada);
    const rejected = await browser.post('/account/profile', {
      csrf,
      name: 'Somebody',
      phone: '',
      language: '',
    });
    expect(rejected.status).toBe(403);
    expect((await browser.get('/account')).body).not.toContain('Somebody');
  });
});

describe('signing out', () => {
  test('ends only the active session', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    const [adaSessionId = ''] = readInactiveIds(browser);
    const graceSessionId = readSessionId(browser);
    const page = await browser.get('/signout');
    expect(page.body).toContain(`Also signed in here: ${ada.email}`);
    const chooser = await browser.follow(await browser.post('/signout', page.hidden));
    expect(readHeading(chooser.body)).toBe('Choose an account');
    expect(chooser.body).toContain('Your other accounts in this browser stay signed in.');
    expect([await isLive(graceSessionId), await isLive(adaSessionId)]).toEqual([false, true]);
    await selectAccount(browser, chooser, ada);
    expect(await readActiveEmail(browser)).toBe(ada.email);
  });

  test('ends all sessions if the user selects all accounts', async () => {
    const browser = await openBrowserWith(...(await createUsers(3)));
    const ids = [readSessionId(browser), ...readInactiveIds(browser)];
    const { hidden } = await browser.get('/signout');
    const visit = await browser.post('/signout', { ...hidden, all: 'yes' });
    expect(visit.location?.search).toBe('?signed-out=1');
    expect([browser.cookies.has('sesame'), browser.cookies.has('sesame-others')]).toEqual([false, false]);
    for (const id of ids) expect(await isLive(id)).toBe(false);
  });

  test('applies to the account shown on the page', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    const { hidden } = await browser.get('/signout');
    await selectAccount(browser, await browser.get('/accounts'), ada);
    const visit = await browser.post('/signout', hidden);
    expect(visit.location?.pathname).toBe('/account');
    expect(await readActiveEmail(browser)).toBe(ada.email);
    expect(readInactiveIds(browser)).toEqual([]);
  });

  test('ends only the session of the account in id_token_hint', async () => {
    const postLogoutUri = 'https://client.example/out';
    await sql(
      service.services.database,
      'update clients set post_logout_redirect_uris = array[$2] where client_id = $1',
      [application.clientId, postLogoutUri],
    );
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada);
    const { idToken = '' } = await obtainTokens(service, application, browser);
    await addAccount(browser, grace);
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: postLogoutUri });
    const visit = await browser.get(`/oauth/logout?${query}`);
    expect(visit.location?.href).toBe(postLogoutUri);
    expect(readInactiveIds(browser)).toEqual([]);
    expect(await readActiveEmail(browser)).toBe(grace.email);
    // Without id_token_hint, the user chooses the accounts to sign out of.
    const signOutPage = await browser.follow(
      await browser.get(
        `/oauth/logout?client_id=${application.clientId}&post_logout_redirect_uri=${postLogoutUri}`,
      ),
    );
    expect(readHeading(signOutPage.body)).toBe('Sign out?');
  });
});

describe('the authorization endpoint', () => {
  const requestAuthorization = (browser: BrowserSession, parameters: Record<string, string> = {}) =>
    browser.get(buildAuthorizeUrl(service, application, parameters));
  async function signInConsentedUsers(): Promise<[BrowserSession, TestUser, TestUser]> {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada);
    await authorize(service, application, browser);
    await addAccount(browser, grace);
    await authorize(service, application, browser, { login_hint: grace.email });
    service.clock.advance(5);
    return [browser, ada, grace];
  }

  test('issues a code for the account that the user chooses', async () => {
    const [browser, ada, grace] = await signInConsentedUsers();
    for (const chosen of [grace, ada]) {
      const chooser = await browser.follow(await requestAuthorization(browser));
      expect(readHeading(chooser.body)).toBe('Choose an account');
      expect(
        await redeemForSubject(readCode(await browser.follow(await selectAccount(browser, chooser, chosen)))),
      ).toBe(chosen.userId);
    }
    const login_hint = ` ${ada.email.toUpperCase()} `;
    expect(await redeemForSubject(readCode(await requestAuthorization(browser, { login_hint })))).toBe(
      ada.userId,
    );
  });

  test('shows no page if id_token_hint matches the active account', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada);
    const { idToken: id_token_hint = '' } = await obtainTokens(service, application, browser);
    await addAccount(browser, grace);
    await selectAccount(browser, await browser.get('/accounts'), ada);
    service.clock.advance(5);
    expect(await redeemForSubject(readCode(await requestAuthorization(browser, { id_token_hint })))).toBe(
      ada.userId,
    );
  });

  test('uses a hinted inactive account without making it active', async () => {
    const [browser, ada, grace] = await signInConsentedUsers();
    const visit = await requestAuthorization(browser, { login_hint: ` ${ada.email.toUpperCase()} ` });
    const { body } = await redeemCode(service, application, readCode(visit));
    expect(decodeJwt(String(body.access_token)).sub).toBe(ada.userId);
    const id_token_hint = String(body.id_token);
    expect(await redeemForSubject(readCode(await requestAuthorization(browser, { id_token_hint })))).toBe(
      ada.userId,
    );
    expect(await readActiveEmail(browser)).toBe(grace.email);
  });

  test('shows the account chooser for an unknown login_hint', async () => {
    const [browser, ada, grace] = await signInConsentedUsers();
    const [session = ''] = readInactiveIds(browser);
    await deleteSession(service.services.database, parseSessionCookie(session), service.clock.now());
    await addAccount(browser, await service.createUser());
    service.clock.advance(5);
    for (const login_hint of [ada.email, 'nobody@example.org', (await service.createUser()).email]) {
      const page = await browser.follow(await requestAuthorization(browser, { login_hint }));
      expect(readHeading(page.body), 'no account without a live session is used').toBe('Choose an account');
      expect(page.body).toContain(grace.email);
      expect(readText(page.body)).not.toContain(ada.email);
    }
  });

  test('shows the consent page for a hinted inactive account', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    service.clock.advance(5);
    const login_hint = ada.email;
    const consent = await browser.follow(await requestAuthorization(browser, { login_hint }));
    expect(readText(consent.body), 'the page shows who consents').toContain(ada.email);
    expect(readText(consent.body)).not.toContain(grace.email);
    const allowed = await submitDecision(browser, consent, 'allow');
    expect(await redeemForSubject(readCode(allowed))).toBe(ada.userId);
    const repeated = await submitDecision(browser, consent, 'allow');
    expect(readCode(repeated), 'a repeated submission returns the same code').toBe(readCode(allowed));
    const page = await browser.follow(await requestAuthorization(browser, { login_hint, prompt: 'login' }));
    expect(readHeading(page.body)).toBe('Sign in');
    // Signing in to another account overrides the hint.
    const visit = await browser.follow(await signIn(browser, grace, page));
    expect(readText((await browser.follow(visit)).body)).toContain(grace.email);
  });

  test('shows the account chooser if the hinted account lacks the required MFA', async () => {
    const client = await service.createClient();
    await sql(service.services.database, 'update clients set mfa_required = true where client_id = $1', [
      client.clientId,
    ]);
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    service.clock.advance(5);
    const url = buildAuthorizeUrl(service, client, { login_hint: ada.email });
    const chooser = await browser.follow(await browser.get(url));
    expect(readHeading(chooser.body)).toBe('Choose an account');
    expect(chooser.body.indexOf(ada.email)).toBeLessThan(chooser.body.lastIndexOf(grace.email));
    const visit = await selectAccount(browser, chooser, ada);
    const next = await browser.get(visit.location?.href ?? '');
    expect(next.location?.pathname).toBe('/account/security/app');
    expect(await readActiveEmail(browser)).toBe(ada.email);
  });

  test('does not let the user skip the account chooser', async () => {
    const [browser] = await signInConsentedUsers();
    const page = await browser.follow(await requestAuthorization(browser));
    for (const path of ['/oauth/authorize', '/consent']) {
      const redirected = await browser.follow(await browser.get(`${path}?pending=${page.hidden.pending}`));
      expect(readHeading(redirected.body)).toBe('Choose an account');
    }
  });

  test('issues a code for the chosen account if prompt is select_account', async () => {
    const [browser, ada, grace] = await signInConsentedUsers();
    for (const chosen of [grace, ada]) {
      const chooser = await browser.follow(await requestAuthorization(browser, { prompt: 'select_account' }));
      expect(readHeading(chooser.body)).toBe('Choose an account');
      const visit = await browser.follow(await selectAccount(browser, chooser, chosen));
      expect(visit.location?.searchParams.get('state')).toBe('state-1');
      expect(await redeemForSubject(readCode(visit))).toBe(chosen.userId);
    }
  });

  test('always shows the account chooser if prompt is select_account', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    service.clock.advance(5);
    for (const login_hint of [ada.email.toUpperCase(), 'nobody@example.org']) {
      const page = await browser.follow(
        await requestAuthorization(browser, { prompt: 'select_account', login_hint }),
      );
      expect(readHeading(page.body)).toBe('Choose an account');
      const first = page.body.indexOf(`<span class="account-email">${ada.email}`);
      const second = page.body.indexOf(`<span class="account-email">${grace.email}`);
      expect(first < second, 'the account in login_hint is listed first').toBe(
        login_hint !== 'nobody@example.org',
      );
      const signInPath = /href="(\/signin\?pending=[^"]*)"/.exec(page.body)?.[1] ?? '';
      expect((await browser.get(signInPath)).body).toContain(`value="${login_hint}"`);
    }
    const singleAccountBrowser = await openBrowserWith(ada);
    service.clock.advance(5);
    expect(
      (await requestAuthorization(singleAccountBrowser, { prompt: 'select_account' })).location?.pathname,
    ).toBe('/accounts');
    const anonymous = openBrowserSession(service.baseUrl);
    expect((await requestAuthorization(anonymous, { prompt: 'select_account' })).location?.pathname).toBe(
      '/signin',
    );
  });

  test('rejects accounts that differ from id_token_hint', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada);
    const { idToken = '' } = await obtainTokens(service, application, browser);
    await addAccount(browser, grace);
    service.clock.advance(5);
    const page = await browser.follow(
      await requestAuthorization(browser, { prompt: 'select_account', id_token_hint: idToken }),
    );
    expect(readHeading(page.body)).toBe('Choose an account');
    const wrong = await browser.follow(await selectAccount(browser, page, grace));
    expect(wrong.location?.searchParams.get('error')).toBe('login_required');
    const right = await browser.follow(await selectAccount(browser, page, ada));
    expect(await redeemForSubject(readCode(right))).toBe(ada.userId);
    const [hopper, lovelace] = await createUsers();
    if (!hopper || !lovelace) throw new Error('no user');
    const other = await openBrowserWith(hopper, lovelace);
    service.clock.advance(5);
    const chooser = await other.follow(await requestAuthorization(other, { id_token_hint: idToken }));
    expect(readHeading(chooser.body)).toBe('Choose an account');
    const refused = await other.follow(await selectAccount(other, chooser, hopper));
    expect(refused.location?.searchParams.get('error')).toBe('login_required');
  });

  test('uses the hinted or the active account if prompt is none', async () => {
    const [browser, ada, grace] = await signInConsentedUsers();
    const { body } = await redeemCode(
      service,
      application,
      readCode(await requestAuthorization(browser, { prompt: 'none', login_hint: ada.email })),
    );
    expect(decodeJwt(String(body.access_token)).sub).toBe(ada.userId);
    const id_token_hint = String(body.id_token);
    const hinted = await requestAuthorization(browser, { prompt: 'none', id_token_hint });
    expect(await redeemForSubject(readCode(hinted))).toBe(ada.userId);
    // OpenID Connect Core §3.1.2.1: an error is required if the hinted user isn't signed in.
    const [session = ''] = readInactiveIds(browser);
    await deleteSession(service.services.database, parseSessionCookie(session), service.clock.now());
    const refused = await requestAuthorization(browser, { prompt: 'none', id_token_hint });
    expect(refused.location?.searchParams.get('error')).toBe('login_required');
    expect(await redeemForSubject(readCode(await requestAuthorization(browser, { prompt: 'none' })))).toBe(
      grace.userId,
    );
    await deleteSession(
      service.services.database,
      parseSessionCookie(readSessionId(browser)),
      service.clock.now(),
    );
    const visit = await requestAuthorization(browser, { prompt: 'none' });
    expect(visit.location?.searchParams.get('error')).toBe('login_required');
  });

  test('redirects to the account chooser after an account switch', async () => {
    const [ada, grace] = await createUsers();
    if (!ada || !grace) throw new Error('no user');
    const browser = await openBrowserWith(ada, grace);
    service.clock.advance(5);
    const chooser = await browser.follow(await requestAuthorization(browser));
    const chosen = await browser.follow(await selectAccount(browser, chooser, grace));
    const consent = await browser.follow(chosen);
    await selectAccount(browser, await browser.get('/accounts'), ada);
    const redirected = await submitDecision(browser, consent, 'allow');
    expect([redirected.status, readCode(redirected)]).toEqual([303, '']);
    expect(readHeading((await browser.follow(redirected)).body)).toBe('Choose an account');
  });

  test('always requires the password if prompt is login', async () => {
    const [ada] = await createUsers(1);
    if (!ada) throw new Error('no user');
    const browser = await openBrowserWith(ada);
    service.clock.advance(5);
    const page = await browser.follow(await requestAuthorization(browser, { prompt: 'login' }));
    expect(readHeading(page.body)).toBe('Sign in');
    expect(page.body).not.toContain('Continue as');
  });
});
