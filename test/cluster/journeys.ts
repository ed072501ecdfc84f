// What people, applications and administrators do, over HTTP at two processes in turn.
import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { askForFactorReset, carryOutDueReset } from '../../src/credentials/second-factor-reset.ts';
import { newAccountSecret } from '../../src/oauth/secrets.ts';
import { DISTRIBUTION } from '../../src/store/distribution.ts';
import { limitsOf } from '../../src/store/pruning.ts';
import { apiWithSecret, introspect, obtainServiceToken } from '../support/apis.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { accept, at, fill } from '../support/console.ts';
import {
  allowDevices,
  obtainTokens,
  postForm,
  renew,
  revoke,
  signedInBrowser,
  signIn,
  userinfo,
} from '../support/flow.ts';
import { linkIn } from '../support/mail.ts';
import { accountPath } from '../support/operator.ts';
import { enrol, showPasskey } from '../support/passkey.ts';
import { pruneAll, sql } from '../support/populate.ts';
import { give, halfWay, isIn, protect, signInWithCode } from '../support/protected-account.ts';
import { PASSWORD, type TestApplication, type TestService, type TestUser } from '../support/service.ts';
import type { TestSmtp } from '../support/smtp.ts';
import { until } from '../support/until.ts';
import { samplePicture, upload } from '../support/upload.ts';
import type { Step } from './report.ts';

export interface Stage {
  /** Makes accounts, applications and APIs in this process. */
  factory: TestService;
  /** The service as each of two processes answers for it. */
  one: TestService;
  two: TestService;
  smtp: TestSmtp;
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
}

/** Tables whose rows outlive the account, until they are pruned or done with. Without it no token of a grant is valid. */
const OUTLIVES = ['events', 'mails', 'grants', 'access_tokens', 'logout_deliveries', 'spent_tokens'];
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
/** What a grant type redeems. */
const REDEEMED = { authorization_code: 'code', refresh_token: 'refresh_token', [DEVICE]: 'device_code' };

