// grant_type=authorization_code: a code is good once, for its minute, for its application (D13, D14; RFC 6749 §4.1.3).
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorizeAddress,
  newVerifier,
  obtainCode,
  obtainCodeWithPkce,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
  signIn,
  userinfo,
} from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const RAISE = statement('test_raise', 'update users set epoch = epoch + 3 where id = $1::uuid');
const redirectUris = ['https://client.example/callback', 'https://client.example/second'];
const service = await startTestService();
const application = await service.createApplication({ redirectUris });
const other = await service.createApplication({ redirectUris });
const browser = await signedInBrowser(service, await service.createUser());
afterAll(() => service.close());

describe('one minute (D13)', () => {
  test('D13: a code lives 60 seconds by the clock', async () => {
    const inTime = await obtainCode(service, application, browser);
    service.clock.advance(50);
    expect((await redeem(service, application, inTime)).status).toBe(200);
    const late = await obtainCode(service, application, browser);
    service.clock.advance(60);
    expectError(await redeem(service, application, late), 400, 'invalid_grant');
    expectError(await redeem(service, application, late), 400, 'invalid_grant');
  });

  test('D30: AUTHORIZATION_CODE_TTL and ACCESS_TOKEN_TTL are settings', async () => {
    const quick = await startTestService({ AUTHORIZATION_CODE_TTL: '20', ACCESS_TOKEN_TTL: '120' });
    try {
      const app = await quick.createApplication();
      const person = await signedInBrowser(quick, await quick.createUser());
      const late = await obtainCode(quick, app, person);
      quick.clock.advance(20);
      expectError(await redeem(quick, app, late), 400, 'invalid_grant');
      const { body } = await redeem(quick, app, await obtainCode(quick, app, person));
      expect(body.expires_in).toBe(120);
      quick.clock.advance(110);
      expect((await userinfo(quick, String(body.access_token))).status).toBe(200);
      quick.clock.advance(10);
      expectError(await userinfo(quick, String(body.access_token)), 401, 'invalid_token');
    } finally {
      await quick.close();
    }
  });
});

describe('only a fully valid request consumes it (D13)', () => {
  test.each<[string, (code: string, verifier: string) => Promise<{ status: number }>, number]>([
    ['a wrong verifier', (code) => redeem(service, application, code, { code_verifier: newVerifier() }), 400],
    ['no verifier', (code) => redeem(service, application, code), 400],
    [
      'another callback of the application',
      (code, code_verifier) =>
        redeem(service, application, code, { code_verifier, redirect_uri: redirectUris[1] }),
      400,
    ],
    [
      'the callback spelled differently',
      (code, code_verifier) =>
        redeem(service, application, code, { code_verifier, redirect_uri: `${redirectUris[0]}/` }),
      400,
    ],
    ['another application', (code, code_verifier) => redeem(service, other, code, { code_verifier }), 400],
    [
      'a wrong secret',
      (code, code_verifier) => redeem(service, application, code, { code_verifier, client_secret: 'wrong' }),
      401,
    ],
  ])('D13: %s leaves the code usable', async (_, attempt, status) => {
    const { code, verifier } = await obtainCodeWithPkce(service, application, browser);
    expect((await attempt(code, verifier)).status).toBe(status);
    expect((await redeem(service, application, code, { code_verifier: verifier })).status).toBe(200);
  });

  test('contract §7: a wrong callback and another application are invalid_grant', async () => {
    const code = await obtainCode(service, application, browser);
    const redirect_uri = redirectUris[1];
    expectError(await redeem(service, application, code, { redirect_uri }), 400, 'invalid_grant');
    expectError(await redeem(service, other, code), 400, 'invalid_grant');
  });

  test.each([
    ['nonsense', () => 'nonsense'],
    ['altered in its last character', (code: string) => alter(code, code.length - 1)],
    ['altered in the middle', (code: string) => alter(code, code.length >> 1)],
    ['cut short', (code: string) => code.slice(0, -4)],
    ['padded', (code: string) => `${code}=`],
    ['in capitals', (code: string) => code.toUpperCase()],
  ])('D13: a code that is %s is 400 invalid_grant', async (_, spoil) => {
    const code = await obtainCode(service, application, browser);
    expectError(await redeem(service, application, spoil(code)), 400, 'invalid_grant');
    expect((await redeem(service, application, code)).status).toBe(200);
  });

  test('D13: a refresh token is not a code, nor the other way round', async () => {
    const { refreshToken } = await obtainTokens(service, application, browser);
    expectError(await redeem(service, application, refreshToken), 400, 'invalid_grant');
    const code = await obtainCode(service, application, browser);
    expectError(await renew(service, application, code), 400, 'invalid_grant');
    expect((await redeem(service, application, code)).status).toBe(200);
    expect((await renew(service, application, refreshToken)).status).toBe(200);
  });
});

