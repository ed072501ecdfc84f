// GET /.well-known/openid-configuration: every member is checked against what the service does (Discovery §3).
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  postForm,
  readJson,
  redeem,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { httpRequest } from '../support/http-request.ts';
import { obtainCode, obtainCodeWithPkce } from '../support/obtain-code.ts';
import { startTestService } from '../support/service.ts';

const PATH = '/.well-known/openid-configuration';
const service = await startTestService();
const application = await service.createApplication();
const browser = await signedInBrowser(service, await service.createUser({ phone: '+33612345678' }));
const document = (await readJson(await fetch(new URL(PATH, service.baseUrl)))).body;
afterAll(() => service.close());

const list = (member: string) => document[member] as string[];
const ask = (parameters: Record<string, string | undefined>, person = browser) =>
  person.get(authorizeAddress(service, application, parameters));
const refusal = async (parameters: Record<string, string | undefined>) =>
  (await ask(parameters)).location?.searchParams.get('error');

describe('the document', () => {
  test('names what a sign-in can be, from one factor to a passkey that stays on its device (D41)', () => {
    expect(list('acr_values_supported')).toEqual(['1', '2', 'phr', 'phrh']);
  });

  test('has these members and no other', () => {
    expect(Object.keys(document).sort()).toEqual([
      'acr_values_supported',
      'authorization_endpoint',
      'authorization_response_iss_parameter_supported',
      'backchannel_logout_session_supported',
      'backchannel_logout_supported',
      'claims_parameter_supported',
      'claims_supported',
      'code_challenge_methods_supported',
      'device_authorization_endpoint',
      'display_values_supported',
      'end_session_endpoint',
      'grant_types_supported',
      'id_token_signing_alg_values_supported',
      'introspection_endpoint',
      'introspection_endpoint_auth_methods_supported',
      'introspection_endpoint_auth_signing_alg_values_supported',
      'issuer',
      'jwks_uri',
      'prompt_values_supported',
      'pushed_authorization_request_endpoint',
      'request_object_signing_alg_values_supported',
      'request_parameter_supported',
      'request_uri_parameter_supported',
      'require_pushed_authorization_requests',
      'response_modes_supported',
      'response_types_supported',
      'revocation_endpoint',
      'revocation_endpoint_auth_methods_supported',
      'revocation_endpoint_auth_signing_alg_values_supported',
      'scopes_supported',
      'subject_types_supported',
      'token_endpoint',
      'token_endpoint_auth_methods_supported',
      'token_endpoint_auth_signing_alg_values_supported',
      'ui_locales_supported',
      'userinfo_endpoint',
    ]);
  });

  test('RFC 8414 §3: the same document is at /.well-known/oauth-authorization-server, for HEAD too', async () => {
    const address = new URL('/.well-known/oauth-authorization-server', service.baseUrl);
    const { status, headers, body } = await readJson(await fetch(address));
    expect([status, body]).toEqual([200, document]);
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    expect((await fetch(address, { method: 'HEAD' })).status).toBe(200);
  });

  test('is JSON that may be cached', async () => {
    const response = await fetch(new URL(PATH, service.baseUrl));
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
  });

  test('D27: issuer and addresses are BASE_URL, whatever Host and X-Forwarded-Host say', async () => {
    expect(document.issuer).toBe(service.baseUrl);
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    };
    const answer = await httpRequest(service.parts.config.port, PATH, { headers });
    expect(JSON.parse(answer.text)).toEqual(document);
    for (const [member, value] of Object.entries(document))
      if (/_(endpoint|uri)$/.test(member)) expect(String(value).startsWith(`${service.baseUrl}/`)).toBe(true);
  });
});

