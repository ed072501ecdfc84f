import { describe, expect, test } from 'vitest';
import { LOCALES, messagesFor } from '../../../src/i18n/index.ts';
import { listClaimNames } from '../../../src/oauth/claims.ts';
import { SCOPES } from '../../../src/oauth/scopes.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { listConsents } from '../../../src/store/consents.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { readText } from '../../support/markup.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createSignedInUser,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../../support/service.ts';
import { deleteClient, sql } from '../../support/store-fixtures.ts';

const service = useTestService();

test.each(LOCALES)('every claim that clients can receive has a label in %s', (locale) => {
  const labels = Object.keys(messagesFor(locale).account.applications.fields);
  expect(labels, 'add the claim to account.applications.fields').toEqual(
    expect.arrayContaining([true, false].flatMap((standard) => listClaimNames(SCOPES, standard))),
  );
});

async function revokeConsent(
  browser: BrowserSession,
  { clientId }: TestClient,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Visit> {
  const { csrf = '' } = (await browser.get('/account')).hidden;
  return browser.post('/account/applications/withdraw', { csrf, client_id: clientId, ...fields }, headers);
}

const listConsentedClients = async ({ userId }: TestUser): Promise<string[]> =>
  (await listConsents(service.services.database, userId)).map(({ clientId }) => clientId);

const needsConsent = async (browser: BrowserSession, application: TestClient): Promise<boolean> =>
  (await browser.get(buildAuthorizeUrl(service, application))).location?.pathname === '/consent';

const findEntry = (page: string, { clientId }: TestClient): string =>
  page.split('<li class="entry">').find((part) => part.includes(`value="${clientId}"`)) ?? '';

describe('connected applications', () => {
  test('are listed with the host, the granted access and the consent date', async () => {
    const application = await service.createClient({ name: 'Carnet <b>' });
    const other = await service.createClient({
      name: 'Carnet <b>',
      redirectUris: ['https://other.example/a', 'https://other.example/b', 'http://localhost:9000/c'],
    });
    const { user, browser } = await createSignedInUser(service);
    await authorize(service, application, browser);
    await authorize(service, other, browser, { scope: 'openid phone' });
    const grantedAt = (await listConsents(service.services.database, user.userId)).at(-1)?.grantedAt;

    const { body } = await browser.get('/account/applications');
    const entry = findEntry(body, application);
    expect(entry).toMatch(/<h2><bdi>Carnet &lt;b&gt;<\/bdi> <span[^>]*>client\.example<\/span><\/h2>/);
    expect(entry).toMatch(/<img class="logo" src="\/avatars\/initials\/CB-\d-\d\.svg" alt=""/);
    expect([...entry.matchAll(/class="tag">([^<]*)</g)].map(([, label]) => label)).toEqual([
      'identifier',
      'name and picture',
      'email address',
    ]);
    expect(entry).toContain(`<time datetime="${grantedAt?.toISOString()}" data-as="day"`);
    expect(entry).toContain('action="/account/applications/withdraw"');
    expect(entry).toContain('access for Carnet &lt;b&gt;');
    expect(findEntry(body, other)).toContain('>other.example, localhost:9000</span>');
    expect(findEntry(body, other)).not.toContain('email address');
    expect(body.indexOf(other.clientId), 'the client with the latest consent is listed first').toBeLessThan(
      body.indexOf(application.clientId),
    );
  });
});

describe("an application's home page link", () => {
  const readLink = async (homePage: string | null, suspended = false) => {
    const { browser } = await createSignedInUser(service);
    const client = await service.createClient({ name: 'Carnet' });
    await authorize(service, client, browser);
    await sql(
      service.services.database,
      'update clients set home_page = $2, suspended_at = $3 where client_id = $1',
      [client.clientId, homePage, suspended ? service.clock.now() : null],
    );
    const pages = [];
    for (const path of ['/account/applications', '/account'])
      pages.push(
        /<a class="touch-target" [^>]*rel="noopener noreferrer">.*?<\/a>/.exec(
          (await browser.get(path)).body,
        )?.[0],
      );
    expect(pages[0]).toBe(pages[1]);
    return pages[0];
  };

  test('doesn’t send a Referer header', async () => {
    const link = (await readLink('https://client.example/home')) ?? '';
    expect(link).toContain('href="https://client.example/home" rel="noopener noreferrer"');
    expect(readText(link).trim()).toBe('Open Carnet');
  });

  test('shows the host if the redirect URI has a different host', async () => {
    expect(readText((await readLink('https://elsewhere.example/')) ?? '')).toBe(
      'Open Carnet elsewhere.example',
    );
  });

  test('is omitted if no home page is set', async () => {
    expect(await readLink(null)).toBeUndefined();
    expect(await readLink('https://client.example/', true)).toBeUndefined();
  });
});

describe('the list of received data', () => {
  const readReceivedData = (entry: string): string | undefined =>
    readText(/Received: [\s\S]*?<\/p>/.exec(entry)?.[0] ?? '').replaceAll('\u00a0', ' ');
  const today = () =>
    service.clock.now().toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

  test('is shown with the application', async () => {
    const application = await service.createClient();
    const standard = await service.createClient({ standard: true });
    const browser = await openSignedInBrowser(service, await service.createUser({ phone: '+33612345678' }));
    const { accessToken } = await obtainTokens(service, application, browser);
    await fetchUserinfo(service, accessToken);
    const tokens = await obtainTokens(service, standard, browser, { scope: 'openid profile phone' });
    await fetchUserinfo(service, tokens.accessToken);
    const before = findEntry((await browser.get('/account/applications')).body, application);
    expect(before).toContain('Nothing received yet.');
    await service.services.usage.flush();

    const { body } = await browser.get('/account/applications');
    expect(findEntry(body, application)).not.toContain('<details');
    const [firstDay, received] = [today(), readReceivedData(findEntry(body, application)) ?? ''];
    expect(received).toMatch(new RegExp(`^Received: .* \\(on ${firstDay}\\)$`));
    expect(
      received
        .replace(/^Received: | \(.*/g, '')
        .split(', ')
        .sort(),
    ).toEqual([
      'address verification',
      'email address',
      'identifier',
      'name',
      'picture',
      'profile change date',
      'sign-in time',
    ]);
    expect(readReceivedData(findEntry(body, standard))).toMatch(/\bphone\b/);
    expect(findEntry(body, application)).toMatch(/ used <time datetime="/);
    service.clock.advance(48 * 3600);
    await obtainTokens(service, application, browser);
    await service.services.usage.flush();
    const later = findEntry((await browser.get('/account/applications')).body, application);
    expect(readReceivedData(later)).toContain(`(from ${firstDay} to ${today()})`);
  });

  test('excludes data from rejected requests', async () => {
    const application = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, application, browser, { scope: 'email' });
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(403);
    await fetchUserinfo(service, `${tokens.accessToken}x`);
    await redeemRefreshToken(service, application, tokens.refreshToken);
    await service.services.usage.flush();
    const entry = findEntry((await browser.get('/account/applications')).body, application);
    expect(entry).toContain('Nothing received yet.');
    expect(entry).not.toContain('never used');
  });

  test('is kept after consent is revoked', async () => {
    const [withdrawn, deleted] = [
      await service.createClient({ name: 'Withdrawn' }),
      await service.createClient({ name: 'Deleted' }),
    ];
    const browser = await openSignedInBrowser(service, await service.createUser());
    for (const client of [withdrawn, deleted]) await obtainTokens(service, client, browser);
    await service.services.usage.flush();
    await revokeConsent(browser, withdrawn);
    await deleteClient(service.services.database, deleted.clientId);
    const { body } = await browser.get('/account/applications');
    const [, formerSection = ''] = body.split('<summary>2 applications no longer have access</summary>');
    expect([...formerSection.matchAll(/<h2><bdi>([^<]*)/g)].map(([, name]) => name).sort()).toEqual([
      'Deleted',
      'Withdrawn',
    ]);
    expect(formerSection.match(/Received: /g)).toHaveLength(2);
    expect(formerSection).not.toContain('action="/account/applications/withdraw"');
  });
});

describe('revoking consent', () => {
  test('redirects to the list of connected applications', async () => {
    const application = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    await authorize(service, application, browser);
    const response = await revokeConsent(browser, application);
    expect(response.status).toBe(303);
    const page = await browser.follow(response);
    expect(page.status).toBe(200);
    expect(page.body).toMatch(/role="status">.*<span>Access revoked\./);
    expect(page.body).not.toContain(application.clientId);
  });

  test("immediately invalidates all of the client's tokens and codes", async () => {
    const application = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const first = await obtainTokens(service, application, browser);
    const second = await obtainTokens(service, application, browser);
    const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
    expect((await fetchUserinfo(service, first.accessToken)).status).toBe(200);

    await revokeConsent(browser, application);
    for (const { accessToken, refreshToken } of [first, second]) {
      const rejected = await fetchUserinfo(service, accessToken);
      expect([rejected.status, rejected.body.error]).toEqual([401, 'invalid_token']);
      const refresh = await redeemRefreshToken(service, application, refreshToken);
      expect([refresh.status, refresh.body.error]).toEqual([400, 'invalid_grant']);
    }
    const exchange = await redeemCode(service, application, code);
    expect([exchange.status, exchange.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('makes the consent page appear at the next sign-in', async () => {
    const application = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const oldTokens = await obtainTokens(service, application, browser);
    expect(await needsConsent(browser, application)).toBe(false);
    await revokeConsent(browser, application);
    expect(await needsConsent(browser, application)).toBe(true);

    const newTokens = await obtainTokens(service, application, browser);
    expect((await fetchUserinfo(service, newTokens.accessToken)).status).toBe(200);
    expect((await fetchUserinfo(service, oldTokens.accessToken)).status).toBe(401);
    expect((await redeemRefreshToken(service, application, oldTokens.refreshToken)).body.error).toBe(
      'invalid_grant',
    );
  });

  test('does not affect other clients or other users', async () => {
    const [application, other] = [await service.createClient(), await service.createClient()];
    const [user, otherUser] = [await service.createUser(), await service.createUser()];
    const browser = await openSignedInBrowser(service, user);
    await authorize(service, application, browser);
    const otherClientTokens = await obtainTokens(service, other, browser);
    const otherUserTokens = await obtainTokens(
      service,
      application,
      await openSignedInBrowser(service, otherUser),
    );

    await revokeConsent(browser, application);
    expect(await listConsentedClients(user)).toEqual([other.clientId]);
    expect((await fetchUserinfo(service, otherClientTokens.accessToken)).status).toBe(200);
    expect(await listConsentedClients(otherUser)).toEqual([application.clientId]);
    expect((await fetchUserinfo(service, otherUserTokens.accessToken)).status).toBe(200);
  });

  test("ignores another user's ID in the form", async () => {
    const application = await service.createClient();
    const user = await service.createUser();
    const tokens = await obtainTokens(service, application, await openSignedInBrowser(service, user));
    const otherBrowser = await openSignedInBrowser(service, await service.createUser());
    await authorize(service, await service.createClient(), otherBrowser);
    await revokeConsent(otherBrowser, application, { user_id: user.userId, sub: user.userId });
    expect(await listConsentedClients(user)).toEqual([application.clientId]);
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(200);
  });
});

test('revoking consent twice is logged only once', async () => {
  const application = await service.createClient();
  const { user, browser } = await createSignedInUser(service);
  await authorize(service, application, browser);
  for (let i = 0; i < 2; i++) expect((await revokeConsent(browser, application)).status).toBe(303);
  const filter = { userId: user.userId, kind: 'consent_withdrawn' } as const;
  expect(await listEvents(service.services.database, filter, { limit: 5 })).toMatchObject([
    { actorId: user.userId, clientId: application.clientId, ip: '127.0.0.1' },
  ]);
});

describe('a request to revoke consent', () => {
  test('is ignored if it uses GET', async () => {
    const application = await service.createClient();
    const { user, browser } = await createSignedInUser(service);
    await authorize(service, application, browser);
    const { csrf = '' } = (await browser.get('/account/applications')).hidden;
    const query = new URLSearchParams({ csrf, client_id: application.clientId });
    const getResponse = await browser.get(`/account/applications/withdraw?${query}`);
    expect([getResponse.status, getResponse.location?.pathname]).toEqual([303, '/account/applications']);
    const json = await revokeConsent(browser, application, {}, { 'content-type': 'application/json' });
    expect(json.status).toBe(400);
    expect(await listConsentedClients(user)).toEqual([application.clientId]);
  });
});
