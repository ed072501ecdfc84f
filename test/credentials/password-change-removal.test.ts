// Password removal and accounts without a password (ADR 20).
import { afterAll, describe, expect, test } from 'vitest';
import { runDueMfaReset } from '../../src/credentials/mfa-reset.ts';
import { RECENT_SIGN_IN_TTL } from '../../src/oauth/lifetimes.ts';
import { listEvents } from '../../src/store/audit-log.ts';
import { findMfaFactors } from '../../src/store/mfa-factors.ts';
import { listPasskeys } from '../../src/store/passkeys.ts';
import { adminAccountPath, createSignedInAdmin } from '../support/admin.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { listEmailsTo, readLink } from '../support/emails.ts';
import { findInput, readFormErrors } from '../support/markup.ts';
import {
  createMfaAccount,
  enterPassword,
  isSignedIn,
  readElementText,
  readSetUpFields,
  signInOnRememberedDevice,
} from '../support/mfa-account.ts';
import { buildAuthorizeUrl, openSignedInBrowser, signIn } from '../support/oauth-flow.ts';
import {
  createPasskey,
  NEW_PASSKEY_PATH,
  readPasskeyOptions,
  registerPasskey,
  type SoftwarePasskey,
  signInWithPasskey,
} from '../support/passkey.ts';
import { startTestService, type TestUser } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';
import { waitUntil } from '../support/wait-until.ts';

const REMOVE_PATH = '/account/security/password/remove';
const SET_PATH = '/account/security/password';
const NEW_PASSWORD = 'quite another battery staple';

const service = await startTestService();
afterAll(() => service.close());

interface PasskeyAccount {
  user: TestUser;
  /** Browser that has just signed in with the first passkey. */
  browser: BrowserSession;
  passkeys: SoftwarePasskey[];
}

async function createPasskeyAccount(count: number): Promise<PasskeyAccount> {
  const user = await service.createUser({ locale: 'en', emailVerified: true });
  const { passkey } = await registerPasskey(await openSignedInBrowser(service, user), service);
  const { browser } = await signInWithPasskey(service, passkey);
  const passkeys = [passkey];
  while (passkeys.length < count) passkeys.push((await registerPasskey(browser, service)).passkey);
  return { user, browser, passkeys };
}

async function createCodes(browser: BrowserSession): Promise<string[]> {
  const page = await browser.get('/account/security/codes/new');
  const codesPage = await browser.follow(await browser.post('/account/security/codes/new', page.hidden));
  return readElementText(codesPage, 'codes').split('\n');
}

async function removePassword(browser: BrowserSession): Promise<Visit> {
  const page = await browser.get(REMOVE_PATH);
  return browser.post(REMOVE_PATH, page.hidden);
}

/** Creates an account with a passkey and recovery codes, but without a password. */
async function createPasswordlessAccount(): Promise<PasskeyAccount & { codes: string[] }> {
  const account = await createPasskeyAccount(1);
  const codes = await createCodes(account.browser);
  expect((await removePassword(account.browser)).location?.search).toBe('?done=password-removed');
  return { ...account, codes };
}

async function signInWithRecoveryCode(
  email: string,
  code: string,
  browser = openBrowserSession(service.baseUrl),
) {
  const page = await browser.get('/signin/recovery');
  return { browser, response: await browser.post('/signin/recovery', { ...page.hidden, email, code }) };
}

const hasPassword = async (browser: BrowserSession) =>
  (await browser.get('/account/security')).body.includes('href="/account/password"');

const listEventKinds = async ({ userId }: TestUser) =>
  (await listEvents(service.services.database, { userId }, { limit: 50 })).map(({ kind }) => kind);

