// Sends a refused request of each kind and checks the recorded diagnostics.
import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../../src/oauth/pkce.ts';
import type { DiagnosticKind } from '../../../src/oauth/refusal-reason.ts';
import { newApiSecret, newClientSecret } from '../../../src/oauth/secrets.ts';
import type { NewApi } from '../../../src/store/apis.ts';
import { statement } from '../../../src/store/statement.ts';
import { createApiWithSecret, grantServiceAccess, introspect, type TestApi } from '../../support/apis.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { readApiRefusals, readLastRefusal, readRefusals } from '../../support/diagnostics.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createVerifier,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
  signIn,
  submitDecision,
} from '../../support/oauth-flow.ts';
import { startTestService, type TestClient, type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let owner: TestUser;
let application: TestClient;
let otherClient: TestClient;
let publicClient: TestClient;
let parClient: TestClient;
let deviceClient: TestClient;
let api: NewApi;
let secondApi: NewApi;
let key: CryptoKey;
let introspectingApi: TestApi;
beforeAll(async () => {
  owner = await service.createUser();
  const fields = { ownerId: owner.userId, scopes: ['openid', 'profile', 'email'] };
  application = await service.createClient(fields);
  otherClient = await service.createClient(fields);
  publicClient = await service.createClient({ ...fields, type: 'public' });
  parClient = await service.createClient(fields);
  deviceClient = await service.createClient(fields);
  await updateClient(parClient, 'par_required = true');
  await updateClient(deviceClient, 'device_flow = true');
  api = await service.createApi();
  introspectingApi = await createApiWithSecret(service, { ownerId: owner.userId });
  secondApi = await service.createApi();
  await grantServiceAccess(service.services.database, api, deviceClient);
  const keyPair = await generateKeyPair('ES256');
  key = keyPair.privateKey;
  const jwks = JSON.stringify({ keys: [await exportJWK(keyPair.publicKey)] });
  await updateClient(application, `jwks = '${jwks}'`);
});

const SUSPEND_API = statement(
  'test_suspend_api',
  'update apis set suspended_at = created_at where api_id = $1',
);
const suspendApi = (apiId: string) => service.services.database.query(SUSPEND_API, [apiId]);

const updateClient = ({ clientId }: TestClient, change: string) => {
  const name = `test_set_${createHash('sha256').update(change).digest('hex').slice(0, 20)}`;
  const text = `update clients set ${change} where client_id = $1`;
  return service.services.database.query(statement(name, text), [clientId]);
};
const signInNewUser = async () => openSignedInBrowser(service, await service.createUser());
const openAuthorization = (parameters: Record<string, string | undefined>, app = application) =>
  openBrowserSession(service.baseUrl).get(buildAuthorizeUrl(service, app, parameters));
const buildUrlWithResources = (resources: string[]) => {
  const url = buildAuthorizeUrl(service, application, { scope: 'read' });
  for (const resource of resources) url.searchParams.append('resource', resource);
  return url;
};
const obtainCode = async (parameters: Record<string, string | undefined> = {}, app = application) =>
  (await authorize(service, app, await signInNewUser(), parameters)).searchParams.get('code') ?? '';
const buildPkce = (verifier: string) =>
  obtainCode({ code_challenge: computeCodeChallenge(verifier), code_challenge_method: 'S256' });
const issueTokens = async (parameters = {}, app = application) =>
  obtainTokens(service, app, await signInNewUser(), parameters);
const buildCredentials = (app = application) => ({
  client_id: app.clientId,
  client_secret: app.clientSecret || undefined,
});
const post = (
  path: string,
  fields: Record<string, string | undefined>,
  headers?: Record<string, string>,
): Promise<unknown> => postForm(service, `/oauth/${path}`, fields, headers);
const buildBasicAuth = (id: string, secret: string) => ({
  authorization: `Basic ${btoa(`${id}:${secret}`)}`,
});
const pollDeviceFlow = (deviceCode: string, app = deviceClient) =>
  post('token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
    ...buildCredentials(app),
  });
const startDeviceFlow = async () => {
  const { body } = await postForm(service, '/oauth/device_authorization', {
    scope: 'openid',
    ...buildCredentials(deviceClient),
  });
  return String(body.device_code);
};
const sendWrongSecret = (secret: string | undefined, app = application) =>
  redeemCode(service, app, 'x', { client_secret: secret });
const logout = (parameters: Record<string, string>) =>
  openBrowserSession(service.baseUrl).get(`/oauth/logout?${new URLSearchParams(parameters)}`);
