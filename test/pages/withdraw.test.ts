// « Vos applications »: what a person shares is listed on their page, and withdrawing it ends it at once (D28).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listConsents } from '../../src/store/consents.ts';
import type { BrowserSession, Visit } from '../support/browser-session.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Sends the form that stands beside the application on the person's page. */
async function withdraw(
  browser: BrowserSession,
  { clientId }: TestApplication,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Visit> {
  const { csrf = '' } = (await browser.get('/')).hidden;
  return browser.post('/applications/withdraw', { csrf, client_id: clientId, ...fields }, headers);
}

const consentsOf = async ({ userId }: TestUser): Promise<string[]> =>
  (await listConsents(service.parts.database, userId)).map(({ clientId }) => clientId);

const isConsentAsked = async (browser: BrowserSession, application: TestApplication): Promise<boolean> =>
  (await browser.get(authorizeAddress(service, application))).location?.pathname === '/consent';

/** The part of the page that shows one application. */
const entryOf = (page: string, { clientId }: TestApplication): string =>
  page.split('<li>').find((part) => part.includes(`value="${clientId}"`)) ?? '';

describe('the applications on the account page', () => {
  test('are named with their host, what they can read in words, since when, and a button each', async () => {
    const application = await service.createApplication({ name: 'Carnet <b>' });
    const other = await service.createApplication({
      name: 'Carnet <b>',
      redirectUris: ['https://other.example/a', 'https://other.example/b', 'http://localhost:9000/c'],
    });
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    await authorize(service, application, browser);
    await authorize(service, other, browser, { scope: 'openid phone' });
    const grantedAt = (await listConsents(service.parts.database, user.userId)).at(-1)?.grantedAt;

    const { body } = await browser.get('/');
    const entry = entryOf(body, application);
    expect(entry).toContain('<h3><bdi>Carnet &lt;b&gt;</bdi></h3>');
    expect(entry).toContain('>client.example</p>');
    expect([...entry.matchAll(/class="tag">([^<]*)</g)].map(([, words]) => words)).toEqual([
      'identifier',
      'name and picture',
      'email address',
    ]);
    expect(entry).toContain(`<time datetime="${grantedAt?.toISOString()}">`);
    expect(entry).toContain('action="/applications/withdraw"');
    expect(entry).toContain('the agreement given to Carnet &lt;b&gt;');
    expect(entryOf(body, other)).toContain('>other.example, localhost:9000</p>');
    expect(entryOf(body, other)).not.toContain('email address');
    expect(body.indexOf(other.clientId), 'the latest comes first').toBeLessThan(
      body.indexOf(application.clientId),
    );
  });

  test('are in French too, and an account without any says so', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const page = async () => (await browser.get('/', { 'accept-language': 'fr' })).body;
    expect(await page()).toContain('<h2>Vos applications</h2>');
    expect(await page()).toContain('Aucune pour l’instant.');
    await authorize(service, await service.createApplication(), browser);
    expect(await page()).toMatch(
      /<span>Retirer<span class="unseen"> l’accord donné à Carnet<\/span><\/span>/,
    );
    expect(await page()).not.toContain('Aucune pour l’instant.');
  });
});