describe('removing the password', () => {
  test('requires two passkeys, or a passkey and recovery codes', async () => {
    const withOnePasskey = await createPasskeyAccount(1);
    expect(readFormErrors((await removePassword(withOnePasskey.browser)).body)).toHaveLength(1);
    expect(await hasPassword(withOnePasskey.browser)).toBe(true);
    await createCodes(withOnePasskey.browser);
    // Without this delay, the next form would count as a repeated submission.
    service.clock.advance(120);
    expect((await removePassword(withOnePasskey.browser)).location?.search).toBe('?done=password-removed');
    expect(await hasPassword(withOnePasskey.browser)).toBe(false);
    const withTwoPasskeys = await createPasskeyAccount(2);
    expect((await removePassword(withTwoPasskeys.browser)).location?.search).toBe('?done=password-removed');
    expect((await listEventKinds(withTwoPasskeys.user))[0]).toBe('password_removed');
    const subjects = (await listEmailsTo(service, withTwoPasskeys.user.email)).map(({ subject }) => subject);
    expect(subjects).toContain('Your Sésame account no longer has a password');
  });

  test('is rejected if too few sign-in methods would remain', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    expect(readFormErrors((await removePassword(browser)).body)).toHaveLength(1);
    const account = await createPasskeyAccount(1);
    await createCodes(account.browser);
    await service.services.database.query(
      {
        name: 'use_all_codes',
        text: 'update recovery_codes set used_at = created_at where user_id = $1::uuid',
      },
      [account.user.userId],
    );
    expect(readFormErrors((await removePassword(account.browser)).body)).toHaveLength(1);
  });

  test('requires re-authentication with a passkey, not with the password', async () => {
    const { user } = await createPasskeyAccount(2);
    const browser = await openSignedInBrowser(service, user);
    const page = await browser.get(REMOVE_PATH);
    expect(findInput(page.body, 'confirmation_code')).toBeDefined();
    await browser.post(REMOVE_PATH, { ...page.hidden, current_password: user.password });
    expect(await hasPassword(browser)).toBe(true);
  });
});

