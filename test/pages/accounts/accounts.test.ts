// Several accounts in one browser: each in a session of its own, switched by a press, chosen for an application (ADR 12).
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { BROWSER_SESSIONS, deleteSession } from '../../../src/store/sessions.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { databaseContent } from '../../support/database-content.ts';
import { cookieValue, sendExactly } from '../../support/exact-request.ts';
import { authorize, authorizeAddress, decide, obtainTokens, redeem, signIn } from '../../support/flow.ts';
import { headingOf } from '../../support/markup.ts';
import { keyOf, sql, suspendUser } from '../../support/populate.ts';
import { type TestApplication, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let application: TestApplication;
beforeAll(async () => {
  application = await service.createApplication();
});

const idOf = (browser: BrowserSession) => browser.cookies.get('sesame') ?? '';
const othersOf = (browser: BrowserSession) =>
  (browser.cookies.get('sesame-others') ?? '').split('.').filter((id) => id !== '');
const isLive = async (id: string) =>
  (await sendExactly(new URL('/account', service.baseUrl), { cookies: new Map([['sesame', id]]) })).status ===
  200;

/** Signs in with another account beside those that are. */
const signInBeside = async (browser: BrowserSession, user: TestUser) =>
  signIn(browser, user, await browser.get('/signin?another=1'));

/** A browser in which these are signed in, the last one active. */
async function browserOf(...users: TestUser[]): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  for (const user of users) await signInBeside(browser, user);
  return browser;
}

const people = async (count = 2): Promise<TestUser[]> =>
  Promise.all(
    Array.from({ length: count }, (_, at) => service.createUser({ name: `Person ${'ABCDEFG'[at]}` })),
  );

/** The public name of the session that a page's button for this account goes on with. */
function sidOf(visit: Visit, { email }: TestUser): string {
  const row = visit.body.split('<li>').find((one) => one.includes(email)) ?? '';
  return /name="account" value="([^"]+)"/.exec(row)?.[1] ?? '';
}

/** Presses the button of an account on a page that lists it. */
function press(browser: BrowserSession, visit: Visit, user: TestUser): Promise<Visit> {
  const csrf = /action="\/accounts"[^>]*>\s*<input type="hidden" name="csrf" value="([^"]*)"/.exec(
    visit.body,
  )?.[1];
  return browser.post('/accounts', { ...visit.hidden, csrf: csrf ?? '', account: sidOf(visit, user) });
}

const activeIn = async (browser: BrowserSession) =>
  /title="([^"]+)"/.exec((await browser.get('/account')).body)?.[1];

const codeOf = (visit: Visit) => visit.location?.searchParams.get('code') ?? '';

/** Whom a code is about. */
async function subjectOf(code: string): Promise<string | undefined> {
  const { body } = await redeem(service, application, code);
  return decodeJwt(String(body.access_token)).sub;
}

describe('several accounts in one browser', () => {
  test('signing in beside another keeps both: the new one is active, the other one press away', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada, grace);
    expect(await activeIn(browser)).toBe(grace.email);
    const page = await browser.get('/account');
    expect(sidOf(page, ada), 'the menu lists the other one').not.toBe('');
    const visit = await press(browser, page, ada);
    expect([visit.status, visit.location?.pathname]).toEqual([303, '/account']);
    expect(await activeIn(browser)).toBe(ada.email);
    await press(browser, await browser.get('/accounts'), grace);
    expect(await activeIn(browser)).toBe(grace.email);
  });

  test('the cookie of the others is as the one of the session: HttpOnly, Lax, whole site, as long, and holds ids alone', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada);
    const { hidden } = await browser.get('/signin?another=1');
    const first = idOf(browser);
    const { setCookies } = await sendExactly(new URL('/signin', service.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({ ...hidden, email: grace.email, password: grace.password }),
      cookies: browser.cookies,
    });
    const line = setCookies.get('sesame-others') ?? '';
    expect(cookieValue(line)).toBe(first);
    expect(line.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      `Max-Age=${service.parts.config.sessionTtl}`,
      'Path=/',
      'SameSite=Lax',
    ]);
    expect(await databaseContent(service.databaseUrl), 'of ids only digests are kept (D32)').not.toContain(
      first,
    );
  });

  test(`there are ${BROWSER_SESSIONS} at most: of one more, the one used longest ago ends on the server, too`, async () => {
    const users = await people(BROWSER_SESSIONS + 1);
    const [first, ...rest] = users;
    if (!first) throw new Error('nobody');
    const browser = await browserOf(first);
    const oldest = idOf(browser);
    for (const user of rest) await signInBeside(browser, user);
    expect(othersOf(browser)).toHaveLength(BROWSER_SESSIONS - 1);
    expect(othersOf(browser)).not.toContain(oldest);
    expect(await isLive(oldest)).toBe(false);
  });

  test('signing in again as one of the others goes on with its session, under a new id', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada);
    const before = idOf(browser);
    const { idToken = '' } = await obtainTokens(service, application, browser);
    await signInBeside(browser, grace);
    await signInBeside(browser, ada);
    expect(await isLive(before)).toBe(false);
    expect(othersOf(browser)).toHaveLength(1);
    const again = await obtainTokens(service, application, browser, { login_hint: ada.email });
    expect(decodeJwt(again.idToken ?? '').sid).toBe(decodeJwt(idToken).sid);
  });
});

