// Step-up for clients: acr_values, essential acr, max_age, prompt=login.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { findInput, listUrls, readFormErrors, readHeading } from '../../support/markup.ts';
import {
  buildEssentialAcrClaims,
  createMfaAccountWithOldSession,
  createTotpCode,
  type MfaAccountWithOldSession,
  signInOnRememberedDevice,
} from '../../support/mfa-account.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createSignedInUser,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  signIn,
  submitDecision,
} from '../../support/oauth-flow.ts';
import {
  createPasskey,
  readPasskeyOptions,
  registerPasskey,
  type SoftwarePasskey,
} from '../../support/passkey.ts';
import { type TestClient, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let application: TestClient;
beforeAll(async () => {
  application = await service.createClient({ standard: true });
});

type RequestParameters = Record<string, string | undefined>;
const requestAuthorization = async (browser: BrowserSession, parameters: RequestParameters): Promise<Visit> =>
  browser.follow(await browser.get(buildAuthorizeUrl(service, application, parameters)));

/** Creates a user with an authenticator app and an older session without MFA. */
async function createMfaUserWithOldSession(): Promise<MfaAccountWithOldSession> {
  const account = await createMfaAccountWithOldSession(service);
  await authorize(service, application, account.passwordOnlyBrowser);
  return account;
}

const submitCode = async (browser: BrowserSession, page: Visit, code: string): Promise<Visit> =>
  browser.follow(await browser.post('/signin/step-up', { ...page.hidden, code }));

const readSkipLink = (visit: Visit): string | undefined =>
  listUrls(visit.body).find((href) => href.startsWith('/oauth/authorize'));

const isStepUpPage = (visit: Visit): boolean => visit.body.includes('action="/signin/step-up"');

async function redeemForClaims(callback: URL | undefined, client = application) {
  const { body } = await redeemCode(service, client, callback?.searchParams.get('code') ?? '');
  return decodeJwt(String(body.id_token));
}

describe('a step-up with a code', () => {
  test.each([
    ['acr_values', { acr_values: 'gold 2' }],
    ['an essential acr', { claims: buildEssentialAcrClaims('2') }],
  ])('satisfies %s without a new session', async (_, parameters) => {
    const { passwordOnlyBrowser: browser, secret } = await createMfaUserWithOldSession();
    const signedInAt = service.clock.now().getTime() / 1000;
    service.clock.advance(30);
    const before = browser.cookies.get('sesame');
    const page = await requestAuthorization(browser, parameters);
    expect(readHeading(page.body)).toBe('Enter your code');
    expect(page.body).not.toContain('name="password"');
    const rejected = await submitCode(browser, page, '000000');
    expect(readFormErrors(rejected.body)).toHaveLength(1);
    const code = createTotpCode(service, secret);
    const redirect = await submitCode(browser, rejected, code);
    expect(browser.cookies.get('sesame')).toBe(before);
    const claims = await redeemForClaims(redirect.location);
    expect(claims).toMatchObject({ acr: '2', amr: ['pwd', 'otp', 'mfa'] });
    expect(claims.auth_time).toBeGreaterThan(signedInAt);
    expect((await requestAuthorization(browser, parameters)).location?.searchParams.get('code')).toBeTruthy();
  });

  test('can be completed with a recovery code', async () => {
    const { passwordOnlyBrowser: browser, browser: mfaBrowser, codes } = await createMfaUserWithOldSession();
    const page = await requestAuthorization(browser, { acr_values: '2' });
    expect((await submitCode(browser, page, codes[0] ?? '')).location?.searchParams.get('code')).toBeTruthy();
    expect((await mfaBrowser.get('/account/security')).body).toContain('9 left');
  });

  test('redirects to the client after a double click', async () => {
    const { passwordOnlyBrowser: browser, secret } = await createMfaUserWithOldSession();
    const page = await requestAuthorization(browser, { acr_values: '2' });
    const fields = { ...page.hidden, code: createTotpCode(service, secret) };
    const responses = await Promise.all([
      browser.post('/signin/step-up', fields),
      browser.post('/signin/step-up', fields),
    ]);
    for (const response of responses)
      expect((await browser.follow(response)).location?.searchParams.get('code')).toBeTruthy();
  });

  test('requires a new sign-in if the session has expired', async () => {
    const { passwordOnlyBrowser: browser, secret } = await createMfaUserWithOldSession();
    const page = await requestAuthorization(browser, { acr_values: '2' });
    browser.cookies.delete('sesame');
    const response = await browser.post('/signin/step-up', {
      ...page.hidden,
      code: createTotpCode(service, secret),
    });
    expect(response.location?.pathname).toBe('/signin');
  });
});

describe('a voluntary acr', () => {
  test('is ignored if the account has no suitable factor', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { idToken } = await obtainTokens(service, application, browser, { acr_values: 'phr 2' });
    expect(decodeJwt(idToken ?? '')).toMatchObject({ acr: '1', amr: ['pwd'] });
  });

  test('is ignored with prompt=none', async () => {
    const { passwordOnlyBrowser: browser } = await createMfaUserWithOldSession();
    const callback = await authorize(service, application, browser, { acr_values: '2', prompt: 'none' });
    expect(await redeemForClaims(callback)).toMatchObject({ acr: '1' });
  });

  test('is ignored if the user continues without a second factor', async () => {
    const { passwordOnlyBrowser: browser } = await createMfaUserWithOldSession();
    const page = await requestAuthorization(browser, { acr_values: '2' });
    const skipUrl = readSkipLink(page);
    const nextVisit = await browser.follow(await browser.get(skipUrl ?? ''));
    expect(await redeemForClaims(nextVisit.location)).toMatchObject({ acr: '1' });
    expect(
      readSkipLink(await requestAuthorization(browser, { claims: buildEssentialAcrClaims('2') })),
    ).toBeUndefined();
  });
});

