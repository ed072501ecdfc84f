// MFA resets: administrators request them, and users can stop them until the delay is over.

import { afterAll, describe, expect, test } from 'vitest';
import type { Moderator } from '../../src/accounts/moderation.ts';
import { startMfaResets } from '../../src/background/mfa-resets.ts';
import { requestMfaReset, runDueMfaReset } from '../../src/credentials/mfa-reset.ts';
import { createLogger } from '../../src/process/logger.ts';
import { listEvents } from '../../src/store/audit-log.ts';
import { findMfaFactors } from '../../src/store/mfa-factors.ts';
import { findMfaReset } from '../../src/store/mfa-resets.ts';
import { listPasskeys } from '../../src/store/passkeys.ts';
import { adminAccountPath, createSignedInAdmin, type TestAdmin } from '../support/admin.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { findLastEmailTo, listEmailsTo, readLink } from '../support/emails.ts';
import { findInput, readFieldError, readFormErrors, readHeading, readText } from '../support/markup.ts';
import {
  createMfaAccount,
  createTotpCode,
  enterPassword,
  isSignedIn,
  type MfaAccount,
  signInWithCode,
  submitSecondFactor,
} from '../support/mfa-account.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { registerPasskey, signInWithPasskey } from '../support/passkey.ts';
import { startTestService, type TestUser } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const DAY = 86_400;

let admin: TestAdmin;
const service = await startTestService();
afterAll(() => service.close());

const createAccount = () => createMfaAccount(service, { locale: 'en', emailVerified: true });
const resetPath = ({ userId }: TestUser) => adminAccountPath(userId, 'reset_mfa');
const stopPath = ({ userId }: TestUser) => adminAccountPath(userId, 'cancel_mfa_reset');
const listResetEvents = async ({ userId }: TestUser) =>
  (await listEvents(service.services.database, { userId }, { limit: 50 }))
    .map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('mfa_reset'));
const isPending = async ({ userId }: TestUser) =>
  (await findMfaReset(service.services.database, userId)) !== undefined;
const hasApp = async ({ userId }: TestUser) =>
  (await findMfaFactors(service.services.database, userId)).appEnabledAt !== null;

async function requestReset({ user }: MfaAccount) {
  admin = await createSignedInAdmin(service);
  const response = await admin.submit(resetPath(user), { reason: 'lost phone' });
  expect(response.location?.search).toBe('?done=reset_mfa');
  expect(readText((await admin.browser.follow(response)).body)).toMatch(
    /Second factor reset requested\. Reset scheduled for \d+ \w+/,
  );
}

/** Submits the form directly. The account page may have no link to it. */
async function submitReset(user: TestUser) {
  const { hidden } = await admin.browser.get(adminAccountPath(user.userId, 'end'));
  return admin.browser.post(resetPath(user), { csrf: hidden.csrf ?? '' });
}

async function runDueResets() {
  while (await runDueMfaReset(service.services, service.clock.now()));
}

/** Lists the subjects of the account's emails about MFA resets, newest first. */
const listResetSubjects = async ({ email }: TestUser) =>
  (await listEmailsTo(service, email))
    .map(({ subject }) => subject)
    .filter((subject) => subject.startsWith('The second factor for'));

/** Returns the link in the account's latest email whose subject contains `subjectPart`. */
async function findLink({ email }: TestUser, subjectPart: string) {
  const mail = (await listEmailsTo(service, email)).find(({ subject }) => subject.includes(subjectPart));
  return readLink(mail ?? { text: '' });
}

async function resetPassword({ email }: TestUser, password: string) {
  const browser = openBrowserSession(service.baseUrl);
  const forgot = await browser.get('/password/forgot');
  await browser.post('/password/forgot', { ...forgot.hidden, email });
  const page = await browser.get(readLink(await findLastEmailTo(service, email)));
  return browser.post('/password/reset', { ...page.hidden, new_password: password });
}

