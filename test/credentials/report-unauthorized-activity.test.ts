// Reporting unauthorized activity: it ends all access, removes what was added, restores the email address, and nothing that
// an intruder does prevents it.

import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { findOwnApplication } from '../../src/store/applications.ts';
import { listConsents } from '../../src/store/consents.ts';
import { listEvents } from '../../src/store/events.ts';
import { findOwnApi } from '../../src/store/own-apis.ts';
import { listPasskeys } from '../../src/store/passkeys.ts';
import { findFactors } from '../../src/store/second-factors.ts';
import { listSecrets } from '../../src/store/secrets.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import {
  accept,
  at,
  atApi,
  CALLBACK,
  credentialsOn,
  fill,
  register,
  SETTINGS,
  sendFields,
} from '../support/console.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
  signIn,
  userinfo,
} from '../support/flow.ts';
import { lockAfterUse, lockApplication, lockTable } from '../support/locks.ts';
import { codeIn, lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { headingOf, markupFaults, textIn } from '../support/markup.ts';
import { enrol, showPasskey } from '../support/passkey.ts';
import { sql } from '../support/populate.ts';
import { isIn, protect, setUpApp } from '../support/protected-account.ts';
import { PASSWORD, startTestService, type TestService, type TestUser } from '../support/service.ts';

const EVIL = 'https://evil.example/collect';
const NEW_PASSWORD = 'quite another password 7';
const PATH = '/security/not-me';
const DAY = 86_400;

const service = await startTestService();
const second = await startTestService({}, { databaseUrl: service.databaseUrl });
afterAll(async () => {
  await second.close();
  await service.close();
});

const now = () => service.clock.now();
const find = (email: string) => findUserByEmail(service.parts.database, email);
const publicKey = async (kid: string) => ({
  ...(await exportJWK((await generateKeyPair('ES256')).publicKey)),
  kid,
});
/** Later than clocks may differ: what was added before is the owner's. Both processes have the same time. */
const wait = () => {
  service.clock.advance(90);
  second.clock.advance((service.clock.now().getTime() - second.clock.now().getTime()) / 1000);
};

/** An account with a client, its owner's browser, and an intruder who has just signed in. */
async function intrusion() {
  const user = await service.createUser({ emailVerified: true });
  const application = await service.createApplication({ ownerId: user.userId });
  const { clientId } = application;
  const own = await signedInBrowser(service, user);
  await fill(own, at(clientId, '/protocol'), { jwks: JSON.stringify(await publicKey('own')) });
  wait();
  const intruder = await signedInBrowser(service, user);
  const link = linkIn(await lastMailTo(service, user.email));
  return { user, application, clientId, own, intruder, link };
}
type Intrusion = Awaited<ReturnType<typeof intrusion>>;

/** Opens the link in a fresh browser and submits its form. */
async function report(link: string, from: TestService = service) {
  const browser = openBrowserSession(from.baseUrl);
  const page = await browser.get(link);
  const answer = await browser.post(PATH, page.hidden);
  return { page, answer, done: await browser.follow(answer) };
}

const clientOf = ({ user, clientId }: Pick<Intrusion, 'user' | 'clientId'>) =>
  findOwnApplication(service.parts.database, user.userId, clientId);
const keysOf = async ({ user, clientId }: Intrusion) =>
  (await findOwnApplication(service.parts.database, user.userId, clientId))?.jwks?.keys.map(({ kid }) => kid);
const secretsOf = async ({ user, clientId }: Intrusion) =>
  (await listSecrets(service.parts.database, user.userId, clientId, now())).map(({ number }) => number);
const addRedirectUri = (browser: BrowserSession, { clientId }: Pick<Intrusion, 'clientId'>, uri = EVIL) =>
  fill(browser, at(clientId, '/edit'), { ...SETTINGS, redirect_uris: `${CALLBACK}\n${uri}` });

async function changeEmail(browser: BrowserSession, email: string): Promise<void> {
  const { hidden } = await browser.get('/account/email');
  await browser.post('/account/email', { csrf: hidden.csrf ?? '', new_email: email });
  const link = linkIn(await lastMailTo(service, email));
  await browser.post('/security/confirm', (await browser.get(link)).hidden);
}
async function changePassword(browser: BrowserSession): Promise<void> {
  const { hidden } = await browser.get('/account/password');
  const fields = { ...hidden, current_password: PASSWORD, new_password: NEW_PASSWORD };
  await browser.post('/account/password', fields);
}
async function resetBy(email: string, password = NEW_PASSWORD): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/password/forgot');
  await browser.post('/password/forgot', { ...page.hidden, email });
  const form = await browser.get(linkIn(await lastMailTo(service, email)));
  await browser.post('/password/reset', { ...form.hidden, new_password: password });
  return browser;
}
async function opens(email: string, password: string): Promise<boolean> {
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, { userId: '', name: '', email, password });
  return browser.cookies.has('sesame');
}
const lastLink = async ({ email }: Pick<TestUser, 'email'>) => linkIn(await lastMailTo(service, email));
const evilEmail = () => `evil-${crypto.randomUUID()}@example.org`;

