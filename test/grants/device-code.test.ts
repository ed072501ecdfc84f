// Device authorization (RFC 8628): a device asks, a person decides elsewhere, the device gets its tokens once.

import { decodeJwt } from 'jose';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { rememberOutcome } from '../../src/accounts/device-decision.ts';
import { normalizedUserCode } from '../../src/oauth/typed-code.ts';
import { listConsents, withdrawConsent } from '../../src/store/consents.ts';
import type { Database } from '../../src/store/database.ts';
import { findWaitingDevice } from '../../src/store/device-requests.ts';
import { limitsOf } from '../../src/store/pruning.ts';
import { deleteSessionOfUser, findSession } from '../../src/store/sessions.ts';
import { statement } from '../../src/store/statement.ts';
import { changePassword } from '../../src/store/users.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import { postForm, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { keyOf, pruneAll, rememberConsent } from '../support/populate.ts';
import { CROWD, startTestService, type TestUser } from '../support/service.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const ALLOW = statement('test_device_flow', 'update clients set device_flow = $2 where client_id = $1');
const SID = statement('test_sid', 'select sid from sessions where user_id = $1::uuid ');
let user: TestUser;
let browser: BrowserSession;

afterAll(() => service.close());
beforeEach(async () => {
  user = await service.createUser();
  browser = await signedInBrowser(service, user);
});

type Fields = Record<string, string | undefined>;
const ask = (fields: Fields = {}, app = application) =>
  postForm(service, '/oauth/device_authorization', {
    client_id: app.clientId,
    client_secret: app.clientSecret || undefined,
    scope: 'openid profile',
    ...fields,
  });
const asked = async (app = application) => {
  const { body } = await ask({}, app);
  return { deviceCode: String(body.device_code), userCode: String(body.user_code) };
};
const poll = (deviceCode: string | undefined, fields: Fields = {}, app = application) =>
  postForm(service, '/oauth/token', {
    grant_type: GRANT,
    device_code: deviceCode,
    client_id: app.clientId,
    client_secret: app.clientSecret || undefined,
    ...fields,
  });
const type = async (userCode: string, person = browser) => {
  const { hidden } = await person.get('/device');
  return person.follow(await person.post('/device', { ...hidden, user_code: userCode }));
};
const decide = async (userCode: string, decision: 'allow' | 'deny', person = browser) => {
  const { hidden } = await type(userCode, person);
  return person.post('/device/decision', { ...hidden, decision });
};

const service = await startTestService(CROWD);
const application = await service.createApplication({ name: 'Salon <b>', type: 'public' });
await service.parts.database.query(ALLOW, [application.clientId, true]);

