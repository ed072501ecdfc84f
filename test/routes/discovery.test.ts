// GET /.well-known/openid-configuration: every member is checked against what the service does (Discovery §3).
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import {
  authorizeAddress,
  obtainCode,
  obtainTokens,
  readJson,
  redeem,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { httpRequest } from '../support/http-request.ts';
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
    expect(await refusal({ scope: 'unknown' })).toBe('invalid_scope');
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
});