describe('an essential acr', () => {
  const readError = (visit: Visit) => visit.location?.searchParams.get('error');

  test('causes unmet_authentication_requirements if no factor can meet it', async () => {
    const { passwordOnlyBrowser: browser } = await createMfaUserWithOldSession();
    for (const prompt of [undefined, 'none'])
      expect(
        readError(await requestAuthorization(browser, { claims: buildEssentialAcrClaims('phr'), prompt })),
      ).toBe('unmet_authentication_requirements');
  });

  test('is satisfied by a password if one factor suffices', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const claims = buildEssentialAcrClaims('1');
    const consent = await signIn(browser, user, await requestAuthorization(browser, { claims: claims }));
    const decision = await submitDecision(browser, consent, 'allow');
    expect(await redeemForClaims(decision.location)).toMatchObject({ acr: '1', amr: ['pwd'] });
    // Sessions of an account with an authenticator app also satisfy acr 1.
    const { passwordOnlyBrowser, browser: mfaBrowser } = await createMfaUserWithOldSession();
    for (const [session, amr] of [
      [browser, ['pwd']],
      [passwordOnlyBrowser, ['pwd']],
      [mfaBrowser, ['pwd', 'otp', 'mfa']],
    ] as const)
      for (const prompt of [undefined, 'none'])
        expect(
          await redeemForClaims((await requestAuthorization(session, { claims: claims, prompt })).location),
        ).toMatchObject({
          acr: '1',
          amr,
        });
  });

  test('leads to an optional step-up if one factor is acceptable', async () => {
    const { passwordOnlyBrowser: browser } = await createMfaUserWithOldSession();
    const claims = buildEssentialAcrClaims('2', '1');
    const page = await requestAuthorization(browser, { claims });
    expect(isStepUpPage(page)).toBe(true);
    const nextVisit = await browser.follow(await browser.get(readSkipLink(page) ?? ''));
    expect(await redeemForClaims(nextVisit.location)).toMatchObject({ acr: '1' });
    const promptNone = await requestAuthorization(browser, { claims, prompt: 'none' });
    expect(await redeemForClaims(promptNone.location)).toMatchObject({ acr: '1' });
  });

  test('causes an error if it contains only unknown values', async () => {
    const visit = await (await openSignedInBrowser(service, await service.createUser())).get(
      buildAuthorizeUrl(service, application, { claims: buildEssentialAcrClaims('gold') }),
    );
    expect(readError(visit)).toBe('unmet_authentication_requirements');
  });

  test('causes login_required if prompt is none', async () => {
    const { passwordOnlyBrowser: browser } = await createMfaUserWithOldSession();
    expect(
      readError(
        await requestAuthorization(browser, { claims: buildEssentialAcrClaims('2'), prompt: 'none' }),
      ),
    ).toBe('login_required');
  });
});

describe('the acr claim', () => {
  test('is the highest requested value that was met', async () => {
    const { browser: mfaBrowser, passwordOnlyBrowser: browser } = await createMfaUserWithOldSession();
    const weakTokens = await obtainTokens(service, application, mfaBrowser, { acr_values: '1 phr' });
    expect(decodeJwt(weakTokens.idToken ?? '')).toMatchObject({ acr: '1', amr: ['pwd', 'otp', 'mfa'] });
    const refreshed = await redeemRefreshToken(service, application, weakTokens.refreshToken);
    expect(decodeJwt(String(refreshed.body.id_token)).acr).toBe('1');
    const unrequestedTokens = await obtainTokens(service, application, mfaBrowser);
    expect(decodeJwt(unrequestedTokens.idToken ?? '').acr).toBe('2');
    const passwordTokens = await obtainTokens(service, application, browser);
    expect(decodeJwt(passwordTokens.idToken ?? '').acr).toBe('1');
  });
});

