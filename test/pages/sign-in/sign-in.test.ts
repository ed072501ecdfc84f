// GET and POST /signin: the form, what is wrong with it, and where it leads.
import { describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { authorizeAddress } from '../../support/flow.ts';
import { elementsOf, fieldError, inputOf } from '../../support/markup.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();

async function attempt(
  email: string,
  password: string,
  browser: BrowserSession = openBrowserSession(service.baseUrl),
): Promise<Visit> {
  const page = await browser.get('/signin');
  return browser.post('/signin', { ...page.hidden, email, password });
}

describe('the right password', () => {
  test.each([
    '/account/%2e%2e/oauth/authorize?x=1',
    '/account/.%2E/signout',
    '/console/%2e/x',
    '/device/%2E%2e',
  ])('leads to the account where next is %s: browsers read an encoded dot as a dot', async (next) => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const { email, password } = user;
    const visit = await browser.post('/signin', { ...page.hidden, email, password, next });
    expect(visit.location?.pathname).toBe('/account');
    const again = await browser.get(`/signin?next=${encodeURIComponent(next)}`);
    expect(again.location?.pathname).toBe('/account');
  });

  test('signs in, whatever the case of the address and the spaces around it', async () => {
    const user = await service.createUser({ email: 'Ada@Example.org' });
    for (const email of ['Ada@Example.org', 'ada@example.org', ' ADA@EXAMPLE.ORG '])
      expect((await attempt(email, user.password)).location?.pathname).toBe('/account');
  });

  test('the stable names: email, password and the hidden csrf, with autocomplete', async () => {
    const page = await openBrowserSession(service.baseUrl).get('/signin');
    const inputs = elementsOf(page.body).filter(({ name }) => name === 'input');
    expect(inputs.map(({ attributes }) => [attributes.name, attributes.autocomplete])).toEqual([
      ['csrf', undefined],
      ['able', undefined],
      ['email', 'username webauthn'],
      ['password', 'current-password'],
      ['csrf', undefined],
      ['passkey', undefined],
    ]);
    expect(elementsOf(page.body).find(({ name }) => name === 'form')?.attributes).toMatchObject({
      method: 'post',
      action: '/signin',
    });
  });

  test('the page names the application on the way, and login_hint is filled in', async () => {
    const application = await service.createApplication({ name: 'Carnet d’Ada' });
    const browser = openBrowserSession(service.baseUrl);
    const address = authorizeAddress(service, application, { login_hint: 'ada"<@example.org' });
    const page = await browser.follow(await browser.get(address));
    expect(page.body).toContain('Carnet d’Ada');
    expect(page.body).toContain('client.example');
    expect(inputOf(page.body, 'email')?.value).toBe('ada"<@example.org');
  });

  test('somebody signed in who opens the page is led to the account', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    await attempt(user.email, user.password, browser);
    expect((await browser.get('/signin')).location?.pathname).toBe('/account');
  });
});

describe('faults of the form', () => {
  test.each([
    ['no password', { email: 'a@example.org', password: '' }, 'password', 'Enter your password.'],
    ['no address', { email: '', password: 'x' }, 'email', 'full email address'],
    ['no address at all', { email: 'nobody', password: 'x' }, 'email', 'full email address'],
  ])('%s: 400 at the field, the address is kept, nothing is counted', async (_, fields, field, text) => {
    const visit = await attempt(fields.email, fields.password);
    expect(visit.status).toBe(400);
    expect(fieldError(visit.body, field)).toContain(text);
    expect(inputOf(visit.body, 'email')?.value).toBe(fields.email);
  });
});
