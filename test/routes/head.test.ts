// HEAD requests have no side effects. For their responses, see test/http/route-config.test.ts.
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { databaseContent } from '../support/database-content.ts';
import {
  authorize,
  buildAuthorizeUrl,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const LOGOUT_REDIRECT_URI = 'https://client.example/signed-out';
const service = await startTestService();
const client = await service.createClient();
await service.services.database.query(
  statement('test_logout', 'update clients set post_logout_redirect_uris = array[$2] where client_id = $1'),
  [client.clientId, LOGOUT_REDIRECT_URI],
);
const browser = await openSignedInBrowser(service, await service.createUser());
await authorize(service, client, browser);
const tokens = await obtainTokens(service, client, browser);
afterAll(() => service.close());

const sendHead = (url: string | URL, headers: Record<string, string> = {}) =>
  browser.send(url, { method: 'HEAD', headers });

describe('a HEAD request', () => {
  async function readContent(): Promise<Record<string, string>> {
    await service.services.usage.flush();
    await service.services.diagnostics.flush();
    return databaseContent(service.databaseUrl);
  }

  test.each<[string, () => string | URL, Record<string, string>, number]>([
    ['an authorization request after consent', () => buildAuthorizeUrl(service, client), {}, 303],
    [
      'a rejected authorization request',
      () => buildAuthorizeUrl(service, client, { scope: 'unheard' }),
      { accept: 'text/html' },
      303,
    ],
    ['a userinfo request', () => '/oauth/userinfo', { authorization: 'TOKEN' }, 200],
    [
      'a logout request without confirmation',
      () =>
        `/oauth/logout?${new URLSearchParams({ id_token_hint: tokens.idToken ?? '', post_logout_redirect_uri: LOGOUT_REDIRECT_URI })}`,
      {},
      303,
    ],
  ])('has no side effects (%s)', async (_, url, headers, status) => {
    // Some records are written at most once per minute.
    service.clock.advance(120);
    const contentBefore = await readContent();
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('TOKEN', `Bearer ${tokens.accessToken}`),
      ]),
    );
    const response = await sendHead(url(), sent);
    expect(response.status).toBe(status);
    expect(await readContent()).toEqual(contentBefore);
    expect((await browser.get('/signout')).status).toBe(200);
  });

  test('to /oauth/authorize returns an unusable code', async () => {
    const { location } = await sendHead(buildAuthorizeUrl(service, client));
    const code = location?.searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    const { status, body } = await redeemCode(service, client, code);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });
});
