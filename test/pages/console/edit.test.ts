// Changing an application: at once on every process, asked for by its owner in person where callbacks move.
import { describe, expect, test } from 'vitest';
import { findOwnApplication } from '../../../src/store/applications.ts';
import { statement } from '../../../src/store/statement.ts';
import type { BrowserSession } from '../../support/browser-session.ts';
import { at, CALLBACK, type Fields, fill, SETTINGS, sendFields } from '../../support/console.ts';
import { authorizeAddress, obtainTokens, signedInBrowser, userinfo } from '../../support/flow.ts';
import { formErrors, inputOf } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import { PASSWORD, type TestApplication, type TestService, useTestService } from '../../support/service.ts';

const service = useTestService();
const other = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

async function developer(fields = {}) {
  const user = await service.createUser();
  const application = await service.createApplication({ ownerId: user.userId, ...fields });
  const browser = await signedInBrowser(service, user);
  const stored = () => findOwnApplication(service.parts.database, user.userId, application.clientId);
  return { user, application, browser, stored };
}

const edit = (browser: BrowserSession, { clientId }: TestApplication, fields: Fields) =>
  fill(browser, at(clientId, '/edit'), { ...SETTINGS, ...fields });

/** How the authorize address of a process answers somebody who is signed in nowhere. */
const answerOf = async (at: TestService, application: TestApplication, parameters = {}) => {
  const response = await fetch(authorizeAddress(at, application, parameters), { redirect: 'manual' });
  return [response.status, new URL(response.headers.get('location') ?? 'none:', at.baseUrl).pathname];
};

