// Reports of unauthorized activity, including intruders' attempts to circumvent them.

import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { listEvents } from '../../src/store/audit-log.ts';
import { listConsents } from '../../src/store/consents.ts';
import { findMfaFactors } from '../../src/store/mfa-factors.ts';
import { findOwnedApi } from '../../src/store/owned-apis.ts';
import { findOwnedClient } from '../../src/store/owned-clients.ts';
import { listPasskeys } from '../../src/store/passkeys.ts';
import { listSecrets } from '../../src/store/secrets.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import {
  acceptTransfer,
  apiPath,
  CLIENT_SETTINGS,
  clientPath,
  postFields,
  REDIRECT_URI,
  readCredentials,
  registerClient,
  submitForm,
} from '../support/console-forms.ts';
import { findLastEmailTo, listEmailsTo, readCode, readLink } from '../support/emails.ts';
import { blockAfterTokenUse, lockClient, lockTable } from '../support/locks.ts';
import { findMarkupErrors, readHeading, readText } from '../support/markup.ts';
import { createMfaAccount, isSignedIn, setUpAuthenticatorApp } from '../support/mfa-account.ts';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  signIn,
} from '../support/oauth-flow.ts';
import { registerPasskey, signInWithPasskey } from '../support/passkey.ts';
import { PASSWORD, startTestService, type TestService, type TestUser } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const EVIL_URI = 'https://evil.example/collect';
const NEW_PASSWORD = 'quite another password 7';
const REPORT_PATH = '/security/report';
const DAY = 86_400;

const service = await startTestService();
const secondProcess = await startTestService({}, { databaseUrl: service.databaseUrl });
afterAll(async () => {
  await secondProcess.close();
  await service.close();
});

const now = () => service.clock.now();
const findUser = (email: string) => findUserByEmail(service.services.database, email);
const createPublicKey = async (kid: string) => ({
  ...(await exportJWK((await generateKeyPair('ES256')).publicKey)),
  kid,
});
/**
 * Advances both processes' clocks by more than the clock skew that reports tolerate.
 */
const advancePastClockSkew = () => {
  service.clock.advance(90);
  secondProcess.clock.advance((service.clock.now().getTime() - secondProcess.clock.now().getTime()) / 1000);
};

/**
 * Creates an account that owns a client. The owner and an intruder are signed in to the account in separate
 * browsers.
 */
async function createIntrusion() {
  const user = await service.createUser({ emailVerified: true });
  const application = await service.createClient({ ownerId: user.userId });
  const { clientId } = application;
  const owner = await openSignedInBrowser(service, user);
  await submitForm(owner, clientPath(clientId, '/protocol'), {
    jwks: JSON.stringify(await createPublicKey('own')),
  });
  advancePastClockSkew();
  const intruder = await openSignedInBrowser(service, user);
  const link = readLink(await findLastEmailTo(service, user.email));
  return { user, application, clientId, owner, intruder, link };
}
type Intrusion = Awaited<ReturnType<typeof createIntrusion>>;

/** Opens a report link in a new browser and submits the form. */
async function report(link: string, process: TestService = service) {
  const browser = openBrowserSession(process.baseUrl);
  const page = await browser.get(link);
  const response = await browser.post(REPORT_PATH, page.hidden);
  return { page, response, resultPage: await browser.follow(response) };
}

const findClient = ({ user, clientId }: Pick<Intrusion, 'user' | 'clientId'>) =>
  findOwnedClient(service.services.database, user.userId, clientId);
const listKeyIds = async ({ user, clientId }: Intrusion) =>
  (await findOwnedClient(service.services.database, user.userId, clientId))?.jwks?.keys.map(({ kid }) => kid);
const listSecretNumbers = async ({ user, clientId }: Intrusion) =>
  (await listSecrets(service.services.database, user.userId, clientId, now())).map(({ number }) => number);
const addRedirectUri = (browser: BrowserSession, { clientId }: Pick<Intrusion, 'clientId'>, uri = EVIL_URI) =>
  submitForm(browser, clientPath(clientId, '/edit'), {
    ...CLIENT_SETTINGS,
    redirect_uris: `${REDIRECT_URI}\n${uri}`,
  });

