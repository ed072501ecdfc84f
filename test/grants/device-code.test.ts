import { decodeJwt } from 'jose';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { saveDeviceDecision } from '../../src/accounts/device-decision.ts';
import { parseUserCode } from '../../src/oauth/user-code.ts';
import { listConsents, withdrawConsent } from '../../src/store/consents.ts';
import type { Database } from '../../src/store/database.ts';
import { findPendingDevice } from '../../src/store/device-requests.ts';
import { pruneCutoffs } from '../../src/store/pruning.ts';
import { deleteSessionOfUser, findSession } from '../../src/store/sessions.ts';
import { statement } from '../../src/store/statement.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import { fetchUserinfo, openSignedInBrowser, postForm, redeemRefreshToken } from '../support/oauth-flow.ts';
import { LARGE_POOL, startTestService, type TestUser } from '../support/service.ts';
import { insertConsent, parseSessionCookie, pruneAll } from '../support/store-fixtures.ts';

const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
const SET_DEVICE_FLOW = statement(
  'test_device_flow',
  'update clients set device_flow = $2 where client_id = $1',
);
const FIND_SID = statement('test_sid', 'select sid from sessions where user_id = $1::uuid ');
let user: TestUser;
let browser: BrowserSession;

afterAll(() => service.close());
beforeEach(async () => {
  user = await service.createUser();
  browser = await openSignedInBrowser(service, user);
});

type Fields = Record<string, string | undefined>;
const authorizeDevice = (fields: Fields = {}, app = client) =>
  postForm(service, '/oauth/device_authorization', {
    client_id: app.clientId,
    client_secret: app.clientSecret || undefined,
    scope: 'openid profile',
    ...fields,
  });
const requestCodes = async (app = client) => {
  const { body } = await authorizeDevice({}, app);
  return { deviceCode: String(body.device_code), userCode: String(body.user_code) };
};
const poll = (deviceCode: string | undefined, fields: Fields = {}, app = client) =>
  postForm(service, '/oauth/token', {
    grant_type: DEVICE_GRANT_TYPE,
    device_code: deviceCode,
    client_id: app.clientId,
    client_secret: app.clientSecret || undefined,
    ...fields,
  });
const enterCode = async (userCode: string, session = browser) => {
  const { hidden } = await session.get('/device');
  return session.follow(await session.post('/device', { ...hidden, user_code: userCode }));
};
const decide = async (userCode: string, decision: 'allow' | 'deny', session = browser) => {
  const { hidden } = await enterCode(userCode, session);
  return session.post('/device/decision', { ...hidden, decision });
};

const service = await startTestService(LARGE_POOL);
const client = await service.createClient({ name: 'Salon <b>', type: 'public' });
await service.services.database.query(SET_DEVICE_FLOW, [client.clientId, true]);

