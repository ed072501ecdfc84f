// What every copied API (a resource server) must do: say who gives tokens for it, take those, and nothing else.
import { decodeJwt, SignJWT } from 'jose';
import { expect } from 'vitest';
import type { ProtectedApi } from '../../src/pages/console/snippets/catalogue.ts';
import type { ApiSnippetId } from '../../src/pages/console/snippets/templates.ts';
import { authorizeAddress, goThrough, redeem, signedInBrowser } from '../support/flow.ts';
import { codeOf } from '../support/markup.ts';
import { freePort, startTestService, type TestService, type TestUser } from '../support/service.ts';
import type { CopiedServer } from './copied-server.ts';

export interface ApiTrial {
  id: ApiSnippetId;
  /** The path of its identifier. */
  path?: string;
  /** Calls it; by default by GET. */
  call?(address: string, headers: Record<string, string>): Promise<Response>;
  /** What a good answer says of the token; by default all that it is. */
  read?(response: Response): Promise<unknown>;
  /** Its library writes the document and the refusals itself, with no scopes but the one that every call needs. */
  byLibrary?: boolean;
  /** Runs the code on its own port. */
  start(code: string, origin: string): Promise<CopiedServer>;
}

/** Copies an API's code from its page, starts it, and calls it with every kind of token. */
export async function expectApi(service: TestService, trial: ApiTrial): Promise<void> {
  const { id, path = '/', call: send = get, read = (response) => response.json(), byLibrary } = trial;
  const person = await service.createUser();
  const application = await service.createApplication();
  const origin = `http://localhost:${await freePort()}`;
  const identifier = `${origin}${path}`;
  const api = await service.createApi({ identifier, ownerId: person.userId });
  const { identifier: other } = await service.createApi();
  // It signs with the same keys, but it is somebody else.
  const stranger = await startTestService();
  await stranger.createApi({ identifier });

  const code = codeOf(await apiPageOf(service, person, api, id), `${id}-1`);
  const server = await trial.start(code, origin);
  try {
    const call = (authorization?: string) => send(identifier, authorization ? { authorization } : {});
    const challengedBy = async (what: string, status: number, authorization?: string) => {
      const response = await call(authorization);
      expect(response.status, `${what}\n${server.said()}`).toBe(status);
      const challenge = response.headers.get('www-authenticate') ?? '';
      expect(challenge, what).toMatch(/^Bearer /);
      expect(challenge, what).toContain(`resource_metadata="${metadata}"`);
      if (!byLibrary) expect(challenge, what).toMatch(/scope="read"/);
      return challenge;
    };
    const metadata = `${origin}/.well-known/oauth-protected-resource${path === '/' ? '' : path}`;
    const document = await fetch(metadata);
    expect(document.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await document.json()).toMatchObject({
      resource: identifier,
      authorization_servers: [service.baseUrl],
      scopes_supported: byLibrary ? ['read'] : ['read', 'write'],
    });

    const tokensFor = (scope: string, resource?: string) =>
      tokensOf(service, person, application, scope, resource);
    const mine = await tokensFor('openid profile read', identifier);
    const answer = await call(`Bearer ${mine.access_token}`);
    expect(answer.status, server.said()).toBe(200);
    expect(await read(answer)).toEqual({
      sub: person.userId,
      client_id: application.clientId,
      scopes: ['read'],
    });

    const refused = (what: string, authorization?: string) => challengedBy(what, 401, authorization);
    await refused('no token');
    await refused('not a bearer', `Basic ${mine.access_token}`);
    expect(await refused('no JWT', 'Bearer x')).toContain('error="invalid_token"');
    await refused('a refresh token', `Bearer ${mine.refresh_token}`);
    await refused('an id_token', `Bearer ${mine.id_token}`);
    const others = await tokensFor('openid profile read', other);
    await refused('for another API', `Bearer ${others.access_token}`);
    await refused('for this service itself', `Bearer ${(await tokensFor('openid profile')).access_token}`);
    await refused('changed by one character', `Bearer ${changed(mine.access_token)}`);
    const otherwise = (algorithm: 'ES256' | 'RS256', typ: string) =>
      signed(service, mine.access_token, algorithm, typ);
    await refused('of another kind', `Bearer ${await otherwise('ES256', 'JWT')}`);
    await refused('by another algorithm', `Bearer ${await otherwise('RS256', 'at+jwt')}`);
    expect((await call(`Bearer ${await otherwise('ES256', 'at+jwt')}`)).status).toBe(200);
    const [header, payload] = mine.access_token.split('.');
    await refused('without its signature', `Bearer ${header}.${payload}.`);
    service.clock.advance(-7200);
    const old = await tokensFor('openid profile read', identifier);
    service.clock.advance(7200);
    await refused('expired', `Bearer ${old.access_token}`);
    const there = await stranger.createUser();
    const foreign = await tokensOf(stranger, there, await stranger.createApplication(), 'read', identifier);
    await refused('of another issuer', `Bearer ${foreign.access_token}`);

    const without = await tokensFor('openid profile write', identifier);
    expect(await challengedBy('without the scope', 403, `Bearer ${without.access_token}`)).toContain(
      'error="insufficient_scope"',
    );
  } finally {
    await Promise.all([server.stop(), stranger.close()]);
  }
}

/** The page of the API's code for one library, as its owner sees it. */
export async function apiPageOf(
  service: TestService,
  owner: TestUser,
  { apiId }: Pick<ProtectedApi, 'apiId'>,
  id: ApiSnippetId,
): Promise<string> {
  const browser = await signedInBrowser(service, owner);
  const { status, body } = await browser.get(`/console/apis/${apiId}/integrate?library=${id}`);
  expect(status).toBe(200);
  return body;
}

const get = (address: string, headers: Record<string, string>) => fetch(address, { headers });

async function tokensOf(
  service: TestService,
  person: TestUser,
  application: Awaited<ReturnType<TestService['createApplication']>>,
  scope: string,
  resource?: string,
) {
  const browser = await signedInBrowser(service, person);
  const callback = await goThrough(browser, authorizeAddress(service, application, { resource, scope }));
  const code = callback.searchParams.get('code') ?? '';
  const { body } = await redeem(service, application, code, { resource });
  return body as { access_token: string; id_token: string; refresh_token: string };
}

/** What a token says, signed anew by a key of the service, though it never does so itself. */
function signed(service: TestService, token: string, alg: 'ES256' | 'RS256', typ: string): Promise<string> {
  const { kid, privateKey } = service.parts.keys[alg];
  return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg, typ, kid }).sign(privateKey);
}

/** The same token with another first character of its signature. */
const changed = (token: string) =>
  token.replace(/\.([^.])([^.]*)$/, (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`);