async function changeEmail(browser: BrowserSession, email: string): Promise<void> {
  const { hidden } = await browser.get('/account/email');
  await browser.post('/account/email', { csrf: hidden.csrf ?? '', new_email: email });
  const link = readLink(await findLastEmailTo(service, email));
  await browser.post('/security/confirm', (await browser.get(link)).hidden);
}
async function changePassword(browser: BrowserSession): Promise<void> {
  const { hidden } = await browser.get('/account/password');
  const fields = { ...hidden, current_password: PASSWORD, new_password: NEW_PASSWORD };
  await browser.post('/account/password', fields);
}
async function resetPassword(email: string, password = NEW_PASSWORD): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/password/forgot');
  await browser.post('/password/forgot', { ...page.hidden, email });
  const form = await browser.get(readLink(await findLastEmailTo(service, email)));
  await browser.post('/password/reset', { ...form.hidden, new_password: password });
  return browser;
}
async function canSignIn(email: string, password: string): Promise<boolean> {
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, { userId: '', name: '', email, password });
  return browser.cookies.has('sesame');
}
const findLastLink = async ({ email }: Pick<TestUser, 'email'>) =>
  readLink(await findLastEmailTo(service, email));
const createEvilEmail = () => `evil-${crypto.randomUUID()}@example.org`;

/** Asserts that the intruder's session and both passwords are invalid, and that the owner can reset the password. */
async function expectSecured({ user, intruder }: Pick<Intrusion, 'user' | 'intruder'>): Promise<void> {
  expect(await isSignedIn(intruder)).toBe(false);
  for (const password of [PASSWORD, NEW_PASSWORD]) expect(await canSignIn(user.email, password)).toBe(false);
  expect(await isSignedIn(await resetPassword(user.email, 'my new password 3'))).toBe(true);
}