describe('withdrawing', () => {
  test('returns to the account page with a notice, and the application is gone from it', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    await authorize(service, application, browser);
    const answer = await withdraw(browser, application);
    expect(answer.status).toBe(303);
    const page = await browser.follow(answer);
    expect(page.status).toBe(200);
    expect(page.body).toMatch(/<p class="notice" role="status">Your agreement is withdrawn\./);
    expect(page.body).not.toContain(application.clientId);
  });

  test('kills access token, refresh token and code at once, on this grant and every other of the two (D28)', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const first = await obtainTokens(service, application, browser);
    const second = await obtainTokens(service, application, browser);
    const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
    expect((await userinfo(service, first.accessToken)).status).toBe(200);

    await withdraw(browser, application);
    for (const { accessToken, refreshToken } of [first, second]) {
      const refused = await userinfo(service, accessToken);
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token']);
      const renewal = await renew(service, application, refreshToken);
      expect([renewal.status, renewal.body.error]).toEqual([400, 'invalid_grant']);
    }
    const exchange = await redeem(service, application, code);
    expect([exchange.status, exchange.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('makes consent be asked again, and agreeing again does not bring old tokens back (D7, D28)', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const old = await obtainTokens(service, application, browser);
    expect(await isConsentAsked(browser, application)).toBe(false);
    await withdraw(browser, application);
    expect(await isConsentAsked(browser, application)).toBe(true);

    const fresh = await obtainTokens(service, application, browser);
    expect((await userinfo(service, fresh.accessToken)).status).toBe(200);
    expect((await userinfo(service, old.accessToken)).status).toBe(401);
    expect((await renew(service, application, old.refreshToken)).body.error).toBe('invalid_grant');
  });

  test('leaves other applications and other people alone', async () => {
    const [application, other] = [await service.createApplication(), await service.createApplication()];
    const [user, neighbour] = [await service.createUser(), await service.createUser()];
    const browser = await signedInBrowser(service, user);
    await authorize(service, application, browser);
    const elsewhere = await obtainTokens(service, other, browser);
    const theirs = await obtainTokens(service, application, await signedInBrowser(service, neighbour));

    await withdraw(browser, application);
    expect(await consentsOf(user)).toEqual([other.clientId]);
    expect((await userinfo(service, elsewhere.accessToken)).status).toBe(200);
    expect(await consentsOf(neighbour)).toEqual([application.clientId]);
    expect((await userinfo(service, theirs.accessToken)).status).toBe(200);
  });

  test("another person's agreement cannot be withdrawn: only one's own is ever looked for", async () => {
    const application = await service.createApplication();
    const user = await service.createUser();
    const tokens = await obtainTokens(service, application, await signedInBrowser(service, user));
    const stranger = await signedInBrowser(service, await service.createUser());
    await authorize(service, await service.createApplication(), stranger);
    await withdraw(stranger, application, { user_id: user.userId, sub: user.userId });
    expect(await consentsOf(user)).toEqual([application.clientId]);
    expect((await userinfo(service, tokens.accessToken)).status).toBe(200);
  });

  test('a second click says the same as the first', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    await authorize(service, application, browser);
    const first = await withdraw(browser, application);
    const second = await withdraw(browser, application);
    expect([second.status, second.location?.href]).toEqual([303, first.location?.href]);
  });
});

describe('a forged withdrawal', () => {
  test.each([
    ['without a token', { csrf: '' }, {}],
    ['with a made-up token', { csrf: 'A'.repeat(43) }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from another origin', {}, { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' }],
  ])('%s is refused with 403 and changes nothing', async (_, fields, headers) => {
    const application = await service.createApplication();
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    await authorize(service, application, browser);
    const answer = await withdraw(browser, application, fields, headers as Record<string, string>);
    expect(answer.status).toBe(403);
    expect(await consentsOf(user)).toEqual([application.clientId]);
  });

  test('is answered by a page whose language links lead to the account page in that language (D31)', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const refused = await withdraw(browser, application, { csrf: '' });
    const link = /href="([^"]*)" hreflang="fr"/.exec(refused.body)?.[1] ?? '';
    const page = await browser.follow(await browser.get(link));
    expect(page.status).toBe(200);
    expect(page.body).toContain('<html lang="fr">');
    expect(page.body).toContain('<h2>Vos applications</h2>');
  });

  test("with the token of another person's session is refused with 403", async () => {
    const application = await service.createApplication();
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    await authorize(service, application, browser);
    const stranger = await signedInBrowser(service, await service.createUser());
    const { csrf = '' } = (await stranger.get('/')).hidden;
    expect((await withdraw(browser, application, { csrf })).status).toBe(403);
    expect(await consentsOf(user)).toEqual([application.clientId]);
  });

  test('by GET changes nothing, and a body that is no form is refused with 400 (D17)', async () => {
    const application = await service.createApplication();
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    await authorize(service, application, browser);
    const { csrf = '' } = (await browser.get('/')).hidden;
    const query = new URLSearchParams({ csrf, client_id: application.clientId });
    const got = await browser.get(`/applications/withdraw?${query}`);
    expect([got.status, got.location?.pathname]).toEqual([303, '/']);
    const json = await withdraw(browser, application, {}, { 'content-type': 'application/json' });
    expect(json.status).toBe(400);
    expect(await consentsOf(user)).toEqual([application.clientId]);
  });

  test('of nobody who is signed in leads to sign-in, and without client_id is refused with 400', async () => {
    const application = await service.createApplication();
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    await authorize(service, application, browser);
    expect((await withdraw(browser, application, { client_id: '' })).status).toBe(400);
    browser.cookies.delete('sesame');
    const answer = await withdraw(browser, application);
    expect([answer.status, answer.location?.pathname]).toEqual([303, '/signin']);
    expect(await consentsOf(user)).toEqual([application.clientId]);
  });
});
