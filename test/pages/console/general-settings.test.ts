import { describe, expect, test } from 'vitest';
import { findOwnedClient } from '../../../src/store/owned-clients.ts';
import type { BrowserSession } from '../../support/browser-session.ts';
import {
  CLIENT_SETTINGS,
  clientPath,
  type FormFields,
  postFields,
  REDIRECT_URI,
  readCredentials,
  registerClient,
  submitForm,
} from '../../support/console-forms.ts';
import { findInput, readFormErrors } from '../../support/markup.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createSignedInUser,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
} from '../../support/oauth-flow.ts';
import {
  LARGE_POOL,
  PASSWORD,
  type TestClient,
  type TestService,
  useTestService,
} from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService(LARGE_POOL);
const otherProcess = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

const runSql = (text: string, values: unknown[]) => sql(service.services.database, text, values);

async function createDeveloper(fields = {}) {
  const { user, browser } = await createSignedInUser(service);
  const application = await service.createClient({ ownerId: user.userId, ...fields });
  const findStoredClient = () =>
    findOwnedClient(service.services.database, user.userId, application.clientId);
  return { user, application, browser, stored: findStoredClient };
}

const submitEdit = (browser: BrowserSession, { clientId }: TestClient, fields: FormFields) =>
  submitForm(browser, clientPath(clientId, '/edit'), { ...CLIENT_SETTINGS, ...fields });

test("a client secret is rejected with another client's ID", async () => {
  const { browser } = await createSignedInUser(service);
  const [first, second] = [
    readCredentials(await registerClient(browser)),
    readCredentials(await registerClient(browser)),
  ];
  const testClient = {
    clientId: first.clientId,
    clientSecret: first.clientSecret ?? '',
    redirectUri: REDIRECT_URI,
  };
  const code = (await authorize(service, testClient, browser)).searchParams.get('code') ?? '';
  const rejected = await redeemCode(service, testClient, code, { client_secret: second.clientSecret });
  expect([rejected.status, rejected.body.error]).toEqual([401, 'invalid_client']);
});

const authorizeAnonymously = async (process: TestService, application: TestClient, parameters = {}) => {
  const response = await fetch(buildAuthorizeUrl(process, application, parameters), { redirect: 'manual' });
  return [response.status, new URL(response.headers.get('location') ?? 'none:', process.baseUrl).pathname];
};

