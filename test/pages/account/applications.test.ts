// Connected applications: what a person shares is listed in their account, and withdrawing it ends it at once (D28).

import { describe, expect, test } from 'vitest';
import { LOCALES, messagesFor } from '../../../src/i18n/index.ts';
import { claimNames } from '../../../src/oauth/claims.ts';
import { SCOPES } from '../../../src/oauth/scopes.ts';
import { listConsents } from '../../../src/store/consents.ts';
import { listEvents } from '../../../src/store/events.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import {
  authorize,
  authorizeAddress,
  newPerson,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
  userinfo,
} from '../../support/flow.ts';
import { textIn } from '../../support/markup.ts';
import { deleteClient } from '../../support/populate.ts';
import { type TestApplication, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();

test.each(LOCALES)('everything that can be shared has a word of its own in %s', (locale) => {
  const words = Object.keys(messagesFor(locale).account.applications.fields);
  expect(words, 'add the claim to account.applications.fields').toEqual(
    expect.arrayContaining([true, false].flatMap((standard) => claimNames(SCOPES, standard))),
  );
});

/** Sends the form that stands beside the application on the person's page. */
async function withdraw(
  browser: BrowserSession,
  { clientId }: TestApplication,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Visit> {
  const { csrf = '' } = (await browser.get('/account')).hidden;
  return browser.post('/account/applications/withdraw', { csrf, client_id: clientId, ...fields }, headers);
}

const consentsOf = async ({ userId }: TestUser): Promise<string[]> =>
  (await listConsents(service.parts.database, userId)).map(({ clientId }) => clientId);

const isConsentAsked = async (browser: BrowserSession, application: TestApplication): Promise<boolean> =>
  (await browser.get(authorizeAddress(service, application))).location?.pathname === '/consent';

/** The part of the page that shows one application. */
const entryOf = (page: string, { clientId }: TestApplication): string =>
  page.split('<div class="connected-who">').find((part) => part.includes(`value="${clientId}"`)) ?? '';

describe('the applications on the account page', () => {
  test('are named with their host, what they can read in words, since when, and a button each', async () => {
    const application = await service.createApplication({ name: 'Carnet <b>' });
    const other = await service.createApplication({
      name: 'Carnet <b>',
      redirectUris: ['https://other.example/a', 'https://other.example/b', 'http://localhost:9000/c'],
    });
    const { user, browser } = await newPerson(service);
    await authorize(service, application, browser);
    await authorize(service, other, browser, { scope: 'openid phone' });
    const grantedAt = (await listConsents(service.parts.database, user.userId)).at(-1)?.grantedAt;

    const { body } = await browser.get('/account/applications');
    const entry = entryOf(body, application);
    expect(entry).toContain('<h2><bdi>Carnet &lt;b&gt;</bdi></h2>');
    expect(entry).toContain('>client.example</p>');
    expect([...entry.matchAll(/class="tag">([^<]*)</g)].map(([, words]) => words)).toEqual([
      'identifier',
      'name and picture',
      'email address',
    ]);
    expect(entry).toContain(`<time datetime="${grantedAt?.toISOString()}" data-as="brief">`);
    expect(entry).toContain('action="/account/applications/withdraw"');
    expect(entry).toContain('access for Carnet &lt;b&gt;');
    expect(entryOf(body, other)).toContain('>other.example, localhost:9000</p>');
    expect(entryOf(body, other)).not.toContain('email address');
    expect(body.indexOf(other.clientId), 'the latest comes first').toBeLessThan(
      body.indexOf(application.clientId),
    );
  });
});

describe('what each application received', () => {
  /** What the page says under « What it has received », in plain words. */
  const receivedIn = (entry: string): string[] =>
    [...entry.matchAll(/<li>(.*?) <span class="quiet">\(([^)]*)\)/g)].map(
      ([, fields = '', when]) => `${textIn(fields)}: ${when?.replaceAll('\u00a0', ' ')}`,
    );
  const today = () => service.clock.now().toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

  test('is said by field, how often and when, for userinfo and id_token; contract and standard names alike', async () => {
    const application = await service.createApplication();
    const standard = await service.createApplication({ standard: true });
    const browser = await signedInBrowser(service, await service.createUser({ phone: '+33612345678' }));
    const { accessToken } = await obtainTokens(service, application, browser);
    await userinfo(service, accessToken);
    await userinfo(service, accessToken);
    const tokens = await obtainTokens(service, standard, browser, { scope: 'openid profile phone' });
    await userinfo(service, tokens.accessToken);
    const before = entryOf((await browser.get('/account/applications')).body, application);
    expect(before).toContain('Nothing yet.');
    await service.parts.usage.flush();

    const { body } = await browser.get('/account/applications');
    expect(receivedIn(entryOf(body, application)).sort()).toEqual([
      `identifier, name, picture, date of the last profile change, email address, whether the address is verified: 2 times, on ${today()}`,
      `identifier, time of sign-in: once, on ${today()}`,
    ]);
    expect(receivedIn(entryOf(body, standard)).sort()[0]).toMatch(
      /^identifier, name, picture, date of the last profile change, phone: once/,
    );
    expect(entryOf(body, application)).toMatch(/Last used<\/dt><dd><time datetime="/);
    service.clock.advance(48 * 3600);
    const again = await obtainTokens(service, application, browser);
    await userinfo(service, again.accessToken);
    await service.parts.usage.flush();
    const later = receivedIn(entryOf((await browser.get('/account/applications')).body, application));
    expect(later[0]).toMatch(/: 3 times, from \d+ \w+ \d{4} to \d+ \w+ \d{4}$/);
  });

  test('a refused request discloses nothing, and a renewal without id_token is a use only', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, application, browser, { scope: 'email' });
    expect((await userinfo(service, tokens.accessToken)).status).toBe(403);
    await userinfo(service, `${tokens.accessToken}x`);
    await renew(service, application, tokens.refreshToken);
    await service.parts.usage.flush();
    const entry = entryOf((await browser.get('/account/applications')).body, application);
    expect(entry).toContain('Nothing yet.');
    expect(entry).not.toContain('Not yet');
  });

  test('stays to be read when the agreement is withdrawn, and when the application is deleted', async () => {
    const [withdrawn, deleted] = [
      await service.createApplication({ name: 'Withdrawn' }),
      await service.createApplication({ name: 'Deleted' }),
    ];
    const browser = await signedInBrowser(service, await service.createUser());
    for (const one of [withdrawn, deleted]) await obtainTokens(service, one, browser);
    await service.parts.usage.flush();
    await withdraw(browser, withdrawn);
    await deleteClient(service.parts.database, deleted.clientId);
    const { body } = await browser.get('/account/applications');
    const [, former = ''] = body.split('Applications that no longer have access');
    expect([...former.matchAll(/<h3><bdi>([^<]*)/g)].map(([, name]) => name).sort()).toEqual([
      'Deleted',
      'Withdrawn',
    ]);
    expect(receivedIn(former)).toHaveLength(2);
    expect(former).not.toContain('action="/account/applications/withdraw"');
  });
});

