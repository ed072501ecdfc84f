// simple-oauth2 drives the whole flow: plain OAuth 2.0, by Basic and by form.
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { goThrough, signedInBrowser, userinfo } from '../support/flow.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { createApplicationWithLogout, expectSignOut } from './session.ts';

interface AccessToken {
  token: Record<string, string>;
  expired(): boolean;
  refresh(): Promise<AccessToken>;
  revokeAll(httpOptions?: object): Promise<void>;
}
/** The part of simple-oauth2 that its own types, which are not installed, would name. */
interface SimpleOAuth2 {
  AuthorizationCode: new (
    settings: object,
  ) => {
    authorizeURL(parameters: Record<string, string>): string;
    getToken(parameters: Record<string, string>): Promise<AccessToken>;
    createToken(token: object): AccessToken;
  };
}
const require = createRequire(import.meta.url);
const { AuthorizationCode } = require('simple-oauth2') as SimpleOAuth2;

const service = useTestService();
let person: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  person = await service.createUser({ name: 'Grace Hopper' });
});

describe.each([
  ['header', true],
  ['body', false],
] as const)('simple-oauth2 with the secret in the %s, standard mode %s', (authorizationMethod, standard) => {
  const open = async (secret?: string) => {
    browser = await signedInBrowser(service, person);
    const application = await createApplicationWithLogout(service, { standard });
    const { clientId, clientSecret, redirectUri } = application;
    const client = new AuthorizationCode({
      client: { id: clientId, secret: secret ?? clientSecret },
      auth: { tokenHost: service.baseUrl, revokePath: '/oauth/token/revoke' },
      options: { authorizationMethod },
    });
    const asked = { redirect_uri: redirectUri, scope: 'openid profile', state: 'state-1' };
    const callback = await goThrough(browser, new URL(client.authorizeURL(asked)));
    expect(callback.searchParams.get('state')).toBe('state-1');
    const code = callback.searchParams.get('code') ?? '';
    return { application, client, grant: { code, redirect_uri: redirectUri } };
  };

  test('signs in, reads the profile, renews, revokes, signs out', async () => {
    const { application, client, grant } = await open();
    const first = await client.getToken(grant);
    expect(first.expired()).toBe(false);
    const profile = await userinfo(service, first.token.access_token ?? '');
    expect(profile.body).toMatchObject({ sub: person.userId, name: person.name });

    const renewed = await first.refresh();
    expect(renewed.token.refresh_token).not.toBe(first.token.refresh_token);
    expect((await userinfo(service, renewed.token.access_token ?? '')).status).toBe(200);

    // Its default, `strict`, wants JSON from every address; the answer here is empty (RFC 7009 §2.2, D22).
    await renewed.revokeAll({ json: true });
    expect((await userinfo(service, renewed.token.access_token ?? '')).status).toBe(401);
    await expect(renewed.refresh()).rejects.toMatchObject({ data: { payload: { error: 'invalid_grant' } } });

    const address = new URL('/oauth/logout', service.baseUrl);
    address.searchParams.set('id_token_hint', first.token.id_token ?? '');
    address.searchParams.set('post_logout_redirect_uri', application.back);
    await expectSignOut(browser, address, application.back);
  });

  test('a wrong secret is told as invalid_client, and the code is still good', async () => {
    const { application, client, grant } = await open('not-the-secret');
    await expect(client.getToken(grant)).rejects.toMatchObject({
      output: { statusCode: 401 },
      data: { payload: { error: 'invalid_client' } },
    });
    const right = new AuthorizationCode({
      client: { id: application.clientId, secret: application.clientSecret },
      auth: { tokenHost: service.baseUrl },
      options: { authorizationMethod },
    });
    expect((await right.getToken(grant)).token.token_type).toBe('Bearer');
  });
});
