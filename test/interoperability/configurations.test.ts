// What an application's page shows, held against discovery and the registration: every address of every snippet, and
// each setting of those that cannot be run here, which are oauth2-proxy, PHP, .NET and Ruby.
import { beforeAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { codeOf } from '../support/markup.ts';
import { type TestApplication, type TestUser, useTestService } from '../support/service.ts';
import { integratePageOf } from './copied.ts';

const service = useTestService({ SERVICE_NAME: "L'Entrée" });
let owner: TestUser;
let discovery: Record<string, unknown>;
beforeAll(async () => {
  owner = await service.createUser();
  const answer = await fetch(`${service.baseUrl}/.well-known/openid-configuration`);
  discovery = (await answer.json()) as Record<string, unknown>;
});

async function configuration(
  id: string,
  callback: string,
  others = ['https://app.example/other'],
): Promise<[string, TestApplication]> {
  const application = await service.createApplication({
    ownerId: owner.userId,
    redirectUris: [...others, callback],
    scopes: ['openid', 'profile', 'email'],
  });
  return [codeOf(await integratePageOf(service, owner, application), `${id}-1`), application];
}

/** The values of a YAML file of nested mappings, by their path; quoted ones are read as YAML reads single quotes. */
function yamlValues(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const path: string[] = [];
  for (const line of text.split('\n')) {
    const [, indent = '', key = '', value = ''] = /^( *)([\w-]+):(?: (.*))?$/.exec(line) ?? [];
    if (key === '') continue;
    path.splice(indent.length / 2, path.length, key);
    if (value !== '')
      values[path.join('.')] = value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value;
  }
  return values;
}

describe('application.yml for Spring Security', () => {
  test('names the issuer, the registered callback and scopes, a supported way to authenticate, no secret', async () => {
    const callback = 'https://app.example/login/oauth2/code/notre-service';
    const [yaml, application] = await configuration('spring', callback);
    expect(yamlValues(yaml)).toEqual({
      'server.port': '8080',
      ...Object.fromEntries(
        Object.entries({
          'client-name': "L'Entrée",
          'client-id': application.clientId,
          'client-secret': `$${'{CLIENT_SECRET}'}`,
          'client-authentication-method': 'client_secret_basic',
          'authorization-grant-type': 'authorization_code',
          'redirect-uri': callback,
          scope: 'openid,profile,email',
        }).map(([name, value]) => [
          `spring.security.oauth2.client.registration.notre-service.${name}`,
          value,
        ]),
      ),
      'spring.security.oauth2.client.provider.notre-service.issuer-uri': discovery.issuer,
      'spring.security.oauth2.client.provider.notre-service.user-name-attribute': 'sub',
    });
    expect(discovery.token_endpoint_auth_methods_supported).toContain('client_secret_basic');
    expect(discovery.grant_types_supported).toContain('authorization_code');
    expect(yaml).not.toContain(application.clientSecret);
  });
});

describe('the command for oauth2-proxy', () => {
  test('names the issuer, the registered callback and scopes, S256, no secret', async () => {
    const callback = 'https://app.example/entree/callback';
    const [script, application] = await configuration('oauth2-proxy', callback);
    const flags = Object.fromEntries(
      [...script.matchAll(/^ {2}--([\w-]+)=(.*?)(?: \\)?$/gm)].map(([, name, value = '']) => [
        name,
        value.replace(/^'(.*)'$/, '$1').replaceAll("'\\''", "'"),
      ]),
    );
    expect(flags).toEqual({
      provider: 'oidc',
      'provider-display-name': "L'Entrée",
      'oidc-issuer-url': discovery.issuer,
      'client-id': application.clientId,
      'redirect-url': callback,
      'proxy-prefix': '/entree',
      scope: 'openid profile email',
      'code-challenge-method': 'S256',
      'email-domain': '*',
      'http-address': '127.0.0.1:8080',
      upstream: 'http://127.0.0.1:9000/',
    });
    expect(discovery.code_challenge_methods_supported).toContain('S256');
    expect(discovery.scopes_supported).toEqual(expect.arrayContaining(String(flags.scope).split(' ')));
    expect(script).toContain('a grace period of 10 to 30 seconds');
    expect(script).toContain('OAUTH2_PROXY_CLIENT_SECRET="$CLIENT_SECRET"');
    expect(script).not.toContain(application.clientSecret);
  });
});

/** What stands behind a name in a snippet, up to the end of its line; '' where it is not there. */
const settingOf = (code: string, name: string) =>
  new RegExp(`${name.replaceAll('.', '\\.')} *(?:=>|[:=]) *['"]?(.*?)['"]?[,;]?(?: (?://|#).*)?$`, 'm').exec(
    code,
  )?.[1] ?? '';

describe('the file for league/oauth2-client', () => {
  test('names addresses, callback, scopes and S256 as discovery and registration do, no secret', async () => {
    const callback = "https://app.example/it's?a=1";
    const [php, application] = await configuration('league', callback, []);
    const settings = Object.fromEntries(
      [...php.matchAll(/^ {4}'(\w+)' => '((?:[^'\\]|\\.)*)',$/gm)].map(([, name, value = '']) => [
        name,
        value.replace(/\\(.)/g, '$1'),
      ]),
    );
    expect(settings).toMatchObject({
      clientId: application.clientId,
      redirectUri: callback,
      pkceMethod: 'S256',
    });
    expect(settings).toMatchObject({
      urlAuthorize: discovery.authorization_endpoint,
      urlAccessToken: discovery.token_endpoint,
      urlResourceOwnerDetails: discovery.userinfo_endpoint,
      scopes: 'openid profile email',
      scopeSeparator: ' ',
    });
    expect(discovery.claims_supported).toContain(settings.responseResourceOwnerId);
    // It sends the secret in the form, as nothing else is asked of it.
    expect(discovery.token_endpoint_auth_methods_supported).toContain('client_secret_post');
    expect(php).toContain("'clientSecret' => getenv('CLIENT_SECRET')");
    expect(php).not.toContain(application.clientSecret);
  });
});

