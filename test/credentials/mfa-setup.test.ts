// Credential changes require re-authentication, send alerts and record events.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listEvents } from '../../src/store/audit-log.ts';
import { findMfaFactors } from '../../src/store/mfa-factors.ts';
import type { BrowserSession, Visit } from '../support/browser-session.ts';
import { listEmailsTo, readLink } from '../support/emails.ts';
import { findInput, readFieldError } from '../support/markup.ts';
import {
  createMfaAccount,
  createTotpCode,
  readElementText,
  setUpAuthenticatorApp,
} from '../support/mfa-account.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import {
  createPasskey,
  NEW_PASSKEY_PATH,
  readPasskeyOptions,
  registerPasskey,
  type SoftwarePasskey,
} from '../support/passkey.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const service = await startTestService();
afterAll(() => service.close());

const SECURITY_PATH = '/account/security';
const PASSKEY_OFFER_PATH = `${SECURITY_PATH}/passkeys/offer`;
const NEW_PASSWORD = 'quite another battery staple';

describe('without a recent sign-in, a user', () => {
  interface Account {
    user: TestUser;
    browser: BrowserSession;
    passkey?: SoftwarePasskey;
    secret?: string;
  }
  let passwordOnly: Account;
  /** Account with a password, an authenticator app and a passkey. */
  let withMfa: Account;
  /** Account with an authenticator app and a passkey, but no password. */
  let passwordless: Account;
  beforeAll(async () => {
    const createAccount = async () => {
      const { user, browser, secret } = await createMfaAccount(service);
      return { user, browser, secret, passkey: (await registerPasskey(browser, service)).passkey };
    };
    const user = await service.createUser();
    [withMfa, passwordless] = [await createAccount(), await createAccount()];
    passwordOnly = { user, browser: await openSignedInBrowser(service, user) };
    await sql(service.services.database, 'update users set password_hash = null where id = $1', [
      passwordless.user.userId,
    ]);
    service.clock.advance(15 * 60 - 30);
    const page = await passwordOnly.browser.get(`${SECURITY_PATH}/app`);
    expect(findInput(page.body, 'current_password')).toBeUndefined();
    service.clock.advance(31);
  });

  const readCredentials = ({ user: { userId } }: Account) =>
    sql(
      service.services.database,
      `select u.email, u.password_hash, u.totp_secret, u.passkey_count,
        (select json_agg(json_build_array(p.credential_id, p.name) order by p.credential_id) from passkeys p where p.user_id = u.id) passkeys,
        (select json_agg(r.hash order by r.hash) from recovery_codes r where r.user_id = u.id) codes,
        (select count(*) from one_time_tokens t where t.user_id = u.id and t.kind = 'change_email') changes
      from users u where u.id = $1::uuid`,
      [userId],
    );
  const passkeyPath = (action: 'rename' | 'remove', { passkey }: Account) =>
    `${SECURITY_PATH}/passkeys/${action}?passkey=${passkey?.id}`;
  const newPasskeyFields = ({ body }: Visit) => ({
    passkey: createPasskey(service.baseUrl).createCredential(readPasskeyOptions(body, 'create')),
  });

  type Form = [
    action: string,
    path: string | ((account: Account) => string),
    fields?: (page: Visit) => object,
  ];
  const removeApp: Form = ['remove the authenticator app', `${SECURITY_PATH}/app/remove`];
  const createCodes: Form = ['create recovery codes', `${SECURITY_PATH}/codes/new`];
  const addPasskey: Form = ['add a passkey', NEW_PASSKEY_PATH, newPasskeyFields];
  const renamePasskey: Form = [
    'rename a passkey',
    (account) => passkeyPath('rename', account),
    () => ({ name: 'Phone' }),
  ];
  const deletePasskey: Form = ['delete a passkey', (account) => passkeyPath('remove', account)];
  const changeEmail: Form = [
    'change the email address',
    '/account/email',
    () => ({ new_email: 'a@b.example' }),
  ];

  async function expectRejected(
    account: Account,
    [, path, fields]: Form,
    credentials: Record<string, string>,
    missingField: string,
  ) {
    const before = await readCredentials(account);
    const url = typeof path === 'string' ? path : path(account);
    const page = await account.browser.get(url);
    const response = await account.browser.post(url, { ...page.hidden, ...fields?.(page), ...credentials });
    expect([response.status, readFieldError(response.body, missingField)]).toEqual([400, expect.any(String)]);
    expect(await readCredentials(account)).toEqual(before);
  }

  test.each<Form>([
    removeApp,
    createCodes,
    addPasskey,
    renamePasskey,
    deletePasskey,
    changeEmail,
    ['change the password', '/account/password', () => ({ new_password: NEW_PASSWORD })],
    ['remove the password', `${SECURITY_PATH}/password/remove`],
  ])('with MFA cannot %s using only the password', (...form) =>
    expectRejected(withMfa, form, { current_password: PASSWORD }, 'confirmation_code'),
  );

  test.each<Form>([
    [
      'set up an authenticator app',
      `${SECURITY_PATH}/app`,
      (page) => ({ code: createTotpCode(service, readElementText(page, 'key').replaceAll(' ', '')) }),
    ],
    addPasskey,
    ['add the offered passkey', PASSKEY_OFFER_PATH, newPasskeyFields],
    changeEmail,
    ['change the password', '/account/password', () => ({ new_password: NEW_PASSWORD })],
  ])('cannot %s without the password', (...form) =>
    expectRejected(passwordOnly, form, {}, 'current_password'),
  );

  test.each<Form>([
    ['add a password', `${SECURITY_PATH}/password`, () => ({ new_password: NEW_PASSWORD })],
    removeApp,
    createCodes,
    addPasskey,
    renamePasskey,
    deletePasskey,
    changeEmail,
  ])('needs an MFA code to %s if the account has no password', (...form) =>
    expectRejected(passwordless, form, {}, 'confirmation_code'),
  );

  test('cannot create recovery codes with only an authenticator app code', () =>
    expectRejected(
      passwordless,
      createCodes,
      { confirmation_code: createTotpCode(service, passwordless.secret ?? '') },
      'confirmation_code',
    ));
});