describe('a report of unauthorized activity', () => {
  test('revokes all sessions and grants', async () => {
    const intrusion = await createIntrusion();
    const ownTokens = await obtainTokens(service, intrusion.application, intrusion.owner);
    const stolen = await obtainTokens(service, intrusion.application, intrusion.intruder);
    const pendingCode =
      (await authorize(service, intrusion.application, intrusion.intruder, {})).searchParams.get('code') ??
      '';
    const { response } = await report(intrusion.link);
    expect(response.status).toBe(303);
    for (const { accessToken, refreshToken } of [ownTokens, stolen]) {
      expect((await fetchUserinfo(service, accessToken)).status).toBe(401);
      expect((await redeemRefreshToken(service, intrusion.application, refreshToken)).body.error).toBe(
        'invalid_grant',
      );
    }
    expect((await redeemCode(service, intrusion.application, pendingCode)).body.error).toBe('invalid_grant');
    expect(await isSignedIn(intrusion.owner)).toBe(false);
    await expectSecured(intrusion);
  });

  test('lists the removed items on the page and in an email', async () => {
    const intrusion = await createIntrusion();
    const { user, intruder, clientId } = intrusion;
    await addRedirectUri(intruder, intrusion);
    await submitForm(intruder, clientPath(clientId, '/secrets'), { overlap: '604800' });
    await registerPasskey(intruder, service);
    await submitForm(intruder, '/account/profile', { name: 'Mallory', phone: '', locale: 'en' });
    const { page, resultPage } = await report(intrusion.link);
    for (const { body } of [page, resultPage]) {
      for (const text of [
        `Callback URL ${EVIL_URI}`,
        'Secret no. 2',
        'Passkey ',
        'Profile changed',
        'Application changed',
      ])
        expect(readText(body)).toContain(text);
      // The page has no links into the account because the user can't sign in yet.
      expect(body).not.toContain(`href="${clientPath(clientId)}"`);
      expect(body).not.toContain('href="/account/profile"');
      expect(findMarkupErrors(body)).toEqual([]);
    }
    expect([readHeading(page.body), readHeading(resultPage.body)]).toEqual([
      'This was not you?',
      'Your account is protected',
    ]);
    const suspendedPage = await openBrowserSession(service.baseUrl).get(`${intrusion.link}&email=taken`);
    expect(readText(suspendedPage.body)).toContain('Your account is suspended');
    const mail = await findLastEmailTo(service, user.email);
    expect(mail.subject).toBe('Your Sésame account has been secured');
    for (const text of ['Callback URL', 'Secret no. 2', 'Passkey', 'Profile changed', clientPath(clientId)])
      expect(mail.text).toContain(text);
    for (const text of [mail.text, mail.html]) expect(text).not.toContain('evil.example');
  });

  test('records each removed item in the audit log', async () => {
    const intrusion = await createIntrusion();
    await addRedirectUri(intrusion.intruder, intrusion);
    await submitForm(intrusion.intruder, clientPath(intrusion.clientId, '/secrets'), { overlap: '604800' });
    await report(intrusion.link);
    const events = await listEvents(
      service.services.database,
      { userId: intrusion.user.userId },
      { limit: 20 },
    );
    const filterEvents = (kind: string) => events.filter((event) => event.kind === kind);
    expect(filterEvents('unauthorized_activity_reported')).toMatchObject([
      { detail: { notice: 'new_sign_in' } },
    ]);
    expect(filterEvents('added_item_removed').map(({ clientId, detail }) => [clientId, detail])).toEqual([
      [intrusion.clientId, { item: 'secret', name: '2' }],
      [intrusion.clientId, { item: 'redirect_uri', name: EVIL_URI }],
    ]);
  });

  test('keeps items added before the reported session', async () => {
    const account = await createMfaAccount(service, { emailVerified: true });
    const { user, browser } = account;
    await registerPasskey(browser, service);
    const { clientId } = await service.createClient({ ownerId: user.userId });
    await addRedirectUri(browser, { clientId }, 'https://client.example/second');
    advancePastClockSkew();
    const [passkey] = await listPasskeys(service.services.database, user.userId);
    expect(passkey).toBeDefined();
    await resetPassword(user.email);
    await report(await findLastLink(user));
    const { appEnabledAt, recoveryCodes } = await findMfaFactors(service.services.database, user.userId);
    expect([appEnabledAt !== null, recoveryCodes]).toEqual([true, 10]);
    expect(await listPasskeys(service.services.database, user.userId)).toHaveLength(1);
    expect((await findClient({ user, clientId }))?.redirectUris).toContain('https://client.example/second');
  });

  test('removes redirect URIs, keys and secrets added to a client', async () => {
    const intrusion = await createIntrusion();
    const { intruder, clientId } = intrusion;
    await addRedirectUri(intruder, intrusion);
    const { jwks } =
      (await findOwnedClient(service.services.database, intrusion.user.userId, clientId)) ?? {};
    await submitForm(intruder, clientPath(clientId, '/protocol'), {
      jwks: JSON.stringify({ keys: [...(jwks?.keys ?? []), await createPublicKey('evil')] }),
    });
    await submitForm(intruder, clientPath(clientId, '/sign-out'), {
      post_logout_redirect_uris: 'https://evil.example/out',
      backchannel_logout_uri: 'https://evil.example/back',
    });
    await submitForm(intruder, clientPath(clientId, '/secrets'), { overlap: '604800' });
    const userBrowser = await openSignedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(
      service,
      { ...intrusion.application, redirectUri: EVIL_URI },
      userBrowser,
    );
    await report(intrusion.link);
    expect((await findClient(intrusion))?.redirectUris).toEqual([REDIRECT_URI]);
    expect(await listKeyIds(intrusion)).toEqual(['own']);
    expect(await findOwnedClient(service.services.database, intrusion.user.userId, clientId)).toMatchObject({
      postLogoutRedirectUris: [],
      backchannelLogoutUri: null,
    });
    expect(await listSecretNumbers(intrusion)).toEqual([1]);
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await redeemRefreshToken(service, intrusion.application, tokens.refreshToken)).body.error).toBe(
      'invalid_grant',
    );
    // The user's consent to the client is still valid.
    await obtainTokens(service, intrusion.application, userBrowser);
  });

  test('removes keys, secrets and client access added to an API', async () => {
    const intrusion = await createIntrusion();
    const api = await service.createApi({ ownerId: intrusion.user.userId });
    await submitForm(intrusion.owner, apiPath(api.apiId, '/keys'), {
      jwks: JSON.stringify(await createPublicKey('own')),
    });
    advancePastClockSkew();
    const intruder = await openSignedInBrowser(service, intrusion.user);
    const link = await findLastLink(intrusion.user);
    const findApi = () => findOwnedApi(service.services.database, intrusion.user.userId, api.apiId);
    const keys = [...((await findApi())?.jwks?.keys ?? []), await createPublicKey('evil')];
    await submitForm(intruder, apiPath(api.apiId, '/keys'), { jwks: JSON.stringify({ keys }) });
    await submitForm(intruder, apiPath(api.apiId, '/secrets'), { overlap: '0' });
    const request = { identifier: api.identifier, scopes: 'read' };
    await submitForm(intruder, clientPath(intrusion.clientId, '/apis'), request);
    const { page } = await report(link);
    for (const text of ['Public key “evil”', 'Secret no. 1', 'Access by the application'])
      expect(readText(page.body)).toContain(text);
    expect((await findApi())?.jwks?.keys.map(({ kid }) => kid)).toEqual(['own']);
    expect(await listSecrets(service.services.database, intrusion.user.userId, api.apiId, now())).toEqual([]);
    const query = 'select 1 from api_service_access where api_id = $1';
    expect(await sql(service.services.database, query, [api.apiId])).toEqual([]);
  });

  test('removes all secrets, keys and redirect URIs from a new client', async () => {
    const intrusion = await createIntrusion();
    const { clientId } = readCredentials(await registerClient(intrusion.intruder, { name: 'Planted' }));
    const { resultPage } = await report(intrusion.link);
    expect(readText(resultPage.body)).toContain('Application registered');
    expect(await findClient({ ...intrusion, clientId })).toMatchObject({
      redirectUris: [],
      suspended: false,
    });
    expect(await listSecretNumbers({ ...intrusion, clientId })).toEqual([]);
    const browser = await resetPassword(intrusion.user.email);
    for (const page of ['', '/edit', '/integrate', '/secrets'])
      expect((await browser.get(clientPath(clientId, page))).status).toBe(200);
    const response = await browser.get(buildAuthorizeUrl(service, { ...intrusion.application, clientId }));
    expect(response.status).toBe(400);
  });

  test('removes MFA factors that the intruder added', async () => {
    const { user, intruder, link } = await createIntrusion();
    await setUpAuthenticatorApp(service, intruder);
    await registerPasskey(intruder, service);
    await report(link);
    expect(await findMfaFactors(service.services.database, user.userId)).toEqual({
      appEnabledAt: null,
      appUsedAt: null,
      recoveryCodes: 0,
      recoveryCodesMadeAt: null,
      recoveryCodeUsedAt: null,
    });
    expect(await listPasskeys(service.services.database, user.userId)).toEqual([]);
    expect(await isSignedIn(await resetPassword(user.email))).toBe(true);
  });

  test('removes consents given since the reported session started', async () => {
    const intrusion = await createIntrusion();
    const evil = await service.createClient({ name: 'Evil' });
    await obtainTokens(service, evil, intrusion.intruder, { scope: 'openid profile' });
    await report(intrusion.link);
    expect(await listConsents(service.services.database, intrusion.user.userId)).toEqual([]);
  });

  test('removes items added in a different session', async () => {
    const intrusion = await createIntrusion();
    advancePastClockSkew();
    const other = await openSignedInBrowser(service, intrusion.user);
    await addRedirectUri(other, intrusion);
    await changePassword(intrusion.intruder);
    const link = await findLastLink(intrusion.user);
    await submitForm(intrusion.intruder, clientPath(intrusion.clientId, '/secrets'), { overlap: '604800' });
    await report(link);
    expect((await findClient(intrusion))?.redirectUris).toEqual([REDIRECT_URI]);
    expect(await listSecretNumbers(intrusion)).toEqual([1]);
  });

  test('keeps items added more than 30 days ago', async () => {
    const account = await createMfaAccount(service, { emailVerified: true });
    const { user, browser } = account;
    const { passkey } = await registerPasskey(browser, service);
    for (let day = 0; day < 31; day += 1) {
      service.clock.advance(DAY);
      if (day % 10 === 9) await signInWithPasskey(service, passkey, { browser, another: true });
    }
    await signInWithPasskey(service, passkey, { browser, another: true });
    await registerPasskey(browser, service);
    await report(await findLastLink(user));
    const { appEnabledAt, recoveryCodes } = await findMfaFactors(service.services.database, user.userId);
    const passkeys = await listPasskeys(service.services.database, user.userId);
    expect([appEnabledAt !== null, recoveryCodes, passkeys.length]).toEqual([true, 10, 1]);
  });
});