describe('what is in the list and no longer good', () => {
  test.each<[string, (id: string, user: TestUser) => Promise<unknown>]>([
    ['ended elsewhere', (id) => deleteSession(service.parts.database, keyOf(id), service.clock.now())],
    [
      'of a suspended account',
      (_, user) => suspendUser(service.parts.database, user.userId, service.clock.now()),
    ],
  ])('a session %s vanishes: it is not listed, and choosing it says so', async (_, end) => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada, grace);
    const page = await browser.get('/accounts');
    const [id = ''] = othersOf(browser);
    await end(id, ada);
    expect((await browser.get('/accounts')).body).not.toContain(ada.email);
    expect((await browser.get('/account')).body).not.toContain(ada.email);
    const refused = await press(browser, page, ada);
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('This account is signed out in this browser.');
    expect(await activeIn(browser)).toBe(grace.email);
  });

  test('where the active one is over, the others are offered on the way to any page and any application', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada, grace);
    await deleteSession(service.parts.database, keyOf(idOf(browser)), service.clock.now());
    const page = await browser.follow(await browser.get('/account/profile'));
    expect(headingOf(page.body)).toBe('Choose an account');
    const consent = await browser.follow(await browser.get(authorizeAddress(service, application)));
    expect(headingOf(consent.body)).toBe('Choose an account');
    const chosen = await press(browser, page, ada);
    expect(chosen.location?.pathname).toBe('/account/profile');
    expect(await activeIn(browser)).toBe(ada.email);
  });
});

describe('who may forge it', () => {
  test('a made-up list is no list: nothing but ids of live sessions counts', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const victim = await browserOf(grace);
    const sid = sidOf(await victim.get('/accounts'), grace);
    for (const forged of ['A'.repeat(43), `${'A'.repeat(43)}.x`, sid, '.', '%00', 'A'.repeat(4000)]) {
      const browser = await browserOf(ada);
      browser.cookies.set('sesame-others', forged);
      const page = await browser.get('/accounts');
      expect([page.status, page.body.includes(grace.email)]).toEqual([200, false]);
      expect((await browser.post('/accounts', { ...page.hidden, account: sid })).status).toBe(400);
      expect(await activeIn(browser)).toBe(ada.email);
    }
  });

  test('the public name of a session opens nothing in a browser that does not hold its id', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const sid = sidOf(await (await browserOf(grace)).get('/accounts'), grace);
    const browser = await browserOf(ada);
    const { hidden } = await browser.get('/accounts');
    expect((await browser.post('/accounts', { ...hidden, account: sid })).status).toBe(400);
    expect(await activeIn(browser)).toBe(ada.email);
  });

  test('another site switches nothing: a form without our token, or sent from there, is refused', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada, grace);
    const page = await browser.get('/accounts');
    const account = sidOf(page, ada);
    const other = await (await browserOf(ada)).get('/accounts');
    expect((await browser.post('/accounts', { account })).status).toBe(403);
    expect((await browser.post('/accounts', { account, csrf: other.hidden.csrf ?? '' })).status).toBe(403);
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect((await browser.post('/accounts', { ...page.hidden, account }, crossSite)).status).toBe(403);
    await browser.get(`/accounts?account=${account}`);
    expect(await activeIn(browser), 'a GET switches nothing either').toBe(grace.email);
  });

  test('a form of the page of one account does nothing once another is active', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada, grace);
    const profile = await browser.get('/account/profile');
    const { csrf = '' } = profile.hidden;
    await press(browser, await browser.get('/accounts'), ada);
    const refused = await browser.post('/account/profile', {
      csrf,
      name: 'Somebody',
      phone: '',
      language: '',
    });
    expect(refused.status).toBe(403);
    expect((await browser.get('/account')).body).not.toContain('Somebody');
  });
});

