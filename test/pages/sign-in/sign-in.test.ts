import { describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { findInput, parseElements, readFieldError } from '../../support/markup.ts';
import { buildAuthorizeUrl } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();

async function attemptSignIn(
  email: string,
  password: string,
  browser: BrowserSession = openBrowserSession(service.baseUrl),
): Promise<Visit> {
  const page = await browser.get('/signin');
  return browser.post('/signin', { ...page.hidden, email, password });
}

describe('the sign-in page', () => {
  test.each([
    '/account/%2e%2e/oauth/authorize?x=1',
    '/account/.%2E/signout',
    '/console/%2e/x',
    '/device/%2E%2e',
  ])('redirects to the account overview if next is %s', async (next) => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const { email, password } = user;
    const visit = await browser.post('/signin', { ...page.hidden, email, password, next });
    expect(visit.location?.pathname).toBe('/account');
    const secondVisit = await browser.get(`/signin?next=${encodeURIComponent(next)}`);
    expect(secondVisit.location?.pathname).toBe('/account');
  });

  test('ignores case and surrounding spaces in the email address', async () => {
    const user = await service.createUser({ email: 'Ada@Example.org' });
    for (const email of ['Ada@Example.org', 'ada@example.org', ' ADA@EXAMPLE.ORG '])
      expect((await attemptSignIn(email, user.password)).location?.pathname).toBe('/account');
  });

  test('has the fields email, password and csrf, with autocomplete', async () => {
    const page = await openBrowserSession(service.baseUrl).get('/signin');
    const inputs = parseElements(page.body).filter(({ name }) => name === 'input');
    expect(inputs.map(({ attributes }) => [attributes.name, attributes.autocomplete])).toEqual([
      ['csrf', undefined],
      ['able', undefined],
      ['email', 'username webauthn'],
      ['password', 'current-password'],
      ['csrf', undefined],
      ['passkey', undefined],
    ]);
    expect(parseElements(page.body).find(({ name }) => name === 'form')?.attributes).toMatchObject({
      method: 'post',
      action: '/signin',
    });
  });

  test('shows the client and prefills the email address from login_hint', async () => {
    const application = await service.createClient({ name: 'Carnet d’Ada' });
    const browser = openBrowserSession(service.baseUrl);
    const url = buildAuthorizeUrl(service, application, { login_hint: 'ada"<@example.org' });
    const page = await browser.follow(await browser.get(url));
    expect(page.body).toContain('Carnet d’Ada');
    expect(page.body).toContain('client.example');
    expect(findInput(page.body, 'email')?.value).toBe('ada"<@example.org');
  });

  test('redirects signed-in users to the account overview', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    await attemptSignIn(user.email, user.password, browser);
    expect((await browser.get('/signin')).location?.pathname).toBe('/account');
  });
});

describe('a sign-in form', () => {
  test.each([
    ['no password', { email: 'a@example.org', password: '' }, 'password', 'Enter your password.'],
    ['no email address', { email: '', password: 'x' }, 'email', 'full email address'],
    ['an invalid email address', { email: 'nobody', password: 'x' }, 'email', 'full email address'],
  ])('is rejected with a field error if it has %s', async (_, fields, field, text) => {
    const visit = await attemptSignIn(fields.email, fields.password);
    expect(visit.status).toBe(400);
    expect(readFieldError(visit.body, field)).toContain(text);
    expect(findInput(visit.body, 'email')?.value).toBe(fields.email);
  });
});
