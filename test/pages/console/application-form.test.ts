// The form of an application: registering it, and changing its settings, at once on every process.
import { describe, expect, test } from 'vitest';
import { isClientSecretShaped } from '../../../src/oauth/secrets.ts';
import { findOwnApplication, listOwnApplications } from '../../../src/store/applications.ts';
import type { BrowserSession } from '../../support/browser-session.ts';
import {
  at,
  CALLBACK,
  credentialsOn,
  type Fields,
  fill,
  NEW,
  register,
  SETTINGS,
  sendFields,
} from '../../support/console.ts';
import {
  authorize,
  authorizeAddress,
  newPerson,
  obtainTokens,
  redeem,
  signedInBrowser,
  userinfo,
} from '../../support/flow.ts';
import { elementsOf, formErrors, inputOf } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import {
  CROWD,
  PASSWORD,
  type TestApplication,
  type TestService,
  type TestUser,
  useTestService,
} from '../../support/service.ts';

const service = useTestService(CROWD);
const other = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

const query = (text: string, values: unknown[]) => sql(service.parts.database, text, values);
const applicationsOf = ({ userId }: TestUser) => listOwnApplications(service.parts.database, userId);

async function developer(fields = {}) {
  const { user, browser } = await newPerson(service);
  const application = await service.createApplication({ ownerId: user.userId, ...fields });
  const stored = () => findOwnApplication(service.parts.database, user.userId, application.clientId);
  return { user, application, browser, stored };
}

const edit = (browser: BrowserSession, { clientId }: TestApplication, fields: Fields) =>
  fill(browser, at(clientId, '/edit'), { ...SETTINGS, ...fields });