describe('a credential change', () => {
  let user: TestUser;
  let browser: BrowserSession;
  let passkeyId: string;
  beforeAll(async () => {
    user = await service.createUser({ locale: 'en', emailVerified: true });
    browser = await openSignedInBrowser(service, user);
  });

  const send = async (path: string, fields: Record<string, string> = {}) => {
    const page = await browser.get(`${SECURITY_PATH}${path}`);
    expect((await browser.post(`${SECURITY_PATH}${path}`, { ...page.hidden, ...fields })).status).toBe(303);
  };
  const addPasskey = async () => {
    passkeyId = (await registerPasskey(browser, service)).passkey.id;
  };
  const addApp = async () => {
    await setUpAuthenticatorApp(service, browser);
  };

  // The order matters because these tests change the same user.
  test.each<[kind: string, mail: string, detail: object, change: () => Promise<unknown>]>([
    ['passkey_added', 'A passkey was added to', { name: 'Passkey' }, addPasskey],
    [
      'passkey_renamed',
      'A passkey for',
      { name: 'Phone' },
      () => send(`/passkeys/rename?passkey=${passkeyId}`, { name: 'Phone' }),
    ],
    ['app_added', 'Authenticator app added to', {}, addApp],
    ['recovery_codes_made', 'New recovery codes for', {}, () => send('/codes/new')],
    [
      'passkey_removed',
      'A passkey was removed from',
      { name: 'Phone' },
      () => send(`/passkeys/remove?passkey=${passkeyId}`),
    ],
    ['app_removed', 'Authenticator app removed from', {}, () => send('/app/remove')],
  ])('triggers an alert with a report link (%s)', async (kind, subject, detail, change) => {
    const listUserEvents = () =>
      listEvents(service.services.database, { userId: user.userId }, { limit: 50 });
    const before = {
      emails: (await listEmailsTo(service, user.email)).length,
      events: (await listUserEvents()).length,
    };
    await change();
    const emails = await listEmailsTo(service, user.email);
    const [mail, ...otherEmails] = emails.slice(0, emails.length - before.emails);
    expect(mail?.subject).toContain(subject);
    expect(readLink(mail ?? { text: '' })).toMatch(/^\/security\/report\?token=/);
    expect(otherEmails).toEqual([]);
    const after = await listUserEvents();
    expect(after.slice(0, after.length - before.events)).toMatchObject([
      { kind, actorId: user.userId, userId: user.userId, ip: '127.0.0.1', detail },
    ]);
  });
});

test('an authenticator app cannot be set up with another account’s secret', async () => {
  const browser = await openSignedInBrowser(service, await service.createUser());
  const otherBrowser = await openSignedInBrowser(service, await service.createUser());
  const page = await browser.get(`${SECURITY_PATH}/app`);
  const otherPage = await otherBrowser.get(`${SECURITY_PATH}/app`);
  const code = createTotpCode(service, readElementText(otherPage, 'key').replaceAll(' ', ''));
  const refused = await browser.post(`${SECURITY_PATH}/app`, {
    ...page.hidden,
    secret: otherPage.hidden.secret ?? '',
    code,
  });
  expect(readFieldError(refused.body, 'code')).toBeTruthy();
});

test('an authenticator app’s setup form can be resubmitted after the app is removed', async () => {
  const user = await service.createUser();
  const browser = await openSignedInBrowser(service, user);
  const page = await browser.get(`${SECURITY_PATH}/app`);
  await setUpAuthenticatorApp(service, browser, page);
  const remove = await browser.get(`${SECURITY_PATH}/app/remove`);
  expect((await browser.post(`${SECURITY_PATH}/app/remove`, remove.hidden)).location?.search).toBe(
    '?done=app-removed',
  );
  await setUpAuthenticatorApp(service, browser, page);
  expect((await findMfaFactors(service.services.database, user.userId)).appEnabledAt).not.toBeNull();
});

describe('new recovery codes', () => {
  const CODES = `${SECURITY_PATH}/codes`;

  test('are shown only once', async () => {
    const { browser, codes } = await createMfaAccount(service);
    const reloaded = await browser.get(CODES);
    expect(reloaded.status).toBe(200);
    expect(reloaded.body).toContain('were shown once');
    expect(reloaded.body).toContain(`href="${CODES}/new"`);
    expect(codes.some((code) => reloaded.body.includes(code))).toBe(false);
  });
});