describe('an administrator’s request for an MFA reset', () => {
  test('takes effect only after a delay', async () => {
    const account = await createAccount();
    const { user } = account;
    const remembered = await enterPassword(service, user);
    await submitSecondFactor(remembered.browser, remembered.page, {
      code: createTotpCode(service, account.secret),
      trust: 'yes',
    });
    await requestReset(account);
    expect(await findLink(user, 'is about to be reset')).toMatch(/^\/security\/cancel-reset\?token=/);

    service.clock.advance(DAY - 60);
    await runDueResets();
    expect((await enterPassword(service, user)).response.location?.pathname).toBe('/signin/second-factor');
    service.clock.advance(61);
    await runDueResets();
    expect((await enterPassword(service, user)).response.location?.pathname).toBe('/account');
    expect(await findMfaFactors(service.services.database, user.userId)).toMatchObject({
      appEnabledAt: null,
      recoveryCodes: 0,
    });
    expect(await listResetSubjects(user)).toEqual([
      'The second factor for your Sésame account was reset',
      'The second factor for your Sésame account is about to be reset',
    ]);
    expect(await listResetEvents(user)).toEqual(['mfa_reset', 'mfa_reset_requested']);
    const [latest] = await listEvents(
      service.services.database,
      { userId: user.userId, kind: 'mfa_reset_requested' },
      { limit: 1 },
    );
    expect(latest).toMatchObject({ actorId: admin.user.userId, detail: { reason: 'lost phone' } });
  });

  test('requires recent authentication', async () => {
    const { user } = await createAccount();
    const stale = await createSignedInAdmin(service);
    service.clock.advance(16 * 60);
    const page = await stale.browser.get(resetPath(user));
    expect(findInput(page.body, 'current_password')).toBeDefined();
    expect(readFieldError((await stale.submit(resetPath(user))).body, 'current_password')).toBeTruthy();
    const nonAdmin = await openSignedInBrowser(service, await service.createUser());
    const { hidden } = await nonAdmin.get('/account/security');
    expect((await nonAdmin.post(resetPath(user), { csrf: hidden.csrf ?? '' })).status).toBe(404);
    // requestMfaReset itself also checks that the requester is an administrator.
    const by: Moderator = { userId: (await service.createUser()).userId, ip: '127.0.0.1' };
    const outcome = requestMfaReset(
      service.services,
      user.userId,
      { passkeys: false },
      by,
      service.clock.now(),
    );
    expect(await outcome).toBe('notAdmin');
    expect(await isPending(user)).toBe(false);
  });

  test('is not affected by a second request', async () => {
    const account = await createAccount();
    await requestReset(account);
    const pendingReset = await findMfaReset(service.services.database, account.user.userId);
    service.clock.advance(3600);
    const otherAdmin = await createSignedInAdmin(service);
    // The form's page redirects to the account's page, and submitting the form has no effect.
    expect((await otherAdmin.browser.get(resetPath(account.user))).location?.pathname).toBe(
      adminAccountPath(account.user.userId),
    );
    const csrf =
      (await otherAdmin.browser.get(adminAccountPath(account.user.userId, 'end'))).hidden.csrf ?? '';
    expect((await otherAdmin.browser.post(resetPath(account.user), { csrf })).location?.search).toBe('');
    expect(await findMfaReset(service.services.database, account.user.userId)).toEqual(pendingReset);
    expect(await listResetSubjects(account.user)).toHaveLength(1);
  });

  test('is rejected for accounts without MFA', async () => {
    const ownAccount = await createAccount();
    await service.services.database.query(
      { name: 'make_operator', text: 'update users set is_admin = true where id = $1::uuid' },
      [ownAccount.user.userId],
    );
    const csrf =
      (await ownAccount.browser.get(adminAccountPath(ownAccount.user.userId, 'end'))).hidden.csrf ?? '';
    expect((await ownAccount.browser.get(resetPath(ownAccount.user))).location?.pathname).toBe(
      adminAccountPath(ownAccount.user.userId),
    );
    const response = await ownAccount.browser.post(resetPath(ownAccount.user), { csrf });
    expect(readFormErrors(response.body)).toHaveLength(1);
    expect(await isPending(ownAccount.user)).toBe(false);

    admin = await createSignedInAdmin(service);
    const withoutMfa = await service.createUser();
    await submitReset(withoutMfa);
    expect(await isPending(withoutMfa)).toBe(false);
    const { user } = await createAccount();
    admin = await createSignedInAdmin(service);
    await admin.submit(adminAccountPath(user.userId, 'suspend'));
    await submitReset(user);
    expect(await isPending(user)).toBe(false);
  });
});