const openConsentPage = async (app = application) => {
  const browser = await signInNewUser();
  return { browser, page: await browser.follow(await browser.get(buildAuthorizeUrl(service, app))) };
};
/** Starts a second service with the given settings and the same database for one request. */
async function sendToOtherProcess(environment: object, send: (url: URL) => Promise<unknown>): Promise<void> {
  const other = await startTestService({ ...environment }, { databaseUrl: service.databaseUrl });
  other.clock.advance(1 + (service.clock.now().getTime() - other.clock.now().getTime()) / 1000);
  const baseUrl = `http://127.0.0.1:${other.services.config.port}`;
  await send(buildAuthorizeUrl({ baseUrl }, application));
  await other.close();
}
/** @param times in seconds from now */
async function authenticateWithKey(
  times: { iat?: number; exp?: number },
  claims: JWTPayload = {},
): Promise<void> {
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
  const assertion = { client_assertion: signed, client_assertion_type: ASSERTION_TYPE };
  await post('token', { grant_type: 'x', client_id: clientId, ...assertion });
}
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Sends a request that is refused. Returns its client or API if that isn't `application`. */
type Trigger = () => Promise<TestClient | TestApi | unknown>;
type ReasonNotRecorded = string;
const NO_APPLICATION = 'the refused request concerns no client';
const NO_FAILURE = 'a pending device polls repeatedly, which is not an error';

