// MFA required by a client or by MFA_POLICY.
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { hashRecoveryCode } from '../../src/credentials/recovery-codes.ts';
import { statement } from '../../src/store/statement.ts';
import { createSignedInAdmin } from '../support/admin.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { findLastEmailTo, readLink } from '../support/emails.ts';
import { findInput, listUrls, readHeading, readText } from '../support/markup.ts';
import {
  createMfaAccountWithOldSession,
  createTotpCode,
  enrollDuringSignIn,
  readSetUpFields,
  setUpAuthenticatorApp,
  signInOnRememberedDevice,
} from '../support/mfa-account.ts';
import {
  buildAuthorizeUrl,
  enableDeviceFlow,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  requestUserCode,
  signIn,
  submitDecision,
} from '../support/oauth-flow.ts';
import { createPasskey, NEW_PASSKEY_PATH, readPasskeyOptions, registerPasskey } from '../support/passkey.ts';
import { startTestService, type TestClient, type TestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

afterAll(() => service.close());

const SET_MFA_REQUIRED = statement(
  'test_demand_second_factor',
  'update clients set mfa_required = $2::boolean where client_id = $1',
);
const setMfaRequired = (targetService: TestService, { clientId }: TestClient, required = true) =>
  targetService.services.database.query(SET_MFA_REQUIRED, [clientId, required]);
async function createClientRequiringMfa(targetService: TestService): Promise<TestClient> {
  const client = await targetService.createClient({ name: 'Coffre', standard: true });
  await setMfaRequired(targetService, client);
  return client;
}

const openAuthorization = async (
  browser: BrowserSession,
  parameters = {},
  client = mfaClient,
  targetService = service,
) => browser.follow(await browser.get(buildAuthorizeUrl(targetService, client, parameters)));
const isStepUpPage = (visit: Visit): boolean => visit.body.includes('action="/signin/step-up"');
const isEnrollmentPage = (visit: Visit): boolean => visit.body.includes('action="/account/security/app"');
const isConsentPage = (visit: Visit): boolean => visit.body.includes('action="/consent"');
const readError = (visit: Visit) => visit.location?.searchParams.get('error');
const submitCode = async (browser: BrowserSession, page: Visit, code: string) =>
  browser.follow(await browser.post('/signin/step-up', { ...page.hidden, code }));

const service = await startTestService();
const mfaClient = await createClientRequiringMfa(service);

describe('a user signed in without MFA', () => {
  test('must create a passkey if the account has no password', async () => {
    const { userId, email } = await service.createUser();
    const code = '0000-1111-2222-3333';
    const { database } = service.services;
    await sql(database, 'update users set password_hash = null where id = $1', [userId]);
    await sql(
      database,
      'insert into recovery_codes (hash, user_id, created_at) values ($1::bytea, $2::uuid, $3::timestamptz)',
      [hashRecoveryCode(userId, code), userId, service.clock.now()],
    );
    const browser = openBrowserSession(service.baseUrl);
    const pending = (await openAuthorization(browser)).hidden.pending ?? '';
    const page = await browser.get(`/signin/recovery?pending=${pending}`);
    const enrollmentPage = await browser.follow(
      await browser.post('/signin/recovery', { ...page.hidden, email, code }),
    );
    expect(enrollmentPage.body).toContain('action="/account/security/passkeys/new"');
    const passkey = createPasskey(service.baseUrl).createCredential(
      readPasskeyOptions(enrollmentPage.body, 'create'),
    );
    expect(readText(enrollmentPage.body)).toContain('Cancel and return to Coffre');
    const response = await browser.post(NEW_PASSKEY_PATH, {
      ...readSetUpFields(enrollmentPage, NEW_PASSKEY_PATH),
      passkey,
    });
    expect(isConsentPage(await browser.follow(response))).toBe(true);
  });

  test('must set up an authenticator app to continue', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const page = await signIn(browser, user, await openAuthorization(browser));
    expect(readHeading(page.body)).toBe('Add a second factor');
    expect(readText(page.body)).toContain('Coffre requires more than a password.');
    expect(page.body).not.toContain('class="side');
    const { shown: recoveryCodesPage, continuedTo } = await enrollDuringSignIn(service, browser, page);
    expect(recoveryCodesPage.body).toContain('id="codes"');
    expect(isConsentPage(continuedTo)).toBe(true);
    const callback = (await submitDecision(browser, continuedTo, 'allow')).location;
    const { body } = await redeemCode(service, mfaClient, callback?.searchParams.get('code') ?? '');
    expect(decodeJwt(String(body.id_token))).toMatchObject({ acr: '2', amr: ['pwd', 'otp', 'mfa'] });
    expect((await browser.get('/account/security/codes')).body).not.toContain('id="codes"');
  });

  test("can create a passkey with the page's first option", async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const page = await openAuthorization(browser);
    const passkeyForm = page.body.indexOf(`action="${NEW_PASSKEY_PATH}"`);
    expect(passkeyForm).toBeGreaterThan(0);
    expect(passkeyForm).toBeLessThan(page.body.indexOf('action="/account/security/app"'));
    const passkey = createPasskey(service.baseUrl).createCredential(readPasskeyOptions(page.body, 'create'));
    const response = await browser.post(NEW_PASSKEY_PATH, {
      ...readSetUpFields(page, NEW_PASSKEY_PATH),
      passkey,
    });
    expect(isConsentPage(await browser.follow(response))).toBe(true);
  });

  test('can create a passkey after entering the password', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    service.clock.advance(16 * 60);
    const page = await openAuthorization(browser);
    expect(page.body).not.toContain(`action="${NEW_PASSKEY_PATH}"`);
    const href = listUrls(page.body).find((url) => url.startsWith(NEW_PASSKEY_PATH)) ?? '';
    const newPasskeyPage = await browser.get(href);
    const appHref =
      listUrls(newPasskeyPage.body).find((url) => url.startsWith('/account/security/app')) ?? '';
    expect(isEnrollmentPage(await browser.get(appHref))).toBe(true);
    const passkey = createPasskey(service.baseUrl).createCredential(
      readPasskeyOptions(newPasskeyPage.body, 'create'),
    );
    const fields = { ...readSetUpFields(newPasskeyPage, NEW_PASSKEY_PATH), passkey };
    expect((await browser.post(NEW_PASSKEY_PATH, fields)).status).toBe(400);
    const response = await browser.post(NEW_PASSKEY_PATH, { ...fields, current_password: user.password });
    expect(isConsentPage(await browser.follow(response))).toBe(true);
  });

  test('can enter a wrong code and try again', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const page = await openAuthorization(browser);
    const pageAfterWrongCode = await browser.follow(
      await browser.post('/account/security/app', { ...readSetUpFields(page), code: '000000' }),
    );
    expect(isEnrollmentPage(pageAfterWrongCode)).toBe(true);
    expect(readText(pageAfterWrongCode.body)).toContain('Coffre');
    expect(isConsentPage((await enrollDuringSignIn(service, browser, pageAfterWrongCode)).continuedTo)).toBe(
      true,
    );
  });

  test('must re-authenticate before MFA setup after 15 minutes', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    service.clock.advance(16 * 60);
    const page = await openAuthorization(browser);
    expect(findInput(page.body, 'current_password')).toBeDefined();
    const { recoveryCodesPage } = await setUpAuthenticatorApp(service, browser, page);
    expect(recoveryCodesPage.body).not.toContain('id="codes"');
  });

  test('must present a passkey if the account has one', async () => {
    const user = await service.createUser();
    const { passkey } = await registerPasskey(await openSignedInBrowser(service, user), service);
    const browser = await openSignedInBrowser(service, user);
    const page = await openAuthorization(browser);
    expect(isStepUpPage(page)).toBe(true);
    const assertion = passkey.createAssertion(readPasskeyOptions(page.body, 'sign-in'));
    const response = await browser.post('/signin/step-up', { ...page.hidden, passkey: assertion });
    expect(isConsentPage(await browser.follow(response))).toBe(true);
  });

  test('must set up an authenticator app for an essential acr', async () => {
    const client = await service.createClient({ standard: true });
    const browser = await openSignedInBrowser(service, await service.createUser());
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['2'] } } });
    const page = await openAuthorization(browser, { claims }, client);
    expect(isEnrollmentPage(page)).toBe(true);
    const form = Object.fromEntries(buildAuthorizeUrl(service, client, { claims }).searchParams);
    const { body } = await postForm(service, '/oauth/par', { ...form, client_secret: client.clientSecret });
    const pushed = new URLSearchParams({ client_id: client.clientId, request_uri: String(body.request_uri) });
    expect(isEnrollmentPage(await browser.follow(await browser.get(`/oauth/authorize?${pushed}`)))).toBe(
      true,
    );
    expect(isConsentPage((await enrollDuringSignIn(service, browser, page)).continuedTo)).toBe(true);
  });

  test('can cancel MFA setup with access_denied', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const page = await openAuthorization(browser);
    const csrf = [...page.body.matchAll(/name="csrf" value="([^"]+)"/g)].at(-1)?.[1] ?? '';
    const canceled = await browser.post('/signin/cancel', { csrf, pending: page.hidden.pending ?? '' });
    expect(readError(canceled)).toBe('access_denied');
  });

  test('gets interaction_required for prompt=none', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    expect(readError(await openAuthorization(browser, { prompt: 'none' }))).toBe('interaction_required');
  });

  test('sets up only one authenticator app with concurrent requests', async () => {
    const secondService = await startTestService({}, { databaseUrl: service.databaseUrl });
    const user = await service.createUser();
    const setups = await Promise.all(
      [service, secondService].map(async (targetService) => {
        const browser = await openSignedInBrowser(targetService, user);
        const page = await openAuthorization(browser, {}, mfaClient, targetService);
        const secret = (/id="key"[^>]*>([^<]*)</.exec(page.body)?.[1] ?? '').replaceAll(' ', '');
        return { browser, fields: { ...readSetUpFields(page), code: createTotpCode(targetService, secret) } };
      }),
    );
    const responses = await Promise.all(
      setups.map(({ browser, fields }) => browser.post('/account/security/app', fields)),
    );
    expect(responses.map(({ location }) => location?.pathname).sort()).toEqual([
      '/account/security/codes',
      '/oauth/authorize',
    ]);
    await secondService.close();
  });
});