describe('a pending MFA reset', () => {
  test('can be stopped by the signed-in user without re-authentication', async () => {
    const account = await createAccount();
    await requestReset(account);
    service.clock.advance(16 * 60);
    expect((await account.browser.get('/account')).body).toContain('Stop the reset');
    const page = await account.browser.get('/account/security');
    const stopped = await account.browser.post('/account/security/reset/stop', {
      csrf: page.hidden.csrf ?? '',
    });
    expect((await account.browser.follow(stopped)).body).toContain('The reset has been stopped.');
    // Read the email before the clock advances because captured emails expire.
    expect(await listResetSubjects(account.user)).toContain(
      'The second factor for your Sésame account will not be reset',
    );
    service.clock.advance(2 * DAY);
    await runDueResets();
    expect(await isSignedIn(await signInWithCode(service, account))).toBe(true);
    expect(await listResetEvents(account.user)).toEqual(['mfa_reset_canceled', 'mfa_reset_requested']);
  });

  test('can be stopped with the emailed link', async () => {
    const account = await createAccount();
    await requestReset(account);
    const link = await findLink(account.user, 'about to be reset');
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(link);
    expect(page.status).toBe(200);
    expect(await isPending(account.user)).toBe(true);
    const elsewhere = openBrowserSession(service.baseUrl);
    expect((await elsewhere.post('/security/cancel-reset', page.hidden)).status).toBe(403);
    expect(await isPending(account.user)).toBe(true);
    const response = await browser.follow(await browser.post('/security/cancel-reset', page.hidden));
    expect(response.body).toContain('Everything stays as it is.');
    expect(await isPending(account.user)).toBe(false);
    service.clock.advance(120);
    for (const reused of [
      await browser.get(link),
      await browser.post('/security/cancel-reset', page.hidden),
    ]) {
      expect([reused.status, readHeading(reused.body)]).toEqual([400, 'This link no longer works']);
      expect(reused.body).toContain('No reset is pending. It was stopped');
      expect(reused.body).toContain('href="/account/security"');
    }
  });

  test('can be stopped by an administrator', async () => {
    const account = await createAccount();
    await requestReset(account);
    const response = await admin.submit(stopPath(account.user), { reason: 'was not her' });
    expect((await admin.browser.follow(response)).body).toMatch(
      /role="status"[\s\S]*?Second factor reset canceled/,
    );
    expect(await isPending(account.user)).toBe(false);
    const [event] = await listEvents(
      service.services.database,
      { userId: account.user.userId },
      { limit: 1 },
    );
    expect(event).toMatchObject({ kind: 'mfa_reset_canceled', detail: { reason: 'was not her' } });
  });

  test('is postponed by a password reset', async () => {
    const account = await createAccount();
    await requestReset(account);
    service.clock.advance(DAY - 3600);
    const response = await resetPassword(account.user, 'quite another battery staple');
    expect(response.location?.pathname).toBe('/signin/second-factor');
    service.clock.advance(DAY - 60);
    await runDueResets();
    expect(await hasApp(account.user)).toBe(true);
    service.clock.advance(61);
    await runDueResets();
    expect(await hasApp(account.user)).toBe(false);
  });

  test('is canceled by removing the authenticator app', async () => {
    const account = await createAccount();
    await requestReset(account);
    const remove = await account.browser.get('/account/security/app/remove');
    await account.browser.post('/account/security/app/remove', remove.hidden);
    expect(await isPending(account.user)).toBe(false);
  });

  test('is canceled by creating recovery codes', async () => {
    const account = await createAccount();
    await requestReset(account);
    const renew = await account.browser.get('/account/security/codes/new');
    await account.browser.post('/account/security/codes/new', renew.hidden);
    expect(await isPending(account.user)).toBe(false);
    expect((await listResetEvents(account.user))[0]).toBe('mfa_reset_canceled');
  });

  test('is canceled by suspending or deleting the account', async () => {
    const [suspended, deleted] = [await createAccount(), await createAccount()];
    await requestReset(suspended);
    await requestReset(deleted);
    await admin.submit(adminAccountPath(suspended.user.userId, 'suspend'));
    await admin.submit(adminAccountPath(deleted.user.userId, 'delete'), { email: deleted.user.email });
    expect([await isPending(suspended.user), await isPending(deleted.user)]).toEqual([false, false]);
    service.clock.advance(2 * DAY);
    await runDueResets();
    expect(await hasApp(suspended.user)).toBe(true);
  });

  test('is canceled by a report of unauthorized activity', async () => {
    const account = await createAccount();
    const link = await findLink(account.user, 'Authenticator app added');
    await requestReset(account);
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(link);
    await browser.post('/security/report', page.hidden);
    expect(await isPending(account.user)).toBe(false);
  });
});

