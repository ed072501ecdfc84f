// HEAD leaves no trace (RFC 9110 §9.3.2). That it is answered as GET is: test/http/route-config.test.ts.
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { databaseContent } from '../support/database-content.ts';
import { authorize, authorizeAddress, obtainTokens, redeem, signedInBrowser } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const BACK = 'https://client.example/signed-out';
const service = await startTestService();
const application = await service.createApplication();
await service.parts.database.query(
  statement('test_logout', 'update clients set post_logout_redirect_uris = array[$2] where client_id = $1'),
  [application.clientId, BACK],
);
const browser = await signedInBrowser(service, await service.createUser());
await authorize(service, application, browser);
const tokens = await obtainTokens(service, application, browser);
afterAll(() => service.close());

const head = (address: string | URL, headers: Record<string, string> = {}) =>
  browser.send(address, { method: 'HEAD', headers });

describe('leaves no trace', () => {
  /** All that the database holds once everything gathered so far is written. */
  async function content(): Promise<Record<string, string>> {
    await service.parts.usage.flush();
    await service.parts.diagnostics.flush();
    return databaseContent(service.databaseUrl);
  }

  test.each<[string, () => string | URL, Record<string, string>, number]>([
    [
      'an authorization request with a remembered consent',
      () => authorizeAddress(service, application),
      {},
      303,
    ],
    [
      'one that is refused',
      () => authorizeAddress(service, application, { scope: 'unheard' }),
      { accept: 'text/html' },
      303,
    ],
    ['userinfo', () => '/oauth/userinfo', { authorization: 'TOKEN' }, 200],
    [
      'a request to sign out that would be carried out at once',
      () =>
        `/oauth/logout?${new URLSearchParams({ id_token_hint: tokens.idToken ?? '', post_logout_redirect_uri: BACK })}`,
      {},
      303,
    ],
  ])('%s', async (_, address, headers, status) => {
    service.clock.advance(120); // what is noted at most once a minute would be noted again
    const before = await content();
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('TOKEN', `Bearer ${tokens.accessToken}`),
      ]),
    );
    const answer = await head(address(), sent);
    expect(answer.status).toBe(status);
    expect(await content()).toEqual(before);
    expect((await browser.get('/signout')).status).toBe(200);
  });

  test('the code that it names is worth nothing', async () => {
    const { location } = await head(authorizeAddress(service, application));
    const code = location?.searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    const { status, body } = await redeem(service, application, code);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });
});