/** Expects that neither the intruder's session nor either password opens the account, and that its owner can reset it. */
async function expectSecured({ user, intruder }: Pick<Intrusion, 'user' | 'intruder'>): Promise<void> {
  expect(await isIn(intruder)).toBe(false);
  for (const password of [PASSWORD, NEW_PASSWORD]) expect(await opens(user.email, password)).toBe(false);
  expect(await isIn(await resetBy(user.email, 'mine again for good'))).toBe(true);
}

describe('any report', () => {
  test('ends every session and grant and voids the password, also one about a mere sign-in', async () => {
    const one = await intrusion();
    const ownTokens = await obtainTokens(service, one.application, one.own);
    const stolen = await obtainTokens(service, one.application, one.intruder);
    const begun =
      (await authorize(service, one.application, one.intruder, {})).searchParams.get('code') ?? '';
    const { answer } = await report(one.link);
    expect(answer.status).toBe(303);
    for (const { accessToken, refreshToken } of [ownTokens, stolen]) {
      expect((await userinfo(service, accessToken)).status).toBe(401);
      expect((await renew(service, one.application, refreshToken)).body.error).toBe('invalid_grant');
    }
    expect((await redeem(service, one.application, begun)).body.error).toBe('invalid_grant');
    expect(await isIn(one.own)).toBe(false);
    await expectSecured(one);
  });

  test('says before what it will remove, and afterwards, by page and by email, what it removed and what to review', async () => {
    const one = await intrusion();
    const { user, intruder, clientId } = one;
    await addRedirectUri(intruder, one);
    await fill(intruder, at(clientId, '/secrets'), { overlap: '604800' });
    await enrol(intruder, service);
    await fill(intruder, '/account/profile', { name: 'Mallory', phone: '', locale: 'en' });
    const { page, done } = await report(one.link);
    for (const { body } of [page, done]) {
      for (const text of [
        `Callback URL ${EVIL}`,
        'Secret no. 2',
        'Passkey ',
        'Profile changed',
        'Application changed',
      ])
        expect(textIn(body)).toContain(text);
      expect(body).toContain(`href="${at(clientId)}"`);
      expect(body).toContain('href="/account/profile"');
      expect(markupFaults(body)).toEqual([]);
    }
    expect([headingOf(page.body), headingOf(done.body)]).toEqual(['Not you?', 'Everything has been stopped']);
    const mail = await lastMailTo(service, user.email);
    expect(mail.subject).toBe('Your Sésame account has been secured');
    for (const text of ['Callback URL', 'Secret no. 2', 'Passkey', 'Profile changed', at(clientId)])
      expect(mail.text).toContain(text);
    for (const text of [mail.text, mail.html]) expect(text).not.toContain('evil.example');
  });

  test('records each item in the audit log', async () => {
    const one = await intrusion();
    await addRedirectUri(one.intruder, one);
    await fill(one.intruder, at(one.clientId, '/secrets'), { overlap: '604800' });
    await report(one.link);
    const events = await listEvents(service.parts.database, { userId: one.user.userId }, { limit: 20 });
    const of = (kind: string) => events.filter((event) => event.kind === kind);
    expect(of('unauthorized_activity_reported')).toMatchObject([{ detail: { notice: 'new_sign_in' } }]);
    expect(of('added_item_removed').map(({ clientId, detail }) => [clientId, detail])).toEqual([
      [one.clientId, { item: 'secret', name: '2' }],
      [one.clientId, { item: 'redirect_uri', name: EVIL }],
    ]);
  });

  test('keeps what its owner added before the reported session', async () => {
    const account = await protect(service, { emailVerified: true });
    const { user, browser } = account;
    await enrol(browser, service);
    const { clientId } = await service.createApplication({ ownerId: user.userId });
    await addRedirectUri(browser, { clientId }, 'https://client.example/second');
    wait();
    const late = openBrowserSession(service.baseUrl);
    const [passkey] = await listPasskeys(service.parts.database, user.userId);
    expect(passkey).toBeDefined();
    await resetBy(user.email);
    await report(await lastLink(user));
    const { appSince, recoveryCodes } = await findFactors(service.parts.database, user.userId);
    expect([appSince !== null, recoveryCodes]).toEqual([true, 10]);
    expect(await listPasskeys(service.parts.database, user.userId)).toHaveLength(1);
    expect((await clientOf({ user, clientId }))?.redirectUris).toContain('https://client.example/second');
    expect((await late.get('/')).status).toBe(200);
  });
});