describe("a client's MFA requirement", () => {
  test('applies to existing sessions and remembered devices', async () => {
    const account = await createMfaAccountWithOldSession(service);
    for (const browser of [account.passwordOnlyBrowser, await signInOnRememberedDevice(service, account)]) {
      const page = await openAuthorization(browser);
      expect(isStepUpPage(page)).toBe(true);
      expect(readError(await openAuthorization(browser, { prompt: 'none' }))).toBe('login_required');
      const consent = await browser.get(`/consent?pending=${page.hidden.pending}`);
      expect(consent.location?.pathname).toBe('/oauth/authorize');
      expect(isConsentPage(await submitCode(browser, page, createTotpCode(service, account.secret)))).toBe(
        true,
      );
      service.clock.advance(30);
    }
    expect(isConsentPage(await openAuthorization(account.browser))).toBe(true);
  });

  test('applies to prompt=login on a remembered device', async () => {
    const account = await createMfaAccountWithOldSession(service);
    const browser = await signInOnRememberedDevice(service, account);
    const page = await openAuthorization(browser, { prompt: 'login' });
    expect(isStepUpPage(await signIn(browser, account.user, page))).toBe(true);
  });

  test('is not satisfied by a password reset', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const forgot = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...forgot.hidden, email: user.email });
    const reset = await browser.get(readLink(await findLastEmailTo(service, user.email)));
    await browser.post('/password/reset', { ...reset.hidden, new_password: 'quite another battery staple' });
    expect(isEnrollmentPage(await openAuthorization(browser))).toBe(true);

    const account = await createMfaAccountWithOldSession(service);
    const form = await account.browser.get('/account/email');
    const newEmail = `new-${account.user.email}`;
    await account.browser.post('/account/email', { ...form.hidden, new_email: newEmail });
    const confirm = await account.passwordOnlyBrowser.get(readLink(await findLastEmailTo(service, newEmail)));
    await account.passwordOnlyBrowser.post('/security/confirm', confirm.hidden);
    expect(isStepUpPage(await openAuthorization(account.passwordOnlyBrowser))).toBe(true);
  });

  test('applies to open consent pages', async () => {
    const client = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const consent = await openAuthorization(browser, {}, client);
    await setMfaRequired(service, client);
    const response = await browser.follow(await submitDecision(browser, consent, 'allow'));
    expect(isEnrollmentPage(response)).toBe(true);
  });

  test('applies to device approval', async () => {
    const client = await createClientRequiringMfa(service);
    await enableDeviceFlow(service, client);
    const browser = await openSignedInBrowser(service, await service.createUser());
    const userCode = await requestUserCode(service, client);
    const form = await browser.get('/device');
    const page = await browser.follow(await browser.post('/device', { ...form.hidden, user_code: userCode }));
    expect(isEnrollmentPage(page)).toBe(true);
    const { continuedTo } = await enrollDuringSignIn(service, browser, page);
    expect(readHeading(continuedTo.body)).toContain('Coffre');
    const approval = await browser.post('/device/decision', { ...continuedTo.hidden, decision: 'allow' });
    expect(approval.location?.search).toBe('?done=allowed');
  });

  test('applies to open device pages', async () => {
    const client = await service.createClient({ name: 'Coffre' });
    await enableDeviceFlow(service, client);
    const account = await createMfaAccountWithOldSession(service);
    const userCode = await requestUserCode(service, client);
    const { passwordOnlyBrowser: browser } = account;
    const form = await browser.get('/device');
    const page = await browser.follow(await browser.post('/device', { ...form.hidden, user_code: userCode }));
    await setMfaRequired(service, client);
    const response = await browser.post('/device/decision', { ...page.hidden, decision: 'allow' });
    expect(response.location?.pathname).toBe('/signin/step-up');
    const devicePage = await submitCode(
      browser,
      await browser.follow(response),
      createTotpCode(service, account.secret),
    );
    const approval = await browser.post('/device/decision', { ...devicePage.hidden, decision: 'allow' });
    expect(approval.location?.search).toBe('?done=allowed');
  });
});

