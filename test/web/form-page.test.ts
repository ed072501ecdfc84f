// Form pages: every POST redirects, and rejected forms keep the entered values.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { insertServiceAccess } from '../../src/store/service-access.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { CLIENT_SETTINGS, clientPath, NEW_CLIENT_PATH, postFields } from '../support/console-forms.ts';
import { readCookieValue, sendExactRequest } from '../support/exact-response.ts';
import { findInput, parseElements, readFieldError, readFormErrors } from '../support/markup.ts';
import { buildAuthorizeUrl, createSignedInUser, openSignedInBrowser, signIn } from '../support/oauth-flow.ts';
import { registerPasskey } from '../support/passkey.ts';
import { PASSWORD, type TestUser, useTestService } from '../support/service.ts';

const service = useTestService();

const PROFILE_PATH = '/account/profile';
const MINUTE = 60;

/** Doesn't follow the redirect, but saves the flash cookie. */
async function submitForm(browser: BrowserSession, path: string, fields: Record<string, string>) {
  const response = await sendExactRequest(new URL(path, service.baseUrl), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'text/html', 'accept-language': 'en', 'sec-fetch-site': 'same-origin' },
    cookies: browser.cookies,
  });
  for (const [name, line] of response.setCookies)
    if (line.includes('Max-Age=0')) browser.cookies.delete(name);
    else browser.cookies.set(name, readCookieValue(line));
  const [name = '', line] =
    [...response.setCookies].findLast(([cookie]) => cookie.startsWith('sesame-flash')) ?? [];
  return { ...response, name, line };
}

async function submitInvalidProfile(user: TestUser, entered = { name: '', phone: '0612 typed' }) {
  const browser = await openSignedInBrowser(service, user);
  const { hidden } = await browser.get(PROFILE_PATH);
  return {
    browser,
    response: await submitForm(browser, PROFILE_PATH, { ...hidden, ...entered, language: 'auto' }),
  };
}

const readFormState = ({ status, body }: Visit) => [
  status,
  readFieldError(body, 'name')?.trim(),
  findInput(body, 'phone')?.value,
];
const REJECTED_STATE = [400, expect.stringContaining('Enter your name.'), '0612 typed'];
const readLanguage = ({ body }: Visit) => parseElements(body)[0]?.attributes.lang;