export async function playJourneys(step: Step, stage: Stage): Promise<void> {
  const { factory, one, two, smtp, query } = stage;
  const application = await factory.createApplication();
  const ada = await factory.createUser({ name: 'Ada Lovelace', emailVerified: true });
  const browser = await signedInBrowser(one, ada);

  const zoe = { email: 'zoe@example.org', name: 'Zoé Müller', password: PASSWORD, userId: '' };
  await step('sign-up, and verification by mail', async () => {
    const here = openBrowserSession(one.baseUrl);
    const { email, name, password } = zoe;
    expectLocation(await fill(here, '/signup', { email, name, password }), /./);
    const verify = await mailed(smtp, email, /Confirm/);
    assert.equal((await answerMail(here, verify, '/security/confirm')).status, 303);
    const tokens = await obtainTokens(two, application, await signedInBrowser(two, zoe));
    const { body } = await userinfo(one, tokens.accessToken);
    assert.deepEqual([body.email, body.email_verified, body.name], [email, true, name]);
    zoe.userId = String(body.sub);
  });

  await step('consent, code, refresh; the reuse of a refresh token ends the grant', async () => {
    const own = await factory.createApplication();
    const first = await obtainTokens(one, own, browser);
    assert.equal((await userinfo(two, first.accessToken)).body.sub, ada.userId);
    const renewed = await renew(two, own, first.refreshToken);
    assert.equal(renewed.status, 200, renewed.text);
    const second = { access: String(renewed.body.access_token), refresh: String(renewed.body.refresh_token) };
    assert.equal((await userinfo(one, second.access)).status, 200);
    assert.equal((await renew(one, own, first.refreshToken)).body.error, 'invalid_grant');
    for (const token of [first.accessToken, second.access])
      assert.equal((await userinfo(two, token)).status, 401);
    assert.equal((await renew(two, own, second.refresh)).body.error, 'invalid_grant');
  });

  await step('values that name an account and were made up find nothing', async () => {
    const stranger = openBrowserSession(two.baseUrl);
    for (const value of [
      'x',
      newAccountSecret(ada.userId),
      newAccountSecret(randomUUID()),
      'A'.repeat(500),
    ]) {
      stranger.cookies.set('sesame', value);
      assert.equal((await stranger.get('/account')).status, 303);
      const { clientId: client_id, clientSecret: client_secret, redirectUri: redirect_uri } = application;
      for (const [grant_type, field] of Object.entries(REDEEMED)) {
        const fields = { client_id, client_secret, redirect_uri, grant_type, [field]: value };
        const { status, body } = await postForm(one, '/oauth/token', fields);
        assert.deepEqual([status, body.error], [400, 'invalid_grant'], grant_type);
      }
    }
    const parts = [{ alg: 'RS256', typ: 'at+jwt' }, { sub: ada.userId }];
    const forged = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    for (const token of [`${forged.join('.')}.AAAA`, 'x'])
      assert.equal((await userinfo(two, token)).status, 401);
  });

  await step('revocation, by each of the tokens', async () => {
    for (const kind of ['accessToken', 'refreshToken'] as const) {
      const tokens = await obtainTokens(one, application, browser);
      assert.equal((await revoke(two, application, tokens[kind])).status, 200);
      assert.equal((await userinfo(one, tokens.accessToken)).status, 401);
      assert.equal((await renew(two, application, tokens.refreshToken)).status, 400);
    }
  });

  await step('an API introspects tokens of users and of applications', async () => {
    const api = await apiWithSecret(factory);
    const user = await obtainTokens(one, application, browser, { resource: api.identifier, scope: 'read' });
    assert.equal((await introspect(two, api, user.accessToken)).body.sub, ada.userId);
    const token = await obtainServiceToken({ ...factory, baseUrl: one.baseUrl }, application, api);
    assert.equal((await introspect(two, api, token)).body.active, true);
    assert.equal((await revoke(two, application, token)).status, 200);
    assert.equal((await introspect(one, api, token)).body.active, false);
  });

  await step('a passkey is made, signs in, and is removed', async () => {
    const owner = await factory.createUser({ emailVerified: true });
    const home = await signedInBrowser(one, owner);
    const { passkey, answer } = await enrol(home, one);
    assert.equal(answer.status, 303);
    const shown = await showPasskey({ baseUrl: two.baseUrl }, passkey);
    assert.equal(shown.answer.status, 303, shown.answer.body);
    assert.equal((await shown.browser.get('/account')).status, 200);
    const { csrf = '' } = (await home.get('/account/security')).hidden;
    const remove = `/account/security/passkeys/remove?passkey=${passkey.id}`;
    assert.equal((await fill(home, remove, { csrf })).status, 303);
    assert.equal((await showPasskey(two, passkey)).answer.status, 401);
  });

  await step('an authenticator app, a recovery code, a remembered device, and their reset', async () => {
    const account = await protect({ ...factory, baseUrl: one.baseUrl }, { emailVerified: true });
    const there = { ...factory, baseUrl: two.baseUrl };
    assert(await isIn(await signInWithCode(there, account)));
    const { browser: other, page } = await halfWay(there, account.user);
    assert.equal(await isIn(other), false);
    await give(other, page, { code: account.codes[0] ?? '', trust: 'yes' });
    assert(await isIn(other));
    other.cookies.delete('sesame');
    await signIn(other, account.user);
    assert(await isIn(other), 'the device was not remembered');
    // An administrator resets it, and it is due.
    const { userId } = account.user;
    const later = new Date(Date.now() + 30 * 86_400_000);
    await askForFactorReset(factory.parts, userId, { passkeys: false }, {}, new Date());
    assert(await carryOutDueReset(factory.parts, later));
    assert(await isIn(await signedInBrowser(one, account.user)), 'the app is still asked for');
  });

  await step('a device signs in', async () => {
    await allowDevices(factory, application);
    const tokens = await deviceTokens(one, application, browser);
    assert.equal((await userinfo(two, tokens.access)).body.sub, ada.userId);
  });

  await step('a password reset by mail ends what was before', async () => {
    const tokens = await obtainTokens(one, application, await signedInBrowser(one, zoe));
    const here = openBrowserSession(two.baseUrl);
    assert.equal((await fill(here, '/password/forgot', { email: zoe.email })).status, 303);
    const link = await mailed(smtp, zoe.email, /new password/);
    zoe.password = 'another horse, another battery';
    expectLocation(await answerMail(here, link, '/password/reset', { new_password: zoe.password }), /./);
    assert.equal((await here.get('/account')).status, 200);
    assert.equal((await userinfo(one, tokens.accessToken)).status, 401);
    assert.equal((await openBrowserSession(one.baseUrl).get(link)).status, 400);
    assert.equal((await (await signedInBrowser(one, zoe)).get('/account')).status, 200);
  });

  await step('the picture of an account, and its removal', async () => {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const file = { name: 'picture', content: await samplePicture(), fileName: 'me.png' };
    assert.equal((await upload(browser, '/account/picture', { csrf }, file)).status, 303);
    const reader = await factory.createApplication({ standard: true });
    const tokens = await obtainTokens(one, reader, browser);
    const url = new URL(String((await userinfo(two, tokens.accessToken)).body.picture));
    const pictureAt = (service: TestService) => fetch(new URL(url.pathname, service.baseUrl));
    assert.equal((await pictureAt(two)).status, 200);
    assert.equal((await browser.post('/account/picture/remove', { csrf })).status, 303);
    assert.equal((await pictureAt(two)).status, 404);
  });

  await step('the export holds what the account did', async () => {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const { status, body } = await browser.post('/account/data', { csrf });
    assert.equal(status, 200, body);
    const data = JSON.parse(body);
    assert.deepEqual([data.profile.sub ?? data.profile.email, data.sessions.length > 0], [ada.userId, true]);
    for (const list of ['consents', 'grants', 'events', 'disclosures', 'messages'])
      assert(Array.isArray(data[list]), `the export has no ${list}`);
    assert(data.events.length > 0 && data.consents.length > 0);
  });

  await step('the transfer of an application to another account', async () => {
    const given = await factory.createApplication({ ownerId: ada.userId, name: 'Herbier' });
    assert.equal((await fill(browser, at(given.clientId, '/transfer'), { email: zoe.email })).status, 303);
    const taker = await signedInBrowser(two, zoe);
    assert.equal((await accept(taker, given.clientId)).status, 303);
    assert.equal((await browser.get(at(given.clientId))).status, 404);
    assert.equal((await taker.get(at(given.clientId))).status, 200);
  });

  await step('signing out ends the session, and tells the application', async () => {
    const receiver = await startReceiver();
    try {
      const told = await factory.createApplication();
      await sql(
        factory.parts.database,
        'update clients set backchannel_logout_uri = $2 where client_id = $1',
        [told.clientId, `http://127.0.0.1:${receiver.port}/logout`],
      );
      const here = await signedInBrowser(two, ada);
      const tokens = await obtainTokens(two, told, here);
      assert.equal((await fill(here, '/signout')).status, 303);
      await until('the logout token', () => receiver.received.length === 1);
      assert.equal((await here.get('/account')).status, 303);
      assert.equal((await userinfo(one, tokens.accessToken)).status, 200, 'tokens outlive the session');
    } finally {
      receiver.close();
    }
  });

  await step("administrators' lists, counts and search show accounts of several shards", async () => {
    const admin = await factory.createUser({ name: 'Grace Hopper', operator: true });
    const people: TestUser[] = [];
    for (let i = 0; i < 12; i++) people.push(await factory.createUser({ name: `Marie Curie ${i}` }));
    const desk = await signedInBrowser(one, admin);
    const page = async (path: string) => {
      const visit = await desk.get(`/console/operations${path}`);
      assert.equal(visit.status, 200, `${path}: ${visit.status} ${visit.body.slice(0, 500)}`);
      return visit.body;
    };
    const list = await page('/accounts?search=marie');
    for (const { userId } of people)
      assert(list.includes(accountPath(userId)), 'an account is not in the list');
    assert((await page(`/search?search=${encodeURIComponent(zoe.email)}`)).includes(accountPath(zoe.userId)));
    assert((await page(`/audit?account=${zoe.userId}`)).includes(zoe.email));
    for (const path of [
      '',
      '/accounts',
      '/applications',
      '/applications?search=her',
      '/apis',
      '/agents',
      '/audit',
      '/activity',
    ])
      await page(path);
    const { userId = '' } = people[0] ?? {};
    assert((await desk.get(accountPath(userId))).body.includes('Marie Curie 0'));
    const suspend = await desk.get(accountPath(userId, 'suspend'));
    const answer = await desk.post(accountPath(userId, 'suspend'), { csrf: suspend.hidden.csrf ?? '' });
    assert.equal(answer.status, 303);
  });

  await step('the deletion of an account leaves nothing but what the audit log keeps', async () => {
    const { userId } = zoe;
    const here = await signedInBrowser(two, zoe);
    const tokens = await obtainTokens(two, application, here);
    const own = await factory.createApplication({ ownerId: userId });
    const { csrf = '' } = (await here.get('/account')).hidden;
    const file = { name: 'picture', content: await samplePicture('#0b6e4f'), fileName: 'me.png' };
    await upload(here, '/account/picture', { csrf }, file);
    const fields = { email: zoe.email, current_password: zoe.password };
    expectLocation(await fill(here, '/account/delete', fields), /./);
    assert.equal((await userinfo(one, tokens.accessToken)).status, 401);
    assert.equal(
      (await fill(openBrowserSession(one.baseUrl), '/signin', { email: zoe.email, password: zoe.password }))
        .status,
      401,
    );
    const left: string[] = [];
    for (const [table, distribution] of Object.entries(DISTRIBUTION)) {
      if (distribution.group !== 'account' || OUTLIVES.includes(table)) continue;
      const [row] = await query<{ count: number }>(
        `select count(*)::int as count from ${table} where ${distribution.column} = $1`,
        [userId],
      );
      if (row?.count !== 0) left.push(`${row?.count} of ${table}`);
    }
    for (const [table, column, value] of [
      ['emails', 'email_key', zoe.email],
      ['clients', 'client_id', own.clientId],
      ['clients', 'owner_id', userId],
    ] as const)
      if ((await query(`select from ${table} where ${column} = $1`, [value])).length > 0) left.push(table);
    assert.deepEqual(left, []);
    assert.equal(
      (
        await postForm(one, '/oauth/token', {
          grant_type: 'refresh_token',
          refresh_token: tokens.refreshToken,
          client_id: application.clientId,
          client_secret: application.clientSecret,
        })
      ).body.error,
      'invalid_grant',
    );
  });

  await step('the email of a deleted account can sign up again', async () => {
    const here = openBrowserSession(one.baseUrl);
    expectLocation(
      await fill(here, '/signup', { email: zoe.email, name: zoe.name, password: PASSWORD }),
      /./,
    );
    assert.equal((await here.get('/account')).status, 200);
  });

  await step('pruning deletes what has expired on every shard', async () => {
    const late = new Date(Date.now() + 2 * 366 * 86_400_000);
    await pruneAll(factory.parts.database, limitsOf(factory.parts.config, late));
    for (const table of [
      'grants',
      'access_tokens',
      'sessions',
      'one_time_tokens',
      'spent_tokens',
      'events',
      'service_tokens',
      'device_requests',
    ])
      assert.deepEqual(await query(`select count(*)::int as count from ${table}`), [{ count: 0 }], table);
    const [users] = await query<{ count: number }>('select count(*)::int as count from users');
    assert((users?.count ?? 0) > 10);
  });
}

