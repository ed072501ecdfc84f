// Registering an application in the console: fields, faults, what comes of it; once a form, whatever is sent again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isClientSecretShaped } from '../../../src/oauth/secrets.ts';
import { listOwnApplications, type OwnApplication } from '../../../src/store/applications.ts';
import { findProtocolSettings } from '../../../src/store/protocol-settings.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import {
  at,
  CALLBACK,
  credentialsOn,
  fill,
  NEW,
  REGISTRATION,
  register,
  sendFields,
} from '../../support/console.ts';
import { withDatabase } from '../../support/database-content.ts';
import { authorize, newPerson, obtainTokens, redeem, signedInBrowser, userinfo } from '../../support/flow.ts';
import { elementsOf, formErrors, inputOf, mainOf } from '../../support/markup.ts';
import { CROWD, startTestService, type TestService, type TestUser } from '../../support/service.ts';

let service: TestService;
/** Another process on the same database. */
let other: TestService;
beforeAll(async () => {
  const settings = { ...CROWD, REGISTRATIONS_PER_ACCOUNT: '4', SUPPORT: 'aide@example.fr' };
  service = await startTestService(settings);
  other = await startTestService(settings, { databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await other.close();
  await service.close();
});

const developer = () => newPerson(service);
const applicationsOf = ({ userId }: TestUser): Promise<OwnApplication[]> =>
  listOwnApplications(service.parts.database, userId);

/** The same browser, at the other process. */
function elsewhere(browser: BrowserSession): BrowserSession {
  const move = (address: string | URL) => new URL(String(address), other.baseUrl);
  return { ...browser, send: (address, init) => browser.send(move(address), init) };
}

describe('getting there', () => {
  test('/console leads to the applications', async () => {
    const { browser } = await developer();
    const answer = await browser.get('/console');
    expect([answer.status, answer.location?.pathname]).toEqual([303, '/console/applications']);
  });

  test('the form preselects openid profile email (D35), a confidential application, no standard library (D19)', async () => {
    const { browser } = await developer();
    const { body } = await browser.get(NEW);
    const checked = elementsOf(body).filter(
      ({ name, attributes }) => name === 'input' && 'checked' in attributes,
    );
    expect(checked.map(({ attributes }) => `${attributes.name}=${attributes.value}`)).toEqual([
      'type=confidential',
      'standard=off',
      'scopes=openid',
      'scopes=profile',
      'scopes=email',
    ]);
    expect(body).toContain('What code will you use?');
    expect(body.indexOf('value="off"'), 'what is chosen is named first').toBeLessThan(
      body.indexOf('value="on"'),
    );
    expect(body).toContain('A server keeps the Client Secret');
  });
});

describe('a good form', () => {
  test('registers where people return to after sign-out, each address once', async () => {
    const { browser, user } = await developer();
    const back = 'https://client.example/signed-out';
    const { clientId } = credentialsOn(
      await register(browser, { post_logout_redirect_uris: `${back}\r\n\r\n${back}\r\n` }),
    );
    const settings = await findProtocolSettings(service.parts.database, user.userId, clientId);
    expect(settings?.postLogoutRedirectUris).toEqual([back]);
  });

  test('refuses a return address that no callback URL could be, and keeps what was typed (D3)', async () => {
    const { browser, user } = await developer();
    const answer = await register(browser, { post_logout_redirect_uris: 'https://client.example/#x' });
    expect(answer.status).toBe(400);
    expect(formErrors(answer.body).join(' ')).toMatch(/#x: it contains a fragment/);
    expect(answer.body).toContain('https://client.example/#x</textarea>');
    expect(await applicationsOf(user)).toEqual([]);
  });

  test('makes an application whose credentials are on the page that follows, and work (contract §1)', async () => {
    const { browser, user } = await developer();
    const result = await register(browser, { name: ' Mon  carnet ' });
    expect(result.status).toBe(200);
    expect(result.headers.get('cache-control')).toBe('no-store');
    const { clientId, clientSecret = '' } = credentialsOn(result);
    expect(clientId).toMatch(/^app_[A-Za-z0-9_-]{20}$/);
    expect(isClientSecretShaped(clientSecret)).toBe(true);
    const [application] = await applicationsOf(user);
    expect(application).toMatchObject({
      clientId,
      name: 'Mon carnet',
      type: 'confidential',
      redirectUris: [CALLBACK],
      scopes: ['openid', 'profile', 'email'],
      standard: false,
      refreshGrace: 10,
      verified: false,
      suspended: false,
    });
    const usable = { clientId, clientSecret, redirectUri: CALLBACK };
    const { accessToken } = await obtainTokens(service, usable, browser);
    expect((await userinfo(other, accessToken)).status).toBe(200);
  });

  test('a public application gets no secret, and PKCE is mandatory for it (D12)', async () => {
    const { browser } = await developer();
    const result = await register(browser, {
      type: 'public',
      redirect_uris: 'com.example.app:/cb\r\n\r\nhttps://spa.example/cb\r\n',
    });
    const { clientId, clientSecret } = credentialsOn(result);
    expect(clientSecret).toBeUndefined();
    expect(result.body).toContain('Carnet is registered');
    expect(result.body).toContain('None: a page or a mobile application cannot keep one.');
    const usable = { clientId, clientSecret: '', redirectUri: 'https://spa.example/cb' };
    const callback = await authorize(service, usable, browser);
    expect(callback.searchParams.get('error')).toBe('invalid_request');
    expect((await obtainTokens(service, usable, browser)).accessToken).not.toBe('');
  });

  test('says yes to a standard library: the mode is on (D19)', async () => {
    const { browser, user } = await developer();
    await register(browser, { standard: 'on' });
    expect((await applicationsOf(user))[0]?.standard).toBe(true);
  });

  test('is written to the audit log, without the secret', async () => {
    const { browser, user } = await developer();
    const { clientId } = credentialsOn(await register(browser));
    const rows = await withDatabase(service.databaseUrl, (client) =>
      client.query('select * from events where client_id = $1', [clientId]),
    );
    expect(rows.rows).toMatchObject([
      { kind: 'application_registered', actor_id: user.userId, address: '127.0.0.1' },
    ]);
    expect(JSON.stringify(rows.rows)).not.toContain('sesame_secret_');
  });

  test('extra fields change nothing: owner, Client ID, secret, grace, verification', async () => {
    const { browser, user } = await developer();
    const victim = await service.createUser();
    const result = await register(browser, {
      owner_id: victim.userId,
      ownerId: victim.userId,
      client_id: 'app_chosen',
      client_secret: 'chosen',
      refresh_grace: '60',
      verified_at: '2026-01-01',
      verified: 'true',
      suspended_at: '',
      logo: 'x',
      __proto__: 'x',
      'name[]': 'x',
    });
    expect(result.status).toBe(200);
    expect(credentialsOn(result).clientId).not.toBe('app_chosen');
    expect(await applicationsOf(victim)).toEqual([]);
    expect((await applicationsOf(user))[0]).toMatchObject({ verified: false, refreshGrace: 10, logo: null });
  });
});

describe('a faulty form', () => {
  test('says what is wrong, each line by its number, and loses nothing that was typed', async () => {
    const { browser, user } = await developer();
    const result = await register(browser, {
      name: '',
      redirect_uris: 'https://good.example/\n\n/callback\nhttps://x.example/#f\nhttps://x.example/?code=1',
      scopes: ['phone'],
      standard: 'on',
    });
    expect(result.status).toBe(400);
    expect(formErrors(result.body)).toEqual([
      'Enter a name for the application.',
      'Callback URLs, line 3: it is not a full URL, such as http://localhost:3000/callback.',
      'Callback URLs, line 4: it contains a fragment (#).',
      'Callback URLs, line 5: it already contains code, state, iss or error, which the response adds itself.',
    ]);
    expect(result.body).toContain('https://good.example/\n\n/callback\nhttps://x.example/#f');
    expect(inputOf(result.body, 'name')?.['aria-invalid']).toBe('true');
    const checked = elementsOf(result.body).filter(({ attributes }) => 'checked' in attributes);
    expect(checked.map(({ attributes }) => attributes.value)).toEqual(['confidential', 'on', 'phone']);
    expect(await applicationsOf(user)).toEqual([]);
  });

  test.each([
    ['no callback URL', { redirect_uris: ' \n ' }, 'Enter at least one callback URL.'],
    [
      '21 callback URLs (D3)',
      { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`).join('\n') },
      'Enter at most 20 callback URLs.',
    ],
    ['no scope', { scopes: [] }, 'Choose at least one scope.'],
    ['an unknown scope', { scopes: ['openid', 'address'] }, 'One of the chosen scopes does not exist.'],
    ['no type', { type: '' }, 'Choose the type of the application.'],
    ['an unknown type', { type: 'native' }, 'Choose the type of the application.'],
    ['a name of 101 characters', { name: 'n'.repeat(101) }, 'The name must be 100 characters or fewer.'],
    ['a name of invisible characters', { name: '\u202e\u200b' }, 'Enter a name for the application.'],
    [
      'a scheme of its own for a confidential application (RFC 8252 §7.1)',
      { redirect_uris: 'com.example.app:/cb' },
      'Line 1: it must start with https:// or, as this service is in development mode, http://',
    ],
  ])('%s is refused with 400', async (_, fields, words) => {
    const { browser, user } = await developer();
    const result = await register(browser, fields);
    expect([result.status, formErrors(result.body)]).toEqual([400, [words]]);
    expect(await applicationsOf(user)).toEqual([]);
  });

  test('lists what is wrong from the top of the page down', async () => {
    const { browser } = await developer();
    const logout = { post_logout_redirect_uris: '/bye' };
    const result = await register(browser, {
      name: '',
      type: '',
      redirect_uris: '/x',
      scopes: [],
      ...logout,
    });
    expect(formErrors(result.body)).toEqual([
      'Enter a name for the application.',
      'Choose the type of the application.',
      expect.stringMatching(/^Callback URLs, line 1: /),
      expect.stringMatching(/^Sign-out URLs, \/bye: /),
      'Choose at least one scope.',
    ]);
  });

  test('the form of a development service says that http://localhost is taken there, and it is', async () => {
    const { browser } = await developer();
    expect((await browser.get(NEW)).body).toContain('so http:// is allowed: http://localhost:3000/callback');
    const result = await register(browser, { redirect_uris: 'http://localhost:3000/callback' });
    expect(credentialsOn(result).clientSecret).toBeDefined();
    const edit = await browser.get(at(credentialsOn(result).clientId, '/edit'));
    expect(edit.body).toContain('so http:// is allowed');
  });

  test('a callback without TLS is refused in production (D3), whose form says so beforehand', async () => {
    await using production = await startTestService(
      { NODE_ENV: 'production', BASE_URL: 'https://sesame.example', TRUSTED_PROXIES: '127.0.0.1' },
      { databaseUrl: service.databaseUrl },
    );
    const { fromProxy, browser } = await inProduction(production, await service.createUser());
    const { hidden, body } = await browser.get(NEW, fromProxy);
    expect(body).toContain('Each must start with https://.');
    expect(body).not.toContain('http:// is allowed');
    const fields = { ...hidden, ...REGISTRATION, redirect_uris: 'http://client.example/cb' };
    const result = await sendFields(browser, NEW, fields, fromProxy);
    expect([result.status, formErrors(result.body)]).toEqual([400, ['Line 1: it must start with https://']]);
  });
});

describe('a form is good for one use', () => {
  test('sent again it makes nothing more, and leads to what it made', async () => {
    const { browser, user } = await developer();
    const { hidden } = await browser.get(NEW);
    const fields = { ...hidden, ...REGISTRATION };
    const { clientId, clientSecret = '' } = credentialsOn(await sendFields(browser, NEW, fields));
    expect(credentialsOn(await sendFields(browser, NEW, fields))).toEqual({ clientId, clientSecret });
    service.clock.advance(60);
    const again = await sendFields(browser, NEW, fields);
    expect(again.status).toBe(200);
    expect(again.body).toContain('was shown once');
    expect(again.body).not.toContain(clientSecret);
    expect(await applicationsOf(user)).toHaveLength(1);
  });

  test('sent many times at once to two processes it makes one application and shows one secret', async () => {
    const { browser, user } = await developer();
    const { hidden } = await browser.get(NEW);
    const fields = { ...hidden, ...REGISTRATION };
    const answers = await Promise.all(
      [browser, elsewhere(browser), browser, elsewhere(browser), browser, elsewhere(browser)].map((one) =>
        sendFields(one, NEW, fields),
      ),
    );
    const shown = new Set(answers.map((answer) => JSON.stringify(credentialsOn(answer))));
    const [application, ...more] = await applicationsOf(user);
    expect(more).toEqual([]);
    expect([...shown]).toEqual([
      JSON.stringify({
        clientId: application?.clientId,
        clientSecret: credentialsOn(answers[0] as Visit).clientSecret,
      }),
    ]);
    expect(isClientSecretShaped(credentialsOn(answers[0] as Visit).clientSecret ?? '')).toBe(true);
    const secrets = await withDatabase(service.databaseUrl, (client) =>
      client.query('select number from secrets where client_id = $1', [application?.clientId]),
    );
    expect(secrets.rows).toEqual([{ number: 1 }]);
  });

  test('a faulty one may be sent again, corrected', async () => {
    const { browser, user } = await developer();
    const faulty = await register(browser, { name: '' });
    const result = await sendFields(browser, NEW, { ...faulty.hidden, ...REGISTRATION });
    expect(result.status).toBe(200);
    expect(await applicationsOf(user)).toHaveLength(1);
  });

  test('deleting the application does not make its form good again', async () => {
    const { browser, user } = await developer();
    const { hidden } = await browser.get(NEW);
    const fields = { ...hidden, ...REGISTRATION };
    const { clientId } = credentialsOn(await sendFields(browser, NEW, fields));
    const { hidden: asked } = await browser.get(at(clientId, '/delete'));
    await sendFields(browser, at(clientId, '/delete'), { ...asked, name: 'Carnet' });
    expect((await sendFields(browser, NEW, fields)).status).toBe(404);
    expect(await applicationsOf(user)).toEqual([]);
  });
});

describe('limits', () => {
  test('an account has at most so many, however many forms are sent at once to two processes', async () => {
    const { browser, user } = await developer();
    const forms = await Promise.all(Array.from({ length: 8 }, () => browser.get(NEW)));
    const answers = await Promise.all(
      forms.map(({ hidden }, n) =>
        sendFields(n % 2 === 0 ? browser : elsewhere(browser), NEW, { ...hidden, ...REGISTRATION }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 400, 400, 400, 400]);
    expect(await applicationsOf(user)).toHaveLength(4);
    const refused = answers.find(({ status }) => status === 400);
    expect(formErrors(refused?.body ?? '')[0]).toContain('limit of 4 applications');
    expect(mainOf(refused?.body ?? ''), 'whom to ask').toContain('href="mailto:aide@example.fr"');
    expect((await browser.get('/console/applications')).body).toContain('limit of 4 applications');
  });

  test('a form that met the limit is good again when there is room', async () => {
    const { browser, user } = await developer();
    for (let n = 0; n < 4; n += 1) await register(browser);
    const { hidden } = await browser.get(NEW);
    const fields = { ...hidden, ...REGISTRATION };
    expect((await sendFields(browser, NEW, fields)).status).toBe(400);
    const [{ clientId = '' } = {}] = await applicationsOf(user);
    const asked = await browser.get(at(clientId, '/delete'));
    await sendFields(browser, at(clientId, '/delete'), { ...asked.hidden, name: 'Carnet' });
    expect((await sendFields(browser, NEW, fields)).status).toBe(200);
    expect(await applicationsOf(user)).toHaveLength(4);
  });

  test('where there is mail, an address that is not verified registers nothing', async () => {
    await using mailing = await startTestService(
      { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'sesame@example.com' },
      { databaseUrl: service.databaseUrl },
    );
    const user = await service.createUser();
    const browser = await signedInBrowser(mailing, user);
    const page = await browser.get(NEW);
    expect(page.body).toContain('Verify your email address first');
    const { hidden } = await (await signedInBrowser(service, user)).get(NEW);
    const { csrf = '' } = (await browser.get('/account/profile')).hidden;
    const refused = await sendFields(browser, NEW, { ...hidden, csrf, ...REGISTRATION });
    expect(refused.status).toBe(403);
    expect(await applicationsOf(user)).toEqual([]);

    const verified = await service.createUser({ emailVerified: true });
    expect((await register(await signedInBrowser(mailing, verified))).status).toBe(200);
  });
});

test('the credentials of one application are of no use to another (D11)', async () => {
  const { browser } = await developer();
  const [one, two] = [credentialsOn(await register(browser)), credentialsOn(await register(browser))];
  const usable = { clientId: one.clientId, clientSecret: one.clientSecret ?? '', redirectUri: CALLBACK };
  const code = (await authorize(service, usable, browser)).searchParams.get('code') ?? '';
  const refused = await redeem(service, usable, code, { client_secret: two.clientSecret });
  expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
});

/** A browser that is signed in to a service in production, behind its proxy. */
async function inProduction(production: TestService, user: TestUser) {
  const fromProxy = { 'x-forwarded-proto': 'https' };
  const { openBrowserSession } = await import('../../support/browser-session.ts');
  const browser = openBrowserSession(`http://127.0.0.1:${production.parts.config.port}`);
  const { hidden } = await browser.get('/signin', fromProxy);
  const { email, password } = user;
  await browser.post('/signin', { ...hidden, email, password }, fromProxy);
  return { fromProxy, browser };
}

test('what callback URLs may be is folded below their field, and open where one is at fault', async () => {
  const { browser } = await developer();
  const page = mainOf((await browser.get(NEW)).body);
  expect(page).toMatch(/One per line, up to 20\.<\/p>/);
  expect(page).toMatch(
    /<details class="field-more">\n<summary>Which URLs are accepted\?<\/summary>\n<p>Each URL is compared/,
  );
  const refused = await fill(browser, NEW, { ...REGISTRATION, redirect_uris: 'x' });
  expect(mainOf(refused.body)).toContain('<details class="field-more" open>');
});
