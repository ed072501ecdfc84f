import { beforeAll, describe, expect, test } from 'vitest';
import { listConsents, withdrawConsent } from '../../../src/store/consents.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { contentWithoutBackground } from '../../support/database-content.ts';
import { readHeading, readText } from '../../support/markup.ts';
import {
  buildAuthorizeUrl,
  createSignedInUser,
  fetchUserinfo,
  openSignedInBrowser,
  redeemCode,
  signIn,
  submitDecision,
  switchAccount,
} from '../../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../../support/service.ts';
import { deleteClient, sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let application: TestClient;
beforeAll(async () => {
  application = await service.createClient();
});

const openConsentPage = async (
  browser: BrowserSession,
  asking = application,
  parameters: Record<string, string | undefined> = {},
): Promise<Visit> => browser.follow(await browser.get(buildAuthorizeUrl(service, asking, parameters)));

async function signInAtConsent(client = application): Promise<[BrowserSession, Visit, TestUser]> {
  const { user, browser } = await createSignedInUser(service);
  return [browser, await openConsentPage(browser, client), user];
}

describe('the consent form', () => {
  test('ignores extra fields for the client, account, scopes and redirect URI', async () => {
    const other = await service.createClient({ redirectUris: ['https://evil.example/cb'] });
    const victim = await service.createUser();
    const { user, browser } = await createSignedInUser(service);
    const page = await openConsentPage(browser, application, { scope: 'openid email' });
    const visit = await browser.post('/consent', {
      ...page.hidden,
      decision: 'allow',
      scope: 'openid profile email phone',
      scopes: 'phone',
      redirect_uri: other.redirectUri,
      client_id: other.clientId,
      state: 'evil',
      sub: victim.userId,
      user_id: victim.userId,
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
      nonce: 'evil',
    });
    expect(visit.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?code=/);
    expect(visit.location?.searchParams.get('state')).toBe('state-1');
    const code = visit.location?.searchParams.get('code') ?? '';
    expect((await redeemCode(service, other, code)).body.error).toBe('invalid_grant');
    const { status, body } = await redeemCode(service, application, code);
    expect([status, body.scope]).toEqual([200, 'openid email']);
    const [, claims = ''] = String(body.access_token).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).sub).toBe(user.userId);
  });

  test.each(['', 'ALLOW', 'yes', 'allow ', 'true'])('rejects decision=%j with 400', async (decision) => {
    const [browser, page] = await signInAtConsent();
    const before = await contentWithoutBackground(service.databaseUrl);
    const visit = await browser.post('/consent', { ...page.hidden, decision });
    expect([visit.status, visit.location]).toEqual([400, undefined]);
    expect(await contentWithoutBackground(service.databaseUrl)).toEqual(before);
  });
});

describe('a resubmitted consent form', () => {
  const readCode = (visit: Visit) => visit.location?.searchParams.get('code');
  const findGrants = (userId: string) =>
    sql(service.services.database, 'select from grants where user_id = $1::uuid', [userId]);

  test('returns the same code until it expires', async () => {
    const [browser, page, { userId }] = await signInAtConsent();
    const first = await submitDecision(browser, page, 'allow');
    service.clock.advance(30);
    const second = await submitDecision(browser, page, 'allow');
    expect(readCode(first)).toBeTruthy();
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect((await redeemCode(service, application, readCode(second) ?? '')).status).toBe(200);
    expect(await findGrants(userId)).toHaveLength(1);
  });

  test('creates a separate grant if the client is different', async () => {
    const [browser, page] = await signInAtConsent();
    const other = await service.createClient();
    const first = await submitDecision(browser, page, 'allow');
    const { hidden } = await openConsentPage(browser, other);
    const fields = { ...hidden, csrf: page.hidden.csrf ?? '', decision: 'allow' };
    const second = await browser.post('/consent', fields);
    const { body } = await redeemCode(service, application, readCode(first) ?? '');
    expect((await redeemCode(service, other, readCode(second) ?? '')).status).toBe(200);
    expect((await fetchUserinfo(service, String(body.access_token))).status).toBe(200);
  });

  test('restarts the authorization request if the code has expired', async () => {
    for (const [prompt, asksForConsent] of [
      [undefined, false],
      ['consent', true],
    ] as const) {
      const browser = await openSignedInBrowser(service, await service.createUser());
      const page = await openConsentPage(browser, application, { prompt });
      await submitDecision(browser, page, 'allow');
      service.clock.advance(60);
      const second = await submitDecision(browser, page, 'allow');
      expect(second.location?.pathname).toBe('/oauth/authorize');
      const nextPage = await browser.follow(second);
      expect(nextPage.body.includes('action="/consent"')).toBe(asksForConsent);
    }
  });

  test.each([0, 61])('returns no code %d s after consent was revoked', async (seconds) => {
    const [browser, page, { userId }] = await signInAtConsent();
    const { clientId } = application;
    const first = await submitDecision(browser, page, 'allow');
    await withdrawConsent(service.services.database, userId, clientId, service.clock.now());
    service.clock.advance(seconds);
    const second = await submitDecision(browser, page, 'allow');
    expect(readCode(second)).toBeFalsy();
    expect((await browser.follow(second)).body).toContain('action="/consent"');
    expect(await listConsents(service.services.database, userId)).toEqual([]);
    expect((await redeemCode(service, application, readCode(first) ?? '')).body.error).toBe('invalid_grant');
  });

  test('returns no code if consent was revoked and given again', async () => {
    const [browser, page, { userId }] = await signInAtConsent();
    const other = await openConsentPage(browser, application);
    await submitDecision(browser, page, 'allow');
    await withdrawConsent(service.services.database, userId, application.clientId, service.clock.now());
    const newDecision = await submitDecision(browser, other, 'allow');
    expect(readCode(await submitDecision(browser, page, 'allow'))).toBeFalsy();
    expect((await redeemCode(service, application, readCode(newDecision) ?? '')).status).toBe(200);
  });
});

