// Sign-in with an authenticator app.
import { describe, expect, test } from 'vitest';
import { newAccountSecret } from '../../../src/oauth/secrets.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { exportLists } from '../../../src/store/data-export.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { databaseContent } from '../../support/database-content.ts';
import { findLastEmailTo, listEmailsTo, readLink } from '../../support/emails.ts';
import { lockRecoveryCodes, lockUser } from '../../support/locks.ts';
import {
  findInput,
  listUrls,
  parseElements,
  readFieldError,
  readFormErrors,
  readHeading,
  readMain,
  readText,
} from '../../support/markup.ts';
import {
  createMfaAccount,
  createTotpCode,
  isSignedIn,
  type MfaAccount,
  readElementText,
  setUpAuthenticatorApp,
  enterPassword as submitPassword,
  submitSecondFactor,
} from '../../support/mfa-account.ts';
import { createSignedInUser, openSignedInBrowser, signIn } from '../../support/oauth-flow.ts';
import { PASSWORD, startTestService, useTestService } from '../../support/service.ts';
import { createSesameCommand } from '../../support/sesame-command.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();

const createCode = (secret: string, steps = 0): string => createTotpCode(service, secret, steps);
const createMfaUser = () => createMfaAccount(service, { emailVerified: true });
const startSignIn = ({ user }: MfaAccount, browser?: BrowserSession) =>
  submitPassword(service, user, browser);
const NEW_PASSWORD = 'quite another battery staple';

const passwordChanges: Record<string, (account: MfaAccount) => Promise<string>> = {
  async 'on the account page'({ browser }) {
    const page = await browser.get('/account/password');
    const fields = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    await browser.post('/account/password', { ...page.hidden, ...fields });
    return NEW_PASSWORD;
  },
  async 'through an emailed link'({ user }) {
    await resetByEmail(user.email);
    return NEW_PASSWORD;
  },
  async 'on the command line'({ user }) {
    const { password } = await cli.runJson('users', 'set-password', user.email);
    return String(password);
  },
};
const cli = createSesameCommand(() => service.databaseUrl);

async function resetByEmail(email: string) {
  const browser = openBrowserSession(service.baseUrl);
  const forgottenPage = await browser.get('/password/forgot');
  await browser.post('/password/forgot', { ...forgottenPage.hidden, email });
  const page = await browser.get(readLink(await findLastEmailTo(service, email)));
  const response = await browser.post('/password/reset', { ...page.hidden, new_password: NEW_PASSWORD });
  return { browser, done: response };
}

/** Remembers the device, then signs out. */
async function rememberDevice(account: MfaAccount) {
  const { browser, page } = await startSignIn(account);
  const response = await submitSecondFactor(browser, page, {
    code: createCode(account.secret),
    trust: 'yes',
  });
  browser.cookies.delete('sesame');
  return { browser, response };
}
/** Submits the password and returns the path of the next page. */
async function openPageAfterPassword(account: MfaAccount, browser: BrowserSession) {
  const { response } = await startSignIn(account, browser);
  browser.cookies.delete('sesame');
  return response.location?.pathname;
}

describe('setting up the authenticator app', () => {
  test('requires a correct code', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    await signIn(browser, user);
    const page = await browser.get('/account/security/app');
    const secret = readElementText(page, 'key').replaceAll(' ', '');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/); // 160 bits
    expect(page.body).toContain('<svg class="qr" role="img"');
    const rejected = await browser.follow(
      await browser.post('/account/security/app', { ...page.hidden, code: '000000' }),
    );
    expect(readFieldError(rejected.body, 'code')).toContain('Incorrect code');
    expect(readElementText(rejected, 'key').replaceAll(' ', '')).toBe(secret);

    const codesPage = await browser.follow(
      await browser.post('/account/security/app', { ...rejected.hidden, code: createCode(secret) }),
    );
    const codes = readElementText(codesPage, 'codes').split('\n');
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
    expect(new Set(codes).size).toBe(10);
    const file = parseElements(codesPage.body).find(({ attributes }) => attributes.download !== undefined);
    const text = decodeURIComponent(file?.attributes.href ?? '');
    expect(text).toMatch(/^data:text\/plain;charset=utf-8,/);
    expect(text).toContain(codes.join('\n'));
  });

  test('stores only an encrypted secret and hashed recovery codes', async () => {
    const { user, secret, codes, browser } = await createMfaUser();
    const content = JSON.stringify(await databaseContent(service.databaseUrl));
    expect(content).not.toContain(secret);
    for (const code of codes) expect(content).not.toContain(code);
    expect(content).toContain(user.email);
    expect((await browser.get('/account/security')).body).not.toContain(secret);
    const rows: Record<string, Record<string, unknown>[]> = {};
    for await (const { list, rows: some } of exportLists(service.services.database, user.userId))
      rows[list] = [...(rows[list] ?? []), ...(some as Record<string, unknown>[])];
    expect(rows.recovery_codes).toHaveLength(codes.length);
    for (const row of rows.recovery_codes ?? []) expect(Object.keys(row)).toEqual(['created_at', 'used_at']);
    expect(JSON.stringify(rows)).not.toContain(secret);
    for (const code of codes) expect(JSON.stringify(rows)).not.toContain(code);
  });
});