describe('settings', () => {
  test('are shown as they stand, saved, and said to be saved', async () => {
    const { application, browser, stored } = await developer({
      refreshGrace: 5,
      scopes: ['openid', 'phone'],
    });
    const page = await browser.get(at(application.clientId, '/edit'));
    expect(inputOf(page.body, 'name')?.value).toBe('Carnet');
    expect(inputOf(page.body, 'refresh_grace')?.value).toBe('5');
    expect(page.body).toContain(`\n${CALLBACK}</textarea>`);
    expect(page.body).toContain('whatever is saved last wins');

    const answer = await edit(browser, application, {
      name: ' Nouveau  nom ',
      redirect_uris: `${CALLBACK}\r\n\r\nhttps://second.example/cb\r\n${CALLBACK}`,
      scopes: ['email', 'openid', 'email'],
      standard: 'on',
      refresh_grace: '60',
      home_page: 'https://client.example/',
      privacy_policy: 'http://client.example/privacy',
      terms_of_service: '',
    });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=changed']);
    expect((await browser.follow(answer)).body).toContain(
      'Your changes have been saved and apply from now on.',
    );
    expect(await stored()).toMatchObject({
      name: 'Nouveau nom',
      redirectUris: [CALLBACK, 'https://second.example/cb'],
      scopes: ['openid', 'email'],
      standard: true,
      refreshGrace: 60,
      homePage: 'https://client.example/',
      privacyPolicy: 'http://client.example/privacy',
      termsOfService: null,
    });
  });

  test('count at once on every process: callbacks, scopes, suspension (D3, D4)', async () => {
    const { application, browser } = await developer();
    const moved = { ...application, redirectUri: 'https://moved.example/cb' };
    expect(await answerOf(other, application)).toEqual([303, '/signin']);
    expect((await answerOf(other, moved))[0]).toBe(400);
    await edit(browser, application, { redirect_uris: moved.redirectUri, scopes: ['openid'] });
    expect((await answerOf(other, application))[0]).toBe(400);
    expect(await answerOf(other, moved, { scope: 'openid' })).toEqual([303, '/signin']);
    const refused = await fetch(authorizeAddress(other, moved, { scope: 'openid email' }), {
      redirect: 'manual',
    });
    expect(refused.headers.get('location')).toContain('error=invalid_scope');

    await service.parts.database.query(
      statement(
        'suspend_here',
        'update clients set suspended_at = $2::timestamptz where client_id = $1::text',
      ),
      [application.clientId, service.clock.now()],
    );
    expect((await answerOf(other, moved, { scope: 'openid' }))[0]).toBe(401);
    const page = await browser.get(at(application.clientId));
    expect(page.body).toContain('The people who run this service have suspended this application');
    expect((await browser.get('/console/applications')).body).toContain('>suspended</span>');
  });

  test('standard mode changes what userinfo says from the next request on (D19)', async () => {
    const { application, browser } = await developer();
    const { accessToken } = await obtainTokens(service, application, browser);
    expect((await userinfo(other, accessToken)).body).toHaveProperty('avatar');
    await edit(browser, application, { standard: 'on' });
    expect((await userinfo(other, accessToken)).body).toHaveProperty('picture');
  });

  test('a callback with a comma is another than two callbacks', async () => {
    const { browser, application, stored } = await developer();
    const [one, two] = ['https://a.example/x', 'https://b.example/y'];
    for (const [redirect_uris, kept] of [
      [`${one},${two}`, [`${one},${two}`]],
      [`${one}\n${two}`, [one, two]],
    ] as const) {
      expect((await edit(browser, application, { redirect_uris })).status).toBe(303);
      expect((await stored())?.redirectUris).toEqual(kept);
    }
  });

  test('saved from two tabs, the last stays; saved twice, it is as if once', async () => {
    const { application, browser, stored } = await developer();
    const { hidden } = await browser.get(at(application.clientId, '/edit'));
    const save = (name: string) =>
      sendFields(browser, at(application.clientId, '/edit'), { ...hidden, ...SETTINGS, name });
    await save('First');
    await save('Second');
    expect((await save('Second')).status).toBe(303);
    expect((await stored())?.name).toBe('Second');
    const rows = await sql(
      service.parts.database,
      'select detail from events where client_id = $1 order by id',
      [application.clientId],
    );
    expect(rows).toEqual([{ detail: { changed: ['name'] } }, { detail: { changed: ['name'] } }]);
  });

  test('extra fields change nothing: type, owner, verification, suspension, logo', async () => {
    const { user, application, browser, stored } = await developer();
    const victim = await service.createUser();
    const before = await stored();
    const answer = await edit(browser, application, {
      type: 'public',
      owner_id: victim.userId,
      client_id: 'app_other',
      verified_at: '2026-01-01',
      verified: 'true',
      suspended_at: '2026-01-01',
      logo: 'x',
      epoch: '7',
      secrets_given: '9',
    });
    expect(answer.status).toBe(303);
    expect(await stored()).toEqual(before);
    expect(
      await findOwnApplication(service.parts.database, victim.userId, application.clientId),
    ).toBeUndefined();
    expect(user.userId).not.toBe(victim.userId);
  });

  test.each<[string, Fields, string[]]>([
    ['nothing', { name: '', redirect_uris: '', scopes: [] }, ['name', 'URL', 'scope']],
    ['a grace beyond 60 (D16)', { refresh_grace: '61' }, ['0 to 60']],
    ['a grace that is no number', { refresh_grace: '1e1' }, ['0 to 60']],
    ['no grace', { refresh_grace: '' }, ['0 to 60']],
    ['a link that is a script', { home_page: 'javascript:alert(1)' }, ['https://']],
    ['a link with a password', { privacy_policy: 'https://a:b@client.example/' }, ['https://']],
    ['a link to nowhere', { terms_of_service: 'https:///client.example' }, ['https://']],
    ['a link with a back slash', { terms_of_service: 'https://client.example\\@evil.example' }, ['https://']],
    ['a link of 501 characters', { home_page: `https://a.example/${'x'.repeat(483)}` }, ['https://']],
    [
      'a public callback for a confidential application',
      { redirect_uris: 'com.a:/b' },
      ['Line 1: it must start'],
    ],
  ])('%s: 400, in words, and nothing changes', async (_, fields, words) => {
    const { application, browser, stored } = await developer();
    const before = await stored();
    const answer = await edit(browser, application, fields);
    expect(answer.status).toBe(400);
    const summary = formErrors(answer.body);
    expect(summary).toHaveLength(words.length);
    for (const [at, word] of words.entries()) expect(summary[at]).toContain(word);
    expect(await stored()).toEqual(before);
  });
});