describe('registration', () => {
  test('preselects openid profile email, a confidential application, native mode', async () => {
    const { browser } = await newPerson(service);
    const checked = elementsOf((await browser.get(NEW)).body).filter(
      ({ attributes }) => 'checked' in attributes,
    );
    expect(checked.map(({ attributes }) => `${attributes.name}=${attributes.value}`)).toEqual([
      ...['type=confidential', 'standard=off', 'scopes=openid', 'scopes=profile', 'scopes=email'],
    ]);
  });

  test('makes an application whose credentials are on the page that follows, and work', async () => {
    const { browser, user } = await newPerson(service);
    const out = 'https://client.example/signed-out';
    const result = await register(browser, {
      name: ' Mon  carnet ',
      post_logout_redirect_uris: `${out}\r\n\r\n${out}\r\n`,
      // Fields that the form doesn't have change nothing.
      ...{ owner_id: 'x', client_id: 'app_chosen', client_secret: 'chosen', verified: 'true', logo: 'x' },
    });
    expect(result.headers.get('cache-control')).toBe('no-store');
    const { clientId, clientSecret = '' } = credentialsOn(result);
    expect([clientId, isClientSecretShaped(clientSecret)]).toEqual([
      expect.stringMatching(/^app_[A-Za-z0-9_-]{20}$/),
      true,
    ]);
    expect(await applicationsOf(user)).toMatchObject([
      {
        ...{ clientId, name: 'Mon carnet', type: 'confidential', redirectUris: [CALLBACK] },
        ...{ scopes: ['openid', 'profile', 'email'], standard: false, refreshGrace: 10 },
        ...{ verified: false, suspended: false, logo: null },
      },
    ]);
    const settings = await findOwnApplication(service.parts.database, user.userId, clientId);
    expect(settings?.postLogoutRedirectUris).toEqual([out]);
    const usable = { clientId, clientSecret, redirectUri: CALLBACK };
    const { accessToken } = await obtainTokens(service, usable, browser);
    expect((await userinfo(other, accessToken)).status).toBe(200);
    const events = await query('select * from events where client_id = $1', [clientId]);
    expect(events[0]).toMatchObject({ kind: 'application_registered', actor_id: user.userId });
    expect(JSON.stringify(events)).not.toContain('sesame_secret_');
  });

  test('gives a public application no secret, and requires PKCE of it', async () => {
    const { browser } = await newPerson(service);
    const redirect_uris = 'com.example.app:/cb\r\n\r\nhttps://spa.example/cb\r\n';
    const result = await register(browser, { type: 'public', redirect_uris });
    const { clientId, clientSecret } = credentialsOn(result);
    expect(clientSecret).toBeUndefined();
    expect(result.body).toContain('Carnet is registered');
    const usable = { clientId, clientSecret: '', redirectUri: 'https://spa.example/cb' };
    const callback = await authorize(service, usable, browser);
    expect(callback.searchParams.get('error')).toBe('invalid_request');
    expect((await obtainTokens(service, usable, browser)).accessToken).not.toBe('');
  });

  test('lists errors from the top of the page down, each line by its number, and keeps what was typed', async () => {
    const { browser, user } = await newPerson(service);
    const result = await register(browser, {
      ...{ name: '', type: '', scopes: [], post_logout_redirect_uris: '\nhttps://client.example/#x' },
      redirect_uris: 'https://good.example/\n\n/callback\nhttps://x.example/#f\nhttps://x.example/?code=1',
    });
    expect(result.status).toBe(400);
    expect(formErrors(result.body)).toEqual([
      'Enter a name for the application.',
      'Choose the type of the application.',
      'Line 3: it is not a full URL, such as https://example.com/callback.',
      'Line 4: it contains a fragment (#).',
      'Line 5: it already contains code, state, iss or error, which the response adds itself.',
      'Line 2: it contains a fragment (#).',
      'Choose at least one scope.',
    ]);
    expect(result.body).toContain('https://good.example/\n\n/callback\nhttps://x.example/#f');
    expect(inputOf(result.body, 'name')?.['aria-invalid']).toBe('true');
    expect(await applicationsOf(user)).toEqual([]);
  });

  test('refuses what an application cannot have', async () => {
    const { browser, user } = await newPerson(service);
    const many = Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`).join('\n');
    const refused: unknown[] = [];
    for (const fields of [
      { redirect_uris: ' \n ' },
      { redirect_uris: many },
      { redirect_uris: 'com.example.app:/cb' },
      { scopes: ['openid', 'unknown'] },
      { type: 'native' },
      { name: 'n'.repeat(101) },
      { name: '\u202e\u200b' },
    ]) {
      const { status, body } = await register(browser, fields);
      refused.push([status, ...formErrors(body)]);
    }
    expect(refused).toEqual([
      [400, 'Enter at least one callback URL.'],
      [400, 'Enter at most 20 callback URLs.'],
      [400, 'Line 1: it must start with https:// (http:// only in development mode).'],
      [400, 'One of the chosen scopes does not exist.'],
      [400, 'Choose the type of the application.'],
      [400, 'The name must be 100 characters or fewer.'],
      [400, 'Enter a name for the application.'],
    ]);
    expect(await applicationsOf(user)).toEqual([]);
  });
});

test('the credentials of one application are of no use to another', async () => {
  const { browser } = await newPerson(service);
  const [one, two] = [credentialsOn(await register(browser)), credentialsOn(await register(browser))];
  const usable = { clientId: one.clientId, clientSecret: one.clientSecret ?? '', redirectUri: CALLBACK };
  const code = (await authorize(service, usable, browser)).searchParams.get('code') ?? '';
  const refused = await redeem(service, usable, code, { client_secret: two.clientSecret });
  expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
});

/** How the authorization endpoint of a process answers an anonymous user. */
const answerOf = async (at: TestService, application: TestApplication, parameters = {}) => {
  const response = await fetch(authorizeAddress(at, application, parameters), { redirect: 'manual' });
  return [response.status, new URL(response.headers.get('location') ?? 'none:', at.baseUrl).pathname];
};

describe('settings', () => {
  test('are shown as they stand, and saved; fields that the form does not have change nothing', async () => {
    const { application, browser, stored } = await developer({ refreshGrace: 5 });
    const page = await browser.get(at(application.clientId, '/edit'));
    expect(inputOf(page.body, 'name')?.value).toBe('Carnet');
    expect(inputOf(page.body, 'refresh_grace')?.value).toBe('5');
    expect(page.body).toContain(`\n${CALLBACK}</textarea>`);
    const before = await stored();
    const answer = await edit(browser, application, {
      ...{ name: ' Nouveau  nom ', standard: 'on', refresh_grace: '60' },
      redirect_uris: `${CALLBACK}\r\n\r\nhttps://a.example/x,https://b.example/y\r\n${CALLBACK}`,
      scopes: ['email', 'openid', 'email'],
      ...{ home_page: 'https://client.example/', privacy_policy: 'http://client.example/privacy' },
      ...{ type: 'public', client_id: 'app_other', verified_at: '2026-01-01', logo: 'x', epoch: '7' },
    });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=changed']);
    expect((await browser.follow(answer)).body).toContain('Your changes have been saved');
    expect(await stored()).toEqual({
      ...before,
      ...{
        name: 'Nouveau nom',
        standard: true,
        refreshGrace: 60,
        scopes: ['openid', 'email'],
      },
      redirectUris: [CALLBACK, 'https://a.example/x,https://b.example/y'],
      ...{ homePage: 'https://client.example/', privacyPolicy: 'http://client.example/privacy' },
    });
  });

  test('count at once on every process: callbacks, scopes, mode, suspension', async () => {
    const { application, browser } = await developer();
    const moved = { ...application, redirectUri: 'https://moved.example/cb' };
    const { accessToken } = await obtainTokens(service, application, browser);
    expect((await userinfo(other, accessToken)).body).toHaveProperty('avatar');
    expect(await answerOf(other, application)).toEqual([303, '/signin']);
    expect((await answerOf(other, moved))[0]).toBe(400);
    const fields = { redirect_uris: moved.redirectUri, scopes: ['openid'], standard: 'on' };
    await edit(browser, application, fields);
    expect((await userinfo(other, accessToken)).body).not.toHaveProperty('avatar');
    expect((await answerOf(other, application))[0]).toBe(400);
    expect(await answerOf(other, moved, { scope: 'openid' })).toEqual([303, '/signin']);
    const url = authorizeAddress(other, moved, { scope: 'openid email' });
    const refused = await fetch(url, { redirect: 'manual' });
    expect(refused.headers.get('location')).toContain('error=invalid_scope');
    await query('update clients set suspended_at = $2 where client_id = $1', [
      application.clientId,
      service.clock.now(),
    ]);
    expect((await answerOf(other, moved, { scope: 'openid' }))[0]).toBe(401);
    expect((await browser.get(at(application.clientId))).body).toContain(
      'Suspended: nobody can sign in to it',
    );
    expect((await browser.get('/console/applications')).body).toContain('>suspended</span>');
  });

  test('saved from two tabs, the last stays; saved twice, it is as if once', async () => {
    const { application, browser, stored } = await developer();
    const { hidden } = await browser.get(at(application.clientId, '/edit'));
    for (const name of ['First', 'Second', 'Second'])
      await sendFields(browser, at(application.clientId, '/edit'), { ...hidden, ...SETTINGS, name });
    expect((await stored())?.name).toBe('Second');
    const events = await query('select detail from events where client_id = $1', [application.clientId]);
    expect(events).toEqual([{ detail: { changed: ['name'] } }, { detail: { changed: ['name'] } }]);
  });

  test('that are not good change nothing', async () => {
    const { application, browser, stored } = await developer();
    const before = await stored();
    const grace = 'Enter a whole number from 0 to 60.';
    const link = 'Enter a full URL that starts with https:// (http:// only in development mode).';
    const cases: [Fields, string][] = [
      [{ refresh_grace: '61' }, grace],
      [{ refresh_grace: '1e1' }, grace],
      [{ refresh_grace: '' }, grace],
      [{ home_page: 'javascript:alert(1)' }, link],
      [{ privacy_policy: 'https://a:b@client.example/' }, link],
      [{ terms_of_service: 'https:///client.example' }, link],
      [{ terms_of_service: 'https://client.example\\@evil.example' }, link],
      [{ home_page: `https://a.example/${'x'.repeat(483)}` }, link],
      [
        { redirect_uris: 'com.a:/b' },
        'Line 1: it must start with https:// (http:// only in development mode).',
      ],
    ];
    const shown: unknown[] = [];
    for (const [fields] of cases) {
      const { status, body } = await edit(browser, application, fields);
      shown.push([status, ...formErrors(body)]);
    }
    expect(shown).toEqual(cases.map(([, words]) => [400, words]));
    expect(await stored()).toEqual(before);
  });

  test('need a recent sign-in or the password where the callback URLs change, and nowhere else', async () => {
    const { application, browser, stored } = await developer();
    service.clock.advance(15 * 60 + 1);
    expect((await edit(browser, application, { name: 'Renamed' })).status).toBe(303);
    const moved = { name: 'Renamed', redirect_uris: 'https://moved.example/cb' };
    const asked = await edit(browser, application, moved);
    expect([asked.status, formErrors(asked.body)]).toEqual([400, ['Enter your current password.']]);
    expect(asked.body).toContain('https://moved.example/cb');
    const wrong = await edit(browser, application, { ...moved, current_password: 'wrong' });
    expect(formErrors(wrong.body)).toEqual(['That is not your current password.']);
    expect((await stored())?.redirectUris).toEqual([CALLBACK]);
    await edit(browser, application, { ...moved, current_password: PASSWORD });
    expect((await stored())?.redirectUris).toEqual(['https://moved.example/cb']);
  });
});

describe('the consent page', () => {
  const consentOf = async (application: TestApplication) => {
    const browser = await signedInBrowser(service, await service.createUser());
    return browser.follow(await browser.get(authorizeAddress(service, application)));
  };

  test('says that nobody verified the application, until an administrator has', async () => {
    const { application } = await developer();
    expect((await consentOf(application)).body).toContain('have not verified this application');
    await query('update clients set verified_at = $2 where client_id = $1', [
      application.clientId,
      service.clock.now(),
    ]);
    expect((await consentOf(application)).body).not.toContain('have not verified this application');
  });

  test('shows its links with their hosts, to be opened beside it', async () => {
    const { application, browser } = await developer();
    const home_page = 'https://home.example/?a=1&b=2';
    await edit(browser, application, { home_page, privacy_policy: 'https://privacy.example/' });
    const { body } = await consentOf(application);
    expect(body).toContain(
      '<a href="https://home.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">Home page</a> <span class="quiet host">home.example</span>',
    );
    expect(body).toContain('privacy.example</span>');
    expect(body).not.toContain('Terms of service');
  });
});
