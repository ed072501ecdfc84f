// Forms: a POST always redirects; a refused one leads back to its page with errors and typed values in the flash cookie.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { insertServiceAccess } from '../../src/store/service-access.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { NEW, REGISTRATION, sendFields } from '../support/console.ts';
import { cookieValue, sendExactly } from '../support/exact-request.ts';
import { authorizeAddress, newPerson, signedInBrowser, signIn } from '../support/flow.ts';
import { elementsOf, fieldError, formErrors, inputOf } from '../support/markup.ts';
import { enrol } from '../support/passkey.ts';
import { PASSWORD, type TestUser, useTestService } from '../support/service.ts';

const service = useTestService();

const PROFILE = '/account/profile';
const MINUTE = 60;

/** Sends a form without following the redirect, and keeps the flash cookie. */
async function sendOnly(browser: BrowserSession, path: string, fields: Record<string, string>) {
  const answer = await sendExactly(new URL(path, service.baseUrl), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'text/html', 'accept-language': 'en', 'sec-fetch-site': 'same-origin' },
    cookies: browser.cookies,
  });
  for (const [name, line] of answer.setCookies)
    if (line.includes('Max-Age=0')) browser.cookies.delete(name);
    else browser.cookies.set(name, cookieValue(line));
  const [name = '', line] = [...answer.setCookies].findLast(([one]) => one.startsWith('sesame-flash')) ?? [];
  return { ...answer, name, line };
}

async function refusedProfile(user: TestUser, typed = { name: '', phone: '0612 typed' }) {
  const browser = await signedInBrowser(service, user);
  const { hidden } = await browser.get(PROFILE);
  return { browser, answer: await sendOnly(browser, PROFILE, { ...hidden, ...typed, language: 'auto' }) };
}

const seen = ({ status, body }: Visit) => [
  status,
  fieldError(body, 'name')?.trim(),
  inputOf(body, 'phone')?.value,
];
const REFUSED = [400, expect.stringContaining('Enter your name.'), '0612 typed'];
const languageOf = ({ body }: Visit) => elementsOf(body)[0]?.attributes.lang;