describe('an intruder', () => {
  test('cannot circumvent a report by signing up with the former email address', async () => {
    const intrusion = await createIntrusion();
    const evil = createEvilEmail();
    await changeEmail(intrusion.intruder, evil);
    await changePassword(intrusion.intruder);
    const squatter = openBrowserSession(service.baseUrl);
    const page = await squatter.get('/signup');
    const fields = { ...page.hidden, name: 'Squatter', email: intrusion.user.email, password: PASSWORD };
    await squatter.post('/signup', fields);
    const squatterId = (await findUser(intrusion.user.email))?.userId;
    expect(squatterId).not.toBe(intrusion.user.userId);
    const { page: reportPage, response } = await report(intrusion.link);
    const [deleted] = await listEvents(service.services.database, { userId: squatterId }, { limit: 1 });
    const reason = 'unverified, and its email address was restored to another account';
    const detail = { email: intrusion.user.email, name: 'Squatter', applications: 0, apis: 0, reason };
    expect(deleted).toMatchObject({ kind: 'account_deleted', actorId: null });
    expect(deleted?.detail).toEqual(detail);
    expect(readText(reportPage.body)).toContain(`go back to the address ${intrusion.user.email}`);
    expect(response.status).toBe(303);
    expect(await findUser(intrusion.user.email)).toMatchObject({
      userId: intrusion.user.userId,
      emailVerified: true,
    });
    expect(await findUser(evil)).toBeUndefined();
    expect(await isSignedIn(squatter)).toBe(false);
    await expectSecured(intrusion);
  });

  test('cannot circumvent a report by signing up in the victim’s name beforehand', async () => {
    const user = await service.createUser({ emailVerified: false });
    const squatter = await openSignedInBrowser(service, user);
    const tokens = await obtainTokens(service, await service.createClient(), squatter);
    advancePastClockSkew();
    await changeEmail(await openSignedInBrowser(service, user), createEvilEmail());
    await report(await findLastLink(user));
    expect(await findUser(user.email)).toMatchObject({ userId: user.userId, emailVerified: true });
    expect(await listConsents(service.services.database, user.userId)).toEqual([]);
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect(await isSignedIn(await resetPassword(user.email))).toBe(true);
  });

  test('cannot circumvent a report by changing the email address twice', async () => {
    const intrusion = await createIntrusion();
    const [first, last] = [createEvilEmail(), createEvilEmail()];
    await changeEmail(intrusion.intruder, first);
    await changeEmail(intrusion.intruder, last);
    const intruderLinks = (await listEmailsTo(service, first))
      .filter(({ text }) => text.includes(REPORT_PATH))
      .map(readLink);
    expect(intruderLinks.length).toBeGreaterThan(0);
    // The intruder submits the first report, with the link sent to the intermediate email address.
    await report(intruderLinks.at(-1) ?? '');
    expect((await findUser(first))?.userId).toBe(intrusion.user.userId);
    await report(intrusion.link);
    expect(await findUser(intrusion.user.email)).toMatchObject({ userId: intrusion.user.userId });
    for (const link of intruderLinks) expect((await report(link)).response.status).not.toBe(303);
    expect(await findUser(intrusion.user.email)).toMatchObject({ userId: intrusion.user.userId });
    await expectSecured(intrusion);
  });

  test('cannot circumvent a report by verifying an account with the former email address', async () => {
    const intrusion = await createIntrusion();
    const evil = createEvilEmail();
    await changeEmail(intrusion.intruder, evil);
    await addRedirectUri(intrusion.intruder, intrusion);
    const verified = await service.createUser({ email: intrusion.user.email, emailVerified: true });
    const { response, resultPage } = await report(intrusion.link);
    expect(response.status).toBe(303);
    // The report can't restore an email address that another verified account uses.
    expect(readText(resultPage.body)).toContain('Another account now uses your previous address');
    expect((await findLastEmailTo(service, intrusion.user.email)).text).toContain('Another account now uses');
    expect((await findUser(intrusion.user.email))?.userId).toBe(verified.userId);
    expect((await findClient(intrusion))?.redirectUris).toEqual([REDIRECT_URI]);
    expect(await isSignedIn(intrusion.intruder)).toBe(false);
    expect(await canSignIn(evil, PASSWORD)).toBe(false);
  });

  test('cannot circumvent a report by removing the password', async () => {
    const intrusion = await createIntrusion();
    await registerPasskey(intrusion.intruder, service);
    await registerPasskey(intrusion.intruder, service);
    const { hidden } = await intrusion.intruder.get('/account/security/password/remove');
    await intrusion.intruder.post('/account/security/password/remove', hidden);
    await report(intrusion.link);
    await expectSecured(intrusion);
  });

  test('cannot circumvent a report by transferring the client', async () => {
    const intrusion = await createIntrusion();
    const accomplice = await service.createUser({ emailVerified: true });
    await submitForm(intrusion.intruder, clientPath(intrusion.clientId, '/transfer'), {
      email: accomplice.email,
    });
    await acceptTransfer(await openSignedInBrowser(service, accomplice), intrusion.clientId);
    const { resultPage } = await report(intrusion.link);
    // The report doesn't undo the transfer.
    expect(readText(resultPage.body)).toContain('Application transferred');
    expect(resultPage.body).not.toContain(`href="${clientPath(intrusion.clientId)}"`);
    await expectSecured(intrusion);
  });

  test('cannot circumvent a report by starting a transfer or an email change', async () => {
    const intrusion = await createIntrusion();
    const accomplice = await service.createUser({ emailVerified: true });
    await submitForm(intrusion.intruder, clientPath(intrusion.clientId, '/transfer'), {
      email: accomplice.email,
    });
    const { hidden } = await intrusion.intruder.get('/account/email');
    const evil = createEvilEmail();
    await intrusion.intruder.post('/account/email', { csrf: hidden.csrf ?? '', new_email: evil });
    const changeLink = readLink(await findLastEmailTo(service, evil));
    await report(intrusion.link);
    const accompliceBrowser = await openSignedInBrowser(service, accomplice);
    expect((await accompliceBrowser.get(clientPath(intrusion.clientId, '/transfer/accept'))).status).toBe(
      404,
    );
    expect((await openBrowserSession(service.baseUrl).get(changeLink)).status).toBe(400);
  });
});

