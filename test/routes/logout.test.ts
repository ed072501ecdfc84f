// /oauth/logout: an application has the person signed out here too (OpenID Connect RP-Initiated Logout 1.0).
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { obtainTokens, signedInBrowser } from '../support/flow.ts';
import { headingOf, mainOf, textIn } from '../support/markup.ts';
import { startTestService } from '../support/service.ts';

const BACK = 'https://client.example/signed-out?from=sesame';
let browser: BrowserSession;
let hint: string;
const service = await startTestService();
const application = await service.createApplication();
await service.parts.database.query(
  statement('test_set_logout', 'update clients set post_logout_redirect_uris = $2 where client_id = $1'),
  [application.clientId, [BACK]],
);
const user = await service.createUser();
afterAll(() => service.close());
beforeEach(async () => {
  browser = await signedInBrowser(service, user);
  hint = (await obtainTokens(service, application, browser)).idToken ?? '';
});

const address = (parameters: Record<string, string>) => `/oauth/logout?${new URLSearchParams(parameters)}`;
const isSignedIn = async (person = browser) => (await person.get('/signout')).status === 200;
const whole = () => ({ id_token_hint: hint, post_logout_redirect_uri: BACK, state: 'a&b' });

describe('with the id_token of this session', () => {
  test('signs out at once and goes back with the state, to the very address that is registered', async () => {
    const visit = await browser.get(address(whole()));
    expect([visit.status, visit.location?.href]).toEqual([303, `${BACK}&state=a%26b`]);
    expect(await isSignedIn()).toBe(false);
    // Asked again, by a reload, there is nobody to sign out: the same way back.
    expect((await browser.get(address(whole()))).location?.href).toBe(`${BACK}&state=a%26b`);
  });

  test('no state, no address: back here', async () => {
    const visit = await browser.get(address({ id_token_hint: hint }));
    expect([visit.location?.pathname, visit.location?.search]).toEqual(['/', '?signed-out=1']);
    expect(await isSignedIn()).toBe(false);
  });

  test('an expired id_token, and one signed by a key since superseded, are good (§2)', async () => {
    service.clock.advance(24 * 3600);
    expect((await browser.get(address(whole()))).location?.href).toContain(BACK);
    expect(await isSignedIn()).toBe(false);
  });

  test('by POST from another site, which brings no session: the GET that follows does it', async () => {
    const form = new URLSearchParams(whole());
    const response = await fetch(new URL('/oauth/logout', service.baseUrl), {
      method: 'POST',
      body: form,
      redirect: 'manual',
      headers: { origin: 'https://client.example', 'sec-fetch-site': 'cross-site' },
    });
    expect(response.status).toBe(303);
    const visit = await browser.get(response.headers.get('location') ?? '');
    expect(visit.location?.href).toBe(`${BACK}&state=a%26b`);
    expect(await isSignedIn()).toBe(false);
  });
});

describe('without it the person is asked', () => {
  const ask = async (parameters: Record<string, string>) =>
    browser.follow(await browser.get(address(parameters)));

  test.each([
    ['no parameters at all', () => ({})],
    ['only a state', () => ({ state: 's' })],
    ['an address of nobody', () => ({ post_logout_redirect_uri: 'https://evil.example/' })],
  ])('%s: the page, and then here', async (_, parameters) => {
    const page = await ask(parameters());
    expect(page.body).toContain('action="/signout"');
    expect(await isSignedIn()).toBe(true);
    const visit = await browser.post('/signout', page.hidden);
    expect(visit.location?.href).toBe(`${service.baseUrl}/?signed-out=1`);
    expect(await isSignedIn()).toBe(false);
  });

  test('client_id alone: the page, and then the registered address with the state', async () => {
    const { id_token_hint: _, ...rest } = whole();
    const page = await ask({ ...rest, client_id: application.clientId });
    expect(page.headers.get('content-security-policy')).not.toContain('form-action');
    const visit = await browser.post('/signout', page.hidden);
    expect(visit.location?.href).toBe(`${BACK}&state=a%26b`);
  });

  test('the id_token of an earlier session, or of somebody else', async () => {
    const earlier = hint;
    await browser.get(address({ id_token_hint: hint }));
    browser = await signedInBrowser(service, user);
    expect((await ask({ ...whole(), id_token_hint: earlier })).body).toContain('action="/signout"');
    const other = await signedInBrowser(service, await service.createUser());
    const visit = await other.follow(await other.get(address(whole())));
    expect(visit.body).toContain('action="/signout"');
    expect(await isSignedIn(other)).toBe(true);
  });

  test('what the page sends back cannot be made up', async () => {
    const page = await ask({});
    const visit = await browser.post('/signout', { ...page.hidden, logout: 'https://evil.example/' });
    expect(visit.location?.href).toBe(`${service.baseUrl}/?signed-out=1`);
  });
});