describe('removes of what was added since the session started', () => {
  test('redirect URIs, keys and secrets of a client, with all tokens of it; what was there before stays', async () => {
    const one = await intrusion();
    const { intruder, clientId } = one;
    await addRedirectUri(intruder, one);
    const { jwks } = (await findOwnApplication(service.parts.database, one.user.userId, clientId)) ?? {};
    await fill(intruder, at(clientId, '/protocol'), {
      jwks: JSON.stringify({ keys: [...(jwks?.keys ?? []), await publicKey('evil')] }),
      post_logout_redirect_uris: 'https://evil.example/out',
      backchannel_logout_uri: 'https://evil.example/back',
    });
    await fill(intruder, at(clientId, '/secrets'), { overlap: '604800' });
    const person = await signedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, { ...one.application, redirectUri: EVIL }, person);
    await report(one.link);
    expect((await clientOf(one))?.redirectUris).toEqual([CALLBACK]);
    expect(await keysOf(one)).toEqual(['own']);
    expect(await findOwnApplication(service.parts.database, one.user.userId, clientId)).toMatchObject({
      postLogoutRedirectUris: [],
      backchannelLogoutUri: null,
    });
    expect(await secretsOf(one)).toEqual([1]);
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await renew(service, one.application, tokens.refreshToken)).body.error).toBe('invalid_grant');
    // Their consent stands.
    await obtainTokens(service, one.application, person);
  });

  test('keys and secrets of an API, and access that an application was granted to it', async () => {
    const one = await intrusion();
    const api = await service.createApi({ ownerId: one.user.userId });
    await fill(one.own, atApi(api.apiId, '/keys'), { jwks: JSON.stringify(await publicKey('own')) });
    wait();
    const intruder = await signedInBrowser(service, one.user);
    const link = await lastLink(one.user);
    const found = () => findOwnApi(service.parts.database, one.user.userId, api.apiId);
    const keys = [...((await found())?.jwks?.keys ?? []), await publicKey('evil')];
    await fill(intruder, atApi(api.apiId, '/keys'), { jwks: JSON.stringify({ keys }) });
    await fill(intruder, atApi(api.apiId, '/secrets'), { overlap: '0' });
    const wish = { identifier: api.identifier, scopes: 'read' };
    await fill(intruder, at(one.clientId, '/apis'), wish);
    const { page } = await report(link);
    for (const text of ['Public key “evil”', 'Secret no. 1', 'Access of the application'])
      expect(textIn(page.body)).toContain(text);
    expect((await found())?.jwks?.keys.map(({ kid }) => kid)).toEqual(['own']);
    expect(await listSecrets(service.parts.database, one.user.userId, api.apiId, now())).toEqual([]);
    const granted = 'select 1 as one from api_service_access where api_id = $1';
    expect(await sql(service.parts.database, granted, [api.apiId])).toEqual([]);
  });

  test('all secrets, keys and redirect URIs of a client that was registered; the client is listed for review', async () => {
    const one = await intrusion();
    const { clientId } = credentialsOn(await register(one.intruder, { name: 'Planted' }));
    const { done } = await report(one.link);
    expect(textIn(done.body)).toContain('Application registered');
    expect(await clientOf({ ...one, clientId })).toMatchObject({ redirectUris: [], suspended: false });
    expect(await secretsOf({ ...one, clientId })).toEqual([]);
    const reset = await resetBy(one.user.email);
    for (const below of ['', '/edit', '/integrate', '/secrets'])
      expect((await reset.get(at(clientId, below))).status).toBe(200);
    const asked = await reset.get(authorizeAddress(service, { ...one.application, clientId }));
    expect(asked.status).toBe(400);
  });

  test('passkeys, the authenticator app and recovery codes', async () => {
    const { user, intruder, link } = await intrusion();
    await setUpApp(service, intruder);
    await enrol(intruder, service);
    await report(link);
    expect(await findFactors(service.parts.database, user.userId)).toEqual({
      appSince: null,
      recoveryCodes: 0,
      recoveryCodesMadeAt: null,
    });
    expect(await listPasskeys(service.parts.database, user.userId)).toEqual([]);
    expect(await isIn(await resetBy(user.email))).toBe(true);
  });

  test('consents: the application is asked for again', async () => {
    const one = await intrusion();
    const evil = await service.createApplication({ name: 'Evil' });
    await obtainTokens(service, evil, one.intruder, { scope: 'openid profile' });
    await report(one.link);
    expect(await listConsents(service.parts.database, one.user.userId)).toEqual([]);
  });

  test('what was added in another session, and after a new password', async () => {
    const one = await intrusion();
    wait();
    const other = await signedInBrowser(service, one.user);
    await addRedirectUri(other, one);
    await changePassword(one.intruder);
    const mail = await lastLink(one.user);
    await fill(one.intruder, at(one.clientId, '/secrets'), { overlap: '604800' });
    await report(mail);
    expect((await clientOf(one))?.redirectUris).toEqual([CALLBACK]);
    expect(await secretsOf(one)).toEqual([1]);
  });

  test('nothing that is older than 30 days, in a session that has lasted for longer', async () => {
    const account = await protect(service, { emailVerified: true });
    const { user, browser } = account;
    const { passkey } = await enrol(browser, service);
    for (let day = 0; day < 31; day += 1) {
      service.clock.advance(DAY);
      if (day % 10 === 9) await showPasskey(service, passkey, { browser, another: true });
    }
    await showPasskey(service, passkey, { browser, another: true });
    await enrol(browser, service);
    await report(await lastLink(user));
    const { appSince, recoveryCodes } = await findFactors(service.parts.database, user.userId);
    const passkeys = await listPasskeys(service.parts.database, user.userId);
    expect([appSince !== null, recoveryCodes, passkeys.length]).toEqual([true, 10, 1]);
  });
});