describe('grants from sessions without MFA', () => {
  test('cannot be refreshed while the client requires MFA', async () => {
    const client = await service.createClient();
    const account = await createMfaAccountWithOldSession(service);
    const passwordTokens = await obtainTokens(service, client, account.passwordOnlyBrowser);
    const mfaTokens = await obtainTokens(service, client, account.browser);
    await setMfaRequired(service, client);
    const refused = await redeemRefreshToken(service, client, passwordTokens.refreshToken);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    expect(refused.body.error_description).toContain('Multi-factor authentication');
    expect((await redeemRefreshToken(service, client, mfaTokens.refreshToken)).status).toBe(200);
    await setMfaRequired(service, client, false);
    expect((await redeemRefreshToken(service, client, passwordTokens.refreshToken)).status).toBe(200);
  });

  test('are revoked by refresh token reuse', async () => {
    const client = await service.createClient();
    const account = await createMfaAccountWithOldSession(service);
    const { refreshToken } = await obtainTokens(service, client, account.passwordOnlyBrowser);
    const refreshed = await redeemRefreshToken(service, client, refreshToken);
    await setMfaRequired(service, client);
    await redeemRefreshToken(service, client, refreshToken);
    await setMfaRequired(service, client, false);
    expect((await redeemRefreshToken(service, client, String(refreshed.body.refresh_token))).status).toBe(
      400,
    );
  });

  test('cannot be refreshed during the grace period', async () => {
    const client = await service.createClient({ refreshGrace: 60 });
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { refreshToken } = await obtainTokens(service, client, browser);
    await redeemRefreshToken(service, client, refreshToken);
    await setMfaRequired(service, client);
    expect((await redeemRefreshToken(service, client, refreshToken)).body.error).toBe('invalid_grant');
  });

  test('cannot be refreshed in the device flow', async () => {
    const client = await service.createClient();
    await enableDeviceFlow(service, client);
    const browser = await openSignedInBrowser(service, await service.createUser());
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    const { body } = await postForm(service, '/oauth/device_authorization', {
      ...credentials,
      scope: 'openid',
    });
    const form = await browser.get(`/device?user_code=${body.user_code}`);
    const page = await browser.follow(
      await browser.post('/device', { ...form.hidden, user_code: String(body.user_code) }),
    );
    await browser.post('/device/decision', { ...page.hidden, decision: 'allow' });
    const tokens = await postForm(service, '/oauth/token', {
      ...credentials,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(body.device_code),
    });
    await setMfaRequired(service, client);
    const refused = await redeemRefreshToken(service, client, String(tokens.body.refresh_token));
    expect(refused.body.error).toBe('invalid_grant');
  });
});

