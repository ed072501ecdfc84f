// Runs end-to-end flows of users, clients and administrators across two processes.
import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { requestMfaReset, runDueMfaReset } from '../../src/credentials/mfa-reset.ts';
import { newAccountSecret } from '../../src/oauth/secrets.ts';
import { TABLE_DISTRIBUTION } from '../../src/store/citus-tables.ts';
import { pruneCutoffs } from '../../src/store/pruning.ts';
import { adminAccountPath } from '../support/admin.ts';
import { createApiWithSecret, introspect, obtainServiceToken } from '../support/apis.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { acceptTransfer, clientPath, submitForm } from '../support/console-forms.ts';
import { readLink } from '../support/emails.ts';
import {
  createMfaAccount,
  enterPassword,
  isSignedIn,
  signInWithCode,
  submitSecondFactor,
} from '../support/mfa-account.ts';
import {
  enableDeviceFlow,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemRefreshToken,
  revokeToken,
  signIn,
} from '../support/oauth-flow.ts';
import { registerPasskey, signInWithPasskey } from '../support/passkey.ts';
import { PASSWORD, type TestClient, type TestService, type TestUser } from '../support/service.ts';
import type { TestSmtp } from '../support/smtp.ts';
import { pruneAll, sql } from '../support/store-fixtures.ts';
import { createPicture, upload } from '../support/upload.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Step } from './report.ts';

export interface TestContext {
  /** An in-process service that creates accounts, clients and APIs. */
  factory: TestService;
  /** The two processes to which the test sends its requests. */
  first: TestService;
  second: TestService;
  smtp: TestSmtp;
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
}

/** Tables whose rows may outlive a deleted account until they are pruned. */
const REMAINING_TABLES = ['events', 'outbox', 'grants', 'access_tokens', 'logout_deliveries', 'used_tokens'];
const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
/** Name of the token request parameter that contains the code or token, by grant type. */
const GRANT_PARAMETERS = {
  authorization_code: 'code',
  refresh_token: 'refresh_token',
  [DEVICE_GRANT_TYPE]: 'device_code',
};

