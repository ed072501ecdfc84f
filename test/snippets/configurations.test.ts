// What an application's page shows for Spring Security and oauth2-proxy, which cannot be run here: every address, scope
// and credential in it is held against discovery and the registration.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../support/service.ts';
import { codeOf, integratePageOf } from './copied.ts';

let service: TestService;
let owner: TestUser;
let discovery: Record<string, unknown>;
beforeAll(async () => {
  service = await startTestService({ SERVICE_NAME: "L'Entrée" });
  owner = await service.createUser();
  const answer = await fetch(`${service.baseUrl}/.well-known/openid-configuration`);
  discovery = (await answer.json()) as Record<string, unknown>;
});
afterAll(() => service.close());

async function configuration(id: string, callback: string): Promise<[string, TestApplication]> {
  const application = await service.createApplication({
    ownerId: owner.userId,
    redirectUris: ['https://app.example/other', callback],
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
      upstream: 'http://127.0.0.1:8080/',
    });
    expect(discovery.code_challenge_methods_supported).toContain('S256');
    expect(discovery.scopes_supported).toEqual(expect.arrayContaining(String(flags.scope).split(' ')));
    expect(script).toContain('OAUTH2_PROXY_CLIENT_SECRET="$CLIENT_SECRET"');
    expect(script).not.toContain(application.clientSecret);
  });
});
