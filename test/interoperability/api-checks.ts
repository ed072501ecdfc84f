// Checks an API snippet's resource metadata and token validation.
import { decodeJwt, SignJWT } from 'jose';
import { expect } from 'vitest';
import type { ProtectedApi } from '../../src/pages/console/snippets/catalog.ts';
import type { ApiSnippetId } from '../../src/pages/console/snippets/templates.ts';
import { readCodeBlock } from '../support/markup.ts';
import {
  buildAuthorizeUrl,
  completeAuthorization,
  openSignedInBrowser,
  redeemCode,
} from '../support/oauth-flow.ts';
import { findFreePort, startTestService, type TestService, type TestUser } from '../support/service.ts';
import type { SnippetServer } from './snippet-server.ts';

export interface ApiSnippetTest {
  id: ApiSnippetId;
  /** Path component of the API's identifier URL. */
  path?: string;
  /** Calls the API, by default with a GET request. */
  call?(url: string, headers: Record<string, string>): Promise<Response>;
  /** Reads the token's claims from a successful response, by default from the JSON body. */
  read?(response: Response): Promise<unknown>;
  /**
   * Whether a library generates the resource metadata. If so, the metadata lists only the required scope.
   */
  isGenerated?: boolean;
  /** Starts the snippet as a server on the port of `origin`. */
  start(code: string, origin: string): Promise<SnippetServer>;
}

/** Starts the snippet from an API's page and calls it with valid and invalid tokens. */
export async function checkApiSnippet(service: TestService, snippet: ApiSnippetTest): Promise<void> {
  const { id, path = '/', call: send = get, read = (response) => response.json(), isGenerated } = snippet;
  const user = await service.createUser();
  const application = await service.createClient();
  const origin = `http://localhost:${await findFreePort()}`;
  const identifier = `${origin}${path}`;
  const api = await service.createApi({ identifier, ownerId: user.userId });
  const { identifier: otherIdentifier } = await service.createApi();
  // A service that signs tokens with the same keys but has a different issuer.
  const otherIssuer = await startTestService();
  await otherIssuer.createApi({ identifier });

  const code = readCodeBlock(await fetchApiPage(service, user, api, id), `${id}-1`);
  const server = await snippet.start(code, origin);
  try {
    const call = (authorization?: string) => send(identifier, authorization ? { authorization } : {});
    const expectChallenge = async (description: string, status: number, authorization?: string) => {
      const response = await call(authorization);
      expect(response.status, `${description}\n${server.output()}`).toBe(status);
      const challenge = response.headers.get('www-authenticate') ?? '';
      expect(challenge, description).toMatch(/^Bearer /);
      expect(challenge, description).toContain(`resource_metadata="${metadata}"`);
      if (!isGenerated) expect(challenge, description).toMatch(/scope="read"/);
      return challenge;
    };
    const metadata = `${origin}/.well-known/oauth-protected-resource${path === '/' ? '' : path}`;
    const metadataResponse = await fetch(metadata);
    expect(metadataResponse.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await metadataResponse.json()).toMatchObject({
      resource: identifier,
      authorization_servers: [service.baseUrl],
      scopes_supported: isGenerated ? ['read'] : ['read', 'write'],
    });

    const obtainTokens = (scope: string, resource?: string) =>
      obtainTokensFor(service, user, application, scope, resource);
    const tokens = await obtainTokens('openid profile read', identifier);
    const response = await call(`Bearer ${tokens.access_token}`);
    expect(response.status, server.output()).toBe(200);
    expect(await read(response)).toEqual({
      sub: user.userId,
      client_id: application.clientId,
      scopes: ['read'],
    });

    const expectRejected = (description: string, authorization?: string) =>
      expectChallenge(description, 401, authorization);
    await expectRejected('no token');
    await expectRejected('a token without the Bearer scheme', `Basic ${tokens.access_token}`);
    expect(await expectRejected('a token that is not a JWT', 'Bearer x')).toContain('error="invalid_token"');
    await expectRejected('a refresh token', `Bearer ${tokens.refresh_token}`);
    await expectRejected('an id_token', `Bearer ${tokens.id_token}`);
    const otherTokens = await obtainTokens('openid profile read', otherIdentifier);
    await expectRejected('a token for another API', `Bearer ${otherTokens.access_token}`);
    await expectRejected(
      'a token for userinfo',
      `Bearer ${(await obtainTokens('openid profile')).access_token}`,
    );
    await expectRejected(
      'a token with a tampered signature',
      `Bearer ${tamperSignature(tokens.access_token)}`,
    );
    const signAgainAs = (algorithm: 'ES256' | 'RS256', typ: string) =>
      signAgain(service, tokens.access_token, algorithm, typ);
    await expectRejected('a token with a different typ', `Bearer ${await signAgainAs('ES256', 'JWT')}`);
    await expectRejected(
      'a token with a different algorithm',
      `Bearer ${await signAgainAs('RS256', 'at+jwt')}`,
    );
    expect((await call(`Bearer ${await signAgainAs('ES256', 'at+jwt')}`)).status).toBe(200);
    const [header, payload] = tokens.access_token.split('.');
    await expectRejected('a token without its signature', `Bearer ${header}.${payload}.`);
    service.clock.advance(-7200);
    const expired = await obtainTokens('openid profile read', identifier);
    service.clock.advance(7200);
    await expectRejected('an expired token', `Bearer ${expired.access_token}`);
    const otherUser = await otherIssuer.createUser();
    const foreignTokens = await obtainTokensFor(
      otherIssuer,
      otherUser,
      await otherIssuer.createClient(),
      'read',
      identifier,
    );
    await expectRejected('a token from a different issuer', `Bearer ${foreignTokens.access_token}`);

    const withoutScope = await obtainTokens('openid profile write', identifier);
    expect(
      await expectChallenge('a token without the required scope', 403, `Bearer ${withoutScope.access_token}`),
    ).toContain('error="insufficient_scope"');
  } finally {
    await Promise.all([server.stop(), otherIssuer.close()]);
  }
}

/** Signs in as the API's owner and fetches the API's page, which contains the library's code. */
export async function fetchApiPage(
  service: TestService,
  owner: TestUser,
  { apiId }: Pick<ProtectedApi, 'apiId'>,
  id: ApiSnippetId,
): Promise<string> {
  const browser = await openSignedInBrowser(service, owner);
  const { status, body } = await browser.get(`/console/apis/${apiId}/integrate?library=${id}`);
  expect(status).toBe(200);
  return body;
}

const get = (url: string, headers: Record<string, string>) => fetch(url, { headers });

async function obtainTokensFor(
  service: TestService,
  user: TestUser,
  application: Awaited<ReturnType<TestService['createClient']>>,
  scope: string,
  resource?: string,
) {
  const browser = await openSignedInBrowser(service, user);
  const callback = await completeAuthorization(
    browser,
    buildAuthorizeUrl(service, application, { resource, scope }),
  );
  const code = callback.searchParams.get('code') ?? '';
  const { body } = await redeemCode(service, application, code, { resource });
  return body as { access_token: string; id_token: string; refresh_token: string };
}

/** Signs a token's claims again with one of the service's keys, but with the given algorithm and type. */
function signAgain(
  service: TestService,
  token: string,
  alg: 'ES256' | 'RS256',
  typ: string,
): Promise<string> {
  const { kid, privateKey } = service.services.keys[alg];
  return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg, typ, kid }).sign(privateKey);
}

const tamperSignature = (token: string) =>
  token.replace(/\.([^.])([^.]*)$/, (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`);