describe('an intruder cannot prevent it by', () => {
  test('moving the account to their mailbox and signing up with the former address', async () => {
    const one = await intrusion();
    const evil = evilEmail();
    await changeEmail(one.intruder, evil);
    await changePassword(one.intruder);
    const squatter = openBrowserSession(service.baseUrl);
    const page = await squatter.get('/signup');
    const fields = { ...page.hidden, name: 'Squatter', email: one.user.email, password: PASSWORD };
    await squatter.post('/signup', fields);
    const squatting = (await find(one.user.email))?.userId;
    expect(squatting).not.toBe(one.user.userId);
    const { page: asked, answer } = await report(one.link);
    const [deleted] = await listEvents(service.parts.database, { userId: squatting }, { limit: 1 });
    const reason = 'unverified, and its email address was restored to another account';
    const detail = { email: one.user.email, name: 'Squatter', applications: 0, apis: 0, reason };
    expect(deleted).toMatchObject({ kind: 'account_deleted', actorId: null });
    expect(deleted?.detail).toEqual(detail);
    expect(textIn(asked.body)).toContain(`go back to the address ${one.user.email}`);
    expect(answer.status).toBe(303);
    expect(await find(one.user.email)).toMatchObject({ userId: one.user.userId, emailVerified: true });
    expect(await find(evil)).toBeUndefined();
    expect(await isIn(squatter)).toBe(false);
    await expectSecured(one);
  });

  test('having signed up with the address of somebody else: all that they set up ends', async () => {
    const user = await service.createUser({ emailVerified: false });
    const squatter = await signedInBrowser(service, user);
    const tokens = await obtainTokens(service, await service.createApplication(), squatter);
    wait();
    await changeEmail(await signedInBrowser(service, user), evilEmail());
    await report(await lastLink(user));
    expect(await find(user.email)).toMatchObject({ userId: user.userId, emailVerified: true });
    expect(await listConsents(service.parts.database, user.userId)).toEqual([]);
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect(await isIn(await resetBy(user.email))).toBe(true);
  });

  test('changing the address twice', async () => {
    const one = await intrusion();
    const [first, last] = [evilEmail(), evilEmail()];
    await changeEmail(one.intruder, first);
    await changeEmail(one.intruder, last);
    const theirs = (await mailsTo(service, first)).filter(({ text }) => text.includes(PATH)).map(linkIn);
    expect(theirs.length).toBeGreaterThan(0);
    // The intruder reports it first, from the mailbox in between.
    await report(theirs.at(-1) ?? '');
    expect((await find(first))?.userId).toBe(one.user.userId);
    await report(one.link);
    expect(await find(one.user.email)).toMatchObject({ userId: one.user.userId });
    for (const link of theirs) expect((await report(link)).answer.status).not.toBe(303);
    expect(await find(one.user.email)).toMatchObject({ userId: one.user.userId });
    await expectSecured(one);
  });

  test('having the former address belong to a verified account: all but the address is done, and the page says so', async () => {
    const one = await intrusion();
    const evil = evilEmail();
    await changeEmail(one.intruder, evil);
    await addRedirectUri(one.intruder, one);
    const verified = await service.createUser({ email: one.user.email, emailVerified: true });
    const { answer, done } = await report(one.link);
    expect(answer.status).toBe(303);
    expect(textIn(done.body)).toContain('Another account now uses your previous address');
    expect((await lastMailTo(service, one.user.email)).text).toContain('Another account now uses');
    expect((await find(one.user.email))?.userId).toBe(verified.userId);
    expect((await clientOf(one))?.redirectUris).toEqual([CALLBACK]);
    expect(await isIn(one.intruder)).toBe(false);
    expect(await opens(evil, PASSWORD)).toBe(false);
  });

  test('removing the password beside a passkey of their own', async () => {
    const one = await intrusion();
    await enrol(one.intruder, service);
    await enrol(one.intruder, service);
    const { hidden } = await one.intruder.get('/account/security/password/remove');
    await one.intruder.post('/account/security/password/remove', hidden);
    await report(one.link);
    await expectSecured(one);
  });

  test('giving the client away: it stays with the new owner and is listed without a link', async () => {
    const one = await intrusion();
    const accomplice = await service.createUser({ emailVerified: true });
    await fill(one.intruder, at(one.clientId, '/transfer'), { email: accomplice.email });
    await accept(await signedInBrowser(service, accomplice), one.clientId);
    const { done } = await report(one.link);
    expect(textIn(done.body)).toContain('Application transferred');
    expect(done.body).not.toContain(`href="${at(one.clientId)}"`);
    await expectSecured(one);
  });

  test('having a client on offer, or a change of address that waits', async () => {
    const one = await intrusion();
    const accomplice = await service.createUser({ emailVerified: true });
    await fill(one.intruder, at(one.clientId, '/transfer'), { email: accomplice.email });
    const { hidden } = await one.intruder.get('/account/email');
    const evil = evilEmail();
    await one.intruder.post('/account/email', { csrf: hidden.csrf ?? '', new_email: evil });
    const wish = linkIn(await lastMailTo(service, evil));
    await report(one.link);
    const theirs = await signedInBrowser(service, accomplice);
    expect((await theirs.get(at(one.clientId, '/transfer/accept'))).status).toBe(404);
    expect((await openBrowserSession(service.baseUrl).get(wish)).status).toBe(400);
  });
});

