// Checks the URLs in all snippets, and the text of the snippets that no test runs
// (oauth2-proxy, PHP, .NET, Ruby and AppAuth).
import { beforeAll, expect, test } from 'vitest';
import type { ClientType } from '../../src/oauth/redirect-uri.ts';
import type { SnippetId } from '../../src/pages/console/snippets/templates.ts';
import { readCodeBlock } from '../support/markup.ts';
import { type TestClient, type TestUser, useTestService } from '../support/service.ts';
import { fetchIntegrationPages, readSnippetFiles } from './snippets.ts';

const service = useTestService({ SERVICE_NAME: "L'Entrée" });
let owner: TestUser;
let discovery: Record<string, unknown>;
beforeAll(async () => {
  owner = await service.createUser();
  const response = await fetch(`${service.baseUrl}/.well-known/openid-configuration`);
  discovery = (await response.json()) as Record<string, unknown>;
});

async function fetchConfiguration(
  id: string,
  { callback, type = 'confidential' }: (typeof SNIPPETS)[string],
): Promise<[string, TestClient]> {
  const application = await service.createClient({
    ownerId: owner.userId,
    type,
    redirectUris: [callback],
    scopes: ['openid', 'profile', 'email'],
  });
  const page = await fetchIntegrationPages(service, owner, application);
  return [readSnippetFiles(page, id as SnippetId).join('\n'), application];
}

/**
 * Lines that each snippet must contain.
 */
const SNIPPETS: Record<
  string,
  { callback: string; type?: ClientType; lines: (clientId: string, callback: string) => string[] }
> = {
  'oauth2-proxy': {
    callback: 'https://app.example/entree/callback',
    lines: (clientId, callback) => [
      `--oidc-issuer-url='${discovery.issuer}'`,
      `--client-id='${clientId}'`,
      `--redirect-url='${callback}'`,
      "--proxy-prefix='/entree'",
      "--scope='openid profile email'",
      '--code-challenge-method=S256',
      'OAUTH2_PROXY_CLIENT_SECRET="$CLIENT_SECRET"',
    ],
  },
  league: {
    callback: "https://app.example/it's?a=1",
    lines: (clientId) => [
      `'clientId' => '${clientId}'`,
      "'redirectUri' => 'https://app.example/it\\'s?a=1'",
      `'urlAuthorize' => '${discovery.authorization_endpoint}'`,
      `'urlAccessToken' => '${discovery.token_endpoint}'`,
      `'urlResourceOwnerDetails' => '${discovery.userinfo_endpoint}'`,
      "'scopes' => 'openid profile email'",
      "'pkceMethod' => 'S256'",
      "'clientSecret' => getenv('CLIENT_SECRET')",
    ],
  },
  aspnet: {
    callback: 'https://app.example/signin-oidc',
    lines: (clientId) => [
      `options.Authority = "${discovery.issuer}";`,
      `options.ClientId = "${clientId}";`,
      'options.CallbackPath = "/signin-oidc";',
      '"openid profile email".Split',
      'OpenIdConnectResponseType.Code;',
      'OpenIdConnectResponseMode.Query;',
      'options.UsePkce = true;',
    ],
  },
  omniauth: {
    callback: 'https://app.example/auth/entree/callback',
    lines: (clientId, callback) => [
      `issuer: '${discovery.issuer}'`,
      `identifier: '${clientId}'`,
      `redirect_uri: '${callback}'`,
      `authorization_endpoint: '${discovery.authorization_endpoint}'`,
      `token_endpoint: '${discovery.token_endpoint}'`,
      `jwks_uri: '${discovery.jwks_uri}'`,
      "scope: 'openid profile email'.split",
      'pkce: true',
    ],
  },
  // The snippet sets no endpoints, state, nonce or PKCE because AppAuth handles these.
  'appauth-ios': {
    callback: 'com.example.app:/callback',
    type: 'public',
    lines: (clientId, callback) => [
      `URL(string: "${discovery.issuer}")!`,
      'discoverConfiguration(forIssuer: issuer)',
      `clientId: "${clientId}"`,
      'scopes: "openid profile email".components(separatedBy: " ")',
      `redirectURL: URL(string: "${callback}")!`,
      'responseType: OIDResponseTypeCode',
      'discoveryDocument?.userinfoEndpoint',
    ],
  },
  'appauth-android': {
    callback: 'com.example.app:/callback',
    type: 'public',
    lines: (clientId, callback) => [
      `fetchFromIssuer(Uri.parse("${discovery.issuer}"))`,
      `Uri.parse("${callback}")`,
      `.Builder(configuration, "${clientId}", ResponseTypeValues.CODE, callback)`,
      '.setScope("openid profile email")',
      'manifestPlaceholders["appAuthRedirectScheme"] = "com.example.app"',
    ],
  },
};

test.each(Object.keys(SNIPPETS))(
  'the snippet for %s contains the registered values but no secret',
  async (id) => {
    const snippet = SNIPPETS[id] as (typeof SNIPPETS)[string];
    const { callback, lines } = snippet;
    const [code, application] = await fetchConfiguration(id, snippet);
    for (const line of lines(application.clientId, callback)) expect(code).toContain(line);
    expect(code).not.toContain(application.clientSecret || 'CLIENT_SECRET');
  },
);

test('every service URL in a snippet is in the discovery document or belongs to the sign-in button', async () => {
  const known = new Set([
    ...Object.values(discovery).filter((value) => typeof value === 'string'),
    `${discovery.issuer}/.well-known/openid-configuration`,
    `${discovery.issuer}/button.css`,
    `${discovery.issuer}/images/logo.svg`,
  ]);
  const urls = new Set<string>();
  for (const type of ['confidential', 'public'] as const) {
    const application = await service.createClient({ ownerId: owner.userId, type });
    const page = await fetchIntegrationPages(service, owner, application);
    for (const [, id = ''] of page.matchAll(/<code id="([\w-]+-\d)">/g))
      for (const [url] of readCodeBlock(page, id)
        .replaceAll(/\$issuer(?=\/)/g, String(discovery.issuer))
        .matchAll(new RegExp(`${discovery.issuer}[\\w./-]*`, 'g'))) {
        expect([...known], `${url} in ${id}`).toContain(url);
        urls.add(url);
      }
  }
  expect(urls.size, 'number of URLs in the snippets').toBeGreaterThan(6);
});
