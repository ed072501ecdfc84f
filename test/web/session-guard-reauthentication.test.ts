// Re-authentication with one factor doesn't renew a different factor (ADR 13).

import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession, Visit } from '../support/browser-session.ts';
import { waitForBlocked } from '../support/locks.ts';
import { findInput, readFieldError, readHeading } from '../support/markup.ts';
import {
  buildEssentialAcrClaims,
  createMfaAccount,
  createTotpCode,
  setUpAuthenticatorApp,
} from '../support/mfa-account.ts';
import { authorize, buildAuthorizeUrl, openSignedInBrowser, redeemCode } from '../support/oauth-flow.ts';
import { registerPasskey } from '../support/passkey.ts';
import { type TestClient, useTestService } from '../support/service.ts';

const service = useTestService();
let application: TestClient;
beforeAll(async () => {
  application = await service.createClient({ standard: true });
});

const openAuthorization = async (browser: BrowserSession, parameters: Record<string, string>) =>
  browser.follow(await browser.get(buildAuthorizeUrl(service, application, parameters)));

const REMOVE_APP_PATH = '/account/security/app/remove';

describe('setting up a second factor', () => {
  const NEW_CODES_PATH = '/account/security/codes/new';

  test.each<[string, (browser: BrowserSession) => Promise<unknown>]>([
    ['an authenticator app', (browser) => setUpAuthenticatorApp(service, browser)],
    ['a passkey', (browser) => registerPasskey(browser, service)],
  ])('does not count as a recent sign-in (%s)', async (_, setUp) => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    service.clock.advance(14 * 60);
    await setUp(browser);
    expect(findInput((await browser.get(NEW_CODES_PATH)).body, 'current_password')).toBeUndefined();
    service.clock.advance(61);
    const page = await browser.get(NEW_CODES_PATH);
    expect(findInput(page.body, 'current_password')).toBeDefined();
    expect(
      readFieldError((await browser.post(NEW_CODES_PATH, page.hidden)).body, 'current_password'),
    ).toBeTruthy();
  });
});

test('a password change without a second factor does not count as recent MFA', async () => {
  const { browser, user } = await createMfaAccount(service);
  service.clock.advance(14 * 60);
  const page = await browser.get('/account/password');
  const fields = { current_password: user.password, new_password: 'quite another battery staple' };
  const response = await browser.post('/account/password', { ...page.hidden, ...fields });
  expect(response.location?.search).toBe('?done=changed');
  service.clock.advance(61);
  expect(findInput((await browser.get(REMOVE_APP_PATH)).body, 'confirmation_code')).toBeDefined();
});

test('a password change does not count as recent use of a passkey', async () => {
  const { browser, secret, user } = await createMfaAccount(service);
  await authorize(service, application, browser);
  await registerPasskey(browser, service);
  service.clock.advance(3600);
  const page = await browser.get('/account/password');
  const proof = { current_password: user.password, confirmation_code: createTotpCode(service, secret) };
  await browser.post('/account/password', {
    ...page.hidden,
    ...proof,
    new_password: 'quite another battery staple',
  });
  expect(findInput((await browser.get(REMOVE_APP_PATH)).body, 'confirmation_code')).toBeUndefined();
  const callback = await authorize(service, application, browser, { max_age: '600' });
  const { body } = await redeemCode(service, application, callback.searchParams.get('code') ?? '');
  expect(decodeJwt(String(body.id_token))).toMatchObject({ acr: '2', amr: ['pwd', 'otp', 'mfa'] });
});

describe('re-authentication', () => {
  test('locks the session before the account', async () => {
    const { browser, secret, user } = await createMfaAccount(service);
    service.clock.advance(3600);
    const page = await browser.get(REMOVE_APP_PATH);
    const proof = { current_password: user.password, confirmation_code: createTotpCode(service, secret) };
    let submission: Promise<Visit> | undefined;
    await service.services.database.transaction(async (transaction) => {
      const lock = (table: string) =>
        transaction.query({ name: '', text: `select from ${table} for update nowait` }, []);
      await lock('sessions');
      submission = browser.post(REMOVE_APP_PATH, { ...page.hidden, ...proof });
      await waitForBlocked(service.databaseUrl);
      await lock('users');
    });
    expect((await submission)?.location?.search).toMatch(/done=/);
  });

  test.each([[{ max_age: '600' }], [{ prompt: 'login' }]])(
    'with a password and a code does not count as use of a passkey (%j)',
    async (requirement) => {
      const { browser, secret, user } = await createMfaAccount(service);
      await authorize(service, application, browser);
      await registerPasskey(browser, service);
      service.clock.advance(3600);
      const parameters = { ...requirement, claims: buildEssentialAcrClaims('phr') };
      const signInPage = await openAuthorization(browser, parameters);
      expect(readHeading(signInPage.body)).toBe('Sign in');
      const page = await browser.get('/account/security/codes/new');
      await browser.post('/account/security/codes/new', {
        ...page.hidden,
        current_password: user.password,
        confirmation_code: createTotpCode(service, secret),
      });
      const nextPage = await browser.follow(
        await browser.get(`/oauth/authorize?pending=${encodeURIComponent(signInPage.hidden.pending ?? '')}`),
      );
      expect(readHeading(nextPage.body)).toBe('Confirm with a passkey');
    },
  );

  test('with only the password does not count as MFA', async () => {
    const { browser, user } = await createMfaAccount(service);
    await authorize(service, application, browser);
    const remove = await browser.get(REMOVE_APP_PATH);
    await browser.post(REMOVE_APP_PATH, remove.hidden);
    service.clock.advance(3600);
    const page = await browser.get('/account/data');
    await browser.post('/account/data', { ...page.hidden, current_password: user.password });
    const { location } = await openAuthorization(browser, { max_age: '600' });
    const { body } = await redeemCode(service, application, location?.searchParams.get('code') ?? '');
    expect(decodeJwt(String(body.id_token))).toMatchObject({ acr: '1', amr: ['pwd'] });
  });

  test('during a password change does not count as MFA', async () => {
    const { browser, user } = await createMfaAccount(service);
    await authorize(service, application, browser);
    const remove = await browser.get(REMOVE_APP_PATH);
    await browser.post(REMOVE_APP_PATH, remove.hidden);
    service.clock.advance(3600);
    const page = await browser.get('/account/password');
    const fields = { current_password: user.password, new_password: 'quite another battery staple' };
    await browser.post('/account/password', { ...page.hidden, ...fields });
    const callback = await authorize(service, application, browser, { max_age: '600' });
    const { body } = await redeemCode(service, application, callback.searchParams.get('code') ?? '');
    expect(decodeJwt(String(body.id_token))).toMatchObject({ acr: '1', amr: ['pwd'] });
  });
});