describe('the device asks (§3.1, §3.2)', () => {
  test('gets two codes and where to send the person', async () => {
    const { status, body, headers } = await ask();
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

  test('off by default; scopes are those of the registration; the application authenticates', async () => {
    const other = await service.createApplication({ scopes: ['openid'] });
    expectError(await ask({ scope: 'openid' }, other), 400, 'unauthorized_client');
    await service.parts.database.query(ALLOW, [other.clientId, true]);
    expect((await ask({ scope: 'openid' }, other)).status).toBe(200);
    expectError(await ask({ scope: 'openid phone' }, other), 400, 'invalid_scope');
    expectError(await ask({ scope: 'nothing' }, other), 400, 'invalid_scope');
    expectError(await ask({ scope: undefined }, other), 400, 'invalid_request');
    expectError(await ask({ client_secret: 'wrong' }, other), 401, 'invalid_client');
    expectError(await ask({ client_id: 'app_nobody' }), 401, 'invalid_client');
    expectError(await ask({ scope: 'nothing', client_id: 'app_nobody' }), 401, 'invalid_client');
  });
});

test('a request that is refused leaves nothing behind', async () => {
  const count = statement('test_count_devices', 'select count(*)::int as count from device_requests');
  const counted = async () => (await service.parts.database.query<{ count: number }>(count, []))[0]?.count;
  const before = await counted();
  for (const fields of [{ scope: 'nothing' }, { client_secret: 'x' }, { scope: undefined }])
    await ask(fields);
  await ask({}, await service.createApplication());
  expect(await counted()).toBe(before);
});

describe('the person decides (§3.3)', () => {
  test('allowed: the device gets tokens of that person, once, and they renew', async () => {
    const { deviceCode, userCode } = await asked();
    expectError(await poll(deviceCode), 400, 'authorization_pending');
    const page = await type(userCode.toLowerCase().replace('-', ' '));
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
    expect((await userinfo(service, String(body.access_token))).body.sub).toBe(user.userId);
    expect((await renew(service, application, String(body.refresh_token))).status).toBe(200);
    expectError(await poll(deviceCode), 400, 'invalid_grant');
  });

  test.each([true, false])(
    'its id_token tells of the person in standard mode (D57): %s',
    async (standard) => {
      const app = await service.createApplication({ standard });
      await service.parts.database.query(ALLOW, [app.clientId, true]);
      const { deviceCode, userCode } = await asked(app);
      await decide(userCode, 'allow');
      const { body } = await poll(deviceCode, {}, app);
      expect(decodeJwt(String(body.id_token)).name).toBe(standard ? user.name : undefined);
    },
  );

  test('of many questions at once one gets the tokens', async () => {
    const { deviceCode, userCode } = await asked();
    await decide(userCode, 'allow');
    const answers = await Promise.all(Array.from({ length: 6 }, () => poll(deviceCode)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('refused: access_denied, and nothing was agreed to', async () => {
    const { deviceCode, userCode } = await asked();
    const done = await decide(userCode, 'deny');
    expect(done.location?.search).toBe('?done=denied');
    expectError(await poll(deviceCode), 400, 'access_denied');
    expect((await browser.get('/account/applications')).body).not.toContain('Salon');
  });

  test.each([
    [
      'a consent withdrawn and given anew',
      async (database: Database, userId: string) => {
        const { clientId } = application;
        const now = service.clock.now();
        await withdrawConsent(database, userId, clientId, now);
        await rememberConsent(database, { userId, clientId, scopes: ['openid', 'profile'], now });
      },
    ],
    [
      'another password',
      async (database: Database, userId: string) => {
        await changePassword(database, userId, 'another hash');
      },
    ],
  ])('what it rested on has changed meanwhile: %s (D28)', async (_, change) => {
    const { deviceCode, userCode } = await asked();
    await decide(userCode, 'allow');
    await change(service.parts.database, user.userId);
    expectError(await poll(deviceCode), 400, 'invalid_grant');
  });

  test('the session in which it was allowed is over: signing out takes nothing back', async () => {
    const { database } = service.parts;
    const now = service.clock.now();
    const [{ sid = '' } = {}] = await database.query<{ sid: string }>(SID, [user.userId]);
    const { deviceCode, userCode } = await asked();
    await decide(userCode, 'allow');
    await deleteSessionOfUser(database, user.userId, sid, now);
    expect((await poll(deviceCode)).status).toBe(200);
  });

  test('a session that was ended lets no device in, however late its decision comes', async () => {
    const { database, sealer } = service.parts;
    const { deviceCode, userCode } = await asked();
    const now = service.clock.now();
    const userCodeMac = sealer.mac('user-code', normalizedUserCode(userCode) ?? '');
    const device = await findWaitingDevice(database, userCodeMac, now);
    const session = await findSession(database, keyOf(browser.cookies.get('sesame')), now);
    if (device === undefined || session === undefined) throw new Error('nothing to decide on');
    await deleteSessionOfUser(database, user.userId, session.sid, now);
    const decision = { userCodeMac, device, allowed: true, session, address: '127.0.0.1', userAgent: '' };
    expect(await rememberOutcome(database, decision, now)).toBe(false);
    expectError(await poll(deviceCode), 400, 'authorization_pending');
    expect(await listConsents(database, user.userId)).toEqual([]);
  });

  test('a code is decided on once, whoever else types it', async () => {
    const { userCode } = await asked();
    const other = await signedInBrowser(service, await service.createUser());
    const late = await type(userCode, other);
    await decide(userCode, 'deny');
    const answer = await other.post('/device/decision', { ...late.hidden, decision: 'allow' });
    expect(answer.status).toBe(400);
    expect((await type(userCode, other)).status).toBe(400);
  });

  test('the page made for one account does not decide for another, nor a code without the page', async () => {
    const { deviceCode, userCode } = await asked();
    const page = await type(userCode);
    const other = await signedInBrowser(service, await service.createUser());
    const { csrf = '' } = (await other.get('/device')).hidden;
    for (const device of [page.hidden.device ?? '', userCode, ''])
      expect((await other.post('/device/decision', { csrf, device, decision: 'allow' })).status).toBe(400);
    expectError(await poll(deviceCode), 400, 'authorization_pending');
  });

  test('a wrong code says so and keeps what was typed; guesses are counted', async () => {
    const page = await type('BCDF-GHJK');
    expect(page.status).toBe(400);
    expect(page.body).toContain('value="BCDF-GHJK"');
    for (let tries = 1; tries < 20; tries += 1) await type('BCDF-GHJK');
    const { userCode } = await asked();
    expect((await type(userCode)).status).toBe(429);
    service.clock.advance(600);
    expect((await type(userCode)).status).toBe(200);
  });

  test('a stranger is asked to sign in first, and comes back with the code filled in', async () => {
    const { openBrowserSession } = await import('../support/browser-session.ts');
    const stranger = openBrowserSession(service.baseUrl);
    const { userCode } = await asked();
    const page = await stranger.follow(await stranger.get(`/device?user_code=${userCode}`));
    const { email, password } = user;
    const answer = await stranger.post('/signin', { ...page.hidden, email, password });
    expect((await stranger.follow(answer)).body).toContain(`value="${userCode}"`);
  });
});

describe('the device goes on asking (§3.5)', () => {
  test('sooner than every 5 seconds: slow_down, and 5 seconds more each time', async () => {
    const { deviceCode } = await asked();
    expectError(await poll(deviceCode), 400, 'authorization_pending');
    service.clock.advance(4);
    expectError(await poll(deviceCode), 400, 'slow_down');
    service.clock.advance(9);
    expectError(await poll(deviceCode), 400, 'slow_down');
    service.clock.advance(15);
    expectError(await poll(deviceCode), 400, 'authorization_pending');
  });

  test('after 15 minutes: expired_token, allowed or not', async () => {
    const { deviceCode, userCode } = await asked();
    const other = await asked();
    await decide(other.userCode, 'allow');
    service.clock.advance(900);
    expectError(await poll(deviceCode), 400, 'expired_token');
    expectError(await poll(other.deviceCode), 400, 'expired_token');
    expect((await type(userCode)).status).toBe(400);
  });

  test('a code with the user code of another device finds nothing, and slows nothing down', async () => {
    const [victim, own] = [await asked(), await asked()];
    const bytesOf = ({ deviceCode }: { deviceCode: string }) =>
      Buffer.from(deviceCode.slice('sesame_dc_'.length), 'base64url');
    const crossed = Buffer.concat([bytesOf(victim).subarray(0, 32), bytesOf(own).subarray(32)]);
    const forged = `sesame_dc_${crossed.toString('base64url')}`;
    expectError(await poll(victim.deviceCode), 400, 'authorization_pending');
    service.clock.advance(4);
    for (let times = 0; times < 3; times += 1) expectError(await poll(forged), 400, 'invalid_grant');
    service.clock.advance(2);
    expectError(await poll(victim.deviceCode), 400, 'authorization_pending');
    await decide(victim.userCode, 'allow');
    expectError(await poll(forged), 400, 'invalid_grant');
    expectError(await poll(own.deviceCode), 400, 'authorization_pending');
    expect((await poll(victim.deviceCode)).status).toBe(200);
  });

  test('a used code stays used after its grant was revoked, and pruned as early as it can be', async () => {
    const { deviceCode, userCode } = await asked();
    await decide(userCode, 'allow');
    const { body } = await poll(deviceCode);
    const { clientId } = application;
    await postForm(service, '/oauth/revoke', { token: String(body.refresh_token), client_id: clientId });
    for (let minutes = 1; minutes < 15; minutes += 1) {
      service.clock.advance(60);
      await pruneAll(service.parts.database, limitsOf(service.parts.config, service.clock.now()));
      expectError(await poll(deviceCode), 400, 'invalid_grant');
    }
    service.clock.advance(60);
    expectError(await poll(deviceCode), 400, 'expired_token');
  });

  test('another application, an unknown code, none at all', async () => {
    const other = await service.createApplication();
    const { deviceCode, userCode } = await asked();
    await decide(userCode, 'allow');
    expectError(await poll(deviceCode, {}, other), 400, 'invalid_grant');
    expectError(await poll('nonsense'), 400, 'invalid_grant');
    expectError(await poll(undefined), 400, 'invalid_request');
    expect((await poll(deviceCode)).status).toBe(200);
  });
});