describe('signing out', () => {
  test('of this account: the others stay, and are offered', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada, grace);
    const [adas = ''] = othersOf(browser);
    const graces = idOf(browser);
    const page = await browser.get('/signout');
    expect(page.body).toContain(`Also signed in here: ${ada.email}`);
    const left = await browser.follow(await browser.post('/signout', page.hidden));
    expect(headingOf(left.body)).toBe('Choose an account');
    expect(left.body).toContain('Your other accounts in this browser stay signed in.');
    expect([await isLive(graces), await isLive(adas)]).toEqual([false, true]);
    await press(browser, left, ada);
    expect(await activeIn(browser)).toBe(ada.email);
  });

  test('of all: none is left, here or on the server', async () => {
    const browser = await browserOf(...(await people(3)));
    const ids = [idOf(browser), ...othersOf(browser)];
    const { hidden } = await browser.get('/signout');
    const visit = await browser.post('/signout', { ...hidden, all: 'yes' });
    expect(visit.location?.search).toBe('?signed-out=1');
    expect([browser.cookies.has('sesame'), browser.cookies.has('sesame-others')]).toEqual([false, false]);
    for (const id of ids) expect(await isLive(id)).toBe(false);
  });

  test('ends the account that the page named, though another tab has switched meanwhile', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada, grace);
    const { hidden } = await browser.get('/signout');
    await press(browser, await browser.get('/accounts'), ada);
    const visit = await browser.post('/signout', hidden);
    expect(visit.location?.pathname).toBe('/account');
    expect(await activeIn(browser)).toBe(ada.email);
    expect(othersOf(browser)).toEqual([]);
  });

  test('asked for by an application with its id_token: that account alone, active or not', async () => {
    const back = 'https://client.example/out';
    await sql(
      service.parts.database,
      'update clients set post_logout_redirect_uris = array[$2] where client_id = $1',
      [application.clientId, back],
    );
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada);
    const { idToken = '' } = await obtainTokens(service, application, browser);
    await signInBeside(browser, grace);
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: back });
    const visit = await browser.get(`/oauth/logout?${query}`);
    expect(visit.location?.href).toBe(back);
    expect(othersOf(browser)).toEqual([]);
    expect(await activeIn(browser)).toBe(grace.email);
    // Without the hint anybody could have asked: the person decides, and may end all.
    const asked = await browser.follow(
      await browser.get(`/oauth/logout?client_id=${application.clientId}&post_logout_redirect_uri=${back}`),
    );
    expect(headingOf(asked.body)).toBe('Sign out?');
  });
});

