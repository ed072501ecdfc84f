// POST /consent: who may decide, what counts of the form, and what a refusal becomes (D7, D8, D9).
import { beforeAll, describe, expect, test } from 'vitest';
import { listConsents, withdrawConsent } from '../../../src/store/consents.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { settledContent } from '../../support/database-content.ts';
import {
  authorizeAddress,
  decide,
  newPerson,
  redeem,
  signedInBrowser,
  signIn,
  switchAccount,
  userinfo,
} from '../../support/flow.ts';
import { headingOf, textIn } from '../../support/markup.ts';
import { deleteClient, sql } from '../../support/populate.ts';
import { type TestApplication, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let application: TestApplication;
beforeAll(async () => {
  application = await service.createApplication();
});

const consentPage = async (
  browser: BrowserSession,
  asking = application,
  parameters: Record<string, string | undefined> = {},
): Promise<Visit> => browser.follow(await browser.get(authorizeAddress(service, asking, parameters)));

async function atConsent(asking = application): Promise<[BrowserSession, Visit, TestUser]> {
  const { user, browser } = await newPerson(service);
  return [browser, await consentPage(browser, asking), user];
}

describe('nothing of the form counts besides the decision (D7)', () => {
  test('fields that name other scopes, callbacks, applications or accounts change nothing', async () => {
    const other = await service.createApplication({ redirectUris: ['https://evil.example/cb'] });
    const victim = await service.createUser();
    const { user, browser } = await newPerson(service);
    const page = await consentPage(browser, application, { scope: 'openid email' });
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
    expect((await redeem(service, other, code)).body.error).toBe('invalid_grant');
    const { status, body } = await redeem(service, application, code);
    expect([status, body.scope]).toEqual([200, 'openid email']);
    const [, claims = ''] = String(body.access_token).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).sub).toBe(user.userId);
  });

  test.each(['', 'ALLOW', 'yes', 'allow ', 'true'])(
    'decision=%j is none: 400, nothing is granted',
    async (decision) => {
      const [browser, page] = await atConsent();
      const before = await settledContent(service.databaseUrl);
      const visit = await browser.post('/consent', { ...page.hidden, decision });
      expect([visit.status, visit.location]).toEqual([400, undefined]);
      expect(await settledContent(service.databaseUrl)).toEqual(before);
    },
  );
});

describe('one form, one decision', () => {
  const codeOf = (visit: Visit) => visit.location?.searchParams.get('code');
  const grantsOf = (userId: string) =>
    sql(service.parts.database, 'select from grants where user_id = $1::uuid', [userId]);

  test('sent again within the minute of its code, it gives the same code', async () => {
    const [browser, page, { userId }] = await atConsent();
    const first = await decide(browser, page, 'allow');
    service.clock.advance(30);
    const second = await decide(browser, page, 'allow');
    expect(codeOf(first)).toBeTruthy();
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect((await redeem(service, application, codeOf(second) ?? '')).status).toBe(200);
    expect(await grantsOf(userId)).toHaveLength(1);
  });

  test('its token on the form for another application makes a grant of that one', async () => {
    const [browser, page] = await atConsent();
    const other = await service.createApplication();
    const first = await decide(browser, page, 'allow');
    const { hidden } = await consentPage(browser, other);
    const fields = { ...hidden, csrf: page.hidden.csrf ?? '', decision: 'allow' };
    const second = await browser.post('/consent', fields);
    const { body } = await redeem(service, application, codeOf(first) ?? '');
    expect((await redeem(service, other, codeOf(second) ?? '')).status).toBe(200);
    expect((await userinfo(service, String(body.access_token))).status).toBe(200);
  });

  test('sent again later, it decides nothing: as things stand, the person is asked or goes on', async () => {
    for (const [prompt, asked] of [
      [undefined, false],
      ['consent', true],
    ] as const) {
      const browser = await signedInBrowser(service, await service.createUser());
      const page = await consentPage(browser, application, { prompt });
      await decide(browser, page, 'allow');
      service.clock.advance(60);
      const second = await decide(browser, page, 'allow');
      expect(second.location?.pathname).toBe('/oauth/authorize');
      const next = await browser.follow(second);
      expect(next.body.includes('action="/consent"')).toBe(asked);
    }
  });

  test.each([0, 61])('sent again %d s after its consent was withdrawn, it gives no code', async (seconds) => {
    const [browser, page, { userId }] = await atConsent();
    const { clientId } = application;
    const first = await decide(browser, page, 'allow');
    await withdrawConsent(service.parts.database, userId, clientId, service.clock.now());
    service.clock.advance(seconds);
    const second = await decide(browser, page, 'allow');
    expect(codeOf(second)).toBeFalsy();
    expect((await browser.follow(second)).body).toContain('action="/consent"');
    expect(await listConsents(service.parts.database, userId)).toEqual([]);
    expect((await redeem(service, application, codeOf(first) ?? '')).body.error).toBe('invalid_grant');
  });

  test('nor when it was given anew on another form: the code of that one is its only one', async () => {
    const [browser, page, { userId }] = await atConsent();
    const other = await consentPage(browser, application);
    await decide(browser, page, 'allow');
    await withdrawConsent(service.parts.database, userId, application.clientId, service.clock.now());
    const given = await decide(browser, other, 'allow');
    expect(codeOf(await decide(browser, page, 'allow'))).toBeFalsy();
    expect((await redeem(service, application, codeOf(given) ?? '')).status).toBe(200);
  });
});

