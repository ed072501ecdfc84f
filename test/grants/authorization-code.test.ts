import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { expectError } from '../support/expect-error.ts';
import {
  buildAuthorizeUrl,
  createVerifier,
  fetchUserinfo,
  obtainCode,
  obtainCodeWithPkce,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  signIn,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const INCREASE_EPOCH = statement('test_raise', 'update users set epoch = epoch + 3 where id = $1::uuid');
const redirectUris = ['https://client.example/callback', 'https://client.example/second'];
const service = await startTestService();
const client = await service.createClient({ redirectUris });
const otherClient = await service.createClient({ redirectUris });
const browser = await openSignedInBrowser(service, await service.createUser());
afterAll(() => service.close());

describe('an authorization code', () => {
  test('is valid for 60 seconds', async () => {
    const validCode = await obtainCode(service, client, browser);
    service.clock.advance(50);
    expect((await redeemCode(service, client, validCode)).status).toBe(200);
    const expiredCode = await obtainCode(service, client, browser);
    service.clock.advance(60);
    expectError(await redeemCode(service, client, expiredCode), 400, 'invalid_grant');
    expectError(await redeemCode(service, client, expiredCode), 400, 'invalid_grant');
  });

  test('is valid for the duration in AUTHORIZATION_CODE_TTL', async () => {
    const configuredService = await startTestService({
      AUTHORIZATION_CODE_TTL: '20',
      ACCESS_TOKEN_TTL: '120',
    });
    try {
      const app = await configuredService.createClient();
      const userBrowser = await openSignedInBrowser(configuredService, await configuredService.createUser());
      const expiredCode = await obtainCode(configuredService, app, userBrowser);
      configuredService.clock.advance(20);
      expectError(await redeemCode(configuredService, app, expiredCode), 400, 'invalid_grant');
      const { body } = await redeemCode(
        configuredService,
        app,
        await obtainCode(configuredService, app, userBrowser),
      );
      expect(body.expires_in).toBe(120);
      configuredService.clock.advance(110);
      expect((await fetchUserinfo(configuredService, String(body.access_token))).status).toBe(200);
      configuredService.clock.advance(10);
      expectError(await fetchUserinfo(configuredService, String(body.access_token)), 401, 'invalid_token');
    } finally {
      await configuredService.close();
    }
  });

  test.each<[string, (code: string, verifier: string) => Promise<{ status: number }>, number]>([
    [
      'a wrong verifier',
      (code) => redeemCode(service, client, code, { code_verifier: createVerifier() }),
      400,
    ],
    ['no verifier', (code) => redeemCode(service, client, code), 400],
    [
      'a different registered redirect URI',
      (code, code_verifier) =>
        redeemCode(service, client, code, { code_verifier, redirect_uri: redirectUris[1] }),
      400,
    ],
    [
      'a redirect URI with a trailing slash',
      (code, code_verifier) =>
        redeemCode(service, client, code, { code_verifier, redirect_uri: `${redirectUris[0]}/` }),
      400,
    ],
    [
      'a different client',
      (code, code_verifier) => redeemCode(service, otherClient, code, { code_verifier }),
      400,
    ],
    [
      'a wrong secret',
      (code, code_verifier) => redeemCode(service, client, code, { code_verifier, client_secret: 'wrong' }),
      401,
    ],
  ])('is not consumed by a request with %s', async (_, attempt, status) => {
    const { code, verifier } = await obtainCodeWithPkce(service, client, browser);
    expect((await attempt(code, verifier)).status).toBe(status);
    expect((await redeemCode(service, client, code, { code_verifier: verifier })).status).toBe(200);
  });

  test('is rejected for a different redirect URI or client', async () => {
    const code = await obtainCode(service, client, browser);
    const redirect_uri = redirectUris[1];
    expectError(await redeemCode(service, client, code, { redirect_uri }), 400, 'invalid_grant');
    expectError(await redeemCode(service, otherClient, code), 400, 'invalid_grant');
  });

  test.each([
    ['malformed', () => 'nonsense'],
    ['altered in its last character', (code: string) => alterCharacter(code, code.length - 1)],
    ['altered in the middle', (code: string) => alterCharacter(code, code.length >> 1)],
    ['truncated', (code: string) => code.slice(0, -4)],
    ['padded', (code: string) => `${code}=`],
    ['in upper case', (code: string) => code.toUpperCase()],
  ])('is not consumed by a request in which the code is %s', async (_, alterCode) => {
    const code = await obtainCode(service, client, browser);
    expectError(await redeemCode(service, client, alterCode(code)), 400, 'invalid_grant');
    expect((await redeemCode(service, client, code)).status).toBe(200);
  });

  test('is not consumed when it is sent as a refresh token', async () => {
    const { refreshToken } = await obtainTokens(service, client, browser);
    expectError(await redeemCode(service, client, refreshToken), 400, 'invalid_grant');
    const code = await obtainCode(service, client, browser);
    expectError(await redeemRefreshToken(service, client, code), 400, 'invalid_grant');
    expect((await redeemCode(service, client, code)).status).toBe(200);
    expect((await redeemRefreshToken(service, client, refreshToken)).status).toBe(200);
  });
});

describe('an unredeemed code', () => {
  test('is valid even if earlier sessions were revoked', async () => {
    const user = await service.createUser();
    await service.services.database.query(INCREASE_EPOCH, [user.userId]);
    const userBrowser = await openSignedInBrowser(service, user);
    for (const consent of ['new', 'remembered']) {
      const { status } = await redeemCode(service, client, await obtainCode(service, client, userBrowser));
      expect(status, consent).toBe(200);
    }
  });

  test('stays valid after a new sign-in in the same browser', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const client = await service.createClient();
    const code = await obtainCode(service, client, browser);
    const previousCookie = browser.cookies.get('sesame');
    const signInPage = await browser.follow(
      await browser.get(buildAuthorizeUrl(service, client, { prompt: 'login' })),
    );
    await signIn(browser, user, signInPage);
    expect(browser.cookies.get('sesame')).not.toBe(previousCookie);
    expect((await redeemCode(service, client, code)).status).toBe(200);
  });

  test('is revoked when the user signs out', async () => {
    const userBrowser = await openSignedInBrowser(service, await service.createUser());
    const [redeemedCode, unredeemedCode] = [
      await obtainCode(service, client, userBrowser),
      await obtainCode(service, client, userBrowser),
    ];
    const { body } = await redeemCode(service, client, redeemedCode);
    const { hidden } = await userBrowser.get('/signout');
    await userBrowser.post('/signout', { csrf: hidden.csrf ?? '' });
    expectError(await redeemCode(service, client, unredeemedCode), 400, 'invalid_grant');
    expect((await redeemRefreshToken(service, client, String(body.refresh_token))).status).toBe(200);
  });
});

