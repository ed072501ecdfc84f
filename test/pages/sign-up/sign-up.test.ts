import { describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { contentWithoutBackground } from '../../support/database-content.ts';
import { findLastEmailTo } from '../../support/emails.ts';
import {
  findInput,
  parseElements,
  readFieldError,
  readFormErrors,
  readHeading,
} from '../../support/markup.ts';
import { buildAuthorizeUrl, signIn } from '../../support/oauth-flow.ts';
import { startTestService, useTestService } from '../../support/service.ts';

const service = useTestService();

const VALID_FIELDS = { name: 'Zoé Müller', email: 'zoe@example.org', password: 'un mot de passe bien long' };
let emailCount = 0;
const createEmail = (): string => `new${++emailCount}@example.org`;

async function signUp(
  fields: Partial<typeof VALID_FIELDS>,
): Promise<{ visit: Visit; browser: BrowserSession; email: string }> {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signup');
  const allFields = { ...VALID_FIELDS, email: createEmail(), ...fields };
  return {
    visit: await browser.post('/signup', { ...page.hidden, ...allFields }),
    browser,
    email: allFields.email,
  };
}

const findUser = (email: string) => findUserByEmail(service.services.database, email);

describe('the sign-up form', () => {
  test('creates an account with an unverified email address', async () => {
    const { visit, browser, email } = await signUp({});
    expect([visit.status, visit.location?.pathname]).toEqual([303, '/account/verify']);
    expect((await browser.get('/account')).body).toContain(email);
    expect(await findUser(email)).toMatchObject({
      name: 'Zoé Müller',
      email,
      emailVerified: false,
      isAdmin: false,
    });
  });

  test('ignores unknown fields', async () => {
    const unknownFields = {
      admin: 'true',
      emailVerified: 'true',
      email_verified: 'true',
      phone: '+33612345678',
    };
    const { email } = await signUp(unknownFields as object);
    expect(await findUser(email)).toMatchObject({ emailVerified: false, isAdmin: false, phone: null });
  });

  test('has the fields name, email, password and csrf, with autocomplete', async () => {
    const page = await openBrowserSession(service.baseUrl).get('/signup');
    const inputs = parseElements(page.body).filter(({ name }) => name === 'input');
    expect(inputs.map(({ attributes }) => attributes.name)).toEqual(['csrf', 'name', 'email', 'password']);
    expect(inputs.map(({ attributes }) => attributes.autocomplete).slice(1)).toEqual([
      'name',
      'username',
      'new-password',
    ]);
    expect(parseElements(page.body).find(({ name }) => name === 'form')?.attributes).toMatchObject({
      method: 'post',
      action: '/signup',
    });
  });

  test('is prefilled with login_hint', async () => {
    const application = await service.createClient();
    const browser = openBrowserSession(service.baseUrl);
    const email = createEmail();
    const url = buildAuthorizeUrl(service, application, { login_hint: email });
    const signInPage = await browser.follow(await browser.get(url));
    const page = await browser.get(`/signup?pending=${signInPage.hidden.pending}`);
    expect(findInput(page.body, 'email')?.value).toBe(email);
    const visit = await browser.follow(
      await browser.post('/signup', { ...VALID_FIELDS, ...page.hidden, email }),
    );
    expect(visit.body).toContain('action="/consent"');
    expect(visit.body).toContain('not verified yet');
  });
});

const LONG_PASSWORD = 'bêche orage tuile lampe vigne sucre '.repeat(29).slice(0, 1024);

describe('a new password', () => {
  test.each([
    ['8 characters', 'kq7zw2fx'],
    ['8 characters of two UTF-16 units each', '🔑🚪🌙🪟🧭🐢🍐🎈'],
    ['1024 characters', LONG_PASSWORD],
    ['leading and trailing spaces', '  kept as typed  '],
  ])('is accepted with %s', async (_, password) => {
    const { visit, email } = await signUp({ password });
    expect(visit.status).toBe(303);
    const attemptSignIn = async (enteredPassword: string) => {
      const browser = openBrowserSession(service.baseUrl);
      const page = await browser.get('/signin');
      return (await browser.post('/signin', { ...page.hidden, email, password: enteredPassword })).status;
    };
    expect(await attemptSignIn(password)).toBe(303);
    expect(await attemptSignIn(`${password}x`)).toBe(401);
    expect(await attemptSignIn([...password].slice(0, -1).join(''))).toBe(401);
    if (password !== password.trim()) expect(await attemptSignIn(password.trim())).toBe(401);
  });

  test('can be entered with composed or decomposed accents', async () => {
    const { email } = await signUp({ password: 'thé glacé à midi'.normalize('NFD') });
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const fields = { ...page.hidden, email, password: 'thé glacé à midi'.normalize('NFC') };
    expect((await browser.post('/signin', fields)).status).toBe(303);
  });

  test.each([
    ['7 characters', 'gr8frui', 'at least 8'],
    ['7 characters of two UTF-16 units each', '🔑🚪🌙🪟🧭🐢🍐', 'at least 8'],
    ['1025 characters', 'è'.repeat(1025), 'at most 1024'],
    ['a common password', 'password123', 'Too easy to guess'],
    ['consecutive letters', 'mnopqrstuvw', 'Too easy to guess'],
    ['the name of the service', 'Sesame123', 'the name of this service'],
    ["the user's name with accents", 'Zoé Müller', 'your name'],
  ])('is rejected with a field error (%s)', async (_, password, text) => {
    const { visit, email } = await signUp({ password });
    expect(visit.status).toBe(400);
    expect(readFieldError(visit.body, 'password')).toContain(text);
    expect(findInput(visit.body, 'password')).not.toHaveProperty('value');
    expect(await findUser(email)).toBeUndefined();
  });
});

test('a new password must not be based on the email address', async () => {
  for (const [email, password] of [
    ['camille.durand@example.org', 'camille.durand@example.org'],
    ['camille.dupond@example.org', 'Camille.Dupond'],
    ['camille.dupont@example.org', 'dupont1985'],
  ] as const) {
    const { visit } = await signUp({ email, password });
    expect([password, readFieldError(visit.body, 'password')]).toEqual([
      password,
      expect.stringContaining('your email address'),
    ]);
  }
});

describe('the sign-up page', () => {
  test('shows field errors and keeps the entered text', async () => {
    const { visit } = await signUp({ name: '   ', email: 'not an address', password: 'short' });
    expect(visit.status).toBe(400);
    expect(readFormErrors(visit.body)).toHaveLength(3);
    for (const field of ['name', 'email', 'password']) {
      expect(readFieldError(visit.body, field), field).toBeTruthy();
      expect(findInput(visit.body, field)?.['aria-invalid']).toBe('true');
      expect(findInput(visit.body, field)?.['aria-describedby']).toContain(`${field}-error`);
      expect(visit.body).toContain(`<a href="#${field}">`);
    }
    expect(findInput(visit.body, 'email')?.value).toBe('not an address');
    expect(visit.body).toContain('<title>Error: ');
  });

  test.each([
    'plain',
    '@example.org',
    'a@',
    'a b@example.org',
    'a@exa mple.org',
    `${'a'.repeat(250)}@example.org`,
  ])('rejects the email address %j', async (email) => {
    const { visit } = await signUp({ email });
    expect(visit.status).toBe(400);
    expect(readFieldError(visit.body, 'email')).toContain('full email address');
  });

  test('rejects an email address that is already taken', async () => {
    const { email } = await signUp({ email: 'Taken@Example.org' });
    const before = await contentWithoutBackground(service.databaseUrl);
    for (const spelling of [email, 'taken@example.org', 'TAKEN@EXAMPLE.ORG', ' taken@example.org ']) {
      const { visit, browser } = await signUp({ email: spelling, password: 'another password entirely' });
      expect(visit.status).toBe(400);
      expect(readFieldError(visit.body, 'email')).toContain('already exists');
      expect(browser.cookies.has('sesame')).toBe(false);
    }
    expect(await contentWithoutBackground(service.databaseUrl)).toEqual(before);
  });
});

test('the sign-up form removes invisible characters from names', async () => {
  for (const [name, storedName] of [
    ['Ada\tLove\nlace', 'Ada Love lace'],
    ['\u202eecalevoL\u202c \u2066Ada\u2069\u200f', 'ecalevoL Ada'],
    ['  \ufeffAda\u200b \u00a0  Lovelace ', 'Ada Lovelace'],
    ['می\u200cخواهم 👩\u200d🚀', 'می\u200cخواهم 👩\u200d🚀'],
    ['🚀'.repeat(100), '🚀'.repeat(100)],
  ] as const)
    expect((await findUser((await signUp({ name })).email))?.name).toBe(storedName);
  for (const [name, text] of [
    ['\u200b\u202e', 'Enter your name'],
    ['a'.repeat(101), '100 characters or fewer'],
  ] as const)
    expect(readFieldError((await signUp({ name })).visit.body, 'name')).toContain(text);
});

describe('a service with SIGN_UP=closed', () => {
  test('does not link to the sign-up page', async () => {
    await using closed = await startTestService({ SIGN_UP: 'closed' });
    const browser = openBrowserSession(closed.baseUrl);
    const page = await browser.get('/signup');
    expect(page.status).toBe(403);
    expect(readHeading(page.body)).toBe('Sign-up is closed');
    const signInPage = await browser.get('/signin');
    const before = await contentWithoutBackground(closed.databaseUrl);
    const visit = await browser.post('/signup', { ...signInPage.hidden, ...VALID_FIELDS });
    expect([visit.status, browser.cookies.has('sesame')]).toEqual([403, false]);
    expect(await contentWithoutBackground(closed.databaseUrl)).toEqual(before);
    expect(signInPage.body).not.toContain('/signup');
    expect((await browser.get('/')).body).not.toContain('/signup');
    const json = await browser.get('/signup', { accept: 'application/json' });
    expect(JSON.parse(json.body).error).toBe('access_denied');
    expect((await signIn(browser, await closed.createUser())).status).toBe(200);
    expect(browser.cookies.has('sesame')).toBe(true);
  });
});

test('a signed-in user is redirected from the sign-up page to the account overview', async () => {
  const { browser } = await signUp({});
  expect((await browser.get('/signup')).location?.pathname).toBe('/account');
});

describe('an internationalized email address', () => {
  const SPELLINGS = ['zoe@bücher.example', 'zoe@xn--bcher-kva.example', 'ZOE@BÜCHER.EXAMPLE'];

  test('identifies the same account in either spelling of the domain', async () => {
    expect((await signUp({ email: SPELLINGS[0] ?? '' })).visit.status).toBe(303);
    for (const email of SPELLINGS) {
      expect(readFieldError((await signUp({ email })).visit.body, 'email'), email).toContain('already');
      expect((await findUser(email))?.email, email).toBe('zoe@xn--bcher-kva.example');
      const browser = openBrowserSession(service.baseUrl);
      await signIn(browser, { userId: '', name: '', email, password: VALID_FIELDS.password });
      expect((await browser.get('/account')).status, email).toBe(200);
      const forgottenBrowser = openBrowserSession(service.baseUrl);
      const { hidden } = await forgottenBrowser.get('/password/forgot');
      expect((await forgottenBrowser.post('/password/forgot', { ...hidden, email })).status, email).toBe(303);
      expect((await findLastEmailTo(service, 'zoe@xn--bcher-kva.example')).subject, email).toContain(
        'new password',
      );
    }
  });
});