describe('withdrawing', () => {
  test('returns to the list with a notice, and the application is gone from it', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    await authorize(service, application, browser);
    const answer = await withdraw(browser, application);
    expect(answer.status).toBe(303);
    const page = await browser.follow(answer);
    expect(page.status).toBe(200);
    expect(page.body).toMatch(/role="status">.*<span>Access revoked\./);
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
});

test('a withdrawal is in the audit log, once', async () => {
  const application = await service.createApplication();
  const { user, browser } = await newPerson(service);
  await authorize(service, application, browser);
  for (let i = 0; i < 2; i++) expect((await withdraw(browser, application)).status).toBe(303);
  const filter = { userId: user.userId, kind: 'consent_withdrawn' } as const;
  expect(await listEvents(service.parts.database, filter, { limit: 5 })).toMatchObject([
    { actorId: user.userId, clientId: application.clientId, address: '127.0.0.1' },
  ]);
});

describe('a forged withdrawal', () => {
  test('by GET changes nothing, and a body that is no form is refused with 400 (D17)', async () => {
    const application = await service.createApplication();
    const { user, browser } = await newPerson(service);
    await authorize(service, application, browser);
    const { csrf = '' } = (await browser.get('/account/applications')).hidden;
    const query = new URLSearchParams({ csrf, client_id: application.clientId });
    const got = await browser.get(`/account/applications/withdraw?${query}`);
    expect([got.status, got.location?.pathname]).toEqual([303, '/account/applications']);
    const json = await withdraw(browser, application, {}, { 'content-type': 'application/json' });
    expect(json.status).toBe(400);
    expect(await consentsOf(user)).toEqual([application.clientId]);
  });
});
