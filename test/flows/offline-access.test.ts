// offline_access (D52): a word that libraries send and look for in the answer. It opens nothing: a refresh token comes anyway.
import { afterAll, expect, test } from 'vitest';
import { listConsents } from '../../src/store/consents.ts';
import { statement } from '../../src/store/statement.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  postForm,
  readJson,
  redeem,
  renew,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const ASKED = 'openid profile offline_access';
const service = await startTestService();
const application = await service.createApplication();
await service.parts.database.query(
  statement('test_devices', 'update clients set device_flow = true where client_id = $1'),
  [application.clientId],
);
const user = await service.createUser();
const browser = await signedInBrowser(service, user);
afterAll(() => service.close());

const own = () => ({ client_id: application.clientId, client_secret: application.clientSecret });
/** What oauthlib and requests-oauthlib do with an answer: they raise when a word that was asked for is gone. */
const droppedWords = (asked: string, body: Record<string, unknown>) =>
  asked.split(' ').filter((word) => !String(body.scope).split(' ').includes(word));
const payload = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
const introspect = async (token: unknown) =>
  (await postForm(service, '/oauth/introspect', { ...own(), token: String(token) })).body;

test('is named by discovery', async () => {
  const address = new URL('/.well-known/openid-configuration', service.baseUrl);
  const { body } = await readJson(await fetch(address));
  expect(body.scopes_supported).toContain('offline_access');
});

test('is echoed by the exchange, every renewal and introspection, and in the token itself', async () => {
  const callback = await authorize(service, application, browser, { scope: ASKED });
  const first = await redeem(service, application, callback.searchParams.get('code') ?? '');
  let refresh = String(first.body.refresh_token);
  for (const { body } of [first, await renew(service, application, refresh)]) {
    expect(body.scope).toBe(ASKED);
    expect(droppedWords(ASKED, body)).toEqual([]);
    expect(payload(body.access_token).scope).toBe(ASKED);
    expect((await introspect(body.access_token)).scope).toBe(ASKED);
    expect((await userinfo(service, String(body.access_token))).body.sub).toBe(user.userId);
    refresh = String(body.refresh_token);
  }
  expect((await introspect(refresh)).scope).toBe(ASKED);
  const narrowed = await renew(service, application, refresh, { scope: 'profile offline_access' });
  expect(narrowed.body.scope).toBe('profile offline_access');
  const again = await renew(service, application, String(narrowed.body.refresh_token));
  expect(again.body.scope).toBe(ASKED);
});

test('is echoed for a pushed request, and to a device', async () => {
  const address = authorizeAddress(service, application, { scope: ASKED });
  const fields = Object.fromEntries(address.searchParams);
  const { body } = await postForm(service, '/oauth/par', { ...fields, ...own() });
  const { clientId: client_id } = application;
  const brought = new URLSearchParams({ client_id, request_uri: String(body.request_uri) });
  const { location } = await browser.follow(await browser.get(`/oauth/authorize?${brought}`));
  const redeemed = await redeem(service, application, location?.searchParams.get('code') ?? '');
  expect(droppedWords(ASKED, redeemed.body)).toEqual([]);

  const asked = await postForm(service, '/oauth/device_authorization', { ...own(), scope: ASKED });
  const { hidden } = await browser.get('/device');
  const decision = await browser.follow(
    await browser.post('/device', { ...hidden, user_code: String(asked.body.user_code) }),
  );
  expect(decision.body).not.toContain('offline');
  await browser.post('/device/decision', { ...decision.hidden, decision: 'allow' });
  const tokens = await postForm(service, '/oauth/token', {
    ...own(),
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: String(asked.body.device_code),
  });
  expect(droppedWords(ASKED, tokens.body)).toEqual([]);
  const renewed = await renew(service, application, String(tokens.body.refresh_token));
  expect(droppedWords(ASKED, renewed.body)).toEqual([]);
});

test('is not asked about: no data on the consent page, and nobody who agreed before sees it again', async () => {
  const other = await service.createApplication();
  const person = await service.createUser();
  const session = await signedInBrowser(service, person);
  const page = await session.follow(await session.get(authorizeAddress(service, other, { scope: ASKED })));
  expect(page.status).toBe(200);
  expect(page.body).not.toContain('offline');
  await obtainTokens(service, other, session, { scope: 'openid profile' });
  const silent = { scope: ASKED, prompt: 'none' };
  const { location } = await session.get(authorizeAddress(service, other, silent));
  const { body } = await redeem(service, other, location?.searchParams.get('code') ?? '');
  expect(body.scope).toBe(ASKED);
  expect((await listConsents(service.parts.database, person.userId))[0]?.scopes).toEqual([
    'openid',
    'profile',
  ]);
});

test('D4: is not a scope by itself, and is not granted by a renewal to a grant that has it not', async () => {
  const { location } = await browser.get(authorizeAddress(service, application, { scope: 'offline_access' }));
  expect(location?.searchParams.get('error')).toBe('invalid_scope');
  const device = { ...own(), scope: 'offline_access' };
  expectError(await postForm(service, '/oauth/device_authorization', device), 400, 'invalid_scope');
  const { refreshToken } = await obtainTokens(service, application, browser, { scope: 'openid profile' });
  const alone = await renew(service, application, refreshToken, { scope: 'offline_access' });
  expectError(alone, 400, 'invalid_scope');
  const { body } = await renew(service, application, refreshToken, { scope: ASKED });
  expect(body.scope).toBe('openid profile');
});