describe('an address that is good no more', () => {
  const seal = async () => {
    const page = await browser.follow(
      await browser.get(address({ client_id: application.clientId, post_logout_redirect_uri: BACK })),
    );
    return page.hidden.logout ?? '';
  };
  const set = async (column: string, value: unknown) =>
    service.parts.database.query(
      statement(`test_set_${column}`, `update clients set ${column} = $2 where client_id = $1`),
      [application.clientId, value],
    );

  test.each<[string, string, unknown, unknown]>([
    ['the application is suspended', 'suspended_at', new Date(), null],
    ['its owner took it away', 'post_logout_redirect_uris', [], [BACK]],
  ])('%s: nobody is sent there, nor by a page from before', async (_, column, value, before) => {
    const logout = await seal();
    const stranger = openBrowserSession(service.baseUrl);
    const query = new URLSearchParams({ logout });
    const shown = await stranger.get(`/signout?${query}`);
    await set(column, value);
    const visit = await stranger.get(address(whole()));
    expect([visit.status, visit.location]).toEqual([400, undefined]);
    expect((await stranger.get(`/signout?${query}`)).location?.href).toBe(`${service.baseUrl}/`);
    expect((await stranger.post('/signout', shown.hidden)).location?.search).toBe('?signed-out=1');
    const page = await browser.get(`/signout?${query}`);
    expect((await browser.post('/signout', page.hidden)).location?.search).toBe('?signed-out=1');
    await set(column, before);
    service.clock.advance(16); // until then the same form gets the same answer
    expect((await stranger.post('/signout', shown.hidden)).location?.href).toBe(BACK);
  });
});

describe('with nobody signed in and no id_token, anybody could have made the address: asked first', () => {
  const named = () => {
    const { id_token_hint: _, ...rest } = whole();
    return { ...rest, client_id: application.clientId };
  };
  const open = async (person: BrowserSession) => person.follow(await person.get(address(named())));

  test('the page names the application and the host, and only the press of the button leads there', async () => {
    const stranger = openBrowserSession(service.baseUrl);
    const page = await open(stranger);
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(page.body).toContain('<bdi>Carnet</bdi>');
    expect(textIn(mainOf(page.body))).toContain('Continue to client.example');
    expect(page.body).not.toContain('button--primary');
    expect(page.body).not.toMatch(/(href|action)="https:\/\/client/);
    const visit = await stranger.post('/signout', page.hidden);
    expect([visit.status, visit.location?.href]).toEqual([303, `${BACK}&state=a%26b`]);
  });

  test('nobody else’s page leads there: neither a form of another site nor one made for another browser', async () => {
    const page = await open(openBrowserSession(service.baseUrl));
    const victim = openBrowserSession(service.baseUrl);
    const foreign = await victim.post('/signout', page.hidden, { 'sec-fetch-site': 'cross-site' });
    expect([foreign.status, foreign.location]).toEqual([403, undefined]);
    const visit = await victim.post('/signout', page.hidden);
    expect(visit.location?.href).toBe(`${service.baseUrl}/`);
  });

  test('an id_token is enough only of an account that has signed in here: any account holder has one of their own', async () => {
    const stranger = openBrowserSession(service.baseUrl);
    const page = await stranger.follow(await stranger.get(address(whole())));
    expect(page.body).toContain('action="/signout"');
    await browser.get(address({ id_token_hint: hint }));
    expect((await browser.get(address(whole()))).location?.href).toBe(`${BACK}&state=a%26b`);
  });
});

describe('refused only for its return address: signed out after asking, without the redirect (§3)', () => {
  test.each([
    ['an address that is not registered', () => ({ post_logout_redirect_uri: `${BACK}/` })],
    ['a query added to it', () => ({ post_logout_redirect_uri: `${BACK}&x=1` })],
    ['a callback URL, which is another thing', () => ({ post_logout_redirect_uri: application.redirectUri })],
    [
      'an application that is none',
      () => ({ id_token_hint: '', client_id: 'app_nobody', post_logout_redirect_uri: BACK }),
    ],
  ])('%s', async (_, parameters) => {
    const sent = address({ ...whole(), ...parameters() });
    const page = await browser.follow(await browser.get(sent));
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/(href|action)="https:\/\/client/);
    expect(await isSignedIn()).toBe(true);
    const visit = await browser.post('/signout', page.hidden);
    expect(visit.location?.href).toBe(`${service.baseUrl}/?signed-out=1`);
    expect(await isSignedIn()).toBe(false);
    // There is nobody left to ask.
    const again = await browser.get(sent);
    expect([again.status, again.location]).toEqual([400, undefined]);
  });
});

describe('refused as a page, and nobody is signed out', () => {
  test.each([
    ['an altered id_token', () => ({ id_token_hint: `${hint.slice(0, -6)}AAAAAA` })],
    ['no id_token at all', () => ({ id_token_hint: 'nonsense' })],
    ['another client_id', () => ({ client_id: 'app_other' })],
    ['a state that fits into no address', () => ({ state: 'é'.repeat(1025) })],
  ])('%s', async (_, parameters) => {
    const visit = await browser.get(address({ ...whole(), ...parameters() }));
    expect([visit.status, visit.location]).toEqual([400, undefined]);
    expect(headingOf(visit.body)).toBe('This sign-out request is not safe');
    expect(visit.body).not.toMatch(/(href|action)="https:\/\/client/);
    expect(mainOf(visit.body)).toContain('<a class="button button--primary" href="/signout">');
    expect(await isSignedIn()).toBe(true);
  });

  test('a repeated parameter', async () => {
    const visit = await browser.get(`${address(whole())}&state=x`);
    expect([visit.status, visit.location]).toEqual([400, undefined]);
    expect(await isSignedIn()).toBe(true);
  });
});