describe('refusing (D8)', () => {
  test('is 303 to the callback with access_denied, error_description, state and iss; nothing is stored', async () => {
    const [browser, page] = await atConsent();
    const before = await settledContent(service.databaseUrl);
    const visit = await decide(browser, page, 'deny');
    expect(visit.status).toBe(303);
    expect(visit.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?/);
    expect([...(visit.location?.searchParams ?? [])].sort()).toEqual([
      ['error', 'access_denied'],
      ['error_description', expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)],
      ['iss', service.baseUrl],
      ['state', 'state-1'],
    ]);
    expect(await settledContent(service.databaseUrl)).toEqual(before);
  });

  test('is the contract’s 403 in JSON where the form’s sender asks for JSON', async () => {
    const [browser, page] = await atConsent();
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

describe('the application was deleted meanwhile (D8)', () => {
  test.each(['allow', 'deny'] as const)(
    '%s is 403 access_denied, as a page or as JSON, never a redirect',
    async (decision) => {
      const doomed = await service.createApplication();
      const [browser, page] = await atConsent(doomed);
      await deleteClient(service.parts.database, doomed.clientId);
      const visit = await decide(browser, page, decision);
      expect([visit.status, visit.location]).toEqual([403, undefined]);
      expect(headingOf(visit.body)).toBe('This application is no longer available');
      const json = await browser.post(
        '/consent',
        { ...page.hidden, decision },
        { accept: 'application/json' },
      );
      expect([json.status, JSON.parse(json.body).error]).toEqual([403, 'access_denied']);
    },
  );

  test('so are the pages before it', async () => {
    const doomed = await service.createApplication();
    const browser = openBrowserSession(service.baseUrl);
    const page = await consentPage(browser, doomed);
    await deleteClient(service.parts.database, doomed.clientId);
    for (const path of ['/oauth/authorize', '/signin', '/signup', '/consent'])
      expect((await browser.get(`${path}?pending=${page.hidden.pending}`)).status, path).toBe(403);
    const { email, password } = await service.createUser();
    const visit = await browser.post('/signin', { ...page.hidden, email, password });
    expect(visit.status).toBe(403);
    expect(browser.cookies.has('sesame')).toBe(false);
  });
});

describe('another account signs in while the page is open (D9)', () => {
  test('its decision is refused and asked again, for the account that is there now', async () => {
    const [browser, page, ada] = await atConsent();
    const grace = await service.createUser({ name: 'Grace Hopper' });
    await switchAccount(service, application, browser, grace);
    const before = await settledContent(service.databaseUrl);
    const again = await decide(browser, page, 'allow');
    expect([again.status, again.location]).toEqual([409, undefined]);
    expect(textIn(again.body)).toContain('The signed-in account has changed in the meantime.');
    expect(again.body).toContain(grace.email);
    expect(again.body).not.toContain(ada.email);
    expect(await settledContent(service.databaseUrl)).toEqual(before);

    const visit = await decide(browser, again, 'allow');
    const { body } = await redeem(service, application, visit.location?.searchParams.get('code') ?? '');
    const [, claims = ''] = String(body.access_token).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).sub).toBe(grace.userId);
  });

  test('a request that never showed the page cannot be decided', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await consentPage(browser);
    await signIn(browser, await service.createUser());
    const visit = await decide(browser, signInPage, 'allow');
    expect([visit.status, visit.location]).toEqual([409, undefined]);
  });
});