const TRIGGERS: Record<DiagnosticKind, Trigger | ReasonNotRecorded> = {
  redirect_uri_unregistered: () => openAuthorization({ redirect_uri: 'https://client.example/elsewhere' }),
  client_unknown: 'a suspended client has the reason application_suspended',
  application_suspended: async () => {
    const suspended = await service.createClient();
    await updateClient(suspended, 'suspended_at = now()');
    await openAuthorization({}, suspended);
    return suspended;
  },
  request_object_unsupported: () => openAuthorization({ request: 'x.y.z' }),
  pushed_request_unknown: () => openAuthorization({ request_uri: 'urn:ietf:params:oauth:request_uri:x' }),
  pushed_request_expired: async () => {
    const { body } = await postForm(service, '/oauth/par', {
      ...buildCredentials(),
      ...Object.fromEntries(buildAuthorizeUrl(service, application).searchParams),
    });
    service.clock.advance(91);
    const { clientId } = application;
    const query = new URLSearchParams({ client_id: clientId, request_uri: String(body.request_uri) });
    await openBrowserSession(service.baseUrl).get(`/oauth/authorize?${query}`);
  },
  pushed_request_required: async () => {
    await openAuthorization({}, parClient);
    return parClient;
  },
  parameter_repeated: () =>
    openBrowserSession(service.baseUrl).get(`${buildAuthorizeUrl(service, application)}&state=again`),
  parameter_malformed: () =>
    openBrowserSession(service.baseUrl).get(`${buildAuthorizeUrl(service, application)}&nonce=%ff`),
  parameter_missing: () => post('token', { grant_type: 'authorization_code', ...buildCredentials() }),
  parameter_too_long: () => openAuthorization({ state: 'x'.repeat(5000) }),
  response_type: () => openAuthorization({ response_type: 'token' }),
  response_mode: () => openAuthorization({ response_mode: 'fragment' }),
  scope_unknown: () => openAuthorization({ scope: 'read' }),
  scopes_ignored: () => openAuthorization({ scope: 'openid roles' }),
  scope_not_registered: () => openAuthorization({ scope: 'openid phone' }),
  state_missing: () => openAuthorization({ state: undefined }),
  challenge_missing: async () => {
    await openAuthorization({}, publicClient);
    return publicClient;
  },
  challenge_method: () =>
    openAuthorization({ code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }),
  challenge_malformed: () => openAuthorization({ code_challenge: 'a', code_challenge_method: 'S256' }),
  prompt_conflict: () => openAuthorization({ prompt: 'none login' }),
  max_age: () => openAuthorization({ max_age: 'soon' }),
  claims_invalid: () => openAuthorization({ claims: '{"id_token":' }),
  acr_unmet: () => openAuthorization({ claims: '{"id_token":{"acr":{"essential":true,"values":["gold"]}}}' }),
  id_token_hint: () => openAuthorization({ id_token_hint: 'x.y.z' }),
  not_signed_in: () => openAuthorization({ prompt: 'none' }),
  signed_in_as_other_user: async () => {
    const { idToken = '' } = await issueTokens();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(
      await browser.get(buildAuthorizeUrl(service, application, { id_token_hint: idToken })),
    );
    await signIn(browser, await service.createUser(), page);
  },
  consent_needed: async () => {
    await (await signInNewUser()).get(buildAuthorizeUrl(service, application, { prompt: 'none' }));
  },
  user_denied: async () => {
    const { browser, page } = await openConsentPage();
    await submitDecision(browser, page, 'deny');
  },
  request_expired: async () => {
    const { browser, page } = await openConsentPage();
    service.clock.advance(3601);
    await submitDecision(browser, page, 'allow');
  },
  browser_mismatch: async () => {
    const { page } = await openConsentPage();
    await (await signInNewUser()).post('/consent', { ...page.hidden, decision: 'allow' });
  },
  request_unreadable: () =>
    fetch(`${service.baseUrl}/oauth/authorize?client_id=${application.clientId}&${'a=&'.repeat(201)}`),
  multiple_credentials: () =>
    post(
      'token',
      { grant_type: 'x', ...buildCredentials() },
      buildBasicAuth(application.clientId, application.clientSecret),
    ),
  client_metadata_invalid: NO_APPLICATION,
  client_id_mismatch: () =>
    post('token', { grant_type: 'x', client_id: application.clientId }, buildBasicAuth('app_1', 'x')),
  basic_header_invalid: () =>
    post('token', { grant_type: 'x', client_id: application.clientId }, { authorization: 'Basic x' }),
  assertion_type_unsupported: () =>
    post('token', {
      grant_type: 'x',
      client_id: application.clientId,
      client_assertion: 'x',
      client_assertion_type: 'x',
    }),
  assertion_invalid: () =>
    post('token', {
      grant_type: 'x',
      client_id: application.clientId,
      client_assertion: 'x',
      client_assertion_type: ASSERTION_TYPE,
    }),
  assertion_expired: () => authenticateWithKey({ exp: -400, iat: -460 }),
  assertion_not_yet_valid: () => authenticateWithKey({ iat: 120, exp: 180 }),
  assertion_audience_mismatch: () => authenticateWithKey({}, { aud: 'https://other.example' }),
  assertion_replayed: async () => {
    await authenticateWithKey({}, { jti: 'once' });
    await authenticateWithKey({}, { jti: 'once' });
  },
  secret_missing: () => sendWrongSecret(undefined),
  secret_not_expected: async () => {
    await sendWrongSecret('x', publicClient);
    return publicClient;
  },
  secret_expired: async () => {
    const expiredClient = await service.createClient();
    const expireSecrets = 'update secrets set expires_at = created_at where client_id = $1';
    await service.services.database.query(statement('test_expire', expireSecrets), [expiredClient.clientId]);
    await sendWrongSecret(expiredClient.clientSecret, expiredClient);
    return expiredClient;
  },
  secret_belongs_to_other_client: () => sendWrongSecret(otherClient.clientSecret),
  secret_has_whitespace: () => sendWrongSecret(`${application.clientSecret}\n`),
  secret_percent_encoded: () => sendWrongSecret(`${application.clientSecret}%0A`),
  secret_is_client_id: () => sendWrongSecret(application.clientId),
  secret_truncated: () => sendWrongSecret(application.clientSecret.slice(0, 40)),
  secret_checksum_invalid: () => sendWrongSecret(application.clientSecret.replace(/.$/, '~')),
  secret_prefix_invalid: () => sendWrongSecret('changeme'),
  secret_belongs_to_api: () => sendWrongSecret(newApiSecret()),
  secret_belongs_to_client: async () => {
    await introspect(service, introspectingApi, 'x', { client_secret: application.clientSecret });
    return introspectingApi;
  },
  api_endpoint_not_allowed: async () => {
    await post('token', {
      grant_type: 'x',
      client_id: introspectingApi.apiId,
      client_secret: introspectingApi.secret,
    });
    return introspectingApi;
  },
  api_suspended: async () => {
    const apiSecretHolder = await createApiWithSecret(service);
    await suspendApi(apiSecretHolder.apiId);
    await introspect(service, apiSecretHolder, 'x');
    return apiSecretHolder;
  },
  secret_unknown: () => sendWrongSecret(newClientSecret()),
  confidential_client_required: async () => {
    await post('introspect', { token: 'x', ...buildCredentials(publicClient) });
    return publicClient;
  },
  grant_type_unsupported: () => post('token', { grant_type: 'password', ...buildCredentials() }),
  client_credentials_disabled: () =>
    post('token', { grant_type: 'client_credentials', resource: api.identifier, ...buildCredentials() }),
  scope_beyond_api_grant: async () => {
    const request = { grant_type: 'client_credentials', resource: api.identifier, scope: 'write' };
    await post('token', { ...request, ...buildCredentials(deviceClient) });
    return deviceClient;
  },
  device_flow_disabled: () => post('device_authorization', { scope: 'openid', ...buildCredentials() }),
  device_authorization_pending: NO_FAILURE,
  device_polls_too_fast: NO_FAILURE,
  device_code_unknown: async () => {
    await pollDeviceFlow('x');
    return deviceClient;
  },
  device_code_expired: async () => {
    const pendingDevice = await startDeviceFlow();
    service.clock.advance(901);
    await pollDeviceFlow(pendingDevice);
    return deviceClient;
  },
  device_resource_unsupported: async () => {
    await post('device_authorization', {
      scope: 'openid',
      resource: api.identifier,
      ...buildCredentials(deviceClient),
    });
    return deviceClient;
  },
  verifier_malformed: async () => redeemCode(service, application, 'x', { code_verifier: 'x' }),
  verifier_missing: async () => redeemCode(service, application, await buildPkce(createVerifier())),
  verifier_not_expected: async () =>
    redeemCode(service, application, await obtainCode(), { code_verifier: createVerifier() }),
  verifier_is_challenge: async () => {
    const verifier = createVerifier();
    await redeemCode(service, application, await buildPkce(verifier), {
      code_verifier: computeCodeChallenge(verifier),
    });
  },
  verifier_mismatch: async () =>
    redeemCode(service, application, await buildPkce(createVerifier()), { code_verifier: createVerifier() }),
  redirect_uri_mismatch: async () =>
    redeemCode(service, application, await obtainCode(), { redirect_uri: 'http://client.example/callback' }),
  token_malformed: () => redeemCode(service, application, 'x'),
  token_altered: async () => redeemCode(service, application, (await obtainCode()).slice(0, -4)),
  token_kind_mismatch: async () => redeemCode(service, application, (await issueTokens()).refreshToken),
  code_expired: async () => {
    const lateCode = await obtainCode();
    service.clock.advance(61);
    await redeemCode(service, application, lateCode);
  },
  code_used: async () => {
    const usedCode = await obtainCode();
    await redeemCode(service, application, usedCode);
    await redeemCode(service, application, usedCode);
  },
  refresh_token_expired: async () => {
    const { refreshToken } = await issueTokens();
    service.clock.advance(30 * 86_400 + 1);
    await redeemRefreshToken(service, application, refreshToken);
  },
  refresh_token_used: async () => {
    const { refreshToken } = await issueTokens();
    await redeemRefreshToken(service, application, refreshToken);
    await redeemRefreshToken(service, application, refreshToken);
  },
  mfa_required: async () => {
    const { refreshToken } = await issueTokens();
    await updateClient(application, 'mfa_required = true');
    await redeemRefreshToken(service, application, refreshToken);
    await updateClient(application, 'mfa_required = false');
  },
  token_not_found: async () => {
    const { refreshToken } = await issueTokens();
    await sql(service.services.database, 'delete from grants where client_id = $1', [application.clientId]);
    await redeemRefreshToken(service, application, refreshToken);
  },
  access_ended: async () => {
    const { refreshToken } = await issueTokens();
    await updateClient(application, 'epoch = epoch + 1');
    await redeemRefreshToken(service, application, refreshToken);
  },
  resource_unknown: () => openAuthorization({ resource: 'https://elsewhere.example/' }),
  resource_not_open_to_client: async () =>
    openAuthorization({ resource: (await service.createApi({ allowedClients: 'own' })).identifier }),
  resource_blocks_client: async () => {
    const { apiId, identifier } = await service.createApi();
    const blockClient = 'insert into api_exclusions (api_id, client_id, excluded_at) values ($1, $2, now())';
    const blockValues = [apiId, application.clientId];
    await service.services.database.query(statement('test_exclude_here', blockClient), blockValues);
    await openAuthorization({ resource: identifier });
  },
  resource_suspended: async () => {
    const { apiId, identifier } = await service.createApi();
    await suspendApi(apiId);
    await openAuthorization({ resource: identifier });
  },
  scope_not_of_api: () => openAuthorization({ resource: api.identifier, scope: 'openid' }),
  resource_limit_exceeded: () =>
    openBrowserSession(service.baseUrl).get(
      buildUrlWithResources(Array.from({ length: 6 }, (_, place) => `https://api.example/${place}`)),
    ),
  resource_ambiguous: async () => {
    const parameters = buildUrlWithResources([api.identifier, secondApi.identifier]).searchParams;
    parameters.set('grant_type', 'client_credentials');
    parameters.set('client_id', deviceClient.clientId);
    parameters.set('client_secret', deviceClient.clientSecret);
    await fetch(new URL('/oauth/token', service.baseUrl), { method: 'POST', body: parameters });
    return deviceClient;
  },
  resource_beyond_grant: async () =>
    redeemRefreshToken(service, application, (await issueTokens()).refreshToken, {
      resource: api.identifier,
    }),
  scope_beyond_grant: async () =>
    redeemRefreshToken(service, application, (await issueTokens({ scope: 'openid' })).refreshToken, {
      scope: 'email',
    }),
  token_belongs_to_other_client: async () =>
    revokeToken(service, application, (await issueTokens({}, otherClient)).refreshToken),
  access_token_missing: NO_APPLICATION,
  multiple_access_tokens: async () => {
    const { accessToken } = await issueTokens();
    await post('userinfo', { access_token: accessToken }, { authorization: `Bearer ${accessToken}` });
  },
  access_token_in_form: async () => post('userinfo', { access_token: (await issueTokens()).accessToken }),
  access_token_expired: async () => {
    const { accessToken } = await issueTokens();
    service.clock.advance(3601);
    await fetchUserinfo(service, accessToken);
  },
  userinfo_scope_missing: async () =>
    fetchUserinfo(service, (await issueTokens({ scope: 'openid' })).accessToken),
  logout_hint: () => logout({ client_id: application.clientId, id_token_hint: 'x.y.z' }),
  logout_redirect_uri_unregistered: () =>
    logout({ client_id: application.clientId, post_logout_redirect_uri: 'https://client.example/bye' }),
  method: () => fetch(new URL(`/oauth/token?client_id=${application.clientId}`, service.baseUrl)),
  content_type: () =>
    fetch(new URL('/oauth/token', service.baseUrl), {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...buildBasicAuth(application.clientId, 'x') },
    }),
  body_too_large: () =>
    post(
      'token',
      { x: 'x'.repeat(2_000_000) },
      buildBasicAuth(application.clientId, application.clientSecret),
    ),
  rate_limited: () =>
    sendToOtherProcess({ RATE_LIMIT_PER_MINUTE: '1' }, async (url) => {
      for (let i = 0; i < 2; i += 1) await fetch(url, { redirect: 'manual' });
    }),
  https_required: () =>
    sendToOtherProcess({ NODE_ENV: 'production', BASE_URL: 'https://id.example' }, (url) => fetch(url)),
  request_incomplete: 'a sender that closes the connection receives no response',
  service_failed: 'an internal error, which no test request can cause',
  service_busy: 'an overload of the service is not a mistake by an application',
  not_found: NO_APPLICATION,
  page_form_invalid: async () => {
    const { browser, page } = await openConsentPage();
    await browser.post('/consent', { ...page.hidden, client_id: application.clientId, decision: 'maybe' });
  },
  sign_up_disabled: NO_APPLICATION,
};