describe('a passwordless user', () => {
  test('can sign in with a passkey', async () => {
    const { user, passkeys } = await createPasswordlessAccount();
    const former = await signIn(openBrowserSession(service.baseUrl), user);
    const wrong = await signIn(openBrowserSession(service.baseUrl), { ...user, password: 'not it, surely' });
    expect([former.status, readFormErrors(former.body)]).toEqual([wrong.status, readFormErrors(wrong.body)]);
    const [passkey] = passkeys;
    if (passkey === undefined) throw new Error('the account has no passkey');
    expect(await isSignedIn((await signInWithPasskey(service, passkey)).browser)).toBe(true);
  });

  test('can sign in with a recovery code', async () => {
    const { user, codes } = await createPasswordlessAccount();
    const { browser, response } = await signInWithRecoveryCode(user.email.toUpperCase(), codes[0] ?? '');
    expect(response.location?.pathname).toBe('/account/security');
    expect((await browser.get('/account/activity')).body).toContain('Recovery code\u00a0· ');
    await registerPasskey(browser, service);
    expect(await listPasskeys(service.services.database, user.userId)).toHaveLength(2);
    expect((await signInWithRecoveryCode(user.email, codes[0] ?? '')).response.status).toBe(401);
  });

  test('can add a passkey for a client that requires MFA', async () => {
    const { user, codes } = await createPasswordlessAccount();
    const { browser } = await signInWithRecoveryCode(user.email, codes[0] ?? '');
    const application = await service.createClient();
    await sql(service.services.database, 'update clients set mfa_required = true where client_id = $1', [
      application.clientId,
    ]);
    const authorize = async () => browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
    const page = await authorize();
    expect(page.body).toContain('asks you to confirm with one of your passkeys');
    const [, href = ''] = /<a href="([^"]*)">Create a new one/.exec(page.body) ?? [];
    const creationPage = await browser.get(href.replaceAll('&amp;', '&'));
    const passkey = createPasskey(service.baseUrl).createCredential(
      readPasskeyOptions(creationPage.body, 'create'),
    );
    const consent = await browser.follow(
      await browser.post(NEW_PASSKEY_PATH, { ...readSetUpFields(creationPage, NEW_PASSKEY_PATH), passkey }),
    );
    expect(consent.body).toContain('action="/consent"');
    // A passkey can be created only within 15 minutes of signing in with a recovery code.
    const laterSession = await signInWithRecoveryCode(user.email, codes[1] ?? '');
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const stepUpPage = await laterSession.browser.follow(
      await laterSession.browser.get(buildAuthorizeUrl(service, application)),
    );
    expect([
      stepUpPage.body.includes('action="/signin/step-up"'),
      stepUpPage.body.includes(NEW_PASSKEY_PATH),
    ]).toEqual([true, false]);
  });

  test('gets the same response for every invalid recovery code', async () => {
    const [account, other] = [await createPasswordlessAccount(), await createPasswordlessAccount()];
    const passwordAccount = await createPasskeyAccount(1);
    const [code = ''] = await createCodes(passwordAccount.browser);
    const attempts = [
      await signInWithRecoveryCode(account.user.email, other.codes[0] ?? ''),
      await signInWithRecoveryCode(account.user.email, '000000'),
      await signInWithRecoveryCode('nobody@nowhere.example', account.codes[0] ?? ''),
      await signInWithRecoveryCode(passwordAccount.user.email, code),
    ];
    const summaries = attempts.map(({ response }) =>
      [response.status, ...readFormErrors(response.body)].join(),
    );
    expect(new Set(summaries).size).toBe(1);
    expect(attempts.map(({ response }) => response.status)).toEqual([401, 401, 401, 401]);
    // None of the recovery codes was redeemed.
    expect((await findMfaFactors(service.services.database, passwordAccount.user.userId)).recoveryCodes).toBe(
      10,
    );
    expect((await signInWithRecoveryCode(account.user.email, account.codes[0] ?? '')).response.status).toBe(
      303,
    );
  });

  test('must keep at least two sign-in methods', async () => {
    const { user, browser } = await createPasswordlessAccount();
    const [passkey] = await listPasskeys(service.services.database, user.userId);
    const path = `/account/security/passkeys/remove?passkey=${passkey?.credentialId}`;
    const page = await browser.get(path);
    const refused = await browser.post(path, page.hidden);
    expect(readFormErrors(refused.body)[0]).toContain('it needs two ways to sign in');
    expect(refused.body).toContain(`<a class="button button--primary" href="${NEW_PASSKEY_PATH}">`);
    expect(refused.body).not.toContain('button--danger');
    expect(await listPasskeys(service.services.database, user.userId)).toHaveLength(1);
    await registerPasskey(browser, service);
    service.clock.advance(120);
    const retryPage = await browser.get(path);
    expect((await browser.post(path, retryPage.hidden)).location?.search).toBe('?done=passkey-removed');
  });

  test('gets no password reset links', async () => {
    const account = await createPasskeyAccount(2);
    const { user } = account;
    const requestReset = async () => {
      const browser = openBrowserSession(service.baseUrl);
      const page = await browser.get('/password/forgot');
      await browser.post('/password/forgot', { ...page.hidden, email: user.email });
      return (await listEmailsTo(service, user.email)).find(({ text }) =>
        /reset\?|signin\/recovery/.test(text),
      );
    };
    const link = readLink((await requestReset()) ?? { text: '' });
    expect(link).toContain('/password/reset?');
    await removePassword(account.browser);
    expect((await openBrowserSession(service.baseUrl).get(link)).status).toBe(400);
    const mail = await requestReset();
    expect(mail?.subject).toBe('Your Sésame account has no password');
    expect(mail?.text).not.toContain('/password/reset');
    const admin = await createSignedInAdmin(service);
    expect((await admin.browser.get(adminAccountPath(user.userId))).body).not.toContain(
      'mail/reset_password',
    );
  });

  test('can set a password through an emailed link after an MFA reset', async () => {
    const { user } = await createPasswordlessAccount();
    const admin = await createSignedInAdmin(service);
    await admin.submit(adminAccountPath(user.userId, 'reset_mfa'), { passkeys: 'yes' });
    service.clock.advance(86_401);
    while (await runDueMfaReset(service.services, service.clock.now()));
    const browser = openBrowserSession(service.baseUrl);
    const forgot = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...forgot.hidden, email: user.email });
    const mail = (await listEmailsTo(service, user.email)).find(({ text }) =>
      text.includes('/password/reset?'),
    );
    const page = await browser.get(readLink(mail ?? { text: '' }));
    await browser.post('/password/reset', { ...page.hidden, new_password: NEW_PASSWORD });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('must use MFA on remembered devices after setting a password', async () => {
    const account = await createMfaAccount(service);
    const { user, browser } = account;
    await registerPasskey(browser, service);
    const rememberedDevice = await signInOnRememberedDevice(service, account);
    expect(await isSignedIn(rememberedDevice)).toBe(true);
    expect((await removePassword(browser)).location?.search).toBe('?done=password-removed');
    const form = await browser.get(SET_PATH);
    const added = await browser.post(SET_PATH, { ...form.hidden, new_password: NEW_PASSWORD });
    expect(added.location?.search).toBe('?done=password-added');
    rememberedDevice.cookies.delete('sesame');
    const { response } = await enterPassword(service, { ...user, password: NEW_PASSWORD }, rememberedDevice);
    expect(response.location?.pathname).toBe('/signin/second-factor');
  });

  test('remains passwordless after reporting unauthorized activity', async () => {
    const { user } = await createPasswordlessAccount();
    const emails = await listEmailsTo(service, user.email);
    const mail = emails.find(({ subject }) => subject.includes('no longer has a password'));
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(readLink(mail ?? { text: '' }));
    await browser.post('/security/report', page.hidden);
    const [row] = await service.services.database.query<{ isPasswordless: boolean }>(
      {
        name: 'is_passwordless',
        text: 'select password_hash is null as "isPasswordless" from users where id = $1::uuid',
      },
      [user.userId],
    );
    expect(row?.isPasswordless).toBe(true);
  });

  test('can add a password after re-authentication', async () => {
    const { user, browser, codes } = await createPasswordlessAccount();
    expect((await browser.get('/account/password')).location?.pathname).toBe(SET_PATH);
    expect((await browser.get('/account')).body).toContain(`href="${SET_PATH}">Choose`);
    expect((await browser.get('/account/activity')).body).toContain('end your other sessions');
    service.clock.advance(16 * 60);
    const page = await browser.get(SET_PATH);
    expect(findInput(page.body, 'current_password')).toBeUndefined();
    const rejected = await browser.post(SET_PATH, { ...page.hidden, new_password: NEW_PASSWORD });
    expect(readFormErrors(rejected.body)).toHaveLength(1);
    const fields = { ...rejected.hidden, new_password: NEW_PASSWORD, confirmation_code: codes[1] ?? '' };
    const added = await browser.post(SET_PATH, fields);
    expect(added.location?.search).toBe('?done=password-added');
    expect((await listEventKinds(user))[0]).toBe('password_added');
    const newBrowser = openBrowserSession(service.baseUrl);
    await signIn(newBrowser, { ...user, password: NEW_PASSWORD });
    expect(await isSignedIn(newBrowser)).toBe(true);
    // A recovery code can't replace a password.
    expect((await signInWithRecoveryCode(user.email, codes[2] ?? '')).response.status).toBe(401);
  });

  test('must re-authenticate after adding a password', async () => {
    const { user, codes } = await createPasswordlessAccount();
    const { browser } = await signInWithRecoveryCode(user.email, codes[0] ?? '');
    const page = await browser.get(SET_PATH);
    const added = await browser.post(SET_PATH, { ...page.hidden, new_password: NEW_PASSWORD });
    expect(added.location?.search).toBe('?done=password-added');
    const path = '/account/security/codes/new';
    const refused = await browser.post(path, (await browser.get(path)).hidden);
    expect(readFormErrors(refused.body)).toHaveLength(1);
  });
});

test('sign-in with a recovery code succeeds while the queue of delayed attempts is full', async () => {
  const { user, codes } = await createPasswordlessAccount();
  let endDelays = () => {};
  const delaysEnded = new Promise<void>((resolve) => {
    endDelays = resolve;
  });
  const slow = await startTestService({}, { databaseUrl: service.databaseUrl, wait: () => delaysEnded });
  slow.clock.advance((service.clock.now().getTime() - slow.clock.now().getTime()) / 1000);
  try {
    const enter = async (code: string) => {
      const browser = openBrowserSession(slow.baseUrl);
      const page = await browser.get('/signin/recovery');
      const response = await browser.post('/signin/recovery', { ...page.hidden, email: user.email, code });
      return response.location?.pathname;
    };
    for (let tried = 0; tried < 4; tried += 1) await enter(`0000-0000-0000-000${tried}`);
    const waiting = Array.from({ length: 8 }, (_, index) => enter(`0000-0000-0000-00${10 + index}`));
    await waitUntil('all delay slots to be used', async () => slow.services.attempts.delayedCount() === 8);
    expect(await enter(codes[0] ?? '')).toBe('/account/security');
    endDelays();
    await Promise.all(waiting);
  } finally {
    endDelays();
    await slow.close();
  }
});