describe('a rejected form', () => {
  test('redirects to the page, which shows the errors once', async () => {
    const { browser, response } = await submitInvalidProfile(await service.createUser());
    expect([response.status, response.body, response.location]).toEqual([303, '', PROFILE_PATH]);
    expect(response.line).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(readFormState(await browser.get(PROFILE_PATH))).toEqual(REJECTED_STATE);
    expect(browser.cookies.has(response.name)).toBe(false);
    expect(readFormState(await browser.get(PROFILE_PATH))).toEqual([200, undefined, '']);
  });

  test('is shown again only on its own page and to the same user', async () => {
    const { browser } = await submitInvalidProfile(await service.createUser());
    expect(readFormErrors((await browser.get('/account/delete')).body)).toEqual([]);
    const sessionCookie = browser.cookies.get('sesame') ?? '';
    const other = await openSignedInBrowser(service, await service.createUser());
    browser.cookies.set('sesame', other.cookies.get('sesame') ?? '');
    expect((await browser.get(PROFILE_PATH)).body).not.toContain('0612 typed');
    browser.cookies.set('sesame', sessionCookie);
    expect(readFormState(await browser.get(PROFILE_PATH))).toEqual(REJECTED_STATE);
  });

  test("does not replace another client's form in a second tab", async () => {
    const browser = openBrowserSession(service.baseUrl);
    const tabs = await Promise.all(
      ['ada@example.org', 'eve@example.org'].map(async (email) => {
        const authorization = await browser.get(buildAuthorizeUrl(service, await service.createClient()));
        const { hidden } = await browser.get(authorization.location ?? '');
        const response = await submitForm(browser, '/signin', {
          ...hidden,
          email,
          password: 'a wrong password',
        });
        return { email, url: response.location ?? '' };
      }),
    );
    for (const { email, url } of tabs) {
      const { status, body } = await browser.get(url);
      expect([status, findInput(body, 'email')?.value]).toEqual([401, email]);
    }
  });

  test('does not prevent its page from redirecting', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const { passkey } = await registerPasskey(browser, service);
    const buildPasskeyUrl = (page: string) => `/account/security/passkeys/${page}?passkey=${passkey.id}`;
    const form = await browser.get(buildPasskeyUrl('rename'));
    const rejected = await submitForm(browser, '/account/security/passkeys/rename', {
      ...form.hidden,
      name: '',
    });
    expect([rejected.status, rejected.location]).toEqual([303, buildPasskeyUrl('rename')]);
    const { hidden } = await browser.get(buildPasskeyUrl('remove'));
    await submitForm(browser, '/account/security/passkeys/remove', hidden);
    const afterRemoval = await browser.get(buildPasskeyUrl('rename'));
    expect([afterRemoval.status, afterRemoval.location?.pathname]).toEqual([303, '/account/security']);

    const visitor = openBrowserSession(service.baseUrl);
    const url = buildAuthorizeUrl(service, await service.createClient());
    const page = await visitor.follow(await visitor.get(url));
    await signIn(visitor, user);
    const decision = await submitForm(visitor, '/consent', { ...page.hidden, decision: 'allow' });
    expect([decision.status, decision.location]).toEqual([
      303,
      expect.stringMatching(/^\/consent\?pending=/),
    ]);
    visitor.cookies.delete('sesame');
    const afterSignOut = await visitor.get(decision.location ?? '');
    expect([afterSignOut.status, afterSignOut.location?.pathname]).toEqual([303, '/oauth/authorize']);
  });

  test('is saved separately for each access request to an API', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const { apiId } = await service.createApi({ ownerId: user.userId });
    const tabs: string[] = [];
    for (const name of ['Carnet', 'Agenda']) {
      const { clientId } = await service.createClient({ name });
      const access = { apiId, clientId, scopes: ['read'], granted: false };
      await insertServiceAccess(service.services.database, access, service.clock.now());
      const path = `/console/apis/${apiId}/requests/answer?client_id=${clientId}`;
      await submitForm(browser, path, { ...(await browser.get(path)).hidden, decision: 'grant' });
      tabs.push(path);
    }
    for (const path of tabs) expect((await browser.get(path)).status).toBe(400);
  });

  test('is deleted when more recent forms exceed the cookie limit', async () => {
    const name = randomBytes(1100).toString('base64url');
    const { browser, response } = await submitInvalidProfile(await service.createUser(), { name, phone: '' });
    for (const path of [NEW_CLIENT_PATH, '/console/apis/new'])
      await submitForm(browser, path, { ...(await browser.get(path)).hidden, name });
    expect(browser.cookies.has(response.name)).toBe(false);
  });

  test('cannot be restored in a different browser', async () => {
    const user = await service.createUser();
    const { browser, response } = await submitInvalidProfile(user);
    const { [response.name]: flash = '' } = Object.fromEntries(browser.cookies);
    expect(Buffer.from(flash, 'base64url').toString('latin1')).not.toMatch(/typed|name|phone/);
    const other = await openSignedInBrowser(service, user);
    other.cookies.set(response.name, flash);
    expect((await other.get(PROFILE_PATH)).body).not.toContain('0612 typed');
    browser.cookies.set(
      response.name,
      `${flash.slice(0, -9)}${flash.at(-9) === 'A' ? 'B' : 'A'}${flash.slice(-8)}`,
    );
    expect((await browser.get(PROFILE_PATH)).body).not.toContain('0612 typed');
    browser.cookies.set(response.name, flash);
    service.clock.advance(11 * MINUTE);
    expect((await browser.get(PROFILE_PATH)).body).not.toContain('0612 typed');
  });

  test('that is too large for a cookie is shown without a redirect', async () => {
    const name = randomBytes(3000).toString('base64url');
    const { response } = await submitInvalidProfile(await service.createUser(), { name, phone: '' });
    expect([response.status, response.line, findInput(response.body, 'name')?.value]).toEqual([
      400,
      undefined,
      name,
    ]);
    const links = parseElements(response.body).filter(({ attributes }) => attributes.hreflang !== undefined);
    expect(links.map(({ attributes }) => attributes.href)).toEqual([
      `${PROFILE_PATH}?lang=fr`,
      `${PROFILE_PATH}?lang=en`,
    ]);
  });

  test('keeps the email address but not the password', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const wrong = { email: 'nobody@example.org', password: 'a wrong password' };
    const { hidden } = await browser.get('/signin?next=%2Faccount%2Fdata');
    const response = await submitForm(browser, '/signin', { ...hidden, ...wrong });
    expect(response.location).toBe('/signin?next=%2Faccount%2Fdata');
    const page = await browser.get(response.location ?? '');
    expect([page.status, readFormErrors(page.body)]).toEqual([401, ['Incorrect email address or password.']]);
    expect([page.hidden.next, findInput(page.body, 'email')?.value]).toEqual(['/account/data', wrong.email]);
    expect(page.body).not.toContain(wrong.password);
  });

  test('shows an error if the browser sends no cookies', async () => {
    const { hidden } = await openBrowserSession(service.baseUrl).get('/signin');
    const wrong = { email: 'nobody@example.org', password: 'a wrong password' };
    const response = await submitForm(openBrowserSession(service.baseUrl), '/signin', {
      ...hidden,
      ...wrong,
    });
    expect([response.status, readFormErrors(response.body)[0]]).toEqual([
      403,
      expect.stringContaining('expired'),
    ]);
  });
});

test('a language link on a form page changes the language', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const { hidden, body } = await browser.get('/signup');
  const links = parseElements(body).filter(({ attributes }) => attributes.hreflang !== undefined);
  expect(links.map(({ name, attributes }) => [name, attributes.href])).toEqual([
    ['a', '/signup?lang=fr'],
    ['a', '/signup?lang=en'],
  ]);
  expect(readLanguage(await browser.get('/signup?lang=fr'))).toBe('fr');
  expect(readLanguage(await browser.get('/signup'))).toBe('fr');
  const rejected = await submitForm(browser, '/signup?lang=en', {
    ...hidden,
    name: '',
    email: '',
    password: '',
  });
  expect([rejected.status, rejected.location]).toEqual([303, '/signup']);
});