const DETAILS: Partial<Record<DiagnosticKind, object>> = {
  redirect_uri_unregistered: {
    facts: { differences: [{ kind: 'path', sent: '/elsewhere', registered: '/callback' }] },
    ...{ authenticated: false, hasCredential: false, error: 'invalid_request', endpoint: 'authorize' },
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
  user_denied: { error: 'access_denied' },
  assertion_invalid: { authenticated: false },
  secret_missing: { authenticated: false, error: 'invalid_client' },
  secret_belongs_to_other_client: { authenticated: false, facts: { holder: 'Carnet' } },
  secret_expired: { authenticated: false, hasCredential: true, facts: { number: 1 } },
  secret_prefix_invalid: { authenticated: false, error: 'invalid_client' },
  grant_type_unsupported: { facts: { sent: 'password' } },
  verifier_malformed: { facts: { length: 1 }, authenticated: true, endpoint: 'token' },
  verifier_mismatch: { authenticated: true },
  redirect_uri_mismatch: {
    facts: { differences: [{ kind: 'scheme', sent: 'http://', registered: 'https://' }] },
  },
  token_malformed: { facts: { what: 'code' } },
  token_altered: { facts: { what: 'code' } },
  token_kind_mismatch: { facts: { sent: 'refresh_token', expected: 'code' } },
  refresh_token_expired: { authenticated: true },
  scope_beyond_grant: { facts: { scope: 'email' }, authenticated: true },
  token_belongs_to_other_client: { authenticated: true, endpoint: 'revoke' },
  access_token_expired: { error: 'invalid_token' },
  userinfo_scope_missing: { endpoint: 'userinfo' },
  method: { facts: { sent: 'GET' } },
  content_type: { facts: { sent: 'application/json' } },
  rate_limited: { error: 'rate_limited' },
};

/** More triggers, with the recorded details. */
const VARIANTS: [DiagnosticKind, Trigger, object?][] = [
  ['request_object_unsupported', () => post('par', { request_uri: 'urn:x', ...buildCredentials() })],
  ['secret_belongs_to_other_client', () => sendWrongSecret(introspectingApi.secret)],
  ['parameter_missing', () => openAuthorization({ scope: undefined }), { facts: { parameter: 'scope' } }],
  [
    'access_ended',
    async () => {
      const { accessToken, refreshToken } = await issueTokens();
      await revokeToken(service, application, refreshToken);
      await fetchUserinfo(service, accessToken);
    },
    { authenticated: false, hasCredential: true },
  ],
  [
    'redirect_uri_unregistered',
    () => post('par', { ...buildCredentials(), redirect_uri: 'https://client.example:8443/callback' }),
    {
      facts: { differences: [{ kind: 'port', sent: ':8443', registered: '' }] },
      ...{ authenticated: true, endpoint: 'par' },
    },
  ],
];

describe('a refused request', () => {
  const rows = Object.entries(TRIGGERS)
    .filter((row): row is [DiagnosticKind, Trigger] => typeof row[1] !== 'string')
    .map(([kind, provoke]): [DiagnosticKind, Trigger, object?] => [kind, provoke, DETAILS[kind] ?? {}])
    .concat(VARIANTS);
  test.each(rows)('is recorded with the reason %s', async (kind, trigger, details = {}) => {
    service.clock.advance(1);
    const before = service.clock.now();
    const response = await trigger();
    const recorded = isApi(response)
      ? await readApiRefusals(service, response)
      : await readRefusals(service, isApplication(response) ? response : application);
    const recent = recorded.filter(({ lastAt }) => lastAt >= before);
    expect(recent).toContainEqual(expect.objectContaining({ kind }));
    expect(recent.find((one) => one.kind === kind)).toMatchObject(details);
  });
});

const isApi = (value: unknown): value is TestApi =>
  typeof value === 'object' && value !== null && 'apiId' in value;
const isApplication = (value: unknown): value is TestClient =>
  typeof value === 'object' && value !== null && 'clientId' in value;

test('the diagnostics of a client do not include requests with invalid tokens', async () => {
  const [before, { accessToken }] = [await readRefusals(service, application), await issueTokens()];
  for (const token of [`${accessToken.slice(0, -4)}AAAA`, 'x']) await fetchUserinfo(service, token);
  expect(await readRefusals(service, application)).toEqual(before);
  const other = await service.createClient();
  await redeemCode(service, other, await buildPkce(createVerifier()), {
    redirect_uri: 'https://elsewhere.example/',
  });
  expect(await readRefusals(service, application)).toEqual(before);
  expect(await readLastRefusal(service, other)).toMatchObject({
    kind: 'token_belongs_to_other_client',
    facts: { what: 'code' },
  });
});

test('the diagnostics of a client do not include successful requests', async () => {
  const newClient = await service.createClient();
  const { accessToken, refreshToken } = await issueTokens({}, newClient);
  await fetchUserinfo(service, accessToken);
  await redeemRefreshToken(service, newClient, refreshToken);
  expect(await readRefusals(service, newClient)).toEqual([]);
});

test("a public client's refused request is recorded as unauthenticated", async () => {
  await redeemRefreshToken(service, publicClient, 'x');
  expect(await readLastRefusal(service, publicClient)).toMatchObject({ authenticated: false });
  const pkce = { code_challenge: computeCodeChallenge(createVerifier()), code_challenge_method: 'S256' };
  await redeemCode(service, publicClient, await obtainCode(pkce, publicClient), {
    code_verifier: createVerifier(),
  });
  const recorded = { kind: 'verifier_mismatch', authenticated: false, hasCredential: true };
  expect(await readLastRefusal(service, publicClient)).toMatchObject(recorded);
});