describe('if removing fails', () => {
  /** Makes a change of a table fail until the function that is returned is called. */
  async function breakTable(change: string): Promise<() => Promise<void>> {
    const run = (text: string) => sql(service.parts.database, text, []);
    await run("create function fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$");
    await run(`create trigger broken before ${change} execute function fail()`);
    return async () => void (await run('drop function fail cascade'));
  }

  test.each([['the audit log', 'insert on events for each row']])(
    'of %s, every session has ended and the password is void, and the link can be used again',
    async (_, change) => {
      const one = await intrusion();
      const tokens = await obtainTokens(service, one.application, one.own);
      await enrol(one.intruder, service);
      const repair = await breakTable(change);
      const { answer } = await report(one.link).finally(repair);
      expect(answer.status).toBe(503);
      expect(textIn(answer.body)).toContain('the rest failed');
      for (const browser of [one.own, one.intruder]) expect(await isIn(browser)).toBe(false);
      expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
      expect(await opens(one.user.email, PASSWORD)).toBe(false);
      expect((await report(one.link)).answer.status).toBe(303);
      expect(await listPasskeys(service.parts.database, one.user.userId)).toEqual([]);
    },
  );
});

describe('the link', () => {
  test('does nothing when it is opened, and once used shows what was removed', async () => {
    const one = await intrusion();
    await addRedirectUri(one.intruder, one);
    for (let i = 0; i < 3; i++) await openBrowserSession(service.baseUrl).get(one.link);
    expect(await isIn(one.intruder)).toBe(true);
    await report(one.link);
    const again = await openBrowserSession(service.baseUrl).get(one.link);
    expect(headingOf(again.body)).toBe('Everything has been stopped');
    expect(textIn(again.body)).toContain(EVIL);
  });

  test('cannot be used again against the account', async () => {
    const one = await intrusion();
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(one.link);
    await browser.post(PATH, hidden);
    const mine = await resetBy(one.user.email);
    await browser.post(PATH, hidden);
    expect(await isIn(mine)).toBe(true);
  });

  test('is valid for seven days', async () => {
    const one = await intrusion();
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(one.link);
    service.clock.advance(7 * DAY);
    expect((await browser.get(one.link)).status).toBe(400);
    expect(headingOf((await browser.post(PATH, hidden)).body)).toBe('This link no longer works');
    const [events] = await listEvents(service.parts.database, { userId: one.user.userId }, { limit: 1 });
    expect(events?.kind).not.toBe('unauthorized_activity_reported');
  });
});