describe('the second-factor page', () => {
  test('asks for a TOTP code after the password', async () => {
    const account = await createMfaUser();
    const { browser, response, page } = await startSignIn(account);
    expect(response.location?.pathname).toBe('/signin/second-factor');
    expect(readHeading(page.body)).toBe('Enter your code');
    expect(await isSignedIn(browser)).toBe(false);
    const rejected = await browser.follow(await submitSecondFactor(browser, page, { code: '000000' }));
    expect(readFormErrors(rejected.body)).toHaveLength(1);
    expect(await isSignedIn(browser)).toBe(false);
    const accepted = await submitSecondFactor(browser, rejected, { code: createCode(account.secret) });
    expect(accepted.location?.pathname).toBe('/account');
    expect(await isSignedIn(browser)).toBe(true);
  });

  test.each([
    ['previous step', -1, true],
    ['next step', 1, true],
    ['two steps before', -2, false],
    ['two steps after', 2, false],
  ])('accepts a TOTP code only from adjacent time steps (%s)', async (_, steps, accepted) => {
    const account = await createMfaUser();
    service.clock.advance(90); // after the time step in which the app was set up
    const { browser, page } = await startSignIn(account);
    await submitSecondFactor(browser, page, { code: createCode(account.secret, steps) });
    expect(await isSignedIn(browser)).toBe(accepted);
  });

  test('shows the email address and a link to another account', async () => {
    const account = await createMfaUser();
    const { page } = await startSignIn(account);
    const main = readMain(page.body);
    expect(readText(main)).toContain(`${account.user.email} Use another account`);
    expect(listUrls(main)).toContain('/signin');
    expect(page.body, 'the name is shown only after the second factor').not.toContain(account.user.name);
  });

  test('does not show the email address once the account is suspended', async () => {
    const account = await createMfaUser();
    const { browser, response } = await startSignIn(account);
    const { user } = account;
    await sql(service.services.database, 'update users set suspended_at = now() where id = $1', [
      user.userId,
    ]);
    const page = await browser.follow(response);
    expect([page.status, page.body.includes(user.email)]).toEqual([400, false]);
  });

  test('accepts each TOTP code only once, even with concurrent submissions', async () => {
    const account = await createMfaUser();
    const attempts = await Promise.all([startSignIn(account), startSignIn(account)]);
    const code = createCode(account.secret);
    const responses = await Promise.all(
      attempts.map(({ browser, page }) => submitSecondFactor(browser, page, { code })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 401]);
  });

  test('rejects a TOTP code that is older than the last accepted one', async () => {
    const { user, browser } = await createSignedInUser(service);
    const page = await browser.get('/account/security/app');
    const secret = readElementText(page, 'key').replaceAll(' ', '');
    const isCodeAccepted = async (code: string) => {
      const attempt = await submitPassword(service, user);
      await submitSecondFactor(attempt.browser, attempt.page, { code });
      return isSignedIn(attempt.browser);
    };
    const setupCode = createCode(secret);
    await browser.post('/account/security/app', { ...page.hidden, code: setupCode });
    expect(await isCodeAccepted(setupCode)).toBe(false);
    service.clock.advance(60);
    const [currentCode, nextCode] = [createCode(secret), createCode(secret, 1)];
    expect(await isCodeAccepted(nextCode)).toBe(true);
    // The current code is unused, but older than the accepted code.
    expect(await isCodeAccepted(currentCode)).toBe(false);
  });

  test.each(['app', 'recovery code'])('creates one session on a double click (%s)', async (factor) => {
    const account = await createMfaUser();
    const { userId, email } = account.user;
    const { browser, page } = await startSignIn(account);
    const emailCount = (await listEmailsTo(service, email)).length;
    const code = factor === 'app' ? createCode(account.secret) : (account.codes[0] ?? '');
    const cookies = new Map(browser.cookies);
    const send = (fields: Record<string, string>) => {
      browser.cookies.clear();
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      return submitSecondFactor(browser, page, { trust: 'yes', ...fields });
    };
    const responses = [...(await Promise.all([send({ code }), send({ code })])), await send({ code })];
    for (const { status, location } of responses)
      expect([status, location?.pathname]).toEqual([303, '/account']);
    expect(await isSignedIn(browser)).toBe(true);
    const listRows = (table: string) =>
      sql(service.services.database, `select from ${table} where user_id = $1`, [userId]);
    expect(await listRows('sessions')).toHaveLength(2); // including the session that set up the app
    expect(await listRows('remembered_devices')).toHaveLength(1);
    expect(await listEmailsTo(service, email)).toHaveLength(emailCount + 1);

    // A resubmission is accepted only with the same form and the same code.
    expect((await send({ code: '000000' })).status).toBe(401);
    const otherAttempt = await startSignIn(account);
    expect((await submitSecondFactor(otherAttempt.browser, otherAttempt.page, { code })).status).toBe(401);
    await sql(service.services.database, 'delete from sessions where user_id = $1', [userId]);
    expect((await send({ code })).status).toBe(401);
  });

  test('accepts each recovery code once', async () => {
    const [account, other] = [await createMfaUser(), await createMfaUser()];
    const [code = ''] = account.codes;
    const spelling = ` ${code.toUpperCase().replaceAll('-', ' ')} `;
    const otherSignIn = await startSignIn(other);
    await submitSecondFactor(otherSignIn.browser, otherSignIn.page, { code: spelling });
    expect(await isSignedIn(otherSignIn.browser)).toBe(false);
    const firstSignIn = await startSignIn(account);
    await submitSecondFactor(firstSignIn.browser, firstSignIn.page, { code: spelling });
    expect(await isSignedIn(firstSignIn.browser)).toBe(true);
    const secondSignIn = await startSignIn(account);
    await submitSecondFactor(secondSignIn.browser, secondSignIn.page, { code });
    expect(await isSignedIn(secondSignIn.browser)).toBe(false);
    expect((await firstSignIn.browser.get('/account/security')).body).toContain('9 left');
  });

  test('accepts each recovery code once on two processes', async () => {
    await using other = await startTestService({}, { databaseUrl: service.databaseUrl });
    const account = await createMfaUser();
    const races = [
      [lockUser, () => createCode(account.secret)],
      [lockRecoveryCodes, () => account.codes[0] ?? ''],
    ] as const;
    for (const [lock, code] of races) {
      other.clock.advance((service.clock.now().getTime() - other.clock.now().getTime()) / 1000);
      const attempts = [await startSignIn(account), await submitPassword(other, account.user)];
      const lockHandle = await lock(service.databaseUrl, account.user.userId);
      const responses = attempts.map(({ browser, page }) =>
        submitSecondFactor(browser, page, { code: code() }),
      );
      await lockHandle.waitForBlocked(2);
      await lockHandle.release();
      expect((await Promise.all(responses)).map(({ status }) => status).sort()).toEqual([303, 401]);
    }
  });

  test('throttles wrong codes but never locks the account', async () => {
    const account = await createMfaUser();
    const { browser, page } = await startSignIn(account);
    service.delays.length = 0;
    for (let times = 0; times < 7; times++) await submitSecondFactor(browser, page, { code: '000000' });
    expect(service.delays).toEqual([500, 1000, 2000]);
    expect((await findLastEmailTo(service, account.user.email)).subject).toContain('connaît le mot de passe');
    await submitSecondFactor(browser, page, { code: createCode(account.secret) });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('expires ten minutes after the password was entered', async () => {
    const account = await createMfaUser();
    const { page } = await startSignIn(account);
    const otherBrowser = openBrowserSession(service.baseUrl);
    await otherBrowser.get('/signin');
    const rejected = await otherBrowser.get(
      `/signin/second-factor?partial_sign_in=${page.hidden.partial_sign_in}&next=%2Faccount%2Femail`,
    );
    expect(rejected.status).toBe(400);
    expect(rejected.body).toContain('href="/signin?next=%2Faccount%2Femail"');
    const expired = await startSignIn(account);
    service.clock.advance(590);
    expect((await expired.browser.get(expired.response.location ?? '')).status).toBe(200);
    service.clock.advance(11);
    expect(
      (await submitSecondFactor(expired.browser, expired.page, { code: createCode(account.secret) })).status,
    ).toBe(400);
  });
});

describe('a remembered device', () => {
  test('needs only the password until it is removed', async () => {
    const account = await createMfaUser();
    const { browser } = await rememberDevice(account);
    const secondSignIn = await startSignIn(account, browser);
    expect(secondSignIn.response.location?.pathname).toBe('/account');
    // On a remembered device, re-authentication still requires both factors.
    const removalPage = await browser.get('/account/security/app/remove');
    expect(findInput(removalPage.body, 'confirmation_code')).toBeDefined();

    const securityPage = await account.browser.get('/account/security');
    const id = /name="browser" value="([^"]+)"/.exec(securityPage.body)?.[1] ?? '';
    const otherBrowser = (await createMfaUser()).browser;
    const forgetDevice = async (session: BrowserSession) => {
      const { csrf = '' } = (await session.get('/account/security')).hidden;
      await session.post('/account/security/browsers/end', { csrf, browser: id });
      browser.cookies.delete('sesame');
      return openPageAfterPassword(account, browser);
    };
    expect(await forgetDevice(otherBrowser)).toBe('/account');
    expect(await forgetDevice(account.browser)).toBe('/signin/second-factor');
    const filter = { userId: account.user.userId, kind: 'remembered_device_deleted' } as const;
    expect(await listEvents(service.services.database, filter, { limit: 5 })).toMatchObject([
      { actorId: account.user.userId, ip: '127.0.0.1' },
    ]);
  });

  test('is valid for only one account', async () => {
    const [account, other] = [await createMfaUser(), await createMfaUser()];
    const { browser } = await rememberDevice(account);
    expect(await openPageAfterPassword(other, browser)).toBe('/signin/second-factor');
    const bits = Buffer.from(browser.cookies.get('sesame-trusted') ?? '', 'base64url').subarray(16);
    expect(bits).toHaveLength(32);
    browser.cookies.set('sesame-trusted', newAccountSecret(other.user.userId, bits));
    expect(await openPageAfterPassword(other, browser)).toBe('/signin/second-factor');
    browser.cookies.set('sesame-trusted', newAccountSecret(account.user.userId, bits));
    expect(await openPageAfterPassword(account, browser)).toBe('/account');
  });

  test('is forgotten after 30 days', async () => {
    const account = await createMfaUser();
    const { browser, response } = await rememberDevice(account);
    expect(response.headers.getSetCookie().join('\n')).toMatch(/^sesame-trusted=[^;]+; Max-Age=2592000;/m);
    service.clock.advance(30 * 86_400 - 60);
    expect(await openPageAfterPassword(account, browser)).toBe('/account');
    service.clock.advance(61);
    expect(await openPageAfterPassword(account, browser)).toBe('/signin/second-factor');
  });
});

