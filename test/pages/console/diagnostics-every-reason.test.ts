// Every reason for which the service can refuse: provoked over HTTP, found in the application's diagnostics, and worded in
// both languages. A kind without a row in the table does not compile; one without words does not either.
import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../../src/oauth/pkce.ts';
import type { NotedKind } from '../../../src/oauth/reason.ts';
import { newApiSecret, newClientSecret } from '../../../src/oauth/secrets.ts';
import type { NewApi } from '../../../src/store/apis.ts';
import { statement } from '../../../src/store/statement.ts';
import { apiWithSecret, grantServiceAccess, introspect, type TestApi } from '../../support/apis.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { lastRefusal, refusalsOf, refusalsOfApi } from '../../support/diagnostics.ts';
import {
  authorize,
  authorizeAddress,
  decide,
  newVerifier,
  obtainTokens,
  postForm,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  signIn,
  userinfo,
} from '../../support/flow.ts';
import { sql } from '../../support/populate.ts';
import {
  startTestService,
  type TestApplication,
  type TestUser,
  useTestService,
} from '../../support/service.ts';

const service = useTestService();
let owner: TestUser;
let application: TestApplication;
let sibling: TestApplication;
let open: TestApplication;
let pushing: TestApplication;
let device: TestApplication;
let api: NewApi;
let second: NewApi;
let key: CryptoKey;
let asking: TestApi;
beforeAll(async () => {
  owner = await service.createUser();
  const fields = { ownerId: owner.userId, scopes: ['openid', 'profile', 'email'] };
  application = await service.createApplication(fields);
  sibling = await service.createApplication(fields);
  open = await service.createApplication({ ...fields, type: 'public' });
  pushing = await service.createApplication(fields);
  device = await service.createApplication(fields);
  await set(pushing, 'par_required = true');
  await set(device, 'device_flow = true');
  api = await service.createApi();
  asking = await apiWithSecret(service, { ownerId: owner.userId });
  second = await service.createApi();
  await grantServiceAccess(service.parts.database, api, device);
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  const jwks = JSON.stringify({ keys: [await exportJWK(pair.publicKey)] });
  await set(application, `jwks = '${jwks}'`);
});

const SUSPEND = statement('test_suspend_api', 'update apis set suspended_at = created_at where api_id = $1');
const suspendApi = (apiId: string) => service.parts.database.query(SUSPEND, [apiId]);

const set = ({ clientId }: TestApplication, change: string) => {
  const name = `test_set_${createHash('sha256').update(change).digest('hex').slice(0, 20)}`;
  const text = `update clients set ${change} where client_id = $1`;
  return service.parts.database.query(statement(name, text), [clientId]);
};
const person = async () => signedInBrowser(service, await service.createUser());
const visit = (parameters: Record<string, string | undefined>, app = application) =>
  openBrowserSession(service.baseUrl).get(authorizeAddress(service, app, parameters));
/** The address of an authorization request that names APIs, and nothing of this service. */
const naming = (resources: string[]) => {
  const address = authorizeAddress(service, application, { scope: 'read' });
  for (const resource of resources) address.searchParams.append('resource', resource);
  return address;
};
const code = async (parameters: Record<string, string | undefined> = {}, app = application) =>
  (await authorize(service, app, await person(), parameters)).searchParams.get('code') ?? '';
const bound = (verifier: string) =>
  code({ code_challenge: challengeOf(verifier), code_challenge_method: 'S256' });
const tokens = async (parameters = {}, app = application) =>
  obtainTokens(service, app, await person(), parameters);
const own = (app = application) => ({
  client_id: app.clientId,
  client_secret: app.clientSecret || undefined,
});
const post = (
  path: string,
  fields: Record<string, string | undefined>,
  headers?: Record<string, string>,
): Promise<unknown> => postForm(service, `/oauth/${path}`, fields, headers);
const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const poll = (deviceCode: string, app = device) =>
  post('token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
    ...own(app),
  });
const newDevice = async () => {
  const { body } = await postForm(service, '/oauth/device_authorization', {
    scope: 'openid',
    ...own(device),
  });
  return String(body.device_code);
};
const wrongSecret = (secret: string | undefined, app = application) =>
  redeem(service, app, 'x', { client_secret: secret });
