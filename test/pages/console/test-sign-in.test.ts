// "Try sign-in": an owner sees the claims for their own account.
import { beforeEach, describe, expect, test } from 'vitest';
import { PENDING_REQUEST_TTL } from '../../../src/oauth/lifetimes.ts';
import { buildTestSignInRedirectUri } from '../../../src/oauth/test-sign-in.ts';
import { changeResource } from '../../../src/store/admin-actions.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { clientPath, submitForm } from '../../support/console-forms.ts';
import { readCodeBlock, readHeading } from '../../support/markup.ts';
import { enrollDuringSignIn } from '../../support/mfa-account.ts';
import {
  buildAuthorizeUrl,
  createSignedInUser,
  obtainCode,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemRefreshToken,
  signIn,
  submitDecision,
} from '../../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
const getTestSignInUri = () => buildTestSignInRedirectUri(service.baseUrl);
const EXPIRED_MESSAGE = 'This sign-in has expired, or its result was already shown.';

let owner: TestUser;
let browser: BrowserSession;
let application: TestClient;
beforeEach(async () => {
  ({ user: owner, browser } = await createSignedInUser(service, { name: 'Zoé Lefèvre' }));
  browser.cookies.set('sesame-language', 'en');
  application = await service.createClient({ ownerId: owner.userId });
});

const buildPath = ({ clientId }: TestClient) => clientPath(clientId, '/try-it');

/** Returns the consent page. */
const startTestSignIn = async (client = application, from = browser): Promise<Visit> =>
  from.follow(await submitForm(from, buildPath(client)));

/** Returns the redirect URI without opening it. */
async function authorizeTestSignIn(client = application, decision: 'allow' | 'deny' = 'allow'): Promise<URL> {
  const { location, body } = await submitDecision(browser, await startTestSignIn(client), decision);
  if (location === undefined) throw new Error(body);
  expect(location.href).toMatch(new RegExp(`^${getTestSignInUri()}[?]`));
  return location;
}

const finishTestSignIn = async (callback: URL, from = browser): Promise<Visit> =>
  from.follow(await from.get(callback));

const listActiveConsents = () =>
  sql(service.services.database, 'select from consents where user_id = $1 and withdrawn_at is null', [
    owner.userId,
  ]);

const listGrants = () =>
  sql(service.services.database, 'select revoked_at from grants where user_id = $1', [owner.userId]);