export async function testUserFlows(step: Step, context: TestContext): Promise<void> {
  const { factory, first: firstService, second: secondService, smtp, query } = context;
  const application = await factory.createClient();
  const ada = await factory.createUser({ name: 'Ada Lovelace', emailVerified: true });
  const browser = await openSignedInBrowser(firstService, ada);

  const zoe = { email: 'zoe@example.org', name: 'Zoé Müller', password: PASSWORD, userId: '' };
  await step('a user signs up and verifies the email address', async () => {
    const newBrowser = openBrowserSession(firstService.baseUrl);
    const { email, name, password } = zoe;
    expectLocation(await submitForm(newBrowser, '/signup', { email, name, password }), /./);
    const verificationUrl = await waitForLink(smtp, email, /Confirm/);
    assert.equal((await followLink(newBrowser, verificationUrl, '/security/confirm')).status, 303);
    const tokens = await obtainTokens(
      secondService,
      application,
      await openSignedInBrowser(secondService, zoe),
    );
    const { body } = await fetchUserinfo(firstService, tokens.accessToken);
    assert.deepEqual([body.email, body.email_verified, body.name], [email, true, name]);
    zoe.userId = String(body.sub);
  });

  await step(
    'a client obtains and refreshes tokens, and reusing a refresh token revokes the grant',
    async () => {
      const client = await factory.createClient();
      const tokens = await obtainTokens(firstService, client, browser);
      assert.equal((await fetchUserinfo(secondService, tokens.accessToken)).body.sub, ada.userId);
      const response = await redeemRefreshToken(secondService, client, tokens.refreshToken);
      assert.equal(response.status, 200, response.text);
      const refreshed = {
        access: String(response.body.access_token),
        refresh: String(response.body.refresh_token),
      };
      assert.equal((await fetchUserinfo(firstService, refreshed.access)).status, 200);
      assert.equal(
        (await redeemRefreshToken(firstService, client, tokens.refreshToken)).body.error,
        'invalid_grant',
      );
      for (const token of [tokens.accessToken, refreshed.access])
        assert.equal((await fetchUserinfo(secondService, token)).status, 401);
      assert.equal(
        (await redeemRefreshToken(secondService, client, refreshed.refresh)).body.error,
        'invalid_grant',
      );
    },
  );

  await step('forged secrets and tokens that contain a user ID are rejected', async () => {
    const anonymousBrowser = openBrowserSession(secondService.baseUrl);
    for (const value of [
      'x',
      newAccountSecret(ada.userId),
      newAccountSecret(randomUUID()),
      'A'.repeat(500),
    ]) {
      anonymousBrowser.cookies.set('sesame', value);
      assert.equal((await anonymousBrowser.get('/account')).status, 303);
      const { clientId: client_id, clientSecret: client_secret, redirectUri: redirect_uri } = application;
      for (const [grant_type, field] of Object.entries(GRANT_PARAMETERS)) {
        const fields = { client_id, client_secret, redirect_uri, grant_type, [field]: value };
        const { status, body } = await postForm(firstService, '/oauth/token', fields);
        assert.deepEqual([status, body.error], [400, 'invalid_grant'], grant_type);
      }
    }
    const jwtParts = [{ alg: 'RS256', typ: 'at+jwt' }, { sub: ada.userId }];
    const forgedParts = jwtParts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    for (const token of [`${forgedParts.join('.')}.AAAA`, 'x'])
      assert.equal((await fetchUserinfo(secondService, token)).status, 401);
  });

  await step('revoking an access token or a refresh token revokes the grant', async () => {
    for (const kind of ['accessToken', 'refreshToken'] as const) {
      const tokens = await obtainTokens(firstService, application, browser);
      assert.equal((await revokeToken(secondService, application, tokens[kind])).status, 200);
      assert.equal((await fetchUserinfo(firstService, tokens.accessToken)).status, 401);
      assert.equal((await redeemRefreshToken(secondService, application, tokens.refreshToken)).status, 400);
    }
  });

  await step('an API introspects user tokens and service tokens', async () => {
    const api = await createApiWithSecret(factory);
    const userTokens = await obtainTokens(firstService, application, browser, {
      resource: api.identifier,
      scope: 'read',
    });
    assert.equal((await introspect(secondService, api, userTokens.accessToken)).body.sub, ada.userId);
    const token = await obtainServiceToken({ ...factory, baseUrl: firstService.baseUrl }, application, api);
    assert.equal((await introspect(secondService, api, token)).body.active, true);
    assert.equal((await revokeToken(secondService, application, token)).status, 200);
    assert.equal((await introspect(firstService, api, token)).body.active, false);
  });

  await step('a passkey is registered, used and removed', async () => {
    const owner = await factory.createUser({ emailVerified: true });
    const ownerBrowser = await openSignedInBrowser(firstService, owner);
    const { passkey, response } = await registerPasskey(ownerBrowser, firstService);
    assert.equal(response.status, 303);
    const signedIn = await signInWithPasskey({ baseUrl: secondService.baseUrl }, passkey);
    assert.equal(signedIn.response.status, 303, signedIn.response.body);
    assert.equal((await signedIn.browser.get('/account')).status, 200);
    const { csrf = '' } = (await ownerBrowser.get('/account/security')).hidden;
    const removalPath = `/account/security/passkeys/remove?passkey=${passkey.id}`;
    assert.equal((await submitForm(ownerBrowser, removalPath, { csrf })).status, 303);
    assert.equal((await signInWithPasskey(secondService, passkey)).response.status, 401);
  });

  await step(
    'signing in with an authenticator app, a recovery code or a remembered device works until MFA is reset',
    async () => {
      const account = await createMfaAccount(
        { ...factory, baseUrl: firstService.baseUrl },
        { emailVerified: true },
      );
      const secondServiceWithFactory = { ...factory, baseUrl: secondService.baseUrl };
      assert(await isSignedIn(await signInWithCode(secondServiceWithFactory, account)));
      const { browser: newBrowser, page } = await enterPassword(secondServiceWithFactory, account.user);
      assert.equal(await isSignedIn(newBrowser), false);
      await submitSecondFactor(newBrowser, page, { code: account.codes[0] ?? '', trust: 'yes' });
      assert(await isSignedIn(newBrowser));
      newBrowser.cookies.delete('sesame');
      await signIn(newBrowser, account.user);
      assert(await isSignedIn(newBrowser), 'the device was not remembered');
      // Requests an MFA reset and carries it out as if the delay had passed.
      const { userId } = account.user;
      const later = new Date(Date.now() + 30 * 86_400_000);
      await requestMfaReset(factory.services, userId, { passkeys: false }, {}, new Date());
      assert(await runDueMfaReset(factory.services, later));
      assert(
        await isSignedIn(await openSignedInBrowser(firstService, account.user)),
        'the authenticator app is still required',
      );
    },
  );

  await step('a device obtains tokens through the device flow', async () => {
    await enableDeviceFlow(factory, application);
    const tokens = await completeDeviceFlow(firstService, application, browser);
    assert.equal((await fetchUserinfo(secondService, tokens.access)).body.sub, ada.userId);
  });

  await step('a password reset by email revokes existing tokens', async () => {
    const tokens = await obtainTokens(
      firstService,
      application,
      await openSignedInBrowser(firstService, zoe),
    );
    const newBrowser = openBrowserSession(secondService.baseUrl);
    assert.equal((await submitForm(newBrowser, '/password/forgot', { email: zoe.email })).status, 303);
    const resetUrl = await waitForLink(smtp, zoe.email, /new password/);
    zoe.password = 'another horse, another battery';
    expectLocation(
      await followLink(newBrowser, resetUrl, '/password/reset', { new_password: zoe.password }),
      /./,
    );
    assert.equal((await newBrowser.get('/account')).status, 200);
    assert.equal((await fetchUserinfo(firstService, tokens.accessToken)).status, 401);
    assert.equal((await openBrowserSession(firstService.baseUrl).get(resetUrl)).status, 400);
    assert.equal((await (await openSignedInBrowser(firstService, zoe)).get('/account')).status, 200);
  });

  await step('a user uploads and removes a profile picture', async () => {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const file = { name: 'picture', content: await createPicture(), fileName: 'me.png' };
    assert.equal((await upload(browser, '/account/picture', { csrf }, file)).status, 303);
    const standardClient = await factory.createClient({ standard: true });
    const tokens = await obtainTokens(firstService, standardClient, browser);
    const url = new URL(String((await fetchUserinfo(secondService, tokens.accessToken)).body.picture));
    const fetchPicture = (service: TestService) => fetch(new URL(url.pathname, service.baseUrl));
    assert.equal((await fetchPicture(secondService)).status, 200);
    assert.equal((await browser.post('/account/picture/remove', { csrf })).status, 303);
    assert.equal((await fetchPicture(secondService)).status, 404);
  });

  await step("the data export contains the account's data", async () => {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const { status, body } = await browser.post('/account/data', { csrf });
    assert.equal(status, 200, body);
    const data = JSON.parse(body);
    assert.deepEqual([data.profile.sub ?? data.profile.email, data.sessions.length > 0], [ada.userId, true]);
    for (const key of ['consents', 'grants', 'events', 'disclosures', 'messages'])
      assert(Array.isArray(data[key]), `the data export has no ${key}`);
    assert(data.events.length > 0 && data.consents.length > 0);
  });

  await step('an application is transferred to another account', async () => {
    const transferredClient = await factory.createClient({ ownerId: ada.userId, name: 'Herbier' });
    assert.equal(
      (await submitForm(browser, clientPath(transferredClient.clientId, '/transfer'), { email: zoe.email }))
        .status,
      303,
    );
    const newOwner = await openSignedInBrowser(secondService, zoe);
    assert.equal((await acceptTransfer(newOwner, transferredClient.clientId)).status, 303);
    assert.equal((await browser.get(clientPath(transferredClient.clientId))).status, 404);
    assert.equal((await newOwner.get(clientPath(transferredClient.clientId))).status, 200);
  });

  await step('signing out ends the session and sends a logout token to the client', async () => {
    const receiver = await startReceiver();
    try {
      const client = await factory.createClient();
      await sql(
        factory.services.database,
        'update clients set backchannel_logout_uri = $2 where client_id = $1',
        [client.clientId, `http://127.0.0.1:${receiver.port}/logout`],
      );
      const newBrowser = await openSignedInBrowser(secondService, ada);
      const tokens = await obtainTokens(secondService, client, newBrowser);
      assert.equal((await submitForm(newBrowser, '/signout')).status, 303);
      await waitUntil('the logout token', () => receiver.received.length === 1);
      assert.equal((await newBrowser.get('/account')).status, 303);
      assert.equal(
        (await fetchUserinfo(firstService, tokens.accessToken)).status,
        200,
        'tokens stay valid after the session has ended',
      );
    } finally {
      receiver.close();
    }
  });

  await step("an administrator's lists, counts and search include accounts of several shards", async () => {
    const admin = await factory.createUser({ name: 'Grace Hopper', isAdmin: true });
    const users: TestUser[] = [];
    for (let i = 0; i < 12; i++) users.push(await factory.createUser({ name: `Marie Curie ${i}` }));
    const adminBrowser = await openSignedInBrowser(firstService, admin);
    const openPage = async (path: string) => {
      const visit = await adminBrowser.get(`/console/operations${path}`);
      assert.equal(visit.status, 200, `${path}: ${visit.status} ${visit.body.slice(0, 500)}`);
      return visit.body;
    };
    const accountList = await openPage('/accounts?search=marie');
    for (const { userId } of users)
      assert(accountList.includes(adminAccountPath(userId)), 'an account is not in the list');
    assert(
      (await openPage(`/search?search=${encodeURIComponent(zoe.email)}`)).includes(
        adminAccountPath(zoe.userId),
      ),
    );
    assert((await openPage(`/audit?search=${zoe.userId}`)).includes(zoe.email));
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
      await openPage(path);
    const { userId = '' } = users[0] ?? {};
    assert((await adminBrowser.get(adminAccountPath(userId))).body.includes('Marie Curie 0'));
    const suspendPage = await adminBrowser.get(adminAccountPath(userId, 'suspend'));
    const response = await adminBrowser.post(adminAccountPath(userId, 'suspend'), {
      csrf: suspendPage.hidden.csrf ?? '',
    });
    assert.equal(response.status, 303);
  });

  await step(
    'deleting an account leaves only its audit log entries and the rows that are pruned later',
    async () => {
      const { userId } = zoe;
      const newBrowser = await openSignedInBrowser(secondService, zoe);
      const tokens = await obtainTokens(secondService, application, newBrowser);
      const client = await factory.createClient({ ownerId: userId });
      const { csrf = '' } = (await newBrowser.get('/account')).hidden;
      const file = { name: 'picture', content: await createPicture('#0b6e4f'), fileName: 'me.png' };
      await upload(newBrowser, '/account/picture', { csrf }, file);
      const fields = { email: zoe.email, current_password: zoe.password };
      expectLocation(await submitForm(newBrowser, '/account/delete', fields), /./);
      assert.equal((await fetchUserinfo(firstService, tokens.accessToken)).status, 401);
      assert.equal(
        (
          await submitForm(openBrowserSession(firstService.baseUrl), '/signin', {
            email: zoe.email,
            password: zoe.password,
          })
        ).status,
        401,
      );
      const remainingRows: string[] = [];
      for (const [table, distribution] of Object.entries(TABLE_DISTRIBUTION)) {
        if (distribution.group !== 'account' || REMAINING_TABLES.includes(table)) continue;
        const [row] = await query<{ count: number }>(
          `select count(*)::int as count from ${table} where ${distribution.column} = $1`,
          [userId],
        );
        if (row?.count !== 0) remainingRows.push(`${row?.count} of ${table}`);
      }
      for (const [table, column, value] of [
        ['emails', 'email_key', zoe.email],
        ['clients', 'client_id', client.clientId],
        ['clients', 'owner_id', userId],
      ] as const)
        if ((await query(`select from ${table} where ${column} = $1`, [value])).length > 0)
          remainingRows.push(table);
      assert.deepEqual(remainingRows, []);
      assert.equal(
        (
          await postForm(firstService, '/oauth/token', {
            grant_type: 'refresh_token',
            refresh_token: tokens.refreshToken,
            client_id: application.clientId,
            client_secret: application.clientSecret,
          })
        ).body.error,
        'invalid_grant',
      );
    },
  );

  await step('a user can sign up again with the email address of a deleted account', async () => {
    const newBrowser = openBrowserSession(firstService.baseUrl);
    expectLocation(
      await submitForm(newBrowser, '/signup', { email: zoe.email, name: zoe.name, password: PASSWORD }),
      /./,
    );
    assert.equal((await newBrowser.get('/account')).status, 200);
  });

  await step('pruning deletes expired rows on every shard', async () => {
    const afterRetention = new Date(Date.now() + 2 * 366 * 86_400_000);
    await pruneAll(factory.services.database, pruneCutoffs(factory.services.config, afterRetention));
    for (const table of [
      'grants',
      'access_tokens',
      'sessions',
      'one_time_tokens',
      'used_tokens',
      'events',
      'service_tokens',
      'device_requests',
    ])
      assert.deepEqual(await query(`select count(*)::int as count from ${table}`), [{ count: 0 }], table);
    const [users] = await query<{ count: number }>('select count(*)::int as count from users');
    assert((users?.count ?? 0) > 10);
  });
}