test('a report of unauthorized activity revokes sessions and tokens even if the audit log cannot be written', async () => {
  const intrusion = await createIntrusion();
  const tokens = await obtainTokens(service, intrusion.application, intrusion.owner);
  await registerPasskey(intrusion.intruder, service);
  const run = (text: string) => sql(service.services.database, text, []);
  await run("create function fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$");
  await run('create trigger broken before insert on events for each row execute function fail()');
  const { response } = await report(intrusion.link).finally(() => run('drop function fail cascade'));
  expect(response.status).toBe(503);
  expect(readText(response.body)).toContain('the rest failed');
  for (const browser of [intrusion.owner, intrusion.intruder]) expect(await isSignedIn(browser)).toBe(false);
  expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
  expect(await canSignIn(intrusion.user.email, PASSWORD)).toBe(false);
  expect((await report(intrusion.link)).response.status).toBe(303);
  expect(await listPasskeys(service.services.database, intrusion.user.userId)).toEqual([]);
});

describe('the report link', () => {
  test('changes nothing until its form is submitted', async () => {
    const intrusion = await createIntrusion();
    await addRedirectUri(intrusion.intruder, intrusion);
    for (let i = 0; i < 3; i++) await openBrowserSession(service.baseUrl).get(intrusion.link);
    expect(await isSignedIn(intrusion.intruder)).toBe(true);
    await report(intrusion.link);
    const reopened = await openBrowserSession(service.baseUrl).get(intrusion.link);
    expect(readHeading(reopened.body)).toBe('Your account is protected');
    expect(readText(reopened.body)).toContain(EVIL_URI);
  });

  test('does not sign the owner out when it is used a second time', async () => {
    const intrusion = await createIntrusion();
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(intrusion.link);
    await browser.post(REPORT_PATH, hidden);
    const owner = await resetPassword(intrusion.user.email);
    await browser.post(REPORT_PATH, hidden);
    expect(await isSignedIn(owner)).toBe(true);
  });

  test('is valid for seven days', async () => {
    const intrusion = await createIntrusion();
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(intrusion.link);
    service.clock.advance(7 * DAY);
    expect((await browser.get(intrusion.link)).status).toBe(400);
    expect(readHeading((await browser.post(REPORT_PATH, hidden)).body)).toBe('This link no longer works');
    const [events] = await listEvents(
      service.services.database,
      { userId: intrusion.user.userId },
      { limit: 1 },
    );
    expect(events?.kind).not.toBe('unauthorized_activity_reported');
  });
});

