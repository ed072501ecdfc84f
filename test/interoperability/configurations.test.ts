// What an application's page shows, held against discovery and the registration: every address of every snippet, and
// each setting of those that cannot be run here, which are oauth2-proxy, PHP, .NET and Ruby.
import { beforeAll, expect, test } from 'vitest';
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

async function configuration(id: string, callback: string): Promise<[string, TestApplication]> {
  const application = await service.createApplication({
    ownerId: owner.userId,
    redirectUris: [callback],
    scopes: ['openid', 'profile', 'email'],
  });
  return [codeOf(await integratePageOf(service, owner, application), `${id}-1`), application];
}

/** Lines of each file that cannot be run here. The secret comes from the environment, never from the file. */
const SNIPPETS: Record<
  string,
  { callback: string; lines: (clientId: string, callback: string) => string[] }
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
};

test.each(Object.keys(SNIPPETS))(
  '%s: issuer, callback and scopes as registered, and no secret',
  async (id) => {
    const { callback, lines } = SNIPPETS[id] as (typeof SNIPPETS)[string];
    const [code, application] = await configuration(id, callback);
    for (const line of lines(application.clientId, callback)) expect(code).toContain(line);
    expect(code).not.toContain(application.clientSecret);
  },
);

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