describe('a recent sign-in', () => {
  test('is needed for other callback URLs, and for nothing else; the password does as well', async () => {
    const { application, browser, stored } = await developer();
    service.clock.advance(15 * 60 + 1);
    expect((await edit(browser, application, { name: 'Renamed' })).status).toBe(303);
    const moved = { name: 'Renamed', redirect_uris: 'https://moved.example/cb' };
    const asked = await edit(browser, application, moved);
    expect([asked.status, formErrors(asked.body)]).toEqual([400, ['Enter your current password.']]);
    expect(asked.body).toContain('https://moved.example/cb');
    const wrong = await edit(browser, application, { ...moved, current_password: 'wrong' });
    expect([wrong.status, formErrors(wrong.body)]).toEqual([400, ['That is not your current password.']]);
    expect((await stored())?.redirectUris).toEqual([CALLBACK]);
    const right = await edit(browser, application, { ...moved, current_password: PASSWORD });
    expect(right.status).toBe(303);
    expect((await stored())?.redirectUris).toEqual(['https://moved.example/cb']);
  });
});

describe('a refused callback URL', () => {
  test.each([
    ['on a host of the application', 'https://client.example/other', true],
    ['on another host', 'https://evil.example/cb', false],
    ['on another port', 'https://client.example:8443/cb', false],
    ['with a fault', 'https://client.example/#x', false],
    ['registered already', CALLBACK, false],
    ['that is none', '"><b>', false],
  ])('%s', async (_, uri, offered) => {
    const { application, browser, stored } = await developer();
    const page = await browser.get(`${at(application.clientId, '/edit')}?add=${encodeURIComponent(uri)}`);
    expect(page.status).toBe(200);
    expect(page.body.includes(`\n${CALLBACK}\n${uri}</textarea>`)).toBe(offered);
    expect(page.body.includes('class="notice notice--done"')).toBe(offered);
    expect((await stored())?.redirectUris, 'opening changes nothing').toEqual([CALLBACK]);
  });
});

describe('the consent page', () => {
  const consentOf = async (application: TestApplication) => {
    const browser = await signedInBrowser(service, await service.createUser());
    return browser.follow(await browser.get(authorizeAddress(service, application)));
  };

  test('says that nobody verified the application, until an operator has', async () => {
    const { application } = await developer();
    expect((await consentOf(application)).body).toContain('have not verified this application');
    await service.parts.database.query(
      statement('verify_here', 'update clients set verified_at = $2::timestamptz where client_id = $1::text'),
      [application.clientId, service.clock.now()],
    );
    const { body } = await consentOf(application);
    expect(body).not.toContain('have not verified this application');
    expect(body).not.toContain('not verified</span>');
  });

  test('shows its links with their hosts, to be opened beside it without a way back to it', async () => {
    const { application, browser } = await developer();
    expect((await consentOf(application)).body).not.toContain('What the application says about itself');
    await edit(browser, application, {
      home_page: 'https://home.example/?a=1&b=2',
      privacy_policy: 'https://privacy.example/',
    });
    const { body, headers } = await consentOf(application);
    expect(body).toContain(
      '<a href="https://home.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">Home page</a> <span class="quiet host">home.example</span>',
    );
    expect(body).toContain('privacy.example</span>');
    expect(body).not.toContain('Terms of service');
    expect(headers.get('content-security-policy')).toContain("img-src 'self'");
  });
});