describe('a request with max_age or prompt=login', () => {
  test.each([[{ max_age: '600' }], [{ prompt: 'login' }]])(
    'requires password and code on a remembered device (%j)',
    async (parameters) => {
      const account = await createMfaUserWithOldSession();
      const browser = await signInOnRememberedDevice(service, account);
      service.clock.advance(601);
      const page = await requestAuthorization(browser, parameters);
      expect(findInput(page.body, 'email')?.value).toBe(account.user.email);
      const stepUpPage = await signIn(browser, account.user, page);
      expect(isStepUpPage(stepUpPage)).toBe(true);
      expect(readSkipLink(stepUpPage)).toBeUndefined();
      const redirect = await submitCode(browser, stepUpPage, createTotpCode(service, account.secret));
      expect(await redeemForClaims(redirect.location)).toMatchObject({ acr: '2' });
    },
  );

  test('is not satisfied by a password alone', async () => {
    const account = await createMfaUserWithOldSession();
    const browser = await signInOnRememberedDevice(service, account);
    expect(isStepUpPage(await requestAuthorization(browser, { max_age: '600' }))).toBe(true);
    const promptNone = await requestAuthorization(browser, { max_age: '600', prompt: 'none' });
    expect(promptNone.location?.searchParams.get('error')).toBe('login_required');
  });

  test.each([[{ max_age: '600' }], [{ prompt: 'login' }]])(
    'is not satisfied by a code alone after an old sign-in (%j)',
    async (parameters) => {
      const account = await createMfaUserWithOldSession();
      service.clock.advance(601);
      const page = await requestAuthorization(account.passwordOnlyBrowser, parameters);
      expect(readHeading(page.body)).toBe('Sign in');
      const stepUpPage = await account.passwordOnlyBrowser.get('/signin/step-up?next=/account');
      await submitCode(account.passwordOnlyBrowser, stepUpPage, createTotpCode(service, account.secret));
      const pendingRequest = page.hidden.pending ?? '';
      const nextPage = await account.passwordOnlyBrowser.follow(
        await account.passwordOnlyBrowser.get(
          `/oauth/authorize?pending=${encodeURIComponent(pendingRequest)}`,
        ),
      );
      expect(readHeading(nextPage.body)).toBe('Sign in');
    },
  );
});

