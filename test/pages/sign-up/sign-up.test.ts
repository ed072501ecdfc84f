// GET and POST /signup: which accounts are made, what is said about the rest, and that one is signed in at once.
import { describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { settledContent } from '../../support/database-content.ts';
import { authorizeAddress, signIn } from '../../support/flow.ts';
import { lastMailTo } from '../../support/mail.ts';
import { elementsOf, fieldError, formErrors, headingOf, inputOf } from '../../support/markup.ts';
import { startTestService, useTestService } from '../../support/service.ts';

const service = useTestService();

const GOOD = { name: 'Zoé Müller', email: 'zoe@example.org', password: 'un mot de passe bien long' };
let counter = 0;
const freshEmail = (): string => `new${++counter}@example.org`;

async function signUp(
  fields: Partial<typeof GOOD>,
): Promise<{ visit: Visit; browser: BrowserSession; email: string }> {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signup');
  const all = { ...GOOD, email: freshEmail(), ...fields };
  return { visit: await browser.post('/signup', { ...page.hidden, ...all }), browser, email: all.email };
}

const find = (email: string) => findUserByEmail(service.parts.database, email);

describe('a good form', () => {
  test('makes an account with an unverified address and signs in at once', async () => {
    const { visit, browser, email } = await signUp({});
    expect([visit.status, visit.location?.pathname]).toEqual([303, '/account/verify']);
    expect((await browser.get('/account')).body).toContain(email);
    expect(await find(email)).toMatchObject({
      name: 'Zoé Müller',
      email,
      emailVerified: false,
      operator: false,
    });
  });

  test('fields that are not on the form change nothing', async () => {
    const more = { operator: 'true', emailVerified: 'true', email_verified: 'true', phone: '+33612345678' };
    const { email } = await signUp(more as object);
    expect(await find(email)).toMatchObject({ emailVerified: false, operator: false, phone: null });
  });

  test('the stable names: name, email, password and the hidden csrf, with autocomplete', async () => {
    const page = await openBrowserSession(service.baseUrl).get('/signup');
    const inputs = elementsOf(page.body).filter(({ name }) => name === 'input');
    expect(inputs.map(({ attributes }) => attributes.name)).toEqual(['csrf', 'name', 'email', 'password']);
    expect(inputs.map(({ attributes }) => attributes.autocomplete).slice(1)).toEqual([
      'name',
      'username',
      'new-password',
    ]);
    expect(elementsOf(page.body).find(({ name }) => name === 'form')?.attributes).toMatchObject({
      method: 'post',
      action: '/signup',
    });
  });

  test('on the way to an application it leads on to consent, and login_hint is filled in', async () => {
    const application = await service.createApplication();
    const browser = openBrowserSession(service.baseUrl);
    const email = freshEmail();
    const address = authorizeAddress(service, application, { login_hint: email });
    const signInPage = await browser.follow(await browser.get(address));
    const page = await browser.get(`/signup?pending=${signInPage.hidden.pending}`);
    expect(inputOf(page.body, 'email')?.value).toBe(email);
    const visit = await browser.follow(await browser.post('/signup', { ...GOOD, ...page.hidden, email }));
    expect(visit.body).toContain('action="/consent"');
    expect(visit.body).toContain('not verified yet');
  });
});

/** 1024 characters of words that do not follow each other. */
const LONG = 'bêche orage tuile lampe vigne sucre '.repeat(29).slice(0, 1024);

describe('passwords (NIST SP 800-63B §3.1.1.2)', () => {
  test.each([
    ['8 characters', 'kq7zw2fx'],
    ['8 characters of two UTF-16 units each', '🔑🚪🌙🪟🧭🐢🍐🎈'],
    ['1024 characters', LONG],
    ['spaces around it', '  kept as typed  '],
  ])('%s: accepted, and only that very text signs in', async (_, password) => {
    const { visit, email } = await signUp({ password });
    expect(visit.status).toBe(303);
    const attempt = async (typed: string) => {
      const browser = openBrowserSession(service.baseUrl);
      const page = await browser.get('/signin');
      return (await browser.post('/signin', { ...page.hidden, email, password: typed })).status;
    };
    expect(await attempt(password)).toBe(303);
    expect(await attempt(`${password}x`)).toBe(401);
    expect(await attempt([...password].slice(0, -1).join(''))).toBe(401);
    if (password !== password.trim()) expect(await attempt(password.trim())).toBe(401);
  });

  test('an accented letter as one or two code points is the same password', async () => {
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
    ['one of the commonest', 'password123', 'Too easy to guess'],
    ['letters in a row', 'mnopqrstuvw', 'Too easy to guess'],
    ['the name of the service', 'Sesame123', 'the name of this service'],
    ['their own name, written with accents', 'Zoé Müller', 'your name'],
  ])('%s: refused at the field, and not sent back', async (_, password, text) => {
    const { visit, email } = await signUp({ password });
    expect(visit.status).toBe(400);
    expect(fieldError(visit.body, 'password')).toContain(text);
    expect(inputOf(visit.body, 'password')).not.toHaveProperty('value');
    expect(await find(email)).toBeUndefined();
  });
});

test('one’s own address is no password, nor what stands before the @', async () => {
  for (const [email, password] of [
    ['camille.durand@example.org', 'camille.durand@example.org'],
    ['camille.dupond@example.org', 'Camille.Dupond'],
    ['camille.dupont@example.org', 'dupont1985'],
  ] as const) {
    const { visit } = await signUp({ email, password });
    expect([password, fieldError(visit.body, 'password')]).toEqual([
      password,
      expect.stringContaining('your email address'),
    ]);
  }
});

describe('faults', () => {
  test('all at once: listed with links, shown at their fields, what was typed is kept', async () => {
    const { visit } = await signUp({ name: '   ', email: 'not an address', password: 'short' });
    expect(visit.status).toBe(400);
    expect(formErrors(visit.body)).toHaveLength(3);
    for (const field of ['name', 'email', 'password']) {
      expect(fieldError(visit.body, field), field).toBeTruthy();
      expect(inputOf(visit.body, field)?.['aria-invalid']).toBe('true');
      expect(inputOf(visit.body, field)?.['aria-describedby']).toContain(`${field}-error`);
      expect(visit.body).toContain(`<a href="#${field}">`);
    }
    expect(inputOf(visit.body, 'email')?.value).toBe('not an address');
    expect(visit.body).toContain('<title>Error: ');
  });

  test.each([
    'plain',
    '@example.org',
    'a@',
    'a b@example.org',
    'a@exa mple.org',
    `${'a'.repeat(250)}@example.org`,
  ])('the address %j is refused', async (email) => {
    const { visit } = await signUp({ email });
    expect(visit.status).toBe(400);
    expect(fieldError(visit.body, 'email')).toContain('full email address');
  });

  test('an address that is taken, in any case, is refused and changes nothing', async () => {
    const { email } = await signUp({ email: 'Taken@Example.org' });
    const before = await settledContent(service.databaseUrl);
    for (const again of [email, 'taken@example.org', 'TAKEN@EXAMPLE.ORG', ' taken@example.org ']) {
      const { visit, browser } = await signUp({ email: again, password: 'another password entirely' });
      expect(visit.status).toBe(400);
      expect(fieldError(visit.body, 'email')).toContain('already exists');
      expect(browser.cookies.has('sesame')).toBe(false);
    }
    expect(await settledContent(service.databaseUrl)).toEqual(before);
  });
});

test('names are cleaned of what does not show, keep joiners and accents, and have a length', async () => {
  for (const [name, kept] of [
    ['Ada\tLove\nlace', 'Ada Love lace'],
    ['\u202eecalevoL\u202c \u2066Ada\u2069\u200f', 'ecalevoL Ada'],
    ['  \ufeffAda\u200b \u00a0  Lovelace ', 'Ada Lovelace'],
    ['می\u200cخواهم 👩\u200d🚀', 'می\u200cخواهم 👩\u200d🚀'],
    ['🚀'.repeat(100), '🚀'.repeat(100)],
  ] as const)
    expect((await find((await signUp({ name })).email))?.name).toBe(kept);
  for (const [name, text] of [
    ['\u200b\u202e', 'Enter your name'],
    ['a'.repeat(101), '100 characters or fewer'],
  ] as const)
    expect(fieldError((await signUp({ name })).visit.body, 'name')).toContain(text);
});

describe('SIGN_UP=closed', () => {
  test('the page and its form are refused, nothing leads there, signing in works', async () => {
    await using closed = await startTestService({ SIGN_UP: 'closed' });
    const browser = openBrowserSession(closed.baseUrl);
    const page = await browser.get('/signup');
    expect(page.status).toBe(403);
    expect(headingOf(page.body)).toBe('Sign-up is closed');
    const signInPage = await browser.get('/signin');
    const before = await settledContent(closed.databaseUrl);
    const visit = await browser.post('/signup', { ...signInPage.hidden, ...GOOD });
    expect([visit.status, browser.cookies.has('sesame')]).toEqual([403, false]);
    expect(await settledContent(closed.databaseUrl)).toEqual(before);
    expect(signInPage.body).not.toContain('/signup');
    expect((await browser.get('/')).body).not.toContain('/signup');
    const json = await browser.get('/signup', { accept: 'application/json' });
    expect(JSON.parse(json.body).error).toBe('access_denied');
    expect((await signIn(browser, await closed.createUser())).status).toBe(200);
    expect(browser.cookies.has('sesame')).toBe(true);
  });
});

test('somebody signed in who opens the page is led to the account', async () => {
  const { browser } = await signUp({});
  expect((await browser.get('/signup')).location?.pathname).toBe('/account');
});

describe('an international domain', () => {
  const SPELLINGS = ['zoe@bücher.example', 'zoe@xn--bcher-kva.example', 'ZOE@BÜCHER.EXAMPLE'];

  test('is one account in both spellings, wherever the address is typed', async () => {
    expect((await signUp({ email: SPELLINGS[0] ?? '' })).visit.status).toBe(303);
    for (const email of SPELLINGS) {
      expect(fieldError((await signUp({ email })).visit.body, 'email'), email).toContain('already');
      expect((await find(email))?.email, email).toBe('zoe@xn--bcher-kva.example');
      const browser = openBrowserSession(service.baseUrl);
      await signIn(browser, { userId: '', name: '', email, password: GOOD.password });
      expect((await browser.get('/account')).status, email).toBe(200);
      const forgotten = openBrowserSession(service.baseUrl);
      const { hidden } = await forgotten.get('/password/forgot');
      expect((await forgotten.post('/password/forgot', { ...hidden, email })).status, email).toBe(303);
      expect((await lastMailTo(service, 'zoe@xn--bcher-kva.example')).subject, email).toContain(
        'new password',
      );
    }
  });
});
