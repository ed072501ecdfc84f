// What was shown long ago is no fresh proof, whatever is shown now beside it (D40, D41, ADR 13).

import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession, Visit } from '../support/browser-session.ts';
import { authorize, authorizeAddress, redeem, signedInBrowser } from '../support/flow.ts';
import { heldUp } from '../support/locks.ts';
import { fieldError, headingOf, inputOf } from '../support/markup.ts';
import { enrol } from '../support/passkey.ts';
import { codeOf, essentialAcr, protect, setUpApp } from '../support/protected-account.ts';
import { type TestApplication, useTestService } from '../support/service.ts';

const service = useTestService();
let application: TestApplication;
beforeAll(async () => {
  application = await service.createApplication({ standard: true });
});

const ask = async (browser: BrowserSession, parameters: Record<string, string>) =>
  browser.follow(await browser.get(authorizeAddress(service, application, parameters)));

const APP = '/account/security/app/remove';

describe('what is set up is no proof of what the account had before: nobody stays fresh by it', () => {
  const RENEW = '/account/security/codes/new';

  test.each<[string, (browser: BrowserSession) => Promise<unknown>]>([
    ['an app', (browser) => setUpApp(service, browser)],
    ['a passkey', (browser) => enrol(browser, service)],
  ])('%s', async (_, setUp) => {
    const browser = await signedInBrowser(service, await service.createUser());
    service.clock.advance(14 * 60);
    await setUp(browser);
    expect(inputOf((await browser.get(RENEW)).body, 'current_password')).toBeUndefined();
    service.clock.advance(61);
    const page = await browser.get(RENEW);
    expect(inputOf(page.body, 'current_password')).toBeDefined();
    expect(fieldError((await browser.post(RENEW, page.hidden)).body, 'current_password')).toBeTruthy();
  });
});

test('a new password, with the present one alone, keeps no session fresh that had shown more', async () => {
  const { browser, user } = await protect(service);
  service.clock.advance(14 * 60);
  const page = await browser.get('/account/password');
  const fields = { current_password: user.password, new_password: 'quite another battery staple' };
  const done = await browser.post('/account/password', { ...page.hidden, ...fields });
  expect(done.location?.search).toBe('?done=changed');
  service.clock.advance(61);
  expect(inputOf((await browser.get(APP)).body, 'confirmation_code')).toBeDefined();
});

test('a new password, with password and code, where a passkey was shown long ago: what was shown now is what counts', async () => {
  const { browser, secret, user } = await protect(service);
  await authorize(service, application, browser);
  await enrol(browser, service);
  service.clock.advance(3600);
  const page = await browser.get('/account/password');
  const proof = { current_password: user.password, confirmation_code: codeOf(service, secret) };
  await browser.post('/account/password', {
    ...page.hidden,
    ...proof,
    new_password: 'quite another battery staple',
  });
  expect(inputOf((await browser.get(APP)).body, 'confirmation_code')).toBeUndefined();
  const callback = await authorize(service, application, browser, { max_age: '600' });
  const { body } = await redeem(service, application, callback.searchParams.get('code') ?? '');
  expect(decodeJwt(String(body.id_token))).toMatchObject({ acr: '2', amr: ['pwd', 'otp', 'mfa'] });
});

describe('confirming again', () => {
  test('locks the session before the account, as everything does', async () => {
    const { browser, secret, user } = await protect(service);
    service.clock.advance(3600);
    const page = await browser.get(APP);
    const proof = { current_password: user.password, confirmation_code: codeOf(service, secret) };
    let sent: Promise<Visit> | undefined;
    await service.parts.database.transaction(async (transaction) => {
      const lock = (table: string) =>
        transaction.query({ name: '', text: `select from ${table} for update nowait` }, []);
      await lock('sessions');
      sent = browser.post(APP, { ...page.hidden, ...proof });
      await heldUp(service.databaseUrl);
      await lock('users');
    });
    expect((await sent)?.location?.search).toMatch(/done=/);
  });

  test.each([[{ max_age: '600' }], [{ prompt: 'login' }]])(
    'by password and code, where a passkey was shown long ago: it is no passkey of now (%j)',
    async (asked) => {
      const { browser, secret, user } = await protect(service);
      await authorize(service, application, browser);
      await enrol(browser, service);
      service.clock.advance(3600);
      const parameters = { ...asked, claims: essentialAcr('phr') };
      const signIn = await ask(browser, parameters);
      expect(headingOf(signIn.body)).toBe('Sign in');
      const page = await browser.get('/account/security/codes/new');
      await browser.post('/account/security/codes/new', {
        ...page.hidden,
        current_password: user.password,
        confirmation_code: codeOf(service, secret),
      });
      const back = await browser.follow(
        await browser.get(`/oauth/authorize?pending=${encodeURIComponent(signIn.hidden.pending ?? '')}`),
      );
      expect(headingOf(back.body)).toBe('Confirm with a passkey');
    },
  );

  test('by the password, all that the account has by now: a code of long ago is none of now', async () => {
    const { browser, user } = await protect(service);
    await authorize(service, application, browser);
    const remove = await browser.get(APP);
    await browser.post(APP, remove.hidden);
    service.clock.advance(3600);
    const page = await browser.get('/account/data');
    await browser.post('/account/data', { ...page.hidden, current_password: user.password });
    const { location } = await ask(browser, { max_age: '600' });
    const { body } = await redeem(service, application, location?.searchParams.get('code') ?? '');
    expect(decodeJwt(String(body.id_token))).toMatchObject({ acr: '1', amr: ['pwd'] });
  });

  test('a new password: likewise', async () => {
    const { browser, user } = await protect(service);
    await authorize(service, application, browser);
    const remove = await browser.get(APP);
    await browser.post(APP, remove.hidden);
    service.clock.advance(3600);
    const page = await browser.get('/account/password');
    const fields = { current_password: user.password, new_password: 'quite another battery staple' };
    await browser.post('/account/password', { ...page.hidden, ...fields });
    const callback = await authorize(service, application, browser, { max_age: '600' });
    const { body } = await redeem(service, application, callback.searchParams.get('code') ?? '');
    expect(decodeJwt(String(body.id_token))).toMatchObject({ acr: '1', amr: ['pwd'] });
  });
});