describe('the settings form', () => {
  test('saves changes and ignores unknown fields', async () => {
    const { application, browser, stored } = await createDeveloper({ refreshGrace: 5 });
    const page = await browser.get(clientPath(application.clientId, '/edit'));
    expect(findInput(page.body, 'name')?.value).toBe('Carnet');
    expect(findInput(page.body, 'refresh_grace')?.value).toBe('5');
    expect(page.body).toContain(`\n${REDIRECT_URI}</textarea>`);
    const before = await stored();
    const response = await submitEdit(browser, application, {
      ...{ name: ' Nouveau  nom ', standard: 'on', refresh_grace: '60' },
      redirect_uris: `${REDIRECT_URI}\r\n\r\nhttps://a.example/x,https://b.example/y\r\n${REDIRECT_URI}`,
      scopes: ['email', 'openid', 'email'],
      ...{ home_page: 'https://client.example/', privacy_policy: 'http://client.example/privacy' },
      ...{ type: 'public', client_id: 'app_other', verified_at: '2026-01-01', logo: 'x', epoch: '7' },
    });
    expect([response.status, response.location?.search]).toEqual([303, '?done=changed']);
    expect((await browser.follow(response)).body).toContain('Your changes have been saved');
    expect(await stored()).toEqual({
      ...before,
      ...{
        name: 'Nouveau nom',
        standard: true,
        refreshGrace: 60,
        scopes: ['openid', 'email'],
      },
      redirectUris: [REDIRECT_URI, 'https://a.example/x,https://b.example/y'],
      ...{ homePage: 'https://client.example/', privacyPolicy: 'http://client.example/privacy' },
    });
  });

  test('applies changes immediately on all processes', async () => {
    const { application, browser } = await createDeveloper();
    const movedClient = { ...application, redirectUri: 'https://moved.example/cb' };
    const { accessToken } = await obtainTokens(service, application, browser);
    expect((await fetchUserinfo(otherProcess, accessToken)).body).toHaveProperty('avatar');
    expect(await authorizeAnonymously(otherProcess, application)).toEqual([303, '/signin']);
    expect((await authorizeAnonymously(otherProcess, movedClient))[0]).toBe(400);
    const fields = { redirect_uris: movedClient.redirectUri, scopes: ['openid'], standard: 'on' };
    await submitEdit(browser, application, fields);
    expect((await fetchUserinfo(otherProcess, accessToken)).body).not.toHaveProperty('avatar');
    expect((await authorizeAnonymously(otherProcess, application))[0]).toBe(400);
    expect(await authorizeAnonymously(otherProcess, movedClient, { scope: 'openid' })).toEqual([
      303,
      '/signin',
    ]);
    const url = buildAuthorizeUrl(otherProcess, movedClient, { scope: 'openid email' });
    const rejected = await fetch(url, { redirect: 'manual' });
    expect(rejected.headers.get('location')).toContain('error=invalid_scope');
    await runSql('update clients set suspended_at = $2 where client_id = $1', [
      application.clientId,
      service.clock.now(),
    ]);
    expect((await authorizeAnonymously(otherProcess, movedClient, { scope: 'openid' }))[0]).toBe(401);
    expect((await browser.get(clientPath(application.clientId))).body).toContain(
      'Suspended: nobody can sign in',
    );
    expect((await browser.get('/console/applications')).body).toContain('>suspended</span>');
  });

  test('saves the most recently submitted values', async () => {
    const { application, browser, stored } = await createDeveloper();
    const { hidden } = await browser.get(clientPath(application.clientId, '/edit'));
    for (const name of ['First', 'Second', 'Second'])
      await postFields(browser, clientPath(application.clientId, '/edit'), {
        ...hidden,
        ...CLIENT_SETTINGS,
        name,
      });
    expect((await stored())?.name).toBe('Second');
    const events = await runSql('select detail from events where client_id = $1', [application.clientId]);
    expect(events).toEqual([{ detail: { changed: ['name'] } }, { detail: { changed: ['name'] } }]);
  });

  test('rejects invalid values', async () => {
    const { application, browser, stored } = await createDeveloper();
    const before = await stored();
    const graceError = 'Enter a whole number from 0 to 60.';
    const linkError = 'Enter a full URL that starts with https:// (http:// only in development mode).';
    const cases: [FormFields, string][] = [
      [{ redirect_uris: ' \n ' }, 'Enter at least one callback URL.'],
      [{ scopes: [] }, 'Choose at least one scope.'],
      [{ scopes: ['openid', 'unknown'] }, 'One of the chosen scopes does not exist.'],
      [{ name: '\u202e\u200b' }, 'Enter a name for the application.'],
      [{ refresh_grace: '61' }, graceError],
      [{ refresh_grace: '1e1' }, graceError],
      [{ refresh_grace: '' }, graceError],
      [{ home_page: 'javascript:alert(1)' }, linkError],
      [{ privacy_policy: 'https://a:b@client.example/' }, linkError],
      [{ terms_of_service: 'https:///client.example' }, linkError],
      [{ terms_of_service: 'https://client.example\\@evil.example' }, linkError],
      [{ home_page: `https://a.example/${'x'.repeat(483)}` }, linkError],
      [
        { redirect_uris: 'com.a:/b' },
        'Line 1: it must start with https:// (http:// only in development mode).',
      ],
    ];
    const errors: unknown[] = [];
    for (const [fields] of cases) {
      const { status, body } = await submitEdit(browser, application, fields);
      errors.push([status, ...readFormErrors(body)]);
    }
    expect(errors).toEqual(cases.map(([, message]) => [400, message]));
    expect(await stored()).toEqual(before);
  });

  test('requires re-authentication to change redirect URIs', async () => {
    const { application, browser, stored } = await createDeveloper();
    service.clock.advance(15 * 60 + 1);
    const form = (await browser.get(clientPath(application.clientId, '/edit'))).body;
    const positions = ['redirect_uris', 'current_password', 'refresh_grace'].map((name) =>
      form.indexOf(`name="${name}"`),
    );
    expect(positions).toEqual([...positions].sort((x, y) => x - y));
    expect(positions).not.toContain(-1);
    expect((await submitEdit(browser, application, { name: 'Renamed' })).status).toBe(303);
    const movedSettings = { name: 'Renamed', redirect_uris: 'https://moved.example/cb' };
    const passwordPrompt = await submitEdit(browser, application, movedSettings);
    expect([passwordPrompt.status, readFormErrors(passwordPrompt.body)]).toEqual([
      400,
      ['Enter your current password.'],
    ]);
    expect(passwordPrompt.body).toContain('https://moved.example/cb');
    const wrongPassword = await submitEdit(browser, application, {
      ...movedSettings,
      current_password: 'wrong',
    });
    expect(readFormErrors(wrongPassword.body)).toEqual(['That is not your current password.']);
    expect((await stored())?.redirectUris).toEqual([REDIRECT_URI]);
    await submitEdit(browser, application, { ...movedSettings, current_password: PASSWORD });
    expect((await stored())?.redirectUris).toEqual(['https://moved.example/cb']);
  });
});

describe('the consent page', () => {
  const openConsentPage = async (application: TestClient) => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    return browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
  };

  test('warns if the application is unverified', async () => {
    const { application } = await createDeveloper();
    expect((await openConsentPage(application)).body).toContain('has not verified this application');
    await runSql('update clients set verified_at = $2 where client_id = $1', [
      application.clientId,
      service.clock.now(),
    ]);
    expect((await openConsentPage(application)).body).not.toContain('has not verified this application');
  });

  test("shows the hosts of the application's links", async () => {
    const { application, browser } = await createDeveloper();
    const home_page = 'https://home.example/?a=1&b=2';
    await submitEdit(browser, application, { home_page, privacy_policy: 'https://privacy.example/' });
    const { body } = await openConsentPage(application);
    expect(body).toContain(
      '<a href="https://home.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">Home page</a> <span class="quiet host">home.example</span>',
    );
    expect(body).toContain('privacy.example</span>');
    expect(body).not.toContain('Terms of service');
  });
});
