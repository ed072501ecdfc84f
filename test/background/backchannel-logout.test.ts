// Back-channel logout: applications are told that a session is over, again until they know, and nobody else is called.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { deliverDue, post } from '../../src/background/backchannel-logout.ts';
import { listDeliveries } from '../../src/store/logout-deliveries.ts';
import { statement } from '../../src/store/statement.ts';
import { OFF_SLOT } from '../support/agents.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { obtainTokens, signedInBrowser } from '../support/flow.ts';
import { lastMailTo, linkIn } from '../support/mail.ts';
import { accountPath, applicationPath, signedInOperator } from '../support/operator.ts';
import {
  CROWD,
  PASSWORD,
  startTestService,
  type TestApplication,
  type TestUser,
} from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = await startTestService({ ...CROWD, BACKCHANNEL_ALLOW: '127.0.0.1' });
const receiver = await startReceiver();
afterAll(async () => {
  receiver.close();
  await service.close();
});
afterEach(() => {
  receiver.received.length = 0;
  receiver.status = 200;
});

/** What an application's back end is sent. */
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

const SET_URI = statement(
  'test_set_backchannel',
  'update clients set backchannel_logout_uri = $2 where client_id = $1',
);
const listening = async (uri: string | null = `http://127.0.0.1:${receiver.port}/logout?own=1`) => {
  const application = await service.createApplication();
  await service.parts.database.query(SET_URI, [application.clientId, uri]);
  return application;
};
const signOut = async (browser: BrowserSession) => {
  const { hidden } = await browser.get('/signout');
  return browser.post('/signout', { csrf: hidden.csrf ?? '' });
};
const verified = async (token: string, application: TestApplication): Promise<JWTPayload> => {
  const keys = (await (await fetch(new URL('/.well-known/jwks.json', service.baseUrl))).json()) as never;
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    issuer: service.baseUrl,
    audience: application.clientId,
    typ: 'logout+jwt',
    currentDate: service.clock.now(),
  });
  return payload;
};
const sidOf = ({ idToken = '' }: { idToken?: string | undefined }): unknown => decodeJwt(idToken).sid;
const deliveries = ({ clientId }: TestApplication) => listDeliveries(service.parts.database, clientId, 10);

/** A listening application whose session was signed out. */
async function signedOut(): Promise<TestApplication> {
  const application = await listening();
  const browser = await signedInBrowser(service, await service.createUser());
  await obtainTokens(service, application, browser);
  await signOut(browser);
  return application;
}

