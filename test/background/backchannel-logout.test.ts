// Back-channel logout token delivery: recipients, retries and refused URLs.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { deliverDueLogouts, sendLogoutRequest } from '../../src/background/backchannel-logout.ts';
import { listDeliveries } from '../../src/store/logout-deliveries.ts';
import { statement } from '../../src/store/statement.ts';
import { adminAccountPath, adminClientPath, createSignedInAdmin } from '../support/admin.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { findLastEmailTo, readLink } from '../support/emails.ts';
import { UNUSED_SLOT } from '../support/metadata-clients.ts';
import { obtainTokens, openSignedInBrowser } from '../support/oauth-flow.ts';
import {
  LARGE_POOL,
  PASSWORD,
  startTestService,
  type TestClient,
  type TestUser,
} from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = await startTestService({ ...LARGE_POOL, BACKCHANNEL_ALLOW: '127.0.0.1' });
const receiver = await startReceiver();
afterAll(async () => {
  receiver.close();
  await service.close();
});
afterEach(() => {
  receiver.received.length = 0;
  receiver.status = 200;
});

/** Starts a server that records the logout tokens it receives. */
async function startReceiver() {
  const received: { url: string; type: string | undefined; token: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const token = new URLSearchParams(body).get('logout_token') ?? '';
    received.push({ url: request.url ?? '', type: request.headers['content-type'], token });
    response.writeHead(state.status, { location: 'http://169.254.169.254/' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state = {
    received,
    status: 200,
    port: (server.address() as AddressInfo).port,
    close: () => server.close(),
  };
  return state;
}

const SET_LOGOUT_URI = statement(
  'test_set_backchannel',
  'update clients set backchannel_logout_uri = $2 where client_id = $1',
);
const createLogoutReceiver = async (
  uri: string | null = `http://127.0.0.1:${receiver.port}/logout?own=1`,
) => {
  const application = await service.createClient();
  await service.services.database.query(SET_LOGOUT_URI, [application.clientId, uri]);
  return application;
};
const signOut = async (browser: BrowserSession) => {
  const { hidden } = await browser.get('/signout');
  return browser.post('/signout', { csrf: hidden.csrf ?? '' });
};
const verifyToken = async (token: string, application: TestClient): Promise<JWTPayload> => {
  const keys = (await (await fetch(new URL('/.well-known/jwks.json', service.baseUrl))).json()) as never;
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    issuer: service.baseUrl,
    audience: application.clientId,
    typ: 'logout+jwt',
    currentDate: service.clock.now(),
  });
  return payload;
};
const readSid = ({ idToken = '' }: { idToken?: string | undefined }): unknown => decodeJwt(idToken).sid;
const findDeliveries = ({ clientId }: TestClient) => listDeliveries(service.services.database, clientId, 10);

/** Creates a client with a pending logout token by signing a user in to it and out again. */
async function createSignedOutClient(): Promise<TestClient> {
  const application = await createLogoutReceiver();
  const browser = await openSignedInBrowser(service, await service.createUser());
  await obtainTokens(service, application, browser);
  await signOut(browser);
  return application;
}

describe('sign-out', () => {
  test('notifies every client that used the session (Back-Channel Logout §2.4)', async () => {
    const [application, silent, unused] = [
      await createLogoutReceiver(),
      await createLogoutReceiver(null),
      await createLogoutReceiver(),
    ];
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const { idToken = '' } = await obtainTokens(service, application, browser);
    await obtainTokens(service, application, browser);
    await obtainTokens(service, silent, browser);
    await signOut(browser);
    expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(1);
    expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(0);

    expect(receiver.received.map(({ url, type }) => [url, type])).toEqual([
      ['/logout?own=1', 'application/x-www-form-urlencoded'],
    ]);
    const payload = await verifyToken(receiver.received[0]?.token ?? '', application);
    const sid = readSid({ idToken });
    expect(payload).toMatchObject({
      sub: user.userId,
      sid,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(payload).not.toHaveProperty('nonce');
    expect(payload.jti).toBeTruthy();
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120);
    expect(await findDeliveries(application)).toMatchObject([{ attempts: 1, lastError: null }]);
    expect((await findDeliveries(application))[0]?.deliveredAt).toBeInstanceOf(Date);
    expect(await findDeliveries(unused)).toEqual([]);
  });
});

describe('ending all sessions', () => {
  const NEW_PASSWORD = 'quite another password 7';
  const changePassword = async (browser: BrowserSession) => {
    const { hidden } = await browser.get('/account/password');
    return browser.post('/account/password', {
      ...hidden,
      current_password: PASSWORD,
      new_password: NEW_PASSWORD,
    });
  };
  const submitEmailedForm = async (user: TestUser, path: string, fields = {}) => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(readLink(await findLastEmailTo(service, user.email)));
    return browser.post(path, { ...hidden, ...fields });
  };
  const resetPassword = async (user: TestUser) => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...hidden, email: user.email });
    return submitEmailedForm(user, '/password/reset', { new_password: NEW_PASSWORD });
  };
  const moderate = async ({ userId, email }: TestUser, action: string) =>
    (await createSignedInAdmin(service)).submit(adminAccountPath(userId, action), { email });
  const deleteOwnAccount = async ({ email }: TestUser, browser: BrowserSession) => {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    return browser.post('/account/delete', { csrf, email });
  };
  const setPassword = ({ email }: TestUser) =>
    createSesameCommand(() => service.databaseUrl).runJson('users', 'set-password', email);

  test('triggers one logout token per session for each client', async () => {
    const actions: ((user: TestUser, browser: BrowserSession) => Promise<unknown>)[] = [
      (_, browser) => changePassword(browser),
      resetPassword,
      setPassword,
      (user) => moderate(user, 'suspend'),
      (user) => moderate(user, 'end'),
      deleteOwnAccount,
      (user) => moderate(user, 'delete'),
    ];
    for (const end of actions) {
      receiver.received.length = 0;
      const application = await createLogoutReceiver();
      const user = await service.createUser();
      const browsers = [await openSignedInBrowser(service, user), await openSignedInBrowser(service, user)];
      const sids = [];
      for (const browser of browsers) sids.push(readSid(await obtainTokens(service, application, browser)));
      await end(user, browsers[0] as BrowserSession);
      expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(2);
      const payloads = await Promise.all(
        receiver.received.map(({ token }) => verifyToken(token, application)),
      );
      expect(payloads.map(({ sid }) => sid).sort()).toEqual(sids.sort());
      expect(payloads.map(({ sub }) => sub)).toEqual([user.userId, user.userId]);
      expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(0);
    }
  });

  test('triggers no logout tokens for previously ended sessions', async () => {
    const application = await createLogoutReceiver();
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const formerSid = readSid(await obtainTokens(service, application, browser));
    await changePassword(browser);
    expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(1);
    // Changing the password started a new session in this browser.
    const currentSid = readSid(await obtainTokens(service, application, browser));
    expect(currentSid).not.toBe(formerSid);
    receiver.received.length = 0;
    const { location } = await submitEmailedForm(user, '/security/report');
    expect(location?.pathname).toBe('/security/report');
    expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(1);
    expect(await verifyToken(receiver.received[0]?.token ?? '', application)).toMatchObject({
      sid: currentSid,
    });
  });
});