describe('denying an authorization request', () => {
  test('redirects with access_denied, state and iss', async () => {
    const [browser, page] = await signInAtConsent();
    const before = await contentWithoutBackground(service.databaseUrl);
    const visit = await submitDecision(browser, page, 'deny');
    expect(visit.status).toBe(303);
    expect(visit.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?/);
    expect([...(visit.location?.searchParams ?? [])].sort()).toEqual([
      ['error', 'access_denied'],
      ['error_description', expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)],
      ['iss', service.baseUrl],
      ['state', 'state-1'],
    ]);
    expect(await contentWithoutBackground(service.databaseUrl)).toEqual(before);
  });

  test('returns JSON with status 403 if the browser accepts JSON', async () => {
    const [browser, page] = await signInAtConsent();
    const visit = await browser.post(
      '/consent',
      { ...page.hidden, decision: 'deny' },
      { accept: 'application/json' },
    );
    expect([visit.status, visit.location]).toEqual([403, undefined]);
    expect(visit.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(visit.body)).toEqual({ error: 'access_denied', error_description: expect.any(String) });
  });
});

describe('a request from a deleted client', () => {
  test.each(['allow', 'deny'] as const)('is rejected with 403 if the decision is "%s"', async (decision) => {
    const deletedClient = await service.createClient();
    const [browser, page] = await signInAtConsent(deletedClient);
    await deleteClient(service.services.database, deletedClient.clientId);
    const visit = await submitDecision(browser, page, decision);
    expect([visit.status, visit.location]).toEqual([403, undefined]);
    expect(readHeading(visit.body)).toBe('This application is no longer available');
    const json = await browser.post('/consent', { ...page.hidden, decision }, { accept: 'application/json' });
    expect([json.status, JSON.parse(json.body).error]).toEqual([403, 'access_denied']);
  });

  test('is rejected with 403 on all pages before consent', async () => {
    const deletedClient = await service.createClient();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await openConsentPage(browser, deletedClient);
    await deleteClient(service.services.database, deletedClient.clientId);
    for (const path of ['/oauth/authorize', '/signin', '/signup', '/consent'])
      expect((await browser.get(`${path}?pending=${signInPage.hidden.pending}`)).status, path).toBe(403);
    const { email, password } = await service.createUser();
    const visit = await browser.post('/signin', { ...signInPage.hidden, email, password });
    expect(visit.status).toBe(403);
    expect(browser.cookies.has('sesame')).toBe(false);
  });
});

describe('a consent decision', () => {
  test('is rejected after a different user signs in', async () => {
    const [browser, page, ada] = await signInAtConsent();
    const grace = await service.createUser({ name: 'Grace Hopper' });
    await switchAccount(service, application, browser, grace);
    const before = await contentWithoutBackground(service.databaseUrl);
    const nextPage = await submitDecision(browser, page, 'allow');
    expect([nextPage.status, nextPage.location]).toEqual([409, undefined]);
    expect(readText(nextPage.body)).toContain('The signed-in account has changed.');
    expect(readText(nextPage.body)).toContain(grace.email);
    expect(readText(nextPage.body)).not.toContain(ada.email);
    expect(await contentWithoutBackground(service.databaseUrl)).toEqual(before);

    const visit = await submitDecision(browser, nextPage, 'allow');
    const { body } = await redeemCode(service, application, visit.location?.searchParams.get('code') ?? '');
    const [, claims = ''] = String(body.access_token).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).sub).toBe(grace.userId);
  });

  test('is rejected if the consent page has never been shown', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await openConsentPage(browser);
    await signIn(browser, await service.createUser());
    const visit = await submitDecision(browser, signInPage, 'allow');
    expect([visit.status, visit.location]).toEqual([409, undefined]);
  });
});