describe('signing out', () => {
  test('tells every application of the session, once, with a token as Back-Channel Logout §2.4 has it', async () => {
    const [application, silent, unused] = [await listening(), await listening(null), await listening()];
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const { idToken = '' } = await obtainTokens(service, application, browser);
    await obtainTokens(service, application, browser);
    await obtainTokens(service, silent, browser);
    await signOut(browser);
    expect(await deliverDue(service.parts, OFF_SLOT)).toBe(1);
    expect(await deliverDue(service.parts, OFF_SLOT)).toBe(0);

    expect(receiver.received.map(({ url, type }) => [url, type])).toEqual([
      ['/logout?own=1', 'application/x-www-form-urlencoded'],
    ]);
    const payload = await verified(receiver.received[0]?.token ?? '', application);
    const sid = sidOf({ idToken });
    expect(payload).toMatchObject({
      sub: user.userId,
      sid,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(payload).not.toHaveProperty('nonce');
    expect(payload.jti).toBeTruthy();
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120);
    expect(await deliveries(application)).toMatchObject([{ attempts: 1, lastFault: null }]);
    expect((await deliveries(application))[0]?.deliveredAt).toBeInstanceOf(Date);
    expect(await deliveries(unused)).toEqual([]);
  });
});

describe('whatever ends all sessions of an account', () => {
  const NEW = 'quite another password 7';
  const changePassword = async (browser: BrowserSession) => {
    const { hidden } = await browser.get('/account/password');
    return browser.post('/account/password', { ...hidden, current_password: PASSWORD, new_password: NEW });
  };
  const followMail = async (user: TestUser, path: string, fields = {}) => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(linkIn(await lastMailTo(service, user.email)));
    return browser.post(path, { ...hidden, ...fields });
  };
  const reset = async (user: TestUser) => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...hidden, email: user.email });
    return followMail(user, '/password/reset', { new_password: NEW });
  };
  const moderated = async ({ userId, email }: TestUser, action: string) =>
    (await signedInOperator(service)).act(accountPath(userId, action), { email });
  const deleteOwn = async ({ email }: TestUser, browser: BrowserSession) => {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    return browser.post('/account/delete', { csrf, email });
  };
  const setPassword = ({ email }: TestUser) =>
    sesameCommand(() => service.databaseUrl).json('users', 'set-password', email);

  test('tells the applications of each session, once', async () => {
    const ways: ((user: TestUser, browser: BrowserSession) => Promise<unknown>)[] = [
      (_, browser) => changePassword(browser),
      reset,
      setPassword,
      (user) => moderated(user, 'suspend'),
      (user) => moderated(user, 'end'),
      deleteOwn,
      (user) => moderated(user, 'delete'),
    ];
    for (const end of ways) {
      receiver.received.length = 0;
      const application = await listening();
      const user = await service.createUser();
      const browsers = [await signedInBrowser(service, user), await signedInBrowser(service, user)];
      const sids = [];
      for (const browser of browsers) sids.push(sidOf(await obtainTokens(service, application, browser)));
      await end(user, browsers[0] as BrowserSession);
      expect(await deliverDue(service.parts, OFF_SLOT)).toBe(2);
      const told = await Promise.all(receiver.received.map(({ token }) => verified(token, application)));
      expect(told.map(({ sid }) => sid).sort()).toEqual(sids.sort());
      expect(told.map(({ sub }) => sub)).toEqual([user.userId, user.userId]);
      expect(await deliverDue(service.parts, OFF_SLOT)).toBe(0);
    }
  });

  test('« this was not me » does so too, and what was told before is not told again', async () => {
    const application = await listening();
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const before = sidOf(await obtainTokens(service, application, browser));
    await changePassword(browser);
    expect(await deliverDue(service.parts, OFF_SLOT)).toBe(1);
    // The browser goes on, under a session that nobody was told the end of.
    const after = sidOf(await obtainTokens(service, application, browser));
    expect(after).not.toBe(before);
    receiver.received.length = 0;
    const { location } = await followMail(user, '/security/not-me');
    expect(location?.pathname).toBe('/security/not-me');
    expect(await deliverDue(service.parts, OFF_SLOT)).toBe(1);
    expect(await verified(receiver.received[0]?.token ?? '', application)).toMatchObject({ sid: after });
  });
});

