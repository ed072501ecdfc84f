import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { readHeading, readMain, readText } from '../support/markup.ts';
import { obtainTokens, openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const LOGOUT_REDIRECT_URI = 'https://client.example/signed-out?from=sesame';
let browser: BrowserSession;
let hint: string;
const service = await startTestService();
const client = await service.createClient();
await service.services.database.query(
  statement('test_set_logout', 'update clients set post_logout_redirect_uris = $2 where client_id = $1'),
  [client.clientId, [LOGOUT_REDIRECT_URI]],
);
const user = await service.createUser();
afterAll(() => service.close());
beforeEach(async () => {
  browser = await openSignedInBrowser(service, user);
  hint = (await obtainTokens(service, client, browser)).idToken ?? '';
});

const buildLogoutPath = (parameters: Record<string, string>) =>
  `/oauth/logout?${new URLSearchParams(parameters)}`;
const isSignedIn = async (visitor = browser) => (await visitor.get('/signout')).status === 200;
const buildParameters = () => ({
  id_token_hint: hint,
  post_logout_redirect_uri: LOGOUT_REDIRECT_URI,
  state: 'a&b',
});

describe('logout with the current id_token', () => {
  test('signs the user out and redirects to the registered URI', async () => {
    const visit = await browser.get(buildLogoutPath(buildParameters()));
    expect([visit.status, visit.location?.href]).toEqual([303, `${LOGOUT_REDIRECT_URI}&state=a%26b`]);
    expect(await isSignedIn()).toBe(false);
    expect((await browser.get(buildLogoutPath(buildParameters()))).location?.href).toBe(
      `${LOGOUT_REDIRECT_URI}&state=a%26b`,
    );
  });

  test('redirects to the home page by default', async () => {
    const visit = await browser.get(buildLogoutPath({ id_token_hint: hint }));
    expect([visit.location?.pathname, visit.location?.search]).toEqual(['/', '?signed-out=1']);
    expect(await isSignedIn()).toBe(false);
  });

  test('accepts an expired id_token (RP-Initiated Logout §2)', async () => {
    service.clock.advance(24 * 3600);
    expect((await browser.get(buildLogoutPath(buildParameters()))).location?.href).toContain(
      LOGOUT_REDIRECT_URI,
    );
    expect(await isSignedIn()).toBe(false);
  });

  test('succeeds after a redirected cross-site POST', async () => {
    const form = new URLSearchParams(buildParameters());
    const response = await fetch(new URL('/oauth/logout', service.baseUrl), {
      method: 'POST',
      body: form,
      redirect: 'manual',
      headers: { origin: 'https://client.example', 'sec-fetch-site': 'cross-site' },
    });
    expect(response.status).toBe(303);
    const visit = await browser.get(response.headers.get('location') ?? '');
    expect(visit.location?.href).toBe(`${LOGOUT_REDIRECT_URI}&state=a%26b`);
    expect(await isSignedIn()).toBe(false);
  });
});

describe('logout without the current id_token', () => {
  const openLogout = async (parameters: Record<string, string>) =>
    browser.follow(await browser.get(buildLogoutPath(parameters)));

  test.each([
    ['no parameters', () => ({})],
    ['only a state', () => ({ state: 's' })],
    ['a redirect URI but no client', () => ({ post_logout_redirect_uri: 'https://evil.example/' })],
  ])('redirects to the home page after confirmation if it has %s', async (_, parameters) => {
    const page = await openLogout(parameters());
    expect(page.body).toContain('action="/signout"');
    expect(await isSignedIn()).toBe(true);
    const visit = await browser.post('/signout', page.hidden);
    expect(visit.location?.href).toBe(`${service.baseUrl}/?signed-out=1`);
    expect(await isSignedIn()).toBe(false);
  });

  test('redirects to the registered URI after confirmation', async () => {
    const { id_token_hint: _, ...otherParameters } = buildParameters();
    const page = await openLogout({ ...otherParameters, client_id: client.clientId });
    expect(page.headers.get('content-security-policy')).not.toContain('form-action');
    const visit = await browser.post('/signout', page.hidden);
    expect(visit.location?.href).toBe(`${LOGOUT_REDIRECT_URI}&state=a%26b`);
  });

  test('requires confirmation for another session’s id_token', async () => {
    const earlier = hint;
    await browser.get(buildLogoutPath({ id_token_hint: hint }));
    browser = await openSignedInBrowser(service, user);
    expect((await openLogout({ ...buildParameters(), id_token_hint: earlier })).body).toContain(
      'action="/signout"',
    );
    const other = await openSignedInBrowser(service, await service.createUser());
    const visit = await other.follow(await other.get(buildLogoutPath(buildParameters())));
    expect(visit.body).toContain('action="/signout"');
    expect(await isSignedIn(other)).toBe(true);
  });

  test('ignores a forged target in the confirmation form', async () => {
    const page = await openLogout({});
    const visit = await browser.post('/signout', { ...page.hidden, logout: 'https://evil.example/' });
    expect(visit.location?.href).toBe(`${service.baseUrl}/?signed-out=1`);
  });
});

describe('a logout redirect', () => {
  const obtainSealedTarget = async () => {
    const page = await browser.follow(
      await browser.get(
        buildLogoutPath({ client_id: client.clientId, post_logout_redirect_uri: LOGOUT_REDIRECT_URI }),
      ),
    );
    return page.hidden.logout ?? '';
  };
  const setClientColumn = async (column: string, value: unknown) =>
    service.services.database.query(
      statement(`test_set_${column}`, `update clients set ${column} = $2 where client_id = $1`),
      [client.clientId, value],
    );

  test.each<[string, string, unknown, unknown]>([
    ['the client is suspended', 'suspended_at', new Date(), null],
    ['the owner has deleted the redirect URI', 'post_logout_redirect_uris', [], [LOGOUT_REDIRECT_URI]],
  ])('is rejected if %s', async (_, column, value, before) => {
    const logout = await obtainSealedTarget();
    const anonymous = openBrowserSession(service.baseUrl);
    const query = new URLSearchParams({ logout });
    const openPage = await anonymous.get(`/signout?${query}`);
    await setClientColumn(column, value);
    const visit = await anonymous.get(buildLogoutPath(buildParameters()));
    expect([visit.status, visit.location]).toEqual([400, undefined]);
    expect((await anonymous.get(`/signout?${query}`)).location?.href).toBe(`${service.baseUrl}/`);
    expect((await anonymous.post('/signout', openPage.hidden)).location?.search).toBe('?signed-out=1');
    const page = await browser.get(`/signout?${query}`);
    expect((await browser.post('/signout', page.hidden)).location?.search).toBe('?signed-out=1');
    await setClientColumn(column, before);
    // Resubmitting a form within 15 seconds returns the first response again.
    service.clock.advance(16);
    expect((await anonymous.post('/signout', openPage.hidden)).location?.href).toBe(LOGOUT_REDIRECT_URI);
  });
});

describe('the logout page for anonymous users', () => {
  const buildParametersWithoutHint = () => {
    const { id_token_hint: _, ...otherParameters } = buildParameters();
    return { ...otherParameters, client_id: client.clientId };
  };
  const openConfirmation = async (visitor: BrowserSession) =>
    visitor.follow(await visitor.get(buildLogoutPath(buildParametersWithoutHint())));

  test('redirects only after a click on the button', async () => {
    const anonymous = openBrowserSession(service.baseUrl);
    const page = await openConfirmation(anonymous);
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(page.body).toContain('<bdi>Carnet</bdi>');
    expect(readText(readMain(page.body))).toContain('Continue to client.example');
    expect(page.body).not.toContain('button--primary');
    expect(page.body).not.toMatch(/(href|action)="https:\/\/client/);
    const visit = await anonymous.post('/signout', page.hidden);
    expect([visit.status, visit.location?.href]).toEqual([303, `${LOGOUT_REDIRECT_URI}&state=a%26b`]);
  });

  test('does not redirect in a different browser', async () => {
    const page = await openConfirmation(openBrowserSession(service.baseUrl));
    const victim = openBrowserSession(service.baseUrl);
    const foreign = await victim.post('/signout', page.hidden, { 'sec-fetch-site': 'cross-site' });
    expect([foreign.status, foreign.location]).toEqual([403, undefined]);
    const visit = await victim.post('/signout', page.hidden);
    expect(visit.location?.href).toBe(`${service.baseUrl}/`);
  });

  test('is skipped in a browser that has signed in before', async () => {
    const anonymous = openBrowserSession(service.baseUrl);
    const page = await anonymous.follow(await anonymous.get(buildLogoutPath(buildParameters())));
    expect(page.body).toContain('action="/signout"');
    await browser.get(buildLogoutPath({ id_token_hint: hint }));
    expect((await browser.get(buildLogoutPath(buildParameters()))).location?.href).toBe(
      `${LOGOUT_REDIRECT_URI}&state=a%26b`,
    );
  });
});

describe('an invalid logout request', () => {
  test.each([
    ['an unregistered redirect URI', () => ({ post_logout_redirect_uri: `${LOGOUT_REDIRECT_URI}/` })],
    [
      'a query added to the registered URI',
      () => ({ post_logout_redirect_uri: `${LOGOUT_REDIRECT_URI}&x=1` }),
    ],
    ['a redirect URI registered for authorization', () => ({ post_logout_redirect_uri: client.redirectUri })],
    [
      'an unknown client',
      () => ({ id_token_hint: '', client_id: 'app_nobody', post_logout_redirect_uri: LOGOUT_REDIRECT_URI }),
    ],
  ])('redirects to the home page after confirmation if it has %s', async (_, parameters) => {
    const sent = buildLogoutPath({ ...buildParameters(), ...parameters() });
    const page = await browser.follow(await browser.get(sent));
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/(href|action)="https:\/\/client/);
    expect(await isSignedIn()).toBe(true);
    const visit = await browser.post('/signout', page.hidden);
    expect(visit.location?.href).toBe(`${service.baseUrl}/?signed-out=1`);
    expect(await isSignedIn()).toBe(false);
    const repeated = await browser.get(sent);
    expect([repeated.status, repeated.location]).toEqual([400, undefined]);
  });
});

describe('a logout request', () => {
  test.each([
    ['a modified id_token', () => ({ id_token_hint: `${hint.slice(0, -6)}AAAAAA` })],
    ['an id_token_hint that is not a JWT', () => ({ id_token_hint: 'nonsense' })],
    ['a different client_id', () => ({ client_id: 'app_other' })],
    ['a state that is too long', () => ({ state: 'é'.repeat(1025) })],
  ])('with %s does not sign the user out', async (_, parameters) => {
    const visit = await browser.get(buildLogoutPath({ ...buildParameters(), ...parameters() }));
    expect([visit.status, visit.location]).toEqual([400, undefined]);
    expect(readHeading(visit.body)).toBe('Do you want to sign out?');
    expect(visit.body).not.toMatch(/(href|action)="https:\/\/client/);
    expect(readMain(visit.body)).toContain('<a class="button button--primary" href="/signout">');
    expect(readMain(visit.body)).toContain('<a class="button button--secondary" href="/">');
    expect(await isSignedIn()).toBe(true);
  });

  test('with a repeated parameter does not sign the user out', async () => {
    const visit = await browser.get(`${buildLogoutPath(buildParameters())}&state=x`);
    expect([visit.status, visit.location]).toEqual([400, undefined]);
    expect(await isSignedIn()).toBe(true);
  });
});