test('the background job performs all due MFA resets', async () => {
  const accounts = [await createAccount(), await createAccount()];
  for (const account of accounts) await requestReset(account);
  service.clock.advance(DAY + 1);
  const background = startMfaResets(service.services, createLogger('silent'), 0);
  try {
    await waitUntil(
      'both resets',
      async () =>
        !(await hasApp((accounts[0] as MfaAccount).user)) &&
        !(await hasApp((accounts[1] as MfaAccount).user)),
    );
  } finally {
    await background.stop();
  }
});

describe('passkeys', () => {
  test('are deleted by an MFA reset only if the administrator chose to delete them', async () => {
    const user = await service.createUser({ locale: 'en', emailVerified: true });
    const browser = await openSignedInBrowser(service, user);
    const { passkey } = await registerPasskey(browser, service);
    admin = await createSignedInAdmin(service);
    const page = await admin.browser.get(resetPath(user));
    expect(findInput(page.body, 'passkeys')).toBeDefined();
    await admin.browser.post(resetPath(user), page.hidden);
    // The account has no MFA factors other than passkeys.
    expect(await isPending(user)).toBe(false);
    service.clock.advance(120);
    await admin.submit(resetPath(user), { passkeys: 'yes' });
    expect(await isPending(user)).toBe(true);
    const { body } = await browser.get('/account/security');
    const notice = /<div class="notice notice--attention"[\s\S]*?<\/form>/.exec(body)?.[0];
    expect(notice).toContain('Your passkeys, your authenticator app');
    expect(notice).toContain('action="/account/security/reset/stop"');
    service.clock.advance(DAY + 1);
    await runDueResets();
    expect((await signInWithPasskey(service, passkey)).response.status).toBe(401);
    // The reset revokes all sessions because the user's lost device may still be signed in.
    expect((await browser.get('/account')).status).toBe(303);
    expect(await listPasskeys(service.services.database, user.userId)).toEqual([]);
    await registerPasskey(await openSignedInBrowser(service, user), service);
    expect(await listPasskeys(service.services.database, user.userId)).toHaveLength(1);
  });

  test('are not deleted by an MFA reset if the user registers a new passkey first', async () => {
    const user = await service.createUser({ locale: 'en', emailVerified: true });
    const browser = await openSignedInBrowser(service, user);
    const { passkey } = await registerPasskey(browser, service);
    admin = await createSignedInAdmin(service);
    await admin.submit(resetPath(user), { passkeys: 'yes' });
    expect(await isPending(user)).toBe(true);
    await registerPasskey((await signInWithPasskey(service, passkey)).browser, service);
    expect(await isPending(user)).toBe(false);
  });
});