const logout = (parameters: Record<string, string>) =>
  openBrowserSession(service.baseUrl).get(`/oauth/logout?${new URLSearchParams(parameters)}`);
/** A consent page, and the browser that it was made for. */
const consentPage = async (app = application) => {
  const browser = await person();
  return { browser, page: await browser.follow(await browser.get(authorizeAddress(service, app))) };
};
/** Asks another process of the same service, with other settings. */
async function elsewhere(environment: object, send: (address: URL) => Promise<unknown>): Promise<void> {
  const other = await startTestService({ ...environment }, { databaseUrl: service.databaseUrl });
  other.clock.advance(1 + (service.clock.now().getTime() - other.clock.now().getTime()) / 1000);
  const baseUrl = `http://127.0.0.1:${other.parts.config.port}`;
  await send(authorizeAddress({ baseUrl }, application));
  await other.close();
}
/** Authenticates by a key; times are in seconds from now. */
async function attest(times: { iat?: number; exp?: number }, claims: JWTPayload = {}): Promise<void> {
  const now = Math.floor(service.clock.now().getTime() / 1000);
  const { clientId } = application;
  const { iat = 0, exp = 60 } = times;
  const signed = await new SignJWT({
    ...{ iss: clientId, sub: clientId, aud: service.baseUrl, jti: randomUUID() },
    ...{ iat: now + iat, exp: now + exp },
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(key);
  const assertion = { client_assertion: signed, client_assertion_type: JWT };
  await post('token', { grant_type: 'x', client_id: clientId, ...assertion });
}
const JWT = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** What provokes it, and the application or API that finds it in its diagnostics when it is not the first application. */
type Row = () => Promise<TestApplication | TestApi | unknown>;
/** Why nobody finds it there. */
type Unseen = string;
const NO_APPLICATION = 'it has to do with no application, or names none';
const NO_FAILURE = 'a device that waits is told so again and again: no failure';

const TABLE: Record<NotedKind, Row | Unseen> = {
  callback_unregistered: () => visit({ redirect_uri: 'https://client.example/elsewhere' }),
  application_unknown:
    'a row needs an application; of one that is suspended the reason is application_suspended',
  application_suspended: async () => {
    const suspended = await service.createApplication();
    await set(suspended, 'suspended_at = now()');
    await visit({}, suspended);
    return suspended;
  },
  request_object: () => visit({ request: 'x.y.z' }),
  pushed_request_unknown: () => visit({ request_uri: 'urn:ietf:params:oauth:request_uri:x' }),
  pushed_request_expired: async () => {
    const { body } = await postForm(service, '/oauth/par', {
      ...own(),
      ...Object.fromEntries(authorizeAddress(service, application).searchParams),
    });
    service.clock.advance(91);
    const { clientId } = application;
    const query = new URLSearchParams({ client_id: clientId, request_uri: String(body.request_uri) });
    await openBrowserSession(service.baseUrl).get(`/oauth/authorize?${query}`);
  },
  push_required: async () => {
    await visit({}, pushing);
    return pushing;
  },
  parameter_repeated: () =>
    openBrowserSession(service.baseUrl).get(`${authorizeAddress(service, application)}&state=again`),
  parameter_malformed: () =>
    openBrowserSession(service.baseUrl).get(`${authorizeAddress(service, application)}&nonce=%ff`),
  parameter_missing: () => post('token', { grant_type: 'authorization_code', ...own() }),
  parameter_too_long: () => visit({ state: 'x'.repeat(5000) }),
  response_type: () => visit({ response_type: 'token' }),
  response_mode: () => visit({ response_mode: 'fragment' }),
  scope_unknown: () => visit({ scope: 'read' }),
  scope_words_ignored: () => visit({ scope: 'openid roles' }),
  scope_not_registered: () => visit({ scope: 'openid phone' }),
  state_missing: () => visit({ state: undefined }),
  challenge_missing: async () => {
    await visit({}, open);
    return open;
  },
  challenge_method: () => visit({ code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }),
  challenge_malformed: () => visit({ code_challenge: 'a', code_challenge_method: 'S256' }),
  prompt_conflict: () => visit({ prompt: 'none login' }),
  max_age: () => visit({ max_age: 'soon' }),
  claims_unreadable: () => visit({ claims: '{"id_token":' }),
  acr_unmet: () => visit({ claims: '{"id_token":{"acr":{"essential":true,"values":["gold"]}}}' }),
  id_token_hint: () => visit({ id_token_hint: 'x.y.z' }),
  not_signed_in: () => visit({ prompt: 'none' }),
  signed_in_as_other: async () => {
    const { idToken = '' } = await tokens();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(
      await browser.get(authorizeAddress(service, application, { id_token_hint: idToken })),
    );
    await signIn(browser, await service.createUser(), page);
  },
  consent_needed: async () => {
    await (await person()).get(authorizeAddress(service, application, { prompt: 'none' }));
  },
  person_refused: async () => {
    const { browser, page } = await consentPage();
    await decide(browser, page, 'deny');
  },
  request_expired: async () => {
    const { browser, page } = await consentPage();
    service.clock.advance(3601);
    await decide(browser, page, 'allow');
  },
  request_of_other_browser: async () => {
    const { page } = await consentPage();
    await (await person()).post('/consent', { ...page.hidden, decision: 'allow' });
  },
  request_unreadable: () =>
    fetch(`${service.baseUrl}/oauth/authorize?client_id=${application.clientId}&${'a=&'.repeat(201)}`),
  credentials_twice: () =>
    post('token', { grant_type: 'x', ...own() }, basic(application.clientId, application.clientSecret)),
  agent_unreadable: NO_APPLICATION,
  client_ids_differ: () =>
    post('token', { grant_type: 'x', client_id: application.clientId }, basic('app_1', 'x')),
  basic_unreadable: () =>
    post('token', { grant_type: 'x', client_id: application.clientId }, { authorization: 'Basic x' }),
  assertion_type: () =>
    post('token', {
      grant_type: 'x',
      client_id: application.clientId,
      client_assertion: 'x',
      client_assertion_type: 'x',
    }),
  assertion_refused: () =>
    post('token', {
      grant_type: 'x',
      client_id: application.clientId,
      client_assertion: 'x',
      client_assertion_type: JWT,
    }),
  assertion_expired: () => attest({ exp: -400, iat: -460 }),
  assertion_early: () => attest({ iat: 120, exp: 180 }),
  assertion_audience: () => attest({}, { aud: 'https://other.example' }),
  assertion_used: async () => {
    await attest({}, { jti: 'once' });
    await attest({}, { jti: 'once' });
  },
  secret_missing: () => wrongSecret(undefined),
  secret_not_expected: async () => {
    await wrongSecret('x', open);
    return open;
  },
  secret_expired: async () => {
    const old = await service.createApplication();
    const expire = 'update secrets set expires_at = created_at where client_id = $1';
    await service.parts.database.query(statement('test_expire', expire), [old.clientId]);
    await wrongSecret(old.clientSecret, old);
    return old;
  },
  secret_of_other: () => wrongSecret(sibling.clientSecret),
  secret_white_space: () => wrongSecret(`${application.clientSecret}\n`),
  secret_encoded: () => wrongSecret(`${application.clientSecret}%0A`),
  secret_is_client_id: () => wrongSecret(application.clientId),
  secret_shortened: () => wrongSecret(application.clientSecret.slice(0, 40)),
  secret_altered: () => wrongSecret(application.clientSecret.replace(/.$/, '~')),
  secret_not_ours: () => wrongSecret('changeme'),
  secret_of_api: () => wrongSecret(newApiSecret()),
  secret_of_application: async () => {
    await introspect(service, asking, 'x', { client_secret: application.clientSecret });
    return asking;
  },
  api_elsewhere: async () => {
    await post('token', { grant_type: 'x', client_id: asking.apiId, client_secret: asking.secret });
    return asking;
  },
  api_suspended: async () => {
    const held = await apiWithSecret(service);
    await suspendApi(held.apiId);
    await introspect(service, held, 'x');
    return held;
  },
  secret_unknown: () => wrongSecret(newClientSecret()),
  confidential_only: async () => {
    await post('introspect', { token: 'x', ...own(open) });
    return open;
  },
  grant_type_unsupported: () => post('token', { grant_type: 'password', ...own() }),
  service_off: () => post('token', { grant_type: 'client_credentials', resource: api.identifier, ...own() }),
  scope_beyond_service: async () => {
    const asked = { grant_type: 'client_credentials', resource: api.identifier, scope: 'write' };
    await post('token', { ...asked, ...own(device) });
    return device;
  },
  device_off: () => post('device_authorization', { scope: 'openid', ...own() }),
  device_waiting: NO_FAILURE,
  device_too_fast: NO_FAILURE,
  device_code_unknown: async () => {
    await poll('x');
    return device;
  },
  device_code_expired: async () => {
    const waiting = await newDevice();
    service.clock.advance(901);
    await poll(waiting);
    return device;
  },
  resource_of_device: async () => {
    await post('device_authorization', { scope: 'openid', resource: api.identifier, ...own(device) });
    return device;
  },
  verifier_malformed: async () => redeem(service, application, 'x', { code_verifier: 'x' }),
  verifier_missing: async () => redeem(service, application, await bound(newVerifier())),
  verifier_not_expected: async () =>
    redeem(service, application, await code(), { code_verifier: newVerifier() }),
  verifier_is_challenge: async () => {
    const verifier = newVerifier();
    await redeem(service, application, await bound(verifier), { code_verifier: challengeOf(verifier) });
  },
  verifier_mismatch: async () =>
    redeem(service, application, await bound(newVerifier()), { code_verifier: newVerifier() }),
  exchange_callback: async () =>
    redeem(service, application, await code(), { redirect_uri: 'http://client.example/callback' }),
  token_unreadable: () => redeem(service, application, 'x'),
  token_altered: async () => redeem(service, application, (await code()).slice(0, -4)),
  token_mixed_up: async () => redeem(service, application, (await tokens()).refreshToken),
  code_expired: async () => {
    const late = await code();
    service.clock.advance(61);
    await redeem(service, application, late);
  },
  code_used: async () => {
    const used = await code();
    await redeem(service, application, used);
    await redeem(service, application, used);
  },
  refresh_token_expired: async () => {
    const { refreshToken } = await tokens();
    service.clock.advance(30 * 86_400 + 1);
    await renew(service, application, refreshToken);
  },
  refresh_token_used: async () => {
    const { refreshToken } = await tokens();
    await renew(service, application, refreshToken);
    await renew(service, application, refreshToken);
  },
  second_factor_demanded: async () => {
    const { refreshToken } = await tokens();
    await set(application, 'second_factor_required = true');
    await renew(service, application, refreshToken);
    await set(application, 'second_factor_required = false');
  },
  token_gone: async () => {
    const { refreshToken } = await tokens();
    await sql(service.parts.database, 'delete from grants where client_id = $1', [application.clientId]);
    await renew(service, application, refreshToken);
  },
  access_ended: async () => {
    const { refreshToken } = await tokens();
    await set(application, 'epoch = epoch + 1');
    await renew(service, application, refreshToken);
  },
  resource_unknown: () => visit({ resource: 'https://elsewhere.example/' }),
  resource_closed: async () => visit({ resource: (await service.createApi({ admits: 'own' })).identifier }),
  resource_excluded: async () => {
    const { apiId, identifier } = await service.createApi();
    const exclude = 'insert into api_exclusions (api_id, client_id, excluded_at) values ($1, $2, now())';
    const values = [apiId, application.clientId];
    await service.parts.database.query(statement('test_exclude_here', exclude), values);
    await visit({ resource: identifier });
  },
  resource_suspended: async () => {
    const { apiId, identifier } = await service.createApi();
    await suspendApi(apiId);
    await visit({ resource: identifier });
  },
  scope_not_of_api: () => visit({ resource: api.identifier, scope: 'openid' }),
  resource_many: () =>
    openBrowserSession(service.baseUrl).get(
      naming(Array.from({ length: 6 }, (_, place) => `https://api.example/${place}`)),
    ),
  resource_ambiguous: async () => {
    const form = naming([api.identifier, second.identifier]).searchParams;
    form.set('grant_type', 'client_credentials');
    form.set('client_id', device.clientId);
    form.set('client_secret', device.clientSecret);
    await fetch(new URL('/oauth/token', service.baseUrl), { method: 'POST', body: form });
    return device;
  },
  resource_beyond_grant: async () =>
    renew(service, application, (await tokens()).refreshToken, { resource: api.identifier }),
  scope_beyond_grant: async () =>
    renew(service, application, (await tokens({ scope: 'openid' })).refreshToken, { scope: 'email' }),
  token_of_other: async () => revoke(service, application, (await tokens({}, sibling)).refreshToken),
  access_token_missing: NO_APPLICATION,
  access_token_sent_twice: async () => {
    const { accessToken } = await tokens();
    await post('userinfo', { access_token: accessToken }, { authorization: `Bearer ${accessToken}` });
  },
  access_token_in_form: async () => post('userinfo', { access_token: (await tokens()).accessToken }),
  access_token_expired: async () => {
    const { accessToken } = await tokens();
    service.clock.advance(3601);
    await userinfo(service, accessToken);
  },
  profile_scope_missing: async () => userinfo(service, (await tokens({ scope: 'openid' })).accessToken),
  logout_hint: () => logout({ client_id: application.clientId, id_token_hint: 'x.y.z' }),
  logout_address: () =>
    logout({ client_id: application.clientId, post_logout_redirect_uri: 'https://client.example/bye' }),
  method: () => fetch(new URL(`/oauth/token?client_id=${application.clientId}`, service.baseUrl)),
  content_type: () =>
    fetch(new URL('/oauth/token', service.baseUrl), {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...basic(application.clientId, 'x') },
    }),
  body_too_large: () =>
    post('token', { x: 'x'.repeat(2_000_000) }, basic(application.clientId, application.clientSecret)),
  rate_limited: () =>
    elsewhere({ RATE_LIMIT_PER_MINUTE: '1' }, async (address) => {
      for (let i = 0; i < 2; i += 1) await fetch(address, { redirect: 'manual' });
    }),
  https_required: () =>
    elsewhere({ NODE_ENV: 'production', BASE_URL: 'https://id.example' }, (address) => fetch(address)),
  request_incomplete: 'a peer that hangs up has no answer to look for',
  service_failed: 'our own fault; nothing that a test may send brings it about',
  service_busy: 'a full house is no fault of an application',
  not_found: NO_APPLICATION,
  page_form: async () => {
    const { browser, page } = await consentPage();
    await browser.post('/consent', { ...page.hidden, client_id: application.clientId, decision: 'maybe' });
  },
  sign_up_closed: NO_APPLICATION,
};

/** What is kept beside the kind of a reason. */
const DETAILS: Partial<Record<NotedKind, object>> = {
  callback_unregistered: {
    facts: { differences: [{ kind: 'path', sent: '/elsewhere', registered: '/callback' }] },
    ...{ authenticated: false, held: false, error: 'invalid_request', endpoint: 'authorize' },
  },
  parameter_repeated: { facts: { parameter: 'state' } },
  parameter_missing: { facts: { parameter: 'code' }, endpoint: 'token' },
  parameter_too_long: { facts: { parameter: 'state' }, authenticated: false, endpoint: 'authorize' },
  response_type: { facts: { sent: 'token' } },
  response_mode: { facts: { sent: 'fragment' } },
  scope_unknown: { facts: { sent: 'read' } },
  scope_not_registered: { facts: { scope: 'phone' } },
  challenge_method: { facts: { sent: 'plain' } },
  challenge_malformed: { facts: { length: 1 } },
  consent_needed: { error: 'consent_required' },
  person_refused: { error: 'access_denied' },
  assertion_refused: { authenticated: false },
  secret_missing: { authenticated: false, error: 'invalid_client' },
  secret_of_other: { authenticated: false, facts: { holder: 'Carnet' } },
  secret_expired: { authenticated: false, held: true, facts: { number: 1 } },
  secret_not_ours: { authenticated: false, error: 'invalid_client' },
  grant_type_unsupported: { facts: { sent: 'password' } },
  verifier_malformed: { facts: { length: 1 }, authenticated: true, endpoint: 'token' },
  verifier_mismatch: { authenticated: true },
  exchange_callback: {
    facts: { differences: [{ kind: 'scheme', sent: 'http://', registered: 'https://' }] },
  },
  token_unreadable: { facts: { what: 'code' } },
  token_altered: { facts: { what: 'code' } },
  token_mixed_up: { facts: { sent: 'refresh_token', expected: 'code' } },
  refresh_token_expired: { authenticated: true },
  scope_beyond_grant: { facts: { scope: 'email' }, authenticated: true },
  token_of_other: { authenticated: true, endpoint: 'revoke' },
  access_token_expired: { error: 'invalid_token' },
  profile_scope_missing: { endpoint: 'userinfo' },
  method: { facts: { sent: 'GET' } },
  content_type: { facts: { sent: 'application/json' } },
  rate_limited: { error: 'rate_limited' },
};

/** Further ways to provoke a reason, and what is kept of them. */
const VARIANTS: [NotedKind, Row, object?][] = [
  ['request_object', () => post('par', { request_uri: 'urn:x', ...own() })],
  ['secret_of_other', () => wrongSecret(asking.secret)],
  ['parameter_missing', () => visit({ scope: undefined }), { facts: { parameter: 'scope' } }],
  [
    'access_ended',
    async () => {
      const { accessToken, refreshToken } = await tokens();
      await revoke(service, application, refreshToken);
      await userinfo(service, accessToken);
    },
    { authenticated: false, held: true },
  ],
  [
    'callback_unregistered',
    () => post('par', { ...own(), redirect_uri: 'https://client.example:8443/callback' }),
    {
      facts: { differences: [{ kind: 'port', sent: ':8443', registered: '' }] },
      ...{ authenticated: true, endpoint: 'par' },
    },
  ],
];

describe('found where it happened', () => {
  const rows = Object.entries(TABLE)
    .filter((row): row is [NotedKind, Row] => typeof row[1] !== 'string')
    .map(([kind, provoke]): [NotedKind, Row, object?] => [kind, provoke, DETAILS[kind] ?? {}])
    .concat(VARIANTS);
  test.each(rows)('%s', async (kind, provoke, details = {}) => {
    service.clock.advance(1);
    const before = service.clock.now();
    const answer = await provoke();
    const kept = isApi(answer)
      ? await refusalsOfApi(service, answer)
      : await refusalsOf(service, isApplication(answer) ? answer : application);
    const recent = kept.filter(({ lastAt }) => lastAt >= before);
    expect(recent).toContainEqual(expect.objectContaining({ kind }));
    expect(recent.find((one) => one.kind === kind)).toMatchObject(details);
  });
});

const isApi = (value: unknown): value is TestApi =>
  typeof value === 'object' && value !== null && 'apiId' in value;
const isApplication = (value: unknown): value is TestApplication =>
  typeof value === 'object' && value !== null && 'clientId' in value;

test('an unsigned token leaves nothing; a code of another application says nothing about its request', async () => {
  const [before, { accessToken }] = [await refusalsOf(service, application), await tokens()];
  for (const token of [`${accessToken.slice(0, -4)}AAAA`, 'x']) await userinfo(service, token);
  expect(await refusalsOf(service, application)).toEqual(before);
  const other = await service.createApplication();
  await redeem(service, other, await bound(newVerifier()), { redirect_uri: 'https://elsewhere.example/' });
  expect(await refusalsOf(service, application)).toEqual(before);
  expect(await lastRefusal(service, other)).toMatchObject({
    kind: 'token_of_other',
    facts: { what: 'code' },
  });
});

test('a request that succeeds leaves nothing', async () => {
  const fresh = await service.createApplication();
  const { accessToken, refreshToken } = await tokens({}, fresh);
  await userinfo(service, accessToken);
  await renew(service, fresh, refreshToken);
  expect(await refusalsOf(service, fresh)).toEqual([]);
});

test('of a public application, the grant alone tells it from anybody', async () => {
  await renew(service, open, 'x');
  expect(await lastRefusal(service, open)).toMatchObject({ authenticated: false });
  const pkce = { code_challenge: challengeOf(newVerifier()), code_challenge_method: 'S256' };
  await redeem(service, open, await code(pkce, open), { code_verifier: newVerifier() });
  const kept = { kind: 'verifier_mismatch', authenticated: false, held: true };
  expect(await lastRefusal(service, open)).toMatchObject(kept);
});