describe('a test sign-in', () => {
  test.each([
    ['a confidential application', {}],
    ['a public application', { type: 'public' as const, redirectUris: ['http://localhost:5000/'] }],
    ['an application in standard mode', { standard: true }],
  ])('shows the claims but never the tokens (%s)', async (_, fields) => {
    const client = await service.createClient({ ownerId: owner.userId, ...fields });
    const { status, body } = await finishTestSignIn(await authorizeTestSignIn(client));
    expect(status).toBe(200);
    expect(body).toContain(`Signed in as ${owner.email}.`);
    const idToken = JSON.parse(readCodeBlock(body, 'id-token'));
    expect(idToken).toMatchObject({ iss: service.baseUrl, aud: client.clientId, sub: owner.userId });
    expect(JSON.parse(readCodeBlock(body, 'userinfo'))).toMatchObject({
      sub: owner.userId,
      name: 'Zoé Lefèvre',
    });
    for (const scope of ['openid', 'profile', 'email', 'phone'])
      expect(body).toContain(`<code>${scope}</code>`);
    expect(body).not.toMatch(/eyJ[\w-]+\.|sesame_[a-z]+_/);
    const rows = await listGrants();
    expect(rows).toHaveLength(1);
    expect(rows[0]?.revoked_at).not.toBeNull();
  });

  test('removes consent that was given for the test', async () => {
    const requirePush = 'update clients set par_required = true where client_id = $1';
    await sql(service.services.database, requirePush, [application.clientId]);
    await finishTestSignIn(await authorizeTestSignIn());
    expect(await listActiveConsents()).toEqual([]);
    expect(readHeading((await startTestSignIn()).body), 'consent is required again').toContain('Carnet');
  });

  test('continues after the owner sets up a required second factor', async () => {
    const requireMfa = 'update clients set mfa_required = true where client_id = $1';
    await sql(service.services.database, requireMfa, [application.clientId]);
    const { continuedTo } = await enrollDuringSignIn(service, browser, await startTestSignIn());
    const { body } = await browser.follow(await submitDecision(browser, continuedTo, 'allow'));
    expect(JSON.parse(readCodeBlock(body, 'id-token')).amr).toContain('otp');
  });

  test('continues after the owner signs out and back in', async () => {
    const pending = (await submitForm(browser, buildPath(application))).location ?? '';
    const { hidden } = await browser.get('/signout');
    await browser.post('/signout', hidden);
    browser.cookies.set('sesame-language', 'en');
    const consentPage = await signIn(browser, owner, await browser.follow(await browser.get(pending)));
    const { body } = await browser.follow(await submitDecision(browser, consentPage, 'allow'));
    expect(body).toContain(`Signed in as ${owner.email}.`);
    expect(await listActiveConsents()).toEqual([]);
  });

  test("does not affect the owner's existing consent and tokens", async () => {
    const { refreshToken } = await obtainTokens(service, application, browser, {
      scope: 'openid profile email phone',
    });
    expect((await startTestSignIn()).body).toContain(`Signed in as ${owner.email}.`);
    expect(await listActiveConsents()).toHaveLength(1);
    expect((await redeemRefreshToken(service, application, refreshToken)).status).toBe(200);
  });

  test.each([
    ['before the consent page of the test is submitted', true],
    ['after the consent page of the test is submitted', false],
  ])('keeps the consent given in a regular sign-in %s', async (_, isBefore) => {
    const parameters = { scope: 'openid profile email phone' };
    const signInToApplication = () => obtainTokens(service, application, browser, parameters);
    const consentPage = await startTestSignIn();
    const first = isBefore ? await signInToApplication() : undefined;
    service.clock.advance(1);
    const { location } = isBefore
      ? await browser.get(`/oauth/authorize?pending=${consentPage.hidden.pending}`)
      : await submitDecision(browser, consentPage, 'allow');
    service.clock.advance(1);
    const { refreshToken } = first ?? (await signInToApplication());
    expect((await finishTestSignIn(location ?? new URL(getTestSignInUri()))).body).toContain(
      `Signed in as ${owner.email}.`,
    );
    expect(await listActiveConsents()).toHaveLength(1);
    expect((await redeemRefreshToken(service, application, refreshToken)).status).toBe(200);
  });

  test('removes temporary consent after it has expired', async () => {
    const callback = await authorizeTestSignIn();
    service.clock.advance(PENDING_REQUEST_TTL + 1);
    expect((await finishTestSignIn(callback)).body).toContain(EXPIRED_MESSAGE);
    expect(await listActiveConsents()).toEqual([]);
  });

  test('removes only newly added scopes from an existing consent', async () => {
    const { refreshToken } = await obtainTokens(service, application, browser, { scope: 'openid profile' });
    service.clock.advance(1);
    const { body } = await finishTestSignIn(await authorizeTestSignIn());
    expect(body).toContain('<code>phone</code>');
    const [consent] = await sql(service.services.database, 'select scopes from consents where user_id = $1', [
      owner.userId,
    ]);
    expect(consent?.scopes).toEqual(expect.arrayContaining(['openid', 'profile']));
    expect(consent?.scopes).toHaveLength(2);
    expect((await redeemRefreshToken(service, application, refreshToken)).status).toBe(200);
  });

  test('causes no logout notification when the session ends', async () => {
    const { database } = service.services;
    const setUri =
      "update clients set backchannel_logout_uri = 'https://client.example/out' where client_id = $1";
    await sql(database, setUri, [application.clientId]);
    await finishTestSignIn(await authorizeTestSignIn());
    const { hidden } = await browser.get('/signout');
    await browser.post('/signout', hidden);
    const listDeliveries = 'select from logout_deliveries where client_id = $1';
    expect(await sql(database, listDeliveries, [application.clientId])).toEqual([]);
  });

  test('shows claims that are too large for a cookie', async () => {
    const name = '\u{1f33b}'.repeat(100);
    await sql(service.services.database, 'update users set name = $2 where id = $1', [owner.userId, name]);
    const client = await service.createClient({ ownerId: owner.userId, standard: true });
    const { body } = await finishTestSignIn(await authorizeTestSignIn(client));
    expect(JSON.parse(readCodeBlock(body, 'userinfo')).name).toBe(name);
  });

  test('shows the result only once', async () => {
    const { location, headers } = await browser.get(await authorizeTestSignIn());
    expect(location?.href).toBe(`${service.baseUrl}${buildPath(application)}/result`);
    expect(headers.get('set-cookie')).not.toMatch(/eyJ[\w-]+\.|sesame_[a-z]+_/);
    expect((await browser.get(location ?? '')).body).toContain(`Signed in as ${owner.email}.`);
    expect((await browser.get(location ?? '')).location?.pathname).toBe(buildPath(application));
  });

  test('shows the userinfo error if the application lacks the scopes', async () => {
    const client = await service.createClient({ ownerId: owner.userId, scopes: ['email'] });
    const { body } = await finishTestSignIn(await authorizeTestSignIn(client));
    expect(JSON.parse(readCodeBlock(body, 'userinfo'))).toMatchObject({ error: 'insufficient_scope' });
    expect(body).not.toContain('id="id-token"');
    expect((await listGrants())[0]?.revoked_at).not.toBeNull();
  });

  test('shows the error if the owner denies access', async () => {
    const { body } = await finishTestSignIn(await authorizeTestSignIn(application, 'deny'));
    expect(readCodeBlock(body, 'error')).toMatch(/^access_denied: /);
    expect(body).toContain('Access was denied.');
    expect(body).toMatch(/button--primary"[^>]*>(?:(?!<\/button>)[\s\S])*Try again/);
    expect(await listGrants()).toEqual([]);
  });

  test('is not counted as a sign-in to the application', async () => {
    await finishTestSignIn(await authorizeTestSignIn());
    const { database, diagnostics, usage } = service.services;
    await diagnostics.flush();
    await usage.flush();
    expect(
      await sql(database, 'select from disclosures where client_id = $1', [application.clientId]),
    ).toEqual([]);
    expect(
      await sql(database, 'select from client_observations where client_id = $1', [application.clientId]),
    ).toEqual([]);
  });
});

describe('the redirect URI for test sign-ins', () => {
  test('is rejected in regular authorization requests', async () => {
    for (const client of [application, await service.createClient({ type: 'public' })])
      for (const from of [browser, openBrowserSession(service.baseUrl)]) {
        const url = buildAuthorizeUrl(service, client, { redirect_uri: getTestSignInUri() });
        const { status, location } = await from.get(url);
        expect([status, location]).toEqual([400, undefined]);
      }
    const { clientId: client_id, clientSecret: client_secret } = application;
    const pushed = { client_id, client_secret, response_type: 'code', scope: 'openid', state: 's' };
    const { status } = await postForm(service, '/oauth/par', { ...pushed, redirect_uri: getTestSignInUri() });
    expect(status).toBe(400);
  });

  test('returns 404 if no test sign-in is in progress', async () => {
    const callback = await authorizeTestSignIn();
    const { browser: otherBrowser } = await createSignedInUser(service);
    expect((await otherBrowser.get(callback)).status).toBe(404);
    const anonymous = await openBrowserSession(service.baseUrl).get(callback);
    expect(anonymous.location?.pathname).toBe('/signin');
    for (const query of ['', '?code=x', '?code=x&state=x', '?error=x&state=x'])
      expect((await browser.get(`${getTestSignInUri()}${query}`)).status).toBe(404);
    expect(await listGrants(), 'the code is not redeemed').toEqual([]);
  });

  test('shows each result only once', async () => {
    const callback = await authorizeTestSignIn();
    const otherSession = await openSignedInBrowser(service, owner);
    otherSession.cookies.set('sesame-language', 'en');
    expect((await finishTestSignIn(callback, otherSession)).body).toContain(EXPIRED_MESSAGE);
    expect((await browser.send(callback, { method: 'HEAD' })).status).toBe(404);
    expect((await finishTestSignIn(callback)).body).toContain(`Signed in as ${owner.email}.`);
    expect((await finishTestSignIn(callback)).body).toContain(EXPIRED_MESSAGE);
    const expired = await authorizeTestSignIn(await service.createClient({ ownerId: owner.userId }));
    service.clock.advance(PENDING_REQUEST_TTL + 1);
    expect((await finishTestSignIn(expired)).body).toContain(EXPIRED_MESSAGE);
  });
});

describe('the authorization code of a test sign-in', () => {
  test('cannot be redeemed at the token endpoint', async () => {
    const code = (await authorizeTestSignIn()).searchParams.get('code') ?? '';
    const { clientId: client_id, clientSecret: client_secret } = application;
    const form = {
      grant_type: 'authorization_code',
      client_id,
      client_secret,
      code,
      redirect_uri: getTestSignInUri(),
    };
    for (const code_verifier of [undefined, 'v'.repeat(43)]) {
      const { status, body } = await postForm(service, '/oauth/token', { ...form, code_verifier });
      expect([status, body.error]).toEqual([400, code_verifier ? 'invalid_grant' : 'invalid_request']);
    }
    expect(await listGrants()).toEqual([]);
  });

  test('cannot be replaced with another code', async () => {
    const codes = [
      await obtainCode(service, application, browser),
      (await authorizeTestSignIn(await service.createClient({ ownerId: owner.userId }))).searchParams.get(
        'code',
      ) ?? '',
    ];
    for (const code of codes) {
      const client = await service.createClient({ ownerId: owner.userId });
      const callback = await authorizeTestSignIn(client);
      callback.searchParams.set('code', code);
      expect(readCodeBlock((await finishTestSignIn(callback)).body, 'error')).toMatch(/^invalid_grant: /);
    }
    expect(await listGrants()).toEqual([]);
  });
});

describe('a request for a test sign-in', () => {
  test('is rejected without a CSRF token', async () => {
    expect((await browser.post(buildPath(application), {})).status).toBe(403);
    const foreign = await service.createClient();
    const { hidden } = await browser.get(buildPath(application));
    expect((await browser.post(buildPath(foreign), hidden)).status).toBe(404);
    expect((await browser.get(buildPath(foreign))).status).toBe(404);
  });

  test('is rejected if a different user signs in', async () => {
    const pending = (await submitForm(browser, buildPath(application))).location ?? '';
    const other = await service.createUser();
    const { hidden } = await browser.get('/signout');
    await browser.post('/signout', hidden);
    const signInPage = await browser.follow(await browser.get(pending));
    const end = await signIn(browser, other, signInPage);
    expect(end.status).toBe(404);
    expect(
      await sql(service.services.database, 'select from consents where user_id = $1', [other.userId]),
    ).toEqual([]);
  });

  test('is rejected while the application is suspended', async () => {
    const integratePath = clientPath(application.clientId, '/integrate');
    const callback = await authorizeTestSignIn();
    const consentPage = await startTestSignIn(await service.createClient({ ownerId: owner.userId }));
    expect((await browser.get(integratePath)).body).toContain('Try sign-in');
    const { database } = service.services;
    await changeResource(database, 'application', 'suspend', application.clientId, service.clock.now());
    expect((await browser.get(integratePath)).body).not.toContain('Try sign-in');
    expect((await submitForm(browser, buildPath(application))).status).toBe(400);
    expect(readCodeBlock((await finishTestSignIn(callback)).body, 'error')).toMatch(/^invalid_client: /);
    expect(readHeading(consentPage.body)).toContain('Carnet');
    expect(await listGrants()).toEqual([]);
  });

  test('is rejected after the application is transferred', async () => {
    const callback = await authorizeTestSignIn();
    const newOwner = await service.createUser();
    await sql(service.services.database, 'update clients set owner_id = $2 where client_id = $1', [
      application.clientId,
      newOwner.userId,
    ]);
    expect((await browser.get(callback)).status).toBe(404);
    expect((await browser.get(buildPath(application))).status).toBe(404);
    expect(await listGrants()).toEqual([]);
  });

  test('is rejected after 20 test sign-ins within an hour', async () => {
    for (let count = 0; count < 20; count += 1)
      expect((await submitForm(browser, buildPath(application))).status).toBe(303);
    const refused = await submitForm(browser, buildPath(application));
    expect(refused.status).toBe(429);
    expect(refused.body).toContain('Too many attempts within an hour.');
    service.clock.advance(3600);
    expect((await submitForm(browser, buildPath(application))).status).toBe(303);
  });

  test('is rejected after it has expired', async () => {
    const pending = (await submitForm(browser, buildPath(application))).location ?? '';
    service.clock.advance(PENDING_REQUEST_TTL + 1);
    const { status, body } = await browser.get(pending);
    expect(status).toBe(400);
    expect(body).toContain(`href="${buildPath(application)}"`);
  });
});