describe('a client with pending logout tokens', () => {
  test('gets retries at increasing intervals after an error', async () => {
    const application = await createSignedOutClient();
    receiver.status = 500;
    expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(1);
    expect((await findDeliveries(application))[0]).toMatchObject({
      attempts: 1,
      deliveredAt: null,
      lastError: 'http_status',
      lastErrorDetail: '500',
    });
    for (const minutes of [1, 5, 15, 60, 180, 360, 720]) {
      // The test clock also keeps running, so this stops 30 seconds before the retry is due.
      service.clock.advance(minutes * 60 - 30);
      expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(0);
      service.clock.advance(31);
      expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(1);
    }
    expect((await findDeliveries(application))[0]).toMatchObject({ attempts: 8, nextAttemptAt: null });
    service.clock.advance(10 * 24 * 3600);
    expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(0);
    expect(receiver.received).toHaveLength(8);
  });

  test('gets a retry after a redirect', async () => {
    const application = await createSignedOutClient();
    receiver.status = 302;
    await deliverDueLogouts(service.services, UNUSED_SLOT);
    expect((await findDeliveries(application))[0]).toMatchObject({
      lastError: 'http_status',
      lastErrorDetail: '302',
    });
    receiver.status = 204;
    service.clock.advance(61);
    await deliverDueLogouts(service.services, UNUSED_SLOT);
    expect((await findDeliveries(application))[0]).toMatchObject({
      attempts: 2,
      lastError: null,
      lastErrorDetail: null,
    });
  });

  test('receives no logout tokens after it is suspended', async () => {
    const application = await createSignedOutClient();
    await (await createSignedInAdmin(service)).submit(adminClientPath(application.clientId, 'suspend'));
    await deliverDueLogouts(service.services, UNUSED_SLOT);
    expect(receiver.received).toEqual([]);
    expect((await findDeliveries(application))[0]).toMatchObject({ nextAttemptAt: null, deliveredAt: null });
  });

  test('doesn’t delay deliveries to other clients', async () => {
    const [busy, otherClient] = [await createLogoutReceiver(), await createLogoutReceiver()];
    const { database } = service.services;
    const flood = statement(
      'test_flood',
      `insert into logout_deliveries (client_id, user_id, sid, created_at, next_attempt_at)
      select $1, gen_random_uuid(), gen_random_uuid(), $2, $2 from generate_series(1, 25)`,
    );
    await database.query(flood, [busy.clientId, new Date(service.clock.now().getTime() - 60_000)]);
    const browser = await openSignedInBrowser(service, await service.createUser());
    await obtainTokens(service, otherClient, browser);
    await signOut(browser);
    expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(10);
    expect((await findDeliveries(otherClient))[0]?.deliveredAt).toBeInstanceOf(Date);
    expect([
      await deliverDueLogouts(service.services, UNUSED_SLOT),
      await deliverDueLogouts(service.services, UNUSED_SLOT),
    ]).toEqual([10, 6]);
  });

  test('receives each logout token only once', async () => {
    const application = await createLogoutReceiver();
    for (let times = 0; times < 4; times++) {
      const browser = await openSignedInBrowser(service, await service.createUser());
      await obtainTokens(service, application, browser);
      await signOut(browser);
    }
    const deliveredCounts = await Promise.all([
      deliverDueLogouts(service.services, UNUSED_SLOT),
      deliverDueLogouts(service.services, UNUSED_SLOT),
      deliverDueLogouts(service.services, UNUSED_SLOT),
    ]);
    expect(deliveredCounts.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(receiver.received).toHaveLength(4);
  });
});

test('delivery errors don’t reveal internal host names', async () => {
  const browser = await openSignedInBrowser(service, await service.createUser());
  const uris = ['https://nobody.invalid/logout', 'https://10.0.0.1/logout'];
  const applications = await Promise.all(uris.map((uri) => createLogoutReceiver(uri)));
  for (const application of applications) await obtainTokens(service, application, browser);
  await signOut(browser);
  expect(await deliverDueLogouts(service.services, UNUSED_SLOT)).toBe(2);
  for (const application of applications)
    expect(await findDeliveries(application)).toMatchObject([
      { lastError: 'not-public', lastErrorDetail: null },
    ]);
});

test('logout tokens are sent only to public https URLs by default', async () => {
  const production = { production: true, backchannelAllow: [] };
  for (const [url, message] of [
    ['http://client.example/logout', /does not use HTTPS/],
    ['https://localhost/logout', /public internet/],
    ['https://10.0.0.1/logout', /public internet/],
    ['https://nobody.invalid/logout', /host is unknown/],
  ] as const)
    await expect(sendLogoutRequest(url, 'x=1', production, UNUSED_SLOT)).rejects.toThrow(message);
  const url = `http://127.0.0.1:${receiver.port}/x`;
  const backchannelAllow = ['127.0.0.0/8'];
  const sendLogoutForm = (config: Parameters<typeof sendLogoutRequest>[2]) =>
    sendLogoutRequest(url, 'x=1', config, UNUSED_SLOT);
  await expect(sendLogoutForm({ production: true, backchannelAllow })).rejects.toThrow(/does not use HTTPS/);
  await expect(sendLogoutForm({ production: false, backchannelAllow: [] })).rejects.toThrow(/public/);
  expect(await sendLogoutForm({ production: false, backchannelAllow })).toBe(200);
});