describe('Program.cs for ASP.NET Core', () => {
  test('names issuer, callback, scopes, response type and mode as discovery and registration do', async () => {
    const [code, application] = await configuration('aspnet', 'https://app.example/signin-oidc', []);
    expect(settingOf(code, 'options.Authority')).toBe(discovery.issuer);
    expect(settingOf(code, 'options.ClientId')).toBe(application.clientId);
    expect(settingOf(code, 'options.CallbackPath')).toBe('/signin-oidc');
    expect(code).toContain('"openid profile email".Split');
    expect(discovery.response_types_supported).toContain('code');
    expect(discovery.response_modes_supported).toContain('query');
    expect(code).toContain('OpenIdConnectResponseType.Code;');
    expect(code).toContain('OpenIdConnectResponseMode.Query;');
    expect(code).toContain('options.UsePkce = true;');
    expect(code).toContain('MapUniqueJsonKey("picture", "avatar")');
    expect(code).not.toContain(application.clientSecret);
  });
});

describe('the initializer for OmniAuth', () => {
  test('names addresses, callback, scopes and algorithm as discovery and registration do', async () => {
    const callback = 'https://app.example/auth/entree/callback';
    const [ruby, application] = await configuration('omniauth', callback);
    const expected = {
      name: 'entree',
      issuer: discovery.issuer,
      identifier: application.clientId,
      redirect_uri: callback,
      authorization_endpoint: discovery.authorization_endpoint,
      token_endpoint: discovery.token_endpoint,
      userinfo_endpoint: discovery.userinfo_endpoint,
      jwks_uri: discovery.jwks_uri,
      pkce: 'true',
      response_type: ':code',
      client_auth_method: ':basic',
    };
    for (const [name, value] of Object.entries(expected)) expect(settingOf(ruby, name), name).toBe(value);
    expect(ruby).toContain("scope: 'openid profile email'.split");
    expect(discovery.id_token_signing_alg_values_supported).toContain(
      settingOf(ruby, 'client_signing_alg').slice(1),
    );
    expect(discovery.token_endpoint_auth_methods_supported).toContain('client_secret_basic');
    expect(ruby).not.toContain(application.clientSecret);
  });

  test('expects the algorithm that the application chose for its id_tokens', async () => {
    const application = await service.createApplication({ ownerId: owner.userId });
    const choose = statement(
      'test_choose',
      "update clients set id_token_algorithm = 'ES256' where client_id = $1",
    );
    await service.parts.database.query(choose, [application.clientId]);
    const page = await integratePageOf(service, owner, application);
    expect(codeOf(page, 'omniauth-1')).toContain('client_signing_alg: :ES256,');
    expect(codeOf(page, 'django-1')).toContain("OIDC_RP_SIGN_ALGO = 'ES256'");
  });
});

test('every address of the service that any snippet names is in discovery, or is the button’s', async () => {
  const known = new Set([
    ...Object.values(discovery).filter((value) => typeof value === 'string'),
    `${discovery.issuer}/.well-known/openid-configuration`,
    `${discovery.issuer}/button.css`,
    `${discovery.issuer}/images/logo.svg`,
  ]);
  const named = new Set<string>();
  for (const type of ['confidential', 'public'] as const) {
    const application = await service.createApplication({ ownerId: owner.userId, type });
    const page = await integratePageOf(service, owner, application);
    for (const [, id = ''] of page.matchAll(/<code id="([\w-]+-\d)">/g))
      for (const [address] of codeOf(page, id)
        .replaceAll(/\$issuer(?=\/)/g, String(discovery.issuer))
        .matchAll(new RegExp(`${discovery.issuer}[\\w./-]*`, 'g'))) {
        expect([...known], `${address} in ${id}`).toContain(address);
        named.add(address);
      }
  }
  expect(named.size, 'the search finds them').toBeGreaterThan(6);
});