describe('what a code rests on (D28)', () => {
  test('an account whose password was changed once: at the first consent as with a remembered one', async () => {
    const user = await service.createUser();
    await service.parts.database.query(RAISE, [user.userId]);
    const person = await signedInBrowser(service, user);
    for (const consent of ['given now', 'remembered']) {
      const { status } = await redeem(service, application, await obtainCode(service, application, person));
      expect(status, consent).toBe(200);
    }
  });

  test('its session, which goes on when the same person signs in again in the same browser', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const application = await service.createApplication();
    const code = await obtainCode(service, application, browser);
    const before = browser.cookies.get('sesame');
    const again = await browser.follow(
      await browser.get(authorizeAddress(service, application, { prompt: 'login' })),
    );
    await signIn(browser, user, again);
    expect(browser.cookies.get('sesame')).not.toBe(before);
    expect((await redeem(service, application, code)).status).toBe(200);
  });

  test('its session: signing out before it is redeemed ends it, afterwards it ends nothing', async () => {
    const person = await signedInBrowser(service, await service.createUser());
    const [code, other] = [
      await obtainCode(service, application, person),
      await obtainCode(service, application, person),
    ];
    const { body } = await redeem(service, application, code);
    const { hidden } = await person.get('/signout');
    await person.post('/signout', { csrf: hidden.csrf ?? '' });
    expectError(await redeem(service, application, other), 400, 'invalid_grant');
    expect((await renew(service, application, String(body.refresh_token))).status).toBe(200);
  });
});

describe('replay (D13, RFC 6749 §10.5)', () => {
  async function redeemedAndRenewed() {
    const code = await obtainCode(service, application, browser);
    const first = (await redeem(service, application, code)).body;
    const second = (await renew(service, application, String(first.refresh_token))).body;
    return { code, first, second };
  }

  test('D13: by its own application kills every token that came from it, renewed ones included', async () => {
    const { code, first, second } = await redeemedAndRenewed();
    expectError(await redeem(service, application, code), 400, 'invalid_grant');
    for (const { access_token } of [first, second])
      expectError(await userinfo(service, String(access_token)), 401, 'invalid_token');
    expectError(await renew(service, application, String(second.refresh_token)), 400, 'invalid_grant');
  });

  test('D13: other grants of the same account and application live on', async () => {
    const bystander = await obtainTokens(service, application, browser);
    const { code } = await redeemedAndRenewed();
    expectError(await redeem(service, application, code), 400, 'invalid_grant');
    expect((await userinfo(service, bystander.accessToken)).status).toBe(200);
    expect((await renew(service, application, bystander.refreshToken)).status).toBe(200);
  });

  test('D13: by another application, or with a wrong secret, changes nothing', async () => {
    const { code, second } = await redeemedAndRenewed();
    expectError(await redeem(service, other, code), 400, 'invalid_grant');
    expectError(await redeem(service, application, code, { client_secret: 'x' }), 401, 'invalid_client');
    expect((await userinfo(service, String(second.access_token))).status).toBe(200);
    expect((await renew(service, application, String(second.refresh_token))).status).toBe(200);
  });

  test('D13: after the code has expired still kills', async () => {
    const { code, first, second } = await redeemedAndRenewed();
    service.clock.advance(3000);
    expect((await userinfo(service, String(second.access_token))).status).toBe(200);
    expectError(await redeem(service, application, code), 400, 'invalid_grant');
    for (const { access_token } of [first, second])
      expectError(await userinfo(service, String(access_token)), 401, 'invalid_token');
    expectError(await renew(service, application, String(second.refresh_token)), 400, 'invalid_grant');
  });

  test('D13, D16: no grace covers a code', async () => {
    const lenient = await service.createApplication({ refreshGrace: 60 });
    const code = await obtainCode(service, lenient, browser);
    const { body } = await redeem(service, lenient, code);
    expectError(await redeem(service, lenient, code), 400, 'invalid_grant');
    expectError(await renew(service, lenient, String(body.refresh_token)), 400, 'invalid_grant');
  });

  test('D13: of two simultaneous redemptions at most one gets tokens, and they die', async () => {
    const code = await obtainCode(service, application, browser);
    const answers = await Promise.all([1, 2].map(() => redeem(service, application, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const winner = answers.find(({ status }) => status === 200);
    expectError(await userinfo(service, String(winner?.body.access_token)), 401, 'invalid_token');
  });
});

describe('the verifier (D14, RFC 7636)', () => {
  test.each([
    ['42 characters', 'a'.repeat(42)],
    ['129 characters', 'a'.repeat(129)],
    ['a character that is not unreserved', `${'a'.repeat(42)}+`],
    ['a space', `${'a'.repeat(42)} `],
    ['not ASCII', `${'a'.repeat(42)}é`],
    ['empty', ''],
    ['missing', undefined],
  ])('D14: %s is 400 invalid_request and consumes nothing', async (_, code_verifier) => {
    const { code, verifier } = await obtainCodeWithPkce(service, application, browser);
    expectError(await redeem(service, application, code, { code_verifier }), 400, 'invalid_request');
    expect((await redeem(service, application, code, { code_verifier: verifier })).status).toBe(200);
  });

  test.each([43, 128])('D14: one of %i characters that is wrong is 400 invalid_grant', async (length) => {
    const { code, verifier } = await obtainCodeWithPkce(service, application, browser);
    const code_verifier = '~'.repeat(length);
    expectError(await redeem(service, application, code, { code_verifier }), 400, 'invalid_grant');
    expect((await redeem(service, application, code, { code_verifier: verifier })).status).toBe(200);
  });

  test('D14, RFC 9700 §4.8.2: one without a challenge is 400 invalid_grant and consumes nothing', async () => {
    const code = await obtainCode(service, application, browser);
    const code_verifier = newVerifier();
    expectError(await redeem(service, application, code, { code_verifier }), 400, 'invalid_grant');
    expect((await redeem(service, application, code)).status).toBe(200);
  });
});

function alter(text: string, position: number): string {
  const other = text[position] === 'A' ? 'B' : 'A';
  return text.slice(0, position) + other + text.slice(position + 1);
}