describe('reuse of a code', () => {
  async function redeemAndRefresh() {
    const code = await obtainCode(service, client, browser);
    const first = (await redeemCode(service, client, code)).body;
    const second = (await redeemRefreshToken(service, client, String(first.refresh_token))).body;
    return { code, first, second };
  }

  test('revokes all tokens issued from the code', async () => {
    const { code, first, second } = await redeemAndRefresh();
    expectError(await redeemCode(service, client, code), 400, 'invalid_grant');
    for (const { access_token } of [first, second])
      expectError(await fetchUserinfo(service, String(access_token)), 401, 'invalid_token');
    expectError(
      await redeemRefreshToken(service, client, String(second.refresh_token)),
      400,
      'invalid_grant',
    );
  });

  test('does not affect other grants', async () => {
    const unaffected = await obtainTokens(service, client, browser);
    const { code } = await redeemAndRefresh();
    expectError(await redeemCode(service, client, code), 400, 'invalid_grant');
    expect((await fetchUserinfo(service, unaffected.accessToken)).status).toBe(200);
    expect((await redeemRefreshToken(service, client, unaffected.refreshToken)).status).toBe(200);
  });

  test('by a different client does not revoke tokens', async () => {
    const { code, second } = await redeemAndRefresh();
    expectError(await redeemCode(service, otherClient, code), 400, 'invalid_grant');
    expectError(await redeemCode(service, client, code, { client_secret: 'x' }), 401, 'invalid_client');
    expect((await fetchUserinfo(service, String(second.access_token))).status).toBe(200);
    expect((await redeemRefreshToken(service, client, String(second.refresh_token))).status).toBe(200);
  });

  test('revokes the tokens even after the code has expired', async () => {
    const { code, first, second } = await redeemAndRefresh();
    service.clock.advance(3000);
    expect((await fetchUserinfo(service, String(second.access_token))).status).toBe(200);
    expectError(await redeemCode(service, client, code), 400, 'invalid_grant');
    for (const { access_token } of [first, second])
      expectError(await fetchUserinfo(service, String(access_token)), 401, 'invalid_token');
    expectError(
      await redeemRefreshToken(service, client, String(second.refresh_token)),
      400,
      'invalid_grant',
    );
  });

  test('revokes the tokens despite a refresh grace period', async () => {
    const withGrace = await service.createClient({ refreshGrace: 60 });
    const code = await obtainCode(service, withGrace, browser);
    const { body } = await redeemCode(service, withGrace, code);
    expectError(await redeemCode(service, withGrace, code), 400, 'invalid_grant');
    expectError(
      await redeemRefreshToken(service, withGrace, String(body.refresh_token)),
      400,
      'invalid_grant',
    );
  });

  test('revokes the tokens of a concurrent successful request', async () => {
    const code = await obtainCode(service, client, browser);
    const responses = await Promise.all([1, 2].map(() => redeemCode(service, client, code)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    const successful = responses.find(({ status }) => status === 200);
    expectError(await fetchUserinfo(service, String(successful?.body.access_token)), 401, 'invalid_token');
  });
});

describe('a token request', () => {
  test.each([
    ['42 characters long', 'a'.repeat(42)],
    ['129 characters long', 'a'.repeat(129)],
    ['a string with a reserved character', `${'a'.repeat(42)}+`],
    ['a string with a space', `${'a'.repeat(42)} `],
    ['a string with a non-ASCII character', `${'a'.repeat(42)}é`],
    ['empty', ''],
    ['missing', undefined],
  ])('whose code_verifier is %s fails with invalid_request', async (_, code_verifier) => {
    const { code, verifier } = await obtainCodeWithPkce(service, client, browser);
    expectError(await redeemCode(service, client, code, { code_verifier }), 400, 'invalid_request');
    expect((await redeemCode(service, client, code, { code_verifier: verifier })).status).toBe(200);
  });

  test.each([43, 128])(
    'with a wrong code_verifier of %i characters fails with invalid_grant',
    async (length) => {
      const { code, verifier } = await obtainCodeWithPkce(service, client, browser);
      const code_verifier = '~'.repeat(length);
      expectError(await redeemCode(service, client, code, { code_verifier }), 400, 'invalid_grant');
      expect((await redeemCode(service, client, code, { code_verifier: verifier })).status).toBe(200);
    },
  );

  test('with an unexpected code_verifier gets invalid_grant (RFC 9700 §4.8.2)', async () => {
    const code = await obtainCode(service, client, browser);
    const code_verifier = createVerifier();
    expectError(await redeemCode(service, client, code, { code_verifier }), 400, 'invalid_grant');
    expect((await redeemCode(service, client, code)).status).toBe(200);
  });
});

function alterCharacter(text: string, position: number): string {
  const replacement = text[position] === 'A' ? 'B' : 'A';
  return text.slice(0, position) + replacement + text.slice(position + 1);
}
