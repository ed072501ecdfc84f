// Resource indicators (RFC 8707): access tokens for other resource servers, which check them by the published keys alone.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorize,
  authorizeAddress,
  postForm,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { startTestService, type TestApplication, type TestService } from '../support/service.ts';

const API = 'https://api.example/v1';
const FILES = 'https://files.example/';
let service: TestService;
let application: TestApplication;
let browser: BrowserSession;
let resourceServer: Server;
let resourceAddress: string;
beforeAll(async () => {
  service = await startTestService();
  application = await service.createApplication();
  await service.parts.database.query(
    statement('test_resources', 'update clients set resources = $2 where client_id = $1'),
    [application.clientId, [API, FILES]],
  );
  browser = await signedInBrowser(service, await service.createUser());
  // All that it has of this service is the address of its keys.
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', service.baseUrl));
  resourceServer = createServer(async (request, response) => {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const checks = { issuer: service.baseUrl, audience: API, typ: 'at+jwt', algorithms: ['ES256'] };
    const verified = await jwtVerify(token, keys, checks).catch(() => undefined);
    response.writeHead(verified ? 200 : 401).end(verified?.payload.sub);
  });
  await new Promise<void>((resolve) => resourceServer.listen(0, '127.0.0.1', resolve));
  resourceAddress = `http://127.0.0.1:${(resourceServer.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  resourceServer.close();
  await service.close();
});

/** How somebody might spell the kind of a token besides the token itself. */
const SPELLINGS = [
  'for others: TOKEN',
  'for others:TOKEN',
  'TOKEN for others',
  'foreign TOKEN',
  '["TOKEN"]',
  '3:TOKEN',
  'TOKEN=',
];
const setStandard = (standard: boolean) =>
  service.parts.database.query(
    statement('test_standard', 'update clients set standard = $2 where client_id = $1'),
    [application.clientId, standard],
  );
const allowDevices = (clientId: string) =>
  service.parts.database.query(
    statement('test_devices', 'update clients set device_flow = true where client_id = $1'),
    [clientId],
  );
const codeFor = async (...resources: string[]) => {
  const address = authorizeAddress(service, application);
  for (const resource of resources) address.searchParams.append('resource', resource);
  const { location } = await browser.get(address);
  return location?.searchParams.get('code') ?? '';
};
const use = async (token: unknown) =>
  (await fetch(resourceAddress, { headers: { authorization: `Bearer ${token}` } })).status;
const text = (value: unknown) => String(value);

describe('a token for a resource server', () => {
  test('is accepted there by the published keys, and not for the profile here', async () => {
    await authorize(service, application, browser);
    const { body } = await redeem(service, application, await codeFor(API));
    expect(await use(body.access_token)).toBe(200);
    expect((await userinfo(service, text(body.access_token))).status).toBe(401);
    const plain = await redeem(service, application, await codeFor());
    expect(await use(plain.body.access_token)).toBe(401);
    expect((await userinfo(service, text(plain.body.access_token))).status).toBe(200);
  });

  test('D21, RFC 6750 §2.1: nothing before it or after it makes it one for the profile here, by header or form', async () => {
    await setStandard(true);
    const { body } = await redeem(service, application, await codeFor(API));
    for (const standard of [true, false]) {
      await setStandard(standard);
      for (const around of SPELLINGS) {
        const token = around.replace('TOKEN', text(body.access_token));
        expectError(await userinfo(service, token), 401, 'invalid_token');
        const byForm = await postForm(service, '/oauth/userinfo', { access_token: token });
        expectError(byForm, 401, 'invalid_token');
      }
    }
  });

  test('several at once, narrowed by the token request, and by each renewal (§2.2)', async () => {
    const { body } = await redeem(service, application, await codeFor(FILES, API), { resource: FILES });
    expect(await use(body.access_token)).toBe(401);
    const renewed = await renew(service, application, text(body.refresh_token), { resource: API });
    expect(await use(renewed.body.access_token)).toBe(200);
    const both = await renew(service, application, text(renewed.body.refresh_token));
    expect(await use(both.body.access_token)).toBe(200);
  });

  test('is known to introspection, and dies with its grant', async () => {
    const { body } = await redeem(service, application, await codeFor(API));
    const ask = async () =>
      (
        await postForm(service, '/oauth/introspect', {
          token: text(body.access_token),
          client_id: application.clientId,
          client_secret: application.clientSecret,
        })
      ).body;
    expect(await ask()).toMatchObject({ active: true, aud: API });
    expect((await revoke(service, application, text(body.access_token))).status).toBe(200);
    expect(await ask()).toEqual({ active: false });
    expectError(await renew(service, application, text(body.refresh_token)), 400, 'invalid_grant');
  });
});

test('a resource that is not the application’s any more: no renewal for it, and the grant lives on', async () => {
  const other = await service.createApplication();
  const register = (resources: string[]) =>
    service.parts.database.query(
      statement('test_resources', 'update clients set resources = $2 where client_id = $1'),
      [other.clientId, resources],
    );
  await register([API, FILES]);
  const callback = await authorize(service, other, browser, { resource: API });
  const { body } = await redeem(service, other, callback.searchParams.get('code') ?? '');
  await register([FILES]);
  const refused = await renew(service, other, String(body.refresh_token));
  expectError(refused, 400, 'invalid_grant');
  await register([API]);
  expect((await renew(service, other, String(body.refresh_token))).status).toBe(200);
});

describe('invalid_target', () => {
  test('an application that registered none: at the callback, for a pushed request, a device, a token', async () => {
    const plain = await service.createApplication();
    await authorize(service, plain, browser);
    const { clientId: client_id, clientSecret: client_secret } = plain;
    const address = authorizeAddress(service, plain);
    const code = (await browser.get(address)).location?.searchParams.get('code') ?? '';
    address.searchParams.append('resource', API);
    expect((await browser.get(address)).location?.searchParams.get('error')).toBe('invalid_target');
    const fields = Object.fromEntries(address.searchParams);
    expectError(await postForm(service, '/oauth/par', { ...fields, client_secret }), 400, 'invalid_target');
    expectError(await redeem(service, plain, code, { resource: API }), 400, 'invalid_target');
    const { body } = await redeem(service, plain, code);
    const refresh = text(body.refresh_token);
    expectError(await renew(service, plain, refresh, { resource: API }), 400, 'invalid_target');
    expect((await renew(service, plain, refresh)).status).toBe(200);
    await allowDevices(client_id);
    const ask = { client_id, client_secret, scope: 'openid' };
    const refused = await postForm(service, '/oauth/device_authorization', { ...ask, resource: API });
    expectError(refused, 400, 'invalid_target');
    const wrong = { ...ask, client_secret: 'wrong', resource: API };
    expectError(await postForm(service, '/oauth/device_authorization', wrong), 401, 'invalid_client');
  });

  test('§2.2: one that is registered, but that the authorization did not name, which named none', async () => {
    const code = await codeFor();
    expectError(await redeem(service, application, code, { resource: API }), 400, 'invalid_target');
    const { body } = await redeem(service, application, code);
    const refresh = text(body.refresh_token);
    expectError(await renew(service, application, refresh, { resource: API }), 400, 'invalid_target');
    expect((await renew(service, application, refresh)).status).toBe(200);
  });

  test('a device, which has no way to name one: neither when it asks nor when it is let in', async () => {
    const { clientId: client_id, clientSecret: client_secret } = application;
    await allowDevices(client_id);
    const ask = { client_id, client_secret, scope: 'openid' };
    const named = await postForm(service, '/oauth/device_authorization', { ...ask, resource: API });
    expectError(named, 400, 'invalid_target');
    const { body } = await postForm(service, '/oauth/device_authorization', ask);
    const poll = {
      client_id,
      client_secret,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: text(body.device_code),
    };
    expectError(await postForm(service, '/oauth/token', { ...poll, resource: API }), 400, 'invalid_target');
    expectError(await postForm(service, '/oauth/token', poll), 400, 'authorization_pending');
  });

  test('one that cannot be read, before or after one that can: nothing is given for the rest of them', async () => {
    const api = encodeURIComponent(API);
    for (const resources of [`resource=${api}&resource=%FF`, `resource=%FF&resource=${api}`]) {
      const { location } = await browser.get(`${authorizeAddress(service, application)}&${resources}`);
      expect(location?.searchParams.get('error')).toBe('invalid_request');
    }
  });

  test('a resource that was not registered: told at the callback', async () => {
    const address = authorizeAddress(service, application);
    address.searchParams.append('resource', 'https://other.example/');
    expect((await browser.get(address)).location?.searchParams.get('error')).toBe('invalid_target');
  });

  test('a resource that the authorization did not name: nothing is consumed', async () => {
    const code = await codeFor(API);
    expectError(await redeem(service, application, code, { resource: FILES }), 400, 'invalid_target');
    const { status, body } = await redeem(service, application, code, { resource: API });
    expect(status).toBe(200);
    const refused = await renew(service, application, text(body.refresh_token), { resource: FILES });
    expectError(refused, 400, 'invalid_target');
    expect((await renew(service, application, text(body.refresh_token))).status).toBe(200);
  });
});