describe('every member is true', () => {
  test('the endpoints are there', async () => {
    const statuses: Record<string, number> = {};
    for (const member of ['authorization', 'token', 'userinfo', 'revocation'])
      statuses[member] = (await fetch(String(document[`${member}_endpoint`]), { method: 'POST' })).status;
    expect(statuses).toEqual({ authorization: 400, token: 400, userinfo: 401, revocation: 400 });
    const { body } = await readJson(await fetch(String(document.jwks_uri)));
    const algorithms = (body.keys as { alg: string }[]).map(({ alg }) => alg);
    expect(algorithms).toEqual(expect.arrayContaining(list('id_token_signing_alg_values_supported')));
  });

  test('scopes_supported: each is granted, alone but for offline_access (D52); another is not', async () => {
    expect(list('scopes_supported')).toEqual(['openid', 'profile', 'email', 'phone', 'offline_access']);
    for (const name of list('scopes_supported')) {
      const scope = name === 'offline_access' ? `openid ${name}` : name;
      const code = await obtainCode(service, application, browser, { scope });
      expect((await redeem(service, application, code)).body.scope).toBe(scope);
    }
    expect(await refusal({ scope: 'address' })).toBe('invalid_scope');
  });

  test('response_types_supported and response_modes_supported: code by query or form, nothing else', async () => {
    expect(list('response_types_supported')).toEqual(['code']);
    expect(list('response_modes_supported')).toEqual(['query', 'form_post']);
    const callback = await authorize(service, application, browser, { response_mode: 'query' });
    expect(callback.searchParams.get('code')).toBeTruthy();
    for (const response_type of ['token', 'id_token', 'code id_token'])
      expect(await refusal({ response_type })).toBe('unsupported_response_type');
    expect(await refusal({ response_mode: 'fragment' })).toBe('invalid_request');
  });

  test('grant_types_supported: each gets as far as its own refusal', async () => {
    expect(list('grant_types_supported')).toEqual([
      'authorization_code',
      'refresh_token',
      'client_credentials', // test/grants/client-credentials.test.ts
      'urn:ietf:params:oauth:grant-type:device_code', // test/grants/device-code.test.ts
    ]);
    for (const grant_type of ['authorization_code', 'refresh_token']) {
      const fields = { grant_type, refresh_token: 'nonsense' };
      expectError(await redeem(service, application, 'nonsense', fields), 400, 'invalid_grant');
    }
  });

  test('…_auth_methods_supported: post, Basic and none, at both endpoints', async () => {
    // private_key_jwt: test/grants/credentials-private-key-jwt.test.ts
    const methods = ['client_secret_post', 'client_secret_basic', 'private_key_jwt', 'none'];
    expect(list('token_endpoint_auth_methods_supported')).toEqual(methods);
    expect(list('revocation_endpoint_auth_methods_supported')).toEqual(methods);
    const open = await service.createApplication({ type: 'public' });
    const basic = Buffer.from(`${application.clientId}:${application.clientSecret}`).toString('base64');
    for (const [path, form, passed] of [
      ['/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
      ['/oauth/token/revoke', { token: 'x' }, undefined],
    ] as const) {
      const { clientId: client_id, clientSecret: client_secret } = application;
      const answers = [
        await postForm(service, path, { ...form, client_id, client_secret }),
        await postForm(service, path, form, { authorization: `Basic ${basic}` }),
        await postForm(service, path, { ...form, client_id: open.clientId }),
      ];
      expect(answers.map(({ body }) => body.error)).toEqual([passed, passed, passed]);
    }
  });

  test('code_challenge_methods_supported: S256 only', async () => {
    expect(list('code_challenge_methods_supported')).toEqual(['S256']);
    const { code, verifier } = await obtainCodeWithPkce(service, application, browser);
    expect((await redeem(service, application, code, { code_verifier: verifier })).status).toBe(200);
    const code_challenge = 'a'.repeat(43);
    expect(await refusal({ code_challenge, code_challenge_method: 'plain' })).toBe('invalid_request');
  });

  test('prompt_values_supported: each does what its name says', async () => {
    expect(list('prompt_values_supported')).toEqual(['none', 'login', 'consent', 'select_account']);
    await authorize(service, application, browser);
    const stranger = openBrowserSession(service.baseUrl);
    const silent = await ask({ prompt: 'none' }, stranger);
    expect(silent.location?.searchParams.get('error')).toBe('login_required');
    expect((await ask({ prompt: 'none' })).location?.searchParams.get('code')).toBeTruthy();
    expect((await ask({ prompt: 'login' })).location?.pathname).toBe('/signin');
    expect((await ask({ prompt: 'consent' })).location?.pathname).toBe('/consent');
    expect((await ask({ prompt: 'select_account' })).location?.pathname).toBe('/accounts');
  });

  test('claims_supported: exactly what id_tokens and userinfo can contain, in both modes', async () => {
    const standard = await service.createApplication({ standard: true });
    const seen = new Set<string>();
    for (const app of [application, standard]) {
      const parameters = { scope: 'openid profile email phone', nonce: 'n' };
      const { idToken, accessToken } = await obtainTokens(service, app, browser, parameters);
      const { body } = await userinfo(service, accessToken);
      const claims = decodeJwt(idToken ?? '');
      for (const name of [...Object.keys(claims), ...Object.keys(body)]) seen.add(name);
      // In standard mode the id_token says all that userinfo says (D57).
      if (app === standard) expect(claims).toMatchObject(body);
    }
    expect([...new Set(list('claims_supported'))].sort()).toEqual([...seen].sort());
    expect(new Set(list('claims_supported')).size).toBe(list('claims_supported').length);
  });

  test('subject_types_supported: public, the same sub for every application', async () => {
    expect(list('subject_types_supported')).toEqual(['public']);
    const other = await service.createApplication();
    const subjects = [application, other].map(async (app) =>
      decodeJwt((await obtainTokens(service, app, browser)).idToken ?? ''),
    );
    const [one, two] = await Promise.all(subjects);
    expect(one?.sub).toBe(two?.sub);
  });

  test('ui_locales_supported: each gives its page', async () => {
    expect(list('ui_locales_supported')).toEqual(['fr', 'en']);
    for (const ui_locales of list('ui_locales_supported')) {
      const stranger = openBrowserSession(service.baseUrl);
      const page = await stranger.follow(await ask({ ui_locales }, stranger));
      expect(page.body).toContain(`<html lang="${ui_locales}"`);
    }
  });

  test('RFC 9207: authorization_response_iss_parameter_supported, on success and on errors', async () => {
    expect(document.authorization_response_iss_parameter_supported).toBe(true);
    const callback = await authorize(service, application, browser);
    expect(callback.searchParams.get('iss')).toBe(document.issuer);
    const refused = await ask({ scope: 'address' });
    expect(refused.location?.searchParams.get('iss')).toBe(document.issuer);
  });

  test('request objects are not supported; claims gives nothing beyond the scopes', async () => {
    expect(document.request_parameter_supported).toBe(false);
    expect(document.request_uri_parameter_supported).toBe(false);
    expect(document.request_object_signing_alg_values_supported).toEqual([]);
    expect(document.claims_parameter_supported).toBe(true);
    expect(await refusal({ request: 'x' })).toBe('request_not_supported');
    expect(await refusal({ request_uri: 'https://x.example/' })).toBe('request_uri_not_supported');
    const claims = JSON.stringify({ id_token: { email: null } });
    const { idToken } = await obtainTokens(service, application, browser, { claims });
    expect(decodeJwt(idToken ?? '')).not.toHaveProperty('email');
  });
});