describe('a step-up with a passkey', () => {
  /** Creates a user with a passkey who has signed in with only the password. */
  async function createPasskeyUser(options: { synced?: boolean } = {}) {
    const { user, browser } = await createSignedInUser(service);
    await authorize(service, application, browser);
    const passkey = createPasskey(service.baseUrl, options);
    await registerPasskey(browser, service, { passkey });
    // Use a new browser because creating a passkey counts as signing in with it.
    return { user, browser: await openSignedInBrowser(service, user), passkey };
  }
  const submitPasskey = async (browser: BrowserSession, page: Visit, passkey: SoftwarePasskey) =>
    browser.follow(
      await browser.post('/signin/step-up', {
        ...page.hidden,
        passkey: passkey.createAssertion(readPasskeyOptions(page.body, 'sign-in')),
      }),
    );

  test.each([
    ['phr', true, 'phr', ['swk', 'user', 'mfa']],
    ['phrh', false, 'phrh', ['hwk', 'user', 'mfa']],
    ['phr', false, 'phr', ['hwk', 'user', 'mfa']],
  ])('satisfies acr %s (synced passkey: %s)', async (requestedAcr, synced, acr, amr) => {
    const { browser, passkey } = await createPasskeyUser({ synced });
    const page = await requestAuthorization(browser, { claims: buildEssentialAcrClaims(requestedAcr) });
    expect(readHeading(page.body)).toBe('Confirm with a passkey');
    // The page has a code field only if a code is enough.
    expect(findInput(page.body, 'code') !== undefined).toBe(requestedAcr === '2');
    const redirect = await submitPasskey(browser, page, passkey);
    expect(await redeemForClaims(redirect.location)).toMatchObject({ acr, amr });
  });

  test('does not satisfy phrh if the passkey is synced', async () => {
    const { user, browser, passkey } = await createPasskeyUser({ synced: true });
    // A passkey that could be synced is not device-bound.
    await sql(service.services.database, 'update passkeys set backed_up = false where user_id = $1', [
      user.userId,
    ]);
    const rejected = await requestAuthorization(browser, { claims: buildEssentialAcrClaims('phrh') });
    expect(rejected.location?.searchParams.get('error')).toBe('unmet_authentication_requirements');
    // The page accepts only the device-bound passkey.
    await submitPasskey(
      browser,
      await requestAuthorization(browser, { claims: buildEssentialAcrClaims('phr') }),
      passkey,
    );
    const boundPasskey = createPasskey(service.baseUrl, { synced: false });
    await registerPasskey(browser, service, { passkey: boundPasskey });
    const other = await openSignedInBrowser(service, user);
    const page = await requestAuthorization(other, { claims: buildEssentialAcrClaims('phrh') });
    const { allowCredentials } = JSON.parse(readPasskeyOptions(page.body, 'sign-in'));
    expect(allowCredentials.map(({ id }: { id: string }) => id)).toEqual([boundPasskey.id]);
  });

  test('can be replaced by a code if either is enough', async () => {
    const { passwordOnlyBrowser: browser, browser: mfaBrowser, secret } = await createMfaUserWithOldSession();
    await registerPasskey(mfaBrowser, service);
    const page = await requestAuthorization(browser, { acr_values: 'phr 2' });
    expect(readPasskeyOptions(page.body, 'sign-in')).toBeTruthy();
    expect(page.body, 'the page explains that passkeys need JavaScript').toMatch(
      /<noscript><p class="aside">/,
    );
    expect(readHeading(page.body)).toBe('Confirm that it’s you');
    expect(page.body.indexOf('data-passkey="sign-in"')).toBeLessThan(page.body.indexOf('name="code"'));
    const redirect = await submitCode(browser, page, createTotpCode(service, secret));
    expect(await redeemForClaims(redirect.location)).toMatchObject({ acr: '2' });
    const passkeyOnlyPage = await requestAuthorization(browser, { claims: buildEssentialAcrClaims('phr') });
    expect([isStepUpPage(passkeyOnlyPage), findInput(passkeyOnlyPage.body, 'code')]).toEqual([
      true,
      undefined,
    ]);
  });

  test('can use each assertion only once', async () => {
    const [owner, other] = [await createPasskeyUser(), await createPasskeyUser()];
    const parameters = { claims: buildEssentialAcrClaims('phr') };
    const page = await requestAuthorization(owner.browser, parameters);
    const assertion = owner.passkey.createAssertion(readPasskeyOptions(page.body, 'sign-in'));
    const post = (browser: BrowserSession, fields: Record<string, string>, assertion: string) =>
      browser.post('/signin/step-up', { ...fields, passkey: assertion });
    // Another account's page or passkey, and an assertion for sign-in, must be rejected.
    const otherPage = await requestAuthorization(other.browser, parameters);
    expect((await post(other.browser, otherPage.hidden, assertion)).status).toBe(401);
    const signInAssertion = other.passkey.createAssertion(readPasskeyOptions(page.body, 'sign-in'));
    expect((await post(owner.browser, page.hidden, signInAssertion)).status).toBe(401);
    const signInVisit = await openBrowserSession(service.baseUrl).get('/signin');
    const ownSignInAssertion = owner.passkey.createAssertion(readPasskeyOptions(signInVisit.body, 'sign-in'));
    expect((await post(owner.browser, page.hidden, ownSignInAssertion)).status).toBe(401);
    // Another session of the same account is rejected.
    const secondBrowser = await openSignedInBrowser(service, owner.user);
    const secondPage = await requestAuthorization(secondBrowser, parameters);
    expect((await post(secondBrowser, secondPage.hidden, assertion)).status).toBe(401);

    expect((await post(owner.browser, page.hidden, assertion)).location?.pathname).toBe('/oauth/authorize');
    const thirdPage = await requestAuthorization(secondBrowser, parameters);
    expect((await post(secondBrowser, thirdPage.hidden, assertion)).status).toBe(401);
  });
});

test('the claims parameter can request a specific account (OpenID Connect Core §5.5.1)', async () => {
  const [ada, grace] = [await service.createUser(), await service.createUser()];
  const browser = await openSignedInBrowser(service, ada);
  const buildSubClaims = (userId: string) => ({
    prompt: 'none',
    claims: JSON.stringify({ id_token: { sub: { value: userId } } }),
  });
  await authorize(service, application, browser);
  expect(
    (await requestAuthorization(browser, buildSubClaims(ada.userId))).location?.searchParams.get('code'),
  ).toBeTruthy();
  expect(
    (await requestAuthorization(browser, buildSubClaims(grace.userId))).location?.searchParams.get('error'),
  ).toBe('login_required');
});