describe('an application that asks', () => {
  const ask = (browser: BrowserSession, parameters: Record<string, string> = {}) =>
    browser.get(authorizeAddress(service, application, parameters));
  /** Two people who have both agreed before. */
  async function agreed(): Promise<[BrowserSession, TestUser, TestUser]> {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada);
    await authorize(service, application, browser);
    await signInBeside(browser, grace);
    await authorize(service, application, browser, { login_hint: grace.email });
    service.clock.advance(5);
    return [browser, ada, grace];
  }

  test('is answered for the account that the person chooses, unless login_hint names the active one', async () => {
    const [browser, ada, grace] = await agreed();
    for (const chosen of [grace, ada]) {
      const chooser = await browser.follow(await ask(browser));
      expect(headingOf(chooser.body)).toBe('Choose an account');
      expect(await subjectOf(codeOf(await browser.follow(await press(browser, chooser, chosen))))).toBe(
        chosen.userId,
      );
    }
    const login_hint = ` ${ada.email.toUpperCase()} `;
    expect(await subjectOf(codeOf(await ask(browser, { login_hint })))).toBe(ada.userId);
  });

  test('is answered at once if id_token_hint names the active account', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada);
    const { idToken: id_token_hint = '' } = await obtainTokens(service, application, browser);
    await signInBeside(browser, grace);
    await press(browser, await browser.get('/accounts'), ada);
    service.clock.advance(5);
    expect(await subjectOf(codeOf(await ask(browser, { id_token_hint })))).toBe(ada.userId);
  });

  test('gets the chooser though login_hint names an account that is not signed in, or not active; none is switched', async () => {
    const [browser, ada, grace] = await agreed();
    for (const login_hint of [ada.email, 'nobody@example.org', (await service.createUser()).email]) {
      const chooser = await browser.follow(await ask(browser, { login_hint }));
      expect(headingOf(chooser.body)).toBe('Choose an account');
      const first = [ada, grace].toSorted(
        (one, other) => chooser.body.indexOf(one.email) - chooser.body.indexOf(other.email),
      );
      if (login_hint === ada.email) expect(first[0]).toBe(ada);
      expect(await activeIn(browser)).toBe(grace.email);
    }
  });

  test('the chooser cannot be skipped by the authorization endpoint or the consent page', async () => {
    const [browser] = await agreed();
    const page = await browser.follow(await ask(browser));
    for (const path of ['/oauth/authorize', '/consent']) {
      const landed = await browser.follow(await browser.get(`${path}?pending=${page.hidden.pending}`));
      expect(headingOf(landed.body)).toBe('Choose an account');
    }
  });

  test('with prompt=select_account is answered for the account that is chosen, the present one or another', async () => {
    const [browser, ada, grace] = await agreed();
    for (const chosen of [grace, ada]) {
      const chooser = await browser.follow(await ask(browser, { prompt: 'select_account' }));
      expect(headingOf(chooser.body)).toBe('Choose an account');
      const visit = await browser.follow(await press(browser, chooser, chosen));
      expect(visit.location?.searchParams.get('state')).toBe('state-1');
      expect(await subjectOf(codeOf(visit))).toBe(chosen.userId);
    }
  });

  test('prompt=select_account shows the choice always: with one account, with a login_hint, listed or not', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada, grace);
    service.clock.advance(5);
    for (const login_hint of [ada.email.toUpperCase(), 'nobody@example.org']) {
      const page = await browser.follow(await ask(browser, { prompt: 'select_account', login_hint }));
      expect(headingOf(page.body)).toBe('Choose an account');
      const first = page.body.indexOf(`<span class="account-email">${ada.email}`);
      const second = page.body.indexOf(`<span class="account-email">${grace.email}`);
      expect(first < second, 'whom the application would rather have comes first').toBe(
        login_hint !== 'nobody@example.org',
      );
      const another = /href="(\/signin\?pending=[^"]*)"/.exec(page.body)?.[1] ?? '';
      expect((await browser.get(another)).body).toContain(`value="${login_hint}"`);
    }
    const alone = await browserOf(ada);
    service.clock.advance(5);
    expect((await ask(alone, { prompt: 'select_account' })).location?.pathname).toBe('/accounts');
    const stranger = openBrowserSession(service.baseUrl);
    expect((await ask(stranger, { prompt: 'select_account' })).location?.pathname).toBe('/signin');
  });

  test('whose id_token_hint names another account of this browser: it can be chosen, and nobody else', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada);
    const { idToken = '' } = await obtainTokens(service, application, browser);
    await signInBeside(browser, grace);
    service.clock.advance(5);
    for (const prompt of ['', 'select_account']) {
      const page = await browser.follow(await ask(browser, { prompt, id_token_hint: idToken }));
      expect(headingOf(page.body)).toBe('Choose an account');
      const wrong = await browser.follow(await press(browser, page, grace));
      expect(wrong.location?.searchParams.get('error')).toBe('login_required');
      const right = await browser.follow(await press(browser, page, ada));
      expect(await subjectOf(codeOf(right))).toBe(ada.userId);
      await press(browser, await browser.get('/accounts'), grace);
    }
  });

  test('with prompt=none is answered for the active account alone: nobody is asked, nothing is switched', async () => {
    const [browser, , grace] = await agreed();
    expect(await subjectOf(codeOf(await ask(browser, { prompt: 'none' })))).toBe(grace.userId);
    await deleteSession(service.parts.database, keyOf(idOf(browser)), service.clock.now());
    const visit = await ask(browser, { prompt: 'none' });
    expect(visit.location?.searchParams.get('error')).toBe('login_required');
  });

  test('and whose consent page is open while another account becomes active: it is asked again (D9)', async () => {
    const [ada, grace] = await people();
    if (!ada || !grace) throw new Error('nobody');
    const browser = await browserOf(ada, grace);
    service.clock.advance(5);
    const consent = await browser.follow(await ask(browser, { login_hint: grace.email }));
    await press(browser, await browser.get('/accounts'), ada);
    const again = await decide(browser, consent, 'allow');
    expect([again.status, codeOf(again)]).toEqual([303, '']);
    expect(headingOf((await browser.follow(again)).body)).toBe('Choose an account');
  });

  test('wants the password again (prompt=login): there is no way back around it', async () => {
    const [ada] = await people(1);
    if (!ada) throw new Error('nobody');
    const browser = await browserOf(ada);
    service.clock.advance(5);
    const page = await browser.follow(await ask(browser, { prompt: 'login' }));
    expect(headingOf(page.body)).toBe('Sign in');
    expect(page.body).not.toContain('Continue as');
  });
});