describe('raced from a second process', () => {
  test('the same link twice: one report is made', async () => {
    const one = await intrusion();
    await addRedirectUri(one.intruder, one);
    const lock = await lockApplication(service.databaseUrl, one.clientId);
    const reports = [report(one.link), report(one.link, second)];
    await lock.heldUp(2);
    await lock.release();
    for (const { answer } of await Promise.all(reports)) expect(answer.status).toBe(303);
    expect((await clientOf(one))?.redirectUris).toEqual([CALLBACK]);
    const events = await listEvents(service.parts.database, { userId: one.user.userId }, { limit: 50 });
    expect(events.filter(({ kind }) => kind === 'added_item_removed')).toHaveLength(1);
  });

  test.each(['/edit', '/protocol'])('a change sent to …%s is waited for and removed', async (below) => {
    const one = await intrusion();
    const elsewhere = openBrowserSession(second.baseUrl);
    for (const [name, value] of one.intruder.cookies) elsewhere.cookies.set(name, value);
    const form = await elsewhere.get(at(one.clientId, below));
    const fields = {
      ...form.hidden,
      ...SETTINGS,
      redirect_uris: `${CALLBACK}\n${EVIL}`,
      overlap: '604800',
      jwks: JSON.stringify(await publicKey('evil')),
    };
    const lock = await lockApplication(service.databaseUrl, one.clientId);
    const changed = sendFields(elsewhere, at(one.clientId, below), fields);
    await lock.heldUp(1);
    const reported = report(one.link);
    await lock.heldUp(2);
    await lock.release();
    await Promise.all([changed, reported]);
    expect((await clientOf(one))?.redirectUris).toEqual([CALLBACK]);
    expect((await keysOf(one)) ?? []).not.toContain('evil');
    expect(await secretsOf(one)).toEqual([1]);
  });

  test('a passkey of a session that began meanwhile is waited for and removed', async () => {
    const one = await intrusion();
    const { passkey: old } = await enrol(one.own, service);
    wait();
    await signedInBrowser(service, one.user);
    const link = await lastLink(one.user);
    const lock = await lockApplication(service.databaseUrl, one.clientId);
    const reported = report(link, second);
    await lock.heldUp(1);
    const { browser } = await showPasskey(service, old);
    const resets = await lockTable(service.databaseUrl, 'second_factor_resets');
    const enrolled = enrol(browser, service);
    await resets.heldUp(1);
    await lock.release();
    await resets.heldUp(2);
    await resets.release();
    await Promise.all([reported, enrolled]);
    expect(await listPasskeys(service.parts.database, one.user.userId)).toHaveLength(1);
  });

  test('a change of address that is confirmed at that very moment does not move the account', async () => {
    const one = await intrusion();
    const evil = evilEmail();
    const { csrf = '' } = (await one.intruder.get('/account/email')).hidden;
    await one.intruder.post('/account/email', { csrf, new_email: evil });
    const code = codeIn(await lastMailTo(service, evil));
    const owner = openBrowserSession(second.baseUrl);
    const { hidden } = await owner.get(one.link);
    const lock = await lockAfterUse(service.databaseUrl, 'change_email');
    const confirmed = one.intruder.post('/account/email/code', { csrf, code });
    await lock.heldUp(1);
    expect((await owner.post(PATH, hidden)).status).toBe(303);
    await lock.release();
    await confirmed;
    expect(await find(evil)).toBeUndefined();
    expect((await find(one.user.email))?.userId).toBe(one.user.userId);
  });
});