describe('an application that does not answer well', () => {
  test('is told again, later and later, and given up after a day; its owner sees why', async () => {
    const application = await signedOut();
    receiver.status = 500;
    expect(await deliverDue(service.parts, OFF_SLOT)).toBe(1);
    expect((await deliveries(application))[0]).toMatchObject({
      attempts: 1,
      deliveredAt: null,
      lastFault: 'answered',
      lastDetail: '500',
    });
    for (const minutes of [1, 5, 15, 60, 180, 360, 720]) {
      service.clock.advance(minutes * 60 - 30); // the clock goes on by itself, too
      expect(await deliverDue(service.parts, OFF_SLOT)).toBe(0);
      service.clock.advance(31);
      expect(await deliverDue(service.parts, OFF_SLOT)).toBe(1);
    }
    expect((await deliveries(application))[0]).toMatchObject({ attempts: 8, nextAttemptAt: null });
    service.clock.advance(10 * 24 * 3600);
    expect(await deliverDue(service.parts, OFF_SLOT)).toBe(0);
    expect(receiver.received).toHaveLength(8);
  });

  test('a redirect is not followed; the second attempt arrives', async () => {
    const application = await signedOut();
    receiver.status = 302;
    await deliverDue(service.parts, OFF_SLOT);
    expect((await deliveries(application))[0]).toMatchObject({ lastFault: 'answered', lastDetail: '302' });
    receiver.status = 204;
    service.clock.advance(61);
    await deliverDue(service.parts, OFF_SLOT);
    expect((await deliveries(application))[0]).toMatchObject({
      attempts: 2,
      lastFault: null,
      lastDetail: null,
    });
  });

  test('suspended meanwhile: it is not called', async () => {
    const application = await signedOut();
    await (await signedInOperator(service)).act(applicationPath(application.clientId, 'suspend'));
    await deliverDue(service.parts, OFF_SLOT);
    expect(receiver.received).toEqual([]);
    expect((await deliveries(application))[0]).toMatchObject({ nextAttemptAt: null, deliveredAt: null });
  });

  test('and has many to hear does not keep the others waiting', async () => {
    const [busy, other] = [await listening(), await listening()];
    const { database } = service.parts;
    const flood = statement(
      'test_flood',
      `insert into logout_deliveries (client_id, user_id, sid, created_at, next_attempt_at)
      select $1, gen_random_uuid(), gen_random_uuid(), $2, $2 from generate_series(1, 25)`,
    );
    await database.query(flood, [busy.clientId, new Date(service.clock.now().getTime() - 60_000)]);
    const browser = await signedInBrowser(service, await service.createUser());
    await obtainTokens(service, other, browser);
    await signOut(browser);
    expect(await deliverDue(service.parts, OFF_SLOT)).toBe(10);
    expect((await deliveries(other))[0]?.deliveredAt).toBeInstanceOf(Date);
    expect([await deliverDue(service.parts, OFF_SLOT), await deliverDue(service.parts, OFF_SLOT)]).toEqual([
      10, 6,
    ]);
  });

  test('many processes share the work: each is told once', async () => {
    const application = await listening();
    for (let times = 0; times < 4; times++) {
      const browser = await signedInBrowser(service, await service.createUser());
      await obtainTokens(service, application, browser);
      await signOut(browser);
    }
    const tried = await Promise.all([
      deliverDue(service.parts, OFF_SLOT),
      deliverDue(service.parts, OFF_SLOT),
      deliverDue(service.parts, OFF_SLOT),
    ]);
    expect(tried.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(receiver.received).toHaveLength(4);
  });
});

test('its owner does not learn which names are known in the network around the service', async () => {
  const browser = await signedInBrowser(service, await service.createUser());
  const addresses = ['https://nobody.invalid/logout', 'https://10.0.0.1/logout'];
  const applications = await Promise.all(addresses.map((uri) => listening(uri)));
  for (const application of applications) await obtainTokens(service, application, browser);
  await signOut(browser);
  expect(await deliverDue(service.parts, OFF_SLOT)).toBe(2);
  for (const application of applications)
    expect(await deliveries(application)).toMatchObject([{ lastFault: 'not-public', lastDetail: null }]);
});

test('only public https is called; an administrator may allow networks', async () => {
  const production = { production: true, backchannelAllow: [] };
  for (const [url, words] of [
    ['http://client.example/logout', /not https/],
    ['https://localhost/logout', /public internet/],
    ['https://10.0.0.1/logout', /public internet/],
    ['https://nobody.invalid/logout', /name is not known/],
  ] as const)
    await expect(post(url, 'x=1', production, OFF_SLOT)).rejects.toThrow(words);
  const url = `http://127.0.0.1:${receiver.port}/x`;
  const backchannelAllow = ['127.0.0.0/8'];
  const send = (config: Parameters<typeof post>[2]) => post(url, 'x=1', config, OFF_SLOT);
  await expect(send({ production: true, backchannelAllow })).rejects.toThrow(/not https/);
  await expect(send({ production: false, backchannelAllow: [] })).rejects.toThrow(/public/);
  expect(await send({ production: false, backchannelAllow })).toBe(200);
});