/** Completes a device flow and asserts that it succeeds. @returns the token response */
async function completeDeviceFlow(service: TestService, application: TestClient, browser: BrowserSession) {
  const deviceCode = await authorizeDevice(service, application, browser);
  const { status, body, text } = await pollForToken(service, application, deviceCode);
  assert.equal(status, 200, text);
  return { access: String(body.access_token), refresh: String(body.refresh_token) };
}

/** Starts a device flow and approves it in the browser. @returns its device_code */
export async function authorizeDevice(
  service: TestService,
  { clientId, clientSecret }: TestClient,
  browser: BrowserSession,
): Promise<string> {
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const { body, text } = await postForm(service, '/oauth/device_authorization', {
    ...credentials,
    scope: 'openid profile',
  });
  assert(body.user_code, text);
  const page = await browser.follow(
    await submitForm(browser, '/device', { user_code: String(body.user_code) }),
  );
  const response = await browser.post('/device/decision', { ...page.hidden, decision: 'allow' });
  assert.equal(response.status, 303, response.body);
  return String(body.device_code);
}

export const pollForToken = (
  service: TestService,
  { clientId, clientSecret }: TestClient,
  deviceCode: string,
) =>
  postForm(service, '/oauth/token', {
    grant_type: DEVICE_GRANT_TYPE,
    device_code: deviceCode,
    client_id: clientId,
    client_secret: clientSecret,
  });

/** Waits for an email. @returns the link in the email */
async function waitForLink(smtp: TestSmtp, email: string, subject: RegExp): Promise<string> {
  const mail = await waitUntil(`the email to ${email}`, () =>
    smtp.emails.findLast((one) => one.recipients.includes(email) && subject.test(one.subject ?? '')),
  );
  return readLink({ text: mail.text ?? '' });
}

/** Opens a link from an email and submits the form on its page. */
async function followLink(
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

/** Starts a server that receives back-channel logout tokens. */
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