test.each(Object.entries(passwordChanges))(
  'changing the password (%s) cancels unfinished sign-ins',
  async (_, change) => {
    const account = await createMfaUser();
    const { browser: formerDevice } = await rememberDevice(account);
    service.clock.advance(30);
    const { browser, page } = await startSignIn(account);
    const password = await change(account);
    expect((await submitSecondFactor(browser, page, { code: createCode(account.secret) })).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(false);
    const accountWithNewPassword = { ...account, user: { ...account.user, password } };
    expect(await openPageAfterPassword(accountWithNewPassword, formerDevice)).toBe('/signin/second-factor');
  },
);

describe('MFA', () => {
  test('cannot be bypassed by a password reset', async () => {
    const account = await createMfaUser();
    const { browser, done } = await resetByEmail(account.user.email);
    expect(done.location?.pathname).toBe('/signin/second-factor');
    expect(await isSignedIn(browser)).toBe(false);
    await submitSecondFactor(browser, await browser.follow(done), { code: createCode(account.secret) });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('cannot be bypassed by removing the authenticator app', async () => {
    const user = await service.createUser();
    const [oldBrowser, ownerBrowser] = [
      openBrowserSession(service.baseUrl),
      openBrowserSession(service.baseUrl),
    ];
    await signIn(oldBrowser, user);
    await signIn(ownerBrowser, user);
    const page = await ownerBrowser.get('/account/security/app');
    const secret = readElementText(page, 'key').replaceAll(' ', '');
    await ownerBrowser.post('/account/security/app', { ...page.hidden, code: createCode(secret) });
    const removalPage = await oldBrowser.get('/account/security/app/remove');
    for (const credentials of [
      {},
      { current_password: user.password },
      { current_password: user.password, confirmation_code: '000000' },
    ])
      await oldBrowser.post('/account/security/app/remove', { ...removalPage.hidden, ...credentials });
    expect((await ownerBrowser.get('/account/security')).body).toContain('/account/security/app/remove');
    service.clock.advance(30);
    await oldBrowser.post('/account/security/app/remove', {
      ...removalPage.hidden,
      current_password: user.password,
      confirmation_code: createCode(secret),
    });
    expect((await ownerBrowser.get('/account/security')).body).not.toContain('/account/security/app/remove');
  });

  test('cannot be bypassed by a TOTP code alone', async () => {
    const user = await service.createUser();
    const oldBrowser = openBrowserSession(service.baseUrl);
    await signIn(oldBrowser, user);
    const { secret } = await setUpAuthenticatorApp(service, await openSignedInBrowser(service, user));
    service.clock.advance(15 * 60);
    const stepUp = await oldBrowser.get('/signin/step-up?next=/account/security');
    const response = await oldBrowser.post('/signin/step-up', { ...stepUp.hidden, code: createCode(secret) });
    expect(response.location?.pathname).toBe('/account/security');
    for (const path of ['/account/security/app/remove', '/account/security/codes/new']) {
      const page = await oldBrowser.get(path);
      expect(findInput(page.body, 'current_password')).toBeDefined();
      const rejected = await oldBrowser.post(path, page.hidden);
      expect(readFieldError(rejected.body, 'current_password')).toBeTruthy();
    }
  });

  test('cannot be bypassed by changing the password', async () => {
    const account = await createMfaUser();
    service.clock.advance(16 * 60);
    const page = await account.browser.get('/account/password');
    expect(findInput(page.body, 'confirmation_code')).toBeDefined();
    const fields = {
      ...page.hidden,
      current_password: account.user.password,
      new_password: NEW_PASSWORD,
    };
    const rejected = await account.browser.post('/account/password', fields);
    expect(readFieldError(rejected.body, 'confirmation_code')).toBeTruthy();
    const code = createCode(account.secret);
    const response = await account.browser.post('/account/password', {
      ...rejected.hidden,
      ...fields,
      csrf: rejected.hidden.csrf ?? '',
      confirmation_code: code,
    });
    expect(response.location?.search).toBe('?done=changed');
  });
});

test('removing the authenticator app disables MFA', async () => {
  const account = await createMfaUser();
  const { browser, page } = await startSignIn(account);
  await submitSecondFactor(browser, page, { code: createCode(account.secret), trust: 'yes' });
  const removalPage = await account.browser.get('/account/security/app/remove');
  await account.browser.post('/account/security/app/remove', removalPage.hidden);
  const countRemaining = `select 1 from remembered_devices t where t.user_id = $1::uuid
    union all select 1 from recovery_codes r where r.user_id = $1::uuid`;
  expect(await sql(service.services.database, countRemaining, [account.user.userId])).toEqual([]);
  expect((await startSignIn(account)).response.location?.pathname).toBe('/account');
});