describe('the MFA_POLICY setting', () => {
  test('requires MFA from all users if it is `everyone`', async () => {
    const strict = await startTestService({ MFA_POLICY: 'everyone' }, { databaseUrl: service.databaseUrl });
    const client = await service.createClient();
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const { refreshToken } = await obtainTokens(service, client, browser);
    const strictBrowser = await openSignedInBrowser(strict, user);
    expect(isEnrollmentPage(await openAuthorization(strictBrowser, {}, client, strict))).toBe(true);
    expect((await redeemRefreshToken(strict, client, refreshToken)).body.error).toBe('invalid_grant');
    expect((await redeemRefreshToken(service, client, refreshToken)).status).toBe(200);
    expect((await strictBrowser.get('/account')).status).toBe(200);
    await strict.close();
  });

  test('requires MFA only from administrators if it is `administrators`', async () => {
    const strict = await startTestService(
      { MFA_POLICY: 'administrators' },
      { databaseUrl: service.databaseUrl },
    );
    const client = await strict.createClient();
    const { browser, user } = await createSignedInAdmin(strict);
    const passwordOnlyBrowser = await openSignedInBrowser(service, user);
    const { refreshToken } = await obtainTokens(service, client, passwordOnlyBrowser);
    expect((await redeemRefreshToken(strict, client, refreshToken)).body.error).toBe('invalid_grant');
    expect(isEnrollmentPage(await openAuthorization(browser, {}, client, strict))).toBe(true);
    const response = await browser.get('/console/operations/accounts?q=x');
    expect([response.location?.pathname, response.location?.searchParams.get('next')]).toEqual([
      '/account/security/app',
      '/console/operations/accounts?q=x',
    ]);
    const setUp = await browser.follow(response);
    expect(setUp.body).toContain('href="/account"');
    const passkeyPage = await browser.get(
      `${NEW_PASSKEY_PATH}?next=${encodeURIComponent('/console/operations/accounts?q=x')}`,
    );
    expect(passkeyPage.body).toContain('href="/account"');
    const { continuedTo, secret } = await enrollDuringSignIn(strict, browser, setUp);
    expect(continuedTo.status).toBe(200);
    expect(continuedTo.body).toContain('action="/console/operations/accounts"');

    // Administrators need MFA even on a remembered device. Other users still get 404.
    const csrf = (await passwordOnlyBrowser.get('/account')).hidden.csrf ?? '';
    const userBrowser = await openSignedInBrowser(strict, await strict.createUser());
    expect(isConsentPage(await openAuthorization(userBrowser, {}, client, strict))).toBe(true);
    expect((await userBrowser.get('/console/operations')).status).toBe(404);
    const rememberedBrowser = await signInOnRememberedDevice(strict, { user, secret });
    const post = await rememberedBrowser.post('/console/operations/invite', { csrf, email: 'x@exemple.fr' });
    expect(post.location?.pathname).toBe('/signin/step-up');
    const page = await rememberedBrowser.follow(await rememberedBrowser.get('/console/operations'));
    expect(readText(page.body)).toContain(
      'The page you opened requires the code from your authenticator app as well as your password',
    );
    expect(page.body).toContain('href="/account"');
    expect((await submitCode(rememberedBrowser, page, createTotpCode(strict, secret))).status).toBe(200);
    await strict.close();
  });
});