describe('a refused form', () => {
  test('leads back to its page, which shows the errors and the typed values once', async () => {
    const { browser, answer } = await refusedProfile(await service.createUser());
    expect([answer.status, answer.body, answer.location]).toEqual([303, '', PROFILE]);
    expect(answer.line).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(seen(await browser.get(PROFILE))).toEqual(REFUSED);
    expect(browser.cookies.has(answer.name)).toBe(false);
    expect(seen(await browser.get(PROFILE))).toEqual([200, undefined, '']);
  });

  test('waits for its page: other pages and other accounts neither show nor lose it', async () => {
    const { browser } = await refusedProfile(await service.createUser());
    expect(formErrors((await browser.get('/account/delete')).body)).toEqual([]);
    const session = browser.cookies.get('sesame') ?? '';
    const other = await signedInBrowser(service, await service.createUser());
    browser.cookies.set('sesame', other.cookies.get('sesame') ?? '');
    expect((await browser.get(PROFILE)).body).not.toContain('0612 typed');
    browser.cookies.set('sesame', session);
    expect(seen(await browser.get(PROFILE))).toEqual(REFUSED);
  });

  test('of two tabs for two applications does not take the place of the other', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const tabs = await Promise.all(
      ['ada@example.org', 'eve@example.org'].map(async (email) => {
        const asked = await browser.get(authorizeAddress(service, await service.createApplication()));
        const { hidden } = await browser.get(asked.location ?? '');
        const answer = await sendOnly(browser, '/signin', { ...hidden, email, password: 'a wrong password' });
        return { email, to: answer.location ?? '' };
      }),
    );
    for (const { email, to } of tabs) {
      const { status, body } = await browser.get(to);
      expect([status, inputOf(body, 'email')?.value]).toEqual([401, email]);
    }
  });

  test('leads elsewhere once there is nothing to fill in any more', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const { passkey } = await enrol(browser, service);
    const at = (path: string) => `/account/security/passkeys/${path}?passkey=${passkey.id}`;
    const form = await browser.get(at('rename'));
    const refused = await sendOnly(browser, '/account/security/passkeys/rename', {
      ...form.hidden,
      name: '',
    });
    expect([refused.status, refused.location]).toEqual([303, at('rename')]);
    const { hidden } = await browser.get(at('remove'));
    await sendOnly(browser, '/account/security/passkeys/remove', hidden);
    const after = await browser.get(at('rename'));
    expect([after.status, after.location?.pathname]).toEqual([303, '/account/security']);

    const visitor = openBrowserSession(service.baseUrl);
    const asked = authorizeAddress(service, await service.createApplication());
    const page = await visitor.follow(await visitor.get(asked));
    await signIn(visitor, user);
    const decided = await sendOnly(visitor, '/consent', { ...page.hidden, decision: 'allow' });
    expect([decided.status, decided.location]).toEqual([303, expect.stringMatching(/^\/consent\?pending=/)]);
    visitor.cookies.delete('sesame');
    const again = await visitor.get(decided.location ?? '');
    expect([again.status, again.location?.pathname]).toEqual([303, '/oauth/authorize']);
  });

  test('of two tabs for two requests to an API is kept for each', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const { apiId } = await service.createApi({ ownerId: user.userId });
    const tabs: string[] = [];
    for (const name of ['Carnet', 'Agenda']) {
      const { clientId } = await service.createApplication({ name });
      const access = { apiId, clientId, scopes: ['read'], granted: false };
      await insertServiceAccess(service.parts.database, access, service.clock.now());
      const path = `/console/apis/${apiId}/requests/answer?client_id=${clientId}`;
      await sendOnly(browser, path, { ...(await browser.get(path)).hidden, decision: 'grant' });
      tabs.push(path);
    }
    for (const path of tabs) expect((await browser.get(path)).status).toBe(400);
  });

  test('is deleted, the oldest first, when there are too many', async () => {
    const name = randomBytes(900).toString('base64url');
    const { browser, answer } = await refusedProfile(await service.createUser(), { name, phone: '' });
    for (const path of [NEW, '/console/apis/new'])
      await sendOnly(browser, path, { ...(await browser.get(path)).hidden, name });
    expect(browser.cookies.has(answer.name)).toBe(false);
  });

  test('cannot be read in another browser, altered, or opened after some minutes', async () => {
    const user = await service.createUser();
    const { browser, answer } = await refusedProfile(user);
    const { [answer.name]: flash = '' } = Object.fromEntries(browser.cookies);
    expect(Buffer.from(flash, 'base64url').toString('latin1')).not.toMatch(/typed|name|phone/);
    const other = await signedInBrowser(service, user);
    other.cookies.set(answer.name, flash);
    expect((await other.get(PROFILE)).body).not.toContain('0612 typed');
    browser.cookies.set(answer.name, `${flash.slice(0, -1)}A`);
    expect((await browser.get(PROFILE)).body).not.toContain('0612 typed');
    browser.cookies.set(answer.name, flash);
    service.clock.advance(11 * MINUTE);
    expect((await browser.get(PROFILE)).body).not.toContain('0612 typed');
  });

  test('that is too large for a cookie is shown in place; its language links lead to the page', async () => {
    const name = randomBytes(3000).toString('base64url');
    const { answer } = await refusedProfile(await service.createUser(), { name, phone: '' });
    expect([answer.status, answer.line, inputOf(answer.body, 'name')?.value]).toEqual([400, undefined, name]);
    const links = elementsOf(answer.body).filter(({ attributes }) => attributes.hreflang !== undefined);
    expect(links.map(({ attributes }) => attributes.href)).toEqual([
      `${PROFILE}?lang=fr`,
      `${PROFILE}?lang=en`,
    ]);
  });

  test('leads back on its way, and shows the email address but never the password', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const wrong = { email: 'nobody@example.org', password: 'a wrong password' };
    const { hidden } = await browser.get('/signin?next=%2Faccount%2Fdata');
    const answer = await sendOnly(browser, '/signin', { ...hidden, ...wrong });
    expect(answer.location).toBe('/signin?next=%2Faccount%2Fdata');
    const page = await browser.get(answer.location ?? '');
    expect([page.status, formErrors(page.body)]).toEqual([401, ['Incorrect email address or password.']]);
    expect([page.hidden.next, inputOf(page.body, 'email')?.value]).toEqual(['/account/data', wrong.email]);
    expect(page.body).not.toContain(wrong.password);
  });

  test('is shown in place with 403 to a browser that keeps no cookies', async () => {
    const { hidden } = await openBrowserSession(service.baseUrl).get('/signin');
    const wrong = { email: 'nobody@example.org', password: 'a wrong password' };
    const answer = await sendOnly(openBrowserSession(service.baseUrl), '/signin', { ...hidden, ...wrong });
    expect([answer.status, formErrors(answer.body)[0]]).toEqual([403, expect.stringContaining('expired')]);
  });
});

test('the language is switched by links, also on a page with a form, and by no POST', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const { hidden, body } = await browser.get('/signup');
  const links = elementsOf(body).filter(({ attributes }) => attributes.hreflang !== undefined);
  expect(links.map(({ name, attributes }) => [name, attributes.href])).toEqual([
    ['a', '/signup?lang=fr'],
    ['a', '/signup?lang=en'],
  ]);
  expect(languageOf(await browser.get('/signup?lang=fr'))).toBe('fr');
  expect(languageOf(await browser.get('/signup'))).toBe('fr');
  const sent = await sendOnly(browser, '/signup?lang=en', { ...hidden, name: '', email: '', password: '' });
  expect([sent.status, sent.location]).toEqual([303, '/signup']);
});