describe('a form from an expired session', () => {
  const ENTERED = { name: 'Ada Byron', phone: '+33612345678', language: 'en' };

  async function submitAfterExpiry(
    page: string | ((owner: TestUser) => Promise<string>),
    fields: Record<string, string | readonly string[]>,
  ) {
    const { user, browser } = await createSignedInUser(service, { emailVerified: true });
    const path = typeof page === 'string' ? page : await page(user);
    const { hidden } = await browser.get(path);
    service.clock.advance(service.services.config.sessionTtl + 1);
    const { status, location } = await postFields(browser, path, { ...fields, ...hidden });
    expect([status, location?.pathname, location?.search]).toEqual([
      303,
      '/signin',
      `?next=${encodeURIComponent(path)}`,
    ]);
    return { user, browser, signInPage: await browser.get(location as URL) };
  }

  test('has no effect but is restored after sign-in', async () => {
    const { user, browser, signInPage } = await submitAfterExpiry(PROFILE_PATH, ENTERED);
    expect(signInPage.body).toContain('Your session has ended.');
    const wrong = await browser.post('/signin', {
      ...signInPage.hidden,
      email: user.email,
      password: 'wrong',
    });
    expect(wrong.status).toBe(401);
    const page = await signIn(browser, user, wrong);
    expect([page.status, findInput(page.body, 'name')?.value]).toEqual([200, 'Ada Byron']);
    expect(page.body).toContain('ended before anything was saved');
    expect((await findUserByEmail(service.services.database, user.email))?.name).toBe(user.name);
    const saved = await browser.post(PROFILE_PATH, { ...page.hidden, ...ENTERED });
    expect(saved.location?.search).toBe('?done=saved');
  });

  test('is restored, including its checkboxes', async () => {
    const { user, browser, signInPage } = await submitAfterExpiry(
      async ({ userId: ownerId }) => clientPath((await service.createClient({ ownerId })).clientId, '/edit'),
      { ...CLIENT_SETTINGS, name: 'Kept', scopes: ['openid'] },
    );
    const page = await signIn(browser, user, signInPage);
    expect(findInput(page.body, 'name')?.value).toBe('Kept');
    const ticked = parseElements(page.body).filter(
      ({ attributes }) => attributes.name === 'scopes' && 'checked' in attributes,
    );
    expect(ticked.map(({ attributes }) => attributes.value)).toEqual(['openid']);
  });

  test('is not restored for a different account', async () => {
    const { browser, signInPage } = await submitAfterExpiry(PROFILE_PATH, ENTERED);
    const page = await signIn(browser, await service.createUser({ name: 'Grace' }), signInPage);
    expect(findInput(page.body, 'name')?.value).toBe('Grace');
    expect(page.body).not.toContain('Ada Byron');
  });

  test('is restored without passwords, codes or passkeys', async () => {
    const secrets = {
      current_password: PASSWORD,
      new_password: 'secret-1',
      confirmation_code: 'secret-2',
      confirmation_passkey: 'secret-3',
      passkey: 'secret-4',
      code: 'secret-5',
    };
    const { browser } = await submitAfterExpiry('/account/email', {
      new_email: 'ada@new.example',
      ...secrets,
    });
    const flash = [...browser.cookies].find(([name]) => name.startsWith('sesame-flash'))?.[1];
    const content = JSON.stringify(service.services.sealer.openJson('flash', flash));
    expect(content).toContain('ada%40new.example');
    for (const secret of Object.values(secrets)) expect(content).not.toContain(secret);
  });

  test('is not restored after a cross-site submission', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { hidden } = await browser.get(PROFILE_PATH);
    service.clock.advance(service.services.config.sessionTtl + 1);
    const fields = { ...hidden, ...ENTERED };
    await browser.post(PROFILE_PATH, fields, { 'sec-fetch-site': 'cross-site' });
    const forged = await browser.post(PROFILE_PATH, { ...fields, csrf: 'x'.repeat(65) });
    expect([
      forged.location?.pathname,
      [...browser.cookies.keys()].some((name) => name.startsWith('sesame-flash')),
    ]).toEqual(['/signin', false]);
  });
});

describe('the sign-in page', () => {
  const isShown = async (browser: BrowserSession, text: string) =>
    (await browser.follow(await browser.get('/account/sessions'))).body.includes(text);

  test('says that the session has expired', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    service.clock.advance(service.services.config.sessionTtl + 1);
    expect(await isShown(browser, 'Your session has ended.')).toBe(true);
  });

  test('says that the requested page requires sign-in', async () => {
    expect(await isShown(openBrowserSession(service.baseUrl), 'Sign in to open this page.')).toBe(true);
  });

  test('shows no notice if the user opened it directly', async () => {
    const { body } = await openBrowserSession(service.baseUrl).get('/signin');
    expect(body).not.toContain('notice--attention');
  });
});