/** Signs a device in, decided on in the browser. */
async function deviceTokens(service: TestService, application: TestApplication, browser: BrowserSession) {
  const deviceCode = await allowedDevice(service, application, browser);
  const { status, body, text } = await poll(service, application, deviceCode);
  assert.equal(status, 200, text);
  return { access: String(body.access_token), refresh: String(body.refresh_token) };
}

/** The code of a device that was allowed in the browser. */
export async function allowedDevice(
  service: TestService,
  { clientId, clientSecret }: TestApplication,
  browser: BrowserSession,
): Promise<string> {
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const { body, text } = await postForm(service, '/oauth/device_authorization', {
    ...credentials,
    scope: 'openid profile',
  });
  assert(body.user_code, text);
  const page = await browser.follow(await fill(browser, '/device', { user_code: String(body.user_code) }));
  const answer = await browser.post('/device/decision', { ...page.hidden, decision: 'allow' });
  assert.equal(answer.status, 303, answer.body);
  return String(body.device_code);
}

export const poll = (service: TestService, { clientId, clientSecret }: TestApplication, deviceCode: string) =>
  postForm(service, '/oauth/token', {
    grant_type: DEVICE,
    device_code: deviceCode,
    client_id: clientId,
    client_secret: clientSecret,
  });

/** The link in the mail with that subject, once it has come. */
async function mailed(smtp: TestSmtp, email: string, subject: RegExp): Promise<string> {
  const mail = await until(`the email to ${email}`, () =>
    smtp.mails.findLast((one) => one.recipients.includes(email) && subject.test(one.subject ?? '')),
  );
  return linkIn({ text: mail.text ?? '' });
}

/** Opens the link of a mail and sends the form of its page. */
async function answerMail(
  browser: BrowserSession,
  link: string,
  action: string,
  fields: Record<string, string> = {},
) {
  const { hidden } = await browser.follow(await browser.get(link));
  return browser.post(action, { ...hidden, ...fields });
}

function expectLocation(
  visit: { status: number; location: URL | undefined; body: string },
  path: RegExp,
): void {
  assert.equal(visit.status, 303, /<h1[\s\S]*?<\/main>/.exec(visit.body)?.[0]);
  assert.match(visit.location?.pathname ?? '', path);
}

/** What an application's back end is sent. */
async function startReceiver() {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push(new URLSearchParams(body).get('logout_token') ?? '');
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { received, port: (server.address() as AddressInfo).port, close: () => server.close() };
}