describe('a device authorization request', () => {
  test('returns a device code, a user code and the verification URI', async () => {
    const { status, body, headers } = await authorizeDevice();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      device_code: expect.stringMatching(/^sesame_dc_[A-Za-z0-9_-]{86}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${service.baseUrl}/device`,
      verification_uri_complete: `${service.baseUrl}/device?user_code=${body.user_code}`,
      expires_in: 900,
      interval: 5,
    });
  });

  test('is rejected if the client may not use the device flow', async () => {
    const otherClient = await service.createClient({ scopes: ['openid'] });
    expectError(await authorizeDevice({ scope: 'openid' }, otherClient), 400, 'unauthorized_client');
    await service.services.database.query(SET_DEVICE_FLOW, [otherClient.clientId, true]);
    expect((await authorizeDevice({ scope: 'openid' }, otherClient)).status).toBe(200);
    expectError(await authorizeDevice({ scope: 'openid phone' }, otherClient), 400, 'invalid_scope');
    expectError(await authorizeDevice({ scope: 'nothing' }, otherClient), 400, 'invalid_scope');
    expectError(await authorizeDevice({ scope: undefined }, otherClient), 400, 'invalid_request');
    expectError(await authorizeDevice({ client_secret: 'wrong' }, otherClient), 401, 'invalid_client');
    expectError(await authorizeDevice({ client_id: 'app_nobody' }), 401, 'invalid_client');
    expectError(await authorizeDevice({ scope: 'nothing', client_id: 'app_nobody' }), 401, 'invalid_client');
  });
});

test('rejected device authorization requests are not stored', async () => {
  const count = statement('test_count_devices', 'select count(*)::int as count from device_requests');
  const countDevices = async () =>
    (await service.services.database.query<{ count: number }>(count, []))[0]?.count;
  const before = await countDevices();
  for (const fields of [{ scope: 'nothing' }, { client_secret: 'x' }, { scope: undefined }])
    await authorizeDevice(fields);
  await authorizeDevice({}, await service.createClient());
  expect(await countDevices()).toBe(before);
});

describe('the user’s decision', () => {
  test('lets the device obtain tokens once', async () => {
    const { deviceCode, userCode } = await requestCodes();
    expectError(await poll(deviceCode), 400, 'authorization_pending');
    const page = await enterCode(userCode.toLowerCase().replace('-', ' '));
    expect(page.status).toBe(200);
    expect(page.body).toContain('Salon &lt;b&gt;');
    expect(page.body).toContain(userCode);
    expect(page.body).toContain(user.email);
    const done = await browser.post('/device/decision', { ...page.hidden, decision: 'allow' });
    expect([done.status, done.location?.pathname, done.location?.search]).toEqual([
      303,
      '/device/done',
      '?done=allowed',
    ]);

    service.clock.advance(5);
    const { status, body } = await poll(deviceCode);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual([
      ...['access_token', 'expires_in', 'id_token', 'refresh_token', 'scope', 'token_type'],
    ]);
    expect((await fetchUserinfo(service, String(body.access_token))).body.sub).toBe(user.userId);
    expect((await redeemRefreshToken(service, client, String(body.refresh_token))).status).toBe(200);
    expectError(await poll(deviceCode), 400, 'invalid_grant');
  });

  test.each([true, false])('lets the device obtain an id_token (standard mode: %s)', async (standard) => {
    const app = await service.createClient({ standard });
    await service.services.database.query(SET_DEVICE_FLOW, [app.clientId, true]);
    const { deviceCode, userCode } = await requestCodes(app);
    await decide(userCode, 'allow');
    const { body } = await poll(deviceCode, {}, app);
    expect(decodeJwt(String(body.id_token)).name).toBe(standard ? user.name : undefined);
  });

  test('lets only one of several concurrent polls obtain tokens', async () => {
    const { deviceCode, userCode } = await requestCodes();
    await decide(userCode, 'allow');
    const responses = await Promise.all(Array.from({ length: 6 }, () => poll(deviceCode)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('to deny access makes polling fail with access_denied', async () => {
    const { deviceCode, userCode } = await requestCodes();
    const done = await decide(userCode, 'deny');
    expect(done.location?.search).toBe('?done=denied');
    expectError(await poll(deviceCode), 400, 'access_denied');
    expect((await browser.get('/account/applications')).body).not.toContain('Salon');
  });

  test.each([
    [
      'consent is withdrawn and given again',
      async (database: Database, userId: string) => {
        const { clientId } = client;
        const now = service.clock.now();
        await withdrawConsent(database, userId, clientId, now);
        await insertConsent(database, { userId, clientId, scopes: ['openid', 'profile'], now });
      },
    ],
    [
      'the password is changed',
      async (database: Database, userId: string) => {
        await setAccountPassword(database, userId, 'another hash');
      },
    ],
  ])('yields no tokens after %s', async (_, change) => {
    const { deviceCode, userCode } = await requestCodes();
    await decide(userCode, 'allow');
    await change(service.services.database, user.userId);
    expectError(await poll(deviceCode), 400, 'invalid_grant');
  });

  test('remains valid if the user signs out after approval', async () => {
    const { database } = service.services;
    const now = service.clock.now();
    const [{ sid = '' } = {}] = await database.query<{ sid: string }>(FIND_SID, [user.userId]);
    const { deviceCode, userCode } = await requestCodes();
    await decide(userCode, 'allow');
    await deleteSessionOfUser(database, user.userId, sid, now);
    expect((await poll(deviceCode)).status).toBe(200);
  });

  test('cannot be submitted from a deleted session', async () => {
    const { database, sealer } = service.services;
    const { deviceCode, userCode } = await requestCodes();
    const now = service.clock.now();
    const userCodeMac = sealer.mac('user-code', parseUserCode(userCode) ?? '');
    const device = await findPendingDevice(database, userCodeMac, now);
    const session = await findSession(database, parseSessionCookie(browser.cookies.get('sesame')), now);
    if (device === undefined || session === undefined)
      throw new Error('no pending device request or session');
    await deleteSessionOfUser(database, user.userId, session.sid, now);
    const decision = { userCodeMac, device, allowed: true, session, ip: '127.0.0.1', userAgent: '' };
    expect(await saveDeviceDecision(database, decision, now)).toBe(false);
    expectError(await poll(deviceCode), 400, 'authorization_pending');
    expect(await listConsents(database, user.userId)).toEqual([]);
  });

  test('is accepted only once', async () => {
    const { userCode } = await requestCodes();
    const otherBrowser = await openSignedInBrowser(service, await service.createUser());
    const pendingPage = await enterCode(userCode, otherBrowser);
    await decide(userCode, 'deny');
    const response = await otherBrowser.post('/device/decision', {
      ...pendingPage.hidden,
      decision: 'allow',
    });
    expect(response.status).toBe(400);
    expect((await enterCode(userCode, otherBrowser)).status).toBe(400);
  });

  test('is accepted only from the account that opened the page', async () => {
    const { deviceCode, userCode } = await requestCodes();
    const page = await enterCode(userCode);
    const otherBrowser = await openSignedInBrowser(service, await service.createUser());
    const { csrf = '' } = (await otherBrowser.get('/device')).hidden;
    for (const device of [page.hidden.device ?? '', userCode, ''])
      expect((await otherBrowser.post('/device/decision', { csrf, device, decision: 'allow' })).status).toBe(
        400,
      );
    expectError(await poll(deviceCode), 400, 'authorization_pending');
  });

  test('requires a user code and limits wrong guesses', async () => {
    const page = await enterCode('BCDF-GHJK');
    expect(page.status).toBe(400);
    expect(page.body).toContain('value="BCDF-GHJK"');
    for (let tries = 1; tries < 20; tries += 1) await enterCode('BCDF-GHJK');
    const { userCode } = await requestCodes();
    expect((await enterCode(userCode)).status).toBe(429);
    service.clock.advance(600);
    expect((await enterCode(userCode)).status).toBe(200);
  });

  test('does not require the user code again after a sign-in', async () => {
    const { openBrowserSession } = await import('../support/browser-session.ts');
    const anonymous = openBrowserSession(service.baseUrl);
    const { userCode } = await requestCodes();
    const page = await anonymous.follow(await anonymous.get(`/device?user_code=${userCode}`));
    const { email, password } = user;
    const response = await anonymous.post('/signin', { ...page.hidden, email, password });
    expect((await anonymous.follow(response)).body).toContain(`value="${userCode}"`);
  });
});

describe('device polling', () => {
  test('fails with slow_down if it is too frequent', async () => {
    const { deviceCode } = await requestCodes();
    expectError(await poll(deviceCode), 400, 'authorization_pending');
    service.clock.advance(4);
    expectError(await poll(deviceCode), 400, 'slow_down');
    service.clock.advance(9);
    expectError(await poll(deviceCode), 400, 'slow_down');
    service.clock.advance(15);
    expectError(await poll(deviceCode), 400, 'authorization_pending');
  });

  test('fails with expired_token after 15 minutes', async () => {
    const { deviceCode, userCode } = await requestCodes();
    const approvedCodes = await requestCodes();
    await decide(approvedCodes.userCode, 'allow');
    service.clock.advance(900);
    expectError(await poll(deviceCode), 400, 'expired_token');
    expectError(await poll(approvedCodes.deviceCode), 400, 'expired_token');
    expect((await enterCode(userCode)).status).toBe(400);
  });

  test('fails for a device code forged from two valid codes', async () => {
    const [victim, attacker] = [await requestCodes(), await requestCodes()];
    const decodeBytes = ({ deviceCode }: { deviceCode: string }) =>
      Buffer.from(deviceCode.slice('sesame_dc_'.length), 'base64url');
    const combined = Buffer.concat([decodeBytes(victim).subarray(0, 32), decodeBytes(attacker).subarray(32)]);
    const forged = `sesame_dc_${combined.toString('base64url')}`;
    expectError(await poll(victim.deviceCode), 400, 'authorization_pending');
    service.clock.advance(4);
    for (let times = 0; times < 3; times += 1) expectError(await poll(forged), 400, 'invalid_grant');
    service.clock.advance(2);
    expectError(await poll(victim.deviceCode), 400, 'authorization_pending');
    await decide(victim.userCode, 'allow');
    expectError(await poll(forged), 400, 'invalid_grant');
    expectError(await poll(attacker.deviceCode), 400, 'authorization_pending');
    expect((await poll(victim.deviceCode)).status).toBe(200);
  });

  test('fails for a used code after its grant was pruned', async () => {
    const { deviceCode, userCode } = await requestCodes();
    await decide(userCode, 'allow');
    const { body } = await poll(deviceCode);
    const { clientId } = client;
    await postForm(service, '/oauth/revoke', { token: String(body.refresh_token), client_id: clientId });
    for (let minutes = 1; minutes < 15; minutes += 1) {
      service.clock.advance(60);
      await pruneAll(service.services.database, pruneCutoffs(service.services.config, service.clock.now()));
      expectError(await poll(deviceCode), 400, 'invalid_grant');
    }
    service.clock.advance(60);
    expectError(await poll(deviceCode), 400, 'expired_token');
  });

  test('fails for an unknown device code or a different client', async () => {
    const otherClient = await service.createClient();
    const { deviceCode, userCode } = await requestCodes();
    await decide(userCode, 'allow');
    expectError(await poll(deviceCode, {}, otherClient), 400, 'invalid_grant');
    expectError(await poll('nonsense'), 400, 'invalid_grant');
    expectError(await poll(undefined), 400, 'invalid_request');
    expect((await poll(deviceCode)).status).toBe(200);
  });
});
