import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { sendHttpRequest } from '../support/http-request.ts';
import {
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainCode,
  obtainTokens,
  openSignedInBrowser,
  readJson,
  redeemCode,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const DISCOVERY_PATH = '/.well-known/openid-configuration';
const service = await startTestService();
const client = await service.createClient();
const browser = await openSignedInBrowser(service, await service.createUser({ phone: '+33612345678' }));
const discoveryDocument = (await readJson(await fetch(new URL(DISCOVERY_PATH, service.baseUrl)))).body;
afterAll(() => service.close());

const getValues = (member: string) => discoveryDocument[member] as string[];
const fetchErrorCode = async (parameters: Record<string, string | undefined>) =>
  (await browser.get(buildAuthorizeUrl(service, client, parameters))).location?.searchParams.get('error');

describe('the metadata document', () => {
  test('has exactly the expected members', () => {
    expect(Object.keys(discoveryDocument).sort()).toEqual([
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

  test('is also served at /.well-known/oauth-authorization-server (RFC 8414 §3)', async () => {
    const url = new URL('/.well-known/oauth-authorization-server', service.baseUrl);
    const { status, headers, body } = await readJson(await fetch(url));
    expect([status, body]).toEqual([200, discoveryDocument]);
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  });

  test('contains only URLs under BASE_URL, despite forged headers', async () => {
    expect(discoveryDocument.issuer).toBe(service.baseUrl);
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    };
    const response = await sendHttpRequest(service.services.config.port, DISCOVERY_PATH, { headers });
    expect(JSON.parse(response.text)).toEqual(discoveryDocument);
    for (const [member, value] of Object.entries(discoveryDocument))
      if (/_(endpoint|uri)$/.test(member)) expect(String(value).startsWith(`${service.baseUrl}/`)).toBe(true);
  });
});

describe('the provider metadata', () => {
  test('lists working endpoints and algorithms', async () => {
    const statuses: Record<string, number> = {};
    for (const member of ['authorization', 'token', 'userinfo', 'revocation'])
      statuses[member] = (
        await fetch(String(discoveryDocument[`${member}_endpoint`]), { method: 'POST' })
      ).status;
    expect(statuses).toEqual({ authorization: 400, token: 400, userinfo: 401, revocation: 400 });
    const { body } = await readJson(await fetch(String(discoveryDocument.jwks_uri)));
    const algorithms = (body.keys as { alg: string }[]).map(({ alg }) => alg);
    expect(algorithms).toEqual(expect.arrayContaining(getValues('id_token_signing_alg_values_supported')));
  });

  test('lists exactly the scopes that can be granted', async () => {
    expect(getValues('scopes_supported')).toEqual(['openid', 'profile', 'email', 'phone', 'offline_access']);
    for (const name of getValues('scopes_supported')) {
      const scope = name === 'offline_access' ? `openid ${name}` : name;
      const code = await obtainCode(service, client, browser, { scope });
      expect((await redeemCode(service, client, code)).body.scope).toBe(scope);
    }
    expect(await fetchErrorCode({ scope: 'unknown' })).toBe('invalid_scope');
  });

  test('lists exactly the claims in id_tokens and userinfo responses', async () => {
    const standard = await service.createClient({ standard: true });
    const claimSet = new Set<string>();
    for (const app of [client, standard]) {
      const parameters = { scope: 'openid profile email phone', nonce: 'n' };
      const { idToken, accessToken } = await obtainTokens(service, app, browser, parameters);
      const { body } = await fetchUserinfo(service, accessToken);
      const claims = decodeJwt(idToken ?? '');
      for (const name of [...Object.keys(claims), ...Object.keys(body)]) claimSet.add(name);
      if (app === standard) expect(claims).toMatchObject(body);
    }
    expect([...new Set(getValues('claims_supported'))].sort()).toEqual([...claimSet].sort());
    expect(new Set(getValues('claims_supported')).size).toBe(getValues('claims_supported').length);
  });
});