describe('with concurrent requests, a report of unauthorized activity', () => {
  test('takes effect only once even if two processes receive it', async () => {
    const intrusion = await createIntrusion();
    await addRedirectUri(intrusion.intruder, intrusion);
    const lock = await lockClient(service.databaseUrl, intrusion.clientId);
    const reports = [report(intrusion.link), report(intrusion.link, secondProcess)];
    await lock.waitForBlocked(2);
    await lock.release();
    for (const { response } of await Promise.all(reports)) expect(response.status).toBe(303);
    expect((await findClient(intrusion))?.redirectUris).toEqual([REDIRECT_URI]);
    const events = await listEvents(
      service.services.database,
      { userId: intrusion.user.userId },
      { limit: 50 },
    );
    expect(events.filter(({ kind }) => kind === 'added_item_removed')).toHaveLength(1);
  });

  test.each(['/edit', '/protocol'])('removes items added on the client’s %s page', async (subpath) => {
    const intrusion = await createIntrusion();
    const elsewhere = openBrowserSession(secondProcess.baseUrl);
    for (const [name, value] of intrusion.intruder.cookies) elsewhere.cookies.set(name, value);
    const form = await elsewhere.get(clientPath(intrusion.clientId, subpath));
    const fields = {
      ...form.hidden,
      ...CLIENT_SETTINGS,
      redirect_uris: `${REDIRECT_URI}\n${EVIL_URI}`,
      overlap: '604800',
      jwks: JSON.stringify(await createPublicKey('evil')),
    };
    const lock = await lockClient(service.databaseUrl, intrusion.clientId);
    const change = postFields(elsewhere, clientPath(intrusion.clientId, subpath), fields);
    await lock.waitForBlocked(1);
    const reporting = report(intrusion.link);
    await lock.waitForBlocked(2);
    await lock.release();
    await Promise.all([change, reporting]);
    expect((await findClient(intrusion))?.redirectUris).toEqual([REDIRECT_URI]);
    expect((await listKeyIds(intrusion)) ?? []).not.toContain('evil');
    expect(await listSecretNumbers(intrusion)).toEqual([1]);
  });

  test('removes a passkey added in a new session', async () => {
    const intrusion = await createIntrusion();
    const { passkey } = await registerPasskey(intrusion.owner, service);
    advancePastClockSkew();
    await openSignedInBrowser(service, intrusion.user);
    const link = await findLastLink(intrusion.user);
    const lock = await lockClient(service.databaseUrl, intrusion.clientId);
    const reporting = report(link, secondProcess);
    await lock.waitForBlocked(1);
    const { browser } = await signInWithPasskey(service, passkey);
    const tableLock = await lockTable(service.databaseUrl, 'mfa_resets');
    const registration = registerPasskey(browser, service);
    await tableLock.waitForBlocked(1);
    await lock.release();
    await tableLock.waitForBlocked(2);
    await tableLock.release();
    await Promise.all([reporting, registration]);
    expect(await listPasskeys(service.services.database, intrusion.user.userId)).toHaveLength(1);
  });

  test('prevents the confirmation of an email change', async () => {
    const intrusion = await createIntrusion();
    const evil = createEvilEmail();
    const { csrf = '' } = (await intrusion.intruder.get('/account/email')).hidden;
    await intrusion.intruder.post('/account/email', { csrf, new_email: evil });
    const code = readCode(await findLastEmailTo(service, evil));
    const owner = openBrowserSession(secondProcess.baseUrl);
    const { hidden } = await owner.get(intrusion.link);
    const lock = await blockAfterTokenUse(service.databaseUrl, 'change_email');
    const confirmation = intrusion.intruder.post('/account/email/code', { csrf, code });
    await lock.waitForBlocked(1);
    expect((await owner.post(REPORT_PATH, hidden)).status).toBe(303);
    await lock.release();
    await confirmation;
    expect(await findUser(evil)).toBeUndefined();
    expect((await findUser(intrusion.user.email))?.userId).toBe(intrusion.user.userId);
  });
});