describe('a form whose session has ended', () => {
  const TYPED = { name: 'Ada Byron', phone: '+33612345678', language: 'en' };

  /** A user whose session ends while they fill in a form, which leads to sign-in. */
  async function tooLate(path: string, fields: Record<string, string | string[]>) {
    const { user, browser } = await newPerson(service, { emailVerified: true });
    const { hidden } = await browser.get(path);
    service.clock.advance(service.parts.config.sessionTtl + 1);
    const { status, location } = await sendFields(browser, path, { ...fields, ...hidden });
    expect([status, location?.pathname, location?.search]).toEqual([
      303,
      '/signin',
      `?next=${encodeURIComponent(path)}`,
    ]);
    return { user, browser, asked: await browser.get(location as URL) };
  }

  test('is filled in again after sign-in, even after a wrong password; nothing was done, and it can be sent', async () => {
    const { user, browser, asked } = await tooLate(PROFILE, TYPED);
    expect(asked.body).toContain('Your session has ended.');
    const wrong = await browser.post('/signin', { ...asked.hidden, email: user.email, password: 'wrong' });
    expect(wrong.status).toBe(401);
    const page = await signIn(browser, user, wrong);
    expect([page.status, inputOf(page.body, 'name')?.value]).toEqual([200, 'Ada Byron']);
    expect(page.body).toContain('nothing has been saved yet');
    expect((await findUserByEmail(service.parts.database, user.email))?.name).toBe(user.name);
    const saved = await browser.post(PROFILE, { ...page.hidden, ...TYPED });
    expect(saved.location?.search).toBe('?done=saved');
  });

  test('keeps checkboxes', async () => {
    const { user, browser, asked } = await tooLate(NEW, {
      ...REGISTRATION,
      name: 'Kept',
      scopes: ['openid'],
    });
    const page = await signIn(browser, user, asked);
    expect(inputOf(page.body, 'name')?.value).toBe('Kept');
    const ticked = elementsOf(page.body).filter(
      ({ attributes }) => attributes.name === 'scopes' && 'checked' in attributes,
    );
    expect(ticked.map(({ attributes }) => attributes.value)).toEqual(['openid']);
  });

  test('is not shown to another account that signs in', async () => {
    const { browser, asked } = await tooLate(PROFILE, TYPED);
    const page = await signIn(browser, await service.createUser({ name: 'Grace' }), asked);
    expect(inputOf(page.body, 'name')?.value).toBe('Grace');
    expect(page.body).not.toContain('Ada Byron');
  });

  test('keeps neither passwords nor codes nor passkeys, sealed or not', async () => {
    const proofs = {
      current_password: PASSWORD,
      new_password: 'secret-1',
      confirmation_code: 'secret-2',
      confirmation_passkey: 'secret-3',
      passkey: 'secret-4',
      code: 'secret-5',
    };
    const { browser } = await tooLate('/account/email', { new_email: 'ada@new.example', ...proofs });
    const flash = [...browser.cookies].find(([name]) => name.startsWith('sesame-flash'))?.[1];
    const kept = JSON.stringify(service.parts.sealer.openJson('flash', flash));
    expect(kept).toContain('ada%40new.example');
    for (const proof of Object.values(proofs)) expect(kept).not.toContain(proof);
  });

  test('is not kept from another site, or with the token of another session', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const { hidden } = await browser.get(PROFILE);
    service.clock.advance(service.parts.config.sessionTtl + 1);
    const fields = { ...hidden, ...TYPED };
    await browser.post(PROFILE, fields, { 'sec-fetch-site': 'cross-site' });
    const forged = await browser.post(PROFILE, { ...fields, csrf: 'x'.repeat(65) });
    expect([
      forged.location?.pathname,
      [...browser.cookies.keys()].some((name) => name.startsWith('sesame-flash')),
    ]).toEqual(['/signin', false]);
  });
});

describe('the sign-in page says why it asks', () => {
  const isShown = async (browser: BrowserSession, words: string) =>
    (await browser.follow(await browser.get('/account/sessions'))).body.includes(words);

  test('a session that has ended', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    service.clock.advance(service.parts.config.sessionTtl + 1);
    expect(await isShown(browser, 'Your session has ended.')).toBe(true);
  });

  test('a page that takes an account', async () => {
    expect(await isShown(openBrowserSession(service.baseUrl), 'Sign in to open this page.')).toBe(true);
  });

  test('nothing on the page itself', async () => {
    const { body } = await openBrowserSession(service.baseUrl).get('/signin');
    expect(body).not.toContain('notice--attention');
  });
});
