// What every copied API (a resource server) must do: take access tokens made for it, and nothing else.
import { expect } from 'vitest';
import { apiSnippetsFor } from '../../src/pages/console/snippets/catalogue.ts';
import type { ApiSnippetId } from '../../src/pages/console/snippets/templates.ts';
import { authorizeAddress, goThrough, redeem, signedInBrowser } from '../support/flow.ts';
import { freePort, type TestService } from '../support/service.ts';
import type { CopiedServer } from './copied-server.ts';

/** Takes an API's code, starts it, and calls it with every kind of token. `start` runs the code on its own port. */
export async function expectApi(
  service: TestService,
  id: ApiSnippetId,
  start: (code: string, origin: string) => Promise<CopiedServer>,
): Promise<void> {
  const person = await service.createUser();
  const application = await service.createApplication();
  const origin = `http://localhost:${await freePort()}`;
  const { identifier: api } = await service.createApi({ identifier: `${origin}/` });
  const { identifier: other } = await service.createApi();
  const browser = await signedInBrowser(service, person);
  const tokensFor = async (resource?: string) => {
    const scope = resource === undefined ? 'openid profile' : 'openid profile read';
    const address = authorizeAddress(service, application, { resource, scope });
    const callback = await goThrough(browser, address);
    const { body } = await redeem(service, application, callback.searchParams.get('code') ?? '', {
      resource,
    });
    return body as { access_token: string; id_token: string; refresh_token: string; scope: string };
  };

  const snippet = apiSnippetsFor(api, { issuer: service.baseUrl }).find((one) => one.id === id);
  const server = await start(snippet?.files[0]?.text ?? '', origin);
  try {
    const call = (authorization?: string) =>
      fetch(`${origin}/`, { headers: authorization === undefined ? {} : { authorization } });
    const refused = async (what: string, authorization?: string) => {
      const { status, headers } = await call(authorization);
      expect(status, `${what}\n${server.said()}`).toBe(401);
      expect(headers.get('www-authenticate'), what).toMatch(/^Bearer/);
    };
    const mine = await tokensFor(api);
    const answer = await call(`Bearer ${mine.access_token}`);
    expect(answer.status, server.said()).toBe(200);
    expect(await answer.json()).toEqual({
      sub: person.userId,
      client_id: application.clientId,
      scopes: mine.scope.split(' '),
    });
    await refused('no token');
    await refused('not a bearer', `Basic ${mine.access_token}`);
    await refused('no JWT', 'Bearer x');
    await refused('a refresh token', `Bearer ${mine.refresh_token}`);
    await refused('an id_token', `Bearer ${mine.id_token}`);
    await refused('for another API', `Bearer ${(await tokensFor(other)).access_token}`);
    await refused('for this service itself', `Bearer ${(await tokensFor()).access_token}`);
    await refused('changed by one character', `Bearer ${changed(mine.access_token)}`);
    const [header, payload] = mine.access_token.split('.');
    await refused('without its signature', `Bearer ${header}.${payload}.`);
  } finally {
    await server.stop();
  }
}

/** The same token with another first character of its signature. */
const changed = (token: string) =>
  token.replace(/\.([^.])([^.]*)$/, (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`);
